"""Dev resources: links that developers attach to nodes of a file (Figma REST API: Dev resources)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import access, endpoints, files, history
from tokensync.emulator.access import MAIN_FILES_ONLY
from tokensync.emulator.endpoints import TEXT, Call, Query, Refusal, Route, Schema, array, as_json, invalid, members

if TYPE_CHECKING:
    import sqlite3


DEV_RESOURCES_PER_NODE: Final = 10


class DevResource(NamedTuple):
    """A link on a node of a main file. URLs are unique on a node."""

    id: str
    name: str
    url: str
    file_key: str
    node_id: str


class Denied(Exception):
    """The reason why one item of a request was rejected; it does not affect the other items."""


def attached(connection: sqlite3.Connection, file: files.File, nodes: tuple[str, ...] | None) -> list[dict[str, Any]]:
    """Return the dev resources of a file, or of these nodes, in order of creation."""
    query = f"{_SELECT} WHERE files.number = ? ORDER BY dev_resources.number"
    resources = (DevResource(*row) for row in connection.execute(query, (file.number,)))
    return [resource._asdict() for resource in resources if nodes is None or resource.node_id in nodes]


def attach(call: Call, name: str, url: str, file_key: str, node: str) -> DevResource:
    """Create a dev resource; raise Denied if its file or node cannot have it."""
    file = _file(call, file_key)
    if file is None:
        raise Denied("File not found")
    if file.main is not None:
        raise Denied(MAIN_FILES_ONLY)
    _check_url(call.connection, file.number, node, url)
    query = "SELECT count(*) FROM dev_resources WHERE file = ? AND node = ?"
    (count,) = call.connection.execute(query, (file.number, node)).fetchone()
    if count >= DEV_RESOURCES_PER_NODE:
        raise Denied(f"The node already has the maximum of {DEV_RESOURCES_PER_NODE} dev resources")
    (last,) = call.connection.execute(_LAST_NUMBER).fetchone()
    id_ = call.identities.key("dev resource", str(last + 1))
    call.connection.execute(
        "INSERT INTO dev_resources (id, file, node, name, url) VALUES (?, ?, ?, ?, ?)",
        (id_, file.number, node, name, url),
    )
    history.note_text(call.connection, call.now, history.DEVELOPER_LINK, f"{name} {url}", call.user, file_key, node)
    return DevResource(id_, name, url, file_key, node)


def change(call: Call, id_: str, name: str | None, url: str | None) -> DevResource:
    """Change a dev resource's name or url, unless None, and return it; raise Denied if that is not allowed."""
    before = _find(call.connection, id_)
    file = None if before is None else _file(call, before.file_key)
    if before is None or file is None:
        raise Denied("Dev resource not found")
    if url is not None and url != before.url:
        _check_url(call.connection, file.number, before.node_id, url)
    after = before._replace(name=before.name if name is None else name, url=before.url if url is None else url)
    call.connection.execute("UPDATE dev_resources SET name = ?, url = ? WHERE id = ?", (after.name, after.url, id_))
    text = f"{after.name} {after.url}"
    history.note_text(call.connection, call.now, history.DEVELOPER_LINK, text, call.user, file.key, after.node_id)
    return after


def detach(connection: sqlite3.Connection, file: files.File, id_: str) -> bool:
    """Delete a dev resource of a file; return False if there is no such dev resource."""
    query = "DELETE FROM dev_resources WHERE id = ? AND file = ?"
    return bool(connection.execute(query, (id_, file.number)).rowcount)


_SELECT: Final = (
    "SELECT dev_resources.id, dev_resources.name, url, files.key, node"
    " FROM dev_resources JOIN files ON files.number = dev_resources.file"
)
_LAST_NUMBER: Final = "SELECT coalesce(max(seq), 0) FROM sqlite_sequence WHERE name = 'dev_resources'"
"""The number of the last dev resource ever created, so that ids are not reused."""


def _file(call: Call, key: str) -> files.File | None:
    """Return a file that the caller may view, or None; hidden and missing files are indistinguishable."""
    file = files.find(call.connection, key)
    if file is None or access.permission_on(call.connection, call.user, file.key) is None:
        return None
    return file


def _find(connection: sqlite3.Connection, id_: str) -> DevResource | None:
    row = connection.execute(f"{_SELECT} WHERE dev_resources.id = ?", (id_,)).fetchone()
    return None if row is None else DevResource(*row)


