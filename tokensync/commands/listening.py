"""Listens for events until it is interrupted."""

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

from tokensync.errors import UsageError
from tokensync.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from wsgiref.types import StartResponse, WSGIEnvironment

    from cheroot.wsgi import Server


FOLDED: Final = "LIBRARY_PUBLISH"
"""A publication is an event for each kind of asset, and several libraries are often published together."""
QUIET_SECONDS: Final = 1.0
LONGEST_SECONDS: Final = 30.0
"""A burst that does not end is cut here, so that the command runs at all."""
_MOST_EVENTS: Final = 10_000
_MOST_BYTES: Final = 64 * 1024 * 1024

Event = dict[str, Any]


class Burst(NamedTuple):
    """Events of one type for one run of the command, in the order in which they came."""

    event_type: str
    events: tuple[Event, ...]


class _Waiting:
    def __init__(self, event_type: str, now: float) -> None:
        self.event_type = event_type
        self.events: list[Event] = []
        self.size = 0
        self.first = self.last = now

    @property
    def due(self) -> float:
        if self.event_type != FOLDED:
            return self.first
        return min(self.last + QUIET_SECONDS, self.first + LONGEST_SECONDS)


class Folding:
    """Takes events from any thread and gives bursts to one. ``clock`` is in seconds and never goes back."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._waiting: list[_Waiting] = []
        self._changed = threading.Condition()

    def add(self, event_type: str, event: Event, size: int) -> bool:
        """Keep an event of ``size`` bytes; False when too much waits already."""
        with self._changed:
            if self.count >= _MOST_EVENTS or sum(each.size for each in self._waiting) + size > _MOST_BYTES:
                return False
            now = self._clock()
            if event_type == FOLDED:
                folded = next((each for each in self._waiting if each.event_type == FOLDED), None)
            else:
                folded = None
            if folded is None:
                folded = _Waiting(event_type, now)
                self._waiting.append(folded)
            folded.events.append(event)
            folded.size += size
            folded.last = now
            self._changed.notify()
            return True

    def next(self, timeout: float) -> Burst | None:
        """Return the next burst that is complete, waited for at most so many seconds."""
        deadline = self._clock() + timeout
        with self._changed:
            while True:
                now = self._clock()
                complete = next((each for each in self._waiting if each.due <= now), None)
                if complete is not None:
                    self._waiting.remove(complete)
                    return Burst(complete.event_type, tuple(complete.events))
                until = min([deadline, *(each.due for each in self._waiting)])
                if now >= deadline:
                    return None
                self._changed.wait(until - now)

    @property
    def count(self) -> int:
        """Return how many events wait."""
        return sum(len(each.events) for each in self._waiting)


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


_THREADS: Final = 8
_LARGEST_HEAD: Final = 32 * 1024
_ROOM: Final = 1024 * 1024
_SILENCE_SECONDS: Final = 10
_LOOK_SECONDS: Final = 0.5

_logger = logging.getLogger(__name__)


class Listener(NamedTuple):
    """What to listen for and what to run. ``environment`` is the command's; no repr shows it or the passcode."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    passcode: str
    kinds: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Listener({self.command!r}, kinds={self.kinds!r})"


def listen(
    listener: Listener, host: str, port: int, *, started: Callable[[str], None], say: Callable[[str], None]
) -> None:
    """Receive events and run the command for them, until KeyboardInterrupt.

    ``started`` gets the address that events are to be sent to. Port 0 is any free one; an address that is not to be
    had is a UsageError.
    """
    folding = Folding()
    server = _server(host, port, Receiver(listener.passcode, folding, listener.kinds, say))
    prepared = threading.Event()
    serving = threading.Thread(target=_serve, args=(server, prepared), daemon=True)
    serving.start()
    gc.enable()  # it runs for days
    try:
        prepared.wait()
        started(f"http://{f'[{host}]' if ':' in host else host}:{server.bind_addr[1]}/")
        while True:
            _run(listener, folding.next(_LOOK_SECONDS), say)
    finally:
        prepared.wait(_SILENCE_SECONDS)  # what is half prepared cannot be stopped
        server.stop()
        serving.join(_SILENCE_SECONDS)  # when it has ended, all threads it starts have begun and are asked to end
        if folding.count:
            say(f"ending; events that were not handed on: {folding.count}")


