"""Writes docs/problems.md from the codes that tokensync declares; ``--check`` only says whether it is current."""

from __future__ import annotations

import sys
from pathlib import Path
from textwrap import fill
from typing import get_args

from tokensync.system.problems import CODES, Code, Level

PAGE = Path(__file__).resolve().parent.parent / "docs" / "problems.md"

HEAD = """\
# Problem codes

<!-- Generated from tokensync/system/problems.py by `make docs`. Do not edit. -->

tokensync reports problems as *where: what; what to do [code]*. This page lists the codes.

Equal problems share a line: one for each collection, with their number and the first places. Lines show the first
three names of a list. Of one code, the problems after the first ten lines are counted. `-v` prints each problem on a
line of its own, with all names, and `--json` contains all of them, with the names in `names`. If collections have the
same name, messages add the handle.
"""

OF_DESIGN = """\
## Findings about the design file

Only a change of the design file ends these findings:

{codes}.

`pull`, `build --snapshot` and the pull request of the Action show them, and `status` and `report` count them. Builds
from token files, `check`, the hooks and annotations do not repeat them: they count them on their last line, and `-v`
shows them. With the level `error`, they stop a command, and every command shows them.
"""

SEVERITIES = {
    "error": "Errors: the command stops, writes nothing and ends with a non-zero exit code.",
    "warning": "Warnings: the command continues, with the result in the table. The exit code does not change.",
    "note": "Notes: there is no problem. A note reports what tokensync has done.",
}
LEVELS = """\
## Accept the findings of today

`tokensync check --accept REASON` and `tokensync pull --accept REASON` write the warnings and notes that they find to
`tokensync.accepted.toml`: a line for each, with its code, its place, the date and the reason. The line of a finding
about an output also has the platform and the path of the output: `output = "android/app/src/main/res"`. Later runs show
none of them, and `tokensync check` counts them. A new case of the same kind is shown, also the same case of another
output. Errors can only be accepted if they are about code ([code.md](code.md)). Commit the file, and remove a line to
see its finding again:

```console
$ cd examples/quickstart
$ tokensync check --accept "Android has no brands yet."
accepted 6 more findings in tokensync.accepted.toml
checked 105 tokens and 63 output files: 6 accepted (-v shows them)
```

`-v` shows accepted findings as notes, and `--json` contains them with `"is_accepted": true`. The
`outputs` of a problem in `--json` are those that it is about.

## Change the level of a code

The table `[problems]` of `tokensync.toml` sets the level of a code to `ignore`, `note`, `warning` or `error`,
everywhere or for some places:

```toml
[problems]
leaf-and-group = "ignore"
identifier-collision = "error"

[problems.type-unsupported]        # the first glob that matches counts
"theme/legacy/**" = "ignore"
"**" = "error"
```

A glob is compared with the place of a problem and with everything that contains it: a collection (by name or handle),
a group or a token, such as `theme/legacy` or `theme/legacy/shadow`, or a file, such as `tokens/harbor/*` or
`web/tokens.css`. A problem that concerns many variables of a collection has the place of the collection. Where no
glob matches, the code keeps its own level.

The levels apply to every command that reports problems, also with `--snapshot`, which reads nothing else from the
nearest configuration or the one of `-c`. With the level `error`, a command stops before it writes anything, and its
exit code is 1. Ignored problems are also missing from `--json`. `unsupported = "raise"` and `naming = { collisions =
"raise" }` of an output precede these levels.

The column *levels* of the tables below contains what a code can be set to. Codes without one cannot change: without a
correction there is no correct result, or they protect your data. Conflicts, unsafe plans and damaged journals have no
code, and cannot change either.
"""
"""Severity to the sentence above its table."""


def row(name: str, code: Code) -> str:
    """Return the table row of a code."""
    levels = ", ".join(f"`{each}`" for each in code.levels) if len(code.levels) > 1 else ""
    cells = (
        f'<a id="{name}"></a>`{name}`',
        code.meaning,
        code.outcome,
        "all" if len(code.levels) == len(get_args(Level)) else levels,
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def page() -> str:
    """Return the page: a table per severity, with its codes by name."""
    links = ", ".join(f"[`{name}`](#{name})" for name, code in sorted(CODES.items()) if code.is_of_design)
    of_design = fill(links, 120, break_long_words=False, break_on_hyphens=False)
    parts = [HEAD, OF_DESIGN.format(codes=of_design), LEVELS]
    for severity, sentence in SEVERITIES.items():
        rows = [row(name, code) for name, code in sorted(CODES.items()) if code.severity == severity]
        if rows:
            table = "\n".join(["| code | meaning | result | levels |", "| --- | --- | --- | --- |", *rows])
            title, _, rest = sentence.partition(": ")
            parts.append(f"## {title}\n\n{rest[0].upper()}{rest[1:]}\n\n{table}\n")
    return "\n".join(parts)


def main(arguments: list[str]) -> int:
    """Write the page, or with ``--check`` compare it: 1 when it is not current."""
    wanted = page()
    if arguments == ["--check"]:
        if PAGE.is_file() and PAGE.read_text(encoding="utf-8") == wanted:
            return 0
        print("docs/problems.md: not current with tokensync/system/problems.py; run `make docs`", file=sys.stderr)
        return 1
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(wanted, encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
