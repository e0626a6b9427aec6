"""Pack the atoms of a plan into atomic requests in one pass, filling each before the next."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from msgspec import Struct, structs

from tokensync.plan.batches.elements import (
    ARRAYS,
    Elements,
    Encoder,
    MakeExtension,
    MakeMode,
    MakeVariable,
    Part,
    bridging,
    encode,
)
from tokensync.plan.batches.operation_index import OperationIndex
from tokensync.plan.batches.phases import Phases
from tokensync.plan.state import (
    BODY_BYTES,
    CollectionState,
    Editing,
    FileState,
    ModeState,
    ObjectValue,
    Ref,
    root_modes,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.batches.elements import Atom, Piece
    from tokensync.plan.operations import Operation
    from tokensync.plan.state import StateValue


def batches_of(operations: Sequence[Operation], before: FileState, *, limit: int = BODY_BYTES) -> tuple[Batch, ...]:
    """Return the requests that apply operations, in order; always the same for the same operations and state.

    It is one request if the platform's order within it and ``limit`` (in bytes) allow. Otherwise each request leaves a
    valid file without undesired values, and deletions come last. A new mode or a variable whose values exceed ``limit``
    is split; a single change that exceeds it makes a larger batch.
    """
    if not operations:
        return ()
    indexed = OperationIndex(operations, before)
    phases = Phases(indexed, Encoder(indexed.lengths.keys()))
    if not indexed.takes_two:
        batch = Packer(indexed.lengths, limit).only_batch(phases.atoms(together=True))
        if batch is not None:
            return (batch,)
    return tuple(Packer(indexed.lengths, limit).batches(phases.atoms(together=False)))


Arrays = tuple[tuple[tuple[Part, ...], ...], ...]
"""The elements of the four arrays, each in parts."""


class Batch(Struct, frozen=True):
    """One POST body.

    ``why`` is the reason for a separate request (empty for the first); ``notes`` describe unexpected effects.
    ``operations`` counts the plan's operations that it begins to apply. ``makes`` are the temporary refs of all created
    objects, including modes of extensions. ``largest`` is the size of its body in bytes, or the largest possible size
    if it refers to objects that an earlier batch creates.
    """

    why: str
    notes: tuple[str, ...]
    operations: int
    elements: Elements
    makes: tuple[Ref, ...]
    largest: int
    arrays: Arrays

    def body(self, ids: Mapping[Ref, str]) -> bytes:
        """Return the JSON to send. ``ids`` maps temporary refs to the real ids from earlier batches."""
        written: dict[Ref, bytes] = {}
        listed = []
        for name, elements in zip(ARRAYS, self.arrays, strict=True):
            if elements:
                text = b",".join(b"".join(_texts(element, ids, written)) for element in elements)
                listed.append(b'"%s":[%s]' % (name.encode(), text))
        return b"{%s}" % b",".join(listed)

    def size(self, ids: Mapping[Ref, str]) -> int:
        """Return the number of bytes of ``body(ids)``."""
        return len(self.body(ids))

    @property
    def guarded(self) -> bool:
        """Return whether the platform refuses the batch a second time, so that it can safely be sent again.

        It does if the batch creates a variable in an existing collection (its name is taken then) or deletes an object.
        """
        if any(each.deletes for array in self.elements for each in array):
            return True
        made = {each.ref for each in self.elements.collections}
        variables = (each.variable for each in self.elements.variables if isinstance(each, MakeVariable))
        return any(each.collection not in made for each in variables)


def _texts(element: tuple[Part, ...], ids: Mapping[Ref, str], written: dict[Ref, bytes]) -> Iterator[bytes]:
    for part in element:
        if isinstance(part, bytes):
            yield part
            continue
        text = written.get(part)
        if text is None:
            text = written[part] = encode(ids.get(part, part))
        yield text


_FRAME = len(b"{}") + sum(len(b'"":[],') + len(name) for name in ARRAYS)


class Packer:
    """Fills requests of at most ``limit`` bytes. ``longest`` has the greatest id length by temporary ref."""

    def __init__(self, longest: Mapping[Ref, int], limit: int) -> None:
        self._longest = longest
        self._limit = limit
        self._lengths = {ref: len(encode(ref)) for ref in longest}  # the present length of each ref
        self._counted: set[int] = set()
        self._why = ""
        self._begin("")

    def _begin(self, why: str) -> None:
        self._pieces: list[Piece] = []
        self._notes: list[str] = []
        self._modes: set[Ref] = set()
        self._size = _FRAME
        self._why = why

    def only_batch(self, atoms: Iterable[Atom]) -> Batch | None:
        """Return one request for all atoms, or None if it would be too large."""
        for atom in atoms:
            size = self._size_of(atom.pieces)
            if self._size + size > self._limit and (self._pieces or len(atom.pieces) > 1):
                return None
            self._add(atom.pieces, size)
        return self._finished()

    def batches(self, atoms: Iterable[Atom]) -> Iterator[Batch]:
        """Yield the requests in the order in which they must be sent."""
        for atom in atoms:
            if not self._modes.isdisjoint(atom.waits_for):
                yield self._finished()
                self._begin(atom.why)
            size = self._size_of(atom.pieces)
            if self._pieces and self._size + size > self._limit:
                yield self._finished()
                self._begin(self._full())
                size = self._size_of(atom.pieces)
            self._notes += atom.notes
            if self._size + size > self._limit:
                yield from self._parted(atom)
            else:
                self._add(atom.pieces, size)
        if self._pieces:
            yield self._finished()

    def _parted(self, atom: Atom) -> Iterator[Batch]:
        """Yield full requests with the pieces of an atom that is too large for one. A piece is never split."""
        for piece in atom.pieces:
            size = self._size_of((piece,))
            if self._pieces and self._size + size > self._limit:
                yield self._finished()
                self._begin(f"related changes do not fit into one request of at most {self._amount()}")
                size = self._size_of((piece,))
            self._add((piece,), size)

    def _add(self, pieces: tuple[Piece, ...], size: int) -> None:
        self._pieces += pieces
        self._size += size
        self._modes.update(piece.element.ref for piece in pieces if type(piece.element) is MakeMode)

    def _size_of(self, pieces: Iterable[Piece]) -> int:
        """Return the largest possible size of the pieces in bytes, each with a comma."""
        lengths = self._lengths
        size = 0
        for piece in pieces:
            size += 1
            for part in piece.parts:
                size += len(part) if type(part) is bytes else lengths[part]  # type: ignore[index]
        return size

    def _full(self) -> str:
        return f"the previous request reached {self._amount()}"

    def _amount(self) -> str:
        whole, rest = divmod(self._limit, 1024 * 1024)
        return f"{self._limit:,} bytes" if rest else f"{whole} MB"

    def _finished(self) -> Batch:
        carried = {piece.operation for piece in self._pieces}
        bridged = {bridging(index) for index in carried if index >= 0} & carried
        kept = [piece for piece in self._pieces if piece.operation not in bridged] if bridged else self._pieces
        split: list[list[Piece]] = [[] for _ in ARRAYS]
        for piece in kept:
            split[piece.element.array].append(piece)
        for array in split:
            array.sort(key=attrgetter("order"))
        elements = Elements(*(tuple(piece.element for piece in array) for array in split))  # type: ignore[arg-type]
        arrays = tuple(tuple(piece.parts for piece in array) for array in split)
        empty = sum(len(b'"":[],') + len(name) for name, array in zip(ARRAYS, arrays, strict=True) if not array)
        # A comma was counted for each element and each array; the last ones have none.
        commas = sum(1 for array in arrays if array) + 1
        new = {index for index in carried if index >= 0} - self._counted
        self._counted |= new
        made = elements.made()
        batch = Batch(
            why=self._why,
            notes=tuple(self._notes),
            operations=len(new),
            elements=elements,
            makes=made,
            largest=(_FRAME + self._size_of(kept) if bridged else self._size) - empty - commas,
            arrays=arrays,
        )
        for ref in made:
            self._lengths[ref] = self._longest[ref]
        return batch


def after(state: FileState, batch: Batch) -> FileState:
    """Return the state of the platform after a batch; new objects retain their temporary refs.

    Elements are applied one by one as the platform does, so that their side effects are included.
    """
    file = Editing(state)
    for array in batch.elements:
        for element in array:
            element.carry_out(file)
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
    objects: dict[int, ObjectValue] = {}

    def value(given: StateValue) -> StateValue:
        if not isinstance(given, ObjectValue):
            return given
        found = objects.get(id(given))
        if found is None:
            found = objects[id(given)] = given.renamed(ids)
        return found

    collections = (_collection_with_ids(each, ids, modes) for each in state.collections.values())
    variables = (
        structs.replace(
            each,
            ref=ids.get(each.ref, each.ref),
            collection=ids.get(each.collection, each.collection),
            values={modes.get(mode, mode): value(held) for mode, held in each.values.items()},
        )
        for each in state.variables.values()
    )
    return FileState({each.ref: each for each in collections}, {each.ref: each for each in variables}, state.opaque)


def ids_of_answer(batch: Batch, answer: Mapping[str, str], ids: Mapping[Ref, str] | None = None) -> dict[Ref, str]:
    """Return the real ids of the objects that a batch creates, from the ``tempIdToRealId`` of its response.

    Ids of modes that extend a new one are not in the response and are derived from it. ``ids`` are the real ids from
    earlier batches. Ids that the response lacks are omitted.
    """
    known = {**(ids or {}), **answer}
    makes = frozenset(batch.makes)
    found = {ref: answer[ref] for ref in batch.makes if ref in answer}
    collections, modes, _, _ = batch.elements
    extended: list[tuple[Ref, Ref, Ref]] = []
    for mode in modes:
        if isinstance(mode, MakeMode) and mode.ref in known:
            extended += ((extension, own, mode.ref) for extension, own in mode.extended)
    for made in collections:
        if isinstance(made, MakeExtension) and made.ref in known:
            extended += ((made.ref, own, parent) for parent, own in made.modes)
    for extension, own, followed in extended:
        if own in makes and own not in known:
            known[own] = found[own] = f"{known.get(extension, extension)}/{_numbers(known.get(followed, followed))}"
    return found


def _numbers(mode: str) -> str:
    """Return the root mode's id from its own id or from that of a mode that extends it."""
    return mode.rpartition("/")[2]


def _collection_with_ids(
    collection: CollectionState, ids: Mapping[Ref, str], modes: Mapping[Ref, str]
) -> CollectionState:
    return structs.replace(
        collection,
        ref=ids.get(collection.ref, collection.ref),
        root=ids.get(collection.root, collection.root),
        parent=None if collection.parent is None else ids.get(collection.parent, collection.parent),
        default=modes.get(collection.default, collection.default),
        modes=tuple(
            ModeState(modes.get(ref, ref), name, None if parent is None else modes.get(parent, parent))
            for ref, name, parent in ((each.ref, each.name, each.parent) for each in collection.modes)
        ),
    )
