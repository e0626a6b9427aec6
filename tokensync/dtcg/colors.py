"""Colours of token files to sRGB, which is all that the platform has (DTCG 2025.10, Color).

The spaces that are sRGB in other coordinates are converted. The wide ones are refused: a silent change of colour is
worse than a question.
"""

from __future__ import annotations

import re
from struct import Struct
from typing import Any

from tokensync.dtcg.parse import BadToken
from tokensync.tokens import Color, float32
from tokensync.tokens.composites import is_number
from tokensync.tokens.values import POLAR, SPACES, in_srgb

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
_SLACK_OF_SRGB = 0.63  # steps of 255 between hex and a component: half a step, and three decimals' rounding
_SLACK_OF_CONVERTED = 3.0  # components of the other spaces are commonly whole degrees and percents

_known: dict[tuple[str, float, float, float, float, str], Color] = {}


def color(value: Any) -> Color:
    """Return a colour. Raises BadToken with what is wrong with it."""
    if not isinstance(value, dict):
        raise _refused("a colour is an object", f"write {_object_for(value)}")
    plain = _plain_srgb(value)
    if plain is not None:
        return plain
    space = value.get("colorSpace")
    if space not in SPACES:
        raise _of_unknown_space(space)
    if not value.keys() <= _MEMBERS:
        name = next(each for each in value if each not in _MEMBERS)
        raise _refused(f"a colour has no member {name[:40]!r}", "remove it", name)
    hexadecimal = value.get("hex", "")
    if not isinstance(hexadecimal, str) or ("hex" in value and _HEX.fullmatch(hexadecimal) is None):
        raise _refused("hex is # and six digits", "correct or remove it; alpha has a member of its own", "hex")
    first, second, third = _components(value.get("components"), space)
    alpha = value.get("alpha", 1)
    if not is_number(alpha) or not 0 <= alpha <= 1:
        raise _refused("alpha is a number from 0 to 1", "write a number in that range", "alpha")
    key = (space, first, second, third, alpha, hexadecimal)
    result = _known.get(key)
    if result is None:
        channels = in_srgb(space, first, second, third)
        if hexadecimal:
            _refuse_another_hex(hexadecimal, channels, space)
        result = _known[key] = Color(*(float32(each) + 0.0 for each in (*channels, alpha)))
    return result


def _plain_srgb(value: dict[str, Any]) -> Color | None:
    """Return an sRGB colour with its hex, as nearly all are written; None where anything needs a second look."""
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
    of_hex = int(digits[1:], 16)
    if (
        abs((of_hex >> 16) - red * 255) <= _SLACK_OF_SRGB
        and abs((of_hex >> 8 & 255) - green * 255) <= _SLACK_OF_SRGB
        and abs((of_hex & 255) - blue * 255) <= _SLACK_OF_SRGB
    ):
        return Color(*_FLOATS.unpack(_FLOATS.pack(red + 0.0, green + 0.0, blue + 0.0, alpha + 0.0)))
    return None


def _refuse_another_hex(hexadecimal: str, channels: tuple[float, float, float], space: str) -> None:
    """Raise BadToken when hex is another colour than the components: someone edited one of the two."""
    slack = _SLACK_OF_SRGB if space == "srgb" else _SLACK_OF_CONVERTED
    steps = zip(bytes.fromhex(hexadecimal[1:]), channels, strict=True)
    if all(abs(of_hex - each * 255) <= slack for of_hex, each in steps):
        return
    digits = "".join(f"{int(each * 255 + 0.5):02x}" for each in channels)
    what = f"hex says {hexadecimal.lower()}, components say #{digits}"
    raise _refused(
        what, f"make them equal ({hexadecimal.lower()} is {_components_of(hexadecimal)}), or leave hex out", "hex"
    )


def _object_for(value: Any) -> str:
    """Return what somebody who wrote only hexadecimal digits meant; an example for everything else."""
    if isinstance(value, str) and _HEX.fullmatch(value):
        return f'{{"colorSpace": "srgb", "components": {_components_of(value)}, "hex": "{value.lower()}"}}'
    return '{"colorSpace": "srgb", "components": [1, 0.5, 0]}'


def _components_of(hexadecimal: str) -> list[float]:
    """Return the sRGB components of # and six digits, as short as they name the same digits."""
    return [round(each / 255, 4) for each in bytes.fromhex(hexadecimal[1:])]


def _refused(what: str, what_to_do: str, *within: str | int) -> BadToken:
    return BadToken("token-value", what, what_to_do, ("$value", *within))


def _of_unknown_space(space: Any) -> BadToken:
    if space in _WIDE:
        what = f"colours of {space} reach beyond sRGB, which is all that variables hold"
        return BadToken("color-space", what, "write the colour in srgb", ("$value", "colorSpace"))
    return _refused("the colour space is missing or unknown", 'write "colorSpace": "srgb"', "colorSpace")


def _components(components: Any, space: str) -> tuple[float, float, float]:
    if not isinstance(components, list) or len(components) != 3:
        raise _refused("components is an array of three numbers", "write three numbers", "components")
    result = []
    for index, each in enumerate(components):
        number = 0 if each == "none" else each
        highest = 1.0 if space not in POLAR else 360.0 if index == 0 else 100.0
        if not is_number(number) or not 0 <= number <= highest or (highest == 360 and number == 360):
            what = f"a component is a number from 0 to {highest:g}" + (", 360 excluded" if highest == 360 else "")
            raise _refused(what, "write a number in that range", "components", index)
        result.append(number)
    return result[0], result[1], result[2]
