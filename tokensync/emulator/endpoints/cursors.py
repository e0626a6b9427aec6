"""Cursors: JSON values as a text that tells nobody what it is made of."""

from __future__ import annotations

import base64
import json
from typing import Any

from tokensync.emulator.endpoints.refusal import Refusal, invalid


def written(*values: Any) -> str:
    """Return the cursor that holds these values."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()


def read(cursor: str, length: int) -> list[Any]:
    """As many values as ``length``, of any kind, since callers can make cursors up; any other text is refused."""
    try:
        values = json.loads(base64.b64decode(cursor.encode("ascii"), b"-_", validate=True))
    except (ValueError, RecursionError):
        raise refused() from None
    if not isinstance(values, list) or len(values) != length:
        raise refused()
    return values


def refused() -> Refusal:
    """400: the cursor came with no answer of ours."""
    return invalid("Invalid cursor")
