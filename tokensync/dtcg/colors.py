"""Colours: DTCG color values and CSS colours to sRGB, the colour space of variables (DTCG 2025.10, Color).

A colour outside of sRGB becomes its ``hex``, which DTCG calls a fallback, or the closest one in sRGB. ``hex`` has to
agree with the components. If it does not, because someone edited only one of them, the lock can tell which one. In
files of other makers, the components are the value.
"""

from __future__ import annotations

import re
from struct import Struct
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from tokensync.dtcg.layout import Inline, inline
from tokensync.dtcg.parse import BadToken
from tokensync.system.wording import NAME, shortened, suggestion
from tokensync.tokens import Color, Value, channel, normalized, shortest
from tokensync.tokens.composites import is_number
from tokensync.tokens.values import COLOR_SPACES, converted, in_own_space

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tokensync.system.positions import Pointer

_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_ANY_HEX = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_BARE_HEX = re.compile(r"[0-9a-fA-F]{6}(?:[0-9a-fA-F]{2})?")
_CSS = re.compile(r"[A-Za-z]+|(rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\([^()]*\)", re.IGNORECASE)
_DECIMAL = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{1,20})?")
_LARGEST = 1e6  # a component; conversions of larger ones overflow
_LONGEST = 100  # characters; no colour in CSS syntax is longer
_MEMBERS = ("colorSpace", "components", "alpha", "hex")
_MEMBER_NAMES = {
    "colorspace": "colorSpace",
    "colourspace": "colorSpace",
    "space": "colorSpace",
    "channels": "components",
    "opacity": "alpha",
    "red": "r",
    "green": "g",
    "blue": "b",
    "hue": "h",
    "saturation": "s",
    "lightness": "l",
}
"""The members of colour objects by other names for them, in lower case."""
_SPACE_NAMES = {
    **{re.sub("[^a-z0-9]", "", each): each for each in COLOR_SPACES},
    "rgb": "srgb",
    "rgba": "srgb",
    "linearsrgb": "srgb-linear",
    "p3": "display-p3",
    "hsla": "hsl",
    "a98": "a98-rgb",
    "adobergb": "a98-rgb",
    "prophoto": "prophoto-rgb",
    "bt2020": "rec2020",
    "xyz": "xyz-d65",
}
"""The colour spaces by other names for them, in lower case without punctuation."""
_RGB_SPACES = ("srgb", "srgb-linear", "display-p3", "a98-rgb", "prophoto-rgb", "rec2020")

_NUMBERS = frozenset({int, float})
_FLOATS = Struct("<4f")
_SRGB_TOLERANCE = 0.63  # steps of 1/255 between hex and a component: half a step plus rounding to three decimals
_CONVERTED_TOLERANCE = 3.0  # components of other spaces are often whole degrees and percentages
_UNCHANGED = 0.15  # steps between components that differ only by rounding to three decimals
_WIDE_TOLERANCE = 24.0  # fallbacks of colours outside of sRGB differ by the method that finds them


class Note(NamedTuple):
    """A note about a value that is read although DTCG defines another form: its location in the token, and the text."""

    code: str
    within: Pointer
    what: str


class Meant(NamedTuple):
    """The DTCG value that another notation means. ``is_kept`` is False if the notation must not be written again."""

    value: Any
    notes: tuple[Note, ...]
    is_kept: bool = True


def color(value: Any) -> Color:
    """Return the sRGB colour of a ``$value``. Raises BadToken if it is invalid, or if hex is another colour."""
    if not isinstance(value, dict):
        to_do = _advice(value) or 'write an object with "colorSpace" and "components"'
        if isinstance(value, str):
            is_hex = _BARE_HEX.fullmatch(value)
            to_do = f"write {srgb_text(_of_hex(f'#{value}'))}" if is_hex else f"{to_do}, or a colour as CSS writes it"
        raise invalid(f"{shown(value)} is not a colour", to_do)
    plain = _plain_srgb(value)
    if plain is not None:
        return plain
    digits = value.get("hex")
    if isinstance(digits, str) and _ANY_HEX.fullmatch(digits) and not _HEX.fullmatch(digits):
        raise _differing(value, _of_members({**value, "hex": "#000000"}))  # unless ``meant_color`` finds it to be equal
    try:
        result = _of_members(value)
    except BadToken as error:
        is_whole = error.within[1:] != ("alpha",) and error.within[1:] != ("hex",) and len(error.within) < 3
        error.what_to_do = (is_whole and _advice(value)) or error.what_to_do
        raise
    if digits is not None and not _agrees(digits, result, value["colorSpace"]):
        raise _differing(value, result)
    if not result.wide:
        return result
    return replace(result, wide="") if digits is None else replace(_of_hex(digits), alpha=result.alpha)


