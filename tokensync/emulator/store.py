"""The state of the emulator: one SQLite database, its clock, and the keys made from its seed."""

from __future__ import annotations

import atexit
import hashlib
import os
import sqlite3
import threading
import time
import zlib
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


_WAIT_FOR_THE_WRITER_SECONDS = 60.0
_EMPTY_STATE = threading.Lock()


def _statements() -> tuple[str, ...]:
    """Return the statements of schema.sql without its comments, so that a comment does not change the version."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema.sql"), encoding="utf-8") as file:
        lines = "".join(line for line in file if line.strip() and not line.startswith("--"))
    return tuple(lines.strip().rstrip(";").split(";\n"))


STATEMENTS: Final = _statements()
VERSION: Final = zlib.crc32("\n".join(STATEMENTS).encode()) & 0x7FFFFFFF
"""SQLite's ``user_version`` of the layout: a state of any other layout is refused, so nobody has to count versions."""


class Store:
    """Hands out transactions. ``path`` is a SQLite file, made when absent; None keeps the state in memory."""

    def __init__(self, path: str | None) -> None:
        if path in ("", ":memory:"):  # which SQLite takes for a state that ends with its connection
            raise UsageError(f"{path!r}: no file for the emulator's state; name one, or leave it out for memory")
        self._path = path
        self._whole_path = None if path is None else os.path.abspath(path)
        """Which SQLite takes for no address, as it does with the name file:x, and which is the same in every folder."""
        self._writer = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._memory: sqlite3.Connection | None = None
        if path is None:
            self._memory = self._open()
            with _EMPTY_STATE:
                _empty_state().backup(self._memory)
        else:
            self._prepare()

    @property
    def shared(self) -> bool:
        """Return whether other processes may have the state open, too."""
        return self._path is not None

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A transaction that sees one state throughout and changes nothing."""
        if self._memory is not None:
            with self.writing() as connection:
                yield connection
            return
        connection = self._borrow()
        try:
            connection.execute("BEGIN")
            yield connection
        finally:
            connection.rollback()
            self._idle.append(connection)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that is kept when the block ends well and undone when it raises."""
        with self._writer:
            connection = self._memory or self._borrow()
            try:
                connection.execute("BEGIN IMMEDIATE")
                yield connection
                connection.commit()
            except BaseException:
                connection.rollback()
                raise
            finally:
                if self._memory is None:
                    self._idle.append(connection)

    def close(self) -> None:
        """Close every idle connection; the store is not used afterwards."""
        if self._memory is not None:
            self._memory.close()
        while self._idle:
            self._idle.pop().close()

    def _borrow(self) -> sqlite3.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return self._open()

    def _open(self) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                self._whole_path or ":memory:",
                timeout=_WAIT_FOR_THE_WRITER_SECONDS,
                isolation_level=None,
                check_same_thread=False,
            )
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter where a damaged file has no text for an error
            what = f"not usable as the emulator's state ({error})"
            raise UsageError(f"{self._path}: {what}; name another file") from None
        return connection

    def _prepare(self) -> None:
        """Make the tables of a new state; refuse one that another version or another program wrote."""
        with self.writing() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if version == 0 and tables == 0:
                _lay_out(connection)
            elif version != VERSION:
                raise UsageError(f"{self._path}: not a state of this emulator; remove the file or name another")


def _lay_out(connection: sqlite3.Connection) -> None:
    for statement in STATEMENTS:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


@cache
def _empty_state() -> sqlite3.Connection:
    """Return a state without anything in it: to copy one takes a fifth of the time that making its tables does."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    atexit.register(connection.close)
    connection.execute("BEGIN")
    _lay_out(connection)
    connection.commit()
    return connection


def value_of(connection: sqlite3.Connection, name: str) -> str | None:
    """Return the value that was last kept under this name; None for none."""
    row = connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def keep(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Keep a value under a name, in place of the one that was there."""
    connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))


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
        keep(connection, _OFFSET, repr(offset))
        self._offset, self._read_at = offset, self._elapsed()


def _check(now: float) -> None:
    """Refuse a time that answers could not tell as a date."""
    if not 0 <= now <= _LATEST:
        raise UsageError(f"{now:.0f}: the emulator's clock goes from the year 1970 to 9000; give a time between")


def _offset(connection: sqlite3.Connection) -> float:
    return float(value_of(connection, _OFFSET) or 0.0)


class Identities:
    """Makes keys and secrets from ``seed``, a text that tells one emulator from another."""

    def __init__(self, seed: str) -> None:
        self._seed = seed

    def key(self, *what: str) -> str:
        """40 hexadecimal digits, as the platform's keys have."""
        return hashlib.sha1("\0".join((self._seed, *what)).encode(), usedforsecurity=False).hexdigest()

    def secret(self, *what: str) -> str:
        """Return an access token's text. It opens an emulator only, so it may be foreseeable."""
        return "figd_emulator_" + hashlib.sha256("\0".join((self._seed, *what)).encode()).hexdigest()[:32]


LIVE: Final = 0
DELETED: Final = 1
"""Deleted by a request; kept as long as something refers to it."""
HELD: Final = 2
"""Came as deletedButReferenced with a seed: what refers to it (a document's layers) is not known here, so it stays."""
REMOTE: Final = 3
"""A copy of what another file, a library, has published."""
