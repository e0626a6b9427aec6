"""The domain model in DTCG terms: tokens, aliases, collections, modes, themes and graphs. No I/O, no platform JSON.

``collection`` has what a graph contains, ``values`` the types of values with their units, and ``resolver`` the columns
of a graph, in which it follows aliases. Begin with ``TokenGraph``, below.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.tokens.collection import (
    CODE_SYNTAX_PLATFORMS,
    DEFAULT_THEME,
    MODES_PER_COLLECTION,
    VARIABLES_PER_COLLECTION,
    Collection,
    Extension,
    FamilyKey,
    Mode,
    OpaqueVariable,
    Origin,
    Theme,
    Token,
    inferred_themes,
)
from tokensync.tokens.resolver import OPEN, Columns, Resolved, TokenTable
from tokensync.tokens.values import (
    Alias,
    Color,
    ComposedColor,
    Composite,
    DanglingAlias,
    Literal,
    Quantity,
    TokenKey,
    Unresolved,
    Value,
    channel,
    channels,
    composed,
    float32,
    hexadecimal,
    normalized,
    shortest,
    targets,
    value_text,
)


class Hop(NamedTuple):
    """A step in the resolution of an alias: a token, its mode and its value in that mode."""

    token: Token
    mode: Mode
    value: Value | None


def with_exact_colors(graph: TokenGraph, display_p3: Callable[[str], bool] = lambda file: False) -> TokenGraph:
    """Return a graph for outputs, in which colours outside of sRGB that token files contain have ``Color.wide``.

    ``display_p3`` returns whether the components of a design file are in Display P3. There, all colours of other spaces
    have it.
    """
    exact: dict[TokenKey, Token] = {}
    for index in [index for index in graph.table.order if graph.table.notations[index]]:
        token = graph.columns.tokens[index]
        modes = graph.collection_of(token).modes
        is_wide = display_p3(token.key.file)
        texts = {
            (notation.context, notation.value): notation.wide
            for notation in token.notations
            if is_wide or not notation.wide.startswith("srgb ")
        }
        values = tuple(
            replace(value, wide=texts.get((mode.context, value), "")) if type(value) is Color else value
            for mode, value in zip(modes, token.values, strict=True)
        )
        if values != token.values:
            exact[token.key] = replace(token, values=values)
    return graph.replaced(exact)


class TokenGraph:
    """The collections and tokens of one or more files, in the platform's creation order.

    ``collections`` is keyed by (file, handle), ``tokens`` by TokenKey; both are read-only. A graph is made of tokens or
    of their columns, ``table``, and makes the other ones when they are asked for. Graphs are equal if they have equal
    collections and tokens in the same order.
    """

    def __init__(self, collections: Iterable[Collection], tokens: Iterable[Token] | TokenTable) -> None:
        self.collections: Mapping[FamilyKey, Collection] = {collection.key: collection for collection in collections}
        if isinstance(tokens, TokenTable):
            self.table = tokens
        else:
            self.tokens = {token.key: token for token in tokens}

    @cached_property
    def tokens(self) -> Mapping[TokenKey, Token]:
        """All tokens by key."""
        return dict(zip(self.table.keys, map(self.columns.tokens.__getitem__, self.table.order), strict=True))

    @cached_property
    def table(self) -> TokenTable:
        """The tokens as columns."""
        return TokenTable(collections=self.collections).with_tokens((), [*self.tokens.values()])

    @cached_property
    def columns(self) -> Columns:
        """The values as columns of integers, which all themes share."""
        return Columns(self.table, self.__dict__["tokens"].values() if "tokens" in self.__dict__ else ())

    @cached_property
    def _same_names(self) -> dict[str, list[FamilyKey]]:
        families: dict[str, list[FamilyKey]] = {}
        for key, family in self.collections.items():
            families.setdefault(family.name, []).append(key)
        return families

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TokenGraph):
            return NotImplemented
        return tuple(self.collections.values()) == tuple(other.collections.values()) and tuple(
            self.tokens.values()
        ) == tuple(other.tokens.values())

    __hash__ = None  # type: ignore[assignment]

    def replaced(self, changed: Mapping[TokenKey, Token]) -> TokenGraph:
        """Return the graph with changed tokens in place of those with their keys; itself if there are none."""
        if not changed:
            return self
        return TokenGraph(self.collections.values(), (changed.get(key, token) for key, token in self.tokens.items()))

    def collection_of(self, token: Token) -> Collection:
        """Return the collection family of a token."""
        return self.collections[token.key[:2]]

    def distinction(self, collection: Collection) -> str:
        """Return what to add to a collection's name in messages if an earlier one has the same name: its handle.

        Collections with the same name in several files all get their file and handle.
        """
        same = self._same_names.get(collection.name, [collection.key])
        if any(file != collection.file for file, _ in same):
            return f" ({collection.file}/{collection.handle})"
        return "" if same[0] == collection.key else f" ({collection.handle})"

    def value(self, token: Token, mode: int) -> Value | None:
        """Return a token's value in a mode, inherited from the nearest parent mode if missing."""
        return token.value(mode, self.collection_of(token).modes)

    def references(self) -> dict[TokenKey, tuple[TokenKey, ...]]:
        """Return the tokens that each token refers to in any mode; omit tokens without references."""
        keys, targets_of = self.table.keys, self.table.targets_of
        ends = ((key, targets_of(index)) for index, key in zip(self.table.order, keys, strict=True))
        return {key: tuple(dict.fromkeys(keys[target] for target in targets)) for key, targets in ends if targets}

    def resolve(self, token: Token, theme: Theme) -> Resolved:
        """Return a token's literal in a theme, or why it is unresolved."""
        return self.resolver(theme)(token.key)

    def resolver(self, theme: Theme) -> Callable[[TokenKey], Resolved]:
        """Return a function from token keys to literals in a theme. It caches results at every depth of aliases."""
        columns = self.columns
        codes = columns.codes(theme)
        literals = [OPEN] * len(codes)

        def literal(key: TokenKey) -> Resolved:
            index = self.table.indices.get(key)
            if index is None:
                return Unresolved("dangling", str(key))
            if literals[index] == OPEN:
                columns.resolve(codes, literals, (index,), theme)
            return columns.values[literals[index]]

        return literal

    def trace(self, token: Token, theme: Theme) -> Iterator[Hop]:
        """Yield the hops from a token to its literal in a theme; stop when a cycle repeats.

        Follow the first reference of a composed colour, and none of a composite.
        """
        modes = dict(theme.modes)
        visited: set[TokenKey] = set()
        current: Token | None = token
        while current is not None and current.key not in visited:
            visited.add(current.key)
            collection = self.collection_of(current)
            mode = modes.get(collection.key, collection.default_mode)
            value = self.value(current, mode)
            yield Hop(current, collection.modes[mode], value)
            ends = () if isinstance(value, Composite) else targets(value)
            current = self.tokens.get(ends[0]) if ends else None


