"""A lock is taken over only if its owner has ended, also where process ids and the system's locks do not reach."""

import os
import platform
import shutil
import signal
import subprocess
import sys

import msgspec
import pytest

from tokensync.apply import locking
from tokensync.apply.locking import Owner, locked, this_process
from tokensync.system.errors import ConflictError

HOLD = """
import os, sys
from tokensync.apply.locking import locked

with locked(sys.argv[1], "kit"):
    print("held", flush=True)
    if sys.stdin.read():
        os._exit(9)
"""
"""Hold a lock until the input ends. Any input kills the process: the first one of a namespace ignores SIGKILL."""
HOST = "pid:[4026531836]"
CONTAINER = "pid:[4026532501]"

linux = pytest.mark.skipif(sys.platform != "linux", reason="asks for process namespaces")


def can_enter_a_namespace():
    if sys.platform != "linux" or shutil.which("unshare") is None:
        return False
    return subprocess.run([*NAMESPACE, "true"], check=False, capture_output=True).returncode == 0


NAMESPACE = ("unshare", "--pid", "--fork", "--mount-proc", "--kill-child")
namespaced = pytest.mark.skipif(not can_enter_a_namespace(), reason="no new process namespace can be created here")


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "apply-kit.lock")


def left(path, owner):
    """Leave the record of an owner, as a killed process does."""
    with open(f"{path}.owner", "wb") as file:
        file.write(msgspec.json.encode(owner))


def test_no_program_is_started_to_name_the_host(path, monkeypatch):
    """It would inherit an access token; Python starts one on Windows for everything that its module platform tells."""
    monkeypatch.setattr(platform, "uname", lambda: pytest.fail("this may start a program"))
    assert entered(path)


def entered(path):
    """Return whether this process gets the lock; if so, another one gets it afterwards, too."""
    try:
        with locked(path, "kit"):
            pass
    except ConflictError:
        return False
    with locked(path, "kit"):
        return True


def holder(path, *before, **options):
    command = [*before, sys.executable, "-c", HOLD, path]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8", **options)
    assert process.stdout.readline() == "held\n"
    return process


@namespaced
class TestNamespaces:
    def test_a_lock_of_a_living_process_in_another_namespace_is_refused(self, path):
        with holder(path, *NAMESPACE) as process:
            with (
                pytest.raises(ConflictError, match="kit: process 1 on .* has been applying a plan"),
                locked(path, "kit"),
            ):
                pass
            process.stdin.close()
            assert process.wait(30) == 0
        assert entered(path)

    def test_a_process_in_a_namespace_is_refused_the_lock_of_one_outside(self, path):
        with locked(path, "kit"):
            command = [*NAMESPACE, sys.executable, "-c", HOLD, path]
            done = subprocess.run(command, input="", capture_output=True, encoding="utf-8", check=False)
        assert f"kit: process {os.getpid()} on" in done.stderr
        assert "held" not in done.stdout

    def test_a_killed_process_of_another_namespace_is_not_known_to_have_ended_until_somebody_says_so(self, path):
        with holder(path, *NAMESPACE) as process:
            process.communicate("die")
        with pytest.raises(ConflictError, match=r"may still be applying .* delete .*apply-kit\.lock\.owner"):
            locked(path, "kit").__enter__()
        os.unlink(f"{path}.owner")
        assert entered(path)


def gone(path):
    """Leave the lock of a process that was killed."""
    with holder(path) as process:
        process.send_signal(signal.SIGKILL)


def reused(path):
    """Leave the lock of a process whose id another one has now."""
    left(path, msgspec.structs.replace(this_process(1.0), pid=1))


def restarted(path):
    """Leave the lock of a process that ran before the machine started."""
    own = this_process(1.0)
    if not own.machine or own.namespace != HOST:
        pytest.skip("needs a machine's id, and its own process namespace")
    left(path, msgspec.structs.replace(own, boot="another"))


@linux
class TestSeveralAtOnce:
    @pytest.mark.parametrize("leave", [gone, reused, restarted])
    def test_of_several_processes_one_takes_over_the_lock_of_one_that_has_ended(self, path, leave):
        leave(path)
        command = [sys.executable, "-c", HOLD, path]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "encoding": "utf-8"}
        others = [subprocess.Popen(command, **pipes) for _ in range(5)]
        refused = [each for each in others if not each.stdout.readline()]  # the holder waits for its input
        assert len(refused) == len(others) - 1
        for each in others:
            is_refused = each in refused
            _, errors = each.communicate("")
            assert ("ConflictError: kit: process" in errors) is is_refused
        assert entered(path)

    @namespaced
    @pytest.mark.parametrize("leave", [gone, reused, restarted])
    def test_none_in_another_namespace_takes_it_over(self, path, leave):
        leave(path)
        command = [*NAMESPACE, sys.executable, "-c", HOLD, path]
        done = subprocess.run(command, input="", capture_output=True, encoding="utf-8", check=False)
        assert "may still be applying" in done.stderr
        assert entered(path)

    @namespaced
    def test_two_namespaces_with_one_host_name_exclude_each_other(self, path):
        with holder(path, *NAMESPACE) as process:
            command = [*NAMESPACE, sys.executable, "-c", HOLD, path]
            done = subprocess.run(command, input="", capture_output=True, encoding="utf-8", check=False)
            assert "kit: process 1 on" in done.stderr
            process.stdin.close()
            assert process.wait(30) == 0
        assert entered(path)


