"""Makes, changes and drops the components, component sets and styles of files, as designers do in the editor."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.emulator.accounts import people
from tokensync.emulator.filing import files
from tokensync.emulator.libraries import items, publishing, sample
from tokensync.emulator.libraries.items import COMPONENT, COMPONENT_SET, KINDS, STYLE, STYLE_TYPES, Draft
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tokensync.emulator.libraries.items import Item, Kind, StyleType
    from tokensync.emulator.state.identity import Identities
    from tokensync.emulator.state.store import Store


class Libraries:
    """Items are drafts until ``Emulator.publish`` publishes the file."""

    def __init__(self, store: Store, identities: Identities, clock: Callable[[], float]) -> None:
        self._store = store
        self._identities = identities
        self._clock = clock

    def add_component(
        self,
        file_key: str,
        name: str,
        *,
        description: str = "",
        component_set: str | None = None,
        page: str = "Page 1",
        frame: str | None = None,
    ) -> str:
        """Create a component of a main file and return its key.

        ``component_set`` is the key of the set that it is a variant of.
        """
        with self._store.writing() as connection:
            file = _main_file(connection, file_key)
            if component_set is not None:
                around = known(connection, component_set)
                if (around.kind, around.file) != (COMPONENT_SET, file.number):
                    raise UsageError(f"{component_set}: no component set of {file_key}; make it there first")
            return self._add(connection, file, COMPONENT, _placed(name, description, page, frame, component_set))

    def add_component_set(
        self, file_key: str, name: str, *, description: str = "", page: str = "Page 1", frame: str | None = None
    ) -> str:
        """Create a component set of a main file and return its key."""
        with self._store.writing() as connection:
            draft = _placed(name, description, page, frame, None)
            return self._add(connection, _main_file(connection, file_key), COMPONENT_SET, draft)

    def add_style(self, file_key: str, name: str, style_type: StyleType, *, description: str = "") -> str:
        """Create a style of a main file (FILL, TEXT, EFFECT or GRID) and return its key."""
        if style_type not in STYLE_TYPES:
            raise UsageError(f"{name}: no style type {style_type!r}; use one of {', '.join(STYLE_TYPES)}")
        with self._store.writing() as connection:
            draft = Draft(name, description, style_type=style_type)
            return self._add(connection, _main_file(connection, file_key), STYLE, draft)

    def change(self, key: str, *, name: str | None = None, description: str | None = None) -> None:
        """Another name or description of an item."""
        with self._store.writing() as connection:
            item = known(connection, key)
            if item.draft is None:
                raise UsageError(f"{key}: the file has dropped it; make another one")
            draft = item.draft
            _check_text(draft.name if name is None else name, description or "")
            if name is not None:
                draft = replace(draft, name=name)
            if description is not None:
                draft = replace(draft, description=description)
            items.store(connection, item._replace(draft=draft))
            files.touch(connection, item.file, self._clock())

    def drop(self, key: str) -> None:
        """Delete an item in its file; it stays published until the file is published again."""
        with self._store.writing() as connection:
            item = known(connection, key)
            items.store(connection, item._replace(draft=None))
            files.touch(connection, item.file, self._clock())

    def sample(self, file_key: str, *, components: int = 12, published: bool = False) -> tuple[str, ...]:
        """Return a small library: this many components, a set for every four of them, and nine styles; the keys.

        The same names and keys come each time; a file that has some items already gets only those it lacks. With
        ``published`` they are listed at once, without an event; the file's variables stay as they are.
        """
        with self._store.writing() as connection:
            file = _main_file(connection, file_key)
            keys: list[str] = []
            for kind, named in sample.drafts(components):
                around = named.component_set
                key = None if around is None else self._key(file, COMPONENT_SET, around)
                draft = replace(named, component_set=key)
                keys.append(self._key(file, kind, draft.name))
                if items.find(connection, keys[-1]) is None:
                    self._add(connection, file, kind, draft)
            if published:
                publishing.publish(connection, file.number, people.FIRST, self._clock())
            return tuple(keys)

    def keys(self, file_key: str, kind: Kind | None = None) -> tuple[str, ...]:
        """Return the keys of a file's items (of one kind), published or not, in the order in which they were made."""
        if kind is not None and kind not in KINDS:
            raise UsageError(f"{file_key}: no kind {kind!r}; use one of {', '.join(KINDS)}")
        with self._store.reading() as connection:
            file = files.known(connection, file_key)
            return tuple(each.key for each in items.of_file(connection, file.number) if kind in (None, each.kind))

    def _add(self, connection: sqlite3.Connection, file: files.File, kind: Kind, draft: Draft) -> str:
        _check_text(draft.name, draft.description)
        key = self._key(file, kind, draft.name)
        if items.find(connection, key) is not None:
            raise UsageError(f"{draft.name}: {file.key} has had a {kind.replace('_', ' ')} of this name; use another")
        (made,) = connection.execute("SELECT count(*) FROM library_items WHERE file = ?", (file.number,)).fetchone()
        items.add(connection, file.number, kind, key, f"100:{made + 1}", draft)
        files.touch(connection, file.number, self._clock())
        return key

    def _key(self, file: files.File, kind: Kind, name: str) -> str:
        return self._identities.key(kind, file.key, name)


def known(connection: sqlite3.Connection, key: str) -> Item:
    """Return the item with this key; a UsageError when there is none."""
    item = items.find(connection, key)
    if item is None:
        raise UsageError(f"{key}: the emulator has no component, component set or style of this key; make it first")
    return item


def _check_text(name: str, description: str) -> None:
    """A UsageError for a name without a letter, and for what is no text (bytes of a command line that are no UTF-8)."""
    if not name.strip():
        raise UsageError("name: there is nothing in it; give one")
    try:
        (name + description).encode()
    except UnicodeEncodeError:
        raise UsageError(f"{name!a}: not UTF-8; give its name and description as such") from None


def _main_file(connection: sqlite3.Connection, key: str) -> files.File:
    file = files.known(connection, key)
    if file.main is not None:
        raise UsageError(f"{key}: a branch publishes nothing; give the key of the main file")
    return file


def _placed(name: str, description: str, page: str, frame: str | None, component_set: str | None) -> Draft:
    around = None if frame is None else (_node(99, frame), frame)
    on = items.FIRST_PAGE if page == items.FIRST_PAGE[1] else (_node(98, page), page)
    return Draft(name, description, on, around, component_set)


def _node(session: int, name: str) -> str:
    """Return the same id for the same page or frame, without a table of them."""
    return f"{session}:{zlib.crc32(name.encode()) % 100_000}"
