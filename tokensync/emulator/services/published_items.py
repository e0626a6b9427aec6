"""Published components, component sets and styles (Figma REST API: Components and styles)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import access, files, libraries, people
from tokensync.emulator.endpoints import (
    TEXT,
    Query,
    Refusal,
    Route,
    Schema,
    array,
    envelope,
    in_envelope,
    invalid,
    members,
    timestamp,
    whole_number,
)
from tokensync.emulator.libraries import COMPONENT, COMPONENT_SET, STYLE, STYLE_TYPES
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.libraries import Item, Kind, Published


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
    if item.kind == libraries.STYLE:
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
    parent = libraries.find(connection, draft.component_set) if draft.component_set else None
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
    if files.find_team(call.connection, team_id) is None:
        raise Refusal(404, "Team not found")
    visible = _visible_files(call, team_id)
    page = _page(call)
    items = libraries.published_of(call.connection, visible, kind)
    on_page = _slice(page, items)
    cursor = {}
    if on_page and on_page[0].number > items[0].number:
        cursor["before"] = on_page[0].number
    if on_page and on_page[-1].number < items[-1].number:
        cursor["after"] = on_page[-1].number
    return {f"{kind}s": [document(call.connection, item) for item in on_page], "cursor": cursor}


def _file_items(call: Call, file_key: str, kind: Kind) -> dict[str, Any]:
    file = access.file_of(call, file_key, main=True)
    items = libraries.published_of(call.connection, (file.number,), kind)
    return {f"{kind}s": [document(call.connection, item) for item in items]}


def _item_by_key(call: Call, key: str, kind: Kind) -> dict[str, Any]:
    if not files.is_key(key):
        raise invalid(f"key must be the key of a {kind.replace('_', ' ')}")
    item = libraries.find(call.connection, key)
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
    meta = {f"{kind}s": array(_item(kind))}
    if paged:
        meta["cursor"] = {"type": "object", "properties": {"before": _NUMBER, "after": _NUMBER}}
    return envelope(members(meta))


def _item(kind: Kind) -> Schema:
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
    yield Route("GET", f"/v1/{name}/<key>", read, one, 3, "err", returns=envelope(_item(kind)))


ROUTES: Final = (
    *_routes(COMPONENT, "components"),
    *_routes(COMPONENT_SET, "component_sets"),
    *_routes(STYLE, "styles"),
)
