"""Font families: a text as the platform keeps it, or a DTCG array."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from tokensync.tokens import Composite

if TYPE_CHECKING:
    from tokensync.tokens import Literal


def families(value: Literal) -> list[str] | None:
    """The names of a comma list or of an array, without quotes; None when the value is neither."""
    if type(value) is str:
        return [bare for each in value.split(",") if (bare := each.strip().strip("\"'"))]
    if type(value) is Composite:
        try:
            return msgspec.json.decode(value.json, type=list[str])
        except msgspec.ValidationError:
            return None
    return None


def listed(value: Literal) -> str | None:
    """The families as one text: as it is, or an array's names joined by commas."""
    if type(value) is str:
        return value
    several = families(value)
    return None if several is None else ", ".join(several)
