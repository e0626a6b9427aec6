"""The OAuth flow: the page that asks a user, codes, access tokens, and how they are refreshed."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import re
from html import escape
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from tokensync.emulator import apps, endpoints, people, sharing, tokens
from tokensync.emulator.apps import LEGACY
from tokensync.emulator.endpoints import Answer, Query, Refusal, Route, as_json, invalid
from tokensync.emulator.limits import OAUTH_CODE_SECONDS
from tokensync.emulator.schemas import Schema, members
from tokensync.emulator.tokens import ORGANIZATION

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from tokensync.emulator.apps import App
    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.people import User


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


FORM: Final = "application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 100
_UNAUTHORIZED: Final = (("WWW-Authenticate", 'Basic realm="OAuth app"'),)


def fields(call: Call) -> dict[str, str]:
    """Return the fields of the form; one that is given twice is refused (RFC 6749 section 3.2)."""
    if call.headers.get("Content-Type", "").partition(";")[0].strip().lower() != FORM:
        raise invalid(f"Content-Type must be {FORM}")
    encoded = endpoints.read_body(call)
    try:
        pairs = parse_qsl(encoded.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise invalid("Request body must be a URL-encoded form") from None
    named = dict(pairs)
    if len(named) != len(pairs):
        names = [name for name, _ in pairs]
        raise invalid(f"{next(name for name in names if names.count(name) > 1)[:100]} is given more than once")
    return named


def required(form: dict[str, str], name: str) -> str:
    """Return a field that has to be there and has to hold something."""
    if not form.get(name):
        raise invalid(f"{name} is required")
    return form[name]


def app_of(call: Call) -> App:
    """Return the app that sends the request, by its client id and secret."""
    scheme, _, encoded = call.headers.get("Authorization", "").partition(" ")
    if scheme.lower() != "basic":
        raise Refusal(401, "Basic authorization with client id and client secret is required", _UNAUTHORIZED)
    try:
        client_id, _, secret = base64.b64decode(encoded.strip(), validate=True).decode("utf-8").partition(":")
    except (binascii.Error, ValueError):
        client_id, secret = "", ""
    found = apps.authenticate(call.connection, client_id, secret)
    if found is None:
        raise Refusal(401, "Invalid client id or client secret", _UNAUTHORIZED)
    return found


_VERIFIER: Final = re.compile(r"[A-Za-z0-9._~-]{43,128}")
"""RFC 7636 section 4.1."""


def _exchanged(call: Call, app: App, given: dict[str, str]) -> dict[str, Any]:
    """Return the answer to a code: an access token and a refresh token. A code is good for one exchange."""
    code, redirect_url = required(given, "code"), required(given, "redirect_uri")
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


def _refreshed(call: Call, app: App, given: dict[str, str]) -> dict[str, Any]:
    """Return the answer to a refresh token, which may be used again and again: a new access token; the one before is
    void.
    """
    query = "SELECT user, scopes FROM oauth_grants WHERE refresh_token = ? AND app = ?"
    row = call.connection.execute(query, (required(given, "refresh_token"), app.client_id)).fetchone()
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


_HTML: Final = "text/html; charset=utf-8"
_STYLE: Final = (
    ":root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}"
    "body{max-width:34rem;margin:4rem auto;padding:0 1.5rem}"
    "button,select{font:inherit;padding:.5rem 1rem;margin-right:.5rem}"
    "p.about{opacity:.75}"
)
_STYLE_DIGEST: Final = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()


def _authorization_page(what: Asked, query: Mapping[str, str], users: Sequence[User]) -> Answer:
    """Return the page that asks. There is no login: it is chosen on it who the user is."""
    app = what.app
    hidden = "".join(
        f'<input type="hidden" name="{escape(name)}" value="{escape(value)}">' for name, value in query.items()
    )
    options = "".join(f'<option value="{escape(each.id)}">{escape(_described(each))}</option>' for each in users)
    about = f'<p class="about">{escape(app.description)}</p>' if app.description else ""
    scopes = "".join(f"<li><code>{escape(each)}</code></li>" for each in what.scopes)
    origin = _origin(what.redirect_url)
    body = (
        f"<h1>{escape(app.name)} asks for access</h1>{about}"
        f"<p>The app is {escape(app.state)}. Its answer goes to <code>{escape(origin)}</code>. It asks for:</p>"
        f"<ul>{scopes}</ul>"
        f'<form method="post">{hidden}'
        f'<p><label>You are <select name="user">{options}</select></label></p>'
        '<p><button name="decision" value="allow">Allow</button>'
        '<button name="decision" value="reject">Reject</button></p></form>'
    )
    return _page(f"{app.name} asks for access", body, 200, origin)


def _rejected_page(what: Asked) -> Answer:
    """Return the page after a rejection: the app hears nothing of it."""
    return _page("Rejected", f"<h1>Rejected</h1><p>{escape(what.app.name)} gets no access, and is not told.</p>")


def _refused_page(status: int, message: str) -> Answer:
    """Return the page in place of one that cannot be shown."""
    return _page("Not possible", f"<h1>Not possible</h1><p>{escape(message)}</p>", status)


def _page(title: str, body: str, status: int = 200, callback: str = "") -> Answer:
    """Return a whole page. ``callback`` is where the form may lead: browsers hold redirects after it to the policy,
    too.
    """
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


def _described(user: User) -> str:
    more = ", admin" if user.admin else ""
    return f"{user.handle} ({user.account}{more})"


def _origin(url: str) -> str:
    """Scheme and host of a redirect URL, which ``app_settings`` let in; of an app's own scheme just that."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") else f"{parts.scheme}:"


