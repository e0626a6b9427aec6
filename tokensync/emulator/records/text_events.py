"""Text events: what people wrote, for discovery to find (platform-api.md 2.10).

The documentation does not show what the downloaded files look like. Their shape here is the emulator's own, which
every file says in its ``about``; of the real service only the kinds of text are known.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator.accounts import people
from tokensync.emulator.endpoints.answers import timestamp
from tokensync.emulator.filing import files
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tokensync.emulator.accounts.people import User
    from tokensync.emulator.state.identity import Identities
    from tokensync.emulator.state.store import Store

DESIGN_TEXT: Final = "design_text"
COMMENT: Final = "comment"
REACTION: Final = "reaction"
DOCUMENTATION: Final = "component_documentation"
DEVELOPER_LINK: Final = "developer_link"
KINDS: Final = (
    DESIGN_TEXT,
    "whiteboard_text",
    "cursor_chat",
    COMMENT,
    REACTION,
    DOCUMENTATION,
    "component_link",
    "annotation",
    DEVELOPER_LINK,
)
_ABOUT: Final = (
    "The real service does not document the shape of these files; this one is the emulator's own (version 1)."
)


class TextEvents:
    """Puts texts into the record as people who write them in the editor do."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def add(
        self,
        text: str,
        *,
        kind: str = DESIGN_TEXT,
        file_key: str | None = None,
        node: str | None = None,
        actor: str = people.FIRST,
        ago: float = 0.0,
    ) -> None:
        """Somebody wrote ``text`` ``ago`` seconds before now; ``actor`` is a user's id."""
        if kind not in KINDS:
            raise UsageError(f"text events: no kind {kind!r}; use one of {', '.join(KINDS)}")
        with self._store.writing() as connection:
            if file_key is not None:
                files.known(connection, file_key)
            user = people.known(connection, actor)
            note(connection, self._clock() - ago, kind, text, user, file_key, node)


def note(
    connection: sqlite3.Connection,
    now: float,
    kind: str,
    text: str,
    user: User,
    file_key: str | None = None,
    node: str | None = None,
) -> None:
    """A text that a request wrote."""
    document = {"user": user.id, "name": user.handle, "email": user.email} | {
        "kind": kind,
        "text": text,
        "file_key": file_key,
        "node_id": node,
    }
    connection.execute("INSERT INTO text_events (time, document) VALUES (?, ?)", (now, json.dumps(document).encode()))


def of_hour(connection: sqlite3.Connection, identities: Identities, start: float) -> dict[str, Any]:
    """The file of the hour that begins at ``start``, in Unix seconds."""
    query = "SELECT number, time, document FROM text_events WHERE time >= ? AND time < ? ORDER BY time, number"
    rows = connection.execute(query, (start, start + 3600)).fetchall()
    return {"about": _ABOUT, "hour": timestamp(start), "events": [_event(connection, identities, *row) for row in rows]}


def _event(
    connection: sqlite3.Connection, identities: Identities, number: int, time: float, document: bytes
) -> dict[str, Any]:
    told = json.loads(document)
    file = None if told["file_key"] is None else files.find(connection, told["file_key"])
    return {
        "id": identities.key("text event", str(number)),
        "timestamp": timestamp(time),
        "kind": told["kind"],
        "text": told["text"],
        "actor": {"id": told["user"], "name": told["name"], "email": told["email"]},
        "file": None if file is None else {"key": file.key, "name": file.name},
        "node_id": told["node_id"],
    }
