"""Time and chance as the client sees them, so that tests need neither."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable


def _fraction() -> float:
    """A random number from 0 up to 1; the module is loaded by the first retry only."""
    from random import random

    return random()  # noqa: S311 - jitter is no secret


class Clock(NamedTuple):
    """``now`` is seconds since 1970 (for dates), ``elapsed`` never goes back, ``random`` is from 0 up to 1."""

    now: Callable[[], float] = time.time
    elapsed: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = _fraction
