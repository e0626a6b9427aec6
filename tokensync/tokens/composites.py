"""Composite values of DTCG: their JSON, the references in it and their resolution.

A composite type has parts with types of their own. A reference replaces a whole part, as ``"{a.b}"`` or
``{"$ref": "#/a/b"}``.
"""

from __future__ import annotations

from functools import reduce
from math import isfinite
from operator import getitem
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.system.errors import DECODE_ERRORS
from tokensync.tokens.values import (
    AS_TEXT,
    KEYWORDS,
    LENGTHS,
    LITERAL_CLASSES,
    RELATIVE_UNITS,
    Color,
    Composite,
    Quantity,
    Unresolved,
    json_number,
    normalized,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tokensync.tokens.values import Literal, TokenKey

_STROKE_STYLE, GRADIENT, TYPOGRAPHY, LINE_HEIGHT = "strokeStyle", "gradient", "typography", "lineHeight"
MEMBERS = {
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
        LINE_HEIGHT: LINE_HEIGHT,
        **{name: name for name in KEYWORDS},
    },
}
"""The types of the members of each type, of a layer for shadows, and of a stop for gradients.

A line height is a multiple of the font size, as in DTCG, or a length, as in design files.
"""
OPTIONAL = ("inset", *KEYWORDS)
"""The members that may be missing."""
TYPES = (*MEMBERS, "cubicBezier", _STROKE_STYLE)
"""The types of composite values."""
_FITTING = {
    "dimension": ("dimension", "number"),
    "fontWeight": ("fontWeight", "number", AS_TEXT),
    "fontFamily": ("fontFamily", "string"),
    LINE_HEIGHT: ("number", "dimension"),
    **{name: ("string", name) for name in KEYWORDS},
}
STROKES = ("solid", "dashed", "dotted", "double", "groove", "ridge", "outset", "inset")
CAPS = ("round", "butt", "square")

Path = tuple[str | int, ...]


class Part(NamedTuple):
    """A part of a composite: its path in the JSON, its type, its JSON, and its reference if it is one."""

    path: Path
    type: str
    json: Any
    reference: str | None


def canonical(value: Any) -> str:
    """Return canonical JSON: sorted names, no blanks. Raise RecursionError for deep nesting."""
    try:
        return msgspec.json.encode(value, order="sorted").decode()
    except UnicodeEncodeError:  # a lone surrogate
        import json

        return json.dumps(value, sort_keys=True, separators=(",", ":"))


def decoded(text: str) -> Any:
    """Return the value of a JSON text. Raise ValueError if it is invalid."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        import json

        return json.loads(text)


def font_list(value: object) -> list[str] | None:
    """Return the names of an array of fonts; None for any other value."""
    if type(value) is not Composite or value.references:
        return None
    try:
        names = decoded(value.json)
    except DECODE_ERRORS:
        return None
    return names if isinstance(names, list) and names and all(isinstance(name, str) for name in names) else None


def is_number(value: Any) -> bool:
    """Return whether a JSON value is a number, which booleans are not."""
    return type(value) in (int, float)


def plain_numbers(value: Any) -> Any:
    """Return a JSON value with 4 instead of 4.0, so that equal values have equal texts."""
    if isinstance(value, dict):
        return {name: plain_numbers(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain_numbers(part) for part in value]
    return int(value) if is_number(value) and abs(value) < 2**53 and value == int(value) else value


def reference_of(value: Any) -> str | None:
    """Return the reference in a JSON value, ``{a.b}`` or the pointer of a ``$ref``; None if it is not a reference."""
    if isinstance(value, str):
        return value if value[:1] == "{" and value[-1:] == "}" else None
    if isinstance(value, dict) and len(value) == 1:
        pointer = value.get("$ref")
        return pointer if isinstance(pointer, str) else None
    return None


def parts_of(token_type: str, value: Any, path: Path = ()) -> Iterator[Part]:
    """Yield the parts of a composite value in JSON order.

    A shadow layer or gradient stop is a part if it is a reference; otherwise its members are parts.
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
        types = MEMBERS.get(token_type, {})
        for name, each in value.items():
            if name in types:
                part = Part((*path, name), types[name], each, reference_of(each))
                yield part
                if part.reference is None and part.type == _STROKE_STYLE:
                    yield from parts_of(_STROKE_STYLE, each, part.path)


def with_references(token_type: str, json: str, texts: Mapping[str, str]) -> str:
    """Return the JSON of a composite with other texts for some of its references."""
    tree = decoded(json)
    for part in tuple(parts_of(token_type, tree)):
        if part.reference is not None and part.path and texts.get(part.reference, part.reference) != part.reference:
            node: Any = reduce(getitem, part.path[:-1], tree)
            node[part.path[-1]] = texts[part.reference]
    return canonical(tree)


