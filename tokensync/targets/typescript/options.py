"""Options of a typescript output."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct


class TypescriptOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How values are written, and what the module is called.

    ``colors`` are CSS, or ``#rrggbb`` and ``#rrggbbaa`` for programs that read no ``rgb()``. ``dimensions`` are CSS
    texts with a unit, or numbers of pixels (a rem counts 16); ``durations`` likewise, or numbers of milliseconds.
    ``css_variables`` tells whether the names of the custom properties are in the module.
    """

    colors: Annotated[
        Literal["css", "hex"],
        Meta(description="Colours as CSS, or as `#rrggbb` and `#rrggbbaa` for canvases and native views."),
    ] = "css"
    dimensions: Annotated[
        Literal["string", "number"],
        Meta(description="Dimensions as CSS texts with a unit, or as numbers of pixels (a rem counts 16)."),
    ] = "string"
    durations: Annotated[
        Literal["string", "number"],
        Meta(description="Durations as CSS texts with a unit, or as numbers of milliseconds."),
    ] = "string"
    css_variables: Annotated[
        bool, Meta(description="Whether the module names the custom properties of the CSS output.")
    ] = True
    extension: Annotated[
        Literal["js", "mjs"],
        Meta(description="`mjs` writes `tokens.mjs` and `tokens.d.mts`, for a package whose `.js` files are CommonJS."),
    ] = "js"
