"""The access token: found in the environment, sent in one header, and never shown.

platform-api.md 5 and platform-facts "Auth": an OAuth token travels as ``Authorization: Bearer``, a personal or plan
access token as ``X-Figma-Token``. Which one a token is cannot be read from it, so the variable that holds it says so.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, NoReturn
from urllib.parse import quote

from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

Kind = Literal["oauth", "personal"]

VARIABLES: tuple[tuple[str, Kind], ...] = (
    ("FIGMA_OAUTH_TOKEN", "oauth"),
    ("FIGMA_ACCESS_TOKEN", "personal"),
    ("FIGMA_TOKEN", "personal"),
)
"""The environment variables that may hold a token, the first that is set wins; "personal" covers plan access tokens."""

HIDDEN = "[hidden]"
STORED = "the stored login"
"""The ``source`` of what ``tokensync auth login`` keeps."""


class Credential:
    """A token and the header it travels in. Its repr, str and every message of the client hide the secret."""

    __slots__ = ("_others", "_secret", "kind", "source")

    def __init__(self, kind: Kind, secret: str, source: str = "the access token", others: tuple[str, ...] = ()) -> None:
        """``source`` says where the token came from, for messages; a secret that cannot be a header is a UsageError.

        ``others`` are secrets that are sent besides, in bodies, and hidden like this one.
        """
        secret = secret.strip()
        if not secret:
            raise UsageError(f"{source}: it is empty; put an access token there")
        if not all("!" <= character <= "~" for character in secret):
            raise UsageError(
                f"{source}: it holds a space, a line break or another character that no access token has; "
                "copy the token again, alone"
            )
        self.kind = kind
        self.source = source
        self._secret = secret
        self._others = tuple(filter(None, others))

    @property
    def secret(self) -> str:
        """The token itself: for the request header and the keyring, nothing else."""
        return self._secret

    def header(self) -> tuple[str, str]:
        """The name and the value of the header that carries this token."""
        if self.kind == "oauth":
            return "Authorization", f"Bearer {self._secret}"
        return "X-Figma-Token", self._secret

    def hide_in(self, text: str) -> str:
        """The text with the secrets, as they are or percent-encoded, replaced."""
        for secret in (self._secret, *self._others):
            text = text.replace(secret, HIDDEN).replace(quote(secret, safe=""), HIDDEN)
        return text

    def __repr__(self) -> str:
        return f"Credential({self.kind!r}, {HIDDEN!r}, {self.source!r})"

    def __reduce__(self) -> NoReturn:
        raise TypeError("a Credential is never pickled or copied to where its secret could be read")


Renew = Callable[[Credential], Credential | None]
"""Given a token that the platform refused, another one; None when there is none."""


def from_environment(environment: Mapping[str, str]) -> Credential | None:
    """The token of the first variable of ``VARIABLES`` that is set and not blank, or None."""
    for name, kind in VARIABLES:
        if environment.get(name, "").strip():
            return Credential(kind, environment[name], name)
    return None


def required_from_environment(environment: Mapping[str, str]) -> Credential:
    """The token of ``from_environment``; none is a UsageError that says what to set."""
    credential = from_environment(environment)
    if credential is None:
        oauth, *others = (name for name, _ in VARIABLES)
        raise UsageError(
            f"environment: no access token is set; put a personal access token in {others[0]} (or {others[1]}), "
            f"or an OAuth token in {oauth}, or log in with tokensync auth login"
        )
    return credential
