"""How messages show texts that may be long, and numbers of things."""

from __future__ import annotations

NAME = 60
"""Characters of a name that a message shows: enough to find it by, whatever somebody has typed."""


def shortened(text: str, longest: int = NAME) -> str:
    """At most ``longest`` characters of a text; the last one is an ellipsis when something is left out."""
    return text if len(text) <= longest else f"{text[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"


def counted(number: int, noun: str) -> str:
    """``1 token``, ``1,200 tokens``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
