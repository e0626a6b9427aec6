"""Walks and cuts a document's tree: by ids, by depth, without what was not asked for.

Nothing here changes a node: what is cut is copied on the way down to it.
"""

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
    """Return the nodes that have one of these ids."""
    return {node["id"]: node for node in nodes(root) if node["id"] in ids}


def kept(root: Node, ids: Collection[str]) -> Node:
    """Return the tree of just these nodes, with all that is in them and all that they are in."""

    def keep(node: Node) -> Node | None:
        if node["id"] in ids:
            return node
        children = [child for child in map(keep, node.get("children", ())) if child is not None]
        return {**node, "children": children} if children else None

    return keep(root) or {**root, "children": []}


def as_asked(node: Node, *, depth: int | None, geometry: bool, plugins: Collection[str]) -> Node:
    """Return the node and ``depth`` levels below it, with geometry and the data of plugins only where they are asked
    for.

    A node whose children are below that has an empty list of them, as readers expect the member of every group.
    """
    shown = {name: value for name, value in node.items() if geometry or name not in _GEOMETRY}
    for name in _PLUGIN_DATA:
        if name in shown:
            data = _of_plugins(name, shown.pop(name), plugins)
            if data:
                shown[name] = data
    if "children" in node:
        below = None if depth is None else depth - 1
        children = () if depth == 0 else node["children"]
        shown["children"] = [as_asked(child, depth=below, geometry=geometry, plugins=plugins) for child in children]
    return shown


def image_references(root: Node) -> tuple[str, ...]:
    """Return what image fills refer to, in the order of the layers."""
    paints = (
        paint for node in nodes(root) for name in ("fills", "strokes", "background") for paint in _list(node, name)
    )
    return tuple(
        dict.fromkeys(
            paint["imageRef"] for paint in paints if isinstance(paint, dict) and isinstance(paint.get("imageRef"), str)
        )
    )


def _of_plugins(name: str, data: Any, plugins: Collection[str]) -> Any:
    """Private data is asked for by a plugin's id, and shared data as a whole."""
    if not isinstance(data, dict):
        return None
    if name == _PLUGIN_DATA[1]:
        return data if _SHARED in plugins else None
    return {plugin: value for plugin, value in data.items() if plugin in plugins}


def _list(node: Node, name: str) -> list[Any]:
    found = node.get(name)
    return found if isinstance(found, list) else []
