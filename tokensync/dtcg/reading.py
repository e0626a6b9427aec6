"""Reading: token files to a graph and its problems, without access to files. Also locates tokens in token files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tokensync.dtcg.assembly import Assembly
from tokensync.dtcg.document import Document, document, location_of
from tokensync.dtcg.families import (
    Orders,
    bad_sources,
    edited_defaults,
    families_of,
    home_column,
    misplaced_sources,
    orders_of,
    token_folder,
)
from tokensync.dtcg.parse import ProblemCollector, parsed
from tokensync.dtcg.resolver import Flattening, ResolverReader, is_foreign
from tokensync.dtcg.spelling import FOLDERS, MODE_NAME, RESOLVER_SUFFIX, ROOT, TOKENS_SUFFIX, Spelling
from tokensync.system.positions import Pointer, lines_and_columns, offsets, pointer_text
from tokensync.system.problems import Problem, problem
from tokensync.system.token_files import named_files
from tokensync.system.wording import quoted, suggestion

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.dtcg.assembly import LockedValue
    from tokensync.dtcg.families import FamilyOfFiles
    from tokensync.tokens import TokenGraph, TokenKey


_NOT_UTF_8 = re.compile(r"[\ud800-\udfff]+")
"""The surrogates that Python decodes undecodable bytes of a path to."""
_NOT_IN_HANDLES = re.compile(r"[.{}]|^\$|^$")


def no_lock(key: TokenKey, context: str, token_id: str, mode_id: str) -> None:
    """Return None: no token was synchronised yet."""


def read(
    files: Mapping[str, bytes], file: str, *, shown_below: str = "", locked: LockedValue = no_lock
) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the graph of a design file's token files, and their problems.

    ``files`` maps paths to contents: ``<file>/<handle>/<mode>.tokens.json``, ``<file>.resolver.json`` and the sources
    of another tool's resolver document; other paths are ignored. Tokens with an error are not in the graph.
    ``shown_below`` is shown before paths in problems. ``locked`` is called for colours of which only hex or only
    the components were edited.
    """
    collector = ProblemCollector(files, shown_below)
    resolver = _resolver(files, file, collector)
    if is_foreign(resolver, file, files.get):
        return _read_layers(resolver, files, file, collector)
    orders, absent = _orders(resolver, files, file, collector)
    documents: list[Document] = []
    unread = absent
    for path in sorted(files):
        location = location_of(path, file)
        if location is None:
            continue
        if _NOT_UTF_8.search(path):
            what = "the path is not valid UTF-8"
            collector.add(path, (), "tokens-name", what, f"rename it, for example to {_NOT_UTF_8.sub('-', path)}")
            unread.add(location.handle)
            continue
        if _NOT_IN_HANDLES.search(location.handle):
            what = f"the folder name {location.handle[:60]!r} is not a valid group name"
            name = _NOT_IN_HANDLES.sub("-", location.handle[:60])
            collector.add(path, (), "tokens-root-group", what, f"rename the folder, for example to {name!r}")
            continue
        tree, problems = parsed(files[path])
        collector.add_text_problems(path, problems)
        token_document = None if tree is None and problems else document(location, tree, files[path], collector)
        if token_document is None:
            unread.add(location.handle)
        else:
            documents.append(token_document)
    families = families_of(documents, file, orders, collector)
    for bad in misplaced_sources(resolver, families, file):
        collector.add(file + RESOLVER_SUFFIX, *bad)
    _report_defaults(resolver, families, file, collector)
    unread |= {  # with a file whose root group has another name, which is reported
        family.collection.handle
        for family in families
        for column in family.files
        if any(document.group not in (None, family.collection.handle) for document in column)
    }
    graph = Assembly(families, documents, file, collector, files, unread, locked).graph()
    return graph, collector.problems()


def _report_defaults(resolver: Any, families: list[FamilyOfFiles], file: str, collector: ProblemCollector) -> None:
    """Report the modifiers of a resolver document that have another default than the collection."""
    for collection, default in edited_defaults(resolver, (family.collection for family in families)):
        contexts = [mode.context for mode in collection.modes]
        own = contexts[collection.default_mode]
        if default in contexts:
            code, what = (
                "resolver-default-differs",
                f"the default is {default!r:.80}, but outputs and Figma use {own!r:.80}",
            )
            to_do = (
                f'if other tools should use another default, do nothing: pulls keep it; otherwise write "{own[:60]}"'
            )
        else:
            code, what = "resolver-structure", f"the default {quoted(default, 60)} is not a context of this modifier"
            to_do = suggestion(default if isinstance(default, str) else "", contexts, quoted=True)
        collector.add(file + RESOLVER_SUFFIX, ("modifiers", collection.handle, "default"), code, what, to_do)


def is_token_file(path: str, file: str) -> bool:
    """Return whether a path, relative to the tokens folder, is a token file or the resolver document of ``file``."""
    return location_of(path, file) is not None or path == file + RESOLVER_SUFFIX


def _resolver(files: Mapping[str, bytes], file: str, collector: ProblemCollector) -> Any:
    """Return the JSON of the resolver document; None if there is none, or if it is malformed, which is reported."""
    path = file + RESOLVER_SUFFIX
    if path not in files:
        return None
    tree, problems = parsed(files[path])
    collector.add_text_problems(path, problems)
    if tree is None and not problems:
        tree = []  # null is not a resolver document
    return tree


