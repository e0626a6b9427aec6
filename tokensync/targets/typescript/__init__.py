"""An ES module of all values, with its types."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from tokensync.generate import Target
from tokensync.naming.rules import ASCII_WORD, NamingRules, camel_case, cut, unicode_identifier

RESERVED = frozenset(
    """
    Infinity NaN __proto__ arguments await break case catch class const continue debugger default delete do else enum
    eval export extends false finally for function if implements import in instanceof interface let new null package
    private protected public return static super switch this throw true try typeof undefined var void while with yield
    """.split()
)
"""Names that a constant of a JavaScript module cannot have, and the key that sets an object's prototype."""


def identifier(name: str) -> str:
    """Return an identifier for a constant of a module and a key of an object."""
    body = unicode_identifier(name)
    return cut(f"{body}_" if body in RESERVED else body, "_")


NAMING = NamingRules(
    "typescript", valid=ASCII_WORD, repair=identifier, reserved=RESERVED, capitals=True, respell=camel_case
)


class TypescriptOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a typescript output."""

    colors: Annotated[
        Literal["css", "hex"],
        Meta(description="Write colours as CSS, or as `#rrggbb` and `#rrggbbaa` for canvases and native views."),
    ] = "css"
    dimensions: Annotated[
        Literal["string", "number"],
        Meta(description="Write dimensions as CSS strings with a unit, or as numbers of pixels (16 per rem)."),
    ] = "string"
    durations: Annotated[
        Literal["string", "number"],
        Meta(description="Write durations as CSS strings with a unit, or as numbers of milliseconds."),
    ] = "string"
    css_variables: Annotated[bool, Meta(description="Export the names of the css output's custom properties.")] = True
    extension: Annotated[
        Literal["js", "mjs"],
        Meta(description="`mjs` writes `tokens.mjs` and `tokens.d.mts`, for packages whose `.js` files are CommonJS."),
    ] = "js"


TARGET = Target("typescript", "an ES module with types", TypescriptOptions, naming=NAMING)
