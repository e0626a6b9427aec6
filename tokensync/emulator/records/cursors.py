"""Where a page of records ended: a time and a number."""

from __future__ import annotations

from typing import Final

from tokensync.emulator.endpoints import cursors

_LARGEST: Final = 2**62
"""What SQLite can hold as a number."""


def written(time: float, number: int) -> str:
    """Return the cursor after the record of this time and number."""
    return cursors.written(time, number)


def read(cursor: str) -> tuple[float, int]:
    """Return the time and the number of a cursor; a text that is none is refused."""
    time, number = cursors.read(cursor, 2)
    if type(time) not in (int, float) or type(number) is not int or not max(abs(time), abs(number)) < _LARGEST:
        raise cursors.refused()
    return float(time), number
