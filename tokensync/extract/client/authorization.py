"""The OAuth authorization code flow with PKCE: the authorization URL and the local server for its callback."""

from __future__ import annotations

import base64
import hashlib
import hmac
import queue
import secrets
import threading
import time
from typing import TYPE_CHECKING, NamedTuple, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

from tokensync.extract.client.addresses import resolve
from tokensync.system import serving
from tokensync.system.errors import AccessError, NetworkError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from wsgiref.types import StartResponse, WSGIEnvironment


_SITES = {"https://api.figma.com": "https://www.figma.com", "https://api.figma-gov.com": "https://www.figma-gov.com"}
"""The web sites of APIs that have one on another host. Other platforms serve the authorization page beside the API."""


class Authorization(NamedTuple):
    """A login in progress. Its repr hides state and verifier."""

    client_id: str
    redirect_url: str
    scopes: tuple[str, ...]
    state: str
    verifier: str

    def address(self, base_url: str) -> str:
        """Return the authorization URL of the platform at ``base_url``."""
        base = resolve(base_url)
        if base.in_process:
            raise UsageError("base_url: the emulator in this process has no web page; serve it and give its address")
        parameters = {
            "client_id": self.client_id,
            "redirect_uri": self.redirect_url,
            "scope": " ".join(self.scopes),
            "state": self.state,
            "response_type": "code",
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
        }
        return f"{_SITES.get(base.url, base.url)}/oauth?{urlencode(parameters)}"

    @property
    def challenge(self) -> str:
        """Return the SHA-256 of the verifier in base64url without padding (RFC 7636, section 4.2)."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def expects(self, state: str) -> bool:
        """Return whether a callback with this state answers this login, compared in constant time."""
        return hmac.compare_digest(state.encode("utf-8", "surrogatepass"), self.state.encode())

    def __repr__(self) -> str:
        return f"Authorization({self.client_id!r}, {self.redirect_url!r}, {self.scopes!r})"


def begin(client_id: str, redirect_url: str, scopes: Iterable[str]) -> Authorization:
    """Return a login with a new state and verifier of at least 256 random bits each."""
    return Authorization(
        client_id, redirect_url, tuple(dict.fromkeys(scopes)), secrets.token_urlsafe(32), secrets.token_urlsafe(64)
    )


_LOOPBACK = "127.0.0.1"
_HOSTS = (_LOOPBACK, "localhost")
_LIMITS = serving.Limits(body=0, seconds=10.0, longest_body=4096)  # browsers open connections in advance
_POLL_INTERVAL = 0.2  # seconds; Windows delivers Ctrl-C only between waits

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>tokensync</title></head>\
<body><h1>{title}</h1><p>{text}</p></body></html>"""
_HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),  # the page's URL contains the code
    ("X-Content-Type-Options", "nosniff"),
)


class Callback(NamedTuple):
    """The code of a callback, or the reason why it is invalid. Its repr hides the code."""

    code: str = ""
    error: str = ""

    def __repr__(self) -> str:
        return f"Callback(error={self.error!r})"


