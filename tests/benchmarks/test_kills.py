"""A short part of the kill campaign, with every command in it; ``make kills`` runs it whole."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from commands.projects import pulled_in

from tokensync.cli import main

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
sys.path.append(str(BENCHMARKS))

from campaign import syscalls  # noqa: E402
from campaign.commands import ALL, ROWS  # noqa: E402

pytestmark = [
    pytest.mark.campaign,
    pytest.mark.skipif(not syscalls.IS_POSSIBLE, reason="system calls are counted on Linux with x86-64 only"),
]


def run(*arguments):
    """Run the campaign; return its exit code and output."""
    command = [sys.executable, BENCHMARKS / "kills.py", *arguments]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


def test_each_command_is_in_the_campaign():
    assert {row.name.split()[0] for row in ALL} == {*main.COMMANDS}
    assert {row.name for row in ROWS} <= {row.name for row in ALL}


def test_calls_of_the_process_and_of_its_programs_are_counted_and_fail(tmp_path):
    path = tmp_path / "file"

    def write():
        os.mkdir(tmp_path / "folder")
        path.write_bytes(b"whole")
        subprocess.run(["touch", tmp_path / "other"], check=False)
        os._exit(0)

    ended = syscalls.run(write, str(tmp_path))
    names = ["mkdir folder", "openat file", "write file", "openat other"]
    assert (ended.code, list(ended.calls)) == (0, names)
    (tmp_path / "folder").rmdir()
    path.unlink()
    assert syscalls.run(write, str(tmp_path), fault="kill", at=3).code == -9
    assert path.read_bytes() == b""
    (tmp_path / "folder").rmdir()
    assert syscalls.run(write, str(tmp_path), fault="ENOSPC", at=2).code == 1


def test_git_ignores_the_folder_of_state_after_a_kill_at_any_call(tmp_path, monkeypatch):
    pulled_in(tmp_path / "project")
    monkeypatch.chdir(tmp_path / "project")
    state = Path(".tokensync")
    for at in range(1, 20):
        shutil.rmtree(state, ignore_errors=True)
        ended = syscalls.run(lambda: os._exit(main.run(["status", "-q"])), str(tmp_path), fault="kill", at=at)
        if ended.code != -9:
            break
        main.run(["status", "-q"])
        left = [path.name for path in state.glob("*") if not path.name.startswith(".tokensync-")]
        assert not left or (state / ".gitignore").read_bytes() == b"*\n", ended.calls
    assert at > 3


@pytest.mark.parametrize("command", ["pull", "apply --resume", "format", "tokens rename", "init", "bridge"])
def test_a_command_that_is_killed_or_finds_the_disk_full_leaves_whole_files_and_can_be_repeated(command):
    code, output = run("--only", command, "--every", "12", "--seed", "5")
    assert code == 0, output
    assert re.search(r"^\| all \| \d+ \| [1-9].* \| 0 \|$", output, re.MULTILINE), output
