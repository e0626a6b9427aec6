"""The files of a source: a file, a folder or a zip, each file with its text, its JSON value and the lines of its parts.

All content is untrusted. Sizes and nesting have limits, links are not followed, and what cannot be read is listed with
its reason while the rest is read. JSON is read as JSON first, and as JSON5 only where that fails, which is slower.
"""

from __future__ import annotations

import json
import os
import re
from bisect import bisect_right
from math import isfinite, isnan
from posixpath import dirname, normpath
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from tokensync.disk import open_file, shown_path
from tokensync.dtcg.parse import parsed
from tokensync.errors import UsageError
from tokensync.migrate.readers.path_patterns import alternatives, is_pattern, matches
from tokensync.migrate.source import Location, Unread
from tokensync.positions import line_and_column
from tokensync.wording import counted, listed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.positions import Pointer

Kind = Literal["json", "yaml", "text"]

LARGEST = 64 << 20
"""Bytes of a file."""
LARGEST_IN_ALL = 256 << 20
"""Bytes of all files of a source, unpacked."""
MOST_FILES = 20_000
DEEPEST = 100
"""Levels of objects and arrays. Readers may recurse."""
_LARGEST_YAML = 4 << 20  # PyYAML reads 100 kB a second
_MOST_COMMAS = 20  # missing ones, of a file

_KINDS: dict[str, Kind] = {
    **dict.fromkeys((".json", ".json5", ".jsonc", ".tokens"), "json"),
    **dict.fromkeys((".yaml", ".yml"), "yaml"),
    **dict.fromkeys((".css", ".pcss", ".postcss", ".scss", ".less", ".xml"), "text"),
}
_LONGEST_PATTERN = 1_000  # characters
_PROGRAMS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx", ".sass", ".styl")
_IGNORED = ("node_modules", "__MACOSX")
_NOT_TOKENS = (
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "pnpm-lock.yaml",
    "pnpm-workspace.yaml",
    "tokensync.outputs.json",
)
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


class Reading(NamedTuple):
    """The documents of a source, in the order of their paths, and what could not be read."""

    documents: tuple[Document, ...]
    unread: tuple[Unread, ...]


def read_source(path: str, without: frozenset[str] = frozenset()) -> Reading:
    """Read a file, a folder or a zip; in a folder, not the absolute paths ``without``.

    With a file come the files that it names, if they are in its folder or below; its reader reports missing ones.
    Raises UsageError if there is nothing to read, or if a package is missing.
    """
    top = os.path.realpath(path)
    try:
        if os.path.isdir(top):
            reader = _Reader(_FolderFiles(top, without))
            reader.read_all()
        elif _is_zip(top):
            reader = _Reader(_ZipFiles(top))
            reader.read_all()
        else:
            reader = _Reader(_FolderFiles(os.path.dirname(top)))
            reader.read_with_named(os.path.basename(top))
    except FileNotFoundError:
        raise UsageError(f"{shown_path(path)}: no such file or folder; correct the path") from None
    except OSError as error:
        raise UsageError(f"{shown_path(path)}: cannot be read ({error.strerror or error}); choose a file") from None
    documents = sorted(reader.documents, key=lambda each: each.path)
    if not documents and not reader.unread:
        what = "has no JSON, YAML, CSS, SCSS or XML file"
        raise UsageError(f"{shown_path(path)}: {what}; give the folder or file with the tokens")
    return Reading(tuple(documents), tuple(sorted(reader.unread)))


