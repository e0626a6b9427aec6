"""The documents of files. A file without a stored one has a sample page of its variables and library."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tokensync.emulator import libraries, library_pages, nodes, store
from tokensync.emulator.library_pages import page_node, text_members
from tokensync.emulator.nodes import Node
from tokensync.emulator.store import HELD, LIVE
from tokensync.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Iterator


MAX_LAYERS: Final = 500
"""The maximum number of layers on the sample page."""

_OWN_ID: Final = re.compile(r"VariableID:(\d+:\d+)")
_SIDE, _GAP, _MARGIN = 80, 16, 40  # pixels
_COLUMNS: Final = 10
_CONSTRAINTS: Final = {"vertical": "TOP", "horizontal": "LEFT"}
_GREY: Final = {"r": 0.5, "g": 0.5, "b": 0.5, "a": 1.0}
_SIDES: Final = ("TOP", "RIGHT", "BOTTOM", "LEFT")
_CORNERS: Final = ("TOP_LEFT", "TOP_RIGHT", "BOTTOM_LEFT", "BOTTOM_RIGHT")
_TEXT_FIELDS: Final = {
    "FONT_FAMILY": "fontFamily",
    "FONT_STYLE": "fontStyle",
    "FONT_SIZE": "fontSize",
    "FONT_WEIGHT": "fontWeight",
    "LINE_HEIGHT": "lineHeight",
    "LETTER_SPACING": "letterSpacing",
    "PARAGRAPH_SPACING": "paragraphSpacing",
    "PARAGRAPH_INDENT": "paragraphIndent",
}
_PAINT_FIELDS: Final = {"STROKE_COLOR": "strokes", "EFFECT_COLOR": "effects"}


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


def _sample_page(connection: sqlite3.Connection, file: int) -> Node:
    """Return the sample DOCUMENT node of a file, by its number. It depends on the file's variables only."""
    query = "SELECT document FROM variables WHERE file = ? AND state IN (?, ?) ORDER BY number LIMIT ?"
    rows = connection.execute(query, (file, LIVE, HELD, MAX_LAYERS))
    by_collection: dict[str, list[_Variable]] = {}
    for (raw,) in rows:
        variable = _variables.decode(raw)
        by_collection.setdefault(variable.variable_collection_id, []).append(variable)
    first = page_node(*libraries.FIRST_PAGE) | {"children": list(_frames(connection, file, by_collection))}
    return {"id": "0:0", "name": "Document", "type": "DOCUMENT", "scrollBehavior": "SCROLLS", "children": [first]}