def _differing(value: dict[str, Any], result: Color) -> BadToken:
    """Return the error for hex and components that are different colours, with the complete value for each."""
    digits = value["hex"].lower()
    of_hex = _of_hex(digits)
    if len(digits) not in (5, 9):  # there is no alpha in hex
        of_hex = replace(of_hex, alpha=result.alpha)
    other = _digits(result)
    if of_hex.alpha != result.alpha:
        other += f" with alpha {shortest(result.alpha)}"
    is_srgb = value["colorSpace"] == "srgb"
    of_components = (srgb_text(result) if is_srgb else None) or inline({**value, "hex": _digits(result)})
    to_do = f"write {srgb_text(of_hex)} for hex, or {of_components} for the components"
    return invalid(f"hex is {digits}, but the components are {other}", to_do, "hex")


def srgb_color(value: Any) -> Color:
    """Return the colour of a ``$value`` in sRGB. Raises BadToken for other values, and other colour spaces."""
    plain = _plain_srgb(value) if type(value) is dict else None
    if plain is not None:
        return plain
    if type(value) is dict and value.get("colorSpace") != "srgb":
        raise invalid("the colour space is not srgb", "convert the colour", "colorSpace")
    return color(value)


def exact(value: dict[str, Any]) -> str:
    """Return ``Notation.wide`` of a valid color value: the exact colour, if its space is not srgb."""
    found = _of_members(value)
    if found.wide or value["colorSpace"] == "srgb":
        return found.wide
    return f"srgb {' '.join(map(shortest, (found.red, found.green, found.blue)))}"


def _of_members(value: dict[str, Any]) -> Color:
    """Return the colour of the components and alpha."""
    space = value.get("colorSpace")
    if not isinstance(space, str) or space not in COLOR_SPACES:
        if "colorSpace" not in value:
            raise invalid("colorSpace is missing", f"write one of {', '.join(COLOR_SPACES)}", "colorSpace")
        to_do = suggestion(shown(space), tuple(COLOR_SPACES), quoted=True)
        raise invalid(f"the colour space {shown(space)} is unknown", to_do, "colorSpace")
    if not value.keys() <= {*_MEMBERS}:
        name = next(each for each in value if each not in _MEMBERS)
        raise invalid(f"a colour has no member {name[:40]!r}", "remove it", name)
    digits = value.get("hex", "#000000")
    if not isinstance(digits, str) or _HEX.fullmatch(digits) is None:
        to_do = "remove it, or write # and six digits; opacity is the member alpha"
        raise invalid(f"hex is {shown(digits)}, not # and six digits", to_do, "hex")
    components = _components(value.get("components"), space)
    alpha = value.get("alpha", 1)
    if not is_number(alpha) or not 0 <= alpha <= 1:
        raise invalid("alpha must be a number from 0 to 1", "write a number from 0 to 1", "alpha")
    return converted(space, components, alpha)


