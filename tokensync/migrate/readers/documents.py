"""A file of a source: its text, its JSON value and the lines of its parts.

All content is untrusted. Nesting has a limit, and what cannot be read is listed with its reason. JSON is read as JSON
first, and as JSON5 only where that fails, which is slower.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from math import isfinite, isnan
from typing import Any, Literal, NamedTuple

from tokensync.dtcg.parse import parsed
from tokensync.migrate.source import Location, Unread
from tokensync.system.errors import UsageError
from tokensync.system.positions import Pointer, line_and_column
from tokensync.system.wording import extras, install_command

Kind = Literal["json", "yaml", "text"]

DEEPEST = 100
"""Levels of objects and arrays. Readers may recurse."""
_LARGEST_YAML = 4 << 20  # PyYAML reads 100 kB a second
_MOST_COMMAS = 20  # missing ones, of a file

_KINDS: dict[str, Kind] = {
    **dict.fromkeys((".json", ".json5", ".jsonc", ".tokens"), "json"),
    **dict.fromkeys((".yaml", ".yml"), "yaml"),
    **dict.fromkeys((".css", ".pcss", ".postcss", ".scss", ".less", ".xml"), "text"),
}
_LFS = "version https://git-lfs.github.com/spec/"


class Document:
    """A file: its path relative to the source's folder, its text, and its JSON value (None for CSS and XML)."""

    __slots__ = ("_by_object", "_by_pointer", "_objects", "content", "kind", "path", "text")

    def __init__(
        self, path: str, text: str, kind: Kind, content: Any = None, objects: list[dict[str, Any]] | None = None
    ) -> None:
        self.path = path
        self.text = text
        self.kind = kind
        self.content = content
        self._objects = objects
        self._by_object: dict[int, int] | None = None
        self._by_pointer: Mapping[Pointer, int] | None = None

    @property
    def name(self) -> str:
        """Return the file's name without folders and without the endings of token files."""
        return re.sub(r"(?i)(?:\.tokens|\.resolver)?\.\w+$", "", self.path.rpartition("/")[2])

    def set_lines(self, lines: Mapping[Pointer, int]) -> None:
        """Set the line of each pointer, where the reader of the text knows them (YAML)."""
        self._by_pointer = lines

    def line(self, pointer: Sequence[str | int]) -> int:
        """Return the line of the value at a pointer, or of the nearest value around it. Lines count from 1."""
        node, steps = self.content, 0
        for step in pointer:
            if not _has(node, step):
                break
            node = node[step]
            steps += 1
        if isinstance(node, dict):
            return self.line_of(node)
        lines = self._pointer_lines()
        return next((lines[known] for end in range(steps, -1, -1) if (known := tuple(pointer[:end])) in lines), 1)

    def line_of(self, node: Mapping[str, Any]) -> int:
        """Return the line of an object of ``content`` (the object itself, not an equal one)."""
        if self._by_object is None:
            self._by_object = self._object_lines()
        return self._by_object.get(id(node), 1)

    def at(self, node: Mapping[str, Any], pointer: Pointer = ()) -> Location:
        """Return the location of an object: by itself if it is of ``content``, or else by its pointer."""
        if self._by_object is None:
            self._by_object = self._object_lines()
        line = self._by_object.get(id(node))
        return Location(self.path, self.line(pointer) if line is None else line)

    def _object_lines(self) -> dict[int, int]:
        objects = self._objects
        if self.kind == "json" and objects is not None:
            # Both also match in texts. So if there are as many matches as objects, each match is an object. The first
            # is faster, and is right for JSON without texts that end with a brace.
            for opening in (_QUICK_OPENING, _OPENING):
                offsets = [match.end() - 1 for match in opening.finditer(self.text)]
                if len(offsets) == len(objects):
                    return dict(zip(map(id, objects), _lines(self.text, offsets), strict=True))
        lines: dict[int, int] = {}
        for pointer, line in self._pointer_lines().items():
            node = self.content
            for step in pointer:
                if not _has(node, step):  # another value of a repeated name
                    break
                node = node[step]
            else:
                if isinstance(node, dict):
                    lines[id(node)] = line
        return lines

    def _pointer_lines(self) -> Mapping[Pointer, int]:
        if self._by_pointer is None:
            line_of = _line_counter(self.text)
            self._by_pointer = {each: line_of(at) for each, at in _scanned(self.text).offsets.items()}
        return self._by_pointer


