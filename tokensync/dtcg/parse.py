"""Bytes to JSON values, and the problems of token files with their places.

The fast decoder takes repeated names in silence, and refuses deep nesting and lone surrogates, which token files may
have. A repeated name shows when the value is written again; everything odd is then read by a parser without recursion,
which knows the place of every fault. Problems are collected first and given their
places last: finding a place costs a scan of the file.
"""

from __future__ import annotations

import json
import re
from math import isinf
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from tokensync.positions import Pointer, lines_and_columns, offsets, pointer_text
from tokensync.problems import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


DEEPEST = 20_000
_LONGEST_INTEGER = 4000  # Python refuses to convert integers of more digits than a little above this
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_LEXEME = re.compile(
    rb"[ \t\r\n]*(?:"
    rb'(?P<string>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")'
    rb"|(?P<mark>[{}\[\]:,])"
    rb"|(?P<number>-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?)(?![0-9A-Za-z_.+-])"
    rb"|(?P<word>true|false|null)(?![0-9A-Za-z_])"
    rb"|(?P<end>\Z)"
    rb"|)"
)
_WORDS = {b"true": True, b"false": False, b"null": None}


class Fault(NamedTuple):
    """What is wrong at a byte offset of a text; ``code`` is a problem code."""

    offset: int
    code: str
    what: str
    what_to_do: str


def parsed(raw: bytes) -> tuple[Any, list[Fault]]:
    """Return the JSON value, and the faults of its text. After a fault of syntax the value is None."""
    if raw.startswith(_BYTE_ORDER_MARK):
        raw = raw[len(_BYTE_ORDER_MARK) :].rjust(len(raw))  # blanks keep the offsets right
    try:
        value = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Parser(raw).run()
    return (value, []) if _has_distinct_names(raw, value) else _Parser(raw).run()


def _has_distinct_names(raw: bytes, value: Any) -> bool:
    """Return whether the value has every name of the text: of a repeated one, its colon would be missing when written
    again.

    A colon within a string may be missing with it, and none can be too many unless an escape hides it in the text.
    """
    if b"\\" in raw and b"\\u003" in raw:
        return False
    try:
        again = msgspec.json.encode(value)
    except RecursionError:
        return False
    return raw.count(b":") == again.count(b":")


class _SyntaxFault(Exception):
    def __init__(self, offset: int, what: str) -> None:
        super().__init__(what)
        self.fault = Fault(offset, "tokens-malformed", what, "mend the JSON there")


