"""The record of every request with a valid token, for the developer logs.

Reading requests must not wait for the single writer, so their records are buffered in memory. The next writing request
stores them in its transaction (a search of the logs counts as one), and ``close`` stores the rest. A killed process
loses at most ``MOST_WAITING`` records of reading requests, and no other data.
"""

from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.emulator import files, tokens

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from tokensync.emulator.people import User
    from tokensync.emulator.store import Store
    from tokensync.emulator.tokens import Token


MOST_WAITING: Final = 1000
"""The number of buffered records at which they are written in a transaction of their own."""
RETENTION_SECONDS: Final = 30 * 86400
"""The longest range that can be searched."""

REST_API: Final = "rest_api"
MCP_SERVER: Final = "mcp_server"
TOKEN_TYPES: Final[Mapping[str, str]] = {
    tokens.PERSONAL: "personal_access_token",
    tokens.PLAN: "plan_access_token",
    tokens.OAUTH: "oauth_token",
}


class Record(NamedTuple):
    """A request. ``time`` is Unix seconds, ``event`` the path of the route, ``resource`` an id or key, or None.

    The ``user`` fields are empty for a plan access token, which is not tied to a person.
    """

    time: float
    event: str
    source: str
    token_digest: str
    token_name: str
    token_type: str
    user: str
    user_name: str
    user_email: str
    resource: str | None
    resource_name: str | None
    resource_type: str | None
    address: str


class RequestLog:
    """A thread-safe buffer of records."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[Record] = []
        self._lock = threading.Lock()

    def note(self, record: Record) -> None:
        """Buffer a record."""
        with self._lock:
            self._waiting.append(record)

    def write(self, connection: sqlite3.Connection) -> Sequence[Record]:
        """Write the buffered records in the caller's transaction, and return them for ``put_back``."""
        with self._lock:
            records, self._waiting = self._waiting, []
        if records:
            insert(connection, records)
        return records

    def put_back(self, records: Sequence[Record]) -> None:
        """Buffer records again after a rollback of the transaction that wrote them."""
        if records:
            with self._lock:
                self._waiting[:0] = records

    @property
    def is_full(self) -> bool:
        """Return whether the buffer should be flushed."""
        return len(self._waiting) >= MOST_WAITING

    def flush(self) -> None:
        """Write the buffered records in a transaction of their own."""
        records: Sequence[Record] = ()
        if not self._waiting:
            return
        try:
            with self._store.writing() as connection:
                records = self.write(connection)
        except BaseException:
            self.put_back(records)
            raise


def record(
    token: Token, user: User, now: float, event: str, parts: Mapping[str, str], address: str, source: str = REST_API
) -> Record:
    """Return the record of a request; its resource comes from the path parameters ``parts``."""
    is_plan = token.kind == tokens.PLAN
    resource, kind = next(((parts[name], kind) for name, kind in _KINDS.items() if name in parts), (None, None))
    return Record(
        now,
        event,
        source,
        digest(token.secret),
        token.name,
        TOKEN_TYPES[token.kind],
        "" if is_plan else user.id,
        "" if is_plan else user.handle,
        "" if is_plan else user.email,
        resource,
        None,
        kind,
        address,
    )


_KINDS: Final = {
    "file_key": "file",
    "library_file_key": "file",
    "folder_id": "folder",
    "project_id": "folder",
    "team_id": "team",
}


def digest(secret: str) -> str:
    """Return the digest that stands for a token's secret in records."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def insert(connection: sqlite3.Connection, records: Sequence[Record]) -> None:
    """Write records with the current names of their resources, and delete records past the retention period."""
    latest = max(record.time for record in records)
    connection.execute("DELETE FROM requests WHERE time < ?", (latest - RETENTION_SECONDS,))
    names: dict[tuple[str | None, str | None], str | None] = {}
    for record in records:
        resource = (record.resource_type, record.resource)
        if resource not in names:
            names[resource] = _name(connection, *resource)
    connection.executemany(
        f"INSERT INTO requests ({', '.join(Record._fields)}) VALUES ({', '.join('?' * len(Record._fields))})",  # noqa: S608
        [each._replace(resource_name=names[each.resource_type, each.resource]) for each in records],
    )


def _name(connection: sqlite3.Connection, kind: str | None, resource: str | None) -> str | None:
    match kind, resource:
        case "file", str():
            item: files.File | files.Folder | files.Team | None = files.find(connection, resource)
        case "folder", str():
            item = files.find_folder(connection, resource)
        case "team", str():
            item = files.find_team(connection, resource)
        case _:
            item = None
    return None if item is None else item.name
