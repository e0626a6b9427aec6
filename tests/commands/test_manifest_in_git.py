"""The manifest as git has it: a clone of a commit is current if the check of the work tree says so."""

import json
import os
import subprocess
import time

import pytest
from commands.projects import (
    quickstart_in,
    tokensync,
)

from tokensync.system import stat_manifest


def git(*arguments):
    return subprocess.run(["git", *arguments], check=True, capture_output=True).stdout


class TestManifestInGit:
    @pytest.fixture
    def committed(self, folder, monkeypatch):
        """Commit a project with its outputs."""
        monkeypatch.setattr(stat_manifest, "_MARGIN", 0)  # tokensync itself may have been installed just now
        quickstart_in(folder / "harbor")
        time.sleep(0.02)  # files of this very tick of the file system's clock prove nothing
        git("init", "-q")
        os.chdir(folder / "harbor")
        tokensync("-q", "build")
        git("add", "-A")
        return folder / "harbor"

    def test_a_manifest_that_git_does_not_track_is_not_current(self, committed):
        assert "all outputs are current" in tokensync("build", "--check").stderr
        git("rm", "-q", "--cached", "tokensync.outputs.json")
        for _ in range(2):
            stderr = tokensync("build", "--check", code=3).stderr
            assert stderr == f"not current: {self.UNTRACKED}\n"
        document = json.loads(tokensync("build", "--check", "--json", code=3).output)
        assert (document["current"], document["stale"]) == (False, ["tokensync.outputs.json"])
        git("add", "tokensync.outputs.json")
        tokensync("build", "--check")

    UNTRACKED = (
        "tokensync.outputs.json: git has outputs that it lists, but not this version of the file; "
        "run git add tokensync.outputs.json"
    )

    def test_a_recorded_check_is_valid_as_long_as_git_has_the_same_outputs(self, committed):
        time.sleep(0.02)
        tokensync("check")
        git("add", "-f", ".tokensync/.gitignore")
        assert stat_manifest.current("check")
        git("rm", "-q", "--cached", "tokensync.outputs.json")
        assert not stat_manifest.current("check")
        tokensync("check", code=3)

    def test_a_manifest_of_which_git_has_only_a_version_without_new_outputs_is_not_current(self, committed):
        with open("tokensync.toml", "a", encoding="utf-8") as file:
            file.write('[[outputs]]\nplatform = "scss"\npath = "code/scss"\n')
        tokensync("build")
        tokensync("build", "--check")  # nothing of it is in the index yet
        git("add", "code", "tokensync.toml")
        assert self.UNTRACKED in tokensync("build", "--check", "--force", code=3).stderr
        assert self.UNTRACKED in tokensync("build", "--check", code=3).stderr
        assert self.UNTRACKED in tokensync("check", code=3).stderr
        git("add", "tokensync.outputs.json")
        tokensync("build", "--check")
        tokensync("check")

    @pytest.mark.parametrize("options", [(), ("-v",), ("--json",), ("--force",)])
    def test_a_build_only_notes_a_manifest_that_git_does_not_track(self, committed, options):
        git("rm", "-q", "--cached", "tokensync.outputs.json")
        for _ in range(3):
            done = tokensync("build", *options)
            if "--json" in options:
                assert json.loads(done.output)["stale"] == ["tokensync.outputs.json"]
            else:
                assert f"{self.UNTRACKED}\n" in done.stderr

    def test_check_reports_a_manifest_that_git_does_not_track(self, committed):
        git("rm", "-q", "--cached", "tokensync.outputs.json")
        lines = tokensync("check", code=3).stderr.splitlines()
        assert lines[0] == "not current: tokensync.outputs.json"
        assert lines[-1] == self.UNTRACKED
        assert json.loads(tokensync("check", "--json", code=3).output)["stale"] == ["tokensync.outputs.json"]
        git("add", "tokensync.outputs.json")
        tokensync("check")

    def test_the_advice_for_a_manifest_that_git_ignores_makes_git_track_it(self, committed):
        git("rm", "-q", "--cached", "tokensync.outputs.json")
        (committed / ".gitignore").write_text("*.outputs.json\n", encoding="utf-8")
        advice = (
            "git has outputs that it lists, but not this version of the file; "
            "git ignores it: remove line 1 of .gitignore "
            "(*.outputs.json), and run git add tokensync.outputs.json\n"
        )
        assert advice in tokensync("build", "--check", code=3).stderr
        assert advice in tokensync("check", code=3).stderr
        assert git("check-ignore", "-v", "tokensync.outputs.json").startswith(b"harbor/.gitignore:1:")
        (committed / ".gitignore").unlink()
        git("add", "tokensync.outputs.json")
        tokensync("build", "--check")

    def test_outputs_that_are_not_committed_need_no_manifest_either(self, committed):
        git("rm", "-rq", "--cached", "tokensync.outputs.json", "code")
        assert "all outputs are current" in tokensync("build", "--check").stderr

    @pytest.mark.parametrize("tracked", ["code/app.css", "code/ios/Tokens.xcassets-notes", "code/web/tokens.css.map"])
    def test_a_file_beside_the_first_outputs_needs_no_manifest(self, committed, tracked):
        git("rm", "-rq", "--cached", "tokensync.outputs.json", "code")
        (committed / tracked).write_text("mine", encoding="utf-8")
        git("add", tracked)
        tokensync("check")
        tokensync("build", "--check")
        git("add", "code/ios/Tokens.xcassets")
        assert self.UNTRACKED in tokensync("check", code=3).stderr

    def test_the_message_names_the_command_with_its_options(self, committed):
        (committed / "code" / "web" / "tokens.css").write_text("/* Generated by tokensync. */", encoding="utf-8")
        tokensync("-q", "build", "-o", "my out")
        (committed / "my out" / "css" / "tokens.css").unlink()
        assert "run tokensync build, and commit" in tokensync("build", "--check", code=3).stderr
        stderr = tokensync("build", "--check", "--platform", "css", "-o", "my out", code=3).stderr
        assert "run tokensync build --platform css -o 'my out', and commit" in stderr

    def test_two_configurations_can_share_an_output(self, committed):
        text = (committed / "tokensync.toml").read_text(encoding="utf-8")
        (committed / "other.toml").write_text(text.replace("code/web", "code/web2"), encoding="utf-8")
        for _ in range(2):
            for options in ((), ("-c", "other.toml")):
                tokensync("-q", "build", *options)
                tokensync("build", "--check")
                tokensync("build", "--check", *options)
