"""Conversions of sRGB to and from the colour spaces of modifiers, by coloraide."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

Components = tuple[float, float, float]

SPACES: Final = frozenset({"srgb", "display-p3", "hsl", "lch"})
"""The colour spaces of CSS that modifiers use. Saturation and lightness of hsl are from 0 to 1."""


def of_srgb(space: str, color: Components) -> Components:
    """Return the components of a colour in sRGB in another space."""
    return _converted("srgb", space, color)


def to_srgb(space: str, components: Components) -> Components:
    """Return the components of a colour in sRGB, which are not from 0 to 1 outside of it."""
    return _converted(space, "srgb", components)


@lru_cache(maxsize=1 << 16)  # coloraide converts a few thousand colours a second, and a theme modifies all of a source
def _converted(space: str, target: str, components: Components) -> Components:
    from coloraide import Color

    first, second, third = Color(space, components).convert(target).coords(nans=False)
    return first, second, third
