"""The sample pages of a file's library: its components in their sets and frames, and a layer for each of its styles.

Other people's clients look for components and styles in the tree of layers, so those of a file without a document of
its own stand there, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator.documents import library_nodes
from tokensync.emulator.libraries import items

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from tokensync.emulator.libraries.items import Draft, Item

Node = dict[str, Any]

MOST_ITEMS: Final = 500
"""Items of a library that are drawn."""
_MEMBERS: Final = {"FILL": "fill", "TEXT": "text", "EFFECT": "effect", "GRID": "grid"}
_STYLES_PAGE: Final = ("97:1", "Styles")
_SWATCHES: Final = 96
"""Of the ids of layers that show a style, what stands before the colon."""


class Library(NamedTuple):
    """``pages`` by their ids; the rest is what a file's answer says of the items, by the ids of their nodes."""

    pages: dict[str, Node]
    components: dict[str, Any]
    component_sets: dict[str, Any]
    styles: dict[str, Any]


def of_file(connection: sqlite3.Connection, file: int, taken: Collection[str]) -> Library:
    """Return the library of a file, by its number, as the file has it now. Items whose node's id is taken are
    left out.
    """
    library = Library({}, {}, {}, {})
    drawn = [each for each in items.of_file(connection, file)[:MOST_ITEMS] if each.node not in taken]
    sets: dict[str, tuple[str, Node]] = {}
    for item in drawn:
        if item.draft is None:
            continue
        node = library_nodes.node(item, item.draft)
        if item.kind == items.STYLE:
            library.styles[item.node] = _told(item, item.draft) | {"styleType": item.draft.style_type}
            _put(library.pages, _STYLES_PAGE, None, _swatch(item, item.draft, node))
            continue
        told = _told(item, item.draft) | {"documentationLinks": []}
        around = sets.get(item.draft.component_set or "")
        if item.kind == items.COMPONENT_SET:
            sets[item.key] = (item.node, node)
            library.component_sets[item.node] = told
        else:
            library.components[item.node] = told if around is None else told | {"componentSetId": around[0]}
        if around is None:
            _put(library.pages, item.draft.page, item.draft.frame, node)
        else:
            around[1]["children"].append(node)
    return library


def _told(item: Item, draft: Draft) -> Node:
    return {"key": item.key, "name": draft.name, "description": draft.description, "remote": False}


def _swatch(item: Item, draft: Draft, node: Node) -> Node:
    """Return a layer with a style: it looks like the style's own node, and refers to it."""
    number = item.node.rpartition(":")[2]
    return node | {"id": f"{_SWATCHES}:{number}", "styles": {_MEMBERS[draft.style_type or "FILL"]: item.node}}


def _put(pages: dict[str, Node], page: tuple[str, str], frame: tuple[str, str] | None, node: Node) -> None:
    """Lay a node on its page, in its frame where it has one."""
    around = pages.setdefault(page[0], library_nodes.page(*page))["children"]
    if frame is not None:
        known = next((each for each in around if each["id"] == frame[0]), None)
        if known is None:
            known = library_nodes.frame(*frame)
            around.append(known)
        around = known["children"]
    around.append(node)
