"""Webhooks: their contexts and permissions, the events that they receive, and the delivery of events."""

from __future__ import annotations

import logging
import threading
from contextlib import contextmanager, suppress
from threading import Event, Timer
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

import msgspec

from tokensync.emulator import access, files, people
from tokensync.emulator.endpoints import EVENT_RETRIES, PAUSED_BY_400, timestamp
from tokensync.emulator.store import Clock, Store, rows

if TYPE_CHECKING:
    import socket
    import sqlite3
    from collections.abc import Callable, Collection, Iterable, Iterator

    from tokensync.emulator.files import File
    from tokensync.emulator.people import User


INACTIVITY_SECONDS: Final = 1800
"""Time without edits after which FILE_UPDATE is sent (Figma REST API: Webhooks v2)."""
WEBHOOK_HISTORY_SECONDS: Final = 7 * 86400
WEBHOOK_RETRY_SECONDS: Final = (300, 1800, 10_800)
"""Delays after the first, second and third failure; the fourth failure is final."""

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
        return f"organization-{files.ORGANIZATION}" if self.plan in _ORGANIZATION_PLANS else f"team-{self.team}"


def find_context(connection: sqlite3.Connection, kind: str, id_: str) -> Context | None:
    """Return the team, folder or file with this id or key."""
    if kind == FILE:
        file = files.find(connection, id_)
        folder = None if file is None else files.find_folder(connection, file.folder)
        return None if file is None or folder is None else Context(FILE, id_, folder.team, file.plan)
    if kind == FOLDER:
        folder = files.find_folder(connection, id_)
        team = None if folder is None else files.find_team(connection, folder.team)
    else:
        team = files.find_team(connection, id_)
    return None if team is None else Context(kind, id_, team.id, team.plan)


def may_manage(connection: sqlite3.Connection, user: User, kind: str, id_: str, *, creates: bool = False) -> bool:
    """Return whether a user may manage webhooks of a context: team owners, and editors of the folder or file.

    So may admins of the organization, but they cannot create the webhook of a team.
    """
    if user.admin and not (creates and kind == TEAM):
        return True
    if kind == TEAM:
        return access.role_on_team(connection, user, id_) == access.ROLES[-1]
    if kind == FOLDER:
        return access.role_on_folder(connection, user, id_) in access.MAY_EDIT
    return access.permission_on(connection, user, id_) in access.MAY_EDIT


def is_plan(connection: sqlite3.Connection, id_: str) -> bool:
    """Return whether a plan with this plan_api_id exists."""
    kind, _, number = id_.partition("-")
    if kind == "organization":
        return number == files.ORGANIZATION
    team = files.find_team(connection, number) if kind == "team" else None
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


_NEW: Final = Webhook._fields[1:]
_INSERT: Final = f"INSERT INTO webhooks ({', '.join(_NEW)}) VALUES ({', '.join('?' * len(_NEW))})"  # noqa: S608


def find(connection: sqlite3.Connection, id_: str) -> Webhook | None:
    """Return the webhook with this id."""
    if not (id_.isascii() and id_.isdecimal() and len(id_) < 19):
        return None
    return by_number(connection, int(id_))


def by_number(connection: sqlite3.Connection, number: int) -> Webhook | None:
    """Return the webhook with this number."""
    return next(rows(connection, Webhook, "webhooks WHERE number = ?", number), None)


def of_context(connection: sqlite3.Connection, context: str, context_id: str) -> tuple[Webhook, ...]:
    """Return the webhooks of a team, folder or file, the oldest first."""
    which = "webhooks WHERE context = ? AND context_id = ? ORDER BY number"
    return tuple(rows(connection, Webhook, which, context, context_id))


def of_plan(connection: sqlite3.Connection, plan: str) -> tuple[Webhook, ...]:
    """Return the webhooks of all contexts on a plan, the oldest first."""
    return tuple(rows(connection, Webhook, "webhooks WHERE plan = ? ORDER BY number", plan))


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


