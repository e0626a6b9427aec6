"""What a webhook is about: a team, a folder or a file, the plan that it is on, and who may manage its webhooks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.emulator.filing import files, places, sharing
from tokensync.emulator.webhooks.kinds import FILE, FOLDER, TEAM

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.accounts.people import User

_PLANS_OF_ORGANIZATIONS: Final = ("organization", "enterprise")


class Context(NamedTuple):
    """``kind`` is team, project or file; ``plan`` the name of its plan, ``plan_api_id`` which one it is."""

    kind: str
    id: str
    team: str
    plan: str

    @property
    def plan_api_id(self) -> str:
        """``team-<id>``, or ``organization-<id>`` on the plans that an organization has (platform-api.md 4.10)."""
        return plan_api_id(self.team, self.plan)


def find(connection: sqlite3.Connection, kind: str, id_: str) -> Context | None:
    """Return the team, folder or file of this id or key."""
    if kind == FILE:
        file = files.find(connection, id_)
        folder = None if file is None else places.find_folder(connection, file.folder)
        return None if file is None or folder is None else Context(FILE, id_, folder.team, file.plan)
    if kind == FOLDER:
        folder = places.find_folder(connection, id_)
        team = None if folder is None else places.find_team(connection, folder.team)
    else:
        team = places.find_team(connection, id_)
    return None if team is None else Context(kind, id_, team.id, team.plan)


def may_manage(connection: sqlite3.Connection, user: User, kind: str, id_: str) -> bool:
    """Return whether a user may make webhooks of a context: admins of the team, editors of the folder or of
    the file.
    """
    if user.admin:
        return True
    if kind == TEAM:
        return sharing.role_on_team(connection, user, id_) == sharing.ROLES[-1]
    if kind == FOLDER:
        return sharing.role_on_folder(connection, user, id_) in sharing.MAY_EDIT
    return sharing.permission_on(connection, user, id_) in sharing.MAY_EDIT


def is_plan(connection: sqlite3.Connection, id_: str) -> bool:
    """Return whether there is a plan of this plan_api_id."""
    kind, _, number = id_.partition("-")
    if kind == "organization":
        return number == places.ORGANIZATION
    team = places.find_team(connection, number) if kind == "team" else None
    return team is not None


def plan_api_id(team: str, plan: str) -> str:
    """Return how the platform names a plan."""
    return f"organization-{places.ORGANIZATION}" if plan in _PLANS_OF_ORGANIZATIONS else f"team-{team}"
