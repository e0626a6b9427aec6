"""One attempt over requests: the header, the timeouts, and a body read within bounds.

Redirects are not followed, since a token must not travel to an address that nobody configured. ``.netrc`` is not read
and cookies are not kept. Proxies and CA bundles come from the usual environment variables, except for plain HTTP on
loopback, where a proxy would see the token.
"""

from __future__ import annotations

import os
from http.cookiejar import DefaultCookiePolicy
from typing import TYPE_CHECKING, NamedTuple, Protocol

import requests
from requests.auth import AuthBase

from tokensync.client import connection_failures
from tokensync.client.answers import Answer, Lost
from tokensync.client.connection_failures import FAILURES
from tokensync.client.wsgi import WsgiAdapter
from tokensync.version import __version__

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from tokensync.client.base_url import BaseUrl
    from tokensync.client.clock import Clock
    from tokensync.client.credentials import Credential
    from tokensync.client.request import Request

_CHUNK = 256 * 1024
_ERROR_BODY_BYTES = 64 * 1024


class Bounds(NamedTuple):
    """What one attempt may take: seconds to connect, between two arrivals and overall, and decoded bytes."""

    connect_timeout: float
    read_timeout: float
    whole_timeout: float
    largest_answer: int


class _Body(Protocol):
    """What urllib3's response offers for reading without waiting for a full buffer."""

    def read1(self, amt: int | None = None, decode_content: bool | None = None) -> bytes: ...


class _TokenHeader(AuthBase):
    """Puts the token on a request. As a session's ``auth`` it also keeps requests from looking into ``.netrc``."""

    def __init__(self, credential: Credential) -> None:
        self._credential = credential

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        name, value = self._credential.header()
        request.headers[name] = value
        return request


class _NoToken(AuthBase):
    """Leaves a request as it is."""

    def __call__(self, request: requests.PreparedRequest) -> requests.PreparedRequest:
        return request


class Transport:
    """A connection pool to one base URL, or a WSGI application in its place."""

    def __init__(
        self,
        base: BaseUrl,
        credential: Credential,
        application: WSGIApplication | None,
        bounds: Bounds,
        clock: Clock,
    ) -> None:
        self._base = base
        self._bounds = bounds
        self._clock = clock
        self._session = requests.Session()
        self._session.auth = _TokenHeader(credential)
        self._session.headers.update(
            {
                "User-Agent": f"tokensync/{__version__}",
                "Accept": "application/json",
                "Accept-Encoding": "gzip, deflate",
            }
        )
        self._session.cookies.set_policy(DefaultCookiePolicy(allowed_domains=[]))
        self._session.trust_env = application is None and not base.plain_http
        if self._session.trust_env:
            # requests itself reads REQUESTS_CA_BUNDLE and CURL_CA_BUNDLE, which win over these.
            self._session.verify = os.environ.get("SSL_CERT_FILE") or os.environ.get("SSL_CERT_DIR") or True
        if application is not None:
            for scheme in ("https://", "http://"):
                self._session.mount(scheme, WsgiAdapter(application))

    def use(self, credential: Credential) -> None:
        """Sends this token from now on."""
        self._session.auth = _TokenHeader(credential)

    def close(self) -> None:
        """Closes the pooled connections."""
        self._session.close()

    def attempt(self, request: Request) -> Answer | Lost:
        """The answer to one sending of the request, whatever its status; failures of the way are returned, not raised.

        Returned, so that no exception of a lower layer, with headers in its frames, hangs on to the one we raise.
        """
        headers = {} if request.body is None else {"Content-Type": request.content_type}
        return self._exchange(request.method, f"{self._base.url}/{request.path}", request.body, headers, request.basic)

    def download(self, url: str) -> Answer | Lost:
        """The answer of an address that the platform gave; the token is not shown there, wherever it is."""
        if not url.startswith("https://") and not self._base.plain_http:
            return Lost("the platform gives an address without encryption", "report it", passing=False, never_sent=True)
        return self._exchange("GET", url, None, {}, _NoToken())

    def _exchange(
        self,
        method: str,
        url: str,
        body: bytes | None,
        headers: dict[str, str],
        auth: tuple[str, str] | AuthBase | None,
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
            return connection_failures.explain(error, self._bounds.connect_timeout, self._bounds.read_timeout)

    def _read(self, response: requests.Response, started: float) -> Answer | Lost:
        """The whole body of a success, or the beginning of another answer's.

        Read as it arrives rather than by full buffers, so that a server that drips bytes meets the overall limit.
        """
        bounds = self._bounds
        succeeded = 200 <= response.status_code < 300
        limit = bounds.largest_answer if succeeded else _ERROR_BODY_BYTES
        body: _Body = response.raw
        chunks: list[bytes] = []
        size = 0
        while chunk := body.read1(_CHUNK, decode_content=True):
            chunks.append(chunk)
            size += len(chunk)
            if size > limit:
                if not succeeded:
                    break
                return Lost(
                    f"the answer is larger than {limit:,} bytes",
                    "check base_url and the key of the file",
                    passing=False,
                )
            if self._clock.elapsed() - started > bounds.whole_timeout:
                return Lost(f"the answer was not complete after {bounds.whole_timeout:g} seconds", passing=False)
        return Answer(response.status_code, response.headers, b"".join(chunks)[:limit])
