"""A page made up from a file's variables: a frame a collection, and in it a layer a variable that is bound to it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.emulator.documents.library_nodes import page, written
from tokensync.emulator.libraries import items
from tokensync.emulator.variables import states

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator

Node = dict[str, Any]

MOST_LAYERS: Final = 500
"""Layers of the sample; a file may have more variables than a page has use for."""

_OWN_ID: Final = re.compile(r"VariableID:(\d+:\d+)")
_SIDE, _GAP, _MARGIN = 80, 16, 40  # pixels of the layers, and between them
_COLUMNS: Final = 10
_CONSTRAINTS: Final = {"vertical": "TOP", "horizontal": "LEFT"}
_GREY: Final = {"r": 0.5, "g": 0.5, "b": 0.5, "a": 1.0}
_SIDES: Final = ("TOP", "RIGHT", "BOTTOM", "LEFT")
_CORNERS: Final = ("TOP_LEFT", "TOP_RIGHT", "BOTTOM_LEFT", "BOTTOM_RIGHT")
_OF_TEXT: Final = {
    "FONT_FAMILY": "fontFamily",
    "FONT_STYLE": "fontStyle",
    "FONT_SIZE": "fontSize",
    "FONT_WEIGHT": "fontWeight",
    "LINE_HEIGHT": "lineHeight",
    "LETTER_SPACING": "letterSpacing",
    "PARAGRAPH_SPACING": "paragraphSpacing",
    "PARAGRAPH_INDENT": "paragraphIndent",
}
_PAINTED: Final = {"STROKE_COLOR": "strokes", "EFFECT_COLOR": "effects"}


class _Mode(msgspec.Struct, rename="camel"):
    mode_id: str = ""


class _Collection(msgspec.Struct, rename="camel"):
    id: str = ""
    name: str = ""
    modes: list[_Mode] = []


class _Variable(msgspec.Struct, rename="camel"):
    id: str = ""
    name: str = ""
    variable_collection_id: str = ""
    resolved_type: str = ""
    values_by_mode: dict[str, Any] = {}
    scopes: list[str] = []


_collections = msgspec.json.Decoder(_Collection)
_variables = msgspec.json.Decoder(_Variable)


def document(connection: sqlite3.Connection, file: int) -> Node:
    """Return the DOCUMENT node of a file, by its number: the same one as long as its variables are the same."""
    query = "SELECT document FROM variables WHERE file = ? AND state IN (?, ?) ORDER BY number LIMIT ?"
    rows = connection.execute(query, (file, states.LIVE, states.HELD, MOST_LAYERS))
    by_collection: dict[str, list[_Variable]] = {}
    for (raw,) in rows:
        variable = _variables.decode(raw)
        by_collection.setdefault(variable.variable_collection_id, []).append(variable)
    first = page(*items.FIRST_PAGE) | {"children": list(_frames(connection, file, by_collection))}
    return {"id": "0:0", "name": "Document", "type": "DOCUMENT", "scrollBehavior": "SCROLLS", "children": [first]}


def _frames(connection: sqlite3.Connection, file: int, of: dict[str, list[_Variable]]) -> Iterator[Node]:
    query = "SELECT document FROM collections WHERE file = ? ORDER BY number"
    top = 0
    collections = [_collections.decode(raw) for (raw,) in connection.execute(query, (file,))]
    for number, collection in enumerate((each for each in collections if each.id in of), 2):
        layers = [_layer(each, f"0:{1000 * number + at}", at, top) for at, each in enumerate(of[collection.id])]
        lines = -(-len(layers) // _COLUMNS)
        width, height = (_MARGIN * 2 + each * (_SIDE + _GAP) - _GAP for each in (min(len(layers), _COLUMNS), lines))
        frame = _node(f"0:{number}", collection.name, "FRAME", (0, top, width, height))
        frame |= {"clipsContent": True, "layoutMode": "NONE", "children": layers}
        if len(collection.modes) > 1:
            frame["explicitVariableModes"] = {collection.id: collection.modes[1].mode_id}
        yield frame
        top += height + _MARGIN


def _layer(variable: _Variable, spare_id: str, at: int, top: int) -> Node:
    """Return the layer of the variable at this place of its frame."""
    own = _OWN_ID.fullmatch(variable.id)
    line, column = divmod(at, _COLUMNS)
    x, y = _MARGIN + column * (_SIDE + _GAP), top + _MARGIN + line * (_SIDE + _GAP)
    alias = {"type": "VARIABLE_ALIAS", "id": variable.id}
    kind, bound, more = _bound(variable, alias)
    node = _node(own[1] if own else spare_id, variable.name, kind, (x, y, _SIDE, _SIDE))
    if kind == "TEXT":
        node |= {"style": {"fontFamily": "Inter", "fontWeight": 400, "fontSize": 16.0}} | written(variable.name)
    return node | more | {"boundVariables": bound}


def _bound(variable: _Variable, alias: Node) -> tuple[str, Node, Node]:
    """Return the kind of a layer, what of it the variable is bound to, and the members that show that."""
    scopes = [each for each in variable.scopes if each != "ALL_SCOPES"]
    first = scopes[0] if scopes else ""
    match variable.resolved_type:
        case "COLOR":
            return _coloured(variable, alias, first)
        case "STRING" if first not in _OF_TEXT:
            return "TEXT", {"characters": alias}, {}
        case "BOOLEAN":
            return "RECTANGLE", {"visible": alias}, {"visible": True}
        case _ if first in _OF_TEXT:
            return "TEXT", {_OF_TEXT[first]: [alias]}, {}
        case _:
            return _measured(alias, first)


def _coloured(variable: _Variable, alias: Node, scope: str) -> tuple[str, Node, Node]:
    color = next((each for each in variable.values_by_mode.values() if isinstance(each, dict) and "r" in each), _GREY)
    member = _PAINTED.get(scope, "fills")
    kind = "TEXT" if scope == "TEXT_FILL" else "RECTANGLE"
    painted: Node = {"type": "SOLID", "blendMode": "NORMAL", "color": color, "boundVariables": {"color": alias}}
    if member == "effects":
        painted |= {"type": "DROP_SHADOW", "visible": True, "radius": 4.0, "offset": {"x": 0.0, "y": 2.0}}
        painted["showShadowBehindNode"] = False
    return kind, {member: [alias]}, {member: [painted]}


def _measured(alias: Node, scope: str) -> tuple[str, Node, Node]:
    match scope:
        case "GAP":
            spaced = {"clipsContent": True, "layoutMode": "HORIZONTAL", "itemSpacing": 8.0, "children": []}
            return "FRAME", {"itemSpacing": alias}, spaced
        case "CORNER_RADIUS":
            corners = {f"RECTANGLE_{each}_CORNER_RADIUS": alias for each in _CORNERS}
            return "RECTANGLE", {"rectangleCornerRadii": corners}, {"rectangleCornerRadii": [4.0] * 4}
        case "STROKE_FLOAT":
            sides = {f"BORDER_{each}_WEIGHT": alias for each in _SIDES}
            return "RECTANGLE", {"individualStrokeWeights": sides}, {}
        case "OPACITY":
            return "RECTANGLE", {"opacity": alias}, {"opacity": 0.5}
        case "EFFECT_FLOAT":
            blur = {
                "type": "LAYER_BLUR",
                "blurType": "NORMAL",
                "visible": True,
                "radius": 4.0,
                "boundVariables": {"radius": alias},
            }
            return "RECTANGLE", {"effects": [alias]}, {"effects": [blur]}
        case _:
            return "RECTANGLE", {"size": {"x": alias, "y": alias}}, {}


def _node(id_: str, name: str, kind: str, box: tuple[int, int, int, int]) -> Node:
    x, y, width, height = map(float, box)
    around = {"x": x, "y": y, "width": width, "height": height}
    return {
        "id": id_,
        "name": name,
        "type": kind,
        "scrollBehavior": "SCROLLS",
        "blendMode": "PASS_THROUGH",
        "absoluteBoundingBox": around,
        "absoluteRenderBounds": around,
        "constraints": _CONSTRAINTS,
        "fills": [],
        "strokes": [],
        "strokeWeight": 1.0,
        "strokeAlign": "INSIDE",
        "effects": [],
        "interactions": [],
        "size": {"x": width, "y": height},
        "relativeTransform": [[1.0, 0.0, x], [0.0, 1.0, y]],
        "fillGeometry": [{"path": f"M0 0H{width:g}V{height:g}H0Z", "windingRule": "NONZERO"}],
        "strokeGeometry": [],
    }
