"""Random pairs of states: every request is accepted and leaves a valid file."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from plan.carrying_out import led_to, targets
from plan.random_states import States

from tokensync.plan.batches import with_ids

if TYPE_CHECKING:
    from random import Random

    from plan.carrying_out import Run

    from tokensync.plan.state import FileState, Ref, VariableState

DICE = st.randoms(use_true_random=True)
PARTED = "related changes"


@given(DICE)
def test_a_plan_of_any_kind_needs_one_request_or_two(dice: Random) -> None:
    states = States(dice)
    before = states.before()
    after = states.after(before)
    run = led_to(before, after)
    assert len(run.batches) <= 2
    assert not any("reached" in batch.why for batch in run.batches)
    assert all(batch.why for batch in run.batches[1:])
    _is_fit_to_be_seen(run, before, after)


@given(DICE, st.integers(150, 3000))
def test_many_small_requests_are_all_accepted(dice: Random, limit: int) -> None:
    states = States(dice)
    before = states.before()
    after = states.after(before)
    run = led_to(before, after, limit=limit)
    assert all(batch.largest <= limit or _elements(batch) == 1 for batch in run.batches)
    assert not run.batches or not run.batches[0].why
    assert all(batch.why for batch in run.batches[1:])
    if not any(batch.why.startswith(PARTED) for batch in run.batches):
        _is_fit_to_be_seen(run, before, after)


@given(DICE, st.sampled_from([400, 1200, 4 * 1024 * 1024]))
def test_modes_and_variables_of_full_collections_can_be_replaced(dice: Random, limit: int) -> None:
    states = States(dice, modes=3, variables=4)
    before = states.before()
    after = states.after(before)
    with (
        patch("tokensync.emulator.services.variables.collections.MODES_PER_COLLECTION", 3),
        patch("tokensync.emulator.services.variables.collections.VARIABLES_PER_COLLECTION", 4),
        patch("tokensync.plan.batches.MODES_PER_COLLECTION", 3),
        patch("tokensync.plan.batches.VARIABLES_PER_COLLECTION", 4),
    ):
        led_to(before, after, limit=limit)


def _elements(batch) -> int:
    return len(batch.elements)


def _is_fit_to_be_seen(run: Run, before: FileState, after: FileState) -> None:
    """Between requests each value is the old or the new one, and new objects have their values at once."""
    final = with_ids(after, run.ids)
    for state in run.states[1:-1]:
        staying = {ref: _in_modes_of(state.variables[ref], final) for ref in state.variables if ref in final.variables}
        assert targets(staying.values()) <= state.variables.keys()
        for ref in staying.keys() - before.variables.keys():
            assert all(value in final.variables[ref].values.values() for value in state.variables[ref].values.values())
        for ref, variable in staying.items():
            was = before.variables.get(ref)
            for mode, value in variable.values.items():
                old = None if was is None else was.values.get(mode)
                assert value == final.variables[ref].values.get(mode) or (was is not None and value == old)


def _in_modes_of(variable: VariableState, final: FileState) -> VariableState:
    """A variable without its values in deleted modes."""
    staying: set[Ref] = {mode.ref for each in final.family(variable.collection) for mode in each.modes}
    return structs.replace(variable, values={mode: held for mode, held in variable.values.items() if mode in staying})