def document_of(path: str, raw: bytes) -> tuple[Document | None, list[Unread]]:
    """Return the document of a file's bytes, and the parts that cannot be read. Raises UsageError without a package."""
    try:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return None, [unread_part(path, line, "the file is not UTF-8; convert it to UTF-8")]
    text = text.replace("\r\n", "\n")
    if text.startswith(_LFS):
        return None, [unread_part(path, 1, "this is a pointer of Git LFS, not the file; run `git lfs pull`")]
    kind = _KINDS.get(os.path.splitext(path)[1].lower()) or ("json" if text.lstrip()[:1] in ("{", "[") else "text")
    match kind:
        case "json":
            return _json_document(path, text)
        case "yaml":
            return _yaml_document(path, text)
    return Document(path, text, "text"), []


def missing_package(name: str, purpose: str) -> UsageError:
    """Return the error to raise if a package of the extra ``migrate`` cannot be imported."""
    others = [each for each, version in extras().get("migrate", {}).items() if not version and each != name]
    command = install_command(name, *others)
    return UsageError(f"{purpose} needs the package {name} of the extra 'migrate'; run `{command}`")


def unread_part(path: str, line: int, reason: str, name: str = "") -> Unread:
    """Return a part of a file that is not read, and is no token."""
    return Unread(Location(path, line), name, reason, is_token=False)


def _json_document(path: str, text: str) -> tuple[Document | None, list[Unread]]:
    raw = text.encode("utf-8", "surrogatepass")
    content, problems = parsed(raw)
    unread = [
        unread_part(path, line_and_column(raw, each.offset)[0], f"{each.what}; {each.what_to_do}") for each in problems
    ]
    if any(problem.code == "conflict-marks" for problem in problems):
        return None, unread
    if any(problem.code == "tokens-malformed" for problem in problems):
        content, text, unread = _json5(path, text)
    if unread and content is None:
        return None, unread
    objects = objects_in(content)
    if objects is None:
        return None, [unread_part(path, 1, f"the JSON is nested deeper than {DEEPEST} levels; reduce its nesting")]
    if any(problem.code == "tokens-number" for problem in problems):  # such a number was read as 0
        # int() refuses more than 4,300 digits (sys.int_info.default_max_str_digits).
        content = json.loads(text, parse_int=lambda digits: float(digits) if len(digits) > 4000 else int(digits))
        content = _without_infinities(content)
        objects = objects_in(content)
    return Document(path, text, "json", content, objects), unread


_NEAR = re.compile(r"near (\d+)")


def _json5(path: str, text: str) -> tuple[Any, str, list[Unread]]:
    """Return the value of JSON5, and its text with the commas that were missing; the value is None if there is none."""
    try:
        import pyjson5
    except ImportError:
        raise missing_package("pyjson5", f"{path}: is not plain JSON, and to read JSON5, tokensync") from None
    unread: list[Unread] = []
    while True:
        try:
            content = pyjson5.decode(text, maxdepth=DEEPEST)
        except pyjson5.Json5DecoderException as error:
            reason = str(error.args[0]) if error.args else "the text cannot be read"
            near = _NEAR.search(reason)
            offset = min(int(near[1]), len(text)) - 1 if near else 0
            line = text.count("\n", 0, max(offset, 0)) + 1
            if not reason.startswith("Expected b'comma'") or len(unread) == _MOST_COMMAS or not _begins(text, offset):
                return None, text, [*unread, unread_part(path, line, f"{_plain(reason)}; correct the JSON")]
            unread.append(
                unread_part(path, line, "a comma is missing before this line's value; it was read as if it were there")
            )
            text = f"{text[:offset]},{text[offset:]}"
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            return None, text, [*unread, unread_part(path, 1, f"{error}; correct the JSON")]
        else:
            break
    line_of = _line_counter(text)
    repeated = _scanned(text).repeated
    outer = {pointer for pointer, _ in repeated}
    for pointer, at in repeated:
        if any(pointer[:end] in outer for end in range(1, len(pointer))):
            continue
        what = f"the name {str(pointer[-1])[:60]!r} is repeated in one object; only its last value is read"
        unread.append(unread_part(path, line_of(at), what, ".".join(map(str, pointer))))
    return _without_infinities(content), text, unread


def _begins(text: str, offset: int) -> bool:
    """Return whether a value or name can begin at an offset, so that a comma before it helps."""
    return 0 < offset < len(text) and (text[offset] in "\"'{[-+." or text[offset].isalnum() or text[offset] in "_$")


def _plain(reason: str) -> str:
    """Return a message of pyjson5 with characters instead of their numbers."""
    reason = re.sub(r"U\+([0-9a-f]{4,6})", lambda match: repr(chr(int(match[1], 16))), reason)
    return re.sub(r"b'(\w+)'", r"\1", reason).replace(" near ", " near character ")


