"""The requests of single plans, each applied on an emulator."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from plan.carrying_out import led_to
from plan.states import extending, root, state, to, variable

from tokensync.plan.batches import batches_of
from tokensync.plan.differ import differences
from tokensync.plan.operations import COLLECTIONS, MODES, VALUES, VARIABLES, Element, Operation, SetValue
from tokensync.plan.plan import Plan, PlanFile, decoded
from tokensync.plan.state import ObjectValue

if TYPE_CHECKING:
    from plan.carrying_out import Run

    from tokensync.plan.batches import Batch
    from tokensync.plan.state import CollectionState, FileState

A = root("VariableCollectionId:1:0", "1:1", "1:2")
E = extending("VariableCollectionId:2:0", A)
X, Y, Z = (f"VariableID:1:{number}" for number in (10, 11, 12))
WHITE = ObjectValue(1, 1, 1, 1)


def sent(batch: Batch, array: str) -> list[dict[str, Any]]:
    """One array of a request that refers to nothing made earlier."""
    return json.loads(batch.body({})).get(array, [])


def elements(batch: Batch, array: int) -> list[Element]:
    return [each for each in batch.elements if each.array == array]


def named(**names: str) -> FileState:
    """Variables of one collection by their last digits and names: ``_10="a"``."""
    return state([A], [variable(f"VariableID:1:{ref[1:]}", A, 1, 2, name=name) for ref, name in names.items()])


def only(run: Run) -> Batch:
    (batch,) = run.batches
    return batch


def test_no_operations_are_no_request() -> None:
    assert batches_of((), state([A])) == ()


def test_new_things_of_every_kind_share_one_request() -> None:
    new = root("collection:n", "mode:n-a")
    ext = extending("collection:e", new)
    inner = extending("collection:i", ext)
    before = state([A, E], [variable(X, A, 1, 2), variable(Y, A, 3, 4)])
    after = state(
        [A, E, new, ext, inner],
        [
            variable(X, A, to("variable:n/x"), 2, more={E.modes[1].ref: to("variable:n/y")}),
            variable("variable:n/x", new, 3, more={ext.modes[0].ref: to("variable:n/y"), inner.modes[0].ref: 8}),
            variable("variable:n/y", new, to(Y)),
            variable(Y, A, 5, 5),
        ],
    )
    batch = only(led_to(before, after))
    assert (batch.why, batch.notes) == ("", ())
    assert batch.largest == len(batch.body({}))
    mapped = [each.get("initialModeIdToParentModeIdMapping") for each in sent(batch, "variableCollections")]
    assert mapped == [None, {"mode:n-a": "collection:e~mode:n-a"}, {"collection:e~mode:n-a": "collection:i~mode:n-a"}]
    assert sent(batch, "variableCollections")[0]["initialModeId"] == "mode:n-a"


def test_a_collection_and_the_names_of_its_modes_share_a_request() -> None:
    new = root("collection:n", "mode:n-a", "mode:n-b", "mode:n-c")
    after = state([A, new], [variable(f"variable:{n}", new, n, n, n) for n in range(20)])
    run = led_to(state([A]), after, limit=1200)
    assert len(run.batches) > 3
    assert [mode.name for mode in run.states[1].collections[run.ids["collection:n"]].modes] == [
        "Mode mode:n-a",
        "Mode mode:n-b",
        "Mode mode:n-c",
    ]


def test_variables_are_made_in_their_own_order_though_aliases_come_in_another() -> None:
    new = [
        variable("variable:1", A, to("variable:2"), 1),
        variable("variable:2", A, 1, 1),
        variable("variable:3", A, 1, 1),
    ]
    batch = only(led_to(state([A]), state([A], new)))
    assert [each["id"] for each in sent(batch, "variables")] == ["variable:1", "variable:2", "variable:3"]
    assert [each["variableId"] for each in sent(batch, "variableModeValues")][:2] == ["variable:2"] * 2


def test_an_extension_follows_the_request_that_makes_the_modes_of_its_collection() -> None:
    new = root("collection:n", "mode:n-a", "mode:n-b")
    ext = extending("collection:e", new)
    values = {ext.modes[1].ref: to("variable:n/y"), ext.modes[0].ref: to(X)}
    made = [variable("variable:n/x", new, 3, 3, more=values), variable("variable:n/y", new, 5, 5)]
    before = state([A], [variable(X, A, 1, 2), variable(Y, A, 1, 2)])
    run = led_to(before, state([A, new, ext], [*made, variable(X, A, 1, 2)]))
    first, second = run.batches
    assert second.why == "a collection can be extended only after the request that creates its modes"
    assert [(each.action, each.ref) for each in elements(second, COLLECTIONS)] == [("CREATE", "collection:e")]
    assert [each.ref for each in elements(second, VARIABLES)] == [Y]  # deletions come last
    body = second.body(run.ids)
    assert b"collection:n" not in body and b"mode:n" not in body.replace(b"~mode:n", b"")
    assert first.makes == ("collection:n", "mode:n-a", "mode:n-b", "variable:n/x", "variable:n/y")
    assert second.makes == ("collection:e", "collection:e~mode:n-a", "collection:e~mode:n-b")


def test_overrides_in_new_modes_of_extensions_wait_for_their_ids() -> None:
    more = root("VariableCollectionId:1:0", "1:1", "1:2", "mode:new")
    ext = extending("VariableCollectionId:2:0", more)
    before = state([A, E], [variable(X, A, 1, 2), variable(Y, A, 1, 2)])
    values = {ext.modes[2].ref: to("variable:n"), ext.modes[0].ref: 4}
    after = state([more, ext], [variable(X, more, 1, 2, 3, more=values), variable("variable:n", more, 1, 1, 7)])
    run = led_to(before, after)
    assert [batch.why for batch in run.batches] == [
        "",
        "overrides in new modes of extensions need ids that Figma assigns first",
    ]
    assert run.ids[ext.modes[2].ref] == f"{ext.ref}/{run.ids['mode:new']}"
    assert ext.modes[2].ref in run.batches[0].makes


def test_a_new_extension_of_a_collection_that_gets_modes_follows_them() -> None:
    more = root("VariableCollectionId:1:0", "1:1", "1:2", "mode:new")
    old, new = extending(E.ref, more), extending("collection:e", more)
    inner = extending("collection:i", old)
    values = {each.modes[2].ref: number for number, each in enumerate((old, new, inner))}
    before = state([A, E], [variable(X, A, 1, 2)])
    run = led_to(before, state([more, old, new, inner], [variable(X, more, 1, 2, 3, more=values)]))
    assert len(run.batches) == 2


def test_full_requests_say_why_there_is_another() -> None:
    new = [
        variable(f"variable:{n}", A, "x" * 700, to(f"variable:{n - 1}") if n else "y", type="STRING") for n in range(9)
    ]
    run = led_to(state([A]), state([A], new), limit=2560)
    assert {batch.why for batch in run.batches[1:]} == {"the previous request reached 2,560 bytes"}
    assert len(run.batches) == 5
    full = batches_of(
        differences(
            state([A]), state([A], [variable(f"variable:{n}", A, "x" * 3_000_000, "", type="STRING") for n in range(2)])
        ),
        state([A]),
    )
    assert [batch.why for batch in full] == ["", "the previous request reached 4 MB"]


def test_later_requests_have_real_ids_and_are_never_larger_than_planned() -> None:
    new = root("collection:n", "mode:n-a")
    made = [variable(f"variable:{n}", new, to(f"variable:{n - 1}") if n else 1) for n in range(30)]
    run = led_to(state([A]), state([A, new], made), limit=1500)
    for at, batch in enumerate(run.batches[1:], 1):
        earlier = {ref for each in run.batches[:at] for ref in each.makes}
        assert not any(json.dumps(ref).encode() in batch.body(run.ids) for ref in earlier)
        assert len(batch.body(run.ids)) < batch.largest <= 1500


@pytest.mark.parametrize("limit", [200, 4 * 1024 * 1024])
@pytest.mark.parametrize(
    ("before", "after"),
    [
        (named(_10="a", _11="b"), named(_10="b", _11="a")),
        (named(_10="a", _11="b", _12="c"), named(_10="b", _11="c", _12="a")),
        (named(_10="a", _11="b", _12="c"), named(_10="b", _11="c", _12="d")),
        (named(_10="a", _11="b"), named(_11="a")),
        (named(_10="a"), named(_20="a")),
        (named(_10="a", _11="b", _12="a (replaced)"), named(_10="b", _11="a", _12="a (replaced)")),
        (named(_10="a.b{c}", _11="b"), named(_10="b", _20="a")),
        (named(_10="a", _11="b", _12="c"), named(_10="b", _11="a", _20="c")),
    ],
    ids=["swapped", "rotated", "passed on", "of a deleted one", "reused", "in between", "odd", "of all kinds"],
)
def test_names_pass_from_one_variable_to_another(before: FileState, after: FileState, limit: int) -> None:
    led_to(before, after, limit=limit)


def test_a_deleted_variable_releases_its_name_only_if_it_outlives_a_request() -> None:
    before, after = named(_10="a"), named(_20="a")
    assert [each["action"] for each in sent(only(led_to(before, after)), "variables")] == ["DELETE", "CREATE"]
    first, *_, last = led_to(before, after, limit=300).batches
    assert first.notes == ("'a' is renamed to 'a (replaced)' before it is deleted, to release its name",)
    assert [(each.action, each.ref) for each in elements(last, VARIABLES)] == [("DELETE", X)]


REVERSALS = {
    "one": ((to(Y), 1), (2, 3), (2, 3), (to(X), 1)),
    "in other modes": ((to(Y), 1), (2, 3), (5, 5), (3, to(X))),
    "over a third": ((to(Z), 1), (2, 3), (5, 5), (3, to(Z))),
}


@pytest.mark.parametrize("limit", [200, 4 * 1024 * 1024])
@pytest.mark.parametrize("case", REVERSALS)
def test_aliases_turn_round(case: str, limit: int) -> None:
    x, y, new_x, new_y = REVERSALS[case]
    third = (to(Y), 1), (to(X), 1)
    before = state([A], [variable(X, A, *x), variable(Y, A, *y), variable(Z, A, *third[0])])
    after = state([A], [variable(X, A, *new_x), variable(Y, A, *new_y), variable(Z, A, *third[1])])
    led_to(before, after, limit=limit)


def lacking(collection: CollectionState, mode: str) -> CollectionState:
    """The same without one of its modes."""
    kept = [each.ref for each in collection.modes if each.ref != mode]
    return root(collection.ref, *kept)


@pytest.mark.parametrize("limit", [250, 4 * 1024 * 1024])
def test_aliases_are_reversed_although_a_deleted_mode_still_has_one(limit: int) -> None:
    after_a = lacking(A, "1:1")
    before = state([A], [variable(X, A, to(Y), 1), variable(Y, A, 2, 3)])
    after = state([after_a], [variable(X, after_a, 1), variable(Y, after_a, to(X))])
    run = led_to(before, after, limit=limit)
    if len(run.batches) > 1:
        assert [(each.action, each.ref) for each in elements(run.batches[0], MODES)] == [("DELETE", "1:1")]
        words = "mode 'Mode 1:1' is deleted before values change: its aliases and the new values would form a cycle"
        assert run.batches[0].notes == (words,)


@pytest.mark.parametrize("limit", [250, 4 * 1024 * 1024])
@pytest.mark.parametrize("places", [(1, 2, 3, 4), (4, 3, 2, 1), (3, 1, 4, 2), (2, 4, 1, 3)])
def test_targets_of_a_deleted_mode_get_their_values_first(places: tuple[int, ...], limit: int) -> None:
    first, second, third, fourth = (f"VariableID:1:{place}" for place in places)
    after_a = lacking(A, "1:1")
    old = {first: (to(second), 1), second: (1, to(third)), third: (1, 1), fourth: (1, 1)}
    new = {first: 1, second: to(fourth), third: to(first), fourth: 1}
    before = state([A], [variable(ref, A, *old[ref]) for ref in sorted(old)])
    after = state([after_a], [variable(ref, after_a, new[ref]) for ref in sorted(new)])
    led_to(before, after, limit=limit)


def test_aliases_are_reversed_although_an_extension_and_its_overridden_mode_are_deleted() -> None:
    held = {E.modes[0].ref: to(Z)}
    after_a = lacking(A, "1:1")
    before = state([A, E], [variable(X, A, 1, 1, more=held), variable(Y, A, 2, 3), variable(Z, A, to(Y), to(Y))])
    after = state([after_a], [variable(X, after_a, 1), variable(Y, after_a, to(X)), variable(Z, after_a, to(Y))])
    led_to(before, after, limit=250)


@pytest.mark.parametrize("limit", [250, 4 * 1024 * 1024])
def test_aliases_are_reversed_although_a_deleted_extension_still_has_one(limit: int) -> None:
    held = {E.modes[0].ref: to(Z)}
    before = state([A, E], [variable(X, A, 1, 1, more=held), variable(Y, A, 2, 3), variable(Z, A, to(Y), 1)])
    after = state([A], [variable(X, A, 1, 1), variable(Y, A, to(X), 3)])
    led_to(before, after, limit=limit)


@pytest.mark.parametrize("limit", [250, 4 * 1024 * 1024])
def test_aliases_turn_round_while_a_mode_is_made_that_starts_with_the_old_ones(limit: int) -> None:
    more = root(A.ref, "1:1", "1:2", "mode:n")
    before = state([A], [variable(X, A, to(Y), 1), variable(Y, A, 2, 3)])
    after = state([more], [variable(X, more, 1, 1, 9), variable(Y, more, to(X), 3, to(X))])
    led_to(before, after, limit=limit)


@pytest.mark.parametrize("limit", [250, 4 * 1024 * 1024])
def test_aliases_are_reversed_that_a_new_mode_copies_from_a_deleted_mode(limit: int) -> None:
    one, other = root(A.ref, "1:1"), root(A.ref, "mode:n")
    before = state([one], [variable(X, one, to(Y)), variable(Z, one, 1), variable(Y, one, to(Z))])
    after = state([other], [variable(X, other, to(Y)), variable(Z, other, to(X)), variable(Y, other, 3)])
    led_to(before, after, limit=limit)


def test_a_new_variable_has_values_of_its_own_in_modes_that_go_as_long_as_they_are_there() -> None:
    after_a = lacking(A, "1:1")
    new = [variable(f"variable:{n}", after_a, "x" * 300, type="STRING") for n in range(2)]
    run = led_to(state([A]), state([after_a], new), limit=1100)
    assert run.states[1].variables[run.ids["variable:0"]].values == {"1:1": "x" * 300, "1:2": "x" * 300}
    assert [each.within for each in elements(run.batches[-1], VALUES)] == ["1:2"]


@pytest.mark.parametrize("limit", [600, 1200, 4 * 1024 * 1024])
def test_aliases_are_reversed_although_every_mode_is_replaced(limit: int) -> None:
    one, other = root(A.ref, "1:1"), root(A.ref, "mode:n")
    first = variable("variable:a", other, "x" * 300, type="STRING")
    before = state([one], [variable(X, one, to(Y)), variable(Y, one, 3)])
    after = state([other], [first, variable(X, other, 3), variable(Y, other, to(X))])
    run = led_to(before, after, limit=limit)
    assert (len(run.batches) > 1) is (limit == 600)


def test_new_modes_copy_a_default_mode_that_is_deleted_before_values_change() -> None:
    after_a = root(A.ref, "1:2", "mode:n")
    long = "x" * 200
    before = state([A], [variable(X, A, to(Y), 1), variable(Y, A, 2, 2), variable(Z, A, long, long[1:], type="STRING")])
    changed = variable(X, after_a, 1, 1), variable(Y, after_a, to(X), 3, description=long)
    after = state([after_a], [*changed, variable(Z, after_a, long, long, type="STRING")])
    for limit in range(300, 1200, 50):
        led_to(before, after, limit=limit)


def test_the_first_remaining_mode_replaces_a_deleted_default_mode() -> None:
    after = lacking(A, "1:1")
    run = led_to(
        state([A, E], [variable(X, A, 1, 2)]), state([after, extending(E.ref, after)], [variable(X, after, 2)])
    )
    assert run.states[-1].collections[E.ref].default == f"{E.ref}/1:2"


def test_every_mode_is_replaced() -> None:
    after = root(A.ref, "mode:p", "mode:q")
    values = variable(X, A, 1, to(Y)), variable(Y, A, 3, 4)
    new = variable(X, after, 1, to("variable:n")), variable("variable:n", after, to(Y), 4), variable(Y, after, 4, 3)
    for limit in (200, 4 * 1024 * 1024):
        led_to(state([A], values), state([after], new), limit=limit)


@pytest.mark.parametrize("limit", [700, 4 * 1024 * 1024])
def test_modes_of_a_full_collection_make_room_for_others_one_by_one(limit: int) -> None:
    old = root(A.ref, *(f"1:{n}" for n in range(1, 41)))
    new = root(A.ref, *(f"1:{n}" for n in range(1, 41) if n not in (1, 5, 9)), *(f"mode:{n}" for n in range(3)))
    before = state([old], [variable(X, old, *range(40)), variable(Y, old, *[7] * 40)])
    after = state([new], [variable(X, new, *range(40)), variable(Y, new, *[7] * 40)])
    run = led_to(before, after, limit=limit)
    changes = [each for batch in run.batches for each in elements(batch, MODES)]
    assert [each.action for each in changes] == ["DELETE", "CREATE"] * 3
    assert [each.ref for each in changes[::2]] == ["1:5", "1:9", "1:1"]  # the default, which others start from, is last
    notes = [note for batch in run.batches for note in batch.notes]
    assert len(notes) == (3 if limit == 700 else 0)
    if notes:
        replacement = "mode 'Mode 1:5' is deleted before mode 'Mode mode:0' is created"
        assert notes[0] == f"{replacement}: the collection is full"


@pytest.mark.parametrize("limit", [700, 4 * 1024 * 1024])
def test_a_new_mode_keeps_the_values_of_a_default_mode_that_makes_room_for_it(limit: int) -> None:
    old = root(A.ref, *(f"1:{n}" for n in range(1, 41)))
    new = root(A.ref, *(f"1:{n}" for n in range(2, 41)), "mode:n")
    before = state([old], [variable(X, old, 7, *[9] * 39), variable(Y, old, *[to(X)] * 40)])
    after = state([new], [variable(X, new, 7, *[9] * 38, 7), variable(Y, new, *[to(X)] * 40)])
    led_to(before, after, limit=limit)


def test_variables_of_a_full_collection_make_room_for_others() -> None:
    one = root(A.ref, "1:1")
    kept = [variable(f"VariableID:1:{n}", one, n) for n in range(10, 5007)]
    referring = root("VariableCollectionId:3:0", "1:1")
    old = [variable(f"VariableID:2:{n}", one, n) for n in range(3)]
    new = [variable(f"variable:{n}", one, to("variable:2") if n < 2 else 1) for n in range(3)]
    before = state([one, referring], [*kept, *old, variable("VariableID:3:1", referring, to("VariableID:2:0"))])
    after = state([one, referring], [*kept, *new, variable("VariableID:3:1", referring, to("variable:0"))])
    only(led_to(before, after))
    run = led_to(before, after, limit=500)
    changes = [each for batch in run.batches for each in elements(batch, VARIABLES)]
    assert [each.action for each in changes] == ["DELETE", "CREATE"] * 3
    assert [each.ref for each in changes[::2]] == ["VariableID:2:1", "VariableID:2:2", "VariableID:2:0"]
    notes = [note for batch in run.batches for note in batch.notes]
    assert notes[0] == "'VariableID:2:1' is deleted before 'variable:2' is created: the collection is full"


def test_a_new_mode_has_its_values_at_once_though_the_default_mode_changes() -> None:
    more = root(A.ref, "1:1", "1:2", "mode:n")
    before = state([A], [variable(X, A, 1, 2), variable(Y, A, to(X), 2), variable(Z, A, 1, 1)])
    after = state([more], [variable(X, more, 5, 2, 1), variable(Y, more, 7, 2, 7), variable(Z, more, 1, 1, 1)])
    for limit in (400, 4 * 1024 * 1024):
        led_to(before, after, limit=limit)


def test_an_override_is_removed_and_a_remote_variable_is_overridden() -> None:
    far = "0123456789abcdef0123456789abcdef01234567"
    library = root(f"VariableCollectionId:{far}/1:1", "8:1", fixed=True, hidden=True)
    local = extending("VariableCollectionId:4:0", library)
    logo = f"VariableID:{far}/1:2"
    (mode,) = [each.ref for each in local.modes]

    def held(*more: Any) -> FileState:
        overrides = {mode: more[0]} if more else {}
        shown = variable(logo, library, WHITE, type="COLOR", fixed=True, hidden=True, more=overrides)
        return state([A, library, local], [shown, variable(X, A, WHITE, WHITE, type="COLOR")])

    led_to(held(), held(to(X)))
    (value,) = sent(only(led_to(held(to(X)), held())), "variableModeValues")
    assert value == {"variableId": logo, "modeId": mode, "value": None}


def test_composed_colors_come_after_both_of_their_targets() -> None:
    both = ObjectValue(color=to("variable:c"), opacity=to("variable:o"))
    new = [
        variable("variable:x", A, both, ObjectValue(color=WHITE, opacity=to("variable:o")), type="COLOR"),
        variable("variable:c", A, WHITE, WHITE, type="COLOR"),
        variable("variable:o", A, 40, 12.5),
    ]
    run = led_to(state([A]), state([A], new), limit=700)
    assert [each.ref for batch in run.batches for each in elements(batch, VARIABLES)] == [
        "variable:c",
        "variable:o",
        "variable:x",
    ]


def test_changes_too_large_for_a_request_are_split_and_the_plan_has_the_reason() -> None:
    long = "x" * 400
    before = state([A], [variable(ref, A, long, "y", type="STRING") for ref in (X, Y, Z)])
    more = root(A.ref, "1:1", "1:2", "mode:n")
    after = state([more], [variable(ref, more, long, "y", long[1:], type="STRING") for ref in (X, Y, Z)])
    run = led_to(before, after, limit=1000)
    assert run.batches[1].why == "related changes do not fit into one request of at most 1,000 bytes"
    huge = state([A], [variable("variable:x", A, long, "y", type="STRING")])
    sizes = [batch.largest for batch in led_to(state([A]), huge, limit=300).batches]
    assert len(sizes) == 3
    assert [size > 300 for size in sizes] == [False, True, False]


GUARDED = {
    "a variable in a collection that exists": (state([A]), state([A], [variable("variable:x", A, 1, 2)]), True),
    "a variable in a new collection": (
        state([A]),
        state([A, root("collection:n", "mode:a")], [variable("variable:x", root("collection:n", "mode:a"), 1)]),
        False,
    ),
    "a deletion": (state([A], [variable(X, A, 1, 2)]), state([A]), True),
    "a mode that goes": (state([A]), state([lacking(A, "1:2")]), True),
    "a value": (state([A], [variable(X, A, 1, 2)]), state([A], [variable(X, A, 1, 3)]), False),
    "a mode": (state([A]), state([root(A.ref, "1:1", "1:2", "mode:n")]), False),
}


@pytest.mark.parametrize("case", GUARDED)
def test_a_request_knows_whether_the_platform_refuses_it_a_second_time(case: str) -> None:
    before, after, guarded = GUARDED[case]
    assert only(led_to(before, after)).guarded is guarded  # a guarded one is sent a second time there, and refused


def test_a_plan_that_was_written_down_makes_the_same_requests() -> None:
    more = root(A.ref, "1:1", "1:2", "mode:n")
    before = state([A, E], [variable(X, A, 1, 2), variable(Y, A, 12.0, WHITE)])
    shades = ObjectValue(0.25, 0, 1.0, 1), ObjectValue(color=to("variable:c"), opacity=40.0)
    colors = variable("variable:c", more, WHITE, *shades[:1], WHITE, type="COLOR")
    composed = variable("variable:d", more, shades[1], WHITE, shades[1], type="COLOR", code_syntax=(("WEB", "--d"),))
    after = state([more, extending(E.ref, more)], [variable(X, more, 5.0, 2, 1e20), colors, composed])
    operations: tuple[Operation, ...] = differences(before, after)
    (plan,) = decoded(
        PlanFile(plans=(Plan(file="f", key="k", fingerprint="p", operations=operations),)).encoded()
    ).plans
    again = batches_of(plan.operations, before)
    assert [batch.body({}) for batch in again] == [batch.body({}) for batch in batches_of(operations, before)]


def test_hostile_names_are_text_and_cut_in_notes() -> None:
    name = 'evil"\\\n/' + "n" * 500
    for limit in (1500, 4 * 1024 * 1024):
        run = led_to(named(_10=name, _11="b"), named(_11=name, _20="b"), limit=limit)
        assert all(len(note) < 200 for batch in run.batches for note in batch.notes)


def test_unchanged_values_are_not_sent() -> None:
    before = state([A], [variable(X, A, 1, 2), variable(Y, A, 1, 2)])
    batch = batches_of([SetValue(variable=X, mode="1:1", before=1, after=3)], before)[0]
    assert batch.body({}) == b'{"variableModeValues":[{"variableId":"VariableID:1:10","modeId":"1:1","value":3}]}'
