"""Nodes of a file's library items that stand outside its layers: what the node endpoint shows of a style's node.

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
    """The nodes of these ids that belong to library items of a file, by its number."""
    return {
        each.node: _node(each, each.draft)
        for each in items.of_file(connection, file)
        if each.draft is not None and each.node in ids
    }


def _node(item: Item, draft: Draft) -> Node:
    chance = zlib.crc32(draft.name.encode())
    node: Node = {
        "id": item.node,
        "name": draft.name,
        "type": _TYPES.get(item.kind, "TEXT" if draft.style_type == "TEXT" else "RECTANGLE"),
        "scrollBehavior": "SCROLLS",
        "blendMode": "PASS_THROUGH",
        "absoluteBoundingBox": _BOX,
        "fills": [],
        "strokes": [],
        "effects": [],
    }
    colour = {"r": (chance & 0xFF) / 255, "g": (chance >> 8 & 0xFF) / 255, "b": (chance >> 16 & 0xFF) / 255, "a": 1.0}
    match draft.style_type:
        case "FILL":
            return node | {"fills": [{"blendMode": "NORMAL", "type": "SOLID", "color": colour}]}
        case "TEXT":
            size = _FONT_SIZES[chance % len(_FONT_SIZES)]
            return node | {"characters": draft.name, "style": _text(size)}
        case "EFFECT":
            shadow = {"type": "DROP_SHADOW", "visible": True, "color": colour | {"a": 0.25}, "blendMode": "NORMAL"}
            return node | {"effects": [shadow | {"offset": {"x": 0.0, "y": 2.0}, "radius": 4.0, "spread": 0.0}]}
        case "GRID":
            columns = {"pattern": "COLUMNS", "sectionSize": 60.0, "visible": True, "color": colour | {"a": 0.1}}
            columns |= {"alignment": "STRETCH", "gutterSize": 20.0, "offset": 0.0, "count": 12}
            return node | {"layoutGrids": [columns]}
        case _:
            return node | {"children": []}


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
