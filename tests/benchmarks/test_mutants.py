"""Mutation testing tells tests that judge a function from tests that only call it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a mutant is a fork")


def survivors(folder, *assertions: str) -> str:
    """Return the row of ``tokens/paths.py`` and its survivors, if its only test has these assertions."""
    lines = ["from tokensync.tokens.paths import groups_around, names", "def test_paths():", *assertions]
    (folder / "test_paths.py").write_text("\n    ".join(lines).replace("    def", "def"), "utf-8")
    (folder / "pytest.ini").write_text("[pytest]\nmarkers =\n  campaign: long\n  outside: other programs\n", "utf-8")
    program = [sys.executable, str(ROOT / "benchmarks/mutants.py"), "tokens/paths.py", "--tests", str(folder)]
    done = subprocess.run(program, capture_output=True, timeout=300, check=False, encoding="utf-8", cwd=folder)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_what_no_assertion_judges_survives(tmp_path):
    shown = survivors(tmp_path, "list(groups_around('a.b.c'))")
    assert re.search(r"^tokens/paths.py:\d+: end > 0 -> end >= 0  \[groups_around, survived\]$", shown, re.MULTILINE)
    assert "[decoded, no test]" in shown


def test_what_an_assertion_judges_does_not(tmp_path):
    shown = survivors(tmp_path, "assert list(groups_around('a.b.c')) == ['a.b', 'a']")
    assert "yield path[:end] -> pass" not in shown
    row = re.search(r"^\| tokens/paths.py \|(.*)\|$", shown, re.MULTILINE)
    mutants, killed, *ends = map(int, row[1].split("|"))
    assert killed > 1
    assert mutants == killed + sum(ends)
