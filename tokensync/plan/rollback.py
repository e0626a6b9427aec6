"""Compute the operations that revert a plan and leave later changes of others alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.plan.differ import differences
from tokensync.plan.operations import (
    Aspect,
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    SetValue,
    UpdateCollection,
    UpdateVariable,
    aspects_of,
    conflicting,
    subjects,
)
from tokensync.plan.refs import temporary
from tokensync.plan.state import FileState, ModeState, ObjectValue, root_modes, targets_of
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import CollectionState, Ref, StateValue, VariableState


class Inverse(NamedTuple):
    """The operations that revert a plan. ``conflicts`` describes changes of others to the same objects.

    ``recreation`` maps the temporary refs of recreated objects. ``lost`` are the variables with values that referred to
    missing variables even before the plan: no request can set such a value.
    """

    operations: tuple[Operation, ...]
    recreation: Recreation
    conflicts: tuple[str, ...] = ()
    lost: tuple[Ref, ...] = ()


def inverse(before: FileState, left: Sequence[FileState], now: FileState) -> Inverse:
    """Return what reverts a plan that led from ``before`` to one of the states of ``left`` (it is unknown which).

    All states have real ids.
    """
    rollback = _Rollback(before, left, now)
    operations = rollback.operations()
    conflicts = rollback.conflicts(operations)
    return Inverse(operations, rollback.recreation, conflicts, tuple(dict.fromkeys(rollback.lost)))


class _Rollback:
    def __init__(self, before: FileState, left: Sequence[FileState], now: FileState) -> None:
        self.before = before
        self.left = left
        self.now = now
        plans = [differences(before, each) for each in left]
        self.changed = frozenset[Aspect]().union(*map(aspects_of, plans))
        done = [each for plan in plans for each in plan]
        self.created = {ref for each in done for ref in (*each.created(), *each.created_modes())}
        self.recreation = recreated(before, left, now)
        self.lost: list[Ref] = []

    def operations(self) -> tuple[Operation, ...]:
        needed = differences(self.now, self.recreation.state)
        return tuple(part for each in needed if (part := self._part_of_plan(each)) is not None)

    def _part_of_plan(self, operation: Operation) -> Operation | None:
        """Return the part of an operation that reverts the plan and not a change of somebody else."""
        match operation:
            case CreateCollection(ref=ref) | CreateExtension(ref=ref):
                return operation if ref in self.recreation.objects else None
            case CreateVariable(variable=variable):
                return self._variable(variable) if variable.ref in self.recreation.objects else None
            case CreateMode(ref=ref, collection=collection):
                return operation if (collection, ref) in self.recreation.modes else None
            case UpdateCollection(ref=ref, name=name, hidden=hidden):
                name = name if Aspect("collection", ref, "name") in self.changed else None
                hidden = hidden if Aspect("collection", ref, "hidden") in self.changed else None
                return replace(operation, name=name, hidden=hidden) if name or hidden else None
            case UpdateVariable(ref=ref):
                foreign = [
                    each for each in operation.changed_members() if Aspect("variable", ref, each) not in self.changed
                ]
                left = replace(operation, **dict.fromkeys(foreign))
                return left if left.changed_members() else None
            case SetValue():
                if not self._is_of_plan(operation):
                    return None
                if self._is_possible(operation.after):
                    return operation
                self.lost.append(operation.variable)
                return None
            case _:
                return operation if all(aspect in self.changed for aspect in operation.aspects()) else None

    def _variable(self, variable: VariableState) -> Operation:
        values = {mode: value for mode, value in variable.values.items() if self._is_possible(value)}
        if len(values) != len(variable.values):
            self.lost.append(variable.ref)
        return CreateVariable(variable=replace(variable, values=values))

    def _is_possible(self, value: StateValue | None) -> bool:
        return all(target in self.recreation.state.variables for target in targets_of(value))

    def _is_of_plan(self, operation: SetValue) -> bool:
        ref, mode = operation.variable, operation.mode
        if Aspect("value", ref, mode) in self.changed:
            return True
        root = self.now.variables[ref].collection
        if (root, mode) in self.recreation.modes:
            return True
        was = self.before.variables.get(ref)
        # It refers to a deleted variable and has to refer to the recreated one.
        return was is not None and was.values.get(mode) == operation.before and operation.before != operation.after

    def conflicts(self, operations: Sequence[Operation]) -> tuple[str, ...]:
        edits = [differences(each, self.now) for each in self.left]
        foreign = frozenset.intersection(*map(aspects_of, edits))
        pending = aspects_of(differences(self.now, self.recreation.state))
        lost = {aspect for aspect in self.changed if _is_in(aspect, foreign) and _is_in(aspect, pending)}
        losing = {whole for aspect in lost for whole in _containing(aspect)}
        touched = [
            each
            for each in edits[-1]
            if not losing.isdisjoint(each.aspects())
            or (foreign.issuperset(each.aspects()) and not self.created.isdisjoint(self._dependencies(each)))
        ]
        whole = [
            each for each in operations if not (isinstance(each, CreateVariable) and each.variable.ref in self.lost)
        ]
        touched += conflicting(whole, self.now)
        words = subjects(touched, self.now, self.left[-1], self.before)
        return tuple(dict.fromkeys((*words, *self._opaque_edits(operations))))

    def _opaque_edits(self, operations: Sequence[Operation]) -> Iterator[str]:
        """Yield changes of others to opaque variables in collections and modes that the rollback deletes.

        The plan gave them no values: the platform copies the default mode's into a new mode, and overrides nothing.
        """
        for operation in operations:
            if not isinstance(operation, DeleteCollection | DeleteMode):
                continue
            ref = operation.ref if isinstance(operation, DeleteCollection) else operation.collection
            own = self.now.collections[ref]
            where = shortened(own.name)
            if isinstance(operation, DeleteCollection) and own.parent is None:
                yield from (f"{where} / {shortened(each.name)} (new)" for each in self.now.opaque_of(ref))
                continue
            overriding = {mode.ref for mode in own.modes}
            filled = ""
            if isinstance(operation, DeleteMode):
                filled = operation.ref
                origins = (root_modes(self.now, each) for each in self.now.family(ref) if each.parent is not None)
                overriding = {mode for each in origins for mode, root in each.items() if root == filled}
            for each in self.now.opaque_of(own.root):
                values = dict(each.values)
                known = {values.get(own.default), self._former_default(own, each.id)}
                if not overriding.isdisjoint(values) or values.get(filled) not in (None, *known):
                    yield f"{where} / {shortened(each.name)}: its value"

    def _former_default(self, root: CollectionState, variable: Ref) -> str | None:
        """Return the value that an opaque variable had in the default mode before the plan."""
        was = self.before.collections.get(root.ref)
        opaque = next((each for each in self.before.opaque_of(root.ref) if each.id == variable), None)
        return None if was is None or opaque is None else dict(opaque.values).get(was.default)

    def _dependencies(self, edit: Operation) -> Iterator[Ref | tuple[Ref, Ref]]:
        """Yield the objects whose deletion would lose the edit."""
        match edit:
            case CreateVariable(variable=variable):
                yield variable.collection
                yield from targets_of(*variable.values.values())
            case SetValue(variable=ref, mode=mode, after=after):
                yield ref
                yield self.now.variables[ref].collection, mode
                yield from targets_of(after)
            case CreateExtension(parent=parent):
                yield parent
            case DeleteVariable():
                pass
            case _:
                yield from (aspect.ref for aspect in edit.aspects())


def _is_in(aspect: Aspect, operations: frozenset[Aspect]) -> bool:
    """Return whether an aspect or the object that contains it is among others."""
    return not operations.isdisjoint(_containing(aspect))


def _containing(aspect: Aspect) -> Iterator[Aspect]:
    """Yield an aspect and the objects that contain it."""
    yield aspect
    match aspect.kind:
        case "variable" | "value":
            yield Aspect("variable", aspect.ref)
        case "mode name":
            yield from (Aspect("mode", aspect.ref, aspect.part), Aspect("collection", aspect.ref))
        case _:
            yield Aspect("collection", aspect.ref)


class Recreation(NamedTuple):
    """A state in which deleted objects have temporary refs.

    ``objects`` maps the temporary refs of collections and variables to their former ids, ``modes`` those of
    (root collection, mode).
    """

    state: FileState
    objects: Mapping[Ref, Ref]
    modes: Mapping[tuple[Ref, Ref], Ref]


def recreated(before: FileState, left: Sequence[FileState], now: FileState) -> Recreation:
    """Return the state ``before``, with temporary refs for objects that are neither in a state of ``left`` nor ``now``.

    Objects that somebody else deleted retain their ids: they are not recreated.
    """
    states = (*left, now)
    created = _Recreator(before, states)
    if not created.objects and not created.modes:
        return Recreation(before, {}, {})
    collections = {each.ref: each for each in map(created.collection, before.collections.values())}
    variables = {each.ref: each for each in map(created.variable, before.variables.values())}
    objects = {new: old for old, new in created.objects.items()}
    modes = {(created.objects.get(root, root), new): old for (root, old), new in created.modes.items()}
    return Recreation(FileState(collections, variables), objects, modes)


class _Recreator:
    def __init__(self, before: FileState, states: Sequence[FileState]) -> None:
        self.objects: dict[Ref, Ref] = {}
        self.modes: dict[tuple[Ref, Ref], Ref] = {}
        used_refs: set[str] = set()
        for ref, each in before.collections.items():
            if each.fixed:
                continue
            if all(ref not in state.collections for state in states):
                self.objects[ref] = temporary(f"collection:{each.name}", used_refs)
            there = {mode.ref for state in states for own in (state.collections.get(ref),) if own for mode in own.modes}
            for mode in each.modes:
                if ref in self.objects or mode.ref not in there:
                    self.modes[each.root, mode.ref] = temporary(f"mode:{each.name}/{mode.name}", used_refs)
        for ref, variable in before.variables.items():
            if not variable.fixed and all(ref not in state.variables for state in states):
                name = before.collections[variable.collection].name
                self.objects[ref] = temporary(f"variable:{name}/{variable.name}", used_refs)

    def collection(self, was: CollectionState) -> CollectionState:
        modes = tuple(
            ModeState(
                self._mode(was.root, each.ref),
                each.name,
                None if each.parent is None else self._mode(was.root, each.parent),
            )
            for each in was.modes
        )
        return replace(
            was,
            ref=self.objects.get(was.ref, was.ref),
            root=self.objects.get(was.root, was.root),
            parent=None if was.parent is None else self.objects.get(was.parent, was.parent),
            default=self._mode(was.root, was.default),
            modes=modes,
        )

    def variable(self, was: VariableState) -> VariableState:
        return replace(
            was,
            ref=self.objects.get(was.ref, was.ref),
            collection=self.objects.get(was.collection, was.collection),
            values={self._mode(was.collection, mode): self._value(value) for mode, value in was.values.items()},
        )

    def _mode(self, root: Ref, mode: Ref) -> Ref:
        return self.modes.get((root, mode), mode)

    def _value(self, value: StateValue) -> StateValue:
        return value.renamed(self.objects) if isinstance(value, ObjectValue) else value
