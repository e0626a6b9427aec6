"""Dispatch of WSGI requests to routes: transport rules, authentication, transactions and error bodies."""

from __future__ import annotations

import json
import logging
import math
import threading
from contextlib import contextmanager, suppress
from difflib import SequenceMatcher
from http.client import responses
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from werkzeug.datastructures import EnvironHeaders
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request

from tokensync.emulator import access, files, history, people, tokens
from tokensync.emulator.apps import host_name, is_loopback
from tokensync.emulator.endpoints import (
    ALLOWED_HOSTS,
    BODY_BYTES,
    STRICT,
    UNKNOWN,
    Answer,
    Call,
    Refusal,
    path_of,
    unknown_members,
)
from tokensync.emulator.services import ROUTES
from tokensync.emulator.store import Connection, Identities, StateError, Store
from tokensync.emulator.tokens import Token
from tokensync.version import __version__

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
    from wsgiref.types import StartResponse, WSGIEnvironment

    from tokensync.emulator.endpoints import Errors, Route
    from tokensync.emulator.history import Record, RequestLog
    from tokensync.emulator.people import User


HIGH: Final = "high"
LOW: Final = "low"

_MINUTE: Final = 60.0
_MONTH: Final = 30 * 86400.0
_SEATS_OF_HIGH: Final = (people.FULL_MEMBER, people.DEVELOPER)
_MOST_BUCKETS: Final = 10_000


class Rate(NamedTuple):
    """A bucket size in requests, and the seconds in which a full bucket drains."""

    requests: int
    seconds: float


_MONTHLY: Final = Rate(6, _MONTH)
LOW_RATES: Final[Mapping[int, Rate]] = {1: _MONTHLY, 2: Rate(5, _MINUTE), 3: Rate(10, _MINUTE)}
"""Rates of view and collab seats and guests by tier, on any plan."""
HIGH_RATES: Final[Mapping[str, Mapping[int, Rate]]] = {
    "starter": {1: _MONTHLY, 2: Rate(25, _MINUTE), 3: Rate(50, _MINUTE)},
    "professional": {1: Rate(10, _MINUTE), 2: Rate(25, _MINUTE), 3: Rate(50, _MINUTE)},
    "organization": {1: Rate(15, _MINUTE), 2: Rate(50, _MINUTE), 3: Rate(100, _MINUTE)},
    "enterprise": {1: Rate(20, _MINUTE), 2: Rate(100, _MINUTE), 3: Rate(150, _MINUTE)},
}
"""Rates of dev and full seats by plan and tier. Starter publishes tier 1 only; its other rates are Professional's."""

PLAN_NAMES: Final[Mapping[str, str]] = {
    "starter": "starter",
    "professional": "pro",
    "organization": "org",
    "enterprise": "enterprise",
}
"""Plan names in X-Figma-Plan-Tier."""
_UPGRADE_LINK: Final = "https://upgrade.invalid/pricing"


class _Bucket(NamedTuple):
    """A bucket with ``level`` requests at the time ``since`` that is empty at ``empty``, in Unix seconds."""

    level: float
    since: float
    empty: float


