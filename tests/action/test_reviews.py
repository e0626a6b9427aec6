"""Plan for pull requests, and apply exactly what was reviewed."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

import pytest
from action.github import APP_TOKEN, BOT, TOKEN, Failure, git
from action.nights import BRANCH
from commands.projects import COLORS, tokensync

from tokensync.system.errors import PlatformError

ALLOWED = '\n[[allow]]\nfinding = "change much"\nsubject = "*"\n\n[problems]\nleaf-and-group = "ignore"\n'
CONTEXT = "tokensync plan (tokensync.toml)"


def on_platform(harbor):
    """Return the light colour of ``slate`` in the design file."""
    harbor.here(harbor.clone())
    found = json.loads(tokensync("tokens", "list", "--json", "--snapshot", _response(harbor)).output)
    (token,) = [each for each in found if each["path"] == "slate"]
    return token["values"]["default"]["hex"]


def _response(harbor):
    path = harbor.folder / "response.json"
    path.write_text(tokensync("api", "variables", "local", "--file", "one").output, encoding="utf-8")
    return path


def reviewed(harbor, github, value="#aabbcc", **more):
    """Open a pull request that edits a token, and run the plan for it. Return its number and the run."""
    harbor.edit_token(value, "edit")
    pull = github.add_pull("edit")
    return pull, planned(harbor, pull, **more)


def without_muted(harbor, github):
    """Open a pull request that deletes a token."""
    for mode in ("light", "dark"):
        path = f"tokens/one/theme/{mode}.tokens.json"
        document = json.loads(git(github.bare, "show", f"main:{path}"))
        del document["theme"]["text"]
        harbor.commit(path, json.dumps(document, indent=2) + "\n", "edit")
    return github.add_pull("edit")


def planned(harbor, pull, branch="edit", **more):
    event = {"pull_request": {"number": pull["number"], "head": {"sha": pull["head"]}}}
    options = {"GITHUB_EVENT_NAME": "pull_request", "GITHUB_REF_NAME": "1/merge", **more}
    return harbor.night("plan", folder=harbor.clone(branch), event=event, **options)


def applied(harbor, **more):
    return harbor.night("apply", GITHUB_EVENT_NAME="push", **more)


class TestPlan:
    def test_the_plan_is_one_comment_that_is_updated_in_place(self, harbor, github):
        pull, night = reviewed(harbor, github)
        assert (night.code, night.error) == (0, "")
        assert night.outputs["changed"] == "true"
        plan = json.loads(Path(night.outputs["plan"]).read_text(encoding="utf-8"))
        assert len(plan["plans"][0]["operations"]) == 1
        (status,) = github.statuses
        assert status["description"] == f"{night.outputs['fingerprint']} 1 operation"
        (comment,) = github.comments[pull["number"]]
        assert "#aabbcc" in comment["body"]
        first = comment["id"]
        harbor.edit_token("#ddeeff", "edit")
        github.open_pulls()
        planned(harbor, pull)
        (comment,) = github.comments[pull["number"]]
        assert (comment["id"], "#ddeeff" in comment["body"]) == (first, True)

    def test_a_pull_request_without_operations_gets_no_comment_unless_there_is_one(self, harbor, github):
        harbor.commit("README.md", "# Harbour\n", "edit")
        pull = github.add_pull("edit", "kim")
        assert planned(harbor, pull).code == 0
        assert github.comments == {}
        harbor.edit_token("#aabbcc", "edit")
        planned(harbor, pull)
        harbor.edit_token("#112233", "edit")
        planned(harbor, pull)
        (comment,) = github.comments[pull["number"]]
        assert "Merging changes nothing in the design files" in comment["body"]

    def test_a_pull_request_that_only_deletes_tokens_gets_a_comment_and_its_apply_says_why_nothing_happens(
        self, harbor, github
    ):
        pull = without_muted(harbor, github)
        night = planned(harbor, pull)
        assert (night.code, night.outputs["changed"], night.outputs["operations"]) == (0, "true", "0")
        (comment,) = github.comments[pull["number"]]
        assert "Held back: applied only with --prune (1)" in comment["body"]
        assert github.statuses[0]["description"].endswith(" 0 operations; 1 edit held back")
        github.merge_squashed(pull["number"])
        night = applied(harbor)
        assert night.code == 0
        assert "applied 0 operations; 1 edit held back" in night.summary
        assert "nothing is applied, because 1 edit is held back" in night.summary

    def test_an_apply_is_repeated_although_a_deletion_is_held_back(self, harbor, github):
        without_muted(harbor, github)
        harbor.edit_token("#aabbcc", "edit")
        (pull,) = github.open_pulls()
        planned(harbor, pull)
        github.merge_squashed(pull["number"])
        assert applied(harbor).code == 0
        night = applied(harbor)
        assert (night.code, night.error) == (0, "")
        assert "already have the changes" in night.summary

    def test_a_comment_of_a_stranger_with_our_marker_is_left_alone(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        marker = github.comments[pull["number"]][0]["body"].split("\n")[0]
        github.comments[pull["number"]].clear()
        github.add_comment(pull["number"], "eve", f"{marker}\nMerge this.")
        planned(harbor, pull)
        planned(harbor, pull)
        assert [each["user"]["login"] for each in github.comments[pull["number"]]] == ["eve", BOT]
        assert github.comments[pull["number"]][0]["body"].endswith("Merge this.")

    def test_two_configurations_have_comments_of_their_own(self, harbor, github):
        from tokensync.system.outlet.markdown import marker

        markers = {marker("plan", each) for each in ("a/tokensync.toml", "b/tokensync.toml", "a--b", "a>", "a_b")}
        assert len(markers) == 5
        assert not any("--" in each[4:-3] or ">" in each[:-3] for each in markers)

    @pytest.mark.parametrize("actor", ["dependabot[bot]", "kim"])
    def test_without_a_token_the_files_of_dependabot_are_checked_and_those_of_others_refused(
        self, harbor, github, actor
    ):
        config = "base_url = 'figma'\n" + (harbor.work / "tokensync.toml").read_text("utf-8").split("\n", 1)[1]
        harbor.commit("tokensync.toml", config, "edit")
        pull = github.add_pull("edit")
        night = planned(harbor, pull, GITHUB_ACTOR=actor)
        if actor == "kim":  # a secret that is missing would else look like a plan without operations
            assert (night.code, night.error.partition(";")[0]) == (2, "token: the input is empty")
        else:
            assert night.code == 0
            assert "so only the files are checked" in night.output
        assert github.comments == {}
        assert github.statuses == []

    def test_a_fork_is_planned_by_a_second_workflow_from_its_token_files_alone(self, harbor, github):
        harbor.edit_token("#aabbcc", "fork")
        harbor.commit("tokensync.toml", "base_url = 'https://evil.example'\n", "fork")
        harbor.commit(".tokensync/plan.json", "{}", "fork")
        head = harbor.commit("tokensync.lock", "nonsense\n", "fork")
        pull = github.add_pull("fork", owner="stranger")
        event = {
            "workflow_run": {
                "head_sha": head,
                "head_branch": "fork",
                "head_repository": {"owner": {"login": "stranger"}},
            }
        }
        night = harbor.night("plan", event=event, GITHUB_EVENT_NAME="workflow_run")
        assert (night.code, night.error) == (0, "")
        assert "#aabbcc" in github.comments[pull["number"]][0]["body"]
        assert github.statuses[0]["sha"] == head
        event["workflow_run"]["head_branch"] = "other"
        assert "no open pull request" in harbor.night("plan", event=event, GITHUB_EVENT_NAME="workflow_run").summary

    @pytest.mark.parametrize("event", ["pull_request", "pull_request_target"])
    @pytest.mark.parametrize("repository", [{"full_name": "stranger/tokens"}, None], ids=["fork", "deleted fork"])
    def test_no_token_is_used_for_a_fork_even_if_it_is_passed(self, harbor, github, monkeypatch, event, repository):
        """The configuration of the fork could choose the file that is read, or a server on the runner."""
        monkeypatch.setenv("FIGMA_ACCESS_TOKEN", "figd_of_the_runner")
        harbor.edit_token("#aabbcc", "fork")
        pull = github.add_pull("fork", owner="stranger")
        head = {"sha": pull["head"], "repo": repository}
        options = {
            "event": {"pull_request": {"number": pull["number"], "head": head}},
            "GITHUB_EVENT_NAME": event,
            "TOKENSYNC_ACTION_TOKEN": "figd_of_the_input",
        }
        night = harbor.night("plan", folder=harbor.clone("fork"), **options)
        assert night.code == 3
        assert "so only the files are checked" in night.output
        assert not {"FIGMA_TOKEN", "FIGMA_ACCESS_TOKEN"} & os.environ.keys()
        night = harbor.night("drift", folder=harbor.clone("fork"), **options)
        assert (night.code, night.error.partition(";")[0]) == (2, "drift: it does not run for pull requests of forks")
        assert github.statuses == []

    def test_no_setting_of_a_fork_makes_an_unsafe_change_pass(self, harbor, github):
        harbor.seed({**COLORS, **{f"n{each}": ("#010203", "#010203") for each in range(12)}})
        tokensync("-q", "pull")
        git(harbor.work, "commit", "-q", "-a", "-m", "Pull")
        git(harbor.work, "push", "-q", str(github.bare), "HEAD:main")
        path = "tokens/one/theme/light.tokens.json"
        document = json.loads((harbor.work / path).read_text("utf-8"))
        for each in range(12):
            document["theme"][f"n{each}"]["$value"] = document["theme"]["slate"]["$value"]
        harbor.commit(path, json.dumps(document), "fork")
        allowed = (harbor.work / "tokensync.toml").read_text("utf-8") + ALLOWED
        marks = "<<<<<<< ours\n=======\n>>>>>>> theirs\n"
        for name, content in (
            ("tokensync.toml", allowed),
            ("tokensync.lock", marks),
            ("tokensync.outputs.json", marks),
            ("templates/css/tokens.css.j2", marks),
        ):
            head = harbor.commit(name, content, "fork")
        pull = github.add_pull("fork", owner="stranger")
        owner = {"head_sha": head, "head_branch": "fork", "head_repository": {"owner": {"login": "stranger"}}}
        options = {"event": {"workflow_run": owner}, "GITHUB_EVENT_NAME": "workflow_run"}
        night = harbor.night("plan", **options)
        assert (night.code, github.statuses[0]["state"]) == (4, "failure")
        assert "change much" in github.comments[pull["number"]][0]["body"]
        harbor.commit("tokensync.toml", allowed)
        assert harbor.night("plan", **options).code == 0, "the same entry of the default branch counts"
        assert github.statuses[-1]["state"] == "success"

    def test_a_merge_queue_checks_that_the_reviewed_operations_are_the_present_ones(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        group = {"merge_group": {"head_ref": f"refs/heads/gh-readonly-queue/main/pr-{pull['number']}-{'0' * 40}"}}
        options = {"event": group, "GITHUB_EVENT_NAME": "merge_group"}
        assert harbor.night("plan", folder=harbor.clone("edit"), **options).code == 0
        harbor.seed({**COLORS, "slate": ("#112233", "#999999")})
        assert harbor.night("plan", folder=harbor.clone("edit"), **options).code == 0
        harbor.edit_token("#ddeeff", "edit")
        github.statuses[0]["sha"] = github.open_pulls()[0]["head"]
        night = harbor.night("plan", folder=harbor.clone("edit"), **options)
        assert night.code == 4
        assert "not the 1 reviewed" in night.error

    def test_a_conflict_in_a_merge_queue_names_the_branch_that_can_be_repaired(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        harbor.seed({**COLORS, "slate": ("#010203", "#445566")})
        name = f"gh-readonly-queue/main/pr-{pull['number']}-{'0' * 40}"
        event = {"merge_group": {"head_ref": f"refs/heads/{name}", "base_ref": "refs/heads/main"}}
        options = {"GITHUB_EVENT_NAME": "merge_group", "GITHUB_REF_NAME": name}
        night = harbor.night("plan", folder=harbor.clone("edit"), event=event, **options)
        assert night.code == 4
        assert f"in a checkout of the branch of #{pull['number']}, with main merged into it, choose" in night.error

    def test_a_conflict_is_in_the_comment_and_fails_the_status(self, harbor, github):
        harbor.seed({**COLORS, "slate": ("#010203", "#445566")})
        pull, night = reviewed(harbor, github)
        assert (night.code, night.outputs["conflicts"]) == (4, "1")
        assert "There is no plan" in github.comments[pull["number"]][0]["body"]
        assert github.statuses[0]["state"] == "failure"


class TestApply:
    def test_the_reviewed_operations_are_applied_and_the_lock_waits_in_the_pull_request(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        github.merge_squashed(pull["number"])
        night = applied(harbor)
        assert (night.code, night.error) == (0, "")
        assert on_platform(harbor) == "#aabbcc"
        assert "Reviewed in" in night.summary
        (lock,) = github.open_pulls()
        assert lock["branch"] == BRANCH
        assert git(github.bare, "diff", "--name-only", "main", f"{BRANCH}~1") == "tokensync.lock"
        assert list((night.results / "applies").glob("*/*"))

    def test_a_pull_request_that_was_merged_into_another_branch_before_is_not_the_review(self, harbor, github):
        first = github.add_pull("main")
        pull, _ = reviewed(harbor, github)
        commit = github.merge_squashed(pull["number"])
        first.update(base="feature", state="closed", merged_at="2026-11-23T00:00:00Z")
        github.pulls_of[commit] = [first["number"], pull["number"]]
        night = applied(harbor)
        assert (night.code, night.error) == (0, "")
        assert on_platform(harbor) == "#aabbcc"

    def test_the_token_of_an_app_commits_the_lock_to_main(self, harbor, github):
        pull, _ = reviewed(harbor, github, **harbor.with_app())
        github.merge_squashed(pull["number"])
        before = github.tip("main")
        night = applied(harbor, **harbor.with_app())
        assert night.code == 0
        assert git(github.bare, "rev-parse", "main^") == before
        assert git(github.bare, "diff", "--name-only", "main^", "main") == "tokensync.lock"

    def test_a_protected_main_gets_the_lock_by_the_branch_of_the_bot(self, harbor, github):
        pull, _ = reviewed(harbor, github, **harbor.with_app())
        github.merge_squashed(pull["number"])
        hook = github.bare / "hooks" / "update"
        hook.write_text(
            '#!/bin/sh\ncase $1 in */main) echo "error: GH013: rule violations" >&2; exit 1;; esac\n', encoding="utf-8"
        )
        hook.chmod(0o755)
        night = applied(harbor, **harbor.with_app())
        assert night.code == 0
        assert "waits in a pull request" in night.summary

    def test_the_state_is_right_while_the_lock_waits(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        github.merge_squashed(pull["number"])
        assert applied(harbor).code == 0
        harbor.seed({**COLORS, "slate": ("#010203", "#445566")})  # a designer goes on from the applied value
        for _ in range(2):
            night = harbor.night()
            assert (night.code, night.error) == (0, "")
        tokens = git(github.bare, "show", f"{BRANCH}:tokens/one/theme/light.tokens.json")
        assert "#010203" in tokens
        assert "#aabbcc" not in tokens
        assert git(github.bare, "rev-list", "--count", f"main..{BRANCH}") == "2"

    def waiting(self, harbor, github, value="#aabbcc"):
        """Merge and apply an edit, whose lock then waits in the pull request of the bot."""
        pull, _ = reviewed(harbor, github, value)
        github.merge_squashed(pull["number"])
        assert applied(harbor).code == 0
        git(github.bare, "update-ref", "-d", "refs/heads/edit")

    def test_plans_know_the_lock_that_waits(self, harbor, github):
        self.waiting(harbor, github)
        harbor.seed({**COLORS, "slate": ("#010203", "#445566")})  # a designer goes on from the applied value
        harbor.commit("README.md", "# Harbour\n", "edit")
        pull = github.add_pull("edit")
        night = planned(harbor, pull, GITHUB_BASE_REF="main")
        assert (night.code, night.outputs["conflicts"], night.outputs["changed"]) == (0, "0", "false")
        assert harbor.night("drift").code == 3
        assert harbor.night("drift", TOKENSYNC_ACTION_FILE="one").code == 3

    def test_an_apply_knows_the_lock_that_waits_and_takes_it_into_main(self, harbor, github):
        self.waiting(harbor, github)
        harbor.edit_token("#ddeeff", "edit")  # code goes on from the applied value
        pull = github.add_pull("edit")
        assert planned(harbor, pull, GITHUB_BASE_REF="main").code == 0
        github.merge_squashed(pull["number"])
        assert applied(harbor, **harbor.with_app()).code == 0
        assert on_platform(harbor) == "#ddeeff"
        harbor.seed({**COLORS, "slate": ("#010203", "#445566")})
        night = harbor.night()
        assert (night.code, night.error) == (0, "")

    def test_a_token_whose_lock_waits_can_be_renamed_in_code(self, harbor, github):
        path = "tokens/one/theme/light.tokens.json"
        for name, inputs in (("fresh", {}), ("newer", harbor.with_app())):
            document = json.loads(git(github.bare, "show", f"main:{path}"))
            document["theme"].pop("fresh", None)
            document["theme"][name] = {"$type": "color", "$value": document["theme"]["slate"]["$value"]}
            config = git(github.bare, "show", "main:tokensync.toml")
            entry = '\n[[moved]]\nkind = "token"\ncollection = "theme"\nfrom = "fresh"\nto = "newer"\n'
            harbor.commit("tokensync.toml", config + (entry if name == "newer" else ALLOWED), "edit")
            harbor.commit(path, json.dumps(document, indent=2) + "\n", "edit")
            pull = github.add_pull("edit")
            assert planned(harbor, pull, GITHUB_BASE_REF="main").code == 0
            github.merge_squashed(pull["number"])
            assert applied(harbor, **inputs).code == 0
            git(github.bare, "update-ref", "-d", "refs/heads/edit")
        assert '"newer"' in git(github.bare, "show", "main:tokensync.lock")
        night = harbor.night()
        assert (night.code, night.error) == (0, "")
        assert '"fresh"' not in git(github.bare, "show", f"{BRANCH}:tokensync.lock")

    def test_a_lock_that_waits_is_dropped_if_an_apply_reverses_it(self, harbor, github):
        path = "tokens/one/theme/light.tokens.json"
        before = git(github.bare, "show", f"main:{path}") + "\n"
        self.waiting(harbor, github)
        harbor.commit(path, before, "edit")
        pull = github.add_pull("edit")
        assert planned(harbor, pull, GITHUB_BASE_REF="main").code == 0
        github.merge_squashed(pull["number"])
        night = applied(harbor)
        assert (night.code, on_platform(harbor)) == (0, COLORS["slate"][0])
        assert (github.tip(BRANCH), github.open_pulls()) == ("", [])
        assert "dropped" in night.summary
        git(github.bare, "update-ref", "-d", "refs/heads/edit")
        harbor.edit_token("#ddeeff", "edit")  # code goes on, and nobody has changed the design file
        night = planned(harbor, github.add_pull("edit"), GITHUB_BASE_REF="main")
        assert (night.code, night.outputs["conflicts"], night.outputs["changed"]) == (0, "0", "true")

    def test_a_lock_that_waits_is_merged_with_a_newer_one_of_the_base(self, harbor, github):
        self.waiting(harbor, github)
        lock = git(github.bare, "show", "main:tokensync.lock").split("\n")
        newer = [each for each in lock if '"text.muted","in light"' not in each]
        assert len(newer) == len(lock) - 1
        harbor.commit("tokensync.lock", "\n".join(newer) + "\n")
        harbor.edit_token("#ddeeff", "edit")
        pull = github.add_pull("edit")
        night = planned(harbor, pull, GITHUB_BASE_REF="main")
        assert (night.code, night.outputs["changed"]) == (0, "true")

    def test_a_lock_in_the_base_is_later_than_one_that_waits(self, harbor, github):
        self.waiting(harbor, github)
        git(github.bare, "update-ref", "refs/tags/waiting", github.tip(BRANCH))
        github.merge_squashed(github.open_pulls()[0]["number"])
        git(github.bare, "update-ref", f"refs/heads/{BRANCH}", "refs/tags/waiting")
        harbor.edit_token("#ddeeff", "edit")
        pull = github.add_pull("edit")
        assert planned(harbor, pull, GITHUB_BASE_REF="main").outputs["changed"] == "true"

    def test_the_advice_about_a_conflict_names_the_lock_that_waits(self, harbor, github):
        self.waiting(harbor, github)
        harbor.edit_token("#ddeeff")
        harbor.seed({**COLORS, "slate": ("#010203", "#445566")})
        night = harbor.night()
        assert night.code == 4
        assert f"merge the pull request of {BRANCH}, which has the lock of the last apply; then run" in night.error
        harbor.commit("tokensync.lock", git(github.bare, "show", f"{BRANCH}~1:tokensync.lock") + "\n")
        assert "; run tokensync pull in a checkout of main" in harbor.night().error

    def test_nothing_is_applied_while_the_lock_could_not_go_back(self, harbor, github):
        harbor.seed({**COLORS, "text/muted": ("#010203", "{slate}")})
        assert harbor.night().code == 0
        tip = harbor.commit("web/extra.css", "a {}\n", BRANCH)
        pull, _ = reviewed(harbor, github)
        github.merge_squashed(pull["number"])
        night = applied(harbor)
        assert night.code == 4
        assert "nothing was applied" in night.error
        assert on_platform(harbor) == "#112233"
        assert github.tip(BRANCH) == tip
        github.close(next(each["number"] for each in github.open_pulls()))
        assert applied(harbor).code == 0
        assert on_platform(harbor) == "#aabbcc"

    def test_the_lock_goes_back_also_if_the_platform_fails_after_the_apply(self, harbor, github, monkeypatch):
        def failed(*arguments, **options):
            raise PlatformError("GET variables: rate limited (429); try again in 4 days")

        harbor.seed({**COLORS, "text/muted": ("#010203", "{slate}")})
        pull, _ = reviewed(harbor, github)
        github.merge_squashed(pull["number"])
        with monkeypatch.context() as patched:
            patched.setattr("tokensync.commands.pull.pull", failed)
            night = applied(harbor)
        assert (night.code, night.error) == (0, "")
        assert git(github.bare, "diff", "--name-only", "main", BRANCH) == "tokensync.lock"
        harbor.seed({**COLORS, "slate": ("#040506", "#445566"), "text/muted": ("#010203", "{slate}")})
        night = harbor.night()
        assert (night.code, night.error) == (0, "")
        tokens = git(github.bare, "show", f"{BRANCH}:tokens/one/theme/light.tokens.json")
        assert "#040506" in tokens
        assert "#010203" in tokens
        assert len(github.pulls) == 2

    def test_a_plan_that_the_token_of_the_job_reviewed_is_applied_with_the_token_of_an_app(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        github.merge_squashed(pull["number"])
        night = applied(harbor, **harbor.with_app())
        assert (night.code, night.error) == (0, "")
        assert on_platform(harbor) == "#aabbcc"

    def test_a_new_token_is_already_so_after_an_apply_whose_lock_is_lost(self, harbor, github):
        for mode in ("light", "dark"):
            start = "edit" if github.tip("edit") else "main"
            path = f"tokens/one/theme/{mode}.tokens.json"
            document = json.loads(git(github.bare, "show", f"{start}:{path}"))
            value = {"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000"}
            document["theme"]["coral"] = {"$type": "color", "$value": value}
            harbor.commit(path, json.dumps(document, indent=2) + "\n", "edit")
        pull = github.add_pull("edit")
        assert planned(harbor, pull).code == 0
        github.merge_squashed(pull["number"])
        assert applied(harbor).code == 0
        git(github.bare, "update-ref", "-d", f"refs/heads/{BRANCH}")
        night = applied(harbor)
        assert (night.code, night.error) == (0, "")
        assert "already have the changes" in night.summary

    def test_the_results_have_a_receipt_that_any_checkout_reverses(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        github.merge_squashed(pull["number"])
        night = applied(harbor)
        (receipt,) = (night.results / "receipts").iterdir()
        assert on_platform(harbor) == "#aabbcc"
        harbor.here(harbor.clone())
        done = tokensync("rollback", receipt)
        assert "light  #aabbcc -> #112233" in done.output

    def test_applied_twice_is_success(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        github.merge_squashed(pull["number"])
        assert applied(harbor).code == 0
        night = applied(harbor)
        assert night.code == 0
        assert "already have the changes" in night.summary

    def test_a_reviewed_plan_that_is_now_empty_although_the_files_differ_fails(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        before = github.tip("main")
        github.merge_squashed(pull["number"])
        harbor.seed({**COLORS, "slate": ("#aabbcc", "#445566")})
        folder = harbor.clone()
        harbor.here(folder)
        tokensync("-q", "pull")
        harbor.commit("tokensync.lock", (folder / "tokensync.lock").read_text("utf-8"))
        harbor.seed(COLORS)
        github.pulls_of[github.tip("main")] = [pull["number"]]
        night = applied(harbor, event={"before": before})
        assert night.code == 4, night.summary
        assert "now there is nothing to apply" in night.error
        assert on_platform(harbor) == "#112233"

    def test_a_change_of_a_designer_to_the_same_token_is_not_overwritten(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        github.merge_squashed(pull["number"])
        harbor.seed({**COLORS, "slate": ("#010203", "#445566")})
        night = applied(harbor)
        assert (night.code, night.outputs["conflicts"]) == (4, "1")
        assert on_platform(harbor) == "#010203"
        (issue,) = github.issues.values()
        assert issue["state"] == "open"

    def test_a_merge_that_changed_the_operations_is_refused_until_somebody_approves_them(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        harbor.edit_token("#ddeeff", "main")
        github.pulls_of[github.tip("main")] = [pull["number"]]
        pull.update(state="closed", merged_at="2026-11-24T00:00:00Z")
        night = applied(harbor)
        assert night.code == 4
        assert on_platform(harbor) == "#112233"
        fingerprint = re.search(r"approved: ([0-9a-f]{64})", night.error)[1]
        assert "#ddeeff" in night.summary
        assert applied(harbor, TOKENSYNC_ACTION_APPROVED="0" * 64).code == 4
        assert applied(harbor, TOKENSYNC_ACTION_APPROVED=fingerprint).code == 0
        assert on_platform(harbor) == "#ddeeff"

    def test_an_apply_that_was_cancelled_for_another_is_made_up_for_by_running_both_again(self, harbor, github):
        harbor.edit_token("#aabbcc", "edit")
        harbor.edit_token("#ddeeff", "other", "dark")
        pulls = [(github.add_pull(branch), branch) for branch in ("edit", "other")]
        assert [planned(harbor, pull, branch).code for pull, branch in pulls] == [0, 0]
        commits = [github.merge_squashed(pull["number"]) for pull, _ in pulls]
        assert applied(harbor).code == 4  # the run for the second commit; that for the first one was cancelled
        for commit in commits:
            folder = harbor.clone()
            git(folder, "reset", "-q", "--hard", commit)
            night = applied(harbor, folder=folder)
            assert (night.code, night.error) == (0, "")
        assert on_platform(harbor) == "#aabbcc"

    def test_a_push_without_a_pull_request_is_refused_after_some_attempts(self, harbor, github):
        harbor.edit_token("#ddeeff", "main")
        night = applied(harbor)
        assert night.code == 4
        assert "no reviewed plan" in night.error
        assert harbor.slept == [5.0, 10.0, 20.0, 30.0]
        assert on_platform(harbor) == "#112233"

    def test_a_status_of_somebody_else_is_no_review(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        github.statuses[0]["creator"]["login"] = "eve"
        github.merge_squashed(pull["number"])
        assert applied(harbor).code == 4
        assert on_platform(harbor) == "#112233"

    def test_a_lock_that_cannot_be_pushed_is_an_error_and_the_next_run_goes_on(self, harbor, github):
        pull, _ = reviewed(harbor, github)
        github.merge_squashed(pull["number"])
        github.failures.append(Failure("POST", "/pulls$", 403, {"message": "Resource not accessible by integration"}))
        night = applied(harbor)
        assert night.code == 1
        assert on_platform(harbor) == "#aabbcc"
        assert applied(harbor).code == 0
        assert harbor.night().code == 0
        assert len(github.open_pulls()) == 1


def test_the_tokens_of_the_stand_in_differ():
    assert TOKEN != APP_TOKEN
