"""A plan that somebody edited is refused before anything is sent, or carried out as it says."""

from __future__ import annotations

import copy
import json
import os
import random
import re

import msgspec
import pytest
from apply.wanted import without_dark
from apply.world import (
    ACCENT,
    BASE,
    BRAND,
    GAP,
    RED,
    SIZES,
    THEME,
    World,
    changed,
    new_variable,
    shape,
    two_batches,
    with_collections,
    with_variables,
    without,
)
from msgspec.structs import replace

from tokensync.apply.checking import invalid_references
from tokensync.commands.apply import apply_plans
from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateStyle,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteStyle,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateStyle,
    UpdateVariable,
)
from tokensync.plan.plan import PlanFile
from tokensync.plan.planning import counts_of
from tokensync.plan.state import CollectionState, Digests, FileState, ModeState, ObjectValue, StyleState, digest_of
from tokensync.system.errors import ConflictError, RequestError, UsageError

EDITS = int(os.environ.get("TOKENSYNC_DAMAGES", "12")) * 10
"""Edits of each plan; `make damages` tries more."""


def every_change(state):
    """New, changed and deleted objects of each kind."""
    after = two_batches(state)
    after = changed(after, BASE, description="the base", scopes=("ALL_FILLS",), code_syntax=(("WEB", "var(--base)"),))
    after = changed(after, ACCENT, name="highlight", values={"1:1": ObjectValue(alias=BASE)})
    after = with_variables(after, new_variable("space"), new_variable("deep", values={"2:0": ObjectValue(alias=GAP)}))
    return with_collections(after, replace(after.collections[SIZES], name="Spacing", hidden=True))


def new_mode(state):
    """A new mode of a collection and of its extension, with a value of its own."""
    theme, brand = state.collections[THEME], state.collections[BRAND]
    theme = replace(theme, modes=(*theme.modes, ModeState("mode:dim", "Dim")))
    brand = replace(brand, modes=(*brand.modes, ModeState("mode:brand/dim", "Dim", "mode:dim")))
    after = with_collections(state, theme, brand)
    after = changed(after, BASE, values={"mode:dim": RED})
    return changed(after, ACCENT, values={"mode:dim": ObjectValue(alias=BASE)})


def fewer_modes(state):
    """A deleted mode of a collection and of its extension, and another name for the other."""
    theme, brand = state.collections[THEME], state.collections[BRAND]
    theme = replace(theme, modes=(replace(theme.modes[0], name="Day"),))
    brand = replace(brand, modes=(replace(brand.modes[0], name="Day"),))
    gone = {"1:1", state.collections[BRAND].modes[1].ref}
    return FileState(
        {**state.collections, THEME: theme, BRAND: brand},
        {
            ref: replace(each, values={mode: value for mode, value in each.values.items() if mode not in gone})
            for ref, each in state.variables.items()
        },
    )


STATES = (every_change, new_mode, fewer_modes, lambda state: without(with_variables(state, new_variable("space")), GAP))


