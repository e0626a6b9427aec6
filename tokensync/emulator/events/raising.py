"""Raises the events that a person causes in the editor, where no request does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.emulator.accounts import people
from tokensync.emulator.events import payloads, queue
from tokensync.emulator.events.payloads import Changes
from tokensync.emulator.filing import files
from tokensync.emulator.webhooks import kinds
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.accounts.people import User
    from tokensync.emulator.state.clock import Clock
    from tokensync.emulator.state.identity import Identities
    from tokensync.emulator.state.store import Store

_FIRST_NODE: Final = "1:2"


class Waiting(NamedTuple):
    """An event that waits for a webhook, by its id; ``due`` is Unix seconds, ``failures`` how often it failed yet."""

    webhook: str
    event_type: str
    due: float
    failures: int


class Events:
    """Each method queues one event for the webhooks that hear of it, and returns how many those are.

    ``user`` is the id of who causes it; without one it is the first user.
    """

    def __init__(self, store: Store, identities: Identities, clock: Clock) -> None:
        self._store = store
        self._identities = identities
        self._clock = clock

    def file_update(self, file_key: str) -> int:
        """FILE_UPDATE, without waiting for half an hour of inactivity; for that, edit the file and move the clock."""
        with self._store.writing() as connection:
            connection.execute("DELETE FROM edits WHERE file = ?", (files.known(connection, file_key).number,))
            return self._add(connection, kinds.FILE_UPDATE, file_key, {})

    def file_delete(self, file_key: str, *, user: str | None = None) -> int:
        """FILE_DELETE, which is told to those who asked for FILE_UPDATE, too. The emulator keeps the file."""
        with self._store.writing() as connection:
            return self._add(connection, kinds.FILE_DELETE, file_key, payloads.deletion(_user(connection, user)))

    def file_version(self, file_key: str, *, description: str | None = None, user: str | None = None) -> int:
        """FILE_VERSION_UPDATE: the file as it is was given a name in its history."""
        with self._store.writing() as connection:
            version = str(files.known(connection, file_key).version)
            fields = payloads.version(_user(connection, user), version, self._clock(), description)
            return self._add(connection, kinds.FILE_VERSION_UPDATE, file_key, fields)

    def library_publish(
        self,
        file_key: str,
        *,
        asset: str = "variables",
        created: tuple[str, ...] = (),
        modified: tuple[str, ...] = (),
        deleted: tuple[str, ...] = (),
        description: str | None = None,
        user: str | None = None,
    ) -> int:
        """LIBRARY_PUBLISH of things by these names, which need not be there; ``Emulator.publish`` tells real ones."""
        if asset not in payloads.ASSETS:
            raise UsageError(f"{asset}: no kind of asset; use one of {', '.join(payloads.ASSETS)}")
        if not (created or modified or deleted):
            raise UsageError(
                "LIBRARY_PUBLISH: it tells of changes; name at least one thing that was created, modified"
                " or deleted, or publish the file"
            )
        named = Changes(*(tuple(self._item(asset, name) for name in names) for names in (created, modified, deleted)))
        with self._store.writing() as connection:
            fields = payloads.publication(_user(connection, user), asset, named, description)
            return self._add(connection, kinds.LIBRARY_PUBLISH, file_key, fields)

    def file_comment(self, file_key: str, text: str, *, mentions: tuple[str, ...] = (), user: str | None = None) -> int:
        """FILE_COMMENT; ``mentions`` are ids of users."""
        with self._store.writing() as connection:
            mentioned = [people.known(connection, each) for each in mentions]
            now = self._clock()
            id_ = str(int(self._identities.key("comment", file_key, text, repr(now))[:12], 16))
            fields = payloads.comment(_user(connection, user), id_, text, now, mentioned)
            return self._add(connection, kinds.FILE_COMMENT, file_key, fields)

    def dev_status(
        self,
        file_key: str,
        status: str,
        *,
        node: str = _FIRST_NODE,
        message: str | None = None,
        user: str | None = None,
    ) -> int:
        """DEV_MODE_STATUS_UPDATE of a layer: NONE, READY_FOR_DEV or COMPLETED, with the message that was given."""
        if status not in payloads.STATUSES:
            raise UsageError(f"{status}: no status of a layer; use one of {', '.join(payloads.STATUSES)}")
        with self._store.writing() as connection:
            links = self._links(connection, file_key, node)
            fields = payloads.dev_status(_user(connection, user), node, status, links, message)
            return self._add(connection, kinds.DEV_MODE_STATUS_UPDATE, file_key, fields)

    def waiting(self) -> tuple[Waiting, ...]:
        """Return what waits to be delivered, the next one first."""
        with self._store.reading() as connection:
            rows = connection.execute("SELECT webhook, payload, due, failures FROM deliveries ORDER BY due, number")
            return tuple(
                Waiting(str(webhook), msgspec.json.decode(payload)["event_type"], due, failures)
                for webhook, payload, due, failures in rows
            )

    def _links(self, connection: sqlite3.Connection, file_key: str, node: str) -> list[dict[str, Any]]:
        from tokensync.emulator.documents import dev_resources

        return dev_resources.attached(connection, files.known(connection, file_key), (node,))

    def _item(self, asset: str, name: str) -> payloads.Item:
        return {"key": self._identities.key(asset, name), "name": name}

    def _add(self, connection: sqlite3.Connection, kind: str, file_key: str, fields: payloads.Fields) -> int:
        return queue.add(connection, self._clock(), kind, files.known(connection, file_key), fields)


def _user(connection: sqlite3.Connection, id_: str | None) -> User:
    return people.known(connection, people.FIRST if id_ is None else id_)
