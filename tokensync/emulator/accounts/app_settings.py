"""What an OAuth app can be configured with: redirect URLs, scopes, visibility and texts (platform-api.md 2.12)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from tokensync.emulator.accounts.scopes import SCOPES
from tokensync.emulator.serving.loopback import is_loopback
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

PRIVATE: Final = "private"
PUBLIC: Final = "public"
LEGACY: Final = "file_read"
"""The scope of apps from before there were others; a token of it has none, and is a legacy token (5)."""

SELECTABLE: Final = (*(each for each in SCOPES if each != "org:developer_log_read"), LEGACY)
"""The scopes that an app can ask for: developer logs are for plan access tokens alone (4.8)."""
_NOT_FOR_PUBLIC: Final = frozenset(("folders:read", "project_metadata:read", "projects:read"))
"""Scopes that cannot be used with public apps (4.5, 4.6)."""

_VISIBLE: Final = re.compile(r"[!-~]+")
_HOST: Final = re.compile(r"[A-Za-z0-9.-]+|\[[0-9a-fA-F:.]+\]")
_NOT_AN_APPS: Final = frozenset(("about", "blob", "data", "file", "filesystem", "javascript", "vbscript"))


def checked(**settings: Any) -> dict[str, Any]:
    """Return the settings as columns hold them. One that there is not, or whose value no app can have, is a
    UsageError.
    """
    unknown = settings.keys() - _CHECKS.keys()
    if unknown:
        raise UsageError(f"{min(unknown)}: an app has no such setting; use one of {', '.join(_CHECKS)}")
    columns = {name: _CHECKS[name](value) for name, value in settings.items()}
    if "scopes" in columns and "visibility" in columns:
        check_together(columns)
    return columns


def check_together(columns: Mapping[str, Any]) -> None:
    """A UsageError for scopes that are not for an app of this visibility."""
    wrong = _NOT_FOR_PUBLIC.intersection(str(columns["scopes"]).split())
    if columns["visibility"] == PUBLIC and wrong:
        raise UsageError(f"scopes: {', '.join(sorted(wrong))} cannot be used with public apps; leave out what is not")


def _scopes(scopes: Iterable[str]) -> str:
    given = tuple(dict.fromkeys(scopes))
    wrong = [each for each in given if each not in SELECTABLE]
    if wrong:
        raise UsageError(f"scopes: an app cannot have {', '.join(wrong)}; use some of {', '.join(SELECTABLE)}")
    return " ".join(given)


def _redirect_urls(urls: Iterable[str]) -> str:
    given = tuple(dict.fromkeys(urls))
    for each in given:
        if not _is_redirect(each):
            raise UsageError(
                f"redirect_urls: {each} cannot be one; use an https:// address, an http:// one on this machine, "
                "or one with a scheme of the app's own, without a fragment"
            )
    return " ".join(given)


def _is_redirect(url: str) -> bool:
    """Return whether a browser may be sent there with a code."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if not _VISIBLE.fullmatch(url) or "#" in url or "@" in parts.netloc or parts.scheme in ("", *_NOT_AN_APPS):
        return False
    if parts.scheme in ("http", "https"):
        named = _HOST.fullmatch(f"[{host}]" if ":" in host else host) is not None
        return named and (parts.scheme == "https" or is_loopback(host))
    return True


def _visibility(word: str) -> str:
    if word not in (PRIVATE, PUBLIC):
        raise UsageError(f"visibility: no {word!r}; use {PRIVATE} or {PUBLIC}")
    return word


def _name(text: str) -> str:
    if not text.strip():
        raise UsageError("name: an app has one; give it")
    return text


_CHECKS: Final[dict[str, Callable[[Any], Any]]] = {
    "name": _name,
    "description": str,
    "logo": str,
    "redirect_urls": _redirect_urls,
    "scopes": _scopes,
    "visibility": _visibility,
    "review_pages": int,
}
