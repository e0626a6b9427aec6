"""Overrides: values in the modes of extensions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.operations import SetValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.differ.columns import Columns
    from tokensync.plan.state import VariableState


def changed_overrides(was: VariableState, now: VariableState, columns: Columns) -> Iterator[SetValue]:
    """Overrides that are new, that are other ones, or that are taken away so that the parent's value counts again.

    Those of an extension that goes, or of a mode that goes, go with it.
    """
    for mode, value in now.values.items():
        if mode in columns.overriding:
            old = was.values.get(mode)
            if old != value:
                yield SetValue(variable=now.ref, mode=mode, before=old, after=value)
    for mode, value in was.values.items():
        if mode in columns.overriding and mode not in now.values:
            yield SetValue(variable=now.ref, mode=mode, before=value)
