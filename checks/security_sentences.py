"""List the sentences of SECURITY.md with the tests that keep them, and run these tests.

``tests/house/security_sentences.toml`` has each sentence of the page either with tests, or with the reason why it
promises nothing. The tables of settings and files of a checkout are left out: each of their rows names its own tests.

    python checks/security_sentences.py          print the table
    python checks/security_sentences.py --run    run the tests as well, which takes some minutes
"""

from __future__ import annotations

import argparse
import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "SECURITY.md"
LISTS = ROOT / "tests" / "house" / "security_sentences.toml"
ROWS = ("$schema", "tokensync.toml")
"""The first cells of the tables whose rows name their own tests."""
_END = re.compile(r"(?<=[.!?]) (?=[A-Z`*(])")
_STEM = 5


class Lists(NamedTuple):
    """Sentences with the ids of their tests, and sentences that promise nothing with the reason."""

    tested: Mapping[str, tuple[str, ...]]
    no_promise: Mapping[str, str]


def lists(path: Path = LISTS) -> Lists:
    """Return both lists."""
    document = tomllib.loads(path.read_text(encoding="utf-8"))
    tested = {entry["sentence"]: tuple(entry["tests"]) for entry in document["tested"]}
    reasons = {sentence: group["reason"] for group in document["no_promise"] for sentence in group["sentences"]}
    return Lists(tested, reasons)


def sentences(page: str) -> Iterator[str]:
    """Yield the sentences of paragraphs, list items and promises. Headings and cells that are no sentence are none."""
    paragraph: list[str] = []
    is_table_of_rows = False
    for line in [*page.splitlines(), ""]:
        if line.startswith("|"):
            cells = [cell.strip() for cell in line.strip("|").split(" | ")]
            is_table_of_rows = is_table_of_rows or cells[0] in ("setting", "file")
            if not is_table_of_rows and cells[0].endswith("."):
                yield from _END.split(cells[0])
            continue
        is_table_of_rows = False
        starts_item = line.startswith("- ")
        if paragraph and (not line.strip() or starts_item or line.startswith("#")):
            yield from _END.split(" ".join(paragraph))
            paragraph = []
        if line.strip() and not line.startswith("#"):
            paragraph.append(line.strip().removeprefix("- "))


def names_of(path: Path) -> dict[str, str]:
    """Return the tests of a file by name, such as ``TestLogin::test_x``, with all words that say what they test."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    found: dict[str, str] = {}
    above = f"{path.stem} {ast.get_docstring(tree) or ''}"
    for node in tree.body:
        members = node.body if isinstance(node, ast.ClassDef) else [node]
        prefix = f"{node.name}::" if isinstance(node, ast.ClassDef) else ""
        for member in members:
            if isinstance(member, ast.FunctionDef) and member.name.startswith("test_"):
                found[prefix + member.name] = f"{above} {prefix}{member.name} {ast.get_docstring(member) or ''}"
    return found


def stems(text: str) -> set[str]:
    """Return the first letters of the longer words of a text, by which a test shows what it is about."""
    return {word[:_STEM] for word in re.findall(r"[a-z]{4,}", text.lower().replace("_", " "))}


def main() -> int:
    """Print the table; return 1 if a test fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", action="store_true")
    options = parser.parse_args()
    known = lists()
    print("| sentence | tests, or why it promises nothing |\n| --- | --- |")
    for sentence in sentences(PAGE.read_text(encoding="utf-8")):
        tests = known.tested.get(sentence)
        print(f"| {sentence} | {', '.join(tests) if tests else known.no_promise.get(sentence, '**not listed**')} |")
    if not options.run:
        return 0
    ids = sorted({test for tests in known.tested.values() for test in tests})
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "-m", "campaign or not campaign", *ids]
    return subprocess.run(command, cwd=ROOT, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
