"""TOML text: the positions of its parts, and edits that keep its comments and layout.

TOML libraries discard comments and layout. This one finds where each key and value is, so that an edit replaces only
its own characters. It expects a text that has been read as TOML.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple

Steps = tuple[str | int, ...]
"""The names and indices that lead to a value; the n-th ``[[outputs]]`` is ``("outputs", n)``, from 0."""


class Part(NamedTuple):
    """A part of a text, from ``start`` to ``end``.

    ``table``: a header. ``entry``: the key of a line outside values. ``key``: one name of a header or key, anywhere.
    ``value``: a value that is not an array or inline table.
    """

    kind: Literal["table", "entry", "key", "value"]
    steps: Steps
    start: int
    end: int


_LEXEME = r"""(?sx)
    (?P<comment>\#[^\n]*) | (?P<space>(?:[^\S\n]|\ufeff)+)
    | (?P<text>\"{3}(?:[^\\]|\\.)*?\"{3,5} | '{3}.*?'{3,5} | "(?:[^"\\\n]|\\.)*" | '[^'\n]*')
    | (?P<mark>[\[\]{}=.,\n]) | (?P<bare>[^\s\ufeff\#"'\[\]{}=.,]+)
    """


def parts_of(text: str) -> Iterator[Part]:
    """Yield the parts of a text in order."""
    return _Reader(text).parts()


class _Reader:
    def __init__(self, text: str) -> None:
        self._lexemes = [match for match in re.finditer(_LEXEME, text) if match.lastgroup not in ("comment", "space")]
        self._at = 0
        self._lengths: dict[Steps, int] = {}

    def parts(self) -> Iterator[Part]:
        table: Steps = ()
        while self._at < len(self._lexemes):
            start = self._at
            if self._is("["):
                self._at += 1
                is_array = self._is("[")
                self._at += is_array
                names = self._names()
                table = self._table([name for name, _ in names], is_array=is_array) if names else table
                self._at += 1 + is_array
                if names:
                    end = self._lexemes[min(self._at, len(self._lexemes)) - 1].end()
                    yield Part("table", table, self._lexemes[start].start(), end)
                    yield from self._keys(names, table)
            elif names := self._names():
                steps = (*table, *(name for name, _ in names))
                yield Part("entry", steps, names[0][1].start(), names[-1][1].end())
                yield from self._entry(names, steps)
            self._at = max(self._at, start)
            while self._at < len(self._lexemes) and not self._is("\n"):
                self._at += 1
            self._at += 1

    def _entry(self, names: list[tuple[str, re.Match[str]]], steps: Steps) -> Iterator[Part]:
        yield from self._keys(names, steps)
        if self._is("="):
            self._at += 1
            yield from self._value(steps)

    def _value(self, steps: Steps) -> Iterator[Part]:
        if self._is("["):
            self._at += 1
            index = 0
            while self._skip_to_content("]"):
                yield from self._value((*steps, index))
                index += 1
        elif self._is("{"):
            self._at += 1
            while self._skip_to_content("}"):
                names = self._names()
                if not names:
                    self._at += 1
                    continue
                yield from self._entry(names, (*steps, *(name for name, _ in names)))
        else:
            first = last = self._at
            while self._at < len(self._lexemes) and self._lexemes[self._at][0] not in (",", "]", "}", "\n"):
                last = self._at
                self._at += 1
            if self._at == first:
                self._at += 1  # no value, which TOML does not allow
            else:
                yield Part("value", steps, self._lexemes[first].start(), self._lexemes[last].end())

    def _skip_to_content(self, closing: str) -> bool:
        """Return whether a container has another element; leave the container if not."""
        while self._at < len(self._lexemes):
            if self._is(closing):
                self._at += 1
                return False
            if not self._is(",") and not self._is("\n"):
                return True
            self._at += 1
        return False

    def _names(self) -> list[tuple[str, re.Match[str]]]:
        """Read a key, which may consist of several names with dots between them."""
        names: list[tuple[str, re.Match[str]]] = []
        while self._at < len(self._lexemes) and self._lexemes[self._at].lastgroup in ("bare", "text"):
            names.append((_name(self._lexemes[self._at][0]), self._lexemes[self._at]))
            self._at += 1
            if not self._is("."):
                break
            self._at += 1
        return names

    def _is(self, mark: str) -> bool:
        return self._at < len(self._lexemes) and self._lexemes[self._at][0] == mark

    @staticmethod
    def _keys(names: list[tuple[str, re.Match[str]]], steps: Steps) -> Iterator[Part]:
        """Yield the names of a key or header that leads to ``steps``."""
        places = [at for at, step in enumerate(steps) if isinstance(step, str)][-len(names) :]
        for at, (_, lexeme) in zip(places, names, strict=True):
            yield Part("key", steps[: at + 1], lexeme.start(), lexeme.end())

    def _table(self, names: list[str], *, is_array: bool) -> Steps:
        """Return the path of a table; in an array of tables, it belongs to the last element so far."""
        steps: Steps = ()
        for name in names[:-1]:
            steps = (*steps, name)
            if steps in self._lengths:
                steps = (*steps, self._lengths[steps] - 1)
        steps = (*steps, names[-1])
        if is_array:
            self._lengths[steps] = self._lengths.get(steps, 0) + 1
            steps = (*steps, self._lengths[steps] - 1)
        return steps


def _name(key: str) -> str:
    if key.startswith("'"):
        return key[1:-1]
    if key.startswith('"'):
        try:
            return str(json.loads(key))
        except ValueError:  # an escape sequence of TOML only
            return key[1:-1]
    return key


def toml_positions(text: str) -> dict[Steps, tuple[int, int]]:
    """Return the line and column, from 1, of each table, and of each key outside arrays and inline tables."""
    positions: dict[Steps, tuple[int, int]] = {}
    line, line_start, at = 1, 0, 0
    for part in parts_of(text):
        if part.kind in ("table", "entry"):
            if newlines := text.count("\n", at, part.start):
                line += newlines
                line_start = text.rindex("\n", at, part.start) + 1
            at = part.start
            for length in range(1, len(part.steps) + 1):
                positions.setdefault(part.steps[:length], (line, part.start - line_start + 1))
    return positions


def nearest(positions: Mapping[Steps, tuple[int, int]], steps: Steps) -> tuple[int, int] | None:
    """Return the position of a value or of its nearest parent with a position; None for the whole text."""
    for length in range(len(steps), 0, -1):
        if position := positions.get(steps[:length]):
            return position
    return None


def key_text(name: str) -> str:
    """Return a key, in quotes if it needs them."""
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else string_text(name)


def string_text(value: str) -> str:
    """Return a string in TOML's notation, which is that of JSON except for one character."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def with_table(text: str, header: Steps, entries: Mapping[str, str]) -> str:
    """Return the text with an element added to an array of tables: after its last element, or else at the end.

    ``header`` is the path of the array. ``without_table`` restores the text.
    """
    last: Part | None = None  # the last part of the last element
    is_inside = False
    for part in parts_of(text):
        if part.kind == "table":
            is_inside = tuple(step for step in part.steps if isinstance(step, str)) == header
        last = part if is_inside else last
    at = len(text) if last is None else text.find("\n", last.end)
    if at == len(text) and text.endswith("\n"):
        at -= 1
    at = len(text) if at < 0 else at
    at -= text[at - 1 : at] == "\r"
    return text[:at] + _block(text, header, entries) + text[at:]


def without_table(text: str, header: Steps, entries: Mapping[str, str]) -> str:
    """Return the text without an element that ``with_table`` added; the text itself if it is not written so."""
    block = _block(text, header, entries)
    at = text.rfind(block)
    end = at + len(block)
    return text[:at] + text[end:] if at >= 0 and text[end : end + 1] in ("", "\r", "\n") else text


def _block(text: str, header: Steps, entries: Mapping[str, str]) -> str:
    name = ".".join(key_text(str(each)) for each in header)
    lines = ["", "", f"[[{name}]]", *(f"{key} = {string_text(value)}" for key, value in entries.items())]
    return ("\r\n" if "\r\n" in text else "\n").join(lines)
