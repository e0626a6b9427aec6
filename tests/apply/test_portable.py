"""Journals of artifacts, which have no response of the platform."""

import json
import os
from pathlib import Path

import pytest
from apply import wanted as edits
from apply.test_kills import FAULTS, WANTED, killed_at
from apply.world import ACCENT, BASE, GAP, Killed, World, changed, shape

from tokensync.apply.applying import touched
from tokensync.apply.journal import BEFORE, TOUCHED
from tokensync.apply.sending import Reading
from tokensync.commands.rollback import rollback
from tokensync.system.errors import ConflictError

EDITS = [each for each in vars(edits).values() if callable(each) and getattr(each, "__module__", "") == edits.__name__]


def packed(world):
    """Put what an artifact has in the place of the platform's response."""
    (journal,) = world.journals
    Path(journal.folder, TOUCHED).write_bytes(touched(journal))
    Path(journal.folder, BEFORE).unlink()
    return journal


def interrupted(world, plan, monkeypatch, count, when="before"):
    """Kill an apply at a record of the journal. Return whether the plan has so many."""
    with monkeypatch.context() as patch:
        killed_at(patch, count, when)
        try:
            world.applier().apply(plan, force=True)
        except Killed:
            return bool(world.journals)
    return False


@pytest.mark.parametrize("wanted", [*WANTED, *EDITS])
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("count", range(1, 6))
def test_an_apply_is_resumed_where_only_its_artifact_is(tmp_path, monkeypatch, wanted, fault, count):
    world = World(tmp_path)
    after = wanted(world.state)
    plan = world.plan(after)
    world.network.posts = [fault, fault]
    if not interrupted(world, plan, monkeypatch, count):
        return
    packed(world)
    result = world.applier().resume("kit")
    world.time.pass_to(world.time.now + 10_000)
    assert result is None or not result.differences
    assert shape(world.state) == shape(after)
    assert len(world.network.committed) == len(set(world.network.committed))
    assert world.journals[-1].status == "finished"


@pytest.mark.parametrize("wanted", [*WANTED, *EDITS])
def test_the_state_before_is_completed_exactly(tmp_path, monkeypatch, wanted):
    world = World(tmp_path)
    fingerprint = world.reading().fingerprint
    plan = world.plan(wanted(world.state))
    world.applier().apply(plan, force=True)
    rollback(world.applier(), packed(world).folder, out=str(tmp_path / "back.json"))
    assert Reading("kit", world.journals[0].before).fingerprint == fingerprint


def test_an_artifact_has_only_what_the_plan_touches(tmp_path):
    world = World(tmp_path)
    world.applier().apply(world.plan(changed(world.state, GAP, values={"2:0": 12.0})))
    (journal,) = world.journals
    meta = json.loads(touched(journal))["meta"]
    assert {ref for ref, each in meta["variables"].items() if each} == {GAP}
    assert meta["variables"].keys() == {BASE, ACCENT, GAP}
    assert [each["name"] for each in meta["variableCollections"].values() if each] == ["Sizes"]


def test_a_change_of_something_else_is_kept_only_with_rebase(tmp_path, monkeypatch):
    world = World(tmp_path)
    after = changed(world.state, GAP, values={"2:0": 12.0})
    assert interrupted(world, world.plan(after), monkeypatch, 1)
    journal = packed(world)
    world.post(variables=[{"action": "UPDATE", "id": BASE, "description": "by somebody"}])
    with pytest.raises(ConflictError, match="does not touch; go on with tokensync apply --resume --rebase"):
        world.applier().resume("kit")
    assert os.path.exists(os.path.join(journal.folder, TOUCHED))
    world.applier().resume("kit", rebase=True)
    assert world.state.variables[GAP].values == {"2:0": 12.0}
    assert world.state.variables[BASE].description == "by somebody"
    assert world.applier().resume("kit") is None


@pytest.mark.parametrize("content", [b"", b"[]", b'{"meta":{}}', b'{"meta":{"variables":{},"variableCollections":1}}'])
def test_a_damaged_artifact_is_named(tmp_path, monkeypatch, content):
    world = World(tmp_path)
    assert interrupted(world, world.plan(changed(world.state, GAP, values={"2:0": 12.0})), monkeypatch, 1)
    path = Path(packed(world).folder, TOUCHED)
    path.write_bytes(content)
    with pytest.raises(ConflictError, match=r"touched\.json: damaged; restore it"):
        world.applier().resume("kit")
    assert world.network.posted == []


def test_a_crash_while_it_is_completed_is_no_harm(tmp_path, monkeypatch):
    world = World(tmp_path)
    after = changed(world.state, GAP, values={"2:0": 12.0})
    assert interrupted(world, world.plan(after), monkeypatch, 1)
    packed(world)
    with monkeypatch.context() as patch:
        killed_at(patch, 0, "before")
        with pytest.raises(Killed):
            world.applier().resume("kit")
    world.applier().resume("kit")
    assert shape(world.state) == shape(after)
