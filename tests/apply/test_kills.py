"""The process is killed before, after or while a record of the journal is written."""

import os

import pytest
from apply.world import (
    LOST_AFTER,
    LOST_BEFORE,
    Fault,
    Killed,
    World,
    changed,
    new_collection,
    new_variable,
    shape,
    two_batches,
    with_collections,
    with_variables,
)

from tokensync.apply import journal
from tokensync.apply.journal import Journal
from tokensync.commands import apply
from tokensync.system.errors import ConflictError

pytestmark = pytest.mark.campaign  # each tries hundreds of schedules

GAP = "VariableID:2:2"


def collections_only(state):
    return with_collections(state, new_collection("Twice"), new_collection("Twice", "collection:again"))


def variables_and_values(state):
    return changed(with_variables(state, new_variable("wide")), GAP, values={"2:0": 12.0})


WANTED = [
    pytest.param(collections_only, id="collections of one name"),
    pytest.param(variables_and_values, id="variables and values"),
    pytest.param(two_batches, id="two requests"),
]
FAULTS = [
    pytest.param(None, id="no fault"),
    pytest.param(LOST_AFTER, id="answer lost"),
    pytest.param(LOST_BEFORE, id="request lost"),
    pytest.param(Fault(delay=45), id="carried out late"),
]


def killed_at(monkeypatch, count, when):
    """The process dies ``when`` ("before", "after" or "torn") the record with this number is on disk."""
    record = Journal.record
    seen = []

    def dying(self, each):
        seen.append(each)
        if len(seen) == count + 1:
            if when == "after":
                record(self, each)
            elif when == "torn":
                with open(os.path.join(self.folder, journal.JOURNAL), "ab") as file:
                    file.write(b'{"step":"answ')
            raise Killed
        record(self, each)

    monkeypatch.setattr(Journal, "record", dying)
    return seen


@pytest.mark.parametrize("wanted", WANTED)
@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("when", ["before", "after", "torn"])
@pytest.mark.parametrize("count", range(7))
def test_a_process_killed_at_a_step_is_resumed_to_the_plans_result(tmp_path, monkeypatch, wanted, fault, when, count):
    world = World(tmp_path)
    before = world.state
    after = wanted(before)
    plan = world.plan(after)
    world.network.posts = [fault, fault]
    with monkeypatch.context() as patch:
        seen = killed_at(patch, count, when)
        try:
            world.applier().apply(plan)
        except Killed:
            pass
        else:
            assert len(seen) <= count  # the apply has no step of this number
            return
    resumed = world.applier().resume("kit")
    if resumed is None:
        if not world.journals:  # nothing was begun
            assert shape(world.state) == shape(before)
            resumed = world.applier().apply(plan)
        else:  # it was finished
            assert world.journals[-1].status == "finished"
    world.time.pass_to(world.time.now + 10_000)
    assert shape(world.state) == shape(after)
    assert resumed is None or not resumed.differences
    assert len(world.network.committed) == len(set(world.network.committed))
    assert world.journals[-1].status == "finished"
    assert world.applier().resume("kit") is None


@pytest.mark.parametrize("step", ["write_receipt", "write_rollback", "lock_applied"])
def test_a_process_killed_while_writing_its_receipt_writes_it_again(tmp_path, monkeypatch, step):
    world = World(tmp_path)
    plan = world.plan(two_batches(world.state))

    def dying(*arguments, **options):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(apply, step, dying)
        with pytest.raises(Killed):
            world.applier().apply(plan)
    assert world.applier().resume("kit").requests == 2
    assert len(world.network.posted) == 2
    folder = world.journals[-1].folder
    assert {"receipt.json", "rollback.json"} <= set(os.listdir(folder))


def test_a_second_kill_while_resuming_changes_nothing(tmp_path, monkeypatch):
    world = World(tmp_path)
    after = collections_only(world.state)
    plan = world.plan(after)
    for count, when in ((1, "after"), (1, "before"), (1, "after"), (2, "torn")):
        with monkeypatch.context() as patch:
            killed_at(patch, count, when)
            go_on = (lambda: world.applier().resume("kit")) if world.journals else lambda: world.applier().apply(plan)
            with pytest.raises(Killed):
                go_on()
    world.applier().resume("kit")
    assert shape(world.state) == shape(after)
    assert len(world.network.committed) == 1


def test_a_resume_after_days_does_not_wait(tmp_path, monkeypatch):
    world = World(tmp_path)
    after = collections_only(world.state)
    plan = world.plan(after)
    with monkeypatch.context() as patch:
        killed_at(patch, 1, "after")
        with pytest.raises(Killed):
            world.applier().apply(plan)
    world.time.now += 3 * 86_400
    world.applier().resume("kit")
    assert set(world.time.slept) <= {1.0}  # between two readings that have to agree
    assert shape(world.state) == shape(after)


