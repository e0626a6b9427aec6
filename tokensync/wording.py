"""How messages show long texts, long lists and counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

NAME = 60
"""Characters of a name that a message shows: enough to find it by."""


def shortened(text: str, longest: int = NAME) -> str:
    """Return at most ``longest`` characters of a text; the last one is an ellipsis where the text is cut."""
    return text if len(text) <= longest else f"{text[: longest - 1]}\N{HORIZONTAL ELLIPSIS}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """Return ``a, b, c``; beyond ``most`` of them, ``a, b, c and 2 more``."""
    more = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def listed_once(names: Sequence[str], most: int = 10) -> str:
    """Return ``a; b``, each once; beyond ``most`` of them, ``a; b; and 2 more``. For texts that may hold commas."""
    known = tuple(dict.fromkeys(names))
    more = f"; and {len(known) - most} more" if len(known) > most else ""
    return "; ".join(known[:most]) + more


def counted(number: int, noun: str) -> str:
    """Return ``1 token`` or ``1,200 tokens``."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
