"""Why no answer came, in our own words.

The texts of requests and urllib3 are never shown: they quote addresses, and a proxy's address may hold a password.
"""

from __future__ import annotations

import ssl
from typing import TYPE_CHECKING

import requests
from urllib3 import exceptions as urllib3_errors

from tokensync.client.answers import Lost

if TYPE_CHECKING:
    from collections.abc import Iterator

FAILURES = (requests.RequestException, urllib3_errors.HTTPError, OSError)
"""What sending a request or reading its answer raises when the connection, and not the program, is at fault."""

_DROPPED = (
    requests.ConnectionError,
    requests.exceptions.ChunkedEncodingError,
    urllib3_errors.HTTPError,
    ConnectionError,
)
_CONNECTION = "check the network and base_url, then try again"
_PROXY = "check the proxy in HTTPS_PROXY, and NO_PROXY"


def explain(error: Exception, connect_timeout: float, read_timeout: float) -> Lost:
    """What an exception of ``FAILURES`` means."""
    chain = tuple(_chain(error))
    if any(isinstance(each, ssl.SSLCertVerificationError) for each in chain):
        return Lost(
            "the server's certificate is not trusted",
            "if a company proxy stands between, name its CA bundle in REQUESTS_CA_BUNDLE",
            passing=False,
            never_sent=True,
        )
    if isinstance(error, (requests.exceptions.ProxyError, requests.exceptions.InvalidProxyURL)):
        return _proxy_failure(error, chain)
    if _any(chain, urllib3_errors.NameResolutionError):
        return Lost("the host's name cannot be resolved", _CONNECTION, never_sent=True)
    if _any(chain, urllib3_errors.NewConnectionError):
        return Lost("no connection can be made", _CONNECTION, never_sent=True)
    if _any(chain, requests.exceptions.ConnectTimeout, urllib3_errors.ConnectTimeoutError):
        # Asked after the two above, which urllib3 counts as kinds of it.
        return Lost(f"no connection within {connect_timeout:g} seconds", _CONNECTION, never_sent=True)
    if _any(chain, requests.exceptions.ReadTimeout, urllib3_errors.ReadTimeoutError, TimeoutError):
        return Lost(f"the server sent nothing for {read_timeout:g} seconds", "try again later")
    if _any(chain, urllib3_errors.DecodeError):
        return Lost("the answer's compression is damaged")
    if _any(chain, urllib3_errors.IncompleteRead, urllib3_errors.InvalidChunkLength):
        return Lost("the answer was cut short")
    if _any(chain, requests.exceptions.SSLError, urllib3_errors.SSLError, ssl.SSLError):
        return Lost("the encrypted connection failed", _CONNECTION)
    if _any(chain, *_DROPPED):
        return Lost("the connection was dropped", "try again later")
    if isinstance(error, requests.RequestException):
        return Lost("the request could not be made", "check base_url", passing=False, never_sent=True)
    return Lost(
        "the connection could not be prepared",
        "check that the file named in REQUESTS_CA_BUNDLE, CURL_CA_BUNDLE or SSL_CERT_FILE can be read",
        passing=False,
        never_sent=True,
    )


def _proxy_failure(error: Exception, chain: tuple[BaseException, ...]) -> Lost:
    if isinstance(error, requests.exceptions.InvalidProxyURL):
        return Lost("the proxy's address cannot be used", _PROXY, passing=False, never_sent=True)
    if any("407" in str(each) for each in chain):
        return Lost("the proxy wants a user name and a password", _PROXY, passing=False, never_sent=True)
    return Lost("the proxy cannot be reached or refused the connection", _PROXY, never_sent=True)


def _any(chain: tuple[BaseException, ...], *kinds: type[BaseException]) -> bool:
    return any(isinstance(each, kinds) for each in chain)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """An exception and those inside it: requests and urllib3 wrap theirs as arguments, reasons and causes."""
    waiting: list[BaseException] = [error]
    seen: set[int] = set()
    while waiting:
        current = waiting.pop()
        if id(current) in seen:
            continue
        seen.add(id(current))
        yield current
        inner = (*current.args, getattr(current, "reason", None), current.__cause__, current.__context__)
        waiting.extend(each for each in inner if isinstance(each, BaseException))