def paths(value, path=()):
    """The path of each JSON value inside another."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, each in items:
        yield from paths(each, (*path, step))


def edited(document, chance):
    """The document with one edit: a value, an element or an operation replaced, removed, repeated or swapped."""
    document = copy.deepcopy(document)
    operations = document["plans"][0]["operations"]
    every = [each for each in paths(operations) if each]
    refs = sorted({each for path in every if isinstance(each := at(operations, path), str) and ":" in each})
    path = chance.choice(every)
    parent, step = at(operations, path[:-1]), path[-1]
    match chance.randrange(8):
        case 0:
            del parent[step]
        case 1:
            parent[step] = copy.deepcopy(at(operations, chance.choice(every)))
        case 2:
            operations.append(copy.deepcopy(chance.choice(operations)))
        case 3:
            chance.shuffle(operations)
        case 4 if isinstance(parent, dict) and isinstance(step, str):
            parent[chance.choice((*refs, "more"))] = parent.pop(step)
        case 5:
            strings = [each for each in every if isinstance(at(operations, each), str) and ":" in at(operations, each)]
            path = chance.choice(strings)
            at(operations, path[:-1])[path[-1]] = chance.choice((*refs, "1:0", "1:1", "2:0", GAP, BASE, BRAND, THEME))
        case 6:
            values = (None, True, -1, 0, 0.5, 2, 1e39, 10**30, "", "x", "\ud800", [], {}, {"alias": GAP}, {"r": 1.0})
            parent[step] = copy.deepcopy(chance.choice((*values, {"alias": "nothing"}, {"color": {"alias": BASE}})))
        case _:
            operations.remove(chance.choice(operations))
    return document


def at(value, path):
    for step in path:
        value = value[step]
    return value


def assert_carried_out(plan, state):
    """Each operation's result is what the platform has."""
    for each in plan.operations:
        match each:
            case SetValue(variable=ref, mode=mode, after=value) if ":" in mode and mode[0].isdigit():
                assert state.variables[ref].values.get(mode) == value
            case UpdateVariable(ref=ref):
                for member in each.changed_members():
                    if member == "scopes":
                        assert state.variables[ref].has_scopes(each.scopes[1])
                    else:
                        assert getattr(state.variables[ref], member) == getattr(each, member)[1]
            case UpdateCollection(ref=ref, name=name) if name:
                assert state.collections[ref].name == name[1]
            case CreateVariable(variable=variable):
                assert variable.name in {each.name for each in state.variables.values()}
            case DeleteVariable(ref=ref):
                assert ref not in state.variables


def without_theme(state):
    """A deleted collection, its extension and their variables: safety findings."""
    gone = {ref for ref, each in state.collections.items() if each.root == THEME}
    variables = {ref: each for ref, each in state.variables.items() if each.collection != THEME}
    return FileState({ref: each for ref, each in state.collections.items() if ref not in gone}, variables)


def refusal(tmp_path, edit, *, force=False):
    """The message about a plan that deletes a collection, with an edit; nothing may be sent."""
    world = World(tmp_path)
    document = json.loads(PlanFile(plans=(world.plan(without_theme(world.state)),)).encoded())
    edit(document["plans"][0])
    path = tmp_path / "edited.json"
    path.write_text(json.dumps(document, indent=1), encoding="utf-8")
    with pytest.raises(ConflictError) as refused:
        apply_plans(world.applier(), str(path), force=force)
    assert not world.network.posted
    return str(refused.value)


def test_findings_are_not_allowed_by_the_plan_file(tmp_path):
    def allow(plan):
        for each in plan["findings"]:
            each["allowed"] = True

    assert "the plan is unsafe (delete collection" in refusal(tmp_path, allow)


def test_a_finding_that_was_removed_is_found_anew(tmp_path):
    assert "lacks findings (" in refusal(tmp_path, lambda plan: plan["findings"].clear(), force=True)


def member(*path, to):
    """Return a function that replaces a value of a plan, and the pointer of the value."""

    def edit(plan):
        value = plan
        for step in path[:-1]:
            value = value[step]
        assert value[path[-1]] != to
        value[path[-1]] = to

    pointer = path[:1] if path[0] in ("counts", "batches") else path[:2]
    return pytest.param(edit, "/".join(map(str, pointer)), id="-".join(map(str, path)))


@pytest.mark.parametrize(
    ("edit", "pointer"),
    [
        member("counts", "collections_deleted", to=0),
        member("batches", to=[{"bytes": 1, "operations": 99}]),
        member("batches", to=[]),
        member("findings", 0, "what", to="nobody uses it"),
        member("labels", THEME, to="unused"),
        member("labels", GAP, to="theme / base"),
        member("operations", 0, "name", to="Unused"),
    ],
)
def test_what_a_reviewer_reads_is_what_is_applied(tmp_path, edit, pointer):
    def edit_labelled(plan):
        plan["labels"] |= {GAP: "sizes / gap", THEME: "theme"}
        edit(plan)

    message = refusal(tmp_path, edit_labelled, force=True)
    assert re.search(rf"edited\.json:\d+:\d+ \(#/plans/0/{pointer}\): the plan was edited: ", message), message


