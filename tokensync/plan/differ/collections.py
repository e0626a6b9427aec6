"""Collections and extensions: made, renamed, hidden, deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.digests import Digests
from tokensync.plan.operations import CreateCollection, CreateExtension, DeleteCollection, UpdateCollection

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import CollectionState, FileState


def changed_collections(
    before: FileState, after: FileState
) -> Iterator[CreateCollection | CreateExtension | UpdateCollection]:
    """Those that are new, and what changes about the others; a parent comes before what extends it."""
    for ref, now in after.collections.items():
        if now.fixed:
            continue
        was = before.collections.get(ref)
        if was is None:
            yield _made(now)
        elif was.name != now.name or was.hidden != now.hidden:
            yield UpdateCollection(
                ref=ref,
                name=None if was.name == now.name else (was.name, now.name),
                hidden=None if was.hidden == now.hidden else (was.hidden, now.hidden),
            )


def deleted_collections(before: FileState, after: FileState) -> Iterator[DeleteCollection]:
    """Those that go by themselves: what extends a collection goes with it."""
    digests = Digests(before)
    for ref, was in before.collections.items():
        if was.fixed or ref in after.collections:
            continue
        parent = before.collections.get(was.parent or "")
        if parent is None or parent.fixed or parent.ref in after.collections:
            yield DeleteCollection(ref=ref, name=was.name, digest=digests.of_collection(ref))


def _made(collection: CollectionState) -> CreateCollection | CreateExtension:
    if collection.parent is None:
        # The first mode of a new collection is its default: no request can say otherwise (platform-api.md 4.3 rule 5).
        modes = tuple(sorted(collection.modes, key=lambda mode: mode.ref != collection.default))
        return CreateCollection(ref=collection.ref, name=collection.name, modes=modes, hidden=collection.hidden)
    return CreateExtension(
        ref=collection.ref,
        name=collection.name,
        parent=collection.parent,
        modes=collection.modes,
        hidden=collection.hidden,
    )
