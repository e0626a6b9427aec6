"""Delivery of events to webhook endpoints, with retries and a history of seven days.

Any process that shares the state may deliver. A delivery is leased before it is sent, so that no other process sends
it; if the process dies, the lease expires. An event may therefore arrive twice, but is never lost.
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
"""The time that an endpoint has to answer; the documentation gives no number."""


class Reply(NamedTuple):
    """The HTTP status of an endpoint's answer, or None and an error."""

    status: int | None
    error: str | None = None

    @property
    def accepted(self) -> bool:
        """Return whether the status is 200; no other status counts (Figma REST API: Webhooks v2)."""
        return self.status == 200


if TYPE_CHECKING:
    Sender = Callable[[str, bytes], Reply]
    """A function that sends a JSON payload to an endpoint."""


def post(endpoint: str, payload: bytes) -> Reply:
    """POST a payload, without following redirects or using a proxy."""
    from http.client import HTTPConnection, HTTPException, HTTPSConnection
    from urllib.parse import quote, urlsplit

    late = Event()
    try:
        parts = urlsplit(endpoint)
        kind = HTTPSConnection if parts.scheme == "https" else HTTPConnection
        connection = kind(parts.hostname or "", parts.port, timeout=_TIMEOUT_SECONDS)
        address = quote(parts.path or "/", safe=_SAFE) + (f"?{quote(parts.query, safe=_SAFE)}" if parts.query else "")
        try:
            connection.connect()
            with _deadline(_TIMEOUT_SECONDS, connection.sock, late):
                connection.request("POST", address, payload, _HEADERS)
                return Reply(connection.getresponse().status)
        finally:
            connection.close()
    except (OSError, HTTPException, ValueError) as error:
        if late.is_set() or isinstance(error, TimeoutError):
            return Reply(None, "The endpoint took too long to answer")
        return Reply(None, f"The endpoint could not be reached: {error}"[:500])


@contextmanager
def _deadline(seconds: float, connected: socket.socket, late: Event) -> Iterator[None]:
    """Abort a connection after a total time, since a slow trickle of bytes never reaches the socket timeout."""
    from socket import SHUT_RDWR

    def abort() -> None:
        late.set()
        with suppress(OSError):
            connected.shutdown(SHUT_RDWR)

    timer = Timer(seconds, abort)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


_SAFE: Final = "/%:@!$&'()*+,;=~?-._"
_HEADERS: Final = {"Content-Type": "application/json; charset=utf-8", "User-Agent": "tokensync-emulator"}


_LEASE_SECONDS: Final = 180.0
_PARALLEL: Final = 8
"""The number of endpoints served in parallel. One endpoint gets its events one after the other."""
_BATCH: Final = 16
"""The number of deliveries leased together; few enough to finish within the lease, even if the endpoint hangs."""


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
        """Send every event that is due by the emulator's clock, and return the number of requests sent."""
        sent = 0
        while rows := self._lease():
            by_endpoint: dict[str, list[_Row]] = {}
            for row in rows:
                by_endpoint.setdefault(row.webhook.endpoint, []).append(row)
            if len(by_endpoint) == 1:
                self._send_in_order(rows)
            else:
                from concurrent.futures import ThreadPoolExecutor  # most emulators never need it

                with ThreadPoolExecutor(_PARALLEL) as threads:
                    list(threads.map(self._send_in_order, by_endpoint.values()))
            sent += len(rows)
        return sent

    def _lease(self) -> list[_Row]:
        """Lease due deliveries. FILE_UPDATE events are queued first, since no request causes them."""
        now, wall = self._clock(), self._clock.base()
        with self._store.reading() as connection:  # usually nothing is due, and writers need not wait
            times = {"now": now, "wall": wall, "edited": now - INACTIVITY_SECONDS}
            if connection.execute(_PENDING, times).fetchone() is None:
                return []
        with self._store.writing() as connection:
            events.queue_updates(connection, now)
            connection.execute("DELETE FROM webhook_requests WHERE sent < ?", (now - WEBHOOK_HISTORY_SECONDS,))
            connection.execute(_DELETE_UNDELIVERABLE, (now, ACTIVE))
            rows = []
            for number, webhook_number, payload, failures in connection.execute(_DUE, (now, wall, _BATCH)).fetchall():
                connection.execute(_LEASE, (wall + _LEASE_SECONDS, number))
                webhook = webhooks.by_number(connection, webhook_number)
                if webhook is not None:
                    rows.append(_Row(number, webhook, payload, failures))
            return rows

    def _send_in_order(self, rows: Iterable[_Row]) -> None:
        for row in rows:
            event = msgspec.json.decode(row.payload) | {"webhook_id": str(row.webhook.number)}
            sent = self._clock()
            reply = self._send(row.webhook.endpoint, msgspec.json.encode({**event, "passcode": row.webhook.passcode}))
            with self._store.writing() as connection:
                _record(connection, row, msgspec.json.encode({**event, "passcode": ""}), sent, self._clock(), reply)
                _finish(connection, row, self._clock(), reply)


_PENDING: Final = (
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM deliveries WHERE due <= :now AND leased <= :wall)"
    " OR EXISTS (SELECT 1 FROM edits WHERE last <= :edited)"
)
_DELETE_UNDELIVERABLE: Final = (
    "DELETE FROM deliveries WHERE due <= ? AND webhook NOT IN (SELECT number FROM webhooks WHERE status = ?)"
)
_DUE: Final = (
    "SELECT number, webhook, payload, failures FROM deliveries WHERE due <= ? AND leased <= ?"
    " ORDER BY due, number LIMIT ?"
)
_LEASE: Final = "UPDATE deliveries SET leased = ? WHERE number = ?"


def _record(
    connection: sqlite3.Connection, row: _Row, payload: bytes, sent: float, received: float, reply: Reply
) -> None:
    """Record an attempt in the history, which must not contain the passcode."""
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


def _finish(connection: sqlite3.Connection, row: _Row, now: float, reply: Reply) -> None:
    """Remove a delivery that was accepted or failed for the last time; else schedule a retry."""
    if reply.accepted or row.failures >= len(WEBHOOK_RETRY_SECONDS):
        connection.execute("DELETE FROM deliveries WHERE number = ?", (row.number,))
    else:
        due = now + WEBHOOK_RETRY_SECONDS[row.failures]
        connection.execute(
            "UPDATE deliveries SET due = ?, failures = failures + 1, leased = 0 WHERE number = ?", (due, row.number)
        )


_POLL_SECONDS: Final = 0.2
_STOP_SECONDS: Final = 11.0
"""The time that a stop waits for the request being sent, slightly longer than its timeout."""

_logger = logging.getLogger(__name__)


class InBackground:
    """A context manager whose thread calls ``deliver_due`` repeatedly. The exit waits for the request being sent."""

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
        while not self._stopped.wait(_POLL_SECONDS):
            try:
                self._deliver_due()
            except Exception:  # such as a busy or full disk; the next attempt may succeed
                _logger.exception("events were not delivered")
