"""OAuth 2: the authorization page, codes, access tokens and refresh tokens (Figma REST API: OAuth apps)."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from tokensync.emulator import access, apps, endpoints, people, tokens
from tokensync.emulator.apps import LEGACY, App
from tokensync.emulator.endpoints import (
    OF_PEOPLE,
    TEXT,
    Answer,
    Query,
    Refusal,
    Route,
    Schema,
    as_json,
    invalid,
    members,
)
from tokensync.emulator.tokens import BROAD, ORGANIZATION

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.people import User


OAUTH_CODE_SECONDS: Final = 30
_SEPARATORS: Final = re.compile(r"[ ,]+")
_CHALLENGE: Final = re.compile(r"[A-Za-z0-9_-]{43}")
"""A SHA-256 in base64url without padding (RFC 7636 section 4.2)."""


class AuthorizationRequest(NamedTuple):
    """A valid authorization request. ``challenge`` is None without PKCE."""

    app: App
    redirect_url: str
    scopes: tuple[str, ...]
    state: str
    challenge: str | None


def authorization_request(connection: sqlite3.Connection, query: Mapping[str, str]) -> AuthorizationRequest:
    """Return the authorization request of a query; refuse an invalid one without a redirect."""
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
    return AuthorizationRequest(app, redirect_url, _scopes(app, query.get("scope", "")), query["state"], challenge)


def check_user(connection: sqlite3.Connection, request: AuthorizationRequest, user: User) -> None:
    """Refuse a user who may not use the app in its state, or may not grant its organization scopes."""
    app = request.app
    if not _works_for(connection, app, user):
        raise Refusal(403, f"The app is {app.state}: it does not work for this user")
    if any(scope.startswith(ORGANIZATION) for scope in request.scopes) and not (
        user.admin and apps.of_enterprise(connection, app)
    ):
        raise Refusal(403, "Only organization admins of Enterprise organizations can authorize organization scopes")


def allow(call: Call, request: AuthorizationRequest, user: User) -> str:
    """Create a code that is valid for 30 seconds, and return the redirect URL with it."""
    check_user(call.connection, request, user)
    (count,) = call.connection.execute("SELECT count(*) FROM oauth_codes").fetchone()
    code = call.identities.secret("oauth code", str(count))
    scopes = None if LEGACY in request.scopes else " ".join(request.scopes)
    expires = call.now + OAUTH_CODE_SECONDS
    call.connection.execute(
        "INSERT INTO oauth_codes (code, app, user, redirect_url, scopes, challenge, expires)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (code, request.app.client_id, user.id, request.redirect_url, scopes, request.challenge, expires),
    )
    separator = "&" if "?" in request.redirect_url else "?"
    return f"{request.redirect_url}{separator}{urlencode({'code': code, 'state': request.state})}"


def _scopes(app: App, text: str) -> tuple[str, ...]:
    if not app.scopes:
        raise invalid("The app has no scopes: select some before it is used")
    scopes = tuple(dict.fromkeys(filter(None, _SEPARATORS.split(text))))
    if not scopes:
        raise invalid("scope is required")
    if {LEGACY, BROAD} <= {*scopes}:
        raise _RefusedScopes(400, f"Cannot pass in both the {LEGACY} and {BROAD} scopes")
    if not {*scopes} <= {*app.scopes}:
        raise _RefusedScopes(400, "Invalid scopes for app")
    return scopes


class _RefusedScopes(Refusal):
    """A refusal that is JSON, not a page."""


def _works_for(connection: sqlite3.Connection, app: App, user: User) -> bool:
    """Return whether a user may use the app; drafts and apps in review are for the creator and admins only."""
    if app.state == apps.PUBLISHED_PUBLIC or user.id == app.creator or user.admin:
        return True
    if app.state != apps.PUBLISHED_PRIVATE or user.account == people.GUEST:
        return False
    return app.team is None or access.role_on_team(connection, user, app.team) is not None


FORM: Final = "application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 100
_UNAUTHORIZED: Final = (("WWW-Authenticate", 'Basic realm="OAuth app"'),)


def fields(call: Call) -> dict[str, str]:
    """Return the fields of a form; refuse repeated fields (RFC 6749 section 3.2).

    Clients such as figma-api send no body, and the fields in the query.
    """
    if not call.body and call.query:
        return dict(call.query)
    if call.headers.get("Content-Type", "").partition(";")[0].strip().lower() != FORM:
        raise invalid(f"Content-Type must be {FORM}")
    encoded = endpoints.read_body(call)
    try:
        pairs = parse_qsl(encoded.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise invalid("Request body must be a URL-encoded form") from None
    form = dict(pairs)
    if len(form) != len(pairs):
        names = [name for name, _ in pairs]
        raise invalid(f"{next(name for name in names if names.count(name) > 1)[:100]} is given more than once")
    return form


def required(form: dict[str, str], name: str) -> str:
    """Return a non-empty field."""
    if not form.get(name):
        raise invalid(f"{name} is required")
    return form[name]


def client_app(call: Call) -> App:
    """Return the app that authenticates the request by its client id and secret."""
    scheme, _, encoded = call.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        raise Refusal(401, "Basic authorization with client id and client secret is required", _UNAUTHORIZED)
    try:
        client_id, _, secret = base64.b64decode(encoded.strip(), validate=True).decode("utf-8").partition(":")
    except (binascii.Error, ValueError):
        client_id, secret = "", ""
    app = apps.authenticate(call.connection, client_id, secret)
    if app is None:
        raise Refusal(401, "Invalid client id or client secret", _UNAUTHORIZED)
    return app


_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")
"""RFC 7636 section 4.1."""


def _exchange(call: Call, app: App, form: dict[str, str]) -> dict[str, Any]:
    """Exchange a code, once only, for an access token and a refresh token."""
    code, redirect_url = required(form, "code"), required(form, "redirect_uri")
    query = "SELECT user, redirect_url, scopes, challenge, expires, used FROM oauth_codes WHERE code = ? AND app = ?"
    row = call.connection.execute(query, (code, app.client_id)).fetchone()
    if row is None:
        raise invalid("Invalid code")
    user, authorized_url, scopes, challenge, expires, used = row
    if used:
        raise invalid("Code was used already")
    if expires <= call.now:
        raise invalid("Code expired")
    if redirect_url != authorized_url:
        raise invalid("redirect_uri is not the one of the authorization")
    if redirect_url not in app.redirect_urls:
        raise invalid("redirect_uri is not a registered redirect URL of the app")
    _check_verifier(challenge, form.get("code_verifier"))
    call.connection.execute("UPDATE oauth_codes SET used = 1 WHERE code = ?", (code,))
    refresh_token = call.identities.secret("oauth refresh token", code)
    call.connection.execute(
        "INSERT OR REPLACE INTO oauth_grants VALUES (?, ?, ?, ?)", (app.client_id, user, refresh_token, scopes)
    )
    return {
        "user_id_string": user,
        "user_id": int(user),
        **_issue(call, app, user, scopes),
        "refresh_token": refresh_token,
    }


def _refresh(call: Call, app: App, form: dict[str, str]) -> dict[str, Any]:
    """Issue a new access token for a reusable refresh token; the previous access token is revoked."""
    query = "SELECT user, scopes FROM oauth_grants WHERE refresh_token = ? AND app = ?"
    row = call.connection.execute(query, (required(form, "refresh_token"), app.client_id)).fetchone()
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
    """Refuse a verifier that does not match the challenge; without a challenge there must be no verifier."""
    if challenge is None:
        if verifier is not None:
            raise invalid("code_verifier is given, and the authorization had no code_challenge")
        return
    if not verifier:
        raise invalid("code_verifier is required")
    digest = hashlib.sha256(verifier.encode()).digest()
    expected = base64.urlsafe_b64encode(digest).rstrip(b"=")
    if not _VERIFIER.fullmatch(verifier) or not hmac.compare_digest(expected, challenge.encode()):
        raise invalid("Invalid code_verifier")


_HTML: Final = "text/html; charset=utf-8"
_STYLE: Final = (
    ":root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}"
    "body{max-width:34rem;margin:4rem auto;padding:0 1.5rem}"
    "button,select{font:inherit;padding:.5rem 1rem;margin-right:.5rem}"
    "p.about{opacity:.75}"
)
_STYLE_DIGEST: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def _authorization_page(request: AuthorizationRequest, query: Mapping[str, str], users: Sequence[User]) -> Answer:
    """Return the authorization page. Instead of a login it has a choice of users."""
    app = request.app
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in query.items()
    )
    options = "".join(f'<option value="{escape(user.id)}">{escape(_label(user))}</option>' for user in users)
    about = f'<p class="about">{escape(app.description)}</p>' if app.description else ""
    scopes = "".join(f"<li><code>{escape(scope)}</code></li>" for scope in request.scopes)
    origin = _origin(request.redirect_url)
    body = (
        f"<h1>{escape(app.name)} asks for access</h1>{about}"
        f"<p>The app is {escape(app.state)}. It redirects to <code>{escape(origin)}</code>. It requests:</p>"
        f"<ul>{scopes}</ul>"
        f'<form method="post">{hidden}'
        f'<p><label>You are <select name="user">{options}</select></label></p>'
        '<p><button name="decision" value="allow">Allow</button>'
        '<button name="decision" value="reject">Reject</button></p></form>'
    )
    return _page(f"{app.name} asks for access", body, 200, origin)


def _refused(refusal: Refusal) -> Answer:
    if isinstance(refusal, _RefusedScopes):
        return Answer(
            as_json({"error": True, "status": refusal.status, "message": refusal.message, "i18n": None}), refusal.status
        )
    return _page("Not possible", f"<h1>Not possible</h1><p>{escape(refusal.message)}</p>", refusal.status)


def _page(title: str, body: str, status: int = 200, callback: str = "") -> Answer:
    """Return a page whose form may redirect to ``callback``: browsers apply form-action to redirects, too."""
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    policy = (
        f"default-src 'none'; style-src 'sha256-{_STYLE_DIGEST}'; form-action 'self' {callback}; "
        "base-uri 'none'; frame-ancestors 'none'"
    )
    headers = (
        ("Content-Security-Policy", policy),
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("X-Frame-Options", "DENY"),
        ("Referrer-Policy", "same-origin"),  # with no-referrer, the form's own Origin header would be null
    )
    document = f'<!doctype html><html lang="en"><head>{head}</head><body>{body}</body></html>'
    return Answer(document.encode(), status, _HTML, headers)


def _label(user: User) -> str:
    admin = ", admin" if user.admin else ""
    return f"{user.handle} ({user.account}{admin})"


def _origin(url: str) -> str:
    """Return the origin of an allowed redirect URL; for an app's own scheme, the scheme."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else f"{parts.scheme}:"


