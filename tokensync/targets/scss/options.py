"""Options of a scss output."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct


class ScssOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """``maps`` tells whether the maps of tokens and themes, and what looks them up, follow the variables."""

    maps: Annotated[
        bool,
        Meta(
            description="Whether the maps of tokens and themes follow the variables; without them there are no themes."
        ),
    ] = True