ASSETS: Final = ("components", "styles", "variables")
"""The kinds of library assets; a publication is one event for each kind that changed."""
DEV_STATUSES: Final = ("NONE", "READY_FOR_DEV", "COMPLETED")
"""The statuses of a layer in Dev Mode."""

Fields = dict[str, Any]
Item = dict[str, str]
"""The ``key`` and ``name`` of a published item."""


class Changes(NamedTuple):
    """The changes of one publication to items of one kind."""

    created: tuple[Item, ...] = ()
    modified: tuple[Item, ...] = ()
    deleted: tuple[Item, ...] = ()


def publication_fields(asset: str, changes: Changes, description: str | None) -> Fields:
    """Return the fields of LIBRARY_PUBLISH for one kind of asset with at least one change."""
    fields: Fields = {f"{verb}_{kind}": [] for kind in ASSETS for verb in Changes._fields}
    for verb, items in zip(Changes._fields, changes, strict=True):
        fields[f"{verb}_{asset}"] = list(items)
    return {**fields, "library_item": next(item for items in changes for item in items), "description": description}


_EVENT_TYPES: Final = {FILE_DELETE: (FILE_DELETE, FILE_UPDATE)}
"""The event types whose webhooks also receive an event, if not just its own."""
_SUBSCRIBED: Final = (
    "SELECT number FROM webhooks WHERE context = ? AND context_id = ? AND status = ? AND event_type = ?"
)
_QUEUE: Final = "INSERT INTO deliveries (webhook, payload, due) VALUES (?, ?, ?)"


def queue(
    connection: sqlite3.Connection, now: float, kind: str, file: File, user: User | None = None, **fields: Any
) -> int:
    """Queue an event about a file for its subscribers, and return their number.

    ``fields`` are the members of the payload that only this kind of event has; those that are None are omitted.
    """
    about = {"event_type": kind, "timestamp": timestamp(now), "file_key": file.key, "file_name": file.name}
    by = {} if user is None else {"triggered_by": people.document(user)}
    encoded = msgspec.json.encode(about | {name: value for name, value in fields.items() if value is not None} | by)
    webhooks = sorted(_subscribed(connection, kind, file))
    connection.executemany(_QUEUE, [(webhook, encoded, now) for webhook in webhooks])
    return len(webhooks)


def queue_ping(connection: sqlite3.Connection, now: float, webhook: int) -> None:
    """Queue the PING event of a new webhook."""
    payload = msgspec.json.encode({"event_type": PING, "timestamp": timestamp(now)})
    connection.execute(_QUEUE, (webhook, payload, now))


def _subscribed(connection: sqlite3.Connection, kind: str, file: File) -> set[int]:
    return {
        webhook
        for context, id_ in _contexts(connection, file)
        for event_type in _EVENT_TYPES.get(kind, (kind,))
        for (webhook,) in connection.execute(_SUBSCRIBED, (context, id_, ACTIVE, event_type))
    }


def _contexts(connection: sqlite3.Connection, file: File) -> Iterator[tuple[str, str]]:
    """Yield the contexts of a file: the file, its chain of folders, and the team unless a folder is invite-only."""
    yield FILE, file.key
    team, invited_only = "", False
    parent: str | None = file.folder
    while parent is not None and (folder := files.find_folder(connection, parent)) is not None:
        yield FOLDER, folder.id
        team, invited_only = folder.team, invited_only or folder.access == files.INVITED_ONLY
        parent = folder.parent
    if team and not invited_only:
        yield TEAM, team


_IDLE: Final = "SELECT files.key, edits.last FROM edits JOIN files ON number = file WHERE last <= ? ORDER BY last"


