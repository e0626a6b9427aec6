"""Pull by schedule: one branch, one pull request, and quiet when nothing is new."""

from __future__ import annotations

import shutil

import pytest
from action.github import BOT, Failure, git
from action.nights import BRANCH, Harbor, files_at
from commands.projects import COLORS, tokensync

from tokensync.action.runner import default_branch

CHANGED = {**COLORS, "slate": ("#1a2b3c", "#445566")}
AGAIN = {**COLORS, "slate": ("#4d5e6f", "#445566")}


class TestNights:
    def test_nothing_new_pushes_nothing_and_opens_nothing(self, harbor, github):
        night = harbor.night()
        assert (night.code, night.error) == (0, "")
        assert night.outputs["changed"] == "false"
        assert github.tip(BRANCH) == ""
        assert github.pulls == []
        assert "No token changes" in night.summary

    def test_a_change_opens_one_pull_request_with_a_commit_of_only_our_files(self, harbor, github):
        harbor.seed(CHANGED)
        night = harbor.night()
        assert (night.code, night.error, night.outputs["changed"]) == (0, "", "true")
        (pull,) = github.open_pulls()
        assert pull["login"] == BOT
        assert night.outputs["pull-request"].endswith(f"/pull/{pull['number']}")
        changed = git(github.bare, "diff", "--name-only", "main", BRANCH).split("\n")
        assert sorted(changed) == ["tokens/one/theme/light.tokens.json", "tokensync.lock", "web/tokens.css"]
        assert git(github.bare, "rev-parse", f"{BRANCH}^") == github.tip("main")
        assert "`#112233`" not in pull["body"] or "#1a2b3c" in pull["body"]
        assert "`#1a2b3c`" in pull["body"]
        assert "Approve workflows to run" in pull["body"]
        assert "Semantic version: **patch" in night.summary
        assert pull["title"] == "Update design tokens: 1 token changed"
        assert git(github.bare, "log", "-1", "--format=%s", BRANCH) == pull["title"]
        for each in (pull["body"], night.summary):
            assert "\n1 token changed.\n" in each

    def test_the_code_that_uses_what_changed_is_reported(self, harbor, github):
        harbor.commit("app/a.css", "a { color: var(--slate) }\n")
        configured = git(github.bare, "show", "main:tokensync.toml")
        harbor.commit("tokensync.toml", f'{configured}\n\n[code]\npaths = ["app"]\n')
        harbor.seed(CHANGED)
        night = harbor.night()
        assert (night.code, night.error) == (0, "")
        (pull,) = github.open_pulls()
        for each in (pull["body"], night.summary):
            assert "used in code, in 1 line of 1 file (css 1), such as app/a.css" in each

    def test_a_pull_request_that_only_builds_again_says_so(self, harbor, github):
        harbor.commit("web/tokens.css", git(github.bare, "show", "main:web/tokens.css").replace("#123", "#abcdef"))
        night = harbor.night()
        assert (night.code, night.error) == (0, "")
        (pull,) = github.open_pulls()
        for each in (pull["body"], night.summary):
            assert "The generated files are written again from the same tokens" in each
            assert "No token changes" not in each
            assert "brings changes of the design files" not in each

    def test_the_same_change_again_pushes_nothing_and_changes_nothing(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        tip, pulls, sent = github.tip(BRANCH), [dict(each) for each in github.pulls], len(github.requests)
        night = harbor.night()
        assert (night.code, night.outputs["changed"]) == (0, "true")
        assert github.tip(BRANCH) == tip
        assert github.pulls == pulls
        assert all(each.startswith(("GET", "POST /graphql")) for each in github.requests[sent:])

    def test_it_stays_quiet_when_only_main_moved(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        tip = github.tip(BRANCH)
        harbor.commit("README.md", "# Harbour\n")
        assert harbor.night().code == 0
        assert github.tip(BRANCH) == tip

    def test_a_further_change_updates_the_same_pull_request(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        harbor.seed(AGAIN)
        harbor.night()
        (pull,) = github.pulls
        assert "#4d5e6f" in pull["body"]
        assert git(github.bare, "rev-list", "--count", f"main..{BRANCH}") == "1"

    def test_a_change_that_is_taken_back_closes_the_pull_request_and_deletes_the_branch(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        harbor.seed(COLORS)
        night = harbor.night()
        assert night.outputs["changed"] == "false"
        assert github.open_pulls() == []
        assert github.tip(BRANCH) == ""
        harbor.seed(CHANGED)
        harbor.night()
        assert len(github.open_pulls()) == 1

    def test_a_branch_that_is_kept_after_a_squash_merge_is_used_again(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        github.merge_squashed(github.open_pulls()[0]["number"])
        assert harbor.night().outputs["changed"] == "false"
        assert github.tip(BRANCH) == ""
        harbor.seed(AGAIN)
        harbor.night()
        assert [each["state"] for each in github.pulls] == ["closed", "open"]

    def test_a_person_who_closes_it_is_not_asked_again_about_the_same_changes(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        github.close(github.open_pulls()[0]["number"])
        night = harbor.night()
        assert (night.code, len(github.pulls)) == (0, 1)
        assert "somebody has closed" in night.summary
        git(github.bare, "update-ref", "-d", f"refs/heads/{BRANCH}")
        harbor.night()
        assert (len(github.pulls), github.tip(BRANCH)) == (1, "")
        harbor.seed(AGAIN)
        harbor.night()
        assert [each["state"] for each in github.pulls] == ["closed", "open"]

    def test_a_run_for_another_branch_leaves_the_pull_request_of_main_alone(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        tip = github.tip(BRANCH)
        harbor.commit("feature.md", "# Feature\n", "feature")
        harbor.seed(AGAIN)
        night = harbor.night(folder=harbor.clone("feature"), GITHUB_REF_NAME="feature")
        assert (night.code, github.tip(BRANCH), len(github.pulls)) == (4, tip, 1)
        assert "has an open pull request into main (#1)" in night.error
        own = {"TOKENSYNC_ACTION_BRANCH": "tokensync/pull-feature"}
        assert harbor.night(folder=harbor.clone("feature"), GITHUB_REF_NAME="feature", **own).code == 0
        assert sorted(each["base"] for each in github.open_pulls()) == ["feature", "main"]

    def test_a_box_in_the_body_asks_for_a_new_base(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        harbor.commit("README.md", "# Harbour\n")
        github.pulls[0]["body"] = github.pulls[0]["body"].replace("- [ ]", "- [x]")
        harbor.night()
        assert git(github.bare, "rev-parse", f"{BRANCH}^") == github.tip("main")
        assert "- [ ]" in github.pulls[0]["body"]

    def test_a_conflict_with_main_is_solved_by_a_new_commit(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        css = git(github.bare, "show", "main:web/tokens.css").replace("#123", "#abcdef")
        harbor.commit("web/tokens.css", css + "\n")
        night = harbor.night()
        assert night.code == 0
        assert git(github.bare, "rev-parse", f"{BRANCH}^") == github.tip("main")


class TestOthers:
    def refused(self, harbor, github, tip):
        night = harbor.night()
        assert night.code == 4
        assert "not from tokensync" in night.error
        assert github.tip(BRANCH) == tip
        return night

    def test_a_commit_on_top_stays_and_is_named_once(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        tip = harbor.commit("web/extra.css", "a {}\n", BRANCH, "Add extra @team")
        harbor.seed(AGAIN)
        self.refused(harbor, github, tip)
        self.refused(harbor, github, tip)
        (comment,) = github.comments[github.open_pulls()[0]["number"]]
        assert tip[:12] in comment["body"]
        assert "@team" not in comment["body"]

    def test_commits_of_a_pull_request_that_was_merged_or_closed_are_in_nobody_s_way(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        tip = harbor.commit("web/extra.css", "a {}\n", BRANCH)
        self.refused(harbor, github, tip)
        github.merge_squashed(github.open_pulls()[0]["number"])  # the branch is kept
        assert harbor.night().code == 0
        assert github.tip(BRANCH) == ""
        harbor.seed(AGAIN)
        harbor.night()
        tip = harbor.commit("web/extra.css", "b {}\n", BRANCH)
        self.refused(harbor, github, tip)
        github.close(github.open_pulls()[0]["number"])
        assert harbor.night().code == 0
        assert len(github.open_pulls()) == 1
        changed = git(github.bare, "diff", "--name-only", "main", BRANCH).split("\n")
        assert sorted(changed) == ["tokens/one/theme/light.tokens.json", "tokensync.lock", "web/tokens.css"]
        tip = harbor.commit("web/extra.css", "c {}\n", BRANCH)  # after the end of the other pull requests
        self.refused(harbor, github, tip)

    def test_a_commit_below_ours_is_found_also_in_a_shallow_clone(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        ours = github.tip(BRANCH)
        harbor.commit("web/extra.css", "a {}\n", "other")
        git(harbor.work, "fetch", "-q", str(github.bare), ours)
        git(harbor.work, "cherry-pick", ours)
        git(harbor.work, "push", "-q", "-f", str(github.bare), f"HEAD:{BRANCH}")
        tip = github.tip(BRANCH)
        assert harbor.night(folder=harbor.clone(depth=1)).code == 4
        self.refused(harbor, github, tip)

    def test_an_amended_commit_with_our_author_is_somebody_s(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        git(harbor.work, "fetch", "-q", str(github.bare), BRANCH)
        git(harbor.work, "checkout", "-q", "-f", "FETCH_HEAD")
        (harbor.work / "web" / "tokens.css").write_text("a {}\n", encoding="utf-8")
        git(harbor.work, "commit", "-q", "-a", "--amend", "--no-edit")
        git(harbor.work, "push", "-q", "-f", str(github.bare), f"HEAD:{BRANCH}")
        night = self.refused(harbor, github, github.tip(BRANCH))
        assert night.outputs["changed"] == "true"

    def test_the_comment_names_the_commits_that_the_branch_has_now(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        vanished = harbor.commit("web/extra.css", "a {}\n", BRANCH)
        self.refused(harbor, github, vanished)
        git(harbor.work, "commit", "-q", "--amend", "-m", "Another text")
        git(harbor.work, "push", "-q", "-f", str(github.bare), f"HEAD:{BRANCH}")
        self.refused(harbor, github, github.tip(BRANCH))
        (comment,) = github.comments[github.open_pulls()[0]["number"]]
        assert github.tip(BRANCH)[:12] in comment["body"]
        assert vanished[:12] not in comment["body"]

    def merged(self, harbor, github, *slipped):
        harbor.seed(CHANGED)
        harbor.night()
        harbor.commit("README.md", "# Harbour\n")
        git(harbor.work, "fetch", "-q", str(github.bare), f"{BRANCH}:refs/heads/bot", "main:refs/heads/theirs")
        git(harbor.work, "checkout", "-q", "-f", "bot")
        git(harbor.work, "merge", "-q", "--no-ff", "--no-commit", "theirs")
        for each in slipped:
            (harbor.work / each).write_text("a {}\n", encoding="utf-8")
            git(harbor.work, "add", each)
        git(harbor.work, "commit", "-q", "-m", "Merge branch main")
        git(harbor.work, "push", "-q", str(github.bare), f"HEAD:{BRANCH}")
        return github.tip(BRANCH)

    def test_the_merge_of_update_branch_is_nobody_s_work(self, harbor, github):
        self.merged(harbor, github)
        harbor.seed(AGAIN)
        assert harbor.night().code == 0
        assert "#4d5e6f" in github.open_pulls()[0]["body"]

    def test_a_person_who_closes_it_after_update_branch_is_not_asked_again(self, harbor, github):
        self.merged(harbor, github)
        assert harbor.night().code == 0
        github.close(github.open_pulls()[0]["number"])
        assert "somebody has closed" in harbor.night().summary
        git(github.bare, "update-ref", "-d", f"refs/heads/{BRANCH}")
        assert "somebody has closed" in harbor.night().summary
        assert github.open_pulls() == []

    def test_an_edit_that_is_slipped_into_a_merge_is_found(self, harbor, github):
        tip = self.merged(harbor, github, "web/slipped.css")
        self.refused(harbor, github, tip)

    def test_our_commit_stays_ours_after_a_rebase_by_the_server(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        harbor.commit("README.md", "# Harbour\n")
        git(harbor.work, "fetch", "-q", str(github.bare), BRANCH)
        git(harbor.work, "cherry-pick", "FETCH_HEAD")
        git(harbor.work, "push", "-q", "-f", str(github.bare), f"HEAD:{BRANCH}")
        harbor.seed(AGAIN)
        assert harbor.night().code == 0

    def test_a_push_in_between_is_refused_by_the_lease_and_not_lost(self, harbor, github, monkeypatch):
        from tokensync.action import branch

        harbor.seed(CHANGED)
        harbor.night()
        harbor.seed(AGAIN)
        folder = harbor.clone()
        original = branch.push
        tips = []

        def pushed_before(*arguments):
            if not tips:
                tips.append(harbor.commit("web/extra.css", "a {}\n", BRANCH))
            original(*arguments)

        monkeypatch.setattr(branch, "push", pushed_before)
        night = harbor.night(folder=folder)
        assert night.code == 4
        assert github.tip(BRANCH) == tips[0]
        assert "not from tokensync" in night.error


class TestConflicts:
    def conflict(self, harbor):
        harbor.edit_token("#aabbcc")
        harbor.seed(AGAIN)
        night = harbor.night()
        assert (night.code, night.outputs["conflicts"]) == (4, "1")
        return night

    def test_the_advice_can_be_followed_where_a_person_works(self, harbor, github):
        night = self.conflict(harbor)
        (issue,) = github.issues.values()
        for text in (night.error, night.summary, issue["body"]):
            assert "run tokensync pull in a checkout of main, choose a side for each, and commit" in text
            assert str(harbor.folder) not in text

    def test_a_pull_by_hand_solves_it(self, harbor, github):
        self.conflict(harbor)
        git(harbor.work, "fetch", "-q", str(github.bare), "main")
        git(harbor.work, "checkout", "-q", "-f", "-B", "solve", "FETCH_HEAD")
        harbor.here(harbor.work)
        tokensync("-q", "pull", "--theirs")
        tokensync("-q", "build")
        git(harbor.work, "commit", "-q", "-a", "-m", "Take the design")
        git(harbor.work, "push", "-q", str(github.bare), "HEAD:main")
        night = harbor.night()
        assert (night.code, night.outputs["changed"]) == (0, "false")
        (issue,) = github.issues.values()
        assert issue["state"] == "closed"


class TestFailuresOfTheServer:
    def test_a_pull_request_that_exists_but_is_not_listed_is_updated(self, harbor, github):
        harbor.seed(CHANGED)
        harbor.night()
        harbor.seed(AGAIN)
        github.failures.append(Failure("GET", "/pulls$", 200, []))
        assert harbor.night().code == 0
        (pull,) = github.pulls
        assert "#4d5e6f" in pull["body"]

    def test_a_pull_request_whose_creation_was_answered_by_502_is_not_created_twice(self, harbor, github):
        harbor.seed(CHANGED)
        github.failures.append(Failure("POST", "/pulls$", 502, {}, creates=True))
        assert harbor.night().code == 0
        assert harbor.night().code == 0
        assert len(github.pulls) == 1

    def test_a_server_that_fails_for_long_is_no_question_of_permissions(self, harbor, github, monkeypatch):
        monkeypatch.setattr("tokensync.action.hosting.time.sleep", lambda seconds: None)
        github.failures += [Failure("GET", "/pulls$", 502, {"message": "Server Error"}) for _ in range(9)]
        harbor.seed(CHANGED)
        night = harbor.night()
        assert night.code == 1
        assert night.error.endswith("HTTP 502 (Server Error); run the job again")

    def test_the_setting_that_forbids_pull_requests_is_named_and_the_next_night_goes_on(self, harbor, github):
        message = "GitHub Actions is not permitted to create or approve pull requests."
        github.failures.append(Failure("POST", "/pulls$", 403, {"message": message}))
        harbor.seed(CHANGED)
        night = harbor.night()
        assert night.code == 1
        assert "Workflow permissions" in night.error
        assert harbor.night().code == 0
        assert len(github.open_pulls()) == 1

    def test_an_error_of_the_server_and_an_early_request_are_repeated(self, harbor, github, monkeypatch):
        monkeypatch.setattr("tokensync.action.hosting.time.sleep", lambda seconds: None)
        github.failures.append(Failure("GET", "/pulls$", 502, {}))
        early = {"message": "Validation Failed", "errors": [{"message": "Could not resolve to a node with the id."}]}
        github.failures.append(Failure("POST", "/pulls$", 422, early))
        harbor.seed(CHANGED)
        assert harbor.night().code == 0
        assert len(github.open_pulls()) == 1

    def test_a_used_up_rate_limit_names_the_time(self, harbor, github):
        headers = {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "4102444800"}
        github.failures.append(Failure("GET", "/pulls$", 403, {"message": "API rate limit exceeded"}, headers))
        night = harbor.night()
        assert night.code == 1
        assert "after 2100-01-01 00:00 UTC" in night.error

    def test_a_protected_branch_is_named_by_its_rule(self, harbor, github):
        hook = github.bare / "hooks" / "pre-receive"
        hook.write_text(
            "#!/bin/sh\necho 'error: GH006: Protected branch update failed' >&2\nexit 1\n", encoding="utf-8"
        )
        hook.chmod(0o755)
        harbor.seed(CHANGED)
        night = harbor.night()
        assert night.code == 1
        assert "GH006" in night.error
        hook.write_text(
            "#!/bin/sh\necho 'error: GH013: Commits must have verified signatures.' >&2\nexit 1\n", encoding="utf-8"
        )
        assert "sign: true" in harbor.night().error

    def test_a_token_of_the_job_in_a_container_needs_no_identity_and_runs_no_hooks(self, harbor, github, monkeypatch):
        monkeypatch.setenv("HOME", str(harbor.folder / "nowhere"))
        folder = harbor.clone()
        for name in ("pre-commit", "commit-msg", "pre-push", "post-checkout", "reference-transaction"):
            hook = folder / ".git" / "hooks" / name
            hook.write_text(f"#!/bin/sh\ntouch {harbor.folder / 'ran'}\nexit 1\n", encoding="utf-8")
            hook.chmod(0o755)
        harbor.seed(CHANGED)
        assert harbor.night(folder=folder).code == 0
        assert not (harbor.folder / "ran").exists()


def test_a_success_by_hand_closes_the_issue_and_a_failure_by_hand_opens_none(harbor, github):
    by_hand = {"GITHUB_EVENT_NAME": "workflow_dispatch"}
    harbor.edit_token("#aabbcc")
    harbor.seed(AGAIN)
    assert harbor.night(**by_hand).code == 4
    assert github.issues == {}
    assert harbor.night().code == 4
    harbor.edit_token("#4d5e6f")
    assert harbor.night(**by_hand, TOKENSYNC_ACTION_REPORT="false").code == 0
    (issue,) = github.issues.values()
    assert issue["state"] == "open"
    assert harbor.night(**by_hand).code == 0
    assert issue["state"] == "closed"


def test_a_token_of_an_app_that_has_expired_does_not_keep_the_failure_from_being_reported(harbor, github):
    night = harbor.night(TOKENSYNC_ACTION_APP_TOKEN="ghs_expired_token_of_an_app")
    assert night.code == 1
    assert "the token has expired or is wrong" in night.error
    (issue,) = github.issues.values()
    assert issue["state"] == "open"
    assert harbor.night(**harbor.with_app()).code == 0
    assert issue["state"] == "closed"


def test_what_the_bot_did_before_it_had_an_app_is_its_own(harbor, github):
    harbor.edit_token("#aabbcc")
    harbor.seed(AGAIN)
    assert harbor.night().code == 4
    harbor.edit_token("#112233")
    harbor.seed(CHANGED)
    assert harbor.night(**harbor.with_app()).code == 0
    (issue,) = github.issues.values()
    assert (issue["user"]["login"], issue["state"]) == (BOT, "closed")
    github.close(github.open_pulls()[0]["number"], login=BOT)
    assert harbor.night(**harbor.with_app()).code == 0
    assert len(github.open_pulls()) == 1  # no person has closed it


def test_signed_commits_are_written_by_the_server_and_pushed_under_the_lease(harbor, github):
    harbor.seed(CHANGED)
    night = harbor.night(TOKENSYNC_ACTION_SIGN="true")
    assert night.code == 0
    assert any("graphql" in each for each in github.requests)
    assert github.tip(f"{BRANCH}-signing") == ""
    assert "web/tokens.css" in files_at(github, BRANCH)
    tip = github.tip(BRANCH)
    harbor.night(TOKENSYNC_ACTION_SIGN="true")
    assert github.tip(BRANCH) == tip


class TestConfigurations:
    """Two projects of one repository, whose design file is the same."""

    @pytest.fixture
    def two(self, github, tmp_path, monkeypatch, capsys):
        harbor = Harbor(github, tmp_path, monkeypatch, capsys, below="packages/a")
        shutil.copytree(
            harbor.work / "packages/a", harbor.work / "packages/b", ignore=shutil.ignore_patterns(".tokensync")
        )
        git(harbor.work, "add", "-A")
        git(harbor.work, "commit", "-q", "-m", "Add b")
        git(harbor.work, "push", "-q", str(github.bare), "HEAD:main")
        harbor.seed(CHANGED)
        return harbor

    def night(self, harbor, name, **more):
        harbor.below = f"packages/{name}"
        return harbor.night(**more)

    def test_each_has_a_branch_and_a_pull_request_of_its_own(self, two, github):
        for name in "ab":
            assert self.night(two, name).code == 0
        pulls = {each["branch"]: each for each in github.open_pulls()}
        assert list(pulls) == [f"{BRANCH}-packages-a", f"{BRANCH}-packages-b"]
        assert "`packages/b/tokensync.toml`" in pulls[f"{BRANCH}-packages-b"]["body"]
        tips = [github.tip(each) for each in pulls]
        for name in "ab":
            assert self.night(two, name).outputs["changed"] == "true"
        assert [github.tip(each) for each in pulls] == tips

    def test_neither_replaces_the_changes_of_the_other_on_one_branch(self, two, github):
        chosen = {"TOKENSYNC_ACTION_BRANCH": "tokens"}
        assert self.night(two, "a", **chosen).code == 0
        tip = github.tip("tokens")
        night = self.night(two, "b", **chosen)
        assert night.code == 4
        assert "tokens: it has changes of another configuration than packages/b/tokensync.toml; set" in night.error
        assert github.tip("tokens") == tip
        assert self.night(two, "a", **chosen).code == 0


@pytest.mark.parametrize(
    ("source", "file", "branch"),
    [
        ("tokensync.toml", "", "tokensync/pull"),
        ("pyproject.toml", "app", "tokensync/pull-app"),
        ("brand.toml", "", "tokensync/pull-brand"),
        ("packages/a-b/tokensync.toml", "app", "tokensync/pull-packages-a-b-app"),
        ("..lock/tokensync.toml", "", "tokensync/pull-lock-241a24"),
        ("日本/tokensync.toml", "", "tokensync/pull-cf2abf"),
    ],
)
def test_a_configuration_and_a_file_have_a_default_branch(source, file, branch, tmp_path):
    assert default_branch(source, file) == branch
    assert git(tmp_path, "check-ref-format", "--branch", branch) == branch
