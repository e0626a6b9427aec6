"""What has to be done to a file so that one state becomes another: one comparator an aspect, joined by refs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.differ.collections import changed_collections, deleted_collections
from tokensync.plan.differ.modes import changed_modes, deleted_modes
from tokensync.plan.differ.variables import changed_variables, deleted_variables

if TYPE_CHECKING:
    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState

__all__ = ["differences"]


def differences(before: FileState, after: FileState) -> tuple[Operation, ...]:
    """The operations that lead from one state to the other: what is made and changed first, what is deleted last.

    What no request can change (the order of things, a default mode, a type, the name of an extension's mode) makes no
    operation; ``tokensync.plan.validation`` tells of it. What is ``fixed`` makes none either, but for overrides of it
    in extensions that are not. The cost is linear in the two states.
    """
    return (
        *changed_collections(before, after),
        *changed_modes(before, after),
        *changed_variables(before, after),
        *deleted_variables(before, after),
        *deleted_modes(before, after),
        *deleted_collections(before, after),
    )
