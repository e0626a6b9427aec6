"""The user of a token, and the logs and texts of an organization.

Figma REST API: Users, Developer logs, Activity logs, Discovery.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.extract.client.endpoint import BODY, Endpoint, Paging, Parameter, cursor_while

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.extract.client.session import Session


ME: Final = Endpoint(
    "users",
    "me",
    "GET",
    "v1/me",
    "Get the user of the access token.",
    ("current_user:read", "files:read"),
    3,
    shape="plain",
    subject="user",
)
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
ACTIVITY_LOGS: Final = Endpoint(
    "activity-logs",
    "list",
    "GET",
    "v1/activity_logs",
    "List what users did in the organization. Requires the token of an admin.",
    ("org:activity_log_read",),
    3,
    (
        Parameter("events", "event types to include", kind="list"),
        Parameter("start_time", "start of the period in Unix seconds; default: a year ago", kind="number"),
        Parameter("end_time", "end of the period in Unix seconds; default: now", kind="number"),
        Parameter("limit", "events per page; default and maximum: 1000", kind="number"),
        Parameter("order", "asc (earliest first) or desc"),
        Parameter("cursor", "cursor from the previous page"),
    ),
    paging=Paging(("meta", "activity_logs"), cursor_while("next_page", "meta")),
    subject="activity log",
)
TEXT_EVENTS: Final = Endpoint(
    "discovery",
    "text-events",
    "GET",
    "v1/discovery",
    "List download links for the texts that users wrote in each hour. Requires the token of an admin.",
    ("org:discovery_read",),
    2,
    (
        Parameter("start_date", "the first hour, such as 2026-01-31T09:00:00Z", required=True),
        Parameter("end_date", "end, at most 24 hours later; default: one hour"),
        Parameter("file_ttl_in_seconds", "lifetime of the links, 60 to 86400; default: 86400", kind="number"),
    ),
    subject="text events",
)
USERS: Final = (ME,)
ENDPOINTS: Final = (SEARCH, ACTIVITY_LOGS, TEXT_EVENTS)
_LARGEST_PAGE: Final = 100
"""Developer logs a page."""


class User(msgspec.Struct, frozen=True):
    """A user; ``email`` is visible only to the user."""

    id: str
    handle: str = ""
    img_url: str = ""
    email: str = ""


class Users:
    """Identifies the user of the token."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def me(self) -> User:
        """Return the user of the access token."""
        return self._session.read(ME.request({}), User)


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


class Discovery:
    """Finds and downloads the texts that users wrote."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def urls(
        self, start_date: str, end_date: str | None = None, *, link_seconds: int | None = None
    ) -> dict[str, tuple[str, ...]]:
        """Return the download links by hour (``YYYY/MM/DD/HH``), valid for ``link_seconds``."""
        values = {"start_date": start_date, "end_date": end_date, "file_ttl_in_seconds": link_seconds}
        return self._session.read(TEXT_EVENTS.request(values), _Answer).meta.urls

    def download(self, url: str) -> bytes:
        """Return the content of a link: JSON in an undocumented format."""
        return self._session.download(url, TEXT_EVENTS.request({"start_date": ""}))


class _Urls(msgspec.Struct, frozen=True):
    urls: dict[str, tuple[str, ...]]


class _Answer(msgspec.Struct, frozen=True):
    meta: _Urls
