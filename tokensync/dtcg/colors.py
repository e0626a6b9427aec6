"""Colours: DTCG color values to sRGB, the only colour space of variables (DTCG 2025.10, Color).

Other coordinates of sRGB are converted. Wide-gamut spaces are rejected: a conversion would change the colour silently.
"""

from __future__ import annotations

import re
from struct import Struct
from typing import Any

from tokensync.dtcg.parse import BadToken
from tokensync.tokens import Color, float32
from tokensync.tokens.composites import is_number
from tokensync.tokens.values import POLAR, SPACES, in_srgb
from tokensync.wording import quoted

_HEX = re.compile(r"#[0-9a-fA-F]{6}")
_MEMBERS = frozenset({"colorSpace", "components", "alpha", "hex"})
_WIDE = (
    "display-p3",
    "a98-rgb",
    "prophoto-rgb",
    "rec2020",
    "xyz-d65",
    "xyz-d50",
    "lab",
    "lch",
    "oklab",
    "oklch",
)

_NUMBERS = frozenset({int, float})
_FLOATS = Struct("<4f")
_SRGB_TOLERANCE = 0.63  # steps of 1/255 between hex and a component: half a step plus rounding to three decimals
_CONVERTED_TOLERANCE = 3.0  # components of other spaces are often whole degrees and percentages

_cache: dict[tuple[str, float, float, float, float, str], Color] = {}


def color(value: Any) -> Color:
    """Return the sRGB colour of a ``$value``. Raises BadToken if it is invalid or outside sRGB."""
    if not isinstance(value, dict):
        raise _invalid("a colour must be an object", f"write {_object_for(value)}")
    plain = _plain_srgb(value)
    if plain is not None:
        return plain
    space = value.get("colorSpace")
    if space in _WIDE:
        what = f"the colour space {space} is wider than sRGB, and variables support sRGB only"
        raise BadToken("color-space", what, "write the colour in srgb", ("$value", "colorSpace"))
    if space not in SPACES:
        what = f"the colour space {quoted(space)} is unknown" if "colorSpace" in value else "colorSpace is missing"
        raise _invalid(what, 'write "colorSpace": "srgb"', "colorSpace")
    if not value.keys() <= _MEMBERS:
        name = next(each for each in value if each not in _MEMBERS)
        raise _invalid(f"a colour has no member {name[:40]!r}", "remove it", name)
    hexadecimal = value.get("hex", "")
    if not isinstance(hexadecimal, str) or ("hex" in value and _HEX.fullmatch(hexadecimal) is None):
        raise _invalid("hex must be # and six digits", "correct or remove it; write opacity as alpha", "hex")
    first, second, third = _components(value.get("components"), space)
    alpha = value.get("alpha", 1)
    if not is_number(alpha) or not 0 <= alpha <= 1:
        raise _invalid("alpha must be a number from 0 to 1", "write a number in that range", "alpha")
    key = (space, first, second, third, alpha, hexadecimal)
    result = _cache.get(key)
    if result is None:
        channels = in_srgb(space, first, second, third)
        if hexadecimal:
            _check_hex(hexadecimal, channels, space)
        result = _cache[key] = Color(*(float32(each) + 0.0 for each in (*channels, alpha)))
    return result


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


def _check_hex(hexadecimal: str, channels: tuple[float, float, float], space: str) -> None:
    """Raise BadToken if hex and the components are different colours, because only one of them was edited."""
    tolerance = _SRGB_TOLERANCE if space == "srgb" else _CONVERTED_TOLERANCE
    pairs = zip(bytes.fromhex(hexadecimal[1:]), channels, strict=True)
    if all(abs(step - channel * 255) <= tolerance for step, channel in pairs):
        return
    digits = "".join(f"{int(each * 255 + 0.5):02x}" for each in channels)
    what = f"hex is {hexadecimal.lower()}, but the components are #{digits}"
    raise _invalid(
        what, f"make them equal ({hexadecimal.lower()} is {_components_of(hexadecimal)}), or remove hex", "hex"
    )


def _object_for(value: Any) -> str:
    """Return the DTCG object for a hex string; an example for any other value."""
    if isinstance(value, str) and _HEX.fullmatch(value):
        return f'{{"colorSpace": "srgb", "components": {_components_of(value)}, "hex": "{value.lower()}"}}'
    return '{"colorSpace": "srgb", "components": [1, 0.5, 0]}'


def _components_of(hexadecimal: str) -> list[float]:
    """Return the sRGB components of # and six digits, rounded to four decimals."""
    return [round(each / 255, 4) for each in bytes.fromhex(hexadecimal[1:])]


def _invalid(what: str, what_to_do: str, *within: str | int) -> BadToken:
    return BadToken("token-value", what, what_to_do, ("$value", *within))


def _components(components: Any, space: str) -> tuple[float, float, float]:
    if not isinstance(components, list) or len(components) != 3:
        raise _invalid("components must be an array of three numbers", "write three numbers", "components")
    result = []
    for index, each in enumerate(components):
        number = 0 if each == "none" else each
        highest = 1.0 if space not in POLAR else 360.0 if index == 0 else 100.0
        if not is_number(number) or not 0 <= number <= highest or (highest == 360 and number == 360):
            what = f"this component must be a number from 0 to {highest:g}"
            if highest == 360:
                what += ", 360 excluded"
            raise _invalid(what, "write a number in that range", "components", index)
        result.append(number)
    return result[0], result[1], result[2]
