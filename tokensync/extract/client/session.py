"""Sessions: requests with retries, renewal of tokens, pagination and errors, over HTTP or to a WSGI application.

A ``Transport`` sends one request.
"""

from __future__ import annotations

import io
import os
import socket
import ssl
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from http.client import responses as phrases
from http.cookiejar import DefaultCookiePolicy
from importlib.util import find_spec
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol, TypeVar
from urllib.parse import urlsplit

import msgspec
import requests
from msgspec import Struct
from requests.adapters import HTTPAdapter
from requests.auth import AuthBase
from urllib3 import HTTPConnectionPool, HTTPHeaderDict, HTTPResponse, HTTPSConnectionPool, ProxyManager
from urllib3 import exceptions as urllib3_errors
from urllib3.connection import HTTPConnection, HTTPSConnection

from tokensync.extract.client import responses
from tokensync.extract.client.addresses import BaseUrl
from tokensync.extract.client.credentials import Credential, Renew
from tokensync.extract.client.endpoints import Endpoint, Page, Request, within
from tokensync.extract.client.responses import RATE_LIMITED, Answer, Clock, Lost, Pace, RetryPolicy, Wait
from tokensync.system import outlet
from tokensync.system.errors import DECODE_ERRORS, NetworkError, PlatformError, ServerError
from tokensync.version import __version__

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from requests import PreparedRequest, Response


class WsgiAdapter(HTTPAdapter):
    """An adapter that calls a WSGI application and reads its whole response.

    Exceptions of the application are raised unchanged: they are errors of this process, not of a network.
    """

    def __init__(self, application: WSGIApplication) -> None:
        super().__init__()
        self._application = application

    def send(self, request: PreparedRequest, *_arguments: Any, **_options: Any) -> Response:
        """Return the application's response; ignore timeouts, certificates and proxies."""
        from werkzeug.test import EnvironBuilder, run_wsgi_app

        url = urlsplit(request.url or "")
        builder = EnvironBuilder(
            request.path_url,
            f"{url.scheme}://{url.netloc}",
            method=request.method or "GET",
            headers=tuple(request.headers.items()),
            data=request.body,
            errors_stream=outlet.stderr(),
            environ_base={"REMOTE_ADDR": "127.0.0.1"},
        )
        chunks, status, headers = run_wsgi_app(self._application, builder.get_environ(), buffered=True)
        number = int(status.split(" ", 1)[0])
        raw = HTTPResponse(
            body=io.BytesIO(b"".join(chunks)),
            headers=HTTPHeaderDict(headers.items()),
            status=number,
            reason=phrases.get(number, ""),
            preload_content=False,
            request_method=request.method,
        )
        return self.build_response(request, raw)


FAILURES = (requests.RequestException, urllib3_errors.HTTPError, OSError)
"""The exceptions of a failed connection while sending a request or reading its response."""

_DROPPED = (
    requests.ConnectionError,
    requests.exceptions.ChunkedEncodingError,
    urllib3_errors.HTTPError,
    ConnectionError,
)
_CONNECTION = "check the network and base_url, then try again"
_PROXY = "check the proxy in HTTPS_PROXY, and NO_PROXY"


def explain(error: Exception, connect_timeout: float, read_timeout: float) -> Lost:
    """Return the cause of an exception of ``FAILURES``."""
    chain = tuple(_chain(error))
    if any(isinstance(each, ssl.SSLCertVerificationError) for each in chain):
        return Lost("the server's certificate is not trusted", _advice_on_trust(), passing=False, never_sent=True)
    if isinstance(error, (requests.exceptions.ProxyError, requests.exceptions.InvalidProxyURL)):
        return _proxy_failure(error, chain)
    if _any(chain, urllib3_errors.NameResolutionError):
        return Lost("the host name cannot be resolved", _CONNECTION, never_sent=True)
    if _any(chain, urllib3_errors.NewConnectionError):
        return Lost("the connection failed", _CONNECTION, never_sent=True)
    if _any(chain, requests.exceptions.ConnectTimeout, urllib3_errors.ConnectTimeoutError):
        # Checked after the two above, which are subclasses of it in urllib3.
        return Lost(f"no connection within {connect_timeout:g} seconds", _CONNECTION, never_sent=True)
    if _any(chain, requests.exceptions.ReadTimeout, urllib3_errors.ReadTimeoutError, TimeoutError):
        return Lost(f"the server sent nothing for {read_timeout:g} seconds", "try again later")
    if _any(chain, urllib3_errors.DecodeError):
        return Lost("the compressed response is damaged")
    if _any(chain, urllib3_errors.IncompleteRead, urllib3_errors.InvalidChunkLength):
        return Lost("the response is incomplete")
    if _any(chain, requests.exceptions.SSLError, urllib3_errors.SSLError, ssl.SSLError):
        return Lost("the encrypted connection failed", _CONNECTION)
    if _any(chain, *_DROPPED):
        return Lost("the connection was dropped", "try again later")
    if isinstance(error, requests.RequestException):
        return Lost("the request is invalid", "check base_url", passing=False, never_sent=True)
    return Lost(
        "the connection could not be set up",
        "check that the file in REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE or SSL_CERT_FILE is readable",
        passing=False,
        never_sent=True,
    )


