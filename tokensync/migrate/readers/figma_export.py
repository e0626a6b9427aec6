"""The platform's own export of variables to a source: a file for each mode, without the names of collections.

Files with the same variable ids are modes of one collection. An alias into another collection is a resolved value with
the name of the target and of its collection, which is found by these names: the ids in such data are never those of the
file. The name of a collection comes from aliases to it, or from its folder or file.

Another design file is a source, too: its variables (``of_variables``), or its styles of one solid paint
(``of_styles``).
"""

from __future__ import annotations

from collections import Counter
from posixpath import dirname
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from tokensync.dtcg.spelling import ALIAS_DATA, MODE_NAME, OURS, VARIABLE_ID
from tokensync.extract.wire.styles import color_of
from tokensync.migrate.readers.token_tree import Form, has_token, read_tree, text_of
from tokensync.migrate.source import Location, Source, SourceTheme, SourceToken, TokenSet, Unread
from tokensync.system.wording import quoted
from tokensync.tokens import (
    Alias,
    Color,
    ComposedColor,
    DanglingAlias,
    Literal,
    Theme,
    Unresolved,
    hexadecimal,
    shortest,
)
from tokensync.tokens.composites import literal_json
from tokensync.tokens.paths import names
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.extract.wire.styles import Style
    from tokensync.migrate.readers.documents import Document
    from tokensync.migrate.source import SetRole, Written
    from tokensync.tokens import Collection, Token, TokenGraph, TokenKey, Value


FORMAT = "figma"
FIGMA_NAME = "com.figma.name"
"""The extension with a variable's own name, if the token's name had to begin with that of its collection."""
COMPOSED = "com.figma.composedColor"
"""The extension of a colour that is an alias with an opacity; its value is the result."""
_FLOAT_NOISE = 1e-6
_OVERLAP = 0.5
"""The share of variable ids that two modes of a collection have in common, at least."""
_MOST_MODES = 1_000
_FIRST_MODES = ("default", "light", "mode 1", "base")


def recognized(documents: Sequence[Document]) -> bool:
    """Return whether a document has the name of a mode, or a variable id, as the platform exports them."""
    return any(_is_export(document) for document in documents)


def read(documents: Sequence[Document]) -> Source:
    """Return the source of exported modes: a set and a theme for each mode, a group of themes for each collection."""
    unread: list[Unread] = []
    modes: list[_Mode] = []
    for document in documents:
        if len(modes) == _MOST_MODES:
            reason = f"there are more than {_MOST_MODES:,} modes; migrate some collections at a time"
            unread.append(Unread(Location(document.path, 1), "", reason, is_token=False))
        elif has_token(document.content):
            reading = read_tree(document, document.content, Form())
            unread += reading.unread
            tokens = [token.token for token in reading.tokens if token.token is not None]
            ids = frozenset(token.id for token in tokens if token.id)
            paths = frozenset(token.path for token in tokens)
            modes.append(_Mode(document, _mode_name(document), tuple(tokens), ids, paths))
        elif document.kind != "text":
            unread.append(Unread(Location(document.path, 1), "", "the file has no variables", is_token=False))
    return _Export(modes, unread).source()


def _is_export(document: Document) -> bool:
    content = document.content
    if not isinstance(content, dict):
        return False
    extensions = content.get("$extensions")
    if isinstance(extensions, dict) and OURS in extensions:
        return False
    if isinstance(extensions, dict) and MODE_NAME in extensions:
        return True
    # Searching the text is much faster than searching the tree; a backslash may escape characters of the name.
    return (VARIABLE_ID in document.text or "\\" in document.text) and _has_ids(content)


def _has_ids(tree: dict[str, Any]) -> bool:
    pending: list[Any] = [tree]
    while pending:
        node = pending.pop()
        if isinstance(node, dict):
            extensions = node.get("$extensions")
            if "$value" in node and isinstance(extensions, dict) and VARIABLE_ID in extensions:
                return True
            pending += node.values()
    return False


