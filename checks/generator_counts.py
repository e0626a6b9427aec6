"""Writes the tables of docs/generators.md: how many values outside checkers compared with the graph, how many differ.

The second table has the units of numbers, compared with those that teams publish for them.

It runs what `make verify` runs, which takes minutes, and writes only what a whole run without a failure found.
``--check`` says in a moment whether the page shows the rows and columns that there are, without a difference.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "generators.md"
KEYS = 3
"""The columns before the counts: target, what is compared, read by."""
CHANGED = 4
"""The column of changed numbers in the table of units."""


def faults() -> list[str]:
    """Return the problems of the table on the page."""
    sys.path.insert(0, str(ROOT / "tests"))
    counts = import_module("outside.counts")
    lines: list[list[str]] = counts.shown_in(PAGE)
    head = ["target", "what is compared", "read by", *counts.COLUMNS, "differences"]
    problems = [] if lines[:1] == [head] else [f"the columns are not {', '.join(head)}"]
    wanted, shown = [list(row) for row in counts.ROWS], [line[:KEYS] for line in lines[2:]]
    problems += [f"no row for {': '.join(row)}" for row in wanted if row not in shown]
    problems += [f"nothing compares {': '.join(row)}" for row in shown if row not in wanted]
    for line in lines[2:]:
        numbers = line[KEYS:]
        if len(line) != len(head) or not all(each.replace(",", "").isdigit() for each in numbers):
            problems.append(f"a count is missing in {': '.join(line[:KEYS])}")
        elif numbers[-1] != "0" or not any(each != "0" for each in numbers[:-1]):
            problems.append(f"differences, or nothing compared, in {': '.join(line[:KEYS])}")
    units: list[list[str]] = counts.shown_in(PAGE, counts.UNITS)
    if units[:1] != [counts.UNITS_HEAD] or not units[2:]:
        problems.append("no table of units")
    problems += [f"the numbers of {line[0]} change" for line in units[2:] if line[CHANGED] != "0"]
    return problems


def main(arguments: list[str]) -> int:
    """Run the checkers and write the table, or with ``--check`` look at it: 1 when it is not as it has to be."""
    if arguments == ["--check"]:
        problems = faults()
        for each in problems:
            print(f"docs/generators.md: {each}; run `make counts`", file=sys.stderr)
        return 1 if problems else 0
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-n",
        "auto",
        "--dist",
        "loadgroup",
        "-m",
        "outside",
        f"--counts={PAGE}",  # as one word: pytest would take the page for the folder of the tests
    ]
    environment = {**os.environ, "TOKENSYNC_REQUIRE_CHECKERS": "1"}
    return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
