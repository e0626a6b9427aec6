"""Groups that extend others: the members that they inherit, and references to groups."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.spelling import CODE_SYNTAX, FIGMA, OURS, ROOT, VARIABLE_ID, is_reference, path_of_pointer
from tokensync.system.wording import SimilarNames, quoted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.system.positions import Pointer

    Report = Callable[[Pointer, str, str, str], None]


def expanded(tree: dict[str, Any], text: bytes, report: Report) -> dict[str, Any]:
    """Return a token file's tree with the members that groups inherit; the tree itself if no group extends another."""
    extender = _Extender(tree, report)
    if b'"$extends"' in text or (b'"$ref"' in text and extender.has_group_references()):
        return extender.expanded(tree, (), ())
    return tree


def walk(tree: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], dict[str, Any], bool]]:
    """Yield the groups and tokens of a token file's tree in the order in which they are written, ``$root`` first.

    Each comes with its address, and with whether it is a token, which contains no others.
    """
    steps: list[str] = []
    open_groups: list[Iterator[tuple[str, Any]]] = [iter(tree.items())]
    while open_groups:
        for name, node in open_groups[-1]:
            if (name[:1] == "$" and name != ROOT) or not isinstance(node, dict):
                continue
            is_token = is_token_of(tree, node)
            yield (*steps, name), node, is_token
            if not is_token:
                steps.append(name)
                open_groups.append(_children(node))
                break
        else:
            open_groups.pop()
            if steps:
                steps.pop()


