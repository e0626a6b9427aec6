"""OAuth endpoints. Apps authenticate with Basic authorization (RFC 6749, section 2.3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from tokensync.extract.client.endpoint import BASIC, BODY, Endpoint, Parameter
from tokensync.system.errors import NotFoundError, RequestError

if TYPE_CHECKING:
    from tokensync.extract.client.authorization import Authorization
    from tokensync.extract.client.session import Session


_APP: Final = (
    Parameter("client_id", "client id of the app", BASIC, required=True),
    Parameter("client_secret", "client secret of the app", BASIC, required=True, secret=True),
)
_SUBJECT: Final = "OAuth app"

AUTHORIZE: Final = Endpoint(
    "oauth",
    "authorize",
    "GET",
    "oauth",
    "Open the page on which a user allows an app access (in a browser; see tokensync auth login).",
    (),
    parameters=(
        Parameter("client_id", "client id of the app", required=True),
        Parameter("redirect_uri", "one of the app's registered redirect URLs", required=True),
        Parameter("scope", "scopes, separated by spaces or commas", required=True),
        Parameter("state", "a random string that is returned unchanged", required=True),
        Parameter("response_type", "code", required=True),
        Parameter("code_challenge", "SHA-256 of the code_verifier, in base64url"),
    ),
    subject=_SUBJECT,
    for_browsers=True,
)
TOKEN: Final = Endpoint(
    "oauth",
    "token",
    "POST",
    "v1/oauth/token",
    "Exchange a code or refresh token for an access token.",
    (),
    parameters=(
        *_APP,
        Parameter("grant_type", "authorization_code or refresh_token", BODY, required=True),
        Parameter("code", "the code from the callback", BODY, secret=True),
        Parameter("redirect_uri", "the redirect_uri of the authorization request", BODY),
        Parameter("code_verifier", "the secret of the code_challenge", BODY, secret=True),
        Parameter("refresh_token", "the refresh token, instead of a code", BODY, secret=True),
    ),
    shape="plain",
    subject=_SUBJECT,
    form=True,
)
REFRESH: Final = Endpoint(
    "oauth",
    "refresh",
    "POST",
    "v1/oauth/refresh",
    "Exchange a refresh token for an access token.",
    (),
    parameters=(*_APP, Parameter("refresh_token", "the refresh token", BODY, required=True, secret=True)),
    shape="plain",
    subject=_SUBJECT,
    form=True,
    replaced_by="oauth token",
)
ENDPOINTS: Final = (AUTHORIZE, TOKEN, REFRESH)


class Grant(msgspec.Struct, frozen=True):
    """A response of the token endpoints. ``expires_in`` is in seconds. A refresh returns no refresh token and no user.

    Tokens that no header can carry and expiries centuries away are invalid. The numeric user_id is not read, since it
    may exceed the integers that JSON can carry safely.
    """

    access_token: Annotated[str, msgspec.Meta(pattern=r"^[!-~]+\Z")]
    expires_in: Annotated[int, msgspec.Meta(ge=0, le=10_000_000_000)]
    refresh_token: str = ""
    user_id_string: str = ""

    def __repr__(self) -> str:
        return f"Grant(expires_in={self.expires_in!r}, user_id_string={self.user_id_string!r})"


class OAuth:
    """Gets access tokens for an app. The client's credential is the app's secret."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def exchange(self, authorization: Authorization, code: str, client_secret: str) -> Grant:
        """Exchange a code, which is valid once and for 30 seconds, for tokens."""
        values = {
            "client_id": authorization.client_id,
            "client_secret": client_secret,
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": authorization.redirect_url,
            "code_verifier": authorization.verifier,
        }
        return self._session.read(TOKEN.request(values), Grant)

    def refresh(self, client_id: str, client_secret: str, refresh_token: str) -> Grant:
        """Return a new access token; the previous one becomes invalid.

        The fields of the newer endpoint are not documented, so the older one is the fallback.
        """
        values = {"client_id": client_id, "client_secret": client_secret, "refresh_token": refresh_token}
        try:
            return self._session.read(TOKEN.request({**values, "grant_type": "refresh_token"}), Grant)
        except (RequestError, NotFoundError):
            return self._session.read(REFRESH.request(values), Grant)
