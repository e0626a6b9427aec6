"""``emulator library`` and ``emulator variables``: published assets and their usage."""

import json
from contextlib import closing

import pytest
from commands.projects import DESIGN, tokensync
from emulator.platform import GAP, KEY, LABEL, response
from werkzeug.test import Client

from tokensync.emulator import Emulator

STATE = ("--state", "state.sqlite")


@pytest.fixture
def state(folder):
    tokensync("emulator", "seed", *DESIGN[:2], *STATE, "--key", "K")
    return folder / "state.sqlite"


def library(*arguments, code=0):
    return tokensync("emulator", "library", *arguments, *STATE, code=code)


def answered(state, path):
    with closing(Emulator(str(state))) as emulator:
        headers = {"X-Figma-Token": emulator.default_token}
        answer = Client(emulator).get(path, base_url="https://emulator.invalid", headers=headers)
    assert answer.status_code == 200, answer.json
    return answer.json


def answered_to_a_change(state):
    """Return the status of a request that changes the variable of a text."""
    with closing(Emulator(str(state))) as emulator:
        headers = {"X-Figma-Token": emulator.default_token}
        body = {"variables": [{"action": "UPDATE", "id": LABEL, "description": "x"}]}
        url = f"/v1/files/{KEY}/variables"
        return Client(emulator).post(url, json=body, base_url="https://emulator.invalid", headers=headers).status_code


def published(state, kind):
    tokensync("emulator", "publish", "K", *STATE)
    return answered(state, f"/v1/files/K/{kind}")["meta"][kind]


def test_an_empty_change_is_refused(state):
    style = library("add", "style", "K", "text").output.strip()
    assert "Nothing to change" in library("change", style, code=2).stderr
    assert "Nothing to change" in tokensync("emulator", "tokens", "change", "any", *STATE, code=2).stderr
    assert "out of range" in library("sample", "K", "--components", "-1", code=2).stderr


def test_assets_are_added_changed_and_dropped(state):
    around = library("add", "component-set", "K", "Button").output.strip()
    library("add", "component", "K", "State=Rest", "--set", around)
    style = library("add", "style", "K", "body", "--type", "TEXT", "--description", "Reading").output.strip()
    assert [each["name"] for each in published(state, "component_sets")] == ["Button"]
    (component,) = published(state, "components")
    assert component["containing_frame"]["containingComponentSet"]["name"] == "Button"
    (shown,) = published(state, "styles")
    assert (shown["key"], shown["style_type"], shown["description"]) == (style, "TEXT", "Reading")
    library("change", style, "--name", "text")
    assert [each["name"] for each in published(state, "styles")] == ["text"]
    library("drop", style)
    assert published(state, "styles") == []


def test_usages_and_actions_are_set(state):
    style = library("add", "style", "K", "body").output.strip()
    tokensync("emulator", "publish", "K", *STATE)
    tokensync("emulator", "seed", DESIGN[0], *STATE, "--key", "App")
    library("use", "K", "style", style, "App", "--usages", "7")
    library("act", "K", "style", style, "--insertions", "2", "--detachments", "1", "--days-ago", "9")
    (row,) = answered(state, "/v1/analytics/libraries/K/style/usages?group_by=style")["rows"]
    assert row["usages"] == 7
    (row,) = answered(state, "/v1/analytics/libraries/K/style/actions?group_by=style")["rows"]
    assert (row["insertions"], row["detachments"]) == (2, 1)


def test_a_sample_is_published_and_used(state):
    done = library("sample", "K", "--components", "4")
    assert "K: published 14 components, sets and styles" in done.stderr
    assert len(answered(state, "/v1/teams/1/components")["meta"]["components"]) == 4
    assert answered(state, "/v1/analytics/libraries/K/variable/usages?group_by=variable")["rows"]


def test_a_missing_file_is_reported(state):
    assert "no such file" in library("sample", "Nowhere", code=2).stderr
    assert "no style type 'INK'" in library("add", "style", "K", "x", "--type", "INK", code=2).stderr


def seeded(folder):
    (folder / f"{KEY}.local.json").write_text(json.dumps(response()), encoding="utf-8")
    tokensync("emulator", "seed", f"{KEY}.local.json", *STATE)
    (folder / "App.local.json").write_text('{"meta": {"variables": {}, "variableCollections": {}}}', encoding="utf-8")
    tokensync("emulator", "seed", "App.local.json", *STATE)
    tokensync("emulator", "publish", KEY, *STATE)


def test_a_library_is_used_and_updated(folder):
    seeded(folder)
    used = json.loads(tokensync("emulator", "variables", "use", "App", KEY, "gap", "--json", *STATE).output)
    shown = tokensync("emulator", "variables", "use", "App", KEY, GAP, *STATE).output
    assert shown.splitlines() == used
    assert len(tokensync("emulator", "variables", "use", "App", KEY, *STATE).output.splitlines()) > 5
    assert used[0].startswith("VariableID:key-of-")
    assert "updated 0" in tokensync("emulator", "variables", "update", "App", KEY, *STATE).stderr
    wrong = tokensync("emulator", "variables", "use", "App", KEY, "nothing", *STATE, code=2)
    assert "no published variable 'nothing'" in wrong.stderr


def test_text_in_a_shared_font_is_bound_and_unbound(folder):
    seeded(folder)
    for option in ((), ("--no-bound",)):
        bind = ("emulator", "variables", "bind-font", KEY, LABEL, *option)
        assert f"changed {LABEL}" in tokensync(*bind, *STATE).stderr
        assert answered_to_a_change(folder / "state.sqlite") == (200 if option else 400)
    assert "not a string variable" in tokensync("emulator", "variables", "bind-font", KEY, GAP, *STATE, code=2).stderr
