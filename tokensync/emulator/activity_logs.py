"""Activity logs: what users did in the organization, and the route that lists it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.emulator.accounts import organization, people
from tokensync.emulator.endpoints.parameters import between, whole
from tokensync.emulator.endpoints.refusal import invalid
from tokensync.emulator.endpoints.route import Query, Route
from tokensync.emulator.endpoints.shapes import BOOLEAN, NUMBER, SOMETHING, TEXT, array, members, or_null
from tokensync.emulator.filing import places
from tokensync.emulator.limits import ACTIVITY_LOG_EVENTS
from tokensync.emulator.records import cursors
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from tokensync.emulator.endpoints.route import Call
    from tokensync.emulator.state.identity import Identities
    from tokensync.emulator.state.store import Store


ENTITIES: Final = ("user", "file", "file_repo", "project", "team", "workspace", "org", "plugin", "widget")
_ORGANIZATION_NAME: Final = "Organization"
_LINKS: Final = {"link_access": "inherit", "proto_link_access": "inherit"}
_YEAR_SECONDS: Final = 365 * 86400
_ORDERS: Final = {"asc": (">", "ASC"), "desc": ("<", "DESC")}


class Activity:
    """Puts events into the log as people's actions in the editor do."""

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
        """Somebody did ``action`` to ``entity`` ``ago`` seconds before now; without one, to the organization.

        Of a file its type and key will do. ``actor`` is a user's id, or None for nobody; ``client`` the name of the app
        that it was done through.
        """
        entity = entity or {"type": "org", "id": places.ORGANIZATION, "name": _ORGANIZATION_NAME}
        if entity.get("type") not in ENTITIES:
            raise UsageError(f"activity: no type of entity {entity.get('type')!r}; use one of {', '.join(ENTITIES)}")
        context = _context(team, client, address)
        with self._store.writing() as connection:
            doer = None if actor is None else people.known(connection, actor)
            _insert(connection, self._clock() - ago, action, doer, _whole(connection, entity), details, context)


class Page(NamedTuple):
    """Events as answers show them; ``cursor`` is after the last of them, and empty where there are none."""

    activity_logs: list[dict[str, Any]]
    cursor: str
    next_page: bool


def of_file(connection: sqlite3.Connection, now: float, action: str, key: str, folder: str, **details: str) -> None:
    """Note what happened to the file of this key and folder when the emulator's first user changed it in the editor."""
    entity = _whole(connection, {"type": "file", "key": key})
    found = places.find_folder(connection, folder)
    context = _context(None if found is None else found.team, None, "127.0.0.1")
    _insert(connection, now, action, people.find(connection, people.FIRST), entity, details or None, context)


def find(connection: sqlite3.Connection, identities: Identities, query: Mapping[str, str], now: float) -> Page:
    """Return the events that a query asks for; a parameter that is not what it may be is refused."""
    start = _time(query, "start_time", now - _YEAR_SECONDS)
    end = _time(query, "end_time", now)
    if start >= end:
        raise invalid("start_time must be before end_time")
    order = query.get("order", "asc")
    if order not in _ORDERS:
        raise invalid("order must be asc or desc")
    limit = between(query, "limit", 1, ACTIVITY_LOG_EVENTS) or ACTIVITY_LOG_EVENTS
    later, direction = _ORDERS[order]
    conditions, values = ["time >= ?", "time <= ?"], [start, end]
    wanted = [each.strip() for each in query.get("events", "").split(",") if each.strip()]
    parameters: list[Any] = [*values]
    if wanted:
        conditions.append("type IN (SELECT value FROM json_each(?))")
        parameters.append(json.dumps(wanted))
    if "cursor" in query:
        conditions.append(f"(time, number) {later} (?, ?)")
        parameters += cursors.read(query["cursor"])
    rows = connection.execute(
        f"SELECT number, time, document FROM activities WHERE {' AND '.join(conditions)}"  # noqa: S608
        f" ORDER BY time {direction}, number {direction} LIMIT ?",
        (*parameters, limit + 1),
    ).fetchall()
    shown = rows[:limit]
    cursor = cursors.written(shown[-1][1], shown[-1][0]) if shown else ""
    return Page([_document(identities, *row) for row in shown], cursor, len(rows) > limit)


def _whole(connection: sqlite3.Connection, entity: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the entity, and if it is a file with what else is known of that."""
    if entity["type"] != "file":
        return entity
    found = connection.execute("SELECT name, editor FROM files WHERE key = ?", (entity.get("key"),)).fetchone()
    name, editor = found or ("", "figma")
    return {"name": name, "editor_type": editor, **_LINKS, **entity}


def _time(query: Mapping[str, str], name: str, default: float) -> float:
    """Unix seconds."""
    given = whole(query, name, "a Unix time in whole seconds")
    return default if given is None else float(given)


def _context(team: str | None, client: str | None, address: str) -> dict[str, Any]:
    return {
        "client_name": client,
        "ip_address": address,
        "is_figma_support_team_action": False,
        "org_id": places.ORGANIZATION,
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


def _document(identities: Identities, number: int, time: float, document: bytes) -> dict[str, Any]:
    return {"id": identities.key("activity", str(number)), "timestamp": int(time), **json.loads(document)}


def read(call: Call) -> bytes:
    """Return a page of events, the earliest first unless it is asked for otherwise."""
    organization.check(call)
    found = find(call.connection, call.identities, call.query, call.now)
    return msgspec.json.encode({"status": 200, "error": False, "i18n": None, "meta": found._asdict()})


_EVENT: Final = members(
    {
        "id": TEXT,
        "timestamp": NUMBER,
        "actor": or_null(SOMETHING),
        "action": members({"type": TEXT, "details": or_null(SOMETHING)}),
        "entity": members({"type": TEXT}),
        "context": members(
            {
                "client_name": or_null(TEXT),
                "ip_address": TEXT,
                "is_figma_support_team_action": BOOLEAN,
                "org_id": TEXT,
                "team_id": or_null(TEXT),
            }
        ),
    }
)
_SECONDS: Final = {"type": "integer", "minimum": 0, "maximum": 999_999_999_999_999}

ROUTES: Final = (
    Route(
        "GET",
        "/v1/activity_logs",
        read,
        scopes=("org:activity_log_read",),
        tier=3,
        parameters=(
            Query("events", TEXT),
            Query("start_time", _SECONDS),
            Query("end_time", _SECONDS),
            Query("limit", {"type": "integer", "minimum": 1, "maximum": ACTIVITY_LOG_EVENTS}),
            Query("order", {"type": "string", "enum": ["asc", "desc"]}),
            Query("cursor", TEXT),
        ),
        gives=members(
            {
                "status": {"const": 200},
                "error": {"const": False},
                "i18n": {"type": "null"},
                "meta": members({"activity_logs": array(_EVENT), "cursor": TEXT, "next_page": BOOLEAN}),
            }
        ),
    ),
)
