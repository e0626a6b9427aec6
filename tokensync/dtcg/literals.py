"""Literals: reads and writes the JSON of a ``$value`` of each type (DTCG 2025.10, section 8).

People write values in other notations, too: as CSS, as older drafts of DTCG, or with the name of a font weight. If such
a value can mean only one thing, ``meant`` returns the DTCG value for it.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.colors import Meant, Note, color, meant_color, read_as, srgb_color, srgb_text
from tokensync.dtcg.composites import COMPOSITE_TYPES, composite, composite_text, omissions
from tokensync.dtcg.layout import Inline, inline, string_text
from tokensync.dtcg.parse import BadToken
from tokensync.dtcg.spelling import is_reference
from tokensync.system.wording import shortened
from tokensync.tokens import Color, Composite, Quantity, normalized, shortest, values
from tokensync.tokens.composites import RELATIVE_UNITS, Part, decoded, is_number, parts_of
from tokensync.tokens.values import (
    AS_TEXT,
    HEAVIEST,
    LIGHTEST,
    PIXELS_PER_REM,
    WEIGHTS,
    font_style,
    is_css,
    name_meant,
    weight_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Literal, Value


_DIMENSION_UNITS = ("px", "rem")
_DURATION_UNITS = ("ms", "s")
_UNITS = {"dimension": _DIMENSION_UNITS, "duration": _DURATION_UNITS}
_UNIT_NAMES = {
    "pixel": "px",
    "pixels": "px",
    "rems": "rem",
    "msec": "ms",
    "millisecond": "ms",
    "milliseconds": "ms",
    "sec": "s",
    "secs": "s",
    "second": "s",
    "seconds": "s",
}
_NUMBER = re.compile(r"[+-]?(?:[0-9]{1,40}(?:\.[0-9]{0,40})?|\.[0-9]{1,40})")
_MEASURE = re.compile(rf"({_NUMBER.pattern}) *([A-Za-z%]*)")
_DECIMAL_COMMA = re.compile(r"([+-]?[0-9]{1,40}),([0-9]{1,40})( *[A-Za-z%]*)")
_PIXELS = {"dp": 1.0, "dip": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4}
"""The pixels of absolute units (CSS Values 4, section 6.2; DTCG, section 8.2)."""
_SECONDS = {"min": 60, "h": 3600}
_BOOLEANS = {"true": 1, "false": 0, "1": 1, "0": 0}
_CURVE = re.compile(r"cubic-bezier\(([^()]{1,200})\)", re.IGNORECASE)
_CURVES = {
    "linear": [0, 0, 1, 1],
    "ease": [0.25, 0.1, 0.25, 1],
    "ease-in": [0.42, 0, 1, 1],
    "ease-out": [0, 0, 0.58, 1],
    "ease-in-out": [0.42, 0, 0.58, 1],
}
"""The control points of CSS's keywords (CSS Easing 1, section 2.2)."""


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
        raise _invalid(f"{_shown(value)} is not a number", _number_advice(value), *within)
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


def _shown(value: Any) -> str:
    return shortened(inline(value))


def _number_advice(value: Any) -> str:
    numbers = _with_decimal_points(value)
    if numbers:
        return f"write {' or '.join(numbers)}"
    parts = _parts_of_measure(value)
    if parts is None:
        return "write a JSON number"
    number, unit = parts
    if unit == "%":
        fraction = shortest(float(number) / 100)
        return (
            f"write {fraction} for a fraction, or {inline(number)} for a percentage" if number else f"write {fraction}"
        )
    fitting = next((each for each, units in _UNITS.items() if unit in units), "")
    return f"write {inline(number)}" + (f', or set "$type" to "{fitting}"' if fitting else "")


def _dimension(value: Any) -> float | Quantity:
    number, unit = _measure(value, _DIMENSION_UNITS)
    return number if unit == "px" else Quantity(number, unit)


