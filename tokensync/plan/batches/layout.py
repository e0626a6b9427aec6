"""Pack the atoms of a plan into requests: each atomic, and filled before the next is begun, in one pass."""

from __future__ import annotations

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
    """Return the requests that carry operations out, in order; the same for the same operations and state.

    One request if the platform's order within it allows and ``limit`` bytes do. Otherwise
    each leaves a file that is valid and holds no value that nobody gave, and deletions come last. Only what no request
    can hold is parted: a new mode or a variable whose values alone take more than ``limit``. A single change that takes
    more makes a batch that is larger than ``limit``.
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

    ``why`` says why it is a request of its own (empty for the first), ``notes`` what it does that a reader may not
    expect. ``operations`` counts those of the plan's operations of which it is the first to carry out a part. ``makes``
    are the temporary refs of all that it makes, extended modes too. ``largest`` is the most bytes that its body can
    have: exactly what it has, unless it refers to what an earlier batch makes.
    """

    why: str
    notes: tuple[str, ...]
    operations: int
    elements: Elements
    makes: tuple[Ref, ...]
    largest: int
    arrays: Arrays

    def body(self, ids: Mapping[Ref, str]) -> bytes:
        """Return the JSON to send. ``ids`` are the real ids of what earlier batches made, by their temporary refs."""
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
        """Return whether the platform refuses it a second time, so that it can be sent again safely.

        It does where a variable is made in a collection that exists already, as its name is taken then,
        and where something is deleted, as it is not found any more.
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
    """Fills requests of at most ``limit`` bytes. ``longest`` has the most bytes of the id of each temporary ref."""

    def __init__(self, longest: Mapping[Ref, int], limit: int) -> None:
        self._longest = longest
        self._limit = limit
        self._lengths = {ref: len(encode(ref)) for ref in longest}  # what a ref takes up as things stand now
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
        """One request for all, or None as soon as it is plain that one does not do."""
        for atom in atoms:
            size = self._size_of(atom.pieces)
            if self._size + size > self._limit and (self._pieces or len(atom.pieces) > 1):
                return None
            self._add(atom.pieces, size)
        return self._finished()

    def batches(self, atoms: Iterable[Atom]) -> Iterator[Batch]:
        """Yield the requests, in the order in which they have to be sent."""
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
        """Yield an atom that no request can hold, in as many as it takes. A piece that is too large is one by
        itself.
        """
        for piece in atom.pieces:
            size = self._size_of((piece,))
            if self._pieces and self._size + size > self._limit:
                yield self._finished()
                self._begin(f"what belongs together takes more than one request: each holds at most {self._amount()}")
                size = self._size_of((piece,))
            self._add((piece,), size)

    def _add(self, pieces: tuple[Piece, ...], size: int) -> None:
        self._pieces += pieces
        self._size += size
        self._modes.update(piece.element.ref for piece in pieces if type(piece.element) is MakeMode)

    def _size_of(self, pieces: Iterable[Piece]) -> int:
        """Return the most bytes of these pieces, each with a comma after it."""
        lengths = self._lengths
        size = 0
        for _, parts, _, _ in pieces:
            size += 1
            for part in parts:
                size += len(part) if type(part) is bytes else lengths[part]  # type: ignore[index]
        return size

    def _full(self) -> str:
        return f"the request before it reached {self._amount()}"

    def _amount(self) -> str:
        whole, rest = divmod(self._limit, 1024 * 1024)
        return f"{self._limit:,} bytes" if rest else f"{whole} MB"

    def _finished(self) -> Batch:
        carried = {piece.operation for piece in self._pieces}
        bridged = {bridging(index) for index in carried if index >= 0}
        kept = [piece for piece in self._pieces if piece.operation not in bridged]
        kept.sort(key=lambda piece: (piece.element.array, piece.order))
        split = [[piece for piece in kept if piece.element.array == array] for array in range(len(ARRAYS))]
        elements = Elements(*(tuple(piece.element for piece in array) for array in split))  # type: ignore[arg-type]
        arrays = tuple(tuple(piece.parts for piece in array) for array in split)
        empty = sum(len(b'"":[],') + len(name) for name, array in zip(ARRAYS, arrays, strict=True) if not array)
        # Each element was counted with a comma, and so was each array: the last of them has none.
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
            largest=_FRAME + self._size_of(kept) - empty - commas,
            arrays=arrays,
        )
        for ref in made:
            self._lengths[ref] = self._longest[ref]
        return batch


def after(state: FileState, batch: Batch) -> FileState:
    """Return the state that the platform has after it took the batch in this state; things keep their temporary refs.

    It is worked out as the platform does it, element after element, so that what no later batch corrects shows in it.
    """
    file = Editing(state)
    for array in batch.elements:
        for element in array:
            element.carry_out(file)
    return file.finished()


def with_ids(state: FileState, ids: Mapping[Ref, str]) -> FileState:
    """Return the same state with real ids in the place of temporary refs.

    An extension's mode without an id of its own in ``ids`` has it by the platform's rule, when its extension has one:
    ``<collection id>/<root mode id>``.
    """
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
    """Return the real ids of all that a batch makes, from the ``tempIdToRealId`` of its answer.

    The answer does not tell those of modes that extend a new one; they follow from it. ``ids`` are the real ids that
    earlier batches got. What the answer leaves out is left out here.
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
    """Return a root mode's id, from its own or that of a mode that extends it."""
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
