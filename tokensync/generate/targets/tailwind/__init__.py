"""Tailwind: ``theme.css``, the properties of a css output with names in ``@theme`` for utilities that refer to them."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from tokensync.generate.target import Target
from tokensync.generate.targets.css import (
    WIDE_COLORS,
    AttributeName,
    BrandAxis,
    Colors,
    Comments,
    Composed,
    Dimensions,
    PixelsOfRem,
    Profile,
    Root,
    Themes,
    check_selector,
)

Prefix = Annotated[
    str,
    Meta(
        pattern=r"^[a-z]*$(?!\n)", description='The prefix in `@import "tailwindcss" prefix(tw)`: lower-case letters.'
    ),
]


Namespace = Literal[
    "background-image", "blur", "border-width", "breakpoint", "color", "container", "ease", "font", "font-weight",
    "leading", "opacity", "radius", "shadow", "spacing", "text", "tracking", "transition-duration",
]  # fmt: skip
Special = Literal[
    "aspect", "columns", "drop-shadow", "height", "inset-shadow", "max-width", "min-width", "perspective", "size",
    "text-shadow", "width", "z-index",
]  # fmt: skip
"""The namespaces that tokens are in by a rule only."""


class TailwindOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a tailwind output; those of values and themes are the same as for css."""

    form: Annotated[
        Literal["blocks", "inline"],
        Meta(
            description="A plain block for each mode, or all values of a token in `@theme inline`, so that Tailwind "
            "omits unused ones."
        ),
    ] = "blocks"
    static: Annotated[bool, Meta(description="Write `@theme static`, so that Tailwind keeps unused variables.")] = False
    prefix: Prefix = ""
    namespaces: Annotated[
        dict[str, Literal[Namespace, Special, "none"]],
        Meta(description="Globs for paths, and the namespace of their tokens; the first match counts."),
    ] = field(default_factory=dict)
    colors: Colors = "hex"
    profile: Profile = "srgb"
    composed: Composed = "color-mix"
    dimensions: Dimensions = "px"
    base: PixelsOfRem = 16.0
    comments: Comments = "descriptions"
    root: Root = ":root"
    attribute: AttributeName = "data-{axis}"
    brand_axis: BrandAxis = ""
    themes: Themes = field(default_factory=dict)
    reset: Annotated[
        tuple[Namespace, ...],
        Meta(description="The namespaces without Tailwind's own names, such as `color` and `breakpoint`."),
    ] = ()
    merge: Annotated[
        bool, Meta(description="Also write `tailwind-merge.json`, with which tailwind-merge knows the classes.")
    ] = False

    def __post_init__(self) -> None:
        """Raise ValueError for an invalid root selector."""
        check_selector("root", self.root)


TARGET = Target("tailwind", "a Tailwind theme", TailwindOptions, names_of="css", wide_colors=WIDE_COLORS)
