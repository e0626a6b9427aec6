"""Turn a plan's operations into as few atomic requests as the platform's size limit allows, and compute their effects.

The changes are ordered so that they can be applied one by one: in phases, and aliases after their targets. Requests are
filled in one pass, each before the next, with the atoms of these phases.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct, structs

from tokensync.normalize.mapping import root_mode_id, unique
from tokensync.plan.operations import (
    ARRAYS,
    COLLECTIONS,
    MODES,
    NO_OPERATION,
    STYLES,
    VARIABLES,
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateStyle,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    Element,
    Encoder,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateVariable,
    bridging,
    encode,
)
from tokensync.plan.state import (
    BODY_BYTES,
    MODE_NAME_CHARACTERS,
    CollectionState,
    Editing,
    FileState,
    ModeState,
    ObjectValue,
    Ref,
    StateValue,
    VariableState,
    root_modes,
    targets_of,
    with_aliases,
)
from tokensync.tokens import MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION
from tokensync.tokens.algorithms import ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.operations import Operation


def batches_of(operations: Sequence[Operation], before: FileState, *, limit: int = BODY_BYTES) -> tuple[Batch, ...]:
    """Return the requests that apply operations, in order; always the same for the same operations and state.

    It is one request if the platform's order within it and ``limit`` (in bytes) allow. Otherwise each request leaves a
    valid file without undesired values, and deletions come last. A new mode or a variable whose values exceed ``limit``
    is split; a single change that exceeds it makes a larger batch.
    """
    if not operations:
        return ()
    indexed = OperationIndex(operations, before)
    phases = Phases(indexed)
    overrides_in_new_modes = any(not indexed.extended.keys().isdisjoint(modes) for modes in indexed.values.values())
    if not overrides_in_new_modes and not any(indexed.waits_for.values()):
        batches = Packer(indexed, limit).batches(phases.atoms(together=True), together=True)
        batch = next(batches, None)
        if batch is not None:
            return (batch,)
    return tuple(Packer(indexed, limit).batches(phases.atoms(together=False)))


class Batch(Struct, frozen=True):
    """One POST body.

    ``why`` is the reason for a separate request (empty for the first); ``notes`` describe unexpected effects.
    ``operations`` counts the plan's operations that it begins to apply. ``elements`` are in the order in which the
    platform processes them. ``makes`` are the temporary refs of all created objects, including modes of extensions.
    ``largest`` is the size of its body in bytes, or the largest possible size if it refers to objects that an earlier
    batch creates.
    """

    why: str
    notes: tuple[str, ...]
    operations: int
    elements: tuple[Element, ...]
    makes: tuple[Ref, ...]
    largest: int

    def body(self, ids: Mapping[Ref, str]) -> bytes:
        """Return the JSON to send. ``ids`` maps temporary refs to the real ids from earlier batches."""
        written: dict[Ref, bytes] = {}
        arrays = []
        for array, elements in groupby(self.elements, attrgetter("array")):
            texts = []
            for element in elements:
                text = b""
                for part in element.parts:
                    if isinstance(part, str) and part not in written:
                        written[part] = encode(ids.get(part, part))
                    text += written[part] if isinstance(part, str) else part
                texts.append(text)
            arrays.append(b'"%s":[%s]' % (ARRAYS[array].encode(), b",".join(texts)))
        return b"{%s}" % b",".join(arrays)

    @property
    def guarded(self) -> bool:
        """Return whether the platform refuses the batch a second time, so that it can safely be sent again.

        It does if the batch creates a variable in an existing collection (its name is taken then) or deletes an object.
        """
        made = {element.ref for element in self.elements if element.array == COLLECTIONS}
        return any(
            element.action == "DELETE"
            or (element.array == VARIABLES and element.action == "CREATE" and element.within not in made)
            for element in self.elements
        )


_FRAME = len(b"{}") + sum(len(b'"":[],') + len(name) for name in ARRAYS)


class Packer:
    """Fills requests of at most ``limit`` bytes."""

    def __init__(self, indexed: OperationIndex, limit: int) -> None:
        self._before = indexed.before
        self._longest = indexed.lengths
        self._limit = limit
        self._lengths = {ref: len(encode(ref)) for ref in indexed.lengths}  # the present length of each ref
        self._counted: set[int] = set()
        self._begin("")

    def _begin(self, why: str) -> None:
        self._elements: list[Element] = []
        self._notes: list[str] = []
        self._size = _FRAME
        self._why = why

    def batches(self, atoms: Iterable[Atom], *, together: bool = False) -> Iterator[Batch]:
        """Yield the requests in the order in which they must be sent.

        ``together`` means all in one request, or nothing if it would be too large.
        """
        for atom in atoms:
            if atom.waits_for and any(
                element.array == MODES and element.ref in atom.waits_for for element in self._elements
            ):
                yield self._finished()
                self._begin(atom.why)
            size = self._size_of(atom.elements)
            is_too_large = self._size + size > self._limit
            if is_too_large and together and (self._elements or len(atom.elements) > 1):
                return
            if is_too_large and self._elements:
                yield self._finished()
                self._begin(f"the previous request reached {self._amount()}")
                size = self._size_of(atom.elements)
            self._notes += () if together else atom.notes
            if self._size + size > self._limit:
                yield from self._parted(atom)
            else:
                self._elements += atom.elements
                self._size += size
        if self._elements:
            yield self._finished()

    def _parted(self, atom: Atom) -> Iterator[Batch]:
        """Yield full requests with the elements of an atom that is too large for one. An element is never split."""
        for element in atom.elements:
            size = self._size_of((element,))
            if self._elements and self._size + size > self._limit:
                yield self._finished()
                self._begin(f"related changes do not fit into one request of at most {self._amount()}")
                size = self._size_of((element,))
            self._elements.append(element)
            self._size += size

    def _size_of(self, elements: Iterable[Element]) -> int:
        """Return the largest possible size of the elements in bytes, each with a comma."""
        lengths = self._lengths
        size = 0
        for element in elements:
            size += 1
            for part in element.parts:
                size += len(part) if type(part) is bytes else lengths[part]  # type: ignore[index]
        return size

    def _amount(self) -> str:
        whole, rest = divmod(self._limit, 1_000_000)
        return f"{self._limit:,} bytes" if rest else f"{whole} MB"

    def _finished(self) -> Batch:
        present = {element.operation for element in self._elements}
        done = {index for index in present if index >= 0}
        bridged = set(map(bridging, done)) & present
        size = self._size
        elements = self._elements
        if bridged:
            elements = [element for element in elements if element.operation not in bridged]
            size = _FRAME + self._size_of(elements)
        elements = sorted(elements, key=attrgetter("array", "order"))
        filled = {element.array for element in elements}
        empty = sum(len(b'"":[],') + len(name) for array, name in enumerate(ARRAYS) if array not in filled)
        # A comma was counted for each element and each array; the last ones have none.
        commas = len(filled) + 1
        new = done - self._counted
        self._counted |= new
        deleted: set[Ref] = set()
        made: list[Ref] = []
        for element in elements:
            if element.array == COLLECTIONS and element.action == "DELETE":
                deleted |= {element.ref, *self._before.extensions_of(element.ref)}
            made += element.creates
            # Collections are deleted before modes are created: a deleted extension gets no mode.
            made += (mode for extension, mode, _ in element.following if extension not in deleted)
        self._lengths |= {ref: self._longest[ref] for ref in made}
        return Batch(self._why, tuple(self._notes), len(new), tuple(elements), tuple(made), size - empty - commas)


def after(state: FileState, batch: Batch) -> FileState:
    """Return the state of the platform after a batch; new objects retain their temporary refs.

    Elements are applied one by one as the platform does, so that their side effects are included.
    """
    file = Editing(state)
    for element in batch.elements:
        method, *arguments = element.effect
        method(file, *arguments)
    return file.finished()


def with_ids(state: FileState, ids: Mapping[Ref, str]) -> FileState:
    """Return the same state with real ids instead of temporary refs.

    A missing id of an extension's mode is derived by the platform's rule: ``<collection id>/<root mode id>``.
    """
    if not ids:
        return state
    modes = dict(ids)
    for collection in state.collections.values():
        if collection.parent is not None and collection.ref in ids:
            for mode, root in root_modes(state, collection).items():
                modes.setdefault(mode, f"{ids[collection.ref]}/{root_mode_id(ids.get(root, root))}")
    return renamed(state, ids, lambda _, mode: modes.get(mode, mode))


def renamed(state: FileState, refs: Mapping[Ref, Ref], mode_ref: Callable[[Ref, Ref], Ref]) -> FileState:
    """Return the state with other refs; ``mode_ref`` returns that of a mode, given its root collection and its ref."""
    collections: dict[Ref, CollectionState] = {}
    for collection in state.collections.values():
        root = collection.root
        modes = []
        for mode in collection.modes:
            parent = None if mode.parent is None else mode_ref(root, mode.parent)
            modes.append(ModeState(mode_ref(root, mode.ref), mode.name, parent))
        ref = refs.get(collection.ref, collection.ref)
        collections[ref] = structs.replace(
            collection,
            ref=ref,
            root=refs.get(root, root),
            parent=None if collection.parent is None else refs.get(collection.parent, collection.parent),
            default=mode_ref(root, collection.default),
            modes=tuple(modes),
        )
    objects: dict[int, ObjectValue] = {}  # equal values stay one object
    variables: dict[Ref, VariableState] = {}
    for variable in state.variables.values():
        root, values = variable.collection, {}
        for own, value in variable.values.items():
            if isinstance(value, ObjectValue) and id(value) not in objects:
                objects[id(value)] = value.renamed(refs)
            values[mode_ref(root, own)] = objects[id(value)] if isinstance(value, ObjectValue) else value
        ref = refs.get(variable.ref, variable.ref)
        variables[ref] = structs.replace(variable, ref=ref, collection=refs.get(root, root), values=values)
    styles = {
        refs.get(ref, ref): structs.replace(style, ref=refs.get(ref, ref), members=with_aliases(style.members, refs))
        for ref, style in state.styles.items()
    }
    return FileState(collections, variables, state.opaque, styles)


def ids_of_answer(batch: Batch, answer: Mapping[str, str], ids: Mapping[Ref, str] | None = None) -> dict[Ref, str]:
    """Return the real ids of the objects that a batch creates, from the ``tempIdToRealId`` of its response.

    Ids of modes that extend a new one are not in the response and are derived from it. ``ids`` are the real ids from
    earlier batches. Ids that the response lacks are omitted.
    """
    known = {**(ids or {}), **answer}
    found = {ref: answer[ref] for ref in batch.makes if ref in answer}
    makes = frozenset(batch.makes)
    for element in batch.elements:
        if element.ref in known:
            for extension, own, followed in element.following:
                if own in makes and own not in known:
                    root_mode = root_mode_id(known.get(followed, followed))
                    known[own] = found[own] = f"{known.get(extension, extension)}/{root_mode}"
    return found


_NUMBERS = len("4294967295:4294967295")
_LONGEST_MODE = _NUMBERS + 2
_LONGEST_VARIABLE = len("VariableID:") + _NUMBERS + 2
_LONGEST_COLLECTION = len("VariableCollectionId:") + _NUMBERS + 2
_LONGEST_STYLE = len("S:") + 40 + 2
_LONGEST_EXTENDED_MODE = _LONGEST_COLLECTION + len("/") + _NUMBERS
"""The greatest lengths of the platform's ids in bytes with quotation marks, for numbers of 32 bits."""


