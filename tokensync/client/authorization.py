"""The OAuth authorization code flow with PKCE: the authorization URL and the local server for its callback."""

from __future__ import annotations

import base64
import hashlib
import hmac
import os
import queue
import secrets
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, NamedTuple, Self
from urllib.parse import parse_qsl, urlencode, urlsplit

from tokensync.client import base_url as base_urls
from tokensync.errors import AccessError, NetworkError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable


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
        base = base_urls.resolve(base_url)
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
_READ_TIMEOUT = 5.0  # seconds
_POLL_INTERVAL = 0.2  # seconds; Windows delivers Ctrl-C only between waits

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>tokensync</title></head>\
<body><h1>{title}</h1><p>{text}</p></body></html>"""
_HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),  # the page's URL contains the code
    ("X-Content-Type-Options", "nosniff"),
    ("Connection", "close"),
)


class Callback(NamedTuple):
    """The code of a callback, or the reason why it is invalid. Its repr hides the code."""

    code: str = ""
    error: str = ""

    def __repr__(self) -> str:
        return f"Callback(error={self.error!r})"


class Listener:
    """A server for one callback on 127.0.0.1, at the port of a redirect URL, until the end of its ``with`` block."""

    def __init__(self, authorization: Authorization) -> None:
        """Start to listen. Raise UsageError for a redirect URL of another host or with a port in use."""
        self._authorization = authorization
        parts = _parts(authorization.redirect_url)
        self._answered = threading.Lock()
        self._callbacks: queue.Queue[Callback] = queue.Queue()
        handler = type("_Handler", (_Handler,), {"listener": self, "path_of_callback": parts.path or "/"})
        try:
            self._server = _Server((_LOOPBACK, parts.port or 80), handler)
        except OSError as error:
            what = f"cannot listen on {_LOOPBACK}:{parts.port or 80} ({error.strerror})"
            advice = "stop the program that uses the port, or register another redirect URL"
            raise UsageError(f"{authorization.redirect_url}: {what}; {advice}") from None
        self.host = parts.netloc

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

    def accept(self, query: str) -> Callback | None:
        """Return the callback of a query; None after the first one, which alone counts."""
        callback = self._parse(query)
        return callback if self._answered.acquire(blocking=False) else None

    def deliver(self, callback: Callback) -> None:
        """End ``wait``. Call it once the browser has its page, since the process may end with all its threads."""
        self._callbacks.put(callback)

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
            return Callback(error="the platform sent no code, so access was not allowed")
        return Callback(code=parameters["code"])

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(_POLL_INTERVAL,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """A server with one thread per connection: browsers open some in advance and leave them idle."""

    allow_reuse_address = os.name != "nt"  # on Windows, another program could listen on the same port
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore broken connections."""


class _Handler(BaseHTTPRequestHandler):
    listener: Listener
    path_of_callback: str
    timeout = _READ_TIMEOUT

    def do_GET(self) -> None:
        """Answer the callback, and refuse other requests of a browser, such as for an icon."""
        path, _, query = self.path.partition("?")
        if path != self.path_of_callback or self.headers.get("Host") != self.listener.host:
            self._answer(404, "Not found", "This address only receives the result of a login.")
            return
        callback = self.listener.accept(query)
        if callback is None:
            self._answer(409, "Login finished", "This login has already received its result.")
            return
        try:
            if callback.error:
                self._answer(400, "Login failed", "The callback does not belong to this login. See the terminal.")
            else:
                self._answer(200, "Access allowed", "Return to the terminal. You can close this page.")
        finally:
            self.listener.deliver(callback)

    def _answer(self, status: int, title: str, text: str) -> None:
        page = _PAGE.format(title=title, text=text).encode()
        self.send_response(status)
        for name, value in (*_HEADERS, ("Content-Length", str(len(page)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(page)

    def version_string(self) -> str:
        """Return the Server header, without versions."""
        return "tokensync"

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the interface's name
        """Log nothing: the URL contains the code."""


class _Parts(NamedTuple):
    netloc: str
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
    return _Parts(parts.netloc, port, parts.path)
