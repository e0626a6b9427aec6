"""Which file is meant: a key, or the URL that the browser shows."""

from __future__ import annotations

import re
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from tokensync.errors import UsageError

KINDS = ("design", "file", "proto", "board", "slides", "deck", "make", "buzz", "site", "figjam")
"""The first path segment of a file's URL, by editor; all of them are followed by the file's key."""

_KEY = re.compile(r"[A-Za-z0-9_-]{1,128}")
_SITE = re.compile(r"([a-z0-9-]+\.)*figma(-gov)?\.com")
_TOKEN = re.compile(r"fig[a-z]{1,2}_")
_WANTED = "give the file's key, or its URL as the browser shows it (https://www.figma.com/design/KEY/...)"


class FileReference(NamedTuple):
    """A file, or a branch of it. Both keys are safe as a path segment of a URL.

    A branch has variables of its own (``local``, ``post``); published variables exist in the main file only. A bare
    branch key cannot be told from a main key: it stands in ``main_key``, and the platform's refusal is explained.
    """

    main_key: str
    branch_key: str | None = None

    @property
    def working_key(self) -> str:
        """The key whose variables are read and written: the branch's, if this is one."""
        return self.branch_key or self.main_key

    def __str__(self) -> str:
        return self.main_key if self.branch_key is None else f"{self.main_key}/branch/{self.branch_key}"


def parse(text: str, where: str = "file") -> FileReference:
    """The file that a key, ``KEY/branch/KEY`` or a URL names; anything else is a UsageError at ``where``.

    The message never repeats the text, which may be a token that was put in the wrong place.
    """
    text = text.strip()
    if not text:
        raise UsageError(f"{where}: no file is given; {_WANTED}")
    if _TOKEN.match(text):
        raise UsageError(f"{where}: this looks like an access token, not a file; {_WANTED}")
    if "/" not in text:
        return FileReference(_key(text, where))
    if "://" not in text and re.match(_KEY.pattern + "/branch/", text):
        segments = text.split("/")
    else:
        segments = _segments_after_kind(text, where)
    main_key = _key(segments[0] if segments else "", where)
    if len(segments) > 1 and segments[1] == "branch":
        return FileReference(main_key, _key(segments[2] if len(segments) > 2 else "", where))
    return FileReference(main_key)


def of(file: FileReference | str) -> FileReference:
    """The reference itself, or the file that a text names."""
    return parse(file) if isinstance(file, str) else file


def _segments_after_kind(text: str, where: str) -> list[str]:
    """The path segments of a URL from the key on."""
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        host = parts.hostname or ""
    except ValueError:
        raise UsageError(f"{where}: it is not a URL; {_WANTED}") from None
    if parts.scheme not in ("https", "http") or not _SITE.fullmatch(host):
        raise UsageError(f"{where}: it is not a URL of figma.com; {_WANTED}")
    kind, *rest = [unquote(segment) for segment in parts.path.split("/")[1:]] or [""]
    if kind == "community":
        raise UsageError(f"{where}: a community page is no file of yours; duplicate it to your drafts and give its URL")
    if kind not in KINDS:
        raise UsageError(f"{where}: it is a page of figma.com, but not a file; {_WANTED}")
    return rest


def _key(text: str, where: str) -> str:
    if not _KEY.fullmatch(text):
        raise UsageError(f"{where}: a file key is 1 to 128 letters, digits, - and _, and this is not; {_WANTED}")
    return text
