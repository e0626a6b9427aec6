"""Pieces of requests, and atoms: the pieces that belong into one request."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.plan.batches.changes import (
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
)

if TYPE_CHECKING:
    from tokensync.plan.batches.changes import Change
    from tokensync.plan.batches.encoding import Part
    from tokensync.plan.state import Ref

NO_OPERATION = -1


def bridging(deletion: int) -> int:
    """In the place of an operation's index: the piece only bridges the time until the deletion of this index."""
    return -2 - deletion


ARRAY_OF = {
    **dict.fromkeys((MakeCollection, MakeExtension, ChangeCollection, DropCollection), 0),
    **dict.fromkeys((MakeMode, NameMode, DropMode), 1),
    **dict.fromkeys((MakeVariable, ChangeVariable, DropVariable), 2),
    GiveValue: 3,
}
"""The array of a request that each kind of change stands in."""


class Piece(NamedTuple):
    """One element of one array, encoded.

    ``array`` is the index of the array. ``order`` sorts within it; of equal ones the first to be packed comes first.
    ``operation`` is the index of the plan's operation that it is of, NO_OPERATION, or ``bridging`` a deletion: then it
    is left out of a request that has the deletion in it, too.
    """

    change: Change
    parts: tuple[Part, ...]
    operation: int
    order: int
    array: int


class Atom(NamedTuple):
    """Pieces that share a request, as long as one request can hold them.

    ``waits_for`` are modes that have to be made in an earlier request; ``why`` says so to people. ``notes`` tell what a
    reader may not expect. Pieces stand in an order in which they can be parted, if they have to be.
    """

    pieces: tuple[Piece, ...]
    waits_for: frozenset[Ref] = frozenset()
    why: str = ""
    notes: tuple[str, ...] = ()
