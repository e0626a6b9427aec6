"""``tokensync audit``: its forms and exit codes, the project that ``--adopt`` makes, and the words of ``logs``."""

import json
import re
from pathlib import Path

import pytest
from commands.projects import pulled_in, quickstart_in, response, tokensync

TOKENS = {"accent": ("#1155cc", "#99bbff"), "text/muted": ("#667788", "#aabbcc"), "radius/small": ("4px", "4px")}
CSS = ":root { --accent: #1155cc; --text-faint: #667788; }\n.dark { --accent: #99bbff; --text-faint: #aabbcc; }\n"


@pytest.fixture
def code(folder, monkeypatch):
    """A saved response and code in two languages, without a project."""
    Path("saved.json").write_bytes(response(TOKENS))
    Path("web").mkdir()
    Path("web/app.css").write_text(CSS, encoding="utf-8")
    return folder


def paint(old, new):
    path = Path("web/app.css")
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")


def audit(*arguments, code=3):
    return tokensync("audit", "web", "--snapshot", "saved.json", *arguments, code=code)


def test_each_outcome_is_a_line_with_both_values_and_the_place_in_code(code):
    paint("#99bbff", "#99bbee")
    done = audit()
    assert done.output.splitlines() == [
        "~ theme / accent (web/app.css:2)",
        "    in Dark: #99bbff -> #99bbee",
        "~ theme / text/muted (web/app.css:1)",
        '    name in code: "--text-muted" -> "--text-faint"',
        "- theme / radius/small",
    ]
    assert done.stderr.splitlines()[-1] == "3 tokens: 1 different, 1 renamed, 1 only in the design file"


def test_equal_code_ends_with_0_and_prints_nothing(code):
    paint("--text-faint", "--text-muted")
    paint(":root {", ":root { --radius-small: 4px;")
    assert audit(code=0).output == ""


def test_markdown_and_the_page_have_the_counts_and_no_advice_on_a_version(code):
    markdown, page = audit("--format", "markdown").output, audit("--format", "html").output
    for text in (markdown, page):
        assert "1 equal, 1 renamed, 1 only in the design file" in text
        assert "ersion: **" not in text
    assert "| only in the design file | `theme / radius/small` |" in markdown
    assert '<td class="gone">only in the design file</td>' in page


def test_sarif_has_a_rule_for_each_outcome_and_places_in_code(code):
    paint("#99bbff", "#99bbee")
    paint(":root {", ":root { --extra: 9px;")
    run = json.loads(audit("--format", "sarif").output)["runs"][0]
    rules = {result["ruleId"] for result in run["results"]}
    assert rules == {"audit-value", "audit-name", "audit-absent", "audit-extra"}
    of_value = next(result for result in run["results"] if result["ruleId"] == "audit-value")
    place = of_value["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"].endswith("web/app.css")
    assert place["region"]["startLine"] == 2


def test_json_has_every_token_with_its_outcome(code):
    (found,) = json.loads(audit("--json").output)
    assert found["counts"]["equal"] == 1
    assert {token["name"]: token["outcome"] for token in found["tokens"]} == {
        "--accent": "equal",
        "--text-faint": "renamed",
        "--radius-small": "only in the design file",
    }


def test_adopt_makes_a_project_whose_code_has_the_names_of_today(code):
    done = audit("--adopt", code=0)
    assert "wrote tokensync.toml" in done.stderr.replace(str(code) + "/", "")
    assert "tokensync plan" in done.stderr
    tokensync("build", "-q")
    built = "".join(path.read_text("utf-8") for path in Path().glob("**/tokens.css"))
    assert set(re.findall(r"--[a-z][\w-]+(?=:)", built)) == {"--accent", "--text-faint", "--radius-small"}
    planned = json.loads(tokensync("plan", "--json").output)
    texts = json.dumps(planned)
    assert "var(--text-faint)" in texts
    assert tokensync("audit", "web", code=3).output == "- theme / radius/small\n"


def test_adopt_writes_names_into_the_token_files_of_a_project(folder):
    pulled_in(folder)
    Path("app.css").write_text(":root { --team-slate: #000; }", encoding="utf-8")
    tokensync("audit", "app.css", "--adopt")
    written = "".join(path.read_text("utf-8") for path in Path("tokens").rglob("*.tokens.json"))
    assert "var(--team-slate)" in written
    assert "--team-slate" not in Path("tokensync.toml").read_text("utf-8")


def test_the_outputs_of_a_project_are_not_read(tmp_path, monkeypatch):
    monkeypatch.chdir(quickstart_in(tmp_path / "quickstart"))
    done = tokensync("audit", "code/web", code=2)
    assert "has no tokens in a language that audit reads" in done.stderr


@pytest.mark.parametrize(
    "words", [("--since", "7d"), ("--token=abc",), ("--secret-in", "X", "--most", "5"), ("texts", "accent"), ()]
)
def test_the_words_of_the_former_command_name_logs(folder, words):
    assert "tokensync logs" in tokensync("audit", *words, code=2).stderr


def test_without_a_project_a_response_is_needed(code):
    assert "tokensync.toml" in tokensync("audit", "web", code=2).stderr


def test_a_path_that_does_not_exist_is_refused(code):
    assert "nowhere" in tokensync("audit", "nowhere", "--snapshot", "saved.json", code=2).stderr


def test_files_that_cannot_be_read_are_named(code):
    Path("web/bad.json").write_text("{", encoding="utf-8")
    Path("web/old.less").write_text("@accent: #1155cc;", encoding="utf-8")
    shown = audit().stderr
    assert "not read: web/bad.json:1: " in shown
    assert "not read: web/old.less:1: 1 stylesheet in Less" in shown


def test_places_in_the_working_folder_have_no_dot_before_them(code):
    done = tokensync("audit", ".", "--snapshot", "saved.json", code=3)
    assert "(web/app.css:1)" in done.output
    assert "saved.json" not in done.output  # the response is no code
