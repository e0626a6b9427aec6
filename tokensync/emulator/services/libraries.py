"""Libraries: components, component sets and styles, drafted and published (Figma REST API: Components and styles)."""

from __future__ import annotations

import zlib
from datetime import datetime
from itertools import count, islice
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from tokensync.emulator import access, files, history, people
from tokensync.emulator.endpoints import (
    TEXT,
    Query,
    Refusal,
    Route,
    Schema,
    array,
    envelope,
    existing,
    in_envelope,
    invalid,
    members,
    timestamp,
    whole_number,
)
from tokensync.emulator.store import StateActions, required
from tokensync.emulator.tokens import BROAD
from tokensync.emulator.webhooks import Changes
from tokensync.system.errors import DECODE_ERRORS, UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterable, Iterator

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.webhooks import Item as Named


Kind = Literal["component", "component_set", "style"]
COMPONENT: Final[Kind] = "component"
COMPONENT_SET: Final[Kind] = "component_set"
STYLE: Final[Kind] = "style"
KINDS: Final[tuple[Kind, ...]] = (COMPONENT, COMPONENT_SET, STYLE)

StyleType = Literal["FILL", "TEXT", "EFFECT", "GRID"]
STYLE_TYPES: Final[tuple[StyleType, ...]] = ("FILL", "TEXT", "EFFECT", "GRID")


VALUES: Final = {"FILL": "fills", "TEXT": "style", "EFFECT": "effects", "GRID": "layoutGrids"}
"""The member of its node that holds the value of a style, by its type."""
_VALUE_MEMBERS: Final = frozenset({"boundVariables", *VALUES.values()})

FIRST_PAGE: Final = ("0:1", "Page 1")
"""The node id and name of a file's first page."""


class Draft(msgspec.Struct, frozen=True):
    """An item as its file has it. ``page`` and ``frame`` are (node id, name) pairs, unused for styles.

    ``component_set`` is the key of a variant's component set. ``style_type`` is set for styles only, and ``value`` for
    those that are no samples: the members of the style's node, such as ``effects`` or ``boundVariables``.
    """

    name: str
    description: str = ""
    page: tuple[str, str] = FIRST_PAGE
    frame: tuple[str, str] | None = None
    component_set: str | None = None
    style_type: StyleType | None = None
    value: dict[str, Any] | None = None


class Published(msgspec.Struct, frozen=True):
    """A published draft: the user id of the last publisher, and the first and last publication in Unix seconds."""

    draft: Draft
    user: str
    created: float
    updated: float


class Item(NamedTuple):
    """An item of a file, by the file's number. ``number`` orders pages; ``draft`` is None for a deleted item."""

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
    """Return all items of a file, by its number, in order of creation."""
    return tuple(map(_item, connection.execute(f"{_SELECT} WHERE file = ? ORDER BY number", (file,))))


def published_of(connection: sqlite3.Connection, files: Iterable[int], kind: Kind) -> tuple[Item, ...]:
    """Return the published items of a kind in these files, by their numbers, in order of creation."""
    query = f"{_SELECT} WHERE file = ? AND kind = ? AND published IS NOT NULL"
    return tuple(sorted(_item(row) for file in files for row in connection.execute(query, (file, kind))))


def add(connection: sqlite3.Connection, file: int, kind: Kind, key: str, node: str, draft: Draft) -> None:
    """Create an unpublished item."""
    values = (file, kind, key, node, msgspec.json.encode(draft))
    connection.execute("INSERT INTO library_items (file, kind, key, node, draft) VALUES (?, ?, ?, ?, ?)", values)


def store(connection: sqlite3.Connection, item: Item) -> None:
    """Store the draft and the published form of an item."""
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


def publish(connection: sqlite3.Connection, file: int, user: str, now: float) -> dict[Kind, Changes]:
    """Publish a main file, by its number, as a user, by id, and return the changes by kind, in order of creation."""
    changes: dict[Kind, tuple[list[Named], ...]] = {kind: ([], [], []) for kind in KINDS}
    for item in of_file(connection, file):
        before = item.published
        after = _published(item, user, now)
        if after is before:
            continue
        store(connection, item._replace(published=after))
        _note_documentation(connection, file, before, after, now)
        created, modified, deleted = changes[item.kind]
        if after is not None:
            (created if before is None else modified).append({"key": item.key, "name": after.draft.name})
        elif before is not None:
            deleted.append({"key": item.key, "name": before.draft.name})
    return {kind: Changes(*map(tuple, named)) for kind, named in changes.items()}


