"""Random pairs of states and random choices: a plan of some variables touches only these and what they need."""

from __future__ import annotations

from glob import escape
from typing import TYPE_CHECKING

from hypothesis import given
from hypothesis import strategies as st
from plan.carrying_out import led_to
from plan.random_states import States

from tokensync.plan.differ import differences
from tokensync.plan.operations import CreateVariable, SetValue, UpdateVariable
from tokensync.plan.planning import Planning, held_back, narrowed, retyped_variables

if TYPE_CHECKING:
    from random import Random


@given(st.randoms(use_true_random=True))
def test_a_plan_of_some_variables_is_accepted_and_touches_no_others(dice: Random) -> None:
    states = States(dice)
    before = states.before()
    after = states.after(before)
    every = sorted(before.variables.keys() | after.variables.keys())
    names = dice.sample(every, dice.randint(min(1, len(every)), len(every)))
    labels = {ref: f"kit / {ref}" for ref in every}
    part = narrowed(before, after, labels, [f"kit/{escape(name)}" for name in names])
    assert part.chosen == set(names)
    planning = Planning("kit", "K", "f", {}, lambda ref, mode: ref)
    plan, problems = planning.plan(before, part.after)
    if problems:  # such as a name that a variable which is left out still has
        return
    for operation in plan.operations:
        match operation:
            case UpdateVariable(ref=ref) | SetValue(variable=ref):
                assert ref in part.chosen or labels[ref] in part.along
            case CreateVariable(variable=variable):
                assert variable.ref in part.chosen or labels[variable.ref] in part.along
    goal, whole = (
        held_back(before, state, retyped=retyped_variables(before, state), labels={}, where=planning.where).after
        for state in (part.after, after)
    )
    assert differences(before, goal) == plan.operations
    led_to(before, goal)
    rest = differences(goal, whole)
    assert not {each.ref for each in rest if isinstance(each, UpdateVariable)} & part.chosen
