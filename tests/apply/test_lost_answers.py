"""Applies with failed requests, lost responses, and requests that are applied late."""

import re

import pytest
from apply.wanted import edited, grown, with_dim, without_base, without_dark, without_gap, without_theme
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
    design,
    new_collection,
    new_variable,
    shape,
    two_batches,
    with_collections,
    with_variables,
)
from msgspec.structs import replace

from tokensync.apply.journal import Answered, Reconciled, Sending
from tokensync.apply.sending import Stop
from tokensync.commands.apply import Applier, apply_plans
from tokensync.commands.rollback import rollback
from tokensync.plan.state import ModeState, ObjectValue
from tokensync.system.errors import (
    AccessError,
    ConflictError,
    NetworkError,
    PlatformError,
    RateLimitedError,
    RequestError,
)

pytestmark = pytest.mark.campaign  # each tries hundreds of schedules

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
    pytest.param(
        Fault(delay=5, status=429, headers=(("Retry-After", "7"),), by_proxy=True), id="carried out 5 s after a 429"
    ),
    pytest.param(
        Fault(delay=60, status=429, headers=(("Retry-After", "7"),), by_proxy=True), id="carried out 60 s after a 429"
    ),
    *(pytest.param(Fault(status=status), id=f"{status} after commit") for status in (400, 401, 403, 404, 413, 422)),
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


def test_a_rollback_waits_for_the_first_copy_of_a_request_that_was_sent_again(tmp_path):
    """The rollback deletes what the second copy created, so the platform would accept the first one again."""
    world = World(tmp_path)
    before = world.state
    world.network.posts = [Fault(delay=40)]
    done = world.applier().apply(world.plan(variables_only(before)))
    apply_plans(world.applier(), str(tmp_path / done.rollback), force=True)
    world.time.pass_to(world.time.now + 100)
    assert world.network.statuses == [200, 400, 200]
    assert shape(world.state) == shape(before)
    slept = list(world.time.slept)
    assert sum(slept) == pytest.approx(90)
    world.applier().apply(world.plan(edited(world.state)))
    assert world.time.slept == slept  # once is enough, also if the boot is another one


def test_a_batch_whose_token_was_refused_and_replaced_is_sent_again_with_a_record(tmp_path):
    world = World(tmp_path)
    world.client._session._renew = lambda refused: refused
    after = variables_only(world.state)
    world.network.posts = [Fault(carried_out=False, status=401)]
    world.applier().apply(world.plan(after))
    assert shape(world.state) == shape(after)
    assert sum(isinstance(each, Sending) for each in world.journals[-1].records) == 2


@pytest.mark.parametrize("copies", [1, 2])
def test_an_outdated_plan_whose_collections_exist_is_not_applied_with_rebase(tmp_path, copies):
    """Another machine applied it, so no journal says so."""
    world = World(tmp_path)
    plan = world.plan(with_collections(world.state, new_collection("New")))
    for _ in range(copies):
        world.post(
            variableCollections=[{"action": "CREATE", "id": "c", "name": "New", "initialModeId": "m"}],
            variableModes=[{"action": "UPDATE", "id": "m", "name": "Value", "variableCollectionId": "c"}],
        )
    for rebase in (False, True):
        with pytest.raises(ConflictError, match="appears to have been applied.*New.*; make a new plan") as stop:
            world.applier().apply(plan, rebase=rebase)
        assert ("delete one of the two collections" in str(stop.value)) == (copies == 2)
    assert world.network.posted == []


def test_a_plan_for_a_collection_of_which_a_late_copy_was_created_says_so(tmp_path):
    """A proxy sent the request that created it once more, after a rollback was planned."""
    world = World(tmp_path)
    plan = world.plan(without_theme(world.state))
    world.post(
        variableCollections=[{"action": "CREATE", "id": "c", "name": "Theme", "initialModeId": "m"}],
        variableModes=[{"action": "UPDATE", "id": "m", "name": "Light", "variableCollectionId": "c"}],
    )
    hint = "a proxy may have sent a request twice: if so, delete one of the two collections in the editor first"
    with pytest.raises(ConflictError, match=f"or make a new plan; {hint}"):
        world.applier().apply(plan, force=True)
    assert world.network.posted == []


