"""Developer logs: what access tokens were used for, searched with POST so that no secret stands in a URL."""

from __future__ import annotations

import json
import uuid
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import endpoints, organization, people, request_log, schemas, teams, tokens
from tokensync.emulator.endpoints import Route, in_envelope, invalid, timestamp
from tokensync.emulator.limits import DEVELOPER_LOG_ITEMS, MOST_DEVELOPER_LOG_ITEMS
from tokensync.emulator.request_log import MCP_SERVER, REST_API, TOKEN_TYPES, Record
from tokensync.emulator.schemas import BOOLEAN, TEXT, TIME, array, members
from tokensync.emulator.tokens import PLAN
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
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

_FITS_ONE: Final = (
    "EXISTS (SELECT 1 FROM json_each(?) WHERE lower(substr(requests.{}, 1, length(value))) = lower(value))"
)
"""Whether a column begins with a text of a list; LIKE would take % and _ of a name for wildcards."""


class DeveloperLogs:
    """Puts requests into the logs that nobody made here, such as those of another server or another day."""

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
        """A request that the token of this secret made ``ago`` seconds before now, from the address."""
        if source not in SOURCES:
            raise UsageError(f"developer logs: no source {source!r}; use one of {', '.join(SOURCES)}")
        with self._store.writing() as connection:
            token = tokens.require(connection, secret)
            user = people.require(connection, token.user)
            parts = {} if file_key is None else {"file_key": file_key}
            when = self._clock() - ago
            request_log.insert(connection, [request_log.record(token, user, when, event, parts, address, source)])


class Page(NamedTuple):
    """Items as answers show them; ``cursor`` leads to the next page."""

    items: list[dict[str, Any]]
    cursor: str
    has_more: bool


def _page(connection: sqlite3.Connection, identities: Identities, asked: dict[str, Any], now: float) -> Page:
    """Return the records that every filter of a body fits; one that is not what it may be is refused."""
    wanted = _checked(asked)
    limit = _limit(asked.get("limit", DEVELOPER_LOG_ITEMS))
    conditions, values = _conditions(wanted, now)
    query = f"SELECT number, {', '.join(Record._fields)} FROM requests WHERE {' AND '.join(conditions)}"  # noqa: S608
    rows = connection.execute(f"{query} ORDER BY time DESC, number DESC LIMIT ?", (*values, limit + 1)).fetchall()
    found = [(row[0], Record(*row[1:])) for row in rows[:limit]]
    cursor = endpoints.record_cursor(found[-1][1].time, found[-1][0]) if found else ""
    return Page([_document(identities, *each) for each in found], cursor, len(rows) > limit)


def _checked(asked: dict[str, Any]) -> dict[str, str]:
    """Return the filters and the cursor, those with an enumeration in lower case."""
    wanted: dict[str, str] = {}
    for name in (*FILTERS, "cursor"):
        value = asked.get(name)
        if value is None:
            continue
        if not isinstance(value, str):
            raise invalid(f"{name} must be a string")
        if name in _ENUMERATED:
            value = value.lower()
            allowed = _ENUMERATED[name][1]
            if value not in allowed:
                raise invalid(f"{name} must be one of {', '.join(allowed).upper()}")
        wanted[name] = value
    return wanted


def _limit(limit: Any) -> int:
    if limit is None:
        return DEVELOPER_LOG_ITEMS
    if isinstance(limit, bool) or not (isinstance(limit, int) or (isinstance(limit, float) and limit.is_integer())):
        raise invalid("limit must be a whole number")
    if not 1 <= limit <= MOST_DEVELOPER_LOG_ITEMS:
        raise invalid(f"limit must be from 1 to {MOST_DEVELOPER_LOG_ITEMS}")
    return int(limit)


def _conditions(wanted: dict[str, str], now: float) -> tuple[list[str], list[Any]]:
    """Return the filters in SQL, all of which a record has to fit, and the values for its question marks."""
    conditions = ["time >= ?", "time <= ?"]
    values: list[Any] = [now - RANGES[wanted.get("date_range", "last_30d")], now]
    for name, value in wanted.items():
        if name in _PREFIXES:
            prefixes = [each.strip() for each in value.split(",") if each.strip()]
            if prefixes:
                conditions.append(_FITS_ONE.format(_PREFIXES[name]))
                values.append(json.dumps(prefixes))
    if "token" in wanted:
        conditions.append("token_digest = ?")
        values.append(request_log.digest(wanted["token"]))
    for name in ("token_type", "event_source"):
        if name in wanted:
            conditions.append(f"{_ENUMERATED[name][0]} = ?")
            values.append(wanted[name])
    if "cursor" in wanted:
        conditions.append("(time, number) < (?, ?)")
        values += endpoints.read_record_cursor(wanted["cursor"])
    return conditions, values


def _document(identities: Identities, number: int, record: Record) -> dict[str, Any]:
    """Return the item of 2.9. An address on this machine is in no city, so the place is empty."""
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
        | {"org_id": teams.ORGANIZATION},
        "context": {"ip_address": record.address, "city": "", "country_region": "", "country": ""},
    }


def search(call: Call) -> bytes:
    """A page of the requests of tokens of the organization, the latest first."""
    organization.check(call, governance=True)
    asked = endpoints.read_object(call) if endpoints.read_body(call).strip() else {}
    return in_envelope(_page(call.connection, call.identities, asked, call.now)._asdict())


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
        returns=schemas.envelope(members({"items": array(_ITEM), "cursor": TEXT, "has_more": BOOLEAN})),
    ),
)
