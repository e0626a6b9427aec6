"""The atoms of a plan, phase by phase: objects and names, values, new modes, extensions, and deletions last."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tokensync.mapping import unique
from tokensync.plan.batches.elements import (
    NO_OPERATION,
    Atom,
    ChangeCollection,
    ChangeVariable,
    DropCollection,
    DropMode,
    DropVariable,
    GiveValue,
    MakeCollection,
    MakeExtension,
    MakeMode,
    MakeVariable,
    NameMode,
    Piece,
    bridging,
)
from tokensync.plan.batches.operation_index import CycleBreaks, cycle_breaks
from tokensync.plan.operations import CreateCollection, CreateExtension, DeleteCollection, RenameMode, UpdateCollection
from tokensync.plan.state import MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION, targets_of
from tokensync.tokens.algorithms import ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.plan.batches.elements import Element, Encoder
    from tokensync.plan.batches.operation_index import OperationIndex
    from tokensync.plan.operations import CreateMode, DeleteMode, DeleteVariable
    from tokensync.plan.state import Ref, StateValue


_DROPPED_FIRST, _RENAMED, _DROPPED_FOR_ROOM, _DESCRIBED = range(-1, 3)
"""The order within the array of variables; variables are made and described in the order of the operations."""

_EXTENSION_WAITS = "a collection whose modes a request makes can be extended only after that request"
_OVERRIDE_WAITS = "overrides in new modes of extensions need ids that the platform gives first"


class Phases:
    """Makes the atoms of an indexed."""

    def __init__(self, indexed: OperationIndex, encoder: Encoder) -> None:
        self._indexed = indexed
        self._encoder = encoder
        self._together = False
        self._capacity = Capacity(indexed)

    def atoms(self, *, together: bool) -> Iterator[Atom]:
        """Yield all of them, in an order in which they can be carried out one by one.

        ``together`` when all are going to share one request: then nobody sees what is in between, so what goes makes
        room first and needs no name for the meantime.
        """
        self._together = together
        self._capacity = Capacity(self._indexed)
        yield from self._collections()
        renamed: set[Ref] = set()
        for atom in self._names():
            renamed.update(piece.element.ref for piece in atom.pieces if isinstance(piece.element, ChangeVariable))
            yield atom
        if not together:
            yield from self._modes_in_cycles()
        yield from self._variables(renamed)
        yield from self._new_modes()
        yield from self._extensions()
        yield from self._extended_modes()
        yield from self._deletions()

    def _collections(self) -> Iterator[Atom]:
        """New collections with their modes, and what is said of those that exist."""
        for index, operation in enumerate(self._indexed.operations):
            match operation:
                case CreateCollection(ref=ref, name=name, modes=modes, hidden=hidden):
                    first = modes[0].ref
                    yield self._atom(
                        (MakeCollection(ref, name, first, hidden), index),
                        (NameMode(first, ref, modes[0].name), index),
                        *((MakeMode(mode.ref, ref, mode.name), index) for mode in modes[1:]),
                    )
                case UpdateCollection(ref=ref, name=new_name, hidden=now_hidden):
                    change = ChangeCollection(ref, new_name and new_name[1], now_hidden and now_hidden[1])
                    yield self._atom((change, index))
                case RenameMode(ref=ref, collection=collection, name=(_, name)):
                    yield self._atom((NameMode(ref, collection, name), index))
                case _:
                    pass

    def _names(self) -> Iterator[Atom]:
        """Renamings that free a name for something else, or wait for one, and what else is said of those variables."""
        indexed = self._indexed
        wanted: dict[Ref, dict[Ref, str]] = {}
        made: dict[Ref, list[str]] = {}
        for ref, (_, update) in indexed.updated.items():
            if update.name is not None:
                wanted.setdefault(indexed.before.variables[ref].collection, {})[ref] = update.name[1]
        for _, variable in indexed.new.values():
            made.setdefault(variable.collection, []).append(variable.name)
        held = {ref: {each.id: each.name for each in indexed.before.opaque_of(ref)} for ref in (*wanted, *made)}
        going: dict[Ref, list[Ref]] = {}
        for ref, each in indexed.before.variables.items():
            if each.collection in held:
                if ref in indexed.gone:
                    if self._together:
                        continue  # its name is free before any other takes it
                    going.setdefault(each.collection, []).append(ref)
                held[each.collection][ref] = each.name
        for root, names in held.items():
            for group in renamings(names, wanted.get(root, {}), made.get(root, ()), going.get(root, ())):
                yield Atom(tuple(map(self._renaming, group)), notes=tuple(self._said_of_names(group)))

    def _renaming(self, step: Renaming) -> Piece:
        if step.between:
            return self._piece(ChangeVariable(step.ref, step.name), NO_OPERATION, _RENAMED)
        index, change = self._description(step.ref)
        return self._piece(change, index, _RENAMED)

    def _said_of_names(self, group: tuple[Renaming, ...]) -> Iterator[str]:
        for step in group:
            if step.between and step.ref in self._indexed.gone:
                name = self._indexed.before.variables[step.ref].name
                yield f"{name[:60]!r} is called {step.name[:80]!r} until it is deleted: something else gets its name"

    def _description(self, ref: Ref) -> tuple[int, ChangeVariable]:
        index, update = self._indexed.updated[ref]
        return index, ChangeVariable(
            ref,
            update.name and update.name[1],
            update.description and update.description[1],
            update.hidden and update.hidden[1],
            update.scopes and update.scopes[1],
            update.code_syntax and update.code_syntax[1],
        )

    def _modes_in_cycles(self) -> Iterator[Atom]:
        """Deletions of modes that come before values change."""
        for index, mode in self._cycle_breaks.modes.items():
            self._capacity.goes_first(index, mode)
            words = f"mode {mode.name[:60]!r} is deleted before values change"
            note = f"{words}: with aliases in it, they would form a cycle"
            yield Atom((self._piece(DropMode(mode.ref, mode.collection), index),), notes=(note,))

    def _variables(self, renamed: set[Ref]) -> Iterator[Atom]:
        """New and changed variables, what they refer to first; each with its values in modes that exist."""
        indexed = self._indexed
        touched = dict.fromkeys((*indexed.new, *indexed.updated, *indexed.values, *self._cycle_breaks.bridges))
        number = self._order.__getitem__
        group: list[Piece] = []
        notes: list[str] = []
        last = -1
        for ref in sorted(touched, key=number):
            if number(ref) != last and group:
                yield Atom(tuple(group), notes=tuple(notes))
                group, notes = [], []
            last = number(ref)
            group += self._making_room(ref, notes)
            if ref in indexed.new:
                index, variable = indexed.new[ref]
                group.append(self._piece(MakeVariable(variable), index, _DESCRIBED + index))
            elif ref in indexed.updated and ref not in renamed:
                index, change = self._description(ref)
                group.append(self._piece(change, index, _DESCRIBED + index))
            for mode, given in indexed.values.get(ref, {}).items():
                if mode not in self._later:
                    group.append(self._value(ref, mode, given.value, given.operation))
            if not self._together:
                group += self._bridged(ref)
        if group:
            yield Atom(tuple(group), notes=tuple(notes))

    def _bridged(self, ref: Ref) -> Iterator[Piece]:
        """Values in modes that go, for the time until then: those that keep cycles open, and a new variable's."""
        for bridge in self._cycle_breaks.bridges.get(ref, ()):
            yield self._value(ref, bridge.mode, bridge.value, bridging(bridge.deletion))
        if ref in self._indexed.new:
            variable = self._indexed.new[ref][1]
            for index, mode in self._indexed.dropped_modes.get(variable.collection, ()):
                if index not in self._cycle_breaks.modes:
                    shown = self._indexed.lasting_value(variable)
                    yield self._value(ref, mode.ref, shown, bridging(index))

    def _making_room(self, ref: Ref, notes: list[str]) -> Iterator[Piece]:
        """Yield the deletion of a variable, where a new one finds its collection full."""
        if self._together or ref not in self._indexed.new:
            return
        found = self._capacity.for_variable(self._indexed.new[ref][1].collection)
        if found is not None:
            index, gone = found
            notes.append(f"{gone.name[:60]!r} is deleted before something new is made: its collection is full")
            yield self._piece(DropVariable(gone.ref), index, _DROPPED_FOR_ROOM)

    def _new_modes(self) -> Iterator[Atom]:
        """New modes of collections that exist, each with all values in it."""
        for root, modes in self._indexed.new_modes.items():
            for mode, (index, operation) in modes.items():
                room = self._capacity.for_mode(root)
                pieces = []
                notes: tuple[str, ...] = ()
                if room is not None:
                    pieces.append(self._piece(DropMode(room[1].ref, root), room[0]))
                    if not self._together:
                        words = f"mode {room[1].name[:60]!r} is deleted before mode {operation.name[:60]!r} is made"
                        notes = (f"{words}: their collection has as many modes as it can have",)
                pieces.append(self._piece(MakeMode(mode, root, operation.name, operation.extended), index))
                pieces += self._values_in(mode, self._kept(root, operation, index))
                yield Atom(tuple(pieces), notes=notes)

    def _kept(self, root: Ref, operation: CreateMode, index: int) -> Iterator[Piece]:
        """Values that a new mode is to have from the default mode, where it comes with others."""
        if self._capacity.default_went_first(root):
            for ref, value in self._indexed.kept_in_new_mode(root, operation.ref):
                yield self._value(ref, operation.ref, value, index)

    def _extensions(self) -> Iterator[Atom]:
        """New extensions with their overrides."""
        for index, operation in enumerate(self._indexed.operations):
            if isinstance(operation, CreateExtension):
                modes = tuple((mode.parent, mode.ref) for mode in operation.modes if mode.parent is not None)
                made = MakeExtension(operation.ref, operation.name, operation.parent, modes, operation.hidden)
                values = (piece for mode in operation.modes for piece in self._values_in(mode.ref))
                pieces = (self._piece(made, index), *sorted(values, key=lambda piece: piece.order))
                yield Atom(pieces, self._indexed.waits_for(operation.ref), _EXTENSION_WAITS)

    def _extended_modes(self) -> Iterator[Atom]:
        """Overrides in the modes that existing extensions get with a new mode."""
        for mode, made in self._indexed.extended.items():
            pieces = tuple(self._values_in(mode))
            if pieces:
                yield Atom(pieces, frozenset((made,)), _OVERRIDE_WAITS)

    def _deletions(self) -> Iterator[Atom]:
        """Yield all that goes and has not made room for something else."""
        extensions: list[Atom] = []
        roots: list[Atom] = []
        for index, operation in enumerate(self._indexed.operations):
            if isinstance(operation, DeleteCollection):
                is_root = self._indexed.before.collections[operation.ref].parent is None
                dropped = DropCollection(operation.ref, self._indexed.before.extensions_of(operation.ref))
                (roots if is_root else extensions).append(self._atom((dropped, index)))
        for index, mode in self._capacity.modes_left():
            yield self._atom((DropMode(mode.ref, mode.collection), index))
        yield from extensions  # what refers to something goes before it, as far as the kinds of things tell
        order = _DROPPED_FIRST if self._together else _DESCRIBED + len(self._indexed.operations)
        for index, variable in self._capacity.variables_left():
            yield Atom((self._piece(DropVariable(variable.ref), index, order),))
        yield from roots

    def _values_in(self, mode: Ref, more: Iterable[Piece] = ()) -> list[Piece]:
        """Return the values of all variables in one mode that the plan makes, in the order of aliases."""
        pieces = [self._value(ref, mode, value, index) for ref, index, value in self._later.get(mode, ())]
        return sorted((*pieces, *more), key=lambda piece: piece.order)

    @cached_property
    def _later(self) -> dict[Ref, list[tuple[Ref, int, StateValue | None]]]:
        """Of each mode that is made after the variables: (variable, operation, value)."""
        indexed = self._indexed
        found: dict[Ref, list[tuple[Ref, int, StateValue | None]]] = {
            mode: []
            for mode in (
                *indexed.extended,
                *indexed.extending,
                *(ref for each in indexed.new_modes.values() for ref in each),
            )
        }
        if found:
            for ref, values in indexed.values.items():
                for mode in found.keys() & values.keys():
                    found[mode].append((ref, values[mode].operation, values[mode].value))
        return found

    @cached_property
    def _cycle_breaks(self) -> CycleBreaks:
        return cycle_breaks(self._indexed)

    @cached_property
    def _order(self) -> dict[Ref, int]:
        indexed = self._indexed
        kept = (
            ref
            for root, modes in indexed.new_modes.items()
            for mode in modes
            for ref, _ in indexed.kept_in_new_mode(root, mode)
        )
        meanwhile = self._cycle_breaks.meanwhile

        def targets(ref: Ref) -> Iterator[Ref]:
            """Yield what a variable refers to from its turn on: what comes before it in the order has had its turn."""
            yield from indexed.final_targets(ref)
            yield from meanwhile.get(ref, ())

        return ranks((*indexed.values, *indexed.new, *indexed.updated, *self._cycle_breaks.bridges, *kept), targets)

    def _value(self, ref: Ref, mode: Ref, value: StateValue | None, operation: int) -> Piece:
        return self._piece(GiveValue(ref, mode, value), operation, self._order[ref])

    def _atom(self, *elements: tuple[Element, int]) -> Atom:
        return Atom(tuple(self._piece(element, index) for element, index in elements))

    def _piece(self, element: Element, operation: int, order: int = 0) -> Piece:
        return Piece(element, element.parts(self._encoder), operation, order)