def _orders(
    resolver: Any, files: Mapping[str, bytes], file: str, collector: ProblemCollector
) -> tuple[Orders, set[str]]:
    """Return what the resolver document says about order, and the handles of collections with missing files."""
    if resolver is None:
        return Orders(), set()
    path = file + RESOLVER_SUFFIX
    orders = orders_of(resolver)
    if isinstance(orders, Orders):
        own = {each: location for each in files if (location := location_of(each, file)) is not None}
        for bad in bad_sources(resolver, file, own):
            collector.add(path, *bad)
        listed = named_files(files[path])
        for mode in unlisted_modes(files, file):
            collector.add(mode, (), "mode-unregistered", *unlisted_advice(collector.display_path(path)))
        missing = (location_of(each, file) for each in listed - own.keys())
        return orders, {location.handle for location in missing if location is not None}
    collector.add(path, (), "resolver-structure", orders, "correct the resolver document, or restore it from git")
    return Orders(), set()


def unlisted_modes(files: Mapping[str, bytes], file: str) -> list[str]:
    """Return the paths of the modes that tokensync's resolver document does not list."""
    resolver = files.get(file + RESOLVER_SUFFIX)
    if resolver is None:
        return []
    own = {each: location for each in files if (location := location_of(each, file)) is not None}
    return sorted(each for each in own.keys() - named_files(resolver) if own[each].origin == "local")


def unlisted_advice(document: str) -> tuple[str, str]:
    """Return what is wrong with a mode that the document at this path does not list, and what to do."""
    what = f"{document} does not list this mode, so other tools do not read it"
    return what, "if it is new, do nothing: the pull after apply lists it; otherwise remove it"


_OF_TOKENS = frozenset({"token-type", "token-value", "color-space", "token-reference", "token-reference-type"})
"""Errors that make a token invalid, and nothing else."""


def _read_layers(
    resolver: Any, files: Mapping[str, bytes], file: str, collector: ProblemCollector
) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the graph of another tool's resolver document, and its problems.

    Invalid tokens are warnings, because a project cannot correct another one's files.
    """
    layers = ResolverReader(resolver, file, files, collector).layers()
    flattened = Flattening(layers, file, collector).families()
    assembly = Assembly(
        flattened.families, flattened.documents, file, collector, files, flattened.omitted, None, flattened.addresses
    )
    graph = assembly.graph()
    problems = dict.fromkeys(collector.problems())
    return graph, tuple(
        problem("resolver-token-omitted", each.where, f"the token is omitted: {each.what}", each.what_to_do)
        if each.code in _OF_TOKENS
        else problem("tokens-member-unknown", each.where, each.what, each.what_to_do)
        if each.code == "tokens-member-mistyped"
        else each._replace(what_to_do="write it in this form, or do nothing")
        if each.code == "token-notation"
        else each
        for each in problems
    )


class Finder:
    """Locates the tokens of a graph in its token files. Each file is scanned at most once."""

    def __init__(self, graph: TokenGraph, files: Mapping[str, bytes], shown_below: str) -> None:
        self._graph = graph
        self._files = files
        self._shown_below = shown_below
        self._positions: dict[str, dict[Pointer, tuple[int, int]]] = {}
        self._spellings: dict[str, Spelling] = {}

    def place(self, key: TokenKey, context: str | None = None) -> str | None:
        """Return a token's location in the file of a mode (``a/theme/dark.tokens.json:12:5 (#/theme/accent)``).

        Without a value in that mode, return its location in the default mode; None if no file defines it. If the key
        has no path, return the location of the mode.
        """
        if not key.path:
            return self._mode_location(key, context)
        token = self._graph.tokens.get(key)
        if token is None:
            return None
        family = self._graph.collections[key[:2]]
        home = home_column(family)
        columns = [column for column, mode in enumerate(family.modes) if mode.context == context and column != home]
        pointer = self._pointer(key)
        for column in (*columns, home, *range(len(family.modes))):
            path = f"{key.file}/{token_folder(token, family, column)}/{family.modes[column].slug}{TOKENS_SUFFIX}"
            position = self._positions_in(path).get(pointer)
            if position is not None:
                where = f"{self._shown_below}{path}:{position[0]}:{position[1]}"
                return f"{where} ({pointer_text(pointer)})"
        return None

    def _mode_location(self, key: TokenKey, context: str | None) -> str | None:
        family = self._graph.collections.get(key[:2])
        mode = None if family is None else next((mode for mode in family.modes if mode.context == context), None)
        if family is None or mode is None:
            return None
        path = f"{key.file}/{FOLDERS[family.origin]}{mode.collection}/{mode.slug}{TOKENS_SUFFIX}"
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
            keys = (token for token in self._graph.tokens if token.file == key.file)
            spelling = self._spellings[key.file] = Spelling(keys)
        steps = (key.collection, *key.path.split("."))
        return (*steps, ROOT) if spelling.is_root(key) else steps

    def _positions_in(self, path: str) -> Mapping[Pointer, tuple[int, int]]:
        """Return the line and column of each token of a file."""
        positions = self._positions.get(path)
        if positions is None:
            text = self._files.get(path)
            positions = self._positions[path] = {} if text is None else self._scanned(path, text)
        return positions

    def _scanned(self, path: str, text: bytes) -> dict[Pointer, tuple[int, int]]:
        file = path.partition("/")[0]
        handles = {mode.collection: key[1] for key, each in self._graph.collections.items() for mode in each.modes}
        handle = handles.get(path.split("/")[-2])
        pointers = [self._pointer(key) for key in self._graph.tokens if key[:2] == (file, handle)]
        found = offsets(text, (*pointers, *(pointer[:-1] for pointer in pointers)))
        token_offsets = {
            pointer: found[pointer]
            for pointer in pointers
            if found[pointer] != found[pointer[:-1]]  # equal if the token does not exist
        }
        positions = lines_and_columns(text, token_offsets.values())
        return {pointer: positions[offset] for pointer, offset in token_offsets.items()}
