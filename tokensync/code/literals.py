"""Raw values of code, and the literals of CSS without references: colours, and numbers with units."""

from __future__ import annotations

import re
from colorsys import hls_to_rgb
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from tokensync.dtcg import colors
from tokensync.dtcg.parse import BadToken
from tokensync.tokens import Color, float32

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.tokens import Literal as TokenLiteral

Syntax = Literal["css", "scss", "sass", "less", "html", "script", "tailwind", "kotlin", "java", "swift", "xml"]
"""The form of code in which a value is written, and so the form of a reference that can replace it.

A value of ``script`` is a whole expression with its quotation marks, and one of ``tailwind`` a whole utility; parts of
strings have the syntax ``css``.
"""


class RawValue(NamedTuple):
    """A literal of code: the offsets and text that a reference would replace, and what it is.

    ``type`` is the DTCG type of ``value``, which is in px without a unit. ``use`` is the CSS property, the variable
    (``$space.small`` in a map), or the member or parameter of native code; empty if unknown. ``is_computed`` says that
    code computes with the value, or that a reference may not compile there.
    """

    start: int
    end: int
    text: str
    type: str
    value: TokenLiteral
    use: str
    syntax: Syntax
    is_computed: bool = False


HEX = re.compile(r"#(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})")
_N = r"([0-9]{1,9}(?:\.[0-9]{1,20})?|\.[0-9]{1,20})"
_BLANK, _COMMA = r"(?:\s*,\s*|\s+)", r"(?:\s*[,/]\s*"
_PLAIN = re.compile(
    rf"(?:rgba?\(\s*{_N}{_BLANK}{_N}{_BLANK}{_N}|hsla?\(\s*{_N}(?:deg)?{_BLANK}{_N}%{_BLANK}{_N}%)"
    rf"{_COMMA}{_N}(%)?)?\s*\)",
    re.IGNORECASE,
)
_CHANNELS = tuple(float32(each / 255) for each in range(256))
_NAMES = frozenset(
    "aliceblue antiquewhite aqua aquamarine azure beige bisque black blanchedalmond blue blueviolet brown burlywood"
    " cadetblue chartreuse chocolate coral cornflowerblue cornsilk crimson cyan darkblue darkcyan darkgoldenrod"
    " darkgray darkgreen darkgrey darkkhaki darkmagenta darkolivegreen darkorange darkorchid darkred darksalmon"
    " darkseagreen darkslateblue darkslategray darkslategrey darkturquoise darkviolet deeppink deepskyblue dimgray"
    " dimgrey dodgerblue firebrick floralwhite forestgreen fuchsia gainsboro ghostwhite gold goldenrod gray green"
    " greenyellow grey honeydew hotpink indianred indigo ivory khaki lavender lavenderblush lawngreen lemonchiffon"
    " lightblue lightcoral lightcyan lightgoldenrodyellow lightgray lightgreen lightgrey lightpink lightsalmon"
    " lightseagreen lightskyblue lightslategray lightslategrey lightsteelblue lightyellow lime limegreen linen magenta"
    " maroon mediumaquamarine mediumblue mediumorchid mediumpurple mediumseagreen mediumslateblue mediumspringgreen"
    " mediumturquoise mediumvioletred midnightblue mintcream mistyrose moccasin navajowhite navy oldlace olive"
    " olivedrab orange orangered orchid palegoldenrod palegreen paleturquoise palevioletred papayawhip peachpuff peru"
    " pink plum powderblue purple rebeccapurple red rosybrown royalblue saddlebrown salmon sandybrown seagreen"
    " seashell sienna silver skyblue slateblue slategray slategrey snow springgreen steelblue tan teal thistle tomato"
    " turquoise violet wheat white whitesmoke yellow yellowgreen".split()
)
"""The names of colours in CSS Color 4, section 6.1; ``transparent`` is no colour of its own."""
_LONGEST_MEASURE = 400
"""Characters of a number with a unit; more than the digits of the largest one."""
_MEASURE = re.compile(r"\s*([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)\s*(%|[A-Za-z]*)\s*")


class Number(NamedTuple):
    """A number with its unit, ``""`` if it has none."""

    value: float
    unit: str = ""


def measure(text: str) -> Number | None:
    """Return the number and unit of a text such as ``4px``, ``.5`` or ``-1%``; None for other texts."""
    match = _MEASURE.fullmatch(text) if len(text) <= _LONGEST_MEASURE else None
    return None if match is None else Number(float(match[1]), match[2])


def is_color_name(text: str) -> bool:
    """Return whether a text is the name of a colour, apart from ``transparent`` and the colours of the system."""
    return text.lower() in _NAMES


@lru_cache(maxsize=65_536)
def css_color(text: str) -> Color | None:
    """Return the colour of a text in CSS Color 4, the closest one if it is outside of sRGB; None for other texts."""
    found = plain_color(text)
    if found is not None or text.startswith("#"):
        return found
    try:
        meant = colors.meant_color(text, lambda: None)
        return None if meant is None else colors.color(meant.value)
    except BadToken:
        return None


def plain_color(text: str) -> Color | None:
    """Return the colour of a text in one of the usual notations: hexadecimal, or ``rgb()`` or ``hsl()`` of numbers."""
    if HEX.fullmatch(text):
        return _of_hex(text[1:])
    match = _PLAIN.fullmatch(text)
    return None if match is None else _of_plain(match)


def _of_hex(digits: str) -> Color:
    if len(digits) < 6:
        digits = "".join(digit * 2 for digit in digits)
    red, green, blue, *alpha = (_CHANNELS[each] for each in bytes.fromhex(digits))
    return Color(red, green, blue, alpha[0] if alpha else 1.0)


def _of_plain(match: re.Match[str]) -> Color:
    red, green, blue, hue, saturation, lightness, alpha, percent = match.groups()
    opacity = 1.0 if alpha is None else float(alpha) / (100 if percent else 1)
    if red is not None:
        return srgb_color([float(each) / 255 for each in (red, green, blue)], opacity)
    shares = [min(float(each) / 100, 1.0) for each in (saturation, lightness)]
    return srgb_color(hls_to_rgb(float(hue) % 360 / 360, shares[1], shares[0]), opacity)


def srgb_color(channels: Sequence[float], alpha: float) -> Color:
    """Return a colour whose channels and alpha are limited to 0 to 1."""
    red, green, blue, opacity = (float32(min(max(each, 0.0), 1.0)) + 0.0 for each in (*channels, alpha))
    return Color(red, green, blue, opacity)
