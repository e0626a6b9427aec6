"""A document of all tokens for any program."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from tokensync.generate.request import Target
from tokensync.targets import Named


class JsonOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the document tells.

    ``colors`` are ``#rrggbb`` and ``#rrggbbaa``, or objects with the exact components of 0 to 1. ``names`` are the
    platforms whose names of each token are told. ``schema`` tells whether the document's schema is written beside it.
    """

    colors: Annotated[
        Literal["hex", "components"],
        Meta(description="Colours as `#rrggbb` and `#rrggbbaa`, or as objects with their exact components."),
    ] = "hex"
    names: Annotated[
        tuple[Named, ...],
        Meta(description="The platforms whose names of each token are listed."),
    ] = ("css", "android", "ios")
    schema: Annotated[bool, Meta(description="Also write `tokens.schema.json`, and `$schema` into the document.")] = (
        False
    )


TARGET = Target("json", "a JSON document", JsonOptions)