def document_of(path: str, raw: bytes) -> tuple[Document | None, list[Unread]]:
    """Return the document of a file's bytes, and the parts that cannot be read. Raises UsageError without a package."""
    try:
        text = raw.decode("utf-16" if raw[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        return None, [_part(path, line, "the file is not UTF-8; convert it to UTF-8")]
    text = text.replace("\r\n", "\n")
    if text.startswith(_LFS):
        return None, [_part(path, 1, "this is a pointer of Git LFS, not the file; run `git lfs pull`")]
    kind = _KINDS.get(os.path.splitext(path)[1].lower()) or ("json" if text.lstrip()[:1] in ("{", "[") else "text")
    match kind:
        case "json":
            return _json_document(path, text)
        case "yaml":
            return _yaml_document(path, text)
    return Document(path, text, "text"), []


def missing_package(name: str, purpose: str) -> UsageError:
    """Return the error to raise if an optional package cannot be imported."""
    return UsageError(f"{purpose}: needs the package {name}; run `python -m pip install {name}`")


def _part(path: str, line: int, reason: str, name: str = "") -> Unread:
    return Unread(Location(path, line), name, reason, is_token=False)


def _json_document(path: str, text: str) -> tuple[Document | None, list[Unread]]:
    raw = text.encode("utf-8", "surrogatepass")
    content, problems = parsed(raw)
    unread = [_part(path, line_and_column(raw, each.offset)[0], f"{each.what}; {each.what_to_do}") for each in problems]
    if any(each.code == "conflict-marks" for each in problems):
        return None, unread
    if any(each.code == "tokens-malformed" for each in problems):
        content, text, unread = _json5(path, text)
    if unread and content is None:
        return None, unread
    objects = _objects(content)
    if objects is None:
        return None, [_part(path, 1, f"the JSON is nested deeper than {DEEPEST} levels; reduce its nesting")]
    if any(each.code == "tokens-number" for each in problems):  # such a number was read as 0
        content = _without_infinities(json.loads(text))
        objects = _objects(content)
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
                return None, text, [*unread, _part(path, line, f"{_plain(reason)}; correct the JSON")]
            unread.append(
                _part(path, line, "a comma is missing before this line's value; it was read as if it were there")
            )
            text = f"{text[:offset]},{text[offset:]}"
        except (ValueError, RecursionError, MemoryError, OverflowError) as error:
            return None, text, [*unread, _part(path, 1, f"{error}; correct the JSON")]
        else:
            break
    line_of = _line_counter(text)
    repeated = _scanned(text).repeated
    outer = {pointer for pointer, _ in repeated}
    for pointer, at in repeated:
        if any(pointer[:end] in outer for end in range(1, len(pointer))):
            continue
        what = f"the name {str(pointer[-1])[:60]!r} is repeated in one object; only its last value is read"
        unread.append(_part(path, line_of(at), what, ".".join(map(str, pointer))))
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
        return None, [_part(path, 1, "the YAML is larger than 4 MiB; convert it to JSON")]
    try:
        import yaml  # noqa: F401 - of the module below
    except ImportError:
        raise missing_package("pyyaml", f"{path}: to read YAML, tokensync") from None
    from tokensync.migrate.readers.yaml_text import read_yaml

    read = read_yaml(text, DEEPEST)
    unread = [_part(path, line, reason) for line, reason in read.problems]
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


def _objects(content: Any) -> list[dict[str, Any]] | None:
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


class _FolderFiles:
    """The files below a folder."""

    def __init__(self, top: str, without: frozenset[str] = frozenset()) -> None:
        self._top = top
        self._without = without
        self._paths: list[str] | None = None

    def paths(self, unread: list[Unread]) -> Iterator[str]:
        """Yield the paths of all files, sorted; add links to ``unread``."""
        pending = [""]
        while pending:
            folder = pending.pop()
            below: list[str] = []
            for entry in sorted(os.scandir(os.path.join(self._top, folder)), key=lambda each: each.name):
                path = f"{folder}/{entry.name}" if folder else entry.name
                if entry.name.startswith(".") or entry.name in _IGNORED or entry.path in self._without:
                    continue
                if entry.is_symlink():
                    if entry.is_dir() or _kind_of(path):
                        unread.append(
                            _part(path, 1, "this is a link, and links are not followed; copy its target here")
                        )
                elif entry.is_dir(follow_symlinks=False):
                    below.append(path)
                elif entry.is_file(follow_symlinks=False):
                    yield path
            pending += reversed(below)

    def size(self, path: str) -> int:
        """Return the size of a file. Raises OSError."""
        return os.stat(os.path.join(self._top, path), follow_symlinks=False).st_size

    def content(self, path: str) -> bytes:
        """Return the content of a file that is no link. Raises OSError."""
        with open_file(os.path.join(self._top, *path.split("/"))) as file:
            return file.read(LARGEST + 1)

    def matching(self, folder: str, pattern: str) -> list[str]:
        """Return the paths that a pattern relative to a folder names, all of them below the top folder."""
        path = normpath(f"{folder}/{pattern}" if folder else pattern)
        if path.startswith(("/", "..")) or "\\" in path or len(path) > _LONGEST_PATTERN:
            return []
        if not is_pattern(path):
            return [path] if self._is_plain(path) else []
        if self._paths is None:
            self._paths = [each for each, _ in zip(self.paths([]), range(MOST_FILES), strict=False)]
        return [each for each in self._paths if _kind_of(each) and matches(path, each)]

    def _is_plain(self, path: str) -> bool:
        full = os.path.join(self._top, path)
        return os.path.realpath(full) == full and os.path.isfile(full)


class _ZipFiles:
    """The files of a zip. Each is read only up to the limit: its stated size may be wrong."""

    def __init__(self, path: str) -> None:
        import struct
        import zipfile

        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, ValueError, OverflowError, NotImplementedError, struct.error) as error:
            raise UsageError(f"{shown_path(path)}: is not a complete zip ({error}); export it again") from None
        self._entries = {each.filename: each for each in self._zip.infolist() if each.filename[-1:] not in ("", "/")}

    def paths(self, unread: list[Unread]) -> Iterator[str]:
        """Yield the paths of all files, sorted; add paths that lead out of the zip to ``unread``."""
        for path in sorted(self._entries):
            steps = path.split("/")
            if any((each.startswith(".") and each != "..") or each in _IGNORED for each in steps):
                continue
            if ".." in steps or "" in steps or "\\" in path:
                unread.append(_part(path[:200], 1, "the path leads out of the zip; unpack it, and give the folder"))
            else:
                yield path

    def size(self, path: str) -> int:
        """Return the stated size of a file."""
        return self._entries[path].file_size

    def content(self, path: str) -> bytes:
        """Return the content of a file. Raises OSError."""
        import struct
        import zlib
        from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile

        if self._entries[path].compress_type not in (ZIP_STORED, ZIP_DEFLATED):
            raise OSError("its compression is unusual")
        try:
            with self._zip.open(self._entries[path]) as file:
                return file.read(LARGEST + 1)
        except (BadZipFile, RuntimeError, ValueError, OverflowError, EOFError, struct.error, zlib.error) as error:
            raise OSError(f"the zip is damaged or encrypted: {error}") from None


class _Reader:
    """Reads files within the limits of a source."""

    def __init__(self, files: _FolderFiles | _ZipFiles) -> None:
        self.files = files
        self.documents: list[Document] = []
        self.unread: list[Unread] = []
        self.remaining = LARGEST_IN_ALL

    def read_all(self) -> None:
        """Read all files that can have tokens."""
        programs: list[str] = []
        count = 0
        for path in self.files.paths(self.unread):
            if path.endswith(_PROGRAMS) and not path.endswith(".d.ts"):
                programs.append(path)
            if _kind_of(path) and path.rpartition("/")[2] not in _NOT_TOKENS:
                count += 1
                if count > MOST_FILES:
                    reason = f"there are more than {MOST_FILES:,} files; give the folder with the tokens"
                    self.unread.append(_part(path, 1, reason))
                    break
                self.read(path)
        if programs:
            what = f"{counted(len(programs), 'file')} of a programming language: {listed(programs)}"
            self.unread.append(_part(programs[0], 1, f"not read: {what}; if tokens are in them, export these as JSON"))

    def read_with_named(self, path: str) -> None:
        """Read a file, and the files that it names. Raises OSError if there is no such file."""
        self.files.size(path)
        seen, pending = {path}, [path]
        while pending:
            document = self.read(pending.pop())
            for pattern in _names_in(document.content) if document is not None else ():
                if len(seen) > MOST_FILES or document is None:
                    return
                for each in self._matching(document, pattern):
                    if each not in seen:
                        seen.add(each)
                        pending.append(each)

    def _matching(self, document: Document, pattern: str) -> list[str]:
        folder, files = dirname(document.path), self.files
        found: list[str] = []
        if isinstance(files, _FolderFiles):
            found += (path for each in alternatives(pattern) for path in files.matching(folder, each))
        return found

    def read(self, path: str) -> Document | None:
        """Read a file, and return its document if it has one."""
        if not _is_text(path):
            self.unread.append(_part(repr(path)[1:-1], 1, "the name is not valid UTF-8; rename the file"))
            return None
        try:
            size = self.files.size(path)
            raw = self.files.content(path) if size <= min(LARGEST, self.remaining) else None
        except OSError as error:
            self.unread.append(
                _part(path, 1, f"cannot be read ({error.strerror or error}); correct or remove the file")
            )
            return None
        if raw is None or len(raw) > min(LARGEST, self.remaining):
            limits = f"{LARGEST >> 20} MiB, or all files than {LARGEST_IN_ALL >> 20} MiB"
            self.unread.append(_part(path, 1, f"the file is larger than {limits}; split the source"))
            return None
        self.remaining -= len(raw)
        document, unread = document_of(path, raw)
        self.unread += unread
        if document is not None:
            self.documents.append(document)
        return document


def _kind_of(path: str) -> Kind | None:
    return _KINDS.get(os.path.splitext(path)[1].lower())


def _is_text(path: str) -> bool:
    return not re.search(r"[\ud800-\udfff]", path)


def _is_zip(path: str) -> bool:
    with open_file(path) as file:
        return file.read(4) == b"PK\x03\x04"


def _names_in(content: Any) -> Iterator[str]:
    """Yield the paths and patterns of other files that a document names: imports, sources and references."""
    if not isinstance(content, dict):
        return
    for name in ("imports", "include", "source"):
        listed_names = content.get(name)
        if isinstance(listed_names, list):
            yield from (each for each in listed_names if isinstance(each, str) and each)
    for node in _objects(content) or ():
        reference = node.get("$ref")
        if isinstance(reference, str) and reference[:1] not in ("#", "") and "resolutionOrder" in content:
            yield reference.partition("#")[0]
