"""The state after a request and the created ids; test_batches compares ``after`` with the emulator."""

from __future__ import annotations

from plan.states import extending, root, state, to, variable

from tokensync.plan.batches import after, batches_of, ids_of_answer, with_ids
from tokensync.plan.differ import differences
from tokensync.plan.state import ObjectValue

A = root("VariableCollectionId:1:0", "1:1", "1:2")
E = extending("VariableCollectionId:2:0", A)
MORE = root("VariableCollectionId:1:0", "1:1", "1:2", "mode:n")
X, Y = "VariableID:1:10", "VariableID:1:11"


def test_the_state_before_stays_what_it_was() -> None:
    before = state([A, E], [variable(X, A, 1, 2, more={E.modes[0].ref: 3})])
    wanted = state(
        [MORE, extending(E.ref, MORE)],
        [variable(X, MORE, 5, to("variable:n"), 1), variable("variable:n", MORE, 1, 1, 1)],
    )
    (batch,) = batches_of(differences(before, wanted), before)
    assert after(before, batch) != before
    assert before == state([A, E], [variable(X, A, 1, 2, more={E.modes[0].ref: 3})])


def test_between_two_requests_the_first_ones_work_is_there_and_no_more() -> None:
    new = root("collection:c", "mode:a", "mode:b")
    ext = extending("collection:e", new)
    before = state([A], [variable(X, A, 1, 2)])
    made = variable("variable:n", new, 1, 2)
    wanted = state([A, new, ext], [variable("variable:n", new, 1, 2, more={ext.modes[0].ref: 4})])
    first, second = batches_of(differences(before, wanted), before)
    assert after(before, first) == state([A, new], [variable(X, A, 1, 2), made])
    assert after(after(before, first), second) == wanted


def test_ids_replace_temporary_refs_everywhere() -> None:
    new = root("collection:c", "mode:a")
    ext = extending("collection:e", new)
    inner = extending("collection:i", ext)
    both = ObjectValue(color=to("variable:n"), opacity=to("variable:o"))
    held = state(
        [new, ext, inner],
        [
            variable("variable:n", new, ObjectValue(1, 1, 1, 1), more={inner.modes[0].ref: both}),
            variable("variable:o", new, 12),
        ],
    )
    ids = {
        "collection:c": "VariableCollectionId:7:1",
        "mode:a": "7:2",
        "collection:e": "VariableCollectionId:7:3",
        "collection:i": "VariableCollectionId:7:4",
        "variable:n": "VariableID:7:5",
    }
    found = with_ids(held, ids)
    real = root("VariableCollectionId:7:1", "7:2")
    assert [*found.collections] == ["VariableCollectionId:7:1", "VariableCollectionId:7:3", "VariableCollectionId:7:4"]
    modes = [mode.ref for each in found.collections.values() for mode in each.modes]
    assert modes == ["7:2", "VariableCollectionId:7:3/7:2", "VariableCollectionId:7:4/7:2"]
    assert [each.modes[0].parent for each in found.collections.values()] == [None, *modes[:2]]
    assert {each.root for each in found.collections.values()} == {real.ref}
    assert [each.default for each in found.collections.values()] == modes
    values = found.variables["VariableID:7:5"].values
    assert values[modes[2]] == ObjectValue(color=to("VariableID:7:5"), opacity=to("variable:o"))
    assert [*found.variables] == ["VariableID:7:5", "variable:o"]
    assert with_ids(held, {}) == held


def test_the_ids_of_modes_that_extend_a_new_one_follow_from_its_id() -> None:
    before = state([A, E], [variable(X, A, 1, 2)])
    wanted = state([MORE, extending(E.ref, MORE)], [variable(X, MORE, 1, 2, 1)])
    (batch,) = batches_of(differences(before, wanted), before)
    own = f"{E.ref}~mode:n"
    assert batch.makes == ("mode:n", own)
    assert ids_of_answer(batch, {"mode:n": "9:1"}) == {"mode:n": "9:1", own: f"{E.ref}/9:1"}
    assert ids_of_answer(batch, {}) == {}


def test_the_ids_of_a_new_extensions_modes_follow_when_the_answer_leaves_them_out() -> None:
    new = root("collection:c", "mode:a", "mode:b")
    ext = extending("collection:e", new)
    before = state([])
    first, second = batches_of(differences(before, state([new, ext])), before)
    ids = ids_of_answer(first, {"collection:c": "C", "mode:a": "9:1", "mode:b": "9:2", "other": "1"})
    assert ids == {"collection:c": "C", "mode:a": "9:1", "mode:b": "9:2"}
    found = ids_of_answer(second, {"collection:e": "VariableCollectionId:9:3"}, ids)
    assert found == {
        "collection:e": "VariableCollectionId:9:3",
        "collection:e~mode:a": "VariableCollectionId:9:3/9:1",
        "collection:e~mode:b": "VariableCollectionId:9:3/9:2",
    }
