"""A file of a source: its text, its JSON value and the lines of its parts.

All content is untrusted. Nesting has a limit, and what cannot be read is listed with its reason. JSON is read as JSON
first, and as JSON5 only where that fails, which is slower. YAML is read as the readers of JavaScript take it, by the
core schema of YAML 1.2: names are texts, ``on`` and ``1:30`` are texts, ``010`` is 10, a tab may separate tokens, and
``{a.b}`` without quotes is the reference that it is meant to be.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from math import isfinite, isnan
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import yaml
from yaml.composer import Composer
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.resolver import BaseResolver
from yaml.scanner import Scanner

from tokensync.dtcg.parse import parsed
from tokensync.migrate.source import Location, Unread
from tokensync.system.errors import UsageError
from tokensync.system.positions import line_and_column
from tokensync.system.wording import install_command

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.system.positions import Pointer


_MOST_NODES = 200_000
"""Values, with those of aliases counted each time: an alias of aliases can stand for billions."""
_WORDS = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL"), None),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
}
_INTEGER = re.compile(r"[-+]?[0-9]{1,400}")
_BASED = re.compile(r"0o[0-7]{1,40}|0x[0-9a-fA-F]{1,40}")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_REST = re.compile(r"[ \t]*([^\r\n\0]?)")
_TEXT_TAG, _MERGE_TAG = "tag:yaml.org,2002:str", "<<"


class YamlReading(NamedTuple):
    """The value of a text, the line of each pointer, and problems as lines with reasons.

    There are no lines if nothing could be read.
    """

    content: Any
    lines: dict[Pointer, int]
    problems: list[tuple[int, str]]


class _Unreadable(Exception):
    def __init__(self, line: int, reason: str) -> None:
        super().__init__(reason)
        self.line = line
        self.reason = reason


class _Loader(Reader, Scanner, Parser, Composer, BaseResolver):
    """Composes nodes without a schema. A tab separates tokens, except at the beginning of a line."""

    def __init__(self, text: str) -> None:
        Reader.__init__(self, text)
        Scanner.__init__(self)
        Parser.__init__(self)
        Composer.__init__(self)
        BaseResolver.__init__(self)

    def resolve(self, kind: type[yaml.Node], value: str | None, implicit: Any) -> str:
        """Return no tag: the construction decides by the text."""
        return ""

    def fetch_tag(self) -> None:
        """Read ``!ALIAS`` as a text, since no tag of that form has a meaning for tokens."""
        if self.peek(1).isalnum():
            self.fetch_plain()
        else:
            super().fetch_tag()

    def scan_to_next_token(self) -> None:
        """Skip spaces, tabs after the first token of a line, comments and line ends."""
        super().scan_to_next_token()
        while self.peek() == "\t" and not self._is_indentation():
            while self.peek() == "\t":
                self.forward()
            super().scan_to_next_token()

    def _is_indentation(self) -> bool:
        """Return whether the tab at this position indents a block."""
        before = self.buffer[self.pointer - self.column : self.pointer]
        rest = _REST.match(self.buffer, self.pointer)
        return not self.flow_level and not before.strip(" \t") and rest is not None and rest[1] not in ("", "#")


def read_yaml(text: str, deepest: int) -> YamlReading:
    """Return the value of the first document of a text, and what is wrong with it."""
    reading = YamlReading(None, {}, [])
    try:
        loader = _Loader(text)
        loader.check_node()
        root = loader.get_node() if not loader.check_event(yaml.StreamEndEvent) else None
        if loader.check_node():
            reading.problems.append((loader.line + 1, "the file has several documents; only the first one is read"))
        if root is None:
            return reading._replace(lines={(): 1})
        _Size(deepest).of(root, ())
        content = _Construction(text, reading).value(root, ())
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        line = mark.line + 1 if mark is not None else 1
        return reading._replace(problems=[(line, f"{error.problem or 'the YAML is invalid'}; correct the YAML")])
    except yaml.YAMLError as error:
        return reading._replace(problems=[(1, f"{str(error).splitlines()[0]}; correct the YAML")])
    except RecursionError:
        return reading._replace(problems=[(1, "the YAML is nested too deeply; reduce its nesting")])
    except _Unreadable as error:
        return reading._replace(lines={}, problems=[*reading.problems, (error.line, error.reason)])
    return reading._replace(content=content)


class _Size:
    """Counts values with those of aliases, without visiting an anchor more than once."""

    def __init__(self, deepest: int) -> None:
        self._deepest = deepest
        self._sizes: dict[int, int] = {}

    def of(self, node: yaml.Node, around: tuple[int, ...]) -> int:
        """Return the number of values of a node. Raises _Unreadable for cycles, deep nesting and too many values."""
        line = node.start_mark.line + 1
        if id(node) in around:
            raise _Unreadable(line, "an anchor contains its own alias; remove the alias")
        if len(around) > self._deepest:
            raise _Unreadable(line, f"the YAML is nested deeper than {self._deepest} levels; reduce its nesting")
        if id(node) not in self._sizes:
            within = (*around, id(node))
            size = 1
            if isinstance(node, yaml.MappingNode):
                size += sum(self.of(each, within) for _, each in node.value)
            elif isinstance(node, yaml.SequenceNode):
                size += sum(self.of(each, within) for each in node.value)
            if size > _MOST_NODES:
                raise _Unreadable(line, f"the YAML has more than {_MOST_NODES:,} values; split the file")
            self._sizes[id(node)] = size
        return self._sizes[id(node)]


class _Construction:
    """Makes the values of nodes, and records their lines."""

    def __init__(self, text: str, reading: YamlReading) -> None:
        self._text = text
        self._lines = reading.lines
        self._problems = reading.problems

    def value(self, node: yaml.Node, pointer: Pointer) -> Any:
        """Return the value of a node."""
        self._lines.setdefault(pointer, node.start_mark.line + 1)
        match node:
            case yaml.MappingNode():
                reference = _reference(node)
                return self._mapping(node, pointer) if reference is None else reference
            case yaml.SequenceNode():
                return [self.value(each, (*pointer, index)) for index, each in enumerate(node.value)]
            case yaml.ScalarNode():
                return self._scalar(node)
        return None

    def _mapping(self, node: yaml.MappingNode, pointer: Pointer) -> dict[str, Any]:
        members: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        for name_node, value_node in node.value:
            line = name_node.start_mark.line + 1
            if not isinstance(name_node, yaml.ScalarNode):
                self._problems.append((line, "a name is an object or array; write a text"))
                continue
            name = name_node.value
            if name == _MERGE_TAG and name_node.style is None:
                sources = value_node.value if isinstance(value_node, yaml.SequenceNode) else [value_node]
                for source in reversed(sources):
                    if isinstance(source, yaml.MappingNode):
                        merged |= self._mapping(source, pointer)
                continue
            if name in members:
                what = f"the name {name[:60]!r} is repeated in one object; only its last value is read"
                self._problems.append((line, what))
            self._lines[*pointer, name] = line
            members[name] = self.value(value_node, (*pointer, name))
        return {**merged, **members} if merged else members

    def _scalar(self, node: yaml.ScalarNode) -> Any:
        text = node.value
        if node.style is not None or node.tag == _TEXT_TAG:
            return text
        if text in _WORDS:
            if not text and (comment := self._comment_after(node)):
                what = f"{comment!r} is a comment in YAML, so the value is empty; put it in quotes"
                self._problems.append((node.start_mark.line + 1, what))
            return _WORDS[text]
        if _INTEGER.fullmatch(text):
            return int(text)
        if _BASED.fullmatch(text):
            return int(text, 0)
        if _FLOAT.fullmatch(text) and abs(number := float(text)) != float("inf"):
            return number
        return text

    def _comment_after(self, node: yaml.ScalarNode) -> str:
        """Return the colour that follows an empty value on its line: ``#fff`` without quotes."""
        found = re.match(r"[ \t]*(#[0-9a-fA-F]{3,8})\b", self._text[node.start_mark.index :])
        return found[1] if found else ""


def _reference(node: yaml.MappingNode) -> str | None:
    """Return ``{a.b}`` or ``{!A}`` without quotes as the text; None for an object."""
    if not node.flow_style or len(node.value) != 1:
        return None
    name, value = node.value[0]
    is_empty = isinstance(value, yaml.ScalarNode) and not value.value and value.style is None
    if not is_empty or not isinstance(name, yaml.ScalarNode) or name.style is not None:
        return None
    return f"{{{name.value}}}" if name.value else None


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
    """Return the error to raise if an optional package cannot be imported."""
    return UsageError(f"{purpose}: needs the package {name}; run `{install_command(name)}`")


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
        content = _without_infinities(json.loads(text))
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
