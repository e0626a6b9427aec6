"""The files of a source (a file and those that it names, a folder, or a zip), and its format, by their content.

Sizes and numbers have limits, links are not followed, and what cannot be read is listed with its reason while the rest
is read. Files name others by patterns, as configurations of JavaScript tools do: ``tokens/**/*.{json,json5}``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from fnmatch import fnmatchcase
from importlib import import_module
from posixpath import dirname, normpath
from typing import Any, NamedTuple

from msgspec.structs import replace

from tokensync.migrate.readers.documents import Document, document_of, kind_of, objects_in, unread_part
from tokensync.migrate.source import Location, Source, Unread
from tokensync.system import plugins
from tokensync.system.disk import open_file, shown_path
from tokensync.system.errors import UsageError
from tokensync.system.wording import counted, listed

LARGEST = 64 << 20
"""Bytes of a file."""
LARGEST_IN_ALL = 256 << 20
"""Bytes of all files of a source, unpacked."""
MOST_FILES = 20_000
_LONGEST_PATTERN = 1_000  # characters
_PROGRAMS = (".js", ".mjs", ".cjs", ".ts", ".mts", ".jsx", ".tsx")
_COMPILED = {".less": "Less", ".sass": "indented Sass", ".styl": "Stylus"}
"""Languages of stylesheets that are not read, by the ends of their files' names."""
_IGNORED = ("node_modules", "__MACOSX")
_NOT_TOKENS = frozenset(
    "package.json package-lock.json tsconfig.json pnpm-lock.yaml pnpm-workspace.yaml tokensync.outputs.json".split()
)
_MOST_ALTERNATIVES = 64
_BRACES = re.compile(r"\{([^{}]*)\}")


class Reading(NamedTuple):
    """The documents of a source, in the order of their paths, and what could not be read."""

    documents: tuple[Document, ...]
    unread: tuple[Unread, ...]


