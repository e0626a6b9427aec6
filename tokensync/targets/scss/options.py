"""Options of a scss output."""

from __future__ import annotations

from msgspec import Struct


class ScssOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """``maps`` tells whether the maps of tokens and themes, and what looks them up, follow the variables."""

    maps: bool = True
