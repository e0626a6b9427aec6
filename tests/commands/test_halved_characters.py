"""The platform may store half of a surrogate pair in a text: everything else of the file works as usual."""

import json
from pathlib import Path

import pytest
from commands.projects import files_in, on_the_platform, output, project_in, response, tokensync

from tokensync.extract.client.groups import Variables

PLATFORMS = ("css", "scss", "tailwind", "typescript", "react-native", "json", "android", "compose", "ios", "flutter")
HALVES = {"half-of": "\\ud83c", "other-half": "\\uDfA8"}
VARIABLES = {
    "slate": ("#112233", "#445566"),
    "icon half-of": ("x half-of y", "\\ud83c\\udfa8 whole"),
    "text/muted": ("{slate}", "{slate}"),
    "other-half": ("half-of", "other-half"),
}


def halved(content):
    for word, escape in HALVES.items():
        content = content.replace(word.encode(), escape.encode())
    return content


@pytest.fixture
def project(tmp_path, monkeypatch):
    """A project whose platform answers with halves of characters."""
    monkeypatch.chdir(project_in(tmp_path / "project", outputs="".join(output(each, each) for each in PLATFORMS)))
    on_the_platform(VARIABLES, modes=("Light", "Dark half-of"))
    local = Variables.local
    monkeypatch.setattr(Variables, "local", lambda *arguments: halved(local(*arguments)))
    return Path.cwd()


def test_each_text_is_named_and_all_outputs_are_built(project):
    done = tokensync("pull", "-v")
    assert done.stderr.count("contains half of a surrogate pair") == 6
    assert 'the text "icon \ufffd"' in done.stderr
    tokensync("build", "-q")
    for content in files_in(project).values():
        content.decode()
    assert "--slate: #123;" in Path("css/tokens.css").read_text("utf-8")
    listed = json.loads(tokensync("tokens", "list", "--json").output)
    assert {each["path"] for each in listed} == {"slate", "icon \ufffd", "text.muted", "\ufffd"}


def test_nothing_is_planned_after_a_pull(project):
    tokensync("pull", "-q")
    before = files_in(project)
    assert json.loads(tokensync("plan", "--format", "json").output)["plans"][0]["operations"] == []
    tokensync("pull", "-q")
    assert files_in(project) == before


def in_token_files(project):
    """Write the halves into the token files, as another program or an earlier version may have."""
    paths = [each for each in project.rglob("*.tokens.json") if "\ufffd" in each.read_text(encoding="utf-8")]
    for path in paths:
        text = path.read_text(encoding="utf-8")
        path.write_text(text.replace("\ufffd", HALVES["half-of"]), encoding="utf-8")
    assert paths
    return paths


def test_token_files_are_read_like_responses(project):
    tokensync("pull", "-q")
    pulled = files_in(project)
    first, *_ = in_token_files(project)
    done = tokensync("plan", "--format", "json")
    assert json.loads(done.output)["plans"][0]["operations"] == []
    line = first.read_text(encoding="utf-8").split(HALVES["half-of"])[0].count("\n") + 1
    assert f"{first.relative_to(project)}:{line}:" in done.stderr
    assert "[tokens-text]" in done.stderr
    tokensync("build", "-q")
    tokensync("pull", "-q")
    pulled_again = files_in(project)
    assert {path: pulled_again[path] for path in pulled} == pulled
    assert "[tokens-text]" not in tokensync("pull").stderr
    assert files_in(project) == pulled_again


def test_format_names_the_text_and_writes_nothing(project):
    tokensync("pull", "-q")
    first, *_ = in_token_files(project)
    before = files_in(project)
    assert f"{first.relative_to(project)}:" in tokensync("format", code=1).stderr
    assert files_in(project) == before


def test_another_token_is_applied(project):
    tokensync("pull", "-q")
    (path,) = project.rglob("light.tokens.json")
    changed = path.read_text("utf-8").replace("#112233", "#112234").replace("0.2]", "0.20392157]")
    path.write_text(changed, encoding="utf-8")
    tokensync("plan", "-q")
    (plan,) = json.loads(Path(".tokensync/plan.json").read_text("utf-8"))["plans"]
    assert [each["type"] for each in plan["operations"]] == ["set value"]
    tokensync("apply", "-q")
    assert json.loads(tokensync("plan", "--format", "json").output)["plans"][0]["operations"] == []


def test_a_capture_is_built(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("design.json").write_bytes(halved(response(VARIABLES)))
    done = tokensync("build", "--snapshot", "design.json", "-o", "out")
    assert "design.json:1:" in done.stderr
    assert "--slate: #123;" in Path("out/css/tokens.css").read_text("utf-8")


def test_a_capture_is_seeded_with_a_warning_for_each_text(project):
    Path("capture.json").write_bytes(halved(response(VARIABLES)))
    done = tokensync("emulator", "seed", "capture.json", "--key", "captured", "--state", "state.sqlite", "-v")
    assert done.stderr.count("contains half of a surrogate pair, which is read as U+FFFD") == 5
    assert "capture.json:1:" in done.stderr
    assert "seeded captured with capture" in done.stderr
