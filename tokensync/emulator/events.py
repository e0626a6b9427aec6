"""Webhook events: their payloads, their subscribers, and the queue of deliveries.

Deliveries are queued in the transaction that causes the event, so that both are committed or neither.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.emulator import files, people, teams
from tokensync.emulator.endpoints import timestamp
from tokensync.emulator.limits import INACTIVITY_SECONDS
from tokensync.emulator.webhooks import ACTIVE, FILE, FILE_DELETE, FILE_UPDATE, FOLDER, PING, TEAM

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.emulator.files import File
    from tokensync.emulator.people import User


ASSETS: Final = ("components", "styles", "variables")
"""The kinds of library assets; a publication is one event for each kind that changed."""
STATUSES: Final = ("NONE", "READY_FOR_DEV", "COMPLETED")
"""The statuses of a layer in Dev Mode."""

Fields = dict[str, Any]
Item = dict[str, str]
"""The ``key`` and ``name`` of a published item."""


class Changes(NamedTuple):
    """The changes of one publication to items of one kind."""

    created: tuple[Item, ...] = ()
    modified: tuple[Item, ...] = ()
    deleted: tuple[Item, ...] = ()


def deletion_fields(user: User) -> Fields:
    """Return the fields of FILE_DELETE."""
    return {"triggered_by": people.document(user)}


def version_fields(user: User, version_id: str, now: float, description: str | None) -> Fields:
    """Return the fields of FILE_VERSION_UPDATE, for a version that a user named."""
    fields = {"created_at": timestamp(now), "version_id": version_id, "triggered_by": people.document(user)}
    return fields if description is None else {**fields, "description": description}


def publication_fields(user: User, asset: str, changes: Changes, description: str | None) -> Fields:
    """Return the fields of LIBRARY_PUBLISH for one kind of asset with at least one change."""
    fields: Fields = {f"{verb}_{each}": [] for each in ASSETS for verb in Changes._fields}
    for verb, items in zip(Changes._fields, changes, strict=True):
        fields[f"{verb}_{asset}"] = list(items)
    fields["library_item"] = next(item for items in changes for item in items)
    fields["triggered_by"] = people.document(user)
    return fields if description is None else {**fields, "description": description}


def comment_fields(user: User, comment_id: str, text: str, now: float, mentions: Sequence[User] = ()) -> Fields:
    """Return the fields of FILE_COMMENT."""
    fields: Fields = {
        "comment": [{"text": text}, *({"mention": each.id} for each in mentions)],
        "comment_id": comment_id,
        "created_at": timestamp(now),
        "triggered_by": people.document(user),
    }
    return {**fields, "mentions": [people.document(each) for each in mentions]} if mentions else fields


def dev_status_fields(user: User, node_id: str, status: str, links: Sequence[Any], message: str | None) -> Fields:
    """Return the fields of DEV_MODE_STATUS_UPDATE."""
    fields: Fields = {
        "node_id": node_id,
        "related_links": list(links),
        "status": status,
        "triggered_by": people.document(user),
    }
    return fields if message is None else {**fields, "change_message": message}


_EVENT_TYPES: Final = {FILE_DELETE: (FILE_DELETE, FILE_UPDATE)}
"""The event types whose webhooks also receive an event, if not just its own."""
_SUBSCRIBED: Final = (
    "SELECT number FROM webhooks WHERE context = ? AND context_id = ? AND status = ? AND event_type = ?"
)
_INSERT: Final = "INSERT INTO deliveries (webhook, payload, due) VALUES (?, ?, ?)"


def queue(connection: sqlite3.Connection, now: float, kind: str, file: File, fields: Mapping[str, Any]) -> int:
    """Queue an event about a file for its subscribers, and return their number.

    ``fields`` are the members of the payload that only this kind of event has.
    """
    payload = {"event_type": kind, "timestamp": timestamp(now), "file_key": file.key, "file_name": file.name, **fields}
    encoded = msgspec.json.encode(payload)
    webhooks = sorted(_subscribed(connection, kind, file))
    connection.executemany(_INSERT, [(webhook, encoded, now) for webhook in webhooks])
    return len(webhooks)


def queue_ping(connection: sqlite3.Connection, now: float, webhook: int) -> None:
    """Queue the PING event of a new webhook."""
    payload = msgspec.json.encode({"event_type": PING, "timestamp": timestamp(now)})
    connection.execute(_INSERT, (webhook, payload, now))


def _subscribed(connection: sqlite3.Connection, kind: str, file: File) -> set[int]:
    return {
        webhook
        for context, id_ in _contexts(connection, file)
        for event_type in _EVENT_TYPES.get(kind, (kind,))
        for (webhook,) in connection.execute(_SUBSCRIBED, (context, id_, ACTIVE, event_type))
    }


def _contexts(connection: sqlite3.Connection, file: File) -> Iterator[tuple[str, str]]:
    """Yield the contexts of a file: the file, its chain of folders, and the team unless a folder is invite-only."""
    yield FILE, file.key
    team, invited_only = "", False
    parent: str | None = file.folder
    while parent is not None and (folder := teams.find_folder(connection, parent)) is not None:
        yield FOLDER, folder.id
        team, invited_only = folder.team, invited_only or folder.access == teams.INVITED_ONLY
        parent = folder.parent
    if team and not invited_only:
        yield TEAM, team


_IDLE: Final = "SELECT files.key, edits.last FROM edits JOIN files ON number = file WHERE last <= ? ORDER BY last"


def queue_updates(connection: sqlite3.Connection, now: float) -> None:
    """Queue FILE_UPDATE for files that have been idle for 30 minutes.

    Called before webhooks are created or changed, so that earlier edits do not reach the new subscription.
    """
    since = now - INACTIVITY_SECONDS
    for key, last in connection.execute(_IDLE, (since,)).fetchall():
        queue(connection, last + INACTIVITY_SECONDS, FILE_UPDATE, files.require(connection, key), {})
    connection.execute("DELETE FROM edits WHERE last <= ?", (since,))
