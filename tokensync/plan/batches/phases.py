"""Order the changes of a plan in phases: objects and names, values, new modes, extensions, and last deletions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tokensync.normalize.mapping import unique
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
from tokensync.plan.batches.operation_index import cycle_breaks
from tokensync.plan.operations import CreateCollection, CreateExtension, DeleteCollection, RenameMode, UpdateCollection
from tokensync.plan.state import MODE_NAME_CHARACTERS, targets_of
from tokensync.tokens import MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION
from tokensync.tokens.algorithms import ranks

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.plan.batches.elements import Element, Encoder
    from tokensync.plan.batches.operation_index import OperationIndex
    from tokensync.plan.operations import CreateMode, DeleteMode, DeleteVariable
    from tokensync.plan.state import Ref, StateValue, VariableState


_DROPPED_FIRST, _RENAMED, _DROPPED_FOR_CAPACITY, _DESCRIBED = range(-1, 3)
"""The order within the array of variables. Variables are created and changed in the order of the operations."""

_EXTENSION_WAITS = "a collection can be extended only after the request that creates its modes"
_OVERRIDE_WAITS = "overrides in new modes of extensions need ids that the platform assigns first"


class Phases:
    """Makes the atoms of a plan's operations."""

    def __init__(self, indexed: OperationIndex, encoder: Encoder) -> None:
        self._index = indexed
        self._encoder = encoder
        self._together = False
        self._capacity = Capacity(indexed)
        self._cycle_breaks = cycle_breaks(indexed)

    def atoms(self, *, together: bool) -> Iterator[Atom]:
        """Yield all atoms in an order in which they can be applied one by one.

        ``together`` is set if all share one request: then no intermediate state is visible, so deletions come first and
        renamings need no temporary names.
        """
        self._together = together
        self._capacity = Capacity(self._index)
        yield from self._collections()
        yield from self._mode_names()
        renamed: set[Ref] = set()
        for atom in self._names():
            renamed.update(piece.element.ref for piece in atom.pieces if isinstance(piece.element, ChangeVariable))
            yield atom
        if not together:
            yield from self._modes_closing_cycles()
        yield from self._variables(renamed)
        yield from self._new_modes()
        yield from self._extensions()
        yield from self._extended_modes()
        yield from self._deletions()

    def _collections(self) -> Iterator[Atom]:
        """Yield new collections with their modes, and changes of existing ones."""
        for index, operation in enumerate(self._index.operations):
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
                case _:
                    pass

    def _mode_names(self) -> Iterator[Atom]:
        """Yield renamings of modes; no two modes of a collection have the same name in between."""
        indexed = self._index
        renamed: dict[Ref, dict[Ref, tuple[int, str]]] = {}
        for index, operation in enumerate(indexed.operations):
            if isinstance(operation, RenameMode):
                renamed.setdefault(operation.collection, {})[operation.ref] = index, operation.name[1]
        for root, operations in renamed.items():
            names = {each.ref: each.name for each in indexed.before.collections[root].modes}
            created = [each.name for _, each in indexed.new_modes.get(root, {}).values()]
            deleted = [each.ref for _, each in indexed.mode_deletions.get(root, ())]
            new_names = {ref: name for ref, (_, name) in operations.items()}
            grouped = renamings(names, new_names, created, deleted, longest=MODE_NAME_CHARACTERS)
            for group in grouped:
                yield self._atom(
                    *(
                        (NameMode(ref, root, name), NO_OPERATION if is_temporary else operations[ref][0])
                        for ref, name, is_temporary in group
                    )
                )
            done = {step.ref for group in grouped for step in group if not step.is_temporary}
            for ref, (index, name) in operations.items():
                if ref not in done:
                    yield self._atom((NameMode(ref, root, name), index))

    def _names(self) -> Iterator[Atom]:
        """Yield renamings that release or wait for a name, with the other changes of those variables."""
        indexed = self._index
        new_names: dict[Ref, dict[Ref, str]] = {}
        created: dict[Ref, list[str]] = {}
        for ref, (_, update) in indexed.updated.items():
            if update.name is not None:
                new_names.setdefault(indexed.before.variables[ref].collection, {})[ref] = update.name[1]
        for _, variable in indexed.new.values():
            created.setdefault(variable.collection, []).append(variable.name)
        names = {ref: {each.id: each.name for each in indexed.before.opaque_of(ref)} for ref in (*new_names, *created)}
        deleted: dict[Ref, list[Ref]] = {}
        for ref, each in indexed.before.variables.items():
            if each.collection in names:
                if ref in indexed.deleted:
                    if self._together:
                        continue  # its name is free before another variable gets it
                    deleted.setdefault(each.collection, []).append(ref)
                names[each.collection][ref] = each.name
        for root, own in names.items():
            for group in renamings(own, new_names.get(root, {}), created.get(root, ()), deleted.get(root, ())):
                pieces: list[Piece] = []
                notes: list[str] = []
                for ref, name, is_temporary in group:
                    index, change = (
                        (NO_OPERATION, ChangeVariable(ref, name)) if is_temporary else self._description(ref)
                    )
                    pieces.append(self._piece(change, index, _RENAMED))
                    if is_temporary and ref in indexed.deleted:
                        old = indexed.before.variables[ref].name
                        notes.append(
                            f"{old[:60]!r} is renamed to {name[:80]!r} before it is deleted, to release its name"
                        )
                yield Atom(tuple(pieces), notes=tuple(notes))

    def _description(self, ref: Ref) -> tuple[int, ChangeVariable]:
        index, update = self._index.updated[ref]
        return index, ChangeVariable(
            ref,
            update.name and update.name[1],
            update.description and update.description[1],
            update.hidden and update.hidden[1],
            update.scopes and update.scopes[1],
            update.code_syntax and update.code_syntax[1],
        )

    def _modes_closing_cycles(self) -> Iterator[Atom]:
        """Yield deletions of modes that must precede changes of values."""
        for index, mode in self._cycle_breaks.modes.items():
            self._capacity.delete_first(index, mode)
            words = f"mode {mode.name[:60]!r} is deleted before values change"
            note = f"{words}: its aliases and the new values would form a cycle"
            yield Atom((self._piece(DropMode(mode.ref, mode.collection), index),), notes=(note,))

    def _variables(self, renamed: set[Ref]) -> Iterator[Atom]:
        """Yield new and changed variables after their alias targets, with their values in existing modes."""
        indexed = self._index
        touched = dict.fromkeys((*indexed.new, *indexed.updated, *indexed.values, *self._cycle_breaks.bridges))
        number, encoder = self._order.__getitem__, self._encoder
        group: list[Piece] = []
        notes: list[str] = []
        last = -1
        for ref in sorted(touched, key=number):
            rank = number(ref)
            if rank != last and group:
                yield Atom(tuple(group), notes=tuple(notes))
                group, notes = [], []
            last = rank
            new = indexed.new.get(ref)
            if new is not None:
                index, variable = new
                if not self._together:
                    group += self._deletion_for_capacity(variable, notes)
                group.append(self._piece(MakeVariable(variable), index, _DESCRIBED + index))
            elif ref in indexed.updated and ref not in renamed:
                index, change = self._description(ref)
                group.append(self._piece(change, index, _DESCRIBED + index))
            for mode, planned in indexed.values.get(ref, {}).items():
                if mode not in self._later:
                    element = GiveValue(ref, mode, planned.value)
                    group.append(Piece(element, element.parts(encoder), planned.operation, rank))
            if not self._together:
                group += self._bridged(ref)
        if group:
            yield Atom(tuple(group), notes=tuple(notes))

    def _bridged(self, ref: Ref) -> Iterator[Piece]:
        """Yield temporary values in modes to be deleted: those that avoid cycles, and those of a new variable."""
        for bridge in self._cycle_breaks.bridges.get(ref, ()):
            yield self._value(ref, bridge.mode, bridge.value, bridging(bridge.deletion))
        if ref in self._index.new:
            variable = self._index.new[ref][1]
            for index, mode in self._index.mode_deletions.get(variable.collection, ()):
                if index not in self._cycle_breaks.modes:
                    yield self._value(ref, mode.ref, self._index.lasting_value(variable), bridging(index))

    def _deletion_for_capacity(self, variable: VariableState, notes: list[str]) -> Iterator[Piece]:
        """Yield the deletion of a variable if the collection of a new one is full."""
        deletion = self._capacity.for_variable(variable.collection)
        if deletion is not None:
            index, old = deletion
            notes.append(
                f"{old.name[:60]!r} is deleted before {variable.name[:60]!r} is created: the collection is full"
            )
            yield self._piece(DropVariable(old.ref), index, _DROPPED_FOR_CAPACITY)

    def _new_modes(self) -> Iterator[Atom]:
        """Yield new modes of existing collections, each with all its values."""
        for root, modes in self._index.new_modes.items():
            for mode, (index, operation) in modes.items():
                deletion = self._capacity.for_mode(root)
                pieces = []
                notes: tuple[str, ...] = ()
                if deletion is not None:
                    pieces.append(self._piece(DropMode(deletion[1].ref, root), deletion[0]))
                    if not self._together:
                        old, new = deletion[1].name[:60], operation.name[:60]
                        notes = (f"mode {old!r} is deleted before mode {new!r} is created: the collection is full",)
                pieces.append(self._piece(MakeMode(mode, root, operation.name, operation.extended), index))
                pieces += self._values_in(mode, self._copied_values(root, operation, index))
                yield Atom(tuple(pieces), notes=notes)

    def _copied_values(self, root: Ref, operation: CreateMode, index: int) -> Iterator[Piece]:
        """Yield a new mode's values that come from the default mode if the platform copies those of another mode."""
        if self._capacity.default_deleted_first(root):
            for ref, value in self._index.copied_default_values(root, operation.ref):
                yield self._value(ref, operation.ref, value, index)

    def _extensions(self) -> Iterator[Atom]:
        """Yield new extensions with their overrides."""
        for index, operation in enumerate(self._index.operations):
            if isinstance(operation, CreateExtension):
                modes = tuple((mode.parent, mode.ref) for mode in operation.modes if mode.parent is not None)
                created = MakeExtension(operation.ref, operation.name, operation.parent, modes, operation.hidden)
                values = (piece for mode in operation.modes for piece in self._values_in(mode.ref))
                pieces = (self._piece(created, index), *sorted(values, key=lambda piece: piece.order))
                yield Atom(pieces, self._index.waits_for(operation.ref), _EXTENSION_WAITS)

    def _extended_modes(self) -> Iterator[Atom]:
        """Yield overrides in the modes that existing extensions get with a new mode."""
        for mode, created in self._index.extended.items():
            pieces = tuple(self._values_in(mode))
            if pieces:
                yield Atom(pieces, frozenset((created,)), _OVERRIDE_WAITS)

    def _deletions(self) -> Iterator[Atom]:
        """Yield all deletions that did not have to come earlier."""
        extensions: list[Atom] = []
        roots: list[Atom] = []
        for index, operation in enumerate(self._index.operations):
            if isinstance(operation, DeleteCollection):
                is_root = self._index.before.collections[operation.ref].parent is None
                dropped = DropCollection(operation.ref, self._index.before.extensions_of(operation.ref))
                (roots if is_root else extensions).append(self._atom((dropped, index)))
        for index, mode in self._capacity.remaining_modes():
            yield self._atom((DropMode(mode.ref, mode.collection), index))
        yield from extensions  # before what they refer to, as far as the kinds of objects tell
        order = _DROPPED_FIRST if self._together else _DESCRIBED + len(self._index.operations)
        for index, variable in self._capacity.remaining_variables():
            yield Atom((self._piece(DropVariable(variable.ref), index, order),))
        yield from roots

    def _values_in(self, mode: Ref, more: Iterable[Piece] = ()) -> list[Piece]:
        """Return all values in a new mode, in the order of aliases."""
        pieces = [self._value(ref, mode, value, index) for ref, index, value in self._later.get(mode, ())]
        return sorted((*pieces, *more), key=lambda piece: piece.order)

    @cached_property
    def _later(self) -> dict[Ref, list[tuple[Ref, int, StateValue | None]]]:
        """Return (variable, operation, value) for each mode that is created after the variables."""
        indexed = self._index
        result: dict[Ref, list[tuple[Ref, int, StateValue | None]]] = {
            mode: []
            for mode in (
                *indexed.extended,
                *indexed.extending,
                *(ref for each in indexed.new_modes.values() for ref in each),
            )
        }
        if result:
            for ref, values in indexed.values.items():
                for mode in result.keys() & values.keys():
                    result[mode].append((ref, values[mode].operation, values[mode].value))
        return result

    @cached_property
    def _order(self) -> dict[Ref, int]:
        indexed = self._index
        copied = (
            ref
            for root, modes in indexed.new_modes.items()
            for mode in modes
            for ref, _ in indexed.copied_default_values(root, mode)
        )
        interim = self._cycle_breaks.interim

        def targets(ref: Ref) -> list[Ref]:
            return indexed.final_targets(ref) + interim.get(ref, [])

        return ranks((*indexed.values, *indexed.new, *indexed.updated, *self._cycle_breaks.bridges, *copied), targets)

    def _value(self, ref: Ref, mode: Ref, value: StateValue | None, operation: int) -> Piece:
        return self._piece(GiveValue(ref, mode, value), operation, self._order[ref])

    def _atom(self, *elements: tuple[Element, int]) -> Atom:
        return Atom(tuple(self._piece(element, index) for element, index in elements))

    def _piece(self, element: Element, operation: int, order: int = 0) -> Piece:
        return Piece(element, element.parts(self._encoder), operation, order)


