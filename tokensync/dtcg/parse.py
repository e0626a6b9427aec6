"""JSON parsing, and the collection of problems with their locations.

The fast decoder accepts repeated names, and rejects deep nesting and lone surrogates, which are read as U+FFFD. A
repeated name is detected by encoding the value again. Unusual texts are then read by a parser without recursion, which
reports offsets. Problems are collected first and located last, because locating them scans the file.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import isinf
from typing import Any, NamedTuple

import msgspec

from tokensync.system.errors import DECODE_ERRORS
from tokensync.system.positions import CONFLICT, RESOLVE, Pointer, conflict_in, lines_and_columns, offsets, pointer_text
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import shortened

DEEPEST = 20_000
_LONGEST_INTEGER = 4000  # Python converts integers of up to 4300 digits
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
_HALF = re.compile(r"[\ud800-\udfff]")
_WORDS = {b"true": True, b"false": False, b"null": None}


class TextProblem(NamedTuple):
    """A problem at a byte offset of a text."""

    offset: int
    code: str
    what: str
    what_to_do: str


def parsed(raw: bytes) -> tuple[Any, list[TextProblem]]:
    """Return the JSON value and the problems of its text. The value is None after a syntax error."""
    if raw.startswith(_BYTE_ORDER_MARK):
        raw = raw[len(_BYTE_ORDER_MARK) :].rjust(len(raw))  # padding preserves the offsets
    try:
        value = msgspec.json.decode(raw)
        # If a name is repeated, the value has fewer colons. An escaped colon would upset the count.
        has_escaped_colon = b"\\" in raw and b"\\u003" in raw
        if not has_escaped_colon and raw.count(b":") == msgspec.json.encode(value).count(b":"):
            return value, []
    except (*DECODE_ERRORS, RecursionError):
        pass
    return _Parser(raw).run()


class _SyntaxError(Exception):
    def __init__(self, offset: int, what: str) -> None:
        super().__init__(what)
        self.problem = TextProblem(offset, "tokens-malformed", what, "correct the JSON")


class _Parser:
    """A JSON parser without recursion. The innermost open container is the last one of ``stack``."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw
        self.problems: list[TextProblem] = []
        self.stack: list[dict[str, Any] | list[Any]] = []
        self.offset = 0

    def run(self) -> tuple[Any, list[TextProblem]]:
        try:
            value = self._document()
        except _SyntaxError as error:
            if (start := conflict_in(self.raw)) is not None:
                return None, [TextProblem(start, "conflict-marks", CONFLICT, RESOLVE.format("tokens"))]
            return None, [*self.problems, error.problem]
        return value, self.problems

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
            raise _SyntaxError(self._start(lexeme), "there is text after the end of the JSON value")
        return value

    def _object_member(self, members: dict[str, Any]) -> None:
        lexeme = self._next()
        if lexeme["mark"] == b"}":
            self.stack.pop()
            return
        if members:
            self._expect(lexeme, b",", '"," or "}"')
            lexeme = self._next()
        if lexeme.lastgroup != "string":
            raise self._unexpected(lexeme, "a name in quotes")
        name = self._string(lexeme)
        if name in members:
            what = f"the name {name[:60]!r} is repeated in one object"
            problem = TextProblem(self._start(lexeme), "tokens-name-repeated", what, "rename or remove one of the two")
            self.problems.append(problem)
        self._expect(self._next(), b":", '":"')
        members[name] = self._value(self._next())

    def _array_element(self, elements: list[Any]) -> None:
        lexeme = self._next()
        if lexeme["mark"] == b"]":
            self.stack.pop()
            return
        if elements:
            self._expect(lexeme, b",", '"," or "]"')
            lexeme = self._next()
        elements.append(self._value(lexeme))

    def _value(self, lexeme: re.Match[bytes]) -> Any:
        """Return the value that starts here; a container is returned empty, and opened."""
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
                    raise _SyntaxError(self._start(lexeme), f"the JSON is nested deeper than {DEEPEST} levels")
                self.stack.append(container)
                return container
            case _:
                raise self._unexpected(lexeme, "a value")

    def _next(self) -> re.Match[bytes]:
        lexeme = _LEXEME.match(self.raw, self.offset)
        if lexeme is None:  # unreachable: the last alternative is empty
            raise _SyntaxError(self.offset, "the text cannot be read")
        self.offset = lexeme.end()
        return lexeme

    def _expect(self, lexeme: re.Match[bytes], mark: bytes, expected: str) -> None:
        if lexeme["mark"] != mark:
            raise self._unexpected(lexeme, expected)

    def _unexpected(self, lexeme: re.Match[bytes], expected: str) -> _SyntaxError:
        start, group = self._start(lexeme), lexeme.lastgroup
        text = self.raw[start : start + 20].split(maxsplit=1)[:1] if group is None else [lexeme[group][:20]]
        actual = f"`{text[0].decode(errors='replace') if text else '?'}`"
        if group == "end":
            actual = "the end of the file"
        return _SyntaxError(start, f"expected {expected}, found {actual}")

    def _string(self, lexeme: re.Match[bytes]) -> str:
        try:
            text: str = json.loads(lexeme["string"].decode())
        except ValueError as error:
            content = "invalid UTF-8" if isinstance(error, UnicodeDecodeError) else "an invalid escape"
            raise _SyntaxError(self._start(lexeme), f"the string contains {content}") from None
        if text.isascii() or not _HALF.search(text):
            return text
        whole = _HALF.sub("\ufffd", text)
        what = f'the text "{shortened(whole)}" contains half of a surrogate pair, which is read as U+FFFD'
        self.problems.append(TextProblem(self._start(lexeme), "tokens-text", what, "write the whole character"))
        return whole

    def _number(self, lexeme: re.Match[bytes]) -> float:
        text = lexeme["number"]
        if len(text) < _LONGEST_INTEGER and not text.strip(b"-0123456789"):
            return int(text)
        number = float(text)
        if isinf(number):
            what = f"the number {text[:20].decode()} is too large"
            to_do = "write a number from -1.7e308 to 1.7e308"
            self.problems.append(TextProblem(self._start(lexeme), "tokens-number", what, to_do))
            return 0
        return number

    def _start(self, lexeme: re.Match[bytes]) -> int:
        kind = lexeme.lastgroup
        return lexeme.start(kind) if kind is not None else lexeme.end()