_NO_STORE: Final = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))
"""RFC 6749 section 5.1."""


def show_page(call: Call) -> Answer:
    """Return the page on which a user authorizes an app in a browser."""
    query = {name: call.query[name] for name in _PARAMETERS if name in call.query}
    try:
        request = authorization_request(call.connection, query)
        return _authorization_page(request, query, people.everyone(call.connection))
    except Refusal as refusal:
        return _refused(refusal)


def decide(call: Call) -> Answer:
    """Submit the user's decision. Allowing redirects to the app with a code; rejecting does not redirect."""
    try:
        _check_own_page(call)
        form = fields(call)
        request = authorization_request(call.connection, form)
        if form.get("decision") == "reject":
            name = escape(request.app.name)
            return _page("Rejected", f"<h1>Rejected</h1><p>{name} has no access, and is not notified.</p>")
        if form.get("decision") != "allow":
            raise invalid("decision must be allow or reject")
        user = people.find(call.connection, form.get("user", ""))
        if user is None:
            raise invalid("user must be one of the emulator's")
        return Answer(b"", 303, headers=(("Location", allow(call, request, user)), *_NO_STORE))
    except Refusal as refusal:
        return _refused(refusal)


def token(call: Call) -> Answer:
    """Exchange a code for an access token and a refresh token, or refresh an access token."""
    app, form = client_app(call), fields(call)
    match required(form, "grant_type"):
        case "authorization_code":
            answer = _exchange(call, app, form)
        case "refresh_token":
            answer = _refresh(call, app, form)
        case _:
            raise invalid("grant_type must be authorization_code or refresh_token")
    return Answer(as_json(answer), headers=_NO_STORE)