def queue_updates(connection: sqlite3.Connection, now: float) -> None:
    """Queue FILE_UPDATE for files that have been idle for 30 minutes.

    Called before webhooks are created or changed, so that earlier edits do not reach the new subscription.
    """
    since = now - INACTIVITY_SECONDS
    for key, last in connection.execute(_IDLE, (since,)).fetchall():
        queue(connection, last + INACTIVITY_SECONDS, FILE_UPDATE, files.require(connection, key))
    connection.execute("DELETE FROM edits WHERE last <= ?", (since,))


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
    webhook: Webhook
    payload: bytes
    failures: int


class Delivery:
    """Delivers the events of one state."""

    def __init__(self, store: Store, clock: Clock, send: Sender, quirks: Collection[str]) -> None:
        self._store = store
        self._clock = clock
        self._send = send
        self._quirks = quirks
        self._delivering = threading.Lock()

    def next_due(self) -> float | None:
        """Return when the next event is due, in Unix seconds, or None if none waits."""
        with self._store.reading() as connection:
            (due,) = connection.execute(_NEXT_DUE, (INACTIVITY_SECONDS,)).fetchone()
        return None if due is None else float(due)

    def deliver_due(self) -> int:
        """Send every event that is due by the emulator's clock, and return the number of requests sent."""
        with self._delivering:
            return self._deliver_due()

    def _deliver_due(self) -> int:
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
            queue_updates(connection, now)
            connection.execute("DELETE FROM webhook_requests WHERE sent < ?", (now - WEBHOOK_HISTORY_SECONDS,))
            connection.execute(_DELETE_UNDELIVERABLE, (now, ACTIVE))
            rows = []
            for number, webhook_number, payload, failures in connection.execute(_DUE, (now, wall, _BATCH)).fetchall():
                connection.execute(_LEASE, (wall + _LEASE_SECONDS, number))
                webhook = by_number(connection, webhook_number)
                if webhook is not None:
                    rows.append(_Row(number, webhook, payload, failures))
            return rows

    def _send_in_order(self, rows: Iterable[_Row]) -> None:
        for row in rows:
            event = msgspec.json.decode(row.payload) | {"webhook_id": str(row.webhook.number)}
            if EVENT_RETRIES in self._quirks:
                event |= {"retries": row.failures, "protocol_version": "2"}
            sent = self._clock()
            reply = self._send(row.webhook.endpoint, msgspec.json.encode({**event, "passcode": row.webhook.passcode}))
            with self._store.writing() as connection:
                _record(connection, row, msgspec.json.encode({**event, "passcode": ""}), sent, self._clock(), reply)
                _finish(connection, row, self._clock(), reply)
                if reply.status == _STOP and PAUSED_BY_400 in self._quirks:
                    change(connection, row.webhook._replace(status=PAUSED))


_PENDING: Final = (
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM deliveries WHERE due <= :now AND leased <= :wall)"
    " OR EXISTS (SELECT 1 FROM edits WHERE last <= :edited)"
)
_NEXT_DUE: Final = "SELECT min(due) FROM (SELECT due FROM deliveries UNION ALL SELECT last + ? FROM edits)"
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
    number, answered = row.webhook.number, None if reply.status is None else received
    values = (number, row.webhook.endpoint, payload, sent, answered, reply.status, reply.error, number)
    connection.execute(
        "INSERT INTO webhook_requests (webhook, endpoint, payload, sent, received, status, error)"
        " SELECT ?, ?, ?, ?, ?, ?, ? WHERE EXISTS (SELECT 1 FROM webhooks WHERE number = ?)",
        values,
    )


_STOP: Final = 400


def _finish(connection: sqlite3.Connection, row: _Row, now: float, reply: Reply) -> None:
    """Remove a delivery that was accepted or failed for the last time; else schedule a retry.

    An endpoint refuses a wrong passcode with 400, after which nothing is sent again (Webhooks security).
    """
    if reply.accepted or reply.status == _STOP or row.failures >= len(WEBHOOK_RETRY_SECONDS):
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

    def __init__(self, deliver_due: Callable[[], object]) -> None:
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
