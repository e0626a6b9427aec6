"""The seven endpoints of webhooks (platform-api.md 4.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.endpoints.answers import as_json
from tokensync.emulator.endpoints.route import Query, Route
from tokensync.emulator.endpoints.shapes import TEXT, array, members, or_null
from tokensync.emulator.limits import (
    NEW_WEBHOOK_DESCRIPTION_CHARACTERS,
    WEBHOOK_DESCRIPTION_CHARACTERS,
    WEBHOOK_ENDPOINT_CHARACTERS,
    WEBHOOK_PASSCODE_CHARACTERS,
)
from tokensync.emulator.webhooks import managing
from tokensync.emulator.webhooks.kinds import CONTEXTS, EVENTS, STATUSES

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call


def create(call: Call) -> bytes:
    """The new webhook, which is pinged unless it is made PAUSED."""
    return as_json(managing.create(call))


def read(call: Call, webhook_id: str) -> bytes:
    """One webhook, without its passcode."""
    return as_json(managing.read(call, webhook_id))


def list_(call: Call) -> bytes:
    """The webhooks of a context, or page by page those of a plan."""
    return as_json(managing.listing(call))


def list_of_team(call: Call, team_id: str) -> bytes:
    """The webhooks of a team."""
    return as_json(managing.of_team(call, team_id))


def update(call: Call, webhook_id: str) -> bytes:
    """The webhook as it is then."""
    return as_json(managing.update(call, webhook_id))


def delete(call: Call, webhook_id: str) -> bytes:
    """The webhook as it was."""
    return as_json(managing.delete(call, webhook_id))


def requests(call: Call, webhook_id: str) -> bytes:
    """What was sent to a webhook in the last seven days, the latest first."""
    return as_json(managing.requests(call, webhook_id))


_READ: Final = ("webhooks:read",)
_WRITE: Final = ("webhooks:write",)

_EVENT: Final = {"enum": list(EVENTS)}
_CONTEXT: Final = {"enum": list(CONTEXTS)}
_STATUS: Final = {"enum": list(STATUSES)}
_WEBHOOK: Final = members(
    {
        "id": TEXT,
        "event_type": _EVENT,
        "team_id": TEXT,
        "context": {"enum": [each.upper() for each in CONTEXTS]},
        "context_id": TEXT,
        "plan_api_id": TEXT,
        "status": _STATUS,
        "client_id": or_null(TEXT),
        "passcode": TEXT,
        "endpoint": TEXT,
        "description": or_null(TEXT),
    }
)
_ENDPOINT: Final = {
    "type": "string",
    "format": "uri",
    "pattern": "^https?://",
    "maxLength": WEBHOOK_ENDPOINT_CHARACTERS,
}
_PASSCODE: Final = {"type": "string", "maxLength": WEBHOOK_PASSCODE_CHARACTERS}
_NEW: Final = members(
    {"event_type": _EVENT, "context": _CONTEXT, "context_id": TEXT, "endpoint": _ENDPOINT, "passcode": _PASSCODE},
    {"status": _STATUS, "description": {"type": "string", "maxLength": NEW_WEBHOOK_DESCRIPTION_CHARACTERS}},
)
_CHANGES: Final = members(
    {},
    {
        "event_type": _EVENT,
        "endpoint": _ENDPOINT,
        "passcode": _PASSCODE,
        "status": _STATUS,
        "description": {"type": "string", "maxLength": WEBHOOK_DESCRIPTION_CHARACTERS},
    },
)
_PAGE: Final = members(
    {"webhooks": array(_WEBHOOK), "pagination": members({}, {"next_page": TEXT, "prev_page": TEXT})},
)
_REQUEST: Final = members(
    {
        "webhook_id": TEXT,
        "request_info": members({"id": TEXT, "endpoint": TEXT, "payload": {"type": "object"}, "sent_at": TEXT}),
        "response_info": or_null(members({"status": TEXT, "received_at": TEXT})),
        "error_msg": or_null(TEXT),
    }
)

ROUTES: Final = (
    Route("POST", "/v2/webhooks", create, _WRITE, 2, "err", takes=_NEW, gives=_WEBHOOK),
    Route(
        "GET",
        "/v2/webhooks",
        list_,
        _READ,
        2,
        "err",
        parameters=(
            Query("context", _CONTEXT),
            Query("context_id", TEXT),
            Query("plan_api_id", TEXT),
            Query("cursor", TEXT),
        ),
        gives=_PAGE,
    ),
    Route("GET", "/v2/webhooks/<webhook_id>", read, _READ, 2, "err", gives=_WEBHOOK),
    Route("PUT", "/v2/webhooks/<webhook_id>", update, _WRITE, 2, "err", takes=_CHANGES, gives=_WEBHOOK),
    Route("DELETE", "/v2/webhooks/<webhook_id>", delete, _WRITE, 2, "err", gives=_WEBHOOK),
    Route(
        "GET",
        "/v2/teams/<team_id>/webhooks",
        list_of_team,
        _READ,
        2,
        "err",
        replaced_by="/v2/webhooks?context=team&context_id={team_id}",
        gives=members({"webhooks": array(_WEBHOOK)}),
    ),
    Route(
        "GET",
        "/v2/webhooks/<webhook_id>/requests",
        requests,
        _READ,
        2,
        "err",
        gives=members({"requests": array(_REQUEST)}),
    ),
)