def refresh(call: Call) -> Answer:
    """Refresh an access token, without a ``grant_type``."""
    return Answer(as_json(_refresh(call, client_app(call), fields(call))), headers=_NO_STORE)


def _check_own_page(call: Call) -> None:
    """Refuse a form from another site's page, which does not show the user what it allows."""
    own = urlsplit(call.root)
    origin = call.headers.get("Origin", f"{own.scheme}://{own.netloc}")
    if origin != f"{own.scheme}://{own.netloc}" or call.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        raise Refusal(403, "The form must be sent from the authorization page")


_NON_EMPTY: Final[Schema] = {"type": "string", "minLength": 1}
_PARAMETERS: Final[dict[str, Schema]] = {
    "client_id": _NON_EMPTY,
    "redirect_uri": _NON_EMPTY,
    "scope": _NON_EMPTY,
    "state": _NON_EMPTY,
    "response_type": {"const": "code"},
    "code_challenge": {"type": "string", "pattern": "^[A-Za-z0-9_-]{43}$"},
    "code_challenge_method": {"const": "S256"},
}
_OPTIONAL: Final = ("code_challenge", "code_challenge_method")
_REQUIRED: Final = {name: schema for name, schema in _PARAMETERS.items() if name not in _OPTIONAL}
_NEW_TOKEN: Final[dict[str, Schema]] = {
    "access_token": _NON_EMPTY,
    "token_type": {"const": "bearer"},
    "expires_in": {"type": "integer", "minimum": 0},
}
_REFRESHED: Final = members(_NEW_TOKEN)
_EXCHANGED: Final = members(
    _NEW_TOKEN,
    {"user_id_string": _NON_EMPTY, "user_id": {"type": "integer", "deprecated": True}, "refresh_token": _NON_EMPTY},
)
_DECISION: Final = members(
    _REQUIRED | {"user": _NON_EMPTY, "decision": {"enum": ["allow", "reject"]}},
    {name: _PARAMETERS[name] for name in _OPTIONAL},
)
_GRANT: Final = members(
    {"grant_type": {"enum": ["authorization_code", "refresh_token"]}},
    {
        "code": _NON_EMPTY,
        "redirect_uri": _NON_EMPTY,
        "code_verifier": {"type": "string", "pattern": "^[A-Za-z0-9._~-]{43,128}$"},
        "refresh_token": _NON_EMPTY,
    },
)
_REFRESH_FORM: Final = members({"refresh_token": _NON_EMPTY})

ROUTES: Final = (
    Route(
        "GET",
        "/oauth",
        show_page,
        parameters=tuple(Query(name, schema, name not in _OPTIONAL) for name, schema in _PARAMETERS.items()),
    ),
    Route("POST", "/oauth", decide, accepts=_DECISION),
    Route("POST", "/v1/oauth/token", token, errors="i18n", accepts=_GRANT, returns=_EXCHANGED),
    Route(
        "POST",
        "/v1/oauth/refresh",
        refresh,
        errors="i18n",
        replaced_by="/v1/oauth/token",
        accepts=_REFRESH_FORM,
        returns=_REFRESHED,
    ),
)


def read_me(call: Call) -> bytes:
    """Return the token's user, including the email address."""
    return as_json(people.document(call.user) | {"email": call.user.email})


_ME: Final = members({"id": TEXT, "handle": TEXT, "img_url": TEXT, "email": TEXT})
USERS: Final = (
    Route(
        "GET",
        "/v1/me",
        read_me,
        scopes=("current_user:read", BROAD),
        kinds=OF_PEOPLE,
        tier=3,
        errors="err",
        returns=_ME,
    ),
)
