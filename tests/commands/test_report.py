"""``tokensync report``: the path and content of the page, and files that it does not overwrite."""

import os

import pytest
from commands.projects import DESIGN, quickstart_in, tokensync
from report.subjects import data_of


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
