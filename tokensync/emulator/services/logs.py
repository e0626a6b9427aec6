"""The logs of an organization (Figma REST API: Activity logs, Developer logs, Discovery)."""

from __future__ import annotations

import hmac
import json
import math
import uuid
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlencode

import msgspec

from tokensync.emulator import access, endpoints, files, history, people, tokens
from tokensync.emulator.endpoints import (
    BOOLEAN,
    NUMBER,
    OBJECT,
    TEXT,
    TIME,
    Query,
    Refusal,
    Route,
    array,
    as_json,
    between,
    in_envelope,
    invalid,
    mapping,
    members,
    or_null,
    timestamp,
    whole_number,
)
from tokensync.emulator.history import MCP_SERVER, REST_API, TOKEN_TYPES, Record
from tokensync.emulator.store import Identities, StateActions
from tokensync.emulator.tokens import PLAN
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from tokensync.emulator.endpoints import Call


DEVELOPER_LOG_ITEMS: Final = 25
MOST_DEVELOPER_LOG_ITEMS: Final = 100
ACTIVITY_LOG_EVENTS: Final = 1000
"""Events per page, both the default and the maximum."""
DISCOVERY_SECONDS: Final = 24 * 3600
"""The longest time range of one request for text events."""
DISCOVERY_LINK_SECONDS: Final = (60, 86400)
"""The shortest and longest lifetime of download links; the longest is the default."""
DISCOVERY_REQUESTS_A_SECOND: Final = 20
_YEAR_SECONDS: Final = 365 * 86400
_ORDERS: Final = {"asc": (">", "ASC"), "desc": ("<", "DESC")}


def _page(call: Call) -> dict[str, Any]:
    """Return the page of events that a query selects; refuse invalid parameters."""
    query = call.query
    start = _time(query, "start_time", call.now - _YEAR_SECONDS)
    end = _time(query, "end_time", call.now)
    if start >= end:
        raise invalid("start_time must be before end_time")
    order = query.get("order", "asc")
    if order not in _ORDERS:
        raise invalid("order must be asc or desc")
    limit = between(query, "limit", 1, ACTIVITY_LOG_EVENTS) or ACTIVITY_LOG_EVENTS
    later, direction = _ORDERS[order]
    conditions = ["time >= ?", "time <= ?"]
    parameters: list[Any] = [start, end]
    types = [type_.strip() for type_ in query.get("events", "").split(",") if type_.strip()]
    if types:
        conditions.append("type IN (SELECT value FROM json_each(?))")
        parameters.append(json.dumps(types))
    if "cursor" in query:
        conditions.append(f"(time, number) {later} (?, ?)")
        parameters += endpoints.read_record_cursor(query["cursor"])
    rows = call.connection.execute(
        f"SELECT number, time, document FROM activities WHERE {' AND '.join(conditions)}"  # noqa: S608
        f" ORDER BY time {direction}, number {direction} LIMIT ?",
        (*parameters, limit + 1),
    ).fetchall()
    page = rows[:limit]
    cursor = endpoints.cursor(page[-1][1], page[-1][0]) if page else ""
    documents = [
        {"id": call.identities.key("activity", str(number)), "timestamp": int(time), **json.loads(document)}
        for number, time, document in page
    ]
    return {"activity_logs": documents, "cursor": cursor, "next_page": len(rows) > limit}


def _time(query: Mapping[str, str], name: str, default: float) -> float:
    seconds = whole_number(query, name, "a Unix time in whole seconds")
    return default if seconds is None else float(seconds)


def read(call: Call) -> bytes:
    """Return a page of the organization's activity log, the earliest event first unless ``order`` is ``desc``."""
    access.check_organization(call)
    return msgspec.json.encode({"status": 200, "error": False, "i18n": None, "meta": _page(call)})


