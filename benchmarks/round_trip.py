"""Measure pull, status, plan and apply with small edits of a large file, and compare them with reading the inputs.

In each round, five values change on the platform and `pull` fetches them. Then five values change in the token files,
`status` and `plan` show the changes, and `apply` sends them. The emulator runs in another process, so the results are
those of the command alone. The floor is a new Python process that decodes the response, the token files and the lock
with msgspec. The results are medians of all rounds, in a Markdown table.

    python benchmarks/round_trip.py                             50,000 variables x 4 modes
    python benchmarks/round_trip.py --size 5000x4 --rounds 9    another size
    python benchmarks/round_trip.py --breakdown plan            a profile of one command
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import urllib.request
from random import Random
from statistics import median
from typing import TYPE_CHECKING

import generate_response
from costs import Cost, Program
from loading.served import Served
from run import in_memory

if TYPE_CHECKING:
    from collections.abc import Iterator

KEY = "Benchmark"
COMMANDS = ("pull", "status", "plan", "apply")
EDITS = 5
"""The number of values that change in each round, on the platform and in the token files."""
MOST_SECONDS, MOST_MEBIBYTES = 4.0, 300.0
DIFFERS = 3
"""The exit code of `status` if there are differences."""
MEBIBYTE = 1024 * 1024
HERE = os.path.dirname(os.path.abspath(__file__))
_LENGTH = re.compile(r'"value": ([0-9.]+), "unit": "px"')


class Project:
    """A pulled project, with methods that edit the platform and the token files."""

    def __init__(self, folder: str, platform: Served, seed: int) -> None:
        life = platform.life()
        self.folder = folder
        self._address = f"http://{life.host}:{life.port}"
        self._token = life.token
        self._dice = Random(seed)
        os.environ["FIGMA_ACCESS_TOKEN"] = life.token
        with open(os.path.join(folder, "tokensync.toml"), "w", encoding="utf-8") as file:
            file.write(f'base_url = "{self._address}"\n[[files]]\nname = "design"\nkey = "{KEY}"\n')

    def response(self) -> bytes:
        """Return the local variables of the platform as a response."""
        return self._request("GET", "/local")

    def edit_platform(self) -> None:
        """Change a few literal lengths on the platform."""
        variables = json.loads(self.response())["meta"]["variables"].values()
        lengths = [each for each in variables if each["scopes"] == ["GAP", "WIDTH_HEIGHT"] and _is_literal(each)]
        changes = [
            {
                "variableId": each["id"],
                "modeId": self._dice.choice([*each["valuesByMode"]]),
                "value": self._dice.randint(200, 900),
            }
            for each in self._dice.sample(lengths, EDITS)
        ]
        self._request("POST", "", {"variableModeValues": changes})

    def edit_files(self) -> None:
        """Change a few literal lengths in token files without reformatting them."""
        for path in self._dice.choices([*self._files_with_lengths()], k=EDITS):
            with open(path, encoding="utf-8") as file:
                text = file.read()
            length = self._dice.choice([*_LENGTH.finditer(text)])
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(f"{text[: length.start(1)]}{self._dice.randint(1000, 9000)}{text[length.end(1) :]}")

    def _files_with_lengths(self) -> Iterator[str]:
        for parent, folders, names in os.walk(os.path.join(self.folder, "tokens")):
            folders.sort()
            for name in sorted(names):
                path = os.path.join(parent, name)
                with open(path, encoding="utf-8") as file:
                    if _LENGTH.search(file.read()):
                        yield path

    def _request(self, method: str, path: str, body: object = None) -> bytes:
        request = urllib.request.Request(  # noqa: S310 - the emulator's own address
            f"{self._address}/v1/files/{KEY}/variables{path}",
            method=method,
            data=None if body is None else json.dumps(body).encode(),
            headers={"X-Figma-Token": self._token, "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request) as answer:  # noqa: S310
            content: bytes = answer.read()
        return content


def _is_literal(variable: dict[str, dict[str, object]]) -> bool:
    return all(isinstance(each, int | float) for each in variable["valuesByMode"].values())


def main() -> int:
    """Print the table, and return 1 if a command exceeds its limits."""
    parser = argparse.ArgumentParser(description="Compare pull, status, plan and apply with reading their inputs.")
    parser.add_argument("--size", default="50000x4", help="VARIABLESxMODES")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--breakdown", choices=COMMANDS, help="profile one command")
    options = parser.parse_args()
    variables, modes = map(int, options.size.split("x"))
    with tempfile.TemporaryDirectory(dir=in_memory(), prefix="tokensync-round-trip-") as scratch:
        os.environ["XDG_CACHE_HOME"] = os.path.join(scratch, "cache")
        os.environ.pop("CI", None)  # which turns the cache off
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # with which each run compiles all modules
        response = os.path.join(scratch, f"{KEY}.local.json")
        with open(response, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(generate_response.chunks(variables, modes, options.seed))
        folder = os.path.join(scratch, "project")
        os.mkdir(folder)
        with Served(os.path.join(scratch, "state.sqlite"), response) as platform:
            project = Project(folder, platform, options.seed)
            _program(project, "pull").run()
            _round(project, {})  # fills the cache
            if options.breakdown:
                _profile(project, options.breakdown)
                return 0
            costs: dict[str, list[Cost]] = {}
            for _ in range(options.rounds):
                _round(project, costs)
            os.environ["TOKENSYNC_CACHE"] = "off"
            uncached: dict[str, list[Cost]] = {}
            _round(project, uncached)
    print(
        f"{variables:,} x {modes}, {EDITS} values edited; medians of {options.rounds} rounds, "
        "and one round without the cache\n"
    )
    return int(_table(costs, uncached) > 0)


def _round(project: Project, costs: dict[str, list[Cost]]) -> None:
    """Measure each command and the floor once."""
    project.edit_platform()
    for command in COMMANDS:
        costs.setdefault(command, []).append(_program(project, command).run())
        if command == "pull":
            project.edit_files()
    answer = os.path.join(os.path.dirname(project.folder), "answer.json")
    with open(answer, "wb") as file:
        file.write(project.response())
    words = (os.path.join(HERE, "floor.py"), "sides", answer, "tokens", "tokensync.lock")
    costs.setdefault("floor", []).append(Program((sys.executable, *words), project.folder).run())


def _program(project: Project, command: str) -> Program:
    return Program((sys.executable, "-m", "tokensync", command, "-q"), project.folder, accepts=(0, DIFFERS))


def _table(costs: dict[str, list[Cost]], uncached: dict[str, list[Cost]]) -> int:
    """Print a row for each command, and return the number of commands that exceed their limits."""
    floor = _median(costs["floor"])
    print("| command | s | CPU s | to the floor | peak MiB | without the cache: CPU s | peak MiB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
    over = 0
    for name, measured in costs.items():
        cost, other = _median(measured), _median(uncached[name])
        over += name in COMMANDS and (cost.wall > MOST_SECONDS or cost.peak > MOST_MEBIBYTES * MEBIBYTE)
        print(
            f"| {name} | {cost.wall:.2f} | {cost.processor:.2f} | {cost.processor / floor.processor:.1f} "
            f"| {cost.peak / MEBIBYTE:.0f} | {other.processor:.2f} | {other.peak / MEBIBYTE:.0f} |"
        )
    return over


def _median(costs: list[Cost]) -> Cost:
    return Cost(*(median(column) for column in zip(*costs, strict=True)))


def _profile(project: Project, command: str) -> None:
    project.edit_platform()
    for each in COMMANDS:
        if each == command:
            words = ("-m", "cProfile", "-s", "tottime", "-m", "tokensync", each, "-q")
            subprocess.run((sys.executable, *words), cwd=project.folder, check=False)
            return
        _program(project, each).run()
        if each == "pull":
            project.edit_files()


if __name__ == "__main__":
    sys.exit(main())