def _mode_name(document: Document) -> str:
    extensions = document.content.get("$extensions")
    name = text_of(extensions.get(MODE_NAME)) if isinstance(extensions, dict) else ""
    return name or document.name


class _NoTarget(Exception):
    """An alias without a target in the source. The message is the reason."""


class _Mode(NamedTuple):
    document: Document
    name: str
    tokens: tuple[SourceToken, ...]
    ids: frozenset[str]
    paths: frozenset[str]


class _Collection:
    def __init__(self, modes: list[_Mode]) -> None:
        self.modes = modes
        self.name = ""
        self.paths = set[str]().union(*(mode.paths for mode in modes))

    @property
    def default(self) -> _Mode:
        return next((mode for mode in self.modes if mode.name.casefold() in _FIRST_MODES), self.modes[0])


class _Export:
    def __init__(self, modes: Sequence[_Mode], unread: list[Unread]) -> None:
        self.collections = [_Collection(each) for each in _grouped(modes)]
        self.unread = unread
        self.by_id = {token.id: (collection, token.path) for collection in self.collections for mode in collection.modes
                      for token in mode.tokens if token.id}  # fmt: skip
        self.by_set = self._matched_sets()
        self._set_names()
        counts = Counter(path for collection in self.collections for path in collection.paths)
        self.clashing = {path for path, count in counts.items() if count > 1}

    def source(self) -> Source:
        """Return the source of all collections."""
        sets: dict[int, TokenSet] = {}
        for collection in self.collections:
            for mode in collection.modes:
                tokens = tuple(self._tokens(collection, mode))
                sets[id(mode)] = TokenSet(mode.document.path, tokens)
        themes = tuple(theme for collection in self.collections for theme in self._themes(collection))
        return Source(FORMAT, tuple(sets.values()), themes, tuple(self.unread))

    def _themes(self, collection: _Collection) -> Iterator[SourceTheme]:
        """Yield the theme of each mode. Other collections, which may be targets of aliases, are in their first mode."""
        others = [each.default.document.path for each in self.collections if each is not collection]
        names = Counter(mode.name for mode in collection.modes)
        for mode in collection.modes:
            roles: dict[str, SetRole] = dict.fromkeys(others, "source")
            roles[mode.document.path] = "enabled"
            is_default = mode is collection.default
            name = mode.name if names[mode.name] == 1 else f"{mode.name} ({mode.document.name})"
            yield SourceTheme(name, roles, collection.name, is_default=is_default)

    def _tokens(self, collection: _Collection, mode: _Mode) -> Iterator[SourceToken]:
        for token in mode.tokens:
            try:
                found = self._aliased(collection, token) or self._in_collection(collection, token)
            except _NoTarget as error:
                self.unread.append(Unread(token.at, token.path, str(error)))
                continue
            if token.path in self.clashing:
                extensions = {**found.extensions, FIGMA_NAME: "/".join(token.name)}
                found = replace(found, name=(collection.name, *token.name), extensions=extensions)
            yield found

    def _in_collection(self, collection: _Collection, token: SourceToken) -> SourceToken:
        """Return the token with a literal, or with a reference to another variable of its own collection."""
        value = token.value
        if not isinstance(value, str):
            return replace(token, value=value == 1) if token.type == "boolean" and value in (0, 1) else token
        is_reference = value[:1] == "{" and value[-1:] == "}"
        if is_reference and value[1:-1] in collection.paths:
            return replace(token, value=self._reference(collection, value[1:-1]))
        return token if is_reference and token.type != "string" else replace(token, is_text=True)

    def _aliased(self, collection: _Collection, token: SourceToken) -> SourceToken | None:
        """Return the token with the references of its alias data; None if it has none. Raises _NoTarget."""
        composed, data = token.extensions.get(COMPOSED), token.extensions.get(ALIAS_DATA)
        if isinstance(composed, dict):
            return replace(token, value=self._composed(collection, token, composed))
        return replace(token, value=self._target(collection, data)) if isinstance(data, dict) else None

    def _composed(self, collection: _Collection, token: SourceToken, composed: dict[str, Any]) -> str:
        """Return a colour with an opacity, each of which may be an alias. Raises _NoTarget."""
        alpha = token.value.get("alpha") if isinstance(token.value, dict) else None
        base = share = ""
        match composed.get("colorArg"):
            case {"alias": dict() as data}:
                base = self._target(collection, data)
            case {"value": {"hex": str() as digits}}:
                base = digits
        match composed.get("opacityArg"):
            case {"alias": dict() as data}:
                share = self._target(collection, data)
            case {"value": int() | float() as opacity} if isinstance(alpha, int | float):
                # The resolved alpha is the product with that of the base, which is usually 1.
                share = f"{opacity / 100:.10g}" if abs(alpha - opacity / 100) < _FLOAT_NOISE else f"{alpha:.7g}"
        if not base or not share:
            raise _NoTarget("the form of its composed colour is unknown; set the colour again in Figma, and export it")
        return f"rgba({base}, {share})"

    def _target(self, collection: _Collection, data: dict[str, Any]) -> str:
        """Return the reference that alias data stands for. Raises _NoTarget."""
        name, set_name = text_of(data.get("targetVariableName")), text_of(data.get("targetVariableSetName"))
        path = name.replace("/", ".")
        target = self.by_set.get(set_name) if set_name else collection
        known = self.by_id.get(text_of(data.get("targetVariableId", data.get("targetVariableID"))))
        if target is None and known is not None and known[1] == path:
            target = known[0]
        if target is not None and path in target.paths:
            return self._reference(target, path)
        what = f"it is an alias of {quoted(name)}" + (f" in the collection {quoted(set_name)}" if set_name else "")
        if target is None and sum(path in each.paths for each in self.collections if each is not collection) > 1:
            raise _NoTarget(f"{what}, and several collections of this source could be that one; name its folder so")
        raise _NoTarget(f"{what}, which is not in this source; export {'that collection' if set_name else 'it'}, too")

    def _reference(self, collection: _Collection, path: str) -> str:
        return f"{{{collection.name}.{path}}}" if path in self.clashing else f"{{{path}}}"

    def _matched_sets(self) -> dict[str, _Collection]:
        """Return the collection that each name of a set in alias data stands for: the one that has most targets."""
        targets: dict[str, set[str]] = {}
        values: dict[str, dict[str, list[Any]]] = {}
        users: dict[str, list[_Collection]] = {}
        for collection in self.collections:
            for mode in collection.modes:
                for token in mode.tokens:
                    for data, is_whole in _alias_data(token):
                        if name := text_of(data.get("targetVariableSetName")):
                            path = text_of(data.get("targetVariableName")).replace("/", ".")
                            targets.setdefault(name, set()).add(path)
                            users.setdefault(name, []).append(collection)
                            values.setdefault(name, {}).setdefault(path, []).extend([token.value] if is_whole else [])
        matched: dict[str, _Collection] = {}
        for name, paths in targets.items():
            others = [collection for collection in self.collections if collection not in users[name]]
            found = _best(others, name, paths, values[name])
            if found is not None:
                matched[name] = found
        return matched

    def _set_names(self) -> None:
        for name, collection in self.by_set.items():
            collection.name = collection.name or name
        folders = Counter(folder for collection in self.collections for folder in _folders(collection))
        taken = {collection.name for collection in self.collections}
        for collection in self.collections:
            if collection.name:
                continue
            own = _folders(collection)
            folder = next(iter(own)).rpartition("/")[2] if len(own) == 1 and folders[next(iter(own))] == 1 else ""
            stem = collection.modes[0].document.name if len(collection.modes) == 1 else ""
            is_mode = stem.casefold() == collection.modes[0].name.casefold()
            name = folder or ("" if is_mode else stem) or "Collection"
            number = 1
            while (unique := name if number == 1 else f"{name} {number}") in taken:
                number += 1
            taken.add(unique)
            collection.name = unique


