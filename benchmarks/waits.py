"""Measure what people wait for: the hook, each command with nothing new and with five edits, and CI's fresh clones.

The emulator runs in another process, so the results are those of the command alone. Instructions are counted where
perf or valgrind can; each row is then measured twice, in the same state. The results are Markdown tables.

    python benchmarks/waits.py                           1,000 and 5,000 variables x 4 modes, many files, migrations
    python benchmarks/waits.py --only one --sizes 20000x4
    python benchmarks/waits.py --budgets                 compare instructions with the budgets
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from functools import partial
from random import Random
from typing import TYPE_CHECKING, NamedTuple

import generate_response
import stages
from costs import COUNTERS, Cost, Program, counter
from loading.served import Served
from migration import write_source
from run import MEBIBYTE, TOKENSYNC, in_memory, row, size, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

EDITS = 5
"""The number of values that change, on the platform or in the token files."""
UNPROVEN = 12.0
"""Seconds after which a file counts as unchanged if its time is: a stat manifest trusts no file of just now."""
DIFFERS = 3
"""The exit code of `status` and `check` if there are differences."""
OUTPUTS = "".join(f'[[outputs]]\nplatform = "{name}"\npath = "code/{name}"\n' for name in ("css", "android", "ios"))
GIT = ("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.com", "-c", "commit.gpgsign=false")
MANY_FILES = (25, 100, 200)
VARIABLES_OF_MANY, MODES_OF_MANY = 200, 2
MIGRATED = 10_000

_LENGTH = re.compile(r'"value": ([0-9.]+), "unit": "px"')

SECTIONS = ("one", "many", "migrations")
"""Projects with one design file and with many, and migrations."""
PINNED = (3, 11)
"""The version of Python that the budgets are for."""
BUDGETS: dict[str, float] = {
    "imports": 0.49,
    "read and decode": 0.15,
    "normalize, findings": 0.60,
    "references and kinds": 0.32,
    "CSS": 1.38,
    "Android": 0.50,
    "iOS": 0.74,
    "write": 0.59,
    "cold build": 2.06,
    "tokens list --json": 1.66,
    "--help": 0.37,
    "build, nothing new": 0.12,
    "check, nothing new": 0.14,
    "check --staged, nothing new": 0.12,
    "lint, nothing new": 0.11,
    "plan, nothing new": 1.91,
    "check, fresh clone": 2.58,
    "plan, fresh clone": 1.89,
    "pull, fresh clone": 1.66,
    "check --staged, 5 edits": 2.84,
}
"""The most instructions of each row at 1,000 x 4, and of each stage at 5,000 x 4, as multiples of the calibration loop.

