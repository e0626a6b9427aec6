"""The emulator's state: a SQLite database, a clock, and derived keys and secrets."""

from __future__ import annotations

import atexit
import base64
import hashlib
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import cache
from itertools import starmap
from pathlib import Path
from typing import Any, Final, TypeVar

import msgspec

from tokensync.system.disk import create_file, status_of
from tokensync.system.errors import UsageError

Row = TypeVar("Row")

_WAIT_FOR_THE_WRITER_SECONDS = 60.0
_EMPTY_STATE = threading.Lock()
_SMALLEST_DATABASE: Final = 512
"""Bytes: the smallest page of a database."""


def _statements() -> tuple[str, ...]:
    """Return the statements of schema.sql. Comments are removed, since they must not change the version."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "schema.sql"), encoding="utf-8") as file:
        lines = "".join(line for line in file if line.strip() and not line.startswith("--"))
    return tuple(lines.strip().rstrip(";").split(";\n"))


STATEMENTS: Final = _statements()
VERSION: Final = zlib.crc32("\n".join(STATEMENTS).encode()) & 0x7FFFFFFF
"""SQLite's ``user_version``: a checksum of the schema, so that state with another schema is refused."""


class StateError(UsageError):
    """The state cannot be read or written: a damaged file, a full disk, or a writer that holds the lock too long."""

    exit_code = 1

    def __init__(self, path: str | None, reason: object) -> None:
        what = f"{path or 'memory'}: not usable as the emulator's state ({reason})"
        super().__init__(f"{what}; free disk space, or restore a damaged file, or remove it and seed it again")


_UNREADABLE: Final = (sqlite3.Error, msgspec.DecodeError, UnicodeDecodeError)
"""What a damaged state leads to: errors of SQLite, and documents that cannot be decoded."""


class Connection(sqlite3.Connection):
    """A connection that keeps the last large answer: tests read the same file again and again."""

    _kept: tuple[tuple[object, ...], bytes] | None = None

    def once(self, answer: Callable[..., bytes], *arguments: Any) -> bytes:
        """Return the answer to these arguments, made once for as long as no connection changes the state."""
        (others,) = self.execute("PRAGMA data_version").fetchone()
        key = (answer, arguments, self.total_changes, others)
        if self._kept is None or self._kept[0] != key:
            self._kept = (key, answer(self, *arguments))
        return self._kept[1]

    def forget(self) -> None:
        """Drop the answer that is kept."""
        self._kept = None


