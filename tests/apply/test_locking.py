"""Only one process at a time may apply, also after a crash."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time

import pytest

from tokensync.apply.locking import locked
from tokensync.system.errors import ConflictError

HOLD = """
import sys
from tokensync.apply.locking import locked

with locked(sys.argv[1], "kit"):
    print("held", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "state" / "apply-kit.lock")


def test_a_second_one_is_refused_with_owner_and_age(path):
    reported = f"kit: process {os.getpid()} on .* for 25 s; wait until it ends"
    with (
        locked(path, "kit", now=lambda: 100.0),
        pytest.raises(ConflictError, match=reported),
        locked(path, "kit", now=lambda: 125.0),
    ):
        pass
    with locked(path, "kit"):
        pass


def test_an_error_within_releases_it(path):
    with pytest.raises(ValueError, match="no"), locked(path, "kit"):
        raise ValueError("no")
    with locked(path, "kit"):
        assert os.path.exists(f"{path}.owner")
    assert not os.path.exists(f"{path}.owner")


@pytest.mark.skipif(sys.platform == "win32", reason="links need a privilege there")
def test_a_link_that_has_just_replaced_the_folder_is_not_followed(path, tmp_path, monkeypatch):
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.setattr(
        "tokensync.apply.locking.make_folder", lambda folder: os.symlink(tmp_path / "elsewhere", folder)
    )
    with pytest.raises(OSError, match="this is a link"), locked(path, "kit"):
        pass
    assert not list((tmp_path / "elsewhere").iterdir())


@pytest.mark.parametrize("content", [None, b"", b"{", b"\xff", b"[]"])
def test_an_owner_that_cannot_be_read_is_reported_without_its_number(path, content):
    with locked(path, "kit"):
        os.unlink(f"{path}.owner")
        if content is not None:
            with open(f"{path}.owner", "wb") as file:
                file.write(content)
        with pytest.raises(ConflictError, match="kit: another process is applying a plan to it"), locked(path, "kit"):
            pass


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_the_lock_of_a_process_that_is_killed_is_free(path):
    command = [sys.executable, "-c", HOLD, path]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8") as holder:
        try:
            assert holder.stdout.readline() == "held\n"
            with pytest.raises(ConflictError, match=f"kit: process {holder.pid} on"), locked(path, "kit"):
                pass
        finally:
            holder.send_signal(signal.SIGKILL)
    with locked(path, "kit"):
        pass


def test_processes_that_compete_for_it_never_share_it(path, tmp_path):
    counter = tmp_path / "inside"
    counter.write_text("0", encoding="utf-8")
    tally = tmp_path / "tally"
    tally.mkdir()
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_enter, args=(path, str(counter), str(tally))) for _ in range(3)]
    for each in workers:
        each.start()
    for each in workers:
        each.join()
    assert int(counter.read_text(encoding="utf-8")) == len(os.listdir(tally)) > 0


def _enter(path, counter, tally):
    """Increment a counter file, which loses counts if two processes do it at once."""
    for number in range(15):
        try:
            with locked(path, "kit"), open(counter, "r+", encoding="utf-8") as file:
                value = int(file.read())
                time.sleep(0.002)
                file.seek(0)
                file.write(str(value + 1))
                open(os.path.join(tally, f"{os.getpid()}-{number}"), "wb").close()
        except ConflictError:
            time.sleep(0.003)
