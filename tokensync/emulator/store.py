"""The emulator's state in SQLite: one transaction a request, readers beside one writer.

A state in a file is kept in write-ahead mode: readers go on while a request writes, and a killed process loses no
request that was answered. A state in memory has a single connection, so its requests take turns.
Documents (variables, collections) are kept as the JSON text they came as; the columns beside them are what rules ask.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

LIVE: Final = 0
DELETED: Final = 1
"""Deleted by a request; kept as long as something refers to it."""
HELD: Final = 2
"""Came as deletedButReferenced with a seed: what refers to it (a document's layers) is not known here, so it stays."""
REMOTE: Final = 3

_WAIT_FOR_THE_WRITER_SECONDS = 60.0
_VERSION: Final = 1

_SCHEMA = """
CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE tokens (
    secret TEXT PRIMARY KEY, kind TEXT NOT NULL, scopes TEXT, expires REAL NOT NULL, account TEXT NOT NULL,
    permission TEXT
) WITHOUT ROWID;
CREATE TABLE permissions (secret TEXT, file_key TEXT, permission TEXT, PRIMARY KEY (secret, file_key)) WITHOUT ROWID;
CREATE TABLE files (
    number INTEGER PRIMARY KEY, key TEXT UNIQUE NOT NULL, name TEXT NOT NULL, editor TEXT NOT NULL, plan TEXT NOT NULL,
    main INTEGER REFERENCES files, session INTEGER NOT NULL DEFAULT 1, made INTEGER NOT NULL DEFAULT 0,
    envelope BLOB NOT NULL, extras BLOB NOT NULL, published_envelope BLOB NOT NULL, published_extras BLOB NOT NULL
);
CREATE TABLE collections (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, id TEXT NOT NULL, parent TEXT, state INTEGER NOT NULL,
    changed INTEGER NOT NULL, document BLOB NOT NULL, UNIQUE (file, id)
);
CREATE TABLE variables (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, id TEXT NOT NULL, collection TEXT NOT NULL, name TEXT NOT NULL,
    type TEXT NOT NULL, state INTEGER NOT NULL, changed INTEGER NOT NULL, document BLOB NOT NULL, UNIQUE (file, id)
);
CREATE INDEX variables_of_collection ON variables (file, collection);
CREATE INDEX variables_deleted ON variables (file) WHERE state = 1;
CREATE TABLE aliases (
    file INTEGER, source TEXT, mode TEXT, target TEXT, PRIMARY KEY (file, source, mode, target)
) WITHOUT ROWID;
CREATE INDEX aliases_to ON aliases (file, target);
CREATE TABLE published (
    number INTEGER PRIMARY KEY, file INTEGER NOT NULL, kind TEXT NOT NULL, id TEXT NOT NULL, document BLOB NOT NULL,
    UNIQUE (file, kind, id)
);
"""


class Store:
    """Hands out transactions. ``path`` is a SQLite file, made when absent; None keeps the state in memory."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._writer = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._memory: sqlite3.Connection | None = None
        if path is None:
            self._memory = self._open(":memory:")
        self._prepare()

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
            return self._open(self._path or ":memory:")

    def _open(self, path: str) -> sqlite3.Connection:
        try:
            connection = sqlite3.connect(
                path, timeout=_WAIT_FOR_THE_WRITER_SECONDS, isolation_level=None, check_same_thread=False
            )
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.Error as error:
            raise UsageError(f"{path}: not usable as the emulator's state ({error}); name another file") from None
        return connection

    def _prepare(self) -> None:
        """Make the tables of a new state; refuse one that another version or another program wrote."""
        with self.writing() as connection:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
            if version == 0 and tables == 0:
                for statement in _SCHEMA.split(";\n"):
                    connection.execute(statement)
                connection.execute(f"PRAGMA user_version = {_VERSION}")
            elif version != _VERSION:
                raise UsageError(f"{self._path}: not a state of this emulator; remove the file or name another")
