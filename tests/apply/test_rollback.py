"""Rollback restores the former state, leaves later changes of others alone, or is refused."""

import json
import os

import pytest
from apply.wanted import (
    edited,
    grown,
    with_dim,
    without_base,
    without_brand,
    without_dark,
    without_gap,
    without_referred,
    without_sizes,
    without_theme,
)
from apply.world import (
    ACCENT,
    BASE,
    BRAND,
    GAP,
    KEY,
    LOST_AFTER,
    THEME,
    Fault,
    Killed,
    World,
    changed,
    design,
    shape,
    two_batches,
    without,
)

from tokensync.apply.journal import Journal, Sending
from tokensync.commands.apply import apply_plans
from tokensync.commands.rollback import rollback
from tokensync.plan.plan import PlanFile
from tokensync.plan.state import ObjectValue
from tokensync.project.plan_files import read_plans
from tokensync.system.errors import ConflictError, PlatformError, UsageError

WANTED = [
    edited,
    grown,
    two_batches,
    without_base,
    without_referred,
    without_dark,
    without_sizes,
    without_theme,
    without_brand,
    with_dim,
]


def applied(world, wanted):
    plan = world.plan(wanted(world.state))
    return world.applier().apply(plan, force=True)


def taken_back(world, receipt):
    result = rollback(world.applier(), receipt)
    done = apply_plans(world.applier(), result.path, force=True)
    assert not done[0].differences
    return result


@pytest.mark.parametrize("wanted", WANTED)
def test_an_apply_is_rolled_back(tmp_path, wanted):
    world = World(tmp_path)
    before = world.state
    done = applied(world, wanted)
    result = taken_back(world, done.receipt)
    assert shape(world.state) == shape(before)
    assert result.plan.rollback_of == done.receipt
    assert [each.status for each in world.journals] == ["rolled back", "finished"]


@pytest.mark.parametrize("wanted", WANTED)
def test_the_plan_beside_the_receipt_does_the_same(tmp_path, wanted):
    world = World(tmp_path)
    before = world.state
    done = applied(world, wanted)
    apply_plans(world.applier(), done.rollback, force=True)
    assert shape(world.state) == shape(before)
    assert world.journals[0].status == "rolled back"


@pytest.mark.parametrize("wanted", WANTED)
def test_a_rollback_is_rolled_back(tmp_path, wanted):
    world = World(tmp_path)
    done = applied(world, wanted)
    after = world.state
    taken_back(world, done.receipt)
    taken_back(world, os.path.dirname(world.journals[-1].folder + "/receipt.json"))
    assert shape(world.state) == shape(after)


@pytest.mark.parametrize("wanted", WANTED)
def test_what_others_did_elsewhere_survives_the_rollback(tmp_path, wanted):
    world = World(tmp_path)
    other = {"variableCollections": [{"action": "CREATE", "id": "c", "name": "Mine", "initialModeId": "m"}]}
    other["variables"] = [
        {"action": "CREATE", "id": "v", "name": "own", "variableCollectionId": "c", "resolvedType": "STRING"}
    ]
    other["variableModeValues"] = [{"variableId": "v", "modeId": "m", "value": "kept"}]
    done = applied(world, wanted)
    world.post(**other)
    taken_back(world, done.receipt)
    fresh = World(_folder(tmp_path, "fresh"))
    fresh.post(**other)
    assert shape(world.state) == shape(fresh.state)


def _folder(parent, name):
    folder = parent / name
    folder.mkdir()
    return folder


ODD_WORDS = {"scopes": ["TRANSFORM", "GAP"], "codeSyntax": {"FLUTTER": "gap", "WEB": "--gap"}}


@pytest.mark.parametrize("wanted", [without_gap, without_sizes])
def test_unknown_scopes_and_platforms_are_restored_with_their_variable(tmp_path, wanted):
    content = json.loads(design())
    content["meta"]["variables"][GAP] |= ODD_WORDS
    world = World(tmp_path, json.dumps(content).encode())
    before = world.state
    done = applied(world, wanted)
    result = taken_back(world, done.receipt)
    assert result.problems == ()
    assert shape(world.state) == shape(before)
    gap = world.state.variables[of_name(world, "gap")]
    assert (gap.scopes, dict(gap.code_syntax)) == (("GAP", "TRANSFORM"), ODD_WORDS["codeSyntax"])


@pytest.mark.parametrize("wanted", [without_dark, without_theme])
def test_modes_of_one_name_come_back_with_their_collection(tmp_path, wanted):
    content = json.loads(design())
    for collection in (THEME, BRAND):
        for each in content["meta"]["variableCollections"][collection]["modes"]:
            each["name"] = "Same"
    world = World(tmp_path, json.dumps(content).encode())
    before = world.state
    assert taken_back(world, applied(world, wanted).receipt).problems == ()
    assert shape(world.state) == shape(before)


