"""The JSON of a ``$value`` to a literal, checked against its type (dtcg.md sections 3 and 4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.formats.dtcg.colors import color
from tokensync.formats.dtcg.composing import composite
from tokensync.formats.dtcg.composites import COMPOSITE_TYPES
from tokensync.formats.dtcg.faults import BadToken
from tokensync.tokens import Composite, Quantity, float32
from tokensync.tokens.composites import is_number
from tokensync.tokens.weights import AS_TEXT, HEAVIEST, LIGHTEST, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Literal

_DIMENSION_UNITS = ("px", "rem")
_DURATION_UNITS = ("ms", "s")


def literal(token_type: str, value: Any) -> Literal:
    """The literal of a type. Raises BadToken with what does not fit."""
    return _READERS[token_type](value)


def refused(what: str, what_to_do: str, *within: str | int) -> BadToken:
    """The error for a value that does not fit; ``within`` is where in it."""
    return BadToken("token-value", what, what_to_do, ("$value", *within))


_singles: dict[float, float] = {}


def single(number: Any, *within: str | int) -> float:
    """A number as float32; -0 is 0. Raises BadToken for what is no number, or too large for the platform."""
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