@pytest.mark.parametrize("kind", [CreateVariable, UpdateVariable])
def test_a_scope_that_no_token_file_has_is_refused_also_with_force(tmp_path, kind):
    world = World(tmp_path)
    operations = [*(plan := world.plan(every_change(world.state))).operations]
    operation = next(each for each in operations if isinstance(each, kind) and getattr(each, "scopes", True))
    if isinstance(operation, CreateVariable):
        warped = replace(operation, variable=replace(operation.variable, scopes=("WARP",)))
    else:
        warped = replace(operation, scopes=(operation.scopes[0], ("WARP",)))
    operations[operations.index(operation)] = warped
    with pytest.raises(ConflictError, match="no token file has the scope 'WARP'"):
        world.applier().apply(replace(plan, operations=tuple(operations)), force=True)
    assert world.network.posted == []


def test_the_labels_of_a_plan_are_accepted(tmp_path):
    world = World(tmp_path)
    path = tmp_path / "plan.json"
    path.write_bytes(PlanFile(plans=(world.plan(every_change(world.state)),)).encoded())
    apply_plans(world.applier(), str(path), force=True)


@pytest.mark.parametrize("number", range(len(STATES)))
def test_an_edited_plan_is_refused_or_carried_out(tmp_path, number):
    seed = os.environ.get("TOKENSYNC_SEED", "7")
    folder = tmp_path / "original"
    folder.mkdir()
    world = World(folder)
    plan = world.plan(STATES[number](world.state))
    document = json.loads(PlanFile(plans=(plan,)).encoded())
    wrong, applied = [], 0
    for edit in range(EDITS):
        chance = random.Random(f"{seed} {number} {edit}")
        changed_document = edited(document, chance)
        folder = tmp_path / str(edit)
        folder.mkdir()
        world = World(folder)
        path = folder / "edited.json"
        path.write_text(json.dumps(changed_document), encoding="utf-8")
        try:
            done = apply_plans(world.applier(), str(path), force=True)
        except (ConflictError, UsageError) as refused:
            if world.network.posted or world.journals or "edited.json" not in str(refused):
                wrong.append((edit, "sent" if world.network.posted else "", str(refused)[:300]))
            continue
        except RequestError as failed:
            wrong.append((edit, "refused by Figma", str(failed)[:300]))
            continue
        try:
            assert not any(each.differences for each in done), done
            assert_carried_out(msgspec.json.decode(path.read_bytes(), type=PlanFile).plans[0], world.state)
            applied += 1
        except AssertionError as error:
            wrong.append((edit, "differs", str(error)[:300]))
    assert not wrong, f"{len(wrong)} of {EDITS}, {applied} applied\n" + "\n".join(map(str, wrong[:40]))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"mode": "1:1"', '"mode": 7'),
        ('"type": "set value"', '"type": "set values"'),
        ('"mode": "1:1"', '"mode": "1:1'),
        ("]", ""),
    ],
)
def test_a_plan_that_does_not_decode_is_refused_with_its_line(tmp_path, old, new):
    world = World(tmp_path)
    plan = world.plan(changed(world.state, ACCENT, values={"1:1": ObjectValue(alias=BASE)}))
    text = PlanFile(plans=(plan,)).encoded().decode().replace('":"', '": "').replace(old, new, 1)
    path = tmp_path / "edited.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(UsageError, match=r"edited\.json:[2-9]: this is not a plan"):
        apply_plans(world.applier(), str(path))
    assert not world.network.posted


def test_a_plan_that_deletes_a_mode_and_extends_its_collection_is_not_mistaken_for_an_edited_one(tmp_path):
    world = World(tmp_path)
    after = without_dark(world.state)
    modes = tuple(ModeState(f"mode:More/{each.ref}", each.name, each.ref) for each in after.collections[THEME].modes)
    more = CollectionState(
        ref="collection:More", name="More", root=THEME, parent=THEME, modes=modes, default=modes[0].ref
    )
    after = with_collections(after, more)
    world.applier().apply(world.plan(after), force=True)
    assert shape(world.state) == shape(after)


