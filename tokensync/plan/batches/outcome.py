"""What a file holds after a request, in refs, and the ids that the platform gave to what a request made."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import structs

from tokensync.plan.batches.changes import (
    ChangeCollection,
    ChangeVariable,
    DropCollection,
    DropMode,
    DropVariable,
    MakeCollection,
    MakeExtension,
    MakeMode,
    MakeVariable,
    NameMode,
)
from tokensync.plan.state import CollectionState, FileState, ModeState, ObjectValue, root_modes

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tokensync.plan.batches import Batch
    from tokensync.plan.state import Ref, StateValue

_FIRST_VALUES: Final[dict[str, StateValue]] = {
    "BOOLEAN": False,
    "FLOAT": 0,
    "STRING": "",
    "COLOR": ObjectValue(1, 1, 1, 1),
}
"""What a new variable holds in every mode until it is given values."""


def after(state: FileState, batch: Batch) -> FileState:
    """Return the state that the platform has after it took the batch in this state; things keep their temporary refs.

    It is worked out as the platform does it, change after change, so that what no later batch mends shows in it.
    """
    editing = _Editing(state)
    collections, modes, variables, values = batch.changes
    for collection in collections:
        editing.change_collection(collection)
    for mode in modes:
        editing.change_mode(mode)
    for variable in variables:
        editing.change_variable(variable)
    for each in values:
        held = editing.values(each.variable)
        if each.value is None:
            held.pop(each.mode, None)
        else:
            held[each.mode] = each.value
    return editing.finished()


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
    collections, modes, _, _ = batch.changes
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


class _Editing:
    """A state that is being changed: what changes is copied, the rest is shared."""

    def __init__(self, state: FileState) -> None:
        self._collections = dict(state.collections)
        self._variables = dict(state.variables)
        self._opaque = dict(state.opaque)
        self._values: dict[Ref, dict[Ref, StateValue]] = {}
        self._of_root: dict[Ref, dict[Ref, None]] | None = None

    def finished(self) -> FileState:
        """Return the state that came of it."""
        for ref, values in self._values.items():
            self._variables[ref] = structs.replace(self._variables[ref], values=values)
        return FileState(self._collections, self._variables, self._opaque)

    def values(self, ref: Ref) -> dict[Ref, StateValue]:
        """Return a variable's values, to be changed."""
        values = self._values.get(ref)
        if values is None:
            values = self._values[ref] = dict(self._variables[ref].values)
        return values

    def change_collection(self, change: MakeCollection | MakeExtension | ChangeCollection | DropCollection) -> None:
        match change:
            case MakeCollection(ref=ref, name=name, mode=mode, hidden=hidden):
                modes = (ModeState(mode, "Mode 1"),)
                self._collections[ref] = CollectionState(
                    ref=ref, name=name, root=ref, modes=modes, default=mode, hidden=hidden
                )
            case MakeExtension():
                self._extend(change)
            case ChangeCollection(ref=ref, name=new_name, hidden=now_hidden):
                was = self._collections[ref]
                self._collections[ref] = structs.replace(
                    was,
                    name=was.name if new_name is None else new_name,
                    hidden=was.hidden if now_hidden is None else now_hidden,
                )
            case DropCollection(ref=ref):
                self._drop_collection(self._collections[ref])

    def change_mode(self, change: MakeMode | NameMode | DropMode) -> None:
        match change:
            case MakeMode():
                self._make_mode(change)
            case NameMode(ref=ref, collection=collection, name=name):
                for each in self._family(collection):
                    following = self._following(each, ref)
                    modes = tuple(
                        structs.replace(mode, name=name) if mode.ref in following else mode for mode in each.modes
                    )
                    self._collections[each.ref] = structs.replace(each, modes=modes)
            case DropMode(ref=ref, collection=collection):
                self._drop_modes(collection, ref)

    def change_variable(self, change: MakeVariable | ChangeVariable | DropVariable) -> None:
        match change:
            case MakeVariable(variable=variable):
                self._variables[variable.ref] = variable
                first = _FIRST_VALUES[variable.type]
                self._values[variable.ref] = dict.fromkeys(
                    (mode.ref for mode in self._collections[variable.collection].modes), first
                )
                if self._of_root is not None:
                    self._of_root.setdefault(variable.collection, {})[variable.ref] = None
            case ChangeVariable(ref=ref):
                members = {name: getattr(change, name) for name in change.__struct_fields__ if name != "ref"}
                given = {name: value for name, value in members.items() if value is not None}
                self._variables[ref] = structs.replace(self._variables[ref], **given)
            case DropVariable(ref=ref):
                self._drop_variable(ref)

    def _drop_variable(self, ref: Ref) -> None:
        self._values.pop(ref, None)
        variable = self._variables.pop(ref)
        if self._of_root is not None:
            del self._of_root[variable.collection][ref]

    def _owned(self, root: Ref) -> tuple[Ref, ...]:
        """Return the variables of a root collection."""
        if self._of_root is None:
            self._of_root = {}
            for variable in self._variables.values():
                self._of_root.setdefault(variable.collection, {})[variable.ref] = None
        return tuple(self._of_root.get(root, ()))

    def _family(self, root: Ref) -> tuple[CollectionState, ...]:
        return tuple(each for each in self._collections.values() if each.root == root)

    def _following(self, collection: CollectionState, mode: Ref) -> set[Ref]:
        """Return a collection's modes that stand for a mode of its root."""
        origins = root_modes(FileState(self._collections, {}), collection)
        return {own for own, origin in origins.items() if origin == mode}

    def _extend(self, change: MakeExtension) -> None:
        parent = self._collections[change.parent]
        origins = root_modes(FileState(self._collections, {}), parent)
        named = dict(change.modes)
        modes = tuple(
            ModeState(named.get(mode.ref) or f"{change.ref}/{origins[mode.ref]}", mode.name, mode.ref)
            for mode in parent.modes
        )
        self._collections[change.ref] = CollectionState(
            ref=change.ref,
            name=change.name,
            root=parent.root,
            modes=modes,
            default=next(mode.ref for mode in modes if mode.parent == parent.default),
            parent=parent.ref,
            hidden=change.hidden,
        )

    def _make_mode(self, change: MakeMode) -> None:
        root = self._collections[change.collection]
        made = {root.ref: change.ref, **dict(change.extended)}
        for each in self._family(change.collection):
            parent = None if each.parent is None else made[each.parent]
            mode = ModeState(made[each.ref], change.name, parent)
            self._collections[each.ref] = structs.replace(each, modes=(*each.modes, mode))
        for ref in self._owned(change.collection):
            values = self.values(ref)
            filled = values.get(root.default)
            values[change.ref] = _FIRST_VALUES[self._variables[ref].type] if filled is None else filled

    def _drop_collection(self, collection: CollectionState) -> None:
        if collection.parent is None:
            for ref in self._owned(collection.ref):
                self._drop_variable(ref)
        gone = (collection.ref, *FileState(self._collections, {}).extensions_of(collection.ref))
        modes = {mode.ref for ref in gone for mode in self._collections[ref].modes}
        for ref in gone:
            del self._collections[ref]
        if collection.parent is None:
            self._opaque.pop(collection.ref, None)
        else:
            self._forget(collection.root, modes)

    def _drop_modes(self, collection: Ref, mode: Ref) -> None:
        gone: set[Ref] = set()
        dropped = [(each, self._following(each, mode)) for each in self._family(collection)]
        for each, own in dropped:
            gone |= own
            kept = tuple(one for one in each.modes if one.ref not in own)
            default = kept[0].ref if each.default in own and kept else each.default
            self._collections[each.ref] = structs.replace(each, modes=kept, default=default)
        self._forget(collection, gone)

    def _forget(self, root: Ref, modes: set[Ref]) -> None:
        """Take the values of a root collection's variables in some modes away."""
        for ref in self._owned(root):
            held = self._values.get(ref) or self._variables[ref].values
            for mode in modes.intersection(held):
                del self.values(ref)[mode]
        if root in self._opaque:
            self._opaque[root] = tuple(each.without(modes) for each in self._opaque[root])
