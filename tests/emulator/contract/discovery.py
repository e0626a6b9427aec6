"""Discovery of text events. The emulator's clock stands at 2027-01-15T08:00:00Z."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from emulator.contract.rows import NOBODY, Answer, Row, get
from emulator.platform import KEY, Platform
from werkzeug.test import Client

from tokensync.emulator.faults import Faults, Rule, Script

PATH = "/v1/discovery"
HOUR = PATH + "?start_date=2027-01-15T07:00:00Z"
RULES = "discovery: start_date is required, an hour, at least one hour ago and before the end"
SPAN = "discovery: end_date is at most 24 hours later, and one hour without"
LIFE = "discovery: links live for 60 to 86400 seconds, a day by default"
ERRORS = "discovery: errors are 400, 401 and 403"
ENTERPRISE = "discovery: discovery needs org:discovery_read on Enterprise with Governance+"
TEXTS = "discovery results: text events are texts, chats, comments, documentation, annotations and links"


def written(platform: Platform) -> dict[str, str]:
    """Set up edits of the design file half an hour ago and in the hour before."""
    add = platform.emulator.text_events.add
    add("color/accent is too loud", file_key=KEY, node="1:2", ago=1800)
    add("later", kind="cursor_chat", ago=5400)
    return {}


def used(platform: Platform) -> dict[str, str]:
    """A comment and a link that requests made, an hour before now."""
    link = {"name": "Button", "url": "https://example.com", "file_key": KEY, "node_id": "1:2"}
    platform.request("POST", "/v1/dev_resources", json={"dev_resources": [link]})
    comment = platform.emulator.comments.add(KEY, "rename color/accent")
    platform.request("POST", f"/v1/files/{KEY}/comments/{comment}/reactions", json={"emoji": ":eyes:"})
    platform.emulator.libraries.add_component(KEY, "Button", description="uses color/accent")
    platform.emulator.publish(KEY)
    platform.emulator.clock.advance(3600)
    return {}


def busy(platform: Platform) -> dict[str, str]:
    for _ in range(20):
        assert platform.request("GET", HOUR).status_code == 200
    return {}


def broken(platform: Platform) -> dict[str, str]:
    script = Script((Rule(path=PATH, status=500, message="Internal server error"),))
    platform.client = Client(Faults(platform.emulator, script))
    return {}


def of(**settings: Any) -> Callable[[Platform], dict[str, str]]:
    """Set up the token of a user with these settings, as {one}."""
    scopes = ("org:discovery_read",)
    return lambda platform: {"one": platform.emulator.tokens.create(**{"scopes": scopes, "admin": True, **settings})}


def hours(body: Any) -> list[str]:
    return list(body["meta"]["urls"])


def files_of(answer: Answer, platform: Platform) -> list[Any]:
    """Return the content behind the links of a response, without a token."""
    urls = [url for urls in answer.body["meta"]["urls"].values() for url in urls]
    assert all(url.startswith("https://emulator.invalid/") for url in urls)
    return [platform.request("GET", url.removeprefix("https://emulator.invalid"), headers={}).json for url in urls]


def texts(answer: Answer, platform: Platform) -> list[list[str]]:
    return [[each["text"] for each in file["events"]] for file in files_of(answer, platform)]


def after_seconds(seconds: int, url: str, status: int) -> Callable[[Answer, Platform], bool]:
    """Return a check that a link has this status after so many seconds."""

    def body_matches(answer: Answer, platform: Platform) -> bool:
        (hour,) = answer.body["meta"]["urls"]["2027/01/15/07"]
        platform.emulator.clock.advance(seconds)
        return platform.request("GET", url.format(hour), headers={}).status_code == status

    return body_matches


def refuses(query: str, message: str, cites: str = RULES) -> Row:
    return Row((cites, ERRORS), get(PATH + query), 400, message)


def denied(message: str, setup: Callable[[Platform], dict[str, str]]) -> Row:
    return Row((ENTERPRISE, ERRORS), get(HOUR, by="{one}"), 403, message, setup=setup)


def without_enterprise(platform: Platform) -> dict[str, str]:
    platform.emulator.organization.set_plan("organization")
    return of()(platform)


def without_governance(platform: Platform) -> dict[str, str]:
    platform.emulator.organization.set_governance(False)
    return of()(platform)


ANSWERS = (
    Row(
        (
            "discovery: the answer has urls an hour, i18n and message",
            "discovery results: urls map an hour to download links",
            SPAN,
        ),
        get(HOUR),
        body_matches=lambda body: (
            set(body) == {"status", "error", "meta", "i18n", "message"}
            and (body["i18n"], body["message"]) == (None, None)
            and hours(body) == ["2027/01/15/07"]
        ),
    ),
    Row(
        (SPAN, "limits: discovery has 24 hours, a file an hour"),
        get(PATH + "?start_date=2027-01-14T08:00:00Z&end_date=2027-01-15T08:00:00Z"),
        body_matches=lambda body: (
            len(hours(body)) == 24
            and hours(body)[0] == "2027/01/14/08"
            and all(len(urls) == 1 for urls in body["meta"]["urls"].values())
        ),
    ),
    Row(
        (SPAN,),
        get(PATH + "?start_date=2027-01-15T05:00:00.000%2B00:00&end_date=2027-01-15T06:30:00Z"),
        body_matches=lambda body: hours(body) == ["2027/01/15/05", "2027/01/15/06"],
    ),
    Row(
        (TEXTS,),
        get(PATH + "?start_date=2027-01-15T06:00:00Z&end_date=2027-01-15T08:00:00Z"),
        setup=written,
        after=lambda answer, platform: texts(answer, platform) == [["later"], ["color/accent is too loud"]],
    ),
    Row(
        (TEXTS,),
        get(HOUR),
        setup=written,
        after=lambda answer, platform: (
            files_of(answer, platform)[0]["events"][0]["file"] == {"key": KEY, "name": "Untitled"}
            and "emulator's own" in files_of(answer, platform)[0]["about"]
        ),
    ),
    Row(
        (TEXTS,),
        get(PATH + "?start_date=2027-01-15T08:00:00Z"),
        setup=used,
        after=lambda answer, platform: (
            texts(answer, platform)
            == [["Button https://example.com", "rename color/accent", ":eyes:", "uses color/accent"]]
        ),
    ),
    Row((ENTERPRISE,), get(HOUR, by="{one}"), setup=of()),
    Row((LIFE,), get(HOUR), after=after_seconds(86399, "{}", 200)),
    Row((LIFE,), get(HOUR), after=after_seconds(86400, "{}", 403)),
    Row(
        (LIFE, "limits: discovery links live 60 to 86400 seconds"),
        get(HOUR + "&file_ttl_in_seconds=60"),
        after=after_seconds(59, "{}", 200),
    ),
    Row((LIFE,), get(HOUR + "&file_ttl_in_seconds=60"), after=after_seconds(60, "{}", 403)),
    Row((LIFE,), get(HOUR), after=after_seconds(0, "{}0", 403)),
)

REFUSALS = (
    refuses("", "start_date is required"),
    refuses("?start_date=yesterday", "start_date must be an ISO 8601 timestamp in UTC, .*"),
    refuses("?start_date=2027-01-15T07:00:00", "start_date must be an ISO 8601 timestamp in UTC, .*"),
    refuses("?start_date=2027-01-15T07:00:00%2B02:00", "start_date must be an ISO 8601 timestamp in UTC, .*"),
    refuses("?start_date=2027-01-15T06:30:00Z", "start_date must be the beginning of an hour"),
    refuses("?start_date=2027-01-15T08:00:00Z", "start_date must be at least 1 hour in the past"),
    refuses("?start_date=9999-12-31T23:00:00Z", "start_date must be at least 1 hour in the past"),
    refuses("?start_date=2027-01-15T06:00:00Z&end_date=2027-01-15T06:00:00Z", "end_date must be after start_date"),
    refuses("?start_date=2027-01-15T06:00:00Z&end_date=x", "end_date must be an ISO 8601 timestamp in UTC, .*", SPAN),
    refuses(
        "?start_date=2027-01-13T06:00:00Z&end_date=2027-01-14T07:00:00Z",
        "end_date must be at most 24 hours after start_date",
        SPAN,
    ),
    *(
        refuses(
            f"?start_date=2027-01-15T07:00:00Z&file_ttl_in_seconds={seconds}",
            "file_ttl_in_seconds must be a whole number from 60 to 86400",
            LIFE,
        )
        for seconds in ("59", "86401", "1e3", "60.5", "")
    ),
    Row((ERRORS,), get(HOUR, by=NOBODY), 401, "Authentication required: send an access token"),
    denied(
        r"Invalid scope\(s\): files:read. This endpoint requires the org:discovery_read scope",
        of(scopes=("files:read",)),
    ),
    denied("Incorrect account type", of(admin=False)),
    denied("Limited by Figma plan", without_enterprise),
    denied("Limited by Figma plan", without_governance),
    Row(
        (
            "discovery: more than 20 requests a second are 429",
            "limits: discovery answers 20 requests a second",
            "errors: 429 is a rate limit",
        ),
        get(HOUR),
        429,
        "Rate limit exceeded: 20 requests a second",
        setup=busy,
        after=lambda answer, _: answer.headers["Retry-After"] == "1",
    ),
    Row(
        ("discovery: a fault of the service is 500", "errors: 500 is a fault of the service"),
        get(HOUR),
        500,
        "Internal server error",
        setup=broken,
    ),
    Row(
        ("discovery: more than 20 requests a second are 429",),
        get(HOUR, by="{one}"),
        setup=lambda platform: busy(platform) | of()(platform),
    ),
    Row(
        ("limits: discovery answers 20 requests a second",),
        get(HOUR),
        setup=lambda platform: busy(platform) | {"at": str(platform.emulator.clock.advance(1))},
    ),
)

ROWS = (*ANSWERS, *REFUSALS)
