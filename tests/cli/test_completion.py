"""Completion in shells: commands, files, themes and tokens; never a name that a shell would interpret."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands.projects import quickstart_in, response, tokensync

HOSTILE = (
    "$(touch pwned)",
    "`touch pwned`",
    "a b",
    "quo'te",
    'quo"te',
    "co:lon",
    "semi;colon",
    "new\nline",
    "com,ma",
    "--force",
)
SCRIPT = """
source completion.bash
COMP_WORDS=({words}); COMP_CWORD={last}
_tokensync_completion tokensync
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def complete(folder, monkeypatch):
    if not shutil.which("bash"):
        pytest.skip("bash is not installed")
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}

    def run(variables, *command):
        done = subprocess.run(command, env={**environment, **variables}, capture_output=True, text=True, check=True)
        assert done.stderr == ""
        return done.stdout

    Path("completion.bash").write_text(run({"_TOKENSYNC_COMPLETE": "bash_source"}, "tokensync"))

    def complete(*words):
        quoted = " ".join(f"'{each}'" for each in words)
        return run({}, "bash", "-c", SCRIPT.format(words=quoted, last=len(words) - 1)).split()

    return complete


def test_bash_completes_commands_files_themes_and_tokens(complete, folder, monkeypatch):
    quickstart_in(folder / "harbor")
    monkeypatch.chdir(folder / "harbor")
    shutil.move(folder / "completion.bash", "completion.bash")
    assert complete("tokensync", "to") == ["tokens"]
    assert complete("tokensync", "tokens", "wh") == ["why"]
    assert complete("tokensync", "tokens", "why", "text/") == ["text/muted", "text/on-accent", "text/primary"]
    assert complete("tokensync", "tokens", "why", "scrim", "--theme", "density/") == [
        "density/comfortable",
        "density/compact",
    ]
    assert complete("tokensync", "build", "--file", "") == ["harbor"]
    assert complete("tokensync", "-c", f"{folder}/harbor", "tokens", "show", "scr") == ["scrim"]


def test_names_that_a_shell_would_interpret_are_not_offered(complete, folder):
    Path("local.json").write_bytes(response(dict.fromkeys((*HOSTILE, "plain"), ("#000000", "#ffffff"))))
    key = "hB7rQ2mLkX94vTzWcYp1Nd"
    Path("tokensync.toml").write_text(f'base_url = "emulator:"\n[[files]]\nname = "one"\nkey = "{key}"\n')
    tokensync("-q", "emulator", "seed", "local.json")
    tokensync("-q", "pull")
    listed = {each["path"] for each in json.loads(tokensync("tokens", "list", "--json").output)}
    assert len(listed) == len(HOSTILE) + 1
    assert complete("tokensync", "tokens", "why", "") == ["plain"]
    assert not Path("pwned").exists()


def test_nothing_is_completed_or_printed_without_a_project(complete):
    assert complete("tokensync", "tokens", "why", "") == []