def _plain_srgb(value: dict[str, Any]) -> Color | None:
    """Return the colour of a valid sRGB value with a hex, the most common form; None if it needs the full checks."""
    digits = value.get("hex")
    if value.get("colorSpace") != "srgb" or type(digits) is not str or _HEX.fullmatch(digits) is None:
        return None
    components, alpha = value.get("components"), value.get("alpha", 1)
    if type(components) is not list or len(components) != 3 or len(value) != 3 + ("alpha" in value):
        return None
    red, green, blue = components
    if not {type(red), type(green), type(blue), type(alpha)} <= _NUMBERS:
        return None
    if not (0 <= red <= 1 and 0 <= green <= 1 and 0 <= blue <= 1 and 0 <= alpha <= 1):
        return None
    hex_number = int(digits[1:], 16)
    if (
        abs((hex_number >> 16) - red * 255) <= _SRGB_TOLERANCE
        and abs((hex_number >> 8 & 255) - green * 255) <= _SRGB_TOLERANCE
        and abs((hex_number & 255) - blue * 255) <= _SRGB_TOLERANCE
    ):
        return Color(*_FLOATS.unpack(_FLOATS.pack(red + 0.0, green + 0.0, blue + 0.0, alpha + 0.0)))
    return None


def _agrees(digits: str, result: Color, space: str) -> bool:
    """Return whether hex is the colour, apart from rounding and, outside of sRGB, from the choice of a fallback."""
    tolerance = _SRGB_TOLERANCE if space == "srgb" else _WIDE_TOLERANCE if result.wide else _CONVERTED_TOLERANCE
    if _is_near(digits, (result.red, result.green, result.blue), tolerance):
        return True
    return bool(result.wide) and _is_near(digits, _clipped(result.wide), tolerance)


def _clipped(text: str) -> tuple[float, ...]:
    """Return a colour outside of sRGB with each component cut off, which is the fallback that many tools write."""
    space, *components = text.split()
    clipped = in_own_space(space, map(float, components)).convert("srgb")[:3]
    return tuple(min(max(each, 0.0), 1.0) for each in clipped)


def _is_near(digits: str, channels: Sequence[float], tolerance: float) -> bool:
    pairs = zip(bytes.fromhex(digits[1:]), channels, strict=True)
    return all(abs(step - each * 255) <= tolerance for step, each in pairs)


def meant_color(value: Any, locked: Callable[[], Value | None] | None) -> Meant | None:
    """Return the color value that a CSS colour means, or one whose hex and components differ; None for other values.

    ``locked`` returns the last synchronised value. Of hex and components, the one that differs from it was edited.
    It is None for files of other makers: hex is a fallback there.
    """
    if isinstance(value, str):
        found = _of_css(value)
        if found is None:
            return None
        text = inline(found)
        return Meant(found, (Note("token-notation", (), f"{shown(value)} is read as {text}"),))
    if not isinstance(value, dict):
        return None
    meaning = _meaning(value)
    usual = meaning.value if meaning is not None and meaning.is_certain and meaning.value != value else None
    tidy, notes = _tidied(value if usual is None else usual, locked)
    if usual is not None:
        notes = (Note("token-notation", (), read_as(value, tidy)),)
    try:
        result = _of_members(tidy)
    except BadToken:
        return None
    digits = tidy.get("hex")
    if digits is None or _agrees(digits, result, tidy["colorSpace"]):
        return Meant(tidy, notes) if notes else None
    if locked is None:
        components = {**tidy, "hex": _digits(result)}
        what = f"hex {digits.lower()} is not the colour of the components, which are used: {inline(components)}"
        return Meant(components, (*notes, Note("token-notation", ("hex",), what)))
    before = locked()
    if type(before) is not Color:
        return None
    is_hex_new = not _agrees(digits, before, "srgb")
    pairs = zip((before.red, before.green, before.blue), (result.red, result.green, result.blue), strict=True)
    are_components_new = any(abs(old - new) * 255 > _UNCHANGED for old, new in pairs)
    if result.wide:  # what was synchronised may be its fallback
        are_components_new = not _agrees(_digits(before), result, tidy["colorSpace"])
    if is_hex_new is are_components_new:
        return None
    if is_hex_new:
        chosen: dict[str, Any] = _srgb_json(replace(_of_hex(digits), alpha=result.alpha))
        what = f"hex {digits.lower()} is used, because it was edited and the components {_digits(result)} were not"
    else:
        chosen = {**tidy, "hex": _digits(result)}
        what = f"the components {_digits(result)} are used, because they were edited and hex {digits.lower()} was not"
    note = Note("color-edited", ("hex",), f"{what}: {inline(chosen)}")
    return Meant(chosen, (note,), is_kept=False)