class PlannedValue(Struct, frozen=True, gc=False):
    """A value that the plan sets, and the index of its operation."""

    operation: int
    value: StateValue | None


class OperationIndex:
    """A plan's operations by kind and object, with their indices, and the values after them."""

    def __init__(self, operations: Sequence[Operation], before: FileState) -> None:
        self.before = before
        self.operations = operations
        self.kinds = {*map(type, operations)}
        self.lengths: dict[Ref, int] = {}
        """The greatest length of the real id of each temporary ref, in bytes with quotation marks."""
        self.new: dict[Ref, tuple[int, CreateVariable]] = {}
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
        self.waits_for: dict[Ref, frozenset[Ref]] = {}
        """New extension -> the modes that must be created in an earlier request.

        Only the first mode of a new collection, which is created with it, can be extended in the same request.
        """
        self._modes_created_in: dict[Ref, set[Ref]] = {}
        roots: dict[Ref, Ref] = {}
        for index, operation in enumerate(operations):
            match operation:
                case SetValue(variable=ref, mode=mode, after=value):
                    self.values.setdefault(ref, {})[mode] = PlannedValue(index, value)
                case CreateVariable(variable=variable):
                    self.new[variable.ref] = index, operation
                    self.lengths[variable.ref] = _LONGEST_VARIABLE
                    self.values[variable.ref] = {
                        mode: PlannedValue(index, value) for mode, value in variable.values.items()
                    }
                case UpdateVariable(ref=ref):
                    self.updated[ref] = index, operation
                case CreateStyle(style=style):
                    self.lengths[style.ref] = _LONGEST_STYLE
                case DeleteVariable(ref=ref):
                    self.deleted[ref] = index, operation
                case CreateExtension(ref=ref, parent=parent):
                    parent_state = before.collections.get(parent)
                    roots[ref] = roots.get(parent, parent) if parent_state is None else parent_state.root
                    self._add_modes(index, operation)
                case CreateCollection() | CreateMode():
                    self._add_modes(index, operation)
                case DeleteMode() | DeleteCollection():
                    self._add_deletion(index, operation)
                case _:
                    pass
        for extension, root in roots.items():
            self.waits_for[extension] = frozenset(self._modes_created_in.get(root, ()))

    def _add_modes(self, index: int, operation: CreateCollection | CreateExtension | CreateMode) -> None:
        match operation:
            case CreateCollection(ref=ref, modes=modes):
                self.lengths[ref] = _LONGEST_COLLECTION
                self.lengths |= {mode.ref: _LONGEST_MODE for mode in modes}
                self._modes_created_in[ref] = {mode.ref for mode in modes[1:]}
            case CreateExtension(ref=ref, modes=modes):
                self.lengths[ref] = _LONGEST_COLLECTION
                self.lengths |= {mode.ref: _LONGEST_EXTENDED_MODE for mode in modes}
                self.extending |= {mode.ref: ref for mode in modes}
            case CreateMode(ref=ref, collection=collection, extended=extended):
                self.new_modes.setdefault(collection, {})[ref] = index, operation
                self._modes_created_in.setdefault(collection, set()).add(ref)
                self.lengths[ref] = _LONGEST_MODE
                for _, own in extended:
                    self.lengths[own] = _LONGEST_EXTENDED_MODE
                    self.extended[own] = ref

    def _add_deletion(self, index: int, operation: DeleteMode | DeleteCollection) -> None:
        if isinstance(operation, DeleteMode):
            self.mode_deletions.setdefault(operation.collection, []).append((index, operation))
            for member in self.before.family(operation.collection):
                for own, root in root_modes(self.before, member).items():
                    if root == operation.ref:
                        self.deleted_modes[operation.collection, own] = index
            return
        collection = self.before.collections[operation.ref]
        self.deleted_collections |= {operation.ref, *self.before.extensions_of(operation.ref)}
        if collection.parent is not None:
            for member in self.before.family(collection.root):
                if member.ref in self.deleted_collections:
                    for mode in member.modes:  # a mode deleted with the root's is deleted before the extension
                        self.deleted_modes.setdefault((member.root, mode.ref), index)

    def survives(self, ref: Ref) -> bool:
        """Return whether the plan does not delete a variable."""
        variable = self.before.variables[ref]
        return ref not in self.deleted and variable.collection not in self.deleted_collections

    def final_targets(self, ref: Ref) -> list[Ref]:
        """Return the alias targets of a variable in any mode after the plan, possibly with repetitions."""
        if ref in self.new:
            return targets_of(*self.new[ref][1].variable.values.values())
        planned = self.values.get(ref, {})
        values = [value.value for value in planned.values()]
        variable = self.before.variables.get(ref)
        if variable is not None:
            for mode, value in variable.values.items():
                is_deleted = (variable.collection, mode) in self.deleted_modes
                if mode not in planned and (not is_deleted or self._is_copied(variable, mode)):
                    values.append(value)
        return targets_of(*values)

    def _is_copied(self, variable: VariableState, mode: Ref) -> bool:
        """Return whether a deleted mode is the default one, and a new mode copies the variable's value from it."""
        new = self.new_modes.get(variable.collection)
        if not new or self.before.collections[variable.collection].default != mode:
            return False
        planned = self.values.get(variable.ref, {})
        return any(new_mode not in planned for new_mode in new)

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
            continue
        index = indexed.deleted_modes[variable.collection, mode]
        deletion = indexed.operations[index]
        root = indexed.before.collections[variable.collection]
        has_lasting_mode = any((root.ref, own.ref) not in indexed.deleted_modes for own in root.modes)
        if isinstance(deletion, DeleteMode) and has_lasting_mode:
            result.modes[index] = deletion
            continue
        value = None  # an extension's mode inherits; a root's gets the value of the first new mode
        if any(own.ref == mode for own in root.modes):
            new = next(iter(indexed.new_modes[root.ref]))
            planned = indexed.values.get(variable.ref, {})
            value = planned[new].value if new in planned else variable.values[root.default]
        result.bridges.setdefault(variable.ref, []).append(Bridge(mode, value, index))
    return result._replace(interim=_merged_targets(deleted, staying))


