"""Colours as CSS: the ways of writing one, and what becomes of one whose numbers are Display P3.

coloraide converts; it is imported when the first colour needs it.
"""

from __future__ import annotations

from functools import cached_property
from math import floor
from typing import TYPE_CHECKING

from tokensync.targets.css import literals as css
from tokensync.tokens import Color, channel

if TYPE_CHECKING:
    from typing import Any

    from tokensync.tokens import Literal

_IN_GAMUT = 0.00005
"""How far a component may lie outside of 0 to 1: what becomes of it is well below one of 255 steps."""


class Colors:
    """Writes colours in one notation (``hex``, ``rgb`` or ``oklch``); ``profile`` tells what their numbers are."""

    def __init__(self, notation: str = "hex", profile: str = "srgb") -> None:
        self.notation = notation
        self.is_wide = profile == "display-p3"
        self._wide: dict[Color, str] = {}

    def text(self, value: Literal) -> str | None:
        """The colour for every screen: of Display P3, the nearest one that sRGB holds. None for what is no colour."""
        if type(value) is not Color:
            return None
        if self.is_wide:
            value = self._nearest(value)
        match self.notation:
            case "rgb":
                return _rgb(value)
            case "oklch":
                return self._oklch("srgb", value)
            case _:
                return css.color(value)

    def wide(self, value: object) -> str:
        """The colour for a screen that shows Display P3; nothing where sRGB holds it, or for what is no colour."""
        if type(value) is not Color or not self.is_wide:
            return ""
        text = self._wide.get(value)
        if text is None:
            text = self._wide[value] = self._written_wide(value)
        return text

    def _written_wide(self, value: Color) -> str:
        if self._made("display-p3", value).in_gamut("srgb", tolerance=_IN_GAMUT):
            return ""
        if self.notation == "oklch":
            return self._oklch("display-p3", value)
        red, green, blue = (_decimal(_share(each), 5) for each in (value.red, value.green, value.blue))
        return f"color(display-p3 {red} {green} {blue}{_alpha(value)})"

    def _nearest(self, value: Color) -> Color:
        found = self._made("display-p3", value).convert("srgb")
        if not found.in_gamut(tolerance=_IN_GAMUT):
            found = found.fit("srgb", method="oklch-chroma")
        red, green, blue = (_share(each) for each in found[:3])
        return Color(red, green, blue, value.alpha)

    def _oklch(self, space: str, value: Color) -> str:
        lightness, chroma, hue = self._made(space, value).convert("oklch")[:3]
        if chroma < 0.00004:  # grey: its hue is noise
            chroma = hue = 0.0
        return f"oklch({_decimal(lightness, 5)} {_decimal(chroma, 5)} {_decimal(hue % 360, 3)}{_alpha(value)})"

    def _made(self, space: str, value: Color) -> Any:
        return self._class(space, [_share(each) for each in (value.red, value.green, value.blue)])

    @cached_property
    def _class(self) -> Any:
        from coloraide import Color as Converted

        return Converted


def _rgb(value: Color) -> str:
    channels = " ".join(str(channel(each)) for each in (value.red, value.green, value.blue))
    return f"rgb({channels}{_alpha(value)})"


def _alpha(value: Color) -> str:
    """`` / a``, or nothing when it is opaque."""
    return "" if value.alpha == 1 else f" / {css.alpha(value.alpha)}"


def _share(component: float) -> float:
    return min(max(component, 0.0), 1.0)


def _decimal(number: float, places: int) -> str:
    scale = 10**places
    rounded = floor(number * scale + 0.5) / scale
    return f"{rounded:.{places}f}".rstrip("0").rstrip(".")
