"""HTTP responses: status, headers, body, the JSON envelope and error bodies."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.system.errors import DECODE_ERRORS
from tokensync.system.outlet.characters import blanked

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tokensync.extract.client.endpoint import Request, Shape


class Answer(NamedTuple):
    """A complete HTTP response. The body has no content encoding; header names are case-insensitive.

    The repr hides the body, which holds tokens in responses of OAuth endpoints.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def succeeded(self) -> bool:
        """Return whether the status is 2xx."""
        return 200 <= self.status < 300

    @property
    def title(self) -> str:
        """Return the status with its standard phrase, such as "503 Service Unavailable", never the server's own."""
        try:
            return f"{self.status} {HTTPStatus(self.status).phrase}"
        except ValueError:
            return str(self.status)

    def __repr__(self) -> str:
        return f"Answer({self.title!r}, {len(self.body)} bytes)"


class Lost(NamedTuple):
    """A failure without a usable response. ``passing``: a retry may help. ``never_sent``: the request was not sent."""

    what: str
    what_to_do: str = "try again later"
    passing: bool = True
    never_sent: bool = False


MESSAGE_LIMIT = 1000  # a 400 may name many variables
PAGE_LIMIT = 160
_READ = 8192  # far above both limits, because spaces and markup are removed afterwards

_MARKUP = re.compile(r"<[^<>]*>")


class ErrorBody(msgspec.Struct):
    """The members of an error body, of any type, since a proxy may answer with other JSON."""

    status: Any = None
    err: Any = None
    error: Any = None
    message: Any = None


class ErrorMessage(NamedTuple):
    """The text of an error on one line; ``from_platform`` is false for a body in no format of the platform."""

    text: str
    from_platform: bool


def error_message(body: bytes, hide: Callable[[str], str] = str) -> ErrorMessage:
    """Return the message of any error body. An empty body counts as the platform's.

    ``hide`` removes secrets from its text, before the text is cut, which could leave a part of one.
    """
    if not body.strip():
        return ErrorMessage("", True)
    try:
        members = msgspec.json.decode(body, type=ErrorBody)
    except DECODE_ERRORS:
        return ErrorMessage(_page_title(hide(body.decode("utf-8", "replace"))), False)
    for text in (members.message, members.err, members.error):
        if isinstance(text, str) and text.strip():
            return ErrorMessage(one_line(hide(text)[:_READ]), True)
    return ErrorMessage("", members.status is not None or members.error is not None)


def states_status(answer: Answer) -> bool:
    """Return whether an error body contains the status, as the platform's do. Those of proxies seldom do."""
    try:
        return bool(msgspec.json.decode(answer.body, type=ErrorBody).status == answer.status)
    except DECODE_ERRORS:
        return False


def one_line(text: str) -> str:
    """Return a text as one printable line: controls, line breaks and invisible characters become single spaces."""
    return " ".join(blanked(text).split())


def _page_title(page: str) -> str:
    """Return the title of an HTML page, or the beginning of any other text without markup."""
    text = page[:_READ].replace("\N{REPLACEMENT CHARACTER}", " ")
    start, end = (text.lower().find(tag) for tag in ("<title>", "</title>"))
    if 0 <= start < end:
        text = text[start + len("<title>") : end]
    return one_line(_MARKUP.sub(" ", text))


class Envelope(msgspec.Struct):
    """The body of a success. ``meta`` is checked to be well-formed, and not decoded."""

    status: Any = None
    err: Any = None
    error: Any = None
    meta: msgspec.Raw = msgspec.Raw()


class Flaw(NamedTuple):
    """A defect of a 2xx body. ``status`` is that of a failure that the body itself reports."""

    what: str
    cut_short: bool = False
    status: int | None = None


def flaw(body: bytes, shape: Shape = "meta") -> Flaw | None:
    """Return the first defect of a 2xx body of this shape, or None."""
    if shape == "any" and not body.strip():
        return None
    try:
        envelope = msgspec.json.decode(body, type=Envelope)
    except msgspec.ValidationError:
        return Flaw(
            "the response is JSON, but not an object with a meta member"
            if shape == "meta"
            else "the response is JSON, but not an object"
        )
    except msgspec.DecodeError as error:
        if "truncated" in str(error):
            return Flaw("the JSON of the response is incomplete", cut_short=True)
        return Flaw("the response is not JSON")
    except RecursionError:
        return Flaw("the JSON of the response is nested too deeply")
    except UnicodeDecodeError:
        return Flaw("the response is not UTF-8")
    if envelope.error not in (None, False) or envelope.err is not None:
        status = envelope.status if type(envelope.status) is int and 400 <= envelope.status <= 599 else None
        return Flaw("the response has a success status, but reports an error", status=status)
    if shape == "meta" and bytes(memoryview(envelope.meta)[:1]) != b"{":
        return Flaw("the response has no meta object")
    return None


_UNAUTHORIZED, _FORBIDDEN = 401, 403
_WORDS = re.compile(
    r"\b(invalid|expired|revoked) (access )?token\b|\btoken (is |has )?(invalid|expired|revoked)\b", re.IGNORECASE
)


def refuses_token(request: Request, outcome: Answer | Lost) -> bool:
    """Return whether another token may help: for 401, and for 403 if the token is invalid, not if it lacks a scope."""
    if request.basic is not None or not isinstance(outcome, Answer):
        return False
    if outcome.status == _UNAUTHORIZED:
        return True
    return outcome.status == _FORBIDDEN and _WORDS.search(error_message(outcome.body).text) is not None
