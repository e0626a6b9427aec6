"""Continue an interrupted apply from the artifact of its run."""

from __future__ import annotations

import json
import re
import shutil
from types import SimpleNamespace

import pytest
from action.github import git
from action.test_reviews import applied, on_platform, planned, reviewed
from commands.projects import tokensync

from tokensync.action.reviewing import keep_journals
from tokensync.commands.apply import Applier, apply_plans
from tokensync.project.configuration import load_project
from tokensync.project.connection import connect


def artifact_of(harbor, value, monkeypatch):
    """Return the results of a run whose apply of an edit was interrupted before its request."""

    def lost(*arguments):
        raise OSError("the runner is gone")

    folder = harbor.clone()
    path = folder / "tokens/one/theme/light.tokens.json"
    document = json.loads(path.read_text("utf-8"))
    document["theme"]["slate"]["$value"] = {"colorSpace": "srgb", "components": _components(value), "hex": value}
    path.write_text(json.dumps(document), encoding="utf-8")
    harbor.here(folder)
    tokensync("-q", "plan")
    project = load_project(None)
    with monkeypatch.context() as patch, connect(project) as client:
        patch.setattr("tokensync.apply.sending.Remote.post", lost)
        with pytest.raises(OSError, match="runner"):
            apply_plans(Applier(project, client))
    results = folder.parent / f"{folder.name}-artifact"
    assert keep_journals(project, SimpleNamespace(results=str(results))) == ("one",)
    return results


def _components(value):
    return [int(value[at : at + 2], 16) / 255 for at in (1, 3, 5)]


EVENT = {"repository": {"default_branch": "main"}}


class TestInterrupted:
    @pytest.fixture(autouse=True)
    def _nothing_else(self, harbor, github):
        """Merge a reviewed pull request that changes no token."""
        harbor.commit("README.md", "# Harbour\n", "edit")
        pull = github.add_pull("edit")
        planned(harbor, pull)
        github.merge_squashed(pull["number"])

    def resumed(self, harbor, artifact, **more):
        """Run the apply with an artifact that a step has downloaded."""
        folder = harbor.clone()
        shutil.copytree(artifact, folder.parent / f"{folder.name}-runner" / "tokensync-journals")
        return applied(harbor, folder=folder, event=EVENT, **more)

    @pytest.mark.parametrize(
        "run",
        [
            None,
            {"path": ".github/workflows/other.yml"},
            {"head_branch": "edit"},
            {"event": "pull_request"},
            {"head_repository": {"full_name": "eve/tokens"}},
            {"head_repository": None},
        ],
    )
    def test_an_artifact_of_another_run_decides_nothing(self, harbor, github, monkeypatch, run):
        artifact = artifact_of(harbor, "#ee0000", monkeypatch)
        inputs = {}
        if run is not None:
            github.add_run(66, **run)
            inputs = {"TOKENSYNC_ACTION_JOURNALS": "66"}
        night = self.resumed(harbor, artifact, **inputs)
        assert (night.code, night.outputs["changed"]) == (4, "true")
        assert "not the 0 reviewed ones" in night.error
        assert "#ee0000" in night.summary
        assert on_platform(harbor) == "#112233"
        assert not list(night.results.rglob("journal*")), "the artifact of this run would count"

    def test_an_artifact_of_the_workflow_on_the_default_branch_is_continued(self, harbor, github, monkeypatch):
        artifact = artifact_of(harbor, "#ee0000", monkeypatch)
        harbor.edit_token("#ee0000")
        github.add_run(66)
        night = self.resumed(harbor, artifact, TOKENSYNC_ACTION_JOURNALS="66", **harbor.with_app())
        assert (night.error, on_platform(harbor)) == ("", "#ee0000")

    def test_a_person_may_approve_the_plan_of_an_artifact(self, harbor, github, monkeypatch):
        artifact = artifact_of(harbor, "#ee0000", monkeypatch)
        harbor.edit_token("#ee0000")
        fingerprint = re.search(r"approved: ([0-9a-f]{64})", self.resumed(harbor, artifact).error)[1]
        assert self.resumed(harbor, artifact, TOKENSYNC_ACTION_APPROVED="0" * 64).code == 4
        assert self.resumed(harbor, artifact, TOKENSYNC_ACTION_APPROVED=fingerprint).error == ""
        assert on_platform(harbor) == "#ee0000"

    def test_an_apply_that_was_reviewed_for_this_commit_is_continued(self, harbor, github, monkeypatch):
        artifact = artifact_of(harbor, "#aabbcc", monkeypatch)
        git(github.bare, "update-ref", "-d", "refs/heads/edit")
        pull, _ = reviewed(harbor, github)
        github.merge_squashed(pull["number"])
        night = self.resumed(harbor, artifact)
        assert (night.error, on_platform(harbor)) == ("", "#aabbcc")

    def test_a_journal_with_the_whole_response_is_continued(self, harbor, github, monkeypatch):
        artifact = artifact_of(harbor, "#ee0000", monkeypatch)
        (folder,) = (artifact / "applies").iterdir()
        (folder / "touched.json").unlink()
        (before,) = harbor.folder.glob("job-*/.tokensync/applies/*/before.json")
        shutil.copy(before, folder)
        harbor.edit_token("#ee0000")
        github.add_run(66)
        assert self.resumed(harbor, artifact, TOKENSYNC_ACTION_JOURNALS="66").error == ""
        assert on_platform(harbor) == "#ee0000"

    def test_the_id_of_a_run_is_a_number(self, harbor, monkeypatch):
        night = self.resumed(harbor, harbor.folder / "emulator", TOKENSYNC_ACTION_JOURNALS="../../user")
        assert (night.code, night.error.partition(";")[0]) == (2, "journals: '../../user' is not the id of a run")

    def test_an_artifact_has_nothing_that_the_plan_does_not_touch(self, harbor, monkeypatch):
        artifact = artifact_of(harbor, "#ee0000", monkeypatch)
        names = {each.name for each in artifact.rglob("*") if each.is_file()}
        assert names == {"journal.jsonl", "journal.head", "plan.json", "touched.json"}
        content = b"".join(each.read_bytes() for each in artifact.rglob("*") if each.is_file())
        assert b"slate" in content
        assert b"muted" not in content