NOTE = StyleState(ref="S:1,", type="TEXT", name="note", members={"fontSize": 12})
OF_STYLE = {"kind": "TEXT", "ref": NOTE.ref}
NOTHING = {"type": "VARIABLE_ALIAS", "id": "nothing"}
INVALID = [
    (CreateMode(ref="m", collection=BRAND, name="Dim"), "the modes of the extension"),
    (RenameMode(ref="1:0", collection=BRAND, name=("Light", "Day")), "the modes of the extension"),
    (CreateMode(ref="m", collection=THEME, name="Dim"), "its new modes are not those of all extensions"),
    (CreateMode(ref="2:0", collection=SIZES, name="Dense"), 'the ref "2:0" of a new mode is in use'),
    (CreateCollection(ref="c", name="New", modes=()), "it has no modes"),
    (CreateCollection(ref=GAP, name="New", modes=(ModeState("m", "One"),)), "of a new object is in use"),
    (CreateExtension(ref="c", name="New", parent="nothing", modes=(ModeState("m", "One", "1:0"),)), "no collection"),
    (CreateExtension(ref="c", name="New", parent=THEME, modes=(ModeState("m", "One", "1:0"),)), "do not extend those"),
    (CreateVariable(variable=replace(new_variable("wide"), fixed=True)), "cannot belong to another file"),
    (CreateVariable(variable=new_variable("wide", "nothing")), 'no collection "nothing" that can have variables'),
    (CreateVariable(variable=new_variable("wide", values={"1:0": 1})), "has no mode"),
    (SetValue(variable=GAP, mode="2:0", before=4, after=ObjectValue(alias="nothing")), "no variable"),
    (DeleteVariable(ref=GAP, collection=SIZES, name="base", digest=""), 'it deletes "gap", not "base"'),
    (DeleteVariable(ref=GAP, collection=THEME, name="gap", digest=""), "is not in"),
    (DeleteMode(ref="1:1", collection=THEME, name="Light", digest=""), 'it deletes "Dark", not "Light"'),
    (DeleteCollection(ref=SIZES, name="Theme", digest=""), 'it deletes "Sizes", not "Theme"'),
    (CreateStyle(style=NOTE), "of a new object is in use"),
    (CreateStyle(style=replace(NOTE, ref="s", members={"fontSize": NOTHING})), "no variable"),
    (UpdateStyle(ref=NOTE.ref, kind="EFFECT", name=("note", "notes")), "the file has no effect style"),
    (UpdateStyle(**OF_STYLE, members={"fontSize": (12, NOTHING)}), "no variable"),
    (DeleteStyle(**OF_STYLE, name="notes", digest=""), 'it deletes "note", not "notes"'),
]


@pytest.mark.parametrize(("operation", "message"), INVALID)
def test_what_no_state_can_follow_is_an_error_of_its_operation(tmp_path, operation, message):
    state = World(tmp_path).state._replace(styles={NOTE.ref: NOTE})
    ((index, found), *_) = invalid_references((operation,), state)
    assert index == 0
    assert message in found


def deletion(state, ref):
    return DeleteCollection(ref=ref, name=state.collections[ref].name, digest=Digests(state).of_collection(ref))


def deleted_gap(state):
    return DeleteVariable(ref=GAP, collection=SIZES, name="gap", digest=digest_of(state.variables[GAP]))


def extension_of(state, parent):
    modes = tuple(ModeState(f"mode:Club/{each.ref}", each.name, each.ref) for each in state.collections[parent].modes)
    return CreateExtension(ref="collection:Club", name="Club", parent=parent, modes=modes)


def edited_style(members):
    return lambda state: (CreateStyle(style=StyleState(ref="style:note", type="TEXT", name="note", members=members)),)


def accent(value):
    before = {"variable": ACCENT, "mode": "1:1", "before": ObjectValue(1, 1, 1, 1)}
    return lambda state: (SetValue(**before, after=value),)


