"""Plans without ``--prune`` between any two libraries delete nothing and make all other changes."""

from __future__ import annotations

import json

from hypothesis import given
from plan.journeys import Journey, graph_of
from plan.matching import identified
from plan.pairs import Pair, pairs
from plan.wanted import without_new_ids

from tokensync.plan.desired import desired
from tokensync.plan.differ import differences
from tokensync.plan.operations import DeleteCollection, DeleteMode, DeleteVariable
from tokensync.plan.planning import Planning
from tokensync.plan.state import labels_of, state_of
from tokensync.system.errors import errors_among

DELETIONS = (DeleteCollection, DeleteMode, DeleteVariable)
OWED_TO_HELD_BACK = {"plan-name-held", "plan-target-held", "plan-circle"}
"""What can stand between a library and what it is to become as long as deletions are held back."""


def live(response: bytes) -> set[str]:
    """The ids of all collections, modes and variables that are there."""
    meta = json.loads(response)["meta"]
    things = {**meta["variables"], **meta["variableCollections"]}
    modes = (f"{id_}/{mode['modeId']}" for id_, each in things.items() for mode in each.get("modes", ()))
    return {id_ for id_, each in things.items() if not each.get("deletedButReferenced")} | {*modes}


@given(pairs())
def test_nothing_is_gone_and_the_next_plan_with_prune_has_deletions_and_what_they_made_room_for(pair: Pair):
    before = pair.before.response()
    theirs = graph_of(before)
    ours, _ = identified(without_new_ids(graph_of(pair.after.response())), theirs)
    aim = desired(ours, theirs, location_of=lambda key, _: str(key))
    was, wanted = state_of(theirs), state_of(aim.graph)
    labels = {**labels_of(theirs), **labels_of(aim.graph)}
    planning = Planning("design", "K", "", labels, where=lambda ref, mode: f"{ref} {mode}")
    plan, problems = planning.plan(was, wanted)
    assert not any(isinstance(each, DELETIONS) for each in plan.operations)
    assert {each.kind for each in plan.findings} <= {"change much"}
    assert bool(plan.held_back) == any(isinstance(each, DELETIONS) for each in differences(was, wanted))
    if errors := errors_among(problems):
        assert {each.code for each in errors} <= OWED_TO_HELD_BACK and plan.held_back
        return
    with Journey(before) as journey:
        journey.carry_out(plan.operations, was)
        assert live(before) <= live(journey.held())
