"""The last line of a failed ``check --staged`` has the commands that repair the commit, where the user is."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from commands import test_staged as staged
from commands.projects import tokensync
from commands.repositories import COLORS, clone_passes, git
from commands.test_staged import CSS, changed, new_output

repository, hooked = staged.repository, staged.hooked
pytestmark = staged.pytestmark


def followed(stderr):
    """Run the commands in the last line of a check."""
    last = stderr.strip().splitlines()[-1]
    assert "run " in last, last
    for command in last.rpartition("run ")[2].split(" && "):
        program, *arguments = shlex.split(command)
        (git if program == "git" else tokensync)(*arguments)


def pull_on(branch, color):
    """Commit a pull of another value of the design file, on a branch of its own."""
    git("switch", "-q", "-c", branch, "main")
    response = json.loads(Path("design.local.json").read_text("utf-8"))
    variable = next(each for each in response["meta"]["variables"].values() if each["resolvedType"] == "COLOR")
    mode = next(iter(variable["valuesByMode"]))
    variable["valuesByMode"][mode] = color
    Path("../design.json").write_text(json.dumps(response), encoding="utf-8")
    tokensync("-q", "emulator", "seed", "../design.json")
    tokensync("-q", "pull")
    tokensync("-q", "build")
    git("add", "-A")
    git("commit", "-q", "-m", branch)


class TestRemedies:
    def test_a_merge_of_two_pulls_is_resolved_by_the_commands(self, hooked, tmp_path):
        tokensync("-q", "emulator", "seed", "design.local.json")
        tokensync("-q", "pull")
        tokensync("-q", "build")
        Path(".gitignore").write_text(".tokensync/\n", encoding="utf-8")
        git("add", "-A")
        git("commit", "-q", "-m", "pull", "--no-verify")
        for branch, red in (("one", 0.25), ("two", 0.75)):
            pull_on(branch, {"r": red, "g": 0, "b": 0, "a": 1})
        git("merge", "one", ok=False)
        unmerged = {each.split("\t")[1] for each in git("ls-files", "-u").stdout.splitlines()}
        assert "tokensync.lock" in unmerged
        done = tokensync("check", "--staged", code=5)
        every = tokensync("check", "--staged", "-v", code=5).stderr
        for each in unmerged:
            assert f"{each}: git has not merged this file; " in every
        assert done.stderr.count("tokensync.lock: ") == 1
        git("commit", "-q", "-m", "both", ok=False)
        git("checkout", "--theirs", "tokens")
        followed(done.stderr)
        git("commit", "-q", "-m", "both")
        clone_passes(hooked, tmp_path / "clone")

    def test_a_staged_lock_with_conflict_marks_is_pulled_and_added(self, repository):
        tokensync("-q", "emulator", "seed", "design.local.json")
        lock = Path("tokensync.lock")
        first, *others = lock.read_text("utf-8").splitlines(keepends=True)
        lock.write_text(f"<<<<<<< HEAD\n{first}=======\n>>>>>>> other\n{''.join(others)}", encoding="utf-8")
        git("add", "-A")
        done = tokensync("check", "--staged", code=5)
        assert done.stderr.splitlines()[-1].startswith(
            "run tokensync pull && tokensync build && git add tokensync.lock "
        )
        followed(done.stderr)
        tokensync("check", "--staged")

    def test_an_unmerged_configuration_is_named(self, repository):
        blob = git("hash-object", "-w", "tokensync.toml").stdout.strip()
        entries = "".join(f"100644 {blob} {stage}\ttokensync.toml\n" for stage in (1, 2, 3))
        git("rm", "-q", "--cached", "tokensync.toml")
        subprocess.run(["git", "update-index", "--index-info"], input=entries, check=True, encoding="utf-8")
        assert "tokensync.toml: git has not merged this file" in tokensync("check", "--staged", code=5).stderr

    def test_paths_are_relative_to_the_folder_in_which_git_was_started(self, hooked):
        changed()
        git("add", "tokens")
        os.chdir("code")
        done = git("commit", "-q", "-m", "x", ok=False)
        assert "git add web android/res ios ../tokensync.outputs.json" in done.stderr
        followed(done.stderr)
        git("commit", "-q", "-m", "x")

    def test_an_untracked_token_file_of_outputs_that_are_not_current_is_to_be_staged_or_stashed(self, hooked):
        Path("tokens/harbor/brand").mkdir()
        red = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}}
        Path("tokens/harbor/brand/value.tokens.json").write_text(json.dumps({"brand": {"red": red}}), encoding="utf-8")
        tokensync("-q", "build")
        git("add", "-u")
        last = tokensync("check", "--staged", code=3).stderr.splitlines()[-1]
        assert "(git add tokens, or git stash --keep-index --include-untracked), then run tokensync build" in last
        assert last.split("; ", 1)[1] in tokensync("build", "--staged", code=4).stderr
        git("add", "tokens")
        followed(last)
        git("commit", "-q", "-m", "x")

    def test_the_command_stages_outputs_if_these_are_the_only_changes_that_a_hook_manager_put_aside(
        self, hooked, tmp_path, monkeypatch
    ):
        changed()
        git("add", "tokens")
        monkeypatch.setenv("PRE_COMMIT", "1")
        monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
        (tmp_path / "cache").mkdir()
        patch = tmp_path / "cache" / f"patch1-{os.getppid()}"
        patch.write_text(
            "".join(f"diff --git a/{each} b/{each}\n" for each in (CSS.as_posix(), "tokensync.outputs.json")),
            encoding="utf-8",
        )
        last = tokensync("check", "--staged", code=3).stderr.splitlines()[-1]
        assert last.startswith("run tokensync build && git add code/web ")
        followed(last)
        git("commit", "-q", "-m", "x")

    def test_a_hook_manager_that_formats_ends_with_the_command_that_stages(self, repository, monkeypatch):
        COLORS.write_text(COLORS.read_text("utf-8") + "\n\n", encoding="utf-8")
        assert "git add" not in tokensync("format", COLORS).stderr
        COLORS.write_text(COLORS.read_text("utf-8") + "\n\n", encoding="utf-8")
        monkeypatch.setenv("PRE_COMMIT", "1")
        monkeypatch.setenv("GIT_PREFIX", "tokens/harbor/")
        done = tokensync("format", COLORS)
        assert done.stderr.splitlines()[-1] == "before you commit again, run git add primitives/value.tokens.json"
        assert "git add" not in tokensync("format", COLORS).stderr

    def test_outputs_that_git_ignores_are_not_to_be_added(self, repository):
        git("rm", "-rq", "--cached", "code")
        Path(".gitignore").write_text("*.css\n", encoding="utf-8")
        git("add", "code", ".gitignore")
        last = tokensync("check", "--staged", code=3).stderr.splitlines()[-1]
        assert last.startswith(
            "git ignores 1 output (code/web/tokens.css), and a check of commits needs it: remove line 1 of .gitignore "
            "(*.css), and run tokensync build && git add code/web "
        )
        assert git("check-ignore", "-v", CSS).stdout.startswith(".gitignore:1:")
        assert tokensync("build", "--staged", code=3).stderr.splitlines()[-1].startswith("git ignores 1 output ")

    @pytest.mark.parametrize("arguments", [(), ("--cached",)])
    def test_deleted_token_files_are_restored(self, repository, arguments):
        git("rm", "-rq", *arguments, "tokens")
        done = tokensync("check", "--staged", code=5)
        followed(done.stderr.replace(", which restores the token files", ""))
        tokensync("check", "--staged")

    def test_an_error_in_the_configuration_is_added_too(self, repository):
        with Path("tokensync.toml").open("a", encoding="utf-8") as file:
            file.write('\n[[lint.contrast]]\nforeground = ["no/such"]\nbackground = ["none"]\n')
        git("add", "-A")
        last = tokensync("check", "--staged", code=5).stderr.splitlines()[-1]
        assert last == "correct these files, and run git add tokens tokensync.toml"

    def test_a_configuration_that_is_not_staged_is_named(self, repository):
        changed()
        git("add", "tokens")
        Path("tokensync.toml").write_text(Path("tokensync.toml").read_text("utf-8") + "\n# more\n", encoding="utf-8")
        last = tokensync("check", "--staged", code=3).stderr.splitlines()[-1]
        what = "some changes of tokensync.toml are not staged; stage or stash them first"
        assert last.startswith(f"{what} (git add tokensync.toml, or git stash --keep-index), then run tokensync build ")
        assert last in tokensync("build", "--staged", code=4).stderr
        git("add", "tokensync.toml")
        followed(last)
        tokensync("check", "--staged")

    def test_a_configuration_of_which_a_hook_manager_has_put_changes_aside_is_named(
        self, repository, tmp_path, monkeypatch
    ):
        changed()
        git("add", "tokens")
        monkeypatch.setenv("PRE_COMMIT", "1")
        monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path))
        (tmp_path / f"patch1-{os.getppid()}").write_text(
            "diff --git a/tokensync.toml b/tokensync.toml\n", encoding="utf-8"
        )
        last = tokensync("check", "--staged", code=3).stderr.splitlines()[-1]
        assert last.startswith("some changes of tokensync.toml are not staged; ")

    def test_a_token_file_that_git_ignores_is_named_with_the_rule(self, repository):
        Path(".gitignore").write_text("# more\nbrand/\n", encoding="utf-8")
        git("add", ".gitignore")
        Path("tokens/harbor/brand").mkdir()
        red = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}}
        Path("tokens/harbor/brand/value.tokens.json").write_text(json.dumps({"brand": {"red": red}}), encoding="utf-8")
        tokensync("-q", "build")
        git("add", "-A")
        last = tokensync("check", "--staged", code=3).stderr.splitlines()[-1]
        assert last.startswith(
            "git ignores 1 token file (tokens/harbor/brand/value.tokens.json), and a build reads it: "
            "remove line 2 of .gitignore (brand/) and run git add tokens, or move it out of tokens, "
            "then run tokensync build "
        )
        assert last in tokensync("build", "--staged", code=4).stderr
        Path(".gitignore").write_text("# more\n!brand/\n", encoding="utf-8")
        git("add", "tokens")
        followed(last)
        git("add", ".gitignore")
        tokensync("check", "--staged")

    def test_ignored_token_files_that_a_resolver_document_names_are_named_with_the_rule(self, repository):
        Path(".git/info/exclude").write_text("*.tokens.json\n!dark.tokens.json\n", encoding="utf-8")
        git("rm", "-rq", "--cached", "tokens/harbor/theme", "tokens/harbor/density")
        git("add", "tokens/harbor/theme/dark.tokens.json")
        last = tokensync("check", "--staged", code=5).stderr.splitlines()[-1]
        assert last.startswith("git ignores 3 token files (tokens/harbor/density/comfortable.tokens.json and others), ")
        assert "remove line 1 of .git/info/exclude (*.tokens.json) and run git add tokens" in last
        Path(".git/info/exclude").unlink()
        git("add", "tokens")
        tokensync("check", "--staged")

    @pytest.mark.parametrize("name", ["-b", ":b", 'b"q"', "tök", "a b"])
    def test_the_commands_work_with_every_path_and_the_patch_of_a_hook_manager_is_understood(
        self, hooked, tmp_path, monkeypatch, name
    ):
        Path(name).mkdir()
        for each in ("tokens", "code", "tokensync.toml", "tokensync.outputs.json", "tokensync.lock"):
            os.rename(each, os.path.join(name, each))
        git("add", "-A")
        git("commit", "-q", "--no-verify", "-m", "move")
        os.chdir(name)
        changed()
        git("add", "tokens")
        os.chdir("..")
        config = f"./{name}/tokensync.toml"
        followed(tokensync("check", "--staged", "--config", config, code=3).stderr)
        tokensync("check", "--staged", "--config", config)
        git("reset", "-q", f"./{name}/code")
        monkeypatch.setenv("PRE_COMMIT", "1")
        monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
        (tmp_path / "cache").mkdir()
        patch = git("diff-index", "--no-ext-diff", "-p", git("write-tree").stdout.strip()).stdout
        assert ("code/web/tokens.css" in patch) and ('"' in patch.splitlines()[0]) == (name in ('b"q"', "tök"))
        (tmp_path / "cache" / f"patch1-{os.getppid()}").write_text(patch, encoding="utf-8")
        assert (
            "outputs of the commit are not current; run "
            in tokensync("build", "--staged", "--config", config, code=4).stderr
        )

    def test_a_commit_of_paths_needs_the_outputs_among_them(self, hooked, tmp_path):
        changed()
        new_output()
        done = git("commit", "-q", "-m", "x", "--", COLORS, ok=False)
        *_, last = done.stderr.strip().splitlines()
        assert last.endswith(" tokensync.outputs.json, and name these paths in git commit, too")
        followed(done.stderr.replace(", and name these paths in git commit, too", ""))
        assert git("commit", "-q", "-m", "x", "--", COLORS, ok=False).returncode
        git("commit", "-q", "-m", "x", "--", COLORS, *shlex.split(last.partition("git add ")[2].partition(", and ")[0]))
        clone_passes(hooked, tmp_path / "clone")

    def test_a_commit_that_deletes_only_the_configuration_is_refused(self, hooked):
        git("rm", "-q", "tokensync.toml")
        done = git("commit", "-q", "-m", "x", ok=False)
        assert "tokensync.lock: the git index has it, but not its configuration; run git checkout" in done.stderr
        git("rm", "-q", "tokensync.lock", "tokensync.outputs.json")
        git("commit", "-q", "-m", "x")

    def test_a_project_of_a_folder_that_pyproject_configures_is_not_passed_over(self, repository):
        text = Path("tokensync.toml").read_text("utf-8").replace("[[", "[[tool.tokensync.")
        text = re.sub(r"(?m)^\[(?=\w)", "[tool.tokensync.", text)
        Path("pyproject.toml").write_text(f"[tool.tokensync]\n{text}", encoding="utf-8")
        Path("package").mkdir()
        git("rm", "-q", "--cached", "tokensync.toml")
        Path("tokensync.toml").unlink()
        git("add", "pyproject.toml")
        git("mv", "tokens", "code", "pyproject.toml", "tokensync.outputs.json", "tokensync.lock", "package")
        assert "; add the option -c package/pyproject.toml" in tokensync("check", "--staged", code=2).stderr


def test_a_rebase_finds_the_first_commit_of_a_branch_that_fails(repository):
    """A check before a push judges its last commit alone."""
    git("switch", "-q", "-c", "branch")
    changed()
    git("commit", "-q", "-m", "without its outputs", "tokens")
    git("commit", "-q", "-a", "-m", "with its outputs")
    tokensync("check")
    stopped = git("rebase", "--exec", f"{shlex.quote(sys.executable)} -m tokensync check", "main", ok=False)
    assert stopped.returncode
    assert "not current: code/" in stopped.stderr
    assert git("log", "-1", "--format=%s").stdout.strip() == "without its outputs"
