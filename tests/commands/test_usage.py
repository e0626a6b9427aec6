"""``tokensync usage`` and ``tokens unused``: analytics joined with references."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from commands.projects import project_in, response, tokensync

from tokensync.commands.emulator import open_emulator

NAMES = {
    "slate": ("#112233", "#445566"),
    "text/muted": ("{slate}", "{slate}"),
    "ink": ("#000000", "#ffffff"),
    "old": ("{ink}", "{ink}"),
    "lonely": ("#123456", "#123456"),
}
KEY = "key-one"


def key_of(name):
    return f"{[*NAMES].index(name) + 1:040x}"


@pytest.fixture
def project(folder):
    """A pulled, published project, of which one file uses text/muted."""
    project_in(folder)
    with open_emulator(None, None) as emulator:
        emulator.seed(KEY, response(NAMES))
        emulator.publish(KEY)
        emulator.files.create("App", name="App")
        emulator.analytics.use(KEY, "variable", key_of("text/muted"), "App", 4)
        for days_ago in (10, 100):
            emulator.analytics.act(
                KEY, "variable", key_of("text/muted"), insertions=3, detachments=1, days_ago=days_ago
            )
    tokensync("pull", "-q")
    return folder


def usage_by_path(*arguments):
    return {each["path"]: each for each in json.loads(tokensync("usage", "--json", *arguments).output)}


def test_each_token_has_counts_and_a_status(project):
    found = usage_by_path()
    muted = found["text.muted"]
    counts = {name: muted[name] for name in ("usages", "files", "teams", "insertions", "detachments")}
    assert counts == {"usages": 4, "files": 1, "teams": 1, "insertions": 6, "detachments": 2}
    assert {path: each["verdict"] for path, each in found.items()} == {
        "slate": "referred",
        "text.muted": "used",
        "ink": "safe to delete",
        "old": "safe to delete",
        "lonely": "safe to delete",
    }
    assert [path for path, each in found.items() if each["safe_to_delete"]] == ["ink", "old", "lonely"]
    assert [path for path, each in found.items() if not each["unused"]] == ["text.muted"]


def test_unused_leaves_out_what_is_used_and_since_what_is_older(project):
    assert set(usage_by_path("--unused")) == {"slate", "ink", "old", "lonely"}
    since = (datetime.now(UTC) - timedelta(days=50)).date().isoformat()
    assert usage_by_path("--since", since)["text.muted"]["insertions"] == 3


def test_the_table_begins_with_what_is_used_most_and_ends_in_a_summary(project):
    done = tokensync("usage")
    lines = done.output.splitlines()
    assert lines[0].split() == ["COLLECTION", "TOKEN", "USAGES", "FILES", "TEAMS", "INSERTED", "DETACHED"]
    assert lines[1].split() == ["theme", "text/muted", "4", "1", "1", "6", "2"]
    assert "5 tokens: 1 used, 1 used only through other tokens, 3 safe to delete" in done.stderr


def test_files_and_teams_have_rows_of_their_own(project):
    assert json.loads(tokensync("usage", "--by", "file", "--json").output) == [
        {"library": "one", "file": "App", "team": "Design system", "workspace": "Organization", "usages": 4}
    ]
    assert tokensync("usage", "--by", "team").output.splitlines()[1].split()[-2:] == ["6", "2"]
    assert "remove --by file" in tokensync("usage", "--by", "file", "--unused", code=2).stderr


def test_a_token_that_is_not_published_is_never_safe_to_delete(project):
    with open_emulator(None, None) as emulator:
        document = json.loads(response(NAMES))
        for each in document["meta"]["variables"].values():
            each["hiddenFromPublishing"] = each["name"] == "old"
        emulator.seed(KEY, json.dumps(document).encode())
        emulator.publish(KEY)
    found = usage_by_path()
    assert found["old"]["verdict"] == "not published"
    assert found["ink"]["verdict"] == "referred"


def test_a_deprecated_token_that_is_used_is_pointed_out(project):
    (path,) = Path("tokens").rglob("light.tokens.json")
    text = path.read_text(encoding="utf-8")
    marked = re.sub(r'("muted": \{)', r'\1"$deprecated": true, ', text)
    assert marked != text
    path.write_text(marked, encoding="utf-8")
    assert usage_by_path()["text.muted"]["deprecated_and_used"] is True
    assert "1 deprecated but still used" in tokensync("usage").stderr


def test_without_the_plan_usage_fails_and_unused_uses_references(project):
    with open_emulator(None, None) as emulator:
        emulator.tokens.set_scopes(emulator.default_token, ("file_variables:read",))
    assert "library_analytics:read" in tokensync("usage", code=1).stderr
    done = tokensync("tokens", "unused")
    assert "usage is unknown" in done.stderr
    assert "library_analytics:read" in done.stderr
    assert "but other files may use it" in done.stderr
    assert done.output.split("\n")[:3] == ["theme / text/muted", "theme / old", "theme / lonely"]


def test_unused_tokens_are_those_that_are_safe_to_delete(project):
    found = json.loads(tokensync("tokens", "unused", "--json").output)
    assert [(each["path"], each["safe_to_delete"]) for each in found] == [
        ("ink", True),
        ("old", True),
        ("lonely", True),
    ]


def test_offline_and_of_a_saved_response_it_is_what_nothing_refers_to(project):
    Path("saved.json").write_bytes(response(NAMES))
    for arguments in (("--offline",), ("--snapshot", "saved.json")):
        found = json.loads(tokensync("tokens", "unused", "--json", *arguments).output)
        assert [(each["path"], each["safe_to_delete"]) for each in found] == [
            ("text.muted", None),
            ("old", None),
            ("lonely", None),
        ]
    assert "add --snapshot" in tokensync("tokens", "unused", "--published", "saved.json", code=2).stderr
