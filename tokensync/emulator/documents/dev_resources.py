"""Dev resources: links that are attached to nodes of main files, and what keeps one from being attached (4.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import discovery
from tokensync.emulator.endpoints.access import MAIN_FILES_ONLY
from tokensync.emulator.filing import files, sharing
from tokensync.emulator.limits import DEV_RESOURCES_PER_NODE

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.endpoints.route import Call


class DevResource(NamedTuple):
    """``file_key`` is that of a main file; a node has a url once only."""

    id: str
    name: str
    url: str
    file_key: str
    node_id: str


class Denied(Exception):
    """Why one item of a request is not carried out; the others are."""


def attached(connection: sqlite3.Connection, file: files.File, nodes: tuple[str, ...] | None) -> list[dict[str, Any]]:
    """Return the dev resources of a file, or those of some nodes, in the order in which they were made."""
    query = f"{_SELECT} WHERE files.number = ? ORDER BY dev_resources.number"
    found = (DevResource(*row) for row in connection.execute(query, (file.number,)))
    return [each._asdict() for each in found if nodes is None or each.node_id in nodes]


def attach(call: Call, name: str, url: str, file_key: str, node: str) -> DevResource:
    """Create a dev resource; raise Denied where its file or node cannot have one."""
    file = _file(call, file_key)
    if file is None:
        raise Denied("File not found")
    if file.main is not None:
        raise Denied(MAIN_FILES_ONLY)
    _check_url(call.connection, file.number, node, url)
    query = "SELECT count(*) FROM dev_resources WHERE file = ? AND node = ?"
    (taken,) = call.connection.execute(query, (file.number, node)).fetchone()
    if taken >= DEV_RESOURCES_PER_NODE:
        raise Denied(f"The node already has the maximum of {DEV_RESOURCES_PER_NODE} dev resources")
    (made,) = call.connection.execute(_LAST).fetchone()
    id_ = call.identities.key("dev resource", str(made + 1))
    call.connection.execute(
        "INSERT INTO dev_resources (id, file, node, name, url) VALUES (?, ?, ?, ?, ?)",
        (id_, file.number, node, name, url),
    )
    discovery.note(call.connection, call.now, discovery.DEVELOPER_LINK, f"{name} {url}", call.user, file_key, node)
    return DevResource(id_, name, url, file_key, node)


def change(call: Call, id_: str, name: str | None, url: str | None) -> DevResource:
    """Return the dev resource with another name or url, None for the one that it has; Denied where that cannot be."""
    found = _find(call.connection, id_)
    file = None if found is None else _file(call, found.file_key)
    if found is None or file is None:
        raise Denied("Dev resource not found")
    if url is not None and url != found.url:
        _check_url(call.connection, file.number, found.node_id, url)
    changed = found._replace(name=found.name if name is None else name, url=found.url if url is None else url)
    call.connection.execute("UPDATE dev_resources SET name = ?, url = ? WHERE id = ?", (changed.name, changed.url, id_))
    text = f"{changed.name} {changed.url}"
    discovery.note(call.connection, call.now, discovery.DEVELOPER_LINK, text, call.user, file.key, found.node_id)
    return changed


def detach(connection: sqlite3.Connection, file: files.File, id_: str) -> bool:
    """Remove a dev resource of a file; False when the file has none of this id."""
    query = "DELETE FROM dev_resources WHERE id = ? AND file = ?"
    return bool(connection.execute(query, (id_, file.number)).rowcount)


_SELECT: Final = (
    "SELECT dev_resources.id, dev_resources.name, url, files.key, node"
    " FROM dev_resources JOIN files ON files.number = dev_resources.file"
)
_LAST: Final = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'dev_resources'"
"""The number of the last one that was ever made; none is given twice, and so no id."""


def _file(call: Call, key: str) -> files.File | None:
    """Return a file that the caller may see; one that is hidden from the caller cannot be told from one that is not
    there.
    """
    file = files.find(call.connection, key)
    if file is None or sharing.permission_on(call.connection, call.user, file.key) is None:
        return None
    return file


def _find(connection: sqlite3.Connection, id_: str) -> DevResource | None:
    row = connection.execute(f"{_SELECT} WHERE dev_resources.id = ?", (id_,)).fetchone()
    return None if row is None else DevResource(*row)


def _check_url(connection: sqlite3.Connection, file: int, node: str, url: str) -> None:
    query = "SELECT 1 FROM dev_resources WHERE file = ? AND node = ? AND url = ?"
    if connection.execute(query, (file, node, url)).fetchone():
        raise Denied("Another dev resource of the node has the same url")
