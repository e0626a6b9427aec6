"""What a body says about a failure: both families of the platform, and the pages of proxies in front of it.

platform-facts "Error bodies": ``{status, err}`` on some endpoints, ``{status, error: true, message}`` on others.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

import msgspec

MESSAGE_LIMIT = 1000  # a 400 may name many variables
PAGE_LIMIT = 160
_READ = 8192  # well over both limits, so that a token is hidden whole before anything is cut

_MARKUP = re.compile(r"<[^<>]*>")


class ErrorBody(msgspec.Struct):
    """The members of an error that are read; of any type, since a proxy may answer in JSON of its own."""

    status: Any = None
    err: Any = None
    error: Any = None
    message: Any = None


class Said(NamedTuple):
    """The failure's text, raw and on one line; ``by_platform`` is false where the body is not of either family."""

    text: str
    by_platform: bool


def read(body: bytes) -> Said:
    """The message of an error body of any kind; an empty body says nothing and counts as the platform's."""
    if not body.strip():
        return Said("", True)
    try:
        members = msgspec.json.decode(body, type=ErrorBody)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return Said(_page_title(body), False)
    for text in (members.message, members.err, members.error):
        if isinstance(text, str) and text.strip():
            return Said(one_line(text[:_READ]), True)
    return Said("", members.status is not None or members.error is not None)


def one_line(text: str) -> str:
    """Text from outside as one printable line: controls, line breaks and invisible marks become single spaces."""
    return " ".join("".join(character if character.isprintable() else " " for character in text).split())


def shortened(text: str, limit: int) -> str:
    """At most ``limit`` characters, the last one an ellipsis if something was cut."""
    return text if len(text) <= limit else text[: limit - 1] + "\N{HORIZONTAL ELLIPSIS}"


def _page_title(body: bytes) -> str:
    """The title of an HTML page, or the beginning of another text without its markup."""
    text = body[:_READ].decode("utf-8", "replace").replace("\N{REPLACEMENT CHARACTER}", " ")
    start, end = (text.lower().find(tag) for tag in ("<title>", "</title>"))
    if 0 <= start < end:
        text = text[start + len("<title>") : end]
    return one_line(_MARKUP.sub(" ", text))
