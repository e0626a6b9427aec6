"""What a file holds after a request, in refs, and the ids that the platform gave to what a request made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import structs

from tokensync.plan.batches.elements import MakeExtension, MakeMode
from tokensync.plan.state import CollectionState, Editing, FileState, ModeState, ObjectValue, root_modes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.plan.batches import Batch
    from tokensync.plan.state import Ref, StateValue


def after(state: FileState, batch: Batch) -> FileState:
    """Return the state that the platform has after it took the batch in this state; things keep their temporary refs.

    It is worked out as the platform does it, element after element, so that what no later batch corrects shows in it.
    """
    file = Editing(state)
    for array in batch.elements:
        for element in array:
            element.carry_out(file)
    return file.finished()


def with_ids(state: FileState, ids: Mapping[Ref, str]) -> FileState:
    """Return the same state with real ids in the place of temporary refs.

    An extension's mode without an id of its own in ``ids`` has it by the platform's rule, when its extension has one:
    ``<collection id>/<root mode id>``.
    """
    modes = dict(ids)
    for collection in state.collections.values():
        if collection.parent is not None and collection.ref in ids:
            for mode, root in root_modes(state, collection).items():
                modes.setdefault(mode, f"{ids[collection.ref]}/{_numbers(ids.get(root, root))}")
    objects: dict[int, ObjectValue] = {}

    def value(given: StateValue) -> StateValue:
        if not isinstance(given, ObjectValue):
            return given
        found = objects.get(id(given))
        if found is None:
            found = objects[id(given)] = given.renamed(ids)
        return found

    collections = (_collection_with_ids(each, ids, modes) for each in state.collections.values())
    variables = (
        structs.replace(
            each,
            ref=ids.get(each.ref, each.ref),
            collection=ids.get(each.collection, each.collection),
            values={modes.get(mode, mode): value(held) for mode, held in each.values.items()},
        )
        for each in state.variables.values()
    )
    return FileState({each.ref: each for each in collections}, {each.ref: each for each in variables}, state.opaque)


def ids_of_answer(batch: Batch, answer: Mapping[str, str], ids: Mapping[Ref, str] | None = None) -> dict[Ref, str]:
    """Return the real ids of all that a batch makes, from the ``tempIdToRealId`` of its answer.

    The answer does not tell those of modes that extend a new one; they follow from it. ``ids`` are the real ids that
    earlier batches got. What the answer leaves out is left out here.
    """
    known = {**(ids or {}), **answer}
    makes = frozenset(batch.makes)
    found = {ref: answer[ref] for ref in batch.makes if ref in answer}
    collections, modes, _, _ = batch.elements
    extended: list[tuple[Ref, Ref, Ref]] = []
    for mode in modes:
        if isinstance(mode, MakeMode) and mode.ref in known:
            extended += ((extension, own, mode.ref) for extension, own in mode.extended)
    for made in collections:
        if isinstance(made, MakeExtension) and made.ref in known:
            extended += ((made.ref, own, parent) for parent, own in made.modes)
    for extension, own, followed in extended:
        if own in makes and own not in known:
            known[own] = found[own] = f"{known.get(extension, extension)}/{_numbers(known.get(followed, followed))}"
    return found


def _numbers(mode: str) -> str:
    """Return a root mode's id, from its own or that of a mode that extends it."""
    return mode.rpartition("/")[2]


def _collection_with_ids(
    collection: CollectionState, ids: Mapping[Ref, str], modes: Mapping[Ref, str]
) -> CollectionState:
    return structs.replace(
        collection,
        ref=ids.get(collection.ref, collection.ref),
        root=ids.get(collection.root, collection.root),
        parent=None if collection.parent is None else ids.get(collection.parent, collection.parent),
        default=modes.get(collection.default, collection.default),
        modes=tuple(
            ModeState(modes.get(ref, ref), name, None if parent is None else modes.get(parent, parent))
            for ref, name, parent in ((each.ref, each.name, each.parent) for each in collection.modes)
        ),
    )