class RateLimits:
    """Counts requests and refuses those over the limit with 429. Thread-safe."""

    def __init__(self) -> None:
        self._buckets: dict[tuple[str, str, int], _Bucket] = {}
        self._lock = threading.Lock()

    def take(self, token: Token, user: User, plan: str, tier: int, now: float) -> None:
        """Count a request, or refuse it with Retry-After and the platform's headers."""
        # Dev and full seats have the high limits; plan tokens have no seat.
        seat = HIGH if token.kind == tokens.PLAN or user.account in _SEATS_OF_HIGH else LOW
        rate = LOW_RATES[tier] if seat == LOW else HIGH_RATES[plan][tier]
        wait = self._fill((_subject(token), plan, tier), rate, now)
        if wait > 0:
            headers = (
                ("Retry-After", str(math.ceil(wait))),
                ("X-Figma-Plan-Tier", PLAN_NAMES[plan]),
                ("X-Figma-Rate-Limit-Type", seat),
                ("X-Figma-Upgrade-Link", _UPGRADE_LINK),
            )
            raise Refusal(429, "Rate limit exceeded", headers)

    def take_of_second(self, path: str, secret: str, limit: int, now: float) -> None:
        """Count a request of a token to an endpoint, or refuse it if there were ``limit`` requests in a second."""
        if self._fill((secret, path, limit), Rate(limit, 1.0), now) > 0:
            raise Refusal(429, f"Rate limit exceeded: {limit} requests a second", (("Retry-After", "1"),))

    def _fill(self, key: tuple[str, str, int], rate: Rate, now: float) -> float:
        """Count a request and return 0, or return the seconds until the bucket has capacity."""
        leak = rate.requests / rate.seconds
        with self._lock:
            bucket = self._buckets.get(key, _Bucket(0.0, now, now))
            level = max(0.0, bucket.level - max(0.0, now - bucket.since) * leak)
            over = level + 1 - rate.requests
            if over > _ROUNDING:
                return over / leak
            if len(self._buckets) >= _MOST_BUCKETS:
                self._buckets = {key: bucket for key, bucket in self._buckets.items() if bucket.empty > now}
            self._buckets[key] = _Bucket(level + 1, now, now + (level + 1) / leak)
            return 0.0


_ROUNDING: Final = 1e-6


def plan_of(connection: sqlite3.Connection, parts: Mapping[str, str]) -> str:
    """Return the plan of the file, folder or team in the path parameters ``parts``, else the organization's plan."""
    for name in ("file_key", "library_file_key"):
        if name in parts:
            file = files.find(connection, parts[name])
            return _DEFAULT_PLAN if file is None else file.plan
    folder = files.find_folder(connection, parts.get("folder_id") or parts.get("project_id") or "")
    team_id = parts.get("team_id") if folder is None else folder.team
    team = None if team_id is None else files.find_team(connection, team_id)
    return _DEFAULT_PLAN if team is None else team.plan


_DEFAULT_PLAN: Final = people.ENTERPRISE


def _subject(token: Token) -> str:
    """Return the caller to count: a user, a user of an app, or a plan token."""
    match token.kind:
        case tokens.PLAN:
            return f"token {token.secret}"
        case tokens.OAUTH:
            return f"user {token.user} app {token.app}"
        case _:
            return f"user {token.user}"


_MAP: Final = Map(
    [Rule(route.path, methods=[route.method], endpoint=number) for number, route in enumerate(ROUTES)],
    merge_slashes=False,
    redirect_defaults=False,
)
_ROUTES: Final = _MAP.bind("emulator.invalid")
_GOVERNMENT: Final = "/gov"
_THIS_MACHINE: Final = "127.0.0.1"
_DEPRECATED_SINCE: Final = 1_688_169_600
"""2023-07-01 in Unix seconds. An arbitrary past date: the documentation gives none."""

_logger = logging.getLogger(__name__)


