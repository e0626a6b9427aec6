"""Which collection extends which: chains of extended collections, to any depth, each walked once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.mapping import key_of_remote_id
from tokensync.normalize.draft import shortened

if TYPE_CHECKING:
    from tokensync.normalize.draft import Draft
    from tokensync.wire import WireCollection


def ancestry(draft: Draft) -> tuple[dict[str, str | None], dict[str, str]]:
    """The parent's id and the root's id of each collection of the response, the latter with parents first.

    A parent or root may be an id that the response does not hold. Collections that extend each other in a circle are
    told, and the first of them loses its parent.
    """
    wires = draft.snapshot.local.variable_collections
    by_key = {each.key: each.id for each in wires.values() if each.remote}
    parents = {each.id: _parent_of(each, wires, by_key) for each in wires.values()}
    roots: dict[str, str] = {}
    depths: dict[str, int] = {}
    for each in wires.values():
        chain: dict[str, None] = {}
        above: str | None = each.id
        while above is not None and above in wires and above not in roots and above not in chain:
            chain[above] = None
            above = parents[above]
        if above is not None and above in chain:
            _cut(draft, above, parents)
            chain = _hung_from(above, chain)
        for identity in reversed(chain):
            parent = parents[identity]
            roots[identity] = identity if parent is None else roots.get(parent, parent)
            depths[identity] = 0 if parent is None else depths.get(parent, 0) + 1
    return parents, {identity: roots[identity] for identity in sorted(wires, key=depths.__getitem__)}


def _parent_of(collection: WireCollection, wires: dict[str, WireCollection], by_key: dict[str, str]) -> str | None:
    parent = collection.parent_variable_collection_id
    if parent is None and collection.is_extension:
        parent = collection.root_variable_collection_id
    if parent is None or parent in wires:
        return parent
    return by_key.get(key_of_remote_id(parent), parent)  # a remote id changes with every publish, its key does not


def _cut(draft: Draft, identity: str, parents: dict[str, str | None]) -> None:
    parents[identity] = None
    what = "its chain of parent collections comes back to itself"
    name = shortened(draft.snapshot.local.variable_collections[identity].name)
    draft.report("extension-cycle", name, what, "it is read as a collection of its own")


def _hung_from(identity: str, chain: dict[str, None]) -> dict[str, None]:
    """The chain with ``identity``, a root now, as its last: what stood above it in the circle hangs from it."""
    names = list(chain)
    at = names.index(identity)
    return dict.fromkeys((*names[:at], *names[at + 1 :], identity))
