"""Literals: reads and writes the JSON of a ``$value`` of each type (DTCG 2025.10, section 8).

People write values in other notations, too: as CSS, as older drafts of DTCG, or with the name of a font weight. If such
a value can mean only one thing, ``meant`` returns the DTCG value for it.

Variables do not support composites, so they are stored as JSON. A ``Check`` returns what is wrong with a value, or
None. A part may be a reference if it is replaced as a whole.
"""

from __future__ import annotations

import re
from functools import partial
from math import isfinite
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.colors import Meant, Note, color, invalid, meant_color, read_as, shown, srgb_color, srgb_text
from tokensync.dtcg.document import Targets, without_pointers
from tokensync.dtcg.layout import Inline, inline, string_text
from tokensync.dtcg.parse import BadToken
from tokensync.dtcg.spelling import ROOT, is_reference, path_of_pointer
from tokensync.system.wording import mistyped
from tokensync.tokens import Color, Composite, Literal, Quantity, TokenKey, Value, normalized, shortest, values
from tokensync.tokens.composites import (
    CAPS,
    GRADIENT,
    LINE_HEIGHT,
    MEMBERS,
    OPTIONAL,
    STROKES,
    Part,
    canonical,
    decoded,
    fits,
    fitting,
    is_number,
    parts_of,
    plain_numbers,
    reference_of,
)
from tokensync.tokens.values import (
    AS_TEXT,
    HEAVIEST,
    KEYWORDS,
    LENGTHS,
    LIGHTEST,
    PIXELS_PER_REM,
    RELATIVE_UNITS,
    WEIGHTS,
    font_style,
    is_css,
    name_meant,
    weight_of,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterator, Mapping, Sequence

    from tokensync.system.positions import Pointer

    Check = Callable[[Any], "str | None"]


_DEEPEST_VALUE = 64
_LARGEST = 3.4e38  # a little below the largest float32


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


def _members(known: dict[str, Check]) -> Check:
    def check(value: Any) -> str | None:
        if not isinstance(value, dict) or value.keys() != known.keys():
            return f"it must be an object with {', '.join(known)}"
        return next(
            (f"{name}: {text}" for name, part in value.items() if (text := known[name](part)) is not None), None
        )

    return check


def _parts(checks: dict[str, Check]) -> Check:
    """Return a check of an object whose members may each be a reference; ``omissions`` reports the missing ones."""

    def check(value: Any) -> str | None:
        if not isinstance(value, dict) or not value.keys() & checks.keys():
            return f"it must be an object with {', '.join(checks)}"
        pairs = ((name, part) for name, part in value.items() if name in checks and reference_of(part) is None)
        return next((f"{name}: {text}" for name, part in pairs if (text := checks[name](part)) is not None), None)

    return check


def _or_reference(check: Check) -> Check:
    return lambda value: None if reference_of(value) is not None else check(value)


def _number_problem(value: Any) -> str | None:
    if not is_number(value):
        return "it must be a number"
    return None if -_LARGEST <= value <= _LARGEST else "it must be a number from -3.4e38 to 3.4e38"


def _one_of(*words: str) -> Check:
    return lambda value: None if value in words and isinstance(value, str) else f"it must be one of {', '.join(words)}"


def _list_of(check: Check) -> Check:
    def check_all(value: Any) -> str | None:
        if not isinstance(value, list) or not value:
            return "it must be a non-empty array"
        return next((problem for each in value if (problem := check(each)) is not None), None)

    return check_all


def _color(value: Any) -> str | None:
    return None if isinstance(value, dict) else "it must be a color"  # ``composite`` checks its members


def _weight_problem(value: Any) -> str | None:
    is_valid = (isinstance(value, str) and value in WEIGHTS) or (is_number(value) and LIGHTEST <= value <= HEAVIEST)
    return None if is_valid else "it must be a weight from 1 to 1000, or the name of a weight"


def _families(value: Any) -> str | None:
    if isinstance(value, str):
        return None
    if not isinstance(value, list) or not value or not all(isinstance(each, str) for each in value):
        return "it must be a font name or an array of font names"
    if any(reference_of(each) is not None for each in value):
        return "a reference can replace the whole array, not one font in it"
    return None


def _bezier(value: Any) -> str | None:
    if not isinstance(value, list) or len(value) != 4 or any(_number_problem(each) is not None for each in value):
        return "it must be an array of four numbers"
    return None if 0 <= value[0] <= 1 and 0 <= value[2] <= 1 else "the first and third number must be from 0 to 1"


def _one_or_many(check: Check) -> Check:
    many = _list_of(_or_reference(check))
    return lambda value: many(value) if isinstance(value, list) else check(value)


def _stroke(value: Any) -> str | None:
    return _DASHES(value) if isinstance(value, dict) else _one_of(*STROKES)(value)


_DIMENSION = _members({"value": _number_problem, "unit": _one_of(*LENGTHS, *RELATIVE_UNITS)})
_DURATION = _members({"value": _number_problem, "unit": _one_of("ms", "s")})
_DASHES = _members({"dashArray": _list_of(_or_reference(_DIMENSION)), "lineCap": _one_of(*CAPS)})
_CHECKS = {
    "color": _color,
    "dimension": _DIMENSION,
    "duration": _DURATION,
    "boolean": lambda value: None if isinstance(value, bool) else "it must be true or false",
    "number": _number_problem,
    "cubicBezier": _bezier,
    "strokeStyle": _stroke,
    "fontFamily": _families,
    "fontWeight": _weight_problem,
    LINE_HEIGHT: lambda value: _DIMENSION(value) if isinstance(value, dict) else _number_problem(value),
    **dict.fromkeys(KEYWORDS, lambda value: None),  # ``omissions`` reports other words
}
_OF_PARTS = {each: _parts({name: _CHECKS[part] for name, part in types.items()}) for each, types in MEMBERS.items()}

COMPOSITE_TYPES: dict[str, Check] = {
    "fontFamily": lambda value: _families(value) if isinstance(value, list) else "it must be an array of font names",
    "cubicBezier": _bezier,
    "strokeStyle": _stroke,
    **_OF_PARTS,
    "shadow": _one_or_many(_OF_PARTS["shadow"]),
    "gradient": _list_of(_or_reference(_OF_PARTS["gradient"])),
}
"""The check of each type whose values are stored as JSON; a ``fontFamily`` is a composite if it is an array."""


def composite(token_type: str, value: Any) -> Composite:
    """Return a composite, without the targets of its references. Raises BadToken if the value is invalid."""
    too_deep = _depth(value) > _DEEPEST_VALUE
    problem = "it is nested too deeply" if too_deep else COMPOSITE_TYPES[token_type](value)
    if problem is not None:
        what = f"invalid {token_type}: {problem}"
        raise BadToken("token-value", what, f"write the {token_type} as DTCG 2025.10 defines it", ("$value",))
    for part in parts_of(token_type, value):
        if part.type == "color" and part.reference is None:
            try:
                color(part.json)
            except BadToken as error:
                error.within = ("$value", *part.path, *error.within[1:])
                raise
    return Composite(canonical(plain_numbers(value)))


def omissions(token_type: str, value: Any) -> Iterator[tuple[Pointer, str, str, str]]:
    """Yield the pointer, code, problem and remedy of what outputs may have to omit, and of mistyped members."""
    types = MEMBERS.get(token_type, {})
    layers = enumerate(value) if isinstance(value, list) else ((None, value),)
    for index, layer in layers if types else ():
        at: Pointer = () if index is None else (index,)
        if reference_of(layer) is not None:
            if token_type == GRADIENT:
                what = "a stop refers to a gradient, and DTCG does not define which of its stops it means"
                yield at, "composite-incomplete", what, "write the stop itself; outputs omit it"
            continue
        missing = [name for name in types if name not in layer and name not in OPTIONAL]
        for name in [name for name in layer if name not in types]:
            what = f"a {token_type} has no member {name[:40]!r}"
            if likely := mistyped(name, missing):
                missing.remove(likely)
                yield (*at, name), "tokens-member-mistyped", what, f"write {likely!r}"
            else:
                yield (*at, name), "composite-incomplete", what, "move it into $extensions; outputs omit it"
        missing = [name for name in missing if name != LINE_HEIGHT]  # the font's own one, as "Auto" in design files
        if missing:
            what = f"it lacks {', '.join(missing)}"
            yield at, "composite-incomplete", what, "add what is missing; outputs omit what they cannot write"
    for part in parts_of(token_type, value):
        if part.reference is None and part.type in KEYWORDS and part.json not in KEYWORDS[part.type]:
            what = f"{inline(part.json)[:40]} is no {part.type}"
            yield part.path, "composite-incomplete", what, f"write one of {', '.join(KEYWORDS[part.type])}"
        is_of_text = part.path[-1] in ("letterSpacing", LINE_HEIGHT)  # which outputs convert by the fontSize
        if isinstance(part.json, dict) and part.json.get("unit") in RELATIVE_UNITS and not is_of_text:
            what = f"DTCG has no {part.json['unit']}, which depends on the font size"
            yield part.path, "composite-incomplete", what, "write px or rem; outputs omit what they cannot convert"


def with_targets(
    token_type: str, value: Composite, targets: Targets, type_of: Callable[[TokenKey], str | None]
) -> Composite:
    """Return the composite with the targets of its references. Raises BadToken for a target of the wrong type.

    ``type_of`` returns a token's type, or None if it has no valid type, which is reported elsewhere.
    """
    keys: dict[str, TokenKey] = {}
    for part in parts_of(token_type, decoded(value.json)):
        if part.reference is None:
            continue
        within = ("$value", *part.path)
        try:
            alias = targets.of_reference(part.reference)
        except BadToken as error:
            error.within = within
            raise
        if alias is None:  # other pointers to a part of a value were replaced before
            what = f"{part.reference[:120]!r} refers to a part of a value"
            raise BadToken("token-reference", what, "refer to a token", within)
        target_type = type_of(alias.target)
        if target_type is not None and not fits(part.type, target_type):
            what = f"it refers to a {target_type}"
            kinds = fitting(part.type) if part.type in (LINE_HEIGHT, *KEYWORDS) else (part.type,)
            raise BadToken("token-reference-type", what, f"refer to a {' or a '.join(kinds)}", within)
        keys[part.reference] = alias.target
    return Composite(value.json, tuple(keys.items())) if keys else value


def without_inner_pointers(token_type: str, value: Any, trees: Sequence[dict[str, Any]], targets: Targets) -> Any:
    """Return the value with each ``$ref`` replaced by its target, except those that replace a whole part.

    Raises BadToken.
    """
    with_token_pointers = without_pointers(value, trees, lambda node: _names_token(node, targets))
    parts = {id(part.json) for part in parts_of(token_type, with_token_pointers) if part.reference is not None}
    return without_pointers(with_token_pointers, trees, lambda node: id(node) in parts)


def has_fitting_references(
    token_type: str, value: Composite, types: Mapping[TokenKey, str], is_root: Callable[[TokenKey], bool]
) -> bool:
    """Return whether each reference is the address of its target, and each part accepts the type of its target.

    ``is_root`` returns whether a token is the ``$root`` of a group.
    """
    targets = dict(value.references)
    for reference, target in value.references:
        if reference[:1] == "{":
            address = reference[1:-1]
        else:
            steps = path_of_pointer(reference) or ()
            address = ".".join(steps[:-1] if steps[-1:] == ("$value",) else steps)
        if address != f"{target.collection}.{target.path}" + (f".{ROOT}" if is_root(target) else ""):
            return False
    parts = parts_of(token_type, decoded(value.json))
    return all(fits(part.type, types[targets[part.reference]]) for part in parts if part.reference is not None)


def _names_token(node: dict[str, Any], targets: Targets) -> bool:
    pointer = reference_of(node)
    try:
        return pointer is not None and targets.of_pointer(pointer) is not None
    except BadToken:
        return False


_DIMENSION_UNITS = ("px", "rem")
_DURATION_UNITS = ("ms", "s")
_UNITS = {"dimension": _DIMENSION_UNITS, "duration": _DURATION_UNITS}
_MORE_UNITS: dict[tuple[str, ...], tuple[str, ...]] = {_DIMENSION_UNITS: (*RELATIVE_UNITS,)}
"""The units that DTCG does not have, by those that it has."""
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
_PIXELS = {"dp": 1.0, "dip": 1.0, "pt": 4 / 3, "pc": 16.0, "in": 96.0, "cm": 96 / 2.54, "mm": 96 / 25.4}
"""The pixels of absolute units (CSS Values 4, section 6.2; DTCG, section 8.2)."""
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


_singles: dict[float, float] = {}
_LARGEST_MEASURE = 1e300
"""The largest number with a unit: converted to another unit, it is still finite."""


def _number(value: Any, *within: str | int) -> float:
    """Return a number as a graph holds it, and -0 as 0. Raises BadToken for other values, and for digits that get lost.

    Only a plan refuses what the platform cannot store.
    """
    if type(value) is not int and type(value) is not float and not is_number(value):
        raise invalid(f"{shown(value)} is not a number", _number_advice(value), *within)
    single = _singles.get(value)
    if single is None:
        try:
            single = normalized(float(value)) + 0.0
        except OverflowError:
            raise invalid("the number is too large", "write a number from -1.7e308 to 1.7e308", *within) from None
        text = shortest(single)
        if value % 1 == 0 and (int if type(value) is int else float)(text) != value:
            what = f"{value!s:.40} has more digits than a floating-point number, and would become {text[:40]}"
            raise invalid(what, f"write {text}", *within)
        _singles[value] = single
    return single


def _number_advice(value: Any) -> str:
    parts = _parts_of_measure(value)
    if parts is None:
        return "write a JSON number"
    number, unit = parts
    if unit == "%":
        return f"write {shortest(float(number) / 100)}"
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
        parts = _parts_of_measure(value)
        if parts is not None:
            to_do = _measure_advice(*parts, units)
        what = "has no unit" if is_number(value) else "is not an object with value and unit"
        raise invalid(f"{shown(value)} {what}", to_do)
    unit = value["unit"]
    if not is_number(value["value"]):
        raise invalid(f"{shown(value['value'])} is not a number", "write a JSON number", "value")
    number = _number(value["value"], "value")
    if unit not in (*units, *_MORE_UNITS.get(units, ())):
        to_do = _measure_advice(number, unit if isinstance(unit, str) else "", units)
        raise invalid(f"the unit must be {' or '.join(units)}", to_do, "unit")
    if abs(number) > _LARGEST_MEASURE:
        raise invalid("the number is too large", "write a number from -1e300 to 1e300", "value")
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
    written = f"{shortest(float(number))}{unit[:20]}"
    return f"write it in {' or '.join(units)}; {written} has no fixed equivalent"


def _measure_text(number: float, unit: str) -> str:
    return inline({"value": number, "unit": unit})


def _weight(value: Any) -> float:
    if isinstance(value, str):
        if value not in WEIGHTS:
            raise invalid(f"{shown(value)} is not a font weight", _weight_advice(value))
        return float(WEIGHTS[value])
    weight = _number(value)
    if not LIGHTEST <= weight <= HEAVIEST:
        to_do = f"write a number in that range; the closest is {shortest(min(max(weight, LIGHTEST), HEAVIEST))}"
        raise invalid("a font weight must be from 1 to 1000", to_do)
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
        raise invalid("it must be a string", to_do)
    return value


def _keyword(token_type: str) -> Callable[[Any], str]:
    def read(value: Any) -> str:
        if not isinstance(value, str) or value not in KEYWORDS[token_type]:
            raise invalid(f"{shown(value)} is no {token_type}", f"write one of {', '.join(KEYWORDS[token_type])}")
        return value

    return read


def _css(value: Any) -> str:
    if not isinstance(value, str) or not is_css(value):
        what = "it must be keywords, numbers and functions of CSS, without quotation marks and url()"
        raise invalid(what, 'correct it, or write "$type": "string" if it is a text')
    return value


def _boolean(value: Any) -> bool:
    if value is True or value is False:
        return value
    if is_number(value) and value in (0, 1):
        return bool(value)
    raise invalid("a boolean must be 0 or 1", "write 1 for true and 0 for false")


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
                what = f"{shown(value)} has no unit, and {rem} is closer than {px} to the value in the lock, "
                raise invalid(f"{what}{shortest(before)} px", f"write {rem} or {px}")
    found = {"value": number, "unit": unit}
    if unit not in (*units, *_MORE_UNITS.get(units, ())) or (found == value and is_number(value["value"])):
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
        case _ if token_type in KEYWORDS and isinstance(value, str):
            word = value.strip().lower()
            return word if word in KEYWORDS[token_type] else None
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
            found = meant(_type_of_part(part), part.json, of_part) if part.reference is None and part.path else None
            if found is not None:
                inner = tree
                for step in part.path[:-1]:
                    inner = inner[step]
                inner[part.path[-1]] = found.value
                notes += (note._replace(within=(*part.path, *note.within)) for note in found.notes)
    except RecursionError:
        return None
    return Meant(tree, tuple(notes)) if notes else None


def _type_of_part(part: Part) -> str:
    """Return the type of a part; a line height is a length if it has a unit, else a number."""
    if part.type != LINE_HEIGHT:
        return part.type
    return "dimension" if (_parts_of_measure(part.json) or (0, ""))[1] else "number"


def _read_composite(token_type: str, value: Any) -> Composite:
    try:
        return composite(token_type, value)
    except BadToken as error:
        raise _error_of_part(token_type, value, error) from None


def _error_of_part(token_type: str, value: Any, error: BadToken) -> BadToken:
    """Return the error of the part that makes a composite invalid, with advice for it; else the composite's error."""
    if token_type in ("cubicBezier", "fontFamily"):
        return error
    for part in parts_of(token_type, value):
        if part.reference is None and error.what.startswith(f"invalid {token_type}: {part.path[-1]}: "):
            try:
                literal(_type_of_part(part), part.json)
            except BadToken as of_part:
                of_part.what_to_do = of_part.what_to_do.partition(", or set ")[0]
                if part.type == LINE_HEIGHT and _type_of_part(part) == "number":
                    of_part.what_to_do = "write a number, the multiple of fontSize, or a length"
                of_part.within = ("$value", *part.path, *of_part.within[1:])
                return of_part
    return error


_READERS: dict[str, Callable[[Any], Literal]] = {
    **{each: partial(_read_composite, each) for each in COMPOSITE_TYPES},
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
    **{name: _keyword(name) for name in KEYWORDS},
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


def _dimension_text(value: Value | None) -> Inline | None:
    if type(value) is float and isfinite(value):
        return Inline(f'{{"value": {shortest(value)}, "unit": "px"}}')
    return _quantity_text(value, ("rem", *RELATIVE_UNITS))


def _quantity_text(value: Value | None, units: tuple[str, ...]) -> Inline | None:
    if type(value) is Quantity and value.unit in units and isfinite(value.number):
        return Inline(f'{{"value": {shortest(value.number)}, "unit": "{value.unit}"}}')
    return None


def _weight_text(value: Value | None) -> Inline | None:
    return Inline(shortest(value)) if type(value) is float and LIGHTEST <= value <= HEAVIEST else None


def _string_text(value: Value | None) -> Inline | None:
    return Inline(string_text(value)) if type(value) is str and not is_reference(value) else None


def _keyword_writer(words: Container[str]) -> Callable[[Value | None], Inline | None]:
    return lambda value: Inline(string_text(value)) if type(value) is str and value in words else None


def _composite_text(token_type: str, value: Value | None) -> Inline | None:
    """Return the ``$value`` text of a composite.

    Return None if it is not canonical or not of this type, or if its targets do not match its references.
    """
    if type(value) is not Composite:
        return None
    try:
        tree = decoded(value.json)
        again = composite(token_type, tree)
    except (ValueError, RecursionError, BadToken):
        return None
    if again.json != value.json:
        return None
    spelled = {part.reference: None for part in parts_of(token_type, tree) if part.reference is not None}
    return Inline(inline(tree)) if list(spelled) == [text for text, _ in value.references] else None


_WRITERS: dict[str, Callable[[Value | None], Inline | None]] = {
    **{each: partial(_composite_text, each) for each in COMPOSITE_TYPES},
    "color": _color_text,
    "number": lambda value: Inline(shortest(value)) if type(value) is float and isfinite(value) else None,
    "dimension": _dimension_text,
    "duration": lambda value: _quantity_text(value, ("ms", "s")),
    "fontWeight": _weight_text,
    AS_TEXT: lambda value: _weight_text(weight_of(value)),
    "fontFamily": lambda value: _string_text(value) if type(value) is str else _composite_text("fontFamily", value),
    "string": _string_text,
    "boolean": lambda value: Inline("1" if value else "0") if type(value) is bool else None,
    "css": _string_text,
    **{name: _keyword_writer(words) for name, words in KEYWORDS.items()},
}
