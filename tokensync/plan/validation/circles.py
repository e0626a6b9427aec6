"""Aliases never come back to where they start (platform-api.md 4.3 rule 8).

An alias leads to a variable, whose mode is chosen where the value is used: so a chain that comes back in any mixture of
modes and overrides is a circle, in the state that a plan leads to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.batches.alias_order import alias_order
from tokensync.plan.state import ObjectValue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.plan.state import Ref
    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_CODE = "plan-circle"
_SHOWN = 5  # variables of a circle that a message names


def circle_faults(intent: Intent) -> Iterator[Problem]:
    """Written values that lie on a circle; one that was there before and is left alone is no fault."""
    aliasing = [each for each in intent.written if isinstance(each.value, ObjectValue)]
    if not aliasing:
        return
    edges: dict[Ref, tuple[Ref, ...]] = {}

    def ends(ref: Ref) -> tuple[Ref, ...]:
        if ref not in edges:
            edges[ref] = _targets(intent, ref)
        return edges[ref]

    group_of = alias_order(dict.fromkeys(each.variable.ref for each in aliasing), ends)
    told: set[int] = set()  # to find the way anew for each value of a large circle would cost its square
    for variable, mode, value in aliasing:
        own = group_of.get(variable.ref)
        if own is None or not isinstance(value, ObjectValue):
            continue
        for target in value.targets():
            if target == variable.ref:
                yield intent.fault(_CODE, variable.ref, mode, "it refers to itself", "give it a value of its own")
            elif group_of.get(target) == own and own in told:
                what = "its references come back to it, by the same way as another's that is told of"
                yield intent.fault(_CODE, variable.ref, mode, what, "give one of them a value of its own")
            elif group_of.get(target) == own:
                told.add(own)
                way = _way(edges, target, variable.ref)
                named = [intent.called(each) for each in way[:_SHOWN]] + ["…"] * (len(way) > _SHOWN)
                what = f"its references come back to it: {' > '.join([intent.called(variable.ref), *named])}"
                yield intent.fault(_CODE, variable.ref, mode, what, "give one of them a value of its own")


def _targets(intent: Intent, ref: Ref) -> tuple[Ref, ...]:
    """What a variable refers to in any mode, each once."""
    variable = intent.after.variables.get(ref)
    if variable is None:
        return ()
    values = variable.values.values()
    return tuple({target: None for value in values if isinstance(value, ObjectValue) for target in value.targets()})


def _way(edges: Mapping[Ref, Sequence[Ref]], start: Ref, end: Ref) -> list[Ref]:
    """A shortest chain of aliases from one variable to another."""
    came: dict[Ref, Ref | None] = {start: None}
    queue = [start]
    for each in queue:
        if each == end:
            break
        for target in edges.get(each, ()):
            if target not in came:
                came[target] = each
                queue.append(target)
    way: list[Ref] = []
    step: Ref | None = end
    while step is not None:
        way.append(step)
        step = came[step]
    return way[::-1]
