"""Writing: a graph to the paths and bytes of token files, without access to files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.dtcg.extensions import digest_of, extensions_of, figma_type, kept, own_members
from tokensync.dtcg.families import home_column, mode_folder, resolver_document, token_folder
from tokensync.dtcg.layout import Inline, hints, resolver_file, string_text, token_file
from tokensync.dtcg.literals import has_meaning, literal_text, stand_in
from tokensync.dtcg.portability import Portability
from tokensync.dtcg.preservation import Previous, Wanted, edited, keys_in
from tokensync.dtcg.spelling import (
    ALIAS_DATA,
    FOLDERS,
    FORMAT_SCHEMA,
    MODE_NAME,
    OURS,
    RESOLVER_SUFFIX,
    ROOT,
    TOKENS_SUFFIX,
    TYPE,
    is_reference,
)
from tokensync.tokens import Alias, Collection, ComposedColor, Composite, Token, TokenGraph, TokenKey, Unresolved, Value
from tokensync.tokens.composites import TYPOGRAPHY, decoded
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Container, Mapping

    from tokensync.system.problems import Problem


class OutputText(NamedTuple):
    """The path of a file, relative to the tokens folder and with ``/``, and its content."""

    path: str
    content: bytes


def write(graph: TokenGraph, file: str) -> tuple[OutputText, ...]:
    """Return the token files and the resolver document of one design file; ``read`` returns an equal graph.

    Every collection family of the graph has at least one mode of its root collection.
    """
    writer = _Writer(graph, file)
    trees, resolver = writer.trees()
    writer.add_hints(trees)
    texts = [OutputText(path, token_file(tree)) for path, tree in sorted(trees.items())]
    return (*texts, OutputText(f"{file}{RESOLVER_SUFFIX}", resolver_file(resolver)))


class Written(NamedTuple):
    """Files, and the problems of what they cannot keep.

    ``former`` are the former addresses of what has another address in its file, by path.
    """

    files: tuple[OutputText, ...]
    problems: tuple[Problem, ...]
    former: Mapping[str, Mapping[tuple[str, ...], tuple[str, ...]]]


def write_edits(
    graph: TokenGraph, file: str, previous: Previous, shown_below: str = "", only: Container[TokenKey] | None = None
) -> Written:
    """Return the files of ``write`` as edits of the previous files, which keep what a graph does not hold.

    ``shown_below`` and ``only`` are those of ``edited``.
    """
    writer = _Writer(graph, file)
    trees, resolver = writer.trees()
    writer.add_hints(trees)
    current = {path for path in trees.keys() & previous.files if previous.files.get(path) == token_file(trees[path])}
    result = edited(previous, graph, file, Wanted(trees, resolver, current, writer.add_hints), shown_below, only)
    outputs = [
        OutputText(path, token_file(tree) if path in result.changed else previous.files[path])
        for path, tree in sorted(result.trees.items())
    ]
    outputs.append(OutputText(f"{file}{RESOLVER_SUFFIX}", resolver_file(resolver)))
    return Written(tuple(outputs), result.problems, result.former)


def _output_path(file: str, path: str) -> str:
    return f"{file}/{path}{TOKENS_SUFFIX}"


class _Writer:
    def __init__(self, graph: TokenGraph, file: str) -> None:
        self.graph = graph
        self.file = file
        self.families = [collection for collection in graph.collections.values() if collection.file == file]
        self.tokens = [token for key, token in graph.tokens.items() if key.file == file]
        self.portability = Portability(graph)
        self.spelling = self.portability.spelling(file)
        self.documents: dict[str, _Document] = {}
        self._paths: dict[tuple[str, str], tuple[str, ...]] = {}

    def trees(self) -> tuple[dict[str, dict[str, Any]], dict[str, Any]]:
        """Return the trees of the token files by path, without hints, and the resolver document."""
        for family in self.families:
            self._add_documents(family)
        for token in self.tokens:
            self._add_token(token, self.graph.collections[token.key[:2]])
        trees = {_output_path(self.file, path): each.tree for path, each in self.documents.items()}
        return trees, resolver_document(self.families, self.file, set(self.documents))

    def _document(self, path: str, family: Collection) -> _Document:
        document = self.documents.get(path)
        if document is None:
            document = self.documents[path] = _Document(family.handle)
        return document

    def _add_documents(self, family: Collection) -> None:
        """Add a document for every mode, even if it has no tokens."""
        home = home_column(family)
        for column, mode in enumerate(family.modes):
            ours: dict[str, Any] = {}
            if about := _about_mode(family, column):
                ours["mode"] = about
            if column == home:
                ours |= _about_collection(family)
            extensions: dict[str, Any] = {MODE_NAME: mode.name}
            if ours:
                extensions[OURS] = ours
            path = f"{mode_folder(family, column)}/{mode.slug}"
            self._document(path, family).tree["$extensions"] = extensions

    def paths_of(self, token: Token, family: Collection) -> tuple[str, ...]:
        """Return the path of each value's file, below the folder of the design file and without suffix."""
        location = (token.key.collection, token.origin)
        paths = self._paths.get(location)
        if paths is None:
            paths = self._paths[location] = tuple(
                f"{token_folder(token, family, column)}/{mode.slug}" for column, mode in enumerate(family.modes)
            )
        return paths

    def _add_token(self, token: Token, family: Collection) -> None:
        paths = self.paths_of(token, family)
        home, is_root = home_column(family), self.spelling.is_root(token.key)
        for column, value in enumerate(token.values):
            if value is None and column != home:
                continue
            entry = self.entry(token, column, value, is_home=column == home)
            self._document(paths[column], family).add(token.key.path, entry, is_root=is_root)

    def entry(self, token: Token, column: int, value: Value | None, *, is_home: bool) -> dict[str, Any]:
        """Return the object of a token in the file of one mode; without ``$value`` if DTCG cannot express the value."""
        dtcg_type = self.portability.type_of(token, column)
        entry: dict[str, Any] = {}
        is_stored = True
        if dtcg_type is not None:
            entry["$type"] = dtcg_type
            entry["$value"], is_stored = self._value_text(token, column, value)
        extensions = extensions_of(token, dtcg_type) if is_home else {}
        if is_home:
            if token.description:
                entry["$description"] = token.description
            if token.deprecated is not False and dtcg_type is not None:
                entry["$deprecated"] = token.deprecated
        elif dtcg_type is not None and figma_type(token.type) == "boolean":
            extensions[TYPE] = "boolean"
        if dtcg_type is not None and token.type == AS_TEXT and isinstance(value, str):
            extensions[OURS] = {**extensions.get(OURS, {}), "text": value}
        if is_stored:
            if isinstance(value, Alias) and (data := self._alias_data(value.target)):
                extensions[ALIAS_DATA] = data
            extensions[OURS] = {**extensions.get(OURS, {}), "value": kept(value, self.file)}
            if "$value" in entry:
                extensions[OURS]["written"] = digest_of(decoded(str(entry["$value"])))
        if extensions:
            entry["$extensions"] = extensions
        return entry

    def _value_text(self, token: Token, column: int, value: Value | None) -> tuple[Inline, bool]:
        """Return the text of ``$value``, and whether our extension must store the value itself."""
        if isinstance(value, Alias) and value.target.file == self.file:
            return Inline(string_text(self.spelling.reference(value.target))), False
        if token.type == TYPOGRAPHY and (style := self.portability.in_dtcg(token, column)) is not None:
            text = literal_text(token.type, style)
            if text is not None:
                return text, True
        is_stored = isinstance(value, Alias | ComposedColor) or (
            isinstance(value, Composite)
            and bool(value.references)
            and not self.portability.has_portable_references(token, column)
        )
        if is_stored:
            resolved = self.portability.literal(token, column)
            value = None if isinstance(resolved, Unresolved) else resolved
        if is_reference(value):
            value, is_stored = stand_in(value), True
        text = self._notation(token, column, value) if token.notations and not is_stored else None
        text = text or literal_text(token.type, value)
        if text is None:  # unreachable: the token has a $type
            raise AssertionError(f"{token.key} has no text")
        return text, is_stored

    def _notation(self, token: Token, column: int, value: Value | None) -> Inline | None:
        """Return the text in which the token files have this value, if it still means that."""
        context = self.graph.collections[token.key[:2]].modes[column].context
        fitting = [notation for notation in token.notations if notation.value == value]
        fitting.sort(key=lambda each: each.context != context)
        return next((Inline(each.text) for each in fitting if has_meaning(token.type, each.text, value)), None)

    def _alias_data(self, target: TokenKey) -> dict[str, str] | None:
        """Return the extension with which Figma's import finds a target in another file."""
        token = self.graph.tokens.get(target)
        if token is None or target.file == self.file:
            return None
        family = self.graph.collections[target[:2]]
        return {
            "targetVariableId": token.id,
            "targetVariableName": target.path.replace(".", "/"),
            "targetVariableSetId": family.id,
            "targetVariableSetName": family.name,
        }

    def add_hints(self, trees: Mapping[str, dict[str, Any]]) -> None:
        """Write the hints that restore the order of each collection's tokens into its default mode's document.

        ``trees`` are those of the files, which have the tokens in their own order.
        """
        for family in self.families:
            mode = family.modes[home_column(family)]
            paths = (_output_path(self.file, f"{folder}{family.handle}/{mode.slug}") for folder in FOLDERS.values())
            in_files = [key for path in paths if path in trees for key in keys_in(trees[path], self.file)]
            keys = [token.key for token in self.tokens if token.key.collection == family.handle]
            hinted = hints([key for key in in_files if key in self.graph.tokens], keys)
            home = self.documents[f"{mode_folder(family, home_column(family))}/{mode.slug}"].tree
            if hinted:
                after = {key.path: previous and previous.path for key, previous in hinted.items()}
                home["$extensions"].setdefault(OURS, {})["after"] = after
            else:
                own_members(home).pop("after", None)


