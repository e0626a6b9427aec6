"""GET activity_logs: what people did in the organization (platform-api.md 4.7b, platform-facts "Activity logs")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.emulator.accounts import organization
from tokensync.emulator.endpoints.route import Query, Route
from tokensync.emulator.endpoints.shapes import BOOLEAN, NUMBER, SOMETHING, TEXT, array, members, or_null
from tokensync.emulator.limits import ACTIVITY_LOG_EVENTS
from tokensync.emulator.records import activity

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call


def read(call: Call) -> bytes:
    """A page of events, the earliest first unless it is asked for otherwise."""
    organization.check(call)
    found = activity.find(call.connection, call.identities, call.query, call.now)
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
