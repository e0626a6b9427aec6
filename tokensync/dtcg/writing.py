"""Writing: a graph to the paths and bytes of token files, without access to files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from tokensync.dtcg.extensions import extensions_of, figma_type, kept
from tokensync.dtcg.families import home_column, mode_folder, resolver_document, token_folder
from tokensync.dtcg.layout import Inline, hints, resolver_file, string_text, token_file
from tokensync.dtcg.literals import literal_text, stand_in
from tokensync.dtcg.portability import Portability
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
from tokensync.tokens import Alias, ComposedColor, Composite, TokenGraph, Unresolved, Value, targets
from tokensync.tokens.algorithms import closure
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from collections.abc import Set as AbstractSet

    from tokensync.dtcg.spelling import Spelling
    from tokensync.tokens import Collection, Token, TokenKey


_MOST_CHANGED = 1000
"""More tokens than this have all files made anew, which takes no longer."""


class OutputText(NamedTuple):
    """The path of a file, relative to the tokens folder and with ``/``, and its content."""

    path: str
    content: bytes


def write(graph: TokenGraph, file: str) -> tuple[OutputText, ...]:
    """Return the token files and the resolver document of one design file; ``read`` returns an equal graph.

    Every collection family of the graph has at least one mode of its root collection.
    """
    return _Writer(graph, file).outputs()


class Written(NamedTuple):
    """Token files that ``write`` made: the graph that they are of, and the order of its tokens as hints."""

    graph: TokenGraph
    hints: Mapping[TokenKey, TokenKey | None]


def written(graph: TokenGraph, file: str) -> tuple[tuple[OutputText, ...], Written]:
    """Return what ``write`` returns, and what ``rewrite`` needs to know of it."""
    writer = _Writer(graph, file)
    return writer.outputs(), Written(graph, writer.hints)


def rewrite(graph: TokenGraph, file: str, was: Written, present: AbstractSet[str]) -> tuple[OutputText, ...] | None:
    """Return the files of ``write`` that are not as ``was`` has them, or are not ``present``; None for all.

    ``present`` are the paths of those that are there as they were written. Only a change of values and members, of few
    tokens, can be told this way: what tokens and modes there are, and where, has to be the same.
    """
    changed = _changed_in_place(was.graph, graph)
    if changed is None:
        return None
    then = _Writer(was.graph, file)
    now = _Writer(graph, file, was.hints, then.spelling)
    stale: set[str] = set()
    for key in dependents(graph, changed):
        token, old, family = graph.tokens[key], was.graph.tokens[key], graph.collections[key[:2]]
        home = home_column(family)
        for column, value in enumerate(token.values):
            if value is None and column != home:
                continue
            before = then.entry(old, column, old.values[column], is_home=column == home)
            after = now.entry(token, column, value, is_home=column == home)
            if ("$value" in before) is not ("$value" in after):
                return None
            if before != after:
                stale.add(now.paths_of(token, family)[column])
    return now.outputs(lambda path: path in stale or _whole_path(file, path) not in present, present)


def _changed_in_place(was: TokenGraph, now: TokenGraph) -> list[TokenKey] | None:
    """Return the tokens that changed; None where more than their values and members did, or too many."""
    if was.collections != now.collections or list(was.tokens) != list(now.tokens):
        return None
    changed: list[TokenKey] = []
    for key, token in now.tokens.items():
        old = was.tokens[key]
        if old is token or old == token:
            continue
        if old.origin != token.origin or [each is None for each in old.values] != [
            each is None for each in token.values
        ]:
            return None
        changed.append(key)
    return changed if len(changed) <= _MOST_CHANGED else None


def dependents(graph: TokenGraph, changed: Iterable[TokenKey]) -> Iterable[TokenKey]:
    """Return these tokens and all that refer to them, however indirectly: what these show may have changed, too."""
    found = dict.fromkeys(changed)
    if not found:
        return found
    referring: dict[TokenKey, list[TokenKey]] = {}
    for key, token in graph.tokens.items():
        for value in token.values:
            for target in (value.target,) if type(value) is Alias else targets(value):
                referring.setdefault(target, []).append(key)
    return closure(found, lambda key: referring.get(key, ()))


def _whole_path(file: str, path: str) -> str:
    return f"{file}/{path}{TOKENS_SUFFIX}"


class _Writer:
    def __init__(
        self,
        graph: TokenGraph,
        file: str,
        hints: Mapping[TokenKey, TokenKey | None] | None = None,
        spelling: Spelling | None = None,
    ) -> None:
        self.graph = graph
        self.hints = hints or {}
        self._are_hints_known = hints is not None
        self.file = file
        self.families = [each for each in graph.collections.values() if each.file == file]
        self.tokens = [token for key, token in graph.tokens.items() if key.file == file]
        self.portability = Portability(graph, {} if spelling is None else {file: spelling})
        self.spelling = self.portability.spelling(file)
        self.documents: dict[str, _Document] = {}
        self.entries: dict[int, TokenKey] = {}  # by the id() of a token's object in the default mode's document
        self.placed: dict[TokenKey, dict[str, Any]] = {}  # these objects
        self._paths: dict[tuple[str, str], tuple[str, ...]] = {}

    def outputs(
        self, is_wanted: Callable[[str], bool] = lambda path: True, present: AbstractSet[str] = frozenset()
    ) -> tuple[OutputText, ...]:
        """Return the files that are wanted. ``present`` are paths of others that are there, the resolver's if it is."""
        for family in self.families:
            self._add_documents(family)
        wanted = {path for path in self.documents if is_wanted(path)}
        for token in self.tokens:
            self._add_token(token, self.graph.collections[token.key[:2]], wanted, is_wanted)
        self._add_hints()
        texts = [
            OutputText(_whole_path(self.file, path), token_file(document.tree))
            for path, document in sorted(self.documents.items())
            if path in wanted
        ]
        if f"{self.file}{RESOLVER_SUFFIX}" not in present:
            resolver = resolver_document(self.families, self.file, set(self.documents))
            texts.append(OutputText(f"{self.file}{RESOLVER_SUFFIX}", resolver_file(resolver)))
        return tuple(texts)

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
        """Return the paths of the files of a token's values, below the file's folder, without their suffix."""
        place = (token.key.collection, token.origin)
        known = self._paths.get(place)
        if known is None:
            known = self._paths[place] = tuple(
                f"{token_folder(token, family, column)}/{mode.slug}" for column, mode in enumerate(family.modes)
            )
        return known

    def _add_token(self, token: Token, family: Collection, wanted: set[str], is_wanted: Callable[[str], bool]) -> None:
        paths = self.paths_of(token, family)
        if wanted.isdisjoint(paths) and all(path in self.documents for path in paths):
            return
        home = home_column(family)
        for column, value in enumerate(token.values):
            if value is None and column != home:
                continue
            path = paths[column]
            if path not in wanted:
                if path in self.documents or not is_wanted(path):
                    self._document(path, family)
                    continue
                wanted.add(path)  # a folder that no mode has of itself
            entry = self.entry(token, column, value, is_home=column == home)
            added = self._document(path, family).add(token.key.path, entry, is_root=self.spelling.is_root(token.key))
            if column == home:
                self.entries[id(added)] = token.key
                self.placed[token.key] = added

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
        if extensions:
            entry["$extensions"] = extensions
        return entry

    def _value_text(self, token: Token, column: int, value: Value | None) -> tuple[Inline, bool]:
        """Return the text of ``$value``, and whether our extension must store the value itself."""
        if isinstance(value, Alias) and value.target.file == self.file:
            return Inline(string_text(self.spelling.reference(value.target))), False
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
        text = literal_text(token.type, value)
        if text is None:  # unreachable: the token has a $type
            raise AssertionError(f"{token.key} has no text")
        return text, is_stored

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

    def _add_hints(self) -> None:
        """Write the hints that restore the order of tokens."""
        if not self._are_hints_known:
            self.hints = self._found_hints()
        for key, previous in self.hints.items():
            entry = self.placed.get(key)
            if entry is None:
                continue
            extensions = entry.setdefault("$extensions", {})
            address = None if previous is None else f"{previous.collection}.{previous.path}"
            ours = {**extensions.get(OURS, {}), "after": address}
            if "value" in ours:  # the last member, because it may be long
                ours["value"] = ours.pop("value")
            extensions[OURS] = ours

    def _found_hints(self) -> dict[TokenKey, TokenKey | None]:
        in_files: list[TokenKey] = []
        for family in self.families:
            slug = family.modes[home_column(family)].slug
            for folder in FOLDERS.values():
                document = self.documents.get(f"{folder}{family.handle}/{slug}")
                if document is not None:
                    in_files += self._keys_in(document)
        return hints(in_files, [token.key for token in self.tokens])

    def _keys_in(self, document: _Document) -> Iterator[TokenKey]:
        for each in document.objects():
            key = self.entries.get(id(each))
            if key is not None:
                yield key


