"""Isolated platforms, called spaces, in one process, and the control of them over HTTP below ``/_emulator/``.

A space has its own files, people, tokens, clock, faults and journal. The default space is the one that is served; a
request selects another by its token, or by the path ``/_space/NAME`` before everything else.
"""

from __future__ import annotations

import json
import logging
import threading
import time
from collections import deque
from contextlib import contextmanager, suppress
from http import HTTPStatus
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any, Final, NamedTuple

import msgspec

from tokensync.emulator import Emulator
from tokensync.emulator.apps import host_name, is_loopback
from tokensync.emulator.endpoints import BODY_BYTES, JSON, STRICT, UNKNOWN, Refusal, decode_json, path_of
from tokensync.emulator.faults import Faults, Script, script_of
from tokensync.emulator.tokens import mark_of
from tokensync.emulator.webhooks import InBackground
from tokensync.system.errors import TokensyncError, UsageError
from tokensync.version import __version__

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from wsgiref.types import StartResponse, WSGIEnvironment

    Operate = Callable[[Emulator, str, Mapping[str, Any]], Mapping[str, Any]]
    """Carries out an administration command, by its name and its arguments, and returns its result."""

_CONTROL: Final = "/_emulator/"
_SPACE: Final = "/_space/"
_START: Final = "start"
_MOST_ENTRIES: Final = 1000
_LONGEST_BODY: Final = 64 * 1024
_LONGEST_WAIT: Final = 60.0
"""Seconds; a request that waits longer would be ended by most clients."""
_WAITERS: Final = threading.BoundedSemaphore(256)
"""Half of the requests that a server answers at a time, so that others are answered, too."""
_MOST_COPIES: Final = 100
_MOST_SPACES: Final = 1000
"""A thirtieth of the names that there are, so that a new one is found at once."""
_LAST_SENDING_SECONDS: Final = 1.0
"""The time that a stop waits for webhook events being sent."""

_logger = logging.getLogger(__name__)
_NO_SPACE: Final = "no space has this name; POST /_emulator/spaces creates one"


class Entry(NamedTuple):
    """A request in the journal. ``body`` is cut at 64 KiB; headers, and so access tokens, are not recorded.

    ``generation`` counts the resets of the space before it. ``status`` is 0 if a fault dropped the connection.
    ``unknown`` is what the emulator does not know in the request.
    """

    number: int
    generation: int
    time: float
    method: str
    path: str
    query: str
    body: str
    status: int
    unknown: tuple[str, ...]

    def __str__(self) -> str:
        target = f"{self.path}?{self.query}" if self.query else self.path
        return f"{self.method} {target} {self.status}{''.join(f' ({unknown})' for unknown in self.unknown)}"