def read_source(path: str, without: frozenset[str] = frozenset(), *, may_be_empty: bool = False) -> Reading:
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
    if not (documents or reader.unread or may_be_empty):
        what = "has no JSON, YAML, CSS, SCSS or XML file"
        raise UsageError(f"{shown_path(path)}: {what}; give the folder or file with the tokens")
    return Reading(tuple(documents), tuple(sorted(reader.unread)))


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
                    if os.path.isdir(entry.path) or kind_of(path):  # unlike is_dir(), False for a link to itself
                        unread.append(
                            unread_part(path, 1, "this is a link, and links are not followed; copy its target here")
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
        if not any(each in path for each in "*?["):
            return [path] if self._is_plain(path) else []
        if self._paths is None:
            self._paths = [each for each, _ in zip(self.paths([]), range(MOST_FILES), strict=False)]
        return [each for each in self._paths if kind_of(each) and matches(path, each)]

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
        self._entries = {info.filename: info for info in self._zip.infolist() if info.filename[-1:] not in ("", "/")}

    def paths(self, unread: list[Unread]) -> Iterator[str]:
        """Yield the paths of all files, sorted; add paths that lead out of the zip to ``unread``."""
        for path in sorted(self._entries):
            steps = path.split("/")
            if any((step.startswith(".") and step != "..") or step in _IGNORED for step in steps):
                continue
            if ".." in steps or "" in steps or "\\" in path:
                unread.append(
                    unread_part(path[:200], 1, "the path leads out of the zip; unpack it, and give the folder")
                )
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
        sheets: list[str] = []
        count = 0
        for path in self.files.paths(self.unread):
            if path.endswith(_PROGRAMS) and not path.endswith(".d.ts"):
                programs.append(path)
            elif path.lower().endswith(tuple(_COMPILED)):
                sheets.append(path)
            if kind_of(path) and path.rpartition("/")[2] not in _NOT_TOKENS:
                count += 1
                if count > MOST_FILES:
                    reason = f"there are more than {MOST_FILES:,} files; give the folder with the tokens"
                    self.unread.append(unread_part(path, 1, reason))
                    break
                self.read(path)
        self._report_compiled(sheets)
        if programs:
            what = f"{counted(len(programs), 'file')} of a programming language: {listed(programs)}"
            self.unread.append(
                unread_part(programs[0], 1, f"not read: {what}; if tokens are in them, export these as JSON")
            )

    def _report_compiled(self, paths: Iterable[str]) -> None:
        """Report stylesheets in languages that are not read, in a line for each language."""
        by_end: dict[str, list[str]] = {}
        for path in paths:
            by_end.setdefault(os.path.splitext(path)[1].lower(), []).append(path)
        for end, found in by_end.items():
            what = f"{counted(len(found), 'stylesheet')} in {_COMPILED[end]}: {listed(found)}"
            to_do = f"compile {'it' if len(found) == 1 else 'them'}, and give the CSS"
            self.unread.append(unread_part(found[0], 1, f"not read: {what}; {to_do}"))

    def read_with_named(self, path: str) -> None:
        """Read a file, and the files that it names. Raises OSError if there is no such file."""
        self.files.size(path)
        if path.lower().endswith(tuple(_COMPILED)):
            self._report_compiled((path,))
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
            found += (path for alternative in alternatives(pattern) for path in files.matching(folder, alternative))
        return found

    def read(self, path: str) -> Document | None:
        """Read a file, and return its document if it has one."""
        if not _is_text(path):
            self.unread.append(unread_part(repr(path)[1:-1], 1, "the name is not valid UTF-8; rename the file"))
            return None
        try:
            size = self.files.size(path)
            raw = self.files.content(path) if size <= min(LARGEST, self.remaining) else None
        except OSError as error:
            self.unread.append(
                unread_part(path, 1, f"cannot be read ({error.strerror or error}); correct or remove the file")
            )
            return None
        if raw is None or len(raw) > min(LARGEST, self.remaining):
            limits = f"{LARGEST >> 20} MiB, or all files than {LARGEST_IN_ALL >> 20} MiB"
            self.unread.append(unread_part(path, 1, f"the file is larger than {limits}; split the source"))
            return None
        self.remaining -= len(raw)
        document, unread = document_of(path, raw)
        self.unread += unread
        if document is not None:
            self.documents.append(document)
        return document


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
            yield from (name for name in listed_names if isinstance(name, str) and name)
    for node in objects_in(content) or ():
        reference = node.get("$ref")
        if isinstance(reference, str) and reference[:1] not in ("#", "") and "resolutionOrder" in content:
            yield reference.partition("#")[0]


def matches(pattern: str, path: str) -> bool:
    """Return whether a path matches a pattern without braces; ``**`` stands for any number of folders."""
    steps = path.split("/")
    reached = {0}  # the numbers of steps of the path that the pattern can have matched
    for each in pattern.split("/"):
        if each == "**":
            reached = set(range(min(reached), len(steps) + 1))
        else:
            reached = {at + 1 for at in reached if at < len(steps) and fnmatchcase(steps[at], each)}
        if not reached:
            return False
    return len(steps) in reached


def alternatives(pattern: str) -> list[str]:
    """Return the patterns without braces that a pattern stands for: ``a.{json,yml}`` for two."""
    pending, found = [pattern], list[str]()
    while pending and len(found) + len(pending) < _MOST_ALTERNATIVES:
        each = pending.pop(0)
        braces = _BRACES.search(each)
        if braces is None:
            found.append(each)
        else:
            pending += (each[: braces.start()] + one + each[braces.end() :] for one in braces[1].split(","))
    return found


class Format(NamedTuple):
    """A format: its name on the command line, its name in messages, and the module of its reader.

    The module has ``recognized`` and ``read``. Readers of text get the bytes of the files by path, others documents.
    """

    name: str
    label: str
    module: str
    reads_text: bool = False


FORMATS = (
    Format("theo", "Theo", "tokensync.migrate.readers.theo"),
    Format("tokens-studio", "Tokens Studio", "tokensync.migrate.readers.tokens_studio"),
    Format("figma", "Figma's own export of variables", "tokensync.migrate.readers.figma_export"),
    Format("dtcg", "DTCG", "tokensync.migrate.readers.dtcg_files"),
    Format("style-dictionary", "Style Dictionary", "tokensync.migrate.readers.style_dictionary"),
    Format("css", "CSS or SCSS", "tokensync.migrate.readers.css.reader", reads_text=True),
    Format("android", "Android resources", "tokensync.migrate.readers.android", reads_text=True),
    Format("ios", "asset catalogs of Apple platforms", "tokensync.migrate.readers.asset_catalog", reads_text=True),
    Format("json", "JSON of names and values", "tokensync.migrate.readers.plain_json"),
)
"""In the order in which they are tried: a file with tokens of Tokens Studio is valid DTCG, too, and a list of Theo's
props looks like an old set of Tokens Studio."""


def formats() -> tuple[Format, ...]:
    """Return the formats in the order in which they are tried: first those of plug-ins, which know their own files.

    A plug-in of ``tokensync.readers`` is a module with ``LABEL``, ``recognized`` and ``read``, which get text.
    """
    built_in = {form.name for form in FORMATS}
    plugged = [(name, plugins.load("readers", name)) for name in plugins.entries("readers") if name not in built_in]
    return (*(Format(name, module.LABEL, module.__name__, reads_text=True) for name, module in plugged), *FORMATS)


class Recognized(NamedTuple):
    """A source with its format, and the names of other formats whose files it has, too.

    One file of JSON may be in several formats; only stylesheets and resources beside it, or the reverse, are others,
    and Tokens Studio if nothing tells its sets from files of Style Dictionary.
    """

    source: Source
    format: Format
    others: tuple[str, ...] = ()


def recognize(path: str, name: str | None = None, without: frozenset[str] = frozenset()) -> Recognized:
    """Read a file, a folder or a zip in the format with a name, or else the first one that is recognized.

    ``without`` are absolute paths below the folder that are not read.

    Raises UsageError if no format is, if there is nothing to read, or if a package is missing.
    """
    from tokensync.migrate.readers.plain_json import collections_in
    from tokensync.migrate.readers.tokens_studio import may_be

    reading = read_source(path, without)
    if name is not None:
        found = [next(form for form in formats() if form.name == name)]
    else:
        found = [form for form in formats() if _is_recognized(form, reading.documents)]
        if any(collections_in(document.content) for document in reading.documents):
            # The modes of a plugin's variables may be trees that look like DTCG.
            found.sort(key=lambda form: form.name != "json")
    if not found:
        if reading.unread:
            to_do = f"{reading.unread[0].at}: {reading.unread[0].reason}"
        else:
            names = listed([form.name for form in formats()], 10)
            to_do = f"{_nearest(reading.documents[0])}; choose another with --format: {names}"
        raise UsageError(f"{shown_path(path)}: none of its files has tokens in a known format; {to_do}")
    source = _read(found[0], reading.documents)
    others = [each.name for each in found[1:] if each.reads_text != found[0].reads_text]
    if found[0].name == "style-dictionary" and name is None and may_be(reading.documents):
        others.insert(0, "tokens-studio")
    missing = tuple(unread for unread in reading.unread if unread not in source.unread)
    return Recognized(replace(source, unread=(*missing, *source.unread)), found[0], tuple(others))


def recognize_all(
    path: str, without: frozenset[str], unread: list[Unread]
) -> Iterator[tuple[Source, Sequence[Document]]]:
    """Yield the source of each format of text at a path, and that of the first one of JSON; not of programs.

    Files that cannot be read are added to ``unread``. Raises as ``recognize``.
    """
    is_program = path.endswith((*_PROGRAMS, ".kt", ".kts", ".swift"))
    reading = Reading((), ()) if is_program else read_source(path, without, may_be_empty=True)
    unread += (each for each in reading.unread if not each.at.file.endswith(_PROGRAMS))
    is_json = False
    for form in FORMATS:
        if (form.reads_text or not is_json) and _is_recognized(form, reading.documents):
            is_json = is_json or not form.reads_text
            yield _read(form, reading.documents), reading.documents


def _nearest(first: Document) -> str:
    """Return the format that is nearest to a file, and what that needs."""
    match first.content:
        case {"collections": _} | {"variables": _}:
            what = "json, where each of the collections has a name, and variables in a list with a name and values"
        case dict() | list():
            what = (
                "dtcg, where each token is an object with a $value, or json, where most values are colours or lengths"
            )
        case _ if first.path.lower().endswith(".xml"):
            what = "android, where <resources> has <color> or <dimen>"
        case _:
            what = "css, where a rule declares a custom property, such as --a: 1px, or a file of SCSS $a: 1px"
    return f"{first.path} is nearest to {what}"


def _argument(form: Format, documents: Sequence[Document]) -> object:
    return {document.path: document.text.encode() for document in documents} if form.reads_text else documents


def _is_recognized(form: Format, documents: Sequence[Document]) -> bool:
    with _answering(form):
        return bool(import_module(form.module).recognized(_argument(form, documents)))


def _read(form: Format, documents: Sequence[Document]) -> Source:
    with _answering(form):
        source: Source = import_module(form.module).read(_argument(form, documents))
        if not isinstance(source, Source):
            raise TypeError(f"read() returned {type(source).__name__} instead of a Source")
        tokens: Iterable[Any] = (token for _, token in source.tokens()) if form not in FORMATS else ()
        for token in tokens:
            is_name = isinstance(token.name, tuple) and all(isinstance(name, str) and name for name in token.name)
            if not (is_name and token.name and isinstance(token.at, Location)):
                raise TypeError(f"a token has the name {token.name!r:.80} at {token.at!r:.80}")
        return source


def _answering(form: Format) -> AbstractContextManager[None]:
    """Return a context in which errors of a plug-in's reader name its package."""
    return nullcontext() if form in FORMATS else plugins.answering("readers", form.name)