class _Document:
    """One token file under construction."""

    def __init__(self, handle: str) -> None:
        self.handle = handle
        self.tree: dict[str, Any] = {"$schema": FORMAT_SCHEMA}
        self._groups: dict[str, dict[str, Any]] = {}

    def add(self, path: str, entry: dict[str, Any], *, is_root: bool) -> dict[str, Any]:
        """Add a token to its group, and return the object in the tree."""
        group_path, _, name = path.rpartition(".")
        if "$value" not in entry:  # an object without a value is a group, and may contain tokens
            group = self._group(path)
            group.update(entry)
            return group
        if is_root:
            self._group(path)[ROOT] = entry
        else:
            self._group(group_path)[name] = entry
        return entry

    def _group(self, path: str) -> dict[str, Any]:
        group = self._groups.get(path)
        if group is None:
            group = self.tree.setdefault(self.handle, {})
            for name in path.split(".") if path else ():
                group = group.setdefault(name, {})
            self._groups[path] = group
        return group

    def objects(self) -> Iterator[dict[str, Any]]:
        """Yield the objects of groups and tokens, in file order."""
        pending = [self.tree.get(self.handle, {})]
        while pending:
            each = pending.pop()
            yield each
            if "$value" not in each:
                inner = [member for name, member in each.items() if name[:1] != "$"]
                pending.extend(reversed(inner))
                if ROOT in each:
                    pending.append(each[ROOT])


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
