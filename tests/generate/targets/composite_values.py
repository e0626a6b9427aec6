"""Composite values of every DTCG type, with references in every possible part."""

from graphs import key

from tokensync.tokens import Composite
from tokensync.tokens.composites import canonical, parts_of

BLACK = {"colorSpace": "srgb", "components": [0, 0, 0], "alpha": 0.25}
WHITE = {"colorSpace": "hsl", "components": [0, 0, 100]}
CURVE = [0.2, 0, 0, 1]


def px(number):
    return {"value": number, "unit": "px"}


def rem(number):
    return {"value": number, "unit": "rem"}


def ms(number):
    return {"value": number, "unit": "ms"}


LAYER = {"color": BLACK, "offsetX": px(0), "offsetY": px(1), "blur": rem(0.125), "spread": px(-1)}
DASHES = {"dashArray": [px(4), rem(0.25)], "lineCap": "round"}
VALUES = {
    "shadow": [LAYER, {**LAYER, "color": WHITE, "inset": True}],
    "border": {"color": WHITE, "width": px(1.5), "style": "dotted"},
    "typography": {
        "fontFamily": ["Inter", "Sans-Serif"],
        "fontSize": rem(1),
        "fontWeight": "semi-bold",
        "letterSpacing": px(-0.25),
        "lineHeight": 1.5,
    },
    "gradient": [
        {"color": WHITE, "position": -1},
        {"color": BLACK, "position": 0.333},
        {"color": WHITE, "position": 42},
    ],
    "transition": {"duration": ms(200), "delay": {"value": -0.05, "unit": "s"}, "timingFunction": CURVE},
    "cubicBezier": [0.25, -1, 1, 2.5],
    "strokeStyle": DASHES,
}
ENDS = {
    "lineHeight": "share",
    "color": "black",
    "dimension": "four",
    "duration": "quick",
    "number": "share",
    "fontWeight": "bold",
    "fontFamily": "sans",
    "boolean": "yes",
    "cubicBezier": "curve",
    "strokeStyle": "dashes",
    "shadow": "below",
}
"""The path of the token that a reference of each type refers to."""


def composite_of(value):
    """Return a composite without references."""
    return Composite(canonical(value))


def referring(dtcg_type, value, collection="Base"):
    """Return the value with a reference to a token of ``ENDS`` in every possible part."""
    tree = [*value, LAYER] if dtcg_type == "shadow" else value
    references = {}
    for part in parts_of(dtcg_type, tree):
        spelled = f"{{{collection.lower()}.{ENDS[part.type]}}}"
        tree = _put(tree, part.path, spelled)
        references[spelled] = key(collection, ENDS[part.type])
    if dtcg_type == "shadow":
        tree = [*tree, f"{{{collection.lower()}.below}}"]
        references[f"{{{collection.lower()}.below}}"] = key(collection, "below")
    text = canonical(tree)
    kept = [(each, target) for each, target in references.items() if each in text]
    return Composite(text, tuple(sorted(kept, key=lambda each: text.index(each[0]))))


def _put(tree, path, value):
    if not path:
        return value
    if isinstance(tree, str):  # a reference already, for all that is within
        return tree
    step, *rest = path
    members = list(tree) if isinstance(tree, list) else dict(tree)
    members[step] = _put(tree[step], rest, value)
    return members
