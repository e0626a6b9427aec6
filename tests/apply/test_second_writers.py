"""Somebody else changes the file: before the plan is applied, between its requests, and while it is interrupted."""

import re

import pytest
from apply.wanted import with_dim
from apply.world import (
    ACCENT,
    BASE,
    GAP,
    KEY,
    LOST_AFTER,
    RED,
    SIZES,
    THEME,
    Killed,
    World,
    changed,
    new_collection,
    new_variable,
    shape,
    two_batches,
    with_collections,
    with_variables,
    without,
)
from msgspec.structs import replace

from tokensync.apply.journal import Answered, Journal
from tokensync.apply.sending import Stop
from tokensync.commands.apply import apply_plans
from tokensync.plan.state import FileState, ObjectValue
from tokensync.system.errors import ConflictError

DARK = {"variableId": BASE, "modeId": "1:1", "value": {"r": 0, "g": 1, "b": 1, "a": 1}}


def described(ref, text="mine"):
    return {"variables": [{"action": "UPDATE", "id": ref, "description": text}]}


def test_an_outdated_plan_is_refused_and_tells_how_to_go_on(tmp_path):
    world = World(tmp_path)
    plan = world.plan(changed(world.state, GAP, values={"2:0": 12.0}))
    world.post(**described(ACCENT))
    with pytest.raises(ConflictError, match="--rebase"):
        world.applier().apply(plan)
    assert world.network.posted == []
    assert world.journals == ()


def test_copies_of_what_a_plan_does_not_change_are_not_named(tmp_path):
    world = World(tmp_path)
    plan = world.plan(changed(world.state, GAP, values={"2:0": 12.0}))
    world.post(variableCollections=[{"action": "CREATE", "id": "c", "name": "Theme", "initialModeId": "m"}])
    with pytest.raises(ConflictError, match="or make a new plan$"):
        world.applier().apply(plan)


def test_rebasing_keeps_both_sides_edits(tmp_path):
    world = World(tmp_path)
    plan = world.plan(changed(world.state, GAP, values={"2:0": 12.0}))
    world.post(**described(ACCENT))
    applied = world.applier().apply(plan, rebase=True)
    assert not applied.differences
    assert world.state.variables[ACCENT].description == "mine"
    assert world.state.variables[GAP].values == {"2:0": 12}


def renamed(state):
    return changed(state, GAP, name="space")


def revalued(state):
    return changed(state, BASE, values={"1:1": RED})


def deleted(state):
    return without(state, GAP)


def deleted_mode(state):
    theme, brand = state.collections[THEME], next(each for each in state.collections.values() if each.parent)
    collections = {
        **state.collections,
        THEME: replace(theme, modes=theme.modes[:1]),
        brand.ref: replace(brand, modes=brand.modes[:1]),
    }
    doomed = {theme.modes[1].ref, brand.modes[1].ref}
    variables = {
        ref: replace(each, values={mode: value for mode, value in each.values.items() if mode not in doomed})
        for ref, each in state.variables.items()
    }
    return FileState(collections, variables)


def deleted_collection(state):
    collections = {ref: each for ref, each in state.collections.items() if ref != SIZES}
    return FileState(collections, {ref: each for ref, each in state.variables.items() if each.collection != SIZES})


def made(state):
    return with_variables(state, new_variable("wide"))


TOUCHED = [
    pytest.param(renamed, {"variables": [{"action": "UPDATE", "id": GAP, "name": "gaps"}]}, id="another name"),
    pytest.param(renamed, {"variables": [{"action": "DELETE", "id": GAP}]}, id="an update of what is gone"),
    pytest.param(revalued, {"variableModeValues": [DARK]}, id="another value"),
    pytest.param(deleted, described(GAP), id="an edit of what is deleted"),
    pytest.param(deleted_mode, {"variableModeValues": [DARK]}, id="a value in a mode that is deleted"),
    pytest.param(deleted_collection, described(GAP), id="an edit in a collection that is deleted"),
    pytest.param(
        made,
        {"variableModes": [{"action": "CREATE", "name": "Large", "variableCollectionId": SIZES}]},
        id="a mode that the new variable has no value in",
    ),
    pytest.param(
        with_dim,
        {"variableModeValues": [{"variableId": ACCENT, "modeId": "1:0", "value": {"r": 0, "g": 1, "b": 1, "a": 1}}]},
        id="a default that a new mode comes with",
    ),
    pytest.param(made, {"variableCollections": [{"action": "DELETE", "id": SIZES}]}, id="no collection any more"),
]


