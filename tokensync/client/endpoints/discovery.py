"""Discovery: texts by users, as one download per hour (Figma REST API: Discovery)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.client.endpoint import Endpoint, Parameter

if TYPE_CHECKING:
    from tokensync.client.session import Session


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
ENDPOINTS: Final = (TEXT_EVENTS,)


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
