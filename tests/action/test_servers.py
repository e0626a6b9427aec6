"""The servers that a job talks to: git's credentials, the hosting service and the platform over HTTP."""

from __future__ import annotations

import base64
import json
import os
import threading
from contextlib import contextmanager

import pytest
from action.github import TOKEN, git
from action.nights import BRANCH
from action.test_nights import CHANGED
from commands.projects import COLORS, response
from werkzeug.serving import make_server
from werkzeug.wrappers import Request, Response

from tokensync.action.hosting import Hosting, HostingError
from tokensync.system.errors import TokensyncError, UsageError
from tokensync.system.git import Repository, Server
from tokensync.testing import running


@contextmanager
def recorded(*answers):
    """Yield an address on this machine and the list of the headers of its requests.

    Each request gets the next of the answers (a status and a text), and those after them are refused.
    """
    requests = []

    def application(environ, start):
        requests.append(Request(environ).headers.getlist("Authorization"))
        status, text = answers[len(requests) - 1] if len(requests) <= len(answers) else (403, "no")
        return Response(text, status)(environ, start)

    server = make_server("127.0.0.1", 0, application)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.fixture
def repository(tmp_path):
    git(tmp_path, "init", "-q")
    return Repository(str(tmp_path), "tokensync.toml")


@pytest.mark.parametrize(
    "answer",
    [
        ({"message": f"Bearer {TOKEN} is not valid"}, 401),
        ({"message": "no", "errors": [f"token%20{TOKEN}", {"message": TOKEN}]}, 422),
        ({"errors": [{"message": f"{TOKEN} may not do this"}]}, 200),
    ],
    ids=["message", "errors", "GraphQL"],
)
def test_an_answer_that_repeats_the_token_does_not_bring_it_into_messages(answer):
    def application(environ, start):
        return Response(json.dumps(answer[0]), answer[1], content_type="application/json")(environ, start)

    server = make_server("127.0.0.1", 0, application)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    try:
        with Hosting(url, f"{url}/graphql", "a/b", TOKEN) as hosting, pytest.raises(HostingError) as refused:
            _ = hosting.viewer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert TOKEN not in f"{refused.value}{refused.value.reason}"
    assert "[hidden]" in str(refused.value)


class TestCredentialsOfGit:
    def test_the_credentials_of_checkout_are_replaced_not_added(self, repository, tmp_path):
        with recorded() as (url, requests):
            for key in ("http.extraheader", f"http.{url}/.extraheader", f"http.{url}/harbor/tokens.extraheader"):
                git(tmp_path, "config", key, "AUTHORIZATION: basic c29tZWJvZHk6ZWxzZQ==")
            with pytest.raises(TokensyncError, match="give the job the permission contents: read") as refused:
                repository.branch_tip(Server(f"{url}/harbor/tokens", TOKEN), BRANCH)
        wanted = f"Basic {base64.b64encode(f'x-access-token:{TOKEN}'.encode()).decode()}"
        assert requests
        assert all(each == [wanted] for each in requests)
        assert TOKEN not in str(refused.value)

    def test_the_token_is_no_argument_of_git_and_a_proxy_is_used(self, repository, monkeypatch):
        seen = []
        original = Repository._done.__globals__["child"].run
        monkeypatch.setenv("https_proxy", "http://127.0.0.1:9")

        def run(command, variables, *arguments, **options):
            seen.append((list(command), dict(variables)))
            return original(command, variables, *arguments, **options)

        monkeypatch.setattr("tokensync.system.git.child.run", run)
        monkeypatch.setattr("tokensync.system.git._WAITS", ())
        with pytest.raises(TokensyncError):
            repository.branch_tip(Server("https://github.example/harbor/tokens", TOKEN), BRANCH)
        ((command, variables),) = seen
        assert not any(TOKEN in each or Server("", TOKEN).basic in each for each in command)
        assert variables["https_proxy"] == "http://127.0.0.1:9"
        assert variables["GIT_ALLOW_PROTOCOL"] == "https"

    def test_other_commands_of_git_get_no_proxy_and_no_token(self, repository, monkeypatch):
        monkeypatch.setenv("https_proxy", "http://user:secret@127.0.0.1:9")
        seen = []
        original = Repository._done.__globals__["child"].run

        def run(command, variables, *arguments, **options):
            seen.append(dict(variables))
            return original(command, variables, *arguments, **options)

        monkeypatch.setattr("tokensync.system.git.child.run", run)
        repository.tracked()
        assert "https_proxy" not in seen[0]

    @pytest.mark.skipif(os.name == "nt" or os.geteuid() != 0, reason="only root can give a folder away")
    def test_a_work_tree_of_another_user_is_accepted_in_a_job_alone(self, harbor, github):
        harbor.seed(CHANGED)
        folder = harbor.clone()
        for parent, folders, names in os.walk(folder):
            for each in (*folders, *names):
                os.lchown(os.path.join(parent, each), 12345, 12345)
        os.chown(folder, 12345, 12345)
        with pytest.raises(UsageError, match="belongs to another user"):
            Repository(str(folder), "tokensync.toml")
        assert harbor.night(folder=folder).code == 0
        assert len(github.open_pulls()) == 1


