"""Lists what is published: of a team in pages, of a file, and one thing by its key (platform-api.md 4.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.emulator.endpoints import access
from tokensync.emulator.endpoints.parameters import whole
from tokensync.emulator.endpoints.refusal import Refusal, invalid
from tokensync.emulator.filing import files, places, sharing
from tokensync.emulator.libraries import items
from tokensync.emulator.libraries.documents import document
from tokensync.emulator.limits import LARGEST_PAGE_OF_LIBRARY, PAGE_OF_LIBRARY

if TYPE_CHECKING:
    from tokensync.emulator.endpoints.route import Call
    from tokensync.emulator.libraries.items import Item, Kind


class Page(NamedTuple):
    """What a caller asks of a listing; ``after`` and ``before`` are numbers of items, and not both given."""

    size: int
    after: int | None
    before: int | None


def of_team(call: Call, team_id: str, kind: Kind) -> dict[str, Any]:
    """Return a page of the team's published items that the user may see, and the cursors of the pages around it."""
    if places.find_team(call.connection, team_id) is None:
        raise Refusal(404, "Team not found")
    visible = _visible_files(call, team_id)
    page = _page(call)
    found = items.published_of(call.connection, visible, kind)
    shown = _on(page, found)
    cursor = {}
    if shown and shown[0].number > found[0].number:
        cursor["before"] = shown[0].number
    if shown and shown[-1].number < found[-1].number:
        cursor["after"] = shown[-1].number
    return {f"{kind}s": [document(call.connection, each) for each in shown], "cursor": cursor}


def of_file(call: Call, file_key: str, kind: Kind) -> dict[str, Any]:
    """Return everything of a kind that a main file publishes."""
    file = access.file_of(call, file_key, main=True)
    found = items.published_of(call.connection, (file.number,), kind)
    return {f"{kind}s": [document(call.connection, each) for each in found]}


def by_key(call: Call, key: str, kind: Kind) -> dict[str, Any]:
    """One published item."""
    if not files.is_key(key):
        raise invalid(f"key must be the key of a {kind.replace('_', ' ')}")
    item = items.find(call.connection, key)
    if item is None or item.kind != kind or item.published is None:
        raise Refusal(404, f"{kind.replace('_', ' ').capitalize()} not found")
    shown = document(call.connection, item)
    access.file_of(call, shown["file_key"])
    return shown


def _visible_files(call: Call, team_id: str) -> list[int]:
    """Return the numbers of the team's main files that the user may see; a user without any access is refused."""
    query = "SELECT key FROM files JOIN folders ON files.folder = folders.id WHERE folders.team = ? AND main IS NULL"
    found = [files.known(call.connection, key) for (key,) in call.connection.execute(query, (team_id,)).fetchall()]
    visible = [each.number for each in found if sharing.permission_on(call.connection, call.user, each.key) is not None]
    if not visible and sharing.role_on_team(call.connection, call.user, team_id) is None:
        raise Refusal(403, "Insufficient team permissions")
    return visible


def _page(call: Call) -> Page:
    after, before = whole(call.query, "after"), whole(call.query, "before")
    if after is not None and before is not None:
        raise invalid("after and before cannot be used together")
    size = whole(call.query, "page_size")
    if size is not None and size < 1:
        raise invalid("page_size must be at least 1")
    return Page(min(PAGE_OF_LIBRARY if size is None else size, LARGEST_PAGE_OF_LIBRARY), after, before)


def _on(page: Page, found: tuple[Item, ...]) -> tuple[Item, ...]:
    """Return the items of the page; a cursor's own item is on neither side of it."""
    if page.before is not None:
        return tuple(each for each in found if each.number < page.before)[-page.size :]
    after = page.after or 0
    return tuple(each for each in found if each.number > after)[: page.size]
