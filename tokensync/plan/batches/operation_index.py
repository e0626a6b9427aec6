"""A plan's operations, indexed by the objects that they concern, and the alias cycles to break on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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
from tokensync.plan.state import ObjectValue, root_modes, targets_of
from tokensync.tokens.algorithms import ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState, Ref, StateValue, VariableState


class Given(NamedTuple):
    """A value that the plan gives, and the index of the operation that it is of."""

    operation: int
    value: StateValue | None


class OperationIndex:
    """The operations by kind, with their indices; and what the file will hold, as far as they change it."""

    def __init__(self, operations: Sequence[Operation], before: FileState) -> None:
        self.before = before
        self.operations = operations
        self.lengths: dict[Ref, int] = {}
        """Every temporary ref, with the longest that its real id can be, in bytes with quotation marks."""
        self.new: dict[Ref, tuple[int, VariableState]] = {}
        self.updated: dict[Ref, tuple[int, UpdateVariable]] = {}
        self.values: dict[Ref, dict[Ref, Given]] = {}
        """Variable -> mode -> value, of new variables too."""
        self.new_modes: dict[Ref, dict[Ref, tuple[int, CreateMode]]] = {}
        """Root collection that exists -> the modes that it gets."""
        self.extended: dict[Ref, Ref] = {}
        """A mode that an existing extension gets -> the new mode of the root that it is of."""
        self.extending: dict[Ref, Ref] = {}
        """A mode of a new extension -> that extension."""
        self.gone: dict[Ref, tuple[int, DeleteVariable]] = {}
        self.gone_modes: dict[tuple[Ref, Ref], int] = {}
        """(root, mode) of every mode that goes while its root stays -> the operation that takes it along."""
        self.dropped_modes: dict[Ref, list[tuple[int, DeleteMode]]] = {}
        self.gone_collections: set[Ref] = set()
        self._roots: dict[Ref, Ref] = {}
        self._made_in: dict[Ref, set[Ref]] = {}
        for index, operation in enumerate(operations):
            self._note(index, operation)

    def _note(self, index: int, operation: Operation) -> None:
        match operation:
            case SetValue(variable=ref, mode=mode, after=value):
                self.values.setdefault(ref, {})[mode] = Given(index, value)
            case CreateVariable(variable=variable):
                self.new[variable.ref] = index, variable
                self.lengths[variable.ref] = LONGEST_VARIABLE
                self.values[variable.ref] = {mode: Given(index, value) for mode, value in variable.values.items()}
            case UpdateVariable(ref=ref):
                self.updated[ref] = index, operation
            case DeleteVariable(ref=ref):
                self.gone[ref] = index, operation
            case CreateCollection(ref=ref, modes=modes):
                self.lengths[ref] = LONGEST_COLLECTION
                self.lengths |= {mode.ref: LONGEST_MODE for mode in modes}
                self._made_in[ref] = {mode.ref for mode in modes[1:]}
            case CreateExtension(ref=ref, modes=modes, parent=parent):
                above = self.before.collections.get(parent)
                self._roots[ref] = self._roots.get(parent, parent) if above is None else above.root
                self.lengths[ref] = LONGEST_COLLECTION
                self.lengths |= {mode.ref: LONGEST_EXTENDED_MODE for mode in modes}
                self.extending |= {mode.ref: ref for mode in modes}
            case CreateMode(ref=ref, collection=collection, extended=extended):
                self.new_modes.setdefault(collection, {})[ref] = index, operation
                self._made_in.setdefault(collection, set()).add(ref)
                self.lengths[ref] = LONGEST_MODE
                for _, own in extended:
                    self.lengths[own] = LONGEST_EXTENDED_MODE
                    self.extended[own] = ref
            case DeleteMode():
                self._note_mode_gone(index, operation)
            case DeleteCollection(ref=ref):
                self._note_collection_gone(index, ref)
            case _:
                pass

    def _note_mode_gone(self, index: int, operation: DeleteMode) -> None:
        self.dropped_modes.setdefault(operation.collection, []).append((index, operation))
        for each in self.before.family(operation.collection):
            for own, root in root_modes(self.before, each).items():
                if root == operation.ref:
                    self.gone_modes[operation.collection, own] = index

    def _note_collection_gone(self, index: int, ref: Ref) -> None:
        collection = self.before.collections[ref]
        self.gone_collections.add(ref)
        self.gone_collections.update(self.before.extensions_of(ref))
        for each in self.before.family(collection.root):
            if each.ref in self.gone_collections and collection.parent is not None:
                for mode in each.modes:  # one that goes with the root's goes before the extension
                    self.gone_modes.setdefault((each.root, mode.ref), index)

    @property
    def takes_two(self) -> bool:
        """Return whether the platform's order within a request makes another request necessary."""
        if any(map(self.waits_for, self._roots)):
            return True
        return any(not self.extended.keys().isdisjoint(modes) for modes in self.values.values())

    def waits_for(self, extension: Ref) -> frozenset[Ref]:
        """Return the modes that have to be made in a request before the one that makes this extension.

        Only the first mode of a new collection can be extended at once, as it is made together with the collection.
        """
        return frozenset(self._made_in.get(self._roots[extension], ()))

    def survives(self, ref: Ref) -> bool:
        """Return whether a variable of the state before is there at the end."""
        variable = self.before.variables[ref]
        return ref not in self.gone and variable.collection not in self.gone_collections

    def lasting_value(self, variable: VariableState) -> StateValue:
        """Return what a new variable has in the first mode of its collection that stays, or that replaces all."""
        own = (mode.ref for mode in self.before.collections[variable.collection].modes)
        lasting = (mode for mode in own if (variable.collection, mode) not in self.gone_modes)
        return next(variable.values[mode] for mode in (*lasting, *self.new_modes.get(variable.collection, ())))

    def final_values(self, ref: Ref) -> Iterator[StateValue]:
        """Yield all values that a variable has at the end, in the modes of its own collection and in extensions."""
        given = self.values.get(ref)
        if given is not None:
            yield from (each.value for each in given.values() if each.value is not None)
        variable = self.before.variables.get(ref)
        if variable is None or ref in self.new:
            return
        for mode, value in variable.values.items():
            if given is not None and mode in given:
                continue
            if (variable.collection, mode) in self.gone_modes and not self._lives_on(variable, mode):
                continue
            yield value

    def final_targets(self, ref: Ref) -> Iterator[Ref]:
        """Return the variables that a variable refers to at the end; some may come twice."""
        return targets_of(*self.final_values(ref))

    def kept_in_new_mode(self, root: Ref, mode: Ref) -> Iterator[tuple[Ref, StateValue]]:
        """Yield what variables keep in a new mode of a collection from its default mode, if that goes: no operation
        says so.

        The mode comes with it as long as the default mode is there when it is made.
        """
        default = self.before.collections[root].default
        if (root, default) not in self.gone_modes:
            return
        for ref, variable in self.before.variables.items():
            stays = variable.collection == root and ref not in self.gone and default in variable.values
            if stays and mode not in self.values.get(ref, ()):
                yield ref, variable.values[default]

    def _lives_on(self, variable: VariableState, mode: Ref) -> bool:
        """Return whether a mode that goes is the default, and a new mode holds the variable's value in it from
        then on.
        """
        made = self.new_modes.get(variable.collection)
        if not made or self.before.collections[variable.collection].default != mode:
            return False
        given = self.values.get(variable.ref, {})
        return any(each not in given for each in made)


