"""The endpoints of webhooks, with their permissions, limits and pages (Figma REST API: Webhooks v2)."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

import msgspec

from tokensync.emulator import endpoints, webhooks
from tokensync.emulator.endpoints import (
    TEXT,
    Query,
    Refusal,
    Route,
    array,
    as_json,
    invalid,
    members,
    or_null,
    timestamp,
)
from tokensync.emulator.tokens import BROAD
from tokensync.emulator.webhooks import ACTIVE, CONTEXTS, EVENTS, FILE, PAUSED, STATUSES, TEAM, WEBHOOK_HISTORY_SECONDS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.webhooks import Webhook


WEBHOOKS_PER_CONTEXT: Final = {"team": 20, "project": 5, "file": 3}
FILE_WEBHOOKS_PER_PLAN: Final = {"professional": 150, "organization": 300, "enterprise": 600}
WEBHOOK_ENDPOINT_CHARACTERS: Final = 2048
WEBHOOK_PASSCODE_CHARACTERS: Final = 100
NEW_WEBHOOK_DESCRIPTION_CHARACTERS: Final = 150
WEBHOOK_DESCRIPTION_CHARACTERS: Final = 140
"""For descriptions in updates."""

_REQUIRED: Final = ("event_type", "context", "context_id", "endpoint", "passcode")


def new_webhook(call: Call) -> Webhook:
    """Return the webhook of a POST body, whose context may be missing; refuse missing and invalid members."""
    body = endpoints.read_object(call)
    if "team_id" in body and "context" not in body:
        if endpoints.TEAM_ID not in call.quirks:
            raise invalid("context is required: team_id is deprecated, use context and context_id")
        body |= {"context": TEAM, "context_id": body["team_id"]}
    for name in _REQUIRED:
        if name not in body or (name == "passcode" and body[name] == ""):
            raise invalid(f"{name} is required")
    context, context_id = _one_of(body, "context", CONTEXTS), _text(body, "context_id")
    about = {"status": ACTIVE, "description": None} | _settings(body, NEW_WEBHOOK_DESCRIPTION_CHARACTERS)
    return webhooks.Webhook(0, context=context, context_id=context_id, team="", plan="", client=call.token.app, **about)


def _settings(body: Mapping[str, Any], longest: int) -> dict[str, Any]:
    """Return the settings in a body, with a description of limited length; an empty description becomes None."""
    checks: dict[str, Callable[[], Any]] = {
        "event_type": lambda: _one_of(body, "event_type", EVENTS),
        "endpoint": lambda: _endpoint(body),
        "passcode": lambda: _text(body, "passcode", WEBHOOK_PASSCODE_CHARACTERS),
        "status": lambda: _one_of(body, "status", STATUSES),
        "description": lambda: _text(body, "description", longest) or None,
    }
    return {name: checked() for name, checked in checks.items() if name in body}


def _text(members: Mapping[str, Any], name: str, longest: int | None = None) -> str:
    value = members[name]
    if not isinstance(value, str):
        raise invalid(f"{name} must be a string")
    if longest is not None and len(value) > longest:
        raise invalid(f"{name} must be at most {longest} characters long")
    return value


def _one_of(members: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    value = _text(members, name)
    if value not in choices:
        raise invalid(f"{name} must be one of {', '.join(choices)}")
    return value


def _endpoint(members: Mapping[str, Any]) -> str:
    value = _text(members, "endpoint", WEBHOOK_ENDPOINT_CHARACTERS)
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(not character.isprintable() or character.isspace() for character in value):
        raise invalid("endpoint must be an http or https URL")
    return value


_PAGE_WEBHOOKS: Final = 50
"""Webhooks per page of a plan; the documentation gives no number."""
_CURSOR: Final = re.compile(r"(after|before)-([0-9]{1,18})", re.ASCII)
_NAMES: Final = {"team": "team", "project": "folder", "file": "file"}

_Document = dict[str, Any]


def create(call: Call) -> bytes:
    """Create a webhook and return it. Its endpoint receives a PING event, unless it is created as PAUSED."""
    new = new_webhook(call)
    context = webhooks.find_context(call.connection, new.context, new.context_id)
    if context is None:
        raise invalid(f"context_id: there is no {_NAMES[new.context]} {new.context_id[:100]}")
    if context.plan not in FILE_WEBHOOKS_PER_PLAN:
        raise invalid("Access Denied")
    if not webhooks.may_manage(call.connection, call.user, context.kind, context.id, creates=True):
        raise Refusal(403, f"Insufficient {_NAMES[context.kind]} permissions")
    _check_limits(call.connection, context)
    webhooks.queue_updates(call.connection, call.now)
    webhook = webhooks.add(call.connection, new._replace(team=context.team, plan=context.plan_api_id))
    if webhook.status != PAUSED:
        webhooks.queue_ping(call.connection, call.now, webhook.number)
    return as_json(webhooks.document(webhook, secret=True))


def read(call: Call, webhook_id: str) -> bytes:
    """Return a webhook, without its passcode."""
    return as_json(webhooks.document(_webhook(call, webhook_id), secret=False))


def update(call: Call, webhook_id: str) -> bytes:
    """Update a webhook and return it."""
    _check_id(webhook_id)
    webhook = _webhook(call, webhook_id)
    webhooks.queue_updates(call.connection, call.now)
    webhook = webhook._replace(**_settings(endpoints.read_object(call), WEBHOOK_DESCRIPTION_CHARACTERS))
    webhooks.change(call.connection, webhook)
    return as_json(webhooks.document(webhook, secret=True))


def delete(call: Call, webhook_id: str) -> bytes:
    """Delete a webhook and return it."""
    _check_id(webhook_id)
    webhook = _webhook(call, webhook_id)
    webhooks.remove(call.connection, webhook)
    return as_json(webhooks.document(webhook, secret=True))


def list_(call: Call) -> bytes:
    """Return the webhooks of a context, or a page of a plan's webhooks."""
    plan = call.query.get("plan_api_id")
    context, context_id = call.query.get("context"), call.query.get("context_id")
    if plan is not None:
        if context is not None or context_id is not None:
            raise invalid("plan_api_id cannot be combined with context and context_id")
        return as_json(_page(call, plan))
    if context is None or context_id is None:
        raise invalid("Either context and context_id or plan_api_id is required")
    if context not in CONTEXTS:
        raise invalid(f"context must be one of {', '.join(CONTEXTS)}")
    return as_json({"webhooks": _of_context(call, context, context_id), "pagination": {}})


