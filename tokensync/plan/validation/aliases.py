"""Aliases lead to variables that will be there, of the type that is asked for (platform-api.md 4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.state import ObjectValue
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import Ref
    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_CODE = "plan-alias"


def alias_faults(intent: Intent) -> Iterator[Problem]:
    """Written aliases to what is not in the file, to what the plan deletes, and to another type.

    The types of a chain need no following: a variable has one type, and its own aliases are held to it.
    """
    known: dict[tuple[Ref, str], tuple[str, str] | None] = {}
    for variable, mode, value in intent.written:
        if not isinstance(value, ObjectValue):
            continue
        for target, kind in _targets(value, variable.type):
            if (target, kind) not in known:
                known[target, kind] = _fault(intent, target, kind)
            fault = known[target, kind]
            if fault is not None:
                yield intent.fault(_CODE, variable.ref, mode, *fault)


def _targets(value: ObjectValue, kind: str) -> Iterator[tuple[Ref, str]]:
    """The refs that a value refers to, and the type that each has to have."""
    if value.alias is not None:
        yield value.alias, kind
    if value.color is not None and value.color.alias is not None:
        yield value.color.alias, "COLOR"
    if isinstance(value.opacity, ObjectValue) and value.opacity.alias is not None:
        yield value.opacity.alias, "FLOAT"


def _fault(intent: Intent, target: Ref, kind: str) -> tuple[str, str] | None:
    found = intent.after.variables.get(target)
    name = intent.called(target)
    if found is None:
        if target in intent.before.variables:
            return f"it refers to {name}, which is deleted", "refer to something else, or keep that token"
        if target in intent.opaque:
            what = f"it refers to {name}, which is no token: its type is {shortened(intent.opaque[target].type)}"
            return what, f"refer to a token that is a {kind}"
        return f"it refers to {name}, which is not in the file", "refer to a token of this file"
    if found.fixed and target not in intent.before.variables:
        # Only remote variables that are in use in the file can be alias targets (platform-facts section 3).
        what = f"it refers to {name} of another file, which this file does not use yet"
        return what, "use it once in the design file and pull, or refer to a token of this file"
    if found.type != kind:
        return f"it refers to {name}, which is a {found.type}, where a {kind} is needed", "refer to one of that type"
    return None
