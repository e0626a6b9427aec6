"""The platform's own export of variables to a source (``dtcg.exported``): a set for each mode.

Another design file is a source, too: its variables (``of_variables``), or its styles of one solid paint
(``of_styles``).
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from tokensync.dtcg.exported import Exported, ExportedCollection, ModeFile, is_export, mode_name, target_of, targets_in
from tokensync.dtcg.spelling import ALIAS_DATA, COMPOSED
from tokensync.extract.wire.styles import Style, color_of
from tokensync.migrate.readers.token_tree import Form, has_token, read_tree
from tokensync.migrate.source import Location, SetRole, Source, SourceTheme, SourceToken, TokenSet, Unread, Written
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

    from tokensync.migrate.readers.documents import Document
    from tokensync.tokens import Collection, Token, TokenGraph, TokenKey, Value


FORMAT = "figma"
FIGMA_NAME = "com.figma.name"
"""The extension with a variable's own name, if the token's name had to begin with that of its collection."""
_FLOAT_NOISE = 1e-6
_MOST_MODES = 1_000


def recognized(documents: Sequence[Document]) -> bool:
    """Return whether a document has the name of a mode, or a variable id, as the platform exports them."""
    return any(is_export(document.content, document.text) for document in documents)


def read(documents: Sequence[Document]) -> Source:
    """Return the source of exported modes: a set and a theme for each mode, a group of themes for each collection."""
    unread: list[Unread] = []
    files: list[ModeFile] = []
    tokens: dict[str, tuple[SourceToken, ...]] = {}
    for document in documents:
        if len(files) == _MOST_MODES:
            reason = f"there are more than {_MOST_MODES:,} modes; migrate some collections at a time"
            unread.append(Unread(Location(document.path, 1), "", reason, is_token=False))
        elif has_token(document.content):
            reading = read_tree(document, document.content, Form())
            unread += reading.unread
            own = tokens[document.path] = tuple(token.token for token in reading.tokens if token.token is not None)
            values = {token.path: token.value for token in own}
            ids = {token.id: token.path for token in own if token.id}
            targets = [target for token in own for target in targets_in(token.extensions, token.value)]
            files.append(ModeFile(document.path, mode_name(document.content), values, ids, targets))
        elif document.kind != "text":
            unread.append(Unread(Location(document.path, 1), "", "the file has no variables", is_token=False))
    return _Export(Exported(files), tokens, unread).source()


class _NoTarget(Exception):
    """An alias without a target in the source. The message is the reason."""


class _Export:
    def __init__(self, exported: Exported, tokens: Mapping[str, tuple[SourceToken, ...]], unread: list[Unread]) -> None:
        self.exported = exported
        self.tokens = tokens
        self.unread = unread
        counts = Counter(path for collection in exported.collections for path in collection.paths)
        self.clashing = {path for path, count in counts.items() if count > 1}

    def source(self) -> Source:
        """Return the source of all collections."""
        collections = self.exported.collections
        sets = [TokenSet(file.path, tuple(self._tokens(collection, file)))
                for collection in collections for file in collection.files]  # fmt: skip
        themes = tuple(theme for collection in collections for theme in self._themes(collection))
        return Source(FORMAT, tuple(sets), themes, tuple(self.unread))

    def _themes(self, collection: ExportedCollection) -> Iterator[SourceTheme]:
        """Yield the theme of each mode. Other collections, which may be targets of aliases, are in their first mode."""
        others = [other.default.path for other in self.exported.collections if other is not collection]
        names = Counter(file.mode for file in collection.files)
        for file in collection.files:
            roles: dict[str, SetRole] = dict.fromkeys(others, "source")
            roles[file.path] = "enabled"
            name = file.mode if names[file.mode] == 1 else f"{file.mode} ({file.stem})"
            yield SourceTheme(name, roles, collection.name, is_default=file is collection.default)

    def _tokens(self, collection: ExportedCollection, file: ModeFile) -> Iterator[SourceToken]:
        for token in self.tokens[file.path]:
            try:
                found = self._aliased(collection, token) or self._in_collection(collection, token)
            except _NoTarget as error:
                self.unread.append(Unread(token.at, token.path, str(error)))
                continue
            if token.path in self.clashing:
                extensions = {**found.extensions, FIGMA_NAME: "/".join(token.name)}
                found = replace(found, name=(collection.name, *token.name), extensions=extensions)
            yield found

    def _in_collection(self, collection: ExportedCollection, token: SourceToken) -> SourceToken:
        """Return the token with a literal, or with a reference to another variable of its own collection."""
        value = token.value
        if not isinstance(value, str):
            return replace(token, value=value == 1) if token.type == "boolean" and value in (0, 1) else token
        is_reference = value[:1] == "{" and value[-1:] == "}"
        if is_reference and value[1:-1] in collection.paths:
            return replace(token, value=self._reference(collection, value[1:-1]))
        return token if is_reference and token.type != "string" else replace(token, is_text=True)

    def _aliased(self, collection: ExportedCollection, token: SourceToken) -> SourceToken | None:
        """Return the token with the references of its alias data; None if it has none. Raises _NoTarget."""
        composed, data = token.extensions.get(COMPOSED), token.extensions.get(ALIAS_DATA)
        if isinstance(composed, dict):
            return replace(token, value=self._composed(collection, token, composed))
        return replace(token, value=self._target(collection, data)) if isinstance(data, dict) else None

    def _composed(self, collection: ExportedCollection, token: SourceToken, composed: dict[str, Any]) -> str:
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

    def _target(self, collection: ExportedCollection, data: dict[str, Any]) -> str:
        """Return the reference that alias data stands for. Raises _NoTarget."""
        target = target_of(data)
        found = self.exported.target(collection, target)
        if found is not None and target.path in found.paths:
            return self._reference(found, target.path)
        in_set = f" in the collection {quoted(target.collection)}" if target.collection else ""
        what = f"it is an alias of {quoted(target.name)}{in_set}"
        others = [other for other in self.exported.collections if other is not collection]
        if found is None and sum(target.path in other.paths for other in others) > 1:
            raise _NoTarget(f"{what}, and several collections of this source could be that one; name its folder so")
        raise _NoTarget(f"{what}, which is not in this source; export {'that collection' if in_set else 'it'}, too")

    def _reference(self, collection: ExportedCollection, path: str) -> str:
        return f"{{{collection.name}.{path}}}" if path in self.clashing else f"{{{path}}}"


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