_NOT_KEPT: Final = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))
"""RFC 6749 section 5.1."""


def ask(call: Call) -> Answer:
    """The page for the user's browser."""
    query = {name: call.query[name] for name in _ASKED if name in call.query}
    try:
        return _authorization_page(asked(call.connection, query), query, people.everyone(call.connection))
    except Refusal as refusal:
        return _refused_page(refusal.status, refusal.message)


def decide(call: Call) -> Answer:
    """What the user pressed: allowing leads back to the app, rejecting to no callback."""
    try:
        _check_own_page(call)
        given = fields(call)
        what = asked(call.connection, given)
        if given.get("decision") == "reject":
            return _rejected_page(what)
        if given.get("decision") != "allow":
            raise invalid("decision must be allow or reject")
        user = people.find(call.connection, given.get("user", ""))
        if user is None:
            raise invalid("user must be one of the emulator's")
        return Answer(b"", 303, headers=(("Location", allow(call, what, user)), *_NOT_KEPT))
    except Refusal as refusal:
        return _refused_page(refusal.status, refusal.message)


def token(call: Call) -> Answer:
    """Exchanges a code, or refreshes."""
    app, given = app_of(call), fields(call)
    match required(given, "grant_type"):
        case "authorization_code":
            answer = _exchanged(call, app, given)
        case "refresh_token":
            answer = _refreshed(call, app, given)
        case _:
            raise invalid("grant_type must be authorization_code or refresh_token")
    return Answer(as_json(answer), headers=_NOT_KEPT)


def refresh(call: Call) -> Answer:
    """The older way to refresh, without a grant_type."""
    return Answer(as_json(_refreshed(call, app_of(call), fields(call))), headers=_NOT_KEPT)


def _check_own_page(call: Call) -> None:
    """Refuse a form that another site's page sends: the user saw nothing of what it allows."""
    own = urlsplit(call.root)
    origin = call.headers.get("Origin", f"{own.scheme}://{own.netloc}")
    if origin != f"{own.scheme}://{own.netloc}" or call.headers.get("Sec-Fetch-Site", "same-origin") != "same-origin":
        raise Refusal(403, "The form must be sent from the authorization page")


_FILLED: Final[Schema] = {"type": "string", "minLength": 1}
_ASKED: Final[dict[str, Schema]] = {
    "client_id": _FILLED,
    "redirect_uri": _FILLED,
    "scope": _FILLED,
    "state": _FILLED,
    "response_type": {"const": "code"},
    "code_challenge": {"type": "string", "pattern": "^[A-Za-z0-9_-]{43}$"},
    "code_challenge_method": {"const": "S256"},
}
_OPTIONAL: Final = ("code_challenge", "code_challenge_method")
_REQUIRED: Final = {name: schema for name, schema in _ASKED.items() if name not in _OPTIONAL}
_NEW_TOKEN: Final[dict[str, Schema]] = {
    "access_token": _FILLED,
    "token_type": {"const": "bearer"},
    "expires_in": {"type": "integer", "minimum": 0},
}
_REFRESHED: Final = members(_NEW_TOKEN)
_EXCHANGED: Final = members(
    _NEW_TOKEN,
    {
        "user_id_string": _FILLED,
        "user_id": {"type": "integer", "deprecated": True},
        "refresh_token": _FILLED,
    },
)
_DECISION: Final = members(
    _REQUIRED | {"user": _FILLED, "decision": {"enum": ["allow", "reject"]}},
    {name: _ASKED[name] for name in _OPTIONAL},
)
_GRANT: Final = members(
    {"grant_type": {"enum": ["authorization_code", "refresh_token"]}},
    {
        "code": _FILLED,
        "redirect_uri": _FILLED,
        "code_verifier": {"type": "string", "pattern": "^[A-Za-z0-9._~-]{43,128}$"},
        "refresh_token": _FILLED,
    },
)
_REFRESH: Final = members({"refresh_token": _FILLED})

ROUTES: Final = (
    Route(
        "GET",
        "/oauth",
        ask,
        parameters=tuple(Query(name, schema, name not in _OPTIONAL) for name, schema in _ASKED.items()),
    ),
    Route("POST", "/oauth", decide, accepts=_DECISION),
    Route("POST", "/v1/oauth/token", token, accepts=_GRANT, returns=_EXCHANGED),
    Route("POST", "/v1/oauth/refresh", refresh, replaced_by="/v1/oauth/token", accepts=_REFRESH, returns=_REFRESHED),
)
