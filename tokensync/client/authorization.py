"""The OAuth flow for people: the authorization URL, and the local server that receives the callback."""

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
"""Where people allow access, for APIs that are elsewhere. Any other platform has its page beside its API."""


class Authorization(NamedTuple):
    """One login on its way. Its repr shows neither state nor verifier."""

    client_id: str
    redirect_url: str
    scopes: tuple[str, ...]
    state: str
    verifier: str

    def address(self, base_url: str) -> str:
        """Where the person allows access, on the platform of this ``base_url``."""
        base = base_urls.resolve(base_url)
        if base.in_process:
            raise UsageError("base_url: the emulator in this process has no web page; serve it and give its address")
        asked = {
            "client_id": self.client_id,
            "redirect_uri": self.redirect_url,
            "scope": " ".join(self.scopes),
            "state": self.state,
            "response_type": "code",
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
        }
        return f"{_SITES.get(base.url, base.url)}/oauth?{urlencode(asked)}"

    @property
    def challenge(self) -> str:
        """The SHA-256 of the verifier in base64url without padding."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def expects(self, state: str) -> bool:
        """Whether an answer with this state is the one to this login; it takes the same time whatever the state is."""
        return hmac.compare_digest(state.encode("utf-8", "surrogatepass"), self.state.encode())

    def __repr__(self) -> str:
        return f"Authorization({self.client_id!r}, {self.redirect_url!r}, {self.scopes!r})"


def begin(client_id: str, redirect_url: str, scopes: Iterable[str]) -> Authorization:
    """A login with a state and a verifier of its own, 256 random bits or more each."""
    return Authorization(
        client_id, redirect_url, tuple(dict.fromkeys(scopes)), secrets.token_urlsafe(32), secrets.token_urlsafe(64)
    )


_LOOPBACK = "127.0.0.1"
_HOSTS = (_LOOPBACK, "localhost")
_SILENCE_SECONDS = 5.0
_LOOK_EVERY_SECONDS = 0.2  # Windows tells of Ctrl-C only between waits

_PAGE = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>tokensync</title></head>\
<body><h1>{title}</h1><p>{text}</p></body></html>"""
_HEADERS = (
    ("Content-Type", "text/html; charset=utf-8"),
    ("Content-Security-Policy", "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"),
    ("Cache-Control", "no-store"),
    ("Referrer-Policy", "no-referrer"),  # the address of the page has the code in it
    ("X-Content-Type-Options", "nosniff"),
    ("Connection", "close"),
)


class Called(NamedTuple):
    """What the browser brought: the code, or what is wrong with the call. Its repr shows no code."""

    code: str = ""
    wrong: str = ""

    def __repr__(self) -> str:
        return f"Called(wrong={self.wrong!r})"


class Listener:
    """Listens on 127.0.0.1, at the port of a redirect URL, from now until the end of its ``with`` block."""

    def __init__(self, authorization: Authorization) -> None:
        """A redirect URL that is not this machine's, or whose port is taken, is a UsageError."""
        self._authorization = authorization
        parts = _parts(authorization.redirect_url)
        self._claims = threading.Lock()
        self._found: queue.Queue[Called] = queue.Queue()
        handler = type("_Handler", (_Handler,), {"listener": self, "path_of_callback": parts.path or "/"})
        try:
            self._server = _Server((_LOOPBACK, parts.port or 80), handler)
        except OSError as fault:
            what = f"{_LOOPBACK}:{parts.port or 80} cannot be listened on ({fault.strerror})"
            raise UsageError(f"{authorization.redirect_url}: {what}; end what uses it, or register another") from None
        self.host = parts.netloc

    def wait(self, seconds: float) -> str:
        """The code. No call in time is a NetworkError; one that does not belong to this login is an AccessError."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                called = self._found.get(timeout=_LOOK_EVERY_SECONDS)
            except queue.Empty:
                continue
            if called.wrong:
                raise AccessError(f"{self._authorization.redirect_url}: {called.wrong}; log in again")
            return called.code
        what = f"nobody allowed access within {seconds:g} seconds"
        raise NetworkError(f"{self._authorization.redirect_url}: {what}; log in again, and allow it in the browser")

    def claim(self, query: str) -> Called | None:
        """What a call with this query means; None when there was a call before it, which alone counts."""
        called = self._judged(query)
        return called if self._claims.acquire(blocking=False) else None

    def settle(self, called: Called) -> None:
        """Ends the waiting. The browser has its page by then: the process may end, and its threads with it."""
        self._found.put(called)

    def _judged(self, query: str) -> Called:
        try:
            pairs = parse_qsl(query, keep_blank_values=True, max_num_fields=20)
        except ValueError:
            return Called(wrong="the call has too many parameters")
        given = dict(pairs)
        if len(given) != len(pairs):
            return Called(wrong="the call has a parameter twice")
        if not self._authorization.expects(given.get("state", "")):
            return Called(wrong="the call has another state than this login, so somebody else may have made it")
        if not given.get("code"):
            return Called(wrong="the platform sent no code, so access was not allowed")
        return Called(code=given["code"])

    def __enter__(self) -> Self:
        threading.Thread(target=self._server.serve_forever, args=(_LOOK_EVERY_SECONDS,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


class _Server(ThreadingHTTPServer):
    """A thread a connection: a browser opens some in advance and says nothing on them."""

    allow_reuse_address = os.name != "nt"  # there, it would let another program listen at the same port
    daemon_threads = True
    block_on_close = False

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A connection that breaks off is of no interest."""


class _Handler(BaseHTTPRequestHandler):
    listener: Listener
    path_of_callback: str
    timeout = _SILENCE_SECONDS

    def do_GET(self) -> None:
        """The callback, or something that a browser asks besides, such as an icon."""
        path, _, query = self.path.partition("?")
        if path != self.path_of_callback or self.headers.get("Host") != self.listener.host:
            self._answer(404, "Not here", "This address is for the end of a login only.")
            return
        called = self.listener.claim(query)
        if called is None:
            self._answer(409, "Over", "This login has had its answer.")
            return
        try:
            if called.wrong:
                self._answer(400, "Not logged in", "The answer does not belong to this login. The terminal tells more.")
            else:
                self._answer(200, "Allowed", "tokensync has its answer: go back to the terminal, and close this page.")
        finally:
            self.listener.settle(called)

    def _answer(self, status: int, title: str, text: str) -> None:
        page = _PAGE.format(title=title, text=text).encode()
        self.send_response(status)
        for name, value in (*_HEADERS, ("Content-Length", str(len(page)))):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(page)

    def version_string(self) -> str:
        """The Server header says no versions."""
        return "tokensync"

    def log_message(self, format: str, *arguments: Any) -> None:  # noqa: A002 - the interface's name
        """Nothing is logged: the address holds the code."""


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
    ours = parts.scheme == "http" and parts.hostname in _HOSTS and port != 0 and redirect_url.isprintable()
    if not ours or parts.query or parts.fragment or "@" in parts.netloc:
        what = "the browser's answer cannot be waited for there"
        raise UsageError(f"{redirect_url}: {what}; register one like http://{_LOOPBACK}:PORT/callback with the app")
    return _Parts(parts.netloc, port, parts.path)
