"""Whether one side's thing is as it was in a base. Asked only of what the other side has deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.mapping import RESOLVED_TYPES
from tokensync.plan.merging.conflicts import same
from tokensync.tokens.weights import AS_TEXT

if TYPE_CHECKING:
    from tokensync.plan.merging.sides import Side
    from tokensync.tokens import Token, TokenKey
    from tokensync.tokens.collection import FamilyKey


def scope_set(token: Token) -> frozenset[str]:
    """The scopes as the platform stores them: without order, and a number's FONT_WEIGHT as FONT_STYLE."""
    if "FONT_WEIGHT" in token.scopes and RESOLVED_TYPES.get(token.type) == "FLOAT":
        return frozenset("FONT_STYLE" if each == "FONT_WEIGHT" else each for each in token.scopes)
    return frozenset(token.scopes)


def same_type(one: Token, other: Token) -> bool:
    """Return whether both have one type; a text and a weight kept as text do: their values decide which it is."""
    return one.type == other.type or {one.type, other.type} == {"string", AS_TEXT}


def unchanged_token(side: Side, base: Side, identity: TokenKey) -> bool:
    """Whether a token, which both have, is the same in both, as far as it concerns modes of both."""
    own, old = side.tokens[identity], base.tokens[identity]
    return (
        own.key.path == old.key.path
        and same_type(own, old)
        and own.description == old.description
        and own.hidden == old.hidden
        and own.code_syntax == old.code_syntax
        and scope_set(own) == scope_set(old)
        and all(
            same(side.value(identity, mode), base.value(identity, mode))
            for mode in side.columns[identity[:2]]
            if base.has_mode(identity[:2], mode)
        )
    )


def unchanged_mode(side: Side, base: Side, family: FamilyKey, owner: str, mode: str) -> bool:
    """Whether a mode has its name and values as in the base. A token that the base lacks had no override."""
    is_root = owner == family[1]
    return side.modes(family, owner)[mode].name == base.modes(family, owner)[mode].name and all(
        same(side.value(identity, mode), base.value(identity, mode))
        for identity in side.tokens_of(family)
        if identity in base.tokens or not is_root
    )


def unchanged_extension(side: Side, base: Side, family: FamilyKey, identity: str) -> bool:
    """Return whether an extension and all that extend it have their names and overrides as in the base."""
    own, old = side.extensions(family)[identity], base.extensions(family)[identity]
    modes = side.modes(family, identity)
    extending = _extending(side, family, identity)
    return (
        (own.name, own.hidden) == (old.name, old.hidden)
        and modes.keys() == base.modes(family, identity).keys()
        and all(unchanged_mode(side, base, family, identity, mode) for mode in modes)
        and extending == _extending(base, family, identity)
        and all(unchanged_extension(side, base, family, each) for each in extending)
    )


def _extending(side: Side, family: FamilyKey, identity: str) -> set[str]:
    return {each for each in side.extensions(family) if side.parent_of(family, each) == identity}


def unchanged_family(side: Side, base: Side, family: FamilyKey) -> bool:
    """Whether a collection is as in the base, with all that belongs to it."""
    own, old = side.families[family], base.families[family]
    tokens = {each for each in side.tokens_of(family) if side.has(each)}
    return (
        (own.name, own.hidden) == (old.name, old.hidden)
        and side.columns[family].keys() == base.columns[family].keys()
        and all(unchanged_mode(side, base, family, family[1], mode) for mode in side.modes(family, family[1]))
        and side.extensions(family).keys() == base.extensions(family).keys()
        and all(unchanged_extension(side, base, family, each) for each in side.extensions(family))
        and tokens == {each for each in base.tokens_of(family) if base.has(each)}
        and all(unchanged_token(side, base, each) for each in tokens)
    )
