"""The documents of files. A file without a stored one has a sample page of its variables and library."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from tokensync.emulator.services import libraries
from tokensync.emulator.store import HELD, LIVE
from tokensync.system.errors import UsageError

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator

    from tokensync.emulator.services.libraries import Draft, Item


Node = dict[str, Any]

_GEOMETRY: Final = frozenset(("fillGeometry", "strokeGeometry", "relativeTransform", "size"))
_PLUGIN_DATA: Final = ("pluginData", "sharedPluginData")
_SHARED: Final = "shared"


def nodes(root: Node) -> Iterator[Node]:
    """Yield every node, parents first."""
    pending = [root]
    while pending:
        node = pending.pop()
        yield node
        pending += reversed(node.get("children", ()))


def find(root: Node, ids: Collection[str]) -> dict[str, Node]:
    """Return the nodes with these ids, by id."""
    return {node["id"]: node for node in nodes(root) if node["id"] in ids}


def prune(root: Node, ids: Collection[str]) -> Node:
    """Return the tree reduced to these nodes, their ancestors and their descendants."""

    def pruned(node: Node) -> Node | None:
        if node["id"] in ids:
            return node
        children = [child for child in map(pruned, node.get("children", ())) if child is not None]
        return {**node, "children": children} if children else None

    return pruned(root) or {**root, "children": []}


def trim(node: Node, *, depth: int | None, geometry: bool, plugins: Collection[str]) -> Node:
    """Return a node and ``depth`` levels below it, without unrequested geometry and plugin data.

    A node at the last level has empty ``children``, since clients expect that member of every group.
    """
    trimmed = {name: value for name, value in node.items() if geometry or name not in _GEOMETRY}
    for name in _PLUGIN_DATA:
        if name in trimmed:
            data = _plugin_data(name, trimmed.pop(name), plugins)
            if data:
                trimmed[name] = data
    if "children" in node:
        below = None if depth is None else depth - 1
        children = () if depth == 0 else node["children"]
        trimmed["children"] = [trim(child, depth=below, geometry=geometry, plugins=plugins) for child in children]
    return trimmed


def image_references(root: Node) -> tuple[str, ...]:
    """Return the references of image fills, in layer order."""
    paints = (
        paint for node in nodes(root) for name in ("fills", "strokes", "background") for paint in _list(node, name)
    )
    return tuple(
        dict.fromkeys(
            paint["imageRef"] for paint in paints if isinstance(paint, dict) and isinstance(paint.get("imageRef"), str)
        )
    )


def _plugin_data(name: str, data: Any, plugins: Collection[str]) -> Any:
    """Return the private data of the plugins with these ids; shared data is all or nothing."""
    if not isinstance(data, dict):
        return None
    if name == _PLUGIN_DATA[1]:
        return data if _SHARED in plugins else None
    return {plugin: value for plugin, value in data.items() if plugin in plugins}


def _list(node: Node, name: str) -> list[Any]:
    value = node.get(name)
    return value if isinstance(value, list) else []


_BOX: Final = {"x": 0.0, "y": 0.0, "width": 100.0, "height": 100.0}
_TYPES: Final = {libraries.COMPONENT: "COMPONENT", libraries.COMPONENT_SET: "COMPONENT_SET"}
_FONT_SIZES: Final = (12.0, 14.0, 16.0, 20.0, 24.0, 32.0)


def find_nodes(connection: sqlite3.Connection, file: int, ids: Collection[str]) -> dict[str, Node]:
    """Return the nodes with these ids of a file's library items, by id."""
    bound = _text_bindings(_sample_page(connection, file))
    return {
        item.node: item_node(item, item.draft, bound)
        for item in libraries.of_file(connection, file)
        if item.draft is not None and item.node in ids
    }


def _text_bindings(page: Node) -> Node:
    """Return the first variable on a sample page for each property of texts, as ``boundVariables`` has them."""
    bound: Node = {}
    for node in nodes(page):
        if node["type"] == "TEXT":
            for field, aliases in node["boundVariables"].items():
                if field in _TEXT_FIELDS.values():
                    bound.setdefault(field, aliases)
    return bound


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