class Capacity:
    """Counts the content of collections while requests are laid out, and selects early deletions in full ones."""

    def __init__(self, indexed: OperationIndex) -> None:
        self._index = indexed
        self._variables = {ref: len(each) for ref, each in indexed.before.opaque.items()}
        for variable in indexed.before.variables.values():
            self._variables[variable.collection] = self._variables.get(variable.collection, 0) + 1
        self._modes = {ref: len(each.modes) for ref, each in indexed.before.collections.items()}
        self._deletable: dict[Ref, list[tuple[int, DeleteVariable]]] | None = None
        self._deletable_modes = {root: self._default_last(root) for root in indexed.mode_deletions}
        self._used: set[int] = set()

    def for_variable(self, collection: Ref) -> tuple[int, DeleteVariable] | None:
        """Count a new variable, and return the deletion that must precede it, if any."""
        count = self._variables.get(collection, 0)
        if count >= VARIABLES_PER_COLLECTION:
            if self._deletable is None:
                self._deletable = self._variables_by_collection()
            if deleted := self._deletable.get(collection):
                result = deleted.pop()
                self._used.add(result[0])
                return result
        self._variables[collection] = count + 1
        return None

    def for_mode(self, root: Ref) -> tuple[int, DeleteMode] | None:
        """Count a new mode, and return the deletion that must precede it, if any."""
        count = self._modes.get(root, 0)
        if count >= MODES_PER_COLLECTION and (deleted := self._deletable_modes.get(root)):
            result = deleted.pop()
            self._used.add(result[0])
            return result
        self._modes[root] = count + 1
        return None

    def delete_first(self, index: int, mode: DeleteMode) -> None:
        """Count a mode that is deleted before all others."""
        self._used.add(index)
        self._modes[mode.collection] -= 1
        self._deletable_modes[mode.collection].remove((index, mode))

    def remaining_variables(self) -> Iterator[tuple[int, DeleteVariable]]:
        """Return the remaining deletions of variables in the plan's order."""
        return (each for each in self._index.deleted.values() if each[0] not in self._used)

    def remaining_modes(self) -> Iterator[tuple[int, DeleteMode]]:
        """Return the remaining deletions of modes in the plan's order."""
        return (each for modes in self._index.mode_deletions.values() for each in modes if each[0] not in self._used)

    def default_deleted_first(self, root: Ref) -> bool:
        """Return whether a default mode is deleted before the last new mode is created and filled from another one."""
        deleted = self._index.deleted_modes.get((root, self._index.before.collections[root].default))
        is_full = (
            len(self._index.before.collections[root].modes) + len(self._index.new_modes[root]) > MODES_PER_COLLECTION
        )
        return deleted is not None and (is_full or deleted in self._used)

    def _default_last(self, root: Ref) -> list[tuple[int, DeleteMode]]:
        """Return the deletions of modes in reverse order, with the default mode, which fills new ones, first."""
        default = self._index.before.collections[root].default
        return sorted(self._index.mode_deletions[root], key=lambda each: (each[1].ref != default, -each[0]))

    def _variables_by_collection(self) -> dict[Ref, list[tuple[int, DeleteVariable]]]:
        """Return the deletions of variables by collection, in reverse order: unreferenced variables are last."""
        indexed = self._index
        referred = {
            target
            for ref, variable in indexed.before.variables.items()
            if indexed.survives(ref)
            for target in targets_of(*variable.values.values())
        }
        result: dict[Ref, list[tuple[int, DeleteVariable]]] = {}
        for each in sorted(indexed.deleted.values(), key=lambda each: (each[1].ref not in referred, -each[0])):
            result.setdefault(each[1].collection, []).append(each)
        return result


