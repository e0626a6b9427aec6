"""One request whenever the platform's order and size allow, and what such a request does in itself."""

from __future__ import annotations

import json

from plan.carrying_out import led_to
from plan.states import extending, root, state, to, variable

from tokensync.plan.batches import batches_of

A = root("VariableCollectionId:1:0", "1:1", "1:2")


def test_no_operations_are_no_request():
    assert batches_of((), state([A])) == ()


def test_new_things_of_every_kind_share_one_request():
    new = root("collection:n", "mode:n/a")
    ext = extending("collection:e", new, temporary=True)
    before = state([A], [variable("VariableID:1:5", A, 1, 2)])
    after = state(
        [A, new, ext],
        [
            variable("VariableID:1:5", A, to("variable:n/x"), 2),
            variable("variable:n/x", new, 3, more={ext.modes[0].ref: to("variable:n/y")}),
            variable("variable:n/y", new, 5),
        ],
    )
    run = led_to(before, after)
    assert [batch.why for batch in run.batches] == [""]


def test_names_swap_within_a_request():
    before = state([A], [variable("VariableID:1:5", A, 1, 2, name="a"), variable("VariableID:1:6", A, 3, 4, name="b")])
    after = state([A], [variable("VariableID:1:5", A, 1, 2, name="b"), variable("VariableID:1:6", A, 3, 4, name="a")])
    (batch,) = led_to(before, after).batches
    assert len(json.loads(batch.body({}))["variables"]) == 3