class Journal:
    """The last thousand requests of a space. Thread-safe. After ``close``, nobody should wait: ``closed`` is set."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=_MOST_ENTRIES)
        self._numbers = count(1)
        self._changed = threading.Condition()
        self.closed = threading.Event()

    def add(self, **members: Any) -> Entry:
        """Append an entry and give it the next number."""
        with self._changed:
            entry = Entry(next(self._numbers), **members)
            self._entries.append(entry)
            self._changed.notify_all()
        return entry

    def entries(self, *, since: int = 0, unknown: bool = False) -> list[Entry]:
        """Return the entries after the number ``since``; with ``unknown``, those with something unknown."""
        with self._changed:
            return [entry for entry in self._entries if entry.number > since and (entry.unknown or not unknown)]

    def wait(self, entries: int, seconds: float, **which: Any) -> list[Entry]:
        """Return the entries as soon as there are this many, or after so many seconds; at once if too many wait."""
        longest = min(_LONGEST_WAIT, seconds)  # in this order, which replaces NaN: that would never end
        if _WAITERS.acquire(blocking=False):
            with self._changed:
                self._changed.wait_for(lambda: self.closed.is_set() or len(self.entries(**which)) >= entries, longest)
            _WAITERS.release()
        return self.entries(**which)

    def close(self) -> None:
        """End all waits, and let nobody wait any more."""
        with self._changed:
            self.closed.set()
            self._changed.notify_all()

    def clear(self) -> None:
        """Drop all entries. Numbers go on."""
        with self._changed:
            self._entries.clear()


class Space:
    """A platform of its own: a WSGI application that keeps a journal. ``report`` receives each new entry.

    ``resets`` tells whether it can go back to its start, of which a copy is kept.
    """

    def __init__(
        self,
        emulator: Emulator,
        script: Script | None = None,
        *,
        strict: bool = False,
        resets: bool = True,
        report: Callable[[Entry], None] = lambda _: None,
    ) -> None:
        self.emulator = emulator
        self.journal = Journal()
        self.generation = 0
        self.report = report
        self._script, self._started_strict = script, strict
        self._copies: dict[str, sqlite3.Connection] = {_START: emulator.copy()} if resets else {}
        self._copying = threading.RLock()
        """Held while copies are used: to close one that another thread reads ends the process."""
        self._names = map(str, count(1))
        self.set_faults(script)
        self.strict = strict

    @property
    def name(self) -> str:
        """The name in addresses, with which its tokens begin, too."""
        return self.emulator.mark

    def set_faults(self, script: Script | None) -> None:
        """Inject the faults of a script from now on; None for none."""
        self._application = self.emulator if script is None else Faults(self.emulator, script, self.journal.closed.wait)

    def snapshot(self) -> str:
        """Keep a copy of the state, and return its name for ``restore``."""
        if len(self._copies) > _MOST_COPIES:
            raise UsageError(f"snapshot: there are {_MOST_COPIES} already; reset the space, which drops them")
        name = next(self._names)
        self._copies[name] = self.emulator.copy()
        return name

    def restore(self, name: str) -> int:
        """Go back to a copy: the state and the clock, not the faults. Return the number of the new generation."""
        with self._copying:
            copied = self._copies.get(name)
            if copied is None:
                raise UsageError(f"{name}: no snapshot has this name; POST /_emulator/snapshot returns one")
            self.emulator.restore(copied)
            self.generation += 1
            return self.generation

    def reset(self) -> int:
        """Go back to the start: the state, clock and faults. The journal and all snapshots are dropped."""
        if _START not in self._copies:
            raise UsageError("reset: the state is a file, and has no start; take a snapshot, and restore it")
        self.set_faults(self._script)
        self.strict = self._started_strict
        self.journal.clear()
        with self._copying:
            for name in self._copies.keys() - {_START}:
                self._copies.pop(name).close()
            return self.restore(_START)

    def close(self) -> None:
        """End all waits, and drop all copies; the emulator stays open."""
        self.journal.close()
        with self._copying:
            while self._copies:
                self._copies.popitem()[1].close()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request, and record it."""
        generation, unknown, status = self.generation, list[str](), 0
        body = environ["wsgi.input"].read(_LONGEST_BODY)
        environ["wsgi.input"].seek(0)

        def started(line: str, headers: list[tuple[str, str]], *others: Any) -> Any:
            nonlocal status
            status = int(line[:3])
            return start_response(line, headers, *others)

        try:
            environ.update({UNKNOWN: unknown, STRICT: self.strict})
            return self._application(environ, started)
        finally:
            entry = self.journal.add(
                generation=generation,
                time=self.emulator.clock(),
                method=environ["REQUEST_METHOD"],
                path=path_of(environ),
                query=environ["QUERY_STRING"],
                body=body.decode("utf-8", "replace"),
                status=status,
                unknown=tuple(unknown),
            )
            self.report(entry)


class _SpaceRequest(msgspec.Struct, forbid_unknown_fields=True):
    strict: bool = False
    rate_limits: bool = False
    quirks: list[str] = []


class _SeedRequest(msgspec.Struct, forbid_unknown_fields=True):
    file_key: str
    local: dict[str, Any]
    published: dict[str, Any] | None = None
    name: str | None = None
    sample: bool = False


class _ClockRequest(msgspec.Struct, forbid_unknown_fields=True):
    """``freeze`` stops the clock, at ``set`` if it has a time; all times are Unix seconds."""

    freeze: bool = False
    set: float | None = None
    advance: Annotated[float, msgspec.Meta(ge=0)] | None = None
    settle: bool = False


class _RestoreRequest(msgspec.Struct, forbid_unknown_fields=True):
    snapshot: str


class _StrictRequest(msgspec.Struct, forbid_unknown_fields=True):
    strict: bool


