"""Payments for plugins, widgets and Community files, and AI credits (Figma REST API: Payments, AI usage).

Nobody has paid or used anything here: the answers have the documented shape, and are the same for every user.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Final

from tokensync.emulator import endpoints, people
from tokensync.emulator.endpoints import ANY_SCOPE, TEXT, Call, Query, Route, array, between, envelope, invalid, members
from tokensync.emulator.tokens import PERSONAL, PLAN, READ_AI_USAGE

_RESOURCES: Final = {"plugin_id": "PLUGIN", "widget_id": "WIDGET", "community_file_id": "COMMUNITY_FILE"}
_FIRST_DAY: Final = date(2025, 12, 1)
_MOST_DAYS: Final = 366
_MOST_ROWS: Final = 1000


def read_payments(call: Call) -> bytes:
    """Return whether a user has paid for a plugin, widget or Community file: UNPAID, for all of them."""
    resources = [name for name in _RESOURCES if call.query.get(name)]
    user = call.query.get("user_id") or (call.user.id if call.query.get("plugin_payment_token") else None)
    if user is None:
        raise invalid("user_id or plugin_payment_token is required")
    if len(resources) != 1:
        raise invalid(f"Exactly one of {', '.join(_RESOURCES)} is required")
    resource = {"resource_id": call.query[resources[0]], "resource_type": _RESOURCES[resources[0]]}
    return endpoints.in_envelope({"user_id": user, **resource, "payment_status": {"type": "UNPAID"}})


def read_ai_usage(call: Call) -> bytes:
    """Return the AI credits that users of the plan have used each day: no rows."""
    today = datetime.fromtimestamp(call.now, UTC).date()
    start, end = _day(call.query, "start_date"), _day(call.query, "end_date")
    if start < max(_FIRST_DAY, today - timedelta(_MOST_DAYS)):
        raise invalid(f"start_date must not be before {_FIRST_DAY}, or more than {_MOST_DAYS} days ago")
    if not start <= end <= today:
        raise invalid("end_date must not be before start_date, or after today")
    email = call.query.get("user_email")
    if email is not None and all(user.email != email for user in people.everyone(call.connection)):
        raise invalid("user_email is that of no user")
    between(call.query, "limit", 1, _MOST_ROWS)
    if call.query.get("cursor"):
        raise endpoints.invalid_cursor()
    return endpoints.as_json({"rows": [], "next_cursor": "", "has_next_page": False})


def _day(query: Mapping[str, str], name: str) -> date:
    try:
        return datetime.strptime(query.get(name, ""), "%Y-%m-%d").replace(tzinfo=UTC).date()
    except ValueError:
        raise invalid(f"{name} must be a date such as 2026-01-31") from None


_PAYMENT: Final = members(
    {
        "user_id": TEXT,
        "resource_id": TEXT,
        "resource_type": {"enum": list(_RESOURCES.values())},
        "payment_status": members({"type": {"enum": ["UNPAID", "PAID", "TRIAL"]}}),
    }
)

PAYMENTS: Final = (
    Route(
        "GET",
        "/v1/payments",
        read_payments,
        scopes=(ANY_SCOPE,),
        kinds=(PERSONAL,),
        parameters=tuple(Query(name, TEXT) for name in ("plugin_payment_token", "user_id", *_RESOURCES)),
        returns=envelope(_PAYMENT),
    ),
)
AI_USAGE: Final = (
    Route(
        "GET",
        "/v1/ai_usage/daily",
        read_ai_usage,
        scopes=(READ_AI_USAGE,),
        kinds=(PLAN,),
        parameters=(
            Query("start_date", TEXT | {"format": "date"}, required=True),
            Query("end_date", TEXT | {"format": "date"}, required=True),
            Query("user_email", TEXT),
            Query("limit", {"type": "integer", "minimum": 1, "maximum": _MOST_ROWS}),
            Query("cursor", TEXT),
        ),
        returns=members({"rows": array(endpoints.OBJECT), "next_cursor": TEXT, "has_next_page": endpoints.BOOLEAN}),
    ),
)
