"""Values that DTCG builds from other values: their JSON, where a reference may stand in it, and the same carried out.

A composite type has parts, each with a type of its own. A reference stands for a whole part, as ``"{a.b}"`` or
``{"$ref": "#/a/b"}``; it cannot stand within one.
"""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.tokens.values import LITERAL_CLASSES, Color, Composite, Quantity, Unresolved, json_number
from tokensync.tokens.weights import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.tokens.values import Literal, TokenKey

_STROKE_STYLE = "strokeStyle"
_MEMBERS = {
    "border": {"color": "color", "width": "dimension", "style": _STROKE_STYLE},
    "transition": {"duration": "duration", "delay": "duration", "timingFunction": "cubicBezier"},
    "shadow": {
        "color": "color",
        "offsetX": "dimension",
        "offsetY": "dimension",
        "blur": "dimension",
        "spread": "dimension",
        "inset": "boolean",
    },
    "gradient": {"color": "color", "position": "number"},
    "typography": {
        "fontFamily": "fontFamily",
        "fontSize": "dimension",
        "fontWeight": "fontWeight",
        "letterSpacing": "dimension",
        "lineHeight": "number",
    },
}
_FITTING = {
    "dimension": ("dimension", "number"),
    "fontWeight": ("fontWeight", "number", AS_TEXT),
    "fontFamily": ("fontFamily", "string"),
}
STROKES = ("solid", "dashed", "dotted", "double", "groove", "ridge", "outset", "inset")
CAPS = ("round", "butt", "square")

Path = tuple[str | int, ...]


class Part(NamedTuple):
    """A part of a composite: the steps to it in the JSON, its type, its JSON, and the reference that it is, if any."""

    path: Path
    type: str
    json: Any
    reference: str | None


def canonical(value: Any) -> str:
    """Return the JSON text that equal values share: names sorted, no blanks. Raises RecursionError for deep nesting."""
    try:
        return msgspec.json.encode(value, order="sorted").decode()
    except UnicodeEncodeError:  # a lone surrogate
        import json

        return json.dumps(value, sort_keys=True, separators=(",", ":"))


def decoded(text: str) -> Any:
    """Return the value of a canonical text. Raises ValueError for what is no JSON."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        import json

        return json.loads(text)


def is_number(value: Any) -> bool:
    """Return whether JSON has a number here; true and false are none."""
    return type(value) in (int, float)


def reference_of(value: Any) -> str | None:
    """Return the reference that a JSON value is: ``{a.b}``, or the pointer of a ``$ref``; None for any other."""
    if isinstance(value, str):
        return value if value[:1] == "{" and value[-1:] == "}" else None
    if isinstance(value, dict) and len(value) == 1:
        pointer = value.get("$ref")
        return pointer if isinstance(pointer, str) else None
    return None


def parts_of(token_type: str, value: Any, path: Path = ()) -> Iterator[Part]:
    """Return the parts of a value of a composite type, in the order of the JSON; nothing for what has none.

    A layer of a shadow is a part when it is a reference, else its members are. So it is with dashes.
    """
    if token_type == _STROKE_STYLE and isinstance(value, dict):
        dashes = value.get("dashArray")
        for index, each in enumerate(dashes if isinstance(dashes, list) else ()):
            yield Part((*path, "dashArray", index), "dimension", each, reference_of(each))
    elif isinstance(value, list) and token_type in ("shadow", "gradient"):
        for index, each in enumerate(value):
            if (reference := reference_of(each)) is not None:
                yield Part((*path, index), token_type, each, reference)
            elif isinstance(each, dict):
                yield from parts_of(token_type, each, (*path, index))
    elif isinstance(value, dict):
        known = _MEMBERS.get(token_type, {})
        for name, each in value.items():
            if name in known:
                part = Part((*path, name), known[name], each, reference_of(each))
                yield part
                if part.reference is None and part.type == _STROKE_STYLE:
                    yield from parts_of(_STROKE_STYLE, each, part.path)


def fits(part_type: str, target_type: str) -> bool:
    """Return whether a token can stand for a part: of its type, or of one that the platform has for both.

    A length is no number of lines: ``lineHeight`` takes numbers only.
    """
    return target_type in _FITTING.get(part_type, (part_type,))


def filled(
    value: Composite, token_type: str, literal_of: Callable[[TokenKey], Literal | Unresolved], at: TokenKey
) -> Composite | Unresolved:
    """Return the composite with literals for its references, or why it cannot be; ``at`` is its token."""
    try:
        tree = decoded(value.json)
    except (ValueError, RecursionError):
        return Unresolved("mismatch", str(at))
    targets = dict(value.references)
    for part in tuple(parts_of(token_type, tree)):
        if part.reference is None:
            continue
        if part.reference not in targets or not part.path:
            return Unresolved("mismatch", str(at))
        literal = literal_of(targets[part.reference])
        if isinstance(literal, Unresolved):
            return literal
        json = _part_json(part.type, literal)
        if json is None or (part.type == "shadow" and isinstance(json, list)):  # one element stays one
            return Unresolved("mismatch", str(at))
        _node(tree, part.path[:-1])[part.path[-1]] = json
    return Composite(canonical(tree))


def literal_json(literal: Literal, dtcg_type: str) -> Any:
    """Return a literal as the JSON of a ``$value``; None for a number that JSON lacks. A plain dimension is px.

    A colour is told by its components alone, without ``hex``.
    """
    match literal:
        case bool() | str():
            return literal
        case float():
            if not isfinite(literal):
                return None
            number = json_number(literal)
            return {"value": number, "unit": "px"} if dtcg_type == "dimension" else number
        case Quantity(number=number, unit=unit):
            return {"value": json_number(number), "unit": unit} if isfinite(number) else None
        case Color(red=red, green=green, blue=blue, alpha=alpha):
            if not all(map(isfinite, (red, green, blue, alpha))):
                return None
            components = [json_number(red), json_number(green), json_number(blue)]
            color = {"colorSpace": "srgb", "components": components}
            return color if alpha == 1 else {**color, "alpha": json_number(alpha)}
        case Composite(json=text):
            return decoded(text)


def _part_json(part_type: str, literal: Literal) -> Any:
    """Return a literal as the JSON of a part; None when it does not fit there."""
    if type(literal) not in LITERAL_CLASSES.get(part_type, (Composite,)):
        return None
    try:
        return literal_json(literal, part_type)
    except (ValueError, RecursionError):
        return None


def _node(tree: Any, path: Path) -> Any:
    for step in path:
        tree = tree[step]
    return tree
