"""Access tokens on every endpoint: missing and invalid tokens, scopes and kinds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from emulator.contract.promised import OAUTH, PERSONAL, PLAN, PROMISED, Promise
from emulator.contract.rows import NOBODY, Request, Row, no_setup

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from emulator.platform import Platform

    Setup = Callable[[Platform], Mapping[str, str]]


def rows_of(promise: Promise) -> Iterator[Row]:
    """Yield refusals that come before any other check of the request."""
    path = "/".join("1" if part.startswith(":") else part for part in promise.path.split("/"))
    kind = PERSONAL if PERSONAL in promise.kinds else promise.kinds[0]

    def refused(cites: str, status: int, message: str, by: str = "{other}", setup: Setup = no_setup) -> Row:
        return Row((cites,), Request(promise.method, path, by=by), status, message, setup=setup)

    yield refused(
        "errors: 401 is an authentication problem, and the message describes it",
        401,
        "Authentication required: send an access token",
        NOBODY,
    )
    yield refused("errors: 403 is an invalid or expired token", 403, "Invalid token", "nobody's")
    yield refused("errors: 403 is an invalid or expired token", 403, "Token expired", setup=token(kind, expired=True))
    yield refused(
        "authentication: a scope limits which endpoints a token can call",
        403,
        rf"Invalid scope\(s\): none\. This endpoint requires the {promise.scope} scope",
        setup=token(kind),
    )
    for other in {PERSONAL, OAUTH, PLAN} - set(promise.kinds):
        by = "Bearer {other}" if other == OAUTH else "{other}"
        setup = token(other, scope=promise.scope)
        yield refused(
            "authentication: there are OAuth, personal and plan access tokens",
            403,
            "(This endpoint|Invalid scope).*",
            by,
            setup,
        )


def token(kind: str, *, scope: str | None = None, expired: bool = False) -> Setup:
    """A token as ``other``, of an admin, with one scope or none."""

    def setup(platform: Platform) -> Mapping[str, str]:
        scopes = () if scope is None else (scope,)
        created = platform.emulator.tokens.create(kind=kind, scopes=scopes, admin=True)
        if expired:
            platform.emulator.tokens.set_expiry(created, 0)
        return {"other": created}

    return setup


ROWS = tuple(row for promise in PROMISED if promise.scope is not None for row in rows_of(promise))
