"""Measures tokensync against a floor (floor.py) and against Style Dictionary (matched.py), by turns in one run.

Each measurement is a fresh process that writes into a fresh folder on the same file system. The folder is in memory
where there is one: a catalog is thousands of files, and a disk's time for them, the same on all sides, would hide what
a build costs. The tables are Markdown. Needs a POSIX system (os.wait4); the section `matched` needs Node and npm.

    python benchmarks/run.py                                       a selection that ends in about 20 minutes
    python benchmarks/run.py --full                                every size; takes hours
    python benchmarks/run.py --only build --sizes 20000x4          one section at one size
    python benchmarks/run.py --stages --sizes 20000x4              where a build's time goes
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import shutil
import sys
import tempfile
import time
from typing import TYPE_CHECKING, NamedTuple

import floor
import generate_response
import matched
import stages
from costs import Cost, Program, by_turns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

HERE = os.path.dirname(os.path.abspath(__file__))
SOME_SIZES = ((500, 4), (5_000, 4), (20_000, 4))
ALL_SIZES = tuple((variables, modes) for variables in (500, 5_000, 20_000, 50_000) for modes in (2, 4, 10))
COLLECTIONS = (250, 500, 1_000, 2_000)
IN_MEMORY = "/dev/shm"  # noqa: S108  # a folder of one's own is made in it
MEBIBYTE = 1024 * 1024
TOKENSYNC = (sys.executable, "-m", "tokensync")
BARE = (sys.executable, "-c", "pass")
DECODED = (sys.executable, os.path.join(HERE, "floor.py"))
CACHE = "../cache"
"""Where graphs of token folders are remembered, seen from a project."""
GOALS = {
    "build": "at most 2 times the floor for the default output at 20,000 x 4, at most 6 times the input in memory at "
    "50,000 x 10",
    "matched": "at least 25 times faster than Style Dictionary at 20,000 x 4",
    "idle": "`--version` within 20 ms of bare Python, the others within 60 ms at 5,000 x 4 and 80 ms at 20,000 x 4",
    "reading": "at most 3 times the decoding of its JSON at 20,000 x 4, the first time",
    "collections": "linear: each doubling takes at most twice as long",
}


class Measured(NamedTuple):
    """The input of a section: kinds of files, sizes, rounds, seed and a working folder."""

    kinds: tuple[str, ...]
    sizes: tuple[tuple[int, int], ...]
    rounds: int
    seed: int
    folder: str

    def each(self) -> Iterable[tuple[str, int, int, str]]:
        """Yield kind, variables, modes and an empty folder, which is removed afterwards.

        A project in it remembers the graphs of token folders in ``CACHE``, so that nothing is left of earlier runs.
        """
        for kind in self.kinds:
            for variables, modes in self.sizes:
                with tempfile.TemporaryDirectory(dir=self.folder, prefix="tokensync-benchmark-") as scratch:
                    os.environ["XDG_CACHE_HOME"] = os.path.join(scratch, "cache")
                    yield kind, variables, modes, scratch


def write_response(path: str, kind: str, variables: int, modes: int, seed: int, *, plain: bool = False) -> int:
    """Write a made response to the path; return its size."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(generate_response.chunks(variables, modes, seed, kind, plain=plain))
    return os.path.getsize(path)


def floor_of(response: str, written: str, scratch: str) -> tuple[Program, int]:
    """Return the floor of a build, and the number of the files that the build wrote below ``written``."""
    blob = os.path.join(scratch, "expected.blob")
    files = floor.pack(written, blob)
    return Program((*DECODED, response, blob, "floor"), scratch, ("floor",)), files


def table(*columns: str) -> None:
    """Print the head of a table; the first column is text."""
    print(f"| {' | '.join(columns)} |\n| --- |{' ---: |' * (len(columns) - 1)}", flush=True)


def row(*cells: object) -> None:
    """Print a row of a table."""
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def size_of(kind: str, variables: int, modes: int) -> str:
    """Return how tables name a file."""
    return f"{kind}, {variables:,} x {modes}"


def ratios(of: Cost, to: Cost) -> tuple[str, str]:
    """Return how many times more processor time and wall time one cost is than another."""
    return f"{of.processor / to.processor:.1f}", f"{of.wall / to.wall:.1f}"