def test_losses_of_a_rollback_are_reported(tmp_path):
    world = World(tmp_path)
    done = applied(world, without_sizes)
    (plan,) = read_plans(done.rollback).plans
    notes = "\n".join(plan.notes)
    assert "sizes / gap" in notes
    assert "stay unbound" in notes
    assert "deleted collections are recreated (sizes)" in notes


def test_a_dangling_reference_is_not_restored_and_reported(tmp_path):
    world = World(tmp_path)
    applied(world, without_referred)
    done = applied(world, lambda state: without(state, ACCENT))
    result = taken_back(world, done.receipt)
    accent = world.state.variables[of_name(world, "accent")]
    assert accent.values["1:0"] == ObjectValue(1, 1, 1, 1)  # the platform's own first value
    assert any("theme / accent referred to variables that were already deleted" in each for each in result.plan.notes)


def described(ref):
    return {"variables": [{"action": "UPDATE", "id": ref, "description": "mine"}]}


def of_name(world, name):
    return next(each.ref for each in world.state.variables.values() if each.name == name)


def other_value(world):
    return {"variableModeValues": [{"variableId": GAP, "modeId": "2:0", "value": 77}]}


def edit_of_made(world):
    return described(of_name(world, "ink"))


def alias_to_made(world):
    target = {"type": "VARIABLE_ALIAS", "id": of_name(world, "ink")}
    return {"variableModeValues": [{"variableId": BASE, "modeId": "1:0", "value": target}]}


def variable_in_made(world):
    palette = next(ref for ref, each in world.state.collections.items() if each.name == "Palette")
    new = {"action": "CREATE", "id": "v", "name": "x", "variableCollectionId": palette, "resolvedType": "FLOAT"}
    return {"variables": [new]}


def extension_of_made(world):
    palette = next(each for each in world.state.collections.values() if each.name == "Palette")
    modes = {mode.ref: f"e{number}" for number, mode in enumerate(palette.modes)}
    new = {"action": "CREATE", "id": "e", "name": "Mine", "parentVariableCollectionId": palette.ref}
    return {"variableCollections": [{**new, "initialModeIdToParentModeIdMapping": modes}]}


def gone(world):
    return {"variables": [{"action": "DELETE", "id": GAP}]}


@pytest.mark.parametrize(
    ("edit", "named"),
    [
        (other_value, "Sizes / space: its value in Value"),
        (edit_of_made, "Palette / ink: its description"),
        (alias_to_made, "Theme / base: its value in Light"),
        (variable_in_made, r"Palette / x \(new\)"),
        (extension_of_made, r"collection Mine \(new\)"),
        (gone, r"Sizes / space \(deleted\)"),
    ],
)
def test_edits_of_the_same_objects_are_not_rolled_over(tmp_path, edit, named):
    world = World(tmp_path)
    done = applied(world, grown)
    world.post(**edit(world))
    now = world.state
    with pytest.raises(ConflictError, match=named):
        rollback(world.applier(), done.receipt)
    assert shape(world.state) == shape(now)


def test_what_others_have_deleted_of_it_is_no_edit_that_a_rollback_loses(tmp_path):
    world = World(tmp_path)
    before = shape(world.state)
    done = applied(world, grown)
    world.post(variables=[{"action": "DELETE", "id": of_name(world, "ink")}])
    taken_back(world, done.receipt)
    assert shape(world.state) == before


def test_another_member_of_the_same_variable_keeps_what_others_gave_it(tmp_path):
    world = World(tmp_path)
    done = applied(world, lambda state: changed(state, GAP, values={"2:0": 12.0}))
    world.post(**described(GAP))
    taken_back(world, done.receipt)
    assert world.state.variables[GAP].values == {"2:0": 4}
    assert world.state.variables[GAP].description == "mine"


def test_changes_reverted_by_hand_need_no_plan(tmp_path):
    world = World(tmp_path)
    done = applied(world, lambda state: changed(state, GAP, values={"2:0": 12.0}))
    world.post(variableModeValues=[{"variableId": GAP, "modeId": "2:0", "value": 4}])
    result = rollback(world.applier(), done.receipt)
    assert (result.path, result.plan.operations) == ("", ())
    assert world.journals[-1].status == "finished"


def test_a_rollback_reads_a_platform_again_that_shows_the_apply_late(tmp_path):
    world = World(tmp_path)
    before = world.state
    raw = world.direct.variables.local(KEY)
    done = applied(world, edited)
    world.network.stale.append(raw)
    taken_back(world, done.receipt)
    assert shape(world.state) == shape(before)


def test_a_rollback_that_somebody_changed_does_not_close_the_apply(tmp_path):
    world = World(tmp_path)
    done = applied(world, edited)
    result = rollback(world.applier(), done.receipt)
    value = {"variableId": GAP, "modeId": "2:0", "value": 12}
    world.network.after_post = lambda number: world.post(variableModeValues=[value])
    (back,) = apply_plans(world.applier(), result.path, force=True)
    assert back.differences
    assert [each.status for each in world.journals] == ["finished", "finished"]