BUNDLES = ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR")
"""The environment variables of trusted certificates, which take precedence over those of the system."""


def _advice_on_trust() -> str:
    """Return both ways to trust a company's proxy, which signs certificates itself."""
    way = "install the package truststore, which uses the system's certificates"
    if find_spec("truststore") is not None:
        way = "add its root certificate to those of the system"
    return f"for a company proxy, {way}, or set REQUESTS_CA_BUNDLE to its CA bundle"


def _system_trust() -> ssl.SSLContext | None:
    """Return a context with the system's certificates; None without truststore, and if the environment names some."""
    if any(map(os.environ.get, BUNDLES)) or find_spec("truststore") is None:
        return None
    import truststore

    context: ssl.SSLContext = truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    return context


def _proxy_failure(error: Exception, chain: tuple[BaseException, ...]) -> Lost:
    if isinstance(error, requests.exceptions.InvalidProxyURL):
        return Lost("the proxy address is invalid", _PROXY, passing=False, never_sent=True)
    if any("Tunnel connection failed: 407" in str(cause) for cause in chain):  # http.client's words
        return Lost("the proxy requires a user name and a password", _PROXY, passing=False, never_sent=True)
    return Lost("the proxy is unreachable or refused the connection", _PROXY, never_sent=True)


def _any(chain: tuple[BaseException, ...], *kinds: type[BaseException]) -> bool:
    return any(isinstance(each, kinds) for each in chain)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and all inside it: requests and urllib3 wrap them as arguments, reasons and causes."""
    pending: list[BaseException] = [error]
    seen: set[int] = set()
    while pending:
        current = pending.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        inner = (*current.args, getattr(current, "reason", None), current.__cause__, current.__context__)
        pending.extend(each for each in inner if isinstance(each, BaseException))


_CHUNK = 256 * 1024
_ERROR_BODY_BYTES = 64 * 1024
_ENCODINGS = ("", "identity", "gzip", "x-gzip", "deflate")
_UNSUSPICIOUS_BYTES = 32 * 1024 * 1024
_MAX_RATIO = 250  # JSON of variables compresses to a fifth or a fiftieth, a bomb to a thousandth
_TOO_LARGE = Lost("", "check base_url and the key of the file", passing=False)


class Bounds(NamedTuple):
    """The limits of one attempt: seconds to connect, between two reads and in total, and bytes of the decoded body."""

    connect_timeout: float
    read_timeout: float
    whole_timeout: float
    largest_answer: int


class _Body(Protocol):
    """The method of urllib3's response that reads without waiting for a full buffer."""

    def read1(self, amt: int | None = None, decode_content: bool | None = None) -> bytes: ...


class _Header(AuthBase):
    """Adds a header with a secret. As a session's ``auth``, it also prevents requests from reading ``.netrc``."""

    def __init__(self, name: str, value: str) -> None:
        self._name = name
        self._value = value

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers[self._name] = self._value
        return request


