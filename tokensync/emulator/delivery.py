"""Delivers events to the endpoints of webhooks, tries failed ones again, and keeps a history of seven days.

Any process of a state may deliver: a row is leased before it is sent, so that no other process sends it too. If a
process dies in between, the row is free again when its lease ends. An event may therefore arrive twice, and is never
lost.
"""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager, suppress
from threading import Event, Timer
from typing import TYPE_CHECKING, Final, NamedTuple, Self

import msgspec

from tokensync.emulator import events, webhooks
from tokensync.emulator.limits import INACTIVITY_SECONDS, WEBHOOK_HISTORY_SECONDS, WEBHOOK_RETRY_SECONDS
from tokensync.emulator.webhooks import ACTIVE

if TYPE_CHECKING:
    import socket
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

    from tokensync.emulator.store import Clock, Store


_TIMEOUT_SECONDS: Final = 10.0
"""A receiver that needs longer is too slow; the documentation gives no number."""


class Reply(NamedTuple):
    """The HTTP status that an endpoint answered with, or None and what went wrong."""

    status: int | None
    error: str | None = None

    @property
    def accepted(self) -> bool:
        """Return whether the endpoint answered 200; no other status counts (Figma REST API: Webhooks v2)."""
        return self.status == 200


if TYPE_CHECKING:
    Sender = Callable[[str, bytes], Reply]
    """From an endpoint and a JSON payload to what came back."""


def post(endpoint: str, payload: bytes) -> Reply:
    """POST a payload. A redirect is not followed, and no proxy is asked: it is an answer like any other."""
    from http.client import HTTPConnection, HTTPException, HTTPSConnection
    from urllib.parse import quote, urlsplit

    late = Event()
    try:
        parts = urlsplit(endpoint)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=_TIMEOUT_SECONDS)
        address = quote(parts.path or "/", safe=_KEPT) + (f"?{quote(parts.query, safe=_KEPT)}" if parts.query else "")
        try:
            connection.connect()
            with _at_most(_TIMEOUT_SECONDS, connection.sock, late):
                connection.request("POST", address, payload, _HEADERS)
                return Reply(connection.getresponse().status)
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError) as error:
        if late.is_set() or isinstance(error, TimeoutError):
            return Reply(None, "The endpoint took too long to answer")
        return Reply(None, f"The endpoint could not be reached: {error}"[:500])


@contextmanager
def _at_most(seconds: float, connected: socket.socket, late: Event) -> Iterator[None]:
    """Break a connection off after so long: one that sends a byte now and then never runs into a timeout."""
    from socket import SHUT_RDWR

    def break_off() -> None:
        late.set()
        with suppress(OSError):
            connected.shutdown(SHUT_RDWR)

    timer = Timer(seconds, break_off)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


_KEPT: Final = "/%:@!$&'()*+,;=~?-._"
_HEADERS: Final = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "tokensync-emulator"}


_LEASE_SECONDS: Final = 180.0
_AT_ONCE: Final = 8
"""Endpoints that are sent to at the same time; a single one gets its events one after the other."""
_BATCH: Final = 16
"""Rows that are leased together: few enough to be sent before the lease ends, even to an endpoint that hangs."""


class _Row(NamedTuple):
    number: int
    webhook: webhooks.Webhook
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
            events.queue_updates(connection, now)
            connection.execute("DELETE FROM webhook_requests WHERE sent < ?", (now - WEBHOOK_HISTORY_SECONDS,))
            connection.execute(_DROP_WHAT_NOBODY_WAITS_FOR, (now, ACTIVE))
            rows = []
            for number, webhook, payload, failures in connection.execute(_DUE, (now, wall, _BATCH)).fetchall():
                connection.execute(_LEASE, (wall + _LEASE_SECONDS, number))
                found = webhooks.by_number(connection, webhook)
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


_EVERY_SECONDS: Final = 0.2
_STOP_SECONDS: Final = 11.0
"""How long an end waits for what is being sent: a little longer than a sender waits for an endpoint."""

_logger = logging.getLogger(__name__)


class InBackground:
    """Between ``with``, a thread calls ``deliver_due`` again and again; at the end, what is being sent is sent."""

    def __init__(self, deliver_due: Callable[[], int]) -> None:
        self._deliver_due = deliver_due
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="webhooks", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join(_STOP_SECONDS)

    def _run(self) -> None:
        while not self._stopped.wait(_EVERY_SECONDS):
            try:
                self._deliver_due()
            except Exception:  # a busy or full disk may be neither the next time
                _logger.exception("events were not delivered")
