"""What a person's browser is sent to the platform with, and what proves that the answer belongs to it.

platform-api.md 4.1 and 5: the authorization code flow with PKCE S256 (RFC 7636). State and verifier are drawn anew for
each login; only a digest of the verifier leaves this process before the code is exchanged.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlencode

from tokensync.client import base_url as base_urls
from tokensync.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

_SITES = {"https://api.figma.com": "https://www.figma.com", "https://api.figma-gov.com": "https://www.figma-gov.com"}
"""Where people allow access, for APIs that are elsewhere. Any other platform has its page beside its API."""


class Authorization(NamedTuple):
    """One login on its way. Its repr shows neither state nor verifier."""

    client_id: str
    redirect_url: str
    scopes: tuple[str, ...]
    state: str
    verifier: str

    def address(self, base_url: str) -> str:
        """Where the person allows access, on the platform of this ``base_url``."""
        base = base_urls.resolve(base_url)
        if base.in_process:
            raise UsageError("base_url: the emulator in this process has no web page; serve it and give its address")
        asked = {
            "client_id": self.client_id,
            "redirect_uri": self.redirect_url,
            "scope": " ".join(self.scopes),
            "state": self.state,
            "response_type": "code",
            "code_challenge": self.challenge,
            "code_challenge_method": "S256",
        }
        return f"{_SITES.get(base.url, base.url)}/oauth?{urlencode(asked)}"

    @property
    def challenge(self) -> str:
        """The SHA-256 of the verifier in base64url without padding."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        return base64.urlsafe_b64encode(digest).rstrip(b"=").decode()

    def expects(self, state: str) -> bool:
        """Whether an answer with this state is the one to this login; it takes the same time whatever the state is."""
        return hmac.compare_digest(state.encode("utf-8", "surrogatepass"), self.state.encode())

    def __repr__(self) -> str:
        return f"Authorization({self.client_id!r}, {self.redirect_url!r}, {self.scopes!r})"


def begin(client_id: str, redirect_url: str, scopes: Iterable[str]) -> Authorization:
    """A login with a state and a verifier of its own, 256 random bits or more each."""
    return Authorization(
        client_id, redirect_url, tuple(dict.fromkeys(scopes)), secrets.token_urlsafe(32), secrets.token_urlsafe(64)
    )