class Store:
    """Provides transactions. ``path`` is a SQLite file, created if missing, or None for memory.

    The state contains passcodes of webhooks and secrets of OAuth apps, so only this user can read a new file.

    ``follow_links`` is False for a path in a checkout, which could redirect it.
    """

    def __init__(self, path: str | None, *, follow_links: bool = True) -> None:
        if path in ("", ":memory:"):  # for SQLite, a database that lives only as long as its connection
            raise UsageError(f"{path!r}: not a file for the emulator's state; name one, or omit it for memory")
        self._path = path
        # SQLite would take a relative path such as "file:x" for a URI.
        self._absolute_path = None if path is None else os.path.abspath(path)
        self._follow_links = follow_links or path is None
        self._writer = threading.Lock()
        self._idle: list[Connection] = []
        self._memory: Connection | None = None
        self.is_closed = False
        if path is None:
            self._memory = self._open()
            with _EMPTY_STATE:
                _empty_state().backup(self._memory)
        else:
            try:
                self._prepare()
            except BaseException:
                self.close()
                raise

    @property
    def shared(self) -> bool:
        """Return whether other processes may also use the state."""
        return self._path is not None

    def reading(self) -> AbstractContextManager[Connection]:
        """Return a read-only transaction with a consistent view of the state."""
        return self._reading() if self._memory is None else self.writing()

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        connection = self._borrow()
        with self._errors():
            try:
                connection.execute("BEGIN")
                yield connection
            finally:
                connection.rollback()
                self._idle.append(connection)

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Yield a transaction that is committed at the end, or rolled back if the block raises."""
        with self._writer, self._errors():
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

    @contextmanager
    def _errors(self) -> Iterator[None]:
        """Raise StateError, which names the state, in place of the errors of a damaged one."""
        try:
            yield
        except _UNREADABLE as error:
            raise StateError(self._path, error) from error

    def copy(self) -> sqlite3.Connection:
        """Return a copy of the state in memory."""
        copied = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        with self._outside_transactions() as connection:
            connection.backup(copied)
        return copied

    def replace(self, copied: sqlite3.Connection) -> None:
        """Replace the state by a copy, which stays as it is."""
        with self._outside_transactions() as connection:
            copied.backup(connection)
            connection.forget()

    @contextmanager
    def _outside_transactions(self) -> Iterator[Connection]:
        """Yield a connection that no thread has a transaction on: a copy would wait for its end, without a limit."""
        with self._writer, self._errors():
            connection = self._memory or self._borrow()
            try:
                yield connection
            finally:
                if self._memory is None:
                    self._idle.append(connection)

    def close(self) -> None:
        """Close all connections, after the transaction that runs. The store cannot be used afterwards."""
        with self._writer:  # to close a connection that another thread uses ends the process
            self.is_closed = True
            if self._memory is not None:
                self._memory.close()
            while self._idle:
                self._idle.pop().close()

    def _borrow(self) -> Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return self._open()

    def _open(self) -> Connection:
        self._refuse_other_file()
        if self._follow_links and self._absolute_path is not None:
            real = os.path.realpath(self._absolute_path)
            if os.path.isdir(os.path.dirname(real)):
                with suppress(OSError):  # it exists, or SQLite reports why it cannot be created
                    create_file(real, b"", private=True)
        connection: Connection | None = None
        try:
            connection = sqlite3.connect(
                self._existing() if not self._follow_links else self._absolute_path or ":memory:",
                timeout=_WAIT_FOR_THE_WRITER_SECONDS,
                isolation_level=None,
                check_same_thread=False,
                uri=not self._follow_links,
                factory=Connection,
            )
            if not self._follow_links:
                self._refuse_link(connection)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except (sqlite3.Error, UnicodeDecodeError) as error:  # the latter if a damaged file garbles SQLite's message
            if connection is not None:
                connection.close()
            raise UsageError(f"{self._path}: not usable as the emulator's state ({error}); name another file") from None
        return connection

    def _refuse_other_file(self) -> None:
        """Raise UsageError for a file that is too small for a database. SQLite would overwrite it.

        The file must not be opened here: closing it would release the locks of this process's connections, and another
        process could then delete the log that these write to (SQLite, How To Corrupt, 2.2).
        """
        with suppress(OSError):
            if 0 < os.stat(self._absolute_path or os.devnull).st_size < _SMALLEST_DATABASE:
                raise UsageError(
                    f"{self._path}: not usable as the emulator's state (file is not a database); name another file"
                )

    def _existing(self) -> str:
        """Return a URI that creates no file, after creating it without following links. SQLite would follow them."""
        path = str(self._absolute_path)
        if not os.path.lexists(path):
            with suppress(FileExistsError):
                create_file(path, b"", private=True)
        return f"{Path(path).as_uri()}?mode=rw"

    def _refuse_link(self, connection: Connection) -> None:
        """Close a connection that has a link in its path, before it reads or writes.

        SQLite opens its files by name. So a link that appears after this and before the first statement is followed.
        """
        path = str(self._absolute_path)
        try:
            if os.path.samestat(status_of(path), os.stat(path)):
                return
        except OSError:
            connection.close()
            raise
        connection.close()
        raise UsageError(f"{self._path}: the file was just replaced; run the command again")

    def _prepare(self) -> None:
        """Create the tables of a new state; refuse state of another version or program, and damaged state.

        Damage inside texts and numbers is found when they are used.
        """
        with self.writing() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if version == 0 and tables == 0:
                _create_tables(connection)
            elif version != VERSION:
                raise UsageError(f"{self._path}: not a state of this emulator; remove the file or name another")
            else:
                (found,) = connection.execute("PRAGMA quick_check(1)").fetchone()
                if found != "ok":
                    raise StateError(self._path, str(found).splitlines()[-1])


def _create_tables(connection: sqlite3.Connection) -> None:
    for statement in STATEMENTS:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {VERSION}")


@cache
def _empty_state() -> sqlite3.Connection:
    """Return an empty state. Copying it takes a fifth of the time of creating the tables."""
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    atexit.register(connection.close)
    connection.execute("BEGIN")
    _create_tables(connection)
    connection.commit()
    return connection


def rows(connection: sqlite3.Connection, kind: Callable[..., Row], which: str, *values: Any) -> Iterator[Row]:
    """Yield the rows of a table as named tuples with its columns. ``which`` is the table and the conditions."""
    columns = ", ".join(kind._fields)  # type: ignore[attr-defined]
    return starmap(kind, connection.execute(f"SELECT {columns} FROM {which}", values))  # noqa: S608 - our own words


def required(found: Row | None, message: str) -> Row:
    """Return what was found. Raises UsageError with a message for nothing."""
    if found is None:
        raise UsageError(message)
    return found


def value_of(connection: sqlite3.Connection, name: str) -> str | None:
    """Return the setting with this name, or None."""
    row = connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def set_value(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Set the setting with this name."""
    connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))


