"""The canonical layout: a tree of groups and tokens as text in which one changed value is one changed line.

Groups and tokens have a line for each member; what a member holds stands on that line. The root's ``$extensions`` are
laid open as far as they hold objects that hold something in turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tokensync.formats.dtcg.spelling import EXTENSION_ORDER, MEMBER_ORDER, ROOT
from tokensync.formats.dtcg.text import Inline, inline, string_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DEEPEST_INDENT = 32  # names nest thousands deep if someone wants them to, and indentation would grow with the square
_INDENTS = tuple("  " * depth for depth in range(_DEEPEST_INDENT + 1))

Member = tuple[str, Any, Any]
"""A member's name, its value, and the function that tells the value's own members; None keeps it on one line."""


def token_file(tree: Mapping[str, Any]) -> bytes:
    """The text of a token file whose root group this is. Values that are ``Inline`` are written as they are."""
    return _text(dict(tree), _root_members)


def resolver_file(tree: Mapping[str, Any]) -> bytes:
    """The text of a resolver document."""
    return _text(dict(tree), _resolver_members)


def _text(tree: dict[str, Any], members: Any) -> bytes:
    """Write out a tree without recursion; ``members`` tells an object's members in order, and which are laid open."""
    lines = ["{"]
    open_at: list[Iterator[Member]] = [members(tree)]
    fresh = True  # whether the innermost open object has no member yet
    while open_at:
        step = next(open_at[-1], None)
        if step is None:
            open_at.pop()
            indent = _INDENTS[min(len(open_at), _DEEPEST_INDENT)]
            if fresh:
                lines[-1] += "}"
            else:
                lines.append(f"{indent}}}")
            fresh = False
            continue
        name, value, opener = step
        if not fresh:
            lines[-1] += ","
        indent = _INDENTS[min(len(open_at), _DEEPEST_INDENT)]
        block = _token_block(name, value, indent) if opener is _group_members and "$value" in value else None
        if block is not None:
            lines.append(block)
            fresh = False
        elif opener is None:
            lines.append(f"{indent}{string_text(name)}: {value if type(value) is Inline else inline(value)}")
            fresh = False
        else:
            lines.append(f"{indent}{string_text(name)}: {{")
            open_at.append(opener(value))
            fresh = True
    lines.append("")
    return "\n".join(lines).encode("utf-8")


def _token_block(name: str, token: dict[str, Any], indent: str) -> str | None:
    """The lines of a token; None when it holds something out of the ordinary."""
    known = [member for member in MEMBER_ORDER if member in token]
    if len(known) != len(token):
        return None
    inner = f"{indent}  "
    members = []
    for member in known:
        value = token[member]
        if member != "$extensions" or not isinstance(value, dict) or not value:
            members.append(f'{inner}"{member}": {inline(value)}')
            continue
        within = [f"{inner}  {string_text(key)}: {inline(each)}" for key, each, _ in _extensions(value)]
        text = ",\n".join(within)
        members.append(f'{inner}"{member}": {{\n{text}\n{inner}}}')
    text = ",\n".join(members)
    return f"{indent}{string_text(name)}: {{\n{text}\n{indent}}}"


def _root_members(root: dict[str, Any]) -> Iterator[Member]:
    for name, value, opener in _group_members(root):
        yield name, value, _file_extensions if opener is _extensions else opener


def _group_members(group: dict[str, Any]) -> Iterator[Member]:
    """A group's members or a token's: the reserved ones first, in their order, then the rest as they come."""
    for name in MEMBER_ORDER:
        if name in group:
            value = group[name]
            yield name, value, _extensions if name == "$extensions" and isinstance(value, dict) else None
    inner = []
    for name, value in group.items():
        if name == ROOT or name[:1] != "$":
            inner.append((name, value))
        elif name not in MEMBER_ORDER:
            yield name, value, None
    inner.sort(key=lambda member: member[0] != ROOT)
    for name, value in inner:
        yield name, value, _group_members if isinstance(value, dict) else None


def _extensions(members: dict[str, Any]) -> Iterator[Member]:
    for name in EXTENSION_ORDER:
        if name in members:
            yield name, members[name], None
    for name, value in members.items():
        if name not in EXTENSION_ORDER:
            yield name, value, None


def _file_extensions(members: dict[str, Any]) -> Iterator[Member]:
    for name, value, _ in _extensions(members):
        yield name, value, _nested if _holds_more(value) else None


def _nested(members: dict[str, Any]) -> Iterator[Member]:
    for name, value in members.items():
        yield name, value, _nested if _holds_more(value) else None


def _holds_more(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(each, dict | list) and each for each in value.values())


_RESOLVER_ORDER = ("$schema", "name", "version", "description", "sets", "modifiers", "resolutionOrder")


def _resolver_members(document: dict[str, Any]) -> Iterator[Member]:
    for name in (*_RESOLVER_ORDER, *(each for each in document if each not in _RESOLVER_ORDER)):
        if name in document:
            value = document[name]
            if name == "resolutionOrder" and isinstance(value, list) and value:
                value = Inline("[\n" + ",\n".join(f"    {inline(each)}" for each in value) + "\n  ]")
            yield name, value, _named if name in ("sets", "modifiers") and isinstance(value, dict) else None


def _named(members: dict[str, Any]) -> Iterator[Member]:
    for name, value in members.items():
        yield name, value, _modifier if isinstance(value, dict) and "contexts" in value else None


def _modifier(members: dict[str, Any]) -> Iterator[Member]:
    for name, value in members.items():
        yield name, value, _lines if name == "contexts" and isinstance(value, dict) else None


def _lines(members: dict[str, Any]) -> Iterator[Member]:
    for name, value in members.items():
        yield name, value, None
