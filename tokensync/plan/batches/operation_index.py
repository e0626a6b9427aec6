"""Index a plan's operations by affected object, and find the alias cycles to avoid between requests."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from tokensync.plan.batches.elements import LONGEST_COLLECTION, LONGEST_EXTENDED_MODE, LONGEST_MODE, LONGEST_VARIABLE
from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    SetValue,
    UpdateVariable,
)
from tokensync.plan.state import ObjectValue, StateValue, root_modes, targets_of
from tokensync.tokens.algorithms import ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState, Ref, VariableState


class PlannedValue(Struct, frozen=True, gc=False):
    """A value that the plan sets, and the index of its operation."""

    operation: int
    value: StateValue | None


class OperationIndex:
    """A plan's operations by kind and object, with their indices, and the values after them."""

    def __init__(self, operations: Sequence[Operation], before: FileState) -> None:
        self.before = before
        self.operations = operations
        self.lengths: dict[Ref, int] = {}
        """The greatest length of the real id of each temporary ref, in bytes with quotation marks."""
        self.new: dict[Ref, tuple[int, VariableState]] = {}
        self.updated: dict[Ref, tuple[int, UpdateVariable]] = {}
        self.values: dict[Ref, dict[Ref, PlannedValue]] = {}
        """Variable -> mode -> value, also of new variables."""
        self.new_modes: dict[Ref, dict[Ref, tuple[int, CreateMode]]] = {}
        """Existing root collection -> its new modes."""
        self.extended: dict[Ref, Ref] = {}
        """New mode of an existing extension -> the root's new mode."""
        self.extending: dict[Ref, Ref] = {}
        """Mode of a new extension -> the extension."""
        self.deleted: dict[Ref, tuple[int, DeleteVariable]] = {}
        self.deleted_modes: dict[tuple[Ref, Ref], int] = {}
        """(root, mode) of every deleted mode of a root that stays -> the index of the operation."""
        self.mode_deletions: dict[Ref, list[tuple[int, DeleteMode]]] = {}
        self.deleted_collections: set[Ref] = set()
        self._roots: dict[Ref, Ref] = {}
        self._modes_created_in: dict[Ref, set[Ref]] = {}
        for index, operation in enumerate(operations):
            self._add(index, operation)

    def _add(self, index: int, operation: Operation) -> None:
        match operation:
            case SetValue(variable=ref, mode=mode, after=value):
                self.values.setdefault(ref, {})[mode] = PlannedValue(index, value)
            case CreateVariable(variable=variable):
                self.new[variable.ref] = index, variable
                self.lengths[variable.ref] = LONGEST_VARIABLE
                self.values[variable.ref] = {
                    mode: PlannedValue(index, value) for mode, value in variable.values.items()
                }
            case UpdateVariable(ref=ref):
                self.updated[ref] = index, operation
            case DeleteVariable(ref=ref):
                self.deleted[ref] = index, operation
            case CreateCollection(ref=ref, modes=modes):
                self.lengths[ref] = LONGEST_COLLECTION
                self.lengths |= {mode.ref: LONGEST_MODE for mode in modes}
                self._modes_created_in[ref] = {mode.ref for mode in modes[1:]}
            case CreateExtension(ref=ref, modes=modes, parent=parent):
                parent_state = self.before.collections.get(parent)
                self._roots[ref] = self._roots.get(parent, parent) if parent_state is None else parent_state.root
                self.lengths[ref] = LONGEST_COLLECTION
                self.lengths |= {mode.ref: LONGEST_EXTENDED_MODE for mode in modes}
                self.extending |= {mode.ref: ref for mode in modes}
            case CreateMode(ref=ref, collection=collection, extended=extended):
                self.new_modes.setdefault(collection, {})[ref] = index, operation
                self._modes_created_in.setdefault(collection, set()).add(ref)
                self.lengths[ref] = LONGEST_MODE
                for _, own in extended:
                    self.lengths[own] = LONGEST_EXTENDED_MODE
                    self.extended[own] = ref
            case DeleteMode():
                self._add_deleted_mode(index, operation)
            case DeleteCollection(ref=ref):
                self._add_deleted_collection(index, ref)
            case _:
                pass

    def _add_deleted_mode(self, index: int, operation: DeleteMode) -> None:
        self.mode_deletions.setdefault(operation.collection, []).append((index, operation))
        for each in self.before.family(operation.collection):
            for own, root in root_modes(self.before, each).items():
                if root == operation.ref:
                    self.deleted_modes[operation.collection, own] = index

    def _add_deleted_collection(self, index: int, ref: Ref) -> None:
        collection = self.before.collections[ref]
        self.deleted_collections.add(ref)
        self.deleted_collections.update(self.before.extensions_of(ref))
        for each in self.before.family(collection.root):
            if each.ref in self.deleted_collections and collection.parent is not None:
                for mode in each.modes:  # a mode deleted with the root's is deleted before the extension
                    self.deleted_modes.setdefault((each.root, mode.ref), index)

    @property
    def takes_two(self) -> bool:
        """Return whether the platform's order within a request makes a second request necessary."""
        if any(map(self.waits_for, self._roots)):
            return True
        return any(not self.extended.keys().isdisjoint(modes) for modes in self.values.values())

    def waits_for(self, extension: Ref) -> frozenset[Ref]:
        """Return the modes that must be created in an earlier request than the extension.

        Only the first mode of a new collection, which is created with it, can be extended in the same request.
        """
        return frozenset(self._modes_created_in.get(self._roots[extension], ()))

    def survives(self, ref: Ref) -> bool:
        """Return whether the plan does not delete a variable."""
        variable = self.before.variables[ref]
        return ref not in self.deleted and variable.collection not in self.deleted_collections

    def lasting_value(self, variable: VariableState) -> StateValue:
        """Return a new variable's value in the first remaining mode of its collection, or in the first new one."""
        own = (mode.ref for mode in self.before.collections[variable.collection].modes)
        lasting = (mode for mode in own if (variable.collection, mode) not in self.deleted_modes)
        return next(variable.values[mode] for mode in (*lasting, *self.new_modes.get(variable.collection, ())))

    def final_values(self, ref: Ref) -> Iterator[StateValue]:
        """Yield all values of a variable after the plan, including overrides."""
        planned = self.values.get(ref)
        if planned is not None:
            yield from (each.value for each in planned.values() if each.value is not None)
        variable = self.before.variables.get(ref)
        if variable is None or ref in self.new:
            return
        for mode, value in variable.values.items():
            if planned is not None and mode in planned:
                continue
            if (variable.collection, mode) in self.deleted_modes and not self._is_copied(variable, mode):
                continue
            yield value

    def final_targets(self, ref: Ref) -> list[Ref]:
        """Return the alias targets of a variable after the plan, possibly with repetitions."""
        new = self.new.get(ref)
        return targets_of(*(self.final_values(ref) if new is None else new[1].values.values()))

    def copied_default_values(self, root: Ref, mode: Ref) -> Iterator[tuple[Ref, StateValue]]:
        """Yield the values that a new mode copies from a default mode that the plan deletes.

        No operation sets them: the platform copies them while the default mode exists.
        """
        default = self.before.collections[root].default
        if (root, default) not in self.deleted_modes:
            return
        for ref, variable in self.before.variables.items():
            stays = variable.collection == root and ref not in self.deleted and default in variable.values
            if stays and mode not in self.values.get(ref, ()):
                yield ref, variable.values[default]

    def _is_copied(self, variable: VariableState, mode: Ref) -> bool:
        """Return whether a deleted mode is the default one, and a new mode copies the variable's value from it."""
        new = self.new_modes.get(variable.collection)
        if not new or self.before.collections[variable.collection].default != mode:
            return False
        planned = self.values.get(variable.ref, {})
        return any(each not in planned for each in new)


