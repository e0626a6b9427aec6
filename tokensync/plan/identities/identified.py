"""Which token is which variable: the matching alone, for a plan of two graphs without a common base."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.plan.identities.atlas import Atlas
from tokensync.plan.identities.matching import Moves
from tokensync.tokens import TokenGraph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.problems import Problem
    from tokensync.settings import MovedConfig
    from tokensync.tokens import Collection, Token, TokenKey
    from tokensync.tokens.collection import FamilyKey


def identified(
    desired: TokenGraph, current: TokenGraph, moved: Sequence[MovedConfig] = (), *, ids_count: bool = True
) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the desired graph with the ids and keys of what it has in common with the current one; no others are left.

    ``ids_count`` tells that the desired graph's ids are of this very file: else they are no more than hints.
    """
    atlas = Atlas(Moves(moved))
    atlas.add(current)
    names = atlas.add(desired, "" if ids_count else "elsewhere", is_last=True)
    collections = tuple(
        _collection(each, names.families[key], names.modes[key], names.extensions, current.collections)
        for key, each in desired.collections.items()
    )
    return TokenGraph(collections, _tokens(desired, names.tokens, current)), tuple(atlas.problems)


def _tokens(desired: TokenGraph, names: Mapping[TokenKey, TokenKey], current: TokenGraph) -> Iterator[Token]:
    for key, token in desired.tokens.items():
        known = current.tokens.get(names[key])
        identity, variable_key = (known.id, known.variable_key) if known is not None else ("", "")
        same = token.id == identity and token.variable_key == variable_key
        yield token if same else replace(token, id=identity, variable_key=variable_key)


def _collection(
    own: Collection,
    identity: FamilyKey,
    modes: tuple[str, ...],
    extensions: Mapping[tuple[FamilyKey, str], str],
    current: Mapping[FamilyKey, Collection],
) -> Collection:
    known = current.get(identity)
    known_modes = {each.context: each.id for each in known.modes} if known is not None else {}
    known_extensions = {each.handle: each for each in known.extensions} if known is not None else {}
    found = {each.handle: known_extensions.get(extensions[own.key, each.handle]) for each in own.extensions}
    return replace(
        own,
        id=known.id if known is not None else "",
        collection_key=known.collection_key if known is not None else "",
        opaque=known.opaque if known is not None else (),
        modes=tuple(replace(mode, id=known_modes.get(name, "")) for mode, name in zip(own.modes, modes, strict=True)),
        extensions=tuple(
            replace(each, id=same.id, collection_key=same.collection_key)
            if (same := found[each.handle]) is not None
            else replace(each, id="", collection_key="")
            for each in own.extensions
        ),
    )
