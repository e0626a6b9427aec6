"""Teams, their folders and their files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.emulator import people
from tokensync.emulator.store import StateActions, required, rows
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    import sqlite3


TEAM: Final = "1"
DRAFTS: Final = "1"
"""The team and the folder that an emulator starts with, the default location of files."""
ORGANIZATION: Final = "1"
"""The emulator's organization. Teams on the organization and enterprise plans belong to it."""

WHOLE_TEAM: Final = "team"
VIEWED_ONLY: Final = "view"
INVITED_ONLY: Final = "invite"
ACCESS: Final = (WHOLE_TEAM, VIEWED_ONLY, INVITED_ONLY)
"""The audience of a folder: the team, the team as viewers only, or invited users only."""


class Team(NamedTuple):
    """A team. ``plan`` is starter, professional, organization or enterprise."""

    id: str
    name: str
    plan: str


class Folder(NamedTuple):
    """A folder. ``parent`` is the id of its parent folder, or None at the top level. Times are Unix seconds."""

    id: str
    team: str
    parent: str | None
    name: str
    access: str
    created: float
    updated: float


class Teams(StateActions):
    """Creates and changes teams and folders."""

    def create_defaults(self) -> None:
        """Create the default team and folder if they are missing."""
        with self._store.writing() as connection:
            if find_team(connection, TEAM) is None:
                _add_team(connection, "Design system", people.ENTERPRISE)
                _add_folder(connection, TEAM, "Drafts", None, WHOLE_TEAM, self._clock())

    def create_team(self, name: str, *, plan: str = people.ENTERPRISE) -> str:
        """Create a team and return its id."""
        people.check_plan(name, plan)
        with self._store.writing() as connection:
            return _add_team(connection, name, plan)

    def create_folder(self, name: str, *, team: str = TEAM, parent: str | None = None, access: str = WHOLE_TEAM) -> str:
        """Create a folder of a team and return its id."""
        if access not in ACCESS:
            raise UsageError(f"{name}: no access {access!r}; use one of {', '.join(ACCESS)}")
        with self._store.writing() as connection:
            require_team(connection, team)
            if parent is not None and require_folder(connection, parent).team != team:
                raise UsageError(f"folder {parent}: it belongs to another team; give a folder of team {team}")
            return _add_folder(connection, team, name, parent, access, self._clock())

    def set_team_plan(self, team: str, plan: str) -> None:
        """Set a team's plan. Files have their own plan."""
        people.check_plan(f"team {team}", plan)
        with self._store.writing() as connection:
            require_team(connection, team)
            connection.execute("UPDATE teams SET plan = ? WHERE id = ?", (plan, team))

    def set_access(self, folder: str, access: str) -> None:
        """Set who has access to a folder: team, view or invite."""
        if access not in ACCESS:
            raise UsageError(f"folder {folder}: no access {access!r}; use one of {', '.join(ACCESS)}")
        with self._store.writing() as connection:
            require_folder(connection, folder)
            connection.execute("UPDATE folders SET access = ? WHERE id = ?", (access, folder))

    def folders(self) -> tuple[Folder, ...]:
        """Return every folder in order of creation."""
        with self._store.reading() as connection:
            return tuple(rows(connection, Folder, "folders ORDER BY number"))


def find_team(connection: sqlite3.Connection, id_: str) -> Team | None:
    """Return the team with this id."""
    return next(rows(connection, Team, "teams WHERE id = ?", id_), None)


def require_team(connection: sqlite3.Connection, id_: str) -> Team:
    """Return the team with this id, or raise UsageError."""
    return required(find_team(connection, id_), f"team {id_}: no such team; create it first")


def find_folder(connection: sqlite3.Connection, id_: str) -> Folder | None:
    """Return the folder with this id."""
    return next(rows(connection, Folder, "folders WHERE id = ?", id_), None)


def require_folder(connection: sqlite3.Connection, id_: str) -> Folder:
    """Return the folder with this id, or raise UsageError."""
    return required(find_folder(connection, id_), f"folder {id_}: no such folder; create it first")


def folders_of(connection: sqlite3.Connection, team: str, parent: str | None) -> tuple[Folder, ...]:
    """Return a team's top-level folders, or the subfolders of ``parent``, in order of creation."""
    return tuple(rows(connection, Folder, "folders WHERE team = ? AND parent IS ? ORDER BY number", team, parent))


