"""Values as CSS; coloraide, which converts colours, is imported on first use."""

from __future__ import annotations

import re
from functools import cached_property
from math import floor
from typing import TYPE_CHECKING

from tokensync.generate import notation
from tokensync.tokens import Color, Quantity, channel, normalized, shortest
from tokensync.tokens.values import in_display_p3, in_own_space

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

    from tokensync.tokens import Literal

UNREPRESENTABLE = re.compile("[\0\ud800-\udfff]|(?i:</style)")
"""What a CSS string cannot contain, even escaped: minifiers write ``\\3c`` as ``<``, which makes ``</style`` a tag."""

GENERIC_FAMILIES = frozenset(
    """
    serif sans-serif monospace cursive fantasy system-ui ui-serif ui-sans-serif ui-monospace ui-rounded math emoji
    fangsong
    """.split()
)

_SPECIAL = re.compile(
    UNREPRESENTABLE.pattern + '|[\0-\x1f"\\\\<\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffd]'
)
_UNITS = frozenset("px rem em ms s % vh vw pt ch ex".split())


def string(text: str) -> str:
    """Return a CSS string; quotes, line ends, control characters, bidi marks and ``<`` are escaped."""
    return f'"{_SPECIAL.sub(_escaped, text)}"'


def _escaped(match: re.Match[str]) -> str:
    found = match[0]
    if found in '"\\':
        return f"\\{found}"
    return f"\\fffd {found[1:]}" if UNREPRESENTABLE.match(found) else f"\\{ord(found):x} "  # Sass refuses U+FFFD itself


def identifier(text: str) -> str:
    """Return a CSS identifier, for the name of an attribute after ``data-``."""
    return re.sub(r"[^\w-]", lambda match: f"\\{ord(match[0]):x} " if match[0] != "\0" else "\ufffd", text)


def comment(text: str) -> str:
    """Return a comment; its text cannot end it."""
    safe = "".join(each if each.isprintable() else " " for each in text)
    return f"/* {safe.replace('*/', '* /').replace('</', '< /')} */"


def color(value: Literal) -> str | None:
    """Return ``#rrggbb``, or ``rgb(r g b / a)`` when it is not opaque."""
    if type(value) is not Color:
        return None
    red, green, blue = channel(value.red), channel(value.green), channel(value.blue)
    if value.alpha == 1:
        return f"#{red:02x}{green:02x}{blue:02x}"
    return f"rgb({red} {green} {blue} / {alpha(value.alpha)})"


def alpha(share: float) -> str:
    """Return an opacity with at most four decimals."""
    return f"{floor(share * 10_000 + 0.5) / 10_000:.4f}".rstrip("0").rstrip(".")


def dimension(value: Literal) -> str | None:
    """Return a plain number in px, or a quantity in its own unit."""
    if type(value) is Quantity:
        return f"{shortest(normalized(value.number))}{value.unit}" if value.unit in _UNITS else None
    text = notation.decimal(value)
    return None if text is None else f"{text}px"


def duration(value: Literal) -> str | None:
    """Return a quantity in ms or s."""
    return dimension(value) if type(value) is Quantity and value.unit in ("ms", "s") else None


def plain_string(value: Literal) -> str | None:
    """Return a text as a CSS string."""
    return string(value) if type(value) is str else None


def font_family(value: Literal) -> str | None:
    """Return font families as a ``family_list``."""
    families = notation.families(value)
    return None if families is None else family_list(families)


def family_list(names: Iterable[str]) -> str:
    """Return a comma-separated list of families: generic keywords, and strings for the others."""
    return ", ".join(each.lower() if each.lower() in GENERIC_FAMILIES else string(each) for each in names) or '""'


def boolean(value: Literal) -> str | None:
    """Return 1 or 0, for use in ``calc()``."""
    return str(int(value)) if type(value) is bool else None


LITERALS: dict[str, Callable[[Literal], str | None]] = {
    "color": color,
    "dimension": dimension,
    "number": notation.decimal,
    "percentage": notation.share,
    "string": plain_string,
    "family": font_family,
    "boolean": boolean,
    "duration": duration,
}


