"""Users as in containers: without a name, without a home, and in a repository that belongs to another user."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import prepared
import pytest
from commands.projects import COLORS, files_in, on_the_platform, output, project_in, tokensync
from commands.repositories import git

STRANGER = 54321
"""The id of a user without an entry in the system's list."""
AS_STRANGER = (
    *("setpriv", f"--reuid={STRANGER}", f"--regid={STRANGER}", "--clear-groups"),
    *("--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"),  # Python may be in a folder of root
    *("env", "-i", f"PATH={os.environ['PATH']}"),
)


def can_change_its_user():
    if sys.platform != "linux" or os.geteuid() != 0 or shutil.which("setpriv") is None:
        return False
    command = [*AS_STRANGER, sys.executable, "-c", "import tokensync"]
    return subprocess.run(command, check=False, capture_output=True).returncode == 0


as_root = pytest.mark.skipif(not can_change_its_user(), reason="needs Linux, root and setpriv")
READING = [
    *("status", "check", "build --check", "build", "lint", "format --check", "tokens list", "usage"),
    *("diff lock tokens", "diff lock remote", "pull --dry-run", "doctor", "files layers one", "logs"),
]
OF_GIT = ["check --staged", "build --staged", "diff git:HEAD tokens", "install-hook"]


@pytest.fixture
def repository(folder):
    """Commit a project that is pulled and built, and make it the working folder."""
    project = project_in(folder / "project", outputs=output("css", "web"))
    os.chdir(project)
    git("init", "-q")
    on_the_platform(COLORS)
    tokensync("-q", "pull")
    tokensync("-q", "build")
    git("add", "-A")
    git("commit", "-q", "-m", "Start")
    return project


def give(folder, user):
    """Give a folder to another user, with everything in it."""
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user)


@as_root
class TestRepositoryOfAnotherUser:
    @pytest.fixture(autouse=True)
    def given(self, repository, monkeypatch):
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        monkeypatch.delenv("SUDO_UID", raising=False)
        give(repository, STRANGER)

    @pytest.mark.parametrize("command", READING)
    def test_what_needs_no_git_works(self, repository, command):
        done = tokensync(*command.split(), code=OUTCOMES.get(command, 0))
        assert "another user" not in done.stderr

    @pytest.mark.parametrize("command", OF_GIT)
    def test_what_needs_git_names_the_command_that_trusts_it(self, repository, command):
        done = tokensync(*command.split(), code=2)
        assert f"run git config --global --add safe.directory {repository}" in done.stderr


OUTCOMES = {"doctor": 0}


@pytest.mark.parametrize("command", [*READING, *OF_GIT])
def test_each_reading_verb_works_in_a_linked_work_tree(repository, monkeypatch, command):
    git("worktree", "add", "-q", "../linked", "-b", "linked")
    shutil.copytree(".tokensync", "../linked/.tokensync")
    expected = tokensync(*command.split())
    monkeypatch.chdir("../linked")
    done = tokensync(*command.split())
    if command not in ("doctor", "install-hook", "build"):  # these show paths, or what the last build has recorded
        assert done == expected
    assert git("status", "--short").stdout == ""


HOMES = [(), ("HOME=",), ("HOME=/",), ("HOME=relative",), ("HOME=/root",), ("HOME=/proc",), ("HOME=/dev/null",)]


@as_root
@pytest.mark.parametrize("home", HOMES, ids=str)
class TestNoHome:
    @pytest.fixture
    def run(self, repository, home):
        """Return a function that runs a command as a user without a name, who has the working folder."""
        own = tempfile.mkdtemp(prefix="tokensync-test-", dir="/tmp")  # others may not enter pytest's folders
        shutil.copytree(repository, own, dirs_exist_ok=True)
        give(Path(own), STRANGER)
        os.chmod(own, 0o755)
        os.chdir(own)

        def call(*arguments, is_prepared=True, **options):
            program = ("env", "-i", f"PATH={os.environ['PATH']}", *home, *prepared.command(*AS_STRANGER))
            if not is_prepared:
                program = (*AS_STRANGER, *home, sys.executable, "-I", "-m", "tokensync")
            command = [*program, *arguments]
            return subprocess.run(command, check=False, capture_output=True, encoding="utf-8", **options)

        yield call
        os.chdir(repository)
        shutil.rmtree(own)

    def test_a_login_is_not_stored_in_the_working_folder_and_the_message_says_what_to_set(self, run):
        before = files_in(Path(), without=())
        login = ("auth", "login", "--token", "--offline", "--base-url", FIGMA)
        done = run(*login, is_prepared=False, input="figd_sesame")
        assert done.returncode == 2
        assert re.search("there is no home folder to store the login in|the login cannot be stored there", done.stderr)
        assert "set HOME, or TOKENSYNC_CREDENTIALS to a folder of your own, or set FIGMA_TOKEN" in done.stderr
        assert files_in(Path(), without=()) == before

    def test_every_other_command_works_and_adds_nothing_to_the_working_folder(self, run):
        names = sorted(os.listdir())
        for command in (
            "status",
            "pull",
            "build",
            "check --staged",
            "diff git:HEAD tokens",
            "format",
            "plan",
            "tokens list",
            "auth status",
        ):
            done = run(*command.split())
            assert done.returncode == 0, f"{command}: {done.stderr}"
            assert "Traceback" not in done.stderr
        assert sorted(os.listdir()) == names
        for command in ("status", "logout"):
            assert "not readable" not in run("auth", command, "--base-url", FIGMA).stderr
        assert run("auth", "logout", "--base-url", FIGMA).returncode == 0
        assert git("status", "--short", **TRUSTED).stdout == ""


FIGMA = "https://api.figma.com"
TRUSTED = {"GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
