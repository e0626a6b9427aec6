"""The webhooks that there are, in their table and as answers show them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator.webhooks.kinds import TEAM

if TYPE_CHECKING:
    import sqlite3


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
