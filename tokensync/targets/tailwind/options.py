"""Options of a tailwind output."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from tokensync.targets.css.options import AttributeName, CssTheme, PixelsOfRem

# The same limits stand in config/schemas/options/tailwind.schema.json.
Prefix = Annotated[str, Meta(pattern=r"^[a-z]*$(?!\n)")]


class TailwindOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What ``@theme`` is like, and how values are written and themes are chosen, as a css output has it.

    With ``static`` Tailwind keeps variables that nothing uses. ``prefix`` is that of ``@import "tailwindcss"``.
    """

    static: bool = False
    prefix: Prefix = ""
    colors: Literal["hex", "rgb", "oklch"] = "hex"
    profile: Literal["srgb", "display-p3"] = "srgb"
    composed: Literal["color-mix", "literal"] = "color-mix"
    dimensions: Literal["px", "rem"] = "px"
    base: PixelsOfRem = 16.0
    attribute: AttributeName = "data-{axis}"
    themes: dict[str, CssTheme] = field(default_factory=dict)
