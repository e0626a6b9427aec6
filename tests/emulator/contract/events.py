"""Events: their payloads, delivery and retries."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from emulator.contract.rows import Row, get
from emulator.contract.webhooks import ONE, created, of_file, one, publish
from emulator.platform import KEY, Platform

from tokensync.emulator.webhooks import Reply

SENT = "/v2/webhooks/1/requests"
RETRIED = "events: a failure is retried after 5 minutes, 30 minutes and 3 hours"
HISTORY = ("webhooks: requests of the last week are listed", "events: requests and answers of 7 days are listed")


def raised(raise_: Any, **more: Any) -> Any:
    """One webhook of the small design file, and an event that it hears of."""

    def setup(platform: Platform) -> Mapping[str, str]:
        of_file(platform, **more)
        raise_(platform)
        platform.emulator.deliver_due()
        return {}

    return setup


def of_the_team_and_in(access: str) -> Any:
    """A team's webhook, and the design file in a folder that such people see."""

    def setup(platform: Platform) -> Mapping[str, str]:
        created(platform)
        platform.emulator.files.move(KEY, platform.emulator.places.create_folder("Elsewhere", access=access))
        platform.emulator.publish(KEY)
        platform.emulator.deliver_due()
        return {}

    return setup


def failing(*advances: float, reply: Reply = Reply(503)) -> Any:  # noqa: B008 - a constant
    """An endpoint that always answers this, and a clock that is moved so far again and again."""

    def setup(platform: Platform) -> Mapping[str, str]:
        of_file(platform)
        platform.replies = [reply]
        platform.emulator.publish(KEY)
        platform.emulator.deliver_due()
        for seconds in advances:
            platform.emulator.clock.advance(seconds)
            platform.emulator.deliver_due()
        return {}

    return setup


def statuses(*wanted: str) -> Callable[[Any], bool]:
    """The answers in the history, the latest first, without that to the PING."""
    return lambda body: (
        [each["response_info"]["status"] for each in body["requests"]][: len(wanted)] == [*wanted]
        and (len(body["requests"]) == len(wanted) + 1)
    )


def first_payload(**members: Any) -> Callable[[Any], bool]:
    """Return the payload of the latest request."""

    def body_matches(body: Any) -> bool:
        payload = body["requests"][0]["request_info"]["payload"]
        return {name: payload.get(name) for name in members} == members

    return body_matches


ROWS = (
    Row(
        (
            "events: LIBRARY_PUBLISH reports a published library, with variables",
            "events: payloads name the file and its key, but PING",
            "events: events are sent by POST with JSON",
        ),
        get(SENT),
        body_matches=lambda body: (
            first_payload(event_type="LIBRARY_PUBLISH", file_key=KEY, file_name="Untitled", webhook_id="1")(body)
            and "blue/500"
            in {each["name"] for each in body["requests"][0]["request_info"]["payload"]["created_variables"]}
        ),
        setup=raised(publish),
        after=lambda answer, platform: platform.sent[0][1]["event_type"] == "LIBRARY_PUBLISH",
    ),
    Row(
        ("events: the passcode comes along",),
        get(SENT),
        body_matches=first_payload(passcode=""),
        setup=raised(publish),
        after=lambda answer, platform: platform.sent[0][1]["passcode"] == "open sesame",
    ),
    Row(
        (
            "events: DEV_MODE_STATUS_UPDATE reports a layer's status",
            "events: a change message comes along when one was given",
        ),
        get(SENT),
        body_matches=first_payload(node_id="1:2", status="READY_FOR_DEV", change_message="Done", related_links=[]),
        setup=raised(
            lambda platform: platform.emulator.events.dev_status(KEY, "READY_FOR_DEV", message="Done"),
            event_type="DEV_MODE_STATUS_UPDATE",
        ),
    ),
    Row(
        ("events: team webhooks are silent about invite-only folders",),
        get(SENT),
        body_matches=lambda body: (
            [each["request_info"]["payload"]["event_type"] for each in body["requests"]] == ["PING"]
        ),
        setup=of_the_team_and_in("invite"),
    ),
    *(
        Row(
            ("events: team webhooks are silent about invite-only folders",),
            get(SENT),
            body_matches=first_payload(event_type="LIBRARY_PUBLISH"),
            setup=of_the_team_and_in(access),
        )
        for access in ("team", "view")
    ),
    Row(HISTORY, get(SENT), body_matches=statuses("200"), setup=raised(publish)),
    Row(
        (*HISTORY, "limits: webhook requests are kept 7 days"),
        get(SENT),
        body_matches=lambda body: body == {"requests": []},
        setup=lambda platform: one(platform) or (platform.emulator.clock.advance(7 * 86_400 + 1) and {}),
    ),
    Row(HISTORY[:1], get("/v2/webhooks/404/requests"), 404, "Webhook not found"),
    *(
        Row(
            ("events: anything but 200 is an error", RETRIED),
            get(SENT),
            body_matches=statuses(*("404",) * 2),
            setup=setup,
        )
        for setup in (failing(300, reply=Reply(404)),)
    ),
    Row(
        ("events: anything but 200 is an error",),
        get(SENT),
        body_matches=statuses("204"),
        setup=failing(reply=Reply(204)),
    ),
    Row(
        ("events: a slow answer is an error",),
        get(SENT),
        body_matches=lambda body: [each["error_msg"] for each in body["requests"][:2]] == ["too slow"] * 2,
        setup=failing(300, reply=Reply(None, "too slow")),
    ),
    *(
        Row(
            (RETRIED, "limits: webhooks are retried 3 times"),
            get(SENT),
            body_matches=statuses(*("503",) * count),
            setup=setup,
        )
        for count, setup in (
            (1, failing(299)),
            (2, failing(300)),
            (2, failing(300, 1799)),
            (3, failing(300, 1800)),
            (3, failing(300, 1800, 10_799)),
            (4, failing(300, 1800, 10_800)),
            (4, failing(300, 1800, 10_800, 86_400)),
        )
    ),
    Row(
        ("events: failing endpoints stay active",),
        get(ONE),
        body_matches=lambda body: body["status"] == "ACTIVE",
        setup=failing(300, 1800, 10_800),
    ),
    Row(
        ("events: other endpoints emit no events",),
        get(SENT),
        body_matches=lambda body: (
            [each["request_info"]["payload"]["event_type"] for each in body["requests"]] == ["PING"]
        ),
        setup=raised(lambda platform: platform.get() and platform.post({"variables": []}), event_type="FILE_UPDATE"),
    ),
)
