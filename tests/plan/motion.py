"""A collection of motion variables, to be added to a response, with an extension and a variable of an unknown form."""

from __future__ import annotations

from typing import Any

Document = dict[str, Any]

COLLECTION = "VariableCollectionId:90:1"


def alias(number: int) -> Document:
    """Return an alias to the motion variable with this number."""
    return {"type": "VARIABLE_ALIAS", "id": f"VariableID:90:{number}"}


def bezier(x1: float, y1: float, x2: float, y2: float) -> Document:
    """Return a curve as the platform has it."""
    curve = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return {"type": "CUSTOM_CUBIC_BEZIER", "easingFunctionCubicBezier": curve}


VALUES: dict[str, tuple[Any, ...]] = {
    "duration/fast": ("TIMING", 0.30000001192092896, 0),
    "duration/hover": ("TIMING", alias(0), alias(0)),
    "ease/standard": ("EASING", bezier(0.20000000298023224, 0, 0, 1), {"type": "LINEAR"}),
    "ease/out": ("EASING", {"type": "EASE_OUT"}, alias(2)),
    "ease/spring": ("EASING", {"type": "BOUNCY"}, {"type": "HOLD"}),
    "ease/unknown": ("EASING", {"type": "WOBBLE", "power": [3, None]}, {"type": "LINEAR"}),
}


def add_motion(meta: Document) -> None:
    """Add a collection of motion variables to the payload of a response, and an extension of it."""
    ids = [f"VariableID:90:{number}" for number in range(len(VALUES))]
    modes = [{"modeId": "90:0", "name": "Full"}, {"modeId": "90:1", "name": "Reduced"}]
    own: Document = {"id": COLLECTION, "name": "Motion", "key": "9" * 40, "modes": modes, "defaultModeId": "90:0"}
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
