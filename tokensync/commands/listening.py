"""Receive webhook events and run a command for them, until interrupted."""

from __future__ import annotations

import gc
import hmac
import logging
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.errors import DECODE_ERRORS, UsageError
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from wsgiref.types import StartResponse, WSGIEnvironment

    from cheroot.wsgi import Server


COALESCED: Final = "LIBRARY_PUBLISH"
"""The event type whose bursts run the command once: a publication sends an event for each kind of asset."""
QUIET_SECONDS: Final = 1.0
MAX_BURST_SECONDS: Final = 30.0
"""The longest burst, so that the command runs even if events never stop."""
_MAX_EVENTS: Final = 10_000
_MAX_BYTES: Final = 64 * 1024 * 1024

Event = dict[str, Any]


class Burst(NamedTuple):
    """Events of one type for one run of the command, in order of arrival."""

    event_type: str
    events: tuple[Event, ...]


class _PendingBurst:
    def __init__(self, event_type: str, now: float) -> None:
        self.event_type = event_type
        self.events: list[Event] = []
        self.size = 0
        self.first = self.last = now

    @property
    def due(self) -> float:
        if self.event_type != COALESCED:
            return self.first
        return min(self.last + QUIET_SECONDS, self.first + MAX_BURST_SECONDS)


class EventQueue:
    """A thread-safe queue that coalesces events into bursts. ``clock`` is monotonic, in seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._pending: list[_PendingBurst] = []
        self._changed = threading.Condition()

    def add(self, event_type: str, event: Event, size: int) -> bool:
        """Add an event of ``size`` bytes; return False if the queue is full."""
        with self._changed:
            if self.count >= _MAX_EVENTS or sum(each.size for each in self._pending) + size > _MAX_BYTES:
                return False
            now = self._clock()
            burst = None
            if event_type == COALESCED:
                burst = next((each for each in self._pending if each.event_type == COALESCED), None)
            if burst is None:
                burst = _PendingBurst(event_type, now)
                self._pending.append(burst)
            burst.events.append(event)
            burst.size += size
            burst.last = now
            self._changed.notify()
            return True

    def next(self, timeout: float) -> Burst | None:
        """Return the next complete burst; None if there is none within ``timeout`` seconds."""
        deadline = self._clock() + timeout
        with self._changed:
            while True:
                now = self._clock()
                complete = next((each for each in self._pending if each.due <= now), None)
                if complete is not None:
                    self._pending.remove(complete)
                    return Burst(complete.event_type, tuple(complete.events))
                until = min([deadline, *(each.due for each in self._pending)])
                if now >= deadline:
                    return None
                self._changed.wait(until - now)

    @property
    def count(self) -> int:
        """Return the number of queued events."""
        return sum(len(each.events) for each in self._pending)


MAX_BODY: Final = 8 * 1024 * 1024
"""Bytes; about as large as a publication that changes everything in ten full collections."""
_CHUNK: Final = 64 * 1024
_MAX_DEPTH: Final = 100
_EVENT_TYPE: Final = re.compile(r"[A-Z][A-Z_]{0,63}", re.ASCII)
_PING: Final = "PING"


class _Refused(Exception):
    def __init__(self, status: str, reason: str = "") -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


class Receiver:
    """A WSGI application that queues events with the right passcode, and responds with 200 to them and 4xx otherwise.

    ``kinds`` are the event types to queue, by default all; others are only acknowledged. ``log`` receives messages.
    """

    def __init__(
        self, passcode: str, queue: EventQueue, kinds: tuple[str, ...] = (), log: Callable[[str], None] = lambda _: None
    ) -> None:
        self._passcode = passcode.encode()
        self._queue = queue
        self._kinds = kinds
        self._log = log

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Respond to a request (PEP 3333) without a body."""
        try:
            self._receive(environ)
            status = "200 OK"
        except _Refused as refused:
            status = refused.status
            if refused.reason:
                self._log(f"{environ.get('REMOTE_ADDR', 'unknown client')}: {refused.reason}")
        headers = [("Content-Length", "0")]
        start_response(status, [*headers, ("Allow", "POST")] if status.startswith("405") else headers)
        return (b"",)

    def _receive(self, environ: WSGIEnvironment) -> None:
        if environ["REQUEST_METHOD"] != "POST":
            raise _Refused("405 Method Not Allowed")
        body = _body(environ)
        event = _event(body)
        passcode = event.pop("passcode", None)
        candidate = passcode.encode("utf-8", "surrogatepass") if isinstance(passcode, str) else b""
        if not hmac.compare_digest(candidate, self._passcode):
            raise _Refused("403 Forbidden", "refused an event with a wrong passcode")
        event_type = event.get("event_type")
        if not isinstance(event_type, str) or not _EVENT_TYPE.fullmatch(event_type):
            raise _Refused("400 Bad Request", "refused an event without a type")
        if event_type == _PING:
            self._log("PING: the webhook works")
        elif self._kinds and event_type not in self._kinds:
            self._log(f"{event_type}: ignored")
        elif not self._queue.add(event_type, event, len(body)):
            raise _Refused(
                "503 Service Unavailable", "refused an event because the queue is full; the platform will retry"
            )


