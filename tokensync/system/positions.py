"""Positions in JSON text: the line and column of a byte offset or of a JSON pointer.

Decoders discard positions, so the text is decoded again step by step, but only to report a problem. Malformed,
truncated and deeply nested text is scanned, in one pass without recursion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, AnyStr, TypeVar

import msgspec

from tokensync.system.errors import DECODE_ERRORS

Pointer = tuple[str | int, ...]
"""The steps of a JSON pointer: member names and array indices."""

_T = TypeVar("_T")
_DEEP = rb"(?:[\[{][^\[\]{}]*){99,}[\[{]"
"""Deep nesting, which ends with its last bracket."""
_LEXEME = rb'(?s)"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\]:,]|[^\s"{}\[\]:,]+'


def line_and_column(text: bytes, offset: int) -> tuple[int, int]:
    """Return the line and column of a byte offset, both from 1. Columns count characters; offsets are clamped."""
    return lines_and_columns(text, (offset,))[offset]


def lines_and_columns(text: bytes, offsets: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return ``line_and_column`` of many offsets in one pass: a file may have a problem in every token."""
    positions: dict[int, tuple[int, int]] = {}
    line, column, at = 1, 1, 0
    for offset in sorted(set(offsets)):
        end = min(max(offset, 0), len(text))
        newline = text.rfind(b"\n", at, end)
        if newline >= 0:
            line += text.count(b"\n", at, end)
            column, at = 1, newline + 1
        column += len(text[at:end].decode("utf-8", "replace"))
        at = end
        positions[offset] = line, column
    return positions


def decoded(text: bytes, type_: type[_T]) -> _T:
    """Return a JSON text as a type. Raises ``DECODE_ERRORS``, with positions from the start of the text.

    msgspec does not look at texts in members that the type does not have, and counts from the start of other texts.
    """
    if not text.isascii():
        text.decode()
    return msgspec.json.decode(text, type=type_)


def line_of_error(text: bytes, error: Exception) -> int:
    """Return the line of the byte or of the value that an error names; the last line of truncated text."""
    if isinstance(error, UnicodeDecodeError):
        return line_and_column(text, error.start)[0]
    if isinstance(error, RecursionError):
        deep = re.search(_DEEP, text)
        return line_and_column(text, deep.end() if deep else 0)[0]
    offset = re.search(r"\((?:byte|position|char) (\d+)\)", str(error))
    if offset is not None:
        return line_and_column(text, int(offset[1]))[0]
    if "truncated" in str(error):
        return line_and_column(text, len(text))[0]
    pointer = pointer_of_error(error)
    return line_and_column(text, offsets(text, [pointer])[pointer])[0]


def pointer_of_error(error: Exception) -> Pointer:
    """Return the pointer in the message of a ``msgspec.ValidationError``, up to a mapping, whose names it omits."""
    path = re.search(r" - at `\$(.*)`$", str(error))
    known = path[1].partition("[...]")[0] if path else ""
    steps = re.findall(r"\.(\w+)|\[(\d+)\]", known)
    return tuple(int(index) if index else name for name, index in steps)


def offsets(text: bytes, pointers: Iterable[Pointer]) -> dict[Pointer, int]:
    """Return the byte offset where each pointer's value starts, all in one pass.

    For a value that the text lacks, return the offset of the nearest parent. Like decoders, use the last of repeated
    names.
    """
    unique = tuple(dict.fromkeys(pointers))
    root = _requested(unique)
    try:
        is_complete = _walk(text, root)
    except DECODE_ERRORS:
        is_complete = False
    if not is_complete:
        root = _requested(unique)
        _scan(text, root)
    return {pointer: root.nearest(pointer) for pointer in unique}


def pointer_text(pointer: Pointer) -> str:
    """Return a JSON pointer as a URI fragment (RFC 6901): ``#/a/b``, or ``#`` for the whole text; cut if it is long."""
    text = "#" + "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in pointer)
    return text if len(text) <= 200 else f"{text[:120]}…{text[-60:]}"


def replaced(text: AnyStr, replacements: Iterable[tuple[int, int, AnyStr]]) -> AnyStr:
    """Return a text with new texts in place of what is between two offsets; these ranges do not overlap."""
    pieces: list[AnyStr] = []
    at = 0
    for start, end, new in sorted(replacements):
        pieces += (text[at:start], new)
        at = end
    pieces.append(text[at:])
    return text[:0].join(pieces)