@pytest.mark.parametrize(("wanted", "edit"), TOUCHED)
@pytest.mark.parametrize("rebase", [False, True])
def test_edits_of_the_plans_own_objects_are_never_rebased(tmp_path, wanted, edit, rebase):
    world = World(tmp_path)
    plan = world.plan(wanted(world.state))
    world.post(**edit)
    now = world.state
    with pytest.raises(ConflictError, match="somebody changed the same objects"):
        world.applier().apply(plan, rebase=rebase, force=True)
    assert world.network.posted == []
    assert shape(world.state) == shape(now)


@pytest.mark.parametrize("wanted", [renamed, revalued, deleted, deleted_mode, deleted_collection, made, two_batches])
def test_every_plan_is_rebased_past_an_edit_elsewhere(tmp_path, wanted):
    world = World(tmp_path)
    plan = world.plan(wanted(world.state))
    world.post(**described(ACCENT))
    expected = changed(wanted(world.state), ACCENT, description="mine")
    applied = world.applier().apply(plan, rebase=True, force=True)
    assert not applied.differences
    assert shape(world.state) == shape(expected)


def test_a_name_taken_by_somebody_else_is_reported_before_anything_is_sent(tmp_path):
    world = World(tmp_path)
    plan = world.plan(made(world.state))
    new = {"action": "CREATE", "id": "v", "name": "wide", "variableCollectionId": SIZES, "resolvedType": "FLOAT"}
    world.post(variables=[new])
    with pytest.raises(ConflictError, match="conflicts with changes made since"):
        world.applier().apply(plan, rebase=True)
    assert world.network.posted == []


@pytest.mark.parametrize("wanted", [deleted, deleted_collection])
def test_what_came_into_use_since_the_plan_was_made_is_not_deleted(tmp_path, wanted):
    world = World(tmp_path)
    plan = world.plan(wanted(world.state))
    collection = {"action": "CREATE", "id": "c", "name": "Layout", "initialModeId": "m"}
    new = {"action": "CREATE", "id": "v", "name": "gutter", "variableCollectionId": "c", "resolvedType": "FLOAT"}
    value = {"variableId": "v", "modeId": "m", "value": {"type": "VARIABLE_ALIAS", "id": GAP}}
    world.post(variableCollections=[collection], variables=[new], variableModeValues=[value])
    with pytest.raises(ConflictError, match="gap: it is deleted, and layout / gutter refers to it"):
        world.applier().apply(plan, rebase=True, force=True)
    assert world.network.posted == []


def test_a_plan_that_was_carried_out_is_not_carried_out_again(tmp_path):
    world = World(tmp_path)
    plan = world.plan(two_batches(world.state))
    world.applier().apply(plan)
    after = world.state
    for rebase in (False, True):
        with pytest.raises(ConflictError, match="already been applied"):
            world.applier().apply(plan, rebase=rebase)
    assert shape(world.state) == shape(after)


def test_an_edit_between_two_requests_stops_the_plan_and_survives(tmp_path):
    world = World(tmp_path)
    plan = world.plan(two_batches(world.state))
    world.network.after_post = lambda number: number == 0 and world.post(**described(ACCENT))
    with pytest.raises(Stop, match=r"Theme / accent: its description.*1 of 2 requests applied"):
        world.applier().apply(plan)
    assert world.state.variables[ACCENT].description == "mine"
    assert world.journals[-1].status == "stopped"
    with pytest.raises(Stop):  # without a word for it, resuming refuses as well
        world.applier().resume("kit")
    applied = world.applier().resume("kit", rebase=True)
    assert (applied.requests, applied.differences) == (2, ())
    assert applied.tolerated == ("Theme / accent: its description",)
    assert world.state.variables[ACCENT].description == "mine"
    assert len(world.network.committed) == 2


def test_an_edit_of_what_the_first_request_made_is_not_rebased(tmp_path):
    world = World(tmp_path)
    plan = world.plan(two_batches(world.state))

    def edit(number):
        if number == 0:
            ink = next(each.ref for each in world.state.variables.values() if each.name == "ink")
            world.post(**described(ink))

    world.network.after_post = edit
    advice = r"Palette / ink: its description; 1 of 2 requests applied\); reverse it with tokensync rollback"
    with pytest.raises(Stop, match=advice):
        world.applier().apply(plan, rebase=True)
    assert len(world.network.posted) == 1


