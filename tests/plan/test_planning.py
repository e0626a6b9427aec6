"""Plans from two states: held-back deletions, findings and counts."""

from __future__ import annotations

import json

import pytest
from emulator.platform import (
    ACCENT,
    BLUE,
    BRAND,
    BRAND_DARK,
    BRAND_LIGHT,
    DARK,
    GAP,
    LABEL,
    LIGHT,
    LINK,
    MUTED,
    ODD,
    PRIMITIVES,
    REGION,
    REGION_DARK,
    SHOWN,
    THEME,
    VALUE,
    Platform,
    response,
)
from plan.state_edits import both, changed, collected, gone, made, moded, new, renamed, to, unmoded, valued

from tokensync.extract.wire import snapshot
from tokensync.normalize.graph import normalize
from tokensync.plan.batches import batches_of
from tokensync.plan.operations import CreateMode, CreateVariable, DeleteCollection, DeleteMode, DeleteVariable
from tokensync.plan.plan import Counts
from tokensync.plan.planning import Planning, deletions, narrowed, selected
from tokensync.plan.state import FileState, ObjectValue, VariableState, labels_of, state_of
from tokensync.settings import AllowConfig

GRAPH = normalize(snapshot("kit", json.dumps(response()).encode()))[0]
BEFORE, LABELS = state_of(GRAPH), labels_of(GRAPH)
DARK_GONE = unmoded((THEME, DARK), (BRAND, BRAND_DARK), (REGION, REGION_DARK))
LIGHT_GONE = unmoded((THEME, LIGHT), (BRAND, BRAND_LIGHT), (REGION, f"{REGION}/{LIGHT}"))
RED = ObjectValue(1, 0, 0, 1)


def plan_of(*edits, before=BEFORE, **options):
    arguments = {"file": "kit", "key": "K", "fingerprint": "f", "labels": LABELS} | options
    return Planning(where=lambda ref, mode: f"{ref} {mode}", **arguments).plan(before, both(*edits)(before))


def plan_for(*edits, **options):
    plan, problems = plan_of(*edits, **options)
    assert problems == ()
    return plan


def codes(*edits, **options):
    return [each.code for each in plan_of(*edits, **options)[1]]


def test_no_difference_is_an_empty_plan():
    plan = plan_for()
    assert (plan.operations, plan.batches, plan.held_back, plan.findings, plan.counts) == ((), (), (), (), Counts())


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (gone(GAP), ("variable primitives / gap",)),
        (gone(PRIMITIVES), ("collection primitives",)),
        (gone(THEME, BRAND, REGION), ("collection theme",)),
        (gone(REGION), ("collection variablecollectionid-4-1",)),
        (DARK_GONE, ("mode theme / dark",)),
        (LIGHT_GONE, ("mode theme / light",)),
        (both(gone(GAP), new("gap", "STRING", "4")), ("the type of primitives / gap: FLOAT to STRING",)),
    ],
)
def test_without_prune_missing_objects_stay_and_are_listed(edit, words):
    plan = plan_for(edit)
    assert plan.operations == () and plan.findings == ()
    assert plan.held_back == words


def pruned(name, *edits):
    """Return the names of deleted objects, and what is held back, if only ``name`` is pruned."""
    after = both(*edits)(BEFORE)
    plan = plan_for(*edits, prune=selected(deletions(BEFORE, after, LABELS), name))
    gone = [each for each in plan.operations if isinstance(each, DeleteCollection | DeleteMode | DeleteVariable)]
    return {each.ref if hasattr(each, "ref") else each.variable for each in gone}, plan.held_back


ALL_GONE = (gone(GAP), gone(REGION), unmoded((THEME, DARK), (BRAND, BRAND_DARK)), gone(LINK))