def _duration(value: Any) -> Quantity:
    return Quantity(*_measure(value, _DURATION_UNITS))


def _measure(value: Any, units: tuple[str, ...]) -> tuple[float, str]:
    if not isinstance(value, dict) or value.keys() != {"value", "unit"}:
        to_do = f'write an object with "value" and "unit", which is {" or ".join(units)}'
        advice = [
            _measure_advice(*parts, units)
            for each in (value, *_with_decimal_points(value))
            if (parts := _parts_of_measure(each)) is not None
        ] or [_measure_advice(*parts, units) for parts in _likely_measures(value, units)]
        if advice:
            to_do = " or ".join([advice[0], *(each.removeprefix("write ") for each in advice[1:])])
        what = "has no unit" if is_number(value) else "is not an object with value and unit"
        raise _invalid(f"{_shown(value)} {what}", to_do)
    unit = value["unit"]
    if not is_number(value["value"]) and (likely := _likely_measures(value, units)):
        what = "has two units" if len(likely) > 1 else "is not an object with a number and its unit"
        raise _invalid(f"{_shown(value)} {what}", f"write {' or '.join(_measure_text(*each) for each in likely)}")
    number = _number(value["value"], "value")
    if unit not in units:
        to_do = _measure_advice(number, unit if isinstance(unit, str) else "", units)
        raise _invalid(f"the unit must be {' or '.join(units)}", to_do, "unit")
    if abs(number) > _LARGEST_MEASURE:
        raise _invalid("the number is too large", "write a number from -1e300 to 1e300", "value")
    return number, unit


def _parts_of_measure(value: Any) -> tuple[float, str] | None:
    """Return the number and the unit of a text such as ``14px``, of a number, or of an object with texts.

    The unit is empty if there is none. Return None for other values, and for an object with two units.
    """
    if isinstance(value, dict):
        members = {name.lower(): each for name, each in value.items()}
        parts = _parts_of_measure(members["value"]) if "value" in members else None
        unit = members.get("unit")
        is_odd = len(members) != len(value) or not members.keys() <= {"value", "unit"}
        if parts is None or is_odd or isinstance(members["value"], dict) or not isinstance(unit, str | None):
            return None
        unit = _unit(unit or "")
        return None if parts[1] and unit and parts[1] != unit else (parts[0], parts[1] or unit)
    if is_number(value):
        return value, ""
    match = _MEASURE.fullmatch(value.strip()) if isinstance(value, str) else None
    return None if match is None else (_plain(match[1]), _unit(match[2]))


def _unit(text: str) -> str:
    return _UNIT_NAMES.get(text.strip().lower(), text.strip().lower())


def _likely_measures(value: Any, units: tuple[str, ...]) -> list[tuple[float, str]]:
    """Return the number that an object or array of another form contains, with each of its units."""
    members = [*value.items()] if isinstance(value, dict) else [*enumerate(value)] if isinstance(value, list) else []
    members = [each for each in members if each[0] in ("value", "unit")] or members
    found = [parts for _, each in members if (parts := _parts_of_measure(each)) is not None]
    names = [_unit(text) for member in members for text in member if isinstance(text, str)]
    own_units = dict.fromkeys(each for each in (*(unit for _, unit in found), *names) if each in units)
    if len({number for number, _ in found}) != 1:
        return []
    return [(found[0][0], unit) for unit in own_units or [""]]


def _with_decimal_points(value: Any) -> tuple[str, ...]:
    """Return what a text with a decimal comma means; three digits after the comma may also be part of thousands."""
    match = _DECIMAL_COMMA.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        return ()
    whole, digits, unit = match.groups()
    thousands = (f"{whole}{digits}{unit}",) if len(digits) == 3 and whole.lstrip("+-0") else ()
    return (f"{whole}.{digits}{unit}", *thousands)