def _grouped(modes: Iterable[_Mode]) -> list[list[_Mode]]:
    """Return the modes by collection: those with mostly the same variables, by their ids, or else by their paths."""
    groups: list[list[_Mode]] = []
    for mode in modes:
        joined = [group for group in groups if any(_are_of_one_collection(mode, other) for other in group)]
        if not joined:
            groups.append([mode])
            continue
        joined[0] += [*(other for each in joined[1:] for other in each), mode]
        groups = [group for group in groups if not any(group is other for other in joined[1:])]
    return groups


def _are_of_one_collection(one: _Mode, other: _Mode) -> bool:
    has_ids = bool(one.ids and other.ids)
    mine, theirs = (one.ids, other.ids) if has_ids else (one.paths, other.paths)
    smaller = min(len(mine), len(theirs))
    is_same = bool(smaller) and len(mine & theirs) >= _OVERLAP * smaller
    return is_same and (has_ids or one.name != other.name)


def _alias_data(token: SourceToken) -> Iterator[tuple[dict[str, Any], bool]]:
    """Yield the alias data of a token, and whether the token's value is that of the target."""
    data, composed = token.extensions.get(ALIAS_DATA), token.extensions.get(COMPOSED)
    if isinstance(data, dict):
        yield data, True
    for each in composed.values() if isinstance(composed, dict) else ():
        if isinstance(each, dict) and isinstance(each.get("alias"), dict):
            yield each["alias"], False