@linux
class TestSameNamespace:
    def test_the_lock_of_a_killed_process_is_taken_over(self, path):
        with holder(path) as process:
            process.send_signal(signal.SIGKILL)
        assert os.path.exists(f"{path}.owner")
        assert entered(path)

    def test_a_process_id_that_another_process_has_got_since_does_not_keep_the_lock(self, path):
        left(path, msgspec.structs.replace(this_process(1.0), pid=1))
        assert entered(path)

    def test_a_living_owner_keeps_it_where_the_system_grants_a_lock_twice(self, path, monkeypatch):
        monkeypatch.setattr("fcntl.flock", lambda *_: None)
        with (
            locked(path, "kit", now=lambda: 100.0),
            pytest.raises(ConflictError, match=f"process {os.getpid()} on .* for 20 s; wait"),
            locked(path, "kit", now=lambda: 120.0),
        ):
            pass

    def test_nothing_is_known_of_a_process_where_proc_shows_those_of_another_namespace(self, path, monkeypatch):
        left(path, msgspec.structs.replace(this_process(1.0), pid=2**22))
        monkeypatch.setattr(locking, "_start_of", lambda pid: None)
        assert not entered(path)
        monkeypatch.undo()
        assert entered(path)


@linux
def test_nothing_is_known_of_a_process_of_which_another_namespace_is_mounted(monkeypatch):
    assert locking._start_of(os.getpid()) == this_process(1.0).started
    monkeypatch.setattr(locking.os, "readlink", lambda path: "1")
    assert locking._start_of(os.getpid()) is None


def test_a_record_that_cannot_be_read_has_no_owner(path):
    left(path, this_process(1.0))
    (lock,) = locking.lock_owners(os.path.dirname(path))
    with open(f"{path}.owner", "wb") as file:
        file.write(b"{")
    assert lock[1].pid == os.getpid()
    assert [*locking.lock_owners(os.path.dirname(path))] == []


HERE = Owner(7, "laptop", 1.0, HOST, "m1", "b1", "900")


@pytest.mark.parametrize(
    ("former", "ended"),
    [
        pytest.param({"boot": "b0"}, True, id="restarted"),
        pytest.param({"boot": "b0", "machine": "m2"}, None, id="another machine of that name"),
        pytest.param({"boot": "b0", "namespace": CONTAINER}, None, id="a container before the restart"),
        pytest.param({"namespace": CONTAINER}, None, id="a container"),
        pytest.param({"host": "desktop"}, None, id="another host"),
        pytest.param({"host": "desktop", "boot": "b0"}, None, id="another host that started before"),
        pytest.param({"namespace": "", "boot": "", "machine": "", "started": ""}, None, id="another system"),
    ],
)
def test_an_owner_has_ended_only_where_that_is_proven(former, ended, monkeypatch):
    monkeypatch.setattr(locking, "_start_of", lambda pid: "1")
    assert locking._has_ended(msgspec.structs.replace(HERE, **former), HERE) is ended


def test_a_restart_in_a_container_proves_nothing():
    here = msgspec.structs.replace(HERE, namespace=CONTAINER)
    assert locking._has_ended(msgspec.structs.replace(HERE, boot="b0"), here) is None


def test_the_lock_of_the_system_is_the_proof_where_there_are_no_namespaces():
    here = Owner(7, "laptop", 1.0)
    assert locking._has_ended(Owner(9, "laptop", 0.5), here) is True
    assert locking._has_ended(Owner(9, "desktop", 0.5), here) is None


@pytest.mark.skipif(os.name == "nt", reason="fcntl is of POSIX")
def test_a_file_system_without_locks_is_named(path, monkeypatch):
    def unsupported(*_):
        raise OSError(37, "No locks available")

    monkeypatch.setattr("fcntl.flock", unsupported)
    with pytest.raises(OSError, match="No locks available") as caught:
        locked(path, "kit").__enter__()
    assert caught.value.filename == path


def test_without_namespaces_the_system_knows_whether_a_lock_is_held(path, monkeypatch):
    def missing(path):  # as on macOS and Windows
        raise FileNotFoundError(path)

    monkeypatch.setattr(locking.os, "readlink", missing)

    def ended():
        return [each for *_, each in locking.lock_owners(os.path.dirname(path))]

    with locked(path, "kit"):
        assert ended() == [False]
    left(path, this_process(1.0))
    assert ended() == [True]
    assert entered(path)
