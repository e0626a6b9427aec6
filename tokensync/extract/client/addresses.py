"""Addresses that people write: base URLs of the API (``figma``, ``figma-gov``, ``emulator:`` or a URL), and files.

A file is a key, or a URL as the browser shows it. Messages never repeat an invalid text: it may be a secret.
"""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

from tokensync.system import plugins
from tokensync.system.boundary import Flaw
from tokensync.system.errors import UsageError

NAMED = {"figma": "https://api.figma.com", "figma-gov": "https://api.figma-gov.com"}
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
    """Split a URL that has only scheme, host, port and path."""
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


_KINDS = ("design", "file", "proto", "board", "slides", "deck", "make", "buzz", "site", "figjam")
"""The first path segment of a file's URL, by editor. The file's key follows."""

_KEY_OF_FILE = re.compile(r"[A-Za-z0-9_-]{1,128}")
_SITE = re.compile(r"([a-z0-9-]+\.)*figma(-gov)?\.com")
_TOKEN = re.compile(r"fig[a-z]{1,2}_")
_EXAMPLE = "https://www.figma.com/design/KEY/..."
_KEY_AFTER_KIND = re.compile(rf"(?:^|/)(?:{'|'.join(_KINDS)})/([A-Za-z0-9_-]{{1,128}})(?=[/?#]|$)")


class FileReference(NamedTuple):
    """A file, or a branch of a file. Both keys are safe as a path segment of a URL.

    A branch has its own local variables; only main files have published ones. A branch key alone looks like a main
    key: it is stored in ``main_key``, and an error message explains the platform's refusal.
    """

    main_key: str
    branch_key: str | None = None

    @property
    def working_key(self) -> str:
        """Return the key for reading and writing variables: that of the branch, if any."""
        return self.branch_key or self.main_key

    def __str__(self) -> str:
        return self.main_key if self.branch_key is None else f"{self.main_key}/branch/{self.branch_key}"


class _InvalidTextError(Exception):
    """A text is no reference to a file; the arguments are the reason and the remedy."""


def parse_file(text: str, where: str = "file") -> FileReference:
    """Return the file of a key, ``KEY/branch/KEY`` or URL. Raise UsageError, located at ``where``, for other texts."""
    try:
        return _file(text.strip())
    except _InvalidTextError as error:
        what, to_do = error.args
        raise UsageError(f"{where}: {what}; {to_do}") from None


def flaw_of_file(text: str) -> Flaw | None:
    """Return why a text is no reference to a file, and the remedy; None if it is one."""
    try:
        _file(text.strip())
    except _InvalidTextError as error:
        return Flaw(*error.args)
    return None


def reference_of(file: FileReference | str) -> FileReference:
    """Return a reference unchanged, and parse a text."""
    return parse_file(file) if isinstance(file, str) else file


def _file(text: str) -> FileReference:
    if not text:
        raise _invalid_file("no file", text)
    if _TOKEN.match(text):
        raise _invalid_file("looks like an access token, not a file", text)
    if "/" not in text:
        return FileReference(_key(text, text))
    if "://" not in text and re.match(_KEY_OF_FILE.pattern + "/branch/", text):
        segments = text.split("/")
    else:
        segments = _segments_after_kind(text)
    main_key = _key(segments[0] if segments else "", text)
    if len(segments) > 1 and segments[1] == "branch":
        return FileReference(main_key, _key(segments[2] if len(segments) > 2 else "", text))
    return FileReference(main_key)


def _segments_after_kind(text: str) -> list[str]:
    """Return the path segments of a URL, starting with the key."""
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        host = parts.hostname or ""
    except ValueError:
        raise _invalid_file("not a URL", text) from None
    if parts.scheme not in ("https", "http") or not _SITE.fullmatch(host):
        raise _invalid_file("not a URL of figma.com", text)
    kind, *rest = [unquote(segment) for segment in parts.path.split("/")[1:]] or [""]
    if kind == "community":
        what = "a community page is not a file of yours"
        raise _InvalidTextError(what, "duplicate it to your drafts and use that URL")
    if kind not in _KINDS:
        raise _invalid_file("a page of figma.com, but not a file", text)
    if branch := parse_qs(parts.query, keep_blank_values=True).get("branch-id"):
        return [rest[0] if rest else "", "branch", branch[0]]
    return rest


def _key(key: str, text: str) -> str:
    if not _KEY_OF_FILE.fullmatch(key):
        raise _invalid_file("a file key consists of 1 to 128 letters, digits, - and _", text)
    return key


def _invalid_file(what: str, text: str) -> _InvalidTextError:
    """Return the error for a text, with the key that it contains, if any."""
    match = _KEY_AFTER_KIND.search(text)
    if match and "/branch" not in text and not _TOKEN.match(match[1]):
        return _InvalidTextError(what, f"use the file's key, {match[1]}")
    return _InvalidTextError(what, f"use the file's key, or its URL from the browser ({_EXAMPLE})")
