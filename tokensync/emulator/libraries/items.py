"""The components, component sets and styles of files, and what is published of them (platform-api.md 2.2, 2.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable

Kind = Literal["component", "component_set", "style"]
COMPONENT: Final[Kind] = "component"
COMPONENT_SET: Final[Kind] = "component_set"
STYLE: Final[Kind] = "style"
KINDS: Final[tuple[Kind, ...]] = (COMPONENT, COMPONENT_SET, STYLE)

StyleType = Literal["FILL", "TEXT", "EFFECT", "GRID"]
STYLE_TYPES: Final[tuple[StyleType, ...]] = ("FILL", "TEXT", "EFFECT", "GRID")


FIRST_PAGE: Final = ("0:1", "Page 1")
"""Node id and name of the page that every file begins with."""


class Draft(msgspec.Struct, frozen=True):
    """What a file says of an item. ``page`` and ``frame`` are (node id, name) of what it lies in; a style lies nowhere.

    ``component_set`` is the key of the set that a component is a variant of; ``style_type`` is of styles.
    """

    name: str
    description: str = ""
    page: tuple[str, str] = FIRST_PAGE
    frame: tuple[str, str] | None = None
    component_set: str | None = None
    style_type: StyleType | None = None


class Published(msgspec.Struct, frozen=True):
    """A draft as it was published: by whom (the id of a user), first and last when (Unix seconds)."""

    draft: Draft
    user: str
    created: float
    updated: float


class Item(NamedTuple):
    """``file`` is a file's number; ``number`` is what cursors count by. ``draft`` is None once the file dropped it."""

    number: int
    file: int
    kind: Kind
    key: str
    node: str
    draft: Draft | None
    published: Published | None


def find(connection: sqlite3.Connection, key: str) -> Item | None:
    """Return the item with this key, published or not."""
    row = connection.execute(f"{_SELECT} WHERE key = ?", (key,)).fetchone()
    return None if row is None else _item(row)


def of_file(connection: sqlite3.Connection, file: int) -> tuple[Item, ...]:
    """Return all items of a file, by its number, in the order in which they were made."""
    return tuple(map(_item, connection.execute(f"{_SELECT} WHERE file = ? ORDER BY number", (file,))))


def published_of(connection: sqlite3.Connection, files: Iterable[int], kind: Kind) -> tuple[Item, ...]:
    """Return the published items of a kind of these files, by their numbers, in the order in which they were made."""
    query = f"{_SELECT} WHERE file = ? AND kind = ? AND published IS NOT NULL"
    found = [_item(row) for file in files for row in connection.execute(query, (file, kind))]
    return tuple(sorted(found))


def add(connection: sqlite3.Connection, file: int, kind: Kind, key: str, node: str, draft: Draft) -> None:
    """A new item that nobody has published yet."""
    values = (file, kind, key, node, msgspec.json.encode(draft))
    connection.execute("INSERT INTO library_items (file, kind, key, node, draft) VALUES (?, ?, ?, ?, ?)", values)


def store(connection: sqlite3.Connection, item: Item) -> None:
    """Write back the draft and the published form of an item."""
    draft = None if item.draft is None else msgspec.json.encode(item.draft)
    published = None if item.published is None else msgspec.json.encode(item.published)
    connection.execute(
        "UPDATE library_items SET draft = ?, published = ? WHERE number = ?", (draft, published, item.number)
    )


_SELECT: Final = "SELECT number, file, kind, key, node, draft, published FROM library_items"
_draft = msgspec.json.Decoder(Draft)
_published = msgspec.json.Decoder(Published)


def _item(row: tuple[Any, ...]) -> Item:
    number, file, kind, key, node, draft, published = row
    return Item(
        number,
        file,
        kind,
        key,
        node,
        None if draft is None else _draft.decode(draft),
        None if published is None else _published.decode(published),
    )
