"""A push of a capture, which the action pulls without a token for the platform."""

import json
import re

import pytest
from action.github import git
from action.nights import BRANCH
from commands.projects import COLORS, response

CHANGED = {**COLORS, "slate": ("#1a2b3c", "#445566")}
AGAIN = {**COLORS, "slate": ("#4d5e6f", "#445566")}
PATH = "design/Harbor.key-one.json"


@pytest.fixture
def pushed(harbor, monkeypatch):
    """Return a function that pushes a capture of some hour to main, and runs the action for it."""
    monkeypatch.setenv("TOKENSYNC_BASE_URL", "")

    def pushed(variables, hour, **inputs):
        document = json.loads(response(variables))
        document["capture"] = {"file_key": "key-one", "file_name": "Harbor", "time": f"2026-11-01T{hour:02}:00:00Z"}
        harbor.commit(PATH, json.dumps(document))
        more = {"GITHUB_EVENT_NAME": "push", "TOKENSYNC_ACTION_SNAPSHOT": "design"} | inputs
        return harbor.night(**more)

    return pushed


def test_a_push_of_a_capture_opens_the_pull_request_and_the_next_one_updates_it(pushed, harbor, github):
    night = pushed(CHANGED, 10)
    assert (night.code, night.error, night.outputs["changed"]) == (0, "", "true")
    (pull,) = github.open_pulls()
    assert "`#1a2b3c`" in pull["body"]
    changed = git(github.bare, "diff", "--name-only", "main", BRANCH).split("\n")
    assert sorted(changed) == ["tokens/one/theme/light.tokens.json", "tokensync.lock", "web/tokens.css"]
    assert pushed(AGAIN, 11).code == 0
    (pull,) = github.pulls
    assert "`#4d5e6f`" in pull["body"]
    assert git(github.bare, "rev-list", "--count", f"main..{BRANCH}") > "0"


def test_a_capture_without_changes_opens_nothing(pushed, github):
    night = pushed(COLORS, 10)
    assert (night.code, night.error) == (0, "")
    assert github.pulls == []
    assert github.tip(BRANCH) == ""


def test_a_capture_that_is_older_than_the_merged_one_is_refused(pushed, github):
    pushed(CHANGED, 10)
    github.merge_squashed(github.open_pulls()[0]["number"])
    night = pushed(COLORS, 9)
    assert night.code == 4
    assert "one: this capture is of 2026-11-01T09:00:00Z, and the last pull was of 2026-11-01T10:00:00Z" in night.error
    assert github.open_pulls() == []
    (issue,) = github.issues.values()
    assert "capture the file anew" in issue["body"]


def test_a_capture_and_a_server_are_not_both_named(pushed):
    night = pushed(CHANGED, 10, TOKENSYNC_ACTION_BASE_URL="figma")
    assert (night.code, night.error) == (2, "snapshot: base-url names another source; choose one of them")


def test_an_apply_to_a_capture_is_refused(pushed, harbor):
    pushed(COLORS, 10)
    harbor.edit_token("#aabbcc")
    inputs = {"GITHUB_EVENT_NAME": "push", "TOKENSYNC_ACTION_SNAPSHOT": "design"}
    fingerprint = re.search("[0-9a-f]{64}", harbor.night("apply", **inputs).error)[0]
    night = harbor.night("apply", **inputs, TOKENSYNC_ACTION_APPROVED=fingerprint)
    assert night.code == 2
    assert "a capture cannot be changed; write a script for Figma" in night.error