class _Parser:
    """Reads one JSON text. The innermost open container is the last of ``stack``."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.faults: list[Fault] = []
        self.stack: list[dict[str, Any] | list[Any]] = []
        self.at = 0

    def run(self) -> tuple[Any, list[Fault]]:
        try:
            value = self._document()
        except _SyntaxFault as stop:
            return None, [*self.faults, stop.fault]
        return value, self.faults

    def _document(self) -> Any:
        value = self._value(self._next())
        while self.stack:
            innermost = self.stack[-1]
            if isinstance(innermost, dict):
                self._object_member(innermost)
            else:
                self._array_element(innermost)
        lexeme = self._next()
        if lexeme.lastgroup != "end":
            raise _SyntaxFault(self._start(lexeme), "there is more text after the end of the JSON")
        return value

    def _object_member(self, members: dict[str, Any]) -> None:
        lexeme = self._next()
        if lexeme["mark"] == b"}":
            self.stack.pop()
            return
        if members:
            self._expect(lexeme, b",", "a comma or the end of the object")
            lexeme = self._next()
        if lexeme.lastgroup != "string":
            raise _SyntaxFault(self._start(lexeme), f"a name in quotes is expected, not {self._told(lexeme)}")
        name = self._string(lexeme)
        if name in members:
            what = f"the name {name[:60]!r} appears twice in one object"
            self.faults.append(Fault(self._start(lexeme), "tokens-name-repeated", what, "keep one of the two"))
        self._expect(self._next(), b":", "a colon after the name")
        members[name] = self._value(self._next())

    def _array_element(self, elements: list[Any]) -> None:
        lexeme = self._next()
        if lexeme["mark"] == b"]":
            self.stack.pop()
            return
        if elements:
            self._expect(lexeme, b",", "a comma or the end of the array")
            lexeme = self._next()
        elements.append(self._value(lexeme))

    def _value(self, lexeme: re.Match[bytes]) -> Any:
        """Return the value that starts here; a container is empty yet, and open."""
        match lexeme.lastgroup:
            case "string":
                return self._string(lexeme)
            case "number":
                return self._number(lexeme)
            case "word":
                return _WORDS[lexeme["word"]]
            case "mark" if lexeme["mark"] in (b"{", b"["):
                container: dict[str, Any] | list[Any] = {} if lexeme["mark"] == b"{" else []
                if len(self.stack) == DEEPEST:
                    raise _SyntaxFault(self._start(lexeme), f"the JSON is nested deeper than {DEEPEST} levels")
                self.stack.append(container)
                return container
            case _:
                raise _SyntaxFault(self._start(lexeme), f"a value is expected, not {self._told(lexeme)}")

    def _next(self) -> re.Match[bytes]:
        lexeme = _LEXEME.match(self.raw, self.at)
        if lexeme is None:  # the last alternative is empty, so there is always a match
            raise _SyntaxFault(self.at, "the text cannot be read")
        self.at = lexeme.end()
        return lexeme

    def _expect(self, lexeme: re.Match[bytes], mark: bytes, words: str) -> None:
        if lexeme["mark"] != mark:
            raise _SyntaxFault(self._start(lexeme), f"{words} is expected, not {self._told(lexeme)}")

    def _string(self, lexeme: re.Match[bytes]) -> str:
        try:
            text: str = json.loads(lexeme["string"].decode())
        except ValueError as fault:
            told = "invalid UTF-8" if isinstance(fault, UnicodeDecodeError) else "an invalid escape"
            raise _SyntaxFault(self._start(lexeme), f"the string holds {told}") from None
        return text

    def _number(self, lexeme: re.Match[bytes]) -> float:
        text = lexeme["number"]
        if len(text) < _LONGEST_INTEGER and not text.strip(b"-0123456789"):
            return int(text)
        number = float(text)
        if isinf(number):
            what = f"the number {text[:20].decode()} is too large"
            self.faults.append(Fault(self._start(lexeme), "tokens-number", what, "write a number up to 3.4e38"))
            return 0
        return number

    def _start(self, lexeme: re.Match[bytes]) -> int:
        kind = lexeme.lastgroup
        return lexeme.start(kind) if kind is not None else lexeme.end()

    def _told(self, lexeme: re.Match[bytes]) -> str:
        if lexeme.lastgroup == "end":
            return "the end of the file"
        if lexeme.lastgroup is not None:
            return f"`{lexeme[lexeme.lastgroup][:20].decode(errors='replace')}`"
        rest = self.raw[lexeme.end() : lexeme.end() + 20]
        return f"`{rest.split(maxsplit=1)[0].decode(errors='replace') if rest.split() else '?'}`"


class BadToken(Exception):
    """A token or a value that cannot be used. ``within`` is the pointer of the fault below the token."""

    def __init__(self, code: str, what: str, what_to_do: str, within: Pointer = ()) -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.what_to_do = what_to_do
        self.within = within


class UnreadTarget(BadToken):
    """A reference into a collection of which a file could not be read: that file is told, and this follows from it."""


class _Found(NamedTuple):
    path: str
    place: Pointer | int
    code: str
    what: str
    what_to_do: str


_CONSEQUENCES = frozenset({"tokens-mode-parent", "tokens-root-group"})
"""What may be wrong only because a file that it depends on cannot be read, such as that of a collection's modes."""


class Faults:
    """The problems found so far in some files."""

    def __init__(self, texts: Mapping[str, bytes], shown_below: str = "") -> None:
        self._texts = texts
        self._shown_below = shown_below
        self._found: list[_Found] = []

    def at(self, path: str, pointer: Pointer, code: str, what: str, what_to_do: str) -> None:
        """Note a problem at a JSON pointer of a file."""
        self._found.append(_Found(path, pointer, code, what, what_to_do))

    def shown(self, path: str) -> str:
        """Return a path as problems show it."""
        return f"{self._shown_below}{path}"

    def of_text(self, path: str, faults: Iterable[Fault]) -> None:
        """Note what the parser found."""
        for each in faults:
            self._found.append(_Found(path, each.offset, each.code, each.what, each.what_to_do))

    def problems(self) -> tuple[Problem, ...]:
        """Return all of them, with their places, in the order of the files and then of the text."""
        by_path: dict[str, list[_Found]] = {}
        unreadable = any(each.code == "tokens-malformed" for each in self._found)
        for each in self._found:
            if unreadable and each.code in _CONSEQUENCES:
                continue
            by_path.setdefault(each.path, []).append(each)
        return tuple(told for path in sorted(by_path) for told in self._told(path, by_path[path]))

    def _told(self, path: str, found: Sequence[_Found]) -> Iterator[Problem]:
        text = self._texts[path]
        at = offsets(text, [each.place for each in found if isinstance(each.place, tuple)])
        placed = [(each.place if isinstance(each.place, int) else at[each.place], each) for each in found]
        shown = lines_and_columns(text, [offset for offset, _ in placed])
        placed.sort(key=lambda each: each[0])
        for offset, each in placed:
            line, column = shown[offset]
            where = f"{self.shown(path)}:{line}:{column}"
            if isinstance(each.place, tuple):
                where += f" ({_shortened(pointer_text(each.place))})"
            yield problem(each.code, where, each.what, each.what_to_do)


def _shortened(pointer: str) -> str:
    return pointer if len(pointer) <= 200 else f"{pointer[:120]}…{pointer[-60:]}"