class Renaming(NamedTuple):
    """A renaming of a variable or mode to its final or a temporary name."""

    ref: Ref
    name: str
    is_temporary: bool = False


def renamings(
    names: Mapping[Ref, str],
    new_names: Mapping[Ref, str],
    created: Iterable[str],
    deleted: Iterable[Ref],
    *,
    longest: int | None = None,
) -> list[tuple[Renaming, ...]]:
    """Return the ordered renamings of variables or modes of a collection; those of a cycle of names form one group.

    ``names`` are the present names, ``new_names`` those of renamed objects, ``created`` those of new ones. ``deleted``
    objects stay until the end and are renamed if another one needs their name. A name has at most ``longest``
    characters. Renamings that are not returned can be applied at any time.
    """
    tracker = _NameTracker(names, new_names, created, longest)
    groups: list[tuple[Renaming, ...]] = [(step,) for ref in deleted if (step := tracker.vacate(ref)) is not None]
    pending = {name: ref for ref, name in new_names.items() if tracker.depends(ref)}
    for name in [*pending]:
        groups += [(step,) for step in tracker.carry_out(pending, name)]
    while pending:  # cycles remain, and renamings that wait for them
        ref = next(iter(pending.values()))
        steps = [tracker.rename_temporarily(ref)]
        steps += tracker.carry_out(pending, names[ref])
        if new_names[ref] in pending:  # another object retains the name: the platform decides
            steps += tracker.carry_out(pending, new_names[ref], at_once=True)
        groups.append(tuple(steps))
    return groups


