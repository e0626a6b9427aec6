"""The bodies of POST and PUT webhooks, member by member (platform-api.md 4.10 and 8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urlsplit

from tokensync.emulator.endpoints import body
from tokensync.emulator.endpoints.refusal import invalid
from tokensync.emulator.limits import (
    NEW_WEBHOOK_DESCRIPTION_CHARACTERS,
    WEBHOOK_DESCRIPTION_CHARACTERS,
    WEBHOOK_ENDPOINT_CHARACTERS,
    WEBHOOK_PASSCODE_CHARACTERS,
)
from tokensync.emulator.webhooks.kinds import ACTIVE, CONTEXTS, EVENTS, STATUSES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.emulator.endpoints.route import Call

_REQUIRED: Final = ("event_type", "context", "context_id", "endpoint", "passcode")


class NewWebhook(NamedTuple):
    """What POST asks for. A repr shows no passcode."""

    event_type: str
    context: str
    context_id: str
    endpoint: str
    passcode: str
    status: str
    description: str | None

    def __repr__(self) -> str:
        return f"NewWebhook({self.event_type!r}, {self.context!r}, {self.context_id!r})"


def new_webhook(call: Call) -> NewWebhook:
    """Return the webhook that a POST asks for; 400 for what is missing or not allowed."""
    members = body.read_object(call)
    for name in _REQUIRED:
        if name not in members:
            raise invalid(f"{name} is required")
    context = _one_of(members, "context", CONTEXTS)
    return NewWebhook(
        _one_of(members, "event_type", EVENTS),
        context,
        _text(members, "context_id"),
        _endpoint(members),
        _text(members, "passcode", WEBHOOK_PASSCODE_CHARACTERS),
        _one_of(members, "status", STATUSES) if "status" in members else ACTIVE,
        _description(members, NEW_WEBHOOK_DESCRIPTION_CHARACTERS),
    )


def changes(call: Call) -> dict[str, Any]:
    """Return what a PUT changes, by the names of a webhook's members; an empty description is None, which
    deletes it.
    """
    members = body.read_object(call)
    changed: dict[str, Any] = {}
    if "event_type" in members:
        changed["event_type"] = _one_of(members, "event_type", EVENTS)
    if "endpoint" in members:
        changed["endpoint"] = _endpoint(members)
    if "passcode" in members:
        changed["passcode"] = _text(members, "passcode", WEBHOOK_PASSCODE_CHARACTERS)
    if "status" in members:
        changed["status"] = _one_of(members, "status", STATUSES)
    if "description" in members:
        changed["description"] = _description(members, WEBHOOK_DESCRIPTION_CHARACTERS)
    return changed


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


def _description(members: Mapping[str, Any], longest: int) -> str | None:
    return _text(members, "description", longest) or None if "description" in members else None


def _endpoint(members: Mapping[str, Any]) -> str:
    """Return an address that events can be sent to."""
    value = _text(members, "endpoint", WEBHOOK_ENDPOINT_CHARACTERS)
    try:
        parts = urlsplit(value)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or any(not character.isprintable() or character.isspace() for character in value):
        raise invalid("endpoint must be an http or https URL")
    return value
