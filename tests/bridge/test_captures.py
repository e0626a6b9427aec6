"""Saved responses and captures of a plug-in as the platform: ``base_url = "snapshot:PATH"``, ``pull --snapshot``."""

import json
from pathlib import Path

import pytest
from commands.projects import DESIGN, QUICKSTART, files_in, response, tokensync

KEY = "hB7rQ2mLkX94vTzWcYp1Nd"


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A new project with the quickstart's outputs, and a folder of its responses."""
    configuration = (QUICKSTART / "tokensync.toml").read_text("utf-8")
    (tmp_path / "tokensync.toml").write_text(configuration.replace("emulator:", "snapshot:design"), "utf-8")
    (tmp_path / "design").mkdir()
    for path in DESIGN:
        (tmp_path / "design" / path.name).write_bytes(path.read_bytes())
    monkeypatch.chdir(tmp_path)
    return tmp_path


def capture(path: Path, time: str, change=("", ""), **members) -> Path:
    """Write a capture of the quickstart's file, with a text of its response changed."""
    document = json.loads(DESIGN[0].read_text("utf-8").replace(*change) if change[0] else DESIGN[0].read_bytes())
    document["capture"] = {"file_key": KEY, "file_name": "Harbor", "time": time, "version": "7"} | members
    path.write_text(json.dumps(document), "utf-8")
    return path


def plugin_lists(path: Path) -> Path:
    """Write what the plug-in API lists: the same objects, not by id."""
    meta = json.loads(DESIGN[0].read_bytes())["meta"]
    lists = {"variables": [*meta["variables"].values()], "variableCollections": [*meta["variableCollections"].values()]}
    path.write_text(json.dumps(lists), "utf-8")
    return path


def test_a_folder_of_saved_responses_gives_the_tokens_and_the_code_of_the_quickstart(project):
    tokensync("pull")
    tokensync("build")
    for folder in ("tokens", "code"):
        assert files_in(project / folder) == files_in(QUICKSTART / folder)
    assert "in sync" in tokensync("status").output


@pytest.mark.parametrize("shape", ["capture", "lists", "bare"])
def test_one_file_is_pulled_in_every_shape_with_all_its_variables(project, tmp_path, shape):
    path = tmp_path / "harbor.json"
    match shape:
        case "capture":
            capture(path, "2026-11-01T10:00:00Z")
        case "lists":
            plugin_lists(path)
        case "bare":
            path.write_bytes(DESIGN[0].read_bytes())
    done = tokensync("pull", "--snapshot", path, "--json")
    assert json.loads(done.output)["files"][0]["tokens"] == 99
    colours = Path("tokens/harbor/primitives/value.tokens.json")
    assert json.loads(colours.read_bytes()).keys() == json.loads((QUICKSTART / colours).read_bytes()).keys()
    assert '"published"' not in colours.read_text("utf-8")  # no capture says what is published


def test_what_the_plugin_api_lists_is_built_without_a_project(tmp_path):
    tokensync("build", "--snapshot", plugin_lists(tmp_path / "lists.json"), "--platform", "css", "-o", tmp_path / "a")
    tokensync("build", "--snapshot", DESIGN[0], "--platform", "css", "-o", tmp_path / "b")
    lists, objects = ((tmp_path / folder / "css" / "tokens.css").read_text("utf-8") for folder in "ab")
    assert lists.replace("from lists.", "from design.") == objects


def test_styles_in_a_capture_become_tokens(project, tmp_path):
    document = json.loads(capture(tmp_path / "harbor.json", "2026-11-01T10:00:00Z").read_bytes())
    document["styles"] = json.loads(DESIGN[2].read_bytes())
    (tmp_path / "harbor.json").write_text(json.dumps(document), "utf-8")
    tokensync("pull", "--snapshot", "harbor.json")
    assert files_in(project / "tokens/harbor/text-styles") == files_in(QUICKSTART / "tokens/harbor/text-styles")


def test_a_later_capture_is_merged_with_edits_of_the_token_files(project, tmp_path):
    tokensync("pull", "--snapshot", capture(tmp_path / "a.json", "2026-11-01T10:00:00Z"))
    path = project / "tokens/harbor/primitives/value.tokens.json"
    path.write_text(path.read_text("utf-8").replace('"value": 64', '"value": 72', 1), "utf-8")
    tokensync("pull", "--snapshot", capture(tmp_path / "b.json", "2026-11-02T10:00:00Z", ("tide/300", "tide/350")))
    text = path.read_text("utf-8")
    assert '"value": 72' in text
    assert '"350"' in text
    assert "value  64 -> 72" in tokensync("plan").output


