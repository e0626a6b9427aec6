"""A graph of the merge, asked by identity."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.tokens import Alias, ComposedColor, Composite, DanglingAlias, TokenGraph
from tokensync.tokens.weights import AS_TEXT, weight_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tokensync.plan.identities import Names
    from tokensync.tokens import Collection, Extension, Mode, Token, TokenKey, Value
    from tokensync.tokens.collection import FamilyKey

LIVE = ("local", "withheld")


class Side:
    """One of the graphs: its things by identity, and its values with identities in place of its own keys."""

    def __init__(self, graph: TokenGraph, names: Names) -> None:
        self.graph = graph
        self.names = names
        self.families: dict[FamilyKey, Collection] = {
            names.families[key]: family for key, family in graph.collections.items()
        }
        changed = {key: name for key, name in names.tokens.items() if key is not name and key != name}
        self.tokens: Mapping[TokenKey, Token] = (
            {names.tokens[key]: token for key, token in graph.tokens.items()} if changed else graph.tokens
        )
        self.columns: dict[FamilyKey, dict[str, int]] = {
            names.families[key]: {mode: column for column, mode in enumerate(own)} for key, own in names.modes.items()
        }
        self._by_family: dict[FamilyKey, tuple[TokenKey, ...]] | None = None
        self.translator = Translator(changed)

    def extensions(self, family: FamilyKey) -> Mapping[str, Extension]:
        """Return the extensions of a family, by identity."""
        own = self.families.get(family)
        if own is None:
            return {}
        return {self.names.extensions[own.key, each.handle]: each for each in own.extensions}

    def modes(self, family: FamilyKey, owner: str) -> dict[str, Mode]:
        """Return the modes that a collection of a family has, by identity; ``owner`` is the collection's."""
        own = self.families.get(family)
        if own is None:
            return {}
        return {
            name: mode
            for name, mode in zip(self.names.modes[own.key], own.modes, strict=True)
            if self.names.extensions.get((own.key, mode.collection), family[1]) == owner
        }

    def default_mode(self, family: FamilyKey) -> str:
        """Return the default mode of a family's own collection; empty where it has no modes."""
        own = self.families[family]
        return self.names.modes[own.key][own.default_mode] if own.modes else ""

    def parent_mode(self, family: FamilyKey, mode: str) -> str | None:
        """Return the mode that one follows."""
        own = self.families[family]
        parent = own.modes[self.columns[family][mode]].parent
        return None if parent is None else self.names.modes[own.key][parent]

    def parent_of(self, family: FamilyKey, extension: str) -> str:
        """Return the identity of the collection that one extends."""
        own = self.families[family]
        handle = self.extensions(family)[extension].parent
        return self.names.extensions.get((own.key, handle), family[1])

    def has(self, identity: TokenKey) -> bool:
        """Return whether the token is there and alive."""
        token = self.tokens.get(identity)
        return token is not None and token.origin in LIVE

    def value(self, identity: TokenKey, mode: str) -> Value | None:
        """Return the token's value in a mode, in identities. None when it has none there, or there is no such mode."""
        column = self.columns[identity[:2]].get(mode)
        token = self.tokens.get(identity)
        return None if column is None or token is None else self.translator.value(token.values[column])

    def has_mode(self, family: FamilyKey, mode: str) -> bool:
        """Return whether the family is there and has the mode."""
        return mode in self.columns.get(family, ())

    def translated(self, identity: TokenKey) -> Token | None:
        """Return the token with identities in its values, and as its key. Its columns stay its own."""
        token = self.tokens.get(identity)
        return None if token is None else self.translator.token(token, identity)

    def tokens_of(self, family: FamilyKey) -> tuple[TokenKey, ...]:
        """Return the identities of a family's tokens."""
        if self._by_family is None:
            by_family: dict[FamilyKey, list[TokenKey]] = {}
            for identity in self.tokens:
                by_family.setdefault(identity[:2], []).append(identity)
            self._by_family = {key: tuple(own) for key, own in by_family.items()}
        return self._by_family.get(family, ())

    def in_the_same_modes(self, other: Side, family: FamilyKey) -> bool:
        """Return whether both have the family with the same modes in the same order."""
        mine, others = self.columns.get(family), other.columns.get(family)
        return mine is not None and others is not None and list(mine) == list(others)


def with_known_texts(ours: Side, others: Sequence[Side]) -> Side:
    """Return the token files' side with a text for each weight that stands there as a number alone.

    That is the text which one of the other sides, the first of them that does, has for the same weight: so a number is
    an edit only where it is another weight. A number that nobody has a text for stays.
    """
    changed = {
        token.key: values
        for identity, token in ours.tokens.items()
        if token.type == AS_TEXT and float in map(type, token.values)
        if (values := tuple(_known_text(ours, others, identity, mode) for mode in ours.names.modes[token.key[:2]]))
        != token.values
    }
    if not changed:
        return ours
    tokens = ours.graph.tokens
    graph = TokenGraph(
        ours.graph.collections.values(),
        (replace(each, values=changed[key]) if key in changed else each for key, each in tokens.items()),
    )
    return Side(graph, ours.names)


def _known_text(ours: Side, others: Sequence[Side], identity: TokenKey, mode: str) -> Value | None:
    value = ours.tokens[identity].values[ours.columns[identity[:2]][mode]]
    if type(value) is float:
        for each in others:
            known = each.value(identity, mode) if identity[:2] in each.columns else None
            if type(known) is str and weight_of(known) == value:
                return known
    return value


class Translator:
    """Puts other token keys into values.

    ``changed`` holds the keys that change, and what refers to nothing from now on; all others stay.
    """

    def __init__(self, changed: Mapping[TokenKey, TokenKey | DanglingAlias]) -> None:
        self.changed = changed
        self._aliases = {key: name if isinstance(name, DanglingAlias) else Alias(name) for key, name in changed.items()}

    def token(self, token: Token, key: TokenKey) -> Token:
        """Return the token under another key; itself when nothing changes."""
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
        """Return the value with the other keys; itself when it refers to nothing that changes."""
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
        """Return the key that stands for this one; a token that goes keeps its own."""
        name = self.changed.get(key, key)
        return key if isinstance(name, DanglingAlias) else name
