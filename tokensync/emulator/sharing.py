"""Roles of users and groups on teams and folders, and the permissions on files that follow."""

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
"""Roles in ascending order."""
MAY_EDIT: Final = frozenset(ROLES[1:])


class Sharing:
    """Assigns roles on teams and folders."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def create_group(self, name: str, users: Iterable[str] = ()) -> str:
        """Create a group of users and return its id."""
        with self._store.writing() as connection:
            (count,) = connection.execute("SELECT count(*) FROM user_groups").fetchone()
            id_ = f"group-{count + 1}"
            connection.execute("INSERT INTO user_groups (id, name) VALUES (?, ?)", (id_, name))
            for user in users:
                people.require(connection, user)
                connection.execute("INSERT OR IGNORE INTO user_group_members VALUES (?, ?)", (user, id_))
            return id_

    def set_team_role(self, team: str, user: str, role: str | None) -> None:
        """Set a user's role on a team: owner, editor, viewer, or None for no membership.

        The default role is the user's default permission.
        """
        _check_role(role)
        with self._store.writing() as connection:
            teams.require_team(connection, team)
            people.require(connection, user)
            connection.execute("INSERT OR REPLACE INTO team_roles VALUES (?, ?, ?)", (team, user, role))

    def share(self, folder: str, member: str, role: str | None) -> None:
        """Set the role of a user or group (by id) on a folder and its subfolders; None denies a user access."""
        _check_role(role)
        with self._store.writing() as connection:
            teams.require_folder(connection, folder)
            group = connection.execute("SELECT 1 FROM user_groups WHERE id = ?", (member,)).fetchone()
            if group is None:
                people.require(connection, member)
            connection.execute("INSERT OR REPLACE INTO folder_roles VALUES (?, ?, ?)", (folder, member, role))


def role_on_team(connection: sqlite3.Connection, user: User, team: str) -> str | None:
    """Return a user's role on a team: owner, editor, viewer, or None for no membership."""
    query = "SELECT role FROM team_roles WHERE team = ? AND user = ?"
    row = connection.execute(query, (team, user.id)).fetchone()
    role: str | None = user.permission if row is None else row[0]
    return role


def role_on_folder(connection: sqlite3.Connection, user: User, folder: str) -> str | None:
    """Return a user's role on a folder: owner, editor, viewer, or None for no access.

    The user's own role on the nearest folder in the chain of parents takes precedence. Otherwise it is the highest of
    the roles of the user's groups and of the folder's audience, which is never wider than that of a parent folder.
    Users with the default permission "owner" own every folder.
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
    roles = [role for id_, _, _ in chain for (role,) in connection.execute(_GROUP_ROLES, (user.id, id_)) if role]
    audience = _audience_role({access for _, _, access in chain}, role_on_team(connection, user, chain[0][1]))
    if audience is not None:
        roles.append(audience)
    return max(roles, key=ROLES.index, default=None)


def permission_on(connection: sqlite3.Connection, user: User, file_key: str) -> str | None:
    """Return a user's permission on a file: owner, editor, viewer, or None for no access.

    A file without a permission for this user inherits the role on its folder.
    """
    query = "SELECT permission FROM permissions WHERE user = ? AND file_key = ?"
    row = connection.execute(query, (user.id, file_key)).fetchone()
    if row is None:
        folder = connection.execute("SELECT folder FROM files WHERE key = ?", (file_key,)).fetchone()
        return user.permission if folder is None else role_on_folder(connection, user, folder[0])
    permission: str | None = row[0]
    return permission


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


def _audience_role(accesses: set[str], team_role: str | None) -> str | None:
    if teams.INVITED_ONLY in accesses or team_role is None:
        return None
    return ROLES[0] if teams.VIEWED_ONLY in accesses else team_role


def _check_role(role: str | None) -> None:
    if role is not None and role not in ROLES:
        raise UsageError(f"role: unknown {role!r}; use one of {', '.join(ROLES)}, or None")
