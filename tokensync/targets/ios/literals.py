"""Values as Swift, and colours as the components of an asset catalog."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.generate import scalars
from tokensync.tokens import Color, Quantity, float32, shortest

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.tokens import Literal

UNREPRESENTABLE = re.compile("[\ud800-\udfff]")
"""What no Swift string can hold."""

WEIGHTS = {
    100.0: ".ultraLight",
    200.0: ".thin",
    300.0: ".light",
    400.0: ".regular",
    500.0: ".medium",
    600.0: ".semibold",
    700.0: ".bold",
    800.0: ".heavy",
    900.0: ".black",
}
"""The members of Font.Weight and UIFont.Weight, by the numbers that type designers give them."""

_SPECIAL = re.compile('[\0-\x1f"\\\\\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]')
_NAMED = {"\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", '"': '\\"'}
_UNSEEN = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_LINE_END = re.compile("\r\n?|[\n\u2028\u2029]")

# Linear sRGB to linear Display P3: both have the white point D65, so it is one matrix.
_TO_P3 = (
    (0.8224619687143623, 0.1775380312856377, 0.0),
    (0.0331941988509692, 0.9668058011490308, 0.0),
    (0.0170826307211200, 0.0723974407033600, 0.9105199285755200),
)


def string(text: str) -> str:
    """A Swift string literal; a backslash is doubled, so that nothing is interpolated."""
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def documentation(text: str) -> list[str]:
    """The lines of a documentation comment, without ``///``; what could end a line or turn its direction is gone."""
    lines = [_UNSEEN.sub("", line).rstrip() for line in _LINE_END.split(text.strip())]
    return lines if any(lines) else []


def availability(deprecated: bool | str) -> str:
    """The attribute of what is deprecated, with the reason where one is given; nothing for what is not."""
    if not deprecated:
        return ""
    message = f", message: {string(deprecated)}" if isinstance(deprecated, str) else ""
    return f"@available(*, deprecated{message})"


def _escaped(match: re.Match[str]) -> str:
    character = match[0]
    if UNREPRESENTABLE.match(character):
        return "\ufffd"
    return _NAMED.get(character) or f"\\u{{{ord(character):x}}}"


def components(color: Color, space: str = "srgb") -> tuple[str, str, str, str]:
    """Red, green, blue and alpha as decimals from 0 to 1, in sRGB or in Display P3."""
    channels = (color.red, color.green, color.blue)
    if space == "display-p3":
        channels = _in_p3(*channels)
    red, green, blue, alpha = (shortest(float32(min(max(each, 0.0), 1.0))) for each in (*channels, color.alpha))
    return red, green, blue, alpha


def catalog_components(color: Color, space: str = "srgb") -> tuple[str, str, str, str]:
    """Return the same components as an asset catalog has them: with a decimal point and at least three digits after it.

    Xcode judges each component by itself. One without a point is a byte to it, so "1" is 1/255.
    """
    red, green, blue, alpha = (_with_point(each) for each in components(color, space))
    return red, green, blue, alpha


def _with_point(number: str) -> str:
    whole, _, digits = number.partition(".")
    return f"{whole}.{digits:0<3}"


def _in_p3(*channels: float) -> tuple[float, float, float]:
    """The same colour in Display P3, which has sRGB's transfer function."""
    linear = [each / 12.92 if each <= 0.04045 else ((each + 0.055) / 1.055) ** 2.4 for each in channels]
    mixed = (sum(share * each for share, each in zip(row, linear, strict=True)) for row in _TO_P3)
    red, green, blue = (
        round(each * 12.92 if each <= 0.0031308 else 1.055 * each ** (1 / 2.4) - 0.055, 6) for each in mixed
    )
    return red, green, blue


def color_expression(color: Color, space: str, type_: str = "Color") -> str:
    """The colour as SwiftUI's ``Color``, told by its components."""
    red, green, blue, alpha = components(color, space)
    member = ".displayP3" if space == "display-p3" else ".sRGB"
    return f"{type_}({member}, red: {red}, green: {green}, blue: {blue}, opacity: {alpha})"


def uicolor_expression(color: Color, space: str) -> str:
    """The colour as UIKit's ``UIColor``, told by its components."""
    red, green, blue, alpha = components(color, space)
    label = "displayP3Red" if space == "display-p3" else "red"
    return f"UIColor({label}: {red}, green: {green}, blue: {blue}, alpha: {alpha})"


def color(value: Literal) -> str | None:
    """Any text for a colour: it is loaded from the catalog by its token's name."""
    return "" if type(value) is Color else None


def text_or_families(value: Literal) -> str | None:
    """A text, or an array of font families, as a Swift string."""
    text = scalars.listed(value)
    return None if text is None else string(text)


def weight(value: Literal) -> str | None:
    """The member of Font.Weight; None for a number that has none."""
    return WEIGHTS.get(value) if type(value) is float else None


def seconds(value: Literal) -> str | None:
    """A duration in seconds."""
    if type(value) is not Quantity or value.unit not in ("ms", "s"):
        return None
    return scalars.decimal(value.number) if value.unit == "s" else scalars.thousandth(value.number)


LITERALS: dict[str, Callable[[Literal], str | None]] = {
    "color": color,
    "number": scalars.pixels,
    "percentage": scalars.share,
    "weight": weight,
    "string": text_or_families,
    "boolean": scalars.boolean,
    "duration": seconds,
}
