"""The files that the emulator knows: their place, editor, plan and branches. Every state is set by a plain method."""

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
    """``main`` is the number of the main file when this one is a branch; ``folder`` is the id of a folder.

    ``version`` goes up with every edit. Times are Unix seconds.
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
    """Return the file of this number; None for none."""
    row = connection.execute(f"SELECT {COLUMNS} FROM files WHERE number = ?", (number,)).fetchone()  # noqa: S608
    return None if row is None else File(*row)


def in_folder(connection: sqlite3.Connection, folder: str) -> tuple[File, ...]:
    """Return the main files of a folder, in the order in which they were made."""
    query = f"SELECT {COLUMNS} FROM files WHERE folder = ? AND main IS NULL ORDER BY number"  # noqa: S608
    return tuple(File(*row) for row in connection.execute(query, (folder,)))


def branches(connection: sqlite3.Connection, main: int) -> tuple[File, ...]:
    """Return the branches of a main file, by its number, in the order in which they were made."""
    query = f"SELECT {COLUMNS} FROM files WHERE main = ? ORDER BY number"  # noqa: S608
    return tuple(File(*row) for row in connection.execute(query, (main,)))


def touch(connection: sqlite3.Connection, number: int, now: float) -> None:
    """Note an edit: a later version, modified now; when half an hour brings no other one, FILE_UPDATE is told."""
    connection.execute("UPDATE files SET version = version + 1, modified = ? WHERE number = ?", (now, number))
    connection.execute("INSERT OR REPLACE INTO edits VALUES (?, ?)", (number, now))


def is_key(text: str) -> bool:
    """Return whether a text can be a key: letters, digits, '-' and '_'."""
    return bool(text) and text.isascii() and all(character.isalnum() or character in "-_" for character in text)


def known(connection: sqlite3.Connection, key: str) -> File:
    """Return the file with this key; a UsageError when there is none."""
    file = find(connection, key)
    if file is None:
        raise UsageError(f"{key}: the emulator has no file of this key; seed or create it first")
    return file


def add(connection: sqlite3.Connection, key: str, name: str, now: float, folder: str = teams.DRAFTS) -> int:
    """Insert a row for a file and return its number."""
    if not is_key(key):
        raise UsageError(f"{key!r}: not a file key; use letters, digits, '-' and '_'")
    if find(connection, key) is not None:
        raise UsageError(f"{key}: the emulator has a file of this key already; use another")
    cursor = connection.execute(
        "INSERT INTO files (key, name, editor, plan, folder, created, modified,"
        " envelope, extras, published_envelope, published_extras) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (key, name, DESIGN_EDITOR, people.ENTERPRISE, folder, now, now, EMPTY_ENVELOPE, b"", EMPTY_ENVELOPE, b""),
    )
    return cursor.lastrowid or 0
