"""What a script and its receipt are, without Figma; tests/bridge/test_scripts.py runs them."""

import json
from pathlib import Path

import pytest
from commands.projects import COLORS, DESIGN, on_the_platform, project_in, pulled_in, tokensync

from tokensync.apply.scripts import expected_of


def response(change):
    """Return the quickstart's response with a change of its objects."""
    document = json.loads(DESIGN[0].read_bytes())
    change(document["meta"]["variables"], document["meta"]["variableCollections"])
    return json.dumps(document).encode()


ALIAS = {"type": "VARIABLE_ALIAS", "id": "VariableID:3:4"}


def value(given):
    return lambda variables, _: variables["VariableID:3:3"]["valuesByMode"].update({"3:0": given})


COMPOSED = {"expressionFunction": "COMPOSE_COLOR", "expressionArguments": [ALIAS, 0.5], "type": "VARIABLE_EXPRESSION"}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ({"r": 0.2, "g": 0, "b": 1, "a": 1}, {"b": 1.0, "g": -0.0, "r": 0.20000000298023224}),
        ({"color": ALIAS, "opacity": 0.5}, COMPOSED),
        (ALIAS, {**ALIAS, "more": 1}),
    ],
)
def test_the_forms_of_a_value_are_one_fact(first, second):
    assert expected_of(response(value(first))) == expected_of(response(value(second)))


@pytest.mark.parametrize(
    "change",
    [
        value({"r": 0.2, "g": 0, "b": 0.9, "a": 1}),
        value({**ALIAS, "id": "VariableID:3:5"}),
        lambda variables, _: variables["VariableID:3:3"].update(name="other"),
        lambda variables, _: variables["VariableID:3:3"].update(scopes=[]),
        lambda variables, _: variables["VariableID:3:3"]["codeSyntax"].update(WEB="--x"),
        lambda variables, _: variables.pop("VariableID:3:3"),
        lambda _, collections: collections["VariableCollectionId:3:1"].update(name="other"),
        lambda _, collections: collections["VariableCollectionId:3:1"]["modes"][0].update(name="other"),
    ],
)
def test_a_change_of_a_fact_is_another_file(change):
    before, after = expected_of(DESIGN[0].read_bytes()), expected_of(response(change))
    assert before.digest != after.digest
    assert before.marks != after.marks


def test_what_the_file_does_not_decide_is_no_fact():
    def change(variables, collections):
        library = {**variables["VariableID:3:3"], "id": "VariableID:ab/1:1", "remote": True}
        variables |= {library["id"]: library}
        variables["VariableID:3:3"]["key"] = "another"
        collections["VariableCollectionId:3:1"]["variableIds"].reverse()

    assert expected_of(response(change)) == expected_of(DESIGN[0].read_bytes())


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(pulled_in(tmp_path / "project"))


def test_options_that_do_not_fit_are_refused(project):
    assert "--force: this is for --script, or for apply" in tokensync("plan", "--force", code=2).stderr
    for option in ("--force", "--rebase", "--resume", "plan.json"):
        assert "--receipt: it sends nothing" in tokensync("apply", "--receipt", "receipt.json", option, code=2).stderr


def test_a_script_is_for_one_design_file(tmp_path, monkeypatch):
    monkeypatch.chdir(project_in(tmp_path / "project", files=("one", "two")))
    for file in ("one", "two"):
        on_the_platform(COLORS, file)
    tokensync("-q", "pull")
    for path in Path("tokens").rglob("light.tokens.json"):
        path.write_text(path.read_text(encoding="utf-8").replace("#112233", "#112234"), encoding="utf-8")
    done = tokensync("plan", "--script", "plan.js", code=2)
    assert "a script is for one design file, and 2 have changes; add --file one or --file two" in done.stderr
    assert not Path("plan.js").exists()
    done = tokensync("plan", "--script", "plan.js", "--file", "two", "--force")
    assert "run plan.js in Figma" in done.stderr
    assert Path("plan.js").read_text(encoding="ascii").endswith("\nreturn receipt;\n")
