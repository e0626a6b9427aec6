"""Spans of time as people write them."""

from __future__ import annotations

import re
from typing import Final

from tokensync.errors import UsageError

_UNITS: Final = {"s": 1, "m": 60, "min": 60, "h": 3600, "d": 86_400}
_SPAN: Final = re.compile(r"(?:\d+(?:\.\d+)?(?:s|min|m|h|d))+", re.ASCII)
_PART: Final = re.compile(r"(\d+(?:\.\d+)?)(s|min|m|h|d)", re.ASCII)


def seconds(span: str) -> float:
    """Return the seconds in a span of time such as ``90s``, ``30m``, ``3h`` or ``1h30m``; seconds when it has
    no unit.
    """
    if re.fullmatch(r"\d+(?:\.\d+)?", span, re.ASCII):
        return float(span)
    if not _SPAN.fullmatch(span):
        raise UsageError(f"{span}: not a duration; write 90s, 30m, 3h, 7d or 1h30m")
    return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(span))
