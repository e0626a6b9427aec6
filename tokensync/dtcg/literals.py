"""Literals: reads and writes the JSON of a ``$value`` of each type (DTCG 2025.10, section 8)."""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.colors import color
from tokensync.dtcg.composites import COMPOSITE_TYPES, composite, composite_text
from tokensync.dtcg.layout import Inline, string_text
from tokensync.dtcg.parse import BadToken
from tokensync.dtcg.spelling import is_reference
from tokensync.tokens import Color, Composite, Quantity, channel, normalized, shortest
from tokensync.tokens.composites import is_number
from tokensync.tokens.values import AS_TEXT, HEAVIEST, LIGHTEST, WEIGHTS, name_meant, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Literal, Value


_DIMENSION_UNITS = ("px", "rem")
_DURATION_UNITS = ("ms", "s")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")
_MEASURE = re.compile(rf"({_NUMBER.pattern}) *([a-z%]*)")


def literal(token_type: str, value: Any) -> Literal:
    """Return the literal of a type. Raises BadToken if the value is invalid."""
    return _READERS[token_type](value)


def _invalid(what: str, what_to_do: str, *within: str | int) -> BadToken:
    return BadToken("token-value", what, what_to_do, ("$value", *within))


_singles: dict[float, float] = {}
_LARGEST_MEASURE = 1e300
"""The largest number with a unit: converted to another unit, it is still finite."""


def _number(value: Any, *within: str | int) -> float:
    """Return a number as a graph holds it, and -0 as 0. Raises BadToken for other values, and for digits that get lost.

    Only a plan refuses what the platform cannot store.
    """
    if type(value) is not int and type(value) is not float and not is_number(value):
        is_quoted = isinstance(value, str) and _NUMBER.fullmatch(value)
        raise _invalid("it must be a number", f"write {value[:40]}" if is_quoted else "write a JSON number", *within)
    single = _singles.get(value)
    if single is None:
        try:
            single = normalized(float(value)) + 0.0
        except OverflowError:
            raise _invalid("the number is too large", "write a number from -1.7e308 to 1.7e308", *within) from None
        text = shortest(single)
        if value % 1 == 0 and (int if type(value) is int else float)(text) != value:
            what = f"{value!s:.40} has more digits than a floating-point number, and would become {text[:40]}"
            raise _invalid(what, f"write {text}", *within)
        _singles[value] = single
    return single


def _dimension(value: Any) -> float | Quantity:
    number, unit = _measure(value, _DIMENSION_UNITS)
    return number if unit == "px" else Quantity(number, unit)


def _duration(value: Any) -> Quantity:
    return Quantity(*_measure(value, _DURATION_UNITS))


def _measure(value: Any, units: tuple[str, ...]) -> tuple[float, str]:
    if not isinstance(value, dict) or value.keys() != {"value", "unit"}:
        match = _MEASURE.fullmatch(str(value)) if isinstance(value, str | int | float) else None
        to_do = f'write an object with "value" and "unit", which is {" or ".join(units)}'
        if match is not None and match[2] in ("", *units):
            to_do = f'write {{"value": {match[1]}, "unit": "{match[2] or units[0]}"}}'
        raise _invalid("it must be an object with value and unit", to_do)
    unit = value["unit"]
    if unit not in units:
        raise _invalid(f"the unit must be {' or '.join(units)}", "convert the value to one of these units", "unit")
    number = _number(value["value"], "value")
    if abs(number) > _LARGEST_MEASURE:
        raise _invalid("the number is too large", "write a number from -1e300 to 1e300", "value")
    return number, unit


def _weight(value: Any) -> float:
    if isinstance(value, str):
        if value not in WEIGHTS:
            keyword = name_meant(value).lower().replace(" ", "-")
            to_do = f'write "{keyword}"' if keyword else "write a number from 1 to 1000, or the name of a weight"
            raise _invalid(f"{value[:40]!r} is not a font weight", to_do)
        return float(WEIGHTS[value])
    weight = _number(value)
    if not LIGHTEST <= weight <= HEAVIEST:
        raise _invalid("a font weight must be from 1 to 1000", "write a number in that range")
    return weight


def _string(value: Any) -> str:
    if not isinstance(value, str):
        raise _invalid("it must be a string", "write it in quotes")
    return value


def _boolean(value: Any) -> bool:
    if value is True or value is False:
        return value
    if is_number(value) and value in (0, 1):
        return bool(value)
    raise _invalid("a boolean must be 0 or 1", "write 1 for true and 0 for false")


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
    "boolean": _boolean,
}
PLAIN_READERS: dict[str, Callable[[Any], Literal]] = {
    **{each: reader for each, reader in _READERS.items() if each not in COMPOSITE_TYPES and each != AS_TEXT},
    "fontFamily": _string,
}
"""The readers of types whose values cannot contain references."""


def literal_text(token_type: str, value: Value | None) -> Inline | None:
    """Return the JSON text of a literal; None if DTCG cannot express the value with this type."""
    writer = _WRITERS.get(token_type)
    return None if writer is None else writer(value)


def stand_in(text: str) -> str:
    """Return a similar string that does not look like a reference."""
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


def _boolean_text(value: Value | None) -> Inline | None:
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
    "boolean": _boolean_text,
}
