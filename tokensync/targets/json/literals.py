"""Values as JSON text after ``"value":``, followed by ``"unit":`` for a number with a unit."""

from __future__ import annotations

import json
import re
from json.encoder import encode_basestring
from math import isfinite
from typing import TYPE_CHECKING, Any

from tokensync.generate import notation
from tokensync.generate.composites import (
    TYPES,
    Border,
    CubicBezier,
    Gradient,
    Shadow,
    StrokeStyle,
    Transition,
    Typography,
    composite,
)
from tokensync.tokens import Color, Composite, Quantity, hexadecimal, normalized, shortest
from tokensync.tokens.composites import decoded

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.generate.composites import Length, Typed
    from tokensync.tokens import Literal

    Convert = Callable[[Literal], str | None]

UNREPRESENTABLE = re.compile("(?!)")
"""A pattern without matches: JSON strings can contain any text."""


def text(value: Any) -> str:
    """Return a value as JSON on one line; unprintable characters are escaped."""
    written = encode_basestring(value) if type(value) is str else _encoded(value)
    if written.isprintable():
        return written
    return "".join(each if each.isprintable() else json.dumps(each)[1:-1] for each in written)


_encoded = json.JSONEncoder(ensure_ascii=False).encode


def components(color: Color) -> dict[str, Any]:
    """Return the exact components of a colour, with the alpha unless it is opaque."""
    space, *exact = color.wide.split() if color.wide else ("srgb",)
    channels = [float(each) for each in exact] or [color.red, color.green, color.blue]
    members: dict[str, Any] = {"colorSpace": space, "components": [number(each) for each in channels]}
    return members if color.alpha == 1 else {**members, "alpha": number(color.alpha)}


def number(value: float) -> int | float:
    """Return the shortest decimal of a float32."""
    written = shortest(value)
    return float(written) if "." in written else int(written)


def measure(value: Literal) -> str | None:
    """Return a number of pixels, or a quantity in its own unit."""
    quantity = value if type(value) is Quantity else Quantity(value, "px") if type(value) is float else None
    if quantity is None or not isfinite(quantity.number):
        return None
    return f'{shortest(normalized(quantity.number))}, "unit": {text(quantity.unit)}'


def duration(value: Literal) -> str | None:
    """Return a quantity in ms or s."""
    return measure(value) if type(value) is Quantity and value.unit in ("ms", "s") else None


def string(value: Literal) -> str | None:
    """Return a text as a string."""
    return text(value) if type(value) is str else None


def families(value: Literal) -> str | None:
    """Return a list of font families."""
    names = notation.families(value)
    return None if names is None else text(names)


def literals(*, exact: bool) -> dict[str, Convert]:
    """Return the functions that write literals, by kind; colours have exact components or are hexadecimal."""
    of_color: Callable[[Color], Any] = components if exact else hexadecimal
    return {
        "color": lambda value: text(of_color(value)) if type(value) is Color else None,
        "dimension": measure,
        "number": notation.decimal,
        "percentage": notation.share,
        "string": string,
        "family": families,
        "boolean": notation.boolean,
        "duration": duration,
        **{each: _composite(each, of_color) for each in TYPES},
        "other": _unchanged,
    }


def _unchanged(value: Literal) -> str | None:
    return text(decoded(value.json)) if type(value) is Composite else None


def _composite(dtcg_type: str, of_color: Callable[[Color], Any]) -> Convert:
    """Return a function that writes a composite of this type by its parts; a malformed one is written unchanged."""

    def converted(value: Literal) -> str | None:
        if type(value) is not Composite:
            return None
        typed = composite(value, dtcg_type)
        return _unchanged(value) if typed is None else text(_parts(typed, of_color))

    return converted


def _parts(value: Typed, of_color: Callable[[Color], Any]) -> Any:
    match value:
        case Shadow(layers=layers):
            return [
                {
                    "color": of_color(each.color),
                    "offsetX": _length(each.offset_x),
                    "offsetY": _length(each.offset_y),
                    "blur": _length(each.blur),
                    "spread": _length(each.spread),
                    "inset": each.inset,
                }
                for each in layers
            ]
        case Border(color=color, width=width, style=style):
            return {"color": of_color(color), "width": _length(width), "style": _parts(style, of_color)}
        case StrokeStyle(keyword=keyword, dashes=dashes, cap=cap):
            return keyword or {"dashArray": [_length(each) for each in dashes], "lineCap": cap}
        case Typography():
            return {
                "fontFamily": list(value.families),
                "fontSize": _length(value.size),
                "fontWeight": number(value.weight),
                "letterSpacing": _length(value.letter_spacing),
                "lineHeight": number(value.line_height),
            }
        case Gradient(stops=stops):
            return [{"color": of_color(each.color), "position": number(each.position)} for each in stops]
        case Transition(duration=duration, delay=delay, timing=timing):
            return {
                "duration": _quantity(duration),
                "delay": _quantity(delay),
                "timingFunction": _parts(timing, of_color),
            }
        case CubicBezier(x1=x1, y1=y1, x2=x2, y2=y2):
            return [number(each) for each in (x1, y1, x2, y2)]


def _length(value: Length) -> dict[str, Any]:
    return _quantity(value if isinstance(value, Quantity) else Quantity(value, "px"))


def _quantity(value: Quantity) -> dict[str, Any]:
    return {"value": number(value.number), "unit": value.unit}
