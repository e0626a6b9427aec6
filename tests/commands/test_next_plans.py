"""The next plan after an apply that was interrupted or rolled back. The token files still have the edit."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from commands.projects import QUICK_TO_SETTLE, ROOT, on_the_platform, project_in, tokensync

from tokensync.commands import pull
from tokensync.dtcg import folder
from tokensync.emulator import Emulator
from tokensync.extract.client import Client, Credential
from tokensync.extract.client.groups import Variables
from tokensync.plan.batches import batches_of

KILLING = ROOT / "tests" / "apply" / "killing.py"
LIGHT, DARK = (Path(f"tokens/one/theme/{mode}.tokens.json") for mode in ("light", "dark"))
MONDAY = Path("tokens/one/theme-monday/light.tokens.json")
EXTENSIONS = {"theme-monday": {"name": "Theme / Monday", "parent": "theme"}}


@pytest.fixture(autouse=True)
def project(folder):
    """A project whose tokens have descriptions, code syntax, and values in an extended collection."""
    project_in(folder, more=QUICK_TO_SETTLE)
    on_the_platform(
        {"first": ("#112233", "#445566"), "second": ("#000000", "#ffffff"), "other": ("#abcdef", "#fedcba")}
    )
    tokensync("-q", "pull")
    with edited(LIGHT) as document:
        document["$extensions"]["org.tokensync"]["extensions"] = EXTENSIONS
        document["theme"]["first"]["$description"] = "the first"
        document["theme"]["first"]["$extensions"]["com.figma.codeSyntax"] = {"WEB": "first", "ANDROID": "first"}
    MONDAY.parent.mkdir()
    value = {"$type": "color", "$value": "{theme.second}"}
    mode = {"com.figma.modeName": "Light", "org.tokensync": {"mode": {"parent": "light"}}}
    MONDAY.write_text(json.dumps({"$extensions": mode, "theme": {"first": value}}), encoding="utf-8")
    tokensync("-q", "plan")
    tokensync("-q", "apply")
    tokensync("-q", "pull")


@contextmanager
def edited(path):
    """Read a token file for a block, and write it afterwards."""
    document = json.loads(path.read_text(encoding="utf-8"))
    yield document
    path.write_text(json.dumps(document), encoding="utf-8")


def plan():
    return tokensync("-q", "plan").output


def changes(shown):
    """The changes of a plan, without its header and the number of requests."""
    return shown.partition("theme  (")[2].partition("request")[0]


def roll_back():
    latest = max(Path(".tokensync", "applies").iterdir(), key=lambda each: each.name)
    tokensync("-q", "rollback", latest)
    tokensync("-q", "apply", "--force")


def kill_apply(line):
    """Kill an apply before it writes this line of its journal."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    command = [sys.executable, str(KILLING), str(line), "before", "apply"]
    assert subprocess.run(command, check=False, env=environment).returncode == -signal.SIGKILL