class BadToken(Exception):
    """An invalid token or value. ``within`` is the pointer of the problem below the token."""

    def __init__(self, code: str, what: str, what_to_do: str, within: Pointer = ()) -> None:
        super().__init__(what)
        self.code = code
        self.what = what
        self.what_to_do = what_to_do
        self.within = within


NESTED_TOO_DEEPLY = ("token-value", "the value is nested too deeply", "reduce its nesting")


class UnreadTarget(BadToken):
    """A reference into a collection with an unreadable file. Not reported, because the file is."""


class _Unlocated(NamedTuple):
    """A problem at a JSON pointer or at a byte offset."""

    path: str
    position: Pointer | int
    code: str
    what: str
    what_to_do: str


_CONSEQUENCES = frozenset({"tokens-mode-parent", "tokens-root-group", "resolver-source-misplaced"})
"""Problems that a syntax error in another file, or its absence, may cause."""
_CAUSES = frozenset({"tokens-malformed", "conflict-marks", "resolver-source-absent"})


class ProblemCollector:
    """Collects the problems of files. ``texts`` maps paths to contents; ``prefix`` is shown before each path."""

    def __init__(self, texts: Mapping[str, bytes], prefix: str = "") -> None:
        self._texts = texts
        self._prefix = prefix
        self._collected: list[_Unlocated] = []

    def add(self, path: str, pointer: Pointer, code: str, what: str, what_to_do: str) -> None:
        """Add a problem at a JSON pointer of a file."""
        self._collected.append(_Unlocated(path, pointer, code, what, what_to_do))

    def add_text_problems(self, path: str, problems: Iterable[TextProblem]) -> None:
        """Add the problems that the parser found in a file."""
        self._collected += (_Unlocated(path, *problem) for problem in problems)

    def display_path(self, path: str) -> str:
        """Return a path as problems show it."""
        return f"{self._prefix}{path}"

    def locations(self, places: Iterable[tuple[str, Pointer]]) -> dict[tuple[str, Pointer], str]:
        """Return the locations of JSON pointers of files as problems show them. Each file is scanned once."""
        pointers: dict[str, list[Pointer]] = {}
        for path, pointer in places:
            pointers.setdefault(path, []).append(pointer)
        found: dict[tuple[str, Pointer], str] = {}
        for path, of_path in pointers.items():
            offset_of = offsets(self._texts[path], of_path)
            position_of = lines_and_columns(self._texts[path], offset_of.values())
            for pointer, offset in offset_of.items():
                line, column = position_of[offset]
                found[path, pointer] = f"{self.display_path(path)}:{line}:{column} ({pointer_text(pointer)})"
        return found

    def problems(self) -> tuple[Problem, ...]:
        """Return all problems with their locations, sorted by file and position."""
        by_path: dict[str, list[_Unlocated]] = {}
        unreadable = any(unlocated.code in _CAUSES for unlocated in self._collected)
        for unlocated in self._collected:
            if unreadable and unlocated.code in _CONSEQUENCES:
                continue
            by_path.setdefault(unlocated.path, []).append(unlocated)
        return tuple(located for path in sorted(by_path) for located in self._located(path, by_path[path]))

    def _located(self, path: str, collected: Sequence[_Unlocated]) -> Iterator[Problem]:
        text = self._texts[path]
        offset_of = offsets(text, [each.position for each in collected if isinstance(each.position, tuple)])
        with_offsets = [
            (each.position if isinstance(each.position, int) else offset_of[each.position], each) for each in collected
        ]
        line_and_column_of = lines_and_columns(text, [offset for offset, _ in with_offsets])
        with_offsets.sort(key=lambda pair: pair[0])
        for offset, each in with_offsets:
            line, column = line_and_column_of[offset]
            where = f"{self.display_path(path)}:{line}:{column}"
            if isinstance(each.position, tuple):
                where += f" ({pointer_text(each.position)})"
            yield problem(each.code, where, each.what, each.what_to_do)
