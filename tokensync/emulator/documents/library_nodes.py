"""Nodes of a file's library items, also of those that stand outside its layers, as a style's node does.

What they look like is made up from their names, the same each time; a document that was set may hold its own.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator.libraries import items

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection

    from tokensync.emulator.libraries.items import Draft, Item

Node = dict[str, Any]

_BOX: Final = {"x": 0.0, "y": 0.0, "width": 100.0, "height": 100.0}
_TYPES: Final = {items.COMPONENT: "COMPONENT", items.COMPONENT_SET: "COMPONENT_SET"}
_FONT_SIZES: Final = (12.0, 14.0, 16.0, 20.0, 24.0, 32.0)


def find(connection: sqlite3.Connection, file: int, ids: Collection[str]) -> dict[str, Node]:
    """Return the nodes of these ids that belong to library items of a file, by its number."""
    return {
        each.node: node(each, each.draft)
        for each in items.of_file(connection, file)
        if each.draft is not None and each.node in ids
    }


def written(characters: str) -> Node:
    """Return what a TEXT node says of its characters; none has a style of its own."""
    return {
        "characters": characters,
        "characterStyleOverrides": [],
        "styleOverrideTable": {},
        "lineTypes": ["NONE"],
        "lineIndentations": [0],
    }


def page(id_: str, name: str) -> Node:
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


def frame(id_: str, name: str) -> Node:
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


def node(item: Item, draft: Draft) -> Node:
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
            return shown | {"style": _text(size)} | written(draft.name)
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
