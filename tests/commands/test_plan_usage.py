"""``plan --prune`` reports used deletions as findings, and unknown usage as notes."""

import json
from pathlib import Path

import pytest
from commands.projects import project_in, response, tokensync

from tokensync.emulator.cli.states import open_emulator
from tokensync.extract.client.groups import Analytics
from tokensync.plan.plan import decoded
from tokensync.system.errors import AccessError, ServerError

NAMES = {"slate": ("#112233", "#445566"), "ink": ("#000000", "#ffffff"), "accent": ("#ff0000", "#aa0000")}
KEY = "key-one"
ASKED = []


@pytest.fixture(autouse=True)
def _counted(monkeypatch):
    ask = Analytics.variable_usages

    def counting(self, library):
        ASKED.append(library)
        return ask(self, library)

    ASKED.clear()
    monkeypatch.setattr(Analytics, "variable_usages", counting)


@pytest.fixture
def project(folder):
    """A pulled project, published; two other files use slate, one of them accent, nobody ink."""
    project_in(folder)
    with open_emulator(None, None) as emulator:
        emulator.seed(KEY, response(NAMES))
        emulator.publish(KEY)
        for file, usages in (("App", {"slate": 5, "accent": 1}), ("Site", {"slate": 2})):
            emulator.files.create(file, name=file)
            for name, count in usages.items():
                emulator.analytics.use(KEY, "variable", f"{[*NAMES].index(name) + 1:040x}", file, count)
    tokensync("pull", "-q")
    return folder


def drop(*names):
    for path in Path("tokens").rglob("*.tokens.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        for name in names:
            document["theme"].pop(name)
        path.write_text(json.dumps(document), encoding="utf-8")


def plan():
    (only,) = decoded(Path(".tokensync/plan.json").read_bytes()).plans
    return only


def test_a_deleted_variable_that_other_files_use_needs_a_word(project):
    drop("slate", "ink", "accent")
    done = tokensync("plan", "--prune")
    assert "delete used: theme/slate: it is deleted, and other files use it: 7 uses in 2 files of 1 team" in done.output
    assert {(each.kind, each.subject) for each in plan().unsafe} == {
        ("delete used", "theme/slate"),
        ("delete used", "theme/accent"),
    }
    assert ASKED == [KEY]
    assert "Unsafe: " in done.output
    tokensync("apply", code=4)
    tokensync("apply", "--force")


def test_deleting_an_unused_variable_is_no_finding(project):
    drop("ink")
    tokensync("plan", "--prune")
    assert (plan().findings, plan().notes) == ((), ())
    assert ASKED == [KEY]
    tokensync("apply")


def test_nothing_is_asked_where_nothing_is_deleted(project):
    tokensync("plan", "--prune")
    drop("slate")
    tokensync("plan")
    assert ASKED == []
    assert plan().findings == ()


def test_a_finding_that_is_allowed_stops_nothing(project):
    drop("slate")
    with Path("tokensync.toml").open("a", encoding="utf-8") as file:
        file.write('\n[[allow]]\nfinding = "delete used"\nsubject = "theme/*"\n')
    tokensync("plan", "--prune")
    assert [(each.kind, each.allowed) for each in plan().findings] == [("delete used", True)]
    tokensync("apply")


@pytest.mark.parametrize("missing", ["scope", "plan", "fault"])
def test_not_knowing_is_a_note_and_no_failure(project, monkeypatch, missing):
    drop("slate")
    with open_emulator(None, None) as emulator:
        if missing == "scope":
            emulator.tokens.set_scopes(emulator.default_token, ("file_variables:read", "file_variables:write"))
    if missing != "scope":

        def refusing(self, library):
            raise AccessError("limited by plan", 403) if missing == "plan" else ServerError("Figma failed", 500)

        monkeypatch.setattr(Analytics, "variable_usages", refusing)
    tokensync("plan", "--prune")
    (note,) = plan().notes
    assert note.startswith("other files may use deleted variables: ")
    assert plan().findings == ()
    words = {"scope": "library_analytics:read", "plan": "limited by plan", "fault": "Figma failed"}
    assert words[missing] in note
    tokensync("apply")
