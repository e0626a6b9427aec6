"""Library analytics: usages and actions of components, styles and variables, and the routes that report them."""

from __future__ import annotations

import re
import zlib
from datetime import date
from functools import partial, update_wrapper
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

from tokensync.emulator import access, endpoints, files, libraries, sharing, teams
from tokensync.emulator.endpoints import Query, Route, as_json, invalid
from tokensync.emulator.limits import ANALYTICS_DAYS, ROWS_OF_ANALYTICS
from tokensync.emulator.schemas import BOOLEAN, NUMBER, TEXT, Schema, array, members
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Mapping, Sequence

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.libraries import Item
    from tokensync.emulator.people import User
    from tokensync.emulator.store import Store


DAY_SECONDS: Final = 86400
_EPOCH: Final = date(1970, 1, 1).toordinal()
_SUNDAY_TO_THURSDAY: Final = 4  # day 0 was a Thursday
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


class Span(NamedTuple):
    """The first and the last day of what is asked for, both of them in it."""

    first: int
    last: int


def day_of(now: float) -> int:
    """Return the day of a time in Unix seconds."""
    return int(now // DAY_SECONDS)


def week_of(day: int) -> int:
    """Return the Sunday that the day's week began with."""
    return day - (day + _SUNDAY_TO_THURSDAY) % 7


def written(day: int) -> str:
    """YYYY-MM-DD."""
    return date.fromordinal(day + _EPOCH).isoformat()


def parsed(text: str, name: str) -> int:
    """Return the day of a YYYY-MM-DD; anything else is refused."""
    try:
        if _DATE.fullmatch(text):
            return date.fromisoformat(text).toordinal() - _EPOCH
    except ValueError:
        pass
    raise invalid(f"{name} must be a date, YYYY-MM-DD")


def span_of_days(start_date: str | None, end_date: str | None, now: float) -> Span:
    """Whole weeks, from the Sunday before ``start_date`` (a year ago) to the end of the week of ``end_date``.

    Without an end it is that of the last full week. There is nothing older than a year, and nothing of today: data is
    refreshed daily.
    """
    today = day_of(now)
    oldest = week_of(today - ANALYTICS_DAYS)
    first = oldest if start_date is None else week_of(parsed(start_date, "start_date"))
    last = week_of(today) - 1 if end_date is None else week_of(parsed(end_date, "end_date")) + 6
    if start_date is not None and end_date is not None and start_date > end_date:
        raise invalid("start_date must not be after end_date")
    return Span(max(first, oldest), min(last, today - 1))


Kind = Literal["component", "style", "variable"]
KINDS: Final[tuple[Kind, ...]] = ("component", "style", "variable")

Fields = dict[str, str]


def published(connection: sqlite3.Connection, library: int, kind: Kind) -> Mapping[str, Fields]:
    """Key to the members that tell of the thing, for all of a kind that the library (a file's number) publishes."""
    if kind == "variable":
        return _variables(connection, library)
    found = libraries.published_of(connection, (library,), libraries.STYLE if kind == "style" else libraries.COMPONENT)
    return {each.key: _fields(connection, each) for each in found}


def is_published(connection: sqlite3.Connection, library: int, kind: Kind, key: str) -> bool:
    """Return whether the library publishes the thing with this key."""
    if kind == "variable":
        return key in _variables(connection, library)
    item = libraries.find(connection, key)
    of_kind = libraries.STYLE if kind == "style" else libraries.COMPONENT
    return item is not None and (item.file, item.kind) == (library, of_kind) and item.published is not None


def _fields(connection: sqlite3.Connection, item: Item) -> Fields:
    draft = item.published.draft if item.published else libraries.Draft("")
    if item.kind == libraries.STYLE:
        return {"style_key": item.key, "style_name": draft.name, "style_type": draft.style_type or ""}
    fields = {"component_key": item.key, "component_name": draft.name}
    around = libraries.find(connection, draft.component_set) if draft.component_set else None
    if around is not None and around.published is not None:
        fields |= {"component_set_key": around.key, "component_set_name": around.published.draft.name}
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
        each.key: {
            "variable_key": each.key,
            "variable_name": each.name,
            "variable_type": each.resolved_type or each.resolved_data_type,
            "collection_key": collections.get(each.variable_collection_id, unknown).key,
            "collection_name": collections.get(each.variable_collection_id, unknown).name,
        }
        for each in of_kind["variable"].values()
    }


_USERS: Final = ("Web app", "Mobile app", "Campaign site")
"""The names of the files that a sample has the library used in, where the emulator has no other files."""
_SAMPLE_WEEKS: Final = 6