def _check_url(connection: sqlite3.Connection, file: int, node: str, url: str) -> None:
    query = "SELECT 1 FROM dev_resources WHERE file = ? AND node = ? AND url = ?"
    if connection.execute(query, (file, node, url)).fetchone():
        raise Denied("Another dev resource of the node has the same url")


def read(call: Call, file_key: str) -> bytes:
    """Return the dev resources of a main file, optionally of the nodes in ``node_ids`` only."""
    file = access.file_of(call, file_key, main=True)
    node_ids = call.query.get("node_ids")
    nodes = None if node_ids is None else tuple(node_id.strip() for node_id in node_ids.split(","))
    return as_json({"dev_resources": attached(call.connection, file, nodes)})


def create(call: Call) -> bytes:
    """Create dev resources. Items that cannot be created are reported in ``errors``; the others are created."""
    created: list[dict[str, str]] = []
    errors: list[dict[str, str]] = []
    for item in _items(call, required=("name", "url", "file_key", "node_id")):
        try:
            resource = attach(call, item["name"], item["url"], item["file_key"], item["node_id"])
            created.append(resource._asdict())
        except Denied as reason:
            errors.append({"file_key": item["file_key"], "node_id": item["node_id"], "error": str(reason)})
    return as_json({"links_created": created, "errors": errors})


def update(call: Call) -> bytes:
    """Update dev resources, and return the ids of updated ones and the errors of the others."""
    updated: list[str] = []
    errors: list[dict[str, str]] = []
    for item in _items(call, required=("id",), optional=("name", "url")):
        try:
            updated.append(change(call, item["id"], item.get("name"), item.get("url")).id)
        except Denied as reason:
            errors.append({"id": item["id"], "error": str(reason)})
    return as_json({"links_updated": updated, "errors": errors})


def delete(call: Call, file_key: str, dev_resource_id: str) -> bytes:
    """Delete a dev resource of a main file."""
    file = access.file_of(call, file_key, main=True)
    if not detach(call.connection, file, dev_resource_id):
        raise Refusal(404, "Dev resource not found")
    # The specification describes no body, but a script of Figma's own reads JSON (figma/sds, dev-resources/app.mjs).
    return as_json({"status": 200, "error": False})


def _items(call: Call, *, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> list[dict[str, str]]:
    """Return the items of the body; one malformed item makes the whole request invalid."""
    document = endpoints.read_json(call)
    items = document.get("dev_resources") if isinstance(document, dict) else None
    if not isinstance(items, list):
        raise invalid("dev_resources must be an array")
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            raise invalid(f"dev_resources[{index}] must be an object")
        for member in required:
            if member not in item:
                raise invalid(f"dev_resources[{index}].{member} is required")
        for member in (*required, *optional):
            if member in item and not isinstance(item[member], str):
                raise invalid(f"dev_resources[{index}].{member} must be a string")
    return items


_NEW: Final = {"name": TEXT, "url": TEXT, "file_key": TEXT, "node_id": TEXT}
_DEV_RESOURCE: Final = members({"id": TEXT, **_NEW})
_ANY_TEXT: Final[Schema] = {"type": ["string", "null"]}

_writing: Final = partial(Route, scopes=("file_dev_resources:write",), tier=2)

ROUTES: Final = (
    Route(
        "GET",
        "/v1/files/<file_key>/dev_resources",
        read,
        scopes=("file_dev_resources:read",),
        tier=2,
        parameters=(Query("node_ids", TEXT),),
        returns=members({"dev_resources": array(_DEV_RESOURCE)}),
    ),
    _writing(
        "POST",
        "/v1/dev_resources",
        create,
        accepts=members({"dev_resources": array(members(_NEW))}),
        returns=members(
            {
                "links_created": array(_DEV_RESOURCE),
                "errors": array(members({"file_key": _ANY_TEXT, "node_id": _ANY_TEXT, "error": TEXT})),
            }
        ),
    ),
    _writing(
        "PUT",
        "/v1/dev_resources",
        update,
        accepts=members({"dev_resources": array(members({"id": TEXT}, {"name": TEXT, "url": TEXT}))}),
        returns=members({"links_updated": array(TEXT), "errors": array(members({"id": TEXT, "error": TEXT}))}),
    ),
    _writing("DELETE", "/v1/files/<file_key>/dev_resources/<dev_resource_id>", delete),
)
