"""The emulator's time: a clock that goes on by itself, and how far the state has been moved from it."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final

from tokensync.emulator.state import settings
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tokensync.emulator.state.store import Store

_OFFSET: Final = "clock offset"
_FRESH_SECONDS: Final = 0.1
_LONGEST_SECONDS: Final = 100 * 365 * 86400.0
_LATEST: Final = 221_845_392_000.0
"""Unix seconds: the year 9000. What is dated from then on, such as a token's end, can still be written as a date."""


class Clock:
    """Call it for the emulator's time in Unix seconds: ``base`` and the state's offset, which every process shares.

    An offset that another process sets is seen within a tenth of a second of ``elapsed``; one that is set here at once.
    """

    def __init__(
        self, store: Store, base: Callable[[], float] = time.time, elapsed: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self.base = base
        """The time without the offset: what waits for other processes is counted in."""
        self._elapsed = elapsed
        self._offset = 0.0
        self._read_at: float | None = None

    def __call__(self) -> float:
        """Unix seconds, as the platform sees them."""
        return self.base() + self.offset

    @property
    def offset(self) -> float:
        """Seconds between ``base`` and the emulator's time."""
        if self._store.shared:  # a state in memory is moved by this object alone, and cannot be read amid a request
            elapsed = self._elapsed()
            if self._read_at is None or elapsed - self._read_at > _FRESH_SECONDS:
                with self._store.reading() as connection:
                    self._offset, self._read_at = _offset(connection), elapsed
        return self._offset

    def advance(self, seconds: float) -> float:
        """Let this much time pass at once; the time that it is then."""
        if not 0 <= seconds <= _LONGEST_SECONDS:
            raise UsageError(f"{seconds:g} s: the clock is advanced by 0 seconds to 100 years; give a span between")
        with self._store.writing() as connection:
            offset = _offset(connection) + seconds
            _check(self.base() + offset)
            self._keep(connection, offset)
        return self.base() + self._offset

    def set(self, now: float) -> None:
        """Let it be ``now``, in Unix seconds, from where the clock goes on; it may go back, too."""
        _check(now)
        with self._store.writing() as connection:
            self._keep(connection, now - self.base())

    def _keep(self, connection: sqlite3.Connection, offset: float) -> None:
        settings.keep(connection, _OFFSET, repr(offset))
        self._offset, self._read_at = offset, self._elapsed()


def _check(now: float) -> None:
    """Refuse a time that answers could not tell as a date."""
    if not 0 <= now <= _LATEST:
        raise UsageError(f"{now:.0f}: the emulator's clock goes from the year 1970 to 9000; give a time between")


def _offset(connection: sqlite3.Connection) -> float:
    return float(settings.value_of(connection, _OFFSET) or 0.0)
