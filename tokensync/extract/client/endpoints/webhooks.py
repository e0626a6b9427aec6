"""Webhooks: subscriptions to events (Figma REST API: Webhooks v2)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.extract.client.endpoint import BODY, Endpoint, Paging, Parameter, PathId, next_page_of_pagination, path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.extract.client.session import Session


EVENTS: Final = (
    "LIBRARY_PUBLISH",
    "FILE_UPDATE",
    "FILE_DELETE",
    "FILE_VERSION_UPDATE",
    "FILE_COMMENT",
    "DEV_MODE_STATUS_UPDATE",
)
"""The event types of subscriptions. The platform also sends PING when a webhook is created."""

_READ: Final = ("webhooks:read", "files:read")
_WRITE: Final = ("webhooks:write",)
_ID: Final = path("webhook_id", "id of a webhook")
_CONTEXT: Final = "team, project (a folder) or file"
_CONTEXT_ID: Final = "id of the team or folder, or key of the file"

CREATE: Final = Endpoint(
    "webhooks",
    "create",
    "POST",
    "v2/webhooks",
    "Create a webhook. Unless it is PAUSED, its endpoint receives a PING.",
    _WRITE,
    2,
    (
        Parameter("event_type", f"one of {', '.join(EVENTS)}", BODY, required=True),
        Parameter("context", _CONTEXT, BODY, required=True),
        Parameter("context_id", _CONTEXT_ID, BODY, required=True),
        Parameter("endpoint", "URL that receives events, at most 2048 characters", BODY, required=True),
        Parameter("passcode", "included in every event, at most 100 characters", BODY, required=True, secret=True),
        Parameter("status", "ACTIVE or PAUSED", BODY),
        Parameter("description", "at most 150 characters", BODY),
    ),
    shape="plain",
    subject="webhook",
)
GET: Final = Endpoint(
    "webhooks",
    "get",
    "GET",
    "v2/webhooks/{webhook_id}",
    "Get a webhook, without its passcode.",
    _READ,
    2,
    (_ID,),
    shape="plain",
    subject="webhook",
)
LIST: Final = Endpoint(
    "webhooks",
    "list",
    "GET",
    "v2/webhooks",
    "List the webhooks of a team, folder, file or plan.",
    _READ[:1],
    2,
    (
        Parameter("context", _CONTEXT),
        Parameter("context_id", f"{_CONTEXT_ID}; not with plan_api_id"),
        Parameter("plan_api_id", "team-ID or organization-ID; not with context"),
        Parameter("cursor", "cursor for a page of a plan's webhooks"),
    ),
    shape="plain",
    paging=Paging(("webhooks",), next_page_of_pagination),
    subject="webhook",
)
UPDATE: Final = Endpoint(
    "webhooks",
    "update",
    "PUT",
    "v2/webhooks/{webhook_id}",
    "Change a webhook. Omitted parameters keep their values.",
    _WRITE,
    2,
    (
        _ID,
        Parameter("event_type", f"one of {', '.join(EVENTS)}", BODY),
        Parameter("endpoint", "URL that receives events, at most 2048 characters", BODY),
        Parameter("passcode", "included in every event, at most 100 characters", BODY, secret=True),
        Parameter("status", "ACTIVE or PAUSED", BODY),
        Parameter("description", "at most 140 characters; an empty text deletes it", BODY),
    ),
    shape="plain",
    subject="webhook",
)
DELETE: Final = Endpoint(
    "webhooks",
    "delete",
    "DELETE",
    "v2/webhooks/{webhook_id}",
    "Delete a webhook permanently.",
    _WRITE,
    2,
    (_ID,),
    shape="plain",
    subject="webhook",
)
TEAM: Final = Endpoint(
    "webhooks",
    "team",
    "GET",
    "v2/teams/{team_id}/webhooks",
    "List the webhooks of a team.",
    _READ,
    2,
    (path("team_id", "id of a team"),),
    shape="plain",
    paging=Paging(("webhooks",), lambda page: None),
    subject="team",
    replaced_by="webhooks list",
)
REQUESTS: Final = Endpoint(
    "webhooks",
    "requests",
    "GET",
    "v2/webhooks/{webhook_id}/requests",
    "List the requests to a webhook's endpoint in the last seven days.",
    _READ,
    2,
    (_ID,),
    shape="plain",
    paging=Paging(("requests",), lambda page: None),
    subject="webhook",
)
ENDPOINTS: Final = (CREATE, GET, LIST, UPDATE, DELETE, TEAM, REQUESTS)


_URL: Final = re.compile(
    r"([a-z]+://)([^/?#]*@)?([a-z0-9._-]+|\[[0-9a-f:.]+\])(:[0-9]*)?(/[^?#@]*)?([?#].*)?", re.IGNORECASE | re.DOTALL
)
_MASK: Final = "***"


def shown_endpoint(endpoint: str) -> str:
    """Return the URL of an endpoint for people and logs, without user, password, query and fragment.

    Any of them may be the receiver's secret. If a text may contain them elsewhere, only the scheme
    remains.
    """
    match = _URL.fullmatch(endpoint)
    if match is None:
        scheme, separator, _ = endpoint.partition("://")
        secret = any(each in endpoint for each in "@?#")
        return f"{scheme}{separator}{_MASK}" if secret and separator else _MASK if secret else endpoint
    scheme, user, host, port, path, query = match.groups("")
    return f"{scheme}{_MASK + '@' if user else ''}{host}{port}{path}{query[:1] + _MASK if query else ''}"


class Webhook(msgspec.Struct, frozen=True):
    """A webhook. ``context`` is TEAM, PROJECT or FILE. Responses to GET omit the passcode; the repr hides it."""

    id: PathId | int
    event_type: str = ""
    context: str | None = None
    context_id: str | None = None
    status: str = ""
    endpoint: str = ""
    passcode: str = ""
    description: str | None = None

    @property
    def shown_endpoint(self) -> str:
        """Return the endpoint without its secrets, for people and logs."""
        return shown_endpoint(self.endpoint)

    def __repr__(self) -> str:
        return f"Webhook({self.id!r}, {self.event_type!r}, {self.status!r}, {self.shown_endpoint!r})"


class RequestInfo(msgspec.Struct, frozen=True):
    """A request to an endpoint; ``sent_at`` is ISO 8601."""

    id: str | int = ""
    sent_at: str = ""
    payload: Any = None


class ResponseInfo(msgspec.Struct, frozen=True):
    """The response of an endpoint."""

    status: str | int = ""


class SentRequest(msgspec.Struct, frozen=True):
    """A request to a webhook's endpoint. ``response_info`` is None without a response so far."""

    request_info: RequestInfo = RequestInfo()
    response_info: ResponseInfo | None = None
    error_msg: str | None = None

    @property
    def event_type(self) -> str:
        """Return the event type, or an empty text if unknown."""
        payload = self.request_info.payload
        kind = payload.get("event_type") if isinstance(payload, dict) else None
        return kind if isinstance(kind, str) else ""


