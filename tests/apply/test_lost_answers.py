"""Applies with failed requests, lost responses, and requests that are applied late."""

import pytest
from apply.wanted import edited, grown, with_dim, without_base, without_dark, without_theme
from apply.world import (
    BASE,
    GAP,
    KEY,
    LOST_AFTER,
    LOST_BEFORE,
    SIZES,
    Fault,
    World,
    changed,
    new_collection,
    new_variable,
    shape,
    two_batches,
    with_collections,
    with_variables,
)
from msgspec.structs import replace

from tokensync.apply.journal import Answered, Reconciled
from tokensync.apply.sending import Stop
from tokensync.commands.rollback import rollback
from tokensync.errors import NetworkError, PlatformError, RateLimitedError, RequestError
from tokensync.plan.state import ObjectValue

SERVER_FAILURES = [
    pytest.param(LOST_AFTER, id="dropped after commit"),
    pytest.param(Fault(status=500), id="500 after commit"),
    pytest.param(Fault(status=503), id="503 after commit"),
    pytest.param(Fault(cut=True), id="truncated answer"),
    pytest.param(Fault(status=429, headers=(("Retry-After", "7"),)), id="429 after commit"),
    pytest.param(LOST_BEFORE, id="dropped before commit"),
    pytest.param(Fault(carried_out=False, status=500), id="500 before commit"),
    pytest.param(Fault(carried_out=False, status=503), id="503 before commit"),
    pytest.param(Fault(carried_out=False, status=429, headers=(("Retry-After", "7"),)), id="429 before commit"),
    pytest.param(Fault(delay=3), id="carried out 3 s after the drop"),
    pytest.param(Fault(delay=80), id="carried out 80 s after the drop"),
    pytest.param(Fault(delay=30, status=503), id="carried out 30 s after a 503"),
    pytest.param(Fault(delay=5, status=429, headers=(("Retry-After", "7"),)), id="carried out 5 s after a 429"),
]


def collections_only(state):
    return with_collections(state, new_collection("Twice"), new_collection("Twice", "collection:again"))


def values_only(state):
    return changed(state, GAP, values={"2:0": 12.0})


def variables_only(state):
    return with_variables(state, new_variable("wide"), new_variable("wider"))


WANTED = [
    pytest.param(collections_only, id="collections of one name"),
    pytest.param(values_only, id="values"),
    pytest.param(variables_only, id="variables"),
    pytest.param(two_batches, id="two requests"),
]


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("fault", SERVER_FAILURES)
@pytest.mark.parametrize("number", [0, 1])
def test_whatever_becomes_of_one_request_the_library_is_the_plans_result_once(tmp_path, wanted, fault, number):
    world = World(tmp_path)
    after = wanted(world.state)
    plan = world.plan(after)
    world.network.posts = [*[None] * number, fault]
    applied = world.applier().apply(plan)
    world.time.pass_to(world.time.now + 10_000)  # whatever is still on its way
    assert not applied.differences
    assert shape(world.state) == shape(after)
    assert len(world.network.committed) == applied.requests
    assert world.journals[-1].status == "finished"


OTHERS = [
    pytest.param(with_dim, id="a mode, in an extension too"),
    pytest.param(without_dark, id="a mode that goes"),
    pytest.param(without_theme, id="a collection that goes with its extension"),
    pytest.param(without_base, id="a variable that goes"),
    pytest.param(edited, id="names, values and overrides"),
    pytest.param(grown, id="some of everything"),
]


@pytest.mark.parametrize("wanted", OTHERS)
@pytest.mark.parametrize("fault", SERVER_FAILURES)
def test_every_kind_of_operation_is_recognised(tmp_path, wanted, fault):
    world = World(tmp_path)
    after = wanted(world.state)
    plan = world.plan(after)
    world.network.posts = [fault, fault]
    applied = world.applier().apply(plan, force=True)
    world.time.pass_to(world.time.now + 10_000)
    assert not applied.differences
    assert shape(world.state) == shape(after)
    assert len(world.network.committed) == applied.requests


def test_a_platform_that_shows_an_answered_request_late_is_waited_for(tmp_path):
    world = World(tmp_path)
    after = two_batches(world.state)
    plan = world.plan(after)
    stale = []

    def remember(number):
        stale[:] = [world.direct.variables.local(KEY)] * 2

    world.network.before_post = remember
    world.network.stale = stale
    applied = world.applier().apply(plan)
    assert not applied.differences
    assert world.time.slept == [1, 2, 1, 2]
    assert shape(world.state) == shape(after)


