"""The house rules that no linter knows: telling module names, small files and functions, nothing put off, no trace of
the machine a file was written on, no package index named.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent

EMPTY_NAMES = {"base", "common", "helper", "helpers", "manager", "misc", "util", "utils"}
"""Names that say nothing about what a module is for."""

LONGEST_FILE = 600
LONGEST_TEST_FILE = 600
"""Lines. A test file holds tables of cases, and may be longer."""

LONGEST_FUNCTION = 60
"""Lines, docstring included: a screen."""

SOURCES = {".py", ".mjs", ".j2", ".toml"}
PROSE = {".md", ".txt", ".yml", ".yaml", ".json", ".xml", ".css", ".swift", "", ".cfg"}

# Each is written in two parts, so that this file keeps the rules too.
TRACES = {
    "something put off": r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X)\b",
    "a path of one machine": r"(?<![\w.])/(?:wo"
    + r"rk|ro"
    + r"ot|tmp|home/\w+|Use"
    + r"rs/\w+)/|\b[A-Z]:\\Use"
    + r"rs",
    "a package index": r"pypi\." + r"org|python" + r"hosted|registry\.np" + r"mjs|npm" + r"js\.com|deb\.deb" + r"ian",
    "a page that does not ship": r"\bDES" + r"IGN(?:\.md| section)",
}
"""What a line may not hold, and the pattern that finds it."""


def files() -> Iterator[Path]:
    """Every file that git tracks, or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True, encoding="utf-8").stdout
    for name in sorted(set(filter(None, listed.split("\0")))):
        if (ROOT / name).is_file():
            yield Path(name)


def broken_rules(name: Path) -> Iterator[str]:
    """What is wrong with one file, a line each."""
    if name.suffix == ".py" and empty_words(name):
        yield f"{name}: says nothing about what is in it; name it for its meaning"
    raw = (ROOT / name).read_bytes()
    if name.suffix not in SOURCES | PROSE or name.name == "LICENSE":
        return
    if b"\r" in raw:
        yield f"{name}: has carriage returns; end lines with a line feed"
    if raw and not raw.endswith(b"\n"):
        yield f"{name}: ends without a line feed; add it"
    text = raw.decode("utf-8")
    yield from traces(name, text)
    golden = "goldens" in name.parts
    if name.suffix in SOURCES and not golden:
        lines = text.count("\n")
        longest = LONGEST_TEST_FILE if name.parts[0] == "tests" else LONGEST_FILE
        if lines > longest:
            yield f"{name}: has {lines} lines, over {longest}; split it by meaning"
    if name.suffix == ".py" and not golden:
        yield from long_functions(name, text)


def empty_words(name: Path) -> set[str]:
    """The words of a module's path that say nothing about what is in it."""
    stem = name.stem.removeprefix("test_").lstrip("_")
    return EMPTY_NAMES & {stem, stem.rpartition("_")[2], *name.parts[:-1]}


def traces(name: Path, text: str) -> Iterator[str]:
    """Lines that hold what no file of the project may hold."""
    for number, line in enumerate(text.splitlines(), 1):
        for what, pattern in TRACES.items():
            if found := re.search(pattern, line):
                yield f"{name}:{number}: holds {what} ({found[0]}); take it out"


def long_functions(name: Path, text: str) -> Iterator[str]:
    """Functions that do not fit a screen."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            lines = (node.end_lineno or node.lineno) - node.lineno + 1
            if lines > LONGEST_FUNCTION:
                place = f"{name}:{node.lineno}: {node.name}"
                yield f"{place} has {lines} lines, over {LONGEST_FUNCTION}; split it by meaning"


def main() -> int:
    """Print every broken rule; 1 when there is one."""
    broken = [each for name in files() for each in broken_rules(name)]
    for each in broken:
        print(each, file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