def _tidied(
    value: dict[str, Any], locked: Callable[[], Value | None] | None
) -> tuple[dict[str, Any], tuple[Note, ...]]:
    """Return a color value with six digits in hex; an alpha in hex moves to alpha.

    If there is another alpha, it must be the last synchronised one, so that the one in hex was edited.
    """
    digits = value.get("hex")
    if not isinstance(digits, str) or _HEX.fullmatch(digits) or not _ANY_HEX.fullmatch(digits):
        return value, ()
    of_hex = _of_hex(digits)
    tidy = {**value, "hex": _digits(of_hex)}
    if of_hex.alpha != 1:
        alpha = value.get("alpha", of_hex.alpha)
        if not is_number(alpha):
            return value, ()
        if locked is not None and abs(alpha - of_hex.alpha) * 255 > _SRGB_TOLERANCE:
            before = locked()
            if type(before) is not Color or abs(before.alpha - alpha) * 255 > _UNCHANGED:
                return value, ()
            tidy.pop("alpha")
        tidy.setdefault("alpha", float(shortest(of_hex.alpha)))
    tidy = {name: tidy[name] for name in (*_MEMBERS, *(each for each in tidy if each not in _MEMBERS)) if name in tidy}
    return tidy, (Note("token-notation", ("hex",), read_as(value, tidy)),)


def read_as(value: Any, found: Any) -> str:
    """Return the text of a note: what a value is read as. Of long objects, it contains the members that differ."""
    if type(value) is dict and type(found) is dict and len(inline(value)) > NAME:
        same = {name for name in value.keys() & found.keys() if inline(value[name]) == inline(found[name])}
        value, found = ({name: each[name] for name in each if name not in same} for each in (value, found))
    return f"{shown(value)} is read as {inline(found)}"


class _Meaning(NamedTuple):
    """The valid color value that a value in another form probably means, and whether it certainly does."""

    value: dict[str, Any]
    is_certain: bool


def _meaning(value: Any) -> _Meaning | None:
    """Return what an object with other names, single channels or only hex means, or an array.

    Channels of red, green and blue are from 0 to 1, as in Figma's API, unless one is larger: then all are whole numbers
    up to 255.
    """
    members = _usual_members({"components": value} if isinstance(value, list) else value)
    space = None if members is None else _SPACE_NAMES.get(_plain_name(members.get("colorSpace", "")))
    if members is None or (space is None and "colorSpace" in members):
        return None
    letters, listed, digits = sorted(members.keys() - {*_MEMBERS}), members.get("components"), members.get("hex")
    if listed is None and not letters:
        text = f"#{digits.removeprefix('#')}" if isinstance(digits, str) else ""
        if space not in (None, "srgb") or not _ANY_HEX.fullmatch(text):
            return None
        alpha = {"alpha": members["alpha"]} if "alpha" in members else {}
        components = _srgb_json(_of_hex(text))["components"]
        return _valid({"colorSpace": "srgb", "components": components, **alpha, "hex": text}, is_certain=True)
    spelling = next((name for name in ("rgb", "hsl") if sorted(name) == letters), "")
    is_spaced = space is not None
    if listed is None and spelling:
        numbers = [_number(members[letter]) for letter in spelling]
        space = space or _SPACE_NAMES[spelling]
        is_certain = spelling == ("rgb" if space in _RGB_SPACES else space)
    elif not letters and isinstance(listed, list) and len(listed) in (3, 4):
        numbers, space = [_number(each, each) for each in listed[:3]], space or "srgb"
        is_certain = len(listed) == 3
        members |= {"alpha": listed[3]} if len(listed) == 4 else {}
    else:
        return None
    scaled = _in_ranges(numbers, space, is_listed=listed is not None)
    if scaled is None:
        return None
    others: dict[str, Any] = {name: members[name] for name in ("alpha", "hex") if name in members}
    meaning = _valid({"colorSpace": space, "components": scaled, **others}, is_certain)
    if listed is None or meaning is None:
        return meaning
    has_same_hex = (
        isinstance(digits, str) and _HEX.fullmatch(digits) and _agrees(digits, _of_members(meaning.value), "srgb")
    )
    is_same = scaled == numbers and (is_spaced or bool(has_same_hex))
    return meaning._replace(is_certain=is_certain and is_same)


