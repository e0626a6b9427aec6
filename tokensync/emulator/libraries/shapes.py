"""The JSON schemas of the library endpoints, for the OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator.endpoints.route import Query
from tokensync.emulator.libraries.items import STYLE
from tokensync.emulator.limits import PAGE_OF_LIBRARY

if TYPE_CHECKING:
    from tokensync.emulator.libraries.items import Kind

_TEXT: Final = {"type": "string"}
_NUMBER: Final = {"type": "integer", "minimum": 0}

PAGING: Final = (
    Query("page_size", {"type": "integer", "minimum": 1, "default": PAGE_OF_LIBRARY}),
    Query("after", _NUMBER),
    Query("before", _NUMBER),
)


def listing(kind: Kind, *, paged: bool = False) -> dict[str, Any]:
    """The body of a listing; a paged one has cursors."""
    meta = {f"{kind}s": {"type": "array", "items": _item(kind)}}
    if paged:
        meta["cursor"] = {"type": "object", "properties": {"before": _NUMBER, "after": _NUMBER}}
    return _envelope({"type": "object", "required": list(meta), "properties": meta})


def single(kind: Kind) -> dict[str, Any]:
    """The body of one thing by its key."""
    return _envelope(_item(kind))


def _envelope(meta: dict[str, Any]) -> dict[str, Any]:
    members = {"status": {"const": 200}, "error": {"const": False}, "meta": meta}
    return {"type": "object", "required": list(members), "properties": members}


def _item(kind: Kind) -> dict[str, Any]:
    members: dict[str, Any] = dict.fromkeys(
        ("key", "file_key", "node_id", "thumbnail_url", "name", "description", "updated_at", "created_at"), _TEXT
    )
    members["user"] = {"type": "object", "required": ["id", "handle", "img_url"]}
    if kind == STYLE:
        members["style_type"] = {"enum": ["FILL", "TEXT", "EFFECT", "GRID"]}
        members["sort_position"] = _TEXT
    else:
        members["containing_frame"] = {"type": "object", "required": ["pageId", "pageName"]}
    return {"type": "object", "required": list(members), "properties": members}
