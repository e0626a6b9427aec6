"""Values in the modes of a variable's own collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.operations import SetValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.differ.columns import Columns
    from tokensync.plan.state import VariableState


def changed_values(was: VariableState, now: VariableState, columns: Columns) -> Iterator[SetValue]:
    """A value that is another one, and in a new mode one that the mode would not come with.

    A new mode comes with the default mode's values, as they are before or after other values of the plan are set,
    which depends on the requests: only a value that equals both needs no setting. A value that is taken away makes no
    operation: the platform has none for it.
    """
    filled = tuple(held.values.get(mode) for held, mode in zip((was, now), columns.defaults, strict=True))
    for mode, value in now.values.items():
        if mode in columns.own:
            old = was.values.get(mode)
            if old != value:
                yield SetValue(variable=now.ref, mode=mode, before=old, after=value)
        elif mode in columns.new and filled != (value, value):
            yield SetValue(variable=now.ref, mode=mode, after=value)
