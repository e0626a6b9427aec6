"""Developer logs: the API requests of an organization's tokens (Figma REST API: Developer logs)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.client.endpoint import BODY, Endpoint, Paging, Parameter, cursor_while

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.client.session import Session


SEARCH: Final = Endpoint(
    "developer-logs",
    "search",
    "POST",
    "v1/developer_logs",
    "Search the requests of the organization's tokens, the latest first. Requires a plan access token.",
    ("org:developer_log_read",),
    3,
    (
        Parameter("token", "a token's secret, to find its requests", BODY, secret=True),
        Parameter("token_name", "names of tokens or apps, or prefixes, comma-separated", BODY),
        Parameter("user_email", "email addresses, or prefixes, comma-separated", BODY),
        Parameter("ip_address", "IP addresses, or prefixes, comma-separated", BODY),
        Parameter("token_type", "PLAN_ACCESS_TOKEN, PERSONAL_ACCESS_TOKEN or OAUTH_TOKEN", BODY),
        Parameter("event_source", "REST_API or MCP_SERVER", BODY),
        Parameter("date_range", "LAST_24H, LAST_7D or LAST_30D", BODY),
        Parameter("limit", "items per page; default: 25, maximum: 100", BODY, "number"),
        Parameter("cursor", "cursor from the previous page", BODY),
    ),
    paging=Paging(("meta", "items"), cursor_while("has_more", "meta")),
    subject="developer logs",
    reads=True,
)
ENDPOINTS: Final = (SEARCH,)
_LARGEST_PAGE: Final = 100


class Action(msgspec.Struct, frozen=True):
    """The action: the path of an endpoint, or the tool of an MCP server."""

    event_name: str = ""
    event_source: str = ""


class Actor(msgspec.Struct, frozen=True):
    """The token and its user."""

    user_id: str = ""
    user_name: str = ""
    token_name: str = ""
    token_type: str = ""
    user_email: str = ""


class Resource(msgspec.Struct, frozen=True):
    """The requested resource; members are None if there is no particular one."""

    org_id: str = ""
    id_or_key: str | None = None
    name: str | None = None
    type: str | None = None


class Origin(msgspec.Struct, frozen=True):
    """The origin of the request."""

    ip_address: str = ""
    city: str = ""
    country_region: str = ""
    country: str = ""


class DeveloperLogItem(msgspec.Struct, frozen=True):
    """A request of a token. ``timestamp`` is ISO 8601."""

    uuid: str
    timestamp: str
    action: Action = Action()
    actor: Actor = Actor()
    resource: Resource = Resource()
    context: Origin = Origin()


class DeveloperLogs:
    """Searches the requests of the organization's tokens."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def search(self, **filters: str | None) -> Iterator[DeveloperLogItem]:
        """Yield the requests that match all filters (parameters of ``SEARCH``, or None), the latest first."""
        return self._session.rows(SEARCH, {**filters, "limit": _LARGEST_PAGE}, DeveloperLogItem)
