"""Files: their folder, editor, plan, version and branches."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.emulator import people, teams
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3


DESIGN_EDITOR: Final = "figma"
EDITORS: Final = ("figma", "figjam", "slides", "buzz", "sites", "make")

EMPTY_ENVELOPE: Final = b'"status":200,"error":false'
"""The members of an answer beside ``meta``, as JSON text without the braces."""


class File(NamedTuple):
    """A file. ``main`` is the number of a branch's main file, else None; ``folder`` is the id of its folder.

    ``version`` increases with every edit. Times are Unix seconds.
    """

    number: int
    key: str
    name: str
    editor: str
    plan: str
    main: int | None
    folder: str
    version: int
    created: float
    modified: float


COLUMNS: Final = "number, key, name, editor, plan, main, folder, version, created, modified"


def find(connection: sqlite3.Connection, key: str) -> File | None:
    """Return the file with this key."""
    row = connection.execute(f"SELECT {COLUMNS} FROM files WHERE key = ?", (key,)).fetchone()  # noqa: S608
    return None if row is None else File(*row)


def by_number(connection: sqlite3.Connection, number: int | None) -> File | None:
    """Return the file with this number."""
    row = connection.execute(f"SELECT {COLUMNS} FROM files WHERE number = ?", (number,)).fetchone()  # noqa: S608
    return None if row is None else File(*row)


def in_folder(connection: sqlite3.Connection, folder: str) -> tuple[File, ...]:
    """Return the main files of a folder in order of creation."""
    query = f"SELECT {COLUMNS} FROM files WHERE folder = ? AND main IS NULL ORDER BY number"  # noqa: S608
    return tuple(File(*row) for row in connection.execute(query, (folder,)))


def branches(connection: sqlite3.Connection, main: int) -> tuple[File, ...]:
    """Return the branches of a main file, by its number, in order of creation."""
    query = f"SELECT {COLUMNS} FROM files WHERE main = ? ORDER BY number"  # noqa: S608
    return tuple(File(*row) for row in connection.execute(query, (main,)))


def touch(connection: sqlite3.Connection, number: int, now: float) -> None:
    """Record an edit: increase the version, and schedule FILE_UPDATE for when the file has been idle long enough."""
    connection.execute("UPDATE files SET version = version + 1, modified = ? WHERE number = ?", (now, number))
    connection.execute("INSERT OR REPLACE INTO edits VALUES (?, ?)", (number, now))


def is_key(text: str) -> bool:
    """Return whether a text has the form of a file key: letters, digits, '-' and '_'."""
    return bool(text) and text.isascii() and all(character.isalnum() or character in "-_" for character in text)


def require(connection: sqlite3.Connection, key: str) -> File:
    """Return the file with this key, or raise UsageError."""
    file = find(connection, key)
    if file is None:
        raise UsageError(f"{key}: the emulator has no such file; seed or create it first")
    return file


def add(connection: sqlite3.Connection, key: str, name: str, now: float, folder: str = teams.DRAFTS) -> int:
    """Create a file and return its number."""
    if not is_key(key):
        raise UsageError(f"{key!r}: not a file key; use letters, digits, '-' and '_'")
    if find(connection, key) is not None:
        raise UsageError(f"{key}: the emulator already has a file with this key; use another key")
    cursor = connection.execute(
        "INSERT INTO files (key, name, editor, plan, folder, created, modified,"
        " envelope, extras, published_envelope, published_extras) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (key, name, DESIGN_EDITOR, people.ENTERPRISE, folder, now, now, EMPTY_ENVELOPE, b"", EMPTY_ENVELOPE, b""),
    )
    return cursor.lastrowid or 0