class Translator:
    """Replaces token keys in values.

    ``changed`` maps keys to new keys, or to dangling aliases for tokens that no longer exist; others stay.
    """

    def __init__(self, changed: Mapping[TokenKey, TokenKey | DanglingAlias]) -> None:
        self.changed = changed
        self._aliases = {key: name if isinstance(name, DanglingAlias) else Alias(name) for key, name in changed.items()}

    def token(self, token: Token, key: TokenKey) -> Token:
        """Return the token with another key and translated values; itself if nothing changes."""
        aliases = self._aliases
        if aliases:
            for value in token.values:
                kind = type(value)
                if kind is Alias:
                    if value.target in aliases:  # type: ignore[union-attr]
                        break
                elif kind is ComposedColor or kind is Composite:
                    break
            else:
                return token if token.key == key else replace(token, key=key)
            return replace(token, key=key, values=tuple(map(self.value, token.values)))
        return token if token.key == key else replace(token, key=key)

    def value(self, value: Value | None) -> Value | None:
        """Return the translated value; itself if it refers to no changed key."""
        match value:
            case Alias(target=target):
                return self._aliases.get(target, value)
            case ComposedColor(color=color, opacity=opacity):
                return ComposedColor(
                    self._aliases.get(color.target, color) if isinstance(color, Alias) else color,
                    self._aliases.get(opacity.target, opacity) if isinstance(opacity, Alias) else opacity,
                )
            case Composite(json=text, references=references) if references:
                return Composite(text, tuple((each, self.key(target)) for each, target in references))
            case _:
                return value

    def key(self, key: TokenKey) -> TokenKey:
        """Return the new key; a token that no longer exists retains its own."""
        name = self.changed.get(key, key)
        return key if isinstance(name, DanglingAlias) else name