class _Alias(NamedTuple):
    """The targets of a variable in a deleted mode."""

    variable: VariableState
    mode: Ref
    targets: list[Ref]


class Bridge(NamedTuple):
    """A temporary value of a variable in a mode, until the operation with the index ``deletion`` deletes the mode."""

    mode: Ref
    value: StateValue | None
    deletion: int


class CycleBreaks(NamedTuple):
    """Early deletions of modes by operation, and bridges by variable, that avoid cycles between requests.

    ``interim`` holds additional targets of variables until a deletion.
    """

    modes: dict[int, DeleteMode]
    bridges: dict[Ref, list[Bridge]]
    interim: dict[Ref, list[Ref]]


def cycle_breaks(indexed: OperationIndex) -> CycleBreaks:
    """Return how to avoid cycles with aliases in modes that the plan deletes.

    Such an alias exists until the mode is deleted, which comes last, and can form a cycle with new values. The platform
    checks for cycles of variables after each change, whatever the modes. So a root's mode with such an alias is deleted
    before values change. In a deleted extension the overrides concerned are removed first. If all modes of a collection
    are deleted, the variable's value of the new mode is also set in the old one. All other aliases stay, and the order
    in which values are set takes them into account.
    """
    aliases = list(_aliases_in_deleted_modes(indexed))
    if not aliases:
        return CycleBreaks({}, {}, {})
    deleted = {
        ref: targets_of(*variable.values.values())
        for ref, variable in indexed.before.variables.items()
        if not indexed.survives(ref)
    }
    interim_targets = _merged_targets(deleted, aliases)
    rank = ranks(interim_targets, lambda ref: (*indexed.final_targets(ref), *interim_targets.get(ref, ())))
    staying: list[_Alias] = []
    result = CycleBreaks({}, {}, deleted)
    for alias in aliases:
        variable, mode, targets = alias
        lasting = set(indexed.final_targets(variable.ref))
        if all(rank[target] != rank[variable.ref] or target in lasting for target in targets):
            staying.append(alias)
        else:
            index = indexed.deleted_modes[variable.collection, mode]
            deletion = indexed.operations[index]
            if isinstance(deletion, DeleteMode) and _has_lasting_mode(indexed, variable.collection):
                result.modes[index] = deletion
            else:
                bridge = Bridge(mode, _later_value(indexed, variable, mode), index)
                result.bridges.setdefault(variable.ref, []).append(bridge)
    return result._replace(interim=_merged_targets(deleted, staying))