def _plain(text: Any) -> Any:
    """Return the number of a decimal text, as an integer if it is whole; None for other values."""
    if not isinstance(text, str) or _NUMBER.fullmatch(text.strip()) is None:
        return None
    number = float(text)
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _measure_advice(number: float, unit: str, units: tuple[str, ...]) -> str:
    """Return what to write for a number with a unit that DTCG does not have, or without one."""
    if unit in units or not unit:
        return f"write {' or '.join(_measure_text(number, each) for each in ((unit,) if unit else units))}"
    if units == _DIMENSION_UNITS and unit in _PIXELS:
        return f"write {_measure_text(round(number * _PIXELS[unit], 4), 'px')}, which is the same length"
    if units == _DURATION_UNITS and unit in _SECONDS:
        return f"write {_measure_text(number * _SECONDS[unit], 's')}, which is the same duration"
    written = f"{shortest(float(number))}{unit[:20]}"
    if units == _DIMENSION_UNITS and unit in ("em", "%"):
        ems = number if unit == "em" else number / 100
        pixels = _measure_text(round(ems * PIXELS_PER_REM, 4), "px")
        depends = f"the length of {written} depends on the element that it is used for"
        if unit == "em":
            depends += f": at the usual font size of 16 px it is {pixels}"
        return f"write a length in {' or '.join(units)}; {depends}"
    return f"write it in {' or '.join(units)}; {written} has no fixed equivalent"


def _measure_text(number: float, unit: str) -> str:
    return inline({"value": number, "unit": unit})


def _weight(value: Any) -> float:
    if isinstance(value, str):
        if value not in WEIGHTS:
            raise _invalid(f"{_shown(value)} is not a font weight", _weight_advice(value))
        return float(WEIGHTS[value])
    weight = _number(value)
    if not LIGHTEST <= weight <= HEAVIEST:
        to_do = f"write a number in that range; the closest is {shortest(min(max(weight, LIGHTEST), HEAVIEST))}"
        raise _invalid("a font weight must be from 1 to 1000", to_do)
    return weight


def _weight_advice(text: str) -> str:
    style = font_style(text)
    if style is not None and style.slant:
        return f"write {shortest(style.weight)}: {style.slant} is not part of a weight"
    keyword = name_meant(text).lower().replace(" ", "-")
    return f'write "{keyword}"' if keyword else "write a number from 1 to 1000, or the name of a weight"


def _string(value: Any) -> str:
    if not isinstance(value, str):
        to_do = f"write {string_text(inline(value))}" if is_number(value) or isinstance(value, bool) else "write a text"
        raise _invalid("it must be a string", to_do)
    return value


def _css(value: Any) -> str:
    if not isinstance(value, str) or not is_css(value):
        what = "it must be keywords, numbers and functions of CSS, without quotation marks and url()"
        raise _invalid(what, 'correct it, or write "$type": "string" if it is a text')
    return value


def _boolean(value: Any) -> bool:
    if value is True or value is False:
        return value
    if is_number(value) and value in (0, 1):
        return bool(value)
    meant = {"yes": 1, "on": 1, "no": 0, "off": 0}.get(value.strip().lower()) if isinstance(value, str) else None
    to_do = "write 1 for true and 0 for false" if meant is None else f"write {meant}"
    raise _invalid("a boolean must be 0 or 1", to_do)


def _family(value: Any) -> str | Composite:
    return value if isinstance(value, str) else composite("fontFamily", value)


def meant(token_type: str, value: Any, locked: Callable[[], Value | None] | None = lambda: None) -> Meant | None:
    """Return the DTCG value that another notation means; None for a DTCG value, and if there is no obvious meaning.

    ``locked`` returns the last synchronised value, which decides between the parts of a colour; it is None for files of
    other makers. Raises BadToken for a value that, next to this one, could mean two things.
    """
    match token_type:
        case "color":
            return meant_color(value, locked)
        case "cubicBezier" | "fontFamily":
            pass
        case _ if token_type in COMPOSITE_TYPES:
            return _meant_composite(token_type, value, locked)
    if token_type in _UNITS:
        return _meant_measure(value, _UNITS[token_type], locked)
    found = _meant_plain(token_type, value)
    if found is None:
        return None
    return Meant(found, (Note("token-notation", (), read_as(value, found)),))