@pytest.mark.parametrize("wanted", WANTED)
def test_every_request_may_fail_several_times(tmp_path, wanted):
    world = World(tmp_path)
    after = wanted(world.state)
    plan = world.plan(after)
    world.network.posts = [LOST_BEFORE, Fault(carried_out=False, status=503), LOST_AFTER, LOST_BEFORE, LOST_AFTER]
    world.applier().apply(plan)
    assert shape(world.state) == shape(after)


def test_a_request_that_never_gets_through_is_given_up_and_resumed_later(tmp_path):
    world = World(tmp_path)
    after = collections_only(world.state)
    plan = world.plan(after)
    world.network.posts = [LOST_BEFORE] * 5
    with pytest.raises(NetworkError):
        world.applier().apply(plan)
    assert len(world.network.posted) == 5
    assert shape(world.state) != shape(after)
    world.applier().resume("kit")
    assert shape(world.state) == shape(after)


def test_a_guarded_request_is_sent_again_without_waiting_and_refused_when_the_first_was_late(tmp_path):
    world = World(tmp_path)
    after = variables_only(world.state)
    plan = world.plan(after)
    world.network.posts = [Fault(delay=40)]
    world.applier().apply(plan)
    assert world.time.slept == []
    world.time.pass_to(world.time.now + 100)
    assert world.network.statuses == [200, 400]
    assert shape(world.state) == shape(after)


def test_the_second_sending_is_refused_because_the_first_landed_in_between(tmp_path):
    """A 400 after a second attempt means that the first one was applied."""
    world = World(tmp_path)
    after = variables_only(world.state)
    plan = world.plan(after)
    world.network.posts = [Fault(delay=10)]
    world.network.before_post = lambda number: number == 1 and world.time.pass_to(world.time.now + 20)
    world.applier().apply(plan)
    assert world.network.statuses == [200, 400]
    assert shape(world.state) == shape(after)
    assert any(isinstance(each, Reconciled) and each.how == "carried out" for each in world.journals[-1].records)


def test_a_request_that_lands_while_the_platform_is_read_again_is_found(tmp_path):
    world = World(tmp_path)
    after = collections_only(world.state)
    plan = world.plan(after)
    world.network.posts = [Fault(delay=2.5)]
    world.applier().apply(plan)
    assert len(world.network.posted) == 1
    assert shape(world.state) == shape(after)


def test_a_refused_request_stops_the_plan_without_any_effect(tmp_path):
    world = World(tmp_path)
    before = world.state
    plan = world.plan(variables_only(before))
    world.network.posts = [Fault(carried_out=False, status=400, message="No such luck")]
    with pytest.raises(RequestError, match="No such luck"):
        world.applier().apply(plan)
    assert world.journals[-1].status == "stopped"
    assert shape(world.state) == shape(before)
    assert not (tmp_path / ".tokensync" / "apply-kit.lock.owner").exists()
    assert world.applier().apply(plan).requests == 1  # nothing is left over from it


@pytest.mark.parametrize("status", [403, 404, 413])
def test_a_refusal_of_the_second_request_leaves_a_receipted_prefix(tmp_path, status):
    world = World(tmp_path)
    plan = world.plan(two_batches(world.state))
    world.network.posts = [None, Fault(carried_out=False, status=status)]
    with pytest.raises(PlatformError):
        world.applier().apply(plan)
    journal = world.journals[-1]
    assert (journal.status, journal.carried_out) == ("stopped", 1)
    assert (tmp_path / journal.folder / "receipt.json").exists()
    world.applier().resume("kit")
    assert world.journals[-1].status == "finished"
    assert len(world.network.committed) == 2


def test_a_rate_limit_is_awaited_with_a_message(tmp_path):
    world = World(tmp_path)
    plan = world.plan(values_only(world.state))
    world.network.posts = [Fault(carried_out=False, status=429, headers=(("Retry-After", "42"),))]
    world.applier().apply(plan)
    assert world.time.slept == [42]
    assert any("rate limited" in each and "42 s" in each for each in world.said)


def test_a_rate_limit_of_days_is_an_error_that_leaves_nothing_open(tmp_path):
    world = World(tmp_path)
    plan = world.plan(values_only(world.state))
    world.network.posts = [Fault(carried_out=False, status=429, headers=(("Retry-After", "396749"),))]
    with pytest.raises(RateLimitedError):
        world.applier().apply(plan)
    assert world.time.slept == []
    assert world.journals[-1].status == "stopped"