@pytest.mark.parametrize(
    ("name", "deleted"),
    [
        ("primitives / gap", GAP),
        ("variable primitives / gap", GAP),
        ("primitives/gap", GAP),
        ("primitives.gap", GAP),
        ("primitives", GAP),
        ("collection variablecollectionid-4-1", REGION),
        ("theme / dark", DARK),
        ("mode theme / dark", DARK),
    ],
)
def test_a_pruned_name_is_all_that_is_deleted_and_the_rest_stays_held_back(name, deleted):
    everything = plan_for(*ALL_GONE).held_back
    refs, held = pruned(name, *ALL_GONE)
    assert refs == {deleted}
    assert len(held) == len(everything) - 1
    assert set(held) < set(everything)


def test_a_pruned_collection_takes_its_variables_and_extensions_along():
    plan = plan_for(gone(THEME, BRAND, REGION), gone(GAP), prune=True)
    refs, held = pruned("collection theme", gone(THEME, BRAND, REGION), gone(GAP))
    assert refs == {each.ref for each in plan.operations if isinstance(each, DeleteCollection)}
    assert held == ("variable primitives / gap",)


def test_a_pruned_type_changes_and_others_are_held_back():
    edits = (gone(GAP, LABEL), new("gap", "STRING", "4"))
    refs, held = pruned("the type of primitives / gap", *edits)
    assert refs == {GAP}
    assert len(held) == 1 and held[0].startswith("variable ")


@pytest.mark.parametrize("name", ["", "nothing", "gap", "primitives/ga", "mode primitives / gap", "/"])
def test_other_names_select_nothing(name):
    assert selected(deletions(BEFORE, both(gone(GAP))(BEFORE), LABELS), name) == ()


def test_everything_can_be_held_back():
    plan = plan_for(lambda state: FileState({}, {}))
    assert plan.operations == ()
    assert plan.held_back == ("collection primitives", "collection theme")


def test_other_changes_are_made_while_deletions_are_held_back():
    plan = plan_for(gone(GAP), DARK_GONE, changed(MUTED, description="quiet"), new())
    assert plan.counts == Counts(variables_created=1, variables_updated=1)
    assert plan.held_back == ("mode theme / dark", "variable primitives / gap")


def test_a_new_variable_has_the_default_modes_value_in_a_mode_that_is_held_back():
    plan = plan_for(DARK_GONE, new("fresh", "COLOR", RED, collection=THEME, values={LIGHT: RED}))
    (operation,) = plan.operations
    assert isinstance(operation, CreateVariable)
    assert operation.variable.values == {LIGHT: RED, DARK: RED}


def test_a_new_variable_without_a_value_gets_none_in_a_mode_that_is_held_back():
    without = new("tint", "COLOR", collection=THEME, values={})
    assert codes(DARK_GONE, without) == ["plan-value-absent", "plan-value-absent"]
    assert codes(DARK_GONE, new("lib", "COLOR", RED, fixed=True, collection=THEME)) == []


def test_a_new_mode_comes_to_collections_whose_variables_and_extensions_are_held_back():
    plan = plan_for(moded(("x", "X"), ref=THEME), gone(LINK, REGION))
    modes = [each for each in plan.operations if isinstance(each, CreateMode)]
    assert [[extension for extension, _ in each.extended] for each in modes] == [[BRAND, REGION]]
    assert plan.operations == tuple(modes)


def test_a_name_that_is_held_back_cannot_be_given_to_another():
    assert codes(gone(GAP), new("gap")) == ["plan-name-held"]
    assert codes(gone(GAP), changed(MUTED, name="gap")) == ["plan-name-held"]
    assert plan_for(gone(GAP), changed(MUTED, name="gap"), prune=True).counts.variables_deleted == 1
    assert codes(gone(GAP), new("gap"), new("gap", ref="w")) == ["plan-name-held", "plan-name-held"]


def test_nothing_can_refer_to_a_type_that_is_held_back():
    retyped = both(gone(GAP), new("gap", "STRING", "four"))
    assert codes(retyped, valued((LABEL, VALUE, to("v")))) == ["plan-target-held"]
    assert codes(retyped, valued((LABEL, VALUE, to("v"))), prune=True) == []


