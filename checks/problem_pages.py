"""Writes docs/problems.md from the codes that tokensync declares; ``--check`` only says whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path

from tokensync.problems import CODES, Code

PAGE = Path(__file__).resolve().parent.parent / "docs" / "problems.md"

HEAD = """\
# Problem codes

<!-- Generated from tokensync/problems.py by `make docs`. Do not edit. -->

tokensync reports problems as *where: what; what to do [code]*. This page lists the codes.

Equal problems share a line: one for each collection, with their number and the first ten places. Lines show the first
three names of a list. If a collection has more than ten different warnings or notes of one code, the others are
counted. `-v` prints each problem on a line of its own, with all names, and `--json` contains all of them, with the
names in `names`. If collections have the same name, messages add the handle.
"""

SEVERITIES = {
    "error": "Errors: the command stops, writes nothing and ends with a non-zero exit code.",
    "warning": "Warnings: the command continues, with the result in the table. The exit code does not change.",
    "note": "Notes: there is no problem. A note reports what tokensync has done.",
}
"""Severity to the sentence above its table."""


def row(name: str, code: Code) -> str:
    """Return the table row of a code."""
    cells = (f"`{name}`", code.meaning, code.outcome)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def page() -> str:
    """Return the page: a table per severity, with its codes by name."""
    parts = [HEAD]
    for severity, sentence in SEVERITIES.items():
        rows = [row(name, code) for name, code in sorted(CODES.items()) if code.severity == severity]
        if rows:
            table = "\n".join(["| code | meaning | result |", "| --- | --- | --- |", *rows])
            title, _, rest = sentence.partition(": ")
            parts.append(f"## {title}\n\n{rest[0].upper()}{rest[1:]}\n\n{table}\n")
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """Write the page, or with ``--check`` compare it: 1 when it is not current."""
    wanted = page()
    if arguments == ["--check"]:
        if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == wanted:
            return 0
        print("docs/problems.md: not current with tokensync/problems.py; run `make docs`", file=sys.stderr)
        return 1
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(wanted, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