class Capacity:
    """Counts what collections hold while a plan is laid out, and hands out deletions when one is full."""

    def __init__(self, indexed: OperationIndex) -> None:
        self._indexed = indexed
        self._variables = {ref: len(each) for ref, each in indexed.before.opaque.items()}
        for variable in indexed.before.variables.values():
            self._variables[variable.collection] = self._variables.get(variable.collection, 0) + 1
        self._modes = {ref: len(each.modes) for ref, each in indexed.before.collections.items()}
        self._going: dict[Ref, list[tuple[int, DeleteVariable]]] | None = None
        self._going_modes = {root: self._late_default(root) for root in indexed.dropped_modes}
        self._gone: set[int] = set()

    def for_variable(self, collection: Ref) -> tuple[int, DeleteVariable] | None:
        """One variable more in a collection: what has to be deleted before, if anything has to and can be."""
        count = self._variables.get(collection, 0)
        if count >= VARIABLES_PER_COLLECTION:
            if self._going is None:
                self._going = self._going_variables()
            if going := self._going.get(collection):
                found = going.pop()
                self._gone.add(found[0])
                return found
        self._variables[collection] = count + 1
        return None

    def for_mode(self, root: Ref) -> tuple[int, DeleteMode] | None:
        """One mode more in a collection: what has to be deleted before, if anything has to and can be."""
        count = self._modes.get(root, 0)
        if count >= MODES_PER_COLLECTION and (going := self._going_modes.get(root)):
            found = going.pop()
            self._gone.add(found[0])
            return found
        self._modes[root] = count + 1
        return None

    def goes_first(self, index: int, mode: DeleteMode) -> None:
        """A mode is deleted before anything asks for room."""
        self._gone.add(index)
        self._modes[mode.collection] -= 1
        self._going_modes[mode.collection].remove((index, mode))

    def variables_left(self) -> Iterator[tuple[int, DeleteVariable]]:
        """Return the deletions of variables that have not been handed out, in the plan's order."""
        return (each for each in self._indexed.gone.values() if each[0] not in self._gone)

    def modes_left(self) -> Iterator[tuple[int, DeleteMode]]:
        """Return the deletions of modes that have not been handed out, in the plan's order."""
        return (each for modes in self._indexed.dropped_modes.values() for each in modes if each[0] not in self._gone)

    def default_went_first(self, root: Ref) -> bool:
        """Return whether a collection's default mode goes before the last new mode is made, which then starts from
        another.
        """
        going = self._indexed.gone_modes.get((root, self._indexed.before.collections[root].default))
        is_full = (
            len(self._indexed.before.collections[root].modes) + len(self._indexed.new_modes[root])
            > MODES_PER_COLLECTION
        )
        return going is not None and (is_full or going in self._gone)

    def _late_default(self, root: Ref) -> list[tuple[int, DeleteMode]]:
        """Return the modes that go, to be taken from the end: the default mode, which others are filled from, comes
        last.
        """
        default = self._indexed.before.collections[root].default
        return sorted(self._indexed.dropped_modes[root], key=lambda each: (each[1].ref != default, -each[0]))

    def _going_variables(self) -> dict[Ref, list[tuple[int, DeleteVariable]]]:
        """Of each collection the variables that go, to be taken from the end: those that nothing refers to come first.

        A deletion that comes early takes nothing away then from what is still there.
        """
        indexed = self._indexed
        referred = {
            target
            for ref, variable in indexed.before.variables.items()
            if indexed.survives(ref)
            for target in targets_of(*variable.values.values())
        }
        found: dict[Ref, list[tuple[int, DeleteVariable]]] = {}
        for each in sorted(indexed.gone.values(), key=lambda each: (each[1].ref not in referred, -each[0])):
            found.setdefault(each[1].collection, []).append(each)
        return found


