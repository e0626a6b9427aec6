"""Sends what is due, tries again what failed, and keeps a history of seven days.

Any process of a state may deliver: a row is leased before it is sent, so that no other one sends it too. One that dies
in between leaves the row to the next after the lease, so an event may come twice, and is never lost.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from tokensync.emulator.events import editing
from tokensync.emulator.limits import INACTIVITY_SECONDS, WEBHOOK_HISTORY_SECONDS, WEBHOOK_RETRY_SECONDS
from tokensync.emulator.webhooks import registry
from tokensync.emulator.webhooks.kinds import ACTIVE

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from tokensync.emulator.events.sender import Reply, Sender
    from tokensync.emulator.state.clock import Clock
    from tokensync.emulator.state.store import Store

_LEASE_SECONDS: Final = 180.0
_AT_ONCE: Final = 8
"""Endpoints that are sent to at the same time; a single one gets its events one after the other."""
_BATCH: Final = 16
"""Rows that are leased together: few enough to be sent before the lease ends, even to an endpoint that hangs."""


class _Row(NamedTuple):
    number: int
    webhook: registry.Webhook
    payload: bytes
    failures: int


class Delivery:
    """Delivers the events of one state."""

    def __init__(self, store: Store, clock: Clock, send: Sender) -> None:
        self._store = store
        self._clock = clock
        self._send = send

    def deliver_due(self) -> int:
        """Send every event whose time has come, by the emulator's clock; how many requests that took."""
        sent = 0
        while rows := self._take():
            by_endpoint: dict[str, list[_Row]] = {}
            for row in rows:
                by_endpoint.setdefault(row.webhook.endpoint, []).append(row)
            if len(by_endpoint) == 1:
                self._send_in_order(rows)
            else:
                from concurrent.futures import ThreadPoolExecutor  # which most emulators never need

                with ThreadPoolExecutor(_AT_ONCE) as threads:
                    list(threads.map(self._send_in_order, by_endpoint.values()))
            sent += len(rows)
        return sent

    def _take(self) -> list[_Row]:
        """Lease what is due; events that inactivity causes are made here, since no request causes them."""
        now, wall = self._clock(), self._clock.base()
        with self._store.reading() as connection:  # the usual case, without keeping writers waiting
            moments = {"now": now, "wall": wall, "edited": now - INACTIVITY_SECONDS}
            if connection.execute(_ANYTHING, moments).fetchone() is None:
                return []
        with self._store.writing() as connection:
            editing.tell(connection, now)
            connection.execute("DELETE FROM webhook_requests WHERE sent < ?", (now - WEBHOOK_HISTORY_SECONDS,))
            connection.execute(_DROP_WHAT_NOBODY_WAITS_FOR, (now, ACTIVE))
            rows = []
            for number, webhook, payload, failures in connection.execute(_DUE, (now, wall, _BATCH)).fetchall():
                connection.execute(_LEASE, (wall + _LEASE_SECONDS, number))
                found = registry.by_number(connection, webhook)
                if found is not None:
                    rows.append(_Row(number, found, payload, failures))
            return rows

    def _send_in_order(self, rows: Iterable[_Row]) -> None:
        for row in rows:
            told = msgspec.json.decode(row.payload) | {"webhook_id": str(row.webhook.number)}
            sent = self._clock()
            reply = self._send(row.webhook.endpoint, msgspec.json.encode({**told, "passcode": row.webhook.passcode}))
            with self._store.writing() as connection:
                _remember(connection, row, msgspec.json.encode({**told, "passcode": ""}), sent, self._clock(), reply)
                _settle(connection, row, self._clock(), reply)


_ANYTHING: Final = (
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM deliveries WHERE due <= :now AND leased <= :wall)"
    " OR EXISTS (SELECT 1 FROM edits WHERE last <= :edited)"
)
_DROP_WHAT_NOBODY_WAITS_FOR: Final = (
    "DELETE FROM deliveries WHERE due <= ? AND webhook NOT IN (SELECT number FROM webhooks WHERE status = ?)"
)
_DUE: Final = (
    "SELECT number, webhook, payload, failures FROM deliveries WHERE due <= ? AND leased <= ?"
    " ORDER BY due, number LIMIT ?"
)
_LEASE: Final = "UPDATE deliveries SET leased = ? WHERE number = ?"


def _remember(
    connection: sqlite3.Connection, row: _Row, payload: bytes, sent: float, received: float, reply: Reply
) -> None:
    """The history tells of every attempt; like all answers to GET, without the passcode."""
    connection.execute(
        "INSERT INTO webhook_requests (webhook, endpoint, payload, sent, received, status, error)"
        " SELECT ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM webhooks WHERE number = ?)",
        (
            row.webhook.number,
            row.webhook.endpoint,
            payload,
            sent,
            None if reply.status is None else received,
            reply.status,
            reply.error,
            row.webhook.number,
        ),
    )


def _settle(connection: sqlite3.Connection, row: _Row, now: float, reply: Reply) -> None:
    """Done, given up, or to be tried again: 5 minutes, 30 minutes and 3 hours after the failures."""
    if reply.accepted or row.failures >= len(WEBHOOK_RETRY_SECONDS):
        connection.execute("DELETE FROM deliveries WHERE number = ?", (row.number,))
    else:
        due = now + WEBHOOK_RETRY_SECONDS[row.failures]
        connection.execute(
            "UPDATE deliveries SET due = ?, failures = failures + 1, leased = 0 WHERE number = ?", (due, row.number)
        )
