"""Discovery: what users wrote, in one file an hour to download (Figma REST API: Discovery)."""

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
    "Download links to what people wrote in each hour; with a token of an admin.",
    ("org:discovery_read",),
    2,
    (
        Parameter("start_date", "the first hour, such as 2026-01-31T09:00:00Z", required=True),
        Parameter("end_date", "at most 24 hours later; without it, one hour is told"),
        Parameter(
            "file_ttl_in_seconds", "how long the links live: from 60 to 86400, which is the default", kind="number"
        ),
    ),
    subject="text events",
)
ENDPOINTS: Final = (TEXT_EVENTS,)


class Discovery:
    """Finds the files that hold what people wrote."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def urls(
        self, start_date: str, end_date: str | None = None, *, link_seconds: int | None = None
    ) -> dict[str, tuple[str, ...]]:
        """The download links of each hour, by ``YYYY/MM/DD/HH``, good for ``link_seconds``."""
        values = {"start_date": start_date, "end_date": end_date, "file_ttl_in_seconds": link_seconds}
        return self._session.read(TEXT_EVENTS.request(values), _Answer).meta.urls

    def download(self, url: str) -> bytes:
        """The file that a link leads to: JSON, of a shape that the platform does not document."""
        return self._session.download(url, TEXT_EVENTS.request({"start_date": ""}))


class _Urls(msgspec.Struct, frozen=True):
    urls: dict[str, tuple[str, ...]]


class _Answer(msgspec.Struct, frozen=True):
    meta: _Urls
