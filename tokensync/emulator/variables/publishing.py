"""Publishing a file's variables as a library: what GET published shows from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.emulator.endpoints.answers import timestamp
from tokensync.emulator.filing import files
from tokensync.emulator.variables import remote
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3

_VARIABLES: Final = "SELECT id, changed, document FROM variables WHERE file = ? AND state = 0 ORDER BY number"
_COLLECTIONS: Final = "SELECT id, changed, document FROM collections WHERE file = ? AND state = 0 ORDER BY number"
_PUBLISHED: Final = "SELECT id, document FROM published WHERE file = ? AND kind = ?"
_INSERT: Final = "INSERT INTO published (file, kind, id, document) VALUES (?, ?, ?, ?)"
_PREFIXES: Final = {"variable": "VariableID:", "collection": "VariableCollectionId:"}

_Item = tuple[str, bool, dict[str, Any]]
"""Id, whether it changed since the last time, and its document as GET local shows it."""


def publish(connection: sqlite3.Connection, file_key: str, now: float) -> None:
    """Publish all that is local, live and not hidden; what changed since the last time gets a new subscribed_id.

    A collection counts as changed whenever one of its variables did. ``now`` is Unix seconds.
    """
    file = files.known(connection, file_key)
    if file.main is not None:
        raise UsageError(f"{file_key}: a branch cannot be published; give the key of the main file")
    collections = {item[0]: item for item in _items(connection, _COLLECTIONS, file.number)}
    variables = [
        item
        for item in _items(connection, _VARIABLES, file.number)
        if item[2].get("variableCollectionId") in collections
    ]
    changed = {document["variableCollectionId"] for _, is_changed, document in variables if is_changed}
    used = {document["variableCollectionId"] for _, _, document in variables}
    libraries = [(id_, is_changed or id_ in changed, document) for id_, is_changed, document in collections.values()]
    _replace(connection, file.number, "variable", variables, now)
    _replace(connection, file.number, "collection", [item for item in libraries if item[0] in used], now)
    connection.execute("UPDATE variables SET changed = 0 WHERE file = ?", (file.number,))
    connection.execute("UPDATE collections SET changed = 0 WHERE file = ?", (file.number,))


def _items(connection: sqlite3.Connection, sql: str, file: int) -> list[_Item]:
    rows = connection.execute(sql, (file,))
    items = [(id_, bool(changed), msgspec.json.decode(document)) for id_, changed, document in rows]
    return [item for item in items if not item[2].get("hiddenFromPublishing")]


def _replace(connection: sqlite3.Connection, file: int, kind: str, items: list[_Item], now: float) -> None:
    """Put what is published now in the place of what was; an item that did not change stays as it was."""
    remote.keep(connection, file, kind, ((id_, document) for id_, _, document in items))
    before: dict[str, bytes] = dict(connection.execute(_PUBLISHED, (file, kind)))
    connection.execute("DELETE FROM published WHERE file = ? AND kind = ?", (file, kind))
    for id_, is_changed, document in items:
        text = before.get(id_)
        if text is None or is_changed:
            text = msgspec.json.encode(_published(kind, id_, document, text, now))
        connection.execute(_INSERT, (file, kind, id_, text))


def _published(kind: str, id_: str, document: dict[str, Any], before: bytes | None, now: float) -> dict[str, Any]:
    """Return the published form. The type has both names: the documents disagree on which one it is."""
    key = document.get("key", "")
    item = {
        "id": id_,
        "subscribed_id": f"{_PREFIXES[kind]}{key}/{_next_version(before)}",
        "name": document.get("name", ""),
        "key": key,
        "updatedAt": timestamp(now),
    }
    if kind == "variable":
        type_ = document.get("resolvedType", "")
        collection = document["variableCollectionId"]
        item |= {"variableCollectionId": collection, "resolvedType": type_, "resolvedDataType": type_}
    return item


def _next_version(before: bytes | None) -> str:
    """Return the end of a subscribed_id, ``<n>:<n>``; the second number is one more with each change."""
    if before is None:
        return "1:1"
    session, _, version = msgspec.json.decode(before)["subscribed_id"].rpartition("/")[2].rpartition(":")
    return f"{session}:{int(version) + 1}"
