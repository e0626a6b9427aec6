"""Values that DTCG builds from other values and the platform has no form for: kept as canonical JSON, checked in shape.

The checks follow dtcg.md section 3; each tells what is wrong, or None.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import msgspec

from tokensync.formats.dtcg.references import is_reference
from tokensync.formats.dtcg.text import Inline, inline
from tokensync.tokens.token import HEAVIEST, LIGHTEST

if TYPE_CHECKING:
    from collections.abc import Callable

    Check = Callable[[Any], "str | None"]

_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_STROKES = ("solid", "dashed", "dotted", "double", "groove", "ridge", "outset", "inset")
_CAPS = ("round", "butt", "square")
_DEEPEST_VALUE = 64
WEIGHTS = {
    "thin": 100,
    "hairline": 100,
    "extra-light": 200,
    "ultra-light": 200,
    "light": 300,
    "normal": 400,
    "regular": 400,
    "book": 400,
    "medium": 500,
    "semi-bold": 600,
    "demi-bold": 600,
    "bold": 700,
    "extra-bold": 800,
    "ultra-bold": 800,
    "black": 900,
    "heavy": 900,
    "extra-black": 950,
    "ultra-black": 950,
}
"""The keywords of ``fontWeight`` and their numbers."""


def canonical(value: Any) -> str:
    """The JSON text that equal values share: sorted names, no blanks. Raises RecursionError for absurd nesting."""
    try:
        return msgspec.json.encode(value, order="sorted").decode()
    except UnicodeEncodeError:  # a lone surrogate
        import json

        return json.dumps(value, sort_keys=True, separators=(",", ":"))


def decoded(text: str) -> Any:
    """The value of a canonical text. Raises ValueError for what is no JSON."""
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError):
        import json

        return json.loads(text)


def composite_of_text(token_type: str, text: str) -> Inline | None:
    """The ``$value`` text of canonical JSON; None when it is not canonical or not of this type."""
    try:
        value = decoded(text)
    except (ValueError, RecursionError):
        return None
    if fault_of(token_type, value) is not None or canonical(value) != text:
        return None
    return Inline(inline(value))


def fault_of(token_type: str, value: Any) -> str | None:
    """What keeps a value from being one of this composite type, or None."""
    if _depth(value) > _DEEPEST_VALUE:
        return "it is nested too deep"
    return COMPOSITE_TYPES[token_type](value)


def is_number(value: Any) -> bool:
    """Whether JSON has a number here; true and false are none."""
    return type(value) in (int, float)


def _depth(value: Any) -> int:
    level, depth = [value], 0
    while level and depth <= _DEEPEST_VALUE:
        depth += 1
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return depth


def _members(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    known = {**required, **(optional or {})}

    def check(value: Any) -> str | None:
        if not isinstance(value, dict):
            return f"an object with {', '.join(required)} is expected"
        if missing := [each for each in required if each not in value]:
            return f"it lacks {', '.join(missing)}"
        for name, part in value.items():
            if name not in known:
                return f"it has an unknown member {name[:40]!r}"
            if not is_reference(part) and (fault := known[name](part)) is not None:
                return f"{name}: {fault}"
        return None

    return check


def _number(value: Any) -> str | None:
    return None if is_number(value) else "a number is expected"


def _share(value: Any) -> str | None:
    return None if is_number(value) and 0 <= value <= 1 else "a number from 0 to 1 is expected"


def _truth(value: Any) -> str | None:
    return None if isinstance(value, bool) else "true or false is expected"


def _one_of(*words: str) -> Check:
    return lambda value: None if value in words and isinstance(value, str) else f"one of {', '.join(words)} is expected"


def _hex(value: Any) -> str | None:
    return None if isinstance(value, str) and _HEX.fullmatch(value) else "six hex digits after # are expected"


def _list_of(check: Check, length: int | None = None) -> Check:
    def check_all(value: Any) -> str | None:
        if not isinstance(value, list) or (length is not None and len(value) != length) or not value:
            return f"an array of {length} is expected" if length else "an array with something in it is expected"
        return next((fault for each in value if not is_reference(each) and (fault := check(each)) is not None), None)

    return check_all


def _component(value: Any) -> str | None:
    return None if value == "none" or is_number(value) else 'a number or "none" is expected'


def _weight(value: Any) -> str | None:
    fits = (isinstance(value, str) and value in WEIGHTS) or (is_number(value) and LIGHTEST <= value <= HEAVIEST)
    return None if fits else "a weight from 1 to 1000 or its name is expected"


def _families(value: Any) -> str | None:
    if isinstance(value, str) or (isinstance(value, list) and value and all(isinstance(each, str) for each in value)):
        return None
    return "a font name or an array of font names is expected"


def _bezier(value: Any) -> str | None:
    if not isinstance(value, list) or len(value) != 4 or not all(map(is_number, value)):
        return "four numbers are expected"
    return None if 0 <= value[0] <= 1 and 0 <= value[2] <= 1 else "both x are to be from 0 to 1"


def _one_or_many(check: Check) -> Check:
    many = _list_of(check)
    return lambda value: many(value) if isinstance(value, list) else check(value)


def _stroke(value: Any) -> str | None:
    return _DASHES(value) if isinstance(value, dict) else _one_of(*_STROKES)(value)


_COLOR = _members(
    {"colorSpace": _one_of("srgb", "srgb-linear", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020", "xyz-d65",
                           "xyz-d50", "hsl", "hwb", "lab", "lch", "oklab", "oklch"),
     "components": _list_of(_component, 3)},
    {"alpha": _share, "hex": _hex},
)  # fmt: skip
_DIMENSION = _members({"value": _number, "unit": _one_of("px", "rem")})
_DURATION = _members({"value": _number, "unit": _one_of("ms", "s")})
_DASHES = _members({"dashArray": _list_of(_DIMENSION), "lineCap": _one_of(*_CAPS)})
_SHADOW = _members(
    {"color": _COLOR, "offsetX": _DIMENSION, "offsetY": _DIMENSION, "blur": _DIMENSION, "spread": _DIMENSION},
    {"inset": _truth},
)

COMPOSITE_TYPES: dict[str, Check] = {
    "fontFamily": lambda value: _families(value) if isinstance(value, list) else "an array of font names is expected",
    "cubicBezier": _bezier,
    "strokeStyle": _stroke,
    "border": _members({"color": _COLOR, "width": _DIMENSION, "style": _stroke}),
    "transition": _members({"duration": _DURATION, "delay": _DURATION, "timingFunction": _bezier}),
    "shadow": _one_or_many(_SHADOW),
    "gradient": _list_of(_members({"color": _COLOR, "position": _number})),
    "typography": _members(
        {
            "fontFamily": _families,
            "fontSize": _DIMENSION,
            "fontWeight": _weight,
            "letterSpacing": _DIMENSION,
            "lineHeight": _number,
        }
    ),
}
"""What checks each type whose values are kept as JSON; ``fontFamily`` is one when it is an array."""