def test_an_edit_after_the_last_request_is_named_and_survives(tmp_path):
    world = World(tmp_path)
    plan = world.plan(changed(world.state, GAP, values={"2:0": 12.0}))
    gap = {"variableId": GAP, "modeId": "2:0", "value": 99}
    world.network.after_post = lambda number: world.post(variableModeValues=[gap])
    applied = world.applier().apply(plan)
    assert applied.differences == ("Sizes / gap: its value in Value",)
    assert world.state.variables[GAP].values == {"2:0": 99}
    assert world.journals[-1].status == "finished"


def test_edits_after_a_lost_response_do_not_confuse_the_reconciliation(tmp_path):
    world = World(tmp_path)
    plan = world.plan(made(world.state))
    world.network.posts = [LOST_AFTER]
    world.network.after_post = lambda number: world.post(**described(ACCENT))
    applied = world.applier().apply(plan)
    assert applied.differences == ("Theme / accent: its description",)
    assert len(world.network.posted) == 1
    assert world.state.variables[ACCENT].description == "mine"


def test_a_plan_that_somebody_took_back_by_hand_is_not_resumed_over_it(tmp_path, monkeypatch):
    world = World(tmp_path)
    plan = world.plan(two_batches(world.state))
    record = Journal.record

    def dying(self, each):
        record(self, each)
        if isinstance(each, Answered):
            raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "record", dying)
        with pytest.raises(Killed):
            world.applier().apply(plan)
    palette = next(ref for ref, each in world.state.collections.items() if each.name == "Palette")
    world.post(variableCollections=[{"action": "DELETE", "id": palette}])
    now = world.state
    for rebase in (False, True):
        with pytest.raises(Stop, match=r"Palette \(deleted\)"):
            world.applier().resume("kit", rebase=rebase)
    assert shape(world.state) == shape(now)
    assert len(world.network.posted) == 1


def test_a_new_plan_is_possible_after_a_refused_one(tmp_path):
    """A stopped apply does not block others: its receipt has the outcome."""
    world = World(tmp_path)
    plan = world.plan(two_batches(world.state))
    world.network.after_post = lambda number: number == 0 and world.post(**described(ACCENT))
    with pytest.raises(Stop):
        world.applier().apply(plan)
    applied = world.applier().apply(world.plan(changed(world.state, GAP, values={"2:0": 1.0})))
    assert not applied.differences


def message_of_a_second_apply(world, plan):
    """Let another clone send the first request of the same plan directly before this one does."""

    def send(number):
        if number == 0:
            world.direct.variables.post(KEY, world.network.posted[0])

    world.network.before_post = send
    with pytest.raises(ConflictError) as stop:
        world.applier().apply(plan)
    return str(stop.value)


def linked(state):
    """A new collection, and a variable that refers to it from then on."""
    palette = new_collection("Palette")
    ink = new_variable("ink", palette.ref, values={palette.modes[0].ref: 2.0})
    return changed(
        with_variables(with_collections(state, palette), ink), GAP, values={"2:0": ObjectValue(alias=ink.ref)}
    )


@pytest.mark.parametrize("wanted", [linked, two_batches, with_dim])
def test_two_applies_at_once_leave_one_copy_after_the_command_that_is_offered(tmp_path, wanted):
    world = World(tmp_path)
    after = wanted(world.state)
    message = message_of_a_second_apply(world, world.plan(after))
    assert "another apply" in message
    path = re.search(r"tokensync apply (\S+) --force --rebase", message)[1]
    apply_plans(world.applier(), path, force=True, rebase=True)
    assert world.journals[0].status == "rolled back"
    now = world.state
    assert len({each.name for each in now.collections.values()}) == len(now.collections)
    assert (shape(now) == shape(after)) == (wanted is linked)  # the other apply has not sent a second request


def test_a_stopped_apply_goes_on_when_the_other_copy_is_gone(tmp_path):
    world = World(tmp_path)
    after = two_batches(world.state)
    message = message_of_a_second_apply(world, world.plan(after))
    other = re.search(r"Palette \((\S+)\)", message)[1]
    world.post(variableCollections=[{"action": "DELETE", "id": other}])
    world.applier().resume("kit")
    assert shape(world.state) == shape(after)