@pytest.mark.parametrize("rebase", [False, True])
def test_a_plan_of_which_a_part_was_applied_is_to_be_resumed(tmp_path, rebase):
    world = World(tmp_path)
    plan = world.plan(two_batches(world.state))
    world.network.posts = [None, Fault(carried_out=False, status=403)]
    with pytest.raises(PlatformError):
        world.applier().apply(plan)
    with pytest.raises(
        ConflictError, match=r"already been applied in part \(1 of 2 requests.*tokensync apply --resume"
    ):
        world.applier().apply(plan, rebase=rebase)


def with_more_modes(state):
    """Add modes to Sizes, and nothing else."""
    sizes = state.collections[SIZES]
    more = (ModeState(f"mode:{number}", f"M{number}") for number in range(3))
    return with_collections(state, replace(sizes, modes=(*sizes.modes, *more)))


EMPTY = b'{"status":200,"error":false,"meta":{"variables":{},"variableCollections":{}}}'


@pytest.mark.parametrize("wanted", [with_more_modes, values_only, variables_only, collections_only, without_gap])
@pytest.mark.parametrize("fault", [LOST_AFTER, LOST_BEFORE])
@pytest.mark.parametrize("shown", ["empty", "foreign", "old"])
def test_a_reading_of_something_else_proves_nothing(tmp_path, wanted, fault, shown):
    world = World(tmp_path)
    before = world.state
    after = wanted(before)
    foreign = design().replace(b":1:", b":77:").replace(b":2:1", b":88:1")
    other = {"empty": EMPTY, "foreign": foreign, "old": world.direct.variables.local(KEY)}[shown]
    world.network.posts = [fault]
    world.network.after_post = lambda number: world.network.stale.append(other)
    world.applier().apply(world.plan(after), force=True)
    now, wished = shape(world.state), shape(after)
    assert now == wished or (wanted is with_more_modes and now[0] == wished[0])  # the platform fills new modes
    world.network.stale.append(other)
    apply_plans(world.applier(), rollback(world.applier(), world.journals[0].folder).path, force=True)
    assert shape(world.state) == shape(before)


def test_a_difference_that_a_second_reading_does_not_show_is_not_reported(tmp_path):
    world = World(tmp_path)
    after = variables_only(world.state)
    world.network.after_post = lambda number: world.network.stale.append(EMPTY)
    done = world.applier().apply(world.plan(after))
    assert (done.differences, world.network.stale) == ((), [])
    assert shape(world.state) == shape(after)


def with_dense(state):
    """Add a mode to Sizes."""
    sizes = state.collections[SIZES]
    dense = ModeState("mode:dense", "Dense")
    return changed(
        with_collections(state, replace(sizes, modes=(*sizes.modes, dense))), GAP, values={"mode:dense": 2.0}
    )


@pytest.mark.parametrize("wanted", [lambda state: with_collections(state, new_collection("New")), with_dense])
@pytest.mark.parametrize("rebase", [False, True])
def test_a_proxy_that_repeated_a_request_is_named(tmp_path, wanted, rebase):
    world = World(tmp_path)
    plan = world.plan(wanted(world.state))
    world.network.before_post = lambda number: world.direct.variables.post(KEY, world.network.posted[0])
    with pytest.raises(ConflictError, match=r"or a proxy that repeated a request, .*rollback\.json --force --rebase"):
        world.applier().apply(plan, rebase=rebase)


@pytest.mark.parametrize("copy", [2, 60])
@pytest.mark.parametrize("status", [0, 403, 504])
def test_a_collection_that_a_late_copy_creates_again_is_reported_and_taken_back(tmp_path, copy, status):
    world = World(tmp_path)
    after = collections_only(world.state)
    world.network.posts = [Fault(copy=copy, status=status)]
    with pytest.raises(ConflictError, match="Twice .*; Twice ") as stop:
        world.applier().apply(world.plan(after))
    assert len(world.network.committed) == 2
    apply_plans(world.applier(), re.search(r"tokensync apply (\S+json)", str(stop.value))[1], force=True, rebase=True)
    assert shape(world.state) == shape(after)
    world.time.slept.clear()
    world.applier().apply(world.plan(values_only(world.state)))
    assert world.time.slept == []  # none of them is in transit any more


@pytest.mark.parametrize("wanted", [values_only, variables_only])
def test_another_plan_waits_for_a_late_copy_of_a_request_without_a_response(tmp_path, wanted):
    world = World(tmp_path)
    before = world.state
    world.network.posts = [Fault(copy=60)]
    world.applier().apply(world.plan(wanted(before)))
    result = rollback(world.applier(), world.journals[-1].folder)
    apply_plans(world.applier(), result.path, force=True)
    world.time.pass_to(world.time.now + 10_000)
    assert shape(world.state) == shape(before)


