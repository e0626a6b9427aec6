"""The emulator's state in SQLite: one transaction a request, readers beside one writer.

A state in a file is kept in write-ahead mode: readers go on while a request writes, and a killed process loses no
request that was answered. A state in memory has a single connection, so its requests take turns.
Documents (variables, collections) are kept as the JSON text they came as; the columns beside them are what rules ask.
"""

from __future__ import annotations

import atexit
import os
import sqlite3
import threading
import zlib
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, Final

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

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
