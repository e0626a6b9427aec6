"""What an app asks a user for, whether it may, and the code that the user's word becomes (platform-api.md 3.1, 4.1)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple
from urllib.parse import urlencode

from tokensync.emulator.accounts import apps, people
from tokensync.emulator.accounts.app_settings import LEGACY
from tokensync.emulator.accounts.scopes import ORGANIZATION
from tokensync.emulator.endpoints.refusal import Refusal, invalid
from tokensync.emulator.filing import sharing
from tokensync.emulator.limits import OAUTH_CODE_SECONDS

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping

    from tokensync.emulator.accounts.apps import App
    from tokensync.emulator.accounts.people import User
    from tokensync.emulator.endpoints.route import Call

_SEPARATORS: Final = re.compile(r"[ ,]+")
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""A SHA-256 in base64url without padding (RFC 7636 section 4.2)."""


class Asked(NamedTuple):
    """A request for authorization that is as it should be. ``challenge`` is None without PKCE."""

    app: App
    redirect_url: str
    scopes: tuple[str, ...]
    state: str
    challenge: str | None


def asked(connection: sqlite3.Connection, query: Mapping[str, str]) -> Asked:
    """Return what an authorization URL asks for. A Refusal tells what is wrong with it: nobody is redirected with an
    error.
    """
    app = apps.find(connection, query.get("client_id", ""))
    if app is None:
        raise invalid("Invalid client_id")
    redirect_url = query.get("redirect_uri", "")
    if redirect_url not in app.redirect_urls:
        raise invalid("redirect_uri is not a registered redirect URL of the app")
    if query.get("response_type") != "code":
        raise invalid("response_type must be code")
    if not query.get("state"):
        raise invalid("state is required")
    challenge = query.get("code_challenge") or None
    if query.get("code_challenge_method", "S256") != "S256":
        raise invalid("code_challenge_method must be S256")
    if challenge is not None and not _CHALLENGE.fullmatch(challenge):
        raise invalid("code_challenge must be a SHA-256 in base64url without padding")
    return Asked(app, redirect_url, _scopes(app, query.get("scope", "")), query["state"], challenge)


def check_user(connection: sqlite3.Connection, what: Asked, user: User) -> None:
    """Refuse a user for whom the app does not work in its state, or who may not speak for the organization."""
    app = what.app
    if not _works_for(connection, app, user):
        raise Refusal(403, f"The app is {app.state}: it does not work for this user")
    if any(each.startswith(ORGANIZATION) for each in what.scopes) and not (
        user.admin and apps.of_enterprise(connection, app)
    ):
        raise Refusal(403, "Only organization admins of Enterprise organizations can authorize organization scopes")


def allow(call: Call, what: Asked, user: User) -> str:
    """Make a code that is valid for 30 seconds; the address that the user's browser goes to with it."""
    check_user(call.connection, what, user)
    (made,) = call.connection.execute("SELECT count(*) FROM oauth_codes").fetchone()
    code = call.identities.key("oauth code", str(made))
    scopes = None if LEGACY in what.scopes else " ".join(what.scopes)
    call.connection.execute(
        "INSERT INTO oauth_codes (code, app, user, redirect_url, scopes, challenge, expires)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (code, what.app.client_id, user.id, what.redirect_url, scopes, what.challenge, call.now + OAUTH_CODE_SECONDS),
    )
    joint = "&" if "?" in what.redirect_url else "?"
    return f"{what.redirect_url}{joint}{urlencode({'code': code, 'state': what.state})}"


def _scopes(app: App, text: str) -> tuple[str, ...]:
    if not app.scopes:
        raise invalid("The app has no scopes: select some before it is used")
    scopes = tuple(dict.fromkeys(filter(None, _SEPARATORS.split(text))))
    if not scopes:
        raise invalid("scope is required")
    wrong = [each for each in scopes if each not in app.scopes]
    if wrong:
        raise invalid(f"Invalid scope(s): {', '.join(wrong)[:200]}. They are not among the scopes of the app")
    return scopes


def _works_for(connection: sqlite3.Connection, app: App, user: User) -> bool:
    """Return a draft, and an app that waits for a review, works only for its creator and the plan's admins."""
    if app.state == apps.PUBLISHED_PUBLIC or user.id == app.creator or user.admin:
        return True
    if app.state != apps.PUBLISHED_PRIVATE or user.account == people.GUEST:
        return False
    return app.team is None or sharing.role_on_team(connection, user, app.team) is not None
