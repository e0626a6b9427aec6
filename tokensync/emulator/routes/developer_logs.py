"""POST developer_logs: a search of what tokens did (4.8). A POST, so that no secret stands in an address."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.accounts import organization
from tokensync.emulator.accounts.tokens import PLAN
from tokensync.emulator.endpoints import body, shapes
from tokensync.emulator.endpoints.answers import in_envelope
from tokensync.emulator.endpoints.route import Route
from tokensync.emulator.endpoints.shapes import BOOLEAN, TEXT, TIME, array, members
from tokensync.emulator.limits import MOST_DEVELOPER_LOG_ITEMS
from tokensync.emulator.records import developer_logs
from tokensync.emulator.records.request_log import TOKEN_TYPES

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call


def search(call: Call) -> bytes:
    """A page of the requests of tokens of the organization, the latest first."""
    organization.check(call, governance=True)
    asked = body.read_object(call) if body.whole(call).strip() else {}
    return in_envelope(developer_logs.search(call.connection, call.identities, asked, call.now)._asdict())


def _enumerated(*values: str) -> dict[str, object]:
    return {"type": "string", "enum": [*(each.upper() for each in values), *values]}


_ITEM: Final = members(
    {
        "uuid": TEXT,
        "timestamp": TIME,
        "action": members({"event_name": TEXT, "event_source": _enumerated(*developer_logs.SOURCES)}),
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
        takes=members(
            {},
            {
                "token": TEXT,
                "token_name": TEXT,
                "user_email": TEXT,
                "ip_address": TEXT,
                "token_type": _enumerated(*TOKEN_TYPES.values()),
                "event_source": _enumerated(*developer_logs.SOURCES),
                "date_range": _enumerated(*developer_logs.RANGES),
                "limit": {"type": "integer", "minimum": 1, "maximum": MOST_DEVELOPER_LOG_ITEMS},
                "cursor": TEXT,
            },
        ),
        gives=shapes.in_envelope(members({"items": array(_ITEM), "cursor": TEXT, "has_more": BOOLEAN})),
    ),
)
