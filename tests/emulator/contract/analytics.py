"""Library analytics. The clock stands at Friday, 2027-01-15; the week before began on the 3rd."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from emulator.contract.rows import NOBODY, Row, get
from emulator.platform import Platform

LIBRARY = "/v1/analytics/libraries/{file}"
ERRORS = "analytics: errors are 400, 401 and 403"
ENVELOPE = "envelope: folders, dev resources, webhooks and analytics answer without the envelope"
START = "analytics: a start date goes back to its Sunday and is a year ago by default"
END = "analytics: an end date goes forward to its week's end and is the last full week by default"
DAYS = "analytics: dates are inclusive days"
COUNTS = {"week", "insertions", "detachments"}
OF_SET = {"component_set_key", "component_set_name"}
FIELDS = {
    "component": {"component_key", "component_name"} | OF_SET,
    "style": {"style_key", "style_name", "style_type"},
    "variable": {"variable_key", "variable_name", "variable_type", "collection_key", "collection_name"},
}
KINDS = ("component", "style", "variable")


def sample(platform: Platform) -> Mapping[str, str]:
    """Set up items of all kinds, and actions with them in five other files."""
    emulator = platform.emulator
    emulator.libraries.sample("Harbor")
    emulator.publish("Harbor")
    emulator.files.branch("Harbor", "Twig")
    emulator.analytics.sample("Harbor")
    return {}


def by(plan: str = "enterprise", **token: Any) -> Callable[[Platform], Mapping[str, str]]:
    def setup(platform: Platform) -> Mapping[str, str]:
        sample(platform)
        platform.emulator.files.set_plan("Harbor", plan)
        return {"by": platform.emulator.tokens.create(**{"scopes": ("library_analytics:read",), **token})}

    return setup


def acted(*days_ago: int) -> Callable[[Platform], Mapping[str, str]]:
    """One insertion of a style on each of these days."""

    def setup(platform: Platform) -> Mapping[str, str]:
        key = platform.emulator.libraries.add_style("Harbor", "body", "TEXT")
        platform.emulator.publish("Harbor")
        for each in days_ago:
            platform.emulator.analytics.act("Harbor", "style", key, insertions=1, days_ago=each)
        return {}

    return setup


def hidden(platform: Platform) -> Mapping[str, str]:
    """A token that may see one of the files that use the library, and not the two others."""
    emulator = platform.emulator
    token = emulator.tokens.create(scopes=("library_analytics:read",))
    acted()(platform)
    (key,) = emulator.libraries.keys("Harbor")
    for number, name in enumerate(("Seen", "First", "Second")):
        emulator.files.create(name, name=name)
        emulator.analytics.use("Harbor", "style", key, name, number + 1)
        if number:
            emulator.tokens.permit(token, name, None)
    return {"by": token}


def many(platform: Platform) -> Mapping[str, str]:
    """One component more than a page of rows, all of them used."""
    emulator = platform.emulator
    emulator.files.create("App")
    emulator.libraries.sample("Harbor", components=1001)
    emulator.publish("Harbor")
    for key in emulator.libraries.keys("Harbor", "component"):
        emulator.analytics.use("Harbor", "component", key, "App", 1)
    return {}


def rows_with(*fields: set[str]) -> Callable[[Any], bool]:
    """Return whether there are rows, each with exactly these members."""
    wanted = set().union(*fields)
    return lambda body: bool(body["rows"]) and all(set(each) == wanted for each in body["rows"])


def weeks(*wanted: str) -> Callable[[Any], bool]:
    return lambda body: [each["week"] for each in body["rows"]] == [*wanted]


def ordered(body: Any) -> bool:
    weeks = [each["week"] for each in body["rows"]]
    return len(set(weeks)) > 2 and weeks == sorted(weeks, reverse=True)


def refusals_of(path: str, kind: str, other: str) -> tuple[Row, ...]:
    """What is refused of a report, grouped by its things or by the other."""
    thing = f"?group_by={kind}"
    must = f"group_by is required and must be {kind} or {other}"
    scope = r"Invalid scope\(s\): files:read. This endpoint requires the library_analytics:read scope"
    return (
        Row(("analytics: group_by is required, and one of two", ERRORS), get(path), 400, must, setup=sample),
        Row((ERRORS,), get(f"{path}?group_by=week"), 400, must, setup=sample),
        Row((ERRORS,), get(f"{path}{thing}", by=NOBODY), 401, "Authentication required: send an access token"),
        Row(
            ("analytics: analytics need library_analytics:read",),
            get(f"{path}{thing}", by="{by}"),
            403,
            scope,
            setup=by(scopes=("files:read",)),
        ),
        Row(("analytics: analytics need library_analytics:read",), get(f"{path}{thing}", by="{by}"), setup=by()),
        Row(
            ("analytics: analytics are for the Enterprise plan", ERRORS),
            get(f"{path}{thing}", by="{by}"),
            403,
            "Limited by Figma plan",
            setup=by(plan="organization"),
        ),
        Row((ERRORS,), get(f"{path}{thing}", by="{by}"), 403, "Incorrect account type", setup=by(account="view")),
        Row(
            (ERRORS,),
            get(f"{path}{thing}", by="{by}"),
            403,
            "Insufficient file permissions",
            setup=by(permission=None),
        ),
        Row((ERRORS,), get(f"{path}{thing}&cursor=x"), 400, "Invalid cursor", setup=sample),
        Row((ERRORS,), get(path.replace("{file}", "Nowhere") + thing), 400, "Library file not found"),
        Row((ERRORS,), get(path.replace("{file}", "Twig") + thing), 400, "File key must be .*", setup=sample),
    )


def rows_of(kind: str) -> tuple[Row, ...]:
    actions, usages = f"{LIBRARY}/{kind}/actions", f"{LIBRARY}/{kind}/usages"
    thing = f"?group_by={kind}"
    shown = (
        f"analytics rows: rows of {kind} actions by {kind} have these fields",
        "analytics: actions are insertions and detachments",
    )
    used = (
        f"analytics rows: rows of {kind} usages by {kind} have these fields",
        "analytics: usages leave out what is unused",
    )
    return (
        Row(shown, get(actions + thing), body_matches=rows_with(FIELDS[kind], COUNTS), setup=sample),
        Row(
            ("analytics rows: rows of actions by team have these fields",),
            get(f"{actions}?group_by=team"),
            body_matches=rows_with(COUNTS, {"team_name", "workspace_name"}),
            setup=sample,
        ),
        Row(
            used,
            get(usages + thing),
            body_matches=rows_with(FIELDS[kind], {"usages", "teams_using", "files_using"}),
            setup=sample,
        ),
        Row(
            ("analytics rows: rows of usages by file have these fields",),
            get(f"{usages}?group_by=file"),
            body_matches=rows_with({"usages", "team_name", "file_name", "workspace_name"}),
            setup=sample,
        ),
        Row(
            ("analytics: actions come with the most recent week first",),
            get(actions + thing),
            body_matches=ordered,
            setup=sample,
        ),
        Row(
            ("analytics: only what has data is returned",),
            get(actions + thing),
            body_matches=lambda body: body["rows"] == [],
        ),
        *refusals_of(actions, kind, "team"),
        *refusals_of(usages, kind, "file"),
    )


STYLES = f"{LIBRARY}/style/actions?group_by=style"
ROWS = (
    *(row for kind in KINDS for row in rows_of(kind)),
    Row(
        ("analytics rows: analytics answer cursor, next_page and rows", ENVELOPE),
        get(STYLES),
        body_matches=lambda body: set(body) == {"cursor", "next_page", "rows"},
    ),
    Row(
        ("analytics rows: files that the caller may not see are reported together as not visible",),
        get(f"{LIBRARY}/style/usages?group_by=file", by="{by}"),
        body_matches=lambda body: (
            [(row["file_name"], row["usages"]) for row in body["rows"]] == [("File not visible", 5), ("Seen", 1)]
        ),
        setup=hidden,
    ),
    Row(
        ("analytics: a cursor leads to the next page, and next_page says whether there is one",),
        get(f"{LIBRARY}/component/usages?group_by=component"),
        body_matches=lambda body: len(body["rows"]) == 1000 and body["next_page"] is True,
        setup=many,
    ),
    Row(
        ("versions: the order parameter of analytics is gone",),
        get(f"{LIBRARY}/component/actions?group_by=component&order=asc"),
        body_matches=ordered,
        setup=sample,
    ),
    Row(
        ("versions: usages, teams_using and files_using are the names of today",),
        get(f"{LIBRARY}/component/usages?group_by=component"),
        body_matches=lambda body: (
            {"usages", "teams_using", "files_using"} <= set(body["rows"][0])
            and not any(name.startswith("num_") for name in body["rows"][0])
        ),
        setup=sample,
    ),
    Row((END, DAYS), get(STYLES), body_matches=weeks("2027-01-03"), setup=acted(1, 5, 6, 12)),
    Row(
        (END,), get(f"{STYLES}&end_date=2027-01-11"), body_matches=weeks("2027-01-10", "2027-01-03"), setup=acted(1, 6)
    ),
    Row((DAYS,), get(f"{STYLES}&end_date=2027-01-15"), body_matches=weeks(), setup=acted(0)),
    Row(
        (DAYS,),
        get(f"{STYLES}&start_date=2027-01-10&end_date=2027-01-10"),
        body_matches=weeks("2027-01-10"),
        setup=acted(5, 6),
    ),
    Row((START,), get(f"{STYLES}&start_date=2027-01-09"), body_matches=weeks("2027-01-03"), setup=acted(12, 13)),
    Row(
        (START, "analytics: data goes back a year", "limits: analytics go back a year"),
        get(STYLES),
        body_matches=weeks("2026-01-11"),
        setup=acted(369, 370),
    ),
    Row(
        ("analytics: data goes back a year",),
        get(f"{STYLES}&start_date=2025-01-01"),
        body_matches=weeks("2026-01-11"),
        setup=acted(369, 370, 400),
    ),
    Row((ERRORS, DAYS), get(f"{STYLES}&start_date=yesterday"), 400, "start_date must be a date, YYYY-MM-DD"),
    Row((ERRORS, DAYS), get(f"{STYLES}&end_date=2027-02-30"), 400, "end_date must be a date, YYYY-MM-DD"),
    Row(
        (ERRORS,),
        get(f"{STYLES}&start_date=2027-01-10&end_date=2027-01-09"),
        400,
        "start_date must not be after end_date",
    ),
)
