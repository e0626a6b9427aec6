"""The sample pages of a library: its components in their sets and frames, and a layer for each of its styles.

Clients look for components and styles in the tree of layers, so those of a file without a document of its own stand
there, too. Their looks are made from their names, the same each time.
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
    """Return the nodes of these ids that belong to library items of a file, by its number."""
    return {
        each.node: item_node(each, each.draft)
        for each in libraries.of_file(connection, file)
        if each.draft is not None and each.node in ids
    }


def text_members(characters: str) -> Node:
    """Return what a TEXT node says of its characters; none has a style of its own."""
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
    """Return the node of an item; components and their sets have no layers yet."""
    chance = zlib.crc32(draft.name.encode())
    kind = _TYPES.get(item.kind, "TEXT" if draft.style_type == "TEXT" else "RECTANGLE")
    shown = _plain(item.node, draft.name, kind)
    colour = {"r": (chance & 0xFF) / 255, "g": (chance >> 8 & 0xFF) / 255, "b": (chance >> 16 & 0xFF) / 255, "a": 1.0}
    match draft.style_type:
        case "FILL":
            return shown | {"fills": [{"blendMode": "NORMAL", "type": "SOLID", "color": colour}]}
        case "TEXT":
            size = _FONT_SIZES[chance % len(_FONT_SIZES)]
            return shown | {"style": _text(size)} | text_members(draft.name)
        case "EFFECT":
            shadow = {"type": "DROP_SHADOW", "visible": True, "color": colour | {"a": 0.25}, "blendMode": "NORMAL"}
            cast = {"offset": {"x": 0.0, "y": 2.0}, "radius": 4.0, "spread": 0.0, "showShadowBehindNode": False}
            return shown | {"effects": [shadow | cast]}
        case "GRID":
            columns = {"pattern": "COLUMNS", "sectionSize": 60.0, "visible": True, "color": colour | {"a": 0.1}}
            columns |= {"alignment": "STRETCH", "gutterSize": 20.0, "offset": 0.0, "count": 12}
            return shown | {"layoutGrids": [columns]}
        case _:
            return shown | {"clipsContent": True, "layoutMode": "NONE", "children": []}


def _text(size: float) -> Node:
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
    drawn = [each for each in libraries.of_file(connection, file)[:MOST_ITEMS] if each.node not in taken]
    sets: dict[str, tuple[str, Node]] = {}
    for item in drawn:
        if item.draft is None:
            continue
        node = item_node(item, item.draft)
        if item.kind == libraries.STYLE:
            library.styles[item.node] = _told(item, item.draft) | {"styleType": item.draft.style_type}
            _put(library.pages, _STYLES_PAGE, None, _swatch(item, item.draft, node))
            continue
        told = _told(item, item.draft) | {"documentationLinks": []}
        around = sets.get(item.draft.component_set or "")
        if item.kind == libraries.COMPONENT_SET:
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
    around = pages.setdefault(page[0], page_node(*page))["children"]
    if frame is not None:
        known = next((each for each in around if each["id"] == frame[0]), None)
        if known is None:
            known = frame_node(*frame)
            around.append(known)
        around = known["children"]
    around.append(node)
