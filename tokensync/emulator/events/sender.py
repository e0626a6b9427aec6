"""Sends one event to one endpoint by HTTP POST."""

from __future__ import annotations

from contextlib import contextmanager, suppress
from threading import Event, Timer
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator

_PATIENCE_SECONDS: Final = 10.0
"""A receiver that needs longer is too slow; the documentation gives no number."""


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

    late = Event()
    try:
        parts = urlsplit(endpoint)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=_PATIENCE_SECONDS)
        address = quote(parts.path or "/", safe=_KEPT) + (f"?{quote(parts.query, safe=_KEPT)}" if parts.query else "")
        try:
            connection.connect()
            with _at_most(_PATIENCE_SECONDS, connection.sock, late):
                connection.request("POST", address, payload, _HEADERS)
                return Reply(connection.getresponse().status)
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError) as error:
        if late.is_set() or isinstance(error, TimeoutError):
            return Reply(None, "The endpoint took too long to answer")
        return Reply(None, f"The endpoint could not be reached: {error}"[:500])


@contextmanager
def _at_most(seconds: float, connected: socket.socket, late: Event) -> Iterator[None]:
    """Break a connection off after so long: one that sends a byte now and then never runs into a timeout."""
    from socket import SHUT_RDWR

    def break_off() -> None:
        late.set()
        with suppress(OSError):
            connected.shutdown(SHUT_RDWR)

    timer = Timer(seconds, break_off)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


_KEPT: Final = "/%:@!$&'()*+,;=~?-._"
_HEADERS: Final = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "tokensync-emulator"}
