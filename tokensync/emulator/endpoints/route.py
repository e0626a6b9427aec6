"""What a file of routes declares, and what its functions get."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

from tokensync.emulator.accounts.tokens import OAUTH, PERSONAL, PLAN

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping

    from tokensync.emulator.accounts.people import User
    from tokensync.emulator.accounts.tokens import Token
    from tokensync.emulator.endpoints.answers import Answer
    from tokensync.emulator.state.identity import Identities

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
    ``tier`` is that of the rate limits (platform-facts "Rate limits"), None where there is none. ``replaced_by`` is the
    address of the endpoint to use instead of a deprecated one (platform-api.md 9). ``parameters``, ``takes`` and
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
