"""From a WSGI request to its route's answer: addresses, transport rules, one transaction, error bodies."""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Final

from werkzeug.exceptions import HTTPException, MethodNotAllowed
from werkzeug.routing import Map, Rule
from werkzeug.wrappers import Request, Response

from tokensync.emulator import routes_variables
from tokensync.emulator.access import Credentials
from tokensync.emulator.limits import BODY_BYTES
from tokensync.emulator.loopback import is_loopback
from tokensync.emulator.refusal import Refusal
from tokensync.emulator.route import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment

    from tokensync.emulator.identity import Identities
    from tokensync.emulator.route import Route
    from tokensync.emulator.store import Store

_ROUTES: Final = routes_variables.ROUTES
_MAP: Final = Map([Rule(route.path, methods=[route.method], endpoint=route) for route in _ROUTES], merge_slashes=False)
_JSON: Final = "application/json; charset=utf-8"
_READ_AT_ONCE: Final = 64 * 1024

_logger = logging.getLogger(__name__)


class Dispatcher:
    """Answers requests on one store."""

    def __init__(self, store: Store, identities: Identities, clock: Callable[[], float]) -> None:
        self._store = store
        self._identities = identities
        self._clock = clock

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer one request; whatever goes wrong has a JSON body."""
        request = Request(environ)
        try:
            body = _body(request)
            response = self._answer(request, body)
        except Refusal as refusal:
            response = _error(refusal.status, refusal.message)
        except MethodNotAllowed as error:
            response = _error(405, "Method not allowed")
            response.headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
        except HTTPException as error:
            response = _error(error.code or 500, error.name)
        except Exception:
            _logger.exception("%s %s", request.method, request.path)
            response = _error(500, "Internal server error")
        return response(environ, start_response)

    def _answer(self, request: Request, body: bytes | None) -> Response:
        if request.scheme == "http" and not _is_local(request):
            raise Refusal(403, "Only HTTPS is supported")
        route: Route
        route, parts = _MAP.bind_to_environ(request.environ).match()
        credentials = Credentials(request.headers.get("X-Figma-Token"), request.headers.get("Authorization"))
        with self._store.writing() if route.writes else self._store.reading() as connection:
            call = Call(connection, credentials, self._clock(), self._identities, body)
            return Response(route.answer(call, **parts), content_type=_JSON)


def _body(request: Request) -> bytes | None:
    """The whole body; None when it is longer than any may be.

    It is read before a transaction starts, since a client may be slow, and to its end even when it is of no use: a
    sender whose connection closes before it is done would not hear the answer.
    """
    pieces: list[bytes] = []
    size = 0
    try:
        while piece := request.stream.read(_READ_AT_ONCE):
            size += len(piece)
            if size <= BODY_BYTES:
                pieces.append(piece)
    except (OSError, HTTPException):
        raise Refusal(400, "Request body ended early") from None
    return b"".join(pieces) if size <= BODY_BYTES else None


def _is_local(request: Request) -> bool:
    """Whether a plain HTTP request stayed on this machine, by the address it came from and the name it was sent to."""
    sender = request.environ.get("REMOTE_ADDR")
    return is_loopback(request.host.rpartition(":")[0] or request.host) and (not sender or is_loopback(sender))


def _error(status: int, message: str) -> Response:
    body = json.dumps({"status": status, "error": True, "message": message})
    return Response(body, status, content_type=_JSON)
