"""Declaration of endpoints: routes and their schemas, the call they receive, request parsing, answers and refusals."""

from __future__ import annotations

import base64
import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, TypeVar

import msgspec

from tokensync.emulator.tokens import OAUTH, PERSONAL, PLAN, Token
from tokensync.system.errors import DECODE_ERRORS

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping
    from wsgiref.types import WSGIEnvironment

    from tokensync.emulator.people import User
    from tokensync.emulator.store import Connection, Identities


Thing = TypeVar("Thing")

BODY_BYTES: Final = 4_000_000
"""The largest request body, 4 MB; larger ones are answered with 413."""


class Refusal(Exception):
    """An error answer with ``message``. Raising it rolls the request's transaction back."""

    def __init__(self, status: int, message: str, headers: tuple[tuple[str, str], ...] = ()) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.headers = headers


def existing(found: Thing | None, what: str) -> Thing:
    """Return what was found; refuse with 404 if there is nothing."""
    if found is None:
        raise Refusal(404, f"{what} not found")
    return found


def invalid(message: str) -> Refusal:
    """Return a refusal with status 400."""
    return Refusal(400, message)


JSON: Final = "application/json; charset=utf-8"


ALLOWED_HOSTS: Final = "tokensync.allowed_hosts"
"""The key in the environ of the names that requests from other machines may ask for, besides those of this machine."""
UNKNOWN: Final = "tokensync.unknown"
"""The key in the environ of the list for what the emulator does not know in a request."""
STRICT: Final = "tokensync.strict"
"""The key in the environ that is true if such a request is refused."""


TEAM_ID: Final = "webhook-team-id"
PAUSED_BY_400: Final = "webhook-400-pauses"
EVENT_RETRIES: Final = "event-retries"
TOKEN_403: Final = "missing-token-403"  # noqa: S105 - not a secret
VERSIONS_TURNED: Final = "versions-reversed"
QUIRKS: Final = {
    TEAM_ID: "a webhook of a team may be created with team_id alone, as older receivers do",
    PAUSED_BY_400: "a webhook whose endpoint answers 400 is paused",
    EVENT_RETRIES: "webhook events have the members retries, which counts attempts, and protocol_version",
    TOKEN_403: "a request without a token is refused with 403, not with 401",
    VERSIONS_TURNED: "in lists of versions, after selects older ones and before newer ones",
}
"""What some say of the service against its specification: off unless it is asked for, by these names."""


class Answer(NamedTuple):
    """An answer. ``headers`` are added to the default headers."""

    body: bytes = b""
    status: int = 200
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


def path_of(environ: WSGIEnvironment) -> str:
    """Return the path of a request; in the environ, its bytes are read as Latin-1 (PEP 3333)."""
    return str(environ["PATH_INFO"]).encode("latin-1").decode(errors="replace")


def as_json(document: Any) -> bytes:
    """Return a JSON body without the envelope."""
    return msgspec.json.encode(document)


def in_envelope(meta: Any) -> bytes:
    """Return a JSON body with ``meta`` in the envelope."""
    return msgspec.json.encode({"status": 200, "error": False, "meta": meta})


def timestamp(seconds: float, precision: str = "milliseconds") -> str:
    """Return Unix seconds as ISO 8601 in UTC with milliseconds, or only to the ``precision`` of seconds."""
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec=precision).replace("+00:00", "Z")


Errors = Literal["message", "err", "i18n"]
"""The format of error bodies: ``{status, error, message}``, or the same with an additional member."""

ANY_SCOPE: Final = ""
ANY_TOKEN: Final = (PERSONAL, OAUTH, PLAN)
OF_PEOPLE: Final = (PERSONAL, OAUTH)
"""The kinds of tokens that act for a user; a plan access token has none."""


class Call(NamedTuple):
    """A request being answered in the transaction of ``connection``.

    ``now`` is Unix seconds. ``body`` is None if it was too large. ``query`` has the first value of a repeated
    parameter. ``root`` is the base URL of the request without a trailing slash, for links in answers. Routes without
    scopes must not use ``token`` and ``user``. The repr omits headers, body and query, which may hold secrets.
    """

    connection: Connection
    now: float
    identities: Identities
    body: bytes | None
    query: Mapping[str, str]
    headers: Mapping[str, str]
    root: str
    token: Token
    user: User
    quirks: Collection[str] = ()

    def __repr__(self) -> str:
        return f"Call({self.token!r}, now={self.now!r})"


