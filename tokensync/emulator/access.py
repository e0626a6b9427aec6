"""Authentication and authorization: tokens, scopes, accounts, plans, and permissions on files, folders and files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.emulator import files, people, store, tokens
from tokensync.emulator.endpoints import ANY_SCOPE, TOKEN_403, Call, Refusal, Route, invalid
from tokensync.emulator.store import StateActions
from tokensync.emulator.tokens import ORGANIZATION, WRITE_VARIABLES, Token
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from tokensync.emulator.people import User


ROLES: Final = ("viewer", "editor", "owner")
"""Roles in ascending order."""
MAY_EDIT: Final = frozenset(ROLES[1:])


class Sharing(StateActions):
    """Assigns roles on teams and folders."""

    def create_group(self, name: str, *users: str) -> str:
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
        """Set a user's role on a team, by ids.

        ROLE is owner, editor, viewer, or none for no membership.
        """
        _check_role(role)
        with self._store.writing() as connection:
            files.require_team(connection, team)
            people.require(connection, user)
            connection.execute("INSERT OR REPLACE INTO team_roles VALUES (?, ?, ?)", (team, user, role))

    def share(self, folder: str, member: str, role: str | None) -> None:
        """Set the role of a user or group in a folder and below.

        MEMBER is an id. ROLE is owner, editor, viewer, or none to deny access.
        """
        _check_role(role)
        with self._store.writing() as connection:
            files.require_folder(connection, folder)
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
    if files.INVITED_ONLY in accesses or team_role is None:
        return None
    return ROLES[0] if files.VIEWED_ONLY in accesses else team_role


def _check_role(role: str | None) -> None:
    if role is not None and role not in ROLES:
        raise UsageError(f"role: unknown {role!r}; use one of {', '.join(ROLES)}, or None")


_TOKEN_HEADER_KINDS: Final = (tokens.PERSONAL, tokens.PLAN)
MAIN_FILES_ONLY: Final = "File key must be the key of a main file, not of a branch"


class Credentials(NamedTuple):
    """The headers ``X-Figma-Token`` (personal and plan tokens) and ``Authorization`` (OAuth); the repr omits them."""

    token_header: str | None
    authorization: str | None

    def __repr__(self) -> str:
        return "Credentials()"


def authenticate(
    connection: sqlite3.Connection, credentials: Credentials, now: float, quirks: Collection[str] = ()
) -> Token:
    """Return the valid token of a request."""
    if credentials.token_header is not None:
        secret, kinds = credentials.token_header, _TOKEN_HEADER_KINDS
    elif credentials.authorization is not None:
        scheme, _, secret = credentials.authorization.partition(" ")
        kinds = (tokens.OAUTH, "") if scheme.lower() == "bearer" else ("", "")
    else:
        raise Refusal(403 if TOKEN_403 in quirks else 401, "Authentication required: send an access token")
    token = tokens.find(connection, secret.strip())
    if token is None or token.kind not in kinds:
        raise Refusal(403, "Invalid token")
    if token.expires <= now:
        raise Refusal(403, "Token expired")
    return token


def check_route(token: Token, user: people.User, route: Route) -> None:
    """Refuse a token whose kind or scopes do not suit the endpoint."""
    if token.kind not in route.kinds:
        raise Refusal(403, f"This endpoint cannot be used with {_KIND_NAMES[token.kind]}")
    _check_scope(token, route.scopes)
    if any(scope.startswith(ORGANIZATION) for scope in route.scopes) and not user.admin:
        raise Refusal(403, "Incorrect account type")


def file_of(call: Call, key: str, *, edits: bool = False, main: bool = False) -> files.File:
    """Return a file that the user may view, or with ``edits`` edit; ``main`` refuses branches."""
    file = _file(call, key)
    check_permission(call, file, edits=edits)
    if main:
        check_main(file)
    return file


def check_main(file: files.File) -> None:
    """Refuse a branch."""
    if file.main is not None:
        raise invalid(MAIN_FILES_ONLY)


def check_permission(call: Call, file: files.File, *, edits: bool) -> None:
    """Refuse a user who may not view the file, or with ``edits`` not edit it."""
    permission = permission_on(call.connection, call.user, file.key)
    if permission is None or (edits and permission not in MAY_EDIT):
        raise Refusal(403, "Insufficient file permissions")


def check_enterprise(call: Call, plan: str, accounts: Collection[str] = (people.FULL_MEMBER,)) -> None:
    """Refuse users without one of the accounts, and plans below Enterprise."""
    if plan != people.ENTERPRISE:
        raise Refusal(403, "Limited by Figma plan")
    if call.user.account not in accounts:
        raise Refusal(403, "Incorrect account type")


def variables_file(call: Call, file_key: str, *, writes: bool = False) -> files.File:
    """Return a file whose variables this token may read, or with ``writes`` change.

    Any member of the organization may read, but no guest; changes need a full seat (Figma REST API: Variables).
    """
    file = _file(call, file_key)
    check_enterprise(call, file.plan, (people.FULL_MEMBER,) if writes else people.MEMBERS)
    check_permission(call, file, edits=writes)
    if writes and file.editor != files.DESIGN_EDITOR:
        raise Refusal(403, "API only available for design files")
    return file


def _file(call: Call, key: str) -> files.File:
    if not files.is_key(key):
        raise invalid("file_key must be the key of a file")
    file = files.find(call.connection, key)
    if file is None:
        raise Refusal(404, "Not found")  # the words that Figma's users quote
    return file


_KIND_NAMES: Final = {
    tokens.PERSONAL: "a personal access token",
    tokens.OAUTH: "an OAuth token",
    tokens.PLAN: "a plan access token",
}


def _check_scope(token: Token, scopes: tuple[str, ...]) -> None:
    """Refuse a token without any of the scopes.

    A plan token can never write variables. A legacy token has no scopes and passes, except for organization scopes.
    """
    required = scopes[0]
    if token.scopes is None:
        allowed = not required.startswith(ORGANIZATION)
    else:
        allowed = required == ANY_SCOPE or any(scope in token.scopes for scope in scopes)
    if allowed and not (token.kind == tokens.PLAN and required == WRITE_VARIABLES):
        return
    others = ", ".join(scope for scope in token.scopes or () if scope not in scopes) or "none"
    raise Refusal(403, f"Invalid scope(s): {others}. This endpoint requires the {required} scope")


_PLAN: Final = "organization plan"
_GOVERNANCE: Final = "organization governance"


class Organization(StateActions):
    """The settings of the organization, which starts on the Enterprise plan with Governance+."""

    def set_plan(self, plan: str) -> None:
        """Set the organization's plan: starter, professional, organization or enterprise."""
        people.check_plan("organization", plan)
        self._set(_PLAN, plan)

    def set_governance(self, governance: bool) -> None:
        """Set whether the organization has the Governance+ add-on."""
        self._set(_GOVERNANCE, "yes" if governance else "no")

    def _set(self, name: str, value: str) -> None:
        with self._store.writing() as connection:
            store.set_value(connection, name, value)


def check_organization(call: Call, *, governance: bool = False) -> None:
    """Refuse the call unless the organization is on the Enterprise plan, and with ``governance`` has Governance+."""
    enterprise = store.value_of(call.connection, _PLAN) in (None, people.ENTERPRISE)
    if not enterprise or (governance and store.value_of(call.connection, _GOVERNANCE) == "no"):
        raise Refusal(403, "Limited by Figma plan")