def _server(host: str, port: int, receiver: Receiver) -> Server:
    """Return a server that is bound to the address and takes connections; one that is not to be had is a UsageError."""
    from cheroot.server import HTTPConnection
    from cheroot.wsgi import Server

    from tokensync.emulator.server import FramedRequest

    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        bound = socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        what = f"{host}:{port}: cannot be listened on ({error})"
        raise UsageError(f"{what}; use another --port, or 0 for any") from None
    server: Any = Server(  # Any, since two of its methods are replaced
        bound.getsockname()[:2], receiver, numthreads=_THREADS, server_name="tokensync", timeout=_SILENCE_SECONDS
    )
    server.max_request_header_size = _LARGEST_HEAD
    server.max_request_body_size = LARGEST_BODY + _ROOM  # a little more, so that it is ours to refuse
    server.ConnectionClass = type("_Connection", (HTTPConnection,), {"RequestHandlerClass": FramedRequest})
    server.error_log = _log

    def bind(*_: Any) -> socket.socket:
        server.socket = bound
        return bound

    server.bind = bind
    listening: Server = server
    return listening


def _serve(server: Server, prepared: threading.Event) -> None:
    """Prepare and serve, in a thread that no Ctrl-C interrupts: workers that had begun would keep the process."""
    try:
        server.prepare()
    finally:
        prepared.set()
    server.serve()


def _run(listener: Listener, burst: Burst | None, say: Callable[[str], None]) -> None:
    if burst is None:
        return
    files = ", ".join(file_keys(burst)) or "no file"
    say(f"{burst.event_type} of {files} ({counted(len(burst.events), 'event')}): {listener.command[0]}")
    try:
        code = run(listener.command, burst, listener.environment)
    except OSError as error:
        say(f"{listener.command[0]}: could not be started ({error.strerror or error})")
        return
    say(f"{listener.command[0]}: done" if code == 0 else f"{listener.command[0]}: failed with exit code {code}")


def _log(msg: str = "", level: int = logging.INFO, traceback: bool = False) -> None:
    """What goes wrong below requests is in the program's own log; strangers do not write on its terminal."""
    _logger.log(level, "%s", msg, exc_info=traceback)


_KEY: Final = re.compile(r"[A-Za-z0-9_-]{1,128}", re.ASCII)
_MOST_KEYS: Final = 100


def resolved(command: Sequence[str]) -> tuple[str, ...]:
    """Return the command with the whole path of its program; a UsageError when there is none of its name."""
    program = shutil.which(command[0])
    if program is None:
        raise UsageError(f"{command[0]}: no such program; check its name, and PATH")
    return (program, *command[1:])


def run(command: Sequence[str], burst: Burst, environment: Mapping[str, str]) -> int:
    """Run the command to its end; its exit code.

    It gets ``{"event_type", "file_keys", "events"}`` as JSON on stdin, and TOKENSYNC_EVENT_TYPE,
    TOKENSYNC_EVENT_COUNT and TOKENSYNC_FILE_KEYS (joined by commas) besides ``environment``. Raises OSError when it
    cannot be started.
    """
    keys = file_keys(burst)
    document = {"event_type": burst.event_type, "file_keys": keys, "events": burst.events}
    variables = {
        "TOKENSYNC_EVENT_TYPE": burst.event_type,
        "TOKENSYNC_EVENT_COUNT": str(len(burst.events)),
        "TOKENSYNC_FILE_KEYS": ",".join(keys),
    }
    done = subprocess.run(  # noqa: S603 - the command is the caller's own; nothing of an event is in it
        list(command), input=msgspec.json.encode(document), env={**environment, **variables}, check=False
    )
    return done.returncode


def file_keys(burst: Burst) -> tuple[str, ...]:
    """Return the keys of the files that the events are about, each once; texts that are no keys are omitted."""
    found = (event.get("file_key") for event in burst.events)
    keys = dict.fromkeys(key for key in found if isinstance(key, str) and _KEY.fullmatch(key))
    return tuple(keys)[:_MOST_KEYS]


def environment_without(secret: str) -> dict[str, str]:
    """Return the environment without the variable that holds the passcode: no command needs it."""
    return {name: value for name, value in os.environ.items() if name != secret}
