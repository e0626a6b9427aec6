"""Sends one event to one endpoint by HTTP POST."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

_SILENCE_SECONDS: Final = 10.0
"""A receiver that says nothing for so long is too slow; the documentation gives no number."""


class Reply(NamedTuple):
    """The HTTP status that an endpoint answered with, or None and what went wrong."""

    status: int | None
    error: str | None = None

    @property
    def accepted(self) -> bool:
        """Only 200 counts (platform-api.md 6)."""
        return self.status == 200


if TYPE_CHECKING:
    Sender = Callable[[str, bytes], Reply]
    """From an endpoint and a JSON payload to what came back."""


def post(endpoint: str, payload: bytes) -> Reply:
    """POST a payload. A redirect is not followed, and no proxy is asked: it is an answer like any other."""
    from http.client import HTTPConnection, HTTPException, HTTPSConnection
    from urllib.parse import quote, urlsplit

    try:
        parts = urlsplit(endpoint)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=_SILENCE_SECONDS)
        address = quote(parts.path or "/", safe=_KEPT) + (f"?{quote(parts.query, safe=_KEPT)}" if parts.query else "")
        try:
            connection.request("POST", address, payload, _HEADERS)
            return Reply(connection.getresponse().status)
        finally:
            connection.close()
    except TimeoutError:
        return Reply(None, "The endpoint took too long to answer")
    except (OSError, HTTPException, ValueError) as error:
        return Reply(None, f"The endpoint could not be reached: {error}"[:500])


_KEPT: Final = "/%:@!$&'()*+,;=~?-._"
_HEADERS: Final = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "tokensync-emulator"}
