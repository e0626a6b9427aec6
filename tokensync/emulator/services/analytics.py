"""Library analytics: usages and actions of components, styles and variables (Figma REST API: Library analytics)."""

from __future__ import annotations

import re
import zlib
from datetime import date
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from tokensync.emulator import access, endpoints, files
from tokensync.emulator.endpoints import BOOLEAN, NUMBER, TEXT, Query, Route, Schema, array, as_json, invalid, members
from tokensync.emulator.services import libraries
from tokensync.emulator.store import StateActions
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.people import User
    from tokensync.emulator.services.libraries import Item


ANALYTICS_DAYS: Final = 365
ROWS_OF_ANALYTICS: Final = 1000
"""Rows per page; the documentation gives no number."""
DAY_SECONDS: Final = 86400
_EPOCH: Final = date(1970, 1, 1).toordinal()
_SUNDAY_TO_THURSDAY: Final = 4  # day 0 was a Thursday
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class DaySpan(NamedTuple):
    """The first and the last day of a report, inclusive, in days since 1970."""

    first: int
    last: int


def day_of(now: float) -> int:
    """Return the day of a time in Unix seconds."""
    return int(now // DAY_SECONDS)


def week_of(day: int) -> int:
    """Return the Sunday on which the day's week starts."""
    return day - (day + _SUNDAY_TO_THURSDAY) % 7


def parse_day(text: str, name: str) -> int:
    """Return the day of YYYY-MM-DD; refuse any other text."""
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        pass
    raise invalid(f"{name} must be a date, YYYY-MM-DD")


def reporting_span(start_date: str | None, end_date: str | None, now: float) -> DaySpan:
    """Return the whole weeks from that of ``start_date`` (default: a year ago) to that of ``end_date``.

    The default end is the last full week. Data is refreshed daily, so the span ends yesterday at the latest.
    """
    today = day_of(now)
    oldest = week_of(today - ANALYTICS_DAYS)
    first = oldest if start_date is None else week_of(parse_day(start_date, "start_date"))
    last = week_of(today) - 1 if end_date is None else week_of(parse_day(end_date, "end_date")) + 6
    if start_date is not None and end_date is not None and start_date > end_date:
        raise invalid("start_date must not be after end_date")
    return DaySpan(max(first, oldest), min(last, today - 1))


Kind = Literal["component", "style", "variable"]
KINDS: Final[tuple[Kind, ...]] = ("component", "style", "variable")

Fields = dict[str, str]


def published(connection: sqlite3.Connection, library: int, kind: Kind) -> Mapping[str, Fields]:
    """Return the describing members of a library's published assets of a kind, by key."""
    if kind == "variable":
        return _variables(connection, library)
    items = libraries.published_of(connection, (library,), libraries.STYLE if kind == "style" else libraries.COMPONENT)
    return {item.key: _fields(connection, item) for item in items}


def _fields(connection: sqlite3.Connection, item: Item) -> Fields:
    draft = item.published.draft if item.published else libraries.Draft("")
    if item.kind == libraries.STYLE:
        return {"style_key": item.key, "style_name": draft.name, "style_type": draft.style_type or ""}
    fields = {"component_key": item.key, "component_name": draft.name}
    parent = libraries.find(connection, draft.component_set) if draft.component_set else None
    if parent is not None and parent.published is not None:
        fields |= {"component_set_key": parent.key, "component_set_name": parent.published.draft.name}
    return fields


class _Published(msgspec.Struct, rename="camel"):
    key: str = ""
    name: str = ""
    resolved_type: str = ""
    resolved_data_type: str = ""
    variable_collection_id: str = ""


_decode = msgspec.json.Decoder(_Published).decode
_OF_KIND: Final = "SELECT id, document FROM published WHERE file = ? AND kind = ? ORDER BY number"


def _variables(connection: sqlite3.Connection, library: int) -> dict[str, Fields]:
    of_kind = {
        kind: {id_: _decode(document) for id_, document in connection.execute(_OF_KIND, (library, kind))}
        for kind in ("variable", "collection")
    }
    unknown = _Published()
    collections = of_kind["collection"]
    return {
        published.key: {
            "variable_key": published.key,
            "variable_name": published.name,
            "variable_type": published.resolved_type or published.resolved_data_type,
            "collection_key": collections.get(published.variable_collection_id, unknown).key,
            "collection_name": collections.get(published.variable_collection_id, unknown).name,
        }
        for published in of_kind["variable"].values()
    }


_SAMPLE_FILES: Final = ("Web app", "Mobile app", "Campaign site")
"""The names of the sample's files, if the emulator has no other files."""
_SAMPLE_WEEKS: Final = 6


class Analytics(StateActions):
    """Records the use of a library's published assets in other files."""

    def use(self, library_key: str, kind: Kind, key: str, in_file: str, usages: int = 1) -> None:
        """Set how often an asset of LIBRARY is used in IN_FILE. KIND is component, style or variable."""
        with self._store.writing() as connection:
            library = _library_number(connection, library_key, kind, key)
            _use(connection, library, kind, key, files.require(connection, in_file).number, usages)

    def act(
        self,
        library_key: str,
        kind: Kind,
        key: str,
        *,
        insertions: int = 0,
        detachments: int = 0,
        days_ago: int = 1,
        team: str = files.TEAM,
    ) -> None:
        """Add insertions and detachments. KIND is component, style or variable."""
        with self._store.writing() as connection:
            library = _library_number(connection, library_key, kind, key)
            files.require_team(connection, team)
            _check_count(insertions, detachments, days_ago)
            day = day_of(self._clock()) - days_ago
            connection.execute(_ACT, (library, kind, key, day, team, insertions, detachments))

    def sample(self, library_key: str) -> int:
        """Record sample usages and actions of the published assets, and return the number of used assets.

        The numbers are always the same, and every fourth asset of a kind is unused. Usages are in the emulator's other
        files, or in three new files.
        """
        with self._store.writing() as connection:
            library = files.require(connection, library_key)
            keys_by_kind = {kind: tuple(published(connection, library.number, kind)) for kind in KINDS}
            if not any(keys_by_kind.values()):
                raise UsageError(f"{library_key}: nothing is published; publish the file first")
            using = self._files_using(connection, library)
            today = day_of(self._clock())
            used = 0
            for kind, keys in keys_by_kind.items():
                for number, key in enumerate(keys):
                    if number % 4 != 3:
                        used += 1
                        _sample(connection, library.number, kind, key, number, using, today)
            return used

    def _files_using(self, connection: sqlite3.Connection, library: files.File) -> tuple[files.File, ...]:
        query = "SELECT key FROM files WHERE main IS NULL AND number <> ? ORDER BY number LIMIT 5"
        keys = [key for (key,) in connection.execute(query, (library.number,)).fetchall()]
        if not keys:
            keys = [f"{library.key}-{name.replace(' ', '-')}" for name in _SAMPLE_FILES]
            for key, name in zip(keys, _SAMPLE_FILES, strict=True):
                files.add(connection, key, name, self._clock())
        return tuple(files.require(connection, key) for key in keys)


_USE: Final = "INSERT OR REPLACE INTO analytics_usages VALUES (?, ?, ?, ?, ?)"
_ACT: Final = (
    "INSERT INTO analytics_actions VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
    " insertions = insertions + excluded.insertions, detachments = detachments + excluded.detachments"
)
_SET: Final = "INSERT OR REPLACE INTO analytics_actions VALUES (?, ?, ?, ?, ?, ?, ?)"


def _library_number(connection: sqlite3.Connection, library_key: str, kind: Kind, key: str) -> int:
    """Return the number of a library; raise UsageError if it does not publish the asset."""
    if kind not in KINDS:
        raise UsageError(f"{kind}: no kind of asset; use one of {', '.join(KINDS)}")
    number = files.require(connection, library_key).number
    if key not in published(connection, number, kind):
        raise UsageError(f"{key}: {library_key} publishes no such {kind}; publish it first")
    return number


def _use(connection: sqlite3.Connection, library: int, kind: Kind, key: str, file: int, usages: int) -> None:
    _check_count(usages)
    connection.execute(_USE, (library, kind, key, file, usages))


def _check_count(*counts: int) -> None:
    if any(count < 0 for count in counts):
        raise UsageError(f"{min(counts)}: out of range; use a count of 0 or more")


def _sample(
    connection: sqlite3.Connection,
    library: int,
    kind: Kind,
    key: str,
    number: int,
    using: tuple[files.File, ...],
    today: int,
) -> None:
    for index, file in enumerate(using[: 1 + number % len(using)]):
        _use(connection, library, kind, key, file.number, 1 + (number * 7 + index * 5) % 40)
        team = files.require_folder(connection, file.folder).team
        for week in range(1, 1 + _SAMPLE_WEEKS):
            insertions, detachments = (number + week * 3 + index) % 11, (number + week) % 3
            connection.execute(_SET, (library, kind, key, today - 7 * week, team, insertions, detachments))


def page(rows: Sequence[Row], report: str, cursor: str | None) -> dict[str, Any]:
    """Return the page of rows after a cursor, with the next cursor, which is empty on an empty page.

    A cursor is valid only for the report that it came with.
    """
    after = None if cursor is None else _read_cursor(cursor, report)
    remaining = rows if after is None else [row for row in rows if row.position > after]
    on_page = remaining[:ROWS_OF_ANALYTICS]
    return {
        "rows": [row.members for row in on_page],
        "next_page": len(remaining) > len(on_page),
        "cursor": endpoints.cursor(zlib.crc32(report.encode()), *on_page[-1].position) if on_page else "",
    }


def _read_cursor(cursor: str, report: str) -> Position:
    checksum, number, key = endpoints.read_cursor(cursor, 3)
    if checksum != zlib.crc32(report.encode()) or type(number) is not int or type(key) is not str:
        raise endpoints.invalid_cursor()
    return number, key


WORKSPACE: Final = "Organization"
"""The emulator's workspace, which contains all teams."""
NOT_VISIBLE: Final = "File not visible"

Position = tuple[int, str]
"""The sort key of a row, unique in a report."""


class Row(NamedTuple):
    """A row of a report and its sort key."""

    position: Position
    members: dict[str, Any]


def actions_by_asset(connection: sqlite3.Connection, library: int, kind: Kind, span: DaySpan) -> list[Row]:
    """Return a row for each week and asset with actions, the latest week first."""
    assets = published(connection, library, kind)
    rows = connection.execute(_ACTIONS.format("key"), (library, kind, *span))
    return sorted(
        Row((-week, key), {**assets[key], **_actions(week, insertions, detachments)})
        for week, key, insertions, detachments in rows
        if key in assets
    )


def actions_by_team(connection: sqlite3.Connection, library: int, kind: Kind, span: DaySpan) -> list[Row]:
    """Return a row for each week and team with actions, the latest week first."""
    rows = connection.execute(_ACTIONS.format("team"), (library, kind, *span)).fetchall()
    by_id = {team: files.find_team(connection, team) for _, team, _, _ in rows}
    return sorted(
        Row((-week, team), {**_actions(week, insertions, detachments), **_team(by_id[team])})
        for week, team, insertions, detachments in rows
    )


def usages_by_asset(connection: sqlite3.Connection, library: int, kind: Kind) -> list[Row]:
    """Return a row for each asset with usages, the most used first."""
    assets = published(connection, library, kind)
    rows = connection.execute(_USAGES_BY_ASSET, (library, kind))
    return sorted(
        Row((-usages, key), {**assets[key], "usages": usages, "teams_using": teams, "files_using": files})
        for key, usages, files, teams in rows
        if key in assets
    )


def usages_by_file(connection: sqlite3.Connection, library: int, kind: Kind, user: User) -> list[Row]:
    """Return a row for each visible file and one for all hidden files, the most usages first."""
    rows, hidden = [], 0
    for usages, key in connection.execute(_USAGES_BY_FILE, (library, kind)).fetchall():
        if access.permission_on(connection, user, key) is None:
            hidden += usages
            continue
        file = files.require(connection, key)
        team = files.find_team(connection, files.require_folder(connection, file.folder).team)
        rows.append(Row((-usages, key), {"file_name": file.name, **_team(team), "usages": usages}))
    if hidden:
        members = {"file_name": NOT_VISIBLE, "team_name": "", "workspace_name": "", "usages": hidden}
        rows.append(Row((-hidden, ""), members))
    return sorted(rows)


def _actions(week: int, insertions: int, detachments: int) -> dict[str, Any]:
    sunday = date.fromordinal(week + _EPOCH).isoformat()
    return {"week": sunday, "detachments": detachments, "insertions": insertions}


def _team(team: files.Team | None) -> dict[str, str]:
    return {"team_name": team.name if team else "", "workspace_name": WORKSPACE}


_ACTIONS: Final = (
    "SELECT day - (day + 4) % 7 AS week, {0}, sum(insertions), sum(detachments) FROM analytics_actions"
    " WHERE library = ? AND kind = ? AND day BETWEEN ? AND ? GROUP BY week, {0}"
    " HAVING sum(insertions) + sum(detachments) > 0"
)
_USAGES_BY_ASSET: Final = (
    "SELECT key, sum(usages), count(*), count(DISTINCT team) FROM"
    " (SELECT analytics_usages.key AS key, usages, folders.team AS team FROM analytics_usages"
    "  JOIN files ON files.number = analytics_usages.file JOIN folders ON folders.id = files.folder"
    "  WHERE library = ? AND kind = ? AND usages > 0) GROUP BY key"
)
_USAGES_BY_FILE: Final = (
    "SELECT sum(usages), files.key FROM analytics_usages JOIN files ON files.number = analytics_usages.file"
    " WHERE library = ? AND kind = ? GROUP BY files.key HAVING sum(usages) > 0"
)


_reading: Final = partial(Route, "GET", scopes=("library_analytics:read",), tier=3)
_COUNTS: Final = {"insertions": NUMBER, "detachments": NUMBER}


def actions(call: Call, library_file_key: str, *, kind: Kind) -> bytes:
    """Return the weekly insertions and detachments of a library's assets, by asset or team."""
    library = _library(call, library_file_key)
    group_by = _group_by(call, (kind, "team"))
    span = reporting_span(call.query.get("start_date"), call.query.get("end_date"), call.now)
    report = actions_by_team if group_by == "team" else actions_by_asset
    rows = report(call.connection, library, kind, span)
    return as_json(page(rows, f"actions {library} {kind} {group_by} {span}", call.query.get("cursor")))


def usages(call: Call, library_file_key: str, *, kind: Kind) -> bytes:
    """Return the usages of a library's assets, by asset or file."""
    library = _library(call, library_file_key)
    group_by = _group_by(call, (kind, "file"))
    if group_by == "file":
        rows = usages_by_file(call.connection, library, kind, call.user)
    else:
        rows = usages_by_asset(call.connection, library, kind)
    return as_json(page(rows, f"usages {library} {kind} {group_by}", call.query.get("cursor")))


def _library(call: Call, key: str) -> int:
    """Return the number of a library whose analytics this token may read."""
    file = files.find(call.connection, key)
    if file is None:
        raise invalid("Library file not found")  # these endpoints document no 404
    access.check_enterprise(call, file.plan)
    access.check_permission(call, file, edits=False)
    access.check_main(file)
    return file.number


def _group_by(call: Call, choices: tuple[str, str]) -> str:
    group_by = call.query.get("group_by")
    if group_by not in choices:
        raise invalid(f"group_by is required and must be {' or '.join(choices)}")
    return group_by


def _answer(row: dict[str, Schema]) -> Schema:
    return members({"rows": array(members(row)), "next_page": BOOLEAN, "cursor": TEXT})


def _routes(kind: Kind) -> tuple[Route, Route]:
    path = f"/v1/analytics/libraries/<library_file_key>/{kind}"
    cursor, day = Query("cursor", TEXT), {"type": "string", "format": "date"}
    return (
        _reading(
            f"{path}/actions",
            update_wrapper(partial(actions, kind=kind), actions),
            parameters=(
                Query("group_by", {"enum": [kind, "team"]}, required=True),
                Query("start_date", day),
                Query("end_date", day),
                cursor,
            ),
            returns=_answer({"week": day, **_COUNTS}),
        ),
        _reading(
            f"{path}/usages",
            update_wrapper(partial(usages, kind=kind), usages),
            parameters=(Query("group_by", {"enum": [kind, "file"]}, required=True), cursor),
            returns=_answer({"usages": NUMBER}),
        ),
    )


ROUTES: Final = tuple(route for kind in KINDS for route in _routes(kind))
