"""What the endpoints of webhooks do: who may, how many there may be, and in which pages they are listed."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.emulator.endpoints.answers import timestamp
from tokensync.emulator.endpoints.refusal import Refusal, invalid
from tokensync.emulator.events import editing, queue
from tokensync.emulator.limits import FILE_WEBHOOKS_PER_PLAN, WEBHOOK_HISTORY_SECONDS, WEBHOOKS_PER_CONTEXT
from tokensync.emulator.webhooks import bodies, contexts, registry
from tokensync.emulator.webhooks.kinds import CONTEXTS, FILE, PAUSED, TEAM

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.endpoints.route import Call
    from tokensync.emulator.webhooks.registry import Webhook

_PAGE: Final = 50
"""Webhooks of a plan in a page; the documentation gives no number."""
_CURSOR: Final = re.compile(r"(after|before)-([0-9]{1,18})", re.ASCII)
_NAMES: Final = {"team": "team", "project": "folder", "file": "file"}

_Document = dict[str, Any]


def create(call: Call) -> _Document:
    """Make a webhook, with the ping that its endpoint gets."""
    wanted = bodies.new_webhook(call)
    context = contexts.find(call.connection, wanted.context, wanted.context_id)
    if context is None:
        raise invalid(f"context_id: there is no {_NAMES[wanted.context]} {wanted.context_id[:100]}")
    if context.plan not in FILE_WEBHOOKS_PER_PLAN:
        raise Refusal(403, "Limited by Figma plan")
    if not contexts.may_manage(call.connection, call.user, context.kind, context.id):
        raise Refusal(403, f"Insufficient {_NAMES[context.kind]} permissions")
    _check_limits(call.connection, context)
    editing.tell(call.connection, call.now)
    webhook = registry.add(
        call.connection,
        registry.Webhook(
            0,
            wanted.event_type,
            context.kind,
            context.id,
            context.team,
            context.plan_api_id,
            wanted.status,
            call.token.app,
            wanted.passcode,
            wanted.endpoint,
            wanted.description,
        ),
    )
    if webhook.status != PAUSED:
        queue.ping(call.connection, call.now, webhook.number)
    return registry.document(webhook, secret=True)


def read(call: Call, id_: str) -> _Document:
    """One webhook."""
    return registry.document(_webhook(call, id_), secret=False)


def update(call: Call, id_: str) -> _Document:
    """Change a webhook."""
    _check_id(id_)
    webhook = _webhook(call, id_)
    editing.tell(call.connection, call.now)
    webhook = webhook._replace(**bodies.changes(call))
    registry.change(call.connection, webhook)
    return registry.document(webhook, secret=True)


def delete(call: Call, id_: str) -> _Document:
    """Delete a webhook for good."""
    _check_id(id_)
    webhook = _webhook(call, id_)
    registry.remove(call.connection, webhook)
    return registry.document(webhook, secret=True)


def listing(call: Call) -> _Document:
    """Return the webhooks of a context, or a page of those of a plan."""
    plan = call.query.get("plan_api_id")
    context, context_id = call.query.get("context"), call.query.get("context_id")
    if plan is not None:
        if context is not None or context_id is not None:
            raise invalid("plan_api_id cannot be combined with context and context_id")
        return _page(call, plan)
    if context is None or context_id is None:
        raise invalid("Either context and context_id or plan_api_id is required")
    if context not in CONTEXTS:
        raise invalid(f"context must be one of {', '.join(CONTEXTS)}")
    return {"webhooks": _of_context(call, context, context_id), "pagination": {}}


def of_team(call: Call, id_: str) -> _Document:
    """Return the webhooks of a team."""
    return {"webhooks": _of_context(call, TEAM, id_)}


def requests(call: Call, id_: str) -> _Document:
    """Return the requests that a webhook's endpoint was sent in the last seven days, the latest first."""
    webhook = _webhook(call, id_)
    rows = call.connection.execute(_REQUESTS, (webhook.number, call.now - WEBHOOK_HISTORY_SECONDS))
    return {"requests": [_request(str(webhook.number), *row) for row in rows]}