class Dispatcher:
    """Answers requests from one store. Without ``limits``, rate limits are not enforced."""

    def __init__(
        self,
        store: Store,
        identities: Identities,
        clock: Callable[[], float],
        requests: RequestLog,
        limits: RateLimits | None = None,
        quirks: Collection[str] = (),
    ) -> None:
        self._store = store
        self._identities = identities
        self._clock = clock
        self._requests = requests
        self._limits = limits
        self._quirks = quirks
        self._bursts = RateLimits()

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request. Every error has a JSON body."""
        environ = _deployment(environ)
        method, path = environ["REQUEST_METHOD"], path_of(environ)
        error_format: Errors = "message"
        try:
            query = Request(environ).args if environ.get("QUERY_STRING") else {}
            body = _body(environ)
            _check_transport(environ)
            if method == "OPTIONS" and "HTTP_ACCESS_CONTROL_REQUEST_METHOD" in environ:
                return _send(_PREFLIGHT, start_response)
            route, parts = _route(method, path)
            error_format = route.errors
            _look_for_unknown(environ, query, route, body)
            answer = self._answer(environ, query, body, route, parts)
            if route.replaced_by is not None:
                link = f'<{route.replaced_by.format_map(parts)}>; rel="successor-version"'  # RFC 9745
                deprecation = (("Deprecation", f"@{_DEPRECATED_SINCE}"), ("Link", link))
                answer = answer._replace(headers=(*answer.headers, *deprecation))
        except Refusal as refusal:
            answer = _error(refusal.status, refusal.message, error_format, refusal.headers)
        except MethodNotAllowed as error:
            allowed = ("Allow", ", ".join(sorted(error.valid_methods or ())))
            answer = _error(405, "Method not allowed", error_format, (allowed,))
        except NotFound as error:
            answer = _error(404, _RETIRED.get(path, error.name), error_format, _near(environ, method, path))
        except HTTPException as error:
            answer = _error(error.code or 500, error.name, error_format)
        except StateError as error:
            if self._store.is_closed:  # the space was removed meanwhile, and its tokens with it
                return _send(_error(403, "Invalid token", error_format), start_response)
            _logger.error("%s %s: %s", method, path, error)  # noqa: TRY400 - a traceback adds nothing
            answer = _error(500, str(error), error_format)
        except Exception:
            _logger.exception("%s %s", method, path)
            answer = _error(500, "Internal server error", error_format)
        return _send(answer, start_response)

    def _answer(
        self,
        environ: WSGIEnvironment,
        query: Mapping[str, str],
        body: bytes | None,
        route: Route,
        parts: dict[str, str],
    ) -> Answer:
        credentials = access.Credentials(environ.get("HTTP_X_FIGMA_TOKEN"), environ.get("HTTP_AUTHORIZATION"))
        now = self._clock()
        with self._writing() if route.writes else self._store.reading() as connection:
            token, user = _ANONYMOUS
            if route.scopes:
                token = access.authenticate(connection, credentials, now, self._quirks)
                user = people.require(connection, token.user)
                address = environ.get("REMOTE_ADDR") or _THIS_MACHINE
                event = route.path.replace("<", ":").replace(">", "")  # the endpoint's name in developer logs
                self._requests.note(history.record(token, user, now, event, parts, address))
                access.check_route(token, user, route)
                if route.per_second is not None:
                    self._bursts.take_of_second(route.path, token.secret, route.per_second, now)
                if self._limits is not None and route.tier is not None:
                    self._limits.take(token, user, plan_of(connection, parts), route.tier, now)
            headers: Any = EnvironHeaders(environ)
            root = f"{environ['wsgi.url_scheme']}://{_host(environ)}{environ.get('SCRIPT_NAME', '')}"
            call = Call(connection, now, self._identities, body, query, headers, root, token, user, self._quirks)
            answer = route.answer(call, **parts)
        if self._requests.is_full:
            self._requests.flush()
        return Answer(answer) if isinstance(answer, bytes) else answer

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Yield the transaction of a writing request, which also writes the pending log records.

        They are written first, so that a search of the logs finds them.
        """
        written: list[Record] = []
        try:
            with self._store.writing() as connection:
                written += self._requests.write(connection)
                yield connection
                written += self._requests.write(connection)
        except BaseException:
            self._requests.put_back(written)
            raise


_ANONYMOUS: Final = (Token("", "", (), 0.0, "", "", None), people.User("", "", "", "", False, None))
"""The token and user of a request to a route without scopes."""


def _deployment(environ: WSGIEnvironment) -> WSGIEnvironment:
    """Map paths below ``/gov``, the government deployment, to the same paths of the platform."""
    path = environ.get("PATH_INFO", "")
    if not path.startswith(_GOVERNMENT + "/"):
        return environ
    return {
        **environ,
        "SCRIPT_NAME": environ.get("SCRIPT_NAME", "") + _GOVERNMENT,
        "PATH_INFO": path.removeprefix(_GOVERNMENT),
    }


def _host(environ: WSGIEnvironment) -> str:
    host: str = environ.get("HTTP_HOST") or environ["SERVER_NAME"]
    return host


def _check_transport(environ: WSGIEnvironment) -> None:
    """Refuse plain HTTP, without a redirect, unless the request stayed on this machine or its host is allowed."""
    if environ["wsgi.url_scheme"] != "http":
        return
    from tokensync.system.serving import (
        PLAIN_ON_TLS,  # needs asyncio, which takes a tenth of the start of other commands
    )

    name, sender, allowed = host_name(_host(environ)), environ.get("REMOTE_ADDR"), environ.get(ALLOWED_HOSTS)
    if allowed is None:
        is_expected = is_loopback(name) and (not sender or is_loopback(sender))
    else:
        is_expected = name in allowed or is_loopback(name)
    if PLAIN_ON_TLS in environ or not is_expected:
        raise Refusal(403, "Only HTTPS is supported")