def test_a_renamed_variable_of_another_type_is_passed_in():
    edits = (gone(GAP), new("distance", "STRING", "four"))
    assert plan_for(*edits).counts.variables_created == 1
    held = plan_for(*edits, retyped={GAP: "v"})
    assert held.operations == () and len(held.held_back) == 1
    assert [each.kind for each in plan_for(*edits, retyped={GAP: "v"}, prune=True).findings] == ["change type"]


def test_the_default_mode_stays_the_default_while_its_deletion_is_held_back():
    assert codes(moded(("m", "M"), default="m"), unmoded((PRIMITIVES, VALUE))) == []
    assert codes(moded(("m", "M"), default="m"), unmoded((PRIMITIVES, VALUE)), prune=True) == []


def test_a_plan_of_some_variables_changes_the_default_mode_of_no_collection():
    dark_first = (collected(THEME, default=DARK), collected(BRAND, default=BRAND_DARK))
    after = both(*dark_first, changed(GAP, description="between"))(BEFORE)
    part = narrowed(BEFORE, after, LABELS, ["primitives/gap"]).after
    assert part.collections == BEFORE.collections
    assert part.variables[GAP].description == "between"
    shorter = narrowed(BEFORE, LIGHT_GONE(after), LABELS, ["primitives/gap"]).after
    assert shorter.collections[THEME].default == DARK


def test_prune_deletes_only_the_topmost_object():
    plan = plan_for(gone(THEME, BRAND, REGION), prune=True)
    assert [each.ref for each in plan.operations] == [THEME]
    plan = plan_for(gone(BRAND, REGION), prune=True)
    assert [each.ref for each in plan.operations] == [BRAND]
    plan = plan_for(gone(GAP), unmoded((THEME, DARK), (BRAND, BRAND_DARK), (REGION, REGION_DARK)), prune=True)
    assert [each.ref for each in plan.operations] == [GAP, DARK]


def kinds(*edits, **options):
    return [(each.kind, each.subject) for each in plan_for(*edits, prune=True, **options).findings]


def test_deletions_of_collections_and_modes_are_findings():
    assert kinds(gone(REGION)) == [("delete collection", "variablecollectionid-4-1")]
    assert kinds(gone(THEME, BRAND, REGION)) == [("delete collection", "theme")]
    assert kinds(DARK_GONE) == [("delete mode", "theme/Dark")]


def test_a_change_of_type_is_a_finding():
    edits = (gone(GAP), new("gap", "STRING", "four"))
    assert kinds(*edits) == [("change type", "primitives/gap")]
    (finding,) = plan_for(*edits, prune=True).findings
    assert "bindings are lost" in finding.what and "FLOAT to STRING" in finding.what


def test_a_deletion_of_a_referenced_variable_is_a_finding_unless_the_references_are_deleted():
    assert kinds(gone(BLUE)) == [("delete referred", "primitives/blue/500")]
    assert kinds(gone(BLUE), valued((ACCENT, LIGHT, RED), (LINK, REGION_DARK, None))) == []
    assert kinds(gone(BLUE, ACCENT, LINK)) == []
    assert set(kinds(gone(PRIMITIVES))) == {
        ("delete collection", "primitives"),
        ("delete referred", "primitives/blue/500"),
    }


def test_others_that_refer_to_it_are_named_up_to_three():
    many = [new(f"n{n}", "COLOR", to(BLUE), ref=f"v{n}") for n in range(5)]
    before = both(*many)(BEFORE)
    (finding,) = plan_for(
        gone(BLUE), valued((ACCENT, LIGHT, RED), (LINK, REGION_DARK, None)), before=before, prune=True
    ).findings
    assert "and 2 more" in finding.what


def crowd(number):
    own = {
        f"v{n}": VariableState(ref=f"v{n}", collection="c", name=f"n{n}", type="FLOAT", values={"m": n})
        for n in range(number)
    }
    before = made()(BEFORE)
    return before._replace(variables=before.variables | own)


