"""The user of an access token (Figma REST API: Users)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator import people
from tokensync.emulator.endpoints import TEXT, Route, as_json, members
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    from tokensync.emulator.endpoints import Call


def read_me(call: Call) -> bytes:
    """Return the token's user, including the email address."""
    user = people.require(call.connection, call.token.user)
    return as_json(people.document(user) | {"email": user.email})


_ME: Final = members({"id": TEXT, "handle": TEXT, "img_url": TEXT, "email": TEXT})
ROUTES: Final = (
    Route("GET", "/v1/me", read_me, scopes=("current_user:read", BROAD), tier=3, errors="err", returns=_ME),
)
