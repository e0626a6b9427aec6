"""A hook that fails prints the error, its place and the command, in at most eight lines."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from commands.projects import quickstart_in, tokensync
from corpus.building import run_here

from tokensync.system.errors import UsageError

DARK, LIGHT = (Path("tokens", "harbor", "theme", f"{mode}.tokens.json") for mode in ("dark", "light"))
PRIMITIVES = Path("tokens", "harbor", "primitives", "value.tokens.json")
CONFIGURATION = Path("tokensync.toml")
MARKS = "<<<<<<< HEAD\n=======\n>>>>>>> other\n"
MOST = 8


@pytest.fixture
def repository(folder):
    os.chdir(quickstart_in(folder / "harbor"))
    subprocess.run(["git", "init", "-q"], check=True)
    subprocess.run(["git", "add", "-A"], check=True)


def replaced(path, pattern, text, most=0):
    path.write_text(re.sub(pattern, text, path.read_text("utf-8"), count=most), encoding="utf-8")


def outdated_outputs():
    replaced(PRIMITIVES, r'"components": \[[^\]]*\], "hex": "[^"]*"', '"components": [0, 0, 1], "hex": "#0000ff"')


def conflicts_of_git():
    for path in (DARK, LIGHT, Path("tokensync.lock"), Path("tokensync.outputs.json")):
        replaced(path, r"\n", f"\n{MARKS}", 1)


def conflicts_of_git_in_the_configuration():
    replaced(CONFIGURATION, r"\n", f"\n{MARKS}", 1)


def damaged_json():
    for path in Path("tokens").rglob("*.json"):
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def unknown_settings():
    replaced(CONFIGURATION, r"\n", "\n" + "".join(f"setting{number} = 1\n" for number in range(30)), 1)


def missing_file():
    LIGHT.unlink()


def missing_token_files():
    shutil.rmtree("tokens")


def missing_outputs():
    shutil.rmtree("code")


def thirty_errors():
    numbers = iter(range(1000))
    replaced(PRIMITIVES, r'"\$value": [{"].*', lambda _: f'"$value": "wrong {next(numbers)}",', 30)


def references_to_nothing():
    replaced(DARK, r'"\{primitives\.', '"{primitives.missing.')


FAILURES = {
    outdated_outputs: "not current: ",
    conflicts_of_git: "[conflict-marks]",
    conflicts_of_git_in_the_configuration: "tokensync.toml",
    damaged_json: "[tokens-malformed]",
    unknown_settings: "setting1",
    missing_file: "light.tokens.json",
    missing_token_files: "token-files-absent",
    missing_outputs: "not current: ",
    thirty_errors: "[token-value]",
    references_to_nothing: "[token-reference]",
}


@pytest.mark.parametrize("command", ["check --staged", "build --staged", "check", "build --check"])
@pytest.mark.parametrize("fail", FAILURES, ids=lambda fail: fail.__name__)
def test_a_failing_hook_prints_at_most_eight_lines(repository, fail, command, monkeypatch):
    fail()
    subprocess.run(["git", "add", "-A"], check=True)
    shown, code = run(*command.split())
    assert code in (1, 2, 3, 5)
    assert len(shown) <= MOST, shown
    expected = FAILURES[fail].replace("not current: ", "written: ") if command == "build --staged" else FAILURES[fail]
    assert any(expected in line for line in shown), shown
    assert any(re.search("; |run (tokensync|git)", line) for line in shown), shown
    assert "--staged" not in command or "run " in shown[-1] or code == UsageError.exit_code, shown
    more, _ = run("-v", *command.split())
    assert len(more) >= len(shown)


def run(*command):
    done = run_here(*command)
    return (done.stderr + done.output).splitlines(), done.code


def test_a_hook_that_formats_prints_at_most_eight_lines(repository, monkeypatch):
    monkeypatch.setenv("PRE_COMMIT", "1")
    thirty_errors()
    replaced(PRIMITIVES, "\n  ", "\n      ")
    shown, code = run("format", str(PRIMITIVES), str(DARK))
    assert (code, len(shown) <= MOST) == (1, True), shown
    for path in Path("tokens").rglob("*.tokens.json"):
        path.write_text(json.dumps(json.loads(path.read_bytes()), indent=7), encoding="utf-8")
    shown, code = run("format", "--check")
    assert (code, len(shown) <= MOST) == (1, True), shown
    assert re.fullmatch(r"not formatted: \d+ more", shown[-1])


def test_verbose_shows_every_path_and_problem(repository):
    outdated_outputs()
    subprocess.run(["git", "add", "-A"], check=True)
    assert re.search(r"not current: (\d+) more", tokensync("check", "--staged", code=3).stderr)
    assert " more\n" not in tokensync("check", "--staged", "-v", code=3).stderr
