"""Variables of a published library in the files that use it: remote copies under their subscribed ids (2.4, 2.6).

A copy is what the library held when it was published, with its ids in the form ``VariableID:<key>/<n>:<n>``. A copy
stays as it is when the library is published again, until the file takes the update.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.emulator.filing import files
from tokensync.emulator.variables import graph, states
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

VARIABLE: Final = "variable"
COLLECTION: Final = "collection"

_TABLES: Final = {VARIABLE: "variables", COLLECTION: "collections"}
_PREFIXES: Final = {VARIABLE: "VariableID:", COLLECTION: "VariableCollectionId:"}
_KEPT: Final = "SELECT document FROM published_sources WHERE file = ? AND kind = ? AND id = ?"
_SUBSCRIBED: Final = "SELECT id, document FROM published WHERE file = ? AND kind = ? ORDER BY number"
_REMOTE: Final = "SELECT id, document FROM {} WHERE file = ? AND state = 3 ORDER BY number"

_Document = dict[str, Any]


def keep(connection: sqlite3.Connection, file: int, kind: str, documents: Iterable[tuple[str, _Document]]) -> None:
    """Note what is being published, by id, with its values: what files that use the library get."""
    connection.execute("DELETE FROM published_sources WHERE file = ? AND kind = ?", (file, kind))
    rows = [(file, kind, id_, msgspec.json.encode(document)) for id_, document in documents]
    connection.executemany("INSERT INTO published_sources VALUES (?, ?, ?, ?)", rows)


def use(connection: sqlite3.Connection, file_key: str, library_key: str, names: Iterable[str] = ()) -> tuple[str, ...]:
    """Let a file use published variables of a library, by id, key or name; all of them without ``names``.

    Those that they alias come with them. Returns the remote ids, in the library's order. A name that is not published
    is a UsageError.
    """
    file, library = files.known(connection, file_key), files.known(connection, library_key)
    if file.number == library.number:
        raise UsageError(f"{file_key}: a file has its own variables already; give another file as the library")
    copier = _Copier(connection, file.number, library)
    wanted = copier.chosen(tuple(names))
    for id_ in wanted:
        copier.copy(id_)
    return tuple(copier.remote_id(VARIABLE, id_) for id_ in wanted)


def update(connection: sqlite3.Connection, file_key: str, library_key: str) -> int:
    """Take a library's latest publication into a file that uses it: how many copies were replaced.

    What aliased the old copies aliases the new ones. A copy of what is published no more stays.
    """
    file, library = files.known(connection, file_key), files.known(connection, library_key)
    copier = _Copier(connection, file.number, library)
    renamed: dict[str, str] = {}
    for kind in (VARIABLE, COLLECTION):
        current = {key: copier.remote_id(kind, id_) for key, id_ in copier.ids_of(kind).items()}
        for id_, document in _remote(connection, file.number, kind):
            new = current.get(document.get("key", ""))
            if new is not None and new != id_:
                renamed[id_] = new
                _forget(connection, file.number, id_)
    _rename(connection, file.number, renamed)
    variables = {copier.remote_id(VARIABLE, id_): id_ for id_ in copier.ids_of(VARIABLE).values()}
    stale = [old for old in renamed if renamed[old] in variables]
    for old in stale:
        copier.copy(variables[renamed[old]])
    collections = {copier.remote_id(COLLECTION, id_): id_ for id_ in copier.ids_of(COLLECTION).values()}
    for id_, document in _remote(connection, file.number, VARIABLE):
        if document.get("variableCollectionId") in collections:
            copier.enlist(collections[document["variableCollectionId"]], id_)
    return len(stale)


class _Copier:
    """Copies from one library into one file."""

    def __init__(self, connection: sqlite3.Connection, file: int, library: files.File) -> None:
        self._connection = connection
        self._file = file
        self._library = library
        self._subscribed = {
            kind: {id_: msgspec.json.decode(text) for id_, text in self._rows(_SUBSCRIBED, kind)} for kind in _TABLES
        }
        self._done: set[str] = set()

    def ids_of(self, kind: str) -> dict[str, str]:
        """Key to id of what is published."""
        return {document.get("key", ""): id_ for id_, document in self._subscribed[kind].items()}

    def chosen(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """Return the ids of the published variables of these ids, keys or names; all without any."""
        published = self._subscribed[VARIABLE]
        if not published:
            raise UsageError(f"{self._library.key}: it has no published variables; publish it first")
        found = tuple(
            id_
            for id_, document in published.items()
            if not names or {id_, document.get("key"), document.get("name")} & set(names)
        )
        shown = {each for id_ in found for each in (id_, published[id_].get("key"), published[id_].get("name"))}
        for name in names:
            if name not in shown:
                raise UsageError(f"{self._library.key}: no published variable {name!r}; publish it, or give another")
        return found

    def remote_id(self, kind: str, id_: str) -> str:
        """Return the id that a variable or collection of the library has in other files; its own when it is a copy
        already.
        """
        subscribed = self._subscribed[kind].get(id_)
        if subscribed is not None and subscribed.get("subscribed_id"):
            return str(subscribed["subscribed_id"])
        document = self._source(kind, id_)
        if document is None or "/" in id_:
            return id_
        return f"{_PREFIXES[kind]}{document.get('key', '')}/{id_.removeprefix(_PREFIXES[kind])}"

    def copy(self, first: str) -> None:
        """Put a variable, its collection, and what it aliases into the file, where they are not there yet."""
        queue = [first]
        for id_ in queue:
            document = self._source(VARIABLE, id_)
            if id_ in self._done or document is None:
                continue
            self._done.add(id_)
            values = document.get("valuesByMode", {})
            queue += [target for value in values.values() for target in graph.targets(value)]
            self._put(id_, document, {mode: self._translated(value) for mode, value in values.items()})

    def _put(self, id_: str, document: _Document, values: _Document) -> None:
        remote, of = self.remote_id(VARIABLE, id_), document.get("variableCollectionId", "")
        collection = self.enlist(of, remote)
        copied = document | {"id": remote, "variableCollectionId": collection, "valuesByMode": values}
        copied |= {"remote": True, "hiddenFromPublishing": True}
        row = (self._file, remote, collection, copied.get("name", ""), copied.get("resolvedType", ""))
        self._connection.execute(
            "INSERT OR IGNORE INTO variables (file, id, collection, name, type, state, changed, document)"
            " VALUES (?, ?, ?, ?, ?, ?, 0, ?)",
            (*row, states.REMOTE, msgspec.json.encode(copied)),
        )
        for mode, value in values.items():
            graph.record(self._connection, self._file, remote, mode, value)

    def enlist(self, id_: str, variable: str) -> str:
        """List a variable in the file's copy of a collection, which is made where it is missing; the copy's id."""
        remote = self.remote_id(COLLECTION, id_)
        row = self._connection.execute(
            "SELECT document FROM collections WHERE file = ? AND id = ?", (self._file, remote)
        ).fetchone()
        source = self._source(COLLECTION, id_) or {}
        document = (
            source | {"id": remote, "remote": True, "hiddenFromPublishing": True, "variableIds": []}
            if row is None
            else msgspec.json.decode(row[0])
        )
        if variable not in document["variableIds"]:
            document["variableIds"].append(variable)
        self._connection.execute(
            "INSERT INTO collections (file, id, parent, state, changed, document) VALUES (?, ?, NULL, ?, 0, ?)"
            " ON CONFLICT (file, id) DO UPDATE SET document = excluded.document",
            (self._file, remote, states.REMOTE, msgspec.json.encode(document)),
        )
        return remote

    def _translated(self, value: Any) -> Any:
        """Return a value whose aliases have the ids of this file's copies."""
        match value:
            case {"type": graph.ALIAS, "id": str(target)}:
                return value | {"id": self.remote_id(VARIABLE, target)}
            case dict():
                return {name: self._translated(part) for name, part in value.items()}
            case _:
                return value

    def _source(self, kind: str, id_: str) -> _Document | None:
        """Return what was published; for what is not published itself, or came with a seed, what the library
        holds now.
        """
        row = self._connection.execute(_KEPT, (self._library.number, kind, id_)).fetchone()
        if row is None:
            query = f"SELECT document FROM {_TABLES[kind]} WHERE file = ? AND id = ?"  # noqa: S608 - a table of ours
            row = self._connection.execute(query, (self._library.number, id_)).fetchone()
        return None if row is None else dict(msgspec.json.decode(row[0]))

    def _rows(self, query: str, kind: str) -> list[tuple[str, bytes]]:
        return self._connection.execute(query, (self._library.number, kind)).fetchall()


