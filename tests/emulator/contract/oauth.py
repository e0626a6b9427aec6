"""OAuth: apps and their states, the authorization page, codes and tokens."""

from __future__ import annotations

import re
from base64 import b64encode
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, quote, urlsplit

from emulator.contract.rows import Answer, Row, get, post
from emulator.oauth_apps import CALLBACK, CHALLENGE, ORIGIN, SCOPES, VERIFIER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from emulator.platform import Platform

    Setup = Callable[[Platform], Mapping[str, str]]

DAY = 86400
ASKED = {
    "client_id": "{client}",
    "redirect_uri": CALLBACK,
    "scope": " ".join(SCOPES),
    "state": "a state",
    "response_type": "code",
}
TOKEN, REFRESH = "/v1/oauth/token", "/v1/oauth/refresh"
EXCHANGE = {"grant_type": "authorization_code", "redirect_uri": CALLBACK, "code": "{code}"}
RENEWAL = {"grant_type": "refresh_token", "refresh_token": "{refresh}"}
OLD_RENEWAL = {"refresh_token": "{refresh}"}


def app(*, published: bool = True, **configuration: Any) -> Setup:
    """An app, private and published by default, and ann, who may use it."""

    def setup(platform: Platform) -> Mapping[str, str]:
        apps = platform.emulator.apps
        client, secret = apps.create("Harbor", **{"redirect_urls": [CALLBACK], "scopes": SCOPES, **configuration})
        if published:
            apps.publish(client)
        user = platform.emulator.people.create("ann")
        basic = b64encode(f"{client}:{secret}".encode()).decode()
        return {"client": client, "secret": secret, "basic": f"Basic {basic}", "user": user}

    return setup


def reviewed(steps: int) -> Setup:
    """A public app after so many of: submitted, approved, configured anew."""

    def setup(platform: Platform) -> Mapping[str, str]:
        apps = platform.emulator.apps
        names = app(published=False, visibility="public")(platform)
        apps.configure(names["client"], review_pages=True)
        moves = (
            lambda: apps.submit(names["client"]),
            lambda: apps.approve(names["client"]),
            lambda: apps.configure(names["client"], description="New"),
        )
        for move in moves[:steps]:
            move()
        return names

    return setup


def code(seconds: float = 0, **parameters: str) -> Setup:
    """A code that ann allowed, so many seconds ago."""

    def setup(platform: Platform) -> Mapping[str, str]:
        names = dict(app()(platform))
        form = ASKED | {"client_id": names["client"], "user": names["user"], "decision": "allow"} | parameters
        answer = platform.request("POST", "/oauth", headers={"Origin": ORIGIN}, data=form)
        names["code"] = parse_qs(urlsplit(answer.headers["Location"]).query)["code"][0]
        platform.emulator.clock.advance(seconds)
        return names

    return setup


def tokens(refreshes: int = 0, days: float = 0) -> Setup:
    """What a code became: the refresh token, and the latest access token after so many refreshes and days."""

    def setup(platform: Platform) -> Mapping[str, str]:
        names = dict(code()(platform))
        headers = {"Authorization": names["basic"]}
        issued = platform.request("POST", TOKEN, headers=headers, data=EXCHANGE | {"code": names["code"]}).json
        names |= {"refresh": issued["refresh_token"], "first": issued["access_token"], "latest": issued["access_token"]}
        for _ in range(refreshes):
            renewal = {"refresh_token": names["refresh"]}
            names["latest"] = platform.request("POST", REFRESH, headers=headers, data=renewal).json["access_token"]
        platform.emulator.clock.advance(days * DAY)
        return names

    return setup


def page(**changes: str | None) -> str:
    """The address of the authorization page; None leaves a parameter out."""
    parameters = {name: value for name, value in (ASKED | changes).items() if value is not None}
    return "/oauth?" + "&".join(f"{name}={quote(value, safe='{}')}" for name, value in parameters.items())


def decision(answer: str = "allow", **changes: str) -> Any:
    """What the page sends when ann presses a button."""
    return post("/oauth", form=ASKED | {"user": "{user}", "decision": answer} | changes, by="")


def exchange(**changes: str | None) -> Any:
    form = {name: value for name, value in (EXCHANGE | changes).items() if value is not None}
    return post(TOKEN, form=form, by="{basic}")


def calls_back(answer: Answer, platform: Platform) -> bool:
    query = parse_qs(urlsplit(answer.headers["Location"]).query)
    return answer.headers["Location"].startswith(CALLBACK) and set(query) == {"code", "state"}


