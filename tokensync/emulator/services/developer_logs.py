"""Developer logs: the requests of access tokens (Figma REST API: Developer logs).

The search is a POST request, which keeps a token's secret out of URLs.
"""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator import access, endpoints, files, history, people, tokens
from tokensync.emulator.endpoints import BOOLEAN, TEXT, TIME, Route, array, in_envelope, invalid, members, timestamp
from tokensync.emulator.history import MCP_SERVER, REST_API, TOKEN_TYPES, Record
from tokensync.emulator.limits import DEVELOPER_LOG_ITEMS, MOST_DEVELOPER_LOG_ITEMS
from tokensync.emulator.tokens import PLAN
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.store import Identities, Store


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


class DeveloperLogs:
    """Records requests that were not made to this emulator, such as those of the MCP server or of another day."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

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


def _page(call: Call, body: dict[str, Any]) -> dict[str, Any]:
    """Return the page of records that match all filters of a body; refuse invalid filters."""
    limit = _limit(body.get("limit", DEVELOPER_LOG_ITEMS))
    conditions, values = _conditions(_filters(body), call.now)
    query = f"SELECT number, {', '.join(Record._fields)} FROM requests WHERE {' AND '.join(conditions)}"  # noqa: S608
    rows = call.connection.execute(f"{query} ORDER BY time DESC, number DESC LIMIT ?", (*values, limit + 1)).fetchall()
    records = [(row[0], Record(*row[1:])) for row in rows[:limit]]
    cursor = endpoints.record_cursor(records[-1][1].time, records[-1][0]) if records else ""
    items = [_document(call.identities, *each) for each in records]
    return {"items": items, "cursor": cursor, "has_more": len(rows) > limit}


def _filters(body: dict[str, Any]) -> dict[str, str]:
    """Return the filters and the cursor of a body; enumerated values in lower case."""
    filters: dict[str, str] = {}
    for name in (*FILTERS, "cursor"):
        value = body.get(name)
        if value is None:
            continue
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
    if limit is None:
        return DEVELOPER_LOG_ITEMS
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
    return in_envelope(_page(call, body))


def _enumerated(*values: str) -> dict[str, object]:
    return {"type": "string", "enum": [*(each.upper() for each in values), *values]}


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

ROUTES: Final = (
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
