"""Booleans as nearly every language has them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokensync.tokens import Literal


def word(value: Literal) -> str | None:
    """``true`` or ``false``; None for what is no boolean."""
    return str(value).lower() if type(value) is bool else None
