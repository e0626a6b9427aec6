"""Webhooks: their event types, contexts, permissions and rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import files, sharing, teams

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.people import User


PING: Final = "PING"
"""The event of a new webhook; it cannot be subscribed to."""
FILE_UPDATE: Final = "FILE_UPDATE"
FILE_DELETE: Final = "FILE_DELETE"
FILE_VERSION_UPDATE: Final = "FILE_VERSION_UPDATE"
LIBRARY_PUBLISH: Final = "LIBRARY_PUBLISH"
FILE_COMMENT: Final = "FILE_COMMENT"
DEV_MODE_STATUS_UPDATE: Final = "DEV_MODE_STATUS_UPDATE"
EVENTS: Final = (FILE_UPDATE, FILE_DELETE, FILE_VERSION_UPDATE, LIBRARY_PUBLISH, FILE_COMMENT, DEV_MODE_STATUS_UPDATE)

TEAM: Final = "team"
FOLDER: Final = "project"
"""The context of a folder; "project" is its older name."""
FILE: Final = "file"
CONTEXTS: Final = (TEAM, FOLDER, FILE)

ACTIVE: Final = "ACTIVE"
PAUSED: Final = "PAUSED"
STATUSES: Final = (ACTIVE, PAUSED)
"""The statuses that a request can set."""


_ORGANIZATION_PLANS: Final = ("organization", "enterprise")


class Context(NamedTuple):
    """A team, project or file (``kind``), with its team's id and the name of its plan."""

    kind: str
    id: str
    team: str
    plan: str

    @property
    def plan_api_id(self) -> str:
        """Return ``organization-<id>`` for an organization plan, else ``team-<id>``."""
        return f"organization-{teams.ORGANIZATION}" if self.plan in _ORGANIZATION_PLANS else f"team-{self.team}"


def find_context(connection: sqlite3.Connection, kind: str, id_: str) -> Context | None:
    """Return the team, folder or file with this id or key."""
    if kind == FILE:
        file = files.find(connection, id_)
        folder = None if file is None else teams.find_folder(connection, file.folder)
        return None if file is None or folder is None else Context(FILE, id_, folder.team, file.plan)
    if kind == FOLDER:
        folder = teams.find_folder(connection, id_)
        team = None if folder is None else teams.find_team(connection, folder.team)
    else:
        team = teams.find_team(connection, id_)
    return None if team is None else Context(kind, id_, team.id, team.plan)


def may_manage(connection: sqlite3.Connection, user: User, kind: str, id_: str) -> bool:
    """Return whether a user may manage webhooks of a context: team owners, and editors of the folder or file."""
    if user.admin:
        return True
    if kind == TEAM:
        return sharing.role_on_team(connection, user, id_) == sharing.ROLES[-1]
    if kind == FOLDER:
        return sharing.role_on_folder(connection, user, id_) in sharing.MAY_EDIT
    return sharing.permission_on(connection, user, id_) in sharing.MAY_EDIT


def is_plan(connection: sqlite3.Connection, id_: str) -> bool:
    """Return whether a plan with this plan_api_id exists."""
    kind, _, number = id_.partition("-")
    if kind == "organization":
        return number == teams.ORGANIZATION
    team = teams.find_team(connection, number) if kind == "team" else None
    return team is not None


class Webhook(NamedTuple):
    """A webhook. ``context`` is team, project or file; ``team`` is that of the context; ``plan`` is a plan_api_id.

    ``client`` is the client id of the OAuth app that created it, or None. The repr omits the passcode.
    """

    number: int
    event_type: str
    context: str
    context_id: str
    team: str
    plan: str
    status: str
    client: str | None
    passcode: str
    endpoint: str
    description: str | None

    def __repr__(self) -> str:
        return f"Webhook({self.number!r}, {self.event_type!r}, {self.context!r}, {self.context_id!r})"


_COLUMNS: Final = ", ".join(Webhook._fields)
_NEW: Final = Webhook._fields[1:]
_INSERT: Final = f"INSERT INTO webhooks ({', '.join(_NEW)}) VALUES ({', '.join('?' * len(_NEW))})"  # noqa: S608


def find(connection: sqlite3.Connection, id_: str) -> Webhook | None:
    """Return the webhook with this id."""
    if not (id_.isascii() and id_.isdecimal() and len(id_) < 19):
        return None
    return by_number(connection, int(id_))


def by_number(connection: sqlite3.Connection, number: int) -> Webhook | None:
    """Return the webhook with this number."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM webhooks WHERE number = ?", (number,)).fetchone()  # noqa: S608
    return None if row is None else Webhook(*row)


def of_context(connection: sqlite3.Connection, context: str, context_id: str) -> tuple[Webhook, ...]:
    """Return the webhooks of a team, folder or file, the oldest first."""
    query = f"SELECT {_COLUMNS} FROM webhooks WHERE context = ? AND context_id = ? ORDER BY number"  # noqa: S608
    return tuple(Webhook(*row) for row in connection.execute(query, (context, context_id)))


def of_plan(connection: sqlite3.Connection, plan: str) -> tuple[Webhook, ...]:
    """Return the webhooks of all contexts on a plan, the oldest first."""
    query = f"SELECT {_COLUMNS} FROM webhooks WHERE plan = ? ORDER BY number"  # noqa: S608
    return tuple(Webhook(*row) for row in connection.execute(query, (plan,)))


def count_of_plan(connection: sqlite3.Connection, plan: str, context: str) -> int:
    """Return the number of a plan's webhooks in a kind of context."""
    query = "SELECT count(*) FROM webhooks WHERE plan = ? AND context = ?"
    (count,) = connection.execute(query, (plan, context)).fetchone()
    return int(count)


def add(connection: sqlite3.Connection, webhook: Webhook) -> Webhook:
    """Store a new webhook and return it with its number."""
    number = connection.execute(_INSERT, webhook[1:]).lastrowid
    return webhook._replace(number=number or 0)


def change(connection: sqlite3.Connection, webhook: Webhook) -> None:
    """Store the changeable members of a webhook."""
    connection.execute(
        "UPDATE webhooks SET event_type = ?, endpoint = ?, passcode = ?, status = ?, description = ? WHERE number = ?",
        (webhook.event_type, webhook.endpoint, webhook.passcode, webhook.status, webhook.description, webhook.number),
    )


def remove(connection: sqlite3.Connection, webhook: Webhook) -> None:
    """Delete a webhook, its queued deliveries and its history."""
    connection.execute("DELETE FROM webhooks WHERE number = ?", (webhook.number,))
    connection.execute("DELETE FROM deliveries WHERE webhook = ?", (webhook.number,))
    connection.execute("DELETE FROM webhook_requests WHERE webhook = ?", (webhook.number,))


def document(webhook: Webhook, *, secret: bool) -> dict[str, Any]:
    """Return a WebhookV2. Without ``secret``, as in answers to GET, the passcode is empty."""
    return {
        "id": str(webhook.number),
        "event_type": webhook.event_type,
        "team_id": webhook.context_id if webhook.context == TEAM else "",
        "context": webhook.context.upper(),
        "context_id": webhook.context_id,
        "plan_api_id": webhook.plan,
        "status": webhook.status,
        "client_id": webhook.client,
        "passcode": webhook.passcode if secret else "",
        "endpoint": webhook.endpoint,
        "description": webhook.description,
    }