def _meant_measure(value: Any, units: tuple[str, ...], locked: Callable[[], Value | None] | None) -> Meant | None:
    """Return the number and the unit that a text such as ``14px`` means, or a number without a unit.

    Such a number has the unit of the last synchronised value. Otherwise a length is in px, as in older drafts of DTCG
    and in design files, unless the same number in rem is closer to that value: then the unit is in doubt. A duration
    has no usual unit. Raises BadToken if the unit is in doubt.
    """
    parts = _parts_of_measure(value)
    if parts is None:
        return None
    number, unit = parts
    why, is_kept = "", True
    if not unit:
        before = locked() if number and locked is not None else None
        if type(before) is Quantity and before.unit in units:
            unit, why = before.unit, f", because it was in {before.unit}"
            is_kept = False  # without this lock, it would have another unit
        elif number == 0 or units == _DIMENSION_UNITS:
            unit = units[0]
            if type(before) is float and abs(number * PIXELS_PER_REM - before) < abs(number - before):
                rem, px = (_measure_text(number, each) for each in ("rem", "px"))
                what = f"{_shown(value)} has no unit, and {rem} is closer than {px} to the value in the lock, "
                raise _invalid(f"{what}{shortest(before)} px", f"write {rem} or {px}")
    found = {"value": number, "unit": unit}
    if unit not in units or (found == value and is_number(value["value"])):
        return None
    return Meant(found, (Note("token-notation", (), f"{read_as(value, found)}{why}"),), is_kept)


_TYPES_BY_FORM = ("color", "dimension", "duration", "cubicBezier", "shadow", "border", "typography", "transition")


def type_of_form(value: Any) -> str | None:
    """Return the only type of which a value without a type can be, to advise it; None if there is none or several."""
    if isinstance(value, bool):
        return "boolean"
    if is_number(value) or (isinstance(value, str) and (value.isalpha() or _plain(value) is not None)):
        return None
    for token_type in _TYPES_BY_FORM:
        try:
            found = meant(token_type, value)
            value_of_type = value if found is None else found.value
            literal(token_type, value_of_type)
            if not any(omissions(token_type, value_of_type)):
                return token_type
        except (BadToken, ValueError, RecursionError):
            continue
    return None


def missing_type_advice(value: Any) -> str:
    """Return what to do about a value without a type."""
    likely = type_of_form(value)
    return f'give it "$type": "{likely}"' if likely else 'give it a "$type"'


def has_meaning(token_type: str, text: str, value: Value | None) -> bool:
    """Return whether a text is the JSON of this value, in any notation."""
    try:
        tree = decoded(text)
        found = meant(token_type, tree)
        result = literal(token_type, tree if found is None else found.value)
    except (ValueError, RecursionError, BadToken):
        return False
    if token_type == AS_TEXT:
        return result == weight_of(value)
    return result == value or (type(result) is Composite and type(value) is Composite and result.json == value.json)


def _meant_plain(token_type: str, value: Any) -> Any:
    """Return the value of a type without parts or units that a text means; None if there is none."""
    match token_type:
        case "number":
            return _plain(value)
        case "fontWeight" | values.AS_TEXT:
            style = font_style(value) if isinstance(value, str) and value not in WEIGHTS else None
            return None if style is None or style.slant else _plain(shortest(style.weight))
        case "boolean":
            return _BOOLEANS.get(value.strip().lower()) if isinstance(value, str) else None
        case "cubicBezier":
            return _curve(value)
    return None