def _route(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """Return the route of a request and its path parameters."""
    if path.startswith("//"):  # werkzeug would match it
        raise NotFound
    number, parts = _ROUTES.match(path, method)
    return ROUTES[number], dict(parts)


def _near(environ: WSGIEnvironment, method: str, path: str) -> tuple[tuple[str, str], ...]:
    """Return the header that names the endpoint whose path resembles that of a request most, if there is one."""
    if len(path) > _LONGEST_COMPARED:
        return ()
    wanted = path.split("/")

    def likeness(route: Route) -> float:
        parts = route.path.split("/")
        filled = [given if part.startswith("<") else part for part, given in zip_longest(parts, wanted, fillvalue="")]
        alike = SequenceMatcher(None, "/".join(filled), path).ratio()
        return alike + (0.01 if route.method == method else 0)

    best = max(ROUTES, key=likeness)
    if likeness(best) < _ALIKE:
        return ()
    environ.get(UNKNOWN, []).append(f"no such endpoint; nearest: {best.method} {best.path}")
    return (("X-Tokensync-Nearest", f"{best.method} {best.path}"),)


_ALIKE: Final = 0.6
_LONGEST_COMPARED: Final = 500
"""Characters; comparing a path of 28,000 with every endpoint took 0.3 seconds."""
_RETIRED: Final = {
    f"/api/oauth/{name}": f"www.figma.com/api/oauth/{name} is retired: use https://api.figma.com/v1/oauth/{name}"
    for name in ("token", "refresh")
}


def _look_for_unknown(environ: WSGIEnvironment, query: Mapping[str, str], route: Route, body: bytes | None) -> None:
    """Note the parameters and members of a request that the endpoint's schemas lack, where somebody listens."""
    if UNKNOWN not in environ or not (body or query):
        return
    known = {parameter.name for parameter in route.parameters}
    unknown = [f"query parameter {name}" for name in query if name not in known]
    if route.accepts is not None and body:
        with suppress(ValueError, RecursionError):
            unknown += [f"member {path}" for path in unknown_members(route.accepts, json.loads(body))]
    environ[UNKNOWN].extend(unknown)
    if unknown and environ[STRICT]:
        raise Refusal(400, f"Not known to the emulator: {', '.join(unknown)}")


def _body(environ: WSGIEnvironment) -> bytes | None:
    """Return the body, or None if it exceeds ``BODY_BYTES``. Read before the transaction: clients may be slow."""
    length = min(int(environ.get("CONTENT_LENGTH") or 0), BODY_BYTES + 1)
    body: bytes = environ["wsgi.input"].read(length)
    if len(body) < length:
        raise Refusal(400, "Request body ended early")
    return body if length <= BODY_BYTES else None


def _error(status: int, message: str, error_format: Errors, headers: tuple[tuple[str, str], ...] = ()) -> Answer:
    body = {"status": status, "error": True, "message": message}
    if error_format != "message":
        body[error_format] = message if error_format == "err" else None
    return Answer(json.dumps(body).encode(), status, headers=headers)


_EVERYWHERE: Final = (("X-Tokensync-Emulator", __version__), ("Access-Control-Allow-Origin", "*"))
"""Headers of every answer: a test can see that it is the emulator's, and pages of any origin may read it."""
_PREFLIGHT: Final = Answer(
    status=204,
    headers=(
        ("Access-Control-Allow-Methods", "GET, POST, PUT, DELETE"),
        ("Access-Control-Allow-Headers", "Authorization, Content-Type, X-Figma-Token"),
        ("Access-Control-Max-Age", "86400"),
    ),
)


def _send(answer: Answer, start_response: StartResponse) -> Iterable[bytes]:
    of_body = [("Content-Type", answer.content_type), ("Content-Length", str(len(answer.body)))]
    headers = [*(of_body if answer.status != 204 else ()), *answer.headers, *_EVERYWHERE]
    start_response(f"{answer.status} {responses[answer.status]}", headers)
    return [answer.body]
