"""Where something stands in a JSON text: line and column of an offset or of a JSON pointer.

Nothing here is paid on the happy path: decoders forget places, and the text is scanned again only when a problem is
told. The scan is one pass without recursion, and takes malformed, truncated and endlessly nested text as it comes.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

Pointer = tuple[str | int, ...]
"""The steps of a JSON pointer: a member's name, or an element's index."""

_LEXEME = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]:,]|[^\s"{}\[\]:,]+', re.DOTALL)


def line_and_column(text: bytes, offset: int) -> tuple[int, int]:
    """Return the line and column of a byte offset, both from 1; columns count characters. Past the end is the end."""
    return lines_and_columns(text, (offset,))[offset]


def lines_and_columns(text: bytes, offsets: Iterable[int]) -> dict[int, tuple[int, int]]:
    """As ``line_and_column`` for many offsets, in one pass for all of them: a file may have a fault in every token."""
    places: dict[int, tuple[int, int]] = {}
    line, column, at = 1, 1, 0
    for offset in sorted(set(offsets)):
        end = min(max(offset, 0), len(text))
        newline = text.rfind(b"\n", at, end)
        if newline >= 0:
            line += text.count(b"\n", at, end)
            column, at = 1, newline + 1
        column += len(text[at:end].decode("utf-8", "replace"))
        at = end
        places[offset] = line, column
    return places


def offsets(text: bytes, pointers: Iterable[Pointer]) -> dict[Pointer, int]:
    """Return the byte offset where each pointer's value starts, in one pass for all of them.

    Where the text has no such value it is the nearest one around it; of a repeated name it is the last, as decoders
    have it.
    """
    wanted = tuple(dict.fromkeys(pointers))
    root = _Place()
    for pointer in wanted:
        root.reserve(pointer)
    _scan(text, root)
    return {pointer: root.nearest(pointer) for pointer in wanted}


def pointer_text(pointer: Pointer) -> str:
    """Return a JSON pointer as RFC 6901 writes it in a fragment: ``#/a/b``, ``#`` for the whole text."""
    return "#" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in pointer)


class _Place:
    """A value that is looked for, and the ones looked for within it."""

    __slots__ = ("offset", "within")

    def __init__(self) -> None:
        self.offset: int | None = None
        self.within: dict[str | int, _Place] = {}

    def reserve(self, pointer: Pointer) -> None:
        place = self
        for step in pointer:
            place = place.within.setdefault(step, _Place())

    def nearest(self, pointer: Pointer) -> int:
        place, found = self, self.offset or 0
        for step in pointer:
            place = place.within[step]
            if place.offset is None:
                break
            found = place.offset
        return found


def _scan(text: bytes, root: _Place) -> None:
    """Note the offset of every place that the text has. ``open_at`` holds the containers around the scan's position."""
    open_at: list[tuple[_Place | None, bool]] = []  # the place of an open container, if it is one; whether an object
    steps: list[str | int | None] = []  # the name or index that each of them is at
    name_next = False
    for lexeme in _LEXEME.finditer(text):
        token = lexeme[0]
        if token == b":":
            name_next = False
        elif token == b",":
            step = steps[-1] if steps else None
            if isinstance(step, int):
                steps[-1] = step + 1
            name_next = bool(open_at) and open_at[-1][1]
        elif token in (b"}", b"]"):
            if open_at:
                open_at.pop()
                steps.pop()
            name_next = False
        elif name_next and token.startswith(b'"'):
            if open_at[-1][0] is not None:
                steps[-1] = _name(token)
        else:
            place = _noted(root, open_at, steps, lexeme.start())
            if token in (b"{", b"["):
                name_next = token == b"{"
                open_at.append((place, name_next))
                steps.append(None if name_next else 0)


def _noted(
    root: _Place, open_at: list[tuple[_Place | None, bool]], steps: list[str | int | None], offset: int
) -> _Place | None:
    """Note a value's offset if it is looked for; the place, or None."""
    if not open_at:
        place: _Place | None = root if root.offset is None else None
    else:
        around, step = open_at[-1][0], steps[-1]
        place = around.within.get(step) if around is not None and step is not None else None
    if place is not None:
        place.offset = offset
    return place


def _name(token: bytes) -> str | None:
    """Return a member's name, or None for one that is no JSON string."""
    import json

    try:
        name: Any = json.loads(token)
    except ValueError:
        return None
    return name if isinstance(name, str) else None
