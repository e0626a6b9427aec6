"""Responses: their status, headers and body, the envelope around JSON, and error bodies."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.client.endpoint import Request, Shape


class Answer(NamedTuple):
    """A whole HTTP answer; the body is decoded from its content encoding, the header names match in any case.

    Its repr shows no body: those of the OAuth endpoints are tokens.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def succeeded(self) -> bool:
        """Whether the status is 2xx."""
        return 200 <= self.status < 300

    @property
    def title(self) -> str:
        """The status with its standard phrase, such as "503 Service Unavailable"; never the server's own phrase."""
        try:
            return f"{self.status} {HTTPStatus(self.status).phrase}"
        except ValueError:
            return str(self.status)

    def __repr__(self) -> str:
        return f"Answer({self.title!r}, {len(self.body)} bytes)"


class Lost(NamedTuple):
    """No usable answer. ``passing``: another attempt may help. ``never_sent``: the request did not leave."""

    what: str
    what_to_do: str = "try again later"
    passing: bool = True
    never_sent: bool = False


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


class Envelope(msgspec.Struct):
    """A success body: ``meta`` is skimmed for well-formed JSON and kept as bytes."""

    status: Any = None
    err: Any = None
    error: Any = None
    meta: msgspec.Raw = msgspec.Raw()


class Flaw(NamedTuple):
    """Why a 2xx body is no success. ``status`` is set where the body reports a failure of its own."""

    what: str
    cut_short: bool = False
    status: int | None = None


def flaw(body: bytes, shape: Shape = "meta") -> Flaw | None:
    """The first thing wrong with a 2xx body of this shape, or None."""
    if shape == "anything" and not body.strip():
        return None
    try:
        envelope = msgspec.json.decode(body, type=Envelope)
    except msgspec.ValidationError:
        return Flaw(
            "the answer is JSON, but not an object with a meta member"
            if shape == "meta"
            else "the answer is JSON, but no object"
        )
    except msgspec.DecodeError as error:
        if "truncated" in str(error):
            return Flaw("the answer breaks off before its JSON ends", cut_short=True)
        return Flaw("the answer is not JSON")
    except RecursionError:
        return Flaw("the answer's JSON is nested too deeply")
    if envelope.error not in (None, False) or envelope.err is not None:
        status = envelope.status if type(envelope.status) is int and 400 <= envelope.status <= 599 else None
        return Flaw("the answer has a success status, but reports an error", status=status)
    if shape == "meta" and bytes(memoryview(envelope.meta)[:1]) != b"{":
        return Flaw("the answer has no meta object")
    return None


_UNAUTHORIZED, _FORBIDDEN = 401, 403
_WORDS = re.compile(
    r"\b(invalid|expired|revoked) (access )?token\b|\btoken (is |has )?(invalid|expired|revoked)\b", re.IGNORECASE
)


def refuses_token(request: Request, outcome: Answer | Lost) -> bool:
    """Whether another access token could help: 401, or the 403 of an invalid or expired one. Not that of a scope."""
    if request.basic is not None or not isinstance(outcome, Answer):
        return False
    if outcome.status == _UNAUTHORIZED:
        return True
    return outcome.status == _FORBIDDEN and _WORDS.search(read(outcome.body).text) is not None
