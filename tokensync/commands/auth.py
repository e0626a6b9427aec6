"""Log in to a platform, log out, and report the current login."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.project.connection import EMULATOR, app_credential
from tokensync.system.child import browse
from tokensync.system.errors import AccessError, PlatformError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.extract.client import Credential
    from tokensync.extract.client.authorization import Authorization
    from tokensync.extract.client.credentials import Login, Removal, StoredLogin

REDIRECT_URL = "http://127.0.0.1:18573/callback"
"""The redirect URL that users register with their app by default."""
SCOPES = ("current_user:read", "file_variables:read", "file_variables:write")
WAIT_SECONDS = 300.0
CLIENT_ID_VARIABLE = "TOKENSYNC_OAUTH_CLIENT_ID"

_IDENTITY = "current_user:read"


class Status(NamedTuple):
    """The current login. ``source`` is the environment variable, file or keyring that the token comes from.

    ``expires`` is in Unix seconds, None if unknown; ``renewable`` means that the client renews the token. ``confirmed``
    tells whether the platform confirmed a stored login, and is None for other tokens.
    """

    platform: str
    source: str
    kind: str
    handle: str = ""
    user: str = ""
    scopes: tuple[str, ...] = ()
    expires: float | None = None
    renewable: bool = False
    confirmed: bool | None = None

    def expired(self, now: float) -> bool:
        """Return whether the token has expired and cannot be renewed."""
        return self.expires is not None and self.expires <= now and not self.renewable


def check_platform(base_url: str) -> None:
    """Raise UsageError for an invalid base URL, or for a platform that has no login."""
    from tokensync.extract.client.addresses import resolve

    if resolve(base_url).in_process:
        raise UsageError(
            "base_url: the embedded emulator needs no login; to test one, run tokensync emulator serve and give its URL"
        )


def log_in(
    base_url: str,
    authorization: Authorization,
    client_secret: str,
    *,
    show: Callable[[str, bool], None],
    opens_browser: bool = True,
    wait_seconds: float = WAIT_SECONDS,
    clock: Callable[[], float] = time.time,
) -> StoredLogin:
    """Log in by OAuth: open a browser for the user to allow access, and wait for the redirect to this machine.

    ``show`` receives the authorization URL, and whether a browser opened it. Raises PlatformError, and stores nothing,
    if access is denied, the wait times out, or the response belongs to another login.
    """
    from tokensync.extract.client import Client
    from tokensync.extract.client.authorization import CallbackServer
    from tokensync.extract.client.credentials import Login

    address = authorization.address(base_url)
    secret = app_credential(client_secret)  # refuses an unusable secret before the user has to do anything
    with CallbackServer(authorization) as listener:
        show(address, opens_browser and browse(address))
        code = listener.wait(wait_seconds)
    requested_at = clock()
    with Client(base_url, app_credential(client_secret, code, authorization.verifier)) as client:
        grant = client.oauth.exchange(authorization, code, secret.secret)
    login = Login(
        "oauth",
        grant.access_token,
        requested_at + grant.expires_in,
        grant.refresh_token,
        authorization.client_id,
        client_secret,
        authorization.scopes,
        grant.user_id_string,
    )
    return _save(base_url, _with_user(base_url, login))


def store_token(base_url: str, token: str, *, offline: bool = False) -> StoredLogin:
    """Store a personal or plan access token that the platform confirms, or any if ``offline``.

    Raises UsageError for a malformed token, and PlatformError if the platform refuses the token or does not answer;
    then nothing is stored.
    """
    from tokensync.extract.client.credentials import Login

    check_platform(base_url)
    login = Login("personal", token.strip(), confirmed=not offline)
    _ = login.credential  # refuses a malformed token
    return _save(base_url, login if offline else _with_user(base_url, login))


def status(base_url: str, environment: Mapping[str, str]) -> Status | None:
    """Return the current login without contacting the platform; None if there is none."""
    from tokensync.extract.client import from_environment
    from tokensync.extract.client.addresses import resolve
    from tokensync.extract.client.credentials import CredentialStore

    platform = resolve(base_url).label
    if base_url == EMULATOR:
        return Status(platform, "the emulator itself", "emulator")
    credential = from_environment(environment)
    if credential is not None:
        return Status(platform, credential.source, credential.kind)
    stored = CredentialStore(environment).find(platform)
    if stored is None:
        return None
    login = stored.login
    return Status(
        platform,
        stored.location,
        login.kind,
        login.handle,
        login.user,
        login.scopes,
        login.expires,
        login.renewable,
        login.confirmed,
    )


def log_out(base_url: str, environment: Mapping[str, str]) -> Removal:
    """Delete the stored login of a platform."""
    from tokensync.extract.client.addresses import resolve
    from tokensync.extract.client.credentials import CredentialStore

    return CredentialStore(environment).delete(resolve(base_url).label)


def begin(client_id: str, redirect_url: str, scopes: Iterable[str]) -> Authorization:
    """Begin an authorization. Raises UsageError if ``client_id`` is empty."""
    from tokensync.extract.client.authorization import begin as new_authorization

    if not client_id:
        raise UsageError(f"auth login: the OAuth app is missing; give --client-id, or set {CLIENT_ID_VARIABLE}")
    return new_authorization(client_id, redirect_url, tuple(scopes) or SCOPES)


def _save(base_url: str, login: Login) -> StoredLogin:
    from tokensync.extract.client.addresses import resolve
    from tokensync.extract.client.credentials import CredentialStore

    return CredentialStore(os.environ).save(resolve(base_url).label, login)


def _with_user(base_url: str, login: Login) -> Login:
    """Return the login with its user, if the token may read it. Raises PlatformError for an unconfirmed token.

    A 403 that names the missing scope confirms a token, too. An OAuth token needs no confirmation: the platform has
    just issued it.
    """
    import msgspec

    from tokensync.extract.client import Client

    if login.kind == "oauth" and _IDENTITY not in login.scopes:
        return login
    refused: list[Credential] = []  # invalid tokens only, not those that lack the scope
    try:
        with Client(base_url, login.credential, renew=refused.append) as client:
            user = client.users.me()
    except PlatformError as error:
        is_known = isinstance(error, AccessError) and error.token_known
        is_issued = login.kind == "oauth" and not refused
        if not (is_known or is_issued or (login.kind == "personal" and refused and _is_plan_token(base_url, login))):
            raise
        return login
    return msgspec.structs.replace(login, user=user.id, handle=user.handle)


def _is_plan_token(base_url: str, login: Login) -> bool:
    """Return whether another endpoint takes a token that has no user: GET /v1/me takes no plan access token."""
    from tokensync.extract.client import Client
    from tokensync.extract.client.endpoints import BY_NAME

    refused: list[Credential] = []
    try:
        with Client(base_url, login.credential, renew=refused.append) as client:
            client.call_without_waiting(BY_NAME["files meta"], file_key="0")
    except PlatformError as error:
        return not refused and error.status in (400, 403, 404)
    return True


def document(status: Status | None, platform: str) -> dict[str, Any]:
    """Return a status as a JSON object; times are ISO 8601."""
    if status is None:
        return {"platform": platform, "logged_in": False}
    return {"platform": platform, "logged_in": True, **status._asdict(), "expires": iso_minutes(status.expires)}


def iso_minutes(seconds: float | None) -> str | None:
    """Return Unix seconds as ISO 8601 in UTC, to the minute; None if unknown."""
    from datetime import UTC, datetime

    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="minutes").replace("+00:00", "Z")
