"""Receive webhook events in a queue, and run a command for them, until interrupted.

Passcodes are checked, repeated and old events ignored, and bursts coalesced.
"""

from __future__ import annotations

import gc
import hashlib
import hmac
import math
import os
import re
import shutil
import threading
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.system import child, serving
from tokensync.system.errors import DECODE_ERRORS, UsageError
from tokensync.system.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from wsgiref.types import StartResponse, WSGIEnvironment


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
            if self.count >= _MAX_EVENTS or sum(burst.size for burst in self._pending) + size > _MAX_BYTES:
                return False
            now = self._clock()
            burst = None
            if event_type == COALESCED:
                burst = next((burst for burst in self._pending if burst.event_type == COALESCED), None)
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
                complete = next((burst for burst in self._pending if burst.due <= now), None)
                if complete is not None:
                    self._pending.remove(complete)
                    return Burst(complete.event_type, tuple(complete.events))
                until = min([deadline, *(burst.due for burst in self._pending)])
                if now >= deadline:
                    return None
                self._changed.wait(until - now)

    @property
    def count(self) -> int:
        """Return the number of queued events."""
        return sum(len(burst.events) for burst in self._pending)


MAX_BODY: Final = 8 * 1024 * 1024
"""Bytes; about as large as a publication that changes everything in ten full collections."""
MAX_AGE_SECONDS: Final = 6 * 3600.0
"""The age of an event that still runs the command. The platform's last retry is 3 hours and 35 minutes after it."""
MAX_GUESSES: Final = 60
"""Wrong passcodes from one address in a minute, after which no passcode from it is compared until the minute ends."""
_MINUTE: Final = 60.0
_MAX_ADDRESSES: Final = 10_000
_MAX_REMEMBERED: Final = 100_000
_MAX_DEPTH: Final = 100
_EVENT_TYPE: Final = re.compile(r"[A-Za-z0-9_.-]{1,64}", re.ASCII)
_PING: Final = "PING"


