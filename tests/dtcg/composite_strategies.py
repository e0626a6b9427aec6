"""Hypothesis strategies for composite values whose parts are literals or references in any notation."""

from __future__ import annotations

import json

from hypothesis import strategies as st

from tokensync.dtcg.spelling import pointer_of
from tokensync.tokens import Composite

_numbers = st.sampled_from([0, 1, 1.5, -2, 0.25, 400])
_dimensions = st.fixed_dictionaries({"value": _numbers, "unit": st.sampled_from(["px", "rem"])})
_colors = st.sampled_from(
    [
        {"colorSpace": "srgb", "components": [0, 0.5, 1]},
        {"colorSpace": "hsl", "components": [120, 100, 50], "alpha": 0.25},
    ]
)
_beziers = st.sampled_from([[0, 0, 1, 1], [0.25, -1, 1, 2.5]])
_families = st.sampled_from(["Inter", ["Inter", 'quo"te', "</style>"], "{", "a}"])
_durations = st.fixed_dictionaries({"value": _numbers, "unit": st.sampled_from(["ms", "s"])})


def _reference(key):
    """References to the token in any notation, and invalid ones."""
    address = f"{key.collection}.{key.path}"
    pointer = pointer_of(address.split("."))
    return st.sampled_from(
        [f"{{{address}}}", f"{{{address}}}", f"{{{address}.$root}}", pointer, f"{pointer}/$value", "{gone}"]
    )


@st.composite
def _part(draw, literals, keys, references):
    if not keys or draw(st.integers(0, 2)) == 0:
        return draw(literals)
    key = draw(st.sampled_from(keys))
    reference = draw(_reference(key))
    references.setdefault(reference, key)
    return reference if reference[0] == "{" else {"$ref": reference}


@st.composite
def composites(draw, token_type, keys):
    """A value of a composite type, with targets of any type."""
    references = {}

    def part(literals):
        return draw(_part(literals, keys, references))

    def stroke():
        if draw(st.booleans()):
            return draw(st.sampled_from(["solid", "dashed"]))
        return {"dashArray": [part(_dimensions), part(_dimensions)], "lineCap": "round"}

    def layer():
        made = {
            "color": part(_colors),
            **{name: part(_dimensions) for name in ("offsetX", "offsetY", "blur", "spread")},
        }
        return {**made, "inset": part(st.booleans())} if draw(st.booleans()) else made

    def layers():
        return [layer() if draw(st.booleans()) else part(st.builds(layer)) for _ in range(draw(st.integers(1, 3)))]

    made = {
        "strokeStyle": stroke,
        "border": lambda: {"color": part(_colors), "width": part(_dimensions), "style": stroke()},
        "transition": lambda: {
            "duration": part(_durations),
            "delay": part(_durations),
            "timingFunction": part(_beziers),
        },
        "shadow": lambda: layer() if draw(st.booleans()) else layers(),
        "gradient": lambda: [
            {"color": part(_colors), "position": part(_numbers)} for _ in range(draw(st.integers(1, 3)))
        ],
        "typography": lambda: {
            "fontFamily": part(_families),
            "fontSize": part(_dimensions),
            "fontWeight": part(st.sampled_from([400, "bold"])),
            "letterSpacing": part(_dimensions),
            "lineHeight": part(_numbers | _dimensions),
            **draw(st.sampled_from([{}, {"fontStyle": "italic"}, {"textCase": "none", "textDecoration": "underline"}])),
        },
    }[token_type]()
    text = json.dumps(made, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    spelled = sorted(references, key=lambda each: text.index(json.dumps(each, ensure_ascii=False)))
    return Composite(text, tuple((each, references[each]) for each in spelled))
