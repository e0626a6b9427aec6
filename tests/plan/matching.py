"""Graphs with the ids of another one, matched as in a merge: a pull gives them to token files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.plan.identities import IdentityMap, Moves
from tokensync.tokens import TokenGraph

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.settings import MovedConfig
    from tokensync.system.problems import Problem
    from tokensync.tokens import Collection, Token, TokenKey
    from tokensync.tokens.collection import FamilyKey


def identified(
    desired: TokenGraph, current: TokenGraph, moved: Sequence[MovedConfig] = (), *, ids_count: bool = True
) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the desired graph with the ids and keys of matching objects of the current one, and no others.

    ``ids_count`` is True if the desired graph's ids are from the same file; otherwise they are only hints.
    """
    identity_map = IdentityMap(Moves(moved))
    identity_map.add(current)
    names = identity_map.add(desired, "" if ids_count else "elsewhere", is_last=True)
    collections = tuple(
        _collection(each, names.families[key], names.modes[key], names.extensions, current.collections)
        for key, each in desired.collections.items()
    )
    return TokenGraph(collections, _tokens(desired, names.tokens, current)), tuple(identity_map.problems)


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
    known_modes = {mode.context: mode.id for mode in known.modes} if known is not None else {}
    known_extensions = {extension.handle: extension for extension in known.extensions} if known is not None else {}
    same_extensions = {each.handle: known_extensions.get(extensions[own.key, each.handle]) for each in own.extensions}
    return replace(
        own,
        id=known.id if known is not None else "",
        collection_key=known.collection_key if known is not None else "",
        opaque=known.opaque if known is not None else (),
        modes=tuple(replace(mode, id=known_modes.get(name, "")) for mode, name in zip(own.modes, modes, strict=True)),
        extensions=tuple(
            replace(extension, id=same.id, collection_key=same.collection_key)
            if (same := same_extensions[extension.handle]) is not None
            else replace(extension, id="", collection_key="")
            for extension in own.extensions
        ),
    )
