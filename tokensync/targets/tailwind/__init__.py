"""Tailwind's ``@theme``."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct, field

from tokensync.generate.request import Target
from tokensync.targets.css import AttributeName, BrandAxis, Colors, Composed, Dimensions, PixelsOfRem, Profile, Themes

Prefix = Annotated[
    str,
    Meta(
        pattern=r"^[a-z]*$(?!\n)", description='The prefix of `@import "tailwindcss" prefix(tw)`: lower-case letters.'
    ),
]


class TailwindOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What ``@theme`` is like, and how values are written and themes are chosen, as a css output has it.

    With ``static`` Tailwind keeps variables that nothing uses. ``prefix`` is that of ``@import "tailwindcss"``.
    """

    static: Annotated[
        bool, Meta(description="Write `@theme static`, so that Tailwind keeps variables that nothing uses.")
    ] = False
    prefix: Prefix = ""
    colors: Colors = "hex"
    profile: Profile = "srgb"
    composed: Composed = "color-mix"
    dimensions: Dimensions = "px"
    base: PixelsOfRem = 16.0
    attribute: AttributeName = "data-{axis}"
    brand_axis: BrandAxis = ""
    themes: Themes = field(default_factory=dict)


TARGET = Target("tailwind", "a Tailwind theme", TailwindOptions, names_of="css")
