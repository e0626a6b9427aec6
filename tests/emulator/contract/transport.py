"""Rules of every endpoint: kinds of tokens, HTTPS, versions, rate limits and faults."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from emulator.contract.rows import Answer, Request, Row, get, post
from emulator.contract.variables import LOCAL, WRITE
from emulator.platform import GAP, VALUE, Platform, values

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    Setup = Callable[[Platform], Mapping[str, str]]

READ, EDIT = "file_variables:read", "file_variables:write"


def token(days: float = 0, **how: Any) -> Setup:
    """A token as ``other``, made so many days ago."""

    def setup(platform: Platform) -> Mapping[str, str]:
        created = platform.emulator.tokens.create(**how)
        platform.emulator.clock.advance(days * 86400)
        return {"other": created}

    return setup


def change(by: str) -> Request:
    return post(WRITE, values((GAP, VALUE, 1)), by=by)


def limits_personal_tokens(answer: Answer, platform: Platform) -> bool:
    """Whether a personal access token cannot be made for longer than 90 days."""
    from tokensync.system.errors import UsageError

    try:
        platform.emulator.tokens.create(expires_in_days=91)
    except UsageError:
        return True
    return False


KINDS = (
    Row(("authentication: there are OAuth, personal and plan access tokens",), get(LOCAL, by="{other}"), setup=token()),
    Row(
        (
            "authentication: there are OAuth, personal and plan access tokens",
            "authentication: an OAuth token is sent as Bearer",
        ),
        get(LOCAL, by="Bearer {other}"),
        setup=token(kind="oauth"),
    ),
    Row(
        ("authentication: there are OAuth, personal and plan access tokens",),
        get(LOCAL, by="{other}"),
        setup=token(kind="plan"),
    ),
    Row(
        ("authentication: an OAuth token is sent as Bearer",),
        get(LOCAL, by="Bearer {other}"),
        403,
        "Invalid token",
        setup=token(kind="personal"),
    ),
    Row(
        (
            "authentication: a personal access token expires within 90 days",
            "limits: a personal access token lives 90 days at most",
        ),
        get(LOCAL, by="{other}"),
        403,
        "Token expired",
        setup=token(days=90),
        after=limits_personal_tokens,
    ),
    Row(
        ("authentication: a personal access token expires within 90 days",),
        get(LOCAL, by="{other}"),
        setup=token(days=89.9),
    ),
    Row(("authentication: legacy tokens work",), get(LOCAL, by="{other}"), setup=token(scopes=None)),
    Row(("authentication: legacy tokens work",), change("{other}"), setup=token(scopes=None)),
    Row(
        (
            "authentication: files:read is broad",
            "versions: files:read is deprecated and works",
            "authentication: file_content:read is for layers and content",
        ),
        get("/v1/files/{file}", by="{other}"),
        setup=token(scopes=("files:read",)),
    ),
    Row(
        ("authentication: file_content:read is for layers and content",),
        get("/v1/files/{file}", by="{other}"),
        setup=token(scopes=("file_content:read",)),
    ),
    Row(
        ("variables: reading needs file_variables:read", "authentication: files:read is broad"),
        get(LOCAL, by="{other}"),
        403,
        rf"Invalid scope\(s\): files:read\. This endpoint requires the {READ} scope",
        setup=token(scopes=("files:read",)),
    ),
    Row(
        ("variables: writing needs file_variables:write and edit access",),
        change("{other}"),
        403,
        rf"Invalid scope\(s\): {READ}\. This endpoint requires the {EDIT} scope",
        setup=token(scopes=(READ,)),
    ),
    Row(("variables: reading needs file_variables:read",), get(LOCAL, by="{other}"), setup=token(scopes=(READ,))),
    Row(
        ("variables: writing needs file_variables:write and edit access",),
        change("{other}"),
        setup=token(scopes=(EDIT,)),
    ),
)

TRANSPORT = (
    *(
        Row(
            ("errors: 403 is plain HTTP", "versions: only HTTPS works"),
            request._replace(base_url="http://example.com"),
            403,
            "Only HTTPS is supported",
            after=lambda answer, platform: "Location" not in answer.headers,
        )
        for request in (get(LOCAL), change("{token}"), get("/v2/webhooks"))
    ),
    *(
        Row(("versions: the version is part of the path",), get(path), 404, "Not Found")
        for path in ("/files/{file}/variables/local", "/v2/files/{file}/variables/local", "/v1/webhooks")
    ),
    Row(("versions: the version is part of the path",), get("/v1/me")),
    Row(("versions: the version is part of the path",), get("/v2/folders/{folder}/meta")),
)

ROWS = (*KINDS, *TRANSPORT)