def _children(group: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    if ROOT in group:
        yield ROOT, group[ROOT]
    yield from (member for member in group.items() if member[0] != ROOT)


_DEEPEST_EXTENSION = 200
_MOST_INHERITED = 100_000
"""Members: a few groups that each have the one before twice would inherit more than any memory holds."""
_OF_ONE_TOKEN = (VARIABLE_ID, CODE_SYNTAX)
"""Members of ``$extensions`` that a group's tokens do not inherit, because no two tokens can have the same."""


def is_token_of(tree: dict[str, Any], node: dict[str, Any]) -> bool:
    """Return whether an object of a token file's tree is a token, and not a group."""
    return "$value" in node or ("$ref" in node and _Extender(tree, lambda *_: None).is_token(node))


def _no_group(reference: Any) -> tuple[str, str]:
    """Return what is wrong with a text that is no reference, and the reference that it probably means."""
    steps = [each for each in re.split(r"[./]", reference.strip("#{}/ ")) if each] if isinstance(reference, str) else []
    to_do = f'write "{{{".".join(steps)[:120]}}}"' if steps else "write the path of a group in braces"
    return f"$extends is {quoted(reference)}, which is not a reference to a group", to_do


class _Extender:
    """Applies ``$extends``. References that cannot be resolved are reported and ignored."""

    def __init__(self, tree: dict[str, Any], report: Report) -> None:
        self.tree = tree
        self.report = report
        self._similar_names = SimilarNames()
        self._left = _MOST_INHERITED

    def expanded(self, group: dict[str, Any], pointer: Pointer, ancestors: tuple[Pointer, ...]) -> dict[str, Any]:
        """Return a group with the members that it and its subgroups inherit.

        ``ancestors`` are the groups whose ``$extends`` led to this group.
        """
        self._left -= len(group) if ancestors else 0
        if len(pointer) + len(ancestors) > _DEEPEST_EXTENSION or self._left < 0:
            what = "groups with $extends are nested too deeply" + (" or inherit too much" if self._left < 0 else "")
            self.report(pointer, "group-extends", what, "reduce the nesting")
            return group
        local = {
            name: self.expanded(member, (*pointer, name), ancestors)
            if isinstance(member, dict) and name[:1] != "$" and not self.is_token(member)
            else member
            for name, member in group.items()
            if name not in ("$extends", "$ref")
        }
        if "$extends" in group and "$ref" in group:
            what = "the group has both $extends and $ref"
            self.report((*pointer, "$ref"), "group-extends", what, "remove one of the two")
        for name in ("$extends", "$ref"):
            if name in group:
                inherited = self._target(group[name], (*pointer, name), (*ancestors, pointer))
                return _merged(inherited, local) if inherited is not None else local
        return local

    def has_group_references(self) -> bool:
        """Return whether the ``$ref`` of any object leads to a group."""
        pending = [self.tree]
        while pending:
            node = pending.pop()
            if "$ref" in node and not self.is_token(node):
                return True
            if "$value" not in node:
                pending += (each for name, each in node.items() if name[:1] != "$" and isinstance(each, dict))
        return False

    def _target(self, reference: Any, pointer: Pointer, ancestors: tuple[Pointer, ...]) -> dict[str, Any] | None:
        steps = steps_of(reference)
        error = _no_group(reference) if steps is None else self._error(steps, ancestors)
        if steps is None or error is not None:
            what, what_to_do = error or _no_group(reference)
            self.report(pointer, "group-extends", what, what_to_do)
            return None
        group = self.expanded(self._node(steps), steps, ancestors)
        try:
            return _inherited(group)
        except RecursionError:  # ``expanded`` has reported it
            return None

    def is_token(self, node: dict[str, Any]) -> bool:
        """Return whether an object is a token. An object with a ``$ref`` that leads to a group is a group."""
        visited: list[Any] = []
        while "$value" not in node and "$ref" in node:
            if node in visited or "$extends" in node:
                return "$extends" not in node
            visited.append(node)
            steps = path_of_pointer(node["$ref"]) if isinstance(node["$ref"], str) else None
            target = self._node(steps) if steps else None
            if not isinstance(target, dict) or "$value" in (steps or ()):
                return True
            node = target
        return "$value" in node

    def _node(self, steps: tuple[str, ...]) -> Any:
        node: Any = self.tree
        for step in steps:
            node = node.get(step) if isinstance(node, dict) else None
        return node

    def _error(self, steps: tuple[str, ...], ancestors: tuple[Pointer, ...]) -> tuple[str, str] | None:
        """Return why a group cannot be extended, and what to do; None if it can."""
        node = self._node(steps)
        if not isinstance(node, dict):
            similar = self._similar_names.path(self.tree, steps)
            to_do = f"did you mean {'.'.join(similar)[:120]!r}?" if similar else "name a group of this file"
            return f"there is no group {'.'.join(steps)[:80]!r} in this file", to_do
        if self.is_token(node):
            return "$extends refers to a token", "name a group; refer to a token in $value"
        if any(ancestor[: len(steps)] == steps for ancestor in ancestors):
            cycle = ", ".join(".".join(map(str, ancestor)) for ancestor in ancestors)
            return f"groups extend each other in a cycle: {cycle[:200]}", "remove one $extends of the cycle"
        return None


def steps_of(reference: Any) -> tuple[str, ...] | None:
    """Return the steps of a reference to a group, in either syntax; None for other values."""
    if is_reference(reference) and len(reference) > 2:
        return tuple(reference[1:-1].split("."))
    return (path_of_pointer(reference) or None) if isinstance(reference, str) else None


def _inherited(group: dict[str, Any]) -> dict[str, Any]:
    """Return a group for a group that extends it, without the members that only one token can have."""
    inherited = dict(group)
    for name, member in group.items():
        if not isinstance(member, dict) or (name[:1] == "$" and name != ROOT):
            continue
        inherited[name] = without_identity(member) if _is_token(member) else _inherited(member)
    return inherited


def without_identity(token: dict[str, Any]) -> dict[str, Any]:
    """Return a token without the members of ``$extensions`` that no two tokens can have."""
    extensions = token.get("$extensions")
    if not isinstance(extensions, dict):
        return token
    rest = {name: each for name, each in extensions.items() if name not in _OF_ONE_TOKEN}
    for vendor, names in ((FIGMA, ("variableId", "codeSyntax")), (OURS, ("key", "published"))):
        if isinstance(rest.get(vendor), dict):
            rest[vendor] = {name: each for name, each in rest[vendor].items() if name not in names}
            if not rest[vendor]:
                del rest[vendor]
    token = {name: each for name, each in token.items() if name != "$extensions"}
    return {**token, "$extensions": rest} if rest else token


def _merged(inherited: dict[str, Any], local: dict[str, Any]) -> dict[str, Any]:
    merged = dict(inherited)
    for name, member in local.items():
        other = merged.get(name)
        if name[:1] != "$" and isinstance(other, dict) and _is_plain_group(other) and _is_plain_group(member):
            merged[name] = _merged(other, member)
        else:
            merged[name] = member
    return merged


def _is_token(node: dict[str, Any]) -> bool:
    return "$value" in node or "$ref" in node


def _is_plain_group(node: Any) -> bool:
    return isinstance(node, dict) and not _is_token(node)
