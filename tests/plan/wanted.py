"""The desired graph of an edited library."""

from __future__ import annotations

import msgspec
from plan.library import is_new

from tokensync.tokens import TokenGraph


def without_new_ids(graph: TokenGraph) -> TokenGraph:
    """The graph without the ids and keys of new objects, which the platform has not assigned yet."""
    collections = [
        _plain(
            msgspec.structs.replace(
                each, modes=tuple(map(_plain, each.modes)), extensions=tuple(map(_plain, each.extensions))
            )
        )
        for each in graph.collections.values()
    ]
    return TokenGraph(collections, [_plain(each) for each in graph.tokens.values()])


def _plain(thing):
    if not any(is_new(part) for part in thing.id.split("/")):
        return thing
    keys = [name for name in ("variable_key", "collection_key", "key") if isinstance(getattr(thing, name, None), str)]
    return msgspec.structs.replace(thing, id="", **dict.fromkeys(keys, ""))