def _note_documentation(
    connection: sqlite3.Connection, file: int, before: Published | None, after: Published | None, now: float
) -> None:
    """Record a new or changed description for discovery."""
    if after is None or not after.draft.description:
        return
    if before is not None and before.draft.description == after.draft.description:
        return
    key = None if (found := files.by_number(connection, file)) is None else found.key
    writer = people.require(connection, after.user)
    history.note_text(connection, now, history.DOCUMENTATION, after.draft.description, writer, key)


def _published(item: Item, user: str, now: float) -> Published | None:
    before = item.published
    if item.draft is None:
        return None
    if before is None:
        return Published(item.draft, user, now, now)
    return before if before.draft == item.draft else Published(item.draft, user, before.created, now)


class SavedStyle(msgspec.Struct, frozen=True):
    """A style as ``tokensync files styles --json`` prints it; times are ISO 8601."""

    key: str
    name: str
    type: StyleType
    node: str
    updated_at: str
    value: Any
    description: str = ""
    bound: Any = msgspec.field(name="boundVariables", default=None)


def seed(connection: sqlite3.Connection, file: int, content: bytes, where: str) -> None:
    """Replace the styles of a file, by its number, with those of a saved list. Raise UsageError for anything else."""
    connection.execute("DELETE FROM library_items WHERE file = ? AND kind = ?", (file, STYLE))
    try:
        for style in msgspec.json.decode(content, type=list[SavedStyle]):
            updated = datetime.fromisoformat(style.updated_at).timestamp()
            bound = {} if style.bound is None else {"boundVariables": style.bound}
            value = {VALUES[style.type]: style.value, **bound}
            draft = Draft(style.name, style.description, style_type=style.type, value=value)
            connection.execute("DELETE FROM library_items WHERE key = ?", (style.key,))
            add(connection, file, STYLE, style.key, style.node, draft)
            item = require(connection, style.key)
            store(connection, item._replace(published=Published(draft, people.FIRST, updated, updated)))
    except DECODE_ERRORS as error:
        raise UsageError(f"{where}: no list of styles ({error}); save that of tokensync files styles --json") from None


_MOST_SAMPLES: Final = 100_000
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


def _sample_drafts(components: int) -> Iterator[tuple[Kind, Draft]]:
    """Yield component sets before their variants, then styles. Here, ``component_set`` is the set's name."""
    page = ("98:1", "Components")
    seen = set()
    variants = ((name, variant) for name in _set_names() for variant in _VARIANTS)
    for set_name, variant in islice(variants, components):
        if set_name not in seen:
            seen.add(set_name)
            yield COMPONENT_SET, Draft(set_name, f"All states of {set_name}", page, ("99:1", "Controls"))
        name = f"{set_name}, State={variant}"
        yield COMPONENT, Draft(name, "", page, ("99:1", "Controls"), component_set=set_name)
    for name, style_type in _STYLES:
        yield STYLE, Draft(name, f"Sample style {name}", style_type=style_type)


def _set_names() -> Iterator[str]:
    yield from _SETS
    yield from (f"{name} {number}" for number in count(2) for name in _SETS)


