"""Roll a plan back: from what a file holds now to what it held before, without undoing what others changed since."""

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
    disturbed,
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
    """The operations that take a plan back, or what somebody else did to the same objects, in words.

    ``renewal`` tells by which temporary refs the operations name what was deleted and is made anew. ``lost`` names the
    variables whose values referred to what was not there even then: no request can set such a value.
    """

    operations: tuple[Operation, ...]
    renewal: Renewal
    disturbed: tuple[str, ...] = ()
    lost: tuple[Ref, ...] = ()


def inverse(before: FileState, left: Sequence[FileState], now: FileState) -> Inverse:
    """Return what takes a plan back that found ``before`` and left one of the states of ``left`` (nobody knows which).

    All states go by real ids. What others changed since stays as it is, unless it concerns what the plan changed.
    """
    back = _Back(before, left, now)
    found = back.operations()
    words = back.disturbed(found)
    return Inverse(found, back.renewal, words, tuple(dict.fromkeys(back.lost)))


class _Back:
    def __init__(self, before: FileState, left: Sequence[FileState], now: FileState) -> None:
        self.before = before
        self.left = left
        self.now = now
        plans = [differences(before, each) for each in left]
        self.changed = frozenset[Aspect]().union(*map(aspects_of, plans))
        done = [each for plan in plans for each in plan]
        self.made = {ref for each in done for ref in (*each.made(), *each.made_modes())}
        self.renewal = renewed(before, left, now)
        self.lost: list[Ref] = []

    def operations(self) -> tuple[Operation, ...]:
        wanted = differences(self.now, self.renewal.state)
        return tuple(kept for each in wanted if (kept := self._ours(each)) is not None)

    def _ours(self, operation: Operation) -> Operation | None:
        """Return what of an operation takes back the plan, rather than what somebody else did."""
        match operation:
            case CreateCollection(ref=ref) | CreateExtension(ref=ref):
                return operation if ref in self.renewal.things else None
            case CreateVariable(variable=variable):
                return self._whole(variable) if variable.ref in self.renewal.things else None
            case CreateMode(ref=ref, collection=collection):
                return operation if (collection, ref) in self.renewal.modes else None
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
                if not self._is_ours(operation):
                    return None
                if self._is_possible(operation.after):
                    return operation
                self.lost.append(operation.variable)
                return None
            case _:
                return operation if all(aspect in self.changed for aspect in operation.aspects()) else None

    def _whole(self, variable: VariableState) -> Operation:
        values = {mode: value for mode, value in variable.values.items() if self._is_possible(value)}
        if len(values) != len(variable.values):
            self.lost.append(variable.ref)
        return CreateVariable(variable=replace(variable, values=values))

    def _is_possible(self, value: StateValue | None) -> bool:
        return all(target in self.renewal.state.variables for target in targets_of(value))

    def _is_ours(self, operation: SetValue) -> bool:
        ref, mode = operation.variable, operation.mode
        if Aspect("value", ref, mode) in self.changed:
            return True
        root = self.now.variables[ref].collection
        if (root, mode) in self.renewal.modes:
            return True
        was = self.before.variables.get(ref)
        # It refers to what the plan deleted, and has to refer to what is made in its place.
        return was is not None and was.values.get(mode) == operation.before and operation.before != operation.after

    def disturbed(self, operations: Sequence[Operation]) -> tuple[str, ...]:
        edits = [differences(each, self.now) for each in self.left]
        since = frozenset.intersection(*map(aspects_of, edits))
        still = aspects_of(differences(self.now, self.renewal.state))
        lost = {aspect for aspect in self.changed if _any_of(aspect, since) and _any_of(aspect, still)}
        losing = {whole for aspect in lost for whole in _wholes(aspect)}
        touched = [
            each
            for each in edits[-1]
            if not losing.isdisjoint(each.aspects())
            or (since.issuperset(each.aspects()) and not self.made.isdisjoint(self._concerned(each)))
        ]
        whole = [
            each for each in operations if not (isinstance(each, CreateVariable) and each.variable.ref in self.lost)
        ]
        touched += disturbed(whole, self.now)
        words = subjects(touched, self.now, self.left[-1], self.before)
        return tuple(dict.fromkeys((*words, *self._opaque_edits(operations))))

    def _opaque_edits(self, operations: Sequence[Operation]) -> Iterator[str]:
        """Name what others did with opaque variables in collections and modes that are going to be deleted.

        The plan gave them no value. The platform fills a new mode with the default mode's, and overrides nothing.
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

    def _concerned(self, edit: Operation) -> Iterator[Ref | tuple[Ref, Ref]]:
        """Yield the things whose deletion would lose what somebody else did."""
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


def _any_of(aspect: Aspect, found: frozenset[Aspect]) -> bool:
    """Return whether an aspect is among others, or the thing that it is a part of is."""
    return not found.isdisjoint(_wholes(aspect))


def _wholes(aspect: Aspect) -> Iterator[Aspect]:
    """Yield an aspect, and the things that it is a part of."""
    yield aspect
    match aspect.kind:
        case "variable" | "value":
            yield Aspect("variable", aspect.ref)
        case "mode name":
            yield from (Aspect("mode", aspect.ref, aspect.part), Aspect("collection", aspect.ref))
        case _:
            yield Aspect("collection", aspect.ref)


class Renewal(NamedTuple):
    """A state in which what is gone goes by temporary refs.

    ``things`` maps those of collections and variables to the ids that they had; ``modes`` does it for (root
    collection, mode), both as the state has them.
    """

    state: FileState
    things: Mapping[Ref, Ref]
    modes: Mapping[tuple[Ref, Ref], Ref]


def renewed(before: FileState, left: Sequence[FileState], now: FileState) -> Renewal:
    """Return the state ``before``, where what is neither in a state of ``left`` nor in ``now`` is to be made anew.

    What somebody else deleted keeps its id: it is not for us to bring it back.
    """
    states = (*left, now)
    made = _Renewer(before, states)
    if not made.things and not made.modes:
        return Renewal(before, {}, {})
    collections = {each.ref: each for each in map(made.collection, before.collections.values())}
    variables = {each.ref: each for each in map(made.variable, before.variables.values())}
    things = {new: old for old, new in made.things.items()}
    modes = {(made.things.get(root, root), new): old for (root, old), new in made.modes.items()}
    return Renewal(FileState(collections, variables), things, modes)


class _Renewer:
    def __init__(self, before: FileState, states: Sequence[FileState]) -> None:
        self.things: dict[Ref, Ref] = {}
        self.modes: dict[tuple[Ref, Ref], Ref] = {}
        taken: set[str] = set()
        for ref, each in before.collections.items():
            if each.fixed:
                continue
            if all(ref not in state.collections for state in states):
                self.things[ref] = temporary(f"collection:{each.name}", taken)
            there = {mode.ref for state in states for own in (state.collections.get(ref),) if own for mode in own.modes}
            for mode in each.modes:
                if ref in self.things or mode.ref not in there:
                    self.modes[each.root, mode.ref] = temporary(f"mode:{each.name}/{mode.name}", taken)
        for ref, variable in before.variables.items():
            if not variable.fixed and all(ref not in state.variables for state in states):
                name = before.collections[variable.collection].name
                self.things[ref] = temporary(f"variable:{name}/{variable.name}", taken)

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
            ref=self.things.get(was.ref, was.ref),
            root=self.things.get(was.root, was.root),
            parent=None if was.parent is None else self.things.get(was.parent, was.parent),
            default=self._mode(was.root, was.default),
            modes=modes,
        )

    def variable(self, was: VariableState) -> VariableState:
        return replace(
            was,
            ref=self.things.get(was.ref, was.ref),
            collection=self.things.get(was.collection, was.collection),
            values={self._mode(was.collection, mode): self._value(value) for mode, value in was.values.items()},
        )

    def _mode(self, root: Ref, mode: Ref) -> Ref:
        return self.modes.get((root, mode), mode)

    def _value(self, value: StateValue) -> StateValue:
        return value.renamed(self.things) if isinstance(value, ObjectValue) else value