def test_a_rollback_of_an_unclear_request_does_not_close_the_apply(tmp_path):
    world = World(tmp_path)
    state = changed(world.state, GAP, values={"2:0": 12.0})
    plan = world.plan(changed(state, BASE, values={"1:0": ObjectValue(1, 0, 0, 1)}))
    world.network.posts = [Fault(carried_out=False)]
    value = {"variableId": GAP, "modeId": "2:0", "value": 12}
    world.network.after_post = lambda number: world.post(variableModeValues=[value])
    with pytest.raises(ConflictError, match="unclear"):
        world.applier().apply(plan)
    world.network.after_post = lambda number: None
    result = rollback(world.applier(), world.journals[0].folder)
    assert any("unknown whether request 1" in each for each in result.plan.notes)
    apply_plans(world.applier(), result.path, force=True)
    assert [each.status for each in world.journals] == ["stopped", "finished"]


def test_the_first_of_several_requests_are_rolled_back(tmp_path):
    world = World(tmp_path)
    before = world.state
    plan = world.plan(two_batches(before))
    world.network.posts = [None, Fault(carried_out=False, status=400)]
    with pytest.raises(PlatformError):
        world.applier().apply(plan)
    assert shape(world.state) != shape(before)
    taken_back(world, world.journals[-1].folder)
    assert shape(world.state) == shape(before)
    assert world.journals[0].status == "rolled back"


@pytest.mark.parametrize("fault", [None, LOST_AFTER, Fault(carried_out=False), Fault(delay=30)])
def test_an_interrupted_apply_is_reconciled_and_rolled_back(tmp_path, monkeypatch, fault):
    world = World(tmp_path)
    before = world.state
    plan = world.plan(two_batches(before))
    world.network.posts = [None, fault]
    record = Journal.record

    def dying(self, each):
        if isinstance(each, Sending):
            sent.append(each)
        elif len(sent) == 2:
            raise Killed
        record(self, each)

    sent = []
    with monkeypatch.context() as patch:
        patch.setattr(Journal, "record", dying)
        patch.setattr("tokensync.apply.sending.Sender._final_outcome", lambda *_, **__: (_ for _ in ()).throw(Killed))
        with pytest.raises(Killed):
            world.applier().apply(plan)
    assert world.journals[-1].status == "open"
    taken_back(world, world.journals[-1].folder)
    world.time.pass_to(world.time.now + 1000)
    assert shape(world.state) == shape(before)
    assert [each.status for each in world.journals] == ["rolled back", "finished"]


def test_an_apply_that_sent_nothing_needs_no_rollback(tmp_path):
    world = World(tmp_path)
    plan = world.plan(edited(world.state))
    world.network.posts = [Fault(carried_out=False, status=400)]
    with pytest.raises(PlatformError):
        world.applier().apply(plan)
    assert rollback(world.applier(), world.journals[-1].folder).path == ""


def test_the_plan_can_be_written_elsewhere(tmp_path):
    world = World(tmp_path)
    done = applied(world, edited)
    out = tmp_path / "back" / "plan.json"
    assert rollback(world.applier(), done.receipt, out=str(out)).path == str(out)
    assert isinstance(read_plans(str(out)), PlanFile)


@pytest.mark.parametrize("name", ["nothing", ".tokensync", ".tokensync/applies/nothing/receipt.json"])
def test_a_folder_without_an_apply_is_reported(tmp_path, name):
    world = World(tmp_path)
    applied(world, edited)
    with pytest.raises(UsageError, match="no receipt of an apply"):
        rollback(world.applier(), str(tmp_path / name))


def test_a_receipt_lists_requests_and_never_a_credential(tmp_path):
    world = World(tmp_path)
    done = applied(world, grown)
    text = (tmp_path / done.receipt).read_text("utf-8")
    receipt = json.loads(text)
    assert (receipt["outcome"], receipt["requests"], len(receipt["batches"])) == ("finished", 2, 2)
    assert receipt["batches"][0]["ids"]["variable:wide"] == of_name(world, "wide")
    everything = b"".join(path.read_bytes() for path in (tmp_path / ".tokensync").rglob("*") if path.is_file())
    assert world.emulator.default_token.encode() not in everything


def broken_off(world):
    """The process is killed after the first of two requests."""

    def die(number):
        raise Killed

    world.network.after_post = die
    with pytest.raises(Killed):
        applied(world, two_batches)
    world.network.after_post = lambda number: None
    return world.journals[-1].folder


def test_an_apply_with_a_rollback_plan_is_not_resumed(tmp_path):
    world = World(tmp_path)
    before = world.state
    result = rollback(world.applier(), broken_off(world))
    with pytest.raises(ConflictError, match="tokensync rollback has given it up; apply the rollback plan"):
        world.applier().resume("kit")
    apply_plans(world.applier(), result.path, force=True)
    assert shape(world.state) == shape(before)
    assert world.applier().resume("kit") is None