def _folders(collection: _Collection) -> set[str]:
    return {dirname(mode.document.path) for mode in collection.modes}


def _names_on_disk(collection: _Collection) -> Iterator[str]:
    for mode in collection.modes:
        yield mode.document.name
        yield dirname(mode.document.path).rpartition("/")[2]


def _best(
    collections: Sequence[_Collection], name: str, paths: set[str], values: Mapping[str, list[Any]]
) -> _Collection | None:
    """Return the only collection with most of the paths; names of files, then values, decide between equals."""
    most = max((len(paths & collection.paths) for collection in collections), default=0)
    best = [collection for collection in collections if most and len(paths & collection.paths) == most]
    if len(best) > 1:
        named = [collection for collection in best if name.casefold() in map(str.casefold, _names_on_disk(collection))]
        best = named or [collection for collection in best if _agrees(collection, values)]
    return best[0] if len(best) == 1 else None


def _agrees(collection: _Collection, values: Mapping[str, list[Any]]) -> bool:
    """Return whether the collection has, in some mode, each of the resolved values."""
    own: dict[str, list[Any]] = {}
    for mode in collection.modes:
        for token in mode.tokens:
            own.setdefault(token.path, []).append(token.value)
    return all(any(each in own.get(path, ()) for each in of_path) for path, of_path in values.items())


def of_variables(graph: TokenGraph, label: str) -> Source:
    """Return the local variables of a graph of one file as a source; ``label`` names the file in messages."""
    return _Variables(graph, label).source()


