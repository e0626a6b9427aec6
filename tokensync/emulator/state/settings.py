"""Named values of the state that are of no table of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3


def value_of(connection: sqlite3.Connection, name: str) -> str | None:
    """Return the value that was last kept under this name; None for none."""
    row = connection.execute("SELECT value FROM settings WHERE name = ?", (name,)).fetchone()
    return None if row is None else str(row[0])


def keep(connection: sqlite3.Connection, name: str, value: str) -> None:
    """Keep a value under a name, in place of the one that was there."""
    connection.execute("INSERT OR REPLACE INTO settings VALUES (?, ?)", (name, value))
