"""Codes and refresh tokens become access tokens: one at a time for an app and a user (platform-api.md 3.2, 4.1, 5)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator.accounts import tokens
from tokensync.emulator.endpoints.refusal import invalid
from tokensync.emulator.oauth import form

if TYPE_CHECKING:
    from tokensync.emulator.accounts.apps import App
    from tokensync.emulator.endpoints.route import Call

_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")
"""RFC 7636 section 4.1."""


def exchange(call: Call, app: App, given: dict[str, str]) -> dict[str, Any]:
    """Return the answer to a code: an access token and a refresh token. A code is good for one exchange."""
    code, redirect_url = form.required(given, "code"), form.required(given, "redirect_uri")
    query = "SELECT user, redirect_url, scopes, challenge, expires, used FROM oauth_codes WHERE code = ? AND app = ?"
    row = call.connection.execute(query, (code, app.client_id)).fetchone()
    if row is None:
        raise invalid("Invalid code")
    user, of_code, scopes, challenge, expires, used = row
    if used:
        raise invalid("Code was used already")
    if expires <= call.now:
        raise invalid("Code expired")
    if redirect_url != of_code:
        raise invalid("redirect_uri is not the one of the authorization")
    if redirect_url not in app.redirect_urls:
        raise invalid("redirect_uri is not a registered redirect URL of the app")
    _check_verifier(challenge, given.get("code_verifier"))
    call.connection.execute("UPDATE oauth_codes SET used = 1 WHERE code = ?", (code,))
    refresh_token = call.identities.key("oauth refresh token", code)
    call.connection.execute(
        "INSERT OR REPLACE INTO oauth_grants VALUES (?, ?, ?, ?)", (app.client_id, user, refresh_token, scopes)
    )
    return {
        "user_id_string": user,
        "user_id": int(user),
        **_issue(call, app, user, scopes),
        "refresh_token": refresh_token,
    }


def refresh(call: Call, app: App, given: dict[str, str]) -> dict[str, Any]:
    """Return the answer to a refresh token, which may be used again and again: a new access token; the one before is
    void.
    """
    query = "SELECT user, scopes FROM oauth_grants WHERE refresh_token = ? AND app = ?"
    row = call.connection.execute(query, (form.required(given, "refresh_token"), app.client_id)).fetchone()
    if row is None:
        raise invalid("Invalid refresh token")
    return _issue(call, app, *row)


def _issue(call: Call, app: App, user: str, scopes: str | None) -> dict[str, Any]:
    call.connection.execute("DELETE FROM tokens WHERE app = ? AND user = ?", (app.client_id, user))
    token = tokens.add(
        call.connection,
        call.identities,
        call.now,
        user=user,
        kind=tokens.OAUTH,
        scopes=None if scopes is None else scopes.split(),
        name=app.name,
        app=app.client_id,
    )
    return {"access_token": token.secret, "token_type": "bearer", "expires_in": int(token.expires - call.now)}


def _check_verifier(challenge: str | None, verifier: str | None) -> None:
    """A verifier has to be there exactly when there was a challenge, and has to be what it was made from."""
    if challenge is None:
        if verifier is not None:
            raise invalid("code_verifier is given, and the authorization had no code_challenge")
        return
    if not verifier:
        raise invalid("code_verifier is required")
    digest = hashlib.sha256(verifier.encode()).digest()
    made = base64.urlsafe_b64encode(digest).rstrip(b"=")
    if not _VERIFIER.fullmatch(verifier) or not hmac.compare_digest(made, challenge.encode()):
        raise invalid("Invalid code_verifier")
