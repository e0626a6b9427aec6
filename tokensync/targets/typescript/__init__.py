"""An ES module of all values, with its types."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from tokensync.generate.request import Target
from tokensync.naming.rules import ASCII_WORD, NamingRules, camel_case, cut, unicode_identifier

RESERVED = frozenset(
    """
    Infinity NaN __proto__ arguments await break case catch class const continue debugger default delete do else enum
    eval export extends false finally for function if implements import in instanceof interface let new null package
    private protected public return static super switch this throw true try typeof undefined var void while with yield
    """.split()
)
"""What no constant of a strict JavaScript module may be called, and the key that would set an object's prototype."""


def identifier(name: str) -> str:
    """Return an identifier that may be a constant of a strict module and a key of an object."""
    body = unicode_identifier(name)
    return cut(f"{body}_" if body in RESERVED else body, "_")


NAMING = NamingRules(
    "typescript", valid=ASCII_WORD, repair=identifier, reserved=RESERVED, capitals=True, respell=camel_case
)


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


TARGET = Target("typescript", "an ES module with types", TypescriptOptions, naming=NAMING)
