"""What the platform's events are sent to, as a WSGI application: it checks who sends them, and answers at once."""

from __future__ import annotations

import hmac
import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from tokensync.commands.listening.folding import Folding

LARGEST_BODY: Final = 8 * 1024 * 1024
"""Bytes. A publication that changes everything in ten full collections is about as large."""
_READ_AT_ONCE: Final = 64 * 1024
_DEEPEST: Final = 100
_EVENT_TYPE: Final = re.compile(r"[A-Z][A-Z_]{0,63}", re.ASCII)
_PING: Final = "PING"


class _Refused(Exception):
    def __init__(self, status: str, why: str = "") -> None:
        super().__init__(why)
        self.status = status
        self.why = why


class Receiver:
    """Answers 200 to an event with the right passcode, and hands it to ``folding``; 4xx to everything else.

    ``kinds`` are the types of events that are handed on, or all of them when there are none; others are acknowledged.
    ``say`` tells people what came.
    """

    def __init__(
        self, passcode: str, folding: Folding, kinds: tuple[str, ...] = (), say: Callable[[str], None] = lambda _: None
    ) -> None:
        self._passcode = passcode.encode()
        self._folding = folding
        self._kinds = kinds
        self._say = say

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request (PEP 3333); no answer has a body."""
        try:
            self._receive(environ)
            status = "200 OK"
        except _Refused as refused:
            status = refused.status
            if refused.why:
                self._say(f"{environ.get('REMOTE_ADDR', 'somebody')}: {refused.why}")
        headers = [("Content-Length", "0")]
        start_response(status, [*headers, ("Allow", "POST")] if status.startswith("405") else headers)
        return (b"",)

    def _receive(self, environ: WSGIEnvironment) -> None:
        if environ["REQUEST_METHOD"] != "POST":
            raise _Refused("405 Method Not Allowed")
        body = _body(environ)
        event = _event(body)
        passcode = event.pop("passcode", None)
        given = passcode.encode("utf-8", "surrogatepass") if isinstance(passcode, str) else b""
        if not hmac.compare_digest(given, self._passcode):
            raise _Refused("403 Forbidden", "an event without the right passcode was refused")
        event_type = event.get("event_type")
        if not isinstance(event_type, str) or not _EVENT_TYPE.fullmatch(event_type):
            raise _Refused("400 Bad Request", "an event without a type was refused")
        if event_type == _PING:
            self._say("PING: the webhook works")
        elif self._kinds and event_type not in self._kinds:
            self._say(f"{event_type}: not asked for")
        elif not self._folding.add(event_type, event, len(body)):
            raise _Refused("503 Service Unavailable", "too many events wait; the platform sends this one again later")


def _body(environ: WSGIEnvironment) -> bytes:
    """Return the whole body, unless it is longer than any event is."""
    length = environ.get("CONTENT_LENGTH") or ""
    if length.isdecimal() and int(length) > LARGEST_BODY:
        raise _Refused("413 Content Too Large", "a request that is larger than any event was refused")
    chunks: list[bytes] = []
    left = LARGEST_BODY + 1
    stream = environ["wsgi.input"]
    if length.isdecimal():
        left = min(left, int(length))
    try:
        while left > 0 and (chunk := stream.read(min(left, _READ_AT_ONCE))):
            chunks.append(chunk)
            left -= len(chunk)
    except (OSError, ValueError):
        raise _Refused("400 Bad Request") from None
    body = b"".join(chunks)
    if len(body) > LARGEST_BODY:
        raise _Refused("413 Content Too Large", "a request that is larger than any event was refused")
    return body


def _event(body: bytes) -> dict[str, Any]:
    try:
        event = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        raise _Refused("400 Bad Request", "a request that is no event was refused") from None
    if not isinstance(event, dict) or _too_deep(event):
        raise _Refused("400 Bad Request", "a request that is no event was refused")
    return event


def _too_deep(event: dict[str, Any]) -> bool:
    """Return whether it is nested deeper than any event is, so that writing it for the command could end the
    receiver.
    """
    level: list[Any] = [event]
    for _ in range(_DEEPEST):
        nested = [each for each in level if isinstance(each, (dict, list))]
        level = [inner for each in nested for inner in (each.values() if isinstance(each, dict) else each)]
        if not level:
            return False
    return True
