"""Completion in shells: commands, files, themes and tokens; never a name that a shell would interpret."""

import json
import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import prepared
import pytest
from checkers import missing
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
compopt() {{ printf 'compopt %s %s\\n' "$1" "$2"; }}
COMP_WORDS=({words}); COMP_CWORD={last}
_tokensync_completion tokensync
printf '%s\\n' "${{COMPREPLY[@]}}"
"""


@pytest.fixture
def complete(folder, monkeypatch):
    if not shutil.which("bash"):
        pytest.skip("bash is not installed")
    programs = Path(sys.executable).parent
    if sys.platform != "win32":
        programs = folder / "programs"
        programs.mkdir()
        (programs / "tokensync").write_text(f'#!/bin/sh\nexec {shlex.join(prepared.command())} "$@"\n', "utf-8")
        (programs / "tokensync").chmod(0o755)

    def run(variables, *command, programs=programs):
        path = f"{programs}{os.pathsep}{os.environ['PATH']}"
        done = subprocess.run(
            command, env={**os.environ, "PATH": path, **variables}, capture_output=True, check=True, encoding="utf-8"
        )
        assert done.stderr == ""
        return done.stdout

    Path("completion.bash").write_text(run({"_TOKENSYNC_COMPLETE": "bash_source"}, "tokensync"), encoding="utf-8")

    def complete(*words, programs=programs):
        quoted = " ".join(shlex.quote(each) for each in words)
        script = SCRIPT.format(words=quoted, last=len(words) - 1)
        return run({}, "bash", "-c", script, programs=programs).strip("\n").split("\n")

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
    installed = Path(sys.executable).parent
    assert complete("tokensync", "-c", f"{folder}/harbor", "tokens", "show", "scr", programs=installed) == ["scrim"]


DISPLAY = ("letter-spacing", "line-height", "size", "weight")


@pytest.fixture
def harbor(complete, folder, monkeypatch):
    quickstart_in(folder / "harbor")
    monkeypatch.chdir(folder / "harbor")
    shutil.move(folder / "completion.bash", "completion.bash")
    return folder / "harbor"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("tokens", "why", "theme/scr"), ["theme/scrim"]),
        (("tokens", "show", "theme/text/m"), ["theme/text/muted"]),
        (("tokens", "rename", "theme/scr"), ["theme/scrim"]),
        (("tokens", "dependents", "theme/scr"), ["theme/scrim"]),
        (("tokens", "why", "text.mu"), ["text.muted"]),
        (("tokens", "show", "theme.text.m"), ["theme.text.muted"]),
        (("tokens", "rename", "theme.tex"), ["theme.text.muted", "theme.text.on-accent", "theme.text.primary"]),
        (("tokens", "why", "text.mu/"), [""]),
        (("files", "layers", "harbor", "--token", "text.mu"), ["text.muted"]),
        (("plan", "--prune", "typography.display.s"), ["typography.display.size"]),
        (("files", "layers", "h"), ["harbor"]),
        (("files", "styles", "h"), ["harbor"]),
        (("files", "layers", "harbor", "--token", "theme/scr"), ["theme/scrim"]),
        (("files", "layers", "harbor", "--token", "scr"), ["scrim"]),
        (("plan", "--prune", ""), ["typography"]),
        (("plan", "--prune", "typography/display"), [f"typography/display/{each}" for each in DISPLAY]),
        (("plan", "--prune", "typography", "typography/display/s"), ["typography/display/size"]),
        (("diff", "lo"), ["lock"]),
        (("diff", "lock", "rem"), ["remote"]),
    ],
)
def test_bash_completes_tokens_with_their_collections_and_states(complete, harbor, words, expected):
    if "--prune" in words:
        shutil.rmtree("tokens/harbor/typography")
        resolver = Path("tokens/harbor.resolver.json")
        document = json.loads(resolver.read_text("utf-8"))
        resolver.write_text(json.dumps(without(document, "typography")), encoding="utf-8")
    found = complete("tokensync", *words)
    assert [each for each in found if "/" not in each] == expected if words[-1] == "" else found == expected


def without(document, name):
    """The resolver document without a set or modifier."""
    kept = {
        kind: {key: each for key, each in document.get(kind, {}).items() if key != name}
        for kind in ("sets", "modifiers")
    }
    order = [each for each in document["resolutionOrder"] if not each["$ref"].endswith(f"/{name}")]
    return {**document, **{kind: each for kind, each in kept.items() if each}, "resolutionOrder": order}


@pytest.mark.parametrize(
    "words",
    [
        ("apply", "pl"),
        ("apply", ""),
        ("rollback", ""),
        ("diff", "code/a"),
        ("diff", "lock", "des"),
        ("-c", "tok"),
        ("build", "--config", "tok"),
        ("build", "-o", ""),
        ("build", "--snapshot", "des"),
        ("tokens", "list", "--snapshot", "x", "--published", "des"),
        ("pull", "--snapshot-out", ""),
        ("plan", "-o", ""),
        ("report", "-o", ""),
        ("usage", "--code", "co"),
        ("usage", "--code", "code", "co"),
        ("emulator", "seed", "des"),
        ("emulator", "serve", "--state", ""),
        ("dev-resources", "link", ""),
    ],
)
def test_bash_completes_file_names_where_a_file_is_meant(complete, harbor, words):
    """Nothing was completed there, not even by bash itself."""
    assert complete("tokensync", *words) == ["compopt -o default"]


def test_a_state_is_completed_with_the_files_of_the_folder(complete, harbor):
    found = complete("tokensync", "diff", "")
    assert {"lock", "remote", "tokens", "design.local.json"} <= set(found)


def test_names_that_a_shell_would_interpret_are_not_offered(complete, folder):
    Path("local.json").write_bytes(response(dict.fromkeys((*HOSTILE, "plain"), ("#000000", "#ffffff"))))
    key = "hB7rQ2mLkX94vTzWcYp1Nd"
    Path("tokensync.toml").write_text(
        f'base_url = "emulator:"\n[[files]]\nname = "one"\nkey = "{key}"\n', encoding="utf-8"
    )
    tokensync("-q", "emulator", "seed", "local.json")
    tokensync("-q", "pull")
    listed = {each["path"] for each in json.loads(tokensync("tokens", "list", "--json").output)}
    assert len(listed) == len(HOSTILE) + 1
    assert complete("tokensync", "tokens", "why", "") == ["a\\ b", "co\\:lon", "plain"]
    assert not Path("pwned").exists()


def test_a_name_with_a_dot_of_its_own_is_completed_with_slashes_only(complete, folder):
    names = dict.fromkeys(("space/1.5", "space/2", "space.x/3"), ("#000000", "#ffffff"))
    Path("local.json").write_bytes(response(names))
    key = "hB7rQ2mLkX94vTzWcYp1Nd"
    Path("tokensync.toml").write_text(
        f'base_url = "emulator:"\n[[files]]\nname = "one"\nkey = "{key}"\n', encoding="utf-8"
    )
    tokensync("-q", "emulator", "seed", "local.json")
    tokensync("-q", "pull")
    for typed, expected in (
        ("space", ["space.x/3", "space/1.5", "space/2"]),
        ("space.", ["space.2", "space.x/3"]),
        ("theme.s", ["theme.space.2"]),
    ):
        assert complete("tokensync", "tokens", "why", typed) == expected
        for name in expected:
            assert tokensync("tokens", "why", name).output


NAMES = ("Blue 500", "Blue 600 (dark)", "co:lon", "größe", "a/b c", "$(touch pwned)", "a`b", "a*")


@pytest.fixture
def spaced(folder):
    """A project with names that a shell has to quote, and others that it must not complete."""
    Path("local.json").write_bytes(response(dict.fromkeys(NAMES, ("#000000", "#ffffff"))))
    key = "hB7rQ2mLkX94vTzWcYp1Nd"
    Path("tokensync.toml").write_text(
        f'base_url = "emulator:"\n[[files]]\nname = "one"\nkey = "{key}"\n', encoding="utf-8"
    )
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


PARSED = {
    "bash": ["bash", "-n", "script"],
    "zsh": ["zsh", "-f", "-n", "script"],
    "fish": ["fish", "--no-config", "--no-execute", "script"],
    "powershell": [
        *("pwsh", "-NoProfile", "-NonInteractive", "-Command"),
        "$e = $null; [Management.Automation.Language.Parser]::ParseFile('script', [ref]$null, [ref]$e); exit $e.Count",
    ],
}


@pytest.mark.parametrize(
    "shell",
    [each if each in ("bash", "powershell") else pytest.param(each, marks=pytest.mark.outside) for each in PARSED],
)
def test_one_command_prints_the_script_of_each_shell_which_the_shell_can_parse(folder, shell):
    Path("script").write_text(tokensync("completion", shell).output, encoding="utf-8")
    program, *arguments = PARSED[shell]
    if not (path := shutil.which(program)):
        if shell in ("zsh", "fish"):
            missing(shell, "apt-get install zsh fish")
        pytest.skip(f"{program} is not installed")
    done = subprocess.run([path, *arguments], capture_output=True, encoding="utf-8", check=False)
    assert (done.returncode, done.stderr) == (0, "")
    script = Path("script").read_bytes()
    Path("script").write_bytes(script.replace(b")", b"", 1).replace(b"}", b"", 1).replace(b"'", b"", 1))
    assert subprocess.run([path, *arguments], capture_output=True, check=False).returncode != 0


@pytest.mark.skipif(sys.platform == "win32", reason="the stand-in for bash is a script")
def test_a_bash_that_is_too_old_gets_a_sentence(folder, monkeypatch):
    (folder / "bash").write_bytes(b"#!/bin/sh\necho 3.2.57\n")
    (folder / "bash").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder))
    assert "not supported for Bash versions older than 4.4" in tokensync("completion", "bash").stderr


@pytest.mark.parametrize("words", ["tokensync tokens why ", "tokensync tokens why Bl", "tokensync tokens why 'Blue 6"])
def test_powershell_gets_names_in_quotes_that_it_would_take_apart_or_run(spaced, words):
    last = len(words.split("'")[0].split()) - (words[-1] != " " and "'" not in words)
    variables = {"_TOKENSYNC_COMPLETE": "powershell_complete", "COMP_WORDS": words, "COMP_CWORD": str(last)}
    done = subprocess.run(
        [sys.executable, "-m", "tokensync"], env={**os.environ, **variables}, capture_output=True, check=True
    )
    lines = done.stdout.decode("utf-8").splitlines()
    assert set(lines[::3]) == {"plain"}
    assert "'Blue 600 (dark)'" in lines[1::3]
    assert [each for each in lines[1::3] if set(each) & set(" ();") and (each[0], each[-1]) != ("'", "'")] == []


@pytest.mark.outside
@pytest.mark.parametrize("shell", ["zsh", "fish"])
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("tokens", "why", ""), ["Blue 500", "Blue 600 (dark)", "a/b c", "co:lon", "größe"]),
        (("tokens", "rename", "Blue\\ 5"), ["Blue 500"]),
        (("tokens", "show", "'Blue 6"), ["Blue 600 (dark)"]),
        (("tokens", "why", "co:"), ["co:lon"]),
        (("tokens", "why", "größe", "--theme", "theme/"), ["theme/dark", "theme/light"]),
        (("tokens", "why", "theme/Blue\\ 5"), ["theme/Blue 500"]),
        (("tokens", "rename", "theme/co:"), ["theme/co:lon"]),
        (("diff", "lo"), ["local.json", "lock"]),
        (("build", "--platform", "and"), ["android"]),
        (("build", "--file", ""), ["one"]),
    ],
)
def test_zsh_and_fish_complete_the_same_names(spaced, shell, words, expected):
    if not shutil.which(shell):
        missing(shell, "apt-get install zsh fish")
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
    done = subprocess.run(command, env=environment, capture_output=True, check=False, encoding="utf-8")
    assert sorted(each for each in done.stdout.splitlines() if each) == expected, done.stderr
    assert not Path("pwned").exists()


def test_nothing_is_completed_or_printed_without_a_project(complete):
    assert complete("tokensync", "tokens", "why", "") == [""]