class _Document:
    def __init__(self, handle: str) -> None:
        self.handle = handle
        self.tree: dict[str, Any] = {"$schema": FORMAT_SCHEMA}
        self._groups: dict[str, dict[str, Any]] = {}

    def add(self, path: str, entry: dict[str, Any], *, is_root: bool) -> None:
        """Add a token to its group."""
        group_path, _, name = path.rpartition(".")
        if "$value" not in entry:  # an object without a value is a group, and may contain tokens
            self._group(path).update(entry)
        elif is_root:
            self._group(path)[ROOT] = entry
        else:
            self._group(group_path)[name] = entry

    def _group(self, path: str) -> dict[str, Any]:
        group = self._groups.get(path)
        if group is None:
            group = self.tree.setdefault(self.handle, {})
            for name in path.split(".") if path else ():
                group = group.setdefault(name, {})
            self._groups[path] = group
        return group


def _about_mode(family: Collection, column: int) -> dict[str, Any]:
    mode = family.modes[column]
    about: dict[str, Any] = {}
    if mode.id:
        about["id"] = mode.id
    if mode.parent is not None:
        about["parent"] = family.modes[mode.parent].context
    usual = mode.slug if mode.collection == family.handle else f"{mode.collection}.{mode.slug}"
    if mode.context != usual:
        about["context"] = mode.context
    return about


def _about_collection(family: Collection) -> dict[str, Any]:
    about: dict[str, Any] = {"name": family.name}
    about |= _identity(family.id, family.collection_key, hidden=family.hidden)
    if family.default_mode != home_column(family):
        about["default"] = family.modes[family.default_mode].context
    members: dict[str, Any] = {"collection": about}
    extensions: dict[str, Any] = {}
    for each in family.extensions:
        extension: dict[str, Any] = {"name": each.name, "parent": each.parent}
        extension |= _identity(each.id, each.collection_key, hidden=each.hidden)
        own = [column for column, mode in enumerate(family.modes) if mode.collection == each.handle]
        if each.default_mode != (own[0] if own else 0):
            extension["default"] = family.modes[each.default_mode].context
        if each.origin != "local":
            extension["origin"] = each.origin
        extensions[each.handle] = extension
    if extensions:
        members["extensions"] = extensions
    return members


def _identity(identity: str, key: str, *, hidden: bool) -> dict[str, Any]:
    members: dict[str, Any] = {}
    if identity:
        members["id"] = identity
    if key:
        members["key"] = key
    if hidden:
        members["hidden"] = True
    return members