def _body(environ: WSGIEnvironment) -> bytes:
    length = environ.get("CONTENT_LENGTH") or ""
    if length.isdecimal() and int(length) > MAX_BODY:
        raise _Refused("413 Content Too Large", "refused a request that is larger than any event")
    chunks: list[bytes] = []
    remaining = MAX_BODY + 1
    stream = environ["wsgi.input"]
    if length.isdecimal():
        remaining = min(remaining, int(length))
    try:
        while remaining > 0 and (chunk := stream.read(min(remaining, _CHUNK))):
            chunks.append(chunk)
            remaining -= len(chunk)
    except (OSError, ValueError):
        raise _Refused("400 Bad Request") from None
    body = b"".join(chunks)
    if len(body) > MAX_BODY:
        raise _Refused("413 Content Too Large", "refused a request that is larger than any event")
    return body


def _event(body: bytes) -> dict[str, Any]:
    try:
        event = msgspec.json.decode(body)
    except DECODE_ERRORS:
        raise _Refused("400 Bad Request", "refused a request that is not an event") from None
    if not isinstance(event, dict) or _too_deep(event):
        raise _Refused("400 Bad Request", "refused a request that is not an event")
    return event


def _too_deep(event: dict[str, Any]) -> bool:
    """Return whether the event is nested so deeply that encoding it could crash the receiver."""
    level: list[Any] = [event]
    for _ in range(_MAX_DEPTH):
        nested = [each for each in level if isinstance(each, (dict, list))]
        level = [inner for each in nested for inner in (each.values() if isinstance(each, dict) else each)]
        if not level:
            return False
    return True


_THREADS: Final = 8
_MAX_HEADER: Final = 32 * 1024
_BODY_MARGIN: Final = 1024 * 1024
_TIMEOUT_SECONDS: Final = 10
_POLL_SECONDS: Final = 0.5

_logger = logging.getLogger(__name__)


