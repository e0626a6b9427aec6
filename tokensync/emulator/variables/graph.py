"""Who aliases whom in a file, kept in the table ``aliases``: a row a source variable, mode and target.

An alias points to a variable and never to a mode, and which mode of the target counts is settled where the value is
used. So a chain of aliases that comes back to its start in any mixture of modes and overrides is taken as a cycle: some
layer's choice of modes could walk it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

ALIAS = "VARIABLE_ALIAS"

_LEADS_TO = """
WITH RECURSIVE reached (id) AS (
    VALUES (?2)
    UNION SELECT target FROM reached JOIN aliases ON file = ?1 AND source = reached.id
)
SELECT 1 FROM reached WHERE id = ?3 LIMIT 1
"""
_REFERRED_TO = "SELECT 1 FROM aliases WHERE file = ? AND target = ? LIMIT 1"


def targets(value: Any) -> Iterator[str]:
    """Yield the ids that a value aliases: it is an alias, or has one in either half of a composed colour, or deeper."""
    if isinstance(value, dict):
        if value.get("type") == ALIAS:
            if isinstance(value.get("id"), str):
                yield value["id"]
            return
        for part in value.values():
            if isinstance(part, (dict, list)):
                yield from targets(part)
    elif isinstance(value, list):
        for part in value:
            yield from targets(part)


def leads_to(connection: sqlite3.Connection, file: int, start: str, end: str) -> bool:
    """Return whether a chain of aliases, of any length from 0, goes from one variable to another."""
    if start == end:
        return True
    if connection.execute(_REFERRED_TO, (file, end)).fetchone() is None:
        return False  # nothing refers to most variables: without a walk, many values in one request stay cheap
    return connection.execute(_LEADS_TO, (file, start, end)).fetchone() is not None


def record(connection: sqlite3.Connection, file: int, source: str, mode: str, value: Any) -> None:
    """The value of a variable in a mode (its own or an extended one) is now this; None when it has none any more."""
    connection.execute("DELETE FROM aliases WHERE file = ? AND source = ? AND mode = ?", (file, source, mode))
    for target in targets(value):
        connection.execute("INSERT OR IGNORE INTO aliases VALUES (?, ?, ?, ?)", (file, source, mode, target))
