"""How much code uses what a plan changes: a note of the plan."""

import json
from pathlib import Path

import pytest
from commands.projects import project_in, response, tokensync

from tokensync.emulator.cli.states import open_emulator
from tokensync.plan.plan import decoded

NAMES = {"slate": ("#112233", "#445566"), "ink": ("{slate}", "{slate}"), "accent": ("#ff0000", "#aa0000")}


@pytest.fixture
def project(folder):
    """A pulled project whose code uses ink, which refers to slate, and accent."""
    project_in(folder)
    with open_emulator(None, None) as emulator:
        emulator.seed("key-one", response(NAMES))
    tokensync("pull", "-q")
    (folder / "app").mkdir()
    (folder / "app" / "a.css").write_text("\na { color: var(--ink) }\nb { color: var(--ink) }\n", encoding="utf-8")
    (folder / "app" / "B.kt").write_text("val accent = R.color.accent\n", encoding="utf-8")
    with Path("tokensync.toml").open("a", encoding="utf-8") as configuration:
        configuration.write('\n[code]\npaths = ["app"]\n')
    return folder


def edit(change):
    for path in Path("tokens").rglob("*.tokens.json"):
        document = json.loads(path.read_text(encoding="utf-8"))
        change(document["theme"])
        path.write_text(json.dumps(document), encoding="utf-8")


def notes():
    (only,) = decoded(Path(".tokensync/plan.json").read_bytes()).plans
    return only.notes


def test_code_that_uses_a_changed_variable_through_another_one_is_counted(project):
    edit(lambda theme: theme["slate"]["$value"].update(components=[1, 1, 1], hex="#ffffff"))
    done = tokensync("plan", "-v")
    note = "1 token is used in code, in 2 lines of 1 file (css 2), such as app/a.css:2"
    assert note in done.output + done.stderr
    assert notes() == (note,)
    assert note.replace(":2", "&#x3a;2") in tokensync("plan", "--format", "markdown").output


def test_a_deleted_variable_is_looked_for_by_its_former_name(project):
    edit(lambda theme: theme.pop("accent"))
    tokensync("plan", "--prune", "-q")
    assert "1 token is used in code, in 1 line of 1 file (kotlin 1), such as app/B.kt:1" in notes()


def test_code_that_uses_nothing_of_a_change_is_said_too(project):
    (project / "app" / "a.css").write_text("a { color: red }", encoding="utf-8")
    edit(lambda theme: theme["slate"]["$value"].update(components=[1, 1, 1], hex="#ffffff"))
    tokensync("plan", "-q")
    assert notes() == ("the searched code uses none of these tokens",)


def test_a_folder_that_is_not_there_is_reported_and_stops_no_plan(project):
    configuration = Path("tokensync.toml")
    configuration.write_text(configuration.read_text(encoding="utf-8").replace('["app"]', '["apps"]'), encoding="utf-8")
    edit(lambda theme: theme["slate"]["$value"].update(components=[1, 1, 1], hex="#ffffff"))
    tokensync("plan", "-q")
    (note,) = notes()
    assert note.startswith("what code uses of these changes is not known: ")


def test_a_plan_without_changes_searches_nothing(project, monkeypatch):
    monkeypatch.setattr("tokensync.code.search.search_code", None)
    tokensync("plan", "-q")
    assert notes() == ()
