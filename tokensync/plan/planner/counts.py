"""How much a plan does, counted by kind."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateVariable,
)
from tokensync.plan.plan import Counts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.plan.operations import Operation


def counts_of(operations: Iterable[Operation]) -> Counts:
    """The counts. The modes of a new collection are new modes; those of an extension come with their parents."""
    by_kind: Counter[type] = Counter()
    updated: set[str] = set()
    modes = 0
    for each in operations:
        by_kind[type(each)] += 1
        if isinstance(each, CreateCollection):
            modes += len(each.modes)
        elif isinstance(each, SetValue):
            updated.add(each.variable)
        elif isinstance(each, UpdateVariable):
            updated.add(each.ref)
    return Counts(
        collections_created=by_kind[CreateCollection] + by_kind[CreateExtension],
        collections_updated=by_kind[UpdateCollection],
        collections_deleted=by_kind[DeleteCollection],
        modes_created=by_kind[CreateMode] + modes,
        modes_updated=by_kind[RenameMode],
        modes_deleted=by_kind[DeleteMode],
        variables_created=by_kind[CreateVariable],
        variables_updated=len(updated),
        variables_deleted=by_kind[DeleteVariable],
        values_set=by_kind[SetValue],
    )