def _merged_targets(deleted: dict[Ref, list[Ref]], aliases: Iterable[_Alias]) -> dict[Ref, list[Ref]]:
    result = {**deleted}  # aliases are those of other variables, which stay
    for variable, _, targets in aliases:
        result.setdefault(variable.ref, []).extend(targets)
    return result


def _aliases_in_deleted_modes(indexed: OperationIndex) -> Iterator[_Alias]:
    """Yield the aliases in deleted modes of variables that stay."""
    roots = {root for root, _ in indexed.deleted_modes}
    for ref, variable in indexed.before.variables.items():
        if variable.collection in roots and indexed.survives(ref):
            for mode, value in variable.values.items():
                if isinstance(value, ObjectValue) and (variable.collection, mode) in indexed.deleted_modes:
                    yield _Alias(variable, mode, list(value.targets()))


class Atom(Struct, frozen=True):
    """Elements that share a request if it can hold them; otherwise they are split in this order.

    ``waits_for`` are modes that must be created in an earlier request, and ``why`` is the reason. ``notes`` describe
    unexpected effects.
    """

    elements: tuple[Element, ...]
    waits_for: frozenset[Ref] = frozenset()
    why: str = ""
    notes: tuple[str, ...] = ()


_DROPPED_FIRST, _RENAMED, _DROPPED_FOR_CAPACITY, _DESCRIBED = range(-1, 3)
"""The order within the array of variables. Variables are created and changed in the order of the operations."""

