"""Where the API is: ``figma``, ``figma-gov``, ``emulator:`` or a URL."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from tokensync.errors import UsageError

NAMED = {"figma": "https://api.figma.com", "figma-gov": "https://api.figma-gov.com"}
EMULATOR = "emulator:"
_EMULATOR_URL = "https://emulator.invalid"  # a host that no resolver knows: nothing can leave the process by mistake

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_WEB_SITES = ("figma.com", "www.figma.com", "figma-gov.com", "www.figma-gov.com")


class BaseUrl(NamedTuple):
    """``url`` has no slash at its end; ``place`` is how messages name it."""

    url: str
    place: str
    in_process: bool = False
    plain_http: bool = False


def resolve(text: str, where: str = "base_url") -> BaseUrl:
    """The address that a configured ``base_url`` means; one that must not be used is a UsageError.

    Plain HTTP would show the token to the network (and the platform refuses it), so only loopback may use it.
    """
    text = text.strip()
    if text == EMULATOR:
        return BaseUrl(_EMULATOR_URL, "emulator:", in_process=True)
    if text in NAMED:
        return resolve(NAMED[text], where)
    parts = _split(text, where)
    host = parts.hostname or ""
    address = f"[{host}]" if ":" in host else host
    port = "" if parts.port is None else f":{parts.port}"
    path = parts.path.rstrip("/")
    if parts.scheme == "http" and not is_loopback(host):
        raise UsageError(f"{where}: plain http:// would show the access token to the network; use https://")
    return BaseUrl(
        f"{parts.scheme}://{address}{port}{path}", f"{address}{port}{path}", plain_http=parts.scheme == "http"
    )


def is_loopback(host: str) -> bool:
    """Whether a host is this machine by its name or number: localhost, 127.0.0.0/8 or ::1."""
    from ipaddress import ip_address

    if host.lower() == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_loopback and not (address.version == 6 and str(address) != "::1")


def _split(text: str, where: str) -> SplitResult:
    """The parts of a URL of scheme, host, port and path. No message repeats the text, which may hold a secret."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise UsageError(f"{where}: it is not a URL; use figma, figma-gov, emulator: or https://HOST") from None
    if parts.scheme not in ("https", "http"):
        raise UsageError(f"{where}: it is neither figma, figma-gov, emulator: nor an https:// URL; use one of these")
    if "@" in parts.netloc:
        raise UsageError(
            f"{where}: a URL with a user name or password is not used; give the access token by the environment"
        )
    if "?" in text or "#" in text:
        raise UsageError(f"{where}: it has a query or a fragment; give scheme, host, port and path only")
    if not (_HOST.fullmatch(host) or _is_ipv6(host)) or not _PATH.fullmatch(parts.path.rstrip("/")):
        raise UsageError(f"{where}: its host or path has characters that no API address has; use https://HOST")
    if host in _WEB_SITES:
        raise UsageError(f"{where}: {host} is the web site, not the API; use figma or figma-gov")
    if re.search(r"/v[0-9]+/*$", parts.path):
        raise UsageError(f"{where}: it ends in an API version, which each request adds itself; leave that part out")
    return parts


def _is_ipv6(host: str) -> bool:
    from ipaddress import IPv6Address

    try:
        return IPv6Address(host).scope_id is None
    except ValueError:
        return False