def fits(part_type: str, target_type: str) -> bool:
    """Return whether a part may refer to a token of a type."""
    return target_type in fitting(part_type)


def fitting(part_type: str) -> tuple[str, ...]:
    """Return the types of tokens that a part may refer to: its own, and those stored in the same way."""
    return _FITTING.get(part_type, (part_type,))


def type_of_target(part_type: str, target_type: str) -> str:
    """Return the type of the value that a part gets from a token: a number stands for pixels where a length belongs."""
    return target_type if part_type == LINE_HEIGHT or part_type in KEYWORDS else part_type


def filled(
    value: Composite,
    token_type: str,
    literal_of: Callable[[TokenKey], Literal | Unresolved],
    at: TokenKey,
    type_of: Callable[[TokenKey], str],
) -> Composite | Unresolved:
    """Return a composite with literals in place of its references, or why it is unresolved; ``at`` is its token.

    ``type_of`` returns the type of a token that has a literal.

    A stop of a gradient that refers to a gradient is omitted: DTCG does not define which of its stops it means.
    """
    try:
        tree = decoded(value.json)
    except DECODE_ERRORS:
        return Unresolved("mismatch", str(at))
    targets = dict(value.references)
    for part in tuple(parts_of(token_type, tree)):
        if part.reference is None or part.type == GRADIENT:
            continue
        if part.reference not in targets or not part.path:
            return Unresolved("mismatch", str(at))
        target = targets[part.reference]
        literal = literal_of(target)
        if isinstance(literal, Unresolved):
            return literal
        json = _part_json(type_of_target(part.type, type_of(target)), literal)
        # A reference to one layer must not insert several.
        if json is None or (part.type == "shadow" and isinstance(json, list)):
            return Unresolved("mismatch", str(at))
        node: Any = reduce(getitem, part.path[:-1], tree)
        node[part.path[-1]] = json
    if token_type == GRADIENT:
        tree = [stop for stop in tree if reference_of(stop) is None]
    return Composite(canonical(tree)) if tree else Unresolved("mismatch", str(at))


def dtcg_style(value: Composite, resolved: Composite) -> Composite:
    """Return a text style, or what DTCG can express of it: a line height in multiples of the size, no ``KEYWORDS``."""
    tree, literals = decoded(value.json), decoded(resolved.json)
    height = literals.get(LINE_HEIGHT)
    if not isinstance(height, dict) and not tree.keys() & KEYWORDS:
        return value
    tree = {name: part for name, part in tree.items() if name not in KEYWORDS}
    if isinstance(height, dict):
        del tree[LINE_HEIGHT]
        size = _pixels(literals.get("fontSize"))
        if height.get("unit") in RELATIVE_UNITS:
            tree[LINE_HEIGHT] = json_number(normalized(height["value"] * RELATIVE_UNITS[height["unit"]]))
        elif size:
            tree[LINE_HEIGHT] = json_number(normalized(round(_pixels(height) / size, 4)))
    spelled = {part.reference for part in parts_of(TYPOGRAPHY, tree)}
    return Composite(canonical(tree), tuple(reference for reference in value.references if reference[0] in spelled))


def edited_style(value: Composite, stored: Composite, resolved: Composite) -> Composite:
    """Return an edited text style (``value``) with the members of the ``stored`` one that were not edited.

    These are members that DTCG cannot express, and a line height that still is the multiple that was written.
    """
    tree, full, written = (decoded(style.json) for style in (value, stored, dtcg_style(stored, resolved)))
    tree |= {name: part for name, part in full.items() if part != written.get(name) == tree.get(name)}
    spelled = {part.reference for part in parts_of(TYPOGRAPHY, tree)}
    references = {**dict(stored.references), **dict(value.references)}
    return Composite(canonical(tree), tuple(pair for pair in references.items() if pair[0] in spelled))


def _pixels(length: Any) -> float:
    """Return the pixels of a length in px or rem; 0 for other values."""
    if not isinstance(length, dict) or not is_number(length.get("value")):
        return 0.0
    return float(length["value"] * LENGTHS.get(str(length.get("unit")), 0.0))


def literal_json(literal: Literal, dtcg_type: str) -> Any:
    """Return a literal as the JSON of a ``$value``; None for infinity and NaN. A dimension without a unit is px.

    Colours have components only, no ``hex``.
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
    """Return a literal as the JSON of a part; None for a literal of another type."""
    if type(literal) not in LITERAL_CLASSES.get(part_type, (Composite,)):
        return None
    try:
        return literal_json(literal, part_type)
    except DECODE_ERRORS:
        return None
