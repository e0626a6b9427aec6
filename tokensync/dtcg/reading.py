"""Token files to a graph, and where its tokens stand in them.

Pure: bytes in; a graph and all problems, with their places, out.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.dtcg.assembly import Assembly
from tokensync.dtcg.document import Document, Location, document
from tokensync.dtcg.families import Orders, bad_sources, families_of, home_column, orders_of, token_folder
from tokensync.dtcg.parse import Faults, parsed
from tokensync.dtcg.spelling import FOLDERS, MODE_NAME, RESOLVER_SUFFIX, ROOT, TOKENS_SUFFIX, Spelling, folder
from tokensync.positions import lines_and_columns, offsets, pointer_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.positions import Pointer
    from tokensync.problems import Problem
    from tokensync.tokens import Origin, TokenGraph, TokenKey


_ORIGINS: dict[str, Origin] = {folder.rstrip("/"): origin for origin, folder in FOLDERS.items()}
_NOT_UTF_8 = re.compile(r"[\ud800-\udfff]+")
"""What Python has for the bytes of a name that are no text."""
_NOT_IN_HANDLES = re.compile(r"[.{}]|^\$|^$")


def read(files: Mapping[str, bytes], file: str, *, shown_below: str = "") -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the graph of one file's token files, and what is wrong with them.

    ``files`` maps paths as ``write`` makes them (``<file>/<handle>/<mode>.tokens.json``, ``<file>.resolver.json``) to
    contents; others are no token files of this file and not looked at. What an error concerns is not in the graph.
    ``shown_below`` is put before paths in problems.
    """
    faults = Faults(files, shown_below)
    orders = _orders(files, file, faults)
    documents: list[Document] = []
    unread: set[str] = set()
    for path in sorted(files):
        location = _location(path, file)
        if location is None:
            continue
        if _NOT_UTF_8.search(path):
            what = "the path is not UTF-8, so it names no collection or mode"
            faults.at(path, (), "tokens-name", what, f"rename it, such as to {_NOT_UTF_8.sub('-', path)}")
            unread.add(location.handle)
            continue
        if _NOT_IN_HANDLES.search(location.handle):
            what = f"the folder's name {location.handle[:60]!r} cannot name a group"
            faults.at(path, (), "tokens-root-group", what, "use no dots, braces and leading dollar sign")
            continue
        tree, found = parsed(files[path])
        faults.of_text(path, found)
        if tree is None and found:
            unread.add(location.handle)
            continue
        read_document = document(location, tree, files[path], faults)
        if read_document is None:
            unread.add(location.handle)
        else:
            documents.append(read_document)
    families = families_of(documents, file, orders, faults)
    graph = Assembly(families, documents, file, faults, files, unread).graph()
    return graph, faults.problems()


def is_token_file(path: str, file: str) -> bool:
    """Return whether a path, relative to the tokens folder, is one of this file's token files."""
    return _location(path, file) is not None or path == file + RESOLVER_SUFFIX


def _orders(files: Mapping[str, bytes], file: str, faults: Faults) -> Orders:
    path = file + RESOLVER_SUFFIX
    if path not in files:
        return Orders()
    tree, found = parsed(files[path])
    faults.of_text(path, found)
    if tree is None and found:
        return Orders()
    orders = orders_of(tree)
    if isinstance(orders, Orders):
        for bad in bad_sources(tree, file, {each for each in files if _location(each, file) is not None}):
            faults.at(path, *bad)
        return orders
    faults.at(path, (), "resolver-structure", orders, "write it as the DTCG resolver has it, or pull again")
    return Orders()


def _location(path: str, file: str) -> Location | None:
    """Return where a path stands; None when it is none of this file's token files."""
    steps = path.split("/")
    if steps[0] != file or not path.endswith(TOKENS_SUFFIX) or len(steps) not in (3, 4):
        return None
    origin = _ORIGINS.get(steps[1] if len(steps) == 4 else "")
    if origin is None or (len(steps) == 3 and steps[1] in _ORIGINS):
        return None
    return Location(path, origin, steps[-2], steps[-1][: -len(TOKENS_SUFFIX)])


_LONGEST = 200  # characters of a pointer


class Finder:
    """Finds tokens in files that were read to a graph. The first question about a file scans it, once for all."""

    def __init__(self, graph: TokenGraph, files: Mapping[str, bytes], shown_below: str) -> None:
        self._graph = graph
        self._files = files
        self._shown_below = shown_below
        self._known: dict[str, dict[Pointer, tuple[int, int]]] = {}
        self._spellings: dict[str, Spelling] = {}

    def place(self, key: TokenKey, context: str | None = None) -> str | None:
        """``tokens/design/theme/dark.tokens.json:12:5 (#/theme/accent)``: the token, in a mode or in its default one.

        Without a value in that mode it is where the token itself stands; None when no file has it. Without a path, the
        mode is meant.
        """
        if not key.path:
            return self._place_of_mode(key, context)
        token = self._graph.tokens.get(key)
        if token is None:
            return None
        family = self._graph.collections[key[:2]]
        home = home_column(family)
        columns = [column for column, mode in enumerate(family.modes) if mode.context == context and column != home]
        pointer = self._pointer(key)
        for column in (*columns, home, *range(len(family.modes))):
            path = f"{key.file}/{token_folder(token, family, column)}/{family.modes[column].slug}{TOKENS_SUFFIX}"
            found = self._places(path).get(pointer)
            if found is not None:
                shown = pointer_text(pointer)
                return f"{self._shown_below}{path}:{found[0]}:{found[1]} ({shown[:_LONGEST]})"
        return None

    def _place_of_mode(self, key: TokenKey, context: str | None) -> str | None:
        family = self._graph.collections.get(key[:2])
        mode = None if family is None else next((each for each in family.modes if each.context == context), None)
        if family is None or mode is None:
            return None
        path = f"{key.file}/{folder(family.origin, mode.collection)}/{mode.slug}{TOKENS_SUFFIX}"
        text = self._files.get(path)
        if text is None:
            return None
        pointer = ("$extensions", MODE_NAME)
        offset = offsets(text, [pointer])[pointer]
        line, column = lines_and_columns(text, [offset])[offset]
        return f"{self._shown_below}{path}:{line}:{column} ({pointer_text(pointer)})"

    def _pointer(self, key: TokenKey) -> Pointer:
        spelling = self._spellings.get(key.file)
        if spelling is None:
            keys = (each for each in self._graph.tokens if each.file == key.file)
            spelling = self._spellings[key.file] = Spelling(keys)
        steps = (key.collection, *key.path.split("."))
        return (*steps, ROOT) if spelling.is_root(key) else steps

    def _places(self, path: str) -> Mapping[Pointer, tuple[int, int]]:
        """Return the tokens of a file with their lines and columns."""
        known = self._known.get(path)
        if known is None:
            text = self._files.get(path)
            known = self._known[path] = {} if text is None else self._scanned(path, text)
        return known

    def _scanned(self, path: str, text: bytes) -> dict[Pointer, tuple[int, int]]:
        file = path.partition("/")[0]
        handles = {mode.collection: key[1] for key, each in self._graph.collections.items() for mode in each.modes}
        handle = handles.get(path.split("/")[-2])
        pointers = [self._pointer(key) for key in self._graph.tokens if key[:2] == (file, handle)]
        found = offsets(text, pointers)
        around = {pointer[:-1] for pointer in pointers}
        groups = offsets(text, around)
        own = {pointer: at for pointer, at in found.items() if at != groups[pointer[:-1]]}  # else only a group is there
        shown = lines_and_columns(text, own.values())
        return {pointer: shown[at] for pointer, at in own.items()}
