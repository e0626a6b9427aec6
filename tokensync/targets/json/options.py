"""Options of a json output."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class JsonOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the document tells.

    ``colors`` are ``#rrggbb`` and ``#rrggbbaa``, or objects with the exact components of 0 to 1. ``names`` are the
    platforms whose names of each token are told. ``schema`` tells whether the document's schema is written beside it.
    """

    colors: Literal["hex", "components"] = "hex"
    names: tuple[Literal["css", "scss", "typescript", "android", "compose", "ios"], ...] = ("css", "android", "ios")
    schema: bool = False