def _curve(value: Any) -> list[Any] | None:
    if not isinstance(value, str):
        return None
    text = value.strip().lower()
    match = _CURVE.fullmatch(text)
    numbers: Any = [_plain(each) for each in match[1].split(",")] if match else _CURVES.get(text, [])
    return numbers if len(numbers) == 4 and None not in numbers else None


def _meant_composite(token_type: str, value: Any, locked: Callable[[], Value | None] | None) -> Meant | None:
    """Return the composite with parts in other notations replaced; None if there are none."""
    from copy import deepcopy

    notes: list[Note] = []
    of_part: Callable[[], Value | None] | None = None if locked is None else lambda: None  # the lock has no composites
    try:
        tree = deepcopy(value)
        for part in (*parts_of(token_type, value),) if isinstance(value, dict | list) else ():
            found = _meant_part(part, of_part) if part.reference is None and part.path else None
            if found is not None:
                inner = tree
                for step in part.path[:-1]:
                    inner = inner[step]
                inner[part.path[-1]] = found.value
                notes += (each._replace(within=(*part.path, *each.within)) for each in found.notes)
    except RecursionError:
        return None
    return Meant(tree, tuple(notes)) if notes else None


def _meant_part(part: Part, locked: Callable[[], Value | None] | None) -> Meant | None:
    """Return what ``meant`` does for a part of a composite, which may also be relative to the font size."""
    number, unit = _parts_of_measure(part.json) or (0, "")
    found: Any = {"value": number, "unit": unit}
    if unit not in RELATIVE_UNITS or (part.path[-1] != "lineHeight" and part.type != "dimension"):
        return meant(part.type, part.json, locked)
    if part.path[-1] == "lineHeight":
        found = _plain(shortest(number / (100 if unit == "%" else 1)))
    return None if found == part.json else Meant(found, (Note("token-notation", (), read_as(part.json, found)),))


def _composite_reader(token_type: str) -> Callable[[Any], Composite]:
    def read(value: Any) -> Composite:
        try:
            return composite(token_type, value)
        except BadToken as error:
            raise _error_of_part(token_type, value, error) from None

    return read


def _error_of_part(token_type: str, value: Any, error: BadToken) -> BadToken:
    """Return the error of the part that makes a composite invalid, with advice for it; else the composite's error."""
    if token_type in ("cubicBezier", "fontFamily"):
        return error
    for part in parts_of(token_type, value):
        if part.reference is None and error.what.startswith(f"invalid {token_type}: {part.path[-1]}: "):
            try:
                literal(part.type, part.json)
            except BadToken as of_part:
                if part.type == "number":
                    of_part.what_to_do = _part_number_advice(value, part.path[-1], part.json)
                of_part.within = ("$value", *part.path, *of_part.within[1:])
                return of_part
    return error


def _part_number_advice(composite_value: Any, name: str | int, value: Any) -> str:
    """Return what to write for a part of a composite that must be a number, and is not."""
    number, unit = _parts_of_measure(value) or (None, "")
    if name == "position" and number is not None and unit == "%":
        return f"write {shortest(number / 100)}"
    if name != "lineHeight":
        return _number_advice(value).partition(", or set ")[0]
    size, size_unit = _parts_of_measure(composite_value.get("fontSize")) or (None, "")
    if number is None or not unit:
        return "write a number, the multiple of fontSize" if number is None else f"write {inline(number)}"
    if size and unit == size_unit:
        return f"write {shortest(round(number / size, 4))}, because a lineHeight is a multiple of fontSize"
    return "divide it by the font size: a lineHeight is a multiple of fontSize"


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
    "css": _css,
}
PLAIN_READERS: dict[str, Callable[[Any], Literal]] = {
    **{each: reader for each, reader in _READERS.items() if each not in COMPOSITE_TYPES and each != AS_TEXT},
    "color": srgb_color,
    "fontFamily": _string,
}
"""The readers of types whose values cannot contain references, for values that a pull writes in the same form."""


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
        text = _colors[value] = srgb_text(value)
    return text


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
    "css": _string_text,
}