def _add_team(connection: sqlite3.Connection, name: str, plan: str) -> str:
    id_ = _next_id(connection, "SELECT count(*) FROM teams")
    connection.execute("INSERT INTO teams (id, name, plan) VALUES (?, ?, ?)", (id_, name, plan))
    return id_


def _add_folder(
    connection: sqlite3.Connection, team: str, name: str, parent: str | None, access: str, now: float
) -> str:
    id_ = _next_id(connection, "SELECT count(*) FROM folders")
    values = (id_, team, parent, name, access, now, now)
    connection.execute(
        "INSERT INTO folders (id, team, parent, name, access, created, updated) VALUES (?, ?, ?, ?, ?, ?, ?)", values
    )
    return id_


def _next_id(connection: sqlite3.Connection, query: str) -> str:
    (count,) = connection.execute(query).fetchone()
    return str(count + 1)


DESIGN_EDITOR: Final = "figma"
EDITORS: Final = ("figma", "figjam", "slides", "buzz", "sites", "make")

EMPTY_ENVELOPE: Final = b'"status":200,"error":false'
"""The members of an answer beside ``meta``, as JSON text without the braces."""


class File(NamedTuple):
    """A file. ``main`` is the number of a branch's main file, else None; ``folder`` is the id of its folder.

    ``version`` increases with every edit. Times are Unix seconds.
    """

    number: int
    key: str
    name: str
    editor: str
    plan: str
    main: int | None
    folder: str
    version: int
    created: float
    modified: float


def find(connection: sqlite3.Connection, key: str) -> File | None:
    """Return the file with this key."""
    return next(rows(connection, File, "files WHERE key = ?", key), None)


def by_number(connection: sqlite3.Connection, number: int | None) -> File | None:
    """Return the file with this number."""
    return next(rows(connection, File, "files WHERE number = ?", number), None)


def in_folder(connection: sqlite3.Connection, folder: str) -> tuple[File, ...]:
    """Return the main files of a folder in order of creation."""
    return tuple(rows(connection, File, "files WHERE folder = ? AND main IS NULL ORDER BY number", folder))


def branches(connection: sqlite3.Connection, main: int) -> tuple[File, ...]:
    """Return the branches of a main file, by its number, in order of creation."""
    return tuple(rows(connection, File, "files WHERE main = ? ORDER BY number", main))


def touch(connection: sqlite3.Connection, number: int, now: float) -> None:
    """Record an edit: increase the version, and schedule FILE_UPDATE for when the file has been idle long enough."""
    connection.execute("UPDATE files SET version = version + 1, modified = ? WHERE number = ?", (now, number))
    connection.execute("INSERT OR REPLACE INTO edits VALUES (?, ?)", (number, now))


def is_key(text: str) -> bool:
    """Return whether a text has the form of a file key: letters, digits, '-' and '_'."""
    return bool(text) and text.isascii() and all(character.isalnum() or character in "-_" for character in text)


def require(connection: sqlite3.Connection, key: str) -> File:
    """Return the file with this key, or raise UsageError."""
    return required(find(connection, key), f"{key}: the emulator has no such file; seed or create it first")


def check_editor(where: str, editor: str) -> None:
    """Raise UsageError for an unknown editor; the message starts with ``where``."""
    if editor not in EDITORS:
        raise UsageError(f"{where}: no editor {editor!r}; use one of {', '.join(EDITORS)}")


def add(
    connection: sqlite3.Connection,
    key: str,
    name: str,
    now: float,
    folder: str = DRAFTS,
    editor: str = DESIGN_EDITOR,
    plan: str = people.ENTERPRISE,
) -> int:
    """Create a file and return its number."""
    check_editor(key, editor)
    people.check_plan(key, plan)
    if not is_key(key):
        raise UsageError(f"{key!r}: not a file key; use letters, digits, '-' and '_'")
    if find(connection, key) is not None:
        raise UsageError(f"{key}: the emulator already has a file with this key; use another key")
    cursor = connection.execute(
        "INSERT INTO files (key, name, editor, plan, folder, created, modified,"
        " envelope, extras, published_envelope, published_extras) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (key, name, editor, plan, folder, now, now, EMPTY_ENVELOPE, b"", EMPTY_ENVELOPE, b""),
    )
    return cursor.lastrowid or 0
