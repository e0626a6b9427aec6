"""A library's variables in another file, and text bound to one, from the command line."""

from __future__ import annotations

import json

from commands.projects import tokensync
from emulator.platform import GAP, KEY, LABEL, response

STATE = ("--state", "state.sqlite")


def seeded(folder):
    (folder / f"{KEY}.local.json").write_text(json.dumps(response()))
    tokensync("emulator", "seed", f"{KEY}.local.json", *STATE)
    (folder / "App.local.json").write_text('{"meta": {"variables": {}, "variableCollections": {}}}')
    tokensync("emulator", "seed", "App.local.json", *STATE)
    tokensync("emulator", "publish", KEY, *STATE)


def test_a_library_is_used_and_its_update_taken(folder):
    seeded(folder)
    used = json.loads(tokensync("emulator", "variables", "use", "App", KEY, "gap", "--json", *STATE).output)
    shown = tokensync("emulator", "variables", "use", "App", KEY, GAP, *STATE).output
    assert shown.splitlines() == used
    assert len(tokensync("emulator", "variables", "use", "App", KEY, *STATE).output.splitlines()) > 5
    assert used[0].startswith("VariableID:key-of-")
    assert "updated 0" in tokensync("emulator", "variables", "update", "App", KEY, *STATE).stderr
    wrong = tokensync("emulator", "variables", "use", "App", KEY, "nothing", *STATE, code=2)
    assert "no published variable 'nothing'" in wrong.stderr


def test_text_in_a_shared_font_is_bound_and_released(folder):
    seeded(folder)
    assert f"bound {LABEL}" in tokensync("emulator", "variables", "bind-font", KEY, LABEL, *STATE).stderr
    assert "released" in tokensync("emulator", "variables", "bind-font", KEY, LABEL, "--unbind", *STATE).stderr
    assert "no string variable" in tokensync("emulator", "variables", "bind-font", KEY, GAP, *STATE, code=2).stderr
