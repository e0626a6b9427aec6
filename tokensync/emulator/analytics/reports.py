"""The rows of the six reports, in their order (platform-api.md 2.8, 4.4)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator.analytics import days, things
from tokensync.emulator.filing import files, places, sharing

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.accounts.people import User
    from tokensync.emulator.analytics.days import Span
    from tokensync.emulator.analytics.things import Kind

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
    """A row for each week and thing that something happened to, the latest week first."""
    known = things.published(connection, library, kind)
    found = connection.execute(_ACTIONS.format("key"), (library, kind, *span))
    return sorted(
        Row((-week, key), {**known[key], **_actions(week, insertions, detachments)})
        for week, key, insertions, detachments in found
        if key in known
    )


def actions_by_team(connection: sqlite3.Connection, library: int, kind: Kind, span: Span) -> list[Row]:
    """A row for each week and team that did something, the latest week first."""
    found = connection.execute(_ACTIONS.format("team"), (library, kind, *span)).fetchall()
    names = {team: places.find_team(connection, team) for _, team, _, _ in found}
    return sorted(
        Row((-week, team), {**_actions(week, insertions, detachments), **_team(names[team])})
        for week, team, insertions, detachments in found
    )


def usages_by_thing(connection: sqlite3.Connection, library: int, kind: Kind) -> list[Row]:
    """A row for each thing that is used at all, the most used first."""
    known = things.published(connection, library, kind)
    found = connection.execute(_USAGES_BY_THING, (library, kind))
    return sorted(
        Row((-usages, key), {**known[key], "usages": usages, "teams_using": teams, "files_using": of_files})
        for key, usages, of_files, teams in found
        if key in known
    )


def usages_by_file(connection: sqlite3.Connection, library: int, kind: Kind, user: User) -> list[Row]:
    """A row for each file that the user may see, and one for all others together, the one that uses most first."""
    rows, hidden = [], 0
    for usages, key in connection.execute(_USAGES_BY_FILE, (library, kind)).fetchall():
        if sharing.permission_on(connection, user, key) is None:
            hidden += usages
            continue
        file = files.known(connection, key)
        team = places.find_team(connection, places.known_folder(connection, file.folder).team)
        rows.append(Row((-usages, key), {"file_name": file.name, **_team(team), "usages": usages}))
    if hidden:
        members = {"file_name": NOT_VISIBLE, "team_name": "", "workspace_name": "", "usages": hidden}
        rows.append(Row((-hidden, ""), members))
    return sorted(rows)


def _actions(week: int, insertions: int, detachments: int) -> dict[str, Any]:
    return {"week": days.written(week), "detachments": detachments, "insertions": insertions}


def _team(team: places.Team | None) -> dict[str, str]:
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
