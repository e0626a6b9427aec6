"""Which mode of the root collection each mode of an extension stands for."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tokensync.plan.state import CollectionState, FileState, Ref


def root_modes(state: FileState, collection: CollectionState) -> dict[Ref, Ref]:
    """The root's mode of each of a collection's modes; one whose line of parents breaks off is left out."""
    if collection.parent is None:
        return {mode.ref: mode.ref for mode in collection.modes}
    chain = [collection]
    while (parent := chain[-1].parent) is not None and (above := state.collections.get(parent)) is not None:
        if any(above.ref == each.ref for each in chain):
            break
        chain.append(above)
    found = {mode.ref: mode.ref for mode in chain[-1].modes}
    for each in reversed(chain[:-1]):
        found = {mode.ref: found[mode.parent] for mode in each.modes if mode.parent in found}
    return found