class _Alias(NamedTuple):
    """What a variable refers to in a mode that goes."""

    variable: VariableState
    mode: Ref
    targets: list[Ref]


class Bridge(NamedTuple):
    """The value of a variable in a mode until a deletion, whose operation's index this is, takes the mode away."""

    mode: Ref
    value: StateValue | None
    deletion: int


class CycleBreaks(NamedTuple):
    """What keeps cycles from being closed: deletions of modes that come first, and bridges by their variables.

    ``meanwhile`` is what variables refer to until a deletion, besides what they refer to at the end.
    """

    modes: dict[int, DeleteMode]
    bridges: dict[Ref, list[Bridge]]
    meanwhile: dict[Ref, list[Ref]]


def cycle_breaks(indexed: OperationIndex) -> CycleBreaks:
    """Return what has to be done about aliases in modes that the plan deletes.

    They count until the mode is deleted, and can close a cycle with what the plan creates. The platform looks for
    cycles of variables, whatever the modes, and after each change, while deletions come last. So a mode of a root
    collection that would be part of a cycle meanwhile is deleted before values change. Of an extension that is deleted,
    the overrides in question are removed first. Where every mode of a collection is to be deleted, the variable has its
    new mode's value in the old one, too, until that is deleted. All other aliases in such modes stay meanwhile, and the
    order in which values are set takes them into account.
    """
    aliases = list(_aliases_that_go(indexed))
    if not aliases:
        return CycleBreaks({}, {}, {})
    gone = _aliases_of_what_goes(indexed)
    going = _together(gone, aliases)
    rank = ranks(going, lambda ref: (*indexed.final_targets(ref), *going.get(ref, ())))
    staying: list[_Alias] = []
    found = CycleBreaks({}, {}, gone)
    for alias in aliases:
        variable, mode, targets = alias
        lasting = set(indexed.final_targets(variable.ref))
        if all(rank[target] != rank[variable.ref] or target in lasting for target in targets):
            staying.append(alias)
        else:
            index = indexed.gone_modes[variable.collection, mode]
            deletion = indexed.operations[index]
            if isinstance(deletion, DeleteMode) and _has_others(indexed, variable.collection):
                found.modes[index] = deletion
            else:
                bridge = Bridge(mode, _value_to_come(indexed, variable, mode), index)
                found.bridges.setdefault(variable.ref, []).append(bridge)
    return found._replace(meanwhile=_together(gone, staying))