class TestFailuresOfGit:
    @pytest.fixture(autouse=True)
    def _without_waits(self, monkeypatch):
        monkeypatch.setattr("tokensync.system.git._WAITS", (0.0, 0.0))

    def test_a_server_that_fails_once_is_asked_again(self, repository):
        commit = "1234567890" * 4
        with recorded((502, "bad gateway"), (200, f"{commit}\trefs/heads/{BRANCH}\n")) as (url, _):
            assert repository.branch_tip(Server(f"{url}/harbor/tokens", TOKEN), BRANCH) == commit

    def test_a_token_that_a_server_does_not_accept_is_named(self, repository):
        with recorded((401, "who?"), (401, "who?")) as (url, _), pytest.raises(TokensyncError) as failed:
            repository.branch_tip(Server(f"{url}/harbor/tokens", TOKEN), BRANCH)
        assert "check that the token has not expired" in str(failed.value)

    def test_a_server_that_keeps_failing_is_not_a_mistake_of_the_workflow(self, repository):
        with recorded(*[(502, "bad gateway")] * 9) as (url, requests), pytest.raises(TokensyncError) as failed:
            repository.branch_tip(Server(f"{url}/harbor/tokens", TOKEN), BRANCH)
        assert len(requests) == 3
        assert failed.value.exit_code == 1
        assert str(failed.value).endswith("error: 502; run the job again")

    def test_a_push_of_a_colleague_while_the_server_takes_ours_is_a_conflict(self, harbor, github):
        harbor.seed(CHANGED)
        assert harbor.night().code == 0
        ours = github.tip(BRANCH)
        theirs = harbor.commit("notes.md", "Mine", branch="kim")
        hook = github.bare / "hooks" / "pre-receive"
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(
            f"#!/bin/sh\nunset GIT_QUARANTINE_PATH\ngit update-ref refs/heads/{BRANCH} {theirs} {ours}\n",
            encoding="utf-8",
        )
        hook.chmod(0o755)
        harbor.seed({**CHANGED, "slate": ("#123456", "#445566")})
        night = harbor.night()
        assert night.code == 4
        assert "commits that are not from tokensync" in night.error
        assert github.tip(BRANCH) == theirs


class TestHosting:
    @pytest.mark.parametrize(
        "url",
        ["http://api.github.com", "https://user:password@api.github.com", "ftp://api.github.com", "api.github.com"],
    )
    def test_the_token_goes_only_to_a_server_over_https_or_on_this_machine(self, url):
        with pytest.raises(UsageError, match="GITHUB_API_URL"):
            Hosting(url, "https://api.github.com/graphql", "harbor/tokens", TOKEN)

    def test_an_empty_token_and_a_strange_repository_are_refused(self):
        with pytest.raises(UsageError, match="github-token"):
            Hosting("https://api.github.com", "https://api.github.com/graphql", "harbor/tokens", "")
        with pytest.raises(UsageError, match="OWNER/NAME"):
            Hosting("https://api.github.com", "https://api.github.com/graphql", "harbor", TOKEN)

    def test_the_settings_of_the_user_for_other_programs_are_not_used(self, github, tmp_path, monkeypatch):
        netrc = tmp_path / "netrc"
        netrc.write_text("machine 127.0.0.1 login eve password evil\n", encoding="utf-8")
        netrc.chmod(0o600)
        monkeypatch.setenv("NETRC", str(netrc))
        with Hosting(github.url, f"{github.url}/graphql", "harbor/tokens", TOKEN) as hosting:
            assert hosting.viewer.login == "github-actions[bot]"


class TestPlatform:
    def served(self, harbor, platform, **more):
        platform.seed("key-one", response({**COLORS, "slate": ("#1a2b3c", "#445566")}))
        return harbor.night(TOKENSYNC_ACTION_BASE_URL=platform.base_url, **more)

    def test_a_plan_access_token_is_enough_for_a_pull(self, harbor, github, monkeypatch):
        with running() as platform:
            scopes = ("file_variables:read", "file_content:read")
            token = platform.emulator.tokens.create(kind="plan", scopes=scopes)
            night = self.served(harbor, platform, TOKENSYNC_ACTION_TOKEN=token)
        assert (night.code, night.error) == (0, "")
        assert len(github.open_pulls()) == 1

    def test_a_wait_of_four_days_fails_at_once_with_the_day(self, harbor, github, monkeypatch):
        faults = [{"method": "GET", "status": 429, "headers": {"Retry-After": "345600"}}]
        with running(faults=faults) as platform:
            night = self.served(harbor, platform, TOKENSYNC_ACTION_TOKEN=platform.token)
        assert night.code == 1
        assert "4 days" in night.error or "96 h" in night.error
        (issue,) = github.issues.values()
        assert issue["state"] == "open"

    def test_an_empty_token_is_named_before_anything_is_sent(self, harbor, github):
        with running() as platform:
            night = self.served(harbor, platform)
        assert night.code == 2
        assert "token: the input is empty" in night.error

    @pytest.fixture(autouse=True)
    def _without_settings(self, monkeypatch):
        for name in ("TOKENSYNC_BASE_URL", "FIGMA_TOKEN"):
            monkeypatch.setenv(name, "")
            monkeypatch.delenv(name)


def test_journals_of_an_earlier_run_come_back_from_its_artifact(harbor, github):
    from action.test_reviews import applied, reviewed

    pull, _ = reviewed(harbor, github)
    github.merge_squashed(pull["number"])
    night = applied(harbor)
    journals = sorted(
        each.relative_to(night.results / "applies") for each in (night.results / "applies").rglob("*") if each.is_file()
    )
    assert journals
    folder = harbor.clone()
    target = folder.parent / f"{folder.name}-runner" / "tokensync-journals" / "applies"
    for each in journals:
        (target / each).parent.mkdir(parents=True, exist_ok=True)
        (target / each).write_bytes((night.results / "applies" / each).read_bytes())
    assert applied(harbor, folder=folder).code == 0
    assert all((folder / ".tokensync" / "applies" / each).is_file() for each in journals)
