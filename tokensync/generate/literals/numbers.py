"""Numbers as every target writes them: decimals without an exponent, and the measures that more than one target has."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

from tokensync.tokens import Quantity, float32, shortest

if TYPE_CHECKING:
    from tokensync.tokens import Literal

REM = 16.0
"""Pixels of a root em, where a target has no such unit: the size that browsers start from."""


def decimal(value: Literal) -> str | None:
    """A number; None when the value is none, or not finite."""
    return shortest(value) if type(value) is float and isfinite(value) else None


def share(value: Literal) -> str | None:
    """A percentage as a share of one, exactly: 48 is 0.48."""
    return _shifted(value, -2)


def thousandth(value: Literal) -> str | None:
    """A thousandth, exactly: 250 is 0.25."""
    return _shifted(value, -3)


def _shifted(value: Literal, digits: int) -> str | None:
    text = decimal(value)
    if text is None:
        return None
    from decimal import Decimal

    shifted = f"{Decimal(text).scaleb(digits):f}"
    return (shifted.rstrip("0").rstrip(".") if "." in shifted else shifted) or "0"


def pixels(value: Literal) -> str | None:
    """A length in pixels (points, dp); a rem counts 16."""
    if type(value) is Quantity:
        number = {"px": 1.0, "rem": REM}.get(value.unit, 0.0) * value.number
        return shortest(float32(number)) if value.unit in ("px", "rem") and isfinite(number) else None
    return decimal(value)
