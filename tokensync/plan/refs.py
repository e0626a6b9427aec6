"""The refs of a graph's things: the ids that they carry, and temporary ids for what has none."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.mapping import name_of_path, unique

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.plan.state import Ref
    from tokensync.tokens import Collection, TokenGraph, TokenKey
    from tokensync.tokens.collection import FamilyKey

_LONGEST = 60  # characters: a temporary id stands in a body as often as its variable has values


class Refs(NamedTuple):
    """What each thing of a graph goes by.

    ``modes`` holds a ref for each of a family's modes, in their order; ``extensions`` is keyed by (family, handle).
    """

    families: Mapping[FamilyKey, Ref]
    extensions: Mapping[tuple[FamilyKey, str], Ref]
    modes: Mapping[FamilyKey, tuple[Ref, ...]]
    tokens: Mapping[TokenKey, Ref]


def refs_of(graph: TokenGraph) -> Refs:
    """Ids where there are some, else temporary ids that say what they stand for: ``variable:theme/accent/base``.

    The graph's ids are taken at their word (``tokensync.plan.identities`` settles them). Every temporary id is unique.
    """
    taken: set[str] = set()
    families: dict[FamilyKey, Ref] = {}
    extensions: dict[tuple[FamilyKey, str], Ref] = {}
    modes: dict[FamilyKey, tuple[Ref, ...]] = {}
    for key, family in graph.collections.items():
        families[key] = family.id or temporary(f"collection:{family.handle}", taken)
        for each in family.extensions:
            extensions[key, each.handle] = each.id or temporary(f"collection:{each.handle}", taken)
        modes[key] = _modes(family, taken)
    tokens = {
        key: token.id or temporary(f"variable:{key.collection}/{name_of_path(key.path)}", taken)
        for key, token in graph.tokens.items()
    }
    return Refs(families, extensions, modes, tokens)


def _modes(family: Collection, taken: set[str]) -> tuple[Ref, ...]:
    return tuple(each.id or temporary(f"mode:{each.collection}/{each.slug}", taken) for each in family.modes)


def temporary(wanted: str, taken: set[str]) -> Ref:
    """A temporary ref that says what it stands for, and is none of those that are taken; it is one of them then."""
    return unique(wanted[:_LONGEST], taken)