_EXTENSION_WAITS = "a collection can be extended only after the request that creates its modes"
_OVERRIDE_WAITS = "overrides in new modes of extensions need ids that Figma assigns first"


class Phases:
    """Makes the atoms of a plan's operations."""

    def __init__(self, indexed: OperationIndex) -> None:
        self._index = indexed
        self._encoder = Encoder(indexed.lengths.keys())
        self._cycle_breaks = cycle_breaks(indexed) if indexed.deleted_modes else CycleBreaks({}, {}, {})
        new_modes = (mode for modes in indexed.new_modes.values() for mode in modes)
        later = (*indexed.extended, *indexed.extending, *new_modes)
        self._later: dict[Ref, list[tuple[Ref, PlannedValue]]] = {mode: [] for mode in later}
        """Variables and values for each mode that is created after the variables."""
        for ref, values in indexed.values.items() if later else ():
            for mode in self._later.keys() & values.keys():
                self._later[mode].append((ref, values[mode]))
        copied = (
            ref
            for root, modes in indexed.new_modes.items()
            for mode in modes
            for ref, _ in indexed.copied_default_values(root, mode)
        )
        interim, bridges = self._cycle_breaks.interim, self._cycle_breaks.bridges
        self._order = ranks(
            (*indexed.values, *indexed.new, *indexed.updated, *bridges, *copied),
            lambda ref: indexed.final_targets(ref) + interim.get(ref, []),
        )

    def atoms(self, *, together: bool) -> Iterator[Atom]:
        """Yield all atoms in an order in which they can be applied one by one.

        ``together`` is set if all share one request: then no intermediate state is visible, so deletions come first and
        renamings need no temporary names.
        """
        self._together = together
        self._capacity = Capacity(self._index)
        kinds = self._index.kinds
        if not kinds.isdisjoint((CreateCollection, UpdateCollection)):
            for index, operation in enumerate(self._index.operations):
                if isinstance(operation, CreateCollection | UpdateCollection):
                    yield self._atom(operation, index)
        if RenameMode in kinds:
            yield from self._mode_names()
        renamed: set[Ref] = set()
        if not kinds.isdisjoint((CreateVariable, UpdateVariable)):
            for atom in self._names():
                renamed.update(element.ref for element in atom.elements)
                yield atom
        for index, deletion in self._cycle_breaks.modes.items() if not together else ():
            self._capacity.delete_first(index, deletion)
            words = f"mode {deletion.name[:60]!r} is deleted before values change"
            yield self._atom(deletion, index, f"{words}: its aliases and the new values would form a cycle")
        yield from self._variables(renamed)
        if self._later:
            yield from self._new_modes()
            yield from self._extensions()
            for mode_ref, created in self._index.extended.items():
                if values := self._values_in(mode_ref):
                    yield Atom(tuple(values), frozenset((created,)), _OVERRIDE_WAITS)
        yield from self._styles()
        if not kinds.isdisjoint((DeleteCollection, DeleteMode, DeleteVariable)):
            yield from self._deletions()

    def _mode_names(self) -> Iterator[Atom]:
        """Yield renamings of modes; no two modes of a collection have the same name in between."""
        indexed = self._index
        renamed: dict[Ref, dict[Ref, tuple[int, RenameMode]]] = {}
        for index, operation in enumerate(indexed.operations):
            if isinstance(operation, RenameMode):
                renamed.setdefault(operation.collection, {})[operation.ref] = index, operation
        for root, operations in renamed.items():
            names = {mode.ref: mode.name for mode in indexed.before.collections[root].modes}
            created = [creation.name for _, creation in indexed.new_modes.get(root, {}).values()]
            deleted = [deletion.ref for _, deletion in indexed.mode_deletions.get(root, ())]
            new_names = {ref: operation.name[1] for ref, (_, operation) in operations.items()}
            grouped = renamings(names, new_names, created, deleted, longest=MODE_NAME_CHARACTERS)
            for group in grouped:
                elements: list[Element] = []
                for ref, name, is_temporary in group:
                    index = NO_OPERATION if is_temporary else operations[ref][0]
                    renaming = RenameMode(ref=ref, collection=root, name=("", name))
                    elements += renaming.elements(self._encoder, index)
                yield Atom(tuple(elements))
            done = {step.ref for group in grouped for step in group if not step.is_temporary}
            for ref, (index, operation) in operations.items():
                if ref not in done:
                    yield self._atom(operation, index)

    def _names(self) -> Iterator[Atom]:
        """Yield renamings that release or wait for a name, with the other changes of those variables."""
        indexed = self._index
        new_names: dict[Ref, dict[Ref, str]] = {}
        created: dict[Ref, list[str]] = {}
        for ref, (_, update) in indexed.updated.items():
            if update.name is not None:
                new_names.setdefault(indexed.before.variables[ref].collection, {})[ref] = update.name[1]
        for _, creation in indexed.new.values():
            created.setdefault(creation.variable.collection, []).append(creation.variable.name)
        names = {
            ref: {opaque.id: opaque.name for opaque in indexed.before.opaque_of(ref)} for ref in (*new_names, *created)
        }
        deleted: dict[Ref, list[Ref]] = {}
        for ref, variable in indexed.before.variables.items():
            if variable.collection not in names or (self._together and ref in indexed.deleted):
                continue  # in one request, the name of a deleted variable is free before another one gets it
            if ref in indexed.deleted:
                deleted.setdefault(variable.collection, []).append(ref)
            names[variable.collection][ref] = variable.name
        for root, own in names.items():
            for group in renamings(own, new_names.get(root, {}), created.get(root, ()), deleted.get(root, ())):
                elements: list[Element] = []
                notes: list[str] = []
                for ref, name, is_temporary in group:
                    if is_temporary:
                        index, change = NO_OPERATION, UpdateVariable(ref=ref, name=("", name))
                    else:
                        index, change = indexed.updated[ref]
                    elements += change.elements(self._encoder, index, _RENAMED)
                    if is_temporary and ref in indexed.deleted:
                        old = indexed.before.variables[ref].name
                        notes.append(
                            f"{old[:60]!r} is renamed to {name[:80]!r} before it is deleted, to release its name"
                        )
                yield Atom(tuple(elements), notes=tuple(notes))

    def _variables(self, renamed: set[Ref]) -> Iterator[Atom]:
        """Yield new and changed variables after their alias targets, with their values in existing modes."""
        indexed, encoder, ranked = self._index, self._encoder, self._order
        touched = dict.fromkeys((*indexed.new, *indexed.updated, *indexed.values, *self._cycle_breaks.bridges))
        group: list[Element] = []
        notes: list[str] = []
        last = -1
        for ref in sorted(touched, key=ranked.__getitem__):
            rank = ranked[ref]
            if rank != last and group:
                yield Atom(tuple(group), notes=tuple(notes))
                group, notes = [], []
            last = rank
            if ref in indexed.new:
                index, creation = indexed.new[ref]
                name = creation.variable.name[:60]
                deletion = None if self._together else self._capacity.for_variable(creation.variable.collection)
                if deletion is not None:
                    number, old = deletion
                    notes.append(f"{old.name[:60]!r} is deleted before {name!r} is created: the collection is full")
                    group += old.elements(encoder, number, _DROPPED_FOR_CAPACITY)
                group += creation.elements(encoder, index, _DESCRIBED + index)
            elif ref in indexed.updated and ref not in renamed:
                index, update = indexed.updated[ref]
                group += update.elements(encoder, index, _DESCRIBED + index)
            for mode, planned in indexed.values.get(ref, {}).items():
                if mode not in self._later:
                    group.append(encoder.value(ref, mode, planned.value, planned.operation, rank))
            if indexed.deleted_modes and not self._together:
                group += self._bridged(ref)
        if group:
            yield Atom(tuple(group), notes=tuple(notes))

    def _bridged(self, ref: Ref) -> Iterator[Element]:
        """Yield temporary values in modes to be deleted: those that avoid cycles, and those of a new variable."""
        indexed, encoder, rank = self._index, self._encoder, self._order[ref]
        for bridge in self._cycle_breaks.bridges.get(ref, ()):
            yield encoder.value(ref, bridge.mode, bridge.value, bridging(bridge.deletion), rank)
        if ref in indexed.new:
            variable = indexed.new[ref][1].variable
            root = variable.collection
            for index, deletion in indexed.mode_deletions.get(root, ()):
                if index not in self._cycle_breaks.modes:
                    # Its value in the first remaining mode, or in the first new one.
                    modes = [mode.ref for mode in indexed.before.collections[root].modes]
                    lasting = [mode for mode in modes if (root, mode) not in indexed.deleted_modes]
                    value = variable.values[next(iter((*lasting, *indexed.new_modes.get(root, ()))))]
                    yield encoder.value(ref, deletion.ref, value, bridging(index), rank)

    def _new_modes(self) -> Iterator[Atom]:
        """Yield new modes of existing collections, each with all its values."""
        for root, modes in self._index.new_modes.items():
            for mode, (index, operation) in modes.items():
                deletion = self._capacity.for_mode(root)
                elements: list[Element] = []
                notes: tuple[str, ...] = ()
                if deletion is not None:
                    number, deleted = deletion
                    elements += deleted.elements(self._encoder, number)
                    if not self._together:
                        old, new = deleted.name[:60], operation.name[:60]
                        notes = (f"mode {old!r} is deleted before mode {new!r} is created: the collection is full",)
                elements += operation.elements(self._encoder, index)
                values = self._values_in(mode)
                if self._capacity.default_deleted_first(root):  # the platform copies the values of another mode
                    for ref, value in self._index.copied_default_values(root, mode):
                        values.append(self._encoder.value(ref, mode, value, index, self._order[ref]))
                    values.sort(key=attrgetter("order"))
                yield Atom((*elements, *values), notes=notes)

    def _extensions(self) -> Iterator[Atom]:
        """Yield new extensions with their overrides."""
        for index, operation in enumerate(self._index.operations):
            if isinstance(operation, CreateExtension):
                values = (element for mode in operation.modes for element in self._values_in(mode.ref))
                elements = (*operation.elements(self._encoder, index), *sorted(values, key=attrgetter("order")))
                yield Atom(elements, self._index.waits_for[operation.ref], _EXTENSION_WAITS)

    def _styles(self) -> Iterator[Atom]:
        """Yield the changes of styles: after the variables that they refer to, and before any of them are deleted."""
        if not self._index.kinds.isdisjoint(STYLES):
            for index, operation in enumerate(self._index.operations):
                if isinstance(operation, STYLES):
                    yield self._atom(operation, index)

    def _deletions(self) -> Iterator[Atom]:
        """Yield all deletions that did not have to come earlier."""
        extensions: list[Atom] = []
        roots: list[Atom] = []
        for index, operation in enumerate(self._index.operations):
            if isinstance(operation, DeleteCollection):
                is_root = self._index.before.collections[operation.ref].parent is None
                (roots if is_root else extensions).append(self._atom(operation, index))
        for deletions in self._index.mode_deletions.values():
            for index, deletion in deletions:
                if index not in self._capacity.used:
                    yield self._atom(deletion, index)
        yield from extensions  # before what they refer to, as far as the kinds of objects tell
        order = _DROPPED_FIRST if self._together else _DESCRIBED + len(self._index.operations)
        for index, operation in self._index.deleted.values():
            if index not in self._capacity.used:
                yield Atom(operation.elements(self._encoder, index, order))
        yield from roots

    def _values_in(self, mode: Ref) -> list[Element]:
        """Return all values in a new mode, in the order of aliases."""
        values = [
            self._encoder.value(ref, mode, planned.value, planned.operation, self._order[ref])
            for ref, planned in self._later[mode]
        ]
        return sorted(values, key=attrgetter("order"))

    def _atom(self, operation: Operation, index: int, *notes: str) -> Atom:
        return Atom(operation.elements(self._encoder, index), notes=notes)


