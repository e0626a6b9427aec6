"""Who sees which folder and file: roles of users and groups, inherited ones, and its audience."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator import people, teams
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from tokensync.emulator.people import User
    from tokensync.emulator.store import Store


ROLES: Final = ("viewer", "editor", "owner")
"""From the least to the most."""
MAY_EDIT: Final = frozenset(ROLES[1:])


class Sharing:
    """Gives users and groups of users roles on teams and folders."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create_group(self, name: str, users: Iterable[str] = ()) -> str:
        """Create a group of users and return its id."""
        with self._store.writing() as connection:
            (made,) = connection.execute("SELECT count(*) FROM user_groups").fetchone()
            id_ = f"group-{made + 1}"
            connection.execute("INSERT INTO user_groups (id, name) VALUES (?, ?)", (id_, name))
            for user in users:
                people.known(connection, user)
                connection.execute("INSERT OR IGNORE INTO user_group_members VALUES (?, ?)", (user, id_))
            return id_

    def set_team_role(self, team: str, user: str, role: str | None) -> None:
        """What a user is on a team: owner, editor, viewer, or None for no member of it.

        Without this, it is what the user may do with files that have no permission of their own.
        """
        _check_role(role)
        with self._store.writing() as connection:
            teams.known_team(connection, team)
            people.known(connection, user)
            connection.execute("INSERT OR REPLACE INTO team_roles VALUES (?, ?, ?)", (team, user, role))

    def share(self, folder: str, member: str, role: str | None) -> None:
        """What a user or group (by id) may do in a folder and in those below it; None shuts a user out of them."""
        _check_role(role)
        with self._store.writing() as connection:
            teams.known_folder(connection, folder)
            known = connection.execute("SELECT 1 FROM user_groups WHERE id = ?", (member,)).fetchone()
            if known is None:
                people.known(connection, member)
            connection.execute("INSERT OR REPLACE INTO folder_roles VALUES (?, ?, ?)", (folder, member, role))


def role_on_team(connection: sqlite3.Connection, user: User, team: str) -> str | None:
    """Return what a user is on a team: owner, editor, viewer, or None for no member."""
    query = "SELECT role FROM team_roles WHERE team = ? AND user = ?"
    row = connection.execute(query, (team, user.id)).fetchone()
    role: str | None = user.permission if row is None else row[0]
    return role


def role_on_folder(connection: sqlite3.Connection, user: User, folder: str) -> str | None:
    """Return what a user may do in a folder: owner, editor, viewer, or None where it is not visible.

    The user's own role on the nearest folder counts before all else. Of the roles of groups, and the one that the
    audience of the folder has, the highest counts; a folder's audience is no wider than those of the folders around it.
    Whoever owns every file sees every folder.
    """
    chain = connection.execute(_CHAIN, (folder,)).fetchall()
    if not chain:
        return None
    for id_, _, _ in chain:
        row = connection.execute(_OWN_ROLE, (id_, user.id)).fetchone()
        if row is not None:
            own: str | None = row[0]
            return own
    if user.permission == ROLES[-1]:
        return ROLES[-1]
    given = [role for id_, _, _ in chain for (role,) in connection.execute(_GROUP_ROLES, (user.id, id_)) if role]
    audience = _role_of_audience({access for _, _, access in chain}, role_on_team(connection, user, chain[0][1]))
    if audience is not None:
        given.append(audience)
    return max(given, key=ROLES.index, default=None)


def permission_on(connection: sqlite3.Connection, user: User, file_key: str) -> str | None:
    """Return what the user may do with a file: owner, editor, viewer, or None for nothing.

    Without a permission of its own for the user, a file has that of the folder that it is in.
    """
    query = "SELECT permission FROM permissions WHERE user = ? AND file_key = ?"
    row = connection.execute(query, (user.id, file_key)).fetchone()
    if row is None:
        folder = connection.execute("SELECT folder FROM files WHERE key = ?", (file_key,)).fetchone()
        return user.permission if folder is None else role_on_folder(connection, user, folder[0])
    found: str | None = row[0]
    return found


_CHAIN: Final = (
    "WITH RECURSIVE chain (id, team, access, parent, depth) AS ("
    " SELECT id, team, access, parent, 0 FROM folders WHERE id = ? UNION ALL"
    " SELECT folders.id, folders.team, folders.access, folders.parent, depth + 1"
    " FROM folders JOIN chain ON folders.id = chain.parent"
    ") SELECT id, team, access FROM chain ORDER BY depth"
)
_OWN_ROLE: Final = "SELECT role FROM folder_roles WHERE folder = ? AND member = ?"
_GROUP_ROLES: Final = (
    "SELECT role FROM user_group_members JOIN folder_roles ON folder_roles.member = user_group_members.id"
    " WHERE user_group_members.member = ? AND folder = ?"
)


def _role_of_audience(accesses: set[str], on_team: str | None) -> str | None:
    if teams.INVITED_ONLY in accesses or on_team is None:
        return None
    return ROLES[0] if teams.VIEWED_ONLY in accesses else on_team


def _check_role(role: str | None) -> None:
    if role is not None and role not in ROLES:
        raise UsageError(f"role: no {role!r}; use one of {', '.join(ROLES)}, or None")
