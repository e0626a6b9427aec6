"""Whether what a plan was made from still holds, when something else of the file has been changed since."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.plan.differ import same_scopes
from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateVariable,
)
from tokensync.plan.state import Digests, targets_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import CollectionState, FileState, Ref, StateValue


def disturbed(operations: Sequence[Operation], state: FileState) -> tuple[Operation, ...]:
    """Return the operations that do not find any more what they were made from, so that they would wipe out somebody's
    edit.

    What would only be refused, such as a name that somebody else has given meanwhile, is not looked for here.
    """
    check = _Check(operations, state)
    return tuple(each for each in operations if not check.holds(each))


class _Check:
    def __init__(self, operations: Sequence[Operation], state: FileState) -> None:
        self.state = state
        self.digests = Digests(state)
        self.modes: dict[Ref, set[Ref]] = {}  # of each family, by its root
        for owner in state.collections.values():
            self.modes.setdefault(owner.root, set()).update(mode.ref for mode in owner.modes)
        self.made: set[Ref] = set()
        self.reshaped: set[Ref] = set()  # roots whose modes the plan changes
        for each in operations:
            match each:
                case CreateCollection(ref=ref, modes=modes) | CreateExtension(ref=ref, modes=modes):
                    self.made.update((ref, *(mode.ref for mode in modes)))
                case CreateMode(ref=ref, collection=collection, extended=extended):
                    self.made.update((ref, *(mode for _, mode in extended)))
                    self.reshaped.add(collection)
                case DeleteMode(collection=collection):
                    self.reshaped.add(collection)
                case CreateVariable(variable=variable):
                    self.made.add(variable.ref)

    def holds(self, operation: Operation) -> bool:
        match operation:
            case CreateCollection():
                return True
            case CreateExtension(parent=parent, modes=modes):
                return parent in self.made or self._is_whole(parent, {each.parent for each in modes})
            case CreateVariable(variable=variable):
                return self._targets_hold(*variable.values.values()) and (
                    variable.collection in self.made or self._is_whole(variable.collection, set(variable.values))
                )
            case UpdateVariable() | SetValue() | DeleteVariable():
                return self._variable_holds(operation)
            case UpdateCollection(ref=ref, name=name, hidden=hidden):
                found = self.state.collections.get(ref)
                return found is not None and _same(name, found.name) and _same(hidden, found.hidden)
            case DeleteCollection(ref=ref, digest=digest):
                return ref in self.state.collections and self.digests.of_collection(ref) == digest
            case CreateMode() | RenameMode() | DeleteMode():
                return self._mode_holds(operation)

    def _variable_holds(self, operation: UpdateVariable | SetValue | DeleteVariable) -> bool:
        ref = operation.variable if isinstance(operation, SetValue) else operation.ref
        found = self.state.variables.get(ref)
        if found is None:
            return False
        match operation:
            case DeleteVariable(digest=digest):
                return self.digests.of_variable(ref) == digest
            case UpdateVariable(scopes=scopes):
                was = found if scopes is None else replace(found, scopes=scopes[0])
                return same_scopes(was, found) and all(
                    _same(getattr(operation, each), getattr(found, each))
                    for each in ("name", "description", "hidden", "code_syntax")
                )
            case SetValue(mode=mode, before=before, after=after):
                there = mode in self.made or mode in self.modes.get(found.collection, ())
                return there and found.values.get(mode) == before and self._targets_hold(after)

    def _mode_holds(self, operation: CreateMode | RenameMode | DeleteMode) -> bool:
        found = self.state.collections.get(operation.collection)
        if found is None:
            return False
        names = {each.ref: each.name for each in found.modes}
        match operation:
            case CreateMode(extended=extended, filled=filled):
                known = {extension for extension, _ in extended}
                family = self.state.family(operation.collection)
                if not all(each.ref in known or each.parent is None or each.fixed for each in family):
                    return False
                return not filled or self.digests.of_mode(found.ref, found.default) == filled
            case RenameMode(ref=ref, name=name):
                return names.get(ref) == name[0]
            case DeleteMode(ref=ref, digest=digest):
                return ref in names and self.digests.of_mode(operation.collection, ref) == digest

    def _is_whole(self, collection: Ref, modes: set[Ref | None]) -> bool:
        """Return whether a collection that exists has no modes but these, unless the plan itself changes them."""
        found: CollectionState | None = self.state.collections.get(collection)
        if found is None:
            return False
        return found.root in self.reshaped or all(each.ref in modes for each in found.modes)

    def _targets_hold(self, *values: StateValue | None) -> bool:
        return all(target in self.state.variables or target in self.made for target in targets_of(*values))


def _same(change: tuple[object, object] | None, found: object) -> bool:
    return change is None or change[0] == found