def test_a_proxy_that_confirmed_a_request_without_forwarding_it_is_named(tmp_path):
    world = World(tmp_path)
    plan = world.plan(changed(world.state, GAP, values={"2:0": 12.0}))
    reported = []
    applier = Applier(world.project, world.client, clock=world.time.clock(), tell=reported.append)
    applier.client.variables.post = lambda *_: b"{}"
    assert applier.apply(plan).differences
    assert any("a proxy may have confirmed request 1 without forwarding it" in each for each in reported)


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


@pytest.mark.parametrize("status", [400, 401, 403, 404, 413, 422])
@pytest.mark.parametrize("wanted", [values_only, variables_only])
def test_a_refusal_is_reported_without_waiting(tmp_path, wanted, status):
    world = World(tmp_path)
    plan = world.plan(wanted(world.state))
    world.network.posts = [Fault(carried_out=False, status=status)] * 2
    for _ in range(2):
        with pytest.raises(PlatformError):
            world.applier().apply(plan)
        world.time.pass_to(world.time.now + 90)
    world.applier().apply(plan)
    assert set(world.time.slept) <= {1.0}  # between two readings that have to agree


def test_a_refused_token_that_cannot_read_is_reported_as_such(tmp_path):
    world = World(tmp_path)
    after = values_only(world.state)
    plan = world.plan(after)
    world.network.posts = [Fault(status=401, message="expired")]
    world.network.before_post = lambda number: world.network.gets.append(Fault(carried_out=False, status=403))
    with pytest.raises(AccessError, match="expired"):
        world.applier().apply(plan)
    world.applier().resume("kit")
    assert shape(world.state) == shape(after)
    assert len(world.network.posted) == 1


def resumed(world, plan, after):
    world.applier().resume("kit")
    return after


def rolled_back(world, plan, after):
    before = world.state
    result = rollback(world.applier(), world.journals[-1].folder)
    apply_plans(world.applier(), result.path, force=True)
    return before


def applied_again(world, plan, after):
    with pytest.raises(ConflictError, match="already been applied in part"):
        world.applier().apply(plan)
    return after


@pytest.mark.parametrize("then", [resumed, rolled_back, applied_again])
@pytest.mark.parametrize("wanted", [collections_only, values_only, variables_only])
@pytest.mark.parametrize("status", [400, 403, 404])
def test_a_refused_request_that_is_applied_later_is_found(tmp_path, then, wanted, status):
    """A proxy sent it twice, and the refusal of the second copy came first."""
    world = World(tmp_path)
    after = wanted(world.state)
    plan = world.plan(after)
    world.network.posts = [Fault(delay=50, status=status)]
    with pytest.raises(PlatformError):
        world.applier().apply(plan)
    assert world.time.slept == []
    desired = then(world, plan, after)
    world.time.pass_to(world.time.now + 10_000)
    assert shape(world.state) == shape(desired)
    assert len({*world.network.committed}) == len(world.network.committed)


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
    plan = world.plan(variables_only(world.state))
    world.network.posts = [Fault(carried_out=False, status=429, headers=(("Retry-After", "42"),))]
    world.applier().apply(plan)
    assert world.time.slept[0] == 42
    assert any("rate limited" in each and "42 s" in each for each in world.messages)


def test_a_rate_limit_costs_no_settling_time_without_a_guard_either(tmp_path):
    world = World(tmp_path)
    plan = world.plan(collections_only(world.state))
    limited = Fault(carried_out=False, status=429, headers=(("Retry-After", "2.5"),))
    world.network.posts = [limited, limited._replace(headers=())]
    world.applier().apply(plan)
    assert world.time.slept == [2.5, 1.0, 2.0, 1.0]  # a second between two readings
    assert len(world.network.committed) == 1


def test_a_rate_limit_of_a_request_that_was_carried_out_and_one_old_reading_do_not_repeat_it(tmp_path):
    world = World(tmp_path)
    old = world.direct.variables.local(KEY)
    plan = world.plan(values_only(world.state))
    world.network.posts = [Fault(status=429, headers=(("Retry-After", "2.5"),))]
    world.network.after_post = lambda number: world.network.stale.append(old)
    world.applier().apply(plan)
    assert len(world.network.posted) == 1


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
    with pytest.raises(
        ConflictError, match=r"reverse: Same.*it is unknown whether request 1 was .*: there are two of Same"
    ):
        rollback(world.applier(), world.journals[-1].folder)
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
