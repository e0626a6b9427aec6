"""The version history of a file (Figma REST API: Version history)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlencode

import msgspec

from tokensync.emulator import access, documents, endpoints, files, people, webhooks
from tokensync.emulator.endpoints import Query, Route, as_json, invalid, positive, timestamp
from tokensync.emulator.limits import LARGEST_PAGE_OF_VERSIONS, PAGE_OF_VERSIONS
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tokensync.emulator.documents import Content
    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.files import File
    from tokensync.emulator.store import Store


class Version(NamedTuple):
    """A saved version. ``id`` is the file's version at that time; ``created`` is Unix seconds; ``user`` is an id."""

    id: str
    created: float
    label: str | None
    description: str | None
    user: str


class Versions:
    """Saves versions of files."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def save(
        self, file_key: str, label: str | None = None, description: str | None = None, *, user: str = people.FIRST
    ) -> str:
        """Save the file's current state as a version and return its id. A label triggers FILE_VERSION_UPDATE."""
        with self._store.writing() as connection:
            file = files.require(connection, file_key)
            author = people.require(connection, user)
            now = self._clock()
            files.touch(connection, file.number, now)
            id_ = str(file.version + 1)
            content = msgspec.json.encode(documents.of_file(connection, file.number))
            connection.execute(
                "INSERT INTO versions (file, id, created, label, description, user, content)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (file.number, id_, now, label, description, user, content),
            )
            if label is not None:
                fields = webhooks.version_fields(author, id_, now, description)
                webhooks.queue(connection, now, webhooks.FILE_VERSION_UPDATE, file, fields)
            return id_


def of_file(connection: sqlite3.Connection, file: File) -> tuple[Version, ...]:
    """Return every version, the newest first. Later edits are an additional version without a label."""
    query = (
        "SELECT id, created, label, description, user FROM versions WHERE file = ? ORDER BY created DESC, number DESC"
    )
    saved = tuple(Version(*row) for row in connection.execute(query, (file.number,)))
    current = str(file.version)
    if saved and saved[0].id == current:
        return saved
    return (Version(current, file.modified, None, None, people.FIRST), *saved)


def content_at(connection: sqlite3.Connection, file: File, id_: str) -> Content | None:
    """Return the document at a version, or None if there is no such version."""
    if id_ == str(file.version):
        return documents.of_file(connection, file.number)
    row = connection.execute("SELECT content FROM versions WHERE file = ? AND id = ?", (file.number, id_)).fetchone()
    return None if row is None else documents.decode(row[0])


def document(connection: sqlite3.Connection, version: Version) -> dict[str, Any]:
    """Return a version as in answers."""
    return {
        "id": version.id,
        "created_at": timestamp(version.created),
        "label": version.label,
        "description": version.description,
        "user": people.document(people.require(connection, version.user)),
    }


def list_versions(call: Call, file_key: str) -> bytes:
    """Return a page of a file's versions, the newest first.

    ``before`` and ``after`` are version ids, and select older and newer versions.
    """
    file = access.file_of(call, file_key)
    size = min(positive(call.query, "page_size") or PAGE_OF_VERSIONS, LARGEST_PAGE_OF_VERSIONS)
    versions = of_file(call.connection, file)
    start, end = 0, len(versions)
    if "before" in call.query and "after" in call.query:
        raise invalid("before and after cannot be used together")
    if "before" in call.query:
        start = _index(versions, call.query["before"], "before") + 1
        end = min(end, start + size)
    elif "after" in call.query:
        end = _index(versions, call.query["after"], "after")
        start = max(0, end - size)
    else:
        end = min(end, size)
    page = versions[start:end]
    pagination = {}
    if page and start > 0:
        pagination["prev_page"] = _address(call, file_key, size, "after", page[0])
    if page and end < len(versions):
        pagination["next_page"] = _address(call, file_key, size, "before", page[-1])
    return as_json({"versions": [document(call.connection, each) for each in page], "pagination": pagination})


def _index(versions: tuple[Version, ...], id_: str, name: str) -> int:
    index = next((index for index, version in enumerate(versions) if version.id == id_), None)
    if index is None:
        raise invalid(f"{name} must be the id of a version of the file")
    return index


def _address(call: Call, file_key: str, size: int, name: str, version: Version) -> str:
    return f"{call.root}/v1/files/{file_key}/versions?{urlencode({'page_size': size, name: version.id})}"


_VERSION: Final = endpoints.members(
    {
        "id": endpoints.TEXT,
        "created_at": endpoints.TIME,
        "label": endpoints.or_null(endpoints.TEXT),
        "description": endpoints.or_null(endpoints.TEXT),
        "user": endpoints.USER,
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
            Query("before", endpoints.TEXT),
            Query("after", endpoints.TEXT),
        ),
        returns=endpoints.members(
            {
                "versions": endpoints.array(_VERSION),
                "pagination": endpoints.members({}, {"prev_page": endpoints.TEXT, "next_page": endpoints.TEXT}),
            }
        ),
    ),
)
