"""One process at a time, whatever became of the one before."""

import multiprocessing
import os
import subprocess
import sys
import time

import msgspec
import pytest

from tokensync.apply import filelock
from tokensync.apply.filelock import FileLock, Owner, is_running
from tokensync.errors import ConflictError


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "state" / "apply-kit.lock")


def gone():
    """The number of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def host():
    import platform

    return platform.node()


def put(path, owner):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    content = owner if isinstance(owner, bytes) else msgspec.json.encode(owner)
    with open(path, "wb") as file:
        file.write(content)


def test_a_lock_says_who_has_it_and_goes_when_it_is_left(path):
    with FileLock(path, "kit", now=lambda: 100.0):
        with open(path, "rb") as file:
            owner = msgspec.json.decode(file.read(), type=Owner)
        assert (owner.pid, owner.host, owner.since) == (os.getpid(), host(), 100.0)
    assert not os.path.exists(path)


def test_a_second_one_is_refused_with_owner_and_age(path):
    told = f"kit: process {os.getpid()} on .* for 25 s; wait for it"
    with (
        FileLock(path, "kit", now=lambda: 100.0),
        pytest.raises(ConflictError, match=told),
        FileLock(path, "kit", now=lambda: 125.0),
    ):
        pass
    assert not os.path.exists(path)


def test_an_error_within_leaves_no_lock(path):
    with pytest.raises(ValueError, match="no"), FileLock(path, "kit"):
        raise ValueError("no")
    assert not os.path.exists(path)


def test_the_lock_of_a_process_that_is_gone_is_taken_over_with_a_word(path):
    dead = gone()
    put(path, Owner(dead, host(), 1.0, "x"))
    said = []
    with FileLock(path, "kit", say=said.append):
        assert "apply-kit.lock" in os.listdir(os.path.dirname(path))
    assert said == [f"kit: taking over the lock of process {dead}, which is gone"]
    assert not os.path.exists(path)


def test_a_process_that_got_the_same_number_as_the_dead_one_takes_over(path):
    put(path, Owner(os.getpid(), host(), 1.0, "the one before"))
    with FileLock(path, "kit"):
        pass


def test_the_lock_of_another_host_is_left_alone(path):
    put(path, Owner(gone(), "elsewhere", 1.0, "x"))
    with pytest.raises(ConflictError, match="on elsewhere"), FileLock(path, "kit"):
        pass
    assert os.path.exists(path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[]"])
def test_a_lock_without_an_owner_is_a_process_being_born_or_dead(path, content):
    put(path, content)
    with pytest.raises(ConflictError, match="try again"), FileLock(path, "kit"):
        pass
    os.utime(path, (1.0, 1.0))
    with FileLock(path, "kit"):
        pass


def test_while_one_takes_over_no_other_does(path):
    put(path, Owner(gone(), host(), 1.0, "x"))
    with (
        filelock._gate(f"{path}.taking-over"),
        pytest.raises(ConflictError, match="kit: another process is just taking over"),
        FileLock(path, "kit"),
    ):
        pass


def test_a_process_that_died_while_it_took_over_stands_in_nobodys_way(path):
    put(path, Owner(gone(), host(), 1.0, "x"))
    put(f"{path}.taking-over", b"")
    with FileLock(path, "kit"):
        pass


def test_a_lock_that_somebody_else_took_is_not_removed(path):
    with FileLock(path, "kit"):
        put(path, Owner(1, "elsewhere", 1.0, "x"))
    assert os.path.exists(path)


def test_processes_are_running_or_not():
    assert is_running(os.getpid())
    assert is_running(os.getppid())
    assert not is_running(gone())


def test_processes_that_compete_for_a_dead_ones_lock_never_share_it(path, tmp_path):
    put(path, Owner(gone(), host(), 1.0, "x"))
    counter = tmp_path / "inside"
    counter.write_text("0")
    tally = tmp_path / "tally"
    tally.mkdir()
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_enter, args=(path, str(counter), str(tally))) for _ in range(3)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert int(counter.read_text()) == len(os.listdir(tally)) > 0


def _enter(path, counter, tally):
    """Counts by reading and writing, which loses counts when two do it at once."""
    for number in range(15):
        try:
            with FileLock(path, "kit"), open(counter, "r+") as file:
                value = int(file.read())
                time.sleep(0.002)
                file.seek(0)
                file.write(str(value + 1))
                open(os.path.join(tally, f"{os.getpid()}-{number}"), "w").close()
        except ConflictError:
            time.sleep(0.003)
