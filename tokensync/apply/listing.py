"""Lists in messages: the first few, and how many more there are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_SHOWN = 10


def listed(names: Sequence[str]) -> str:
    """Names as a message shows them, each once."""
    known = tuple(dict.fromkeys(names))
    more = f"; and {len(known) - _SHOWN} more" if len(known) > _SHOWN else ""
    return "; ".join(known[:_SHOWN]) + more