def build(measured: Measured) -> None:
    """Compare a cold `build --snapshot` with the floor: all default outputs, and the asset catalog on its own."""
    table(
        "file", "output", "input MiB", "files", "build CPU s", "floor CPU s", "CPU ratio", "wall ratio",
        "build instructions, 10^9", "ratio", "build peak MiB", "of input", "floor peak MiB",
    )  # fmt: skip
    for kind, variables, modes, scratch in measured.each():
        response = os.path.join(scratch, "response.json")
        size = write_response(response, kind, variables, modes, measured.seed)
        for name, platforms in (("default", ()), ("asset catalog and Swift", ("ios",))):
            chosen = [word for each in platforms for word in ("--platform", each)]
            command = (*TOKENSYNC, "build", "-q", "--snapshot", response, *chosen, "-o", "out")
            ours = Program(command, scratch, ("out",))
            ours.run()
            least, files = floor_of(response, os.path.join(scratch, "out"), scratch)
            costs = by_turns({"build": ours, "floor": least}, measured.rounds)
            took, floors = costs["build"], costs["floor"]
            counts = ours.count(), least.count()
            counted = (f"{counts[0] / 1e9:.2f}", f"{counts[0] / counts[1]:.1f}") if all(counts) else ("-", "-")
            row(
                size_of(kind, variables, modes), name, f"{size / MEBIBYTE:.1f}", f"{files:,}", f"{took.processor:.2f}",
                f"{floors.processor:.2f}", *ratios(took, floors), *counted, f"{took.peak / MEBIBYTE:.0f}",
                f"{took.peak / size:.1f}x", f"{floors.peak / MEBIBYTE:.0f}",
            )  # fmt: skip


def compare_matched(measured: Measured) -> None:
    """Compare tokensync, Style Dictionary and the floor on the same token folder and the same kinds of output."""
    matched.install()
    table(
        "file", "declarations compared: CSS, Android, Swift", "Style Dictionary CPU s", "tokensync CPU s",
        "CPU ratio", "wall ratio", "tokensync to floor", "Style Dictionary peak MiB", "tokensync peak MiB",
    )  # fmt: skip
    for kind, variables, modes, scratch in measured.each():
        response, project = os.path.join(scratch, "response.json"), os.path.join(scratch, "project")
        write_response(response, kind, variables, modes, measured.seed, plain=True)
        plan = matched.write_project(response, project)
        generated = (*matched.OUTPUTS, "tokensync.outputs.json", ".tokensync", CACHE)
        ours = Program((*TOKENSYNC, "build", "-q"), project, generated)
        node = Program(("node", matched.STYLE_DICTIONARY, plan, os.path.join(scratch, "theirs")), scratch, ("theirs",))
        ours.run()
        node.run()
        compared = matched.compare(project, os.path.join(scratch, "theirs"))
        expected = os.path.join(scratch, "expected")
        for name in matched.OUTPUTS:
            shutil.copytree(os.path.join(project, name), os.path.join(expected, name))
        least, _ = floor_of(response, expected, scratch)
        costs = by_turns({"node": node, "ours": ours, "floor": least}, measured.rounds)
        row(
            size_of(kind, variables, modes), ", ".join(f"{count:,}" for count in compared),
            f"{costs['node'].processor:.2f}", f"{costs['ours'].processor:.2f}", *ratios(costs["node"], costs["ours"]),
            ratios(costs["ours"], costs["floor"])[0], f"{costs['node'].peak / MEBIBYTE:.0f}",
            f"{costs['ours'].peak / MEBIBYTE:.0f}",
        )  # fmt: skip


def idle(measured: Measured) -> None:
    """Measure commands that have nothing to do, in milliseconds above a Python that does nothing."""
    commands = {
        "--version": ("--version",),
        "build": ("build", "-q"),
        "build --check": ("build", "--check", "-q"),
        "format --check": ("format", "--check", "-q"),
        "check --staged": ("check", "--staged", "-q"),
    }
    table("file", "bare Python ms", *(f"{name} +ms" for name in commands))
    for kind, variables, modes, scratch in measured.each():
        project = _built_project(measured, kind, variables, modes, scratch)
        programs = {name: Program((*TOKENSYNC, *words), project) for name, words in commands.items()}
        costs = by_turns({"bare": Program(BARE, project), **programs}, measured.rounds)
        above = (f"{(costs[name].wall - costs['bare'].wall) * 1000:.0f}" for name in commands)
        row(size_of(kind, variables, modes), f"{costs['bare'].wall * 1000:.0f}", *above)


def _built_project(
    measured: Measured, kind: str, variables: int, modes: int, scratch: str, name: str = "project"
) -> str:
    """Make a project whose outputs are current and staged. Wait: files of this moment count as possibly changed."""
    response, project = os.path.join(scratch, "response.json"), os.path.join(scratch, name)
    write_response(response, kind, variables, modes, measured.seed, plain=True)
    matched.write_project(response, project)
    Program((*TOKENSYNC, "build", "-q"), project).run()
    for words in (("init", "-q"), ("add", "-A")):
        Program(("git", *words), project).run()
    time.sleep(3)
    for words in (("build", "-q"), ("format", "--check", "-q"), ("check", "--staged", "-q")):
        Program((*TOKENSYNC, *words), project).run()
    return project


