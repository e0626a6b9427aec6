"""A JSON document of all tokens."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from tokensync.generate import Target
from tokensync.targets import Named


class JsonOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a json output."""

    colors: Annotated[
        Literal["hex", "components"],
        Meta(description="Write colours as `#rrggbb` and `#rrggbbaa`, or as objects with their exact components."),
    ] = "hex"
    names: Annotated[
        tuple[Named, ...],
        Meta(description="The platforms for which the names of tokens are included."),
    ] = ("css", "android", "ios")
    schema: Annotated[bool, Meta(description="Also write `tokens.schema.json`, and refer to it with `$schema`.")] = (
        False
    )


TARGET = Target("json", "a JSON document", JsonOptions, wide_colors=(("colors", "components"),))
