"""The token graph: immutable, with alias edges unresolved; resolving is a query.

An alias into another collection follows that family's mode in the theme, never the mode of the same name: the other
reading is the classic bug of such tools.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens.composites import filled
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
    composed,
)
from tokensync.tokens.weights import AS_TEXT, weight_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from tokensync.tokens.collection import Collection
    from tokensync.tokens.theme import FamilyKey, Theme
    from tokensync.tokens.token import Token

Resolved = Literal | Unresolved


class TokenGraph:
    """Collections and tokens of one or more files, each in its own order (the platform's creation order).

    ``collections`` is keyed by (file, handle), ``tokens`` by TokenKey; treat both as read-only. Two graphs are equal
    when they hold equal collections and tokens in the same order.
    """

    __slots__ = ("collections", "tokens")

    def __init__(self, collections: Iterable[Collection], tokens: Iterable[Token]) -> None:
        self.collections: Mapping[FamilyKey, Collection] = {each.key: each for each in collections}
        self.tokens: Mapping[TokenKey, Token] = {each.key: each for each in tokens}

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, TokenGraph):
            return NotImplemented
        return tuple(self.collections.values()) == tuple(other.collections.values()) and tuple(
            self.tokens.values()
        ) == tuple(other.tokens.values())

    __hash__ = None  # type: ignore[assignment]

    def collection_of(self, token: Token) -> Collection:
        """The family that the token belongs to."""
        return self.collections[token.key[:2]]

    def value(self, token: Token, mode: int) -> Value | None:
        """What is written for the token in the mode with this index, or in the nearest parent mode that has a value."""
        value = token.values[mode]
        if value is not None:
            return value
        modes = self.collection_of(token).modes
        index = modes[mode].parent
        while index is not None:
            value = token.values[index]
            if value is not None:
                return value
            index = modes[index].parent
        return None

    def resolve(self, token: Token, theme: Theme) -> Resolved:
        """The literal that the token shows in the theme, or why it shows none."""
        return self.resolver(theme)(token.key)

    def resolver(self, theme: Theme) -> Callable[[TokenKey], Resolved]:
        """A function from token key to literal for one theme; it remembers what it worked out.

        Ask it for many tokens: each token costs once, whatever the depth of its aliases.
        """
        return _Resolver(self, theme).literal


class _Resolver:
    """Resolves tokens in one theme.

    ``known`` holds the text of a weight that is kept as text, so that an alias of type ``string`` gets it; ``literal``
    makes the number of it.
    """

    def __init__(self, graph: TokenGraph, theme: Theme) -> None:
        self.graph = graph
        self.chosen = dict(theme.modes)
        self.known: dict[TokenKey, Resolved] = {}

    def literal(self, key: TokenKey) -> Resolved:
        """What the token shows; an Unresolved for a key that the graph has not."""
        result = self.known.get(key)
        if result is None:
            result = self._worked_out(key)
        if type(result) is str and (token := self.graph.tokens.get(key)) is not None and token.type == AS_TEXT:
            weight = weight_of(result)
            return result if weight is None else weight
        return result

    def _worked_out(self, key: TokenKey) -> Resolved:
        """Settle the token and all it refers to, without recursion: a chain may be as long as a library."""
        known = self.known
        value = self._written(key)
        if all(each in known for each in targets(value)):  # most values are literals, or of a token asked for before
            known[key] = result = self._fitting(key, self._settled(value, key))
            return result
        pending = [(key, value, iter(targets(value)))]
        open_at = {key: 0}
        while pending:
            current, value, ends = pending[-1]
            missing = next((each for each in ends if each not in known), None)
            if missing is None:
                if current not in known:
                    known[current] = self._fitting(current, self._settled(value, current))
                del open_at[current]
                pending.pop()
            elif missing in open_at:  # every token of a cycle is unknown (dtcg.md section 5)
                for each, _, _ in pending[open_at[missing] :]:
                    known[each] = Unresolved("cycle", str(each))
            else:
                open_at[missing] = len(pending)
                written = self._written(missing)
                pending.append((missing, written, iter(targets(written))))
        return known[key]

    def _written(self, key: TokenKey) -> Value | None:
        token = self.graph.tokens.get(key)
        if token is None:
            return DanglingAlias(str(key))
        family = key[:2]
        mode = self.chosen.get(family)
        if mode is None:
            mode = self.chosen[family] = self.graph.collections[family].default_mode
        return self.graph.value(token, mode)

    def _fitting(self, key: TokenKey, result: Resolved) -> Resolved:
        """The result, unless the token's type cannot have it: then an alias led to another type."""
        kind = type(result)
        token = self.graph.tokens.get(key)
        if kind is Unresolved or token is None:
            return result
        fits = weight_of(result) is not None if token.type == AS_TEXT else kind in _CLASSES.get(token.type, (kind,))
        return result if fits else Unresolved("mismatch", str(key))

    def _settled(self, value: Value | None, key: TokenKey) -> Resolved:
        """The literal of a value all of whose targets are known."""
        if isinstance(value, Alias):
            return self.known[value.target]
        if isinstance(value, ComposedColor):
            return _compose(self._settled(value.color, key), self._settled(value.opacity, key), key)
        if isinstance(value, DanglingAlias):
            return Unresolved("dangling", value.reference)
        if isinstance(value, Composite) and value.references:
            return filled(value, self.graph.tokens[key].type, self.literal, key)
        return Unresolved("absent", str(key)) if value is None else value


_CLASSES: dict[str, tuple[type, ...]] = {
    "color": (Color,),
    "dimension": (float, Quantity),
    "duration": (Quantity,),
    "number": (float,),
    "fontWeight": (float,),
    "string": (str,),
    "fontFamily": (str, Composite),
    "boolean": (bool,),
}
"""What a literal of each type is; a type that is not here is a composite of its own."""


def targets(value: Value | None) -> tuple[TokenKey, ...]:
    """The tokens that a value refers to."""
    if isinstance(value, Alias):
        return (value.target,)
    if isinstance(value, ComposedColor):
        return tuple(each.target for each in (value.color, value.opacity) if isinstance(each, Alias))
    if isinstance(value, Composite):
        return tuple(target for _, target in value.references)
    return ()


def _compose(base: Resolved, opacity: Resolved, key: TokenKey) -> Resolved:
    if isinstance(base, Unresolved):
        return base
    if isinstance(opacity, Unresolved):
        return opacity
    if isinstance(base, Color) and isinstance(opacity, float):
        return composed(base, opacity)
    return Unresolved("mismatch", str(key))
