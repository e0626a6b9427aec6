"""``tokensync report``: the path and content of the page, and files that it does not overwrite."""

import json
import os

import pytest
from commands.projects import DESIGN, quickstart_in, tokensync
from report.subjects import data_of

from tokensync.report import UNPUBLISHED


@pytest.fixture
def harbor(folder, monkeypatch):
    monkeypatch.chdir(quickstart_in(folder / "harbor"))
    return folder / "harbor"


def test_a_saved_response_needs_no_configuration(folder, monkeypatch):
    monkeypatch.chdir(folder)
    done = tokensync("report", "--snapshot", DESIGN[0], "--published", DESIGN[1], "-o", "public/tokens.html")
    assert done.output == ""
    assert "public/tokens.html: 99 tokens (written)" in done.stderr
    data = data_of((folder / "public" / "tokens.html").read_bytes())
    assert data["platforms"] == ["css", "android", "ios"]
    assert len(data["leaf"]) == 99


def test_a_project_has_the_names_of_its_own_outputs(harbor):
    configuration = harbor / "tokensync.toml"
    text = configuration.read_text(encoding="utf-8")
    text = text[: text.index("[[outputs]]")]
    text += '[[outputs]]\nplatform = "css"\npath = "web"\nnaming = { prefix = "hb" }\n'
    configuration.write_text(text, encoding="utf-8")
    tokensync("report")
    data = data_of((harbor / "tokensync-report.html").read_bytes())
    assert data["platforms"] == ["css"]
    assert data["name"][0][0] == "--hb-color-slate-0"


def test_every_configured_output_has_the_names_of_its_code(harbor):
    configuration = harbor / "tokensync.toml"
    text = configuration.read_text(encoding="utf-8")
    text = text[: text.index("[[outputs]]")]
    for platform in ("css", "tailwind", "scss", "typescript", "react-native", "android", "ios", "flutter", "json"):
        text += f'[[outputs]]\nplatform = "{platform}"\npath = "out/{platform}"\n'
    text += '[[outputs]]\nplatform = "css"\npath = "web"\nnaming = { prefix = "hb" }\n'
    text += '[[outputs]]\nplatform = "template"\npath = "out/more"\n[[outputs.options.files]]\n'
    text += 'template = "stylex/tokens.stylex.js.j2"\npath = "tokens.stylex.js"\n'
    configuration.write_text(text, encoding="utf-8")
    tokensync("report")
    data = data_of((harbor / "tokensync-report.html").read_bytes())
    index = data["leaf"].index("muted")
    assert {label: of[index] for label, of in zip(data["platforms"], data["name"], strict=True)} == {
        "css (out/css)": "--text-muted",
        "tailwind": "--color-text-muted",
        "scss": "$text-muted",
        "typescript": "tokens.textMuted",
        "react-native": "tokens.textMuted",
        "android": "R.color.text_muted",
        "ios": "Color.textMuted",
        "flutter": "context.themeTokens.textMuted",
        "json": "text-muted",
        "css (web)": "--hb-text-muted",
        "stylex": "textMuted",
    }


def test_tokens_are_not_published_only_if_others_of_their_file_are(folder, monkeypatch):
    monkeypatch.chdir(folder)
    with open(DESIGN[1], encoding="utf-8") as file:
        response = json.load(file)
    variables = response["meta"]["variables"]
    numbers = []
    for published in ({}, dict(list(variables.items())[1:])):
        response["meta"]["variables"] = published
        (folder / "published.json").write_text(json.dumps(response), encoding="utf-8")
        tokensync("report", "--snapshot", DESIGN[0], "--published", "published.json")
        marks = data_of((folder / "tokensync-report.html").read_bytes())["mark"]
        numbers.append(sum(bool(mark & UNPUBLISHED) for mark in marks))
    assert numbers == [0, 1]


def test_configured_themes_are_the_choice(harbor):
    configuration = harbor / "tokensync.toml"
    with configuration.open("a", encoding="utf-8") as file:
        file.write('\n[themes.night]\ntheme = "Dark"\n')
    tokensync("report")
    (axis,) = data_of((harbor / "tokensync-report.html").read_bytes())["axes"]
    assert [name for name, _ in axis["contexts"]] == ["default", "night"]


def written(page):
    """Return the inode and modification time of a file."""
    found = page.stat()
    return found.st_ino, found.st_mtime_ns


def test_a_current_page_is_not_rewritten(harbor):
    tokensync("report")
    page = harbor / "tokensync-report.html"
    before = written(page)
    done = tokensync("report")
    assert "tokensync-report.html: 105 tokens (unchanged)" in done.stderr
    assert written(page) == before
    assert "(written)" in tokensync("report", "--title", "Harbor & Co").stderr
    assert "<title>Harbor &amp; Co</title>" in page.read_text(encoding="utf-8")


def test_a_foreign_file_is_overwritten_only_with_force(harbor):
    page = harbor / "index.html"
    page.write_text("<!doctype html><p>by hand", encoding="utf-8")
    done = tokensync("report", "-o", "index.html", code=1)
    assert "output-foreign" in done.stderr
    assert page.read_text(encoding="utf-8") == "<!doctype html><p>by hand"
    tokensync("report", "-o", "index.html", "--force")
    tokensync("report", "-o", "index.html", "--title", "Again")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--published", DESIGN[1]], "--published: it needs the local response"),
        (
            ["--snapshot", DESIGN[0], "--file", "harbor"],
            "--snapshot: it reads no configured design file; remove --file",
        ),
        (["--snapshot", "nowhere.json"], "nowhere.json: cannot read it"),
        (["--file", "nobody"], "no such file is configured"),
    ],
)
def test_conflicting_options_are_usage_errors(harbor, arguments, message):
    done = tokensync("report", *arguments, code=2)
    assert message in done.stderr
    assert not (harbor / "tokensync-report.html").exists()


def test_a_folder_in_place_of_a_response_is_named_with_a_file_in_it(harbor):
    saved = harbor / "saved"
    saved.mkdir()
    done = tokensync("report", "--snapshot", "saved", code=2)
    assert done.stderr == "error: saved: this is a folder; name a file with a response\n"
    for name in ("harbor.published.json", "harbor.local.json"):
        (saved / name).write_text("{}", encoding="utf-8")
    done = tokensync("report", "--snapshot", "saved", code=2)
    assert f"this is a folder; name a file in it, such as {os.path.join('saved', 'harbor.local.json')}" in done.stderr


def test_a_folder_in_place_of_the_page_is_reported(harbor):
    (harbor / "tokensync-report.html").mkdir()
    done = tokensync("report", code=1)
    assert done.stderr.splitlines()[-1].startswith("error: tokensync-report.html: ")


def test_the_viewer_needs_no_project_and_is_the_same_everywhere(folder, monkeypatch):
    monkeypatch.chdir(folder)
    done = tokensync("report", "--viewer")
    assert done.stderr == "tokensync-viewer.html: open it in a browser (written)\n"
    assert data_of((folder / "tokensync-viewer.html").read_bytes())["leaf"] == []
    assert "(unchanged)" in tokensync("report", "--viewer").stderr
    (folder / "index.html").write_text("by hand", encoding="utf-8")
    assert "output-foreign" in tokensync("report", "--viewer", "-o", "index.html", code=1).stderr
    done = tokensync("report", "--viewer", "--snapshot", DESIGN[0], code=2)
    assert "--snapshot: the viewer has no tokens of its own" in done.stderr
