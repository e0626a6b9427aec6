"""A variable that fits into no request is reported before anything is sent."""

import pytest
from plan.states import root, state, variable

from tokensync.plan.batches import batches_of
from tokensync.plan.differ import differences
from tokensync.plan.state import BODY_BYTES
from tokensync.plan.validation import validate

TEXTS = root("VariableCollectionId:1:0", "1:1", "1:2", name="Texts")
HUGE = "z" * BODY_BYTES
HALF = "z" * (BODY_BYTES // 2)
ESCAPED = "\x01" * (BODY_BYTES // 6)


def text(ref, *values, **members):
    return variable(ref, TEXTS, *values, type="STRING", **members)


THERE = text("VariableID:1:1", "a", "b", name="there")


def problems_of(before, after):
    operations = differences(before, after)
    return [(each.code, each.where) for each in validate(before, after, operations, lambda ref, mode: f"{ref} {mode}")]


@pytest.mark.parametrize(
    "made",
    [
        text("new", HUGE, "b"),
        text("new", HALF, HALF),
        text("new", ESCAPED, "b"),
        text("new", "a", "b", description=HUGE),
        text("new", "a", "b", name=HALF),
        text("new", "a", "b", code_syntax=(("WEB", HUGE),)),
    ],
    ids=["a value", "all values", "escapes", "a description", "a name", "code syntax"],
)
def test_a_new_variable_that_no_request_can_hold_is_refused(made):
    assert problems_of(state([TEXTS]), state([TEXTS], [made])) == [("plan-limit", "new None")]


def test_a_new_text_that_no_request_can_hold_is_refused_at_its_mode():
    after = state([TEXTS], [text(THERE.ref, "a", HUGE, name="there")])
    assert problems_of(state([TEXTS], [THERE]), after) == [("plan-limit", f"{THERE.ref} 1:2")]


def test_a_new_description_that_no_request_can_hold_is_refused():
    after = state([TEXTS], [text(THERE.ref, "a", "b", name="there", description=HUGE)])
    assert problems_of(state([TEXTS], [THERE]), after) == [("plan-limit", f"{THERE.ref} None")]


def test_what_just_fits_is_planned_in_requests_that_fit():
    almost = "z" * (BODY_BYTES // 2 - 4096)
    before, after = state([TEXTS], [THERE]), state([TEXTS], [THERE, text("new", almost, almost, name="new")])
    operations = differences(before, after)
    assert problems_of(before, after) == []
    (batch,) = batches_of(operations, before)
    assert batch.largest <= BODY_BYTES
