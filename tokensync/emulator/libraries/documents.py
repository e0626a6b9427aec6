"""A published item as answers show it (platform-api.md 2.2 and 2.3, platform-facts "FrameInfo")."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.emulator.accounts import people
from tokensync.emulator.endpoints.answers import timestamp
from tokensync.emulator.libraries import items

if TYPE_CHECKING:
    import sqlite3

    from tokensync.emulator.libraries.items import Item, Published


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
        "user": people.document(people.known(connection, published.user)),
    }
    if item.kind == items.STYLE:
        return shown | {"style_type": draft.style_type, "sort_position": f"{item.number:08d}"}
    return shown | {"containing_frame": _frame(connection, published)}


def _frame(connection: sqlite3.Connection, published: Published) -> dict[str, Any]:
    """Return where the item lies. The set around a variant has its older name, too (platform-api.md 9)."""
    draft = published.draft
    page_id, page_name = draft.page
    frame: dict[str, Any] = {"pageId": page_id, "pageName": page_name}
    if draft.frame is not None:
        node, name = draft.frame
        frame |= {"nodeId": node, "name": name, "backgroundColor": "#FFFFFF"}
    around = items.find(connection, draft.component_set) if draft.component_set else None
    if around is not None and around.published is not None:
        named = {"nodeId": around.node, "name": around.published.draft.name}
        frame |= {"containingComponentSet": named, "containingStateGroup": named}
    return frame
