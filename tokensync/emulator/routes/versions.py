"""The versions of a file, by their time of creation, the newest first (platform-facts "Other endpoints")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlencode

from tokensync.emulator.accounts.scopes import BROAD
from tokensync.emulator.documents import versions
from tokensync.emulator.endpoints import access, shapes
from tokensync.emulator.endpoints.answers import as_json
from tokensync.emulator.endpoints.parameters import positive
from tokensync.emulator.endpoints.refusal import invalid
from tokensync.emulator.endpoints.route import Query, Route
from tokensync.emulator.limits import LARGEST_PAGE_OF_VERSIONS, PAGE_OF_VERSIONS

if TYPE_CHECKING:
    from tokensync.emulator.documents.versions import Version
    from tokensync.emulator.endpoints.route import Call


def list_versions(call: Call, file_key: str) -> bytes:
    """A page; ``before`` and ``after`` are ids of versions, and mean older and newer ones."""
    file = access.file_of(call, file_key)
    size = min(positive(call.query, "page_size") or PAGE_OF_VERSIONS, LARGEST_PAGE_OF_VERSIONS)
    found = versions.of_file(call.connection, file)
    start, end = 0, len(found)
    if "before" in call.query and "after" in call.query:
        raise invalid("before and after cannot be used together")
    if "before" in call.query:
        start = _place(found, call.query["before"], "before") + 1
        end = min(end, start + size)
    elif "after" in call.query:
        end = _place(found, call.query["after"], "after")
        start = max(0, end - size)
    else:
        end = min(end, size)
    page = found[start:end]
    pagination = {}
    if page and start > 0:
        pagination["prev_page"] = _address(call, file_key, size, "after", page[0])
    if page and end < len(found):
        pagination["next_page"] = _address(call, file_key, size, "before", page[-1])
    shown = [versions.document(call.connection, each) for each in page]
    return as_json({"versions": shown, "pagination": pagination})


def _place(found: tuple[Version, ...], id_: str, name: str) -> int:
    place = next((at for at, each in enumerate(found) if each.id == id_), None)
    if place is None:
        raise invalid(f"{name} must be the id of a version of the file")
    return place


def _address(call: Call, file_key: str, size: int, name: str, version: Version) -> str:
    return f"{call.root}/v1/files/{file_key}/versions?{urlencode({'page_size': size, name: version.id})}"


_VERSION: Final = shapes.members(
    {
        "id": shapes.TEXT,
        "created_at": shapes.TIME,
        "label": shapes.or_null(shapes.TEXT),
        "description": shapes.or_null(shapes.TEXT),
        "user": shapes.USER,
    }
)

ROUTES: Final = (
    Route(
        "GET",
        "/v1/files/<file_key>/versions",
        list_versions,
        scopes=("file_versions:read", BROAD),
        tier=2,
        errors="err",
        parameters=(
            Query("page_size", {"type": "integer", "minimum": 1, "default": PAGE_OF_VERSIONS}),
            Query("before", shapes.TEXT),
            Query("after", shapes.TEXT),
        ),
        gives=shapes.members(
            {
                "versions": shapes.array(_VERSION),
                "pagination": shapes.members({}, {"prev_page": shapes.TEXT, "next_page": shapes.TEXT}),
            }
        ),
    ),
)