class Listener(NamedTuple):
    """A command and the events that run it. The repr omits the command's ``environment`` and the passcode."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    passcode: str
    kinds: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Listener({self.command!r}, kinds={self.kinds!r})"


def listen(
    listener: Listener, host: str, port: int, *, started: Callable[[str], None], log: Callable[[str], None]
) -> None:
    """Receive events and run the command for them, until KeyboardInterrupt.

    ``started`` receives the URL of the endpoint. Port 0 is any free port. Raises UsageError if the address is not
    available.
    """
    queue = EventQueue()
    server = _server(host, port, Receiver(listener.passcode, queue, listener.kinds, log))
    prepared = threading.Event()
    serving = threading.Thread(target=_serve, args=(server, prepared), daemon=True)
    serving.start()
    gc.enable()  # the receiver runs for days
    try:
        prepared.wait()
        started(f"http://{f'[{host}]' if ':' in host else host}:{server.bind_addr[1]}/")
        while True:
            _run(listener, queue.next(_POLL_SECONDS), log)
    finally:
        prepared.wait(_TIMEOUT_SECONDS)  # a half-prepared server cannot be stopped
        server.stop()
        serving.join(_TIMEOUT_SECONDS)  # then all its threads have been asked to end
        if queue.count:
            log(f"stopped; the command did not receive {counted(queue.count, 'event')}")


def _server(host: str, port: int, receiver: Receiver) -> Server:
    """Return a server that is bound to the address. Raises UsageError if the address is not available."""
    from cheroot.server import HTTPConnection
    from cheroot.wsgi import Server

    from tokensync.emulator.server import FramedRequest

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise UsageError(f"{host}:{port}: cannot listen ({error}); use another --port, or --port 0") from None
    server: Any = Server(  # Any, because two of its methods are replaced
        bound.getsockname()[:2], receiver, numthreads=_THREADS, server_name="tokensync", timeout=_TIMEOUT_SECONDS
    )
    server.max_request_header_size = _MAX_HEADER
    server.max_request_body_size = MAX_BODY + _BODY_MARGIN  # a margin, so that Receiver refuses the request
    server.ConnectionClass = type("_Connection", (HTTPConnection,), {"RequestHandlerClass": FramedRequest})
    server.error_log = _log_error

    def bind(*_: Any) -> socket.socket:
        server.socket = bound
        return bound

    server.bind = bind
    listening: Server = server
    return listening


def _serve(server: Server, prepared: threading.Event) -> None:
    """Prepare and serve in a thread that Ctrl-C does not interrupt, because running workers would block the exit."""
    try:
        server.prepare()
    finally:
        prepared.set()
    server.serve()


def _run(listener: Listener, burst: Burst | None, log: Callable[[str], None]) -> None:
    if burst is None:
        return
    files = ", ".join(file_keys(burst)) or "no file"
    log(f"{burst.event_type} of {files} ({counted(len(burst.events), 'event')}): {listener.command[0]}")
    try:
        code = run(listener.command, burst, listener.environment)
    except OSError as error:
        log(f"{listener.command[0]}: could not be started ({error.strerror or error})")
        return
    log(f"{listener.command[0]}: done" if code == 0 else f"{listener.command[0]}: failed with exit code {code}")


def _log_error(msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
    """Write errors of the server to the log, so that clients cannot write to the terminal."""
    _logger.log(level, "%s", msg, exc_info=traceback)


_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,128}", re.ASCII)
_MAX_KEYS: Final = 100


def resolved(command: Sequence[str]) -> tuple[str, ...]:
    """Return the command with the path of its program. Raises UsageError if there is no such program."""
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(f"{command[0]}: no such program; check its name and PATH")
    return (program, *command[1:])


def run(command: Sequence[str], burst: Burst, environment: Mapping[str, str]) -> int:
    """Run the command for a burst and return its exit code.

    Its stdin is ``{"event_type", "file_keys", "events"}`` as JSON; its environment is ``environment`` with
    TOKENSYNC_EVENT_TYPE, TOKENSYNC_EVENT_COUNT and TOKENSYNC_FILE_KEYS (comma-separated). Raises OSError if it cannot
    be started.
    """
    keys = file_keys(burst)
    document = {"event_type": burst.event_type, "file_keys": keys, "events": burst.events}
    variables = {
        "TOKENSYNC_EVENT_TYPE": burst.event_type,
        "TOKENSYNC_EVENT_COUNT": str(len(burst.events)),
        "TOKENSYNC_FILE_KEYS": ",".join(keys),
    }
    return subprocess.run(  # noqa: S603 - the command is the user's own, without any part of an event
        list(command), input=msgspec.json.encode(document), env={**environment, **variables}, check=False
    ).returncode


def file_keys(burst: Burst) -> tuple[str, ...]:
    """Return the distinct file keys of the events, omitting invalid ones."""
    values = (event.get("file_key") for event in burst.events)
    keys = dict.fromkeys(key for key in values if isinstance(key, str) and _KEY.fullmatch(key))
    return tuple(keys)[:_MAX_KEYS]


def environment_without(secret: str) -> dict[str, str]:
    """Return the environment without the passcode, which the command does not need."""
    return {name: value for name, value in os.environ.items() if name != secret}