class _NoToken(AuthBase):
    """Adds no token."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request


class _Adapter(HTTPAdapter):
    """An adapter whose connections end if the head of a response is not complete after ``seconds``.

    A time limit for reads does not end a head that arrives byte by byte, or an endless series of 100 Continue.
    ``context`` has the trusted certificates, in addition to those of requests.
    """

    def __init__(self, seconds: float, context: ssl.SSLContext | None) -> None:
        class Timed:
            sock: Any

            def getresponse(self) -> Any:
                with _deadline(_number_of(self.sock), seconds):
                    return super().getresponse()  # type: ignore[misc]  # of the class beside it

        class Plain(Timed, HTTPConnection):
            pass

        class Encrypted(Timed, HTTPSConnection):
            pass

        class PlainPool(HTTPConnectionPool):
            ConnectionCls = Plain

        class EncryptedPool(HTTPSConnectionPool):
            ConnectionCls = Encrypted

        self._pools = {"http": PlainPool, "https": EncryptedPool}
        self._trust: dict[str, Any] = {} if context is None else {"ssl_context": context}
        super().__init__()

    def init_poolmanager(self, *arguments: Any, **options: Any) -> None:
        """Create the pools of direct connections."""
        super().init_poolmanager(*arguments, **{**options, **self._trust})
        self.poolmanager.pool_classes_by_scheme = self._pools

    def proxy_manager_for(self, *arguments: Any, **options: Any) -> ProxyManager:
        """Return the pools of connections through a proxy."""
        manager: ProxyManager = super().proxy_manager_for(*arguments, **{**options, **self._trust})
        manager.pool_classes_by_scheme = self._pools
        return manager


class Transport:
    """A connection pool for one base URL, or a WSGI application in its place."""

    def __init__(
        self, base: BaseUrl, credential: Credential, application: WSGIApplication | None, bounds: Bounds, clock: Clock
    ) -> None:
        self._base = base
        self._bounds = bounds
        self._clock = clock
        self._session = requests.Session()
        self._session.auth = _Header(*credential.header())
        self._session.headers.update(
            {"User-Agent": f"tokensync/{__version__}", "Accept": "application/json", "Accept-Encoding": "gzip, deflate"}
        )
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._session.trust_env = application is None and not base.plain_http
        if self._session.trust_env:
            # requests itself reads REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE, which take precedence.
            self._session.verify = os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR") or True
        trust = _system_trust() if self._session.trust_env else None
        for scheme in ("https://", "http://"):
            adapter = _Adapter(bounds.whole_timeout, trust) if application is None else WsgiAdapter(application)
            self._session.mount(scheme, adapter)

    def use(self, credential: Credential) -> None:
        """Replace the token."""
        self._session.auth = _Header(*credential.header())

    def close(self) -> None:
        """Close the pooled connections."""
        self._session.close()

    def attempt(self, request: Request, *, with_token: bool = True) -> Answer | Lost:
        """Send a request once and return the response, whatever its status.

        Return connection failures rather than raise them: the context of a later error would hold frames with headers.
        """
        headers = {} if request.body is None else {"Content-Type": request.content_type}
        auth: AuthBase | None = None if with_token else _NoToken()
        if request.basic is not None:
            auth = _Header("Authorization", f"Basic {request.basic}")
        return self._exchange(request.method, f"{self._base.url}/{request.path}", request.body, headers, auth)

    def download(self, url: str) -> Answer | Lost:
        """Return the response of a URL from the platform; never send the token there."""
        if not url.startswith("https://") and not self._base.plain_http:
            return Lost("the download link is not encrypted", "report it", passing=False, never_sent=True)
        return self._exchange("GET", url, None, {}, _NoToken())

    def _exchange(
        self, method: str, url: str, body: bytes | None, headers: dict[str, str], auth: AuthBase | None
    ) -> Answer | Lost:
        started = self._clock.elapsed()
        try:
            response = self._session.request(
                method,
                url,
                data=body,
                headers=headers,
                auth=auth,
                timeout=(self._bounds.connect_timeout, self._bounds.read_timeout),
                allow_redirects=False,
                stream=True,
            )
            try:
                return self._read(response, started)
            finally:
                response.close()
        except FAILURES as error:
            if self._clock.elapsed() - started > self._bounds.whole_timeout:
                return self._late()
            return explain(error, self._bounds.connect_timeout, self._bounds.read_timeout)

    def _read(self, response: requests.Response, started: float) -> Answer | Lost:
        """Read the whole body of a success, or the beginning of any other.

        Read bytes as they arrive, and decompress no more than a chunk at a time, so that the limits end a slow or
        endless body.
        """
        bounds = self._bounds
        encoding = response.headers.get("Content-Encoding", "").strip().lower()
        if encoding not in _ENCODINGS:  # such as gzip within gzip: a few bytes that decompress to any size
            return Lost(
                "the response has an encoding that was not requested", "check base_url and proxies", passing=False
            )
        succeeded = 200 <= response.status_code < 300
        limit = bounds.largest_answer if succeeded else _ERROR_BODY_BYTES
        body: _Body = response.raw
        chunks: list[bytes] = []
        size = 0
        left = bounds.whole_timeout - (self._clock.elapsed() - started)
        with _deadline(_number_of(response.raw), left):
            while chunk := body.read1(_CHUNK, decode_content=True):
                chunks.append(chunk)
                size += len(chunk)
                if size > limit:
                    break
                if size > _UNSUSPICIOUS_BYTES and size > _MAX_RATIO * response.raw.tell():
                    return _TOO_LARGE._replace(what="the response decompresses to a suspicious size")
                if self._clock.elapsed() - started > bounds.whole_timeout:
                    return self._late()
        if succeeded and size > limit:
            return _TOO_LARGE._replace(what=f"the response is larger than {limit:,} bytes")
        if self._clock.elapsed() - started > bounds.whole_timeout:  # the deadline has ended the connection
            return self._late()
        return Answer(response.status_code, response.headers, b"".join(chunks)[:limit])

    def _late(self) -> Lost:
        return Lost(f"the response was not complete after {self._bounds.whole_timeout:g} seconds", passing=False)


def _number_of(connection: Any) -> int | None:
    """Return the descriptor of a connection; None for an application in this process, or without a connection."""
    try:
        number: int = connection.fileno()
    except (OSError, ValueError, AttributeError):
        return None
    return number


@contextmanager
def _deadline(number: int | None, seconds: float) -> Iterator[None]:
    """End the connection with this descriptor after ``seconds``.

    A time limit for reads does not end a read that gets a byte from time to time, but nothing to return: the size of a
    chunk, or compressed data without contents.
    """
    try:
        connection = socket.fromfd(-1 if number is None else number, socket.AF_INET, socket.SOCK_STREAM)
    except (OSError, ValueError):
        yield
        return

    def end() -> None:
        with suppress(OSError):
            connection.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(max(0.0, seconds), end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        connection.close()


Kind = TypeVar("Kind")

_MOST_PAGES: Final = 10_000
"""The most pages of one list, in case pagination never ends."""


class Session(Struct, eq=False):
    """Sends the requests of all endpoint groups, retries them, and raises failures as PlatformError."""

    _transport: Transport
    _base: BaseUrl
    _credential: Credential
    _retry: RetryPolicy
    _on_wait: Callable[[Wait], None] | None
    _clock: Clock
    _renew: Renew | None
    _pace: Pace

    def send(self, request: Request, *, once: bool = False, waits: bool = True) -> bytes:
        """Send a request and return the raw body of its success. Raise PlatformError for a failure.

        A request that ``waits`` is repeated after a failure that may pass.

        If the platform refuses the token, repeat the request once with a renewed one, unless it must be sent ``once``:
        no refusal proves that nothing was applied.
        """
        renewed = False
        for attempt in count(1):
            self._keep_pace(request, attempt)
            outcome = self._transport.attempt(request)
            if request.tier and isinstance(outcome, Answer) and outcome.status == RATE_LIMITED:
                self._pace.learn(request.tier, outcome.headers, self._clock.elapsed())
            if not renewed and responses.refuses_token(request, outcome) and self._renewed():
                renewed = True
                if once:
                    break
                outcome = self._transport.attempt(request)
            if isinstance(outcome, Answer) and outcome.succeeded:
                flaw = responses.flaw(outcome.body, request.shape)
                if flaw is None and self._credential.is_in(outcome.body):
                    raise self._invalid_response(request, outcome, f"the response repeats {self._credential.source}")
                if flaw is None:
                    return outcome.body
                if flaw.status is not None:
                    outcome = outcome._replace(status=flaw.status)
                elif flaw.cut_short:
                    outcome = Lost(flaw.what)
                else:
                    raise self._invalid_response(request, outcome, flaw.what)
            if not waits or not self._waited(request, attempt, outcome):
                break
        failure = self._failure(request, outcome, attempt)
        failure.token_renewed = renewed and once
        raise failure

    def read(self, request: Request, kind: type[Kind]) -> Kind:
        """Send a request and decode its success as this type. Raise ServerError for a body of another shape."""
        body = self.send(request)
        try:
            return msgspec.json.decode(body, type=kind)
        except DECODE_ERRORS as error:
            raise self._unexpected_shape(request, error) from None

    def pages(self, endpoint: Endpoint, values: Mapping[str, Any]) -> Iterator[Page]:
        """Yield the decoded pages until the platform names no next page."""
        values = dict(values)
        requested = set()
        for _ in range(_MOST_PAGES):
            request = endpoint.request(values)
            requested.add((request.path, request.body))
            page: Page = self.read(request, dict[str, Any])
            yield page
            following = None if endpoint.paging is None else endpoint.paging.following(page)
            if following is None:
                return
            values |= following
            after = endpoint.request(values)
            if (after.path, after.body) in requested:
                what = "the pagination repeats a page"
                raise ServerError(f"{self.where(request)}: {what}; try again later", 200)
        what = f"the list has more than {_MOST_PAGES:,} pages"
        raise ServerError(f"{self.where(request)}: {what}; narrow the request, or report a bug", 200)

    def rows(self, endpoint: Endpoint, values: Mapping[str, Any], kind: type[Kind]) -> Iterator[Kind]:
        """Yield the rows of all pages, decoded as this type. Raise ServerError for one of another shape."""
        if endpoint.paging is None:
            raise ValueError(f"{endpoint.name}: not paginated")
        for page in self.pages(endpoint, values):
            try:
                yield from msgspec.convert(within(page, *endpoint.paging.items), list[kind])  # type: ignore[valid-type]
            except (msgspec.ValidationError, RecursionError) as error:
                raise self._unexpected_shape(endpoint.request(values), error) from None

    def download(self, url: str, request: Request) -> bytes:
        """Return the content of a URL in the response to ``request``. Raise PlatformError for a failure."""
        for attempt in count(1):
            outcome = self._transport.download(url)
            if isinstance(outcome, Answer) and outcome.succeeded:
                return outcome.body
            if not self._waited(request, attempt, outcome):
                break
        where = f"{self.where(request)}, a download link in the response"
        if isinstance(outcome, Lost):
            raise NetworkError(self._credential.hide_in(f"{where}: {outcome.what}; {outcome.what_to_do}"))
        raise ServerError(f"{where}: download failed ({outcome.title}); request new links", outcome.status)

    def where(self, request: Request) -> str:
        """Return the location of a request for messages."""
        return f"{request.method} {self._base.label.rstrip(':')}/{request.address}"

    def _renewed(self) -> bool:
        """Replace the refused token, and return whether there was another one."""
        credential = None if self._renew is None else self._renew(self._credential)
        if credential is None:
            return False
        self._credential = credential
        self._transport.use(credential)
        return True

    def _keep_pace(self, request: Request, attempt: int) -> None:
        """Wait until the rate limit has room for a request, instead of being refused: a refusal would take longer."""
        seconds = self._pace.reserve(request.tier, self._clock.elapsed()) if request.tier else 0.0
        if 0 < seconds <= self._retry.longest_retry_after:
            if self._on_wait is not None:
                self._on_wait(Wait(seconds, "rate limit", attempt, self._retry.attempts))
            self._clock.sleep(seconds)

    def _waited(self, request: Request, attempt: int, outcome: Answer | Lost) -> bool:
        """Wait for the next attempt; return False if there is none."""
        if request.changes:
            return False
        headers = outcome.headers if isinstance(outcome, Answer) else {}
        retry_after = responses.retry_after(headers, self._clock.now())
        seconds = responses.seconds_to_wait(self._retry, attempt, outcome, retry_after, self._clock.random())
        if seconds is None:
            return False
        if self._on_wait is not None:
            self._on_wait(Wait(seconds, _reason(outcome), attempt + 1, self._retry.attempts))
        self._clock.sleep(seconds)
        return True

    def _failure(self, request: Request, outcome: Answer | Lost, attempts: int) -> PlatformError:
        where = self.where(request)
        if isinstance(outcome, Answer):
            return responses.from_answer(request, where, outcome, self._credential, self._clock.now(), attempts)
        unknown = request.changes and not outcome.never_sent
        advice = responses.unknown_outcome_advice(request) if unknown else outcome.what_to_do
        after = f" ({attempts} attempts)" if attempts > 1 else ""
        error = NetworkError(self._credential.hide_in(f"{where}: {outcome.what}{after}; {advice}"))
        error.outcome_unknown = unknown
        return error

    def _unexpected_shape(self, request: Request, error: Exception) -> ServerError:
        reason = self._credential.hide_in(str(error), request.secrets)
        what = f"the response differs from the documented one ({reason})"
        return ServerError(f"{self.where(request)}: {what}; check base_url, and update tokensync", 200)

    def _invalid_response(self, request: Request, answer: Answer, what: str) -> ServerError:
        advice = responses.unknown_outcome_advice(request) or "check base_url and proxies"
        error = ServerError(
            self._credential.hide_in(f"{self.where(request)}: {what} ({answer.title}); {advice}"), answer.status
        )
        error.outcome_unknown = request.changes
        return error


def _reason(outcome: Answer | Lost) -> str:
    if isinstance(outcome, Lost):
        return outcome.what
    return "rate limited" if outcome.status == RATE_LIMITED else outcome.title
