"""Find what the platform would refuse in a plan, before anything is sent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.plan.validation.collections import (
    Intent,
    capacity_problems,
    default_mode_problems,
    extension_problems,
    fixed_problems,
    immutable_problems,
    repeated_collection_problems,
)
from tokensync.plan.validation.values import alias_problems, cycle_problems, literal_problems, missing_value_problems
from tokensync.plan.validation.variables import name_problems, scope_problems, size_problems, text_problems

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState, Ref
    from tokensync.problems import Problem

__all__ = ["RULES", "faults"]

RULES: Final = (
    name_problems,
    capacity_problems,
    default_mode_problems,
    repeated_collection_problems,
    extension_problems,
    immutable_problems,
    fixed_problems,
    missing_value_problems,
    literal_problems,
    alias_problems,
    cycle_problems,
    scope_problems,
    text_problems,
    size_problems,
)
"""All rules. Every rule runs, so that all problems are reported at once."""


def validate(
    before: FileState,
    after: FileState,
    operations: Sequence[Operation],
    where: Callable[[Ref, Ref | None], str],
    earlier: Sequence[FileState] = (),
) -> tuple[Problem, ...]:
    """Return a problem for each change that the platform would refuse, at the location that ``where`` returns.

    A problem is a warning where only the platform knows. ``operations`` are ``differences(before, after)``; only what
    they change is checked, so existing oddities are no problems. ``earlier`` are states that the platform has held:
    it accepts their scopes, platforms and names again. Text in a shared font of an organization, which the platform
    refuses, cannot be detected.
    """
    intent = Intent(before, after, operations, where, earlier)
    return tuple(problem for rule in RULES for problem in rule(intent))
