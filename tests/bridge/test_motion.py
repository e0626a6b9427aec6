"""Motion variables of a design file that the bridge reads and writes."""

import json
from pathlib import Path

import pytest
from bridge.conftest import by_names, quickstart_state
from bridge.test_verbs import applied, edit, in_sync, rolled_back
from commands.projects import tokensync

pytestmark = pytest.mark.outside

FILE = "tokens/design/motion/{}.tokens.json"
COLLECTION = "VariableCollectionId:90:1"


def alias(number):
    return {"type": "VARIABLE_ALIAS", "id": f"VariableID:90:{number}"}


def bezier(x1, y1, x2, y2):
    curve = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return {"type": "CUSTOM_CUBIC_BEZIER", "easingFunctionCubicBezier": curve}


VALUES = {
    "duration/fast": ("TIMING", 0.30000001192092896, 0),
    "duration/hover": ("TIMING", alias(0), alias(0)),
    "ease/standard": ("EASING", bezier(0.20000000298023224, 0, 0, 1), {"type": "LINEAR"}),
    "ease/out": ("EASING", {"type": "EASE_OUT"}, alias(2)),
    "ease/spring": ("EASING", {"type": "BOUNCY"}, {"type": "HOLD"}),
    "ease/unknown": ("EASING", {"type": "WOBBLE", "power": [3, None]}, {"type": "LINEAR"}),
}


def with_motion():
    """Return the state of the quickstart's file with a collection of motion variables, and an extension of it."""
    state = quickstart_state()
    meta = state["meta"]
    ids = [f"VariableID:90:{number}" for number in range(len(VALUES))]
    modes = [{"modeId": "90:0", "name": "Full"}, {"modeId": "90:1", "name": "Reduced"}]
    own = {"id": COLLECTION, "name": "Motion", "key": "9" * 40, "modes": modes, "defaultModeId": "90:0"}
    own |= {"remote": False, "hiddenFromPublishing": False, "variableIds": ids, "isExtension": False}
    extended = own | {"id": "VariableCollectionId:90:2", "name": "Calm", "key": "8" * 40, "isExtension": True}
    extended["modes"] = [
        {"modeId": f"VariableCollectionId:90:2/{mode['modeId']}", "name": mode["name"], "parentModeId": mode["modeId"]}
        for mode in modes
    ]
    extended["defaultModeId"] = extended["modes"][0]["modeId"]
    extended |= dict.fromkeys(("parentVariableCollectionId", "rootVariableCollectionId"), COLLECTION)
    extended |= {"inheritedVariableIds": ids, "localVariableIds": []}
    extended["variableOverrides"] = {ids[0]: {extended["defaultModeId"]: 0.5}}
    meta["variableCollections"] |= {own["id"]: own, extended["id"]: extended}
    for number, (name, (type_, *values)) in enumerate(VALUES.items()):
        meta["variables"][ids[number]] = {
            "id": ids[number],
            "name": name,
            "key": f"{number:040x}",
            "variableCollectionId": COLLECTION,
            "resolvedType": type_,
            "valuesByMode": dict(zip(("90:0", "90:1"), values, strict=True)),
            "remote": False,
            "description": "",
            "hiddenFromPublishing": False,
            "scopes": ["ALL_SCOPES"],
            "codeSyntax": {},
        }
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
