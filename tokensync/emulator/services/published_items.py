"""Published components, component sets and styles: of a team in pages, of a file, and one by its key."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import access, files, libraries, people, sharing, teams
from tokensync.emulator.endpoints import Query, Refusal, Route, in_envelope, invalid, timestamp, whole_number
from tokensync.emulator.libraries import COMPONENT, COMPONENT_SET, STYLE, STYLE_TYPES
from tokensync.emulator.limits import LARGEST_PAGE_OF_LIBRARY, PAGE_OF_LIBRARY
from tokensync.emulator.schemas import TEXT, Schema, array, envelope, members
from tokensync.emulator.tokens import BROAD

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.libraries import Item, Kind, Published


def document(connection: sqlite3.Connection, item: Item) -> dict[str, Any]:
    """Return the item, which has to be published."""
    published = item.published
    if published is None:
        raise ValueError(f"{item.key}: not published")
    draft = published.draft
    (file_key,) = connection.execute("SELECT key FROM files WHERE number = ?", (item.file,)).fetchone()
    shown = {
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
        return shown | {"style_type": draft.style_type, "sort_position": f"{item.number:08d}"}
    return shown | {"containing_frame": _frame(connection, published)}


def _frame(connection: sqlite3.Connection, published: Published) -> dict[str, Any]:
    """Return where the item lies. The set around a variant has its older name, too."""
    draft = published.draft
    page_id, page_name = draft.page
    frame: dict[str, Any] = {"pageId": page_id, "pageName": page_name}
    if draft.frame is not None:
        node, name = draft.frame
        frame |= {"nodeId": node, "name": name, "backgroundColor": "#FFFFFF"}
    around = libraries.find(connection, draft.component_set) if draft.component_set else None
    if around is not None and around.published is not None:
        named = {"nodeId": around.node, "name": around.published.draft.name}
        frame |= {"containingComponentSet": named, "containingStateGroup": named}
    return frame


class Page(NamedTuple):
    """What a caller asks of a listing; ``after`` and ``before`` are numbers of items, and not both given."""

    size: int
    after: int | None
    before: int | None


def _of_team(call: Call, team_id: str, kind: Kind) -> dict[str, Any]:
    """Return a page of the team's published items that the user may see, and the cursors of the pages around it."""
    if teams.find_team(call.connection, team_id) is None:
        raise Refusal(404, "Team not found")
    visible = _visible_files(call, team_id)
    page = _page(call)
    found = libraries.published_of(call.connection, visible, kind)
    shown = _on(page, found)
    cursor = {}
    if shown and shown[0].number > found[0].number:
        cursor["before"] = shown[0].number
    if shown and shown[-1].number < found[-1].number:
        cursor["after"] = shown[-1].number
    return {f"{kind}s": [document(call.connection, each) for each in shown], "cursor": cursor}


def _of_file(call: Call, file_key: str, kind: Kind) -> dict[str, Any]:
    """Return everything of a kind that a main file publishes."""
    file = access.file_of(call, file_key, main=True)
    found = libraries.published_of(call.connection, (file.number,), kind)
    return {f"{kind}s": [document(call.connection, each) for each in found]}


def _by_key(call: Call, key: str, kind: Kind) -> dict[str, Any]:
    """One published item."""
    if not files.is_key(key):
        raise invalid(f"key must be the key of a {kind.replace('_', ' ')}")
    item = libraries.find(call.connection, key)
    if item is None or item.kind != kind or item.published is None:
        raise Refusal(404, f"{kind.replace('_', ' ').capitalize()} not found")
    shown = document(call.connection, item)
    access.file_of(call, shown["file_key"])
    return shown


def _visible_files(call: Call, team_id: str) -> list[int]:
    """Return the numbers of the team's main files that the user may see; a user without any access is refused."""
    query = "SELECT key FROM files JOIN folders ON files.folder = folders.id WHERE folders.team = ? AND main IS NULL"
    found = [files.require(call.connection, key) for (key,) in call.connection.execute(query, (team_id,)).fetchall()]
    visible = [each.number for each in found if sharing.permission_on(call.connection, call.user, each.key) is not None]
    if not visible and sharing.role_on_team(call.connection, call.user, team_id) is None:
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


def _on(page: Page, found: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return the items of the page; a cursor's own item is on neither side of it."""
    if page.before is not None:
        return tuple(each for each in found if each.number < page.before)[-page.size :]
    after = page.after or 0
    return tuple(each for each in found if each.number > after)[: page.size]


_NUMBER: Final[Schema] = {"type": "integer", "minimum": 0}

_PAGING: Final = (
    Query("page_size", {"type": "integer", "minimum": 1, "default": PAGE_OF_LIBRARY}),
    Query("after", _NUMBER),
    Query("before", _NUMBER),
)


def _listing(kind: Kind, *, paged: bool = False) -> Schema:
    """Return the body of a listing; a paged one has cursors."""
    meta = {f"{kind}s": array(_item(kind))}
    if paged:
        meta["cursor"] = {"type": "object", "properties": {"before": _NUMBER, "after": _NUMBER}}
    return envelope(members(meta))


def _single(kind: Kind) -> Schema:
    """Return the body of one thing by its key."""
    return envelope(_item(kind))


def _item(kind: Kind) -> Schema:
    shown: dict[str, Schema] = dict.fromkeys(
        ("key", "file_key", "node_id", "thumbnail_url", "name", "description", "updated_at", "created_at"), TEXT
    )
    shown["user"] = {"type": "object", "required": ["id", "handle", "img_url"]}
    if kind == STYLE:
        shown["style_type"] = {"enum": list(STYLE_TYPES)}
        shown["sort_position"] = TEXT
    else:
        shown["containing_frame"] = {"type": "object", "required": ["pageId", "pageName"]}
    return members(shown)


def _routes(kind: Kind, name: str) -> Iterator[Route]:
    """Yield the three endpoints of a kind, whose ``name`` is the one in paths."""

    def list_of_team(call: Call, team_id: str) -> bytes:
        """A page of what the files of a team publish."""
        return in_envelope(_of_team(call, team_id, kind))

    def list_of_file(call: Call, file_key: str) -> bytes:
        """What a file publishes; it has to be a main file, not a branch."""
        return in_envelope(_of_file(call, file_key, kind))

    def read(call: Call, key: str) -> bytes:
        """One published item."""
        return in_envelope(_by_key(call, key, kind))

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
    yield Route("GET", f"/v1/{name}/<key>", read, one, 3, "err", returns=_single(kind))


ROUTES: Final = (
    *_routes(COMPONENT, "components"),
    *_routes(COMPONENT_SET, "component_sets"),
    *_routes(STYLE, "styles"),
)
