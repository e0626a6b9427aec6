"""What the emulator records for its logs: requests, activities and texts of users."""

from __future__ import annotations

import hashlib
import json
import threading
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import files, people, tokens
from tokensync.emulator.store import StateActions, Store
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from tokensync.emulator.people import User
    from tokensync.emulator.tokens import Token


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


class TextEvents(StateActions):
    """Records texts that users write in the editor."""

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
        """Add a TEXT of a user to discovery's text events. It appears there after an hour at the earliest."""
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


class Activity(StateActions):
    """Records actions of users in the editor."""

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
        with self._store.writing() as connection:
            user = None if actor is None else people.require(connection, actor)
            when = self._clock() - ago
            _insert(connection, when, action, user, entity, details, team, client=client, address=address)


def note_activity(
    connection: sqlite3.Connection, now: float, action: str, key: str, folder: str, **details: str
) -> None:
    """Record an action of the first user on a file, by its key, in a folder, by its id."""
    parent, user = files.find_folder(connection, folder), people.find(connection, people.FIRST)
    team = None if parent is None else parent.team
    _insert(connection, now, action, user, {"type": "file", "key": key}, details or None, team)


def _insert(
    connection: sqlite3.Connection,
    time: float,
    action: str,
    actor: people.User | None,
    entity: Mapping[str, Any],
    details: Mapping[str, Any] | None,
    team: str | None,
    *,
    client: str | None = None,
    address: str = "127.0.0.1",
) -> None:
    """Record an activity; a file's name, editor and link access are added."""
    if entity["type"] == "file":
        row = connection.execute("SELECT name, editor FROM files WHERE key = ?", (entity.get("key"),)).fetchone()
        name, editor = row or ("", "figma")
        entity = {"name": name, "editor_type": editor, **_LINKS, **entity}
    by = None if actor is None else {"type": "user", "id": actor.id, "name": actor.handle, "email": actor.email}
    document = {
        "actor": by,
        "action": {"type": action, "details": details},
        "entity": entity,
        "context": {
            "client_name": client,
            "ip_address": address,
            "is_figma_support_team_action": False,
            "org_id": files.ORGANIZATION,
            "team_id": team,
        },
    }
    connection.execute(
        "INSERT INTO activities (time, type, document) VALUES (?, ?, ?)", (time, action, json.dumps(document).encode())
    )


MOST_WAITING: Final = 1000
"""The number of buffered records at which they are written in a transaction of their own."""
RETENTION_SECONDS: Final = 30 * 86400
"""The longest range that can be searched."""

REST_API: Final = "rest_api"
MCP_SERVER: Final = "mcp_server"
TOKEN_TYPES: Final[Mapping[str, str]] = {
    tokens.PERSONAL: "personal_access_token",
    tokens.PLAN: "plan_access_token",
    tokens.OAUTH: "oauth_token",
}


class Record(NamedTuple):
    """A request. ``time`` is Unix seconds, ``event`` the path of the route, ``resource`` an id or key, or None.

    The ``user`` fields are empty for a plan access token, which is not tied to a person.
    """

    time: float
    event: str
    source: str
    token_digest: str
    token_name: str
    token_type: str
    user: str
    user_name: str
    user_email: str
    resource: str | None
    resource_name: str | None
    resource_type: str | None
    address: str


class RequestLog:
    """A thread-safe buffer of records."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[Record] = []
        self._lock = threading.Lock()

    def note(self, record: Record) -> None:
        """Buffer a record."""
        with self._lock:
            self._waiting.append(record)

    def write(self, connection: sqlite3.Connection) -> Sequence[Record]:
        """Write the buffered records in the caller's transaction, and return them for ``put_back``."""
        with self._lock:
            records, self._waiting = self._waiting, []
        if records:
            insert(connection, records)
        return records

    def put_back(self, records: Sequence[Record]) -> None:
        """Buffer records again after a rollback of the transaction that wrote them."""
        if records:
            with self._lock:
                self._waiting[:0] = records

    @property
    def is_full(self) -> bool:
        """Return whether the buffer should be flushed."""
        return len(self._waiting) >= MOST_WAITING

    def clear(self) -> None:
        """Drop the buffered records."""
        with self._lock:
            self._waiting = []

    def flush(self) -> None:
        """Write the buffered records in a transaction of their own."""
        records: Sequence[Record] = ()
        if not self._waiting:
            return
        try:
            with self._store.writing() as connection:
                records = self.write(connection)
        except BaseException:
            self.put_back(records)
            raise


def record(
    token: Token, user: User, now: float, event: str, parts: Mapping[str, str], address: str, source: str = REST_API
) -> Record:
    """Return the record of a request; its resource comes from the path parameters ``parts``."""
    resource, kind = next(((parts[name], kind) for name, kind in _KINDS.items() if name in parts), (None, None))
    by = (digest(token.secret), token.name, TOKEN_TYPES[token.kind])
    who = ("", "", "") if token.kind == tokens.PLAN else (user.id, user.handle, user.email)
    return Record(now, event, source, *by, *who, resource, None, kind, address)


_KINDS: Final = {
    "file_key": "file",
    "library_file_key": "file",
    "folder_id": "folder",
    "project_id": "folder",
    "team_id": "team",
}


def digest(secret: str) -> str:
    """Return the digest that stands for a token's secret in records."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def insert(connection: sqlite3.Connection, records: Sequence[Record]) -> None:
    """Write records with the current names of their resources, and delete records past the retention period."""
    latest = max(record.time for record in records)
    connection.execute("DELETE FROM requests WHERE time < ?", (latest - RETENTION_SECONDS,))
    names: dict[tuple[str | None, str | None], str | None] = {}
    for record in records:
        resource = (record.resource_type, record.resource)
        if resource not in names:
            names[resource] = _name(connection, *resource)
    connection.executemany(
        f"INSERT INTO requests ({', '.join(Record._fields)}) VALUES ({', '.join('?' * len(Record._fields))})",  # noqa: S608
        [record._replace(resource_name=names[record.resource_type, record.resource]) for record in records],
    )


def _name(connection: sqlite3.Connection, kind: str | None, resource: str | None) -> str | None:
    match kind, resource:
        case "file", str():
            item: files.File | files.Folder | files.Team | None = files.find(connection, resource)
        case "folder", str():
            item = files.find_folder(connection, resource)
        case "team", str():
            item = files.find_team(connection, resource)
        case _:
            item = None
    return None if item is None else item.name