def has(text: str) -> Callable[[Any], bool]:
    return lambda body: text in body.decode()


def works_for(cites: str, setup: Setup, status: int, message: str = ".*does not work for this user.*") -> Row:
    return Row((cites,), decision(), status, message, setup=setup)


APPS = (
    works_for("app review: a new app is a draft", app(published=False), 403, ".*The app is draft.*"),
    works_for("app review: a draft works for its creator and plan admins alone", app(published=False), 403),
    Row(
        ("app review: a draft works for its creator and plan admins alone",),
        decision(user="1000000000000000001"),
        303,
        setup=app(published=False),
        after=calls_back,
    ),
    works_for("app review: a private app is published without review, for its own team or organization", app(), 303),
    works_for("app review: a public app is submitted for review, with instructions and review pages", reviewed(1), 403),
    works_for("app review: an approved app is for any user", reviewed(2), 303),
    works_for("app review: a change of a published public app's configuration means another review", reviewed(3), 403),
    Row(
        ("app review: unfinished configuration is saved, and scopes come before use",),
        get(page(), by=""),
        400,
        ".*select some before it is used.*",
        setup=app(published=False, scopes=()),
    ),
    Row(
        ("OAuth apps: an app has a name, a place, addresses, scopes and a visibility that starts private",),
        get(page(), by=""),
        setup=app(),
        body_matches=has("Harbor asks for access"),
        after=lambda answer, platform: platform.emulator.apps.all()[0].visibility == "private",
    ),
    Row(
        ("OAuth apps: a client secret is shown once",),
        get(page(), by=""),
        setup=app(),
        after=lambda answer, platform: "secret" not in str(platform.emulator.apps.all()[0]._asdict()).lower(),
    ),
)

PAGE = (
    *(
        Row(
            ("OAuth: an authorization needs client, redirect address, scope, state and response type",),
            get(page(**{missing: None}), by=""),
            400,
            ".*",
            setup=app(),
        )
        for missing in ASKED
    ),
    Row(
        ("OAuth: the only response type is code",),
        get(page(response_type="token"), by=""),
        400,
        ".*code.*",
        setup=app(),
    ),
    *(
        Row(
            ("OAuth: the scope is a subset of the app's, with spaces or commas",),
            get(page(scope=scope), by=""),
            setup=app(),
            body_matches=lambda body: True,
        )
        for scope in (SCOPES[0], " ".join(SCOPES), ",".join(SCOPES))
    ),
    Row(
        ("OAuth: the scope is a subset of the app's, with spaces or commas",),
        get(page(scope="webhooks:read"), by=""),
        400,
        "Invalid scopes for app",
        setup=app(),
    ),
    Row(
        ("authentication: redirect addresses are registered",),
        get(page(redirect_uri="https://elsewhere.example/"), by=""),
        400,
        ".*not a registered redirect URL.*",
        setup=app(),
    ),
    Row(
        ("codes and tokens: allowing calls back with code and state", "OAuth: the state comes back unchanged"),
        decision(state="ä & = ?"),
        303,
        setup=app(),
        after=lambda answer, platform: (
            calls_back(answer, platform)
            and parse_qs(urlsplit(answer.headers["Location"]).query)["state"] == ["ä & = ?"]
        ),
    ),
    Row(
        ("codes and tokens: a rejection calls nobody back",),
        decision("reject"),
        setup=app(),
        after=lambda answer, platform: "Location" not in answer.headers,
    ),
    Row(
        ("OAuth: PKCE is S256 alone",),
        get(page(code_challenge=CHALLENGE, code_challenge_method="plain"), by=""),
        400,
        ".*code_challenge_method must be S256.*",
        setup=app(),
    ),
    Row(
        ("OAuth: the government's host has the same paths",),
        get("/gov" + page(), by=""),
        setup=app(),
        body_matches=has("Harbor asks for access"),
    ),
    Row(
        ("authentication: org-level scopes are given by admins of Enterprise organizations",),
        decision(scope="org:discovery_read"),
        403,
        ".*Only organization admins.*",
        setup=app(scopes=("org:discovery_read",)),
    ),
)