class Libraries(StateActions):
    """Creates and changes items. They are drafts until ``Emulator.publish`` publishes the file."""

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
        """Create a component in a main file and return its key. ``component_set`` is the key of a variant's set."""
        with self._store.writing() as connection:
            file = _main_file(connection, file_key)
            if component_set is not None:
                parent = require(connection, component_set)
                if (parent.kind, parent.file) != (COMPONENT_SET, file.number):
                    raise UsageError(f"{component_set}: not a component set of {file_key}; create it there first")
            return self._add(
                connection, file, COMPONENT, _component_draft(name, description, page, frame, component_set)
            )

    def add_component_set(
        self, file_key: str, name: str, *, description: str = "", page: str = "Page 1", frame: str | None = None
    ) -> str:
        """Create a component set in a main file and return its key."""
        with self._store.writing() as connection:
            draft = _component_draft(name, description, page, frame, None)
            return self._add(connection, _main_file(connection, file_key), COMPONENT_SET, draft)

    def add_style(
        self,
        file_key: str,
        name: str,
        style_type: StyleType,
        *,
        description: str = "",
        value: dict[str, Any] | None = None,
    ) -> str:
        """Create a style (FILL, TEXT, EFFECT or GRID) in a main file and return its key.

        ``value`` has members of its node, as in answers: ``style``, ``effects``, ``fills`` or ``layoutGrids``, and
        ``boundVariables``. Without it, the style has a sample value.
        """
        if style_type not in STYLE_TYPES:
            raise UsageError(f"{name}: no style type {style_type!r}; use one of {', '.join(STYLE_TYPES)}")
        with self._store.writing() as connection:
            draft = Draft(name, description, style_type=style_type, value=_checked_value(value))
            return self._add(connection, _main_file(connection, file_key), STYLE, draft)

    def change(
        self, key: str, *, name: str | None = None, description: str | None = None, value: dict[str, Any] | None = None
    ) -> None:
        """Change an item's name or description, or a style's value."""
        with self._store.writing() as connection:
            item = require(connection, key)
            if item.draft is None:
                raise UsageError(f"{key}: deleted in its file; create another item")
            draft = item.draft
            _check_text(draft.name if name is None else name, description or "")
            if name is not None:
                draft = replace(draft, name=name)
            if description is not None:
                draft = replace(draft, description=description)
            if value is not None:
                if item.kind != STYLE:
                    raise UsageError(f"{key}: only a style has a value; change the file's document instead")
                draft = replace(draft, value=_checked_value(value))
            store(connection, item._replace(draft=draft))
            files.touch(connection, item.file, self._clock())

    def drop(self, key: str) -> None:
        """Delete an item in its file. It stays published until the file is published again."""
        with self._store.writing() as connection:
            item = require(connection, key)
            store(connection, item._replace(draft=None))
            files.touch(connection, item.file, self._clock())

    def sample(self, file_key: str, *, components: int = 12, published: bool = False) -> tuple[str, ...]:
        """Create a sample library with this many components in sets of four, and nine styles; return the keys.

        Names and keys are always the same; existing items are left alone. ``published`` publishes the items, but not
        the file's variables, at once and without an event.
        """
        if not 0 <= components <= _MOST_SAMPLES:
            raise UsageError(f"{components} components: out of range; use 0 to {_MOST_SAMPLES:,}")
        with self._store.writing() as connection:
            file = _main_file(connection, file_key)
            keys: list[str] = []
            for kind, sample in _sample_drafts(components):
                set_name = sample.component_set
                set_key = None if set_name is None else self._key(file, COMPONENT_SET, set_name)
                draft = replace(sample, component_set=set_key)
                keys.append(self._key(file, kind, draft.name))
                if find(connection, keys[-1]) is None:
                    self._add(connection, file, kind, draft)
            if published:
                publish(connection, file.number, people.FIRST, self._clock())
            return tuple(keys)

    def keys(self, file_key: str, kind: Kind | None = None) -> tuple[str, ...]:
        """Return the keys of a file's items, optionally of one kind, published or not, in order of creation."""
        if kind is not None and kind not in KINDS:
            raise UsageError(f"{file_key}: no kind {kind!r}; use one of {', '.join(KINDS)}")
        with self._store.reading() as connection:
            file = files.require(connection, file_key)
            return tuple(item.key for item in of_file(connection, file.number) if kind in (None, item.kind))

    def _add(self, connection: sqlite3.Connection, file: files.File, kind: Kind, draft: Draft) -> str:
        _check_text(draft.name, draft.description)
        key = self._key(file, kind, draft.name)
        if find(connection, key) is not None:
            noun = kind.replace("_", " ")
            raise UsageError(f"{draft.name}: {file.key} already has a {noun} with this name; use another")
        (count,) = connection.execute("SELECT count(*) FROM library_items WHERE file = ?", (file.number,)).fetchone()
        add(connection, file.number, kind, key, f"100:{count + 1}", draft)
        files.touch(connection, file.number, self._clock())
        return key

    def _key(self, file: files.File, kind: Kind, name: str) -> str:
        return self._identities.key(kind, file.key, name)


def require(connection: sqlite3.Connection, key: str) -> Item:
    """Return the item with this key, or raise UsageError."""
    return required(find(connection, key), f"{key}: no such component, component set or style; create it first")


