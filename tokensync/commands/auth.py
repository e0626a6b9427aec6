"""Logs in and out of a platform, and reports who is logged in."""

from __future__ import annotations

import os
import time
from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.errors import AccessError, PlatformError, UsageError
from tokensync.project.connection import EMULATOR, app_credential

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.client import Credential
    from tokensync.client.authorization import Authorization
    from tokensync.client.credentials import Login, Removal

REDIRECT_URL = "http://127.0.0.1:18573/callback"
"""What people register with their app, when they have no reason for another one."""
SCOPES = ("current_user:read", "file_variables:read", "file_variables:write")
WAIT_SECONDS = 300.0
CLIENT_ID_VARIABLE = "TOKENSYNC_OAUTH_CLIENT_ID"
CLIENT_SECRET_VARIABLE = "TOKENSYNC_OAUTH_CLIENT_SECRET"  # noqa: S105 - the variable's name

_IDENTITY = "current_user:read"


class Kept(NamedTuple):
    """A login, where it is kept, and the platform in words; and why it is not known whether the platform takes it."""

    login: Login
    where: str
    place: str
    unchecked: str = ""

    @property
    def in_file(self) -> bool:
        """Return whether it is in a file, in place of a keyring."""
        from tokensync.client.credentials import KEYRING

        return self.where != KEYRING


class Status(NamedTuple):
    """Who asks a platform from here. ``source`` is the environment variable or the place that the token is from.

    ``expires`` is Unix seconds, None when not known; ``renewable`` tells whether it renews itself.
    """

    place: str
    source: str
    kind: str
    handle: str = ""
    user: str = ""
    scopes: tuple[str, ...] = ()
    expires: float | None = None
    renewable: bool = False

    def expired(self, now: float) -> bool:
        """Return whether the token is of no use any more, and nothing renews it."""
        return self.expires is not None and self.expires <= now and not self.renewable


def check_platform(base_url: str) -> None:
    """A UsageError for an address that cannot be used, or that nobody logs in to."""
    from tokensync.client.base_url import resolve

    if resolve(base_url).in_process:
        what = "the emulator in this process needs no login"
        raise UsageError(f"base_url: {what}; serve it with tokensync emulator serve, and give its address")


def log_in(
    base_url: str,
    authorization: Authorization,
    client_secret: str,
    *,
    show: Callable[[str, bool], None],
    opens_browser: bool = True,
    wait_seconds: float = WAIT_SECONDS,
    clock: Callable[[], float] = time.time,
) -> Kept:
    """Log in by OAuth: a person allows access in a browser, whose answer is waited for on this machine.

    ``show`` gets the address that the person goes to, and whether a browser was opened there. What is not allowed, too
    late, or not the answer to this login, is a PlatformError, and nothing is stored.
    """
    from tokensync.client import Client
    from tokensync.client.authorization import Listener
    from tokensync.client.credentials import Login

    address = authorization.address(base_url)
    secret = app_credential(client_secret)  # refuses one that cannot be sent before anybody is asked for anything
    with Listener(authorization) as listener:
        show(address, opens_browser and _opened(address))
        code = listener.wait(wait_seconds)
    asked_at = clock()
    with Client(base_url, app_credential(client_secret, code, authorization.verifier)) as client:
        grant = client.oauth.exchange(authorization, code, secret.secret)
    login = Login(
        "oauth",
        grant.access_token,
        asked_at + grant.expires_in,
        grant.refresh_token,
        authorization.client_id,
        client_secret,
        authorization.scopes,
        grant.user_id_string,
    )
    return _keep(base_url, login)


def keep_token(base_url: str, token: str) -> Kept:
    """Store a personal access token (or a plan's).

    One that cannot be sent is a UsageError, and one that the platform refuses an AccessError: it is not stored.
    """
    from tokensync.client.credentials import Login

    check_platform(base_url)
    return _keep(base_url, Login("personal", token.strip()))


def status(base_url: str, environment: Mapping[str, str]) -> Status | None:
    """Return who asks this platform from here, by what is known without asking it; None when nobody is logged in."""
    from tokensync.client import from_environment
    from tokensync.client.base_url import resolve
    from tokensync.client.credentials import CredentialStore

    place = resolve(base_url).label
    if base_url == EMULATOR:
        return Status(place, "the emulator itself", "emulator")
    credential = from_environment(environment)
    if credential is not None:
        return Status(place, credential.source, credential.kind)
    found = CredentialStore(environment).find(place)
    if found is None:
        return None
    login = found.login
    return Status(
        place, found.where, login.kind, login.handle, login.user, login.scopes, login.expires, login.renewable
    )


def log_out(base_url: str, environment: Mapping[str, str]) -> Removal:
    """Forget the stored login of a platform."""
    from tokensync.client.base_url import resolve
    from tokensync.client.credentials import CredentialStore

    return CredentialStore(environment).delete(resolve(base_url).label)


def begin(client_id: str, redirect_url: str, scopes: Iterable[str]) -> Authorization:
    """Return a login to be allowed. An app that is not named is a UsageError."""
    from tokensync.client.authorization import begin as drawn

    if not client_id:
        raise UsageError(f"auth login: the OAuth app is not named; give --client-id, or set {CLIENT_ID_VARIABLE}")
    return drawn(client_id, redirect_url, tuple(scopes) or SCOPES)


def _keep(base_url: str, login: Login) -> Kept:
    from tokensync.client.base_url import resolve
    from tokensync.client.credentials import CredentialStore

    place = resolve(base_url).label
    named, unchecked = _named(base_url, login)
    return Kept(named, CredentialStore(os.environ).save(place, named), place, unchecked)


def _named(base_url: str, login: Login) -> tuple[Login, str]:
    """Return the login with the name of its user, where the token may ask for it and the platform tells.

    With it goes why a token that was typed in could not be checked; the platform itself gave the one of an OAuth login.
    """
    import msgspec

    from tokensync.client import Client

    if login.kind == "oauth" and _IDENTITY not in login.scopes:
        return login, ""
    refused: list[Credential] = []  # for what it is; not a token that only lacks the scope
    try:
        with Client(base_url, login.credential, renew=refused.append) as client:
            user = client.users.me()
    except PlatformError as fault:
        if refused:
            raise
        return login, "" if login.kind == "oauth" or isinstance(fault, AccessError) else str(fault)
    return msgspec.structs.replace(login, user=user.id, handle=user.handle), ""


def _opened(address: str) -> bool:
    """Return whether a browser was opened; systems without one have several ways to say so."""
    import webbrowser

    try:
        return webbrowser.open(address)
    except (webbrowser.Error, OSError):
        return False


def document(found: Status | None, place: str) -> dict[str, Any]:
    """Return a status for programs; times are ISO 8601."""
    if found is None:
        return {"platform": place, "logged_in": False}
    named = found._asdict()
    return {"platform": named.pop("place"), "logged_in": True, **named, "expires": shown_time(found.expires)}


def shown_time(seconds: float | None) -> str | None:
    """Unix seconds as people and programs read them, to the minute in UTC; None when not known."""
    from datetime import UTC, datetime

    if seconds is None:
        return None
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="minutes").replace("+00:00", "Z")
