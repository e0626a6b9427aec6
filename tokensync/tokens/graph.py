"""The token graph: immutable, with alias edges unresolved; resolving is a query.

An alias into another collection follows that family's mode in the theme, never the mode of the same name: the other
reading is the classic bug of such tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.tokens.resolver import OPEN, Columns
from tokensync.tokens.values import Composite, TokenKey, Unresolved, targets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from tokensync.tokens.collection import Collection, FamilyKey, Mode, Theme, Token
    from tokensync.tokens.resolver import Resolved
    from tokensync.tokens.values import Value


class Hop(NamedTuple):
    """A token on the way to a literal: the mode that it is read in, and what is written there."""

    token: Token
    mode: Mode
    value: Value | None


class TokenGraph:
    """Collections and tokens of one or more files, each in its own order (the platform's creation order).

    ``collections`` is keyed by (file, handle), ``tokens`` by TokenKey; treat both as read-only. Two graphs are equal
    when they hold equal collections and tokens in the same order.
    """

    __slots__ = ("_columns", "collections", "tokens")

    def __init__(self, collections: Iterable[Collection], tokens: Iterable[Token]) -> None:
        self.collections: Mapping[FamilyKey, Collection] = {each.key: each for each in collections}
        self.tokens: Mapping[TokenKey, Token] = {each.key: each for each in tokens}
        self._columns: Columns | None = None

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TokenGraph):
            return NotImplemented
        return tuple(self.collections.values()) == tuple(other.collections.values()) and tuple(
            self.tokens.values()
        ) == tuple(other.tokens.values())

    __hash__ = None  # type: ignore[assignment]

    def collection_of(self, token: Token) -> Collection:
        """Return the family that the token belongs to."""
        return self.collections[token.key[:2]]

    def value(self, token: Token, mode: int) -> Value | None:
        """Return what is written for the token in a mode, or in the nearest parent mode that has a value."""
        return token.value(mode, self.collection_of(token).modes)

    @property
    def columns(self) -> Columns:
        """Return the values as integers, on which every theme is resolved; made once."""
        if self._columns is None:
            self._columns = Columns(self.collections, self.tokens)
        return self._columns

    def references(self) -> dict[TokenKey, tuple[TokenKey, ...]]:
        """Return the tokens that each token refers to in any mode, for those that refer to any."""
        tokens = self.tokens
        found: dict[TokenKey, tuple[TokenKey, ...]] = {}
        for key, token in tokens.items():
            if ends := tuple(each for each in token.references if each in tokens):
                found[key] = ends
        return found

    def resolve(self, token: Token, theme: Theme) -> Resolved:
        """Return the literal that the token shows in the theme, or why it shows none."""
        return self.resolver(theme)(token.key)

    def resolver(self, theme: Theme) -> Callable[[TokenKey], Resolved]:
        """Return a function from token key to literal for one theme; it remembers what it resolved.

        Ask it for many tokens: each token costs once, whatever the depth of its aliases.
        """
        columns = self.columns
        codes = columns.codes(theme)
        literals = [OPEN] * len(codes)

        def literal(key: TokenKey) -> Resolved:
            index = columns.indices.get(key)
            if index is None:
                return Unresolved("dangling", str(key))
            if literals[index] == OPEN:
                columns.resolve(codes, literals, (index,), theme)
            return columns.values[literals[index]]

        return literal

    def trace(self, token: Token, theme: Theme) -> Iterator[Hop]:
        """Yield the hops from a token to its literal in a theme; a cycle is passed once.

        Of a composed colour the first reference is followed, of a composite none.
        """
        chosen = dict(theme.modes)
        passed: set[TokenKey] = set()
        current: Token | None = token
        while current is not None and current.key not in passed:
            passed.add(current.key)
            collection = self.collection_of(current)
            mode = chosen.get(collection.key, collection.default_mode)
            value = self.value(current, mode)
            yield Hop(current, collection.modes[mode], value)
            onward = () if isinstance(value, Composite) else targets(value)
            current = self.tokens.get(onward[0]) if onward else None
