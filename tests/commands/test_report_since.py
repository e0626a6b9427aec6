"""``tokensync report --since``: what changed beside what it was, with the lines of the token files."""

import json
from pathlib import Path

import pytest
from commands.projects import DESIGN, tokensync
from commands.repositories import git, paint, repository_in
from report.subjects import data_of
from report.test_in_chromium import AXE, opened, row

THEME = Path("tokens", "harbor", "theme")
PAGE = Path("tokensync-report.html")


@pytest.fixture
def changed(folder, monkeypatch):
    """A project with an added token, a removed one, and another colour, alias and description."""
    monkeypatch.chdir(folder)
    repository_in(folder / "harbor")
    for path in (*THEME.glob("*.json"), *THEME.with_name("theme-islander").glob("*.json")):
        edit(path.name.split(".")[0], lambda theme: theme.pop("map", None), path.parent)
    paint("coral.500", [0.2, 0.4, 1])
    edit("dark", lambda theme: theme["text"]["muted"].update({"$value": "{primitives.color.coral.400}"}))
    red = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}}
    edit("light", lambda theme: theme.update({"<b>new": red}))
    edit("dark", lambda theme: theme.update({"<b>new": red}))
    edit("light", lambda theme: theme["text"]["muted"].update({"$description": "<img src=x>"}))
    return folder


def edit(mode, change, folder=THEME):
    path = folder / f"{mode}.tokens.json"
    document = json.loads(path.read_text(encoding="utf-8"))
    change(document["theme"])
    path.write_text(json.dumps(document, indent=2) + "\n", encoding="utf-8")


def test_changes_are_those_of_diff_with_the_lines_of_the_token_files(changed):
    done = tokensync("report", "--since", "main", "-o", "public/page.html")
    assert "public/page.html: " in done.stderr
    since = data_of(Path("public", "page.html").read_bytes())["since"]
    assert (since["label"], since["folder"]) == ("main", "../tokens")
    rows = [row for of_token in since["changes"].values() for row in of_token]
    assert [row[:2] for row in rows if row[0] == "in dark"] == [
        ["in dark", "{primitives.color.slate.300} -> {primitives.color.coral.400}"]
    ]
    assert ["added", "", None] in [row[:3] for row in rows]
    for _, words, _, location in rows:
        path, _, line = location.rpartition(":")
        text = Path("tokens", path).read_text(encoding="utf-8").splitlines()[int(line) - 1]
        assert text.strip().startswith('"'), words
    (gone,) = since["gone"].values()
    assert gone[0][:3] == ["removed", "", None]
    before = git("show", f"main:tokens/{gone[0][3].rpartition(':')[0]}").stdout.splitlines()
    assert before[int(gone[0][3].rpartition(":")[2]) - 1].strip().endswith("{")


def test_a_change_in_a_file_with_parentheses_in_its_name_has_its_line(changed):
    primitives = Path("tokens", "harbor", "primitives")
    (primitives / "value.tokens.json").rename(primitives / "value (1).tokens.json")
    resolver = Path("tokens", "harbor.resolver.json")
    resolver.write_text(resolver.read_text(encoding="utf-8").replace("/value.", "/value (1)."), encoding="utf-8")
    tokensync("report", "--since", "main")
    rows = [row for of_token in data_of(PAGE.read_bytes())["since"]["changes"].values() for row in of_token]
    assert any(row[3].startswith("harbor/primitives/value (1).tokens.json:") for row in rows)


def test_a_page_without_changes_says_so_and_the_revision_can_have_the_prefix_of_diff(changed):
    git("stash", "-q")
    tokensync("report", "--since", "git:HEAD")
    page = PAGE.read_bytes()
    assert b"no differences since HEAD" in page
    assert data_of(page)["since"]["changes"] == {}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--since", "nowhere"], "git:nowhere: "),
        (["--since=--output=x"], "no revision"),
        (["--since", "main", "--snapshot", DESIGN[0]], "a saved response has no revisions"),
        (["--since", "main", "--viewer"], "the viewer has no tokens of its own"),
    ],
)
def test_a_revision_that_does_not_exist_is_a_usage_error(changed, arguments, message):
    assert message in tokensync("report", *arguments, code=2).stderr
    assert not PAGE.exists()


def test_an_error_in_the_files_of_the_revision_names_the_revision(changed):
    path = THEME / "light.tokens.json"
    good = path.read_bytes()
    path.write_bytes(good.replace(b'"color"', b'"colour"', 1))
    git("commit", "-q", "-a", "-m", "Break a type")
    path.write_bytes(good)
    done = tokensync("report", "--since", "HEAD", code=1)
    assert "error: git:HEAD:" in done.stderr
    assert "'colour' is not a DTCG type" in done.stderr


@pytest.mark.outside
@pytest.mark.parametrize("width", [390, 1280])
def test_before_and_after_stand_side_by_side(changed, browser, tmp_path, width):
    tokensync("report", "--since", "main")
    colors = "(all) => all.map((each) => getComputedStyle(each.firstChild).backgroundColor)"
    with opened(browser, PAGE.read_bytes(), tmp_path, viewport={"width": width, "height": 900}) as page:
        page.evaluate("chunks.forEach(draw)")
        names = page.locator("#list .leaf").all_text_contents()
        assert {"500", "muted", "<b>new"} <= set(names)
        assert "primary" not in names
        assert row(page, "500").locator(".changes .swatch").evaluate_all(colors) == [
            "rgb(224, 96, 63)",
            "rgb(51, 102, 255)",
        ]
        muted = row(page, "muted").locator(".changes li")
        assert "in dark: {primitives.color.slate.300} -> {primitives.color.coral.400}" in muted.last.text_content()
        assert muted.last.locator(".swatch").evaluate_all(colors) == ["rgb(177, 190, 201)", "rgb(242, 135, 107)"]
        link = muted.last.get_by_role("link")
        assert link.get_attribute("href").startswith("./tokens/harbor/theme/dark.tokens.json#L")
        assert page.locator("#gone .row").count() == 1
        assert page.locator("#gone").get_by_text("removed", exact=True).is_visible()
        assert page.locator("main :is(script, img, b)").count() == 0
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        if AXE.exists():
            page.evaluate(AXE.read_text("utf-8"))
            result = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
            assert [(each["id"], each["nodes"][0]["html"][:120]) for each in result["violations"]] == []
        page.get_by_label("Changes only").uncheck()
        assert "primary" in page.locator("#list .leaf").all_text_contents()


@pytest.mark.outside
def test_a_token_that_changes_through_an_alias_only_is_a_change_in_the_modes_where_it_does(changed, browser, tmp_path):
    tokensync("report", "--since", "main")
    with opened(browser, PAGE.read_bytes(), tmp_path) as page:
        shown = page.locator("#list .changes", has_text="shown: ").locator("li").all_text_contents()
        assert shown
        assert set(shown) == {"→shown: #e0603f 8% -> #3366ff 8%"}
