"""The four endpoints of dev resources, as requests and answers (platform-api.md 4.7)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.documents import dev_resources
from tokensync.emulator.documents.dev_resources import Denied
from tokensync.emulator.endpoints import access, body
from tokensync.emulator.endpoints.answers import Answer, as_json
from tokensync.emulator.endpoints.refusal import Refusal, invalid
from tokensync.emulator.endpoints.route import Query, Route
from tokensync.emulator.endpoints.shapes import TEXT, Schema, array, members

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call


def read(call: Call, file_key: str) -> bytes:
    """A main file's dev resources, of all nodes or of those that are named."""
    file = access.file_of(call, file_key, main=True)
    named = call.query.get("node_ids")
    nodes = None if named is None else tuple(each.strip() for each in named.split(","))
    return as_json({"dev_resources": dev_resources.attached(call.connection, file, nodes)})


def create(call: Call) -> bytes:
    """Each item by itself: what cannot be made is told beside what was."""
    created: list[dict[str, str]] = []
    errors: list[dict[str, str]] = []
    for item in _items(call, required=("name", "url", "file_key", "node_id")):
        try:
            made = dev_resources.attach(call, item["name"], item["url"], item["file_key"], item["node_id"])
            created.append(made._asdict())
        except Denied as reason:
            errors.append({"file_key": item["file_key"], "node_id": item["node_id"], "error": str(reason)})
    return as_json({"links_created": created, "errors": errors})


def update(call: Call) -> bytes:
    """Each item by itself; links_updated holds ids (platform-facts 4)."""
    updated: list[str] = []
    errors: list[dict[str, str]] = []
    for item in _items(call, required=("id",), optional=("name", "url")):
        try:
            updated.append(dev_resources.change(call, item["id"], item.get("name"), item.get("url")).id)
        except Denied as reason:
            errors.append({"id": item["id"], "error": str(reason)})
    return as_json({"links_updated": updated, "errors": errors})


def delete(call: Call, file_key: str, dev_resource_id: str) -> Answer:
    """The answer has no body."""
    file = access.file_of(call, file_key, main=True)
    if not dev_resources.detach(call.connection, file, dev_resource_id):
        raise Refusal(404, "Dev resource not found")
    return Answer()


def _items(call: Call, *, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> list[dict[str, str]]:
    """The items of a body, whose members are texts; one of another shape makes the whole request invalid."""
    document = body.read(call)
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

ROUTES: Final = (
    Route(
        "GET",
        "/v1/files/<file_key>/dev_resources",
        read,
        scopes=("file_dev_resources:read",),
        tier=2,
        parameters=(Query("node_ids", TEXT),),
        gives=members({"dev_resources": array(_DEV_RESOURCE)}),
    ),
    Route(
        "POST",
        "/v1/dev_resources",
        create,
        scopes=("file_dev_resources:write",),
        tier=2,
        takes=members({"dev_resources": array(members(_NEW))}),
        gives=members(
            {
                "links_created": array(_DEV_RESOURCE),
                "errors": array(members({"file_key": _ANY_TEXT, "node_id": _ANY_TEXT, "error": TEXT})),
            }
        ),
    ),
    Route(
        "PUT",
        "/v1/dev_resources",
        update,
        scopes=("file_dev_resources:write",),
        tier=2,
        takes=members({"dev_resources": array(members({"id": TEXT}, {"name": TEXT, "url": TEXT}))}),
        gives=members(
            {"links_updated": array(TEXT), "errors": array(members({"id": TEXT, "error": TEXT}))},
        ),
    ),
    Route(
        "DELETE",
        "/v1/files/<file_key>/dev_resources/<dev_resource_id>",
        delete,
        scopes=("file_dev_resources:write",),
        tier=2,
    ),
)
