"""The JSON schemas of the library endpoints, for the OpenAPI document."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.endpoints.route import Query
from tokensync.emulator.endpoints.shapes import TEXT, Schema, array, in_envelope, members
from tokensync.emulator.libraries.items import STYLE, STYLE_TYPES
from tokensync.emulator.limits import PAGE_OF_LIBRARY

if TYPE_CHECKING:
    from tokensync.emulator.libraries.items import Kind

_NUMBER: Final[Schema] = {"type": "integer", "minimum": 0}

PAGING: Final = (
    Query("page_size", {"type": "integer", "minimum": 1, "default": PAGE_OF_LIBRARY}),
    Query("after", _NUMBER),
    Query("before", _NUMBER),
)


def listing(kind: Kind, *, paged: bool = False) -> Schema:
    """Return the body of a listing; a paged one has cursors."""
    meta = {f"{kind}s": array(_item(kind))}
    if paged:
        meta["cursor"] = {"type": "object", "properties": {"before": _NUMBER, "after": _NUMBER}}
    return in_envelope(members(meta))


def single(kind: Kind) -> Schema:
    """Return the body of one thing by its key."""
    return in_envelope(_item(kind))


def _item(kind: Kind) -> Schema:
    shown: dict[str, Schema] = dict.fromkeys(
        ("key", "file_key", "node_id", "thumbnail_url", "name", "description", "updated_at", "created_at"), TEXT
    )
    shown["user"] = {"type": "object", "required": ["id", "handle", "img_url"]}
    if kind == STYLE:
        shown["style_type"] = {"enum": list(STYLE_TYPES)}
        shown["sort_position"] = TEXT
    else:
        shown["containing_frame"] = {"type": "object", "required": ["pageId", "pageName"]}
    return members(shown)
