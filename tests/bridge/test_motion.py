"""Motion variables of a design file that the bridge reads and writes."""

import json
from pathlib import Path

import pytest
from bridge.conftest import by_names, quickstart_state
from bridge.test_scripts import Designer, carried_out
from bridge.test_verbs import applied, edit, in_sync, rolled_back
from commands.projects import tokensync
from plan.motion import VALUES, add_motion, alias, bezier

pytestmark = pytest.mark.outside

FILE = "tokens/design/motion/{}.tokens.json"


def with_motion():
    """Return the state of the quickstart's file with motion variables."""
    state = quickstart_state()
    add_motion(state["meta"])
    return state


def changed(document):
    motion = document["motion"]
    motion["duration"]["fast"]["$value"] = {"value": 0.25, "unit": "s"}
    motion["ease"]["standard"]["$value"] = [0.42, 0, 1, 1]
    motion["ease"]["out"] = motion["ease"].pop("out") | {"$value": [0.1, 0.2, 0.3, 0.4]}
    motion["duration"]["slow"] = {"$type": "duration", "$value": {"value": 600, "unit": "ms"}}
    motion["ease"]["new"] = {"$type": "cubicBezier", "$value": "{motion.ease.standard}"}


def changed_too(document):
    motion = document["motion"]
    motion["duration"]["slow"] = {"$type": "duration", "$value": "{motion.duration.fast}"}
    motion["ease"]["new"] = {"$type": "cubicBezier", "$value": [0, 0.5, 1, 0.5]}


def unknown(editor):
    return editor.saved()["meta"]["variables"]["VariableID:90:5"]


def test_motion_variables_are_changed_created_and_rolled_back(opened):
    editor = opened(with_motion())
    before, left_alone = by_names(editor.saved()["meta"]), unknown(editor)
    tokensync("pull")
    in_sync()
    edit(FILE.format("full"), changed)
    edit(FILE.format("reduced"), changed_too)
    receipt = applied()
    assert editor.value("duration/fast") == 0.25
    assert editor.value("ease/standard") == {"type": "EASE_IN"}
    assert editor.value("ease/out")["type"] == "CUSTOM_CUBIC_BEZIER"
    assert editor.value("duration/slow") == pytest.approx(0.6)
    assert editor.value("duration/slow", "Reduced") == alias(0)
    assert editor.value("ease/new") == alias(2)
    assert editor.value("ease/new", "Reduced") == bezier(0, 0.5, 1, 0.5)
    assert unknown(editor) == left_alone
    rolled_back(receipt)
    assert by_names(editor.saved()["meta"]) == before


def test_motion_variables_are_renamed_overridden_deleted_and_rolled_back(opened):
    editor = opened(with_motion())
    before = by_names(editor.saved()["meta"])
    tokensync("pull")
    tokensync("tokens", "rename", "motion/duration/hover", "motion/duration/press")
    receipts = [applied()]
    assert editor.value("duration/press") == alias(0)
    edit("tokens/design/calm/full.tokens.json", lambda document: document["motion"]["duration"].pop("fast"))
    receipts.append(applied("--prune"))
    overrides = editor.saved()["meta"]["variableCollections"]["VariableCollectionId:90:2"]["variableOverrides"]
    assert not overrides.get("VariableID:90:0")
    for mode in ("full", "reduced"):
        edit(FILE.format(mode), lambda document: document["motion"]["ease"].pop("spring"))
    receipts.append(applied("--prune"))
    assert "ease/spring" not in {each["name"] for each in editor.saved()["meta"]["variables"].values()}
    for receipt in reversed(receipts):
        rolled_back(receipt)
    assert by_names(editor.saved()["meta"]) == before


def test_a_script_writes_them_too(node, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    designer = Designer(node)
    designer.open(with_motion())
    tokensync("pull")
    edit(FILE.format("full"), changed)
    edit(FILE.format("reduced"), changed_too)
    carried_out(designer)
    values = {each["name"]: each["valuesByMode"] for each in designer.meta["variables"].values()}
    assert values["duration/fast"]["90:0"] == 0.25
    assert values["ease/standard"]["90:0"] == {"type": "EASE_IN"}
    assert values["ease/new"]["90:1"] == bezier(0, 0.5, 1, 0.5)
    assert values["ease/unknown"]["90:0"] == VALUES["ease/unknown"][1]


def test_a_spring_is_set_and_read_back(opened):
    editor = opened(with_motion())
    tokensync("pull")
    before = Path(FILE.format("full")).read_text(encoding="utf-8")
    spring = json.dumps('{"easingFunctionSpring":{"bounce":0.35},"type":"CUSTOM_SPRING"}')
    Path(FILE.format("full")).write_text(before.replace(json.dumps('{"type":"BOUNCY"}'), spring), encoding="utf-8")
    receipt = applied()
    assert editor.value("ease/spring") == {
        "type": "CUSTOM_SPRING",
        "easingFunctionSpring": {"bounce": pytest.approx(0.35)},
    }
    rolled_back(receipt)
    assert editor.value("ease/spring") == {"type": "BOUNCY"}


def test_digits_that_a_variable_does_not_hold_are_no_conflict_and_stay_in_the_token_file(opened):
    """A pull after the apply keeps what is written, to the byte."""
    opened(with_motion())
    tokensync("pull")

    def more_digits(document):
        document["motion"]["ease"]["standard"]["$value"] = [1 / 3, 0, 2 / 3, 1]
        document["motion"]["duration"]["fast"]["$value"] = {"value": 100 / 3, "unit": "ms"}
        document["motion"]["duration"]["hover"]["$value"] = {"value": 0.123456789, "unit": "s"}

    edit(FILE.format("full"), more_digits)
    receipt = applied()
    text = Path(FILE.format("full")).read_text(encoding="utf-8")
    assert all(digits in text for digits in ("0.3333333333333333", "33.333333333333336", "0.123456789"))
    rolled_back(receipt)
