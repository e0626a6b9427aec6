"""Components, component sets and styles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from emulator.contract.rows import Row, get
from emulator.platform import Platform

GROUPS = (("component", "Component"), ("component_set", "Component set"), ("style", "Style"))
ITEM = {
    *("key", "file_key", "node_id", "thumbnail_url", "name", "description", "updated_at", "created_at", "user"),
}
FIELDS = {
    "component": ITEM | {"containing_frame"},
    "component_set": ITEM | {"containing_frame"},
    "style": ITEM | {"style_type", "sort_position"},
}
LISTED = "libraries: teams list components, component sets and styles with a cursor"
SHAPE = {
    "component": "published components: a published component has these fields",
    "component_set": "published components: a published component has these fields",
    "style": "published styles: a published style has a style type and a sort position, and no frame",
}
ERRORS = "libraries: errors are 400, 403 and 404"
REFUSED = "errors: 403 is insufficient permission"


def library(platform: Platform) -> Mapping[str, str]:
    """200 components in 50 sets, nine styles; published."""
    platform.emulator.libraries.sample("Harbor", components=200)
    platform.emulator.publish("Harbor")
    platform.emulator.files.branch("Harbor", "Twig")
    keys = {kind: platform.emulator.libraries.keys("Harbor", kind)[0] for kind, _ in GROUPS}
    draft = platform.emulator.libraries.add_component("Harbor", "Not yet published")
    return {**keys, "draft": draft}


def large(platform: Platform) -> Mapping[str, str]:
    """Set up one component more than the size of a page."""
    platform.emulator.libraries.sample("Harbor", components=1001)
    platform.emulator.publish("Harbor")
    return {}


def by(**token: Any) -> Callable[[Platform], Mapping[str, str]]:
    """Set up a library and a token of another user, ``by``."""

    def setup(platform: Platform) -> Mapping[str, str]:
        return {**library(platform), "by": platform.emulator.tokens.create(**token)}

    return setup


def items(kind: str, count: int, *cursors: str) -> Callable[[Any], bool]:
    """So many of a kind, with these cursors."""

    def body_matches(body: Any) -> bool:
        meta = body["meta"]
        shown = meta[f"{kind}s"]
        matches = set(meta.get("cursor", ())) == set(cursors)
        return matches and len(shown) == count and all(set(each) == FIELDS[kind] for each in shown)

    return body_matches


def only(scope: str) -> Callable[[Platform], Mapping[str, str]]:
    return by(scopes=(scope,))


def paths_of(kind: str) -> tuple[str, str, str]:
    """Return the paths of the listings of a team and a file, and of one object."""
    return f"/v1/teams/{{team}}/{kind}s", f"/v1/files/{{file}}/{kind}s", f"/v1/{kind}s/{{{kind}}}"


def rows_of(kind: str) -> tuple[Row, ...]:
    team, file, one = paths_of(kind)
    everything = {"component": 200, "component_set": 50, "style": 9}[kind]
    thirty = min(30, everything)
    after = ("after",) if everything > 30 else ()
    return (
        Row(
            (LISTED, SHAPE[kind], "libraries: page_size is 30 unless given"),
            get(team),
            body_matches=items(kind, thirty, *after),
            setup=library,
        ),
        Row(
            (
                "libraries: published items come in the envelope",
                "envelope: most answers stand in an envelope of status, error and meta",
            ),
            get(team + "?page_size=2"),
            body_matches=lambda body: set(body) == {"status", "error", "meta"} and items(kind, 2, "after")(body),
            setup=library,
        ),
        Row(
            ("libraries: files list components, component sets and styles whole",),
            get(file),
            body_matches=items(kind, everything),
            setup=library,
        ),
        Row(
            ("libraries: one item is read by its key", SHAPE[kind]),
            get(one),
            body_matches=lambda body: set(body["meta"]) == FIELDS[kind],
            setup=library,
        ),
    )


def refusals_of(kind: str, called: str) -> tuple[Row, ...]:
    team, file, one = paths_of(kind)
    stranger = by(scopes=("files:read",), permission=None)
    return (
        Row(
            ("libraries: after and before exclude each other", ERRORS),
            get(team + "?after=1&before=3"),
            400,
            "after and before cannot be used together",
            setup=library,
        ),
        Row((ERRORS,), get(team + "?page_size=many"), 400, "page_size must be a whole number"),
        Row((ERRORS,), get(team + "?page_size=0"), 400, "page_size must be at least 1"),
        Row((ERRORS,), get(f"/v1/teams/404/{kind}s"), 404, "Team not found"),
        Row((ERRORS,), get(f"/v1/files/Nowhere/{kind}s"), 404, "Not found"),
        Row((ERRORS,), get(f"/v1/{kind}s/none"), 404, f"{called} not found"),
        Row((ERRORS,), get(f"/v1/{kind}s/no.ne"), 400, f"key must be the key of a {called.lower()}"),
        Row((ERRORS, REFUSED), get(team, by="{by}"), 403, "Insufficient team permissions", setup=stranger),
        Row((ERRORS, REFUSED), get(file, by="{by}"), 403, "Insufficient file permissions", setup=stranger),
        Row((ERRORS, REFUSED), get(one, by="{by}"), 403, "Insufficient file permissions", setup=stranger),
        Row(
            ("libraries: files are named by the key of a main file", ERRORS),
            get(f"/v1/files/Twig/{kind}s"),
            400,
            "File key must be the key of a main file, not of a branch",
            setup=library,
        ),
    )


def scopes_of(kind: str) -> tuple[Row, ...]:
    team, file, one = paths_of(kind)
    wrong = r"Invalid scope\(s\): current_user:read. This endpoint requires the {} scope"
    return (
        Row(
            ("libraries: file listings need library_content:read",),
            get(file, by="{by}"),
            403,
            wrong.format("library_content:read"),
            setup=only("current_user:read"),
        ),
        Row(
            ("libraries: file listings need library_content:read",),
            get(file, by="{by}"),
            setup=only("library_content:read"),
        ),
        Row(
            ("libraries: items by key need library_assets:read",),
            get(one, by="{by}"),
            403,
            wrong.format("library_assets:read"),
            setup=only("current_user:read"),
        ),
        Row(
            ("libraries: items by key need library_assets:read",),
            get(one, by="{by}"),
            setup=only("library_assets:read"),
        ),
        Row(
            (LISTED,),
            get(team, by="{by}"),
            403,
            wrong.format("team_library_content:read"),
            setup=only("current_user:read"),
        ),
        Row((LISTED,), get(team, by="{by}"), setup=only("team_library_content:read")),
    )


ROWS = (
    *(row for kind, called in GROUPS for row in (*rows_of(kind), *refusals_of(kind, called), *scopes_of(kind))),
    Row(
        (
            "libraries: pages of components end at 1000",
            "limits: listings have 30 items a page, components 1000 at most",
        ),
        get("/v1/teams/{team}/components?page_size=5000"),
        body_matches=items("component", 1000, "after"),
        setup=large,
    ),
    Row(
        ("versions: containingComponentSet is the name of today",),
        get("/v1/components/{component}"),
        body_matches=lambda body: {"nodeId", "name"} <= set(body["meta"]["containing_frame"]["containingComponentSet"]),
        setup=library,
    ),
    Row((ERRORS,), get("/v1/components/{draft}"), 404, "Component not found", setup=library),
)