CODES = (
    Row(
        (
            "codes and tokens: a code is exchanged within 30 seconds for an access and a refresh token",
            "token responses: an answer to a code names the user and brings a refresh token",
            "token responses: a token answer has a bearer token and the seconds it lives",
            "token responses: user_id_string is safe where the number is not",
        ),
        exchange(),
        setup=code(29),
        body_matches=lambda body: (
            (body["token_type"], body["expires_in"]) == ("bearer", 90 * DAY)
            and {"access_token", "refresh_token"} <= set(body)
            and re.fullmatch(r"\d{17,}", body["user_id_string"]) is not None
        ),
    ),
    Row(
        (
            "codes and tokens: an old code fails even if it looks valid",
            "errors: codes that are old or used fail",
            "limits: an authorization code lives 30 seconds",
        ),
        exchange(),
        400,
        "Code expired",
        setup=code(30),
    ),
    Row(
        ("errors: codes that are old or used fail",),
        exchange(),
        400,
        "Code was used already",
        setup=tokens(),
    ),
    Row(("errors: codes that are old or used fail",), exchange(code="nobody's"), 400, "Invalid code", setup=code()),
    Row(
        ("OAuth: redirect_uri equals the one of the authorization",),
        exchange(redirect_uri=CALLBACK + "/"),
        400,
        "redirect_uri is not the one of the authorization",
        setup=code(),
    ),
    Row(
        ("OAuth: a code_verifier is required when PKCE was used",),
        exchange(),
        400,
        ".*code_verifier.*",
        setup=code(code_challenge=CHALLENGE, code_challenge_method="S256"),
    ),
    Row(
        ("OAuth: a code_verifier is required when PKCE was used",),
        exchange(code_verifier=VERIFIER),
        setup=code(code_challenge=CHALLENGE, code_challenge_method="S256"),
    ),
    *(
        Row(("OAuth: clients authenticate by Basic",), post(path, form=form, by=by), 401, message, setup=tokens())
        for path, form in ((TOKEN, EXCHANGE), (REFRESH, OLD_RENEWAL))
        for by, message in (
            ("", "Basic authorization .*"),
            ("Basic bm9ib2R5OnM=", "Invalid client id or client secret"),
        )
    ),
    Row(
        ("OAuth: a body is a URL-encoded form",),
        post(TOKEN, EXCHANGE, by="{basic}"),
        400,
        "Content-Type must be application/x-www-form-urlencoded",
        setup=code(),
    ),
)

REFRESHES = (
    Row(
        ("OAuth: the token endpoint refreshes too",),
        post(TOKEN, form=RENEWAL, by="{basic}"),
        setup=tokens(),
        body_matches=lambda body: set(body) == {"access_token", "token_type", "expires_in"},
    ),
    Row(
        (
            "OAuth: the refresh endpoint needs a refresh token and answers without a new one",
            "versions: deprecated endpoints answer and name what replaces them",
        ),
        post(REFRESH, form=OLD_RENEWAL, by="{basic}"),
        setup=tokens(),
        body_matches=lambda body: set(body) == {"access_token", "token_type", "expires_in"},
        after=lambda answer, platform: "Deprecation" in answer.headers and TOKEN in answer.headers["Link"],
    ),
    Row(
        ("OAuth: the refresh endpoint needs a refresh token and answers without a new one",),
        post(REFRESH, form={"other": "x"}, by="{basic}"),
        400,
        "refresh_token is required",
        setup=tokens(),
    ),
    Row(
        ("OAuth: a refresh token may be used any number of times",),
        post(REFRESH, form=OLD_RENEWAL, by="{basic}"),
        setup=tokens(refreshes=3),
    ),
    Row(
        (
            "codes and tokens: a refresh stops the previous access token",
            "OAuth: one access token an app and user is valid at a time",
            "authentication: one access token an app and user, 90 days",
        ),
        get("/v1/me", by="Bearer {first}"),
        403,
        "Invalid token",
        setup=tokens(refreshes=1),
    ),
    Row(
        (
            "authentication: an OAuth token is sent as Bearer",
            "OAuth: one access token an app and user is valid at a time",
        ),
        get("/v1/me", by="Bearer {latest}"),
        setup=tokens(refreshes=1),
        body_matches=lambda body: body["handle"] == "ann",
    ),
    Row(
        ("codes and tokens: an access token expires after 90 days", "limits: an access token lives 90 days"),
        get("/v1/me", by="Bearer {latest}"),
        403,
        "Token expired",
        setup=tokens(days=90),
    ),
    Row(
        ("codes and tokens: an access token expires after 90 days", "limits: an access token lives 90 days"),
        get("/v1/me", by="Bearer {latest}"),
        setup=tokens(days=89.9),
    ),
)

ROWS = (*APPS, *PAGE, *CODES, *REFRESHES)
