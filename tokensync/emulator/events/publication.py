"""Publishing a library: what changes is told by one LIBRARY_PUBLISH for each kind of asset that changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from tokensync.emulator.accounts import people
from tokensync.emulator.events import payloads, queue
from tokensync.emulator.events.payloads import Changes
from tokensync.emulator.filing import files
from tokensync.emulator.libraries import items
from tokensync.emulator.libraries import publishing as libraries
from tokensync.emulator.variables import publishing as variables
from tokensync.emulator.webhooks.kinds import LIBRARY_PUBLISH

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

    from tokensync.emulator.events.payloads import Item

_KINDS: Final = {"components": (items.COMPONENT, items.COMPONENT_SET), "styles": (items.STYLE,)}
_PUBLISHED: Final = "SELECT id, document FROM published WHERE file = ? AND kind = 'variable' ORDER BY number"


def publish(connection: sqlite3.Connection, file_key: str, now: float, description: str | None = None) -> int:
    """Publish all of a main file, and queue an event for each kind of asset that changed; how many kinds those are.

    It is done by the first user; ``description`` is what they say about it.
    """
    file = files.known(connection, file_key)
    before = _published(connection, file.number)
    variables.publish(connection, file_key, now)
    by_kind = libraries.publish(connection, file.number, people.FIRST, now)
    changed = {
        asset: Changes(*(_items(by_kind[kind][verb] for kind in kinds) for verb in range(len(Changes._fields))))
        for asset, kinds in _KINDS.items()
    }
    changed["variables"] = _differences(before, _published(connection, file.number))
    user = people.known(connection, people.FIRST)
    told = {asset: changes for asset, changes in changed.items() if any(changes)}
    for asset, changes in told.items():
        fields = payloads.publication(user, asset, changes, description)
        queue.add(connection, now, LIBRARY_PUBLISH, file, fields)
    return len(told)


def _items(groups: Iterable[Iterable[libraries.Named]]) -> tuple[Item, ...]:
    return tuple({"key": each.key, "name": each.name} for group in groups for each in group)


def _published(connection: sqlite3.Connection, file: int) -> dict[str, bytes]:
    return dict(connection.execute(_PUBLISHED, (file,)))


def _differences(before: dict[str, bytes], after: dict[str, bytes]) -> Changes:
    """Return what two states of the published variables have apart, by their ids; whatever was published anew
    differs.
    """
    return Changes(
        tuple(_item(document) for id_, document in after.items() if id_ not in before),
        tuple(_item(document) for id_, document in after.items() if before.get(id_, document) != document),
        tuple(_item(document) for id_, document in before.items() if id_ not in after),
    )


def _item(document: bytes) -> Item:
    decoded = msgspec.json.decode(document)
    return {"key": decoded.get("key", ""), "name": decoded.get("name", "")}
