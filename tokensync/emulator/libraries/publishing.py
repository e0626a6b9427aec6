"""Publishing a file's components, component sets and styles: what the listings show from then on."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.emulator import discovery
from tokensync.emulator.accounts import people
from tokensync.emulator.filing import files
from tokensync.emulator.libraries import items

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.libraries.items import Item, Kind


class Named(NamedTuple):
    """A thing of a library as events name it."""

    key: str
    name: str


class Changes(NamedTuple):
    """What a publication did to one kind of things, in the order in which they were made."""

    created: tuple[Named, ...] = ()
    modified: tuple[Named, ...] = ()
    deleted: tuple[Named, ...] = ()


def publish(connection: sqlite3.Connection, file: int, user: str, now: float) -> dict[Kind, Changes]:
    """Publish every draft of a main file, by its number; ``user`` is the id of who does it, ``now`` is Unix seconds.

    The result tells of each kind what is new, changed and gone.
    """
    created: dict[Kind, list[Named]] = {kind: [] for kind in items.KINDS}
    modified: dict[Kind, list[Named]] = {kind: [] for kind in items.KINDS}
    deleted: dict[Kind, list[Named]] = {kind: [] for kind in items.KINDS}
    for item in items.of_file(connection, file):
        before = item.published
        after = _published(item, user, now)
        if after is before:
            continue
        items.store(connection, item._replace(published=after))
        _note_documentation(connection, file, before, after, now)
        if after is None:
            deleted[item.kind].append(Named(item.key, before.draft.name if before else ""))
        else:
            (created if before is None else modified)[item.kind].append(Named(item.key, after.draft.name))
    return {kind: Changes(tuple(created[kind]), tuple(modified[kind]), tuple(deleted[kind])) for kind in items.KINDS}


def _note_documentation(
    connection: sqlite3.Connection, file: int, before: items.Published | None, after: items.Published | None, now: float
) -> None:
    """Discovery tells of the documentation that people write (platform-api.md 2.10)."""
    if after is None or not after.draft.description:
        return
    if before is not None and before.draft.description == after.draft.description:
        return
    key = None if (found := files.by_number(connection, file)) is None else found.key
    writer = people.known(connection, after.user)
    discovery.note(connection, now, discovery.DOCUMENTATION, after.draft.description, writer, key)


def _published(item: Item, user: str, now: float) -> items.Published | None:
    before = item.published
    if item.draft is None:
        return None
    if before is None:
        return items.Published(item.draft, user, now, now)
    return before if before.draft == item.draft else items.Published(item.draft, user, before.created, now)