HIDDEN_GAP = UpdateVariable(ref=GAP, hidden=(False, True))
SIZES_DELETED, GAP_DELETED = f'the plan deletes "{SIZES}"', f'the plan deletes "{GAP}"'
MIXED = "a reference has other members beside it"
INNER = ObjectValue(alias=BASE, r=1.0)
UNCARRIED = {
    "variable in collection": (
        lambda state: (deletion(state, SIZES), CreateVariable(variable=new_variable("wide"))),
        f'no collection "{SIZES}" that can have variables remains',
    ),
    "mode in collection": (
        lambda state: (deletion(state, SIZES), CreateMode(ref="m", collection=SIZES, name="Dense")),
        SIZES_DELETED,
    ),
    "value": (
        lambda state: (deletion(state, SIZES), SetValue(variable=GAP, mode="2:0", before=4, after=8)),
        GAP_DELETED,
    ),
    "metadata": (lambda state: (deletion(state, SIZES), HIDDEN_GAP), GAP_DELETED),
    "variable of collection": (lambda state: (deletion(state, SIZES), deleted_gap(state)), GAP_DELETED),
    "extension of collection": (
        lambda state: (deletion(state, THEME), deletion(state, BRAND)),
        f'the plan deletes "{BRAND}"',
    ),
    "metadata of variable": (lambda state: (HIDDEN_GAP, deleted_gap(state)), GAP_DELETED),
    "extension of extension": (
        lambda state: (deletion(state, BRAND), extension_of(state, BRAND)),
        f'no collection "{BRAND}" remains',
    ),
    "nothing of variable": (
        lambda state: (UpdateVariable(ref=GAP), deleted_gap(state)),
        "it changes nothing",
    ),
    "alias without id": (
        edited_style({"fontSize": {"type": "VARIABLE_ALIAS"}}),
        "the file does not have the state that it records for text style note (new)",
    ),
    "alias with a list": (
        edited_style({"fontSize": {"type": "VARIABLE_ALIAS", "id": []}}),
        "the file does not have the state that it records for text style note (new)",
    ),
    "alias and colour": (accent(ObjectValue(alias=BASE, color=ObjectValue(alias=BASE), opacity=50)), MIXED),
    "alias and channel": (accent(INNER), MIXED),
    "alias in colour": (accent(ObjectValue(color=INNER, opacity=50)), MIXED),
}


def refused_as_edited(world, *operations):
    """The message about a plan with these operations, which ends with the exit code 4; nothing may be sent."""
    path = world.folder / "edited.json"
    plan = replace(world.plan(without(world.state, GAP)), operations=operations, counts=counts_of(operations))
    path.write_bytes(PlanFile(plans=(plan,)).encoded())
    sent = len(world.network.posted)
    with pytest.raises(ConflictError, match=r"edited\.json:\d+:\d+.*: the plan was edited") as refused:
        apply_plans(world.applier(), str(path), force=True)
    assert refused.value.exit_code == 4
    assert len(world.network.posted) == sent
    return str(refused.value)


@pytest.mark.parametrize(("operations", "message"), UNCARRIED.values(), ids=UNCARRIED)
def test_operations_that_cannot_be_carried_out_together_are_refused(tmp_path, operations, message):
    world = World(tmp_path)
    assert message in refused_as_edited(world, *operations(world.state))


def test_an_extension_is_deleted_with_the_one_that_it_extends(tmp_path):
    world = World(tmp_path)
    new = extension_of(world.state, BRAND)
    club = CollectionState(
        ref=new.ref, name=new.name, root=THEME, parent=BRAND, modes=new.modes, default=new.modes[0].ref
    )
    world.applier().apply(world.plan(with_collections(world.state, club)), force=True)
    (club,) = world.state.extensions_of(BRAND)
    both = (deletion(world.state, BRAND), deletion(world.state, club))
    assert f'the plan deletes "{club}"' in refused_as_edited(world, *both)


def test_a_style_is_not_changed_and_deleted(tmp_path):
    state = World(tmp_path).state._replace(styles={NOTE.ref: NOTE})
    deleted = DeleteStyle(**OF_STYLE, name="note", digest=digest_of(NOTE))
    renamed = UpdateStyle(**OF_STYLE, name=("note", "notes"))
    assert [*invalid_references((renamed, deleted), state)] == [(0, f'the plan deletes "{NOTE.ref}"')]
