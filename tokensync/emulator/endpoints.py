"""Endpoints: what a route declares, the call that its function gets, requests as typed values, answers and refusals."""

from __future__ import annotations

import base64
import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from tokensync.emulator.limits import BODY_BYTES
from tokensync.emulator.tokens import OAUTH, PERSONAL, PLAN

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from tokensync.emulator.people import User
    from tokensync.emulator.store import Identities
    from tokensync.emulator.tokens import Token


class Refusal(Exception):
    """Ends a request; whatever it changed so far is undone. The text is the ``message`` of the answer.

    ``headers`` are added to the answer's.
    """

    def __init__(self, status: int, message: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers


def invalid(message: str) -> Refusal:
    """400: the request breaks a rule; ``message`` says which, and where."""
    return Refusal(400, message)


JSON: Final = "application/json; charset=utf-8"


class Answer(NamedTuple):
    """A whole answer. ``headers`` are added to those that every answer has."""

    body: bytes = b""
    status: int = 200
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


def as_json(document: Any) -> bytes:
    """Return a document at top level, without the envelope."""
    return msgspec.json.encode(document)


def in_envelope(meta: Any) -> bytes:
    """Return a document as the ``meta`` of the envelope."""
    return msgspec.json.encode({"status": 200, "error": False, "meta": meta})


def timestamp(seconds: float) -> str:
    """Unix seconds as the platform writes times: ISO 8601 in UTC, to the millisecond."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Errors = Literal["message", "err"]
"""The families of error bodies: ``{status, error, message}``, or with the member ``err`` besides."""

ANY_TOKEN: Final = (PERSONAL, OAUTH, PLAN)


class Call(NamedTuple):
    """A request at work, in the transaction of ``connection``.

    ``now`` is Unix seconds; ``body`` is None when it is longer than any body may be; of a query parameter that is given
    more than once ``query`` has the first. ``root`` is the address that the platform was called at, without a slash at
    the end, for links in answers. Routes without scopes have no ``token``, and must not ask for one. A repr shows
    nothing of headers, body and query, which may hold secrets.
    """

    connection: sqlite3.Connection
    now: float
    identities: Identities
    body: bytes | None
    query: Mapping[str, str]
    headers: Mapping[str, str]
    root: str
    token: Token
    user: User

    def __repr__(self) -> str:
        return f"Call({self.token!r}, now={self.now!r})"


class Route(NamedTuple):
    """An endpoint. ``answer`` gets the call and the parts of the path; it returns a JSON body or raises Refusal.

    A token needs one of ``scopes`` and has to be of one of the ``kinds``; without scopes the endpoint needs no token.
    ``tier`` is that of the rate limits (Figma REST API: Rate limits), None where there is none. ``replaced_by`` is the
    address of the endpoint to use instead of a deprecated one. ``parameters``, ``takes`` and
    ``gives`` are of the OpenAPI document: query parameters and the schemas of the body and of a success.
    ``per_second`` is how often a second a token may ask, whatever its plan.
    """

    method: str
    path: str
    answer: Callable[..., bytes | Answer]
    scopes: tuple[str, ...] = ()
    tier: int | None = None
    errors: Errors = "message"
    kinds: tuple[str, ...] = ANY_TOKEN
    replaced_by: str | None = None
    parameters: tuple[Query, ...] = ()
    takes: Mapping[str, Any] | None = None
    gives: Mapping[str, Any] | None = None
    per_second: int | None = None

    @property
    def writes(self) -> bool:
        """Return whether the endpoint may change the state: all but GET."""
        return self.method != "GET"


class Query(NamedTuple):
    """A query parameter and its JSON schema."""

    name: str
    schema: Mapping[str, Any]
    required: bool = False


def read_json(call: Call) -> Any:
    """Return the JSON value of a request's body; one that is longer than any may be is 413."""
    return decode_json(read_body(call))


def read_object(call: Call) -> dict[str, Any]:
    """Return the members of a request's body; any other JSON value than an object is refused."""
    members = read_json(call)
    if not isinstance(members, dict):
        raise invalid("Request body must be a JSON object")
    return members


def read_body(call: Call) -> bytes:
    """Return the bytes of a request's body."""
    if call.body is None:
        raise Refusal(413, f"Request body is larger than {BODY_BYTES // 1024**2} MB")
    return call.body


def decode_json(body: bytes) -> Any:
    """Return the JSON value of a body. Bad UTF-8, NaN, a repeated member or a nesting without end are refused."""
    try:
        text = body.decode("utf-8")
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_members)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # half a surrogate pair is no text
    except UnicodeError:
        raise invalid("Request body must be valid UTF-8 text") from None
    except RecursionError:
        raise invalid("Request body is nested too deeply") from None
    except ValueError as error:
        raise invalid(f"Request body must be valid JSON: {error}") from None
    return value


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON value")


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the member {repeated[:100]!r} is repeated")
    return members


_DIGITS: Final = 15
_WHOLE: Final = re.compile(rf"[0-9]{{1,{_DIGITS}}}")


def flag(query: Mapping[str, str], name: str) -> bool:
    """True or false; false when it is not given."""
    given = query.get(name, "false")
    if given not in ("true", "false"):
        raise invalid(f"{name} must be true or false")
    return given == "true"


def whole_number(query: Mapping[str, str], name: str, what: str = "a whole number") -> int | None:
    """Return a whole number that is not negative; ``what`` names it where it is refused. None when it is not given."""
    text = query.get(name)
    if text is None:
        return None
    if not _WHOLE.fullmatch(text):
        raise invalid(f"{name} must be {what}")
    return int(text)


def between(query: Mapping[str, str], name: str, least: int, most: int) -> int | None:
    """Return a whole number from ``least`` to ``most``; None when it is not given."""
    what = f"a whole number from {least} to {most}"
    number = whole_number(query, name, what)
    if number is not None and not least <= number <= most:
        raise invalid(f"{name} must be {what}")
    return number


def positive(query: Mapping[str, str], name: str, most: int | None = None) -> int | None:
    """Return a whole number from 1, and to ``most``, which the refusal does not tell; None when it is not given.

    Without ``most`` it may be of any length; of a long one just the first digits count, as it is cut anyway.
    """
    text = query.get(name)
    if text is None:
        return None
    number = int(text[:_DIGITS]) if text.isascii() and text.isdigit() else 0
    if number < 1 or (most is not None and number > most):
        raise invalid(f"{name} must be a positive integer")
    return number


def cursor(*values: Any) -> str:
    """Return the cursor that holds these values."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()


def read_cursor(cursor: str, length: int) -> list[Any]:
    """As many values as ``length``, of any kind, since callers can make cursors up; any other text is refused."""
    try:
        values = json.loads(base64.b64decode(cursor.encode("ascii"), b"-_", validate=True))
    except (ValueError, RecursionError):
        raise invalid_cursor() from None
    if not isinstance(values, list) or len(values) != length:
        raise invalid_cursor()
    return values


def invalid_cursor() -> Refusal:
    """400: the cursor came with no answer of ours."""
    return invalid("Invalid cursor")


_LARGEST: Final = 2**62
"""What SQLite can hold as a number."""


def record_cursor(time: float, number: int) -> str:
    """Return the cursor after the record of this time and number."""
    return cursor(time, number)


def read_record_cursor(cursor: str) -> tuple[float, int]:
    """Return the time and the number of a cursor; a text that is none is refused."""
    time, number = read_cursor(cursor, 2)
    if type(time) not in (int, float) or type(number) is not int or not max(abs(time), abs(number)) < _LARGEST:
        raise invalid_cursor()
    return float(time), number
