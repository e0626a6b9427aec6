"""Variables: made, changed, deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.differ.columns import columns_of
from tokensync.plan.differ.metadata import changed_metadata
from tokensync.plan.differ.overrides import changed_overrides
from tokensync.plan.differ.values import changed_values
from tokensync.plan.digests import Digests
from tokensync.plan.operations import CreateVariable, DeleteVariable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.operations import SetValue, UpdateVariable
    from tokensync.plan.state import FileState


def changed_variables(before: FileState, after: FileState) -> Iterator[CreateVariable | UpdateVariable | SetValue]:
    """New variables, and for each of the others what is said of it and its values, one after the other."""
    columns = columns_of(before, after)
    for ref, now in after.variables.items():
        was = before.variables.get(ref)
        if was is None:
            if not now.fixed:
                yield CreateVariable(variable=now)
            continue
        if was == now:
            continue
        if not now.fixed and (update := changed_metadata(was, now)) is not None:
            yield update
        own = columns.get(now.collection)
        if own is not None and was.values != now.values:
            if not now.fixed:
                yield from changed_values(was, now, own)
            if own.overriding:
                yield from changed_overrides(was, now, own)


def deleted_variables(before: FileState, after: FileState) -> Iterator[DeleteVariable]:
    """Variables that go while their collection stays."""
    digests = Digests(before)
    for ref, was in before.variables.items():
        if ref not in after.variables and not was.fixed and was.collection in after.collections:
            yield DeleteVariable(ref=ref, name=was.name, collection=was.collection, digest=digests.of_variable(ref))
