"""Where a page of records ended: a time and a number, as a text that tells nobody what it is made of."""

from __future__ import annotations

import base64
import json

from tokensync.emulator.endpoints.refusal import invalid


def written(time: float, number: int) -> str:
    """The cursor after the record of this time and number."""
    return base64.urlsafe_b64encode(json.dumps([time, number]).encode()).decode()


def read(cursor: str) -> tuple[float, int]:
    """The time and the number of a cursor; a text that is none is refused."""
    try:
        time, number = json.loads(base64.b64decode(cursor.encode("ascii"), b"-_", validate=True))
    except (ValueError, TypeError, RecursionError):
        raise invalid("Invalid cursor") from None
    if type(time) not in (int, float) or type(number) is not int or not max(abs(time), abs(number)) < _LARGEST:
        raise invalid("Invalid cursor")
    return float(time), number


_LARGEST = 2**62
"""What SQLite can hold as a number."""
