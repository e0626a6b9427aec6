"""Webhooks: subscriptions to events (Figma REST API: Webhooks v2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.client.endpoint import BODY, Endpoint, Paging, Parameter, PathId, next_page_of_pagination, path

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.client.session import Session


EVENTS: Final = (
    "LIBRARY_PUBLISH",
    "FILE_UPDATE",
    "FILE_DELETE",
    "FILE_VERSION_UPDATE",
    "FILE_COMMENT",
    "DEV_MODE_STATUS_UPDATE",
)
"""What can be asked for; PING comes by itself when a webhook is made."""

_READ: Final = ("webhooks:read",)
_WRITE: Final = ("webhooks:write",)
_ID: Final = path("webhook_id", "id of a webhook")
_CONTEXT: Final = "team, project (a folder) or file"
_CONTEXT_ID: Final = "id of the team or folder, or key of the file"

CREATE: Final = Endpoint(
    "webhooks",
    "create",
    "POST",
    "v2/webhooks",
    "Make a webhook; its endpoint gets a PING unless it is made PAUSED.",
    _WRITE,
    2,
    (
        Parameter("event_type", f"one of {', '.join(EVENTS)}", BODY, required=True),
        Parameter("context", _CONTEXT, BODY, required=True),
        Parameter("context_id", _CONTEXT_ID, BODY, required=True),
        Parameter("endpoint", "where events are sent to, at most 2048 characters", BODY, required=True),
        Parameter("passcode", "comes along with every event, at most 100 characters", BODY, required=True),
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
    "One webhook, without its passcode.",
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
    "The webhooks of a team, folder or file, or page by page those of a plan.",
    _READ,
    2,
    (
        Parameter("context", _CONTEXT),
        Parameter("context_id", f"{_CONTEXT_ID}; not with plan_api_id"),
        Parameter("plan_api_id", "team-ID or organization-ID; not with context"),
        Parameter("cursor", "where a page of a plan's webhooks begins"),
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
    "Change a webhook; what is not given stays.",
    _WRITE,
    2,
    (
        _ID,
        Parameter("event_type", f"one of {', '.join(EVENTS)}", BODY),
        Parameter("endpoint", "where events are sent to, at most 2048 characters", BODY),
        Parameter("passcode", "comes along with every event, at most 100 characters", BODY),
        Parameter("status", "ACTIVE or PAUSED", BODY),
        Parameter("description", "at most 140 characters; an empty one deletes it", BODY),
    ),
    shape="plain",
    subject="webhook",
)
DELETE: Final = Endpoint(
    "webhooks",
    "delete",
    "DELETE",
    "v2/webhooks/{webhook_id}",
    "Delete a webhook for good.",
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
    "The webhooks of a team.",
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
    "What was sent to a webhook's endpoint in the last seven days.",
    _READ,
    2,
    (_ID,),
    shape="plain",
    paging=Paging(("requests",), lambda page: None),
    subject="webhook",
)
ENDPOINTS: Final = (CREATE, GET, LIST, UPDATE, DELETE, TEAM, REQUESTS)


class Webhook(msgspec.Struct, frozen=True):
    """A webhook; ``context`` is TEAM, PROJECT or FILE. Answers to GET leave the passcode empty; no repr shows it."""

    id: PathId | int
    event_type: str = ""
    context: str | None = None
    context_id: str | None = None
    status: str = ""
    endpoint: str = ""
    passcode: str = ""
    description: str | None = None

    def __repr__(self) -> str:
        return f"Webhook({self.id!r}, {self.event_type!r}, {self.status!r}, {self.endpoint!r})"


class RequestInfo(msgspec.Struct, frozen=True):
    """What was sent, and when (ISO 8601)."""

    id: str | int = ""
    sent_at: str = ""
    payload: Any = None


class ResponseInfo(msgspec.Struct, frozen=True):
    """What the endpoint answered."""

    status: str | int = ""


class SentRequest(msgspec.Struct, frozen=True):
    """A request to a webhook's endpoint; without ``response_info`` none came back, or none yet."""

    request_info: RequestInfo = RequestInfo()
    response_info: ResponseInfo | None = None
    error_msg: str | None = None

    @property
    def event_type(self) -> str:
        """The kind of event that was sent; empty when the platform does not tell."""
        payload = self.request_info.payload
        kind = payload.get("event_type") if isinstance(payload, dict) else None
        return kind if isinstance(kind, str) else ""


class _Page(msgspec.Struct, frozen=True):
    webhooks: tuple[Webhook, ...] = ()


class _Requests(msgspec.Struct, frozen=True):
    requests: tuple[SentRequest, ...] = ()


class Webhooks:
    """Makes, lists, changes and deletes webhooks."""

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
        """A new webhook; ``context`` is team, project or file."""
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
        """The webhook of this id."""
        return self._session.read(GET.request({"webhook_id": webhook_id}), Webhook)

    def of_context(self, context: str, context_id: str) -> tuple[Webhook, ...]:
        """The webhooks of a team, project or file."""
        request = LIST.request({"context": context, "context_id": context_id})
        return self._session.read(request, _Page).webhooks

    def of_plan(self, plan_api_id: str) -> Iterator[Webhook]:
        """The webhooks of all contexts of a plan that the token's user has access to, page by page."""
        return self._session.rows(LIST, {"plan_api_id": plan_api_id}, Webhook)

    def set_status(self, webhook_id: str, status: str) -> Webhook:
        """Pause a webhook (PAUSED), or let it go on (ACTIVE)."""
        return self._session.read(UPDATE.request({"webhook_id": webhook_id, "status": status}), Webhook)

    def delete(self, webhook_id: str) -> Webhook:
        """Delete a webhook for good; it comes back as it was."""
        return self._session.read(DELETE.request({"webhook_id": webhook_id}), Webhook)

    def requests(self, webhook_id: str) -> tuple[SentRequest, ...]:
        """What the platform sent to the webhook's endpoint in the last seven days."""
        return self._session.read(REQUESTS.request({"webhook_id": webhook_id}), _Requests).requests