class CallbackServer:
    """A server for one callback on 127.0.0.1, at the port of a redirect URL, until the end of its ``with`` block."""

    def __init__(self, authorization: Authorization) -> None:
        """Start to listen. Raise UsageError for a redirect URL of another host or with a port in use."""
        self._authorization = authorization
        parts = _parts(authorization.redirect_url)
        self._answered = threading.Lock()
        self._callbacks: queue.Queue[Callback] = queue.Queue()
        self._path = parts.path or "/"
        try:
            bound = serving.bind(_LOOPBACK, parts.port or 80)
        except OSError as error:
            what = f"cannot listen on {_LOOPBACK}:{parts.port or 80} ({error.strerror})"
            advice = "stop the program that uses the port, or register another redirect URL"
            raise UsageError(f"{authorization.redirect_url}: {what}; {advice}") from None
        self._server = serving.Server(self._answer, (bound,), _LIMITS)
        self._hosts = parts.hosts

    def wait(self, seconds: float) -> str:
        """Return the code. Raise NetworkError after ``seconds``, AccessError for a callback of another login."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                callback = self._callbacks.get(timeout=_POLL_INTERVAL)
            except queue.Empty:
                continue
            if callback.error:
                raise AccessError(f"{self._authorization.redirect_url}: {callback.error}; log in again")
            return callback.code
        what = f"nobody allowed access within {seconds:g} seconds"
        raise NetworkError(f"{self._authorization.redirect_url}: {what}; log in again, and allow it in the browser")

    def _answer(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer the callback, and refuse other requests of a browser, such as for an icon (PEP 3333)."""
        more: tuple[tuple[str, str], ...] = ()
        page: Iterable[bytes]
        if environ["REQUEST_METHOD"] != "GET":
            status, page = "405 Method Not Allowed", _page("Not allowed", "This address only receives callbacks.")
            more = (("Allow", "GET"),)
        elif environ["PATH_INFO"] != self._path or environ.get("HTTP_HOST", "").lower() not in self._hosts:
            status, page = "404 Not Found", _page("Not found", "This address only receives the result of a login.")
        else:
            status, page = self._receive(environ)
        start_response(status, [*_HEADERS, *more])
        return page

    def _receive(self, environ: WSGIEnvironment) -> tuple[str, Iterable[bytes]]:
        """Return the status and the page for a callback. The first one alone counts.

        An invalid callback ends the login only if it may be the address of a page that the user opened. Otherwise any
        page that is open in the browser could end it, by an image at this address.
        """
        callback = self._parse(environ["QUERY_STRING"])
        is_prefetch = "prefetch" in str(environ.get("HTTP_SEC_PURPOSE") or environ.get("HTTP_PURPOSE"))
        if is_prefetch or (callback.error and not _is_navigation(environ)):
            return "403 Forbidden", _page("Not a page", "This address has to be opened as a page.")
        if not self._answered.acquire(blocking=False):
            return "409 Conflict", _page("Login finished", "This login has already received its result.")
        if callback.error:
            text = "The callback does not belong to this login. See the terminal."
            return "400 Bad Request", _CallbackPage(_page("Login failed", text), callback, self._callbacks)
        text = "Return to the terminal. You can close this page."
        return "200 OK", _CallbackPage(_page("Access allowed", text), callback, self._callbacks)

    def _parse(self, query: str) -> Callback:
        try:
            pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=20)
        except ValueError:
            return Callback(error="the callback has too many parameters")
        parameters = dict(pairs)
        if len(parameters) != len(pairs):
            return Callback(error="the callback repeats a parameter")
        if not self._authorization.expects(parameters.get("state", "")):
            return Callback(error="the state is not that of this login, so the callback may be forged")
        if not parameters.get("code"):
            return Callback(error="Figma sent no code, so access was not allowed")
        return Callback(code=parameters["code"])

    def __enter__(self) -> Self:
        self._server.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.close()


def _is_navigation(environ: WSGIEnvironment) -> bool:
    """Return whether a request can be a browser's for a page of its own: not one of a script, image or frame."""
    mode, target = environ.get("HTTP_SEC_FETCH_MODE"), environ.get("HTTP_SEC_FETCH_DEST")
    return mode in (None, "navigate") and target in (None, "document") and "HTTP_ORIGIN" not in environ


def _page(title: str, text: str) -> list[bytes]:
    return [_PAGE.format(title=title, text=text).encode()]


class _CallbackPage(list[bytes]):
    """A page that ends ``wait`` once the browser has it, since the process may end with all its threads then."""

    def __init__(self, page: list[bytes], callback: Callback, callbacks: queue.Queue[Callback]) -> None:
        super().__init__(page)
        self._callback = callback
        self._callbacks = callbacks

    def close(self) -> None:
        """Deliver the callback. The server calls it when the page has been sent, or cannot be (PEP 3333)."""
        self._callbacks.put(self._callback)


class _Parts(NamedTuple):
    hosts: tuple[str, ...]
    port: int | None
    path: str


def _parts(redirect_url: str) -> _Parts:
    try:
        parts = urlsplit(redirect_url)
        port = parts.port
    except ValueError:
        parts, port = urlsplit(""), None
    is_local = parts.scheme == "http" and parts.hostname in _HOSTS and port != 0 and redirect_url.isprintable()
    if not is_local or parts.query or parts.fragment or "@" in parts.netloc:
        what = "a callback cannot be received at this URL"
        raise UsageError(f"{redirect_url}: {what}; register one like http://{_LOOPBACK}:PORT/callback with the app")
    host = str(parts.hostname)
    hosts = (host, f"{host}:80") if port in (None, 80) else (f"{host}:{port}",)  # browsers omit the default port
    return _Parts(hosts, port, parts.path)
