"""Endpoints that answer a token only so often a second, whatever its plan (platform-api.md 4.9)."""

from __future__ import annotations

import threading
from collections import deque

from tokensync.emulator.endpoints.refusal import Refusal

_FORGET_AT = 10_000


class Bursts:
    """Counts the requests of the last second. Safe to ask from several threads; nothing of it outlives the process."""

    def __init__(self) -> None:
        self._times: dict[tuple[str, str], deque[float]] = {}
        self._lock = threading.Lock()

    def take(self, path: str, secret: str, most: int, now: float) -> None:
        """Count a request of an endpoint, or refuse it with 429 when the second before ``now`` had ``most``."""
        with self._lock:
            if len(self._times) >= _FORGET_AT:
                self._times = {who: times for who, times in self._times.items() if times and times[-1] > now - 1}
            times = self._times.setdefault((path, secret), deque())
            while times and not now - 1 < times[0] <= now:  # a clock that was put back frees, too
                times.popleft()
            if len(times) >= most:
                raise Refusal(429, f"Rate limit exceeded: {most} requests a second", (("Retry-After", "1"),))
            times.append(now)
