"""Webhooks and events."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from emulator.contract.rows import Answer, Row, delete, get, nothing, post, put
from emulator.platform import KEY

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from emulator.platform import Platform

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


def wanted(**more: Any) -> dict[str, Any]:
    """The body of a POST; None leaves a member out."""
    body = {
        "event_type": "LIBRARY_PUBLISH",
        "context": "team",
        "context_id": "{team}",
        "endpoint": "https://example.com/hook",
        "passcode": "open sesame",
        **more,
    }
    return {name: value for name, value in body.items() if value is not None}


def made(platform: Platform, **more: Any) -> dict[str, Any]:
    """A webhook of the first team, or as ``more`` has it; whatever it is pinged with is delivered."""
    answer = platform.request("POST", ALL, json=wanted(**{"context_id": "1", **more}))
    assert answer.status_code == 200, answer.json
    platform.emulator.deliver_due()
    platform.sent.clear()
    return answer.json


def one(platform: Platform) -> Mapping[str, str]:
    made(platform)
    return {}


def of_file(platform: Platform, **more: Any) -> dict[str, Any]:
    return made(platform, context="file", context_id=KEY, **more)


def several(count: int, **more: Any) -> Any:
    """A platform with so many webhooks."""

    def given(platform: Platform) -> Mapping[str, str]:
        for _ in range(count):
            made(platform, **more)
        return {}

    return given


def of_plan(count: int, plan: str) -> Any:
    """So many webhooks of files on a plan, and a file that has none."""

    def given(platform: Platform) -> Mapping[str, str]:
        for number in range((count + 2) // 3 + 1):
            platform.emulator.files.create(f"file-{number}", plan=plan)
        for number in range(count):
            made(platform, context="file", context_id=f"file-{number // 3}", status="PAUSED")
        return {"empty": f"file-{(count + 2) // 3}"}

    return given


def somebody(*, then: Any = nothing, **more: Any) -> Any:
    """``{somebody}`` is the token of a user who is no admin; ``more`` is what a token is made with."""

    def given(platform: Platform) -> Mapping[str, str]:
        scopes = ("webhooks:read", "webhooks:write")
        token = platform.emulator.tokens.create(**{"scopes": scopes, "permission": "editor", **more})
        return {"somebody": token, **then(platform)}

    return given


def somebody_who_manages(kind: str) -> Any:
    """``{somebody}`` may do nothing but manage the webhooks of one team, folder or file."""

    def given(platform: Platform) -> Mapping[str, str]:
        token = platform.emulator.tokens.create(scopes=("webhooks:read", "webhooks:write"), permission=None)
        user = platform.emulator.tokens.of(token).user
        if kind == "team":
            platform.emulator.sharing.set_team_role("1", user, "owner")
        elif kind == "folder":
            platform.emulator.sharing.share("1", user, "editor")
        else:
            platform.emulator.tokens.permit(token, KEY, "editor")
        return {"somebody": token}

    return given


def publish(platform: Platform) -> None:
    platform.emulator.publish(KEY)


def sent(*kinds: str) -> Callable[[Answer, Platform], bool]:
    """The events that were delivered by then."""

    def holds(answer: Answer, platform: Platform) -> bool:
        platform.emulator.deliver_due()
        return [payload["event_type"] for _, payload in platform.sent] == [*kinds]

    return holds


CREATION = (
    Row(
        (CREATED, "envelope: folders, dev resources, webhooks and analytics answer without the envelope"),
        post(ALL, wanted(description="Tokens")),
        holds=lambda body: (
            set(body) == FIELDS
            and (body["context"], body["context_id"], body["team_id"]) == ("TEAM", "1", "1")
            and (body["status"], body["passcode"], body["client_id"]) == ("ACTIVE", "open sesame", None)
            and (body["plan_api_id"], body["description"]) == ("organization-1", "Tokens")
        ),
        after=sent("PING"),
    ),
    Row(
        (CREATED,),
        post(ALL, wanted(context="project", context_id="{folder}")),
        holds=lambda body: (body["context"], body["team_id"]) == ("PROJECT", ""),
    ),
    Row(
        (CREATED, "webhooks: a plan is named by team or organization"),
        post(ALL, wanted(context="file", context_id="small")),
        holds=lambda body: (body["context"], body["plan_api_id"]) == ("FILE", "team-1"),
        given=lambda platform: platform.emulator.files.create("small", plan="professional") or {},
    ),
    Row(
        ("webhooks: creation sends PING unless PAUSED", "events: PING tells that a webhook works"),
        post(ALL, wanted()),
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
        post(ALL, wanted(status="PAUSED")),
        holds=lambda body: body["status"] == "PAUSED",
        after=sent(),
    ),
    *(
        Row((REQUIRED, POST_ERRORS), post(ALL, wanted(**{name: None})), 400, f"{name} is required")
        for name in ("event_type", "context", "context_id", "endpoint", "passcode")
    ),
    *(
        Row((POST_ERRORS,), post(ALL, wanted(**body)), 400, says)
        for body, says in (
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
        post(ALL, wanted(status="ERROR")),
        400,
        "status must be one of .*",
    ),
    Row(LENGTHS, post(ALL, wanted(endpoint="https://example.com/" + "x" * 2028, passcode="p" * 100)), 200),
    Row(
        LENGTHS, post(ALL, wanted(endpoint="https://example.com/" + "x" * 2029)), 400, "endpoint must be at most 2048.*"
    ),
    Row(LENGTHS, post(ALL, wanted(passcode="p" * 101)), 400, "passcode must be at most 100 characters long"),
    Row(LENGTHS, post(ALL, wanted(description="d" * 150))),
    Row(LENGTHS, post(ALL, wanted(description="d" * 151)), 400, "description must be at most 150 characters long"),
    Row((POST_ERRORS, SCOPES), post(ALL, wanted(), by="{somebody}"), 403, INVALID_SCOPE, given=somebody(scopes=())),
    Row((PER_CONTEXT,), post(ALL, wanted()), given=several(19)),
    Row((PER_CONTEXT,), post(ALL, wanted()), 400, ".*a team can have at most 20 webhooks", given=several(20)),
    Row(
        (PER_CONTEXT,),
        post(ALL, wanted(context="project", context_id="{folder}")),
        400,
        ".*a folder can have at most 5 webhooks",
        given=several(5, context="project"),
    ),
    Row(
        (PER_CONTEXT,),
        post(ALL, wanted(context="file", context_id="{file}")),
        400,
        ".*a file can have at most 3 webhooks",
        given=several(3, context="file", context_id=KEY),
    ),
    *(
        Row(
            (PER_PLAN,),
            post(ALL, wanted(context="file", context_id="{empty}")),
            status,
            ".*at most .* webhooks on files" if status == 400 else "",
            given=of_plan(count, plan),
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
        post(ALL, wanted(), by="{somebody}"),
        given=somebody_who_manages("team"),
    ),
    Row(
        ("webhooks: team webhooks are created by team admins", POST_ERRORS),
        post(ALL, wanted(), by="{somebody}"),
        403,
        "Insufficient team permissions",
        given=somebody(),
    ),
    Row(
        ("webhooks: folder webhooks need edit access to the folder",),
        post(ALL, wanted(context="project", context_id="{folder}"), by="{somebody}"),
        given=somebody_who_manages("folder"),
    ),
    Row(
        ("webhooks: folder webhooks need edit access to the folder",),
        post(ALL, wanted(context="project", context_id="{folder}"), by="{somebody}"),
        403,
        "Insufficient folder permissions",
        given=somebody(permission="viewer"),
    ),
    Row(
        ("webhooks: file webhooks need edit access to the file",),
        post(ALL, wanted(context="file", context_id="{file}"), by="{somebody}"),
        given=somebody_who_manages("file"),
    ),
    Row(
        ("webhooks: file webhooks need edit access to the file",),
        post(ALL, wanted(context="file", context_id="{file}"), by="{somebody}"),
        403,
        "Insufficient file permissions",
        given=somebody(permission="viewer"),
    ),
    Row(
        ("webhooks: team webhooks are created by team admins",),
        post(ALL, wanted(context_id="2")),
        403,
        "Limited by Figma plan",
        given=lambda platform: {"starter": platform.emulator.places.create_team("Small", plan="starter")},
    ),
)

READING = (
    Row(
        ("webhooks: a webhook is read by its id", SCOPES),
        get(ONE, by="{somebody}"),
        holds=lambda body: set(body) == FIELDS and body["id"] == "1" and body["passcode"] == "",
        given=somebody(then=one, admin=True, scopes=("webhooks:read",)),
    ),
    Row((GET_ERRORS,), get("/v2/webhooks/404"), 404, "Webhook not found"),
    Row((GET_ERRORS,), get("/v2/webhooks/one"), 404, "Webhook not found"),
    Row((GET_ERRORS, NO_PERMISSION), get(ONE, by="{somebody}"), 404, "Webhook not found", given=somebody(then=one)),
    Row((GET_ERRORS, SCOPES), get(ONE, by="{somebody}"), 403, INVALID_SCOPE, given=somebody(then=one, scopes=())),
    Row(
        ("webhooks: webhooks are listed by context",),
        get(f"{ALL}?context=team&context_id=1&cursor=ignored"),
        holds=lambda body: (
            [each["id"] for each in body["webhooks"]] == ["1", "2"]
            and {each["passcode"] for each in body["webhooks"]} == {""}
            and body["pagination"] == {}
        ),
        given=several(2),
    ),
    Row(
        ("webhooks: a cursor counts with plan_api_id alone",),
        get(f"{ALL}?context=file&context_id={{file}}&cursor=after-1"),
        holds=lambda body: [each["id"] for each in body["webhooks"]] == ["1"],
        given=lambda platform: of_file(platform) and {},
    ),
    Row((LIST_ERRORS,), get(f"{ALL}?context=project&context_id=404"), 404, "Folder not found"),
    Row((LIST_ERRORS,), get(f"{ALL}?context=file&context_id=nothing"), 404, "File not found"),
    Row((LIST_ERRORS,), get(f"{ALL}?plan_api_id=organization-404"), 404, "Plan not found"),
    Row(
        (LIST_ERRORS, NO_PERMISSION),
        get(f"{ALL}?context=team&context_id=1", by="{somebody}"),
        404,
        "Team not found",
        given=somebody(then=one),
    ),
    Row(
        (LIST_ERRORS, SCOPES),
        get(f"{ALL}?context=team&context_id=1", by="{somebody}"),
        403,
        INVALID_SCOPE,
        given=somebody(scopes=()),
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
        holds=lambda body: [each["context"] for each in body["webhooks"]] == ["TEAM", "FILE"],
        given=lambda platform: made(platform) and of_file(platform) and {},
    ),
    Row(
        (PLAN_PAGES,),
        get(f"{ALL}?plan_api_id=team-1"),
        holds=lambda body: (
            len(body["webhooks"]) == 50 and body["pagination"] == {"next_page": f"after-{body['webhooks'][-1]['id']}"}
        ),
        given=of_plan(60, "professional"),
    ),
    Row(
        (PLAN_PAGES,),
        get(f"{ALL}?plan_api_id=team-1&cursor=after-50"),
        holds=lambda body: len(body["webhooks"]) == 10 and body["pagination"] == {"prev_page": "before-51"},
        given=of_plan(60, "professional"),
    ),
    Row(
        (PLAN_PAGES,),
        get(f"{ALL}?plan_api_id=team-1&cursor=before-51"),
        holds=lambda body: (
            [each["id"] for each in body["webhooks"]] == [str(each) for each in range(1, 51)]
            and body["pagination"] == {"next_page": "after-50"}
        ),
        given=of_plan(60, "professional"),
    ),
    Row((PLAN_PAGES,), get(f"{ALL}?plan_api_id=team-1&cursor=x"), 400, "cursor must be the next_page or .*"),
    Row(
        (PLAN_PAGES,),
        get(f"{ALL}?plan_api_id=organization-1", by="{somebody}"),
        holds=lambda body: [each["context"] for each in body["webhooks"]] == ["FILE"],
        given=somebody(then=lambda platform: made(platform) and of_file(platform) and {}),
    ),
    Row(
        (
            "webhooks: a team's webhooks have a deprecated list",
            "versions: deprecated endpoints answer and name what replaces them",
        ),
        get("/v2/teams/{team}/webhooks"),
        holds=lambda body: [each["id"] for each in body["webhooks"]] == ["1"] and set(body) == {"webhooks"},
        given=one,
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
        holds=lambda body: (
            set(body) == FIELDS
            and (body["event_type"], body["endpoint"]) == ("FILE_UPDATE", "http://b.example.com")
            and (body["passcode"], body["description"], body["status"]) == ("q", "b", "ACTIVE")
        ),
        given=one,
    ),
    Row(
        ("webhooks: an update answers the webhook",),
        put(ONE, {}),
        holds=lambda body: (body["event_type"], body["endpoint"]) == ("LIBRARY_PUBLISH", "https://example.com/hook"),
        given=one,
    ),
    Row(
        ("webhooks: an empty description deletes it",),
        put(ONE, {"description": ""}),
        holds=lambda body: body["description"] is None,
        given=lambda platform: made(platform, description="Tokens") and {},
    ),
    Row(
        ("webhook status: PAUSED is set at creation or later, and an update reactivates",),
        put(ONE, {"status": "PAUSED"}),
        holds=lambda body: body["status"] == "PAUSED",
        given=one,
        after=lambda answer, platform: publish(platform) or sent()(answer, platform),
    ),
    Row(
        ("webhook status: PAUSED is set at creation or later, and an update reactivates",),
        put(ONE, {"status": "ACTIVE"}),
        holds=lambda body: body["status"] == "ACTIVE",
        given=lambda platform: made(platform, status="PAUSED") and {},
        after=lambda answer, platform: publish(platform) or sent("LIBRARY_PUBLISH")(answer, platform),
    ),
    Row(
        ("webhook status: an error state cannot be set",),
        put(ONE, {"status": "ERROR"}),
        400,
        "status must be .*",
        given=one,
    ),
    Row(LENGTHS, put(ONE, {"description": "d" * 140}), given=one),
    Row(LENGTHS, put(ONE, {"description": "d" * 141}), 400, "description must be at most 140 .*", given=one),
    Row(LENGTHS, put(ONE, {"passcode": "p" * 101}), 400, "passcode must be at most 100 characters long", given=one),
    Row((CHANGE_ERRORS,), put(ONE, {"event_type": "PING"}), 400, "event_type must be one of .*", given=one),
    Row((CHANGE_ERRORS,), put(ONE, {"description": None}), 400, "description must be a string", given=one),
    Row((CHANGE_ERRORS,), put("/v2/webhooks/one", {}), 400, "webhook_id must be a number"),
    Row((CHANGE_ERRORS,), put("/v2/webhooks/404", {}), 404, "Webhook not found"),
    Row(
        (CHANGE_ERRORS, NO_PERMISSION),
        put(ONE, {}, by="{somebody}"),
        404,
        "Webhook not found",
        given=somebody(then=one),
    ),
    Row((CHANGE_ERRORS, SCOPES), put(ONE, {}, by="{somebody}"), 403, INVALID_SCOPE, given=somebody(scopes=())),
    Row(
        ("webhooks: a deletion answers the webhook and is final",),
        delete(ONE),
        holds=lambda body: set(body) == FIELDS and body["id"] == "1",
        given=one,
        after=lambda answer, platform: platform.request("GET", ONE).status_code == 404 and made(platform)["id"] == "2",
    ),
    Row((CHANGE_ERRORS,), delete("/v2/webhooks/one"), 400, "webhook_id must be a number"),
    Row((CHANGE_ERRORS,), delete("/v2/webhooks/404"), 404, "Webhook not found"),
    Row((CHANGE_ERRORS, SCOPES), delete(ONE, by="{somebody}"), 403, INVALID_SCOPE, given=somebody(scopes=())),
)

ROWS = (*CREATION, *PERMISSIONS, *READING, *CHANGING)
