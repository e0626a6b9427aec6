"""What is known of a request whose response was lost, from the state before it and from what the platform shows."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from plan.states import extending, root, state, to, variable

from tokensync.apply.sending import outcome_of
from tokensync.plan.batches import batches_of
from tokensync.plan.differ import differences
from tokensync.plan.state import ModeState, StyleState

THEME = root("VariableCollectionId:1:0", "1:0", "1:1", name="Theme")
ACCENT = variable("VariableID:1:2", THEME, 1, 2)
BEFORE = state([THEME], [ACCENT])


def outcome(after, now):
    """Return how the only request of a plan ended, and the ids of what it has created."""
    (batch,) = batches_of(differences(BEFORE, after), BEFORE)
    found = outcome_of(now, BEFORE, after, batch, {})
    return found.how, found.ids


def grown(*variables, modes=(), collections=(), styles=()):
    """Return the state with more of everything; each variable of Theme has the value 3 in a new mode."""
    theme = replace(THEME, modes=(*THEME.modes, *modes))
    accent = replace(ACCENT, values={**ACCENT.values, **{mode.ref: 3 for mode in modes}})
    return state([theme, *collections], [accent, *variables])._replace(styles={style.ref: style for style in styles})


def pair(*, first="", second=""):
    """Return two variables with these descriptions, as a plan creates them and as the platform has them."""
    planned = [variable(f"v{name}", THEME, 1, 2, name=name) for name in "ab"]
    real = [replace(each, ref=f"VariableID:{each.ref}") for each in planned]
    return planned, [replace(each, description=text) for each, text in zip(real, (first, second), strict=True)]


NOTE = StyleState(ref="style:note", type="TEXT", name="note", members={"fontSize": 12})


@pytest.mark.parametrize(
    ("edits", "how"),
    [
        ({}, "carried out"),
        ({"first": "mine"}, "carried out"),
        ({"second": "mine"}, "carried out"),
        ({"first": "mine", "second": "mine"}, "unclear"),
    ],
)
def test_one_created_variable_that_nobody_has_edited_proves_a_request(edits, how):
    planned, real = pair(**edits)
    ids = {each.ref: present.ref for each, present in zip(planned, real, strict=True)} if how == "carried out" else {}
    assert outcome(grown(*planned), grown(*real)) == (how, ids)


def test_a_collection_alone_proves_nothing_if_somebody_has_edited_all_that_was_created_in_it():
    collection, present = root("c", "m", name="New"), root("VariableCollectionId:9:0", "9:0", name="New")
    collection = replace(collection, modes=present.modes and (ModeState("m", present.modes[0].name),))
    planned = variable("v", collection, 1, name="a")
    real = variable("VariableID:9:1", present, 1, name="a", description="mine")
    assert outcome(grown(planned, collections=[collection]), grown(real, collections=[present]))[0] == "unclear"


def test_a_style_is_found_by_its_type_and_name():
    real = replace(NOTE, ref="S:1,")
    assert outcome(grown(styles=[NOTE]), grown(styles=[real])) == ("carried out", {"style:note": "S:1,"})
    assert outcome(grown(styles=[NOTE]), grown(styles=[replace(real, type="EFFECT")])) == ("not carried out", {})
    assert outcome(grown(styles=[NOTE]), grown(styles=[real, replace(real, ref="S:2,")]))[0] == "unclear"


def test_extensions_of_one_name_are_distinguished_by_their_overrides():
    planned = [extending(ref, THEME, name="Brand") for ref in ("e1", "e2")]
    real = [extending(f"VariableCollectionId:9:{number}", THEME, name="Brand") for number in (1, 2)]
    values = {planned[0].modes[0].ref: 5, planned[1].modes[0].ref: to(ACCENT.ref)}
    swapped = {real[0].modes[0].ref: to(ACCENT.ref), real[1].modes[0].ref: 5}
    other = variable("VariableID:1:3", THEME, 1, 2, name="other")
    before = state([THEME], [ACCENT, other])
    after, now = (
        state([THEME, *own], [ACCENT, replace(other, values={**other.values, **overrides})])
        for own, overrides in ((planned, values), (real, swapped))
    )
    (batch,) = batches_of(differences(before, after), before)
    found = outcome_of(now, before, after, batch, {})
    assert (found.how, found.ids["e1"], found.ids["e2"]) == ("carried out", real[1].ref, real[0].ref)