_REQUESTS: Final = (
    "SELECT number, endpoint, payload, sent, received, status, error FROM webhook_requests"
    " WHERE webhook = ? AND sent >= ? ORDER BY number DESC"
)


def _request(
    webhook: str,
    number: int,
    endpoint: str,
    payload: bytes,
    sent: float,
    received: float | None,
    status: int | None,
    error: str | None,
) -> _Document:
    answered = None
    if received is not None:
        answered = {"status": str(status), "received_at": timestamp(received)}
    return {
        "webhook_id": webhook,
        "request_info": {
            "id": str(number),
            "endpoint": endpoint,
            "payload": msgspec.Raw(payload),
            "sent_at": timestamp(sent),
        },
        "response_info": answered,
        "error_msg": error,
    }


def _check_id(id_: str) -> None:
    """Of PUT and DELETE alone the documentation lists 400."""
    if not (id_.isascii() and id_.isdecimal()):
        raise invalid("webhook_id must be a number")


def _webhook(call: Call, id_: str) -> Webhook:
    """Return the webhook of this id; 404 also for those whose context the caller has no permission on (7)."""
    webhook = registry.find(call.connection, id_)
    if webhook is None or not _manages(call, webhook):
        raise Refusal(404, "Webhook not found")
    return webhook


def _manages(call: Call, webhook: Webhook) -> bool:
    return contexts.may_manage(call.connection, call.user, webhook.context, webhook.context_id)


def _of_context(call: Call, kind: str, id_: str) -> list[_Document]:
    known = contexts.find(call.connection, kind, id_) is not None
    if not known or not contexts.may_manage(call.connection, call.user, kind, id_):
        raise Refusal(404, f"{_NAMES[kind].capitalize()} not found")
    return [registry.document(each, secret=False) for each in registry.of_context(call.connection, kind, id_)]


def _page(call: Call, plan: str) -> _Document:
    """Return the webhooks of a plan that the caller has a permission on, from a cursor on."""
    if not contexts.is_plan(call.connection, plan):
        raise Refusal(404, "Plan not found")
    all_ = [each for each in registry.of_plan(call.connection, plan) if _manages(call, each)]
    start, end = _window([each.number for each in all_], call.query.get("cursor"))
    shown = all_[start:end]
    pagination = {}
    if shown and end < len(all_):
        pagination["next_page"] = f"after-{shown[-1].number}"
    if shown and start > 0:
        pagination["prev_page"] = f"before-{shown[0].number}"
    return {"webhooks": [registry.document(each, secret=False) for each in shown], "pagination": pagination}


def _window(numbers: list[int], cursor: str | None) -> tuple[int, int]:
    """Return where in the ascending numbers the page of a cursor begins and ends; without a cursor the first page."""
    if cursor is None:
        return 0, _PAGE
    found = _CURSOR.fullmatch(cursor)
    if found is None:
        raise invalid("cursor must be the next_page or the prev_page of an earlier answer")
    number = int(found[2])
    if found[1] == "after":
        start = bisect_right(numbers, number)
        return start, start + _PAGE
    end = bisect_left(numbers, number)
    return max(0, end - _PAGE), end


def _check_limits(connection: sqlite3.Connection, context: contexts.Context) -> None:
    """How many webhooks a context may have, and a plan of those on files (8). A paused one counts, too."""
    name, longest = _NAMES[context.kind], WEBHOOKS_PER_CONTEXT[context.kind]
    if len(registry.of_context(connection, context.kind, context.id)) >= longest:
        raise invalid(f"Webhook limit reached: a {name} can have at most {longest} webhooks")
    most = FILE_WEBHOOKS_PER_PLAN[context.plan]
    if context.kind == FILE and registry.count_of_plan(connection, context.plan_api_id, FILE) >= most:
        raise invalid(f"Webhook limit reached: a plan of this kind can have at most {most} webhooks on files")