class Renaming(NamedTuple):
    """One step: a variable gets a name, its last one or (``between``) one for the meantime."""

    ref: Ref
    name: str
    between: bool = False


def renamings(
    held: Mapping[Ref, str], wanted: Mapping[Ref, str], made: Iterable[str], going: Iterable[Ref]
) -> list[tuple[Renaming, ...]]:
    """Return the renamings of one collection that have to come in an order, in it; those of a circle of names together.

    ``held`` are the names that variables have, ``wanted`` the new ones of those that are renamed, ``made`` the names of
    new variables. Of ``going`` variables, which are there till the end, those whose names are wanted get others. What
    is not in the answer can be renamed at any time.
    """
    names = _Names(held, wanted, made)
    groups: list[tuple[Renaming, ...]] = [(step,) for ref in going if (step := names.out_of_the_way(ref)) is not None]
    pending = {name: ref for ref, name in wanted.items() if names.depends(ref)}
    for name in [*pending]:
        groups += [(step,) for step in names.carried_out(pending, name)]
    while pending:  # circles are left, and what waits for them
        ref = next(iter(pending.values()))
        steps = [names.set_aside(ref)]
        steps += names.carried_out(pending, held[ref])
        if wanted[ref] in pending:  # a name that somebody else keeps: the platform has the last word
            steps += names.carried_out(pending, wanted[ref], at_once=True)
        groups.append(tuple(steps))
    return groups