def item_node(item: Item, draft: Draft, bound: Node) -> Node:
    """Return the node of an item; components and component sets have no layers yet. ``bound`` is for texts."""
    digest = zlib.crc32(draft.name.encode())
    kind = _TYPES.get(item.kind, "TEXT" if draft.style_type == "TEXT" else "RECTANGLE")
    node = _plain(item.node, draft.name, kind)
    color = {"r": (digest & 0xFF) / 255, "g": (digest >> 8 & 0xFF) / 255, "b": (digest >> 16 & 0xFF) / 255, "a": 1.0}
    if draft.value is not None:
        return node | draft.value | (text_members(draft.name) if kind == "TEXT" else {})
    match draft.style_type:
        case "FILL":
            return node | {"fills": [{"blendMode": "NORMAL", "type": "SOLID", "color": color}]}
        case "TEXT":
            size = _FONT_SIZES[digest % len(_FONT_SIZES)]
            return node | {"style": _text_style(size), "boundVariables": bound} | text_members(draft.name)
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


def library_of(connection: sqlite3.Connection, file: int, page: Node) -> Library:
    """Return the current library of a file, by its number, omitting items whose node id the sample page uses."""
    used_ids, bound = {node["id"] for node in nodes(page)}, _text_bindings(page)
    library = Library({}, {}, {}, {})
    sets: dict[str, tuple[str, Node]] = {}
    for item in libraries.of_file(connection, file)[:MAX_ITEMS]:
        if item.draft is None or item.node in used_ids:
            continue
        node = item_node(item, item.draft, bound)
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


MAX_LAYERS: Final = 500
"""The maximum number of layers on the sample page."""

_OWN_ID: Final = re.compile(r"VariableID:(\d+:\d+)")
_SIDE, _GAP, _MARGIN = 80, 16, 40  # pixels
_COLUMNS: Final = 10
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
    return _plain(id_, name, kind) | {
        "absoluteBoundingBox": bounds,
        "absoluteRenderBounds": bounds,
        "size": {"x": width, "y": height},
        "relativeTransform": [[1.0, 0.0, x], [0.0, 1.0, y]],
        "fillGeometry": [{"path": f"M0 0H{width:g}V{height:g}H0Z", "windingRule": "NONZERO"}],
        "strokeGeometry": [],
    }


_MAX_DEPTH: Final = 200
LARGEST_ANSWER: Final = "largest file answer"
"""The setting of the maximum size of an answer with layers in bytes."""
MAX_ANSWER_BYTES: Final = 64 * 1024 * 1024
"""The default of this size; the documentation gives no number."""


class Content(msgspec.Struct, frozen=True, rename="camel"):
    """The tree of a document, and the components, sets and styles that its layers refer to by node id."""

    document: Node
    components: dict[str, Any] = {}
    component_sets: dict[str, Any] = {}
    styles: dict[str, Any] = {}
    schema_version: int = 0


decode = msgspec.json.Decoder(Content).decode


def of_file(connection: sqlite3.Connection, file: int) -> Content:
    """Return the document of a file, by its number."""
    row = connection.execute("SELECT content FROM documents WHERE file = ?", (file,)).fetchone()
    return _sample(connection, file) if row is None else decode(row[0])


def _sample(connection: sqlite3.Connection, file: int) -> Content:
    """Return the sample pages of a file: its variables, then its library."""
    document = _sample_page(connection, file)
    library = library_of(connection, file, document)
    (first_page,) = document["children"]
    library_page = library.pages.pop(first_page["id"], None)
    if library_page is not None:
        first_page["children"] += library_page["children"]
    document["children"] += library.pages.values()
    return Content(document, library.components, library.component_sets, library.styles)


def put(connection: sqlite3.Connection, file: int, document: Node) -> None:
    """Set a file's document to a DOCUMENT node, or to that of a saved answer. Raise UsageError for anything else."""
    try:
        content = msgspec.convert(document if "document" in document else {"document": document}, Content)
    except (msgspec.ValidationError, TypeError) as error:
        raise UsageError(f"document: not a document ({error}); give a DOCUMENT node or a saved answer") from None
    _check(content.document)
    connection.execute("INSERT OR REPLACE INTO documents VALUES (?, ?)", (file, msgspec.json.encode(content)))


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