class Analytics:
    """Records what people do with the published things of a library in other files."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def use(self, library_key: str, kind: Kind, key: str, in_file: str, usages: int) -> None:
        """How often a thing that the library publishes is used in a file from now on; 0 is not at all."""
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
        team: str = teams.TEAM,
    ) -> None:
        """Somebody of the team inserted and detached a thing so many times more on a day."""
        with self._store.writing() as connection:
            library = _library_number(connection, library_key, kind, key)
            teams.require_team(connection, team)
            _check_count(insertions, detachments, days_ago)
            day = day_of(self._clock()) - days_ago
            connection.execute(_ACT, (library, kind, key, day, team, insertions, detachments))

    def sample(self, library_key: str) -> int:
        """Usages and actions of everything that the library publishes; how many things are used.

        Every fourth thing of a kind is not used at all. The same numbers come each time. They are in the emulator's
        other files, or in three that are made for it.
        """
        with self._store.writing() as connection:
            library = files.require(connection, library_key)
            found = {kind: tuple(published(connection, library.number, kind)) for kind in KINDS}
            if not any(found.values()):
                raise UsageError(f"{library_key}: nothing is published; publish the file first")
            using = self._files_using(connection, library)
            today = day_of(self._clock())
            used = 0
            for kind, keys in found.items():
                for number, key in enumerate(keys):
                    if number % 4 != 3:
                        used += 1
                        _sample(connection, library.number, kind, key, number, using, today)
            return used

    def _files_using(self, connection: sqlite3.Connection, library: files.File) -> tuple[files.File, ...]:
        query = "SELECT key FROM files WHERE main IS NULL AND number <> ? ORDER BY number LIMIT 5"
        keys = [key for (key,) in connection.execute(query, (library.number,)).fetchall()]
        if not keys:
            keys = [f"{library.key}-{name.replace(' ', '-')}" for name in _USERS]
            for key, name in zip(keys, _USERS, strict=True):
                files.add(connection, key, name, self._clock())
        return tuple(files.require(connection, key) for key in keys)


_USE: Final = "INSERT OR REPLACE INTO analytics_usages VALUES (?, ?, ?, ?, ?)"
_ACT: Final = (
    "INSERT INTO analytics_actions VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
    " insertions = insertions + excluded.insertions, detachments = detachments + excluded.detachments"
)
_SET: Final = "INSERT OR REPLACE INTO analytics_actions VALUES (?, ?, ?, ?, ?, ?, ?)"


def _library_number(connection: sqlite3.Connection, library_key: str, kind: Kind, key: str) -> int:
    """Return the number of a library that publishes this thing."""
    if kind not in KINDS:
        raise UsageError(f"{kind}: no kind of asset; use one of {', '.join(KINDS)}")
    number = files.require(connection, library_key).number
    if not is_published(connection, number, kind, key):
        raise UsageError(f"{key}: {library_key} publishes no such {kind}; publish it first")
    return number


def _use(connection: sqlite3.Connection, library: int, kind: Kind, key: str, file: int, usages: int) -> None:
    _check_count(usages)
    connection.execute(_USE, (library, kind, key, file, usages))


def _check_count(*counts: int) -> None:
    if any(each < 0 for each in counts):
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
    for place, file in enumerate(using[: 1 + number % len(using)]):
        _use(connection, library, kind, key, file.number, 1 + (number * 7 + place * 5) % 40)
        team = teams.require_folder(connection, file.folder).team
        for week in range(1, 1 + _SAMPLE_WEEKS):
            inserted, detached = (number + week * 3 + place) % 11, (number + week) % 3
            connection.execute(_SET, (library, kind, key, today - 7 * week, team, inserted, detached))


def page(rows: Sequence[Row], question: str, cursor: str | None) -> dict[str, Any]:
    """Return a page of the rows after the cursor, with the next cursor, which is empty without rows.

    A cursor is valid only for the question that it came with.
    """
    after = None if cursor is None else _read(cursor, question)
    left = rows if after is None else [row for row in rows if row.position > after]
    shown = left[:ROWS_OF_ANALYTICS]
    return {
        "rows": [row.members for row in shown],
        "next_page": len(left) > len(shown),
        "cursor": _written(shown[-1].position, question) if shown else "",
    }


def _written(position: Position, question: str) -> str:
    return endpoints.cursor(zlib.crc32(question.encode()), *position)


def _read(cursor: str, question: str) -> Position:
    of_question, number, key = endpoints.read_cursor(cursor, 3)
    if of_question != zlib.crc32(question.encode()) or type(number) is not int or type(key) is not str:
        raise endpoints.invalid_cursor()
    return number, key


WORKSPACE: Final = "Organization"
"""The one workspace of an emulator; all its teams are in it."""
NOT_VISIBLE: Final = "File not visible"

Position = tuple[int, str]
"""What rows are ordered by; no two rows of a report have the same one."""


class Row(NamedTuple):
    """A row and its place in the order."""

    position: Position
    members: dict[str, Any]


def actions_by_thing(connection: sqlite3.Connection, library: int, kind: Kind, span: Span) -> list[Row]:
    """Return a row for each week and thing that something happened to, the latest week first."""
    known = published(connection, library, kind)
    found = connection.execute(_ACTIONS.format("key"), (library, kind, *span))
    return sorted(
        Row((-week, key), {**known[key], **_actions(week, insertions, detachments)})
        for week, key, insertions, detachments in found
        if key in known
    )


def actions_by_team(connection: sqlite3.Connection, library: int, kind: Kind, span: Span) -> list[Row]:
    """Return a row for each week and team that did something, the latest week first."""
    found = connection.execute(_ACTIONS.format("team"), (library, kind, *span)).fetchall()
    names = {team: teams.find_team(connection, team) for _, team, _, _ in found}
    return sorted(
        Row((-week, team), {**_actions(week, insertions, detachments), **_team(names[team])})
        for week, team, insertions, detachments in found
    )


def usages_by_thing(connection: sqlite3.Connection, library: int, kind: Kind) -> list[Row]:
    """Return a row for each thing that is used at all, the most used first."""
    known = published(connection, library, kind)
    found = connection.execute(_USAGES_BY_THING, (library, kind))
    return sorted(
        Row((-usages, key), {**known[key], "usages": usages, "teams_using": teams, "files_using": of_files})
        for key, usages, of_files, teams in found
        if key in known
    )


def usages_by_file(connection: sqlite3.Connection, library: int, kind: Kind, user: User) -> list[Row]:
    """Return a row for each file that the user may see, and one for all others together, the one that uses
    most first.
    """
    rows, hidden = [], 0
    for usages, key in connection.execute(_USAGES_BY_FILE, (library, kind)).fetchall():
        if sharing.permission_on(connection, user, key) is None:
            hidden += usages
            continue
        file = files.require(connection, key)
        team = teams.find_team(connection, teams.require_folder(connection, file.folder).team)
        rows.append(Row((-usages, key), {"file_name": file.name, **_team(team), "usages": usages}))
    if hidden:
        members = {"file_name": NOT_VISIBLE, "team_name": "", "workspace_name": "", "usages": hidden}
        rows.append(Row((-hidden, ""), members))
    return sorted(rows)


def _actions(week: int, insertions: int, detachments: int) -> dict[str, Any]:
    return {"week": written(week), "detachments": detachments, "insertions": insertions}


def _team(team: teams.Team | None) -> dict[str, str]:
    return {"team_name": team.name if team else "", "workspace_name": WORKSPACE}


_ACTIONS: Final = (
    "SELECT day - (day + 4) % 7 AS week, {0}, sum(insertions), sum(detachments) FROM analytics_actions"
    " WHERE library = ? AND kind = ? AND day BETWEEN ? AND ? GROUP BY week, {0}"
    " HAVING sum(insertions) + sum(detachments) > 0"
)
_USAGES_BY_THING: Final = (
    "SELECT key, sum(usages), count(*), count(DISTINCT team) FROM"
    " (SELECT analytics_usages.key AS key, usages, folders.team AS team FROM analytics_usages"
    "  JOIN files ON files.number = analytics_usages.file JOIN folders ON folders.id = files.folder"
    "  WHERE library = ? AND kind = ? AND usages > 0) GROUP BY key"
)
_USAGES_BY_FILE: Final = (
    "SELECT sum(usages), files.key FROM analytics_usages JOIN files ON files.number = analytics_usages.file"
    " WHERE library = ? AND kind = ? GROUP BY files.key HAVING sum(usages) > 0"
)


_SCOPE: Final = "library_analytics:read"
_COUNTS: Final = {"insertions": NUMBER, "detachments": NUMBER}


def actions(call: Call, library_file_key: str, *, kind: Kind) -> bytes:
    """Return what was inserted and detached, week by week."""
    library = _library(call, library_file_key)
    group_by = _group_by(call, (kind, "team"))
    span = span_of_days(call.query.get("start_date"), call.query.get("end_date"), call.now)
    of_report = actions_by_team if group_by == "team" else actions_by_thing
    rows = of_report(call.connection, library, kind, span)
    return as_json(page(rows, f"actions {library} {kind} {group_by} {span}", call.query.get("cursor")))


def usages(call: Call, library_file_key: str, *, kind: Kind) -> bytes:
    """Return what is used, and where."""
    library = _library(call, library_file_key)
    group_by = _group_by(call, (kind, "file"))
    if group_by == "file":
        rows = usages_by_file(call.connection, library, kind, call.user)
    else:
        rows = usages_by_thing(call.connection, library, kind)
    return as_json(page(rows, f"usages {library} {kind} {group_by}", call.query.get("cursor")))


def _library(call: Call, key: str) -> int:
    """Return the number of the library, once everything allows this token to read its analytics."""
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
            returns=_answer({"week": day, **_COUNTS}),
        ),
        Route(
            "GET",
            f"{path}/usages",
            update_wrapper(partial(usages, kind=kind), usages),
            scopes=(_SCOPE,),
            tier=3,
            parameters=(Query("group_by", {"enum": [kind, "file"]}, required=True), cursor),
            returns=_answer({"usages": NUMBER}),
        ),
    )


ROUTES: Final = tuple(route for kind in KINDS for route in _routes(kind))
