"""``check --staged`` judges the commit: a fresh clone of every commit that it accepts passes the check."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from commands.projects import files_in, tokensync
from commands.repositories import COLORS, add_color, clone_passes, git, install, paint, repository_in

from tokensync.system import git as git_module
from tokensync.system import git_index, stat_manifest

pytestmark = [
    pytest.mark.skipif(shutil.which("git") is None, reason="git is not there"),
    pytest.mark.skipif(sys.platform == "win32", reason="the hooks are scripts of a POSIX shell"),
]

CSS = Path("code/web/tokens.css")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    for name in [each for each in os.environ if each.startswith(("GIT_", "TOKENSYNC_"))]:
        monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return repository_in(tmp_path / "harbor")


@pytest.fixture
def hooked(repository):
    install()
    return repository


def new_output():
    add_color("zed")
    tokensync("-q", "format")
    tokensync("-q", "build")


def changed():
    paint("slate.50", [1, 1, 0.5])
    tokensync("-q", "format")
    tokensync("-q", "build")


def half_of_a_token_file():
    """Stage one of two changes, as ``git add -p`` does, with the outputs of both."""
    paint("slate.50", [1, 1, 0.5])
    git("add", COLORS)
    paint("kelp.400", [0, 0.5, 0.5])
    tokensync("-q", "build")
    git("add", "code")


REFUSED = {
    "a new output is untracked": lambda: (new_output(), git("add", "-u")),
    "an output is not staged": lambda: (changed(), git("add", "-A"), git("reset", "-q", CSS)),
    "outputs are not staged": lambda: (changed(), git("add", "tokens")),
    "tokens are not staged, outputs are": lambda: (changed(), git("add", "code")),
    "half of a token file is staged": half_of_a_token_file,
    "an output was edited by hand": lambda: (
        CSS.write_text(CSS.read_text("utf-8") + "a {}\n", encoding="utf-8"),
        git("add", CSS),
    ),
    "an output is deleted": lambda: git("rm", "-q", CSS),
    "a token file is deleted": lambda: git("rm", "-q", "tokens/harbor/theme/dark.tokens.json"),
    "the list of outputs is deleted": lambda: git("rm", "-q", "tokensync.outputs.json"),
    "an output is renamed": lambda: git("mv", CSS, "code/web/other.css"),
    "a token file has an error": lambda: (COLORS.write_text("{", encoding="utf-8"), git("add", COLORS)),
    "the configuration has an error": lambda: (
        Path("tokensync.toml").write_text("[", encoding="utf-8"),
        git("add", "-A"),
    ),
}
ACCEPTED = {
    "everything is staged": lambda: (new_output(), git("add", "-A")),
    "a broken token file is untracked": lambda: (
        Path("tokens/harbor/theme/half.tokens.json").write_text("{", encoding="utf-8"),
        Path("README.md").write_text("more", encoding="utf-8"),
        git("add", "README.md"),
    ),
    "a broken token file is not staged": lambda: (
        COLORS.write_text("{", encoding="utf-8"),
        Path("README.md").write_text("more", encoding="utf-8"),
        git("add", "README.md"),
    ),
    "everything of tokensync is deleted": lambda: git("rm", "-rq", "tokens", "code", "tokensync.*"),
}


class TestCommits:
    @pytest.mark.parametrize("change", REFUSED)
    def test_a_commit_is_refused_if(self, hooked, change):
        REFUSED[change]()
        done = git("commit", "-q", "-m", "x", ok=False)
        assert done.returncode
        assert "Traceback" not in done.stderr
        last = done.stderr.strip().splitlines()[-1]
        assert "tokensync build" in last or "git add" in last or "correct" in last

    @pytest.mark.parametrize("change", ACCEPTED)
    def test_a_commit_is_accepted_and_its_clone_passes_if(self, hooked, change, tmp_path):
        ACCEPTED[change]()
        git("commit", "-q", "-m", "x")
        if Path("tokensync.toml").exists():
            clone_passes(hooked, tmp_path / "clone")

    def test_commit_all_reads_the_index_of_that_commit(self, hooked, tmp_path):
        changed()
        assert git("commit", "-q", "-m", "x", ok=False).returncode
        git("commit", "-q", "-a", "-m", "x")
        clone_passes(hooked, tmp_path / "clone")
        new_output()
        assert git("commit", "-q", "-a", "-m", "x", ok=False).returncode, "the new output is untracked"

    def test_commit_of_paths_reads_the_index_of_that_commit(self, hooked, tmp_path):
        changed()
        git("add", "-A")
        assert git("commit", "-q", "-m", "x", "--", "tokens", ok=False).returncode
        git("commit", "-q", "-m", "x", "--", "tokens", "code")
        clone_passes(hooked, tmp_path / "clone")

    def test_amending_is_checked_as_well(self, hooked, tmp_path):
        changed()
        git("add", "tokens")
        assert git("commit", "-q", "--amend", "--no-edit", ok=False).returncode
        git("add", "-A")
        git("commit", "-q", "--amend", "--no-edit")
        clone_passes(hooked, tmp_path / "clone")

    def test_merges_reverts_and_cherry_picks_pass(self, hooked, tmp_path):
        install(
            Path(git("rev-parse", "--git-path", "hooks/pre-commit").stdout.strip()).read_text("utf-8"),
            "pre-merge-commit",
        )
        for branch, change in (("one", changed), ("two", new_output)):
            git("switch", "-q", "-c", branch, "main")
            change()
            git("add", "-A")
            git("commit", "-q", "-m", branch)
        git("merge", "-q", "--no-ff", "-m", "both", "one")
        git("revert", "--no-edit", "-m", "1", "HEAD")
        git("cherry-pick", "--no-commit", "one")
        git("commit", "-q", "-m", "again")
        clone_passes(hooked, tmp_path / "clone")

    def test_an_announced_file_is_not_part_of_the_commit(self, hooked):
        new_output()
        git("add", "-u")
        git("add", "--intent-to-add", "code")
        assert git("commit", "-q", "-m", "x", ok=False).returncode


class TestRepositories:
    def test_a_linked_worktree_has_an_index_of_its_own(self, hooked, tmp_path):
        git("worktree", "add", "-q", "../linked")
        os.chdir("../linked")
        changed()
        git("add", "tokens")
        assert "not current" in git("commit", "-q", "-m", "x", ok=False).stderr
        git("add", "-A")
        git("commit", "-q", "-m", "x")
        git("commit", "-q", "--amend", "--no-edit", "-a")
        clone_passes(tmp_path / "linked", tmp_path / "clone")

    def test_a_submodule_has_an_index_of_its_own(self, repository, tmp_path):
        (tmp_path / "above").mkdir()
        os.chdir(tmp_path / "above")
        git("init", "-q")
        git("submodule", "--quiet", "add", repository, "design")
        os.chdir("design")
        install()
        changed()
        git("add", "tokens")
        assert "not current" in git("commit", "-q", "-m", "x", ok=False).stderr
        git("add", "-A")
        git("commit", "-q", "-m", "x")

    def test_the_hook_of_the_repository_above_reads_the_index_of_the_submodule(self, repository, tmp_path):
        (tmp_path / "above").mkdir()
        os.chdir(tmp_path / "above")
        git("init", "-q")
        git("submodule", "--quiet", "add", repository, "design")
        install(f"#!/bin/sh\ncd design && exec {sys.executable} -m tokensync check --staged\n")
        git("commit", "-q", "-m", "x")
        os.chdir("design")
        changed()
        git("add", "tokens")
        os.chdir("..")
        Path("more").write_text("x", encoding="utf-8")
        git("add", "more")
        for paths in ((), ("--", "more")):
            assert "not current" in git("commit", "-q", "-m", "x", *paths, ok=False).stderr

    def test_a_project_in_a_subfolder_needs_its_configuration_named(self, repository, tmp_path):
        Path("packages").mkdir()
        git("mv", "tokens", "code", "tokensync.toml", "tokensync.outputs.json", "tokensync.lock", "packages")
        done = tokensync("check", "--staged", code=2)
        assert "add the option -c packages/tokensync.toml" in done.stderr
        assert "63 output files" in tokensync("check", "--staged", "-c", "packages/tokensync.toml").stderr
        git("rm", "-q", "--cached", "packages/code/web/tokens.css")
        done = tokensync("check", "--staged", "-c", "packages/tokensync.toml", code=3)
        assert done.stderr.splitlines()[-1].startswith(
            "run tokensync build -c packages/tokensync.toml && git add packages/"
        )
        os.chdir("packages")
        assert "not current: code/web/tokens.css" in tokensync("check", "--staged", code=3).stderr

    def test_a_commit_before_the_first_pull_is_not_blocked(self, repository):
        git("rm", "-rq", "tokens", "code", "tokensync.lock", "tokensync.outputs.json")
        note, counts = tokensync("check", "--staged").stderr.splitlines()
        assert "there are no token files yet" in note
        assert counts == "checked 0 tokens and 0 output files: 1 note"

    @pytest.mark.parametrize("version", ["2", "3", "4", "split", "sha256"])
    def test_every_format_of_an_index_is_read(self, repository, version, tmp_path):
        if version == "sha256":
            files = files_in(repository)
            shutil.rmtree(".git")
            git("init", "-q", "--object-format=sha256")
            assert files_in(repository) == files
            git("add", "-A")
        elif version == "split":
            git("update-index", "--split-index")
        else:
            git("update-index", "--index-version", version)
            if version == "3":
                Path("announced").write_text("x", encoding="utf-8")
                git("add", "--intent-to-add", "announced")
        tokensync("check", "--staged")
        git("rm", "-q", "--cached", CSS)
        assert f"not current: {CSS.as_posix()}" in tokensync("check", "--staged", code=3).stderr

    def test_outside_of_a_work_tree_it_is_a_usage_error(self, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        assert "this is not a git work tree" in tokensync("check", "--staged", code=2).stderr


class TestOutputs:
    """Outputs are compared by their ids in the index, and only others are copied."""

    @pytest.fixture
    def copied(self, repository, monkeypatch):
        """Outputs that a check copies out of the index."""
        paths = []
        original = git_module.Repository.contents

        def contents(own, ids):
            paths.extend(path for path in ids if path.startswith("code/"))
            return original(own, ids)

        monkeypatch.setattr(git_module.Repository, "contents", contents)
        return paths

    def test_an_output_that_a_build_would_write_is_not_copied(self, copied):
        tokensync("check", "--staged")
        assert copied == []

    @pytest.mark.parametrize("ends", [b"\r\n", b"\n\n"])
    def test_only_an_output_with_other_content_is_copied_and_line_ends_make_no_difference(self, copied, ends):
        CSS.write_bytes(CSS.read_bytes().replace(b"\n", ends))
        git("add", CSS)
        tokensync("check", "--staged", code=0 if ends == b"\r\n" else 3)
        assert copied == [CSS.as_posix()]

    def test_a_former_output_is_copied_to_see_who_wrote_it(self, copied):
        Path("code/web/old.css").write_text("/* Generated by tokensync */\n", encoding="utf-8")
        manifest = Path("tokensync.outputs.json")
        listed = json.loads(manifest.read_text("utf-8"))
        listed["outputs"].append({"path": "code/web/old.css", "platform": "css"})
        manifest.write_text(json.dumps(listed), encoding="utf-8")
        git("add", "-A")
        assert "not current: code/web/old.css\n" in tokensync("check", "--staged", code=3).stderr
        assert copied == ["code/web/old.css"]

    def test_ids_of_sha_256_are_compared_too(self, repository, copied, tmp_path, monkeypatch):
        shutil.rmtree(".git")
        git("init", "-q", "--object-format=sha256")
        git("add", "-A")
        tokensync("check", "--staged")
        assert copied == []

    @pytest.mark.parametrize("name", ["harbor.resolver.json", "a.tokens.json"])
    def test_an_output_that_looks_like_a_token_file_is_copied(self, copied, name):
        Path("code/web", name).write_text("{}", encoding="utf-8")
        manifest = Path("tokensync.outputs.json")
        listed = json.loads(manifest.read_text("utf-8"))
        listed["outputs"].append({"path": f"code/web/{name}", "platform": "css"})
        manifest.write_text(json.dumps(listed), encoding="utf-8")
        git("add", "-A")
        tokensync("check", "--staged", code=3)
        assert copied == [f"code/web/{name}"]


class TestHostileIndexes:
    def entry(self, mode, path, content="x"):
        Path("content").write_text(content, encoding="utf-8")
        blob = git("hash-object", "-w", "content").stdout.strip()
        git("update-index", "--add", "--cacheinfo", f"{mode},{blob},{path}")

    @pytest.mark.parametrize("path", ["tokens/harbor/theme/light.tokens.json", "tokensync.lock", "code/web/tokens.css"])
    def test_a_link_is_refused_and_not_followed(self, repository, path):
        self.entry("120000", path, "/etc/passwd")
        done = tokensync("check", "--staged", code=1)
        assert f"{path}: the git index has a link here" in done.stderr

    def test_a_tokens_folder_that_is_a_link_or_a_submodule_is_refused(self, repository):
        git("rm", "-rq", "--cached", "tokens")
        self.entry("120000", "tokens", "..")
        assert "tokens: the git index has a link here" in tokensync("check", "--staged", code=1).stderr
        head = git("rev-parse", "HEAD").stdout.strip()
        git("rm", "-q", "--cached", "tokens")
        git("update-index", "--add", "--cacheinfo", f"160000,{head},tokens")
        assert "tokens: the git index has a submodule here" in tokensync("check", "--staged", code=1).stderr

    def test_files_that_are_too_large_are_refused(self, repository, monkeypatch):
        monkeypatch.setattr("tokensync.system.git._LARGEST", 10_000)
        assert "MiB" in tokensync("check", "--staged", code=2).stderr

    def test_a_damaged_index_ends_with_a_message(self, repository):
        index = Path(".git/index")
        index.write_bytes(index.read_bytes()[:300])
        assert "--staged: git: " in tokensync("check", "--staged", code=2).stderr

    def test_nothing_is_left_in_the_folder_for_temporary_files(self, repository, tmp_path, monkeypatch):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
        (tmp_path / "temporary").mkdir()
        tokensync("check", "--staged")
        COLORS.write_text("{", encoding="utf-8")
        git("add", COLORS)
        tokensync("check", "--staged", code=5)
        assert list((tmp_path / "temporary").iterdir()) == []


class TestAnswers:
    """The stat manifest of the check answers as long as the entries of the index are the same."""

    @pytest.fixture
    def known(self, repository, monkeypatch):
        monkeypatch.setattr(stat_manifest, "_MARGIN", 0)  # tokensync itself may have been installed just now
        time.sleep(0.02)
        self.first = tokensync("check", "--staged")
        assert self.answer() == "checked 105 tokens and 63 output files: 6 notes (-v shows them)"
        return repository

    def answer(self, *arguments):
        manifest = stat_manifest.current("check --staged", *arguments)
        return manifest and manifest.text

    def test_other_files_change_nothing(self, known):
        Path("README.md").write_text("more", encoding="utf-8")
        git("add", "-A")
        git("commit", "-q", "-m", "x")
        COLORS.write_text("{", encoding="utf-8")
        assert self.answer()

    @pytest.mark.parametrize("change", REFUSED)
    def test_the_ordinary_run_is_needed_after(self, known, change):
        REFUSED[change]()
        assert self.answer() is None

    @pytest.mark.parametrize(
        "path", ["pyproject.toml", "tokens/harbor/theme/more.tokens.json", "code/ios/Tokens.xcassets/a/Contents.json"]
    )
    def test_a_new_file_counts(self, known, path):
        Path(path).parent.mkdir(exist_ok=True)
        Path(path).write_text("{}", encoding="utf-8")
        git("add", path)
        assert self.answer() is None

    def test_the_mode_and_the_stage_of_an_entry_count(self, known):
        git("update-index", "--chmod=+x", CSS)
        assert self.answer() is None
        git("update-index", "--chmod=-x", CSS)
        assert self.answer()

    def test_the_index_that_git_names_to_a_hook_counts(self, known, monkeypatch):
        shutil.copy(".git/index", ".git/index.lock")
        monkeypatch.setenv("GIT_INDEX_FILE", ".git/index.lock")
        assert self.answer()
        git("rm", "-q", "--cached", CSS, GIT_INDEX_FILE=".git/index.lock")
        assert self.answer() is None

    def test_a_copy_proves_nothing(self, known):
        shutil.copytree(".", "../copy", symlinks=True)
        os.chdir("../copy")
        assert self.answer() is None

    def test_a_folder_below_and_a_named_configuration_have_answers_of_their_own(self, known):
        assert self.answer("tokensync.toml") is None
        tokensync("check", "--staged", "-c", "tokensync.toml")
        assert self.answer("tokensync.toml")
        assert self.answer() is None
        os.chdir("tokens")
        assert self.answer() is None

    def test_a_build_for_the_commit_has_the_answer_of_the_check(self, known, capsys):
        said = tokensync("build", "--staged").stderr
        for words in (["build", "--staged"], ["build", "--staged", "--no-color"]):
            assert stat_manifest.answer(words) == 0
            assert capsys.readouterr().err == said == f"{stat_manifest.COMMIT_IS_CURRENT}\n"
        for words in (["build", "--staged", "--check"], ["build", "--staged", "-c", "tokensync.toml"], ["build", "-c"]):
            assert stat_manifest.answer(words) is None
        COLORS.write_text("{", encoding="utf-8")
        git("add", COLORS)
        assert stat_manifest.answer(["build", "--staged"]) is None

    def test_errors_are_found_again_each_time(self, known):
        COLORS.write_text("{", encoding="utf-8")
        git("add", COLORS)
        for _ in range(2):
            tokensync("check", "--staged", code=5)
            assert self.answer() is None


@pytest.mark.parametrize("kind", ["staged", "unmerged", "a link"])
def test_a_conflict_in_the_attributes_that_init_wrote_is_found(repository, kind):
    text = "tokensync.lock merge=union\n"
    conflict = f"<<<<<<< HEAD\n{text}=======\n>>>>>>> other\n"
    attributes = Path(".gitattributes")
    if kind == "a link":  # git does not follow it
        attributes.symlink_to("../elsewhere")
        git("add", "-A")
        tokensync("check", "--staged")
        return
    attributes.write_text(conflict, encoding="utf-8")
    git("add", "-A")
    if kind == "unmerged":
        blob = git("rev-parse", ":.gitattributes").stdout.strip()
        stages = "".join(f"100644 {blob} {stage}\t.gitattributes\n" for stage in (2, 3))
        git("rm", "-q", "--cached", "-f", ".gitattributes")
        command = ["git", "update-index", "--index-info"]
        subprocess.run(command, input=stages, check=True, encoding="utf-8")
    lines = tokensync("check", "--staged", code=5).stderr.splitlines()
    assert any(each.startswith("error: .gitattributes") and each.endswith("[conflict-marks]") for each in lines)
    assert "git add" in lines[-1]
    assert ".gitattributes" in lines[-1]
    attributes.write_text(text, encoding="utf-8")
    git("add", "-A")
    tokensync("check", "--staged")


class TestPush:
    """Before a push, pre-commit and prek name the last commit that is pushed."""

    @pytest.mark.parametrize("recorded", [False, True])
    def test_the_commit_is_judged_and_not_the_index(self, repository, monkeypatch, recorded):
        changed()
        git("add", "tokens")
        git("commit", "-q", "-m", "Old outputs")
        git("add", "-A")  # the index is right, and the commit is not
        if recorded:
            tokensync("check", "--staged")
        monkeypatch.setenv("PRE_COMMIT_TO_REF", git("rev-parse", "HEAD").stdout.strip())
        done = tokensync("check", "--staged", code=3)
        assert done.stderr.splitlines()[-1].endswith(" && git commit, and push again")
        git("commit", "-q", "-m", "New outputs")
        paint("slate.50", [0, 0, 0.5])
        git("add", "-A")  # the commit is right, and the index is not
        tokensync("check", "--staged", code=3)  # of the named commit still
        monkeypatch.delenv("PRE_COMMIT_TO_REF")
        monkeypatch.setenv("PRE_COMMIT_LOCAL_BRANCH", "refs/heads/main")
        assert tokensync("check", "--staged").stderr.startswith("checked 105 tokens")
        monkeypatch.delenv("PRE_COMMIT_LOCAL_BRANCH")
        tokensync("check", "--staged", code=3)

    def test_a_commit_without_the_configuration_is_named(self, repository, monkeypatch):
        git("rm", "-q", "--cached", "tokensync.toml")
        git("commit", "-q", "-m", "Remove")
        git("add", "-A")
        commit = git("rev-parse", "HEAD").stdout.strip()
        monkeypatch.setenv("PRE_COMMIT_TO_REF", commit)
        message = f"tokensync.toml: commit {commit[:12]} does not have it; run git add tokensync.toml, commit it"
        assert message in tokensync("check", "--staged", code=2).stderr


def test_a_revision_that_a_shallow_clone_does_not_have_is_reported_with_the_depth_to_set(repository, monkeypatch):
    git("commit", "-q", "--allow-empty", "-m", "More")
    git("clone", "-q", "--depth", "1", repository.as_uri(), "../shallow")
    monkeypatch.chdir("../shallow")
    tokensync("check", "--staged")
    monkeypatch.setenv("PRE_COMMIT_TO_REF", "HEAD~1")
    for arguments in (("diff", "git:HEAD~1", "tokens"), ("check", "--staged")):
        error = tokensync(*arguments, code=2).stderr
        assert "this clone is shallow; run git fetch --unshallow, or set fetch-depth: 0" in error
    monkeypatch.chdir(repository)
    assert "shallow" not in tokensync("diff", "git:nothing", "tokens", code=2).stderr


def test_formats_have_the_paths_of_the_work_tree(repository):
    COLORS.write_text('{\n  "a": {\n', encoding="utf-8")
    git("add", COLORS)
    annotated = tokensync("check", "--staged", "--format", "github", code=5)
    assert annotated.output.startswith(f"::error file={COLORS.as_posix()},line=")
    assert "tokensync-" not in annotated.output + annotated.stderr
    document = json.loads(tokensync("check", "--staged", "--json", code=5).output)
    assert document["problems"][0]["where"].startswith(f"{COLORS.as_posix()}:")


def test_an_index_that_is_cut_or_of_another_kind_is_left_to_git(repository):
    content = Path(".git/index").read_bytes()
    paths = git("ls-files", "-z").stdout.split("\0")[:-1]
    assert [os.fsdecode(each[0]) for each in git_index.entries_of(content)] == paths
    for cut in range(0, len(content), 7):
        assert git_index.entries_of(content[:cut]) is None
    assert git_index.entries_of(b"DIRC\0\0\0\x04" + content[8:]) is None