Those depend on how Python was compiled, and on the counter, as those of tokensync do."""


class Wait(NamedTuple):
    """A command that someone waits for. ``prepare`` brings about the state that it runs in, and returns its folder."""

    name: str
    prepare: Callable[[], str]
    words: Sequence[str]

    def measured(self) -> tuple[Cost, int]:
        """Return the cost of the command, and its instructions; 0 where nothing can count them."""
        cost = self.program().run()
        return cost, self.program().count() if counter() else 0

    def program(self) -> Program:
        """Return the command, ready to run in the state."""
        return Program((*TOKENSYNC, *self.words), self.prepare(), accepts=(0, DIFFERS))


class Project:
    """A pulled, built and committed project of design files, which can be edited on both sides and cloned."""

    def __init__(self, scratch: str, served: Served, keys: Sequence[str], seed: int) -> None:
        life = served.life()
        self._address, self._token = f"http://{life.host}:{life.port}", life.token
        self._keys = keys
        self._dice = Random(seed)
        self._scratch = scratch
        self.folder = os.path.join(scratch, "project")
        os.environ["FIGMA_ACCESS_TOKEN"] = life.token
        os.mkdir(self.folder)
        files = "".join(f'[[files]]\nname = "{key.lower()}"\nkey = "{key}"\n' for key in keys)
        with open(os.path.join(self.folder, "tokensync.toml"), "w", encoding="utf-8") as file:
            file.write(f'base_url = "{self._address}"\n{files}{OUTPUTS}')
        self._git("init", "--quiet")

    def settled(self) -> str:
        """Build and commit everything, and let every command remember it."""
        Program((*TOKENSYNC, "build", "-q"), self.folder).run()
        self._git("add", "--all")
        self._git("commit", "--quiet", "--allow-empty", "--message", "Settle")
        time.sleep(UNPROVEN)
        for words in (("build",), ("check",), ("lint",), ("check", "--staged")):
            Program((*TOKENSYNC, *words, "-q"), self.folder, accepts=(0, DIFFERS)).run()
        return self.folder

    def unchanged(self) -> str:
        """Return the folder as it is."""
        return self.folder

    def cloned(self) -> str:
        """Clone the project without anything that a command remembers, as CI does for each run."""
        clone = os.path.join(self._scratch, "clone")
        shutil.rmtree(clone, ignore_errors=True)
        self._git("clone", "--quiet", self.folder, clone)
        return clone

    def edited(self) -> str:
        """Change a few literal lengths in token files without reformatting them, and stage that."""
        paths = [*self._files_with_lengths()]
        for path in self._dice.choices(paths, k=EDITS):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            length = self._dice.choice([*_LENGTH.finditer(text)])
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(f"{text[: length.start(1)]}{self._dice.randint(1000, 9000)}{text[length.end(1) :]}")
        self._git("add", "--all")
        return self.folder

    def planned(self) -> str:
        """Edit, and make the plan that an apply carries out."""
        Program((*TOKENSYNC, "plan", "-q"), self.edited(), accepts=(0, DIFFERS)).run()
        return self.folder

    def changed_on_the_platform(self) -> str:
        """Change a few literal lengths of the first design file on the platform."""
        address = f"{self._address}/v1/files/{self._keys[0]}/variables"
        variables = json.loads(self._request("GET", f"{address}/local"))["meta"]["variables"].values()
        lengths = [each for each in variables if each["scopes"] == ["GAP", "WIDTH_HEIGHT"] and _is_literal(each)]
        changes = [
            {
                "variableId": variable["id"],
                "modeId": self._dice.choice([*variable["valuesByMode"]]),
                "value": self._dice.randint(200, 900),
            }
            for variable in self._dice.sample(lengths, EDITS)
        ]
        self._request("POST", address, {"variableModeValues": changes})
        return self.folder

    def cloned_before_changes(self) -> str:
        """Clone the project, and change values on the platform."""
        self.changed_on_the_platform()
        return self.cloned()

    def _files_with_lengths(self) -> Iterator[str]:
        for parent, folders, names in os.walk(os.path.join(self.folder, "tokens")):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(parent, name)
                with open(path, encoding="utf-8") as file:
                    if _LENGTH.search(file.read()):
                        yield path

    def _git(self, *words: str) -> None:
        subprocess.run([*GIT, *words], cwd=self.folder, check=True, stdout=subprocess.DEVNULL)

    def _request(self, method: str, address: str, body: object = None) -> bytes:
        request = urllib.request.Request(  # noqa: S310 - the emulator's own address
            address,
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"X-Figma-Token": self._token, "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            content: bytes = answer.read()
        return content


def _is_literal(variable: dict[str, dict[str, object]]) -> bool:
    return all(isinstance(each, int | float) for each in variable["valuesByMode"].values())


def of_one_file(scratch: str, kind: str, variables: int, modes: int, seed: int) -> Iterator[Wait]:
    """Yield the rows of a project with one design file, in an order in which each finds its state."""
    response = _response(scratch, "Benchmark", kind, variables, modes, seed)
    yield Wait("cold build", lambda: scratch, ("build", "--snapshot", response, "-o", "out", "-q"))
    yield Wait("tokens list --json", lambda: scratch, ("tokens", "list", "--json", "--snapshot", response, "-q"))
    for word in ("--version", "--help"):
        yield Wait(word, lambda: scratch, (word,))
    with Served(os.path.join(scratch, "state.sqlite"), response) as served:
        project = Project(scratch, served, ("Benchmark",), seed)
        Program((*TOKENSYNC, "pull", "-q"), project.folder).run()
        project.settled()
        for command in ("build", "build --check", "check", "check --staged", "lint", "status", "plan", "pull"):
            yield Wait(f"{command}, nothing new", project.unchanged, (*command.split(), "-q"))
        for command in ("build", "build --check", "check", "lint", "status", "plan", "pull"):
            yield Wait(f"{command}, fresh clone", project.cloned, (*command.split(), "-q"))
        for command in ("check --staged", "check", "lint", "build", "status", "plan"):
            yield Wait(f"{command}, {EDITS} edits", project.edited, (*command.split(), "-q"))
        yield Wait(f"apply, {EDITS} edits", project.planned, ("apply", "-q"))
        project.settled()
        yield Wait(f"pull, {EDITS} changes", project.changed_on_the_platform, ("pull", "-q"))
        yield Wait(f"pull, {EDITS} changes, fresh clone", project.cloned_before_changes, ("pull", "-q"))


def of_many_files(scratch: str, count: int, seed: int) -> Iterator[Wait]:
    """Yield the rows of a project with many small design files."""
    keys = [f"Benchmark{number}" for number in range(count)]
    responses = [
        _response(scratch, key, "layers", VARIABLES_OF_MANY, MODES_OF_MANY, seed + at) for at, key in enumerate(keys)
    ]
    with Served(os.path.join(scratch, "state.sqlite"), *responses) as served:
        project = Project(scratch, served, keys, seed)
        Program((*TOKENSYNC, "pull", "-q"), project.folder).run()
        project.settled()
        for command in ("status", "pull"):
            yield Wait(f"{command}, nothing new", project.unchanged, (command, "-q"))
        yield Wait("pull, one of them changed", project.changed_on_the_platform, ("pull", "-q"))
        for command in ("build", "check --staged"):
            yield Wait(f"{command}, {EDITS} edits", project.edited, (*command.split(), "-q"))


def of_migrations(scratch: str) -> Iterator[Wait]:
    """Yield the rows of migrations of Tokens Studio tokens with seven themes, each in a new project."""

    def unmigrated() -> str:
        folder = tempfile.mkdtemp(dir=scratch)
        with open(os.path.join(folder, "tokens.json"), "w", encoding="utf-8") as file:
            file.write(source)
        return folder

    source = write_source(MIGRATED, os.path.join(scratch, "tokens.json"))
    words = ("migrate", "tokens.json", "--to", "design", "-q")
    yield Wait(f"migrate, {MIGRATED:,} tokens x 7 themes", unmigrated, (*words, "--no-rehearse"))
    yield Wait("the same with the rehearsal", unmigrated, words)


def _response(scratch: str, key: str, kind: str, variables: int, modes: int, seed: int) -> str:
    path = os.path.join(scratch, f"{key}.local.json")
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.writelines(generate_response.chunks(variables, modes, seed, kind))
    return path


def show(title: str, waits: Iterator[Wait], pattern: str = "") -> dict[str, int]:
    """Print a table of the rows whose names match, and return their instructions. Ratios are to the first row."""
    print(f"\n## {title}\n")
    table("", "CPU s", "instructions, 10^9", "to the first row", "peak MiB")
    counts: dict[str, int] = {}
    first: float = 0
    for wait in waits:
        if counts and not re.search(pattern, wait.name):
            continue
        cost, instructions = wait.measured()
        counts[wait.name] = instructions
        amount = instructions or cost.processor
        first = first or amount
        row(
            wait.name, f"{cost.processor:.2f}", f"{instructions / 1e9:.2f}" if instructions else "-",
            f"{amount / first:.2f}", f"{cost.peak / MEBIBYTE:.0f}",
        )  # fmt: skip
    return counts


def over_budget(counts: dict[str, int], calibration: int) -> int:
    """Print each row with its budget, and return how many exceed theirs."""
    excesses = 0
    print(f"\nThe calibration takes {calibration / 1e9:.3f} x 10^9 instructions.\n")
    table("", "multiples of the calibration", "budget")
    for name, budget in BUDGETS.items():
        multiple = counts[name] / calibration
        excesses += multiple > budget
        mark = " (exceeds its budget)" if multiple > budget else ""
        row(name + mark, f"{multiple:.2f}", f"{budget:.2f}")
    return excesses


def _with_folder(rows: Callable[[str], Iterator[Wait]], title: str, pattern: str) -> dict[str, int]:
    with tempfile.TemporaryDirectory(dir=in_memory(), prefix="tokensync-waits-") as scratch:
        os.environ["XDG_CACHE_HOME"] = os.path.join(scratch, "cache")
        return show(title, rows(scratch), pattern)


def main() -> int:
    """Print the tables; with --budgets, return 1 if a row exceeds its budget."""
    parser = argparse.ArgumentParser(description="Measure what people wait for.")
    parser.add_argument("--sizes", type=size, nargs="+", default=((1_000, 4), (5_000, 4)), metavar="VARIABLESxMODES")
    parser.add_argument("--kind", choices=generate_response.KINDS, default="refs")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=SECTIONS, nargs="+", default=SECTIONS, help="run only these sections")
    parser.add_argument("--rows", default="", metavar="PATTERN", help="measure the first row and those that match")
    parser.add_argument("--uncounted", action="store_true", help="count no instructions: valgrind takes minutes")
    parser.add_argument("--budgets", action="store_true", help="compare instructions with the budgets")
    options = parser.parse_args()
    os.environ.pop("CI", None)  # which turns the cache off
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # with which each run compiles all modules
    if options.uncounted:
        COUNTERS.clear()
    print(f"Python {platform.python_version()}, counted by {counter() or 'nothing'}")

    def of_size(variables: int, modes: int) -> dict[str, int]:
        rows = partial(of_one_file, kind=options.kind, variables=variables, modes=modes, seed=options.seed)
        return _with_folder(rows, f"{options.kind}, {variables:,} x {modes}", options.rows)

    if options.budgets:
        if not counter() or sys.version_info[:2] != PINNED:
            needed = f"perf or valgrind, and Python {'.'.join(map(str, PINNED))}"
            print(f"\n*** SKIPPED: no budget is checked; this needs {needed} ***")
            return 0
        with tempfile.TemporaryDirectory(dir=in_memory(), prefix="tokensync-stages-") as scratch:
            response = _response(scratch, "Benchmark", options.kind, 5_000, 4, options.seed)
            of_stages = stages.count(response, os.path.join(scratch, "out"))
        calibration = of_stages["calibration"]
        options.rows = f"^({'|'.join(map(re.escape, BUDGETS))})$"
        return int(over_budget({**of_stages, **of_size(1_000, 4)}, calibration) > 0)
    for variables, modes in options.sizes if "one" in options.only else ():
        of_size(variables, modes)
    for count in MANY_FILES if "many" in options.only else ():
        title = f"{count} design files of {VARIABLES_OF_MANY} x {MODES_OF_MANY}"
        _with_folder(partial(of_many_files, count=count, seed=options.seed), title, options.rows)
    if "migrations" in options.only:
        _with_folder(of_migrations, "Migrations", options.rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
