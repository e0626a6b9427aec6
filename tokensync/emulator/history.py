"""Activities and texts of users, as listed by the activity logs and by discovery."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator import files, people
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from tokensync.emulator.people import User
    from tokensync.emulator.store import Store


DESIGN_TEXT: Final = "design_text"
COMMENT: Final = "comment"
REACTION: Final = "reaction"
DOCUMENTATION: Final = "component_documentation"
DEVELOPER_LINK: Final = "developer_link"
KINDS: Final = (
    DESIGN_TEXT,
    "whiteboard_text",
    "cursor_chat",
    COMMENT,
    REACTION,
    DOCUMENTATION,
    "component_link",
    "annotation",
    DEVELOPER_LINK,
)


class TextEvents:
    """Records texts that users write in the editor."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def add(
        self,
        text: str,
        *,
        kind: str = DESIGN_TEXT,
        file_key: str | None = None,
        node: str | None = None,
        actor: str = people.FIRST,
        ago: float = 0.0,
    ) -> None:
        """Record that ``actor`` (a user id) wrote ``text`` ``ago`` seconds before now."""
        if kind not in KINDS:
            raise UsageError(f"text events: no kind {kind!r}; use one of {', '.join(KINDS)}")
        with self._store.writing() as connection:
            if file_key is not None:
                files.require(connection, file_key)
            user = people.require(connection, actor)
            note_text(connection, self._clock() - ago, kind, text, user, file_key, node)


def note_text(
    connection: sqlite3.Connection,
    now: float,
    kind: str,
    text: str,
    user: User,
    file_key: str | None = None,
    node: str | None = None,
) -> None:
    """Record a text that a user wrote."""
    document = {"user": user.id, "name": user.handle, "email": user.email} | {
        "kind": kind,
        "text": text,
        "file_key": file_key,
        "node_id": node,
    }
    connection.execute("INSERT INTO text_events (time, document) VALUES (?, ?)", (now, json.dumps(document).encode()))


ENTITIES: Final = ("user", "file", "file_repo", "project", "team", "workspace", "org", "plugin", "widget")
_ORGANIZATION_NAME: Final = "Organization"
_LINKS: Final = {"link_access": "inherit", "proto_link_access": "inherit"}


class Activity:
    """Records actions of users in the editor."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def add(
        self,
        action: str,
        *,
        entity: Mapping[str, Any] | None = None,
        details: Mapping[str, Any] | None = None,
        actor: str | None = people.FIRST,
        team: str | None = None,
        client: str | None = None,
        address: str = "127.0.0.1",
        ago: float = 0.0,
    ) -> None:
        """Record an ``action`` on ``entity`` (by default the organization) ``ago`` seconds before now.

        A file needs only its type and key. ``actor`` is a user id, or None; ``client`` is the name of an app.
        """
        entity = entity or {"type": "org", "id": files.ORGANIZATION, "name": _ORGANIZATION_NAME}
        if entity.get("type") not in ENTITIES:
            raise UsageError(f"activity: no entity type {entity.get('type')!r}; use one of {', '.join(ENTITIES)}")
        context = _context(team, client, address)
        with self._store.writing() as connection:
            user = None if actor is None else people.require(connection, actor)
            _insert(connection, self._clock() - ago, action, user, _complete(connection, entity), details, context)


def note_activity(
    connection: sqlite3.Connection, now: float, action: str, key: str, folder: str, **details: str
) -> None:
    """Record an action of the first user on a file, by its key, in a folder, by its id."""
    entity = _complete(connection, {"type": "file", "key": key})
    parent = files.find_folder(connection, folder)
    context = _context(None if parent is None else parent.team, None, "127.0.0.1")
    _insert(connection, now, action, people.find(connection, people.FIRST), entity, details or None, context)


def _complete(connection: sqlite3.Connection, entity: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return an entity; a file's name, editor and link access are added."""
    if entity["type"] != "file":
        return entity
    row = connection.execute("SELECT name, editor FROM files WHERE key = ?", (entity.get("key"),)).fetchone()
    name, editor = row or ("", "figma")
    return {"name": name, "editor_type": editor, **_LINKS, **entity}


def _context(team: str | None, client: str | None, address: str) -> dict[str, Any]:
    return {
        "client_name": client,
        "ip_address": address,
        "is_figma_support_team_action": False,
        "org_id": files.ORGANIZATION,
        "team_id": team,
    }


def _insert(
    connection: sqlite3.Connection,
    time: float,
    action: str,
    actor: people.User | None,
    entity: Mapping[str, Any],
    details: Mapping[str, Any] | None,
    context: Mapping[str, Any],
) -> None:
    document = {
        "actor": None
        if actor is None
        else {"type": "user", "id": actor.id, "name": actor.handle, "email": actor.email},
        "action": {"type": action, "details": details},
        "entity": entity,
        "context": context,
    }
    connection.execute(
        "INSERT INTO activities (time, type, document) VALUES (?, ?, ?)", (time, action, json.dumps(document).encode())
    )