@pytest.mark.parametrize("set_by", [-86_400.0, 86_400.0])
def test_setting_the_time_neither_ends_nor_extends_a_wait(tmp_path, monkeypatch, set_by):
    world = World(tmp_path)
    after = collections_only(world.state)
    plan = world.plan(after)
    world.network.posts = [Fault(delay=60)]
    world.network.before_post = lambda number: setattr(world.time, "set_by", set_by)
    with monkeypatch.context() as patch:
        patch.setattr("tokensync.apply.sending.Sender._final_outcome", lambda *_, **__: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            world.applier().apply(plan)
    world.time.pass_to(world.time.now + 20)
    world.time.due.append((world.time.now + 10, lambda: setattr(world.time, "set_by", -set_by)))
    world.applier().resume("kit")
    assert len(world.network.committed) == 1
    assert shape(world.state) == shape(after)
    assert 40 <= sum(world.time.slept) <= 70


@pytest.mark.parametrize("boot", ["another boot", ""])
@pytest.mark.parametrize("moment", [0.0, 1_800_000_000.0, 1_900_000_000.0])
def test_after_another_boot_the_whole_settling_time_counts(tmp_path, monkeypatch, boot, moment):
    world = World(tmp_path)
    world.time.boot = "" if not boot else "a boot"
    plan = world.plan(collections_only(world.state))
    with monkeypatch.context() as patch:
        killed_at(patch, 1, "after")
        with pytest.raises(Killed):
            world.applier().apply(plan)
    world.time.now, world.time.boot = moment, boot
    world.applier().resume("kit")
    assert 85 < sum(world.time.slept) < 95


def test_a_plan_is_not_begun_while_another_one_is_open(tmp_path, monkeypatch):
    world = World(tmp_path)
    plan = world.plan(collections_only(world.state))
    with monkeypatch.context() as patch:
        killed_at(patch, 2, "before")
        with pytest.raises(Killed):
            world.applier().apply(plan)
    another = world.plan(variables_and_values(world.state))
    with pytest.raises(ConflictError, match=r"apply --resume, or revert it with tokensync rollback"):
        world.applier().apply(another)
    world.applier().resume("kit")
    world.applier().apply(world.plan(variables_and_values(world.state)))


def test_an_apply_that_sent_nothing_does_not_block_others(tmp_path, monkeypatch):
    world = World(tmp_path)
    plan = world.plan(collections_only(world.state))
    with monkeypatch.context() as patch:
        killed_at(patch, 1, "before")
        with pytest.raises(Killed):
            world.applier().apply(plan)
    world.applier().apply(plan)
    assert [each.status for each in world.journals] == ["stopped", "finished"]


def test_a_full_disk_sends_nothing_and_loses_nothing(tmp_path, monkeypatch):
    world = World(tmp_path)
    before, after = world.state, two_batches(world.state)
    plan = world.plan(after)
    write = os.write
    left = []

    def full(descriptor, content):
        if b'"sending"' in bytes(content) and not left:
            left.append(write(descriptor, bytes(content)[:9]))
            return 9
        if left:
            raise OSError(28, "No space left on device")
        return write(descriptor, content)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="journal.jsonl"):
            world.applier().apply(plan)
    assert shape(world.state) == shape(before)
    assert world.network.posted == []
    assert world.journals[-1].status == "unsent"
    world.applier().resume("kit")
    assert shape(world.state) == shape(after)


def test_a_full_disk_after_the_answer_is_like_a_lost_answer(tmp_path, monkeypatch):
    world = World(tmp_path)
    after = collections_only(world.state)
    plan = world.plan(after)
    write = os.write

    def full(descriptor, content):
        if b'"answered"' in bytes(content):
            raise OSError(28, "No space left on device")
        return write(descriptor, content)

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(OSError, match="No space"):
            world.applier().apply(plan)
    world.applier().resume("kit")
    assert len(world.network.posted) == 1
    assert shape(world.state) == shape(after)


@pytest.mark.skipif(os.name == "nt", reason="Windows cannot flush folders")
def test_the_folders_of_a_journal_are_on_disk_before_a_request_is_sent(tmp_path, monkeypatch):
    world = World(tmp_path)
    plan = world.plan(two_batches(world.state))
    synced, missing, fsync = set(), [], os.fsync

    def noted(descriptor):
        synced.add(os.fstat(descriptor).st_ino)
        fsync(descriptor)

    def check(number):
        state = tmp_path / ".tokensync"
        folders = (tmp_path, state, state / "applies", *(state / "applies").iterdir())
        missing.extend(each.name for each in folders if each.stat().st_ino not in synced)

    monkeypatch.setattr(os, "fsync", noted)
    world.network.before_post = check
    world.applier().apply(plan)
    assert world.network.committed
    assert missing == []
