"""Libraries: components, component sets and styles of files, drafted as in the editor and published together."""

from __future__ import annotations

import zlib
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from tokensync.emulator import files, history, people
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator

    from tokensync.emulator.store import Identities, Store


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
_published_from = msgspec.json.Decoder(Published)


def _item(row: tuple[Any, ...]) -> Item:
    number, file, kind, key, node, draft, published = row
    return Item(
        number,
        file,
        kind,
        key,
        node,
        None if draft is None else _draft.decode(draft),
        None if published is None else _published_from.decode(published),
    )


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
    created: dict[Kind, list[Named]] = {kind: [] for kind in KINDS}
    modified: dict[Kind, list[Named]] = {kind: [] for kind in KINDS}
    deleted: dict[Kind, list[Named]] = {kind: [] for kind in KINDS}
    for item in of_file(connection, file):
        before = item.published
        after = _published(item, user, now)
        if after is before:
            continue
        store(connection, item._replace(published=after))
        _note_documentation(connection, file, before, after, now)
        if after is None:
            deleted[item.kind].append(Named(item.key, before.draft.name if before else ""))
        else:
            (created if before is None else modified)[item.kind].append(Named(item.key, after.draft.name))
    return {kind: Changes(tuple(created[kind]), tuple(modified[kind]), tuple(deleted[kind])) for kind in KINDS}


def _note_documentation(
    connection: sqlite3.Connection, file: int, before: Published | None, after: Published | None, now: float
) -> None:
    """Record the documentation that people write, which discovery shows."""
    if after is None or not after.draft.description:
        return
    if before is not None and before.draft.description == after.draft.description:
        return
    key = None if (found := files.by_number(connection, file)) is None else found.key
    writer = people.known(connection, after.user)
    history.note_text(connection, now, history.DOCUMENTATION, after.draft.description, writer, key)


def _published(item: Item, user: str, now: float) -> Published | None:
    before = item.published
    if item.draft is None:
        return None
    if before is None:
        return Published(item.draft, user, now, now)
    return before if before.draft == item.draft else Published(item.draft, user, before.created, now)


_SETS: Final = ("Button", "Field", "Card", "Banner", "Menu", "Tab")
_VARIANTS: Final = ("Rest", "Hover", "Pressed", "Disabled")
_STYLES: Final[tuple[tuple[str, StyleType], ...]] = (
    ("surface/page", "FILL"),
    ("surface/raised", "FILL"),
    ("text/strong", "FILL"),
    ("text/quiet", "FILL"),
    ("heading/large", "TEXT"),
    ("heading/small", "TEXT"),
    ("body/regular", "TEXT"),
    ("elevation/low", "EFFECT"),
    ("layout/twelve columns", "GRID"),
)


def drafts(components: int) -> Iterator[tuple[Kind, Draft]]:
    """Sets before their variants, which name the set by its name, not yet by its key; styles last."""
    page = ("98:1", "Components")
    known = set()
    variants = ((name, variant) for name in _names() for variant in _VARIANTS)
    for set_name, variant in islice(variants, components):
        if set_name not in known:
            known.add(set_name)
            yield COMPONENT_SET, Draft(set_name, f"All states of {set_name}", page, ("99:1", "Controls"))
        name = f"{set_name}, State={variant}"
        yield COMPONENT, Draft(name, "", page, ("99:1", "Controls"), component_set=set_name)
    for name, style_type in _STYLES:
        yield STYLE, Draft(name, f"Sample style {name}", style_type=style_type)


def _names() -> Iterator[str]:
    yield from _SETS
    yield from (f"{name} {number}" for number in count(2) for name in _SETS)


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
            store(connection, item._replace(draft=draft))
            files.touch(connection, item.file, self._clock())

    def drop(self, key: str) -> None:
        """Delete an item in its file; it stays published until the file is published again."""
        with self._store.writing() as connection:
            item = known(connection, key)
            store(connection, item._replace(draft=None))
            files.touch(connection, item.file, self._clock())

    def sample(self, file_key: str, *, components: int = 12, published: bool = False) -> tuple[str, ...]:
        """Return a small library: this many components, a set for every four of them, and nine styles; the keys.

        The same names and keys come each time; a file that has some items already gets only those it lacks. With
        ``published`` they are listed at once, without an event; the file's variables stay as they are.
        """
        with self._store.writing() as connection:
            file = _main_file(connection, file_key)
            keys: list[str] = []
            for kind, named in drafts(components):
                around = named.component_set
                key = None if around is None else self._key(file, COMPONENT_SET, around)
                draft = replace(named, component_set=key)
                keys.append(self._key(file, kind, draft.name))
                if find(connection, keys[-1]) is None:
                    self._add(connection, file, kind, draft)
            if published:
                publish(connection, file.number, people.FIRST, self._clock())
            return tuple(keys)

    def keys(self, file_key: str, kind: Kind | None = None) -> tuple[str, ...]:
        """Return the keys of a file's items (of one kind), published or not, in the order in which they were made."""
        if kind is not None and kind not in KINDS:
            raise UsageError(f"{file_key}: no kind {kind!r}; use one of {', '.join(KINDS)}")
        with self._store.reading() as connection:
            file = files.known(connection, file_key)
            return tuple(each.key for each in of_file(connection, file.number) if kind in (None, each.kind))

    def _add(self, connection: sqlite3.Connection, file: files.File, kind: Kind, draft: Draft) -> str:
        _check_text(draft.name, draft.description)
        key = self._key(file, kind, draft.name)
        if find(connection, key) is not None:
            raise UsageError(f"{draft.name}: {file.key} has had a {kind.replace('_', ' ')} of this name; use another")
        (made,) = connection.execute("SELECT count(*) FROM library_items WHERE file = ?", (file.number,)).fetchone()
        add(connection, file.number, kind, key, f"100:{made + 1}", draft)
        files.touch(connection, file.number, self._clock())
        return key

    def _key(self, file: files.File, kind: Kind, name: str) -> str:
        return self._identities.key(kind, file.key, name)


def known(connection: sqlite3.Connection, key: str) -> Item:
    """Return the item with this key; a UsageError when there is none."""
    item = find(connection, key)
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
    on = FIRST_PAGE if page == FIRST_PAGE[1] else (_node(98, page), page)
    return Draft(name, description, on, around, component_set)


def _node(session: int, name: str) -> str:
    """Return the same id for the same page or frame, without a table of them."""
    return f"{session}:{zlib.crc32(name.encode()) % 100_000}"