def _remote(connection: sqlite3.Connection, file: int, kind: str) -> list[tuple[str, _Document]]:
    rows = connection.execute(_REMOTE.format(_TABLES[kind]), (file,)).fetchall()
    return [(id_, msgspec.json.decode(document)) for id_, document in rows]


def _forget(connection: sqlite3.Connection, file: int, id_: str) -> None:
    """Remove a stale copy, and what it refers to itself."""
    for table in _TABLES.values():
        connection.execute(f"DELETE FROM {table} WHERE file = ? AND id = ?", (file, id_))  # noqa: S608
    connection.execute("DELETE FROM aliases WHERE file = ? AND source = ?", (file, id_))


def _rename(connection: sqlite3.Connection, file: int, renamed: dict[str, str]) -> None:
    """Let everything in the file that names a stale copy name the new one."""
    for old, new in renamed.items():
        before, after = msgspec.json.encode(old), msgspec.json.encode(new)
        for table in _TABLES.values():
            query = f"SELECT number, document FROM {table} WHERE file = ? AND instr(document, ?)"  # noqa: S608
            for number, document in connection.execute(query, (file, before)).fetchall():
                connection.execute(
                    f"UPDATE {table} SET document = ? WHERE number = ?",  # noqa: S608
                    (bytes(document).replace(before, after), number),
                )
        connection.execute("UPDATE OR REPLACE aliases SET target = ? WHERE file = ? AND target = ?", (new, file, old))
        connection.execute("UPDATE variables SET collection = ? WHERE file = ? AND collection = ?", (new, file, old))
