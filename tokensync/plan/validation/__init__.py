"""Check a plan for what the platform would refuse, before anything is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.plan.validation.collections import (
    Intent,
    changeless_faults,
    default_mode_faults,
    extension_faults,
    fixed_faults,
    room_faults,
)
from tokensync.plan.validation.values import alias_faults, cycle_faults, gap_faults, literal_faults
from tokensync.plan.validation.variables import name_faults, scope_faults, size_faults, text_faults

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState, Ref
    from tokensync.problems import Problem

__all__ = ["RULES", "faults"]

RULES: Final = (
    name_faults,
    room_faults,
    default_mode_faults,
    extension_faults,
    changeless_faults,
    fixed_faults,
    gap_faults,
    literal_faults,
    alias_faults,
    cycle_faults,
    scope_faults,
    text_faults,
    size_faults,
)
"""Every rule, each a function of the intent. All of them run, so that all problems are reported at once."""


def faults(
    before: FileState,
    after: FileState,
    operations: Sequence[Operation],
    where: Callable[[Ref, Ref | None], str],
    earlier: Sequence[FileState] = (),
) -> tuple[Problem, ...]:
    """Return all that the platform would refuse, each with the location that ``where`` returns.

    These are errors, and warnings where only the platform knows. ``operations`` are ``differences(before, after)``.
    Only what they touch is judged: an oddity that was there before and stays is no fault. ``earlier`` are states that
    the platform has held: what odd words it used then, it takes again. That the platform refuses text in a
    shared organization's font cannot be known beforehand.
    """
    intent = Intent(before, after, operations, where, earlier)
    return tuple(fault for rule in RULES for fault in rule(intent))