def _without_infinities(content: Any) -> Any:
    """Return the value with NaN and Infinity as texts, which are not numbers of JSON."""
    match content:
        case dict():
            return {str(name): _without_infinities(each) for name, each in content.items()}
        case list():
            return [_without_infinities(each) for each in content]
        case float() if not isfinite(content):
            return "NaN" if isnan(content) else "Infinity" if content > 0 else "-Infinity"
    return content


def _yaml_document(path: str, text: str) -> tuple[Document | None, list[Unread]]:
    if len(text) > _LARGEST_YAML:
        return None, [unread_part(path, 1, "the YAML is larger than 4 MiB; convert it to JSON")]
    try:
        import yaml  # noqa: F401 - of the module below
    except ImportError:
        raise missing_package("pyyaml", f"{path}: to read YAML, tokensync") from None
    from tokensync.migrate.readers.yaml_text import read_yaml

    read = read_yaml(text, DEEPEST)
    unread = [unread_part(path, line, reason) for line, reason in read.problems]
    if not read.lines:
        return None, unread
    document = Document(path, text, "yaml", read.content)
    document.set_lines(read.lines)
    return document, unread


_QUICK_OPENING = re.compile(r"\{(?=\s*[\"}])")
_OPENING = re.compile(r"(?:\A|[:\[,])\s*\{")
_LEXEME = re.compile(
    r"//[^\n]*|/\*.*?(?:\*/|\Z)"
    r"|\"[^\"\\]*(?:\\.[^\"\\]*)*\"?|'[^'\\]*(?:\\.[^'\\]*)*'?"
    r"|[{}\[\]:,]|[^\s\"'{}\[\]:,/]+|/",
    re.DOTALL,
)


class _Scan(NamedTuple):
    offsets: dict[Pointer, int]
    repeated: list[tuple[Pointer, int]]


def _scanned(text: str) -> _Scan:
    """Return the offset of the value of each pointer in JSON5, and of each repeated name."""
    scan = _Scan({}, [])
    parents: list[Pointer] = [()]
    steps: list[str | int | None] = []  # the current index, or name if it has been read, in each container
    for lexeme in _LEXEME.finditer(text):
        symbol = lexeme[0]
        if symbol[:2] in ("//", "/*") or symbol == ":":
            continue
        if symbol == ",":
            step = steps[-1] if steps else None
            if steps:
                steps[-1] = step + 1 if isinstance(step, int) else None
        elif symbol in ("}", "]"):
            if steps:
                steps.pop()
                parents.pop()
        elif steps and steps[-1] is None:
            name = steps[-1] = _name_in(symbol)
            pointer = (*parents[-1], name)
            if pointer in scan.offsets:
                scan.repeated.append((pointer, lexeme.start()))
        else:
            pointer = (*parents[-1], step) if steps and (step := steps[-1]) is not None else ()
            scan.offsets[pointer] = lexeme.start()
            if symbol in ("{", "["):
                parents.append(pointer)
                steps.append(None if symbol == "{" else 0)
    return scan


def _name_in(token: str) -> str:
    """Return a name of JSON5, which may have no quotes."""
    if token[:1] not in ("'", '"'):
        return token
    inner = token[1:-1]
    if "\\" not in inner:
        return inner
    try:
        return str(json.loads(f'"{inner}"'))
    except ValueError:
        return inner


def _line_counter(text: str) -> Any:
    """Return a function from offsets to lines."""
    breaks = [match.start() for match in re.finditer("\n", text)]
    return lambda offset: bisect_right(breaks, offset) + 1


def _lines(text: str, offsets: Sequence[int]) -> Iterator[int]:
    """Yield the line of each offset, which are in order."""
    line, at = 1, 0
    for offset in offsets:
        line += text.count("\n", at, offset)
        at = offset
        yield line


def objects_in(content: Any) -> list[dict[str, Any]] | None:
    """Return all objects in the order of the text; None if the nesting is too deep."""
    found: list[dict[str, Any]] = []

    def add(node: Any, levels: int) -> bool:
        if type(node) is dict:
            found.append(node)
            node = node.values()
        for each in node:
            if (type(each) is dict or type(each) is list) and not (levels and add(each, levels - 1)):
                return False
        return True

    return found if type(content) not in (dict, list) or add(content, DEEPEST) else None


def _has(node: Any, step: str | int) -> bool:
    if isinstance(node, dict):
        return step in node
    return isinstance(node, list) and isinstance(step, int) and step < len(node)


def kind_of(path: str) -> Kind | None:
    """Return the kind of a file by the end of its path; None if it is not read."""
    return _KINDS.get(os.path.splitext(path)[1].lower())
