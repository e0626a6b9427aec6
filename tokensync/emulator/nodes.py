"""Traversal and trimming of a document's tree. Nodes are copied, never changed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator


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
