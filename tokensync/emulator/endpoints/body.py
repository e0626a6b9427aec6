"""A request's body as JSON, read as strictly as the text allows: whatever is not plain JSON is 400, never a crash."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tokensync.emulator.endpoints.refusal import Refusal, invalid
from tokensync.emulator.limits import BODY_BYTES

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call


def read(call: Call) -> Any:
    """Return the JSON value of a request's body; one that is longer than any may be is 413."""
    return decode(whole(call))


def read_object(call: Call) -> dict[str, Any]:
    """Return the members of a request's body; any other JSON value than an object is refused."""
    members = read(call)
    if not isinstance(members, dict):
        raise invalid("Request body must be a JSON object")
    return members


def whole(call: Call) -> bytes:
    """Return the bytes of a request's body."""
    if call.body is None:
        raise Refusal(413, f"Request body is larger than {BODY_BYTES // 1024**2} MB")
    return call.body


def decode(body: bytes) -> Any:
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
