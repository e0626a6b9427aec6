"""Atoms into requests: each is filled before the next is begun, in one pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.batches.atoms import bridging
from tokensync.plan.batches.batch import Batch
from tokensync.plan.batches.changes import Changes, MakeMode
from tokensync.plan.batches.encoding import ARRAYS, encode

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.plan.batches.atoms import Atom, Piece
    from tokensync.plan.state import Ref

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
        """The requests, in the order in which they have to be sent."""
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
        """An atom that no request can hold, in as many as it takes. A piece that is too large is one by itself."""
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
        self._modes.update(piece.change.ref for piece in pieces if type(piece.change) is MakeMode)

    def _size_of(self, pieces: Iterable[Piece]) -> int:
        """The most bytes of these pieces, each with a comma after it."""
        lengths = self._lengths
        size = 0
        for _, parts, _, _, _ in pieces:
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
        kept.sort(key=lambda piece: (piece.array, piece.order))
        changes = _changes(kept)
        arrays = tuple(tuple(piece.parts for piece in kept if piece.array == array) for array in range(len(ARRAYS)))
        empty = sum(len(b'"":[],') + len(name) for name, elements in zip(ARRAYS, arrays, strict=True) if not elements)
        # Each element was counted with a comma, and so was each array: the last of them has none.
        commas = sum(1 for elements in arrays if elements) + 1
        new = {index for index in carried if index >= 0} - self._counted
        self._counted |= new
        made = changes.made()
        batch = Batch(
            why=self._why,
            notes=tuple(self._notes),
            operations=len(new),
            changes=changes,
            makes=made,
            largest=_FRAME + self._size_of(kept) - empty - commas,
            arrays=arrays,
        )
        for ref in made:
            self._lengths[ref] = self._longest[ref]
        return batch


def _changes(pieces: Iterable[Piece]) -> Changes:
    """The changes of pieces, which are sorted by their arrays."""
    arrays: tuple[list[object], ...] = ([], [], [], [])
    for piece in pieces:
        arrays[piece.array].append(piece.change)
    return Changes(*map(tuple, arrays))  # type: ignore[arg-type]
