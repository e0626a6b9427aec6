"""Aliases never come back to where they start (platform-api.md 4.3 rule 8).

An alias leads to a variable, whose mode is chosen where the value is used: so a chain that comes back in any mixture of
modes and overrides is a circle, in the state that a plan leads to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.alias_order import alias_order
from tokensync.plan.state import ObjectValue, targets_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tokensync.plan.state import Ref, StateValue
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
    ways: dict[int, str] = {}  # to find the way anew for each value of a large circle would cost its square
    places: set[str] = set()
    for variable, mode, value in aliasing:
        what = _fault(intent, edges, group_of, ways, variable.ref, value)
        if what is not None and (place := intent.where(variable.ref, mode)) not in places:
            places.add(place)  # modes that take their value from another one have its place
            yield intent.fault(_CODE, variable.ref, mode, what, "give it a value of its own")


def _fault(
    intent: Intent,
    edges: Mapping[Ref, Sequence[Ref]],
    group_of: Mapping[Ref, int],
    ways: dict[int, str],
    ref: Ref,
    value: StateValue,
) -> str | None:
    """What is wrong with a variable's value; ``ways`` are the circles that are told of already."""
    own = group_of[ref]
    for target in targets_of(value):
        if target == ref:
            return "it refers to itself"
        if group_of.get(target) == own:
            if own not in ways:
                way = [ref, *_way(edges, target, ref)]
                named = [intent.called(each) for each in way[:_SHOWN]] + ["…"] * (len(way) > _SHOWN)
                ways[own] = " > ".join(named)
            return f"its references come back to it ({ways[own]})"
    return None


def _targets(intent: Intent, ref: Ref) -> tuple[Ref, ...]:
    """Return what a variable refers to in any mode, each once."""
    variable = intent.after.variables.get(ref)
    if variable is None:
        opaque = intent.opaque.get(ref)
        return () if opaque is None else opaque.targets
    return tuple(dict.fromkeys(targets_of(*variable.values.values())))


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