def test_a_platform_that_cannot_be_read_after_a_lost_answer_leaves_the_apply_open(tmp_path):
    world = World(tmp_path)
    after = collections_only(world.state)
    plan = world.plan(after)
    world.network.posts = [LOST_AFTER]
    world.network.before_post = lambda number: world.network.gets.extend([LOST_BEFORE] * 5)
    with pytest.raises(NetworkError):
        world.applier().apply(plan)
    assert world.journals[-1].status == "open"
    world.applier().resume("kit")
    assert len(world.network.committed) == 1
    assert shape(world.state) == shape(after)


def test_an_answer_without_the_ids_is_completed_by_reading_back(tmp_path):
    world = World(tmp_path)
    after = two_batches(world.state)
    plan = world.plan(after)
    answer = world.emulator

    def forgetful(environ, start_response):
        body = b"".join(answer(environ, start_response))
        return [b'{"status":200,"error":false,"meta":{}}' if environ["REQUEST_METHOD"] == "POST" else body]

    world.network.emulator = forgetful
    world.applier().apply(plan)
    records = world.journals[-1].records
    assert not any(isinstance(each, Answered) and not each.ids for each in records if isinstance(each, Answered))
    assert shape(world.state) == shape(after)


def test_objects_created_meanwhile_by_others_are_not_taken_for_ours(tmp_path):
    """Two new collections match the one that the batch creates: the outcome is unclear."""
    world = World(tmp_path)
    plan = world.plan(with_collections(world.state, new_collection("Same")))
    world.network.posts = [LOST_AFTER]
    twin = {"variableCollections": [{"action": "CREATE", "id": "c", "name": "Same", "initialModeId": "m"}]}
    twin["variableModes"] = [{"action": "UPDATE", "id": "m", "variableCollectionId": "c", "name": "Value"}]
    world.network.after_post = lambda number: world.post(**twin)
    with pytest.raises(Stop, match="unclear"):
        world.applier().apply(plan)
    assert len(world.network.posted) == 1
    assert world.journals[-1].status == "stopped"
    back = rollback(world.applier(), world.journals[-1].folder)
    assert back.path == ""
    assert "it is unknown whether request 1 was applied" in back.plan.notes[0]
    assert len(world.state.collections) == 5  # whichever is somebody else's is still there


def test_collections_of_one_name_are_distinguished_by_their_content(tmp_path):
    world = World(tmp_path)
    first, second = new_collection("Same", "collection:1"), new_collection("Same", "collection:2")
    one = replace(new_variable("x", first.ref, values={first.modes[0].ref: 1.0}), ref="variable:1")
    two = replace(new_variable("x", second.ref, values={second.modes[0].ref: 2.0}), ref="variable:2")
    user = new_variable("user", SIZES, values={"2:0": ObjectValue(alias="variable:2")})
    after = with_variables(with_collections(world.state, first, second), one, two, user)
    plan = world.plan(after)
    world.network.posts = [LOST_AFTER]
    world.applier().apply(plan)
    ids = world.journals[-1].batch(0).ids
    assert world.state.variables[ids["variable:2"]].values == {ids[second.modes[0].ref]: 2}
    assert len(world.network.posted) == 1


def test_an_edit_of_what_a_lost_request_has_made_does_not_hide_it(tmp_path):
    world = World(tmp_path)
    plan = world.plan(variables_only(world.state))
    world.network.posts = [LOST_AFTER]

    def edit(number):
        ref = next(each.ref for each in world.state.variables.values() if each.name == "wide")
        world.post(variables=[{"action": "UPDATE", "id": ref, "description": "mine"}])

    world.network.after_post = edit
    applied = world.applier().apply(plan)
    assert applied.differences == ("Sizes / wide: its description",)
    assert len(world.network.posted) == 1


def test_half_of_the_effects_of_a_request_do_not_prove_that_it_was_applied(tmp_path):
    """Somebody sets one of the two values of the lost request."""
    world = World(tmp_path)
    state = changed(world.state, GAP, values={"2:0": 12.0})
    plan = world.plan(changed(state, BASE, values={"1:0": ObjectValue(1, 0, 0, 1)}))
    world.network.posts = [LOST_BEFORE]
    value = {"variableId": GAP, "modeId": "2:0", "value": 12}
    world.network.after_post = lambda number: world.post(variableModeValues=[value])
    with pytest.raises(Stop, match="1 of its 2 effects"):
        world.applier().apply(plan)
    assert len(world.network.posted) == 1
