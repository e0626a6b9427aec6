"""The quickstart is a sound design file, and what stands beside it is what its commands make of it, byte for byte."""

import contextlib
import json
import os
import shutil
import sys

import pytest
from corpus.building import run_here
from shown_commands import ROOT, differences

QUICKSTART = ROOT / "examples" / "quickstart"
WRITTEN_BY_HAND = {"README.md", "design.local.json", "design.published.json", "design.styles.json", "tokensync.toml"}
OURS = ("TOKENSYNC_", "FIGMA_")


def tokensync(folder, *arguments):
    """Run a command in this process, as if it were typed in the folder by somebody without settings of their own."""
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(OURS):
                patch.delenv(name)
        return run_here(*arguments)


def files_of(folder):
    """Return bytes by path, without what the tool keeps for itself; line ends as committed.

    The digests in tokensync.outputs.json change with tokensync's version and templates: then build the examples again.
    """
    return {
        path.relative_to(folder).as_posix(): path.read_bytes().replace(b"\r\n", b"\n")
        for path in folder.rglob("*")
        if path.is_file() and ".tokensync" not in path.relative_to(folder).parts
    }


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Set up a new repository with the handwritten files, and run the commands of the README."""
    folder = tmp_path_factory.mktemp("harbor")
    for name in WRITTEN_BY_HAND:
        shutil.copyfile(QUICKSTART / name, folder / name)
    for command in ("emulator seed design.local.json design.published.json design.styles.json", "pull", "build"):
        done = tokensync(folder, *command.split())
        assert done.code == 0, f"tokensync {command}\n{done.output}{done.stderr}"
        assert "warning" not in done.stderr
    return folder


def test_the_commands_make_exactly_the_files_that_are_committed(project):
    expected, actual = files_of(QUICKSTART), files_of(project)
    assert sorted(actual) == sorted(expected)
    assert [path for path, content in expected.items() if actual[path] != content] == []


def test_a_fresh_clone_is_current_and_a_touched_output_is_not(tmp_path):
    clone = tmp_path / "clone"
    shutil.copytree(QUICKSTART, clone, ignore=shutil.ignore_patterns(".tokensync"))
    checked = tokensync(clone, "build", "--check")
    assert checked.code == 0, checked.stderr
    assert tokensync(clone, "format", "--check").code == 0
    css = clone / "code" / "web" / "tokens.css"
    css.write_bytes(css.read_bytes() + b"/* by hand */\n")
    assert tokensync(clone, "build", "--check").code == 3


def test_building_again_changes_nothing(project):
    before = files_of(project)
    assert tokensync(project, "pull").code == 0
    assert tokensync(project, "build").code == 0
    assert files_of(project) == before


@pytest.fixture(scope="module")
def local():
    return json.loads((QUICKSTART / "design.local.json").read_text(encoding="utf-8"))["meta"]


@pytest.fixture(scope="module")
def published():
    return json.loads((QUICKSTART / "design.published.json").read_text(encoding="utf-8"))["meta"]


@pytest.mark.skipif(sys.platform == "win32", reason="the page shows a POSIX shell")
def test_the_commands_of_the_page_run_as_shown(tmp_path):
    shutil.copytree(QUICKSTART, tmp_path / "examples" / "quickstart", ignore=shutil.ignore_patterns(".tokensync"))
    actual = differences((QUICKSTART / "README.md").read_text(encoding="utf-8"), tmp_path)
    assert not actual, "\n\n".join(actual)


class TestDesignFile:
    def test_every_variable_stands_in_its_collection_with_a_value_in_each_mode(self, local):
        collections = local["variableCollections"]
        for identifier, variable in local["variables"].items():
            collection = collections[variable["variableCollectionId"]]
            assert identifier in collection["variableIds"]
            assert list(variable["valuesByMode"]) == [mode["modeId"] for mode in collection["modes"]]
        roots = [each for each in collections.values() if not each["isExtension"]]
        assert sum(len(each["variableIds"]) for each in roots) == len(local["variables"])

    def test_every_alias_leads_to_a_variable_of_the_file(self, local):
        text = json.dumps(local)
        targets = [part.split('"')[0] for part in text.split('"VARIABLE_ALIAS", "id": "')[1:]]
        assert len(targets) > 50
        assert set(targets) <= set(local["variables"])

    def test_an_extended_collection_overrides_by_its_own_mode_ids(self, local):
        (brand,) = [each for each in local["variableCollections"].values() if each["isExtension"]]
        own = {mode["modeId"]: mode["parentModeId"] for mode in brand["modes"]}
        assert own == {f"{brand['id']}/{parent}": parent for parent in own.values()}
        assert all(set(modes) <= set(own) for modes in brand["variableOverrides"].values())

    def test_visible_variables_are_published_under_the_same_key(self, local, published):
        visible = {each["id"]: each["key"] for each in local["variables"].values() if not each["hiddenFromPublishing"]}
        assert {each["id"]: each["key"] for each in published["variables"].values()} == visible
        assert set(published["variableCollections"]) < set(local["variableCollections"])

    def test_it_shows_every_kind_of_design_file_content(self, local):
        variables = local["variables"].values()
        names = {each["name"] for each in variables}
        values = [value for each in variables for value in each["valuesByMode"].values()]
        composed = [value for value in values if isinstance(value, dict) and "opacity" in value]
        assert 60 <= len(names) <= 110
        assert {each["resolvedType"] for each in variables} == {"BOOLEAN", "COLOR", "FLOAT", "STRING"}
        assert {platform for each in variables for platform in each["codeSyntax"]} == {"ANDROID", "WEB", "iOS"}
        assert any(name.startswith(f"{other}/") for name in names for other in names)
        assert {type(each["opacity"]) for each in composed} == {dict, int, float}
