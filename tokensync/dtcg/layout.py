"""The canonical layout of token files, in which a changed value changes one line, and the order of tokens.

Each member of a group or a token is on its own line, with the objects and arrays in it on the same line and the
shortest strings and numbers. The root's ``$extensions`` take several lines.

Nesting cannot always express the order of tokens, because a file keeps the tokens of a group together and a collection
does not. A token without a hint follows the previous token in the files. A hint moves a token and the tokens without
hints that follow it, so an added token changes at most one other hint. The hints of a collection are ``"after"`` in our
extension of its default mode's file, so that no token's lines change because another token was added or deleted.

``JsonText`` edits parts of a text that is in any layout.
"""

from __future__ import annotations

import json
import re
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from tokensync.dtcg.spelling import EXTENSION_ORDER, MEMBER_ORDER, OURS, OURS_ORDER, ROOT
from tokensync.system.positions import replaced

_NEEDS_CARE = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]')
_ESCAPED = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]")
_DEEPEST_RECURSION = 50
_LARGEST, _SMALLEST = 1e39, 1e-46  # numbers beyond are not float32 values, and would have dozens of zeros


class Inline(str):
    """JSON text that is written unchanged."""

    __slots__ = ()


def string_text(value: str) -> str:
    """Return a JSON string in UTF-8. Characters that editors and diffs do not show are escaped."""
    if _NEEDS_CARE.search(value) is None:
        return f'"{value}"'
    return _ESCAPED.sub(lambda match: f"\\u{ord(match[0]):04x}", json.dumps(value, ensure_ascii=False))


def number_text(value: float) -> str:
    """Return the shortest JSON number without an exponent that reads back as the same double."""
    if isinstance(value, int):
        return str(value)
    if value == int(value) and abs(value) < 2**53:
        return str(int(value))
    text = repr(value)
    if "e" in text and _SMALLEST < abs(value) < _LARGEST:
        from decimal import Decimal

        return f"{Decimal(text):f}"
    return text


def inline(value: Any, depth: int = 0) -> str:
    """Return a JSON value on one line, at any depth of nesting."""
    kind = type(value)
    if kind is Inline:
        return value  # type: ignore[no-any-return]
    if kind is str:
        return string_text(value)
    if kind is dict or kind is list:
        if depth == _DEEPEST_RECURSION:
            return _deep(value)
        if kind is list:
            return f"[{', '.join([inline(each, depth + 1) for each in value])}]"
        return f"{{{', '.join([f'{string_text(name)}: {inline(each, depth + 1)}' for name, each in value.items()])}}}"
    return _scalar(value)


def _deep(value: Any) -> str:
    """Return a container on one line, without recursion."""
    parts: list[str] = []
    open_at = [_members(value)]
    closing = ["}" if isinstance(value, dict) else "]"]
    parts.append("{" if isinstance(value, dict) else "[")
    while open_at:
        step = next(open_at[-1], None)
        if step is None:
            open_at.pop()
            parts.append(closing.pop())
            continue
        before, member = step
        parts.append(before)
        if isinstance(member, dict | list):
            parts.append("{" if isinstance(member, dict) else "[")
            closing.append("}" if isinstance(member, dict) else "]")
            open_at.append(_members(member))
        else:
            parts.append(_scalar(member))
    return "".join(parts)


def _members(container: Any) -> Any:
    """Yield each member with the text before it."""
    if isinstance(container, dict):
        for index, (name, member) in enumerate(container.items()):
            yield f"{', ' if index else ''}{string_text(name)}: ", member
    else:
        for index, member in enumerate(container):
            yield ", " if index else "", member


