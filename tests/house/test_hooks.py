"""The pre-commit hooks call commands and options that exist."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HOOKS = (ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8")
ENTRIES = re.findall(r"^  entry: (.+)$", HOOKS, re.MULTILINE)


@pytest.mark.parametrize("entry", ENTRIES)
def test_a_hook_calls_an_existing_command(entry):
    program, command, *options = shlex.split(entry)
    assert program == "tokensync"
    done = subprocess.run(
        [sys.executable, "-m", "tokensync", command, "--help"],
        check=True,
        capture_output=True,
        text=True,
        encoding="utf-8",
        cwd=ROOT,
    )
    assert [option for option in options if option not in done.stdout] == []


def test_there_are_hooks():
    assert ENTRIES == ["tokensync format", "tokensync build --check"]
