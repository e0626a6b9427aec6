"""Every check in every state of a project: each check has to see what its page promises that it sees.

A check that does not would let everybody believe that all is well. The states and promises are in
fuzzing/states.py, written by hand. The embedded emulator is the platform. The table that it prints is Markdown: the
exit code of each check, and WRONG for one that is green and should be red, or red and should be green, or that says
nothing about what it may only warn of.

    python benchmarks/wrong_green.py
    python benchmarks/wrong_green.py --state lock        states whose name has this text, with what the checks said
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from typing import NamedTuple
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
CHECKOUT = os.path.dirname(HERE)
sys.path[:0] = [HERE, os.path.join(CHECKOUT, "tests"), CHECKOUT]

from commands.scenes import SETTINGS  # noqa: E402
from corpus.building import OWN_ERROR, Done, run_here  # noqa: E402
from fuzzing.states import CHECKS, STATES, State, healthy  # noqa: E402


class Cell(NamedTuple):
    """How a check ended, and what is wrong with that, if anything."""

    done: Done
    wrong: str = ""
    is_reported: bool = False
    """Whether a message is promised, and no failure."""

    def __str__(self) -> str:
        return f"{self.done.code}{'*' * self.is_reported} {self.wrong}".strip()


def main() -> int:
    """Run the checks, print the table, and return 1 if a cell is wrong."""
    parser = argparse.ArgumentParser(description="Every check in every state of a project.")
    parser.add_argument("--state", default="", help="only states whose name has this text, with what the checks said")
    options = parser.parse_args()
    started = time.monotonic()
    memory = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None  # noqa: S108 - a folder of its own in it
    with tempfile.TemporaryDirectory(dir=memory, prefix="tokensync-states-") as scratch:
        rows = cells_of([state for state in STATES if options.state in state.name], Path(scratch))
    print(f"| state | {' | '.join(CHECKS.values())} |\n| --- |{' ---: |' * len(CHECKS)}")
    for name, cells in rows.items():
        print(f"| {name} | {' | '.join(map(str, cells.values()))} |")
    wrong = [(name, check, cell) for name, cells in rows.items() for check, cell in cells.items() if cell.wrong]
    number = sum(map(len, rows.values()))
    print(f"\n{len(rows)} states, {number} checks in {time.monotonic() - started:.0f} s; {len(wrong)} are wrong.")
    for name, check, cell in wrong:
        print(f"\n{name}: {CHECKS[check]}: {cell}\n{cell.done.output[:600]}{cell.done.stderr[:1200]}")
    if options.state:
        for name, cells in rows.items():
            for check, cell in cells.items():
                print(f"\n{name}: {CHECKS[check]}: {cell}\n{cell.done.output[:600]}{cell.done.stderr[:1200]}")
    return int(bool(wrong))


def cells_of(states: list[State], scratch: Path) -> dict[str, dict[str, Cell]]:
    """Return the cells of each state by its name, and by the letters of the checks."""
    variables = {
        name: value for name, value in os.environ.items() if not name.startswith(("TOKENSYNC_", "FIGMA_", "GITHUB_"))
    }
    variables |= dict.fromkeys(SETTINGS, str(scratch / "home")) | {
        "TOKENSYNC_CACHE": "off",
        "TOKENSYNC_ACTION_MODE": "check",
    }
    variables |= {"RUNNER_TEMP": str(scratch / "runner"), "TOKENSYNC_ACTION_REPORT": "false"}
    variables.pop("CI", None)
    for name in ("home", "runner", "healthy"):
        (scratch / name).mkdir(mode=0o700)
    with mock.patch.dict(os.environ, variables, clear=True):
        os.chdir(scratch / "healthy")
        healthy()
        usual = _cells(STATES[0], scratch, {})
        return {state.name: usual if state is STATES[0] else _cells(state, scratch, usual) for state in states}


def _cells(state: State, scratch: Path, usual: dict[str, Cell]) -> dict[str, Cell]:
    for name in ("project", "shallow"):
        shutil.rmtree(scratch / name, ignore_errors=True)
    os.chdir(shutil.copytree(scratch / "healthy", scratch / "project", symlinks=True))
    with state.make() or nullcontext():
        return {letter: _cell(state, letter, usual.get(letter)) for letter in CHECKS}


def _cell(state: State, letter: str, usual: Cell | None) -> Cell:
    done = run_here(*CHECKS[letter].split())
    text = done.output + done.stderr
    if OWN_ERROR in text or "Traceback" in text:
        return Cell(done, "WRONG: internal error")
    if (done.code != 0) != (letter in state.red) and not (letter in state.reported and done.code):
        return Cell(done, "WRONG: red is promised" if letter in state.red else "WRONG: green is promised")
    if letter in state.red + state.reported and usual is not None and text == usual.done.output + usual.done.stderr:
        return Cell(done, "WRONG: it says what it says of a healthy project")
    return Cell(done, is_reported=letter in state.reported)


if __name__ == "__main__":
    sys.exit(main())