class _NameTracker:
    """Counts the objects with each name while renamings are applied."""

    def __init__(
        self, names: Mapping[Ref, str], new_names: Mapping[Ref, str], created: Iterable[str], longest: int | None
    ) -> None:
        self._names = dict(names)
        self._longest = None if longest is None else longest - len(_REPLACED) - len("-999")
        self._new_names = new_names
        self._count: dict[str, int] = {}
        for name in names.values():
            self._count[name] = self._count.get(name, 0) + 1
        self._needed = {*new_names.values(), *created}
        self._used_names = set(self._count)
        self._reserved = self._used_names | self._needed

    def depends(self, ref: Ref) -> bool:
        """Return whether a renaming waits for another one or releases a needed name."""
        return self._new_names[ref] in self._used_names or self._names[ref] in self._needed

    def vacate(self, ref: Ref) -> Renaming | None:
        """Return a temporary renaming of an object if another one needs its name."""
        return self.rename_temporarily(ref) if self._names[ref] in self._needed else None

    def rename_temporarily(self, ref: Ref) -> Renaming:
        """Return a renaming to a name that no object has or gets."""
        name = self._names[ref].translate(_NOT_IN_NAMES)[: self._longest] + _REPLACED
        return self._apply(Renaming(ref, unique(name, self._reserved), is_temporary=True))

    def carry_out(self, pending: dict[str, Ref], name: str, *, at_once: bool = False) -> Iterable[Renaming]:
        """Yield the renaming to a name if the name is free, and then the renamings that this makes possible."""
        while name in pending and (at_once or not self._count.get(name)):
            ref = pending.pop(name)
            left = self._names[ref]
            yield self._apply(Renaming(ref, name))
            name, at_once = left, False

    def _apply(self, step: Renaming) -> Renaming:
        self._count[self._names[step.ref]] -= 1
        self._names[step.ref] = step.name
        self._count[step.name] = self._count.get(step.name, 0) + 1
        return step


_REPLACED = " (replaced)"
_NOT_IN_NAMES = str.maketrans(dict.fromkeys(".{}", "-"))