def _together(gone: dict[Ref, list[Ref]], aliases: Iterable[_Alias]) -> dict[Ref, list[Ref]]:
    found = {**gone}  # one of them goes, the other stays: nothing is in both
    for variable, _, targets in aliases:
        found.setdefault(variable.ref, []).extend(targets)
    return found


def _aliases_of_what_goes(indexed: OperationIndex) -> dict[Ref, list[Ref]]:
    """Return what variables that go refer to, until they do."""
    gone = (variable for ref, variable in indexed.before.variables.items() if not indexed.survives(ref))
    return {variable.ref: list(targets_of(*variable.values.values())) for variable in gone}


def _aliases_that_go(indexed: OperationIndex) -> Iterator[_Alias]:
    """Yield those of variables that stay."""
    roots = {root for root, _ in indexed.gone_modes}
    if not roots:
        return
    for ref, variable in indexed.before.variables.items():
        if variable.collection in roots and indexed.survives(ref):
            for mode, value in variable.values.items():
                if isinstance(value, ObjectValue) and (variable.collection, mode) in indexed.gone_modes:
                    yield _Alias(variable, mode, list(value.targets()))


def _has_others(indexed: OperationIndex, root: Ref) -> bool:
    """Return whether a collection has a mode that stays."""
    return any((root, mode.ref) not in indexed.gone_modes for mode in indexed.before.collections[root].modes)


def _value_to_come(indexed: OperationIndex, variable: VariableState, mode: Ref) -> StateValue | None:
    """For a root's mode the value in the first of those that replace it, for an extension's that of its parent."""
    root = indexed.before.collections[variable.collection]
    if all(each.ref != mode for each in root.modes):
        return None
    new = next(iter(indexed.new_modes[root.ref]))
    given = indexed.values.get(variable.ref, {})
    return given[new].value if new in given else variable.values[root.default]