@pytest.mark.parametrize(
    ("size", "touched", "is_much"), [(9, 9, False), (10, 3, False), (10, 4, True), (100, 30, False), (100, 31, True)]
)
def test_more_than_three_tenths_of_ten_or_more_is_much(size, touched, is_much):
    edits = [changed(f"v{n}", description="other") if n % 2 else valued((f"v{n}", "m", -1)) for n in range(touched)]
    plan = plan_for(*edits, before=crowd(size), labels={**LABELS, "c": "made"})
    assert [(each.kind, each.subject) for each in plan.findings] == [("change much", "made")] * is_much


@pytest.mark.parametrize(
    ("entries", "touched", "is_much"),
    [
        ([("ma*", "", 0.5)], 5, False),
        ([("ma*", "", 0.5)], 6, True),
        ([("made", "kit", 0.1), ("*", "", 0.9)], 2, True),
        ([("made", "other", 0.1)], 3, False),
        ([("brand", "", 0.9)], 4, True),
        ([("made", "", 0)], 1, True),
    ],
)
def test_an_entry_with_a_share_is_the_threshold_of_much_and_allows_nothing(entries, touched, is_much):
    allow = [
        AllowConfig(finding="change much", subject=subject, file=file, share=share) for subject, file, share in entries
    ]
    edits = [valued((f"v{n}", "m", -1)) for n in range(touched)]
    plan = plan_for(*edits, before=crowd(10), labels={**LABELS, "c": "made"}, allow=allow)
    assert [(each.kind, each.allowed) for each in plan.findings] == [("change much", False)] * is_much


def test_deleted_variables_count_as_much_and_new_ones_and_new_modes_do_not():
    before = crowd(10)
    assert [each.kind for each in plan_for(gone("v0", "v1", "v2", "v3"), before=before, prune=True).findings] == [
        "change much"
    ]
    fresh = [new(f"w{n}", ref=f"w{n}", collection="c", values={"m": 1}) for n in range(20)]
    assert plan_for(*fresh, before=before).findings == ()
    valued_there = [valued((f"v{n}", "x", -7)) for n in range(10)]
    plan = plan_for(moded(("x", "X"), ref="c"), *valued_there, before=before)
    assert plan.findings == () and plan.counts.values_set == 10
    overridden = [valued((f"v{n}", "e1", -7)) for n in range(10)]
    plan = plan_for(made(ref="e", modes=(("e1", "One", "m"),), parent="c", root="c"), *overridden, before=before)
    assert plan.findings == () and plan.counts.values_set == 10


def test_an_allow_entry_allows_a_finding():
    allow = (
        AllowConfig(finding="delete mode", subject="theme/*"),
        AllowConfig(finding="delete collection", subject="*"),
    )
    plan = plan_for(DARK_GONE, prune=True, allow=allow)
    assert [each.allowed for each in plan.findings] == [True] and plan.unsafe == ()
    other_file = (AllowConfig(finding="delete mode", subject="theme/*", file="other"),)
    assert len(plan_for(DARK_GONE, prune=True, allow=other_file).unsafe) == 1
    other_kind = (AllowConfig(finding="change type", subject="theme/*"),)
    assert len(plan_for(DARK_GONE, prune=True, allow=other_kind).unsafe) == 1


def test_everything_is_counted():
    plan = plan_for(
        made(modes=(("m", "One"), ("n", "Two"))),
        new(collection="c", values={"m": 1, "n": 2}),
        made(ref="e", modes=(("e1", "Light", LIGHT), ("e2", "Dark", DARK)), parent=THEME, root=THEME),
        collected(BRAND, name="Acme", hidden=True),
        moded(("x", "X")),
        changed(GAP, name="space"),
        valued((GAP, VALUE, 5), (LABEL, VALUE, "x")),
        gone(SHOWN),
        prune=True,
    )
    assert plan.counts == Counts(
        collections_created=2,
        collections_updated=1,
        modes_created=3,
        variables_created=1,
        variables_updated=2,
        variables_deleted=1,
        values_set=2,
    )
    assert sum(each.operations for each in plan.batches) == len(plan.operations)