def list_of_team(call: Call, team_id: str) -> bytes:
    """Return the webhooks of a team."""
    return as_json({"webhooks": _of_context(call, TEAM, team_id)})


def requests(call: Call, webhook_id: str) -> bytes:
    """Return the requests sent to a webhook in the last seven days, the latest first."""
    webhook = _webhook(call, webhook_id)
    rows = call.connection.execute(_REQUESTS, (webhook.number, call.now - WEBHOOK_HISTORY_SECONDS))
    documents = []
    for number, endpoint, payload, sent, received, status, error in rows:
        about = {"id": str(number), "endpoint": endpoint, "payload": msgspec.Raw(payload), "sent_at": timestamp(sent)}
        answer = None if received is None else {"status": str(status), "received_at": timestamp(received)}
        exchange = {
            "webhook_id": str(webhook.number),
            "request_info": about,
            "response_info": answer,
            "error_msg": error,
        }
        documents.append(exchange)
    return as_json({"requests": documents})


_REQUESTS: Final = (
    "SELECT number, endpoint, payload, sent, received, status, error FROM webhook_requests"
    " WHERE webhook = ? AND sent >= ? ORDER BY number DESC"
)


def _check_id(id_: str) -> None:
    """Refuse a malformed id with 400, which is documented for PUT and DELETE only."""
    if not (id_.isascii() and id_.isdecimal()):
        raise invalid("webhook_id must be a number")


def _webhook(call: Call, id_: str) -> Webhook:
    """Return the webhook with this id; one that the user may not manage is answered with 404, too."""
    webhook = webhooks.find(call.connection, id_)
    if webhook is None or not _manages(call, webhook):
        raise Refusal(404, "Webhook not found")
    return webhook


def _manages(call: Call, webhook: Webhook) -> bool:
    return webhooks.may_manage(call.connection, call.user, webhook.context, webhook.context_id)


def _of_context(call: Call, kind: str, id_: str) -> list[_Document]:
    exists = webhooks.find_context(call.connection, kind, id_) is not None
    if not exists or not webhooks.may_manage(call.connection, call.user, kind, id_):
        raise Refusal(404, f"{_NAMES[kind].capitalize()} not found")
    return [webhooks.document(webhook, secret=False) for webhook in webhooks.of_context(call.connection, kind, id_)]


