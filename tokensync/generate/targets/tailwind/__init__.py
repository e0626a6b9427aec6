"""Tailwind's ``@theme``."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from tokensync.generate.target import Target
from tokensync.generate.targets.css import (
    WIDE_COLORS,
    AttributeName,
    BrandAxis,
    Colors,
    Composed,
    Dimensions,
    PixelsOfRem,
    Profile,
    Themes,
)

Prefix = Annotated[
    str,
    Meta(
        pattern=r"^[a-z]*$(?!\n)", description='The prefix in `@import "tailwindcss" prefix(tw)`: lower-case letters.'
    ),
]


class TailwindOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a tailwind output; those of values and themes are the same as for css."""

    static: Annotated[bool, Meta(description="Write `@theme static`, so that Tailwind keeps unused variables.")] = False
    prefix: Prefix = ""
    colors: Colors = "hex"
    profile: Profile = "srgb"
    composed: Composed = "color-mix"
    dimensions: Dimensions = "px"
    base: PixelsOfRem = 16.0
    attribute: AttributeName = "data-{axis}"
    brand_axis: BrandAxis = ""
    themes: Themes = field(default_factory=dict)


TARGET = Target("tailwind", "a Tailwind theme", TailwindOptions, names_of="css", wide_colors=WIDE_COLORS)
