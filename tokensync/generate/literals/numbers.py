"""Numbers as every target writes them: decimals without an exponent, and the measures that more than one target has."""

from __future__ import annotations

from math import floor, isfinite
from typing import TYPE_CHECKING

from tokensync.tokens import Quantity, float32, shortest

if TYPE_CHECKING:
    from tokensync.tokens import Literal

REM = 16.0
"""Pixels of a root em, where a target has no such unit: the size that browsers start from."""

_WEIGHTS = {
    **dict.fromkeys(("thin", "hairline"), 100.0),
    **dict.fromkeys(("extra-light", "ultra-light"), 200.0),
    "light": 300.0,
    **dict.fromkeys(("normal", "regular", "book"), 400.0),
    "medium": 500.0,
    **dict.fromkeys(("semi-bold", "demi-bold"), 600.0),
    "bold": 700.0,
    **dict.fromkeys(("extra-bold", "ultra-bold"), 800.0),
    **dict.fromkeys(("black", "heavy"), 900.0),
    **dict.fromkeys(("extra-black", "ultra-black"), 950.0),
}
"""Font weights by name (dtcg.md section 4)."""


def decimal(value: Literal) -> str | None:
    """A number; None when the value is none, or not finite."""
    return shortest(value) if type(value) is float and isfinite(value) else None


def share(value: Literal) -> str | None:
    """A percentage as a share of one, exactly: 48 is 0.48."""
    text = decimal(value)
    if text is None:
        return None
    from decimal import Decimal

    shifted = f"{Decimal(text).scaleb(-2):f}"
    return (shifted.rstrip("0").rstrip(".") if "." in shifted else shifted) or "0"


def weight(value: Literal) -> str | None:
    """A font weight, from 1 to 1000 or by its name."""
    return decimal(_WEIGHTS.get(value, value) if type(value) is str else value)


def pixels(value: Literal) -> str | None:
    """A length in pixels (points, dp); a rem counts 16."""
    if type(value) is Quantity:
        number = {"px": 1.0, "rem": REM}.get(value.unit, 0.0) * value.number
        return shortest(float32(number)) if value.unit in ("px", "rem") and isfinite(number) else None
    return decimal(value)


def channel(component: float) -> int:
    """A colour component of 0 to 1 as 0 to 255, halves upward."""
    return min(255, max(0, floor(component * 255 + 0.5)))
