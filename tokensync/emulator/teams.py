"""Where files are: teams, and folders in them (the platform's older word is project). Set by plain methods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.emulator import people
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tokensync.emulator.store import Store


TEAM: Final = "1"
DRAFTS: Final = "1"
"""The team and the folder that an emulator starts with; files that are put nowhere else are there."""
ORGANIZATION: Final = "1"
"""The one organization of an emulator; its teams on the organization and enterprise plans belong to it."""

WHOLE_TEAM: Final = "team"
VIEWED_ONLY: Final = "view"
INVITED_ONLY: Final = "invite"
ACCESS: Final = (WHOLE_TEAM, VIEWED_ONLY, INVITED_ONLY)
"""Who sees a folder: everyone on the team, the same but only to view, those who are invited."""


class Team(NamedTuple):
    """``plan`` is starter, professional, organization or enterprise."""

    id: str
    name: str
    plan: str


class Folder(NamedTuple):
    """``parent`` is the id of the folder around it, or None at the top. Times are Unix seconds."""

    id: str
    team: str
    parent: str | None
    name: str
    access: str
    created: float
    updated: float


class Teams:
    """Makes teams and folders."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def first(self) -> None:
        """The team and the folder that an emulator starts with, where they are missing."""
        with self._store.writing() as connection:
            if find_team(connection, TEAM) is None:
                _add_team(connection, "Design system", people.ENTERPRISE)
                _add_folder(connection, TEAM, "Drafts", None, WHOLE_TEAM, self._clock())

    def create_team(self, name: str, *, plan: str = people.ENTERPRISE) -> str:
        """Create a team and return its id."""
        people.check(name, plan)
        with self._store.writing() as connection:
            return _add_team(connection, name, plan)

    def create_folder(self, name: str, *, team: str = TEAM, parent: str | None = None, access: str = WHOLE_TEAM) -> str:
        """Create a folder of a team, or within another folder, and return its id."""
        if access not in ACCESS:
            raise UsageError(f"{name}: no access {access!r}; use one of {', '.join(ACCESS)}")
        with self._store.writing() as connection:
            known_team(connection, team)
            if parent is not None and known_folder(connection, parent).team != team:
                raise UsageError(f"folder {parent}: it belongs to another team; give a folder of team {team}")
            return _add_folder(connection, team, name, parent, access, self._clock())

    def set_team_plan(self, team: str, plan: str) -> None:
        """The plan of a team; files have a plan of their own."""
        people.check(f"team {team}", plan)
        with self._store.writing() as connection:
            known_team(connection, team)
            connection.execute("UPDATE teams SET plan = ? WHERE id = ?", (plan, team))

    def set_access(self, folder: str, access: str) -> None:
        """Who sees a folder from now on."""
        if access not in ACCESS:
            raise UsageError(f"folder {folder}: no access {access!r}; use one of {', '.join(ACCESS)}")
        with self._store.writing() as connection:
            known_folder(connection, folder)
            connection.execute("UPDATE folders SET access = ? WHERE id = ?", (access, folder))

    def teams(self) -> tuple[Team, ...]:
        """Return every team, in the order in which they were made."""
        with self._store.reading() as connection:
            return tuple(Team(*row) for row in connection.execute("SELECT id, name, plan FROM teams ORDER BY number"))

    def folders(self) -> tuple[Folder, ...]:
        """Return every folder, in the order in which they were made."""
        with self._store.reading() as connection:
            query = f"SELECT {_COLUMNS} FROM folders ORDER BY number"  # noqa: S608
            return tuple(Folder(*row) for row in connection.execute(query))


def find_team(connection: sqlite3.Connection, id_: str) -> Team | None:
    """Return the team of this id."""
    row = connection.execute("SELECT id, name, plan FROM teams WHERE id = ?", (id_,)).fetchone()
    return None if row is None else Team(*row)


def known_team(connection: sqlite3.Connection, id_: str) -> Team:
    """Return the team of this id; a UsageError when there is none."""
    team = find_team(connection, id_)
    if team is None:
        raise UsageError(f"team {id_}: the emulator has none of this id; make it first")
    return team


def find_folder(connection: sqlite3.Connection, id_: str) -> Folder | None:
    """Return the folder of this id."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM folders WHERE id = ?", (id_,)).fetchone()  # noqa: S608
    return None if row is None else Folder(*row)


def known_folder(connection: sqlite3.Connection, id_: str) -> Folder:
    """Return the folder of this id; a UsageError when there is none."""
    folder = find_folder(connection, id_)
    if folder is None:
        raise UsageError(f"folder {id_}: the emulator has none of this id; make it first")
    return folder


def folders_of(connection: sqlite3.Connection, team: str, parent: str | None) -> tuple[Folder, ...]:
    """Return the folders at the top of a team, or those directly in one, in the order in which they were made."""
    query = f"SELECT {_COLUMNS} FROM folders WHERE team = ? AND parent IS ? ORDER BY number"  # noqa: S608
    return tuple(Folder(*row) for row in connection.execute(query, (team, parent)))


_COLUMNS: Final = "id, team, parent, name, access, created, updated"


def _add_team(connection: sqlite3.Connection, name: str, plan: str) -> str:
    id_ = _next(connection, "SELECT count(*) FROM teams")
    connection.execute("INSERT INTO teams (id, name, plan) VALUES (?, ?, ?)", (id_, name, plan))
    return id_


def _add_folder(
    connection: sqlite3.Connection, team: str, name: str, parent: str | None, access: str, now: float
) -> str:
    id_ = _next(connection, "SELECT count(*) FROM folders")
    values = (id_, team, parent, name, access, now, now)
    connection.execute(
        "INSERT INTO folders (id, team, parent, name, access, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?)", values
    )
    return id_


def _next(connection: sqlite3.Connection, count: str) -> str:
    (made,) = connection.execute(count).fetchone()
    return str(made + 1)