class Capacity:
    """Counts the content of collections while requests are laid out, and selects early deletions in full ones."""

    def __init__(self, indexed: OperationIndex) -> None:
        self._index = indexed
        self._variables: dict[Ref, int] | None = None
        self._deletable: dict[Ref, list[tuple[int, DeleteVariable]]] = {}
        self._modes = {ref: len(collection.modes) for ref, collection in indexed.before.collections.items()}
        self._deletable_modes: dict[Ref, list[tuple[int, DeleteMode]]] = {}
        for root, deletions in indexed.mode_deletions.items():
            default = indexed.before.collections[root].default
            # Taken from the end. The default mode, which fills new ones, is the last one to be deleted.
            self._deletable_modes[root] = sorted(deletions, key=lambda pair: (pair[1].ref != default, -pair[0]))
        self.used: set[int] = set()
        """Operations whose deletions precede others."""

    def for_variable(self, collection: Ref) -> tuple[int, DeleteVariable] | None:
        """Count a new variable, and return the deletion that must precede it, if any."""
        if self._variables is None:
            self._variables = {ref: len(opaque) for ref, opaque in self._index.before.opaque.items()}
            for variable in self._index.before.variables.values():
                self._variables[variable.collection] = self._variables.get(variable.collection, 0) + 1
        count = self._variables.get(collection, 0)
        if count >= VARIABLES_PER_COLLECTION and self._index.deleted:
            if not self._deletable:
                self._deletable = self._deletions_by_collection()
            if deletions := self._deletable.get(collection):
                deletion = deletions.pop()
                self.used.add(deletion[0])
                return deletion
        self._variables[collection] = count + 1
        return None

    def for_mode(self, root: Ref) -> tuple[int, DeleteMode] | None:
        """Count a new mode, and return the deletion that must precede it, if any."""
        count = self._modes.get(root, 0)
        if count >= MODES_PER_COLLECTION and (deletions := self._deletable_modes.get(root)):
            deletion = deletions.pop()
            self.used.add(deletion[0])
            return deletion
        self._modes[root] = count + 1
        return None

    def delete_first(self, index: int, mode: DeleteMode) -> None:
        """Count a mode that is deleted before all others."""
        self.used.add(index)
        self._modes[mode.collection] -= 1
        self._deletable_modes[mode.collection].remove((index, mode))

    def default_deleted_first(self, root: Ref) -> bool:
        """Return whether a default mode is deleted before the last new mode is created and filled from another one."""
        collection = self._index.before.collections[root]
        deleted = self._index.deleted_modes.get((root, collection.default))
        is_full = len(collection.modes) + len(self._index.new_modes[root]) > MODES_PER_COLLECTION
        return deleted is not None and (is_full or deleted in self.used)

    def _deletions_by_collection(self) -> dict[Ref, list[tuple[int, DeleteVariable]]]:
        """Return the deletions of variables by collection, in reverse order: unreferenced variables are last."""
        indexed = self._index
        referred = {
            target
            for ref, variable in indexed.before.variables.items()
            if indexed.survives(ref)
            for target in targets_of(*variable.values.values())
        }
        result: dict[Ref, list[tuple[int, DeleteVariable]]] = {}
        for index, operation in sorted(
            indexed.deleted.values(), key=lambda pair: (pair[1].ref not in referred, -pair[0])
        ):
            result.setdefault(operation.collection, []).append((index, operation))
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
