"""Activity logs (Figma REST API: Activity logs)."""

from typing import Any

from emulator.contract.rows import NOBODY, Row, get
from emulator.platform import NOW, Platform

PATH = "/v1/activity_logs"
DAY = 86400


def events(platform: Platform) -> dict[str, str]:
    """Three events of the last days, and one of more than a year ago."""
    add = platform.emulator.activity.add
    add("org_user_create", ago=400 * DAY)
    add("fig_file_view", entity={"type": "file", "key": "Harbor"}, ago=2 * DAY, actor=None)
    add("team_create", entity={"type": "team", "id": "1", "name": "Design system"}, ago=DAY, team="1", client="Sync")
    add("org_user_delete", details={"permission": "member"})
    return {}


def branched(platform: Platform) -> dict[str, str]:
    platform.emulator.files.create("Quay", name="Quay")
    platform.emulator.files.branch("Quay", "QuayBranch")
    return {}


def of(**settings: Any) -> Any:
    """Set up the token of a user with these settings, as {one}."""
    scopes = ("org:activity_log_read",)
    return lambda platform: {"one": platform.emulator.tokens.create(**{"scopes": scopes, "admin": True, **settings})}


def types(body: Any) -> list[str]:
    return [each["action"]["type"] for each in body["meta"]["activity_logs"]]


def finds(query: str, *wanted: str) -> Row:
    cites = ("activity logs: a limit cuts the activity log",)
    return Row(cites, get(PATH + query), setup=events, body_matches=lambda body: types(body) == [*wanted])


def refuses(query: str, message: str) -> Row:
    return Row(
        ("errors: 400 is a bad parameter or a failed validation, and the message describes it",),
        get(PATH + query),
        400,
        message,
    )


def denied(message: str, setup: Any, *cites: str) -> Row:
    return Row(cites, get(PATH, by="{one}"), 403, message, setup=setup)


def is_whole(body: Any) -> bool:
    view, team, _ = body["meta"]["activity_logs"]
    return (
        set(body) == {"status", "error", "i18n", "meta"}
        and body["i18n"] is None
        and set(view) == {"id", "timestamp", "actor", "action", "entity", "context"}
        and view["actor"] is None
        and view["entity"]
        == {
            "type": "file",
            "key": "Harbor",
            "name": "Untitled",
            "editor_type": "figma",
            "link_access": "inherit",
            "proto_link_access": "inherit",
        }
        and view["timestamp"] == NOW - 2 * DAY
        and team["actor"]["email"] == "owner@example.com"
        and team["context"]
        == {
            "client_name": "Sync",
            "ip_address": "127.0.0.1",
            "is_figma_support_team_action": False,
            "org_id": "1",
            "team_id": "1",
        }
    )


def without_enterprise(platform: Platform) -> dict[str, str]:
    platform.emulator.organization.set_plan("organization")
    return of()(platform)


def without_governance(platform: Platform) -> dict[str, str]:
    platform.emulator.organization.set_governance(False)
    return of()(platform)


ADMINS = "activity logs: activity logs are for admins of Enterprise organizations"
SCOPE = "activity logs: activity logs need org:activity_log_read"

ROWS = (
    Row((SCOPE,), get(PATH), setup=events, body_matches=is_whole),
    Row((ADMINS,), get(PATH, by="{one}"), setup=without_governance),
    Row(
        ("activity logs: a limit cuts the activity log",),
        get(PATH),
        setup=branched,
        body_matches=lambda body: (
            [(each["action"], each["entity"]["key"]) for each in body["meta"]["activity_logs"]]
            == [
                ({"type": "fig_file_create", "details": None}, "Quay"),
                ({"type": "branch_create", "details": {"main_file_key": "Quay"}}, "QuayBranch"),
            ]
        ),
    ),
    finds("", "fig_file_view", "team_create", "org_user_delete"),
    finds("?order=desc", "org_user_delete", "team_create", "fig_file_view"),
    finds("?events=team_create,org_user_create", "team_create"),
    finds(f"?start_time={int(NOW) - DAY}", "team_create", "org_user_delete"),
    finds(f"?end_time={int(NOW) - DAY}", "fig_file_view", "team_create"),
    finds(f"?start_time=0&end_time={int(NOW) - 399 * DAY}", "org_user_create"),
    finds("?limit=2", "fig_file_view", "team_create"),
    Row(
        ("activity logs: a limit cuts the activity log",),
        get(PATH + "?limit=2"),
        setup=events,
        body_matches=lambda body: body["meta"]["next_page"] is True,
        after=lambda answer, platform: (
            types(platform.request("GET", f"{PATH}?cursor={answer.body['meta']['cursor']}").json) == ["org_user_delete"]
        ),
    ),
    Row(
        ("activity logs: a limit cuts the activity log",),
        get(PATH + "?limit=2&order=desc"),
        setup=events,
        after=lambda answer, platform: (
            types(platform.request("GET", f"{PATH}?order=desc&cursor={answer.body['meta']['cursor']}").json)
            == ["fig_file_view"]
        ),
    ),
    Row(
        ("activity logs: a limit cuts the activity log",),
        get(PATH),
        setup=events,
        body_matches=lambda body: body["meta"]["cursor"] != "" and body["meta"]["next_page"] is False,
    ),
    *(refuses(f"?limit={limit}", "limit must be a whole number from 1 to 1000") for limit in ("0", "1001", "x", "1.5")),
    refuses("?order=up", "order must be asc or desc"),
    refuses("?start_time=2026-01-01", "start_time must be a Unix time in whole seconds"),
    refuses("?start_time=9&end_time=9", "start_time must be before end_time"),
    refuses("?cursor=x", "Invalid cursor"),
    Row(
        ("errors: 401 is an authentication problem, and the message describes it",),
        get(PATH, by=NOBODY),
        401,
        "Authentication required: send an access token",
        body_matches=lambda body: set(body) == {"status", "error", "message"},
    ),
    denied(
        r"Invalid scope\(s\): files:read. This endpoint requires the org:activity_log_read scope",
        of(scopes=("files:read",)),
        SCOPE,
    ),
    denied(r"Invalid scope\(s\): none. This endpoint requires the org:activity_log_read scope", of(scopes=None), SCOPE),
    denied("Incorrect account type", of(admin=False), ADMINS),
    denied("Limited by Figma plan", without_enterprise, ADMINS),
)