def _valid(value: dict[str, Any], is_certain: bool) -> _Meaning | None:
    try:
        _of_members({**value, "hex": "#000000"})
    except BadToken:
        return None
    return _Meaning(value, is_certain)


def _in_ranges(numbers: list[Any], space: str, *, is_listed: bool) -> list[Any] | None:
    """Return the components that channels mean in the ranges of a colour space; None if that is in doubt."""
    if space in _RGB_SPACES and None not in numbers and all(map(is_number, numbers)):
        return _scaled(numbers)
    if space == "hsl" and not is_listed and None not in numbers and max(numbers[1:]) <= 1:
        is_in_doubt = all(number in (0, 1) for number in numbers[1:]) and any(numbers[1:])
        return None if is_in_doubt else [numbers[0], *(round(number * 100, 4) for number in numbers[1:])]
    return numbers


def _usual_members(value: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the members of an object by DTCG's names, and channels by their letters; None if two are the same."""
    members: dict[str, Any] = {}
    for name, each in value.items():
        folded = name.lower()
        inner = _usual_members(each) if folded == "components" and isinstance(each, dict) else {folded: each}
        for key, one in (inner or {"": None}).items():
            usual = _MEMBER_NAMES.get(key, key)
            if usual in members or not usual:
                return None
            members[usual] = one
    if "a" in members and "alpha" not in members and not {"l", "b"} <= members.keys() - {"r", "g"}:
        members["alpha"] = members.pop("a")
    return members


def _plain_name(text: Any) -> str:
    return re.sub("[^a-z0-9]", "", text.lower()) if isinstance(text, str) else ""


def _number(value: Any, otherwise: Any = None) -> Any:
    """Return a number, also from its text; ``otherwise`` for other values."""
    if isinstance(value, str) and _DECIMAL.fullmatch(value.strip()):
        return float(value) if "." in value else int(value)
    return value if is_number(value) else otherwise


def _scaled(channels: Sequence[float]) -> list[float] | None:
    """Return red, green and blue from 0 to 1; None if their scale is in doubt."""
    if min(channels) < 0:
        return None
    if max(channels) <= 1:
        return [*channels]
    if max(channels) > 255 or any(channel != int(channel) for channel in channels):
        return None
    return [float(shortest(normalized(channel / 255))) for channel in channels]


def _advice(value: Any) -> str:
    """Return advice with the color value that an object or an array probably means; an empty text if none."""
    texts = [each for each in value.values() if isinstance(each, str)] if isinstance(value, dict) else []
    if len(texts) == 1 == len(value) and (found := _of_css(texts[0])) is not None:
        return f"write {inline(found)}"
    likely = _meaning(value) if isinstance(value, dict | list) else None
    if likely is None:
        return ""
    members = {name: each for name, each in likely.value.items() if name != "hex" or _HEX.fullmatch(str(each))}
    return f"write {inline(members)}"


def _of_css(text: str) -> dict[str, Any] | None:
    """Return the color value of a CSS colour: hexadecimal, a name or a function (CSS Color 4). None for other texts."""
    if _ANY_HEX.fullmatch(text):
        return _srgb_json(_of_hex(text))
    if len(text) > _LONGEST or _CSS.fullmatch(text) is None:
        return None
    from coloraide import Color as Parsed

    try:
        match = Parsed.match(text, fullmatch=True)
    except (ValueError, OverflowError):
        return None
    if match is None or match.color.space() not in COLOR_SPACES:
        return None
    space, components = match.color.space(), match.color.coords()
    scales = (1, 100, 100) if space in ("hsl", "hwb") else (1, 1, 1)
    is_clamped = text[:5].lower() != "color"  # CSS limits the components of the other functions to their ranges
    parts: list[float | str] = []
    for component, scale, (lowest, highest) in zip(components, scales, COLOR_SPACES[space], strict=True):
        if component != component:  # NaN stands for "none"
            parts.append("none")
            continue
        number = float(f"{component * scale:.10g}") + 0.0
        if highest == 360:
            number %= 360
        elif is_clamped:
            number = min(max(number, lowest), highest)
        parts.append(number)
    alpha = match.color.alpha()
    result: dict[str, Any] = {"colorSpace": space, "components": parts}
    if alpha == alpha and alpha != 1:
        result["alpha"] = float(f"{alpha:.10g}")
    try:
        found = _of_members(result)
    except BadToken:
        return None
    return _srgb_json(found) if space == "srgb" else result


def _of_hex(text: str) -> Color:
    """Return the colour of # and three, four, six or eight digits."""
    digits = text[1:] if len(text) > 5 else "".join(each * 2 for each in text[1:])
    red, green, blue, *alpha = (each / 255 for each in bytes.fromhex(digits))
    return converted("srgb", (red, green, blue), *(alpha or (1.0,)))


def _digits(value: Color) -> str:
    return f"#{''.join(f'{channel(each):02x}' for each in (value.red, value.green, value.blue))}"


def _srgb_json(value: Color) -> dict[str, Any]:
    """Return the color value with the text of ``srgb_text``."""
    red, green, blue, alpha = (float(shortest(each)) for each in (value.red, value.green, value.blue, value.alpha))
    opacity = {} if alpha == 1 else {"alpha": alpha}
    return {"colorSpace": "srgb", "components": [red, green, blue], **opacity, "hex": _digits(value)}


def srgb_text(value: Color) -> Inline | None:
    """Return the JSON text of a colour in sRGB, as token files contain it; None if a component is out of range."""
    channels = (value.red, value.green, value.blue)
    if not all(0 <= each <= 1 for each in (*channels, value.alpha)):
        return None
    components = ", ".join(map(shortest, channels))
    alpha = "" if value.alpha == 1 else f', "alpha": {shortest(value.alpha)}'
    return Inline(f'{{"colorSpace": "srgb", "components": [{components}]{alpha}, "hex": "{_digits(value)}"}}')


def invalid(what: str, what_to_do: str, *within: str | int) -> BadToken:
    """Return the error for a ``$value``, or for its part at ``within``."""
    return BadToken("token-value", what, what_to_do, ("$value", *within))


def shown(value: Any) -> str:
    """Return the beginning of the JSON of a value, for messages."""
    return shortened(inline(value))


def _components(components: Any, space: str) -> tuple[float, float, float]:
    if not isinstance(components, list) or len(components) != 3:
        actual = f"{len(components)}" if isinstance(components, list) else "none"
        what = f"components must be an array of three numbers, and has {actual}"
        raise invalid(what, f"write the three components of {space}", "components")
    numbers = components if space in _RGB_SPACES and all(map(is_number, components)) else ()
    if sum(number > 1 for number in numbers) > 1 and (scaled := _scaled(numbers)) is not None:
        what = "each of these components must be a number from 0 to 1"
        raise invalid(what, f"write {inline(scaled)}", "components")
    result = []
    for index, (each, (lowest, highest)) in enumerate(zip(components, COLOR_SPACES[space], strict=True)):
        number = 0 if each == "none" else each
        in_range = is_number(number) and max(lowest, -_LARGEST) <= number <= min(highest, _LARGEST)
        if not in_range or number == 360 == highest:
            raise _bad_component(each, index, lowest, highest)
        result.append(float(number))
    return result[0], result[1], result[2]


def _bad_component(value: Any, index: int, lowest: float, highest: float) -> BadToken:
    if highest == 360:
        what, to_do = "this hue must be a number from 0 to 360, 360 excluded", "write a number in that range"
    elif highest < 360:
        what = f"this component must be a number from {lowest:g} to {highest:g}"
        to_do = "write a number in that range"
    elif is_number(value) and abs(value) > _LARGEST:
        what, to_do = "this component is too large", f"write a number below {_LARGEST:,.0f}"
    else:
        what = "this component must be a number" + (" that is not negative" if lowest == 0 else "")
        to_do = "write a number" + (" from 0" if lowest == 0 else "")
    return invalid(what, to_do, "components", index)
