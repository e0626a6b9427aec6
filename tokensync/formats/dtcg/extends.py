"""Group inheritance: ``$extends`` (dtcg.md section 5), within one file.

The target group is merged under the local one; a local token at the same path replaces the inherited token whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.formats.dtcg.references import is_reference, path_of_pointer
from tokensync.formats.dtcg.spelling import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable

    from tokensync.places import Pointer

    Report = Callable[[Pointer, str, str, str], None]

_DEEPEST = 200
_CODE = "group-extends"
_NO_REFERENCE = ("$extends is no reference to a group", 'write "{group}" or "#/group"')


def with_extensions_of_groups(tree: dict[str, Any], report: Report) -> dict[str, Any]:
    """The tree with every ``$extends`` carried out. What cannot be is reported and left out."""
    return _Extender(tree, report).expanded(tree, (), ())


class _Extender:
    def __init__(self, tree: dict[str, Any], report: Report) -> None:
        self.tree = tree
        self.report = report

    def expanded(self, group: dict[str, Any], pointer: Pointer, on_the_way: tuple[Pointer, ...]) -> dict[str, Any]:
        """A group with all that it and the groups within inherit. ``on_the_way`` are the groups being expanded."""
        if len(pointer) + len(on_the_way) > _DEEPEST:
            self.report(pointer, _CODE, "groups that extend others nest too deep", "nest less")
            return group
        local = {
            name: self.expanded(member, (*pointer, name), on_the_way)
            if isinstance(member, dict) and _is_group_name(name) and not _is_token(member)
            else member
            for name, member in group.items()
            if name != "$extends"
        }
        if "$extends" not in group:
            return local
        inherited = self._target(group["$extends"], pointer, (*on_the_way, pointer))
        return _merged(inherited, local) if inherited is not None else local

    def _target(self, reference: Any, pointer: Pointer, on_the_way: tuple[Pointer, ...]) -> dict[str, Any] | None:
        steps = _steps(reference)
        refusal = self._refusal(steps, on_the_way)
        if steps is None or refusal is not None:
            what, what_to_do = refusal or _NO_REFERENCE
            self.report((*pointer, "$extends"), _CODE, what, what_to_do)
            return None
        return self.expanded(self._node(steps), steps, on_the_way)

    def _node(self, steps: tuple[str, ...]) -> Any:
        node: Any = self.tree
        for step in steps:
            node = node.get(step) if isinstance(node, dict) else None
        return node

    def _refusal(self, steps: tuple[str, ...] | None, on_the_way: tuple[Pointer, ...]) -> tuple[str, str] | None:
        """Why a group cannot be extended, and what to do; None when it can."""
        if steps is None:
            return _NO_REFERENCE
        node = self._node(steps)
        if not isinstance(node, dict):
            return f"there is no group {'.'.join(steps)[:80]!r} in this file", "name a group of this file"
        if _is_token(node):
            return "it extends a token", "name a group; a token is referred to in $value"
        if any(each[: len(steps)] == steps for each in on_the_way):
            around = ", ".join(".".join(map(str, each)) for each in on_the_way)
            return f"groups extend each other in a circle: {around[:200]}", "take one of them out"
        return None


def _steps(reference: Any) -> tuple[str, ...] | None:
    if is_reference(reference) and len(reference) > 2:
        return tuple(reference[1:-1].split("."))
    return (path_of_pointer(reference) or None) if isinstance(reference, str) else None


def _merged(below: dict[str, Any], above: dict[str, Any]) -> dict[str, Any]:
    merged = dict(below)
    for name, member in above.items():
        under = merged.get(name)
        if _is_group_name(name) and isinstance(under, dict) and _is_plain_group(under) and _is_plain_group(member):
            merged[name] = _merged(under, member)
        else:
            merged[name] = member
    return merged


def _is_group_name(name: str) -> bool:
    return name[:1] != "$" and name != ROOT


def _is_token(node: dict[str, Any]) -> bool:
    return "$value" in node or "$ref" in node


def _is_plain_group(node: Any) -> bool:
    return isinstance(node, dict) and not _is_token(node)
