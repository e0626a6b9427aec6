"""Options of a typescript output."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class TypescriptOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How values are written, and what the module is called.

    ``colors`` are CSS, or ``#rrggbb`` and ``#rrggbbaa`` for programs that read no ``rgb()``. ``dimensions`` are CSS
    texts with a unit, or numbers of pixels (a rem counts 16); ``durations`` likewise, or numbers of milliseconds.
    ``css_variables`` tells whether the names of the custom properties are in the module.
    """

    colors: Literal["css", "hex"] = "css"
    dimensions: Literal["string", "number"] = "string"
    durations: Literal["string", "number"] = "string"
    css_variables: bool = True
    extension: Literal["js", "mjs"] = "js"
