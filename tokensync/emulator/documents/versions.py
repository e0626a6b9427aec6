"""The history of a file: versions that somebody kept, and the one that it has now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.emulator.accounts import people
from tokensync.emulator.documents import content
from tokensync.emulator.endpoints.answers import timestamp
from tokensync.emulator.events import payloads, queue
from tokensync.emulator.filing import files
from tokensync.emulator.webhooks import kinds

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tokensync.emulator.documents.content import Content
    from tokensync.emulator.filing.files import File
    from tokensync.emulator.state.store import Store


class Version(NamedTuple):
    """``id`` is what the file's version was when it was kept; ``created`` is Unix seconds, ``user`` a user's id."""

    id: str
    created: float
    label: str | None
    description: str | None
    user: str


class Versions:
    """Keeps versions of files."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def save(
        self, file_key: str, label: str | None = None, description: str | None = None, *, user: str = people.FIRST
    ) -> str:
        """Keep what the file is now as a version; its id. A version with a label is told to webhooks."""
        with self._store.writing() as connection:
            file = files.known(connection, file_key)
            by = people.known(connection, user)
            now = self._clock()
            files.touch(connection, file.number, now)
            id_ = str(file.version + 1)
            kept = msgspec.json.encode(content.of_file(connection, file.number))
            connection.execute(
                "INSERT INTO versions (file, id, created, label, description, user, content)"
                " VALUES (?, ?, ?, ?, ?, ?, ?)",
                (file.number, id_, now, label, description, user, kept),
            )
            if label is not None:
                told = payloads.version(by, id_, now, description)
                queue.add(connection, now, kinds.FILE_VERSION_UPDATE, file, told)
            return id_


def of_file(connection: sqlite3.Connection, file: File) -> tuple[Version, ...]:
    """Return every version, the newest first. What was edited since the last one was kept is a version without
    a name.
    """
    query = (
        "SELECT id, created, label, description, user FROM versions WHERE file = ? ORDER BY created DESC, number DESC"
    )
    kept = tuple(Version(*row) for row in connection.execute(query, (file.number,)))
    current = str(file.version)
    if kept and kept[0].id == current:
        return kept
    return (Version(current, file.modified, None, None, people.FIRST), *kept)


def content_at(connection: sqlite3.Connection, file: File, id_: str) -> Content | None:
    """Return the document as it was at a version; None where there is no such version."""
    if id_ == str(file.version):
        return content.of_file(connection, file.number)
    row = connection.execute("SELECT content FROM versions WHERE file = ? AND id = ?", (file.number, id_)).fetchone()
    return None if row is None else content.decode(row[0])


def document(connection: sqlite3.Connection, version: Version) -> dict[str, Any]:
    """Return a version as answers show it."""
    return {
        "id": version.id,
        "created_at": timestamp(version.created),
        "label": version.label,
        "description": version.description,
        "user": people.document(people.known(connection, version.user)),
    }