def interrupt_apply(completed, monkeypatch):
    """Apply a plan until some of its requests are carried out, as with Ctrl-C."""
    post, sent = Variables.post, []

    def interrupted(*arguments):
        if len(sent) == completed:
            raise KeyboardInterrupt
        sent.append(arguments)
        return post(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(Variables, "post", interrupted)
        tokensync("-q", "apply", "--force", code=130)


def remove_members():
    with edited(LIGHT) as document:
        first = document["theme"]["first"]
        del first["$description"], first["$extensions"]["com.figma.codeSyntax"]["WEB"]
    with edited(MONDAY) as document:
        del document["theme"]["first"]


def swap_names():
    for path in (LIGHT, DARK, MONDAY):
        with edited(path) as document:
            theme = document["theme"]
            table = {"first": "second", "second": "first"}
            document["theme"] = {table.get(name, name): theme[name] for name in reversed(theme)}
            for each in document["theme"].values():
                if each["$value"] == "{theme.second}":
                    each["$value"] = "{theme.first}"


@pytest.mark.parametrize("edit", [remove_members, swap_names])
def test_a_plan_after_a_rollback_contains_the_edit_again(edit):
    edit()
    shown = changes(plan())
    assert shown
    tokensync("-q", "apply")
    roll_back()
    assert changes(plan()) == shown
    tokensync("-q", "apply")
    tokensync("-q", "plan", "--exit-code")


def test_a_plan_after_the_rollback_of_a_type_change_contains_the_removals_again():
    """The rollback creates the variable again, with another id."""
    remove_members()
    for path, number in ((LIGHT, 1), (DARK, 2)):
        with edited(path) as document:
            document["theme"]["first"] |= {"$type": "number", "$value": number}
    tokensync("-q", "plan", "--prune")
    tokensync("-q", "apply", "--force")
    roll_back()
    tokensync("-q", "plan", "--prune")
    tokensync("-q", "apply", "--force")
    shown = json.loads(tokensync("api", "variables", "local", "--file", "one").output)
    (first,) = (each for each in shown["meta"]["variables"].values() if each["name"] == "first")
    assert (first["resolvedType"], first["description"], first["codeSyntax"]) == ("FLOAT", "", {"ANDROID": "first"})
    tokensync("-q", "plan", "--prune", "--exit-code")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("edit", [remove_members, swap_names])
def test_a_plan_after_the_rollback_of_a_killed_apply_contains_the_edit_again(edit):
    edit()
    shown = changes(plan())
    kill_apply(3)  # its request is carried out
    roll_back()
    assert changes(plan()) == shown
    tokensync("-q", "apply")
    tokensync("-q", "plan", "--exit-code")


def renamed_on_the_platform(name, to):
    """Rename a variable as a designer does, without a pull."""
    changed_on_the_platform(name, name=to)


def changed_on_the_platform(variable, values=None, **members):
    """Change a variable and its values by mode as a designer does, without a pull."""
    emulator = Emulator(str(Path(".tokensync", "emulator.sqlite")))
    credential = Credential("personal", emulator.default_token, "a test")
    with Client("https://emulator.invalid", credential, wsgi=emulator) as client:
        variables = json.loads(client.variables.local("key-one"))["meta"]["variables"].values()
        (found,) = (each["id"] for each in variables if each["name"] == variable)
        change = {"action": "UPDATE", "id": found, **members}
        set_values = [{"variableId": found, "modeId": mode, "value": value} for mode, value in (values or {}).items()]
        body = {"variables": [change], "variableModeValues": set_values}
        client.variables.post("key-one", json.dumps(body).encode())
    emulator.close()


def test_a_pull_after_an_apply_takes_a_designers_value_where_only_the_name_of_the_alias_target_changed():
    with edited(DARK) as document:
        document["theme"]["first"]["$value"] = "{theme.second}"
    plan()
    tokensync("-q", "apply")
    tokensync("-q", "pull")
    for path in (LIGHT, DARK, MONDAY):
        with edited(path) as document:
            theme = document["theme"]
            if "second" in theme:
                theme["third"] = theme.pop("second")
            if theme["first"]["$value"] == "{theme.second}":
                theme["first"]["$value"] = "{theme.third}"
    plan()
    red = {"r": 1, "g": 0, "b": 0, "a": 1}
    changed_on_the_platform("first", values={"1:1": red})
    tokensync("-q", "apply", "--rebase")
    tokensync("-q", "pull")
    assert json.loads(DARK.read_text(encoding="utf-8"))["theme"]["first"]["$value"]["hex"] == "#ff0000"
    tokensync("-q", "plan", "--exit-code")


def test_a_pull_takes_a_designers_value_of_a_variable_that_got_the_name_of_a_deleted_one():
    """The lock had the facts of both under one name. Which of them it kept was chance, so the test has eight pairs."""
    names = [f"{name}{number}" for number in range(8) for name in ("old", "new")]
    on_the_platform(dict.fromkeys(names, ("#112233", "#445566")))
    tokensync("-q", "pull", "--theirs")
    for path in (LIGHT, DARK):
        with edited(path) as document:
            theme = document["theme"]
            for number in range(8):
                theme[f"old{number}"] = theme.pop(f"new{number}")
    tokensync("-q", "plan", "--prune")
    for number in range(8):
        changed_on_the_platform(f"new{number}", values={"1:1": {"r": 1, "g": 0, "b": 0, "a": 1}})
    tokensync("-q", "apply", "--rebase", "--force")
    tokensync("-q", "pull")
    theme = json.loads(DARK.read_text(encoding="utf-8"))["theme"]
    assert {theme[f"old{number}"]["$value"]["hex"] for number in range(8)} == {"#ff0000"}
    tokensync("-q", "plan", "--exit-code")


def test_a_plan_after_a_rollback_contains_an_alias_again_whose_target_a_designer_has_renamed_before():
    with edited(DARK) as document:
        document["theme"]["first"]["$value"] = "{theme.second}"
    plan()
    tokensync("-q", "apply")
    renamed_on_the_platform("second", "third")
    roll_back()
    assert "dark  #445566 -> {theme.third}" in plan()


def test_a_plan_after_a_rollback_keeps_a_name_that_a_designer_has_changed_meanwhile():
    with edited(DARK) as document:
        document["theme"]["first"]["$value"] = "{theme.second}"
    plan()
    renamed_on_the_platform("second", "third")
    tokensync("-q", "apply", "--rebase")
    roll_back()
    shown = plan()
    assert "dark  #445566 -> {theme.third}" in shown
    assert "name" not in shown


def swap_names_and_retype():
    swap_names()
    for path, number in ((LIGHT, 1), (DARK, 2)):
        with edited(path) as document:
            document["theme"]["second"] |= {"$type": "number", "$value": number}
    with edited(MONDAY) as document:
        del document["theme"]["second"]


def test_a_plan_is_empty_after_a_new_variable_without_scopes_has_taken_the_name_of_one_of_another_type():
    """The lock has the scopes of the former variable, and those of the new one are equal by chance."""
    for path in (LIGHT, DARK):
        with edited(path) as document:
            document["theme"]["first"] = {"$type": "string", "$value": "text"}
    with edited(MONDAY) as document:
        del document["theme"]["first"]
    tokensync("-q", "plan", "--prune")
    tokensync("-q", "apply", "--force")
    tokensync("-q", "pull")
    tokensync("-q", "plan", "--prune", "--exit-code")


@pytest.mark.parametrize("edit", [swap_names, swap_names_and_retype])
@pytest.mark.parametrize("options", [(), ("--rebase",)])
def test_a_plan_after_an_apply_during_which_a_designer_edited_another_variable_is_empty(edit, options, monkeypatch):
    edit()
    tokensync("-q", "plan", "--prune")
    post, edits = Variables.post, ["designer's"]

    def post_and_edit(*arguments):
        response = post(*arguments)
        if edits:
            changed_on_the_platform("other", description=edits.pop())
        return response

    monkeypatch.setattr(Variables, "post", post_and_edit)
    tokensync("-q", "apply", "--force", *options, code=0 if options else 1)
    tokensync("-q", "pull")
    assert "designer's" in LIGHT.read_text(encoding="utf-8")
    tokensync("-q", "plan", "--prune", "--exit-code")
    assert sorted(json.loads(LIGHT.read_text(encoding="utf-8"))["theme"]) == ["first", "other", "second"]


def test_a_plan_can_be_applied_if_a_retyped_token_gives_its_name_to_a_new_one_of_a_third_type():
    for path, number in ((LIGHT, 1), (DARK, 2)):
        with edited(path) as document:
            theme = document["theme"]
            theme["third"] = {**theme["first"], "$type": "number", "$value": number}
            theme["first"] = {"$type": "string", "$value": "a text"}
    with edited(MONDAY) as document:
        del document["theme"]["first"]
    assert "theme/first: its type changes from COLOR to STRING" in tokensync("-q", "plan", "--prune").output
    tokensync("-q", "apply", "--force")
    tokensync("-q", "plan", "--prune", "--exit-code")


@pytest.mark.parametrize("designers", [{"values": {"1:1": 77.0}}, {"description": "designer's"}])
def test_a_plan_after_an_apply_during_which_a_designer_edited_what_it_created_is_empty(designers, monkeypatch):
    for path, number in ((LIGHT, 1), (DARK, 2)):
        with edited(path) as document:
            theme = document["theme"]
            theme["third"] = theme.pop("first")
            theme["first"] = {"$type": "number", "$value": number}
    with edited(MONDAY) as document:
        document["theme"]["third"] = document["theme"].pop("first")
    tokensync("-q", "plan")
    post, edits = Variables.post, [designers]

    def post_and_edit(*arguments):
        response = post(*arguments)
        if edits:
            changed_on_the_platform("first", **edits.pop())
        return response

    monkeypatch.setattr(Variables, "post", post_and_edit)
    assert "not as planned" in tokensync("-q", "apply", code=1).stderr
    tokensync("-q", "pull", "--theirs")
    light, dark = (json.loads(path.read_text(encoding="utf-8"))["theme"] for path in (LIGHT, DARK))
    assert dark["first"]["$value"] == 77 or light["first"]["$description"] == "designer's"
    tokensync("-q", "plan", "--prune", "--exit-code")
    assert sorted(light) == ["first", "other", "second", "third"]


@pytest.mark.parametrize("completed", [1, 2, 3])
def test_a_plan_is_empty_after_a_pull_in_the_middle_of_an_apply(completed, monkeypatch):
    monkeypatch.setitem(batches_of.__kwdefaults__, "limit", 250)  # bytes, so that the apply needs several requests
    swap_names_and_retype()
    tokensync("-q", "plan", "--prune")
    interrupt_apply(completed, monkeypatch)
    tokensync("-q", "pull", "--theirs")
    tokensync("-q", "apply", "--resume")
    tokensync("-q", "pull", "--theirs")
    tokensync("-q", "plan", "--prune", "--exit-code")


def retype():
    for path in (LIGHT, DARK):
        with edited(path) as document:
            document["theme"]["first"] = {"$type": "string", "$value": "text"}
            document["theme"]["second"] = {"$type": "string", "$value": "text"}
    with edited(MONDAY) as document:
        del document["theme"]["first"]


@pytest.mark.parametrize("side", [(), ("--theirs",)])
@pytest.mark.parametrize(
    ("edit", "completed"),
    [(swap_names, 1)] + [(each, number) for each in (retype, swap_names_and_retype) for number in (1, 2, 3)],
)
def test_a_plan_instead_of_the_rest_of_an_apply_takes_no_temporary_name_for_a_designers(
    completed, edit, side, monkeypatch
):
    monkeypatch.setitem(batches_of.__kwdefaults__, "limit", 250)
    edit()
    tokensync("-q", "plan", "--prune")
    interrupt_apply(completed, monkeypatch)
    changed_on_the_platform("other", description="designer's")
    assert "somebody changed" in tokensync("-q", "apply", "--resume", code=4).stderr
    shown = tokensync("-q", "pull", "--ours", code=4).stderr
    assert "this apply is carried out in part" in shown
    assert "so Figma has temporary names or values (" in shown
    tokensync("-q", "plan", "--prune", *side)
    tokensync("-q", "apply", "--force")
    tokensync("-q", "pull")
    tokensync("-q", "plan", "--prune", "--exit-code")
    light = json.loads(LIGHT.read_text(encoding="utf-8"))["theme"]
    assert sorted(light) == ["first", "other", "second"]
    assert light["other"]["$description"] == "designer's"


def test_an_apply_whose_last_request_changes_nothing_visible_updates_the_lock(monkeypatch):
    """The platform fills the new mode of the new variable with the value that the last request sets."""
    value = {"$type": "color", "$value": "{theme.second}"}
    for path in (LIGHT, DARK):
        with edited(path) as document:
            document["theme"]["third"] = value
    dim = {"$extensions": {"com.figma.modeName": "Dim"}, "theme": {"third": value}}
    (LIGHT.parent / "dim.tokens.json").write_text(json.dumps(dim), encoding="utf-8")
    monkeypatch.setitem(batches_of.__kwdefaults__, "limit", 250)
    tokensync("-q", "plan")
    shown = tokensync("apply").stderr
    assert "applied in " in shown
    assert "a proxy" not in shown
    assert '"in dim"' in Path("tokensync.lock").read_text(encoding="utf-8")


def test_a_plan_refuses_another_name_for_a_new_token_whose_name_a_variable_of_the_design_file_keeps():
    """After the apply, a pull would take the variable that was kept for the new token."""
    for path, number in ((LIGHT, 1), (DARK, 2)):
        with edited(path) as document:
            document["theme"]["other"] |= {"$type": "number", "$value": number}
            document["theme"]["second"] = document["theme"].pop("other")
    with edited(MONDAY) as document:
        document["theme"].pop("first")
    changed_on_the_platform("second", description="designer's")
    shown = tokensync("-q", "plan", "--prune", "--theirs", code=1).stderr
    assert "light.tokens.json" in shown
    assert "the design file keeps its own second, so this new one would be named second-2" in shown
    assert "run tokensync pull --theirs" in shown
    tokensync("-q", "pull", "--theirs")
    tokensync("-q", "plan", "--prune")
    tokensync("-q", "apply", "--force")
    tokensync("-q", "pull")
    tokensync("-q", "plan", "--prune", "--exit-code")
    light = json.loads(LIGHT.read_text(encoding="utf-8"))["theme"]
    assert (light["second"]["$description"], light["second-2"]["$type"]) == ("designer's", "number")


@pytest.mark.parametrize("written", ["a file", "all files"])
@pytest.mark.parametrize("completed", [1, 2, 3])
def test_a_plan_is_empty_after_a_pull_that_was_interrupted_in_the_middle_of_an_apply(completed, written, monkeypatch):
    monkeypatch.setitem(batches_of.__kwdefaults__, "limit", 250)
    swap_names_and_retype()
    tokensync("-q", "plan", "--prune")
    interruption = KeyboardInterrupt()

    def interrupted(function, count):
        calls = []

        def call(*arguments, **options):
            if len(calls) == count:
                raise interruption
            calls.append(arguments)
            return function(*arguments, **options)

        return call

    with monkeypatch.context() as patched:
        patched.setattr(Variables, "post", interrupted(Variables.post, completed))
        tokensync("-q", "apply", "--force", code=130)
    with monkeypatch.context() as patched:
        if written == "a file":
            patched.setattr(folder, "replace_file", interrupted(folder.replace_file, 2))  # the log is the first file
        else:
            patched.setattr(pull, "update_lock", interrupted(pull.update_lock, 0))
        tokensync("-q", "pull", "--theirs", code=130)
    shown = tokensync("apply", "--resume", code=4).stderr
    assert "a pull was interrupted while it wrote these files or the lock; run tokensync pull" in shown
    tokensync("-q", "pull")
    tokensync("-q", "apply", "--resume")
    tokensync("-q", "pull", "--theirs")
    tokensync("-q", "plan", "--prune", "--exit-code")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize("line", [4, 5])
def test_a_rollback_that_is_killed_at_its_end_and_resumed_closes_the_apply(line):
    """The line after its request's outcome closes the apply, the next one the rollback."""
    remove_members()
    plan()
    tokensync("-q", "apply")
    applied = max(Path(".tokensync", "applies").iterdir(), key=lambda each: each.name)
    tokensync("-q", "rollback", applied)
    kill_apply(line)
    tokensync("-q", "apply", "--resume")
    assert "already rolled back" in tokensync("rollback", applied, code=4).stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_plan_and_a_pull_after_an_apply_that_is_carried_out_in_part_say_so():
    with edited(LIGHT) as document:
        document["$extensions"]["org.tokensync"]["extensions"] |= {"tuesday": {"name": "Tuesday", "parent": "theme"}}
    dim = {"$extensions": {"com.figma.modeName": "Dim"}, "theme": {}}
    (LIGHT.parent / "dim.tokens.json").write_text(json.dumps(dim), encoding="utf-8")
    assert "2 requests" in plan()
    kill_apply(4)
    shown = plan()
    assert "an apply is carried out in part (1 of 2 requests, " in shown
    assert "to continue the earlier one with tokensync apply --resume, or to reverse it with tokensync" in shown
    shown = tokensync("pull", "--dry-run").stderr
    assert "this apply is carried out in part (1 of 2 requests); continue it with tokensync apply --resume" in shown
    assert "apply-unfinished" in shown
    tokensync("-q", "apply", "--resume")
    assert "in part" not in plan()
    assert "apply-unfinished" not in tokensync("pull").stderr
