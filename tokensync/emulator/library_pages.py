"""The sample pages of a library: components in their sets and frames, and a layer for each style.

Clients look for components and styles in the tree, so the sample document contains them. Their appearance is derived
from their names.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tokensync.emulator import libraries

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from tokensync.emulator.libraries import Draft, Item
    from tokensync.emulator.nodes import Node


_BOX: Final = {"x": 0.0, "y": 0.0, "width": 100.0, "height": 100.0}
_TYPES: Final = {libraries.COMPONENT: "COMPONENT", libraries.COMPONENT_SET: "COMPONENT_SET"}
_FONT_SIZES: Final = (12.0, 14.0, 16.0, 20.0, 24.0, 32.0)


def find_nodes(connection: sqlite3.Connection, file: int, ids: Collection[str]) -> dict[str, Node]:
    """Return the nodes with these ids of a file's library items, by id."""
    return {
        each.node: item_node(each, each.draft)
        for each in libraries.of_file(connection, file)
        if each.draft is not None and each.node in ids
    }


def text_members(characters: str) -> Node:
    """Return the members of a TEXT node for characters without individual styles."""
    return {
        "characters": characters,
        "characterStyleOverrides": [],
        "styleOverrideTable": {},
        "lineTypes": ["NONE"],
        "lineIndentations": [0],
    }


def page_node(id_: str, name: str) -> Node:
    """Return a page without layers."""
    return {
        "id": id_,
        "name": name,
        "type": "CANVAS",
        "scrollBehavior": "SCROLLS",
        "children": [],
        "backgroundColor": {"r": 0.96, "g": 0.96, "b": 0.96, "a": 1.0},
        "prototypeStartNodeID": None,
        "flowStartingPoints": [],
        "prototypeDevice": {"type": "NONE", "rotation": "NONE"},
    }


def frame_node(id_: str, name: str) -> Node:
    """Return a frame without layers."""
    return _plain(id_, name, "FRAME") | {"clipsContent": True, "layoutMode": "NONE", "children": []}


def _plain(id_: str, name: str, kind: str) -> Node:
    return {
        "id": id_,
        "name": name,
        "type": kind,
        "scrollBehavior": "SCROLLS",
        "blendMode": "PASS_THROUGH",
        "absoluteBoundingBox": _BOX,
        "absoluteRenderBounds": _BOX,
        "constraints": {"vertical": "TOP", "horizontal": "LEFT"},
        "fills": [],
        "strokes": [],
        "strokeWeight": 1.0,
        "strokeAlign": "INSIDE",
        "effects": [],
        "interactions": [],
    }


def item_node(item: Item, draft: Draft) -> Node:
    """Return the node of an item; components and component sets have no layers yet."""
    digest = zlib.crc32(draft.name.encode())
    kind = _TYPES.get(item.kind, "TEXT" if draft.style_type == "TEXT" else "RECTANGLE")
    node = _plain(item.node, draft.name, kind)
    color = {"r": (digest & 0xFF) / 255, "g": (digest >> 8 & 0xFF) / 255, "b": (digest >> 16 & 0xFF) / 255, "a": 1.0}
    match draft.style_type:
        case "FILL":
            return node | {"fills": [{"blendMode": "NORMAL", "type": "SOLID", "color": color}]}
        case "TEXT":
            size = _FONT_SIZES[digest % len(_FONT_SIZES)]
            return node | {"style": _text_style(size)} | text_members(draft.name)
        case "EFFECT":
            shadow = {"type": "DROP_SHADOW", "visible": True, "color": color | {"a": 0.25}, "blendMode": "NORMAL"}
            shadow |= {"offset": {"x": 0.0, "y": 2.0}, "radius": 4.0, "spread": 0.0, "showShadowBehindNode": False}
            return node | {"effects": [shadow]}
        case "GRID":
            columns = {"pattern": "COLUMNS", "sectionSize": 60.0, "visible": True, "color": color | {"a": 0.1}}
            columns |= {"alignment": "STRETCH", "gutterSize": 20.0, "offset": 0.0, "count": 12}
            return node | {"layoutGrids": [columns]}
        case _:
            return node | {"clipsContent": True, "layoutMode": "NONE", "children": []}


def _text_style(size: float) -> Node:
    return {
        "fontFamily": "Inter",
        "fontPostScriptName": "Inter-Regular",
        "fontStyle": "Regular",
        "fontWeight": 400,
        "fontSize": size,
        "letterSpacing": 0.0,
        "lineHeightPx": size * 1.5,
        "lineHeightPercent": 100.0,
        "lineHeightPercentFontSize": 150.0,
        "lineHeightUnit": "FONT_SIZE_%",
        "textAlignHorizontal": "LEFT",
        "textAlignVertical": "TOP",
    }


MAX_ITEMS: Final = 500
"""The maximum number of library items on the sample pages."""
_MEMBERS: Final = {"FILL": "fill", "TEXT": "text", "EFFECT": "effect", "GRID": "grid"}
_STYLES_PAGE: Final = ("97:1", "Styles")
_SWATCHES: Final = 96
"""The number before the colon in the ids of layers that show a style."""


class Library(NamedTuple):
    """The sample pages by id, and the metadata of items by node id, as in the answer to GET file."""

    pages: dict[str, Node]
    components: dict[str, Any]
    component_sets: dict[str, Any]
    styles: dict[str, Any]


def of_file(connection: sqlite3.Connection, file: int, used_ids: Collection[str]) -> Library:
    """Return the current library of a file, by its number, omitting items whose node id is already used."""
    library = Library({}, {}, {}, {})
    sets: dict[str, tuple[str, Node]] = {}
    for item in libraries.of_file(connection, file)[:MAX_ITEMS]:
        if item.draft is None or item.node in used_ids:
            continue
        node = item_node(item, item.draft)
        if item.kind == libraries.STYLE:
            library.styles[item.node] = _metadata(item, item.draft) | {"styleType": item.draft.style_type}
            _place_node(library.pages, _STYLES_PAGE, None, _swatch(item, item.draft, node))
            continue
        metadata = _metadata(item, item.draft) | {"documentationLinks": []}
        parent = sets.get(item.draft.component_set or "")
        if item.kind == libraries.COMPONENT_SET:
            sets[item.key] = (item.node, node)
            library.component_sets[item.node] = metadata
        else:
            library.components[item.node] = metadata if parent is None else metadata | {"componentSetId": parent[0]}
        if parent is None:
            _place_node(library.pages, item.draft.page, item.draft.frame, node)
        else:
            parent[1]["children"].append(node)
    return library


def _metadata(item: Item, draft: Draft) -> Node:
    return {"key": item.key, "name": draft.name, "description": draft.description, "remote": False}


def _swatch(item: Item, draft: Draft, node: Node) -> Node:
    """Return a layer that uses a style; it looks like the style's own node."""
    number = item.node.rpartition(":")[2]
    return node | {"id": f"{_SWATCHES}:{number}", "styles": {_MEMBERS[draft.style_type or "FILL"]: item.node}}


def _place_node(pages: dict[str, Node], page: tuple[str, str], frame: tuple[str, str] | None, node: Node) -> None:
    """Append a node to its page, or to its frame on that page."""
    siblings = pages.setdefault(page[0], page_node(*page))["children"]
    if frame is not None:
        parent = next((sibling for sibling in siblings if sibling["id"] == frame[0]), None)
        if parent is None:
            parent = frame_node(*frame)
            siblings.append(parent)
        siblings = parent["children"]
    siblings.append(node)
