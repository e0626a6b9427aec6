"""Which token asked what: a record of every request that showed a valid token, for the developer logs.

Requests that only read must not wait for the one writer, so records wait in memory: the next request that writes takes
them along in its transaction, a search of the logs is such a request, and ``close`` writes the rest. A process that is
killed loses the records of what was only read since the last request that wrote: at most ``MOST_WAITING`` of them, and
nothing but records. Records of a request that writes are kept with what it wrote.
"""

from __future__ import annotations

import hashlib
import threading
from typing import TYPE_CHECKING, Final, NamedTuple

from tokensync.emulator import files, teams, tokens

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Mapping, Sequence

    from tokensync.emulator.people import User
    from tokensync.emulator.store import Store
    from tokensync.emulator.tokens import Token


MOST_WAITING: Final = 1000
"""So many records make the process write, whether a request does or not."""
KEPT_SECONDS: Final = 30 * 86400
"""The longest range that can be searched."""

REST_API: Final = "rest_api"
MCP_SERVER: Final = "mcp_server"
TOKEN_TYPES: Final[Mapping[str, str]] = {
    tokens.PERSONAL: "personal_access_token",
    tokens.PLAN: "plan_access_token",
    tokens.OAUTH: "oauth_token",
}


class Record(NamedTuple):
    """A request. ``time`` is Unix seconds, ``event`` the path that was asked; ``resource`` an id or key, or None.

    A plan access token is not tied to a person, so ``user`` and the like are empty with it.
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
    """Takes records from any thread, and writes them when there is a writer."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: list[Record] = []
        self._lock = threading.Lock()

    def note(self, record: Record) -> None:
        """A record that is to be written; where it stands is not waited for."""
        with self._lock:
            self._waiting.append(record)

    def write(self, connection: sqlite3.Connection) -> Sequence[Record]:
        """Write what waits, in the caller's transaction; gives it back for ``put_back``, should that be undone."""
        with self._lock:
            taken, self._waiting = self._waiting, []
        if taken:
            insert(connection, taken)
        return taken

    def put_back(self, taken: Sequence[Record]) -> None:
        """Let records wait again whose transaction was undone."""
        if taken:
            with self._lock:
                self._waiting[:0] = taken

    @property
    def is_full(self) -> bool:
        """Return whether so much waits that it is to be written now."""
        return len(self._waiting) >= MOST_WAITING

    def flush(self) -> None:
        """Write what waits, in a transaction of its own."""
        taken: Sequence[Record] = ()
        if not self._waiting:
            return
        try:
            with self._store.writing() as connection:
                taken = self.write(connection)
        except BaseException:
            self.put_back(taken)
            raise


def record(
    token: Token, user: User, now: float, event: str, parts: Mapping[str, str], address: str, source: str = REST_API
) -> Record:
    """Return the record of a request; ``parts`` are those of its path, the first of which names what it was about."""
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
    """Return how a token's secret is kept in records: it finds them, and cannot be read from them."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()


def insert(connection: sqlite3.Connection, records: Sequence[Record]) -> None:
    """Write records, with the names that their resources have now, and drop those that nobody can search any more."""
    latest = max(each.time for each in records)
    connection.execute("DELETE FROM requests WHERE time < ?", (latest - KEPT_SECONDS,))
    names: dict[tuple[str | None, str | None], str | None] = {}
    for each in records:
        what = (each.resource_type, each.resource)
        if what not in names:
            names[what] = _name(connection, *what)
    connection.executemany(
        f"INSERT INTO requests ({', '.join(Record._fields)}) VALUES ({', '.join('?' * len(Record._fields))})",  # noqa: S608
        [each._replace(resource_name=names[each.resource_type, each.resource]) for each in records],
    )


def _name(connection: sqlite3.Connection, kind: str | None, resource: str | None) -> str | None:
    match kind, resource:
        case "file", str():
            found: files.File | teams.Folder | teams.Team | None = files.find(connection, resource)
        case "folder", str():
            found = teams.find_folder(connection, resource)
        case "team", str():
            found = teams.find_team(connection, resource)
        case _:
            found = None
    return None if found is None else found.name
