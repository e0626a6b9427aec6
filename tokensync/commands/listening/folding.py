"""Events on their way to a command: a burst of publications becomes one run, everything else a run an event."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

FOLDED: Final = "LIBRARY_PUBLISH"
"""A publication is an event for each kind of asset, and several libraries are often published together."""
QUIET_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 30.0
"""A burst that does not end is cut here, so that the command runs at all."""
_MOST_EVENTS: Final = 10_000
_MOST_BYTES: Final = 64 * 1024 * 1024

Event = dict[str, Any]


class Burst(NamedTuple):
    """Events of one type for one run of the command, in the order in which they came."""

    event_type: str
    events: tuple[Event, ...]


class _Waiting:
    def __init__(self, event_type: str, now: float) -> None:
        self.event_type = event_type
        self.events: list[Event] = []
        self.size = 0
        self.first = self.last = now

    @property
    def due(self) -> float:
        if self.event_type != FOLDED:
            return self.first
        return min(self.last + QUIET_SECONDS, self.first + LONGEST_SECONDS)


class Folding:
    """Takes events from any thread and gives bursts to one. ``clock`` is in seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waiting: list[_Waiting] = []
        self._changed = threading.Condition()

    def add(self, event_type: str, event: Event, size: int) -> bool:
        """Keep an event of ``size`` bytes; False when too much waits already."""
        with self._changed:
            if self.count >= _MOST_EVENTS or sum(each.size for each in self._waiting) + size > _MOST_BYTES:
                return False
            now = self._clock()
            if event_type == FOLDED:
                folded = next((each for each in self._waiting if each.event_type == FOLDED), None)
            else:
                folded = None
            if folded is None:
                folded = _Waiting(event_type, now)
                self._waiting.append(folded)
            folded.events.append(event)
            folded.size += size
            folded.last = now
            self._changed.notify()
            return True

    def next(self, patience: float) -> Burst | None:
        """Return the next burst that is complete, waited for at most so many seconds."""
        deadline = self._clock() + patience
        with self._changed:
            while True:
                now = self._clock()
                complete = next((each for each in self._waiting if each.due <= now), None)
                if complete is not None:
                    self._waiting.remove(complete)
                    return Burst(complete.event_type, tuple(complete.events))
                until = min([deadline, *(each.due for each in self._waiting)])
                if now >= deadline:
                    return None
                self._changed.wait(until - now)

    @property
    def count(self) -> int:
        """Return how many events wait."""
        return sum(len(each.events) for each in self._waiting)
