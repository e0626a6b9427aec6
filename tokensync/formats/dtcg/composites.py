"""The shapes of values that DTCG builds from other values and the platform has no form for (dtcg.md section 3).

Each check tells what is wrong, or None. A reference passes wherever a whole part may be one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tokensync.tokens.composites import CAPS, STROKES, is_number, reference_of
from tokensync.tokens.weights import HEAVIEST, LIGHTEST, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Callable

    Check = Callable[[Any], "str | None"]

_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_DEEPEST_VALUE = 64
_LARGEST = 3.4e38  # a little below the largest float32


def fault_of(token_type: str, value: Any) -> str | None:
    """What keeps a value from being one of this composite type, or None."""
    if _depth(value) > _DEEPEST_VALUE:
        return "it is nested too deep"
    return COMPOSITE_TYPES[token_type](value)


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
            if (fault := known[name](part)) is not None:
                return f"{name}: {fault}"
        return None

    return check


def _parts(required: dict[str, Check], optional: dict[str, Check] | None = None) -> Check:
    """Members of which each may be a reference."""
    return _members(
        {name: _or_reference(check) for name, check in required.items()},
        {name: _or_reference(check) for name, check in (optional or {}).items()},
    )


def _or_reference(check: Check) -> Check:
    return lambda value: None if reference_of(value) is not None else check(value)


def _number(value: Any) -> str | None:
    if not is_number(value):
        return "a number is expected"
    return None if -_LARGEST <= value <= _LARGEST else "a number up to 3.4e38 is expected"


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
        return next((fault for each in value if (fault := check(each)) is not None), None)

    return check_all


def _component(value: Any) -> str | None:
    return None if value == "none" or is_number(value) else 'a number or "none" is expected'


def _weight(value: Any) -> str | None:
    fits = (isinstance(value, str) and value in WEIGHTS) or (is_number(value) and LIGHTEST <= value <= HEAVIEST)
    return None if fits else "a weight from 1 to 1000 or its name is expected"


def _families(value: Any) -> str | None:
    if isinstance(value, str):
        return None
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        return "a font name or an array of font names is expected"
    if any(reference_of(each) is not None for each in value):
        return "a reference stands for all of the fonts, not for one in an array"
    return None


def _bezier(value: Any) -> str | None:
    if not isinstance(value, list) or len(value) != 4 or any(_number(each) is not None for each in value):
        return "four numbers are expected"
    return None if 0 <= value[0] <= 1 and 0 <= value[2] <= 1 else "both x are to be from 0 to 1"


def _one_or_many(check: Check) -> Check:
    many = _list_of(_or_reference(check))
    return lambda value: many(value) if isinstance(value, list) else check(value)


def _stop(value: Any) -> str | None:
    if reference_of(value) is not None:  # DTCG says both that it is one stop and that a gradient is an array
        return "a reference cannot stand for a stop, only for its color and its position"
    return _STOP(value)


def _stroke(value: Any) -> str | None:
    return _DASHES(value) if isinstance(value, dict) else _one_of(*STROKES)(value)


_COLOR = _members(
    {"colorSpace": _one_of("srgb", "srgb-linear", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020", "xyz-d65",
                           "xyz-d50", "hsl", "hwb", "lab", "lch", "oklab", "oklch"),
     "components": _list_of(_component, 3)},
    {"alpha": _share, "hex": _hex},
)  # fmt: skip
_DIMENSION = _members({"value": _number, "unit": _one_of("px", "rem")})
_DURATION = _members({"value": _number, "unit": _one_of("ms", "s")})
_DASHES = _members({"dashArray": _list_of(_or_reference(_DIMENSION)), "lineCap": _one_of(*CAPS)})
_STOP = _parts({"color": _COLOR, "position": _number})
_SHADOW = _parts(
    {"color": _COLOR, "offsetX": _DIMENSION, "offsetY": _DIMENSION, "blur": _DIMENSION, "spread": _DIMENSION},
    {"inset": _truth},
)

COMPOSITE_TYPES: dict[str, Check] = {
    "fontFamily": lambda value: _families(value) if isinstance(value, list) else "an array of font names is expected",
    "cubicBezier": _bezier,
    "strokeStyle": _stroke,
    "border": _parts({"color": _COLOR, "width": _DIMENSION, "style": _stroke}),
    "transition": _parts({"duration": _DURATION, "delay": _DURATION, "timingFunction": _bezier}),
    "shadow": _one_or_many(_SHADOW),
    "gradient": _list_of(_stop),
    "typography": _parts(
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
