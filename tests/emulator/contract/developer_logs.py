"""Developer logs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from emulator.contract.rows import NOBODY, Row, post
from emulator.platform import KEY, Platform

PATH = "/v1/developer_logs"
SCOPE = ("org:developer_log_read",)
DAY = 86400


def auditor(platform: Platform) -> dict[str, str]:
    """A plan access token of an admin that may read the logs."""
    return {"auditor": platform.emulator.tokens.create(kind="plan", scopes=SCOPE, admin=True, name="Audit")}


def without(change: Callable[[Platform], object]) -> Callable[[Platform], Mapping[str, str]]:
    """The auditor, on an organization that was changed."""

    def setup(platform: Platform) -> Mapping[str, str]:
        change(platform)
        return auditor(platform)

    return setup


def logged(platform: Platform) -> dict[str, str]:
    """Four requests: of a personal token now, of an app two days ago, of a plan token ten ago, of an agent 20 ago."""
    emulator = platform.emulator
    ada, bo = emulator.people.create("Ada"), emulator.people.create("Bo")
    personal = emulator.tokens.create(user=ada, name="CI_release")
    oauth = emulator.tokens.create(kind="oauth", user=bo, name="Docs app")
    plan = emulator.tokens.create(kind="plan", user=ada, name="CIxnightly")
    add = emulator.developer_logs.add
    add(oauth, "get_figjam", source="mcp_server", address="10.1.0.9", ago=20 * DAY)
    add(plan, "/v1/files/:file_key/variables/local", file_key=KEY, address="10.2.0.1", ago=10 * DAY)
    add(oauth, "/v1/me", address="192.0.2.7", ago=2 * DAY)
    add(personal, "/v1/files/:file_key/variables", file_key=KEY, address="10.1.0.1")
    return auditor(platform) | {"personal": personal}


def many(platform: Platform) -> dict[str, str]:
    for number in range(30):
        platform.emulator.developer_logs.add(platform.emulator.default_token, f"/v1/{number}", ago=number)
    return auditor(platform)


def second_page(platform: Platform) -> dict[str, str]:
    """The cursor of the second page of 30 requests."""
    names = many(platform)
    first = platform.request("POST", PATH, token=names["auditor"], data=b"{}", content_type="application/json").json
    return names | {"next": first["meta"]["cursor"]}


def names(body: Any) -> list[str]:
    return [each["actor"]["token_name"] for each in body["meta"]["items"]]


def finds(cites: str, query: dict[str, Any], *tokens: str) -> Row:
    """A search of what was logged finds the requests of these tokens, the latest first."""
    return Row(
        (cites,), post(PATH, query, by="{auditor}"), setup=logged, body_matches=lambda body: names(body) == [*tokens]
    )


def refuses(query: Any, message: str) -> Row:
    return Row(
        ("developer logs: errors are 400, 401 and 403",), post(PATH, query, by="{auditor}"), 400, message, setup=auditor
    )


def denied(cites: str, message: str, setup: Callable[[Platform], Mapping[str, str]], by: str = "{auditor}") -> Row:
    return Row((cites, "developer logs: errors are 400, 401 and 403"), post(PATH, {}, by=by), 403, message, setup=setup)


def item_is_whole(body: Any) -> bool:
    first, *_, agent = body["meta"]["items"]
    return (
        first["timestamp"] == "2027-01-15T08:00:00.000Z"
        and first["action"] == {"event_name": "/v1/files/:file_key/variables", "event_source": "rest_api"}
        and set(first["actor"]) == {"user_id", "user_name", "token_name", "token_type", "user_email"}
        and (first["actor"]["user_name"], first["actor"]["user_email"]) == ("Ada", "ada@example.com")
        and first["resource"] == {"id_or_key": KEY, "name": "Untitled", "type": "file", "org_id": "1"}
        and set(first["context"]) == {"ip_address", "city", "country_region", "country"}
        and agent["resource"] == {"org_id": "1"}
        and len({each["uuid"] for each in body["meta"]["items"]}) == 4
    )


PREFIXES = "developer logs: names, addresses and mails match by prefix, in comma lists"
ENUMERATED = "developer logs: token_type, event_source and date_range are enumerated"
ADMINS = "developer logs: developer logs are for admins on Enterprise with Governance+"
PLAN_TOKENS = "developer logs: developer logs need org:developer_log_read in a plan access token"

SEARCHES = (
    Row(
        ("developer log items: a developer log item has these fields", "times: timestamps are ISO 8601"),
        post(PATH, {}, by="{auditor}"),
        setup=logged,
        body_matches=item_is_whole,
    ),
    Row(
        ("developer log items: enumerated values may be in lower case",),
        post(PATH, {}, by="{auditor}"),
        setup=logged,
        body_matches=lambda body: (
            [each["actor"]["token_type"] for each in body["meta"]["items"]]
            == ["personal_access_token", "oauth_token", "plan_access_token", "oauth_token"]
        ),
    ),
    finds("developer logs: a token's secret finds its records", {"token": "{personal}"}, "CI_release"),
    finds("developer logs: a token's secret finds its records", {"token": "another"}),
    finds(PREFIXES, {"token_name": "CI"}, "CI_release", "CIxnightly"),
    finds(PREFIXES, {"token_name": "CI_"}, "CI_release"),
    finds(PREFIXES, {"token_name": "docs, cix"}, "Docs app", "CIxnightly", "Docs app"),
    finds(PREFIXES, {"token_name": "nightly"}),
    finds(PREFIXES, {"token_name": ""}, "CI_release", "Docs app", "CIxnightly", "Docs app"),
    finds(PREFIXES, {"ip_address": "10.1."}, "CI_release", "Docs app"),
    finds(PREFIXES, {"ip_address": "10.2,192"}, "Docs app", "CIxnightly"),
    finds(PREFIXES, {"user_email": "bo@"}, "Docs app", "Docs app"),
    finds("developer logs: a mail never matches plan access tokens", {"user_email": "ada@"}, "CI_release"),
    finds(ENUMERATED, {"token_type": "OAUTH_TOKEN"}, "Docs app", "Docs app"),
    finds(ENUMERATED, {"token_type": "plan_access_token"}, "CIxnightly"),
    finds(ENUMERATED, {"event_source": "MCP_SERVER"}, "Docs app"),
    finds(ENUMERATED, {"event_source": "rest_api", "token_type": "OAUTH_TOKEN"}, "Docs app"),
    finds(ENUMERATED, {"date_range": "LAST_24H"}, "CI_release"),
    finds(ENUMERATED, {"date_range": "last_7d"}, "CI_release", "Docs app"),
    finds(ENUMERATED, {"date_range": "LAST_30D"}, "CI_release", "Docs app", "CIxnightly", "Docs app"),
    Row(
        (
            "developer logs: limit is 25 and 100 at most",
            "limits: developer logs have 25 items, 100 at most, in three ranges",
        ),
        post(PATH, {}, by="{auditor}"),
        setup=many,
        body_matches=lambda body: len(body["meta"]["items"]) == 25 and body["meta"]["has_more"] is True,
    ),
    Row(
        ("developer logs: a cursor leads on while has_more",),
        post(PATH, {"cursor": "{next}"}, by="{auditor}"),
        setup=second_page,
        body_matches=lambda body: len(body["meta"]["items"]) >= 5 and body["meta"]["has_more"] is False,
    ),
    Row(
        ("developer logs: limit is 25 and 100 at most",),
        post(PATH, {"limit": 100}, by="{auditor}"),
        setup=many,
        body_matches=lambda body: len(body["meta"]["items"]) == 30 and body["meta"]["has_more"] is False,
    ),
    Row(
        ("developer logs: limit is 25 and 100 at most",),
        post(PATH, b"", by="{auditor}"),
        setup=auditor,
        body_matches=lambda body: body["meta"] == {"items": [], "cursor": "", "has_more": False},
    ),
)

ERRORS = (
    *(refuses({"limit": limit}, "limit must be from 1 to 100") for limit in (0, 101, -1)),
    *(refuses({"limit": limit}, "limit must be a whole number") for limit in ("9", 1.5, True, None)),
    refuses(b'{"limit": 1e999}', "limit must be a whole number"),
    refuses({"token_type": "PAT"}, "token_type must be one of PERSONAL_ACCESS_TOKEN, .*"),
    refuses({"event_source": "x"}, "event_source must be one of REST_API, MCP_SERVER"),
    refuses({"date_range": "LAST_1Y"}, "date_range must be one of LAST_24H, LAST_7D, LAST_30D"),
    refuses({"token_name": 1}, "token_name must be a string"),
    refuses({"ip_address": None}, "ip_address must be a string"),
    *(refuses({"cursor": cursor}, "Invalid cursor") for cursor in ("x", "e30=", "WzEsICJhIl0=", "\u00e9")),
    refuses([], "Request body must be a JSON object"),
    refuses(b"{", "Request body must be valid JSON: .*"),
    Row(
        ("developer logs: errors are 400, 401 and 403",),
        post(PATH, {}, by=NOBODY),
        401,
        "Authentication required: send an access token",
        body_matches=lambda body: set(body) == {"status", "error", "message"},
    ),
    denied(PLAN_TOKENS, "This endpoint cannot be used with a personal access token", auditor, by="{token}"),
    denied(
        PLAN_TOKENS,
        r"Invalid scope\(s\): file_variables:read, file_variables:write."
        " This endpoint requires the org:developer_log_read scope",
        lambda platform: {"auditor": platform.emulator.tokens.create(kind="plan", admin=True)},
    ),
    denied(
        ADMINS,
        "Incorrect account type",
        lambda platform: {"auditor": platform.emulator.tokens.create(kind="plan", scopes=SCOPE)},
    ),
    denied(
        ADMINS,
        "Limited by Figma plan",
        without(lambda platform: platform.emulator.organization.set_plan("organization")),
    ),
    denied(
        ADMINS,
        "Limited by Figma plan",
        without(lambda platform: platform.emulator.organization.set_governance(False)),
    ),
)

ROWS = (*SEARCHES, *ERRORS)