class _Value:
    """A requested value, and the requested values inside it."""

    __slots__ = ("children", "offset")

    def __init__(self) -> None:
        self.offset: int | None = None
        self.children: dict[str | int, _Value] = {}

    def reserve(self, pointer: Pointer) -> None:
        value = self
        for step in pointer:
            value = value.children.setdefault(step, _Value())

    def nearest(self, pointer: Pointer) -> int:
        value, offset = self, self.offset or 0
        for step in pointer:
            value = value.children[step]
            if value.offset is None:
                break
            offset = value.offset
        return offset


def _requested(pointers: Iterable[Pointer]) -> _Value:
    root = _Value()
    for pointer in pointers:
        root.reserve(pointer)
    return root


_BEFORE_VALUE = re.compile(rb'[ \t\n\r]*[\[{,][ \t\n\r]*(?:"[^"\\]*(?:\\.[^"\\]*)*"[ \t\n\r]*:[ \t\n\r]*)?')
"""The bracket or comma before a value of a container, and its name in an object."""
_END = re.compile(rb"[ \t\n\r]*[\]}]")


def _walk(text: bytes, root: _Value) -> bool:
    """Record what ``_scan`` does at the speed of the decoder, which skips values that are not requested.

    Return False for text with repeated names, of which it finds only one. Raises DECODE_ERRORS for malformed text.
    """
    pending: list[tuple[_Value, bytes | msgspec.Raw, int]] = [(root, text, len(text) - len(text.lstrip(b" \t\n\r")))]
    while pending:
        container, content, at = pending.pop()
        container.offset = at
        is_object = text[at : at + 1] == b"{"
        if not container.children or not (is_object or text[at : at + 1] == b"["):
            if container is root:  # nothing shows that the text is well-formed
                return False
            continue
        kind: Any = dict[str, msgspec.Raw] if is_object else list[msgspec.Raw]
        members = msgspec.json.decode(content, type=kind)  # in the order of the text, if no name is repeated
        for step, raw in members.items() if is_object else enumerate(members):
            before, value = _BEFORE_VALUE.match(text, at), bytes(raw)
            if before is None or not text.startswith(value, before.end()):
                return False
            if (child := container.children.get(step)) is not None:
                pending.append((child, raw, before.end()))
            at = before.end() + len(value)
        if not _END.match(text, at if members else at + 1):
            return False
    return True


def _scan(text: bytes, root: _Value) -> None:
    """Record the offset of every requested value in the text."""
    containers: list[tuple[_Value | None, bool]] = []  # open ones: the requested value, if any, and whether an object
    steps: list[str | int | None] = []  # the current name or index in each container
    name_next = False
    for lexeme in re.finditer(_LEXEME, text):
        token = lexeme[0]
        if token == b":":
            name_next = False
        elif token == b",":
            step = steps[-1] if steps else None
            if isinstance(step, int):
                steps[-1] = step + 1
            name_next = bool(containers) and containers[-1][1]
        elif token in (b"}", b"]"):
            if containers:
                containers.pop()
                steps.pop()
            name_next = False
        elif name_next and token.startswith(b'"'):
            if containers[-1][0] is not None:
                steps[-1] = _name(token)
        else:
            value = _record(root, containers, steps, lexeme.start())
            if token in (b"{", b"["):
                name_next = token == b"{"
                containers.append((value, name_next))
                steps.append(None if name_next else 0)


def _record(
    root: _Value, containers: list[tuple[_Value | None, bool]], steps: list[str | int | None], offset: int
) -> _Value | None:
    """Record the offset of the current value if it is requested, and return it; else return None."""
    if not containers:
        value: _Value | None = root if root.offset is None else None
    else:
        parent, step = containers[-1][0], steps[-1]
        value = parent.children.get(step) if parent is not None and step is not None else None
    if value is not None:
        value.offset = offset
    return value


def _name(token: bytes) -> str | None:
    import json

    try:
        name: Any = json.loads(token)
    except ValueError:
        return None
    return name if isinstance(name, str) else None


_MARK = b"<<<<<<< "
CONFLICT, RESOLVE = (
    "the file has conflict marks of git",
    "edit the file so that it has the {} of both sides, and remove the marks",
)


def conflict_in(content: bytes) -> int | None:
    """Return the offset of the first line of a conflict that git has written; None if there is none."""
    # an expression would look at each byte of all token files and of the lock
    at = 0 if content.startswith(_MARK) else content.find(b"\n" + _MARK) + 1
    return at if content.startswith(_MARK, at) else None