def _frames(connection: sqlite3.Connection, file: int, by_collection: dict[str, list[_Variable]]) -> Iterator[Node]:
    query = "SELECT document FROM collections WHERE file = ? ORDER BY number"
    top = 0
    collections = [_collections.decode(raw) for (raw,) in connection.execute(query, (file,))]
    for number, collection in enumerate((each for each in collections if each.id in by_collection), 2):
        layers = [
            _layer(variable, f"0:{1000 * number + index}", index, top)
            for index, variable in enumerate(by_collection[collection.id])
        ]
        rows = -(-len(layers) // _COLUMNS)
        width, height = (_MARGIN * 2 + count * (_SIDE + _GAP) - _GAP for count in (min(len(layers), _COLUMNS), rows))
        frame = _node(f"0:{number}", collection.name, "FRAME", (0, top, width, height))
        frame |= {"clipsContent": True, "layoutMode": "NONE", "children": layers}
        if len(collection.modes) > 1:
            frame["explicitVariableModes"] = {collection.id: collection.modes[1].mode_id}
        yield frame
        top += height + _MARGIN


def _layer(variable: _Variable, fallback_id: str, index: int, top: int) -> Node:
    """Return the layer of the variable at this index of its frame."""
    own_id = _OWN_ID.fullmatch(variable.id)
    row, column = divmod(index, _COLUMNS)
    x, y = _MARGIN + column * (_SIDE + _GAP), top + _MARGIN + row * (_SIDE + _GAP)
    alias = {"type": "VARIABLE_ALIAS", "id": variable.id}
    kind, bound, members = _binding(variable, alias)
    node = _node(own_id[1] if own_id else fallback_id, variable.name, kind, (x, y, _SIDE, _SIDE))
    if kind == "TEXT":
        node |= {"style": {"fontFamily": "Inter", "fontWeight": 400, "fontSize": 16.0}} | text_members(variable.name)
    return node | members | {"boundVariables": bound}


def _binding(variable: _Variable, alias: Node) -> tuple[str, Node, Node]:
    """Return the type of a layer, its ``boundVariables``, and the members that they apply to."""
    scopes = [scope for scope in variable.scopes if scope != "ALL_SCOPES"]
    first = scopes[0] if scopes else ""
    match variable.resolved_type:
        case "COLOR":
            return _paint_binding(variable, alias, first)
        case "STRING" if first not in _TEXT_FIELDS:
            return "TEXT", {"characters": alias}, {}
        case "BOOLEAN":
            return "RECTANGLE", {"visible": alias}, {"visible": True}
        case _ if first in _TEXT_FIELDS:
            return "TEXT", {_TEXT_FIELDS[first]: [alias]}, {}
        case _:
            return _size_binding(alias, first)


def _paint_binding(variable: _Variable, alias: Node, scope: str) -> tuple[str, Node, Node]:
    color = next((each for each in variable.values_by_mode.values() if isinstance(each, dict) and "r" in each), _GREY)
    member = _PAINT_FIELDS.get(scope, "fills")
    kind = "TEXT" if scope == "TEXT_FILL" else "RECTANGLE"
    painted: Node = {"type": "SOLID", "blendMode": "NORMAL", "color": color, "boundVariables": {"color": alias}}
    if member == "effects":
        painted |= {"type": "DROP_SHADOW", "visible": True, "radius": 4.0, "offset": {"x": 0.0, "y": 2.0}}
        painted["showShadowBehindNode"] = False
    return kind, {member: [alias]}, {member: [painted]}


def _size_binding(alias: Node, scope: str) -> tuple[str, Node, Node]:
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
    bounds = {"x": x, "y": y, "width": width, "height": height}
    return {
        "id": id_,
        "name": name,
        "type": kind,
        "scrollBehavior": "SCROLLS",
        "blendMode": "PASS_THROUGH",
        "absoluteBoundingBox": bounds,
        "absoluteRenderBounds": bounds,
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


_MAX_DEPTH: Final = 200
_SETTING: Final = "largest file answer"
MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
"""The default maximum size of an answer with layers; the documentation gives no number."""


class Content(msgspec.Struct, frozen=True, rename="camel"):
    """The tree of a document, and the components, sets and styles that its layers refer to by node id."""

    document: Node
    components: dict[str, Any] = {}
    component_sets: dict[str, Any] = {}
    styles: dict[str, Any] = {}
    schema_version: int = 0


_content = msgspec.json.Decoder(Content)


def of_file(connection: sqlite3.Connection, file: int) -> Content:
    """Return the document of a file, by its number."""
    row = connection.execute("SELECT content FROM documents WHERE file = ?", (file,)).fetchone()
    return _sample(connection, file) if row is None else _content.decode(row[0])


def _sample(connection: sqlite3.Connection, file: int) -> Content:
    """Return the sample pages of a file: its variables, then its library."""
    document = _sample_page(connection, file)
    library = library_pages.of_file(connection, file, {node["id"] for node in nodes.nodes(document)})
    (first_page,) = document["children"]
    library_page = library.pages.pop(first_page["id"], None)
    if library_page is not None:
        first_page["children"] += library_page["children"]
    document["children"] += library.pages.values()
    return Content(document, library.components, library.component_sets, library.styles)


def decode(stored: bytes) -> Content:
    """Return the stored document of a version."""
    return _content.decode(stored)


def put(connection: sqlite3.Connection, file: int, document: Node) -> None:
    """Set a file's document to a DOCUMENT node, or to that of a saved answer. Raise UsageError for anything else."""
    try:
        content = msgspec.convert(document if "document" in document else {"document": document}, Content)
    except (msgspec.ValidationError, TypeError) as error:
        raise UsageError(f"document: not a document ({error}); give a DOCUMENT node or a saved answer") from None
    _check(content.document)
    connection.execute("INSERT OR REPLACE INTO documents VALUES (?, ?)", (file, msgspec.json.encode(content)))


def remove(connection: sqlite3.Connection, file: int) -> None:
    """Remove a file's document, so that the sample page is used again."""
    connection.execute("DELETE FROM documents WHERE file = ?", (file,))


def max_answer_bytes(connection: sqlite3.Connection) -> int:
    """Return the maximum size of an answer with layers in bytes."""
    return int(store.value_of(connection, _SETTING) or MAX_ANSWER_BYTES)


def set_max_answer_bytes(connection: sqlite3.Connection, size: int) -> None:
    """Set the maximum size of an answer with layers in bytes."""
    if size < 1:
        raise UsageError(f"largest answer: {size} bytes is too small; use at least 1")
    store.set_value(connection, _SETTING, str(size))


def _check(document: Node) -> None:
    """Raise UsageError unless every node has a type and a unique id, and the tree is not too deep."""
    if document.get("type") != "DOCUMENT":
        raise UsageError("document: the type is not DOCUMENT; give the DOCUMENT node, with its pages as children")
    seen: set[str] = set()
    pending: list[tuple[Any, int]] = [(document, 1)]
    while pending:
        node, depth = pending.pop()
        id_ = node.get("id") if isinstance(node, dict) else None
        if not isinstance(id_, str) or not isinstance(node.get("type"), str) or id_ in seen:
            raise UsageError(f"document: node {id_} has no type, or no unique id; add both")
        seen.add(id_)
        children = node.get("children", [])
        if depth > _MAX_DEPTH or not isinstance(children, list):
            limit = f"use arrays nested at most {_MAX_DEPTH} deep"
            raise UsageError(f"document: node {id_}: the children are not an array, or too deep; {limit}")
        pending += [(child, depth + 1) for child in children]
