"""FILE_UPDATE, which no request causes but half an hour without one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.events import queue
from tokensync.emulator.filing import files
from tokensync.emulator.limits import INACTIVITY_SECONDS
from tokensync.emulator.webhooks.kinds import FILE_UPDATE

if TYPE_CHECKING:
    import sqlite3

_EDITED: Final = "SELECT files.key, edits.last FROM edits JOIN files ON number = file WHERE last <= ? ORDER BY last"


def tell(connection: sqlite3.Connection, now: float) -> None:
    """Queue FILE_UPDATE for the files that nobody has edited for half an hour, for those who listen by then.

    It is called before webhooks are made or changed, so that nobody hears of what was over before they asked.
    """
    since = now - INACTIVITY_SECONDS
    for key, last in connection.execute(_EDITED, (since,)).fetchall():
        queue.add(connection, last + INACTIVITY_SECONDS, FILE_UPDATE, files.known(connection, key), {})
    connection.execute("DELETE FROM edits WHERE last <= ?", (since,))
