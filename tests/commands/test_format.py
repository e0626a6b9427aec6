"""``tokensync format``: selected files and invalid files."""

from __future__ import annotations

import json

import pytest
from commands.projects import COLORS, files_in, on_the_platform, project_in, tokensync

LIGHT = "tokens/one/theme/light.tokens.json"


@pytest.fixture
def project(folder):
    project_in(folder, files=("one", "two"))
    on_the_platform(COLORS, "one")
    on_the_platform(COLORS, "two")
    tokensync("-q", "pull")
    return folder


def spoil(project, path=LIGHT):
    before = (project / path).read_bytes()
    (project / path).write_text(json.dumps(json.loads(before)))
    return before


def test_what_a_pull_writes_is_canonical(project):
    assert "6 files, all formatted" in tokensync("format", "--check").stderr


def test_another_layout_is_reported_by_check_and_fixed_otherwise(project):
    before = spoil(project)
    assert f"not formatted: {LIGHT}" in tokensync("format", "--check", code=3).stderr
    assert "formatted 1 of 6 files" in tokensync("format").stderr
    assert (project / LIGHT).read_bytes() == before


def test_a_file_selects_its_own_token_files(project):
    spoil(project)
    tokensync("format", "--check", "--file", "two")
    tokensync("format", "--check", "--file", "one", code=3)
    tokensync("format", "--file", "three", code=2)
    tokensync("format", "--file", "one", LIGHT, code=2)


def test_paths_are_files_or_folders_and_need_no_configuration(project):
    spoil(project)
    (project / "tokensync.toml").unlink()
    tokensync("format", "--check", LIGHT, code=3)
    assert json.loads(tokensync("format", "tokens", LIGHT, "--json").output)["changed"] == [LIGHT]
    tokensync("format", "--check", "tokens/one")


def test_invalid_files_stop_the_command_and_are_all_reported(project):
    spoil(project)
    for name in ("dark.tokens.json", "other.tokens.json"):
        (project / LIGHT).with_name(name).write_text("{")
    before = files_in(project)
    stderr = tokensync("format", code=1).stderr
    assert "dark.tokens.json" in stderr
    assert "other.tokens.json" in stderr
    assert files_in(project) == before


def test_a_missing_path_is_reported(project):
    assert "nowhere" in tokensync("format", "nowhere", code=2).stderr


def test_a_project_without_a_pull_is_reported(folder):
    project_in(folder)
    assert "tokensync pull" in tokensync("format", "--check", code=2).stderr