def test_the_labels_are_those_of_what_operations_name():
    plan = plan_for(valued((ACCENT, LIGHT, RED)))
    assert plan.labels[ACCENT] == "theme / accent"
    assert GAP not in plan.labels


def test_a_plan_with_errors_has_no_requests():
    plan, problems = plan_of(new("a.b"))
    assert problems and plan.operations and plan.batches == ()


def test_changes_of_texts_are_noted_since_rule_12_cannot_be_known():
    assert any("shared font" in each for each in plan_for(valued((LABEL, VALUE, "x"))).notes)
    assert plan_for(valued((GAP, VALUE, 1))).notes == ()


@pytest.mark.parametrize(
    ("edit", "places"),
    [
        (made(modes=(("m", "One"), ("n", "One"))), {"c m", "c n"}),
        (moded(("x", "Same"), ("y", "Same")), {f"{PRIMITIVES} x", f"{PRIMITIVES} y"}),
        (renamed(THEME, LIGHT, "Dark"), {f"{THEME} {LIGHT}", f"{THEME} {DARK}"}),
    ],
)
def test_two_new_modes_of_one_name_are_reported_with_both_locations(edit, places):
    plan, problems = plan_of(edit)
    assert plan.batches == ()
    for each in problems:
        assert each.code == "plan-name-taken"
        assert {place for place in places if place in f"{each.where} {each.what}"} == places


def test_a_name_of_a_mode_that_is_held_back_cannot_be_given_to_another():
    renaming = renamed(THEME, LIGHT, "Dark")
    assert codes(DARK_GONE, renaming) == ["plan-name-held"]
    assert codes(DARK_GONE, moded(("x", "Dark"), ref=THEME)) == ["plan-name-held"]
    assert codes(DARK_GONE, renaming, prune=True) == []


def test_a_rollback_brings_modes_of_one_name_back():
    """The platform accepts such names from the editor and had them before."""
    odd = renamed(THEME, LIGHT, "Dark")(BEFORE)
    assert codes(renamed(THEME, LIGHT, "Dark"), earlier=(odd,)) == []
    assert codes(moded(("x", "Value")), earlier=(odd,)) == ["plan-name-taken"]
    assert codes(moded(("x", "Dark"), ("y", "Dark")), earlier=(odd,)) == ["plan-name-taken", "plan-name-taken"]


def test_modes_may_swap_their_names():
    assert plan_for(renamed(THEME, LIGHT, "Dark"), renamed(THEME, DARK, "Light")).notes == ()


def test_an_odd_variable_that_stays_is_no_problem_and_its_name_can_go():
    assert codes(gone(ODD)) == []
    (operation,) = plan_for(gone(ODD), prune=True).operations
    assert isinstance(operation, DeleteVariable)


def test_whatever_is_missing_what_is_left_to_do_takes_nothing_away_and_the_platform_takes_it():
    """All combinations of deletions and other changes."""
    parts = (
        DARK_GONE,
        gone(GAP),
        gone(REGION),
        gone(LINK),
        new("x"),
        moded(("m", "M"), ref=THEME),
        changed(MUTED, name="z"),
    )
    for mask in range(1, 1 << len(parts)):
        edits = [each for number, each in enumerate(parts) if mask >> number & 1]
        plan = plan_for(*edits)
        names = [type(each).__name__ for each in plan.operations]
        assert not any(name.startswith("Delete") for name in names), edits
        platform = Platform()
        ids: dict[str, str] = {}
        for batch in batches_of(plan.operations, BEFORE):
            answer = platform.post(batch.body(ids))
            assert answer.status_code == 200, answer.json
            ids |= answer.json["meta"]["tempIdToRealId"]