_IN_GAMUT = 0.00005
"""The tolerance of components outside of 0 to 1, well below one of 255 steps."""


class Colors:
    """A writer of colours in one notation (``hex``, ``rgb`` or ``oklch``); ``profile`` is that of their components."""

    def __init__(self, notation: str = "hex", profile: str = "srgb") -> None:
        self.notation = notation
        self.is_wide = profile == "display-p3"
        self._wide: dict[Color, str] = {}

    def text(self, value: Literal) -> str | None:
        """Return the colour for all screens; None when the value is not a colour.

        It is the closest one in sRGB, but ``oklch()`` can be any colour if no other text is for wide-gamut screens.
        """
        if type(value) is not Color:
            return None
        if self.is_wide:
            value = self._nearest(value)
        elif value.wide and self.notation == "oklch":
            return self._oklch(_exact(value), value)
        match self.notation:
            case "rgb":
                return _rgb(value)
            case "oklch":
                return self._oklch(self._in("srgb", value), value)
            case _:
                return color(value)

    def wide(self, value: object) -> str:
        """Return a colour outside of sRGB for Display P3 screens; an empty text for other values."""
        if type(value) is not Color or not self.is_wide:
            return ""
        text = self._wide.get(value)
        if text is None:
            text = self._wide[value] = self._written_wide(value)
        return text

    def widest(self, value: Literal) -> str | None:
        """Return the colour for Display P3 screens, also if it is in sRGB; None when the value is not a colour."""
        return self.wide(value) or self.text(value)

    def _written_wide(self, value: Color) -> str:
        color = _exact(value) if value.wide else self._in("display-p3", value)
        if color.in_gamut("srgb", tolerance=_IN_GAMUT):
            return ""
        if self.notation == "oklch":
            return self._oklch(color, value)
        channels = in_display_p3(value) if value.wide else (value.red, value.green, value.blue)
        red, green, blue = (_decimal(_share(each), 5) for each in channels)
        return f"color(display-p3 {red} {green} {blue}{_alpha(value)})"

    def _nearest(self, value: Color) -> Color:
        if value.wide:
            return value
        converted = self._in("display-p3", value).convert("srgb")
        if not converted.in_gamut(tolerance=_IN_GAMUT):
            converted = converted.fit("srgb", method="oklch-chroma")
        red, green, blue = (_share(each) for each in converted[:3])
        return Color(red, green, blue, value.alpha)

    @staticmethod
    def _oklch(color: Any, value: Color) -> str:
        lightness, chroma, hue = color.convert("oklch")[:3]
        if chroma < 0.00004:  # grey: its hue is noise
            chroma = hue = 0.0
        return f"oklch({_decimal(lightness, 5)} {_decimal(chroma, 5)} {_decimal(hue % 360, 3)}{_alpha(value)})"

    def _in(self, space: str, value: Color) -> Any:
        return self._class(space, [_share(each) for each in (value.red, value.green, value.blue)])

    @cached_property
    def _class(self) -> Any:
        from coloraide import Color as Converted

        return Converted


def _exact(value: Color) -> Any:
    """Return a colour outside of sRGB in its own space."""
    space, *components = value.wide.split()
    return in_own_space(space, map(float, components))


def _rgb(value: Color) -> str:
    channels = " ".join(str(channel(each)) for each in (value.red, value.green, value.blue))
    return f"rgb({channels}{_alpha(value)})"


def _alpha(value: Color) -> str:
    """Return `` / a``; an empty text for an opaque colour."""
    return "" if value.alpha == 1 else f" / {alpha(value.alpha)}"


def _share(component: float) -> float:
    return min(max(component, 0.0), 1.0)


def _decimal(number: float, decimals: int) -> str:
    scale = 10**decimals
    rounded = floor(number * scale + 0.5) / scale
    return f"{rounded:.{decimals}f}".rstrip("0").rstrip(".")