def _merged_targets(deleted: dict[Ref, list[Ref]], aliases: Iterable[_Alias]) -> dict[Ref, list[Ref]]:
    result = {**deleted}  # aliases are those of other variables, which stay
    for variable, _, targets in aliases:
        result.setdefault(variable.ref, []).extend(targets)
    return result


def _aliases_in_deleted_modes(indexed: OperationIndex) -> Iterator[_Alias]:
    """Yield the aliases in deleted modes of variables that stay."""
    roots = {root for root, _ in indexed.deleted_modes}
    if not roots:
        return
    for ref, variable in indexed.before.variables.items():
        if variable.collection in roots and indexed.survives(ref):
            for mode, value in variable.values.items():
                if isinstance(value, ObjectValue) and (variable.collection, mode) in indexed.deleted_modes:
                    yield _Alias(variable, mode, list(value.targets()))


def _has_lasting_mode(indexed: OperationIndex, root: Ref) -> bool:
    return any((root, mode.ref) not in indexed.deleted_modes for mode in indexed.before.collections[root].modes)


def _later_value(indexed: OperationIndex, variable: VariableState, mode: Ref) -> StateValue | None:
    """Return the value in the root's first new mode; None for an extension's mode, which inherits."""
    root = indexed.before.collections[variable.collection]
    if all(each.ref != mode for each in root.modes):
        return None
    new = next(iter(indexed.new_modes[root.ref]))
    planned = indexed.values.get(variable.ref, {})
    return planned[new].value if new in planned else variable.values[root.default]
