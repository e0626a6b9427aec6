"""Measures a cold ``tokensync build --snapshot`` against the floor (see floor.py), side by side in one run.

Each is a whole process, writes into a fresh folder on the same file system, and takes turns with the other, so that
what else the machine does falls on both. The folder is in memory where there is one: a catalog is thousands of files,
and a disk's time for them, the same on both sides, would hide what the build itself costs. The table that it prints is
Markdown. Needs a POSIX system (os.wait4).

    python benchmarks/run.py                              all sizes
    python benchmarks/run.py --size 20000x4 --rounds 9    one size
    python benchmarks/run.py --folder build               on the disk of that folder
    python benchmarks/run.py --breakdown --size 20000x4   where a build's time goes, a room a row
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
from statistics import median
from typing import NamedTuple

import breakdown
import floor
import generate_response

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(HERE)
SIZES = ((1_000, 4), (5_000, 4), (20_000, 4), (50_000, 4), (50_000, 10))
IN_MEMORY = "/dev/shm"  # noqa: S108  # a folder of one's own is made in it
MEBIBYTE = 1024 * 1024
_RSS_UNIT = 1 if sys.platform == "darwin" else 1024  # what ru_maxrss counts in


class Cost(NamedTuple):
    """What one process cost: seconds on the clock, seconds of processor time, bytes of memory at its peak."""

    wall: float
    processor: float
    peak: int


class Row(NamedTuple):
    """One size: the medians of both sides, and the sizes of what they read and wrote."""

    variables: int
    modes: int
    input_bytes: int
    output_bytes: int
    files: int
    build: Cost
    floor: Cost


def build_command(snapshot: str, folder: str) -> list[str]:
    """The command line that is measured."""
    return [sys.executable, "-m", "tokensync", "-q", "build", "--snapshot", snapshot, "-o", folder]


def floor_command(snapshot: str, blob: str, folder: str) -> list[str]:
    """The command line of the floor."""
    return [sys.executable, os.path.join(HERE, "floor.py"), snapshot, blob, folder]


def run(command: list[str]) -> Cost:
    """Run the command to its end; raises RuntimeError with what it said when it fails."""
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, cwd=CHECKOUT)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            text = said.read().decode(errors="replace")
            raise RuntimeError(f"{' '.join(command)}: ended with {process.returncode}\n{text[-4000:]}")
    return Cost(wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _RSS_UNIT)


def measure(variables: int, modes: int, rounds: int, seed: int, scratch: str) -> Row:
    """Build and floor by turns, after one build that fills the caches and shows what the floor has to write."""
    snapshot, blob, folder = (os.path.join(scratch, name) for name in ("response.json", "expected.blob", "out"))
    make_response(variables, modes, seed, snapshot)
    run(build_command(snapshot, folder))
    files = floor.pack(folder, blob)
    written = sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names)
    shutil.rmtree(folder)
    costs: tuple[list[Cost], list[Cost]] = ([], [])
    for _ in range(rounds):
        for command, taken in zip(
            (build_command(snapshot, folder), floor_command(snapshot, blob, folder)), costs, strict=True
        ):
            taken.append(run(command))
            shutil.rmtree(folder)
            os.sync()  # what this one left to write back is not the next one's to pay
    build, least = (Cost(*(median(column) for column in zip(*taken, strict=True))) for taken in costs)
    return Row(variables, modes, os.path.getsize(snapshot), written, files, build, least)


def make_response(variables: int, modes: int, seed: int, path: str) -> None:
    """Write the made response to the path."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(generate_response.chunks(variables, modes, seed))


HEADER = (
    "| variables x modes | input MiB | files | output MiB | build s | floor s | ratio "
    "| build CPU s | floor CPU s | ratio | build peak MiB | of input | floor peak MiB |"
)


def as_line(row: Row) -> str:
    """The row of the Markdown table under HEADER."""
    cells = (
        f"{row.variables:,} x {row.modes}",
        f"{row.input_bytes / MEBIBYTE:.1f}",
        f"{row.files:,}",
        f"{row.output_bytes / MEBIBYTE:.1f}",
        f"{row.build.wall:.2f}",
        f"{row.floor.wall:.2f}",
        f"{row.build.wall / row.floor.wall:.1f}",
        f"{row.build.processor:.2f}",
        f"{row.floor.processor:.2f}",
        f"{row.build.processor / row.floor.processor:.1f}",
        f"{row.build.peak / MEBIBYTE:.0f}",
        f"{row.build.peak / row.input_bytes:.1f}x",
        f"{row.floor.peak / MEBIBYTE:.0f}",
    )
    return f"| {' | '.join(cells)} |"


def in_memory() -> str:
    """A folder of a file system in memory; the temporary folder where there is none."""
    return IN_MEMORY if os.access(IN_MEMORY, os.W_OK | os.X_OK) else tempfile.gettempdir()


def _size(text: str) -> tuple[int, int]:
    variables, _, modes = text.partition("x")
    if not (variables.isdigit() and modes.isdigit()):
        raise argparse.ArgumentTypeError(f"{text!r}: write it as VARIABLESxMODES, for example 20000x4")
    return int(variables), int(modes)


def main() -> None:
    """Print the table, or with --breakdown where the time goes."""
    parser = argparse.ArgumentParser(description="A cold build of a saved response against the floor.")
    parser.add_argument("--size", type=_size, action="append", help="VARIABLESxMODES; repeatable; all sizes otherwise")
    parser.add_argument("--rounds", type=int, default=5, help="runs of each side; medians are shown")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--folder", default=in_memory(), help="where to write: its file system counts")
    parser.add_argument("--breakdown", action="store_true", help="profile one build of each size instead")
    arguments = parser.parse_args()
    folder = os.path.abspath(arguments.folder)
    os.makedirs(folder, exist_ok=True)
    if not arguments.breakdown:
        print(f"Python {platform.python_version()}, {os.cpu_count()} processors, files in {arguments.folder}\n")
        print(HEADER)
        print("|" + " ---: |" * (HEADER.count("|") - 1), flush=True)
    for variables, modes in arguments.size or SIZES:
        with tempfile.TemporaryDirectory(dir=folder, prefix="tokensync-benchmark-") as scratch:
            if arguments.breakdown:
                snapshot = os.path.join(scratch, "response.json")
                make_response(variables, modes, arguments.seed, snapshot)
                print(f"\n{variables:,} x {modes}\n")
                print(
                    breakdown.of_build(build_command(snapshot, os.path.join(scratch, "out")), CHECKOUT, scratch),
                    flush=True,
                )
            else:
                print(as_line(measure(variables, modes, arguments.rounds, arguments.seed, scratch)), flush=True)


if __name__ == "__main__":
    main()