def _scalar(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return value if type(value) is Inline else string_text(value)
        case _:
            return number_text(value)


_DEEPEST_INDENT = 32  # limits the size of files with thousands of nested groups
_INDENTS = tuple("  " * depth for depth in range(_DEEPEST_INDENT + 1))

_WrittenMember = tuple[str, Any, Any]
"""A member's name, its value, and the function that yields the value's members; None writes it on one line."""


_OURS = frozenset(OURS_ORDER)


def token_file(tree: Mapping[str, Any]) -> bytes:
    """Return the text of a token file. ``Inline`` values are written unchanged."""
    return _text(dict(tree), _root_members)


def resolver_file(tree: Mapping[str, Any]) -> bytes:
    """Return the text of a resolver document."""
    return _text(dict(tree), _resolver_members)


def _text(tree: dict[str, Any], members: Any) -> bytes:
    """Return the text of a tree, without recursion; ``members`` yields the members of the root."""
    lines = ["{"]
    open_at: list[Iterator[_WrittenMember]] = [members(tree)]
    is_empty = True  # the innermost open object has no member yet
    while open_at:
        step = next(open_at[-1], None)
        if step is None:
            open_at.pop()
            indent = _INDENTS[min(len(open_at), _DEEPEST_INDENT)]
            if is_empty:
                lines[-1] += "}"
            else:
                lines.append(f"{indent}}}")
            is_empty = False
            continue
        name, value, opener = step
        if not is_empty:
            lines[-1] += ","
        is_empty = False
        indent = _INDENTS[min(len(open_at), _DEEPEST_INDENT)]
        block = _token_block(name, value, indent) if opener is _group_members and "$value" in value else None
        if block is not None:
            lines.append(block)
        elif opener is None:
            lines.append(f"{indent}{string_text(name)}: {value if type(value) is Inline else inline(value)}")
        else:
            lines.append(f"{indent}{string_text(name)}: {{")
            open_at.append(opener(value))
            is_empty = True
    lines.append("")
    return "\n".join(lines).encode("utf-8")


def _token_block(name: str, token: dict[str, Any], indent: str) -> str | None:
    """Return the lines of a token; None if it has unknown members."""
    if len(token) == 2 and "$type" in token:  # most tokens; the other member is the value
        head = f'{indent}{string_text(name)}: {{\n{indent}  "$type": {inline(token["$type"])},\n'
        return f'{head}{indent}  "$value": {inline(token["$value"])}\n{indent}}}'
    names = [member for member in MEMBER_ORDER if member in token]
    if len(names) != len(token):
        return None
    inner = f"{indent}  "
    members = []
    for member in names:
        value = token[member]
        if member != "$extensions" or not isinstance(value, dict) or not value:
            members.append(f'{inner}"{member}": {inline(value)}')
            continue
        within = [f"{inner}  {string_text(key)}: {inline(each)}" for key, each, _ in _extensions(value)]
        text = ",\n".join(within)
        members.append(f'{inner}"{member}": {{\n{text}\n{inner}}}')
    text = ",\n".join(members)
    return f"{indent}{string_text(name)}: {{\n{text}\n{indent}}}"


def _root_members(root: dict[str, Any]) -> Iterator[_WrittenMember]:
    for name, value, opener in _group_members(root):
        yield name, value, _file_extensions if opener is _extensions else opener


def _group_members(group: dict[str, Any]) -> Iterator[_WrittenMember]:
    """Yield the members of a group or a token: reserved members in canonical order, then the others unsorted."""
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


def _extensions(members: dict[str, Any]) -> Iterator[_WrittenMember]:
    for name in EXTENSION_ORDER:
        if name in members:
            value = members[name]
            if name == OURS and isinstance(value, dict) and not value.keys() <= _OURS:
                value = {each: value[each] for each in sorted(value, key=lambda each: each not in _OURS)}
            yield name, value, None
    for name, value in members.items():
        if name not in EXTENSION_ORDER:
            yield name, value, None


def _file_extensions(members: dict[str, Any]) -> Iterator[_WrittenMember]:
    for name, value, _ in _extensions(members):
        yield name, value, _nested if _is_nested(value) else None


def _nested(members: dict[str, Any]) -> Iterator[_WrittenMember]:
    for name, value in members.items():
        has_lines = name == "after" and isinstance(value, dict)
        yield name, value, _lines if has_lines else _nested if _is_nested(value) else None


def _is_nested(value: Any) -> bool:
    return isinstance(value, dict) and any(isinstance(each, dict | list) and each for each in value.values())


_RESOLVER_ORDER = ("$schema", "name", "version", "description", "sets", "modifiers", "resolutionOrder")


def _resolver_members(document: dict[str, Any]) -> Iterator[_WrittenMember]:
    for name in (*_RESOLVER_ORDER, *(each for each in document if each not in _RESOLVER_ORDER)):
        if name in document:
            value = document[name]
            if name == "resolutionOrder" and isinstance(value, list) and value:
                value = Inline("[\n" + ",\n".join(f"    {inline(each)}" for each in value) + "\n  ]")
            yield name, value, _named if name in ("sets", "modifiers") and isinstance(value, dict) else None


def _named(members: dict[str, Any]) -> Iterator[_WrittenMember]:
    for name, value in members.items():
        yield name, value, _modifier if isinstance(value, dict) and "contexts" in value else None


def _modifier(members: dict[str, Any]) -> Iterator[_WrittenMember]:
    for name, value in members.items():
        yield name, value, _lines if name == "contexts" and isinstance(value, dict) else None


def _lines(members: dict[str, Any]) -> Iterator[_WrittenMember]:
    for name, value in members.items():
        yield name, value, None


Key = TypeVar("Key", bound="Hashable")


def hints(in_files: Sequence[Key], in_order: Iterable[Key]) -> dict[Key, Key | None]:
    """Return the hints that restore an order: tokens by the token that each follows; None puts a token first.

    Both arguments hold the same keys.
    """
    next_in_files: dict[Key | None, Key] = dict(zip((None, *in_files), in_files, strict=False))
    suspended: list[Key | None] = [None]
    hinted: dict[Key, Key | None] = {}
    waiting: dict[Key, int] = {next_in_files[None]: 0} if in_files else {}  # the next key of each suspended run
    for key in in_order:
        level = waiting.pop(key, None)
        if level is None or level >= len(suspended) or next_in_files.get(suspended[level]) != key:
            hinted[key] = suspended[-1]
            suspended.append(key)
        else:
            del suspended[level + 1 :]
            suspended[level] = key
        follower = next_in_files.get(key)
        if follower is not None:
            waiting[follower] = len(suspended) - 1
    return hinted


def ordered(count: int, hinted: Mapping[int, int | None]) -> list[int]:
    """Return the row numbers in the order that the hints define. Hints that form a cycle are ignored."""
    if not hinted:
        return list(range(count))
    attached: dict[int | None, list[int]] = {}  # rows with a hint, by the row that they follow
    for number in sorted(hinted):
        attached.setdefault(hinted[number], []).append(number)
    done: dict[int, None] = {}
    starts = [*attached.get(None, ()), *([] if 0 in hinted else range(min(count, 1)))]
    for start in (starts, *([number] for number in sorted(hinted))):
        pending = [number for number in reversed(start) if number not in done]
        while pending:
            number = pending.pop()
            if number + 1 < count and number + 1 not in hinted:
                pending.append(number + 1)
            if number not in done:
                done[number] = None
                if number in attached:
                    pending += reversed(attached[number])
    return list(done)


_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_BETWEEN = rb"[^{}\"\[\]]*+"
_ARRAY = rb"\[[^\"{}\[\]]*+(?:%b[^\"{}\[\]]*+)*+\]" % _STRING


def _shallow(levels: int) -> bytes:
    """Return the pattern of an object with at most this many levels of objects in it."""
    inner = b"|" + _shallow(levels - 1) if levels else b""
    return rb"{%b(?:(?:%b|%b%b)%b)*+}" % (_BETWEEN, _STRING, _ARRAY, inner, _BETWEEN)


_LEXEME = re.compile(
    rb"(?P<name>%b)\s*:|(?P<shallow>%b)|(?P<object>{)|\[[^\"{}\[\]]*+\]|(?P<array>\[)|(?P<end>[}\]])|%b|[^\s\"{}\[\]:,]+"
    % (_STRING, _shallow(3), _STRING)
)
"""A name or a value. A shallow object, which tokens usually are, is one lexeme."""


class Extent:
    """A value from ``start`` to ``end``, with the members of an object, or the elements of an array.

    An array of numbers has no elements. ``text`` is the text of a shallow object, whose members are found when they are
    needed.
    """

    __slots__ = ("_members", "_text", "elements", "end", "start")

    def __init__(
        self,
        start: int,
        end: int,
        members: dict[str, Member] | None = None,
        elements: list[Extent] | None = None,
        text: bytes | None = None,
    ) -> None:
        self.start = start
        self.end = end
        self.elements = elements
        self._members = members
        self._text = text

    @property
    def members(self) -> dict[str, Member] | None:
        """Return the members of an object."""
        if self._text is not None:
            self._members = {}
            _find(self._text, self.start + 1, self.end - 1, _OpenContainer(self.start, self._members, None))
            self._text = None
        return self._members


class Member(NamedTuple):
    """A member of an object: its name's text from ``start`` to ``end``, and its value."""

    start: int
    end: int
    value: Extent


class _OpenContainer(NamedTuple):
    start: int
    members: dict[str, Member] | None
    elements: list[Extent] | None


def extent_of(text: bytes) -> Extent:
    """Return the extent of a JSON text that has been decoded, and of all values in it."""
    root: list[Extent] = []
    _find(text, 0, len(text), _OpenContainer(0, None, root))
    return root[0]


def _find(text: bytes, start: int, end: int, container: _OpenContainer) -> None:
    """Add the extents of the values in a part of a text to a container, without recursion."""
    opened = [container]
    names: list[tuple[str, int, int]] = []  # of the values that the open containers are, and of the next value
    for lexeme in _LEXEME.finditer(text, start, end):
        match lexeme.lastgroup:
            case "name":
                token = lexeme["name"]
                name = json.loads(token) if b"\\" in token else token[1:-1].decode()
                names.append((name, *lexeme.span("name")))
                continue
            case "shallow":
                value = Extent(*lexeme.span(), text=text)
            case "object":
                opened.append(_OpenContainer(lexeme.start(), {}, None))
                continue
            case "array":
                opened.append(_OpenContainer(lexeme.start(), None, []))
                continue
            case "end":
                begin, inner, elements = opened.pop()
                value = Extent(begin, lexeme.end(), inner, elements)
            case _:
                value = Extent(*lexeme.span())
        _, members, others = opened[-1]
        if members is not None:
            name, start, end = names.pop()
            members[name] = Member(start, end, value)
        elif others is not None:
            others.append(value)


class JsonText:
    """The text of a JSON file, and replacements of parts of it."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self.root = extent_of(text)
        first = next(iter((self.root.members or {}).values()), None)
        self.unit = b"" if first is None else self.indent(first.start) or b""
        """The indentation of a level; empty if the file is one line."""
        self._new: list[tuple[int, int, bytes]] = []

    def member(self, *names: str) -> Member | None:
        """Return a member of the root object or of objects within it; None if it does not exist."""
        node, found = self.root, None
        for name in names:
            found = (node.members or {}).get(name)
            if found is None:
                return None
            node = found.value
        return found

    def value(self, extent: Extent) -> Any:
        """Return the value at an extent."""
        return json.loads(self.text[extent.start : extent.end])

    def rename(self, member: Member, name: str) -> None:
        """Replace the name of a member."""
        self._new.append((member.start, member.end, string_text(name).encode()))

    def set_text(self, extent: Extent, text: str) -> None:
        """Replace a value by a string."""
        self._new.append((extent.start, extent.end, string_text(text).encode()))

    def result(self) -> bytes:
        """Return the text with all replacements."""
        return replaced(self.text, self._new)

    def indent(self, start: int) -> bytes | None:
        """Return the white space before a member that begins its line; None for a member within a line."""
        line = self.text[self.text.rfind(b"\n", 0, start) + 1 : start]
        return line if not line.strip(b" \t") and start > len(line) else None
