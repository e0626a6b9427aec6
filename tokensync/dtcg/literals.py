"""Literals: the JSON of a ``$value``, checked against its type (DTCG 2025.10, section 8), and its text."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.colors import color
from tokensync.dtcg.composites import COMPOSITE_TYPES, composite, composite_text
from tokensync.dtcg.layout import Inline, string_text
from tokensync.dtcg.parse import BadToken
from tokensync.dtcg.spelling import is_reference
from tokensync.tokens import Color, Composite, Quantity, channel, float32, shortest
from tokensync.tokens.composites import is_number
from tokensync.tokens.values import AS_TEXT, HEAVIEST, LIGHTEST, WEIGHTS, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Literal, Value


_DIMENSION_UNITS = ("px", "rem")
_DURATION_UNITS = ("ms", "s")


def literal(token_type: str, value: Any) -> Literal:
    """Return the literal of a type. Raises BadToken with what does not fit."""
    return _READERS[token_type](value)


def refused(what: str, what_to_do: str, *within: str | int) -> BadToken:
    """Return the error for a value that does not fit; ``within`` is where in it."""
    return BadToken("token-value", what, what_to_do, ("$value", *within))


_singles: dict[float, float] = {}


def single(number: Any, *within: str | int) -> float:
    """Return a number as float32; -0 is 0. Raises BadToken for what is no number, or too large for the platform."""
    if type(number) is not int and type(number) is not float and not is_number(number):
        raise refused("a number is expected", "write a JSON number, without quotes", *within)
    known = _singles.get(number)
    if known is None:
        try:
            known = _singles[number] = float32(float(number)) + 0.0
        except OverflowError:
            raise refused("the number is too large", "write a number up to 3.4e38", *within) from None
    return known


def _number(value: Any) -> float:
    return single(value)


def _dimension(value: Any) -> float | Quantity:
    number, unit = _measure(value, _DIMENSION_UNITS, '{"value": 16, "unit": "px"}')
    return number if unit == "px" else Quantity(number, unit)


def _duration(value: Any) -> Quantity:
    return Quantity(*_measure(value, _DURATION_UNITS, '{"value": 200, "unit": "ms"}'))


def _measure(value: Any, units: tuple[str, ...], example: str) -> tuple[float, str]:
    if not isinstance(value, dict) or value.keys() != {"value", "unit"}:
        raise refused("an object with value and unit is expected", f"write {example}")
    unit = value["unit"]
    if unit not in units:
        raise refused(f"the unit is to be {' or '.join(units)}", f"write {example}", "unit")
    return single(value["value"], "value"), unit


def _weight(value: Any) -> float:
    if isinstance(value, str):
        if value not in WEIGHTS:
            raise refused(f"{value[:40]!r} is no font weight", "write a number from 1 to 1000, or a name such as bold")
        return float(WEIGHTS[value])
    weight = single(value)
    if not LIGHTEST <= weight <= HEAVIEST:
        raise refused("a font weight is from 1 to 1000", "write a number in that range")
    return weight


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise refused("a string is expected", "write it in quotes")
    return value


def _truth(value: Any) -> bool:
    if value is True or value is False:
        return value
    if is_number(value) and value in (0, 1):
        return bool(value)
    raise refused("a boolean is 0 or 1", "write 1 for true and 0 for false")


def _family(value: Any) -> str | Composite:
    return value if isinstance(value, str) else composite("fontFamily", value)


def _composite_reader(token_type: str) -> Callable[[Any], Composite]:
    return lambda value: composite(token_type, value)


_READERS: dict[str, Callable[[Any], Literal]] = {
    **{each: _composite_reader(each) for each in COMPOSITE_TYPES},
    "color": color,
    "number": _number,
    "dimension": _dimension,
    "duration": _duration,
    "fontWeight": _weight,
    AS_TEXT: _weight,
    "fontFamily": _family,
    "string": _string,
    "boolean": _truth,
}
PLAIN_READERS: dict[str, Callable[[Any], Literal]] = {
    **{each: reader for each, reader in _READERS.items() if each not in COMPOSITE_TYPES and each != AS_TEXT},
    "fontFamily": _string,
}
"""What reads the literals of types without parts; each raises BadToken as `literal` does."""


def literal_text(token_type: str, value: Value | None) -> Inline | None:
    """Return the text of a literal; None when a token of this type cannot have the value in DTCG's words."""
    writer = _WRITERS.get(token_type)
    return None if writer is None else writer(value)


def stand_in(text: str) -> str:
    """Return the nearest string to this one that no reader takes for a reference."""
    return text.replace("{", "%7B", 1)


_colors: dict[Color, Inline | None] = {}


def _color_text(value: Value | None) -> Inline | None:
    if type(value) is not Color:
        return None
    text = _colors.get(value)
    if text is None and value not in _colors:
        text = _colors[value] = _srgb_text(value)
    return text


def _srgb_text(color: Color) -> Inline | None:
    channels = (color.red, color.green, color.blue)
    if not all(0 <= each <= 1 for each in (*channels, color.alpha)):
        return None
    components = ", ".join(map(shortest, channels))
    alpha = "" if color.alpha == 1 else f', "alpha": {shortest(color.alpha)}'
    digits = "".join(f"{channel(each):02x}" for each in channels)
    return Inline(f'{{"colorSpace": "srgb", "components": [{components}]{alpha}, "hex": "#{digits}"}}')


def _number_text(value: Value | None) -> Inline | None:
    return Inline(shortest(value)) if type(value) is float and isfinite(value) else None


def _dimension_text(value: Value | None) -> Inline | None:
    if type(value) is float and isfinite(value):
        return Inline(f'{{"value": {shortest(value)}, "unit": "px"}}')
    return _quantity_text(value, ("rem",))


def _duration_text(value: Value | None) -> Inline | None:
    return _quantity_text(value, ("ms", "s"))


def _quantity_text(value: Value | None, units: tuple[str, ...]) -> Inline | None:
    if type(value) is Quantity and value.unit in units and isfinite(value.number):
        return Inline(f'{{"value": {shortest(value.number)}, "unit": "{value.unit}"}}')
    return None


def _weight_text(value: Value | None) -> Inline | None:
    return Inline(shortest(value)) if type(value) is float and LIGHTEST <= value <= HEAVIEST else None


def _weight_as_text(value: Value | None) -> Inline | None:
    return _weight_text(weight_of(value))


def _string_text(value: Value | None) -> Inline | None:
    return Inline(string_text(value)) if type(value) is str and not is_reference(value) else None


def _family_text(value: Value | None) -> Inline | None:
    return _string_text(value) if type(value) is str else _composite_text("fontFamily", value)


def _truth_text(value: Value | None) -> Inline | None:
    return Inline("1" if value else "0") if type(value) is bool else None


def _composite_text(token_type: str, value: Value | None) -> Inline | None:
    return composite_text(token_type, value) if type(value) is Composite else None


def _composite_writer(token_type: str) -> Callable[[Value | None], Inline | None]:
    return lambda value: _composite_text(token_type, value)


_WRITERS: dict[str, Callable[[Value | None], Inline | None]] = {
    **{each: _composite_writer(each) for each in COMPOSITE_TYPES},
    "color": _color_text,
    "number": _number_text,
    "dimension": _dimension_text,
    "duration": _duration_text,
    "fontWeight": _weight_text,
    AS_TEXT: _weight_as_text,
    "fontFamily": _family_text,
    "string": _string_text,
    "boolean": _truth_text,
}
