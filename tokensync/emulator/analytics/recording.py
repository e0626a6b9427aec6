"""Sets what the reports tell: how often a thing is used in a file, and what was done with it on a day."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.emulator.analytics import days, things
from tokensync.emulator.filing import files, places
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tokensync.emulator.analytics.things import Kind
    from tokensync.emulator.state.store import Store

_USERS: Final = ("Web app", "Mobile app", "Campaign site")
"""The names of the files that a sample has the library used in, where the emulator has no other files."""
_SAMPLE_WEEKS: Final = 6


class Analytics:
    """Records what people do with the published things of a library in other files."""

    def __init__(self, store: Store, clock: Callable[[], float]) -> None:
        self._store = store
        self._clock = clock

    def use(self, library_key: str, kind: Kind, key: str, in_file: str, usages: int) -> None:
        """How often a thing that the library publishes is used in a file from now on; 0 is not at all."""
        with self._store.writing() as connection:
            library = _library(connection, library_key, kind, key)
            _use(connection, library, kind, key, files.known(connection, in_file).number, usages)

    def act(
        self,
        library_key: str,
        kind: Kind,
        key: str,
        *,
        insertions: int = 0,
        detachments: int = 0,
        days_ago: int = 1,
        team: str = places.TEAM,
    ) -> None:
        """Somebody of the team inserted and detached a thing so many times more on a day."""
        with self._store.writing() as connection:
            library = _library(connection, library_key, kind, key)
            places.known_team(connection, team)
            _check_count(insertions, detachments, days_ago)
            day = days.day_of(self._clock()) - days_ago
            connection.execute(_ACT, (library, kind, key, day, team, insertions, detachments))

    def sample(self, library_key: str) -> int:
        """Usages and actions of everything that the library publishes; how many things are used.

        Every fourth thing of a kind is not used at all. The same numbers come each time. They are in the emulator's
        other files, or in three that are made for it.
        """
        with self._store.writing() as connection:
            library = files.known(connection, library_key)
            found = {kind: tuple(things.published(connection, library.number, kind)) for kind in things.KINDS}
            if not any(found.values()):
                raise UsageError(f"{library_key}: it publishes nothing; publish it first")
            using = self._files_using(connection, library)
            today = days.day_of(self._clock())
            used = 0
            for kind, keys in found.items():
                for number, key in enumerate(keys):
                    if number % 4 != 3:
                        used += 1
                        _sample(connection, library.number, kind, key, number, using, today)
            return used

    def _files_using(self, connection: sqlite3.Connection, library: files.File) -> tuple[files.File, ...]:
        query = "SELECT key FROM files WHERE main IS NULL AND number <> ? ORDER BY number LIMIT 5"
        keys = [key for (key,) in connection.execute(query, (library.number,)).fetchall()]
        if not keys:
            keys = [f"{library.key}-{name.replace(' ', '-')}" for name in _USERS]
            for key, name in zip(keys, _USERS, strict=True):
                files.add(connection, key, name, self._clock())
        return tuple(files.known(connection, key) for key in keys)


_USE: Final = "INSERT OR REPLACE INTO analytics_usages VALUES (?, ?, ?, ?, ?)"
_ACT: Final = (
    "INSERT INTO analytics_actions VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET"
    " insertions = insertions + excluded.insertions, detachments = detachments + excluded.detachments"
)
_SET: Final = "INSERT OR REPLACE INTO analytics_actions VALUES (?, ?, ?, ?, ?, ?, ?)"


def _library(connection: sqlite3.Connection, library_key: str, kind: Kind, key: str) -> int:
    """The number of a library that publishes this thing."""
    if kind not in things.KINDS:
        raise UsageError(f"{kind}: nothing that is counted; use one of {', '.join(things.KINDS)}")
    number = files.known(connection, library_key).number
    if not things.is_published(connection, number, kind, key):
        raise UsageError(f"{key}: {library_key} publishes no {kind} of this key; publish it first")
    return number


def _use(connection: sqlite3.Connection, library: int, kind: Kind, key: str, file: int, usages: int) -> None:
    _check_count(usages)
    connection.execute(_USE, (library, kind, key, file, usages))


def _check_count(*counts: int) -> None:
    if any(each < 0 for each in counts):
        raise UsageError(f"{min(counts)}: a count is 0 or more; give one")


def _sample(
    connection: sqlite3.Connection,
    library: int,
    kind: Kind,
    key: str,
    number: int,
    using: tuple[files.File, ...],
    today: int,
) -> None:
    for place, file in enumerate(using[: 1 + number % len(using)]):
        _use(connection, library, kind, key, file.number, 1 + (number * 7 + place * 5) % 40)
        team = places.known_folder(connection, file.folder).team
        for week in range(1, 1 + _SAMPLE_WEEKS):
            inserted, detached = (number + week * 3 + place) % 11, (number + week) % 3
            connection.execute(_SET, (library, kind, key, today - 7 * week, team, inserted, detached))
