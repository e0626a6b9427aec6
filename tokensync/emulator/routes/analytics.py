"""Library analytics: actions and usages of components, styles and variables (platform-api.md 4.4)."""

from __future__ import annotations

from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Final

from tokensync.emulator.analytics import days, reports
from tokensync.emulator.analytics.pages import page
from tokensync.emulator.analytics.things import KINDS
from tokensync.emulator.endpoints import access
from tokensync.emulator.endpoints.answers import as_json
from tokensync.emulator.endpoints.refusal import invalid
from tokensync.emulator.endpoints.route import Query, Route
from tokensync.emulator.endpoints.shapes import BOOLEAN, NUMBER, TEXT, Schema, array, members
from tokensync.emulator.filing import files

if TYPE_CHECKING:
    from tokensync.emulator.analytics.things import Kind
    from tokensync.emulator.endpoints.route import Call

_SCOPE: Final = "library_analytics:read"
_COUNTS: Final = {"insertions": NUMBER, "detachments": NUMBER}


def actions(call: Call, library_file_key: str, *, kind: Kind) -> bytes:
    """What was inserted and detached, week by week."""
    library = _library(call, library_file_key)
    group_by = _group_by(call, (kind, "team"))
    span = days.span(call.query.get("start_date"), call.query.get("end_date"), call.now)
    of_report = reports.actions_by_team if group_by == "team" else reports.actions_by_thing
    rows = of_report(call.connection, library, kind, span)
    return as_json(page(rows, f"actions {library} {kind} {group_by} {span}", call.query.get("cursor")))


def usages(call: Call, library_file_key: str, *, kind: Kind) -> bytes:
    """What is used, and where."""
    library = _library(call, library_file_key)
    group_by = _group_by(call, (kind, "file"))
    if group_by == "file":
        rows = reports.usages_by_file(call.connection, library, kind, call.user)
    else:
        rows = reports.usages_by_thing(call.connection, library, kind)
    return as_json(page(rows, f"usages {library} {kind} {group_by}", call.query.get("cursor")))


def _library(call: Call, key: str) -> int:
    """The number of the library, once everything allows this token to read its analytics."""
    file = files.find(call.connection, key)
    if file is None:
        raise invalid("Library file not found")  # 404 is none of the errors of these endpoints
    access.check_enterprise(call, file.plan)
    access.check_permission(call, file, edits=False)
    access.check_main(file)
    return file.number


def _group_by(call: Call, known: tuple[str, str]) -> str:
    group_by = call.query.get("group_by")
    if group_by not in known:
        raise invalid(f"group_by is required and must be {' or '.join(known)}")
    return group_by


def _answer(row: dict[str, Schema]) -> Schema:
    return members({"rows": array(members(row)), "next_page": BOOLEAN, "cursor": TEXT})


def _routes(kind: Kind) -> tuple[Route, Route]:
    path = f"/v1/analytics/libraries/<library_file_key>/{kind}"
    cursor, day = Query("cursor", TEXT), {"type": "string", "format": "date"}
    return (
        Route(
            "GET",
            f"{path}/actions",
            update_wrapper(partial(actions, kind=kind), actions),
            scopes=(_SCOPE,),
            tier=3,
            parameters=(
                Query("group_by", {"enum": [kind, "team"]}, required=True),
                Query("start_date", day),
                Query("end_date", day),
                cursor,
            ),
            gives=_answer({"week": day, **_COUNTS}),
        ),
        Route(
            "GET",
            f"{path}/usages",
            update_wrapper(partial(usages, kind=kind), usages),
            scopes=(_SCOPE,),
            tier=3,
            parameters=(Query("group_by", {"enum": [kind, "file"]}, required=True), cursor),
            gives=_answer({"usages": NUMBER}),
        ),
    )


ROUTES: Final = tuple(route for kind in KINDS for route in _routes(kind))