def _page(call: Call, plan: str) -> _Document:
    """Return a page of the plan's webhooks that the user may manage."""
    if not webhooks.is_plan(call.connection, plan):
        raise Refusal(404, "Plan not found")
    manageable = [webhook for webhook in webhooks.of_plan(call.connection, plan) if _manages(call, webhook)]
    start, end = _window([webhook.number for webhook in manageable], call.query.get("cursor"))
    on_page = manageable[start:end]
    pagination = {}
    if on_page and end < len(manageable):
        pagination["next_page"] = f"after-{on_page[-1].number}"
    if on_page and start > 0:
        pagination["prev_page"] = f"before-{on_page[0].number}"
    return {"webhooks": [webhooks.document(webhook, secret=False) for webhook in on_page], "pagination": pagination}


def _window(numbers: list[int], cursor: str | None) -> tuple[int, int]:
    """Return the slice of the ascending numbers that is the cursor's page; without a cursor, the first page."""
    if cursor is None:
        return 0, _PAGE_WEBHOOKS
    match = _CURSOR.fullmatch(cursor)
    if match is None:
        raise invalid("cursor must be the next_page or the prev_page of an earlier answer")
    number = int(match[2])
    if match[1] == "after":
        start = bisect_right(numbers, number)
        return start, start + _PAGE_WEBHOOKS
    end = bisect_left(numbers, number)
    return max(0, end - _PAGE_WEBHOOKS), end


def _check_limits(connection: sqlite3.Connection, context: webhooks.Context) -> None:
    """Refuse a webhook over the limit of its context, or of file webhooks on its plan. Paused webhooks count."""
    name, limit = _NAMES[context.kind], WEBHOOKS_PER_CONTEXT[context.kind]
    if len(webhooks.of_context(connection, context.kind, context.id)) >= limit:
        raise invalid(f"Webhook limit reached: a {name} can have at most {limit} webhooks")
    limit = FILE_WEBHOOKS_PER_PLAN[context.plan]
    if context.kind == FILE and webhooks.count_of_plan(connection, context.plan_api_id, FILE) >= limit:
        raise invalid(f"Webhook limit reached: a plan of this kind can have at most {limit} webhooks on files")


_READ: Final = ("webhooks:read", BROAD)
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
_NEW_PASSCODE: Final = _PASSCODE | {"minLength": 1}
_NEW: Final = members(
    {"event_type": _EVENT, "context": _CONTEXT, "context_id": TEXT, "endpoint": _ENDPOINT, "passcode": _NEW_PASSCODE},
    {
        "status": _STATUS,
        "description": {"type": "string", "maxLength": NEW_WEBHOOK_DESCRIPTION_CHARACTERS},
        "team_id": {"type": "string", "deprecated": True},
    },
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
_PAGE: Final = members({"webhooks": array(_WEBHOOK), "pagination": members({}, {"next_page": TEXT, "prev_page": TEXT})})
_REQUEST: Final = members(
    {
        "webhook_id": TEXT,
        "request_info": members({"id": TEXT, "endpoint": TEXT, "payload": {"type": "object"}, "sent_at": TEXT}),
        "response_info": or_null(members({"status": TEXT, "received_at": TEXT})),
        "error_msg": or_null(TEXT),
    }
)

ROUTES: Final = (
    Route("POST", "/v2/webhooks", create, _WRITE, 2, "err", accepts=_NEW, returns=_WEBHOOK),
    Route(
        "GET",
        "/v2/webhooks",
        list_,
        _READ[:1],
        2,
        "err",
        parameters=(
            Query("context", _CONTEXT),
            Query("context_id", TEXT),
            Query("plan_api_id", TEXT),
            Query("cursor", TEXT),
        ),
        returns=_PAGE,
    ),
    Route("GET", "/v2/webhooks/<webhook_id>", read, _READ, 2, "err", returns=_WEBHOOK),
    Route("PUT", "/v2/webhooks/<webhook_id>", update, _WRITE, 2, "err", accepts=_CHANGES, returns=_WEBHOOK),
    Route("DELETE", "/v2/webhooks/<webhook_id>", delete, _WRITE, 2, "err", returns=_WEBHOOK),
    Route(
        "GET",
        "/v2/teams/<team_id>/webhooks",
        list_of_team,
        _READ,
        2,
        "err",
        replaced_by="/v2/webhooks?context=team&context_id={team_id}",
        returns=members({"webhooks": array(_WEBHOOK)}),
    ),
    Route(
        "GET",
        "/v2/webhooks/<webhook_id>/requests",
        requests,
        _READ,
        2,
        "err",
        returns=members({"requests": array(_REQUEST)}),
    ),
)
