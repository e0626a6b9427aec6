"""Completion in shells: commands, files, themes and tokens; never a name that a shell would interpret."""

import json
import os
import shlex
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
        quoted = " ".join(shlex.quote(each) for each in words)
        return run({}, "bash", "-c", SCRIPT.format(words=quoted, last=len(words) - 1)).strip("\n").split("\n")

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
    assert complete("tokensync", "tokens", "why", "") == ["a\\ b", "co\\:lon", "plain"]
    assert not Path("pwned").exists()


NAMES = ("Blue 500", "Blue 600 (dark)", "co:lon", "größe", "a/b c", "$(touch pwned)", "a`b", "a*")


@pytest.fixture
def spaced(folder):
    """A project with names that a shell has to quote, and others that it must not complete."""
    Path("local.json").write_bytes(response(dict.fromkeys(NAMES, ("#000000", "#ffffff"))))
    key = "hB7rQ2mLkX94vTzWcYp1Nd"
    Path("tokensync.toml").write_text(f'base_url = "emulator:"\n[[files]]\nname = "one"\nkey = "{key}"\n')
    tokensync("-q", "emulator", "seed", "local.json")
    tokensync("-q", "pull")
    return folder


@pytest.mark.parametrize("command", ["why", "show", "rename"])
def test_bash_quotes_names_with_spaces_and_other_characters(complete, spaced, command):
    names = complete("tokensync", "tokens", command, "")
    assert names == [r"Blue\ 500", r"Blue\ 600\ \(dark\)", r"a/b\ c", r"co\:lon", "größe"]
    for each in names:
        (name,) = shlex.split(each)
        assert complete("tokensync", "tokens", command, each[:-1]) == [each]
        assert tokensync("tokens", "why", name).output
    assert complete("tokensync", "tokens", command, '"Blue 5') == ["Blue 500"]
    assert complete("tokensync", "tokens", command, "'Blue 6") == ["Blue 600 (dark)"]


IN_ZSH = """
compdef() {{ }}
compadd() {{ print -rl -- "${{completions[@]}}" }}
_describe() {{ print -rl -- "${{completions_with_descriptions[@]}}" }}
source completion.zsh
words=({words}); CURRENT={last}
_tokensync_completion
"""


@pytest.mark.parametrize("shell", ["zsh", "fish"])
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("tokens", "why", ""), ["Blue 500", "Blue 600 (dark)", "a/b c", "co:lon", "größe"]),
        (("tokens", "rename", "Blue\\ 5"), ["Blue 500"]),
        (("tokens", "show", "'Blue 6"), ["Blue 600 (dark)"]),
        (("tokens", "why", "co:"), ["co:lon"]),
        (("tokens", "why", "größe", "--theme", "theme/"), ["theme/dark", "theme/light"]),
        (("build", "--platform", "and"), ["android"]),
        (("build", "--file", ""), ["one"]),
    ],
)
def test_zsh_and_fish_complete_the_same_names(spaced, shell, words, expected):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "HOME": str(spaced), "LC_ALL": "C.UTF-8"}
    made = {**environment, "_TOKENSYNC_COMPLETE": f"{shell}_source"}
    Path(f"completion.{shell}").write_bytes(
        subprocess.run(["tokensync"], env=made, capture_output=True, check=True).stdout
    )
    if shell == "zsh":
        quoted = " ".join(shlex.quote(each) for each in ("tokensync", *words))
        command = ["zsh", "-f", "-c", IN_ZSH.format(words=quoted, last=len(words) + 1)]
    else:
        line = shlex.quote(" ".join(("tokensync", *words))).replace("'\"'\"'", "\\'").replace("\\ ", "\\\\ ")
        command = ["fish", "--no-config", "-c", f"source completion.fish; complete -C {line}"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert sorted(each for each in done.stdout.splitlines() if each) == expected, done.stderr
    assert not Path("pwned").exists()


def test_nothing_is_completed_or_printed_without_a_project(complete):
    assert complete("tokensync", "tokens", "why", "") == [""]