def reading(measured: Measured) -> None:
    """Compare reading a token folder (`tokens show` of one token) with decoding its JSON.

    The time for a folder of 200 variables (start-up and printing) is subtracted.
    """
    table("file", "decode CPU s", "first time CPU s", "ratio", "second time CPU s", "ratio")
    for kind, variables, modes, scratch in measured.each():
        projects = {
            "least": _built_project(measured, kind, generate_response.FEWEST_VARIABLES, modes, scratch, "least"),
            "whole": _built_project(measured, kind, variables, modes, scratch),
        }
        programs = {}
        for name, project in projects.items():
            show = (*TOKENSYNC, "tokens", "show", _first_path(project), "-q")
            programs[f"decode {name}"] = Program((*DECODED, "tokens"), project)
            programs[f"first {name}"] = Program(show, project, (".tokensync", CACHE))
            programs[f"second {name}"] = Program(show, project)  # finds what the first time left
        costs = by_turns(programs, measured.rounds)
        decode, once, again = (
            costs[f"{name} whole"].processor - costs[f"{name} least"].processor
            for name in ("decode", "first", "second")
        )
        row(
            size_of(kind, variables, modes), f"{decode:.3f}", f"{once:.2f}", f"{once / decode:.1f}", f"{again:.2f}",
            f"{again / decode:.1f}",
        )  # fmt: skip


def _first_path(project: str) -> str:
    """Return the path of the first token of some token file, without the collection that starts it."""
    library = os.path.join(project, "tokens", "library")
    folder = os.path.join(library, min(os.listdir(library)))
    with open(os.path.join(folder, min(os.listdir(folder))), encoding="utf-8") as file:
        node = json.load(file)
    path: list[str] = []
    while "$value" not in node:
        path.append(next(name for name in node if not name.startswith("$")))
        node = node[path[-1]]
    return ".".join(path[1:])


def collections(measured: Measured) -> None:
    """Measure CSS as the number of collections with modes grows."""
    table("collections with 2 modes", "CPU s", "to the row above")
    before = None
    with tempfile.TemporaryDirectory(dir=measured.folder, prefix="tokensync-benchmark-") as scratch:
        programs = {}
        for count in COLLECTIONS:
            response = os.path.join(scratch, f"{count}.json")
            with open(response, "w", encoding="utf-8", newline="\n") as file:
                file.writelines(generate_response.collections(count, measured.seed))
            words = ("build", "-q", "--snapshot", response, "--platform", "css", "-o", f"out-{count}")
            programs[str(count)] = Program((*TOKENSYNC, *words), scratch, (f"out-{count}",))
        for name, cost in by_turns(programs, measured.rounds).items():
            row(f"{int(name):,}", f"{cost.processor:.2f}", f"{cost.processor / before:.1f}" if before else "")
            before = cost.processor


SECTIONS: dict[str, tuple[str, Callable[[Measured], None]]] = {
    "build": ("A cold build against the floor", build),
    "matched": ("The same outputs from tokensync and Style Dictionary", compare_matched),
    "idle": ("Nothing to do", idle),
    "reading": ("Reading a token folder", reading),
    "collections": ("Growth with the number of collections", collections),
}


def profile(measured: Measured) -> None:
    """Print where the instructions of a build go."""
    for kind, variables, modes, scratch in measured.each():
        response = os.path.join(scratch, "response.json")
        write_response(response, kind, variables, modes, measured.seed)
        out = os.path.join(scratch, "out")
        print(f"\n{size_of(kind, variables, modes)}\n\n{stages.table_of(response, out)}", flush=True)


def in_memory() -> str:
    """Return a folder of a file system in memory, or the temporary folder where there is none."""
    return IN_MEMORY if os.access(IN_MEMORY, os.W_OK | os.X_OK) else tempfile.gettempdir()


def size(text: str) -> tuple[int, int]:
    """Parse a size such as 20000x4."""
    variables, _, modes = text.partition("x")
    if not (variables.isdigit() and modes.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r}: write it as VARIABLESxMODES, for example 20000x4")
    return int(variables), int(modes)


def main() -> None:
    """Print the tables of the chosen sections."""
    parser = argparse.ArgumentParser(description="Compare tokensync with a floor and with Style Dictionary.")
    parser.add_argument("--only", choices=SECTIONS, nargs="+", help="run only these sections")
    parser.add_argument("--kinds", choices=generate_response.KINDS, nargs="+", default=tuple(generate_response.KINDS))
    parser.add_argument("--sizes", type=size, nargs="+", metavar="VARIABLESxMODES", help="measure only these sizes")
    parser.add_argument("--full", action="store_true", help="measure every size up to 50,000 variables and 10 modes")
    parser.add_argument("--rounds", type=int, default=3, help="run each program this often, and print medians")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default=in_memory(), help="write here; the file system affects the results")
    parser.add_argument("--stages", action="store_true", help="count the instructions of each stage instead")
    arguments = parser.parse_args()
    folder = os.path.abspath(arguments.folder)
    os.makedirs(folder, exist_ok=True)
    sizes = tuple(arguments.sizes or (ALL_SIZES if arguments.full else SOME_SIZES))
    measured = Measured(tuple(arguments.kinds), sizes, arguments.rounds, arguments.seed, folder)
    print(f"Python {platform.python_version()}, {os.cpu_count()} processors, medians of {arguments.rounds} rounds")
    if arguments.stages:
        profile(measured)
        return
    for name in arguments.only or SECTIONS:
        title, section = SECTIONS[name]
        print(f"\n## {title}\n\nGoal: {GOALS[name]}.\n", flush=True)
        section(measured)


if __name__ == "__main__":
    main()
