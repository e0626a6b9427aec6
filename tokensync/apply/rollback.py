"""Make a plan that reverts an apply, from the platform's present content."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from msgspec.structs import replace

from tokensync.apply.applying import ExecutionPlan, ids_shown
from tokensync.apply.journal import RECEIPT, ROLLBACK, Journal
from tokensync.apply.sending import Reading, identify_created, missing_objects
from tokensync.plan.batches import after, batches_of, renamed, with_ids
from tokensync.plan.differ import differences
from tokensync.plan.operations import (
    Aspect,
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateStyle,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    SetValue,
    UpdateCollection,
    UpdateStyle,
    UpdateVariable,
    aspects_of,
    conflicting,
    containing,
    is_in,
    subjects,
)
from tokensync.plan.plan import Plan, PlanFile
from tokensync.plan.planning import Planning
from tokensync.plan.state import (
    FileState,
    ObjectValue,
    labels_of,
    mode_label,
    root_modes,
    style_labels,
    targets_of,
    temporary,
    with_opaque_motion,
)
from tokensync.system.disk import replace_file
from tokensync.system.errors import ConflictError
from tokensync.system.formats import MADE_BY
from tokensync.system.wording import listed_once, shortened

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.safety import Referring
    from tokensync.plan.state import CollectionState, Ref, StateValue, VariableState
    from tokensync.settings import AllowConfig
    from tokensync.system.problems import Problem


class ReversalContext(NamedTuple):
    """What a reversing plan needs of the project: ``[[allow]]`` entries, and who refers to a file's objects.

    Without ``motion``, no request can have motion variables, and those that an apply has deleted are not recreated.
    """

    allow: Sequence[AllowConfig]
    referring: Callable[[Reading], Referring]
    motion: bool


class Applied(NamedTuple):
    """An apply to the file with this key. ``receipt`` is the path of its receipt, ``where`` is for messages."""

    key: str
    where: str
    receipt: str
    before: Reading


def rollback_plan(
    journal: Journal, execution: ExecutionPlan, reading: Reading, context: ReversalContext
) -> tuple[Plan, tuple[Problem, ...]]:
    """Return the plan that reverts a journal's requests, and its problems. No request may still be in transit.

    Later changes by others stay. Raises ConflictError if they concern the same objects.
    """
    number = journal.carried_out
    is_uncertain = number < len(execution.batches) and journal.batch(number).uncertain
    notes = (_uncertainty(journal, execution, reading),) if is_uncertain else ()
    applied = Applied(journal.started.key, journal.folder, os.path.join(journal.folder, RECEIPT), execution.before)
    return reversing_plan(applied, [*left_by(journal, execution, reading)], reading, context, notes)


def reversing_plan(
    applied: Applied, left: Sequence[FileState], reading: Reading, context: ReversalContext, notes: tuple[str, ...] = ()
) -> tuple[Plan, tuple[Problem, ...]]:
    """Return the plan that reverts an apply which led to one of the states of ``left``, and its problems."""
    writable: Callable[[FileState], FileState] = (lambda state: state) if context.motion else with_opaque_motion
    before = writable(applied.before.state)
    back = inverse(before, [*map(writable, left)], writable(reading.state))
    if back.conflicts:
        raise ConflictError(
            f"{applied.where}: somebody has changed the same objects since ({listed_once(back.conflicts)}); "
            "revert those changes in the editor and try again, or edit the token files and make a new plan"
        )
    desired = reading.state
    for batch in batches_of(back.operations, reading.state):
        desired = after(desired, batch)
    former = {**labels_of(applied.before.graph), **style_labels(applied.before.state)}
    labels = {**labels_of(reading.graph), **style_labels(reading.state)}
    for new, old in back.recreation.objects.items():
        labels[new] = former.get(old, old)  # a recreated object has its former label
    for (root, new), old in back.recreation.modes.items():
        handle = labels.get(root, root)
        labels[f"{handle}/{new}"] = mode_label(former, former.get(root, handle), old)
    notes = (*notes, *_notes(before, desired, back, labels))
    return _planned(applied, reading, desired, labels, context, notes, (back.recreation.state,))


def _planned(
    applied: Applied,
    reading: Reading,
    desired: FileState,
    labels: dict[Ref, str],
    context: ReversalContext,
    notes: tuple[str, ...] = (),
    earlier: tuple[FileState, ...] = (),
) -> tuple[Plan, tuple[Problem, ...]]:
    planning = Planning(
        file=reading.file,
        key=applied.key,
        fingerprint=reading.fingerprint,
        labels=labels,
        where=lambda ref, mode: labels.get(ref, ref),
        prune=True,
        allow=context.allow,
        referring=lambda: context.referring(reading),
        notes=notes,
        rollback_of=applied.receipt,
        earlier=earlier,
    )
    return planning.plan(reading.state, desired)


def not_reversed(before: FileState, left: Sequence[FileState], now: FileState) -> str:
    """Return the names of what an apply has changed and ``now`` does not show as before, as a text.

    That includes what the apply has not changed and an empty or foreign response lacks.
    """
    changed = frozenset[Aspect]().union(*(aspects_of(differences(before, file)) for file in left))
    rest = [difference for difference in differences(now, before) if not changed.isdisjoint(difference.aspects())]
    new = {each.name for state in left for ref, each in state.collections.items() if ref not in before.collections}
    copies = [each.name for ref, each in now.collections.items() if ref not in before.collections and each.name in new]
    missing = missing_objects(now, before, left[-1])
    return listed_once([*subjects(rest, now, before), *copies, *([missing] if missing else [])])


def plan_without_copies(
    journal: Journal,
    execution: ExecutionPlan,
    reading: Reading,
    copies: Mapping[tuple[Ref, Ref], Ref],
    context: ReversalContext,
) -> tuple[Plan, tuple[Problem, ...]]:
    """Return the plan that deletes what an apply has created and another apply, too, and its problems.

    ``copies`` are those of OtherApply. Values that refer to a deleted variable get the other apply's variable of the
    same name, or else their value from before. Values that both have set stay: reversing them would revert the other
    apply, and a new plan counts them as done.
    """
    desired = _without(copies, reading.state, execution.before.state)
    applied = Applied(journal.started.key, journal.folder, os.path.join(journal.folder, RECEIPT), execution.before)
    return _planned(applied, reading, desired, labels_of(reading.graph), context)


def _without(copies: Mapping[tuple[Ref, Ref], Ref], now: FileState, before: FileState) -> FileState:
    """Return a state without the objects that ``copies`` maps to others."""
    gone = {key for root, key in copies if root == key}
    gone |= {ref for each in gone for ref in now.extensions_of(each)}
    kept = {ref: each for ref, each in now.collections.items() if ref not in gone}
    lost = {(each.root, mode.ref) for ref, each in now.collections.items() if ref in gone for mode in each.modes}
    lost |= copies.keys()
    for ref, own in kept.items():  # a parent precedes its extensions
        modes = [mode for mode in own.modes if not {(own.root, mode.ref), (own.root, mode.parent)} & lost]
        lost |= {(own.root, mode.ref) for mode in own.modes if mode not in modes}
        kept[ref] = replace(own, modes=tuple(modes))
    by_name = {(each.collection, each.name): ref for ref, each in now.variables.items()}
    others = {
        ref: other
        for ref, each in now.variables.items()
        if (other := by_name.get((copies.get((each.collection,) * 2, ""), each.name))) is not None
    }
    variables: dict[Ref, VariableState] = {}
    for ref, variable in now.variables.items():
        if variable.collection in gone:
            continue
        values: dict[Ref, StateValue] = {}
        for mode, present in variable.values.items():
            value: StateValue | None = present.renamed(others) if isinstance(present, ObjectValue) else present
            if any(now.variables[target].collection in gone for target in targets_of(value) if target in now.variables):
                value = before.variables[ref].values.get(mode) if ref in before.variables else None
            if value is not None and (variable.collection, mode) not in lost:
                values[mode] = value
        if values or not variable.values:
            variables[ref] = replace(variable, values=values)
    return FileState(kept, variables, styles=now.styles)


def write_rollback(journal: Journal, plan: Plan) -> str:
    """Write a rollback plan beside the receipt and return its path."""
    path = os.path.join(journal.folder, ROLLBACK)
    replace_file(path, PlanFile(made_by=MADE_BY, plans=(plan,)).encoded())
    return path


def left_by(journal: Journal, execution: ExecutionPlan, reading: Reading) -> Iterator[FileState]:
    """Yield the state after the apply, and a second one if the outcome of the last request is unknown."""
    number, ids = journal.carried_out, ids_shown(journal, execution, reading)
    makes = [ref for batch in execution.batches[:number] for ref in batch.makes if ref not in ids]
    before, state = execution.states[0], with_ids(execution.states[number], ids)
    ids |= identify_created(reading.state, before, state, makes).ids
    left = with_ids(execution.states[number], ids)
    yield left
    if number < len(execution.batches) and journal.batch(number).uncertain:
        desired = with_ids(execution.states[number + 1], ids)
        made = identify_created(reading.state, left, desired, execution.batches[number].makes)
        yield with_ids(desired, made.ids)


def _uncertainty(journal: Journal, execution: ExecutionPlan, reading: Reading) -> str:
    number = journal.carried_out
    ids = ids_shown(journal, execution, reading)
    before, desired = (with_ids(state, ids) for state in execution.states[number : number + 2])
    copies = identify_created(reading.state, before, desired, execution.batches[number].makes).ambiguous
    twice = f"; a proxy may have sent it twice: there are two of {listed_once(copies)}" if copies else ""
    return (
        f"it is unknown whether request {number + 1} was applied: check the file for objects "
        f"that it created and this plan does not delete{twice}"
    )


def _notes(before: FileState, desired: FileState, back: Inverse, labels: dict[Ref, str]) -> Iterator[str]:
    variables = [labels.get(object_, object_) for object_ in back.recreation.objects if object_ in desired.variables]
    if variables:
        yield (
            f"deleted variables are recreated ({listed_once(variables)}) with new ids and keys: "
            "layers bound to the old ones stay unbound, and files that use the published ones keep the old ones"
        )
    styles = [labels.get(object_, object_) for object_ in back.recreation.objects if object_ in desired.styles]
    if styles:
        yield (
            f"deleted styles are recreated ({listed_once(styles)}) with new ids and keys: "
            "layers that used the old ones keep their look without a style"
        )
    opaque = [
        f"{labels.get(new, new)} / {shortened(variable.name)}"
        for new, old in back.recreation.objects.items()
        for variable in before.opaque_of(old)
    ]
    if opaque:
        yield f"variables of types that no request can have are not recreated ({listed_once(opaque)})"
    values = [
        f"{labels.get(root, root)} / {shortened(variable.name)}"
        for (root, _), old in back.recreation.modes.items()
        for variable in before.opaque_of(root)
        if any(mode == old for mode, _ in variable.values)
    ]
    if values:
        yield (
            f"values of types that no request can have are not restored ({listed_once(values)}): "
            "recreated modes and extensions have Figma's initial values"
        )
    collections = [labels.get(each, each) for each in back.recreation.objects if each in desired.collections]
    if collections:
        yield (
            f"deleted collections are recreated ({listed_once(collections)}) with new ids and keys: "
            "layers lose the modes that were set on them"
        )
    if back.recreation.modes:
        yield "deleted modes are recreated with new ids, as the last modes of their collection"
    if back.lost:
        names = listed_once([labels.get(each, each) for each in back.lost])
        yield (
            f"{names} referred to variables that were already deleted or of unknown types, or had values of unknown "
            "forms: such values cannot be restored, and other values remain"
        )
    for ref, each in desired.collections.items():
        was = before.collections.get(ref)
        if was is not None and was.default != each.default and each.parent is None:
            yield f"the default mode of {labels.get(ref, ref)} is not restored: no request can set it"
    if any(isinstance(operation, DeleteVariable | DeleteCollection) for operation in back.operations):
        yield "layers that were bound since to deleted variables lose their bindings"


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
    needed = differences(now, rollback.recreation.state)
    operations = tuple(part for operation in needed if (part := rollback.part_of_plan(operation)) is not None)
    conflicts = rollback.conflicts(operations)
    return Inverse(operations, rollback.recreation, conflicts, tuple(dict.fromkeys(rollback.lost)))


class _Rollback:
    def __init__(self, before: FileState, left: Sequence[FileState], now: FileState) -> None:
        self.before = before
        self.left = left
        self.now = now
        plans = [differences(before, file) for file in left]
        self.changed = frozenset[Aspect]().union(*map(aspects_of, plans))
        done = [operation for plan in plans for operation in plan]
        self.created: set[Ref | tuple[Ref, Ref]] = {ref for operation in done for ref in operation.created()}
        new_modes = (operation for operation in done if isinstance(operation, CreateMode))
        self.created |= {(operation.collection, mode) for operation in new_modes for mode in operation.created()}
        self.recreation = recreated(before, left, now)
        self.lost: list[Ref] = []

    def part_of_plan(self, operation: Operation) -> Operation | None:
        """Return the part of an operation that reverts the plan and not a change of somebody else."""
        match operation:
            case CreateCollection(ref=ref) | CreateExtension(ref=ref):
                return operation if ref in self.recreation.objects else None
            case CreateVariable(variable=variable):
                return self._variable(variable) if variable.ref in self.recreation.objects else None
            case CreateStyle(style=style):
                return operation if style.ref in self.recreation.objects else None
            case UpdateStyle(ref=ref):
                parts = {aspect.part for aspect in operation.aspects() if aspect in self.changed}
                members = {member: pair for member, pair in operation.members.items() if member in parts}
                name, description = (
                    pair if member in parts else None
                    for member, pair in (("name", operation.name), ("description", operation.description))
                )
                return replace(operation, name=name, description=description, members=members) if parts else None
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
        modes = {mode.ref for mode in self.recreation.state.collections[variable.collection].modes}
        if len(values) != len(variable.values) or not modes <= values.keys():  # it had values of unknown forms
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
        edits = [differences(file, self.now) for file in self.left]
        foreign = frozenset.intersection(*map(aspects_of, edits))
        pending = aspects_of(differences(self.now, self.recreation.state))
        lost = {aspect for aspect in self.changed if is_in(aspect, foreign) and is_in(aspect, pending)}
        losing = {whole for aspect in lost for whole in containing(aspect)}
        touched = [
            operation
            for operation in edits[-1]
            if not losing.isdisjoint(operation.aspects())
            or (foreign.issuperset(operation.aspects()) and not self.created.isdisjoint(self._dependencies(operation)))
        ]
        whole = [
            each for each in operations if not (isinstance(each, CreateVariable) and each.variable.ref in self.lost)
        ]
        touched += conflicting(whole, self.now)
        words = subjects(touched, self.now, self.left[-1], self.before)
        opaque = self._opaque_edits(operations) if self.now.opaque else ()
        return tuple(dict.fromkeys((*words, *opaque)))

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
                yield from (f"{where} / {shortened(variable.name)} (new)" for variable in self.now.opaque_of(ref))
                continue
            overriding = {mode.ref for mode in own.modes}
            filled = ""
            if isinstance(operation, DeleteMode):
                filled = operation.ref
                origins = (root_modes(self.now, each) for each in self.now.family(ref) if each.parent is not None)
                overriding = {mode for origin in origins for mode, root in origin.items() if root == filled}
            for variable in self.now.opaque_of(own.root):
                values = dict(variable.values)
                known = {values.get(own.default), self._former_default(own, variable.id)}
                if not overriding.isdisjoint(values) or values.get(filled) not in (None, *known):
                    yield f"{where} / {shortened(variable.name)}: its value"

    def _former_default(self, root: CollectionState, variable: Ref) -> str | None:
        """Return the value that an opaque variable had in the default mode before the plan."""
        opaque = next((each for each in self.before.opaque_of(root.ref) if each.id == variable), None)
        return None if opaque is None else dict(opaque.values).get(self.before.collections[root.ref].default)

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
    objects: dict[Ref, Ref] = {}
    modes: dict[tuple[Ref, Ref], Ref] = {}
    used_refs: set[str] = set()
    for ref, each in before.collections.items():
        if each.fixed:
            continue
        if all(ref not in state.collections for state in states):
            objects[ref] = temporary(f"collection:{each.name}", used_refs)
        there = {mode.ref for state in states for own in (state.collections.get(ref),) if own for mode in own.modes}
        for mode in each.modes:
            if ref in objects or mode.ref not in there:
                modes[each.root, mode.ref] = temporary(f"mode:{each.name}/{mode.name}", used_refs)
    for ref, variable in before.variables.items():
        if not variable.fixed and all(ref not in state.variables for state in states):
            name = before.collections[variable.collection].name
            objects[ref] = temporary(f"variable:{name}/{variable.name}", used_refs)
    for ref, style in before.styles.items():
        if all(ref not in state.styles for state in states):
            objects[ref] = temporary(f"style:{style.name}", used_refs)
    if not objects and not modes:
        return Recreation(before, {}, {})
    state = renamed(before, objects, lambda root, mode: modes.get((root, mode), mode))
    former = {new: old for old, new in objects.items()}
    former_modes = {(objects.get(root, root), new): old for (root, old), new in modes.items()}
    return Recreation(state._replace(opaque={}), former, former_modes)
