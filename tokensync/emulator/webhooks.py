"""Webhooks: the events they ask for, where they apply, and their rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import files, sharing, teams

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.people import User


PING: Final = "PING"
"""Sent when a webhook is made; nobody can ask for it."""
FILE_UPDATE: Final = "FILE_UPDATE"
FILE_DELETE: Final = "FILE_DELETE"
FILE_VERSION_UPDATE: Final = "FILE_VERSION_UPDATE"
LIBRARY_PUBLISH: Final = "LIBRARY_PUBLISH"
FILE_COMMENT: Final = "FILE_COMMENT"
DEV_MODE_STATUS_UPDATE: Final = "DEV_MODE_STATUS_UPDATE"
EVENTS: Final = (
    FILE_UPDATE,
    FILE_DELETE,
    FILE_VERSION_UPDATE,
    LIBRARY_PUBLISH,
    FILE_COMMENT,
    DEV_MODE_STATUS_UPDATE,
)

TEAM: Final = "team"
FOLDER: Final = "project"
"""The older word for a folder, which is still the context's name."""
FILE: Final = "file"
CONTEXTS: Final = (TEAM, FOLDER, FILE)

ACTIVE: Final = "ACTIVE"
PAUSED: Final = "PAUSED"
STATUSES: Final = (ACTIVE, PAUSED)
"""An error state cannot be set by a request."""


_PLANS_OF_ORGANIZATIONS: Final = ("organization", "enterprise")


class Context(NamedTuple):
    """``kind`` is team, project or file; ``plan`` the name of its plan, ``plan_api_id`` which one it is."""

    kind: str
    id: str
    team: str
    plan: str

    @property
    def plan_api_id(self) -> str:
        """``team-<id>``, or ``organization-<id>`` on the plans that an organization has."""
        return plan_api_id(self.team, self.plan)


def find_context(connection: sqlite3.Connection, kind: str, id_: str) -> Context | None:
    """Return the team, folder or file of this id or key."""
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
        return number == teams.ORGANIZATION
    team = teams.find_team(connection, number) if kind == "team" else None
    return team is not None


def plan_api_id(team: str, plan: str) -> str:
    """Return how the platform names a plan."""
    return f"organization-{teams.ORGANIZATION}" if plan in _PLANS_OF_ORGANIZATIONS else f"team-{team}"


class Webhook(NamedTuple):
    """``context`` is team, project or file; ``team`` is the one that the context belongs to, ``plan`` a plan_api_id.

    ``client`` is the client id of the OAuth app that made it, or None. A repr shows no passcode.
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
    """Return the webhook of this id, as answers give it."""
    if not (id_.isascii() and id_.isdecimal() and len(id_) < 19):
        return None
    return by_number(connection, int(id_))


def by_number(connection: sqlite3.Connection, number: int) -> Webhook | None:
    """Return the webhook of this number."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM webhooks WHERE number = ?", (number,)).fetchone()  # noqa: S608
    return None if row is None else Webhook(*row)


def of_context(connection: sqlite3.Connection, context: str, context_id: str) -> tuple[Webhook, ...]:
    """Return the webhooks of one team, folder or file, the oldest first."""
    query = f"SELECT {_COLUMNS} FROM webhooks WHERE context = ? AND context_id = ? ORDER BY number"  # noqa: S608
    return tuple(Webhook(*row) for row in connection.execute(query, (context, context_id)))


def of_plan(connection: sqlite3.Connection, plan: str) -> tuple[Webhook, ...]:
    """Return the webhooks of all contexts on a plan, the oldest first."""
    query = f"SELECT {_COLUMNS} FROM webhooks WHERE plan = ? ORDER BY number"  # noqa: S608
    return tuple(Webhook(*row) for row in connection.execute(query, (plan,)))


def count_of_plan(connection: sqlite3.Connection, plan: str, context: str) -> int:
    """Return how many webhooks of a kind of context a plan has."""
    query = "SELECT count(*) FROM webhooks WHERE plan = ? AND context = ?"
    (count,) = connection.execute(query, (plan, context)).fetchone()
    return int(count)


def add(connection: sqlite3.Connection, webhook: Webhook) -> Webhook:
    """Keep a new webhook; it comes back with its number."""
    number = connection.execute(_INSERT, webhook[1:]).lastrowid
    return webhook._replace(number=number or 0)


def change(connection: sqlite3.Connection, webhook: Webhook) -> None:
    """Keep what may change of a webhook."""
    connection.execute(
        "UPDATE webhooks SET event_type = ?, endpoint = ?, passcode = ?, status = ?, description = ? WHERE number = ?",
        (
            webhook.event_type,
            webhook.endpoint,
            webhook.passcode,
            webhook.status,
            webhook.description,
            webhook.number,
        ),
    )


def remove(connection: sqlite3.Connection, webhook: Webhook) -> None:
    """Forget a webhook, what it still waits for and what it was sent."""
    connection.execute("DELETE FROM webhooks WHERE number = ?", (webhook.number,))
    connection.execute("DELETE FROM deliveries WHERE webhook = ?", (webhook.number,))
    connection.execute("DELETE FROM webhook_requests WHERE webhook = ?", (webhook.number,))


def document(webhook: Webhook, *, secret: bool) -> dict[str, Any]:
    """Return a WebhookV2; only with ``secret`` does it tell the passcode, which GET answers leave empty."""
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
