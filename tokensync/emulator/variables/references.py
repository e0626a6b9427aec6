"""Aliases between the variables of a file, and deletion of variables and collections."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator.store import DELETED, LIVE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from tokensync.emulator.variables.draft import Collection, Draft, Variable


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
    """Yield the ids that a value aliases, itself or in a nested value such as a composed color."""
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
    """Return whether a chain of aliases, possibly empty, leads from one variable to another."""
    if start == end:
        return True
    if connection.execute(_REFERRED_TO, (file, end)).fetchone() is None:
        return False  # most variables have no references; skipping the search keeps large requests fast
    return connection.execute(_LEADS_TO, (file, start, end)).fetchone() is not None


def record(connection: sqlite3.Connection, file: int, source: str, mode: str, value: Any) -> None:
    """Record the aliases in a variable's value for a mode; None removes them."""
    connection.execute("DELETE FROM aliases WHERE file = ? AND source = ? AND mode = ?", (file, source, mode))
    for target in targets(value):
        connection.execute("INSERT OR IGNORE INTO aliases VALUES (?, ?, ?, ?)", (file, source, mode, target))


_UNREFERENCED: Final = """
SELECT id, collection FROM variables WHERE file = ?1 AND state = 1 AND NOT EXISTS (
    SELECT 1 FROM aliases WHERE aliases.file = ?1 AND target = variables.id AND source <> variables.id)
"""
_EMPTY_COLLECTIONS: Final = """
SELECT id FROM collections WHERE file = ?1 AND state = 1 AND NOT EXISTS (
    SELECT 1 FROM variables WHERE variables.file = ?1 AND collection = collections.id)
"""


def delete_variable(draft: Draft, variable: Variable) -> None:
    """Mark a live variable as deleted and release its name."""
    draft.names(variable.collection)[variable.name] -= 1
    variable.state = DELETED
    variable.document["deletedButReferenced"] = True
    variable.is_changed = True


def delete_collection(draft: Draft, collection: Collection) -> None:
    """Delete a collection with its variables and extensions."""
    for extension in reversed(draft.extensions(collection)):
        _drop_extension(draft, extension)
    if collection.parent is not None:
        _drop_extension(draft, collection)
        return
    for variable in draft.variables_of(collection):
        if variable.state == LIVE:
            delete_variable(draft, variable)
    collection.state = DELETED
    collection.document["deletedButReferenced"] = True
    collection.is_changed = True


def sweep(draft: Draft) -> None:
    """Drop the deleted variables and collections without references, once the changes are stored.

    Dropping a variable removes its own references, so it may make others unreferenced.
    """
    dropped: dict[str, set[str]] = {}
    file = draft.file.number
    while rows := draft.connection.execute(_UNREFERENCED, (file,)).fetchall():
        for id_, collection in rows:
            draft.drop_variable(id_)
            draft.connection.execute("DELETE FROM aliases WHERE file = ? AND source = ?", (file, id_))
            dropped.setdefault(collection, set()).add(id_)
    for id_, variables in dropped.items():
        _remove_from_collection(draft, draft.collection(id_), variables)
    draft.save()
    for (id_,) in draft.connection.execute(_EMPTY_COLLECTIONS, (file,)).fetchall():
        collection = draft.collection(id_)
        if collection is not None:
            draft.drop_collection(collection)


def _remove_from_collection(draft: Draft, collection: Collection | None, variables: set[str]) -> None:
    """Remove variables from the lists and overrides of their collection and its extensions."""
    if collection is None:
        return
    for each in (collection, *draft.extensions(collection)):
        for member in ("variableIds", "inheritedVariableIds"):
            if member in each.document:
                each.document[member] = [id_ for id_ in each.document[member] if id_ not in variables]
        if each.parent is not None:
            for id_ in variables & each.overrides.keys():
                del each.overrides[id_]
        each.is_changed = True


def _drop_extension(draft: Draft, collection: Collection) -> None:
    for variable, values in collection.overrides.items():
        for mode in values:
            record(draft.connection, draft.file.number, variable, mode, None)
    draft.drop_collection(collection)
