"""Whether a 2xx body is the success that it claims to be (platform-api.md 2.1), without decoding what is in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

if TYPE_CHECKING:
    from tokensync.client.request import Shape


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