def test_an_older_capture_is_refused_and_changes_nothing_unless_it_is_forced(project, tmp_path):
    old = capture(tmp_path / "old.json", "2026-11-01T10:00:00Z", ("tide/300", "tide/350"))
    tokensync("pull", "--snapshot", capture(tmp_path / "new.json", "2026-11-02T10:00:00Z"))
    before = files_in(project / "tokens")
    done = tokensync("pull", "--snapshot", old, code=4)
    assert done.stderr == (
        "error: harbor: this capture is of 2026-11-01T10:00:00Z, and the last pull was of 2026-11-02T10:00:00Z; "
        "capture the file anew, or go back to the older state with tokensync pull --force\n"
    )
    assert files_in(project / "tokens") == before
    tokensync("pull", "--snapshot", old, "--force")
    assert '"350"' in (project / "tokens/harbor/primitives/value.tokens.json").read_text("utf-8")


def test_the_latest_capture_of_a_folder_is_taken_for_its_file(project):
    (project / "design" / "design.local.json").unlink()
    for name, time, token in (("a", "2026-11-02T10:00:00Z", "tide/350"), ("b", "2026-11-01T10:00:00Z", "tide/360")):
        capture(project / "design" / f"{name}.json", time, ("tide/300", token))
    capture(project / "design" / "c.json", "2026-11-03T10:00:00Z", ("tide/300", "tide/370"), file_key="another")
    tokensync("pull")
    assert '"350"' in (project / "tokens/harbor/primitives/value.tokens.json").read_text("utf-8")


def test_nothing_is_written_to_a_capture(project):
    tokensync("pull")
    path = project / "tokens/harbor/primitives/value.tokens.json"
    path.write_text(path.read_text("utf-8").replace('"value": 64', '"value": 72', 1), "utf-8")
    tokensync("plan")
    done = tokensync("apply", code=2)
    assert done.stderr.endswith(
        "base_url: design: a capture cannot be changed; write a script for Figma with tokensync plan --script FILE\n"
    )
    assert not (project / ".tokensync" / "applies").exists()
    assert files_in(project / "design") == {path.name: path.read_bytes() for path in DESIGN}


@pytest.mark.parametrize(
    ("prepare", "message"),
    [
        (lambda folder: None, "error: base_url: x: no saved response, and no export of variables; name what pull"),
        (lambda folder: folder.write_bytes(b"{"), "error: x: this is no capture (Input data was truncated); capture"),
        (lambda folder: folder.write_bytes(b"[]"), "error: x: this is no capture ("),
        (
            lambda folder: folder.write_bytes(b"{}"),
            "error: base_url: x: no saved response, and no export of variables; name what",
        ),
        (
            lambda folder: capture(folder, "", file_key="another"),
            f"error: base_url: x: no capture of the file {KEY}, only of another; correct the key, or capture the file",
        ),
        (
            lambda folder: capture(folder, "2026-11-01T10:00:00+02:00"),
            "error: x: '2026-11-01T10:00:00+02:00' is no time in UTC, such as 2026-11-29T10:00:00Z; correct it, or",
        ),
        (lambda folder: (folder / "a.json").mkdir(parents=True), "error: x/a.json: cannot read it (Is a directory)"),
    ],
)
def test_what_is_no_capture_of_the_file_is_reported_with_what_to_do(project, prepare, message):
    prepare(project / "x")
    assert tokensync("pull", "--snapshot", "x", code=2).stderr.startswith(message)
    assert not (project / "tokens").exists()


def test_several_bare_responses_in_a_folder_are_distinguished_by_the_keys_in_their_names(project):
    (project / "design" / "other.local.json").write_bytes(response({"ink": ("#000000", "#ffffff")}))
    done = tokensync("pull", code=2)
    assert done.stderr.endswith(f"no capture of the file {KEY}; name its response {KEY}.local.json\n")
    (project / "design" / "design.local.json").rename(project / "design" / f"{KEY}.local.json")
    assert "99 tokens" in tokensync("pull").stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("../design", "'../design': it is outside of the project; choose a folder inside"),
        ("a\\u0000b", "'a\\x00b': it has a NUL character; remove it"),
    ],
)
def test_a_configuration_names_no_capture_outside_the_project(project, name, message):
    path = project / "tokensync.toml"
    path.write_text(path.read_text("utf-8").replace("snapshot:design", f"snapshot:{name}"), "utf-8")
    assert message in tokensync("pull", code=2).stderr
