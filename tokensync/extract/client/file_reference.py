"""References to files: keys, and URLs as the browser shows them."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from tokensync.system.boundary import Flaw
from tokensync.system.errors import UsageError

KINDS = ("design", "file", "proto", "board", "slides", "deck", "make", "buzz", "site", "figjam")
"""The first path segment of a file's URL, by editor. The file's key follows."""

_KEY = re.compile(r"[A-Za-z0-9_-]{1,128}")
_SITE = re.compile(r"([a-z0-9-]+\.)*figma(-gov)?\.com")
_TOKEN = re.compile(r"fig[a-z]{1,2}_")
_EXAMPLE = "https://www.figma.com/design/KEY/..."
_KEY_AFTER_KIND = re.compile(rf"(?:^|/)(?:{'|'.join(KINDS)})/([A-Za-z0-9_-]{{1,128}})(?=[/?#]|$)")


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


def parse(text: str, where: str = "file") -> FileReference:
    """Return the file of a key, ``KEY/branch/KEY`` or URL. Raise UsageError, located at ``where``, for other texts.

    Messages never repeat the text, which may be a misplaced token.
    """
    try:
        return _parsed(text.strip())
    except _InvalidTextError as error:
        what, to_do = error.args
        raise UsageError(f"{where}: {what}; {to_do}") from None


def flaw_of(text: str) -> Flaw | None:
    """Return why a text is no reference to a file, and the remedy; None if it is one."""
    try:
        _parsed(text.strip())
    except _InvalidTextError as error:
        return Flaw(*error.args)
    return None


def of(file: FileReference | str) -> FileReference:
    """Return a reference unchanged, and parse a text."""
    return parse(file) if isinstance(file, str) else file


def _parsed(text: str) -> FileReference:
    if not text:
        raise _invalid("no file", text)
    if _TOKEN.match(text):
        raise _invalid("looks like an access token, not a file", text)
    if "/" not in text:
        return FileReference(_key(text, text))
    if "://" not in text and re.match(_KEY.pattern + "/branch/", text):
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
        raise _invalid("not a URL", text) from None
    if parts.scheme not in ("https", "http") or not _SITE.fullmatch(host):
        raise _invalid("not a URL of figma.com", text)
    kind, *rest = [unquote(segment) for segment in parts.path.split("/")[1:]] or [""]
    if kind == "community":
        what = "a community page is not a file of yours"
        raise _InvalidTextError(what, "duplicate it to your drafts and use that URL")
    if kind not in KINDS:
        raise _invalid("a page of figma.com, but not a file", text)
    return rest


def _key(key: str, text: str) -> str:
    if not _KEY.fullmatch(key):
        raise _invalid("a file key consists of 1 to 128 letters, digits, - and _", text)
    return key


def _invalid(what: str, text: str) -> _InvalidTextError:
    """Return the error for a text, with the key that it contains, if any."""
    match = _KEY_AFTER_KIND.search(text)
    if match and "/branch" not in text and not _TOKEN.match(match[1]):
        return _InvalidTextError(what, f"use the file's key, {match[1]}")
    return _InvalidTextError(what, f"use the file's key, or its URL from the browser ({_EXAMPLE})")
