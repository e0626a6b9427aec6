"""``tokensync format``: selected files, invalid files, and line ends, which git controls."""

import json
import os
import re
from pathlib import Path

import pytest
from commands.projects import COLORS, files_in, on_the_platform, project_in, tokensync
from commands.repositories import COLORS as PRIMITIVES
from commands.repositories import repository_in

from tokensync.commands.format import format_files
from tokensync.dtcg import format_bytes

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
    (project / path).write_text(json.dumps(json.loads(before)), encoding="utf-8")
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
        (project / LIGHT).with_name(name).write_text("{", encoding="utf-8")
    before = files_in(project)
    stderr = tokensync("format", code=1).stderr
    assert "dark.tokens.json" in stderr
    assert "other.tokens.json" in stderr
    assert files_in(project) == before


def test_invalid_values_are_named_as_a_check_names_them_and_the_rest_is_formatted(project):
    path = project / LIGHT
    canonical = path.read_text("utf-8")
    values = ('"nothing"', '{"colorSpace": "srgb", "components": [1, 0, 0], "alpha": "50%"}')
    pieces = re.split(r'(?<="\$value": ){.*}', canonical, maxsplit=1)
    pieces[1:] = re.split(r'(?<="\$value": )"{.*}"', pieces[1], maxsplit=1)
    assert len(pieces) == 3
    path.write_text(
        "".join(piece + value for piece, value in zip(pieces, (*values, ""), strict=True)), encoding="utf-8"
    )
    before = path.read_text("utf-8")
    checked = tokensync("check", code=5).stderr.splitlines()
    for command in (("format", "--check"), ("format", LIGHT), ("format", "--file", "one"), ("format",), ("format",)):
        done = tokensync(*command, code=1)
        errors = [each for each in done.stderr.splitlines() if each.startswith("error: ")]
        assert [re.search(r"; (.*) \[token-value\]", each)[1] for each in errors] == [
            'write an object with "colorSpace" and "components", or a colour as CSS writes it',
            "write a number from 0 to 1",
        ]
        assert set(errors) < set(checked)
        assert done.stderr.splitlines()[-1].endswith(", all formatted, except for 2 invalid values")
        assert path.read_text("utf-8") == before
        spoil(project)
        assert "not formatted" in tokensync("format", "--check", code=1).stderr
        tokensync("format", code=1)
        assert path.read_text("utf-8") == before
    assert len(json.loads(tokensync("format", "--json", code=1).output)["problems"]) == 2


def test_a_missing_path_is_reported(project):
    assert "nowhere" in tokensync("format", "nowhere", code=2).stderr


def test_a_project_without_a_pull_is_reported(folder):
    project_in(folder)
    for arguments in ((), ("--check",), ("--file", "one"), ("tokens",)):
        assert "tokensync pull" in tokensync("format", *arguments, code=2).stderr


def test_a_file_with_crlf_counts_as_formatted(tmp_path):
    path = tmp_path / "mode.tokens.json"
    content = format_bytes(b'{"color": {"a": {"$type": "number", "$value": 1}}}').replace(b"\n", b"\r\n")
    path.write_bytes(content)
    assert format_files([str(tmp_path)], check=True).changed == ()
    assert format_files([str(tmp_path)]).changed == ()
    assert path.read_bytes() == content
    path.write_bytes(content.replace(b"  ", b"\t"))
    assert format_files([str(tmp_path)], check=True).changed == (str(path),)


RESOLVER = "tokens/harbor.resolver.json"


@pytest.mark.parametrize("arguments", [(PRIMITIVES.as_posix(), RESOLVER), (), ("--file", "harbor")])
def test_a_file_is_not_formatted_while_a_hook_manager_has_put_changes_of_it_aside(
    folder, tmp_path_factory, monkeypatch, arguments
):
    repository = repository_in(folder / "harbor")
    for each in (PRIMITIVES, Path(RESOLVER)):
        each.write_text(each.read_text("utf-8") + "\n\n", encoding="utf-8")
    before = files_in(repository)
    monkeypatch.setenv("PRE_COMMIT", "1")
    cache = tmp_path_factory.mktemp("cache")
    monkeypatch.setenv("PRE_COMMIT_HOME", str(cache))
    patch = cache / f"patch1-{os.getppid()}"
    patch.write_text(
        "".join(f"diff --git a/{each} b/{each}\n" for each in (PRIMITIVES.as_posix(), "README.md")), encoding="utf-8"
    )
    for _ in range(2):
        last = tokensync("format", *arguments, code=4).stderr.splitlines()[-1]
        assert last == (
            f"error: {PRIMITIVES.as_posix()}: some of its changes are not staged, and the hook manager would discard "
            f"the formatted lines; stage or stash them first, and commit again: git add {PRIMITIVES.as_posix()}, "
            "or git stash --keep-index"
        )
        assert files_in(repository) == before
        tokensync("format", "--check", *arguments, code=3)
    patch.write_text("diff --git a/README.md b/README.md\n", encoding="utf-8")
    done = tokensync("format", *arguments)
    names = sorted((PRIMITIVES.as_posix(), RESOLVER))
    assert sorted(done.stderr.splitlines()[-1].rpartition("git add ")[2].split()) == names
