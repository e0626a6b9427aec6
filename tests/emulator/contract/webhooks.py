"""Webhooks and events."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from emulator.contract.rows import Answer, Row, delete, get, no_setup, post, put
from emulator.platform import KEY, Platform

ALL = "/v2/webhooks"
ONE = "/v2/webhooks/1"
FIELDS = {
    *("id", "event_type", "team_id", "context", "context_id", "plan_api_id", "status", "client_id", "passcode"),
    *("endpoint", "description"),
}
CREATED = "webhooks: a webhook is created, and answered"
LENGTHS = (
    "webhooks: endpoint, passcode and description have lengths",
    "limits: 2048, 100, 150 and 140 characters of a webhook",
)
REQUIRED = "webhooks: event_type, context, context_id, endpoint and passcode are required"
SCOPES = "webhooks: webhooks need webhooks:read and webhooks:write"
POST_ERRORS = "webhooks: errors of POST are 400 and 403"
GET_ERRORS = "webhooks: errors of GET by id are 403 and 404"
LIST_ERRORS = "webhooks: errors of the list are 403 and 404"
CHANGE_ERRORS = "webhooks: errors of PUT and DELETE are 400, 403 and 404"
PLAN_PAGES = "webhooks: webhooks are listed by plan in pages"
NO_PERMISSION = "errors: 404 is a webhook without permission"
PER_CONTEXT = "limits: 20 webhooks a team, 5 a folder, 3 a file"
PER_PLAN = "limits: 150, 300 and 600 webhooks of files a plan"
INVALID_SCOPE = r"Invalid scope\(s\): none\. This endpoint requires the webhooks:(read|write) scope"


def subscription(**more: Any) -> dict[str, Any]:
    """Return the body of a POST; None omits a member."""
    body = {
        "event_type": "LIBRARY_PUBLISH",
        "context": "team",
        "context_id": "{team}",
        "endpoint": "https://example.com/hook",
        "passcode": "open sesame",
        **more,
    }
    return {name: value for name, value in body.items() if value is not None}


def created(platform: Platform, **more: Any) -> dict[str, Any]:
    """Create a webhook of the first team, or as in ``more``, and deliver its PING."""
    answer = platform.request("POST", ALL, json=subscription(**{"context_id": "1", **more}))
    assert answer.status_code == 200, answer.json
    platform.emulator.deliver_due()
    platform.sent.clear()
    return answer.json


def one(platform: Platform) -> Mapping[str, str]:
    created(platform)
    return {}


def of_file(platform: Platform, **more: Any) -> dict[str, Any]:
    return created(platform, context="file", context_id=KEY, **more)


def several(count: int, **more: Any) -> Any:
    """Set up so many webhooks."""

    def setup(platform: Platform) -> Mapping[str, str]:
        for _ in range(count):
            created(platform, **more)
        return {}

    return setup


def of_plan(count: int, plan: str) -> Any:
    """Set up so many webhooks of files on a plan, and a file without one."""

    def setup(platform: Platform) -> Mapping[str, str]:
        for number in range((count + 2) // 3 + 1):
            platform.emulator.files.create(f"file-{number}", plan=plan)
        for number in range(count):
            created(platform, context="file", context_id=f"file-{number // 3}", status="PAUSED")
        return {"empty": f"file-{(count + 2) // 3}"}

    return setup


def other_user(*, then: Any = no_setup, **more: Any) -> Any:
    """Set up ``{user}``, the token of a user who is not an admin, created with ``more``."""

    def setup(platform: Platform) -> Mapping[str, str]:
        scopes = ("webhooks:read", "webhooks:write")
        token = platform.emulator.tokens.create(**{"scopes": scopes, "permission": "editor", **more})
        return {"user": token, **then(platform)}

    return setup


def manager_of(kind: str) -> Any:
    """Set up ``{user}``, who may only manage the webhooks of one team, folder or file."""

    def setup(platform: Platform) -> Mapping[str, str]:
        token = platform.emulator.tokens.create(scopes=("webhooks:read", "webhooks:write"), permission=None)
        user = platform.emulator.tokens.of(token).user
        if kind == "team":
            platform.emulator.sharing.set_team_role("1", user, "owner")
        elif kind == "folder":
            platform.emulator.sharing.share("1", user, "editor")
        else:
            platform.emulator.tokens.permit(token, KEY, "editor")
        return {"user": token}

    return setup


def publish(platform: Platform) -> None:
    platform.emulator.publish(KEY)


def sent(*kinds: str) -> Callable[[Answer, Platform], bool]:
    """Return a check of the delivered events."""

    def body_matches(answer: Answer, platform: Platform) -> bool:
        platform.emulator.deliver_due()
        return [payload["event_type"] for _, payload in platform.sent] == [*kinds]

    return body_matches


CREATION = (
    Row(
        (CREATED, "envelope: folders, dev resources, webhooks and analytics answer without the envelope"),
        post(ALL, subscription(description="Tokens")),
        body_matches=lambda body: (
            set(body) == FIELDS
            and (body["context"], body["context_id"], body["team_id"]) == ("TEAM", "1", "1")
            and (body["status"], body["passcode"], body["client_id"]) == ("ACTIVE", "open sesame", None)
            and (body["plan_api_id"], body["description"]) == ("organization-1", "Tokens")
        ),
        after=sent("PING"),
    ),
    Row(
        (CREATED,),
        post(ALL, subscription(context="project", context_id="{folder}")),
        body_matches=lambda body: (body["context"], body["team_id"]) == ("PROJECT", ""),
    ),
    Row(
        (CREATED, "webhooks: a plan is named by team or organization"),
        post(ALL, subscription(context="file", context_id="small")),
        body_matches=lambda body: (body["context"], body["plan_api_id"]) == ("FILE", "team-1"),
        setup=lambda platform: platform.emulator.files.create("small", plan="professional") or {},
    ),
    Row(
        ("webhooks: creation sends PING unless PAUSED", "events: PING shows that a webhook works"),
        post(ALL, subscription()),
        after=lambda answer, platform: (
            sent("PING")(answer, platform)
            and platform.sent[0][0] == "https://example.com/hook"
            and set(platform.sent[0][1]) == {"event_type", "passcode", "timestamp", "webhook_id"}
        ),
    ),
    Row(
        (
            "webhooks: creation sends PING unless PAUSED",
            "webhook status: PAUSED is set at creation or later, and an update reactivates",
        ),
        post(ALL, subscription(status="PAUSED")),
        body_matches=lambda body: body["status"] == "PAUSED",
        after=sent(),
    ),
    *(
        Row((REQUIRED, POST_ERRORS), post(ALL, subscription(**{name: None})), 400, f"{name} is required")
        for name in ("event_type", "context", "context_id", "endpoint", "passcode")
    ),
    *(
        Row((POST_ERRORS,), post(ALL, subscription(**body)), 400, message)
        for body, message in (
            ({"event_type": "PING"}, "event_type must be one of FILE_UPDATE, .*"),
            ({"event_type": 1}, "event_type must be a string"),
            ({"context": "TEAM"}, "context must be one of team, project, file"),
            ({"context_id": "404"}, "context_id: there is no team 404"),
            ({"context_id": 1}, "context_id must be a string"),
            ({"endpoint": "example.com"}, "endpoint must be an http or https URL"),
            ({"endpoint": "file:///etc"}, "endpoint must be an http or https URL"),
            ({"endpoint": "http://[::1"}, "endpoint must be an http or https URL"),
            ({"endpoint": "https://example.com/a b"}, "endpoint must be an http or https URL"),
        )
    ),
    Row((POST_ERRORS,), post(ALL, []), 400, "Request body must be a JSON object"),
    Row((POST_ERRORS,), post(ALL, b"{"), 400, "Request body must be valid JSON.*"),
    Row(
        ("webhook status: an error state cannot be set",),
        post(ALL, subscription(status="ERROR")),
        400,
        "status must be one of .*",
    ),
    Row(LENGTHS, post(ALL, subscription(endpoint="https://example.com/" + "x" * 2028, passcode="p" * 100)), 200),
    Row(
        LENGTHS,
        post(ALL, subscription(endpoint="https://example.com/" + "x" * 2029)),
        400,
        "endpoint must be at most 2048.*",
    ),
    Row(LENGTHS, post(ALL, subscription(passcode="p" * 101)), 400, "passcode must be at most 100 characters long"),
    Row(LENGTHS, post(ALL, subscription(description="d" * 150))),
    Row(
        LENGTHS, post(ALL, subscription(description="d" * 151)), 400, "description must be at most 150 characters long"
    ),
    Row(
        (POST_ERRORS, SCOPES),
        post(ALL, subscription(), by="{user}"),
        403,
        INVALID_SCOPE,
        setup=other_user(scopes=()),
    ),
    Row((PER_CONTEXT,), post(ALL, subscription()), setup=several(19)),
    Row((PER_CONTEXT,), post(ALL, subscription()), 400, ".*a team can have at most 20 webhooks", setup=several(20)),
    Row(
        (PER_CONTEXT,),
        post(ALL, subscription(context="project", context_id="{folder}")),
        400,
        ".*a folder can have at most 5 webhooks",
        setup=several(5, context="project"),
    ),
    Row(
        (PER_CONTEXT,),
        post(ALL, subscription(context="file", context_id="{file}")),
        400,
        ".*a file can have at most 3 webhooks",
        setup=several(3, context="file", context_id=KEY),
    ),
    *(
        Row(
            (PER_PLAN,),
            post(ALL, subscription(context="file", context_id="{empty}")),
            status,
            ".*at most .* webhooks on files" if status == 400 else "",
            setup=of_plan(count, plan),
        )
        for count, plan, status in (
            (149, "professional", 200),
            (150, "professional", 400),
            (300, "organization", 400),
            (600, "enterprise", 400),
        )
    ),
)

PERMISSIONS = (
    Row(
        ("webhooks: team webhooks are created by team admins",),
        post(ALL, subscription(), by="{user}"),
        setup=manager_of("team"),
    ),
    Row(
        ("webhooks: team webhooks are created by team admins", POST_ERRORS),
        post(ALL, subscription(), by="{user}"),
        403,
        "Insufficient team permissions",
        setup=other_user(),
    ),
    Row(
        ("webhooks: team webhooks are created by team admins",),
        post(ALL, subscription(), by="{user}"),
        403,
        "Insufficient team permissions",
        setup=other_user(admin=True),
    ),
    Row(
        ("webhooks: folder webhooks need edit access to the folder",),
        post(ALL, subscription(context="project", context_id="{folder}"), by="{user}"),
        setup=manager_of("folder"),
    ),
    Row(
        ("webhooks: folder webhooks need edit access to the folder",),
        post(ALL, subscription(context="project", context_id="{folder}"), by="{user}"),
        403,
        "Insufficient folder permissions",
        setup=other_user(permission="viewer"),
    ),
    Row(
        ("webhooks: file webhooks need edit access to the file",),
        post(ALL, subscription(context="file", context_id="{file}"), by="{user}"),
        setup=manager_of("file"),
    ),
    Row(
        ("webhooks: file webhooks need edit access to the file",),
        post(ALL, subscription(context="file", context_id="{file}"), by="{user}"),
        403,
        "Insufficient file permissions",
        setup=other_user(permission="viewer"),
    ),
    Row(
        ("webhooks: team webhooks are created by team admins",),
        post(ALL, subscription(context_id="2")),
        400,
        "Access Denied",
        setup=lambda platform: {"starter": platform.emulator.places.create_team("Small", plan="starter")},
    ),
)

READING = (
    Row(
        ("webhooks: a webhook is read by its id", SCOPES),
        get(ONE, by="{user}"),
        body_matches=lambda body: set(body) == FIELDS and body["id"] == "1" and body["passcode"] == "",
        setup=other_user(then=one, admin=True, scopes=("webhooks:read",)),
    ),
    Row((GET_ERRORS,), get("/v2/webhooks/404"), 404, "Webhook not found"),
    Row((GET_ERRORS,), get("/v2/webhooks/one"), 404, "Webhook not found"),
    Row((GET_ERRORS, NO_PERMISSION), get(ONE, by="{user}"), 404, "Webhook not found", setup=other_user(then=one)),
    Row((GET_ERRORS, SCOPES), get(ONE, by="{user}"), 403, INVALID_SCOPE, setup=other_user(then=one, scopes=())),
    Row(
        ("webhooks: webhooks are listed by context",),
        get(f"{ALL}?context=team&context_id=1&cursor=ignored"),
        body_matches=lambda body: (
            [each["id"] for each in body["webhooks"]] == ["1", "2"]
            and {each["passcode"] for each in body["webhooks"]} == {""}
            and body["pagination"] == {}
        ),
        setup=several(2),
    ),
    Row(
        ("webhooks: a cursor counts with plan_api_id alone",),
        get(f"{ALL}?context=file&context_id={{file}}&cursor=after-1"),
        body_matches=lambda body: [each["id"] for each in body["webhooks"]] == ["1"],
        setup=lambda platform: of_file(platform) and {},
    ),
    Row((LIST_ERRORS,), get(f"{ALL}?context=project&context_id=404"), 404, "Folder not found"),
    Row((LIST_ERRORS,), get(f"{ALL}?context=file&context_id=nothing"), 404, "File not found"),
    Row((LIST_ERRORS,), get(f"{ALL}?plan_api_id=organization-404"), 404, "Plan not found"),
    Row(
        (LIST_ERRORS, NO_PERMISSION),
        get(f"{ALL}?context=team&context_id=1", by="{user}"),
        404,
        "Team not found",
        setup=other_user(then=one),
    ),
    Row(
        (LIST_ERRORS, SCOPES),
        get(f"{ALL}?context=team&context_id=1", by="{user}"),
        403,
        INVALID_SCOPE,
        setup=other_user(scopes=()),
    ),
    Row(
        ("webhooks: context and plan_api_id exclude each other",),
        get(f"{ALL}?context=team&context_id=1&plan_api_id=team-1"),
        400,
        "plan_api_id cannot be combined with context and context_id",
    ),
    Row((LIST_ERRORS,), get(ALL), 400, "Either context and context_id or plan_api_id is required"),
    Row((LIST_ERRORS,), get(f"{ALL}?context=user&context_id=1"), 400, "context must be one of team, project, file"),
    Row(
        (PLAN_PAGES, "webhooks: a plan is named by team or organization"),
        get(f"{ALL}?plan_api_id=organization-1"),
        body_matches=lambda body: [each["context"] for each in body["webhooks"]] == ["TEAM", "FILE"],
        setup=lambda platform: created(platform) and of_file(platform) and {},
    ),
    Row(
        (PLAN_PAGES,),
        get(f"{ALL}?plan_api_id=team-1"),
        body_matches=lambda body: (
            len(body["webhooks"]) == 50 and body["pagination"] == {"next_page": f"after-{body['webhooks'][-1]['id']}"}
        ),
        setup=of_plan(60, "professional"),
    ),
    Row(
        (PLAN_PAGES,),
        get(f"{ALL}?plan_api_id=team-1&cursor=after-50"),
        body_matches=lambda body: len(body["webhooks"]) == 10 and body["pagination"] == {"prev_page": "before-51"},
        setup=of_plan(60, "professional"),
    ),
    Row(
        (PLAN_PAGES,),
        get(f"{ALL}?plan_api_id=team-1&cursor=before-51"),
        body_matches=lambda body: (
            [each["id"] for each in body["webhooks"]] == [str(each) for each in range(1, 51)]
            and body["pagination"] == {"next_page": "after-50"}
        ),
        setup=of_plan(60, "professional"),
    ),
    Row((PLAN_PAGES,), get(f"{ALL}?plan_api_id=team-1&cursor=x"), 400, "cursor must be the next_page or .*"),
    Row(
        (PLAN_PAGES,),
        get(f"{ALL}?plan_api_id=organization-1", by="{user}"),
        body_matches=lambda body: [each["context"] for each in body["webhooks"]] == ["FILE"],
        setup=other_user(then=lambda platform: created(platform) and of_file(platform) and {}),
    ),
    Row(
        (
            "webhooks: a team's webhooks have a deprecated list",
            "versions: deprecated endpoints answer and name what replaces them",
        ),
        get("/v2/teams/{team}/webhooks"),
        body_matches=lambda body: [each["id"] for each in body["webhooks"]] == ["1"] and set(body) == {"webhooks"},
        setup=one,
        after=lambda answer, platform: (
            answer.headers["Link"] == '</v2/webhooks?context=team&context_id=1>; rel="successor-version"'
            and "Deprecation" in answer.headers
        ),
    ),
    Row(("webhooks: a team's webhooks have a deprecated list",), get("/v2/teams/404/webhooks"), 404, "Team not found"),
)

CHANGING = (
    Row(
        ("webhooks: an update answers the webhook", SCOPES),
        put(
            ONE, {"event_type": "FILE_UPDATE", "endpoint": "http://b.example.com", "passcode": "q", "description": "b"}
        ),
        body_matches=lambda body: (
            set(body) == FIELDS
            and (body["event_type"], body["endpoint"]) == ("FILE_UPDATE", "http://b.example.com")
            and (body["passcode"], body["description"], body["status"]) == ("q", "b", "ACTIVE")
        ),
        setup=one,
    ),
    Row(
        ("webhooks: an update answers the webhook",),
        put(ONE, {}),
        body_matches=lambda body: (
            (body["event_type"], body["endpoint"]) == ("LIBRARY_PUBLISH", "https://example.com/hook")
        ),
        setup=one,
    ),
    Row(
        ("webhooks: an empty description deletes it",),
        put(ONE, {"description": ""}),
        body_matches=lambda body: body["description"] is None,
        setup=lambda platform: created(platform, description="Tokens") and {},
    ),
    Row(
        ("webhook status: PAUSED is set at creation or later, and an update reactivates",),
        put(ONE, {"status": "PAUSED"}),
        body_matches=lambda body: body["status"] == "PAUSED",
        setup=one,
        after=lambda answer, platform: publish(platform) or sent()(answer, platform),
    ),
    Row(
        ("webhook status: PAUSED is set at creation or later, and an update reactivates",),
        put(ONE, {"status": "ACTIVE"}),
        body_matches=lambda body: body["status"] == "ACTIVE",
        setup=lambda platform: created(platform, status="PAUSED") and {},
        after=lambda answer, platform: publish(platform) or sent("LIBRARY_PUBLISH")(answer, platform),
    ),
    Row(
        ("webhook status: an error state cannot be set",),
        put(ONE, {"status": "ERROR"}),
        400,
        "status must be .*",
        setup=one,
    ),
    Row(LENGTHS, put(ONE, {"description": "d" * 140}), setup=one),
    Row(LENGTHS, put(ONE, {"description": "d" * 141}), 400, "description must be at most 140 .*", setup=one),
    Row(LENGTHS, put(ONE, {"passcode": "p" * 101}), 400, "passcode must be at most 100 characters long", setup=one),
    Row((CHANGE_ERRORS,), put(ONE, {"event_type": "PING"}), 400, "event_type must be one of .*", setup=one),
    Row((CHANGE_ERRORS,), put(ONE, {"description": None}), 400, "description must be a string", setup=one),
    Row((CHANGE_ERRORS,), put("/v2/webhooks/one", {}), 400, "webhook_id must be a number"),
    Row((CHANGE_ERRORS,), put("/v2/webhooks/404", {}), 404, "Webhook not found"),
    Row(
        (CHANGE_ERRORS, NO_PERMISSION),
        put(ONE, {}, by="{user}"),
        404,
        "Webhook not found",
        setup=other_user(then=one),
    ),
    Row((CHANGE_ERRORS, SCOPES), put(ONE, {}, by="{user}"), 403, INVALID_SCOPE, setup=other_user(scopes=())),
    Row(
        ("webhooks: a deletion answers the webhook and is final",),
        delete(ONE),
        body_matches=lambda body: set(body) == FIELDS and body["id"] == "1",
        setup=one,
        after=lambda answer, platform: (
            platform.request("GET", ONE).status_code == 404 and created(platform)["id"] == "2"
        ),
    ),
    Row((CHANGE_ERRORS,), delete("/v2/webhooks/one"), 400, "webhook_id must be a number"),
    Row((CHANGE_ERRORS,), delete("/v2/webhooks/404"), 404, "Webhook not found"),
    Row((CHANGE_ERRORS, SCOPES), delete(ONE, by="{user}"), 403, INVALID_SCOPE, setup=other_user(scopes=())),
)

ROWS = (*CREATION, *PERMISSIONS, *READING, *CHANGING)
