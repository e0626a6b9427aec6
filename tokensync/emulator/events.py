"""Events: what each kind reports, which webhooks receive it, and the rows that wait to be delivered.

Rows are made in the transaction of what causes the event, so that neither is ever there without the other.
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
"""What a library holds; a publication is one event for each of them that changed."""
STATUSES: Final = ("NONE", "READY_FOR_DEV", "COMPLETED")
"""Of a layer in Dev Mode."""

Fields = dict[str, Any]
Item = dict[str, str]
"""``key`` and ``name`` of a published thing."""


class Changes(NamedTuple):
    """What a publication did to the items of one kind."""

    created: tuple[Item, ...] = ()
    modified: tuple[Item, ...] = ()
    deleted: tuple[Item, ...] = ()


def deletion_fields(user: User) -> Fields:
    """FILE_DELETE."""
    return {"triggered_by": people.document(user)}


def version_fields(user: User, version_id: str, now: float, description: str | None) -> Fields:
    """FILE_VERSION_UPDATE: a version that somebody named."""
    told = {"created_at": timestamp(now), "version_id": version_id, "triggered_by": people.document(user)}
    return told if description is None else {**told, "description": description}


def publication_fields(user: User, asset: str, changes: Changes, description: str | None) -> Fields:
    """LIBRARY_PUBLISH of one kind of asset, of which at least one changed."""
    fields: Fields = {f"{verb}_{each}": [] for each in ASSETS for verb in Changes._fields}
    for verb, items in zip(Changes._fields, changes, strict=True):
        fields[f"{verb}_{asset}"] = list(items)
    fields["library_item"] = next(item for items in changes for item in items)
    fields["triggered_by"] = people.document(user)
    return fields if description is None else {**fields, "description": description}


def comment_fields(user: User, comment_id: str, text: str, now: float, mentions: Sequence[User] = ()) -> Fields:
    """FILE_COMMENT: the text, then whom it mentions."""
    fields: Fields = {
        "comment": [{"text": text}, *({"mention": each.id} for each in mentions)],
        "comment_id": comment_id,
        "created_at": timestamp(now),
        "triggered_by": people.document(user),
    }
    return {**fields, "mentions": [people.document(each) for each in mentions]} if mentions else fields


def dev_status_fields(user: User, node_id: str, status: str, links: Sequence[Any], message: str | None) -> Fields:
    """DEV_MODE_STATUS_UPDATE: a layer is ready, completed, or neither; with the message that was given, if any."""
    fields: Fields = {
        "node_id": node_id,
        "related_links": list(links),
        "status": status,
        "triggered_by": people.document(user),
    }
    return fields if message is None else {**fields, "change_message": message}


_WANTED: Final = {FILE_DELETE: (FILE_DELETE, FILE_UPDATE)}
"""The deletion of a file is also told to those who asked for its updates."""
_LISTENING: Final = "SELECT number FROM webhooks WHERE context = ? AND context_id = ? AND status = ? AND event_type = ?"
_INSERT: Final = "INSERT INTO deliveries (webhook, payload, due) VALUES (?, ?, ?)"


def queue(connection: sqlite3.Connection, now: float, kind: str, file: File, fields: Mapping[str, Any]) -> int:
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


def queue_ping(connection: sqlite3.Connection, now: float, webhook: int) -> None:
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
    while at is not None and (folder := teams.find_folder(connection, at)) is not None:
        yield FOLDER, folder.id
        team, invited_only = folder.team, invited_only or folder.access == teams.INVITED_ONLY
        at = folder.parent
    if team and not invited_only:
        yield TEAM, team


_EDITED: Final = "SELECT files.key, edits.last FROM edits JOIN files ON number = file WHERE last <= ? ORDER BY last"


def queue_updates(connection: sqlite3.Connection, now: float) -> None:
    """Queue FILE_UPDATE for the files that nobody has edited for half an hour, for those who listen by then.

    It is called before webhooks are made or changed, so that nobody hears of what was over before they asked.
    """
    since = now - INACTIVITY_SECONDS
    for key, last in connection.execute(_EDITED, (since,)).fetchall():
        queue(connection, last + INACTIVITY_SECONDS, FILE_UPDATE, files.known(connection, key), {})
    connection.execute("DELETE FROM edits WHERE last <= ?", (since,))
