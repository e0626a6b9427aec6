"""Turn a plan's operations into as few atomic requests as the platform's size limit allows, and compute their effects.

Requests are filled in one pass, each before the next, with the atoms of ``tokensync.plan.ordering``.
"""

from __future__ import annotations

from itertools import groupby
from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from tokensync.plan.operations import ARRAYS, COLLECTIONS, MODES, VARIABLES, Element, bridging, encode
from tokensync.plan.ordering import OperationIndex, Phases
from tokensync.plan.state import (
    BODY_BYTES,
    CollectionState,
    Editing,
    FileState,
    ModeState,
    ObjectValue,
    Ref,
    VariableState,
    root_modes,
    with_aliases,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.ordering import Atom


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
                modes.setdefault(mode, f"{ids[collection.ref]}/{_numbers(ids.get(root, root))}")
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
                    root_mode = _numbers(known.get(followed, followed))
                    known[own] = found[own] = f"{known.get(extension, extension)}/{root_mode}"
    return found


def _numbers(mode: str) -> str:
    """Return the root mode's id from its own id or from that of a mode that extends it."""
    return mode.rpartition("/")[2]