class _Variables:
    def __init__(self, graph: TokenGraph, label: str) -> None:
        self.graph = graph
        self.at = Location(label, 0)
        self.unread: list[Unread] = []
        local = [key for key, each in graph.tokens.items() if each.origin == "local"]
        counts = Counter(key.path.casefold() for key in local)
        self.names = {
            key: (graph.collections[key[:2]].name, *names(key.path))
            if counts[key.path.casefold()] > 1
            else names(key.path)
            for key in local
        }

    def source(self) -> Source:
        sets: list[TokenSet] = []
        themes: list[SourceTheme] = []
        by_family: dict[tuple[str, str], list[Token]] = {}
        for key in self.names:
            by_family.setdefault(key[:2], []).append(self.graph.tokens[key])
        for family, tokens in by_family.items():
            collection = self.graph.collections[family]
            for column, mode in enumerate(collection.modes):
                if mode.collection != collection.handle:
                    continue
                name = f"{collection.handle}/{mode.slug}"
                resolve = self.graph.resolver(Theme(mode.name, ((family, column),)))
                found = (self._token(token, column, collection, resolve(token.key)) for token in tokens)
                sets.append(TokenSet(name, tuple(token for token in found if token is not None)))
                is_default = column == collection.default_mode
                themes.append(SourceTheme(mode.name, {name: "enabled"}, collection.name, is_default))
        return Source(FORMAT, tuple(sets), tuple(themes), tuple(self.unread))

    def _token(
        self, token: Token, column: int, collection: Collection, literal: Literal | Unresolved
    ) -> SourceToken | None:
        value = self.graph.value(token, column)
        written = self._written(token, value, literal)
        if written is None:
            reason = f"it has no value in the mode {collection.modes[column].name}"
            self.unread.append(Unread(self.at, ".".join(self.names[token.key]), reason))
            return None
        own = self.names[token.key]
        is_text = isinstance(written, str) and not isinstance(value, Alias | ComposedColor)
        return SourceToken(
            own,
            written,
            self.at,
            "fontWeight" if token.type == AS_TEXT else token.type,
            token.description,
            token.deprecated,
            is_text=is_text,
            scopes=token.scopes,
            code_syntax=token.code_syntax,
            is_hidden=token.hidden,
            extensions={FIGMA_NAME: "/".join(names(token.key.path))},
        )

    def _written(self, token: Token, value: Value | None, literal: Literal | Unresolved) -> Written:
        """Return a value as a source has it; None if there is none."""
        match value:
            case Alias(target=target) if target in self.names:
                return self._reference(target)
            case ComposedColor(color=color, opacity=opacity):
                base = hexadecimal(color) if isinstance(color, Color) else self._own(color)
                share = shortest(opacity / 100) if isinstance(opacity, float) else self._own(opacity)
                if base and share:
                    return f"rgba({base}, {share})"
        if isinstance(literal, Unresolved):
            return None
        if value is not None and literal != value:
            what = "it refers to what this file does not own; its value is copied"
            self.unread.append(Unread(self.at, ".".join(self.names[token.key]), what, is_token=False))
        written: Written = literal_json(literal, token.type)
        return written

    def _own(self, value: Alias | DanglingAlias) -> str:
        """Return the reference to a variable of the file; empty for others."""
        return self._reference(value.target) if isinstance(value, Alias) and value.target in self.names else ""

    def _reference(self, target: TokenKey) -> str:
        return f"{{{'.'.join(self.names[target])}}}"


_KINDS = {"TEXT": "a text style", "EFFECT": "an effect style", "GRID": "a grid style"}


def of_styles(styles: Iterable[Style], label: str) -> Source:
    """Return styles as a source: those of one solid paint are colours, others are reported."""
    at = Location(label, 0)
    tokens: list[SourceToken] = []
    unread: list[Unread] = []
    for style in styles:
        name, paint = style.item.name, _solid(style)
        if isinstance(paint, str):
            unread.append(Unread(at, name.replace("/", "."), paint))
        else:
            value = literal_json(paint, "color")
            tokens.append(SourceToken(tuple(name.split("/")), value, at, "color", style.item.description))
    return Source(FORMAT, (TokenSet("styles", tuple(tokens)),), (), tuple(unread))


def _solid(style: Style) -> Color | str:
    """Return the colour of a style, or why it has none that a variable can hold."""
    if style.item.style_type != "FILL":
        return f"it is {_KINDS.get(style.item.style_type, 'a style')}, which no variable can hold; it stays a style"
    visible = [paint for paint in style.parts() if paint.visible]
    if len(visible) != 1:
        return f"it has {len(visible)} paints, and a variable holds one colour; it stays a style"
    if visible[0].type != "SOLID":
        return f"its paint is a {visible[0].kind}, which no variable can hold; it stays a style"
    return color_of(visible[0].color, visible[0].opacity) or "its colour cannot be read"