_OFFSET: Final = "clock offset"
_STOPPED: Final = "clock stopped"
_FRESH_SECONDS: Final = 0.1
_LONGEST_SECONDS: Final = 100 * 365 * 86400.0
_LATEST: Final = 221_845_392_000.0
"""The year 9000 in Unix seconds. Dates computed from it, such as a token's expiry, can still be represented."""


class Clock:
    """A callable clock that all processes of a state share, in Unix seconds: ``base`` plus an offset, or stopped.

    A change by another process is seen within a tenth of a second of ``elapsed``, a change by this object at once.
    """

    def __init__(
        self, store: Store, base: Callable[[], float] = time.time, elapsed: Callable[[], float] = time.monotonic
    ) -> None:
        self._store = store
        self.base = base
        """The time without the offset, used for leases between processes."""
        self._elapsed = elapsed
        self._offset = 0.0
        self._stopped: float | None = None
        self._read_at: float | None = None

    def __call__(self) -> float:
        """Return the emulator's time in Unix seconds."""
        if self._store.shared:  # state in memory is changed by this object only, and cannot be read during a request
            elapsed = self._elapsed()
            if self._read_at is None or elapsed - self._read_at > _FRESH_SECONDS:
                self.read()
        return self._now()

    def _now(self) -> float:
        return self.base() + self._offset if self._stopped is None else self._stopped

    def read(self) -> None:
        """Read the clock from the state."""
        with self._store.reading() as connection:
            self._read_from(connection)

    def advance(self, seconds: float) -> float:
        """Advance the clock by SECONDS, such as 90, 90s, 30m, 3h or 7d. A stopped clock stays stopped."""
        if not 0 <= seconds <= _LONGEST_SECONDS:
            raise UsageError(f"{seconds:g} s: out of range; advance the clock by 0 seconds to 100 years")
        with self._store.writing() as connection:
            self._read_from(connection)
            self._write(connection, self._now() + seconds, stopped=self._stopped is not None)
        return self._now()

    def set(self, now: float) -> None:
        """Set the clock, forwards or backwards, to ``now`` in Unix seconds; it runs on from there."""
        with self._store.writing() as connection:
            self._write(connection, now, stopped=False)

    def stop(self, now: float | None = None) -> None:
        """Stop the clock at ``now`` in Unix seconds, by default at its present time."""
        with self._store.writing() as connection:
            self._read_from(connection)
            self._write(connection, self._now() if now is None else now, stopped=True)

    def _read_from(self, connection: sqlite3.Connection) -> None:
        offset, stopped = value_of(connection, _OFFSET), value_of(connection, _STOPPED)
        self._offset, self._stopped = float(offset or 0.0), float(stopped) if stopped else None
        self._read_at = self._elapsed()

    def _write(self, connection: sqlite3.Connection, now: float, *, stopped: bool) -> None:
        if not 0 <= now <= _LATEST:
            raise UsageError(f"{now:.0f}: out of range; set the emulator's clock to a time from 1970 to 9000")
        set_value(connection, _OFFSET, repr(now - self.base()))
        set_value(connection, _STOPPED, repr(now) if stopped else "")
        self._read_from(connection)


class Identities:
    """Derives keys from ``seed``, which identifies an emulator, and secrets from ``entropy``, which is random."""

    def __init__(self, seed: str, entropy: str) -> None:
        self._seed = seed
        self._entropy = entropy

    @property
    def mark(self) -> str:
        """Three letters or digits that tell the tokens of this state from those of most others."""
        return self.letters("mark")[:3]

    def letters(self, *parts: str) -> str:
        """Return 32 letters and digits that differ between any two states of the emulator."""
        return base64.b32encode(bytes.fromhex(self.secret(*parts))).decode().lower()

    def key(self, *parts: str) -> str:
        """Return 40 hexadecimal digits, like the platform's keys."""
        return hashlib.sha1("\0".join((self._seed, *parts)).encode(), usedforsecurity=False).hexdigest()

    def secret(self, *parts: str) -> str:
        """Return 40 hexadecimal digits that differ between any two states of the emulator."""
        return hashlib.sha256("\0".join((self._entropy, *parts)).encode()).hexdigest()[:40]


LIVE: Final = 0
DELETED: Final = 1
"""Deleted by a request; stored as long as it is referenced."""
HELD: Final = 2
"""Seeded as deletedButReferenced; stored, since its references (such as layers) are unknown here."""
REMOTE: Final = 3
"""A copy of a published item of another file, a library."""


class StateActions:
    """Plain methods that read and set the state, in place of the platform's editor and administration."""

    def __init__(self, store: Store, identities: Identities, clock: Clock) -> None:
        self._store = store
        self._identities = identities
        self._clock = clock