_EVENT: Final = members(
    {
        "id": TEXT,
        "timestamp": NUMBER,
        "actor": or_null(OBJECT),
        "action": members({"type": TEXT, "details": or_null(OBJECT)}),
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

ACTIVITY_LOGS: Final = (
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
        returns=members(
            {
                "status": {"const": 200},
                "error": {"const": False},
                "i18n": {"type": "null"},
                "meta": members({"activity_logs": array(_EVENT), "cursor": TEXT, "next_page": BOOLEAN}),
            }
        ),
    ),
)


SOURCES: Final = (REST_API, MCP_SERVER)
RANGES: Final = {"last_24h": 86400, "last_7d": 7 * 86400, "last_30d": 30 * 86400}
"""Date ranges, in seconds until now."""
FILTERS: Final = ("token", "token_name", "user_email", "ip_address", "token_type", "event_source", "date_range")

_PREFIXES: Final = {"token_name": "token_name", "user_email": "user_email", "ip_address": "address"}
_ENUMERATED: Final = {
    "token_type": ("token_type", tuple(TOKEN_TYPES.values())),
    "event_source": ("source", SOURCES),
    "date_range": ("", tuple(RANGES)),
}

_STARTS_WITH: Final = (
    "EXISTS (SELECT 1 FROM json_each(?) WHERE lower(substr(requests.{}, 1, length(value))) = lower(value))"
)
"""A condition: a column starts with any text of a JSON list. LIKE would treat % and _ in a text as wildcards."""


class DeveloperLogs(StateActions):
    """Records requests that were not made to this emulator, such as those of the MCP server or of another day."""

    def add(
        self,
        secret: str,
        event: str,
        *,
        source: str = REST_API,
        file_key: str | None = None,
        address: str = "127.0.0.1",
        ago: float = 0.0,
    ) -> None:
        """Record a request with this token's secret, ``ago`` seconds before now."""
        if source not in SOURCES:
            raise UsageError(f"developer logs: no source {source!r}; use one of {', '.join(SOURCES)}")
        with self._store.writing() as connection:
            token = tokens.require(connection, secret)
            user = people.require(connection, token.user)
            parts = {} if file_key is None else {"file_key": file_key}
            when = self._clock() - ago
            history.insert(connection, [history.record(token, user, when, event, parts, address, source)])


def _requests(call: Call, body: dict[str, Any]) -> dict[str, Any]:
    """Return the page of records that match all filters of a body; refuse invalid filters."""
    limit = _limit(body.get("limit", DEVELOPER_LOG_ITEMS))
    conditions, values = _conditions(_filters(body), call.now)
    query = f"SELECT number, {', '.join(Record._fields)} FROM requests WHERE {' AND '.join(conditions)}"  # noqa: S608
    rows = call.connection.execute(f"{query} ORDER BY time DESC, number DESC LIMIT ?", (*values, limit + 1)).fetchall()
    records = [(row[0], Record(*row[1:])) for row in rows[:limit]]
    cursor = endpoints.cursor(records[-1][1].time, records[-1][0]) if records else ""
    items = [_document(call.identities, *record) for record in records]
    return {"items": items, "cursor": cursor, "has_more": len(rows) > limit}


def _filters(body: dict[str, Any]) -> dict[str, str]:
    """Return the filters and the cursor of a body; enumerated values in lower case."""
    filters: dict[str, str] = {}
    for name in (*FILTERS, "cursor"):
        if name not in body:
            continue
        value = body[name]
        if not isinstance(value, str):
            raise invalid(f"{name} must be a string")
        if name in _ENUMERATED:
            value = value.lower()
            allowed = _ENUMERATED[name][1]
            if value not in allowed:
                raise invalid(f"{name} must be one of {', '.join(allowed).upper()}")
        filters[name] = value
    return filters


def _limit(limit: Any) -> int:
    if isinstance(limit, bool) or not (isinstance(limit, int) or (isinstance(limit, float) and limit.is_integer())):
        raise invalid("limit must be a whole number")
    if not 1 <= limit <= MOST_DEVELOPER_LOG_ITEMS:
        raise invalid(f"limit must be from 1 to {MOST_DEVELOPER_LOG_ITEMS}")
    return int(limit)


def _conditions(filters: dict[str, str], now: float) -> tuple[list[str], list[Any]]:
    """Return the filters as SQL conditions, and the values of their placeholders."""
    conditions = ["time >= ?", "time <= ?"]
    values: list[Any] = [now - RANGES[filters.get("date_range", "last_30d")], now]
    for name, value in filters.items():
        if name in _PREFIXES:
            prefixes = [each.strip() for each in value.split(",") if each.strip()]
            if prefixes:
                conditions.append(_STARTS_WITH.format(_PREFIXES[name]))
                values.append(json.dumps(prefixes))
    if "token" in filters:
        conditions.append("token_digest = ?")
        values.append(history.digest(filters["token"]))
    for name in ("token_type", "event_source"):
        if name in filters:
            conditions.append(f"{_ENUMERATED[name][0]} = ?")
            values.append(filters[name])
    if "cursor" in filters:
        conditions.append("(time, number) < (?, ?)")
        values += endpoints.read_record_cursor(filters["cursor"])
    return conditions, values


def _document(identities: Identities, number: int, record: Record) -> dict[str, Any]:
    """Return a record as in answers. The geographic location is empty, since requests come from this machine."""
    resource = {"id_or_key": record.resource, "name": record.resource_name, "type": record.resource_type}
    return {
        "uuid": str(uuid.UUID(hex=identities.key("request", str(number))[:32])),
        "timestamp": timestamp(record.time),
        "action": {"event_name": record.event, "event_source": record.source},
        "actor": {
            "user_id": record.user,
            "user_name": record.user_name,
            "token_name": record.token_name,
            "token_type": record.token_type,
            "user_email": record.user_email,
        },
        "resource": {name: value for name, value in resource.items() if value is not None}
        | {"org_id": files.ORGANIZATION},
        "context": {"ip_address": record.address, "city": "", "country_region": "", "country": ""},
    }


def search(call: Call) -> bytes:
    """Return a page of the requests made with the organization's access tokens, the latest first."""
    access.check_organization(call, governance=True)
    body = endpoints.read_object(call) if endpoints.read_body(call).strip() else {}
    return in_envelope(_requests(call, body))


def _enumerated(*values: str) -> dict[str, object]:
    return {"type": "string", "enum": [*(value.upper() for value in values), *values]}


_ITEM: Final = members(
    {
        "uuid": TEXT,
        "timestamp": TIME,
        "action": members({"event_name": TEXT, "event_source": _enumerated(*SOURCES)}),
        "actor": members(
            {"user_id": TEXT, "user_name": TEXT, "token_name": TEXT, "token_type": TEXT, "user_email": TEXT}
        ),
        "resource": members({"org_id": TEXT}, {"id_or_key": TEXT, "name": TEXT, "type": TEXT}),
        "context": members({"ip_address": TEXT, "city": TEXT, "country_region": TEXT, "country": TEXT}),
    }
)

DEVELOPER_LOGS: Final = (
    Route(
        "POST",
        "/v1/developer_logs",
        search,
        scopes=("org:developer_log_read",),
        tier=3,
        kinds=(PLAN,),
        accepts=members(
            {},
            {
                "token": TEXT,
                "token_name": TEXT,
                "user_email": TEXT,
                "ip_address": TEXT,
                "token_type": _enumerated(*TOKEN_TYPES.values()),
                "event_source": _enumerated(*SOURCES),
                "date_range": _enumerated(*RANGES),
                "limit": {"type": "integer", "minimum": 1, "maximum": MOST_DEVELOPER_LOG_ITEMS},
                "cursor": TEXT,
            },
        ),
        returns=endpoints.envelope(members({"items": array(_ITEM), "cursor": TEXT, "has_more": BOOLEAN})),
    ),
)


_ABOUT: Final = (
    "The real service does not document the shape of these files; this one is the emulator's own (version 1)."
)


def of_hour(connection: sqlite3.Connection, identities: Identities, start: float) -> dict[str, Any]:
    """Return the text events of the hour that starts at ``start``, in Unix seconds."""
    query = "SELECT number, time, document FROM text_events WHERE time >= ? AND time < ? ORDER BY time, number"
    rows = connection.execute(query, (start, start + 3600)).fetchall()
    return {"about": _ABOUT, "hour": timestamp(start), "events": [_event(connection, identities, *row) for row in rows]}


def _event(
    connection: sqlite3.Connection, identities: Identities, number: int, time: float, document: bytes
) -> dict[str, Any]:
    event = json.loads(document)
    file = None if event["file_key"] is None else files.find(connection, event["file_key"])
    return {
        "id": identities.key("text event", str(number)),
        "timestamp": timestamp(time),
        "kind": event["kind"],
        "text": event["text"],
        "actor": {"id": event["user"], "name": event["name"], "email": event["email"]},
        "file": None if file is None else {"key": file.key, "name": file.name},
        "node_id": event["node_id"],
    }


FOLDER: Final = "/v1/discovery/text_events/"
"""The path of the downloads; those of the real service are undocumented."""
_HOUR_SECONDS: Final = 3600


def requested_hours(query: Mapping[str, str], now: float) -> tuple[int, ...]:
    """Return the starts of the requested hours in Unix seconds; refuse an invalid range."""
    if "start_date" not in query:
        raise invalid("start_date is required")
    start = _iso_time(query["start_date"], "start_date")
    if start % _HOUR_SECONDS:
        raise invalid("start_date must be the beginning of an hour")
    if start > now - _HOUR_SECONDS:
        raise invalid("start_date must be at least 1 hour in the past")
    end = start + _HOUR_SECONDS
    if "end_date" in query:
        end = _iso_time(query["end_date"], "end_date")
        if end <= start:
            raise invalid("end_date must be after start_date")
        if end - start > DISCOVERY_SECONDS:
            raise invalid("end_date must be at most 24 hours after start_date")
    return tuple(range(int(start), math.ceil(end), _HOUR_SECONDS))


def hour_name(hour: int) -> str:
    """Return an hour as YYYY/MM/DD/HH in UTC."""
    return (_EPOCH + timedelta(seconds=hour)).strftime("%Y/%m/%d/%H").rjust(13, "0")


def link(root: str, identities: Identities, hour: int, expires: int) -> str:
    """Return the download link of an hour, valid without a token until ``expires`` in Unix seconds."""
    parameters = {"expires": expires, "signature": _signature(identities, str(hour), str(expires))}
    return f"{root}{FOLDER}{hour}?{urlencode(parameters)}"


def check_link(identities: Identities, hour: str, query: Mapping[str, str], now: float) -> int:
    """Return the hour of a download link; refuse a forged or expired link."""
    expires = query.get("expires", "")
    signature = _signature(identities, hour, expires)
    if not hmac.compare_digest(signature.encode(), query.get("signature", "").encode("utf-8", "replace")):
        raise Refusal(403, "Invalid download link")
    if int(expires) <= now:
        raise Refusal(403, "Download link expired")
    return int(hour)


_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def _signature(identities: Identities, hour: str, expires: str) -> str:
    return identities.secret("discovery link", hour, expires)


def _iso_time(text: str, name: str) -> float:
    """Return an ISO 8601 time in UTC as Unix seconds, computed without platform limits such as the year 1970."""
    try:
        time = datetime.fromisoformat(text)
    except ValueError:
        time = None
    if time is None or time.utcoffset() != timedelta(0):
        raise invalid(f"{name} must be an ISO 8601 timestamp in UTC, such as 2026-01-31T09:00:00Z")
    return (time - _EPOCH).total_seconds()


def read_discovery(call: Call) -> bytes:
    """Return a download link for every hour of the requested range, with or without text events."""
    access.check_organization(call, governance=True)
    hours = requested_hours(call.query, call.now)
    shortest, longest = DISCOVERY_LINK_SECONDS
    expires = int(call.now) + (between(call.query, "file_ttl_in_seconds", shortest, longest) or longest)
    urls = {hour_name(hour): [link(call.root, call.identities, hour, expires)] for hour in hours}
    return as_json({"status": 200, "error": False, "meta": {"urls": urls}, "i18n": None, "message": None})


def download(call: Call, hour: str) -> bytes:
    """Return the text events of an hour. The link's signature replaces an access token."""
    start = check_link(call.identities, hour, call.query, call.now)
    return as_json(of_hour(call.connection, call.identities, start))


_SHORTEST, _LONGEST = DISCOVERY_LINK_SECONDS

DISCOVERY: Final = (
    Route(
        "GET",
        "/v1/discovery",
        read_discovery,
        scopes=("org:discovery_read",),
        tier=2,
        per_second=DISCOVERY_REQUESTS_A_SECOND,
        parameters=(
            Query("start_date", TIME, required=True),
            Query("end_date", TIME),
            Query("file_ttl_in_seconds", {"type": "integer", "minimum": _SHORTEST, "maximum": _LONGEST}),
        ),
        returns=members(
            {
                "status": {"const": 200},
                "error": {"const": False},
                "meta": members({"urls": mapping(array(TEXT))}),
                "i18n": or_null(TEXT),
            },
            {"message": or_null(TEXT)},
        ),
    ),
    Route(
        "GET",
        FOLDER + "<hour>",
        download,
        parameters=(Query("expires", TEXT, required=True), Query("signature", TEXT, required=True)),
        returns=members({"about": TEXT, "hour": TIME, "events": array(members({"kind": TEXT, "text": TEXT}))}),
    ),
)