class _Names:
    """How many variables have each name, as the steps are carried out."""

    def __init__(self, held: Mapping[Ref, str], wanted: Mapping[Ref, str], made: Iterable[str]) -> None:
        self._held = dict(held)
        self._wanted = wanted
        self._count: dict[str, int] = {}
        for name in held.values():
            self._count[name] = self._count.get(name, 0) + 1
        self._sought = {*wanted.values(), *made}
        self._had = set(self._count)
        self._taken = self._had | self._sought

    def depends(self, ref: Ref) -> bool:
        """Return whether a renaming waits for another one, or lets something else have its name."""
        return self._wanted[ref] in self._had or self._held[ref] in self._sought

    def out_of_the_way(self, ref: Ref) -> Renaming | None:
        """Return a variable that goes gives its name up, if something is going to have it."""
        return self.set_aside(ref) if self._held[ref] in self._sought else None

    def set_aside(self, ref: Ref) -> Renaming:
        """Return a name for the meantime, which nothing has had or is going to have."""
        name = self._held[ref].translate(_NOT_IN_NAMES) + " (replaced)"
        return self._step(Renaming(ref, unique(name, self._taken), between=True))

    def carried_out(self, pending: dict[str, Ref], name: str, *, at_once: bool = False) -> Iterable[Renaming]:
        """Yield the renaming to a name, if the name is free, and then those that it makes possible."""
        while name in pending and (at_once or not self._count.get(name)):
            ref = pending.pop(name)
            left = self._held[ref]
            yield self._step(Renaming(ref, name))
            name, at_once = left, False

    def _step(self, step: Renaming) -> Renaming:
        self._count[self._held[step.ref]] -= 1
        self._held[step.ref] = step.name
        self._count[step.name] = self._count.get(step.name, 0) + 1
        return step


_NOT_IN_NAMES = str.maketrans(dict.fromkeys(".{}", "-"))