class _Page(msgspec.Struct, frozen=True):
    webhooks: tuple[Webhook, ...] = ()


class _Requests(msgspec.Struct, frozen=True):
    requests: tuple[SentRequest, ...] = ()


class Webhooks:
    """Creates, lists, changes and deletes webhooks."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def create(
        self,
        event_type: str,
        context: str,
        context_id: str,
        endpoint: str,
        passcode: str,
        *,
        paused: bool = False,
        description: str | None = None,
    ) -> Webhook:
        """Create a webhook; ``context`` is team, project or file."""
        values = {
            "event_type": event_type,
            "context": context,
            "context_id": context_id,
            "endpoint": endpoint,
            "passcode": passcode,
            "status": "PAUSED" if paused else None,
            "description": description,
        }
        return self._session.read(CREATE.request(values), Webhook)

    def get(self, webhook_id: str) -> Webhook:
        """Return a webhook."""
        return self._session.read(GET.request({"webhook_id": webhook_id}), Webhook)

    def of_context(self, context: str, context_id: str) -> tuple[Webhook, ...]:
        """Return the webhooks of a team, project or file."""
        request = LIST.request({"context": context, "context_id": context_id})
        return self._session.read(request, _Page).webhooks

    def of_plan(self, plan_api_id: str) -> Iterator[Webhook]:
        """Yield the webhooks in all contexts of a plan that the token's user has access to."""
        return self._session.rows(LIST, {"plan_api_id": plan_api_id}, Webhook)

    def set_status(self, webhook_id: str, status: str) -> Webhook:
        """Pause (PAUSED) or resume (ACTIVE) a webhook."""
        return self._session.read(UPDATE.request({"webhook_id": webhook_id, "status": status}), Webhook)

    def delete(self, webhook_id: str) -> Webhook:
        """Delete a webhook permanently, and return it."""
        return self._session.read(DELETE.request({"webhook_id": webhook_id}), Webhook)

    def requests(self, webhook_id: str) -> tuple[SentRequest, ...]:
        """Return the requests to the webhook's endpoint in the last seven days."""
        return self._session.read(REQUESTS.request({"webhook_id": webhook_id}), _Requests).requests
