"""A tree of Swift to go through many times: each node is asked of tree-sitter once, then it is plain Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node


class Syntax:
    """A node with its type, its text and the nodes below it; it keeps the tree that it is of alive."""

    __slots__ = ("_node", "children", "is_named", "text", "type")
    children: list[Syntax]
    text: str

    def __init__(self, node: Node) -> None:
        self._node = node
        self.type = node.type
        self.is_named = node.is_named

    def __getattr__(self, name: str) -> object:
        """The text or the children where they are asked for the first time; from then on they are simply there."""
        match name:
            case "text":
                self.text = self._node.text.decode("utf-8")
            case "children":
                self.children = [Syntax(each) for each in self._node.children]
            case _:
                raise AttributeError(name)
        return getattr(self, name)

    @property
    def named_children(self) -> list[Syntax]:
        return [each for each in self.children if each.is_named]
