"""Which webhooks hear of an event, and the rows that wait to be sent to them.

Rows are made in the transaction of what causes the event, so that neither is ever there without the other.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.emulator.endpoints.answers import timestamp
from tokensync.emulator.filing import places
from tokensync.emulator.webhooks.kinds import ACTIVE, FILE, FILE_DELETE, FILE_UPDATE, FOLDER, PING, TEAM

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping

    from tokensync.emulator.filing.files import File

_WANTED: Final = {FILE_DELETE: (FILE_DELETE, FILE_UPDATE)}
"""The deletion of a file is also told to those who asked for its updates."""
_LISTENING: Final = "SELECT number FROM webhooks WHERE context = ? AND context_id = ? AND status = ? AND event_type = ?"
_INSERT: Final = "INSERT INTO deliveries (webhook, payload, due) VALUES (?, ?, ?)"


def add(connection: sqlite3.Connection, now: float, kind: str, file: File, fields: Mapping[str, Any]) -> int:
    """Queue an event about a file for every webhook that hears of it; how many those are.

    ``now`` is Unix seconds; ``fields`` are those of the payload that only this kind has.
    """
    payload = {
        "event_type": kind,
        "timestamp": timestamp(now),
        "file_key": file.key,
        "file_name": file.name,
        **fields,
    }
    encoded = msgspec.json.encode(payload)
    webhooks = sorted(_listening(connection, kind, file))
    connection.executemany(_INSERT, [(webhook, encoded, now) for webhook in webhooks])
    return len(webhooks)


def ping(connection: sqlite3.Connection, now: float, webhook: int) -> None:
    """Queue the event that tells a new webhook's endpoint that it works."""
    payload = msgspec.json.encode({"event_type": PING, "timestamp": timestamp(now)})
    connection.execute(_INSERT, (webhook, payload, now))


def _listening(connection: sqlite3.Connection, kind: str, file: File) -> set[int]:
    return {
        webhook
        for context, id_ in _contexts(connection, file)
        for event_type in _WANTED.get(kind, (kind,))
        for (webhook,) in connection.execute(_LISTENING, (context, id_, ACTIVE, event_type))
    }


def _contexts(connection: sqlite3.Connection, file: File) -> Iterator[tuple[str, str]]:
    """Yield what a file is in: itself, the folders around it, and the team, unless one of the folders is
    invite-only.
    """
    yield FILE, file.key
    team, invited_only = "", False
    at: str | None = file.folder
    while at is not None and (folder := places.find_folder(connection, at)) is not None:
        yield FOLDER, folder.id
        team, invited_only = folder.team, invited_only or folder.access == places.INVITED_ONLY
        at = folder.parent
    if team and not invited_only:
        yield TEAM, team