class _RefusedRequest(Exception):
    def __init__(self, status: str, reason: str = "", headers: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.headers = headers


class _Guesses:
    """Counts wrong passcodes by address and minute."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._ends = clock() + _MINUTE
        self._counts: dict[str, int] = {}
        self._lock = threading.Lock()

    def seconds_to_wait(self, address: str) -> int:
        """Return for how long passcodes of this address are not compared; 0 if they are."""
        with self._lock:
            left = self._ends - self._clock()
            if left <= 0:
                self._ends = self._clock() + _MINUTE
                self._counts.clear()
            return math.ceil(left) if self._counts.get(self._key(address), 0) >= MAX_GUESSES else 0

    def count(self, address: str) -> None:
        with self._lock:
            key = self._key(address)
            self._counts[key] = self._counts.get(key, 0) + 1

    def _key(self, address: str) -> str:
        """Return the address, or one that stands for all others once there are too many."""
        return address if address in self._counts or len(self._counts) < _MAX_ADDRESSES else ""


class _Summaries:
    """Logs a repeated message at once, and then once a minute with its count."""

    def __init__(self, log: Callable[[str], None], clock: Callable[[], float]) -> None:
        self._log = log
        self._clock = clock
        self._counts: dict[str, int] = {}
        self._since: dict[str, float] = {}
        self._lock = threading.Lock()

    def add(self, message: str) -> None:
        """Log the message, or count it if it has been logged within a minute."""
        with self._lock:
            if message in self._since:
                self._counts[message] = self._counts.get(message, 0) + 1
                return
            self._since[message] = self._clock()
        self._log(message)

    def write_due(self, *, everything: bool = False) -> None:
        """Log the counts of messages that were logged a minute ago, or of all."""
        now = self._clock()
        with self._lock:
            due = [each for each, since in self._since.items() if everything or now - since >= _MINUTE]
            counts = {each: self._counts.pop(each, 0) for each in due}
            for each, count in counts.items():
                if count:
                    self._since[each] = now
                else:
                    del self._since[each]
        for each, count in counts.items():
            if count:
                self._log(f"{each} ({counted(count, 'more time')})")


class Receiver:
    """A WSGI application that queues events with the right passcode.

    It acknowledges all of them with 200, also those that it does not run: after most other statuses the platform sends
    an event again, and after the 400 to a wrong passcode it stops. ``kinds`` are the event types to queue, by default
    all. GET of ``health_path`` is answered with 200. An event
    runs once, and only if its timestamp is within ``MAX_AGE_SECONDS`` of ``now``, the Unix time. ``log`` receives
    messages.
    """

    def __init__(
        self,
        passcode: str,
        queue: EventQueue,
        kinds: tuple[str, ...] = (),
        log: Callable[[str], None] = lambda _: None,
        *,
        health_path: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._health_path = health_path
        self._passcode = passcode.encode()
        self._queue = queue
        self._kinds = kinds
        self._log = log
        self._now = now
        self._guesses = _Guesses(clock)
        self._summaries = _Summaries(log, clock)
        self._received: dict[bytes, None] = {}
        self._receiving = threading.Lock()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Respond to a request (PEP 3333) without a body."""
        status = "200 OK"
        more: tuple[tuple[str, str], ...] = ()
        try:
            self._receive(environ)
        except _RefusedRequest as refused:
            status, more = refused.status, refused.headers
            if refused.reason:
                self._summaries.add(refused.reason)
        start_response(status, [("Content-Length", "0"), *more])
        return (b"",)

    def write_summaries(self, *, everything: bool = False) -> None:
        """Log the counts of refused requests that are due, or of all."""
        self._summaries.write_due(everything=everything)

    def _receive(self, environ: WSGIEnvironment) -> None:
        if environ["REQUEST_METHOD"] in ("GET", "HEAD") and environ["PATH_INFO"] == self._health_path:
            return
        if environ["REQUEST_METHOD"] != "POST":
            raise _RefusedRequest("405 Method Not Allowed", headers=(("Allow", "POST"),))
        if "HTTP_ORIGIN" in environ:
            raise _RefusedRequest("403 Forbidden", "refused a request from a web page")
        body: bytes = environ["wsgi.input"].read(MAX_BODY + 1)
        if len(body) > MAX_BODY:
            raise _RefusedRequest("413 Content Too Large", "refused a request that is larger than any event")
        event = _event(body)
        self._check_passcode(event.pop("passcode", None), environ.get("REMOTE_ADDR", ""))
        event_type = event.get("event_type")
        if not isinstance(event_type, str) or not _EVENT_TYPE.fullmatch(event_type):
            self._summaries.add("ignored an event of an unknown type")
        elif event_type == _PING:
            self._summaries.add("PING: the webhook works")
        elif self._kinds and event_type not in self._kinds:
            self._log(f"{event_type}: ignored")
        elif _too_deep(event):
            self._summaries.add("ignored an event that is nested too deeply")
        elif _age(event, self._now()) > MAX_AGE_SECONDS:
            self._summaries.add("ignored an event whose timestamp is hours away from this machine's time")
        else:
            self._enqueue(event_type, event, len(body))

    def _check_passcode(self, passcode: object, address: str) -> None:
        wait = self._guesses.seconds_to_wait(address)
        if wait:
            reason = "refused events without comparing their passcodes, after too many wrong ones"
            raise _RefusedRequest("429 Too Many Requests", reason, (("Retry-After", str(wait)),))
        candidate = passcode.encode("utf-8", "surrogatepass") if isinstance(passcode, str) else b""
        if not hmac.compare_digest(candidate, self._passcode):
            self._guesses.count(address)
            raise _RefusedRequest("400 Bad Request", "refused an event with a wrong passcode")

    def _enqueue(self, event_type: str, event: Event, size: int) -> None:
        """Queue an event, unless it has been received before. Remember it by its digest, also while it waits.

        Types of a public client list a member ``retries``. If the platform counts it up, each attempt differs in it.
        """
        content = {name: value for name, value in event.items() if name != "retries"}
        digest = hashlib.sha256(msgspec.json.encode(content, order="sorted")).digest()
        with self._receiving:
            if digest in self._received:
                self._summaries.add("ignored an event that was received before")
                return
            if not self._queue.add(event_type, event, size):
                raise _RefusedRequest(
                    "503 Service Unavailable", "refused an event because the queue is full; Figma will retry"
                )
            self._received[digest] = None
            if len(self._received) > _MAX_REMEMBERED:
                del self._received[next(iter(self._received))]


def _age(event: Event, now: float) -> float:
    """Return the seconds between the timestamp of an event and ``now``; 0 without a timestamp."""
    try:
        moment = datetime.fromisoformat(event["timestamp"])
        return abs(now - (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    except (KeyError, TypeError, ValueError, OverflowError):
        return 0.0


def _event(body: bytes) -> Event:
    try:
        event = msgspec.json.decode(body)
    except DECODE_ERRORS:
        event = None
    if not isinstance(event, dict):
        raise _RefusedRequest("422 Unprocessable Content", "refused a request that is not an event")
    return event


def _too_deep(event: Event) -> bool:
    """Return whether the event is nested so deeply that encoding it could crash the receiver."""
    level: list[Any] = [event]
    for _ in range(_MAX_DEPTH):
        nested = [each for each in level if isinstance(each, (dict, list))]
        level = [inner for each in nested for inner in (each.values() if isinstance(each, dict) else each)]
        if not level:
            return False
    return True


_TIMEOUT_SECONDS: Final = 10.0
_BODY_MARGIN: Final = 1024 * 1024
"""How much larger a body may be and still be read to its end, so that its sender receives the 413."""
_POLL_SECONDS: Final = 0.5


class Listener(NamedTuple):
    """A command and the events that run it. The repr omits the command's ``environment`` and the passcode."""

    command: tuple[str, ...]
    environment: Mapping[str, str]
    passcode: str
    kinds: tuple[str, ...] = ()
    health_path: str | None = None

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
    receiver = Receiver(listener.passcode, queue, listener.kinds, log, health_path=listener.health_path)
    try:
        bound = serving.bind(host, port)
    except (OSError, OverflowError) as error:
        raise UsageError(f"{host}:{port}: cannot listen ({error}); use another --port, or --port 0") from None
    server = serving.Server(
        receiver, (bound,), serving.Limits(MAX_BODY, _TIMEOUT_SECONDS, _TIMEOUT_SECONDS, MAX_BODY + _BODY_MARGIN)
    )
    gc.enable()  # the receiver runs for days
    try:
        server.start()
        started(serving.origin("http", host, bound) + "/")
        while True:
            if burst := queue.next(_POLL_SECONDS):
                _run(listener, burst, log)
            receiver.write_summaries()
    finally:
        server.close()
        receiver.write_summaries(everything=True)
        if queue.count:
            log(f"stopped; the command did not receive {counted(queue.count, 'event')}")


def _run(listener: Listener, burst: Burst, log: Callable[[str], None]) -> None:
    files = ", ".join(file_keys(burst)) or "no file"
    log(f"{burst.event_type} of {files} ({counted(len(burst.events), 'event')}): {listener.command[0]}")
    try:
        code = run(listener.command, burst, listener.environment)
    except OSError as error:
        log(f"{listener.command[0]}: could not be started ({error.strerror or error})")
        return
    log(f"{listener.command[0]}: done" if code == 0 else f"{listener.command[0]}: failed with exit code {code}")


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
    # The command is the user's own, without any part of an event.
    return child.run(command, {**environment, **variables}, msgspec.json.encode(document), captured=False).returncode


def file_keys(burst: Burst) -> tuple[str, ...]:
    """Return the distinct file keys of the events, omitting invalid ones."""
    values = (event.get("file_key") for event in burst.events)
    keys = dict.fromkeys(key for key in values if isinstance(key, str) and _KEY.fullmatch(key))
    return tuple(keys)[:_MAX_KEYS]


def environment_for(secret: str, passed: Sequence[str] = ()) -> dict[str, str]:
    """Return the environment of the command: this one without the passcode and credentials of the platform.

    ``passed`` are the variables that it gets nevertheless. Raises UsageError if one of them is not set.
    """
    for name in passed:
        if name not in os.environ:
            raise UsageError(f"--env {name}: the environment variable is not set; set it, or remove the option")
    return child.inherited_environment(secret, passed)
