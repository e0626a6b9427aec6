"""JSON text: the extents of its values, and edits that keep its layout."""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from tokensync.dtcg.layout import string_text
from tokensync.system.positions import replaced

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
