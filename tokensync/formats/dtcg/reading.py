"""Token files to a graph. Pure: bytes in; a graph and all problems, with their places, out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tokensync.formats.dtcg.assembly import Assembly
from tokensync.formats.dtcg.document import Document, Location, document
from tokensync.formats.dtcg.families import families_of
from tokensync.formats.dtcg.faults import Faults
from tokensync.formats.dtcg.parse import parsed
from tokensync.formats.dtcg.resolver import Orders, bad_sources, orders_of
from tokensync.formats.dtcg.spelling import FOLDERS, RESOLVER_SUFFIX, TOKENS_SUFFIX

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.problems import Problem
    from tokensync.tokens import Origin, TokenGraph

_ORIGINS: dict[str, Origin] = {folder.rstrip("/"): origin for origin, folder in FOLDERS.items()}
_NOT_UTF_8 = re.compile(r"[\ud800-\udfff]+")
"""What Python has for the bytes of a name that are no text."""
_NOT_IN_HANDLES = re.compile(r"[.{}]|^\$|^$")


def read(files: Mapping[str, bytes], file: str, *, shown_below: str = "") -> tuple[TokenGraph, tuple[Problem, ...]]:
    """The graph of one file's token files, and what is wrong with them.

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
        like = documents[-1] if documents else None  # mostly another mode of the same collection
        read_document = document(location, tree, files[path], faults, like)
        if read_document is None:
            unread.add(location.handle)
        else:
            documents.append(read_document)
    families = families_of(documents, file, orders, faults)
    graph = Assembly(families, documents, file, faults, files, unread).graph()
    return graph, faults.problems()


def is_token_file(path: str, file: str) -> bool:
    """Whether a path, relative to the tokens folder, is one of this file's token files."""
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
    """Where a path stands; None when it is none of this file's token files."""
    steps = path.split("/")
    if steps[0] != file or not path.endswith(TOKENS_SUFFIX) or len(steps) not in (3, 4):
        return None
    origin = _ORIGINS.get(steps[1] if len(steps) == 4 else "")
    if origin is None or (len(steps) == 3 and steps[1] in _ORIGINS):
        return None
    return Location(path, origin, steps[-2], steps[-1][: -len(TOKENS_SUFFIX)])
