"""The pre-commit hooks call commands and options that exist."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

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
        encoding="utf-8",
        cwd=ROOT,
    )
    assert [option for option in options if option not in done.stdout] == []


def test_there_are_hooks():
    assert ENTRIES == ["tokensync check --staged", "tokensync build --staged", "tokensync format"]


def test_each_runs_at_named_stages_and_those_of_the_whole_project_always_and_without_files():
    hooks = {each["id"]: each for each in yaml.safe_load(HOOKS)}
    assert all("pre-commit" in each["stages"] and "commit-msg" not in each["stages"] for each in hooks.values())
    for name in ("tokensync-check", "tokensync-build"):
        assert (hooks[name]["always_run"], hooks[name]["pass_filenames"]) == (True, False)
    pattern = re.compile(hooks["tokensync-format"]["files"])
    assert pattern.search("packages/a/tokens/x/light.tokens.json")
    assert pattern.search("tokens/x.resolver.json")
    assert not pattern.search("README.md")
