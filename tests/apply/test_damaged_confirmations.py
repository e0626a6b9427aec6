"""Applies whose requests are carried out, and confirmed by a response that a proxy has damaged."""

import json

import pytest
from apply.world import (
    KEY,
    Killed,
    World,
    new_collection,
    new_variable,
    shape,
    two_batches,
    with_collections,
    with_variables,
)

from tokensync.commands.apply import apply_plans
from tokensync.commands.rollback import rollback
from tokensync.system.errors import ConflictError


def collections_only(state):
    return with_collections(state, new_collection("Twice"), new_collection("Twice", "collection:again"))


def variables_only(state):
    return with_variables(state, new_variable("wide"), new_variable("wider"))


WRONG_IDS = {
    "none of the file": lambda ids: {ref: f"{id_}999" for ref, id_ in ids.items()},
    "all the same": lambda ids: dict.fromkeys(ids, next(iter(ids.values()))),
    "of each other": lambda ids: dict(zip(ids, reversed(ids.values()), strict=True)),
}


def with_changed_responses(world, change, responses=range(9)):
    """Change the responses to these POSTs, by their numbers from 0, as a proxy may that also corrects the length."""
    answer = world.emulator

    def changed_answer(environ, start_response):
        def without_length(status, headers, info=None):
            return start_response(status, [each for each in headers if each[0].lower() != "content-length"])

        body = b"".join(answer(environ, without_length))
        is_changed = environ["REQUEST_METHOD"] == "POST" and len(world.network.posted) - 1 in responses
        return [change(body) if is_changed else body]

    world.network.emulator = changed_answer


def with_wrong_ids(world, wrong, responses):
    def change(body):
        content = json.loads(body)
        content["meta"]["tempIdToRealId"] = wrong(content["meta"]["tempIdToRealId"])
        return json.dumps(content).encode()

    with_changed_responses(world, change, responses)


@pytest.mark.parametrize("wrong", WRONG_IDS.values(), ids=WRONG_IDS)
@pytest.mark.parametrize("wanted", [two_batches, collections_only, variables_only])
def test_a_confirmation_with_wrong_ids_is_corrected_by_reading_back(tmp_path, wanted, wrong):
    world = World(tmp_path)
    after = wanted(world.state)
    with_wrong_ids(world, wrong, {0, 1})
    done = world.applier().apply(world.plan(after))
    assert shape(world.state) == shape(after)
    assert done.differences == ()


def test_a_late_copy_of_a_request_that_was_confirmed_with_wrong_ids_is_reported(tmp_path):
    world = World(tmp_path)
    with_wrong_ids(world, WRONG_IDS["none of the file"], {0})

    def later(number):
        body = world.network.posted[number]
        world.time.due.append((world.time.now + 60, lambda: world.direct.variables.post(KEY, body)))

    world.network.after_post = later
    with pytest.raises(ConflictError, match="a proxy that repeated a request"):
        world.applier().apply(world.plan(with_collections(world.state, new_collection("New"))))


@pytest.mark.parametrize("then", ["resume", "roll back"])
@pytest.mark.parametrize("wrong", WRONG_IDS.values(), ids=WRONG_IDS)
def test_an_apply_that_was_killed_after_a_confirmation_with_wrong_ids_can_be_ended(tmp_path, wrong, then):
    world = World(tmp_path)
    before, after = world.state, two_batches(world.state)
    with_wrong_ids(world, wrong, {0})
    world.network.after_post = lambda number: setattr(world.network, "on_get", kill)
    with pytest.raises(Killed):
        world.applier().apply(world.plan(after))
    world.network.on_get = lambda: None
    world.network.after_post = lambda number: None
    if then == "resume":
        world.applier().resume("kit")
    else:
        apply_plans(world.applier(), rollback(world.applier(), world.journals[-1].folder).path, force=True)
    assert shape(world.state) == shape(after if then == "resume" else before)


def kill():
    raise Killed


@pytest.mark.parametrize("damage", [b"\xff", b"\x00", b"\xed\xa0\x80", b'"', b"}"])
@pytest.mark.parametrize("where", ["a temporary id", "a real id"])
def test_a_confirmation_with_damaged_bytes_is_completed_by_reading_back(tmp_path, where, damage):
    world = World(tmp_path)
    after = two_batches(world.state)
    before = b'"tempIdToRealId":{"' if where == "a temporary id" else b'":"'

    def change(body):
        assert before in body
        return body.replace(before, before + damage, 1)

    with_changed_responses(world, change)
    world.applier().apply(world.plan(after))
    assert shape(world.state) == shape(after)
