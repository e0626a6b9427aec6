"""The authorization page and the token endpoints (platform-api.md 4.1). None of them takes an access token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from tokensync.emulator.accounts import people
from tokensync.emulator.endpoints.answers import Answer, as_json
from tokensync.emulator.endpoints.refusal import Refusal, invalid
from tokensync.emulator.endpoints.route import Query, Route
from tokensync.emulator.endpoints.shapes import Schema, members
from tokensync.emulator.oauth import authorization, form, granting, page

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call

_NOT_KEPT: Final = (("Cache-Control", "no-store"), ("Pragma", "no-cache"))
"""RFC 6749 section 5.1."""


def ask(call: Call) -> Answer:
    """The page for the user's browser."""
    query = {name: call.query[name] for name in _ASKED if name in call.query}
    try:
        return page.of(authorization.asked(call.connection, query), query, people.everyone(call.connection))
    except Refusal as refusal:
        return page.refused(refusal.status, refusal.message)


def decide(call: Call) -> Answer:
    """What the user pressed: allowing leads back to the app, rejecting to no callback."""
    try:
        _check_own_page(call)
        given = form.fields(call)
        what = authorization.asked(call.connection, given)
        if given.get("decision") == "reject":
            return page.rejected(what)
        if given.get("decision") != "allow":
            raise invalid("decision must be allow or reject")
        user = people.find(call.connection, given.get("user", ""))
        if user is None:
            raise invalid("user must be one of the emulator's")
        return Answer(b"", 303, headers=(("Location", authorization.allow(call, what, user)), *_NOT_KEPT))
    except Refusal as refusal:
        return page.refused(refusal.status, refusal.message)


def token(call: Call) -> Answer:
    """Exchanges a code, or refreshes."""
    app, given = form.app(call), form.fields(call)
    match form.required(given, "grant_type"):
        case "authorization_code":
            answer = granting.exchange(call, app, given)
        case "refresh_token":
            answer = granting.refresh(call, app, given)
        case _:
            raise invalid("grant_type must be authorization_code or refresh_token")
    return Answer(as_json(answer), headers=_NOT_KEPT)


def refresh(call: Call) -> Answer:
    """The older way to refresh, without a grant_type."""
    return Answer(as_json(granting.refresh(call, form.app(call), form.fields(call))), headers=_NOT_KEPT)


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
    Route("POST", "/oauth", decide, takes=_DECISION),
    Route("POST", "/v1/oauth/token", token, takes=_GRANT, gives=_EXCHANGED),
    Route("POST", "/v1/oauth/refresh", refresh, replaced_by="/v1/oauth/token", takes=_REFRESH, gives=_REFRESHED),
)
