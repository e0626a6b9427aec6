"""Base URLs of the API: ``figma``, ``figma-gov``, a URL, or the scheme of a platform in this process."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from tokensync.system import plugins
from tokensync.system.errors import UsageError

NAMED = {"figma": "https://api.figma.com", "figma-gov": "https://api.figma-gov.com"}
EMULATOR = "emulator:"
_SCHEME = re.compile(r"([a-z][a-z0-9]*):(?!//)(.*)")

_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?")
_PATH = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9._~-]*)*")
_WEB_SITES = ("figma.com", "www.figma.com", "figma-gov.com", "www.figma-gov.com")


class BaseUrl(NamedTuple):
    """A base URL, without a trailing slash; ``label`` names it in messages and stored logins.

    ``is_foreign`` means that the server is neither Figma's nor on this machine. ``scheme`` is that of a platform in
    this process, an entry point of ``tokensync.connections``, and ``address`` is what follows it.
    """

    url: str
    label: str
    scheme: str = ""
    address: str = ""
    plain_http: bool = False
    is_foreign: bool = False

    @property
    def in_process(self) -> bool:
        """Return whether the platform runs in this process."""
        return bool(self.scheme)


def resolve(text: str, where: str = "base_url") -> BaseUrl:
    """Return the base URL for a configured text. Raise UsageError if it is invalid or unsafe.

    Plain HTTP would show the token to the network, so only loopback may use it.
    """
    text = text.strip()
    if (plugged := _SCHEME.fullmatch(text)) and plugged[1] in plugins.entries("connections"):
        # A host that never resolves (RFC 6761), so that no request can leave the process.
        return BaseUrl(f"https://{plugged[1]}.invalid", text, scheme=plugged[1], address=plugged[2])
    if text in NAMED:
        return resolve(NAMED[text], where)
    parts = _split(text, where)
    host = parts.hostname or ""
    address = f"[{host}]" if ":" in host else host
    port = "" if parts.port is None else f":{parts.port}"
    path = parts.path.rstrip("/")
    if parts.scheme == "http" and not is_loopback(host):
        raise UsageError(f"{where}: plain http:// would show the access token to the network; use https://")
    is_figma = f"https://{host}" in NAMED.values() and parts.port in (None, 443)
    return BaseUrl(
        f"{parts.scheme}://{address}{port}{path}",
        f"{address}{port}{path}",
        plain_http=parts.scheme == "http",
        is_foreign=not (is_figma or is_loopback(host)),
    )


def is_loopback(host: str) -> bool:
    """Return whether a host is this machine: localhost, 127.0.0.0/8 or ::1."""
    from ipaddress import ip_address

    if host.lower() == "localhost":
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_loopback and not (address.version == 6 and str(address) != "::1")


def _split(text: str, where: str) -> SplitResult:
    """Split a URL that has only scheme, host, port and path. Messages never repeat the text, which may be secret."""
    try:
        parts = urlsplit(text)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise UsageError(f"{where}: not a URL; use figma, figma-gov, emulator: or https://HOST") from None
    if parts.scheme not in ("https", "http"):
        raise UsageError(f"{where}: not figma, figma-gov, emulator: or an https:// URL; use one of these")
    if "@" in parts.netloc:
        raise UsageError(
            f"{where}: the URL has a user name or password; remove it, and set the access token in FIGMA_ACCESS_TOKEN"
        )
    if "?" in text or "#" in text:
        raise UsageError(f"{where}: the URL has a query or fragment; remove it")
    if not (_HOST.fullmatch(host) or _is_ipv6(host)) or not _PATH.fullmatch(parts.path.rstrip("/")):
        raise UsageError(f"{where}: the host or path has invalid characters; use https://HOST")
    if host in _WEB_SITES:
        raise UsageError(f"{where}: {host} is the web site, not the API; use figma or figma-gov")
    if re.search(r"/v[0-9]+/*$", parts.path):
        raise UsageError(f"{where}: the URL ends in an API version, which each request adds; remove it")
    return parts


def _is_ipv6(host: str) -> bool:
    from ipaddress import IPv6Address

    try:
        return IPv6Address(host).scope_id is None
    except ValueError:
        return False