class Spaces:
    """Serves the default space, the others, and the control of all: a WSGI application.

    ``operate`` carries out the administration commands. Without ``is_controlled``, nothing below ``/_emulator/`` is
    answered but its health.
    """

    def __init__(self, default: Space, operate: Operate, *, is_controlled: bool = True) -> None:
        self._default = default
        self._operate = operate
        self._is_controlled = is_controlled
        self._spaces: dict[str, Space] = {}
        self._started = time.monotonic()
        self._senders: dict[str, threading.Thread] = {}

    def create(
        self,
        *,
        strict: bool = False,
        rate_limits: bool = False,
        quirks: Collection[str] = (),
        script: Script | None = None,
        now: float | None = None,
    ) -> Space:
        """Return a new, empty space. Its clock runs, or is stopped at ``now`` in Unix seconds."""
        while len(self._spaces) < _MOST_SPACES:
            emulator = Emulator(rate_limits=rate_limits, quirks=quirks)
            if now is not None:
                try:
                    emulator.clock.stop(now)
                except UsageError:
                    emulator.close()
                    raise
            space = Space(emulator, script, strict=strict, report=self._default.report)
            if space.name != self._default.name and self._spaces.setdefault(space.name, space) is space:
                return space
            emulator.close()
        raise UsageError(f"there are {_MOST_SPACES} spaces already; remove those that no test uses")

    def drop(self, name: str) -> None:
        """Close a space. Raises UsageError if there is none with this name."""
        space = self._spaces.pop(name, None)
        if space is None:
            raise UsageError(f"{name[:100]}: {_NO_SPACE}")
        space.close()
        space.emulator.close()

    def address_of(self, space: Space, base_url: str) -> str:
        """Return the base URL of a space, for a server at ``base_url``."""
        return base_url if space is self._default else f"{base_url}{_SPACE}{space.name}"

    def close(self) -> None:
        """Close all spaces; the emulator of the default one stays open."""
        for name in tuple(self._spaces):
            self.drop(name)
        self._default.close()

    @contextmanager
    def serving(self) -> Iterator[None]:
        """Deliver the events of all spaces in a background thread. In the end, nobody waits for requests any more."""
        with InBackground(self._deliver_due):
            try:
                yield
            finally:  # a worker that waits would keep the server from ending
                for space in (self._default, *self._spaces.values()):
                    space.journal.close()
                latest = time.monotonic() + _LAST_SENDING_SECONDS
                for sender in self._senders.values():
                    sender.join(max(0.0, latest - time.monotonic()))

    def _deliver_due(self) -> None:
        """Deliver the events of each space in a thread of its own, so that no slow endpoint delays other spaces."""
        self._senders = {name: sender for name, sender in self._senders.items() if sender.is_alive()}
        for space in (self._default, *tuple(self._spaces.values())):
            with suppress(UsageError):  # a space that was dropped meanwhile, or a state that cannot be read
                if space.name not in self._senders and space.emulator.is_due:
                    self._senders[space.name] = threading.Thread(target=_deliver, args=(space,), daemon=True)
                    self._senders[space.name].start()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request."""
        path = environ["PATH_INFO"]
        space = self._spaces.get(mark_of(_token(environ)), self._default)
        if path.startswith(_SPACE):
            name, slash, rest = path.removeprefix(_SPACE).partition("/")
            if name not in self._spaces:
                return _answer(start_response, 404, {"message": f"{name[:100]}: {_NO_SPACE}"})
            space, path = self._spaces[name], slash + rest
        if path.startswith(_CONTROL):
            return self._control(space, path.removeprefix(_CONTROL), environ, start_response)
        if space is not self._default:  # so that links in its answers lead to it, also without a token
            script = environ.get("SCRIPT_NAME", "") + _SPACE + space.name
            environ = {**environ, "SCRIPT_NAME": script, "PATH_INFO": path}
        return space(environ, start_response)

    def _control(
        self, space: Space, path: str, environ: WSGIEnvironment, start_response: StartResponse
    ) -> Iterable[bytes]:
        """Answer a request for control."""
        method = environ["REQUEST_METHOD"]
        try:
            if method in ("GET", "HEAD") and path == "health":
                return _answer(start_response, 200, self._health())
            body = environ["wsgi.input"].read()
            _check_control(environ, body, is_on=self._is_controlled)
            match method, path.split("/"):
                case "POST", ["spaces"]:
                    created = self.create(**msgspec.structs.asdict(_read(body, _SpaceRequest)))
                    base_url = self.address_of(created, f"{environ['wsgi.url_scheme']}://{environ['HTTP_HOST']}")
                    token = created.emulator.default_token
                    document: Mapping[str, Any] = {"space": created.name, "base_url": base_url, "token": token}
                case "DELETE", ["spaces", name]:
                    self.drop(name)
                    document = {}
                case "POST", ["operations", *name]:
                    document = self._operate(space.emulator, " ".join(name), _read(body, dict[str, Any]))
                case _:
                    document = _controlled(space, method, path, body, _query(environ))
            return _answer(start_response, 200, document)
        except Refusal as refusal:
            return _answer(start_response, refusal.status, {"message": refusal.message})
        except (TokensyncError, msgspec.ValidationError) as error:
            if space is not self._default and space.name not in self._spaces:  # removed meanwhile
                return _answer(start_response, 404, {"message": f"{space.name}: {_NO_SPACE}"})
            return _answer(start_response, 400, {"message": str(error)})

    def _health(self) -> dict[str, Any]:
        uptime = round(time.monotonic() - self._started, 3)
        return {"status": "ok", "version": __version__, "uptime": uptime, "spaces": 1 + len(self._spaces)}


def _deliver(space: Space) -> None:
    try:
        space.emulator.deliver_due()
    except UsageError as error:  # such as a full disk; the next attempt may succeed
        if not space.journal.closed.is_set():
            _logger.error("events were not delivered: %s", error)  # noqa: TRY400 - a traceback adds nothing


def _check_control(environ: WSGIEnvironment, body: bytes, *, is_on: bool) -> None:
    """Refuse large bodies, and what a page in a browser could send: with Origin, its own host, or a form."""
    if not is_on:
        raise Refusal(404, "The emulator is served without control")
    if "HTTP_ORIGIN" in environ or not is_loopback(host_name(environ.get("HTTP_HOST", ""))):
        raise Refusal(403, "Control is for programs of this machine: use 127.0.0.1, and send no Origin")
    content_type = environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower()
    if environ.get("CONTENT_LENGTH", "0") != "0" and content_type != "application/json":
        raise Refusal(415, "Content-Type must be application/json")
    if len(body) > BODY_BYTES:
        size = f"Request body is larger than {BODY_BYTES // 10**6} MB"
        raise Refusal(413, f"{size}; seed such a file with tokensync emulator serve --seed")


def _read(body: bytes, kind: Any) -> Any:
    return msgspec.convert(decode_json(body) if body else {}, kind)


def _controlled(space: Space, method: str, path: str, body: bytes, query: Mapping[str, str]) -> Mapping[str, Any]:
    """Carry out a control of one space, and return the document about it."""
    match method, path:
        case "POST", "reset":
            return {"generation": space.reset()}
        case "POST", "snapshot":
            return {"snapshot": space.snapshot()}
        case "POST", "restore":
            return {"generation": space.restore(_read(body, _RestoreRequest).snapshot)}
        case "POST", "seed":
            return _seed(space.emulator, _read(body, _SeedRequest))
        case "POST", "clock":
            return _set_clock(space.emulator, _read(body, _ClockRequest))
        case "POST", "strict":
            space.strict = _read(body, _StrictRequest).strict
        case "PUT", "faults":
            space.set_faults(script_of(decode_json(body), "faults"))
        case "DELETE", "faults":
            space.set_faults(None)
        case "GET", "requests":
            return {"requests": [entry._asdict() for entry in _requests(space.journal, query)]}
        case _:
            raise Refusal(404, f"{method} {_CONTROL}{path[:100]}: no such control; docs/testing.md lists them")
    return {}


def _seed(emulator: Emulator, seed: _SeedRequest) -> dict[str, Any]:
    published = None if seed.published is None else json.dumps(seed.published).encode()
    emulator.seed(seed.file_key, json.dumps(seed.local).encode(), published, seed.name)
    if seed.sample and not emulator.libraries.keys(seed.file_key):
        emulator.libraries.sample(seed.file_key, published=True)
    return {"file_keys": list(emulator.files.keys())}


def _set_clock(emulator: Emulator, request: _ClockRequest) -> dict[str, Any]:
    sent = 0
    if request.freeze:
        emulator.clock.stop(request.set)
    elif request.set is not None:
        emulator.clock.set(request.set)
    if request.settle:
        sent = emulator.settle(request.advance or 0.0)
    elif request.advance is not None:
        emulator.clock.advance(request.advance)
    return {"now": emulator.clock(), "sent": sent}


def _requests(journal: Journal, query: Mapping[str, str]) -> list[Entry]:
    try:
        since, unknown = int(query.get("since", "0")), query.get("unknown") in ("1", "true")
        if "wait" in query:
            return journal.wait(int(query["wait"]), float(query.get("wait_s", "5")), since=since, unknown=unknown)
    except ValueError:
        raise Refusal(400, "since and wait are whole numbers, and wait_s is a number of seconds") from None
    return journal.entries(since=since, unknown=unknown)


def _token(environ: WSGIEnvironment) -> str:
    """Return the token of a request, or an empty text."""
    scheme, _, secret = environ.get("HTTP_AUTHORIZATION", "").partition(" ")
    return environ.get("HTTP_X_FIGMA_TOKEN") or (secret.strip() if scheme.lower() == "bearer" else "")


def _query(environ: WSGIEnvironment) -> dict[str, str]:
    from urllib.parse import parse_qsl

    return dict(parse_qsl(environ.get("QUERY_STRING", ""), keep_blank_values=True))


def _answer(start_response: StartResponse, status: int, document: Mapping[str, Any]) -> Iterable[bytes]:
    members = document if status < 400 else {"status": status, "error": True, **document}
    body = json.dumps(members).encode()
    headers = [("Content-Type", JSON), ("Content-Length", str(len(body))), ("X-Tokensync-Emulator", __version__)]
    start_response(f"{status} {HTTPStatus(status).phrase}", headers)
    return [body]
