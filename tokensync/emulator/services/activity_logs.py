"""Activity logs: the actions of users in the organization (Figma REST API: Activity logs)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.emulator import access, endpoints
from tokensync.emulator.endpoints import (
    BOOLEAN,
    NUMBER,
    OBJECT,
    TEXT,
    Query,
    Route,
    array,
    between,
    invalid,
    members,
    or_null,
    whole_number,
)
from tokensync.emulator.limits import ACTIVITY_LOG_EVENTS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.emulator.endpoints import Call


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
    cursor = endpoints.record_cursor(page[-1][1], page[-1][0]) if page else ""
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
