"""Plans between any two libraries are applied and rolled back on a platform."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st
from plan.journeys import Journey, graph_of, plan_of
from plan.pairs import Pair, pairs, seeded
from plan.readings import Reading, differences_of, ids_in, reading_of

from tokensync.plan.state import BODY_BYTES, state_of

if TYPE_CHECKING:
    from plan.library import Library

SMALL = 1_500  # bytes: makes many batches of a few operations
LIMITS = st.sampled_from((BODY_BYTES, SMALL))


def without_defaults(reading: Reading) -> Reading:
    """A deleted default mode is recreated as the last mode, and no request makes it the default again."""
    for each in reading["collections"].values():
        del each["default"]
    return reading


def values_in(response: bytes) -> dict[tuple[str, str], Any]:
    """The own value of each live variable in each mode, by their ids."""
    variables = json.loads(response)["meta"]["variables"]
    return {
        (id_, mode): value
        for id_, each in variables.items()
        if not each.get("deletedButReferenced")
        for mode, value in each["valuesByMode"].items()
    }


def assert_comes_about(before: bytes, wanted: Library, limit: int = BODY_BYTES, *, leads_back: bool = True) -> int:
    """Plan, apply, compare, roll back and compare again; return the number of requests."""
    plan, was = plan_of(before, wanted)
    with Journey(before) as journey:
        held = journey.carry_out(plan.operations, was, limit=limit)
        known = ids_in(before)
        reached = journey.held()
        assert not differences_of(reading_of(reached, known), reading_of(wanted.response(), known))
        for stage in held:
            assert_nothing_is_provisional(stage, before, reached)
        if leads_back:
            journey.roll_back(was, state_of(graph_of(reached)), limit=limit)
            found, original = (without_defaults(reading_of(each)) for each in (journey.held(), before))
            assert not differences_of(found, original)
    return len(held)


def assert_nothing_is_provisional(stage: bytes, before: bytes, after: bytes) -> None:
    """Between requests each value is the old or the new one, never a placeholder.

    In a mode that is about to go a variable may have a value of those that it gets.
    """
    old, new = values_in(before), values_in(after)
    for place, value in values_in(stage).items():
        allowed = [held[place] for held in (old, new) if place in held]
        if place not in new:
            allowed += [each for (variable, _), each in new.items() if variable == place[0]]
        assert not allowed or value in allowed, (place, value, allowed)


@given(pairs(), LIMITS)
def test_a_plan_is_applied_and_can_be_rolled_back(pair: Pair, limit: int):
    assert_comes_about(pair.before.response(), pair.after, limit, leads_back=pair.leads_back)


@given(st.randoms(use_true_random=True).map(seeded))
def test_nothing_is_planned_where_nothing_was_edited(library: Library):
    assert plan_of(library.response(), library).plan.operations == ()


@given(pairs())
def test_no_changes_remain_after_a_plan_is_applied(pair: Pair):
    plan, was = plan_of(pair.before.response(), pair.after)
    with Journey(pair.before.response()) as journey:
        journey.carry_out(plan.operations, was)
        reached = graph_of(journey.held())
        again = plan_of(journey.held(), pair.after)
    assert again.plan.operations == (), reached