def _checked_value(value: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return the members of a style's node. Raise UsageError for others."""
    if value is None or value.keys() <= _VALUE_MEMBERS:
        return value
    raise UsageError(f"value: not the members of a style's node; give an object of {', '.join(sorted(_VALUE_MEMBERS))}")


def _check_text(name: str, description: str) -> None:
    """Raise UsageError for a blank name, and for text from non-UTF-8 command line arguments."""
    if not name.strip():
        raise UsageError("name: must not be empty; give the item a name")
    try:
        (name + description).encode()
    except UnicodeEncodeError:
        raise UsageError(f"{name!a}: not UTF-8; encode the name and description as UTF-8") from None


def _main_file(connection: sqlite3.Connection, key: str) -> files.File:
    file = files.require(connection, key)
    if file.main is not None:
        raise UsageError(f"{key}: a branch publishes nothing; give the key of the main file")
    return file


def _component_draft(name: str, description: str, page: str, frame: str | None, component_set: str | None) -> Draft:
    frame_node = None if frame is None else (_node_id(99, frame), frame)
    page_node = FIRST_PAGE if page == FIRST_PAGE[1] else (_node_id(98, page), page)
    return Draft(name, description, page_node, frame_node, component_set)


def _node_id(session: int, name: str) -> str:
    """Return the id of a page or frame, derived from its name."""
    return f"{session}:{zlib.crc32(name.encode()) % 100_000}"


PAGE_OF_LIBRARY: Final = 30
LARGEST_PAGE_OF_LIBRARY: Final = 1000
"""Documented for team components; also used for component sets and styles."""


def document(connection: sqlite3.Connection, item: Item) -> dict[str, Any]:
    """Return a published item as in answers."""
    published = item.published
    if published is None:
        raise ValueError(f"{item.key}: not published")
    draft = published.draft
    (file_key,) = connection.execute("SELECT key FROM files WHERE number = ?", (item.file,)).fetchone()
    result = {
        "key": item.key,
        "file_key": file_key,
        "node_id": item.node,
        "thumbnail_url": f"https://images.invalid/{item.kind}s/{item.key}.png",
        "name": draft.name,
        "description": draft.description,
        "created_at": timestamp(published.created),
        "updated_at": timestamp(published.updated),
        "user": people.document(people.require(connection, published.user)),
    }
    if item.kind == STYLE:
        return result | {"style_type": draft.style_type, "sort_position": f"{item.number:08d}"}
    return result | {"containing_frame": _frame(connection, published)}


def _frame(connection: sqlite3.Connection, published: Published) -> dict[str, Any]:
    """Return the page, frame and component set that contain an item. The set is given under its older name, too."""
    draft = published.draft
    page_id, page_name = draft.page
    frame: dict[str, Any] = {"pageId": page_id, "pageName": page_name}
    if draft.frame is not None:
        node, name = draft.frame
        frame |= {"nodeId": node, "name": name, "backgroundColor": "#FFFFFF"}
    parent = find(connection, draft.component_set) if draft.component_set else None
    if parent is not None and parent.published is not None:
        component_set = {"nodeId": parent.node, "name": parent.published.draft.name}
        frame |= {"containingComponentSet": component_set, "containingStateGroup": component_set}
    return frame


class Page(NamedTuple):
    """A requested page. ``after`` and ``before`` are item numbers; at most one is set."""

    size: int
    after: int | None
    before: int | None


def _team_items(call: Call, team_id: str, kind: Kind) -> dict[str, Any]:
    """Return a page of a team's published items that the user may view, with the cursors of the adjacent pages."""
    existing(files.find_team(call.connection, team_id), "Team")
    visible = _visible_files(call, team_id)
    page = _page(call)
    items = published_of(call.connection, visible, kind)
    on_page = _slice(page, items)
    cursor = {}
    if on_page and on_page[0].number > items[0].number:
        cursor["before"] = on_page[0].number
    if on_page and on_page[-1].number < items[-1].number:
        cursor["after"] = on_page[-1].number
    return {f"{kind}s": [document(call.connection, item) for item in on_page], "cursor": cursor}


def _file_items(call: Call, file_key: str, kind: Kind) -> dict[str, Any]:
    file = access.file_of(call, file_key, main=True)
    items = published_of(call.connection, (file.number,), kind)
    return {f"{kind}s": [document(call.connection, item) for item in items]}


def _item_by_key(call: Call, key: str, kind: Kind) -> dict[str, Any]:
    if not files.is_key(key):
        raise invalid(f"key must be the key of a {kind.replace('_', ' ')}")
    item = find(call.connection, key)
    if item is None or item.kind != kind or item.published is None:
        raise Refusal(404, f"{kind.replace('_', ' ').capitalize()} not found")
    result = document(call.connection, item)
    access.file_of(call, result["file_key"])
    return result


def _visible_files(call: Call, team_id: str) -> list[int]:
    """Return the numbers of the team's main files that the user may view; refuse a user without any access."""
    query = "SELECT key FROM files JOIN folders ON files.folder = folders.id WHERE folders.team = ? AND main IS NULL"
    keys = [key for (key,) in call.connection.execute(query, (team_id,)).fetchall()]
    visible = [
        files.require(call.connection, key).number
        for key in keys
        if access.permission_on(call.connection, call.user, key) is not None
    ]
    if not visible and access.role_on_team(call.connection, call.user, team_id) is None:
        raise Refusal(403, "Insufficient team permissions")
    return visible


def _page(call: Call) -> Page:
    after, before = whole_number(call.query, "after"), whole_number(call.query, "before")
    if after is not None and before is not None:
        raise invalid("after and before cannot be used together")
    size = whole_number(call.query, "page_size")
    if size is not None and size < 1:
        raise invalid("page_size must be at least 1")
    return Page(min(PAGE_OF_LIBRARY if size is None else size, LARGEST_PAGE_OF_LIBRARY), after, before)


def _slice(page: Page, items: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return the items of a page, which excludes the cursor's own item."""
    if page.before is not None:
        return tuple(item for item in items if item.number < page.before)[-page.size :]
    after = page.after or 0
    return tuple(item for item in items if item.number > after)[: page.size]


_NUMBER: Final[Schema] = {"type": "integer", "minimum": 0}

_PAGING: Final = (
    Query("page_size", {"type": "integer", "minimum": 1, "default": PAGE_OF_LIBRARY}),
    Query("after", _NUMBER),
    Query("before", _NUMBER),
)


def _listing(kind: Kind, *, paged: bool = False) -> Schema:
    meta = {f"{kind}s": array(_item_schema(kind))}
    if paged:
        meta["cursor"] = {"type": "object", "properties": {"before": _NUMBER, "after": _NUMBER}}
    return envelope(members(meta))


def _item_schema(kind: Kind) -> Schema:
    item: dict[str, Schema] = dict.fromkeys(
        ("key", "file_key", "node_id", "thumbnail_url", "name", "description", "updated_at", "created_at"), TEXT
    )
    item["user"] = {"type": "object", "required": ["id", "handle", "img_url"]}
    if kind == STYLE:
        item["style_type"] = {"enum": list(STYLE_TYPES)}
        item["sort_position"] = TEXT
    else:
        item["containing_frame"] = {"type": "object", "required": ["pageId", "pageName"]}
    return members(item)


def _routes(kind: Kind, name: str) -> Iterator[Route]:
    """Yield the three endpoints of a kind; ``name`` is its name in paths."""

    def list_of_team(call: Call, team_id: str) -> bytes:
        return in_envelope(_team_items(call, team_id, kind))

    def list_of_file(call: Call, file_key: str) -> bytes:
        return in_envelope(_file_items(call, file_key, kind))

    def read(call: Call, key: str) -> bytes:
        return in_envelope(_item_by_key(call, key, kind))

    noun = name.replace("_", " ")
    list_of_team.__doc__ = f"Return a page of the {noun} that the files of a team publish."
    list_of_file.__doc__ = f"Return the {noun} that a main file publishes."
    read.__doc__ = f"Return a published {noun.removesuffix('s')} by its key."

    of_team, of_file, one = (
        ("team_library_content:read", BROAD),
        ("library_content:read", BROAD),
        ("library_assets:read", BROAD),
    )
    paged, whole = _listing(kind, paged=True), _listing(kind)
    yield Route(
        "GET", f"/v1/teams/<team_id>/{name}", list_of_team, of_team, 3, "err", parameters=_PAGING, returns=paged
    )
    yield Route("GET", f"/v1/files/<file_key>/{name}", list_of_file, of_file, 3, "err", returns=whole)
    yield Route("GET", f"/v1/{name}/<key>", read, one, 3, "err", returns=envelope(_item_schema(kind)))


ROUTES: Final = (
    *_routes(COMPONENT, "components"),
    *_routes(COMPONENT_SET, "component_sets"),
    *_routes(STYLE, "styles"),
)
