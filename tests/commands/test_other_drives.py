"""A project on another drive than the working folder, where Windows has no relative path from one to the other."""

import json
import os
import subprocess
from pathlib import Path

import pytest
from commands.projects import COLORS, on_the_platform, output, project_in, tokensync

VERBS = [
    *("status", "check", "build --check", "build", "lint", "format --check", "format", "doctor", "logs", "usage"),
    *("tokens list", "tokens show slate", "tokens why slate", "tokens unused", "tokens dependents slate"),
    *("diff lock {tokens}", "diff git:HEAD {tokens}", "diff lock remote", "pull --dry-run", "pull", "plan", "apply"),
    *("report -o report.html", "check --staged", "build --staged", "install-hook", "tokens list -o list.json"),
    *("tokens rename theme/slate theme/stone", "tokens rename-mode theme/dark Night", "migrate kit.json --to kit"),
    *("build -o out", "files layers one", "webhooks list", "pull --snapshot-out raw", "migrate kit.json --propose"),
]
OUTCOMES = {"format --check": 3, "check --staged": 2, "build --staged": 2, "install-hook": 2}
"""The last three are for the repository of the working folder, which is another one."""


@pytest.fixture
def drives(folder, monkeypatch):
    """Make ``folder/d`` another drive with a project, and ``folder/c`` the working folder."""
    (folder / "d").mkdir()
    project = project_in(folder / "d" / "project", outputs=output("css", "web") + output("ios", "apple"))
    monkeypatch.chdir(project)
    subprocess.run(["git", "init", "-q"], check=True)
    on_the_platform(COLORS)
    tokensync("-q", "pull")
    tokensync("-q", "build")
    Path("tokens", "stray.tokens.json").write_text("{}", encoding="utf-8")
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org")
    subprocess.run(["git", "add", "-A"], check=True)
    subprocess.run(["git", *identity, "commit", "-q", "-m", "Start"], check=True)
    working = folder / "c"
    working.mkdir()
    kit = {"$type": "number", "gap": {"$value": 4}}
    (working / "kit.json").write_text(json.dumps({"kit": kit}), encoding="utf-8")
    monkeypatch.chdir(working)
    subprocess.run(["git", "init", "-q"], check=True)
    relpath = os.path.relpath

    def relative(path, start=os.curdir):
        is_there = [os.path.abspath(each).startswith(f"{folder}/d/") for each in (path, start)]
        if is_there[0] != is_there[1]:
            raise ValueError("path is on mount 'D:', start on mount 'C:'")
        return relpath(path, start)

    monkeypatch.setattr(os.path, "relpath", relative)
    return folder / "d"


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_works_with_a_configuration_on_another_drive(drives, verb):
    project = drives / "project"
    if verb == "apply":
        path = next((project / "tokens").rglob("light.tokens.json"))
        path.write_text(path.read_text(encoding="utf-8").replace('"#112233"', '"#aabbcc"'), encoding="utf-8")
        tokensync("-q", "plan", "-c", project / "tokensync.toml")
    arguments = verb.format(tokens=project / "tokens").split()
    done = tokensync(*arguments, "-c", project / "tokensync.toml", code=OUTCOMES.get(verb, 0))
    assert "drive" not in done.stderr
    assert "mount" not in done.stderr


def test_a_project_in_a_folder_with_more_than_300_characters_is_like_any_other(folder, monkeypatch):
    above = folder / ("x" * 150) / ("y" * 150)
    above.mkdir(parents=True)
    project_in(above / "project", outputs=output("css", "web") + output("ios", "apple"))
    monkeypatch.chdir(above / "project")
    subprocess.run(["git", "init", "-q"], check=True)
    on_the_platform(COLORS)
    for verb in ("pull", "build", "install-hook", "plan", "apply", "format", "report -o report.html"):
        tokensync("-q", *verb.split())
    subprocess.run(["git", "add", "-A"], check=True)
    for verb in ("check", "check --staged", "build --check", "format --check", "status"):
        tokensync("-q", *verb.split())
