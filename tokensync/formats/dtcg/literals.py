"""Literals as the text of a ``$value``."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from tokensync.formats.dtcg.composing import composite_text
from tokensync.formats.dtcg.composites import COMPOSITE_TYPES
from tokensync.formats.dtcg.references import is_reference
from tokensync.formats.dtcg.text import Inline, string_text
from tokensync.tokens import Color, Composite, Quantity, channel, shortest
from tokensync.tokens.weights import AS_TEXT, HEAVIEST, LIGHTEST, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Value


def literal_text(token_type: str, value: Value | None) -> Inline | None:
    """The text of a literal; None when a token of this type cannot have the value in DTCG's words."""
    writer = _WRITERS.get(token_type)
    return None if writer is None else writer(value)


def stand_in(text: str) -> str:
    """The nearest string to this one that no reader takes for a reference."""
    return text.replace("{", "%7B", 1)


_colors: dict[Color, Inline | None] = {}


def _color(value: Value | None) -> Inline | None:
    if type(value) is not Color:
        return None
    text = _colors.get(value)
    if text is None and value not in _colors:
        text = _colors[value] = _color_text(value)
    return text


def _color_text(color: Color) -> Inline | None:
    channels = (color.red, color.green, color.blue)
    if not all(0 <= each <= 1 for each in (*channels, color.alpha)):
        return None
    components = ", ".join(map(shortest, channels))
    alpha = "" if color.alpha == 1 else f', "alpha": {shortest(color.alpha)}'
    digits = "".join(f"{channel(each):02x}" for each in channels)
    return Inline(f'{{"colorSpace": "srgb", "components": [{components}]{alpha}, "hex": "#{digits}"}}')


def _number(value: Value | None) -> Inline | None:
    return Inline(shortest(value)) if type(value) is float and isfinite(value) else None


def _dimension(value: Value | None) -> Inline | None:
    if type(value) is float and isfinite(value):
        return Inline(f'{{"value": {shortest(value)}, "unit": "px"}}')
    return _quantity(value, ("rem",))


def _duration(value: Value | None) -> Inline | None:
    return _quantity(value, ("ms", "s"))


def _quantity(value: Value | None, units: tuple[str, ...]) -> Inline | None:
    if type(value) is Quantity and value.unit in units and isfinite(value.number):
        return Inline(f'{{"value": {shortest(value.number)}, "unit": "{value.unit}"}}')
    return None


def _weight(value: Value | None) -> Inline | None:
    return Inline(shortest(value)) if type(value) is float and LIGHTEST <= value <= HEAVIEST else None


def _weight_as_text(value: Value | None) -> Inline | None:
    return _weight(weight_of(value))


def _string(value: Value | None) -> Inline | None:
    return Inline(string_text(value)) if type(value) is str and not is_reference(value) else None


def _family(value: Value | None) -> Inline | None:
    return _string(value) if type(value) is str else _composite("fontFamily", value)


def _truth(value: Value | None) -> Inline | None:
    return Inline("1" if value else "0") if type(value) is bool else None


def _composite(token_type: str, value: Value | None) -> Inline | None:
    return composite_text(token_type, value) if type(value) is Composite else None


def _composite_writer(token_type: str) -> Callable[[Value | None], Inline | None]:
    return lambda value: _composite(token_type, value)


_WRITERS: dict[str, Callable[[Value | None], Inline | None]] = {
    **{each: _composite_writer(each) for each in COMPOSITE_TYPES},
    "color": _color,
    "number": _number,
    "dimension": _dimension,
    "duration": _duration,
    "fontWeight": _weight,
    AS_TEXT: _weight_as_text,
    "fontFamily": _family,
    "string": _string,
    "boolean": _truth,
}
