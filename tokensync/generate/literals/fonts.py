"""Font families: a text as the platform keeps it, or a DTCG array."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.tokens import Composite
from tokensync.tokens.composites import decoded

if TYPE_CHECKING:
    from tokensync.tokens import Literal


def families(value: Literal) -> list[str] | None:
    """The names of a comma list or of an array, without quotes; None when the value is neither."""
    if type(value) is str:
        return [bare for each in value.split(",") if (bare := each.strip().strip("\"'"))]
    if type(value) is Composite:
        named = _decoded(value)
        return named if isinstance(named, list) and all(isinstance(each, str) for each in named) else None
    return None


def texts_within(value: Composite) -> str:
    """The names of fonts in an array or a text style, one after the other."""
    named = _decoded(value)
    if isinstance(named, dict):
        named = named.get("fontFamily")
    several = named if isinstance(named, list) else [named]
    return "".join(each for each in several if isinstance(each, str))


def _decoded(value: Composite) -> Any:
    try:
        return decoded(value.json)
    except (ValueError, RecursionError):
        return None


def listed(value: Literal) -> str | None:
    """The families as one text: as it is, or an array's names joined by commas."""
    if type(value) is str:
        return value
    several = families(value)
    return None if several is None else ", ".join(several)
