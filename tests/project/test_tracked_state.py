"""A state folder that git tracks came with the checkout, so nothing of it is believed."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import responses
from commands.projects import COLORS, on_the_platform, output, project_in, tokensync

from tokensync.system.disk import open_file
from tokensync.system.errors import UsageError
from tokensync.system.git import tracks

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git is not there")

TRACKED = "git tracks this folder, so others may have written its plans and receipts; run git rm -r --cached"


def git(*arguments):
    names = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", *names, *arguments], check=True, capture_output=True)


@pytest.fixture
def project(folder, monkeypatch):
    for name in ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"):
        monkeypatch.setenv(name, os.devnull)
    git("init", "-q")
    project_in(folder)
    on_the_platform(COLORS)
    tokensync("-q", "pull")
    git("add", "-A")
    git("commit", "-qm", "Pull")
    return folder


def add(path, content="{}"):
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text(content, encoding="utf-8")
    git("add", "-f", path)


VERBS = ["pull", "plan", "apply", "apply plan.json", "apply --resume", "rollback x", "status", "emulator tokens list"]


@pytest.mark.parametrize("verb", VERBS)
def test_every_command_that_uses_the_folder_refuses(project, verb):
    add(".tokensync/plan.json")
    stderr = tokensync(*verb.split(), code=2).stderr
    assert stderr.startswith(f"error: .tokensync: {TRACKED} .tokensync, and delete")
    git(*"rm -r -q --cached .tokensync".split())  # the advice
    if verb == "pull":
        tokensync("pull")


@pytest.mark.parametrize("verb", ["plan", "apply", "apply --force", "apply plan.json", "apply --resume", "rollback x"])
def test_token_in_the_environment_is_not_used_with_it(project, monkeypatch, verb):
    """A pull request brings a plan, and settings that permit it, into a job that has a token for Figma."""
    add(".tokensync/plan.json")
    config = Path("tokensync.toml")
    allowed = '[[allow]]\nfinding = "delete collection"\nsubject = "*"\n'
    config.write_text(config.read_text("utf-8").replace("emulator:", "figma") + allowed, encoding="utf-8")
    monkeypatch.setenv("FIGMA_TOKEN", "figd_canary_0123456789")
    with responses.RequestsMock(assert_all_requests_are_fired=False) as network:
        assert TRACKED in tokensync(*verb.split(), code=2).stderr
        assert not network.calls


def test_commands_without_it_still_work(project):
    add(".tokensync/plan.json")
    for verb in ("format", "tokens list", "report -o out"):
        tokensync(*verb.split())


def test_advice_names_the_folder_from_the_working_folder(project, monkeypatch):
    (project / "design").mkdir()
    (project / "tokensync.toml").rename(project / "design" / "tokensync.toml")
    add("design/.tokensync/plan.json")
    stderr = tokensync("pull", "-c", "design", code=2).stderr
    assert f"{TRACKED} {os.path.join('design', '.tokensync')}, and" in stderr
    monkeypatch.chdir("design")
    assert f"{TRACKED} .tokensync, and" in tokensync("pull", code=2).stderr


def test_own_folder_is_used(project):
    (project / ".tokensync" / "plan.json").write_text("{}", encoding="utf-8")
    tokensync("pull")


def test_ignoring_file_is_made_again(project):
    (project / ".tokensync" / ".gitignore").unlink()
    tokensync("pull")
    assert (project / ".tokensync" / ".gitignore").read_bytes() == b"*\n"


FORMATS = {
    "version 2": ["-c", "index.version=2"],
    "version 3": ["-c", "index.version=3"],
    "version 4": ["-c", "index.version=4"],
    "split": ["-c", "core.splitIndex=true", "-c", "splitIndex.maxPercentChange=100"],
    "without checksum": ["-c", "index.skipHash=true"],
}


class TestIndex:
    @pytest.fixture(params=FORMATS)
    def work_tree(self, folder, request, monkeypatch):
        self.options = FORMATS[request.param]
        git("init", "-q")
        for path in ("a.txt", "b/c", "z", "é/long name"):
            self.add(path)
        return folder

    def add(self, path):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_text(path, encoding="utf-8")
        git(*self.options, "add", "-f", path)

    @pytest.mark.parametrize("path", [".tokensync/x", "b/.tokensync/x", "é/.tokensync/x/y"])
    def test_tracked_folder_is_found_in_every_format(self, work_tree, path):
        parent = str(work_tree / path.partition(".tokensync")[0])
        Path(parent, ".tokensync").mkdir(parents=True, exist_ok=True)
        assert not tracks(parent, ".tokensync")
        self.add(path)
        assert tracks(parent, ".tokensync")
        assert sum(tracks(str(work_tree / each), ".tokensync") for each in ("", "b", "é")) == 1
        git(*self.options, "rm", "-q", "--cached", path)
        assert not tracks(parent, ".tokensync")

    def test_paths_are_those_that_git_lists(self, work_tree):
        from tokensync.system.git import _tracked_paths

        self.add(".tokensync/x")
        git(*self.options, "add", "-N", "--force", *self.intended())
        listed = subprocess.run(["git", "ls-files", "-z"], check=True, capture_output=True).stdout
        assert sorted(_tracked_paths(str(work_tree), ".tokensync")) == sorted(listed.split(b"\0")[:-1])

    @pytest.mark.parametrize(
        "spelling",
        [
            *(".TOKENSYNC", ".toKensync", ".to\u212aensync", ".token\u017fync", ".tok\u200censync", ".tokensync\ufeff"),
            *("TOKENS~1", "tokens~2", "TO1A2B~1", "TOKEN~10"),
        ],
    )
    def test_no_spelling_of_the_folder_is_overlooked(self, folder, monkeypatch, spelling):
        self.options = []
        git("init", "-q")
        for path in ("a.tsx", f"b/{spelling}/x", "c.tokens.json"):
            self.add(path)
        os.makedirs("b/.tokensync", exist_ok=True)
        monkeypatch.setattr(os.path, "samefile", lambda one, two: True)  # some file system takes it for the folder
        assert tracks(str(folder / "b"), ".tokensync")

    def test_index_is_read_once_while_it_is_the_same(self, folder, monkeypatch):
        self.options = []
        git("init", "-q")
        self.add("a.tsx")
        read = []
        monkeypatch.setattr("tokensync.system.git.open_file", lambda path: read.append(path) or open_file(path))
        assert [tracks(str(folder), ".tokensync") for _ in range(3)] == [False] * 3
        assert len(read) == 1
        self.add(".tokensync/x")
        assert tracks(str(folder), ".tokensync")

    def intended(self):
        """Make files that git add -N announces, which takes a flag of version 3; with names of many lengths."""
        names = ["n" * length for length in (*range(1, 20), 200)]
        for name in names:
            Path(name).write_text(name, encoding="utf-8")
        return names

    def test_linked_work_tree_has_its_own_index(self, work_tree):
        git("add", "-A")
        git("commit", "-qm", "x")
        git("worktree", "add", "-q", "linked")
        linked = work_tree / "linked"
        (linked / ".tokensync").mkdir()
        (linked / ".tokensync" / "x").write_text("", encoding="utf-8")
        git("-C", str(linked), "add", "-f", ".tokensync/x")
        assert tracks(str(linked), ".tokensync")
        assert not tracks(str(work_tree), ".tokensync")


def test_submodule_in_its_place_is_tracked(project):
    git("init", "-q", "other")
    git("-C", "other", "commit", "-q", "--allow-empty", "-m", "x")
    shutil.rmtree(".tokensync")
    git("submodule", "add", "-q", (project / "other").as_uri(), ".tokensync")
    assert tracks(str(project), ".tokensync")


def test_git_is_needed_only_for_unusual_indexes(project, monkeypatch):
    add(".tokensync/plan.json")
    monkeypatch.setenv("PATH", str(project))
    assert tracks(str(project), ".tokensync")
    git_index = project / ".git" / "index"
    git_index.write_bytes(git_index.read_bytes()[:-1] + b"?")
    with pytest.raises(UsageError, match="git is not on the path"):
        tracks(str(project), ".tokensync")


def test_index_that_git_cannot_read_is_named(project):
    git_index = project / ".git" / "index"
    git_index.write_bytes(bytes(100))
    with pytest.raises(UsageError, match=rf"^{re.escape(str(git_index))}: git: .*; if the index is damaged, remove it"):
        tracks(str(project), ".tokensync")


@pytest.mark.parametrize("verb", ["build", "check", "check --staged", "status", "diff git:HEAD tokens", "pull"])
def test_a_file_whose_name_is_not_utf_8_stops_no_command(project, verb):
    with Path("tokensync.toml").open("a", encoding="utf-8") as file:
        file.write(output("css", "web"))
    tokensync("-q", "build")
    blob = subprocess.run(["git", "hash-object", "-w", "--stdin"], input=b"{}", check=True, capture_output=True).stdout
    entry = b"100644 %b\tcaf\xe9.txt\0" % blob.strip()
    subprocess.run(["git", "update-index", "-z", "--index-info"], input=entry, check=True, capture_output=True)
    git("add", "tokensync.toml", "tokensync.outputs.json", "web")
    git("commit", "-qm", "A name of another encoding")
    tokensync(*verb.split())


def test_name_in_capitals_counts_where_it_is_the_same_folder(project):
    add(".TOKENSYNC/plan.json")
    same = os.path.exists(".tokensync/plan.json")
    assert tracks(str(project), ".tokensync") is same
    if not same:  # a link is the same folder on every system
        shutil.rmtree(".TOKENSYNC")
        os.symlink(".tokensync", ".TOKENSYNC")
        assert tracks(str(project), ".tokensync")


def test_without_a_repository_nothing_is_tracked(folder):
    assert not tracks(str(folder), ".tokensync")
