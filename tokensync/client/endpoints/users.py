"""The user of an access token (Figma REST API: Users)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.client.endpoint import Endpoint

if TYPE_CHECKING:
    from tokensync.client.session import Session


ME: Final = Endpoint(
    "users",
    "me",
    "GET",
    "v1/me",
    "Get the user of the access token.",
    ("current_user:read",),
    3,
    shape="plain",
    subject="user",
)
ENDPOINTS: Final = (ME,)


class User(msgspec.Struct, frozen=True):
    """A user; ``email`` is visible only to the user."""

    id: str
    handle: str = ""
    img_url: str = ""
    email: str = ""


class Users:
    """Identifies the user of the token."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def me(self) -> User:
        """Return the user of the access token."""
        return self._session.read(ME.request({}), User)