class Route(NamedTuple):
    """An endpoint. ``answer`` receives the call and the path parameters, and returns a JSON body or raises Refusal.

    A token needs one of ``kinds`` and of ``scopes``, or any for ``ANY_SCOPE``; an endpoint without scopes needs no
    token. ``tier`` is the rate limit tier (Figma REST API: Rate limits), or None without a limit. ``per_second`` limits
    the requests of a token per second on any plan. ``replaced_by`` is the path of a deprecated endpoint's replacement.
    The OpenAPI document uses ``parameters`` (query parameters) and the schemas of the body (``accepts``) and answer
    (``returns``).
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
    accepts: Mapping[str, Any] | None = None
    returns: Mapping[str, Any] | None = None
    per_second: int | None = None

    @property
    def writes(self) -> bool:
        """Return whether the endpoint may change state: true except for GET."""
        return self.method != "GET"


class Query(NamedTuple):
    """A query parameter and its JSON schema."""

    name: str
    schema: Mapping[str, Any]
    required: bool = False


def read_json(call: Call) -> Any:
    """Return the JSON value of the request body."""
    return decode_json(read_body(call))


def read_object(call: Call) -> dict[str, Any]:
    """Return the JSON object of the request body; refuse any other JSON value."""
    members = read_json(call)
    if not isinstance(members, dict):
        raise invalid("Request body must be a JSON object")
    return members


def read_body(call: Call) -> bytes:
    """Return the request body; refuse one that is too large with 413."""
    if call.body is None:
        raise Refusal(413, f"Request body is larger than {BODY_BYTES // 10**6} MB")
    return call.body


def decode_json(body: bytes) -> Any:
    """Return the JSON value of a body; refuse invalid UTF-8, NaN, repeated members and excessive nesting."""
    try:
        text = body.decode("utf-8")
        value = json.loads(text, parse_constant=_no_constant, object_pairs_hook=_members)
        if "\\u" in text:
            json.dumps(value, ensure_ascii=False).encode("utf-8")  # fails for an unpaired surrogate
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
    """Return a boolean parameter, false by default."""
    text = query.get(name, "false")
    if text not in ("true", "false"):
        raise invalid(f"{name} must be true or false")
    return text == "true"


def whole_number(
    query: Mapping[str, str],
    name: str,
    description: str = "a whole number",
    minimum: int = 0,
    maximum: int = 10**_DIGITS,
) -> int | None:
    """Return an integer parameter within bounds, or None if it is absent.

    A refusal says that the parameter must be ``description``.
    """
    text = query.get(name)
    if text is None:
        return None
    if not _WHOLE.fullmatch(text) or not minimum <= int(text) <= maximum:
        raise invalid(f"{name} must be {description}")
    return int(text)


def between(query: Mapping[str, str], name: str, minimum: int, maximum: int) -> int | None:
    """Return an integer parameter from ``minimum`` to ``maximum``, or None if it is absent."""
    return whole_number(query, name, f"a whole number from {minimum} to {maximum}", minimum, maximum)


def positive(query: Mapping[str, str], name: str, maximum: int = 10**_DIGITS) -> int | None:
    """Return a positive integer parameter up to ``maximum``, or None if it is absent."""
    return whole_number(query, name, "a positive integer", 1, maximum)


def cursor(*values: Any) -> str:
    """Return a cursor that encodes these values."""
    return base64.urlsafe_b64encode(json.dumps(values).encode()).decode()


def read_cursor(cursor: str, length: int) -> list[Any]:
    """Return the ``length`` values of a cursor; refuse any other text.

    Clients can forge cursors, so the values may be of any JSON type.
    """
    try:
        values = json.loads(base64.b64decode(cursor.encode("ascii"), b"-_", validate=True))
    except DECODE_ERRORS:
        raise invalid_cursor() from None
    if not isinstance(values, list) or len(values) != length:
        raise invalid_cursor()
    return values


def invalid_cursor() -> Refusal:
    """Return the refusal of a malformed cursor."""
    return invalid("Invalid cursor")


_LARGEST: Final = 2**62
"""A bound on numbers from cursors that SQLite can store."""


def read_record_cursor(cursor: str) -> tuple[float, int]:
    """Return the time and the number of a record cursor; refuse any other text."""
    time, number = read_cursor(cursor, 2)
    if type(time) not in (int, float) or type(number) is not int or not max(abs(time), abs(number)) < _LARGEST:
        raise invalid_cursor()
    return float(time), number


Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
NUMBER: Final[Schema] = {"type": "number"}
BOOLEAN: Final[Schema] = {"type": "boolean"}
TIME: Final[Schema] = {"type": "string", "format": "date-time"}
OBJECT: Final[Schema] = {"type": "object"}


def members(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with these members; others are allowed."""
    return {"type": "object", "required": list(required), "properties": required | (optional or {})}


def array(items: Schema) -> Schema:
    """Return the schema of an array."""
    return {"type": "array", "items": items}


def mapping(values: Schema) -> Schema:
    """Return the schema of an object with arbitrary names."""
    return {"type": "object", "additionalProperties": values}


def or_null(schema: Schema) -> Schema:
    """Return the schema of a nullable value."""
    return {"anyOf": [schema, {"type": "null"}]}


def envelope(meta: Schema) -> Schema:
    """Return the schema of a successful answer with this ``meta``."""
    return members({"status": {"const": 200}, "error": {"const": False}, "meta": meta})


def unknown_members(schema: Mapping[str, Any], value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of members that a schema does not list, nor any of its alternatives."""
    alternatives = schema.get("anyOf") or schema.get("oneOf")
    if alternatives:
        first, *others = ([*unknown_members(part, value, path)] for part in alternatives)
        yield from (name for name in first if all(name in other for other in others))
    elif isinstance(value, list):
        for number, element in enumerate(value):
            yield from unknown_members(schema.get("items", {}), element, f"{path}/{number}")
    elif isinstance(value, dict) and "properties" in schema:
        for name, member in value.items():
            if name in schema["properties"]:
                yield from unknown_members(schema["properties"][name], member, f"{path}/{name}")
            else:
                yield f"{path}/{name}"


USER: Final = members({"id": TEXT, "handle": TEXT, "img_url": TEXT})
DONE: Final = members({"status": {"const": 200}, "error": {"const": False}})
"""A successful answer without a result."""
