"""Variables of undocumented types with arbitrary JSON values, to be added to a response."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from plan.library import key_of

if TYPE_CHECKING:
    from hypothesis.strategies import DrawFn

Document = dict[str, Any]

KINDS = ("EASING/2", "DELAY", "", "color", "FLOAT ", "GRADIENT/2", "x" * 300, "\x1b[31m")
_TEXTS = st.text(st.characters(codec="utf-8"), max_size=8)
_SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(2**80), 2**80)
    | st.floats(allow_nan=False, allow_infinity=False)
    | _TEXTS
    | st.sampled_from(["VARIABLE_ALIAS", "VARIABLE_EXPRESSION"])
)
SHAPES = (
    {"easingType": 7, "bezierValues": {"x1": 0.25, "y1": 0.1, "x2": 0.25, "y2": 1}},
    {"type": "CUSTOM_CUBIC_BEZIER", "easingFunctionCubicBezier": {"x1": 0, "y1": 0, "x2": 1, "y2": 1}},
    [0.25, 0.1, 0.25, 1],
    {"r": "red", "opacity": "half", "color": [1]},
    {"type": "VARIABLE_ALIAS", "id": 7},
)
"""Values of such variables as users quote them, and some that look like those of known types."""
ANY_JSON = st.sampled_from(SHAPES) | st.recursive(
    _SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(_TEXTS | st.sampled_from(["type", "id", "r", "color", "opacity"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def with_opaque(draw: DrawFn, response: bytes, *, most: int = 3) -> tuple[bytes, dict[str, Document]]:
    """A response with additional opaque variables, and these variables by id."""
    document = json.loads(response)
    variables, collections = document["meta"]["variables"], document["meta"]["variableCollections"]
    roots = [each for each in collections.values() if not each.get("isExtension") and not each["remote"]]
    made: dict[str, Document] = {}
    for number in range(draw(st.integers(1, most)) if roots else 0):
        root = draw(st.sampled_from(roots))
        id_ = f"VariableID:4242:{number}"
        value = ANY_JSON | st.sampled_from([{"type": "VARIABLE_ALIAS", "id": each} for each in (*variables, id_)])
        made[id_] = {
            "id": id_,
            "name": f"opaque {number}",
            "key": key_of(id_),
            "variableCollectionId": root["id"],
            "resolvedType": draw(st.sampled_from(KINDS)),
            "valuesByMode": {mode["modeId"]: draw(value) for mode in root["modes"]},
            "remote": False,
            "description": draw(_TEXTS),
            "hiddenFromPublishing": draw(st.booleans()),
            "scopes": draw(st.lists(_TEXTS, max_size=2)),
            "codeSyntax": {},
            "ofTomorrow": draw(ANY_JSON),
        }
        family = [root, *(each for each in collections.values() if each.get("rootVariableCollectionId") == root["id"])]
        for each in family:
            for member in {"variableIds", "inheritedVariableIds"} & each.keys():
                each[member].insert(draw(st.integers(0, len(each[member]))), id_)
            if each is not root and draw(st.booleans()):
                mode = draw(st.sampled_from(each["modes"]))["modeId"]
                each["variableOverrides"][id_] = {mode: draw(value)}
    variables.update(made)
    return json.dumps(document).encode(), made
