"""Aliases never come back to where they start (platform-api.md 4.3 rule 8).

An alias leads to a variable, whose mode is chosen where the value is used: so a chain that comes back in any mixture of
modes and overrides is a cycle, in the state that a plan leads to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.state import ObjectValue, targets_of
from tokensync.tokens.algorithms import closure, ranks

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.state import Ref, StateValue
    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_CODE = "plan-circle"
_SHOWN = 5  # variables of a cycle that a message names


def cycle_faults(intent: Intent) -> Iterator[Problem]:
    """Yield written values that lie on a cycle; one that was there before and is left alone is no fault."""
    aliasing = [each for each in intent.written if isinstance(each.value, ObjectValue)]
    if not aliasing:
        return
    edges: dict[Ref, tuple[Ref, ...]] = {}

    def ends(ref: Ref) -> tuple[Ref, ...]:
        if ref not in edges:
            edges[ref] = _targets(intent, ref)
        return edges[ref]

    rank = ranks(dict.fromkeys(each.variable.ref for each in aliasing), ends)
    ways: dict[int, str] = {}  # to find the way anew for each value of a large cycle would cost its square
    places: set[str] = set()
    for variable, mode, value in aliasing:
        what = _fault(intent, edges, rank, ways, variable.ref, value)
        if what is not None and (place := intent.where(variable.ref, mode)) not in places:
            places.add(place)  # modes that take their value from another one have its place
            yield intent.fault(_CODE, variable.ref, mode, what, "give it a value of its own")


def _fault(
    intent: Intent,
    edges: Mapping[Ref, Sequence[Ref]],
    rank: Mapping[Ref, int],
    ways: dict[int, str],
    ref: Ref,
    value: StateValue,
) -> str | None:
    """Return what is wrong with a variable's value; ``ways`` are the cycles reported so far, by rank."""
    own = rank[ref]
    for target in targets_of(value):
        if target == ref:
            return "it refers to itself"
        if rank.get(target) == own:
            if own not in ways:
                way = [ref, *_way(lambda each: (end for end in edges[each] if rank[end] == own), target, ref)]
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


def _way(edges: Callable[[Ref], Iterable[Ref]], start: Ref, end: Ref) -> list[Ref]:
    """Return a shortest chain of aliases from one variable to another."""
    found_through = closure([start], edges)
    way = [end]
    while way[-1] != start:
        way.append(found_through[way[-1]])
    return way[::-1]
