"""Which variables the nodes of a design file are bound to, by what the platform says of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.client.files import Node

_PAINTED = ("fills", "strokes", "effects")


def bindings(node: Node) -> Iterator[tuple[str, str]]:
    """(member, id of a variable) for everything of a node that is bound."""
    for member, value in node.bound_variables.items():
        for id_ in aliases(value):
            yield member, id_
    for member in _PAINTED:
        for id_ in _in_paints(getattr(node, member)):
            yield member, id_


def aliases(value: Any) -> Iterator[str]:
    """Yield the ids of all variables that a JSON value names, however deep, in their order."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            if each.get("type") == "VARIABLE_ALIAS" and isinstance(each.get("id"), str):
                yield each["id"]
            pending += reversed(each.values())
        elif isinstance(each, list):
            pending += reversed(each)


def _in_paints(value: Any) -> Iterator[str]:
    """Yield the ids in ``boundVariables`` of paints, of their gradients' stops, and of effects."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, dict):
            yield from aliases(each.get("boundVariables"))
            pending += reversed(each.values())
        elif isinstance(each, list):
            pending += reversed(each)
