"""Conversions of sRGB to and from the colour spaces of modifiers, by coloraide."""

from __future__ import annotations

from colorsys import hls_to_rgb, rgb_to_hls
from functools import lru_cache
from typing import Final

Components = tuple[float, float, float]

SPACES: Final = frozenset({"srgb", "display-p3", "hsl", "lch"})
"""The colour spaces of CSS that modifiers use. Saturation and lightness of hsl are from 0 to 1."""


def of_srgb(space: str, color: Components) -> Components:
    """Return the components of a colour in sRGB in another space."""
    if space == "hsl":  # exact at half of a channel, where coloraide's last digit decides about rounding
        hue, lightness, saturation = rgb_to_hls(*color)
        return hue * 360, saturation, lightness
    return _converted("srgb", space, color)


def to_srgb(space: str, components: Components) -> Components:
    """Return the components of a colour in sRGB, which are not from 0 to 1 outside of it."""
    if space == "hsl":
        hue, saturation, lightness = components
        return hls_to_rgb(hue % 360 / 360, lightness, saturation)
    return _converted(space, "srgb", components)


@lru_cache(maxsize=1 << 16)  # coloraide converts a few thousand colours a second, and a theme modifies all of a source
def _converted(space: str, target: str, components: Components) -> Components:
    from coloraide import Color

    first, second, third = Color(space, components).convert(target).coords(nans=False)
    return first, second, third
