"""``tokensync apply`` and ``tokensync rollback``: exit codes, output, JSON, the lock, and killed processes."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands.projects import COLORS, QUICK_TO_SETTLE, ROOT, on_the_platform, project_in, pulled_in, response, tokensync
from corpus.building import run_here
from msgspec.structs import replace

from tokensync.apply.sending import Reading
from tokensync.emulator import Emulator
from tokensync.extract.client import Client, Credential
from tokensync.plan.operations import CreateExtension, DeleteCollection, DeleteMode, SetValue, UpdateVariable
from tokensync.plan.plan import Counts, Finding, Plan, PlanFile
from tokensync.plan.planning import Planning
from tokensync.plan.state import FileState, ObjectValue, VariableState, labels_of
from tokensync.project.configuration import load_project
from tokensync.project.plan_files import sources_digest

THEME = "VariableCollectionId:1:1"
KILLING = ROOT / "tests" / "apply" / "killing.py"
RED, BLUE = ObjectValue(1, 0, 0, 1), ObjectValue(0, 0, 1, 1)
STATE = Path(".tokensync", "emulator.sqlite")


def reading() -> Reading:
    """Return the variables of the embedded emulator."""
    emulator = Emulator(str(STATE))
    credential = Credential("personal", emulator.default_token, "a test")
    with Client("https://emulator.invalid", credential, wsgi=emulator) as client:
        raw = client.variables.local("key-one")
    emulator.close()
    return Reading("one", raw)


def values() -> dict[str, str]:
    """Return the first value of each variable by name."""
    state = reading().state
    return {each.name: str(next(iter(each.values.values()))) for each in state.variables.values()}


def edited(state: FileState) -> FileState:
    """Slate is red, and there is a new variable."""
    slate = next(each for each in state.variables.values() if each.name == "slate")
    fresh = VariableState(
        ref="variable:fresh",
        collection=THEME,
        name="fresh",
        type="COLOR",
        scopes=("ALL_SCOPES",),
        values={"1:0": BLUE, "1:1": BLUE},
    )
    red = replace(slate, values={**slate.values, "1:0": RED})
    return FileState(state.collections, {**state.variables, slate.ref: red, fresh.ref: fresh})


def red_again(state: FileState) -> FileState:
    slate = next(each for each in state.variables.values() if each.name == "slate")
    return FileState(state.collections, {**state.variables, slate.ref: replace(slate, description="red")})


def planned_here(wanted=edited, **more: object) -> Plan:
    now = reading()
    planning = Planning("one", "key-one", now.fingerprint, labels_of(now.graph), lambda ref, mode: ref)
    plan, problems = planning.plan(now.state, wanted(now.state))
    assert not problems
    return replace(plan, **more)


def write(*plans: Plan, path: str = ".tokensync/plan.json") -> None:
    Path(path).parent.mkdir(exist_ok=True)
    Path(path).write_bytes(PlanFile(made_by="a test", made_from=sources_digest(load_project()), plans=plans).encoded())


@pytest.fixture
def project(folder):
    return pulled_in(folder, more=QUICK_TO_SETTLE)


def receipt() -> str:
    (found,) = Path(".tokensync", "applies").glob("*/receipt.json")
    return str(found)


def test_a_plan_is_applied_and_the_receipt_named(project):
    write(planned_here())
    done = tokensync("apply")
    assert done.stderr == f"one: applied in 1 request; the receipt is {receipt()}\n"
    assert "fresh" in values()
    assert not list(Path(".tokensync").glob("*.owner"))


def test_the_answer_for_programs(project):
    write(planned_here(), path="reviewed.json")
    done = tokensync("apply", "reviewed.json", "--json")
    (file,) = json.loads(done.output)["files"]
    assert (file["file"], file["requests"], file["differences"]) == ("one", 1, [])
    assert Path(file["receipt"]).is_file()
    assert Path(file["rollback"]).is_file()


def test_a_plan_without_operations_does_nothing(project):
    write(replace(planned_here(), operations=(), counts=Counts(), batches=()))
    assert tokensync("apply").stderr == "one: nothing to do\n"
    assert not Path(".tokensync", "applies").exists()


def test_a_plan_that_has_lost_its_operations_is_refused(project):
    write(replace(planned_here(), operations=()))
    assert "the plan was edited: it counts changes" in tokensync("apply", code=4).stderr


def test_a_plan_that_lacks_a_line_is_refused(project):
    write(planned_here())
    path = Path(".tokensync/plan.json")
    lines = path.read_bytes().splitlines(keepends=True)
    for number in range(len(lines)):
        path.write_bytes(b"".join(lines[:number] + lines[number + 1 :]))
        done = run_here("apply")
        assert done.code in (2, 4), lines[number]
        assert "plan.json:" in done.stderr
    assert not Path(".tokensync", "applies").exists()


@pytest.mark.parametrize("resumes", [False, True])
def test_token_files_that_cannot_be_read_stop_an_apply_before_anything_is_sent(project, resumes):
    write(planned_here(), path="edit.json")
    if resumes:
        killed(2, "after", "apply", "edit.json")
    (path,) = Path("tokens").rglob("light.tokens.json")
    text = path.read_text(encoding="utf-8")
    path.write_text(f"{text}]", encoding="utf-8")
    before = values()
    stderr = tokensync("apply", *(["--resume"] if resumes else ["edit.json"]), code=1).stderr
    assert f"light.tokens.json:{text.count(chr(10)) + 1}:" in stderr
    assert values() == before
    path.write_text(text, encoding="utf-8")
    tokensync("apply", *(["--resume"] if resumes else ["edit.json"]))


def test_a_damaged_lock_is_reported_by_an_apply(project):
    write(planned_here(), path="edit.json")
    with open("tokensync.lock", "ab") as lock:
        lock.write(b"<\n")
    assert "warning: tokensync.lock:" in tokensync("apply", "edit.json").stderr


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"plans": 1}', "\x00"])
def test_a_file_that_is_not_a_plan_is_reported(project, content):
    Path("plan.json").write_text(content, encoding="utf-8")
    assert "plan.json:1: this is not a plan" in tokensync("apply", "plan.json", code=2).stderr


def test_a_receipt_is_no_plan(project):
    write(planned_here())
    tokensync("apply")
    (receipt,) = Path(".tokensync", "applies").glob("*/receipt.json")
    assert "receipt.json:1: this is not a plan" in tokensync("apply", str(receipt), code=2).stderr


def test_a_variable_of_no_type_that_there_is_makes_a_file_no_plan(project):
    write(planned_here())
    path = Path(".tokensync", "plan.json")
    content = path.read_text(encoding="utf-8")
    path.write_text(content.replace('"type":"COLOR"', '"type":"WHAT"'), encoding="utf-8")
    assert path.read_text(encoding="utf-8") != content
    assert "this is not a plan" in tokensync("apply", code=2).stderr


def test_two_plans_for_one_file_are_refused_before_the_first_is_applied(project):
    before = values()
    write(planned_here(), planned_here())
    assert "#/plans/1): this is a second plan for the file one" in tokensync("apply", code=2).stderr
    assert values() == before


def test_an_apply_that_is_undone_by_hand_as_its_message_says_can_be_planned_again(project):
    tokens = Path("tokens/one/theme/light.tokens.json")
    document = json.loads(tokens.read_text("utf-8"))
    document["theme"]["slate"]["$value"] = {"colorSpace": "srgb", "components": [1, 0, 0]}
    tokens.write_text(json.dumps(document), encoding="utf-8")
    lock = Path("tokensync.lock").read_bytes()
    shown = tokensync("-q", "plan").output
    tokensync("apply")
    (folder,) = Path(".tokensync", "applies").iterdir()
    (folder / "journal.jsonl").unlink()
    message = tokensync("rollback", folder, code=4).stderr
    assert "restore tokensync.lock as it was before the apply, move the folder away" in message
    on_the_platform(COLORS)
    Path("tokensync.lock").write_bytes(lock)
    folder.rename("away")
    assert tokensync("-q", "plan").output == shown
    tokensync("apply")


def test_a_missing_plan_is_reported(project):
    assert "there is no plan" in tokensync("apply", code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume", "plan.json"], "remove plan.json"),
        (["--resume", "--force"], "remove --force"),
        (["--file", "one"], "--file"),
    ],
)
def test_conflicting_options_are_reported(project, arguments, message):
    assert message in tokensync("apply", *arguments, code=2).stderr


def test_an_unsafe_plan_needs_force(project):
    finding = Finding("change much", "theme", "3 of its 3 variables are updated")
    write(replace(planned_here(), findings=(finding,)))
    assert "change much theme" in tokensync("apply", code=4).stderr
    assert "fresh" not in values()
    tokensync("apply", "--force")
    assert "fresh" in values()


def test_a_plan_that_keeps_a_deletion_to_itself_is_refused_even_with_force(project):
    now = reading()
    planning = Planning("one", "key-one", now.fingerprint, labels_of(now.graph), lambda ref, mode: ref, prune=True)
    plan, problems = planning.plan(now.state, FileState({}, {}))
    assert not problems
    write(replace(plan, findings=()))
    assert "lacks findings (theme: the collection is deleted" in tokensync("apply", "--force", code=4).stderr
    write(plan)
    tokensync("apply", "--force")


def test_an_allowed_finding_stops_nothing(project):
    finding = Finding("change much", "theme", "3 of its 3 variables are updated", allowed=True)
    with Path("tokensync.toml").open("a", encoding="utf-8") as file:
        file.write('[[allow]]\nfinding = "change much"\nsubject = "theme"\n')
    write(replace(planned_here(), findings=(finding,)))
    tokensync("apply")


def test_a_finding_that_only_the_plan_file_allows_stops(project):
    finding = Finding("change much", "theme", "3 of its 3 variables are updated", allowed=True)
    write(replace(planned_here(), findings=(finding,)))
    assert "the plan is unsafe (change much theme: 3 of its 3" in tokensync("apply", code=4).stderr


def test_a_plan_for_another_key_is_refused(project):
    write(replace(planned_here(), key="elsewhere"))
    assert "the plan is for elsewhere" in tokensync("apply", code=4).stderr


def test_a_plan_for_a_file_that_is_not_configured_is_refused(project):
    write(replace(planned_here(), file="two"))
    assert "the plan is for the file two, which is not configured" in tokensync("apply", code=2).stderr


def test_an_outdated_plan_is_refused(project):
    write(planned_here())
    on_the_platform({**COLORS, "more": ("#000000", "#000000")})
    assert "make a new plan" in tokensync("apply", code=4).stderr
    assert tokensync("apply", "--rebase").code == 0
    assert {"fresh", "more"} <= set(values())


@pytest.mark.parametrize(
    "operation",
    [
        SetValue(variable="VariableID:99:99", mode="1:0", before=RED, after=BLUE),
        UpdateVariable(ref="VariableID:99:99", name=("slate", "stone")),
        DeleteCollection(ref="VariableCollectionId:99:99", name="Gone", digest=""),
        DeleteMode(ref="99:99", collection=THEME, name="Gone", digest=""),
        CreateExtension(ref="e", name="Extension", parent="VariableCollectionId:99:99", modes=()),
    ],
)
def test_a_plan_that_was_edited_to_name_what_never_was_there_is_refused(project, operation):
    plan = planned_here()
    write(replace(plan, operations=(*plan.operations, operation)))
    assert "the plan was edited" in tokensync("apply", code=4).stderr
    assert "fresh" not in values()


def test_a_plan_whose_reviewed_values_were_edited_is_refused(project):
    plan = planned_here()
    falsified = tuple(replace(each, before=BLUE) if isinstance(each, SetValue) else each for each in plan.operations)
    assert falsified != plan.operations
    write(replace(plan, operations=falsified))
    assert "the plan was edited" in tokensync("apply", code=4).stderr


def test_a_plan_for_modes_without_letters_is_no_edited_one(folder):
    """The slugs of both sides are numbered, and once more where they are merged: mode, mode-2, mode-2-2."""
    project_in(folder)
    on_the_platform({"ink": ("#000000", "#ffffff")}, modes=("%", "\U0001f3a8"))
    tokensync("-q", "pull")
    default = Path("tokens/one/theme/mode.tokens.json")
    content = json.loads(default.read_text(encoding="utf-8"))
    content["theme"]["new"] = {"$type": "color", "$value": "#123456"}
    default.write_text(json.dumps(content), encoding="utf-8")
    library = json.loads(response({"ink": ("#000000", "#ffffff", "#ff0000")}, modes=("%", "\U0001f3a8", "..")))
    modes = library["meta"]["variableCollections"]["VariableCollectionId:1:1"]["modes"]
    modes.insert(1, modes.pop())
    Path("library.json").write_text(json.dumps(library), encoding="utf-8")
    tokensync("-q", "emulator", "seed", "library.json", "--key", "key-one", "-c", "tokensync.toml")
    assert "mode-2-2" in tokensync("plan").output
    tokensync("apply")


def test_the_lock_is_what_a_pull_would_write(project):
    write(planned_here())
    tokensync("apply")
    lock = Path("tokensync.lock").read_text("utf-8").splitlines()
    assert '["one","theme","fresh","type","color"]' in lock
    os.remove("tokensync.lock")
    shutil.rmtree("tokens")
    tokensync("-q", "pull")
    pulled = Path("tokensync.lock").read_text("utf-8").splitlines()
    assert lock == [each for each in pulled if '"published"' not in each or '"fresh"' not in each]


def test_what_nobody_has_pulled_yet_does_not_get_into_the_lock(project):
    on_the_platform({**COLORS, "unpulled": ("#000000", "#000000"), "slate": ("#112233", "#999999")})
    write(planned_here())
    tokensync("apply")
    lock = Path("tokensync.lock").read_text("utf-8")
    assert "unpulled" not in lock
    assert '["one","theme","slate","in light",[1,0,0,1]]' in lock
    before = [line for line in lock.splitlines() if '"slate","in dark"' in line]
    assert before == ['["one","theme","slate","in dark",[0.26666668,0.33333334,0.4,1]]']


def test_a_renamed_collection_takes_its_facts_along(project):
    on_the_platform({**COLORS, "slate": ("#112233", "#999999")})  # not pulled

    def renamed(state):
        theme = replace(state.collections[THEME], name="Palette")
        return FileState({**state.collections, THEME: theme}, state.variables)

    write(planned_here(renamed))
    tokensync("apply")
    lock = Path("tokensync.lock").read_text("utf-8")
    assert '"theme"' not in lock
    assert '["one","palette","slate","in dark",[0.26666668,0.33333334,0.4,1]]' in lock


def test_what_the_token_files_leave_to_the_plan_does_not_get_into_the_lock(project):
    path = Path("tokens/one/theme/light.tokens.json")
    document = json.loads(path.read_text("utf-8"))
    document["theme"]["fresh"] = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [0, 0, 1]}}
    path.write_text(json.dumps(document), encoding="utf-8")
    write(planned_here())
    tokensync("apply")
    lock = Path("tokensync.lock").read_text("utf-8")
    assert '"fresh","type","color"' in lock
    assert '"fresh","scopes"' not in lock
    assert '"fresh","in light"' in lock
    assert '"fresh","in dark"' not in lock
    tokensync("-q", "pull")  # what the plan filled in comes into the token files, and takes nothing back
    assert "fresh" in Path("tokens/one/theme/dark.tokens.json").read_text("utf-8")


def test_a_lock_with_a_git_conflict_stops_an_apply_also_with_force(project):
    lock = Path("tokensync.lock")
    conflicted = f"<<<<<<< ours\n{lock.read_text('utf-8')}=======\n>>>>>>> theirs\n"
    lock.write_text(conflicted, encoding="utf-8")
    write(planned_here())
    before = values()
    assert "tokensync.lock:1: " in tokensync("apply", "--force", code=4).stderr
    assert lock.read_text("utf-8") == conflicted
    assert values() == before


def test_a_rollback_is_a_plan_that_apply_carries_out(project):
    before = values()
    write(planned_here())
    tokensync("apply")
    assert values() != before
    done = tokensync("rollback", receipt())
    assert "tokensync apply" in done.stderr
    tokensync("apply", "--force")
    assert values() == before
    assert "already rolled back" in tokensync("rollback", os.path.dirname(_oldest()), code=4).stderr


def _oldest() -> str:
    return str(min(Path(".tokensync", "applies").glob("*/receipt.json")))


def test_a_rollback_for_programs(project):
    write(planned_here())
    tokensync("apply")
    document = json.loads(tokensync("rollback", receipt(), "-o", "back.json", "--json").output)
    assert document["path"] == "back.json"
    assert document["plan"]["rollback_of"] == receipt()
    assert Path("back.json").is_file()


def test_a_missing_receipt_is_reported(project):
    assert "no receipt of an apply" in tokensync("rollback", "nowhere/receipt.json", code=2).stderr


def test_a_file_that_is_no_plan_is_not_overwritten_by_a_rollback(project):
    write(planned_here())
    tokensync("apply")
    Path("mine.json").write_text("{", encoding="utf-8")
    done = tokensync("rollback", receipt(), "-o", "mine.json", code=2)
    assert "mine.json:1: this is not a plan" in done.stderr
    assert Path("mine.json").read_text("utf-8") == "{"


@pytest.mark.parametrize("path", [os.devnull, "."])
def test_a_rollback_plan_replaces_plans_only(project, path):
    write(planned_here())
    tokensync("apply")
    assert f"{path}: this is not a file" in tokensync("rollback", receipt(), "-o", path, code=2).stderr


def test_nothing_to_resume_is_no_failure(project):
    assert tokensync("apply", "--resume").stderr == "nothing to resume\n"


def killed(number: int, when: str, *arguments: str) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"}
    command = [sys.executable, str(KILLING), str(number), when, *arguments]
    assert subprocess.run(command, check=False, env=environment).returncode == -signal.SIGKILL


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
@pytest.mark.parametrize(("number", "when"), [(1, "after"), (2, "after"), (3, "before"), (3, "after"), (4, "before")])
def test_a_killed_process_is_resumed(project, number, when):
    write(planned_here())
    killed(number, when, "apply")
    assert list(Path(".tokensync").glob("apply-one.lock.owner"))
    done = tokensync("apply", "--resume")
    assert "applied in 1 request" in done.stderr
    assert sum(name == "fresh" for name in (each.name for each in reading().state.variables.values())) == 1
    assert tokensync("apply", "--resume").stderr == "nothing to resume\n"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_an_apply_that_was_killed_after_it_updated_the_lock_is_resumed_before_another_plan_is_made(project):
    write(planned_here())
    killed(4, "before", "apply")
    assert "continue with tokensync apply --resume" in tokensync("apply", code=4).stderr
    tokensync("apply", "--resume")
    assert "make a new plan" in tokensync("apply", code=4).stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_killed_apply_blocks_the_next_and_is_taken_back(project):
    before = values()
    write(planned_here())
    killed(3, "before", "apply")
    write(planned_here(red_again))
    assert "continue with tokensync apply --resume" in tokensync("apply", code=4).stderr
    (folder,) = Path(".tokensync", "applies").iterdir()
    tokensync("rollback", folder)
    tokensync("apply", "--force")
    assert values() == before


@pytest.mark.parametrize("renamed", ["a token", "a mode", "both"])
def test_the_lock_has_the_applied_value_of_what_a_designer_has_renamed_meanwhile(folder, renamed):
    pulled_in(folder, {"first": ("#112233", "#445566"), "second": ("#000000", "#ffffff")}, more=QUICK_TO_SETTLE)
    lock, light = Path("tokensync.lock"), Path("tokens/one/theme/light.tokens.json")
    before = lock.read_text("utf-8")

    def paint(red):
        document = json.loads(light.read_text("utf-8"))
        document["theme"]["first"]["$value"] = {"colorSpace": "srgb", "components": [red, 0, 0]}
        light.write_text(json.dumps(document), encoding="utf-8")

    paint(0.2)
    name = "first" if renamed == "a mode" else "other"
    modes = ("Light", "Dark") if renamed == "a token" else ("Day", "Dark")
    on_the_platform({name: ("#112233", "#445566"), "second": ("#000000", "#ffffff")}, modes=modes)
    for red in (0.4, 0.6):
        tokensync("-q", "plan")  # without the value in the lock, both sides would have changed it
        tokensync("-q", "apply")
        changed = set(lock.read_text("utf-8").splitlines()) ^ set(before.splitlines())
        assert {line.split(",")[3] for line in changed} == {'"in light"'}
        paint(red)
    tokensync("-q", "pull")
    assert f'"theme","{name}","in {modes[0].lower()}"' in lock.read_text("utf-8")
    assert "nothing to do" not in tokensync("plan", "-q").output
