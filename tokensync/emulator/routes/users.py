"""GET me: whose token it is (platform-facts "User")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.accounts import people
from tokensync.emulator.accounts.scopes import BROAD
from tokensync.emulator.endpoints.answers import as_json
from tokensync.emulator.endpoints.route import Route
from tokensync.emulator.endpoints.shapes import TEXT, members

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call


def read_me(call: Call) -> bytes:
    """The user, with the mail address that nobody else is shown."""
    user = people.known(call.connection, call.token.user)
    return as_json(people.document(user) | {"email": user.email})


_ME: Final = members({"id": TEXT, "handle": TEXT, "img_url": TEXT, "email": TEXT})
ROUTES: Final = (Route("GET", "/v1/me", read_me, scopes=("current_user:read", BROAD), tier=3, errors="err", gives=_ME),)
