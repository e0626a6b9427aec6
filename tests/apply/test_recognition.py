"""What is known of a request whose response was lost, from the state before it and from what the platform shows."""

from __future__ import annotations

import pytest
from apply.world import LOST_BEFORE, World, new_collection, shape, with_collections
from msgspec.structs import replace
from plan.states import extending, root, state, to, variable

from tokensync.apply.sending import Remote, Stop, outcome_of
from tokensync.plan.batches import batches_of
from tokensync.plan.differ import differences
from tokensync.plan.state import ModeState, ObjectValue, StyleState
from tokensync.system.errors import NetworkError

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
    collection = replace(collection, modes=(ModeState("m", present.modes[0].name),))
    planned = variable("v", collection, 1, name="a")
    real = variable("VariableID:9:1", present, 1, name="a", description="mine")
    assert outcome(grown(planned, collections=[collection]), grown(real, collections=[present]))[0] == "unclear"


@pytest.mark.parametrize("other", [{"modes": ("Mode 9:0", "Dark")}, {"modes": ("Dark",)}, {"hidden": True}])
def test_a_collection_of_somebody_else_is_none_of_the_request(other):
    modes = other.pop("modes", ("Mode m",))
    listed = tuple(ModeState(f"9:{number}", name) for number, name in enumerate(modes))
    present = replace(root("VariableCollectionId:9:0", "9:0", name="New"), modes=listed, **other)
    assert (
        outcome(grown(collections=[root("c", "m", name="New")]), grown(collections=[present]))[0] == "not carried out"
    )


def test_collections_of_one_name_are_distinguished_by_composed_colours():
    def tinted(collection, ref, opacity):
        value = ObjectValue(color=ObjectValue(r=1, g=0, b=0, a=1), opacity=opacity)
        return variable(ref, collection, value, name="tint", type="COLOR")

    planned = [root("c1", "m1", name="New"), root("c2", "m2", name="New")]
    planned = [replace(each, modes=(ModeState(each.modes[0].ref, "Value"),)) for each in planned]
    real = [
        replace(each, ref=f"VariableCollectionId:9:{number}", root=f"VariableCollectionId:9:{number}")
        for number, each in enumerate(planned)
    ]
    real = [replace(each, modes=(ModeState(f"9:{number}", "Value"),)) for number, each in enumerate(real)]
    wanted = grown(tinted(planned[0], "v1", to(ACCENT.ref)), tinted(planned[1], "v2", 50), collections=planned)
    now = grown(tinted(real[0], "V:1", 50), tinted(real[1], "V:2", to(ACCENT.ref)), collections=real)
    how, ids = outcome(wanted, now)
    assert (how, ids["c1"], ids["v1"]) == ("carried out", real[1].ref, "V:2")


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


def test_a_request_that_was_not_sent_is_sent_after_a_pause(tmp_path, monkeypatch):
    world = World(tmp_path)
    after = with_collections(world.state, new_collection("New"))
    plan, post, failures = world.plan(after), Remote.post, ["no route", "no route"]

    def unreachable(remote, body):
        if failures:
            raise NetworkError(failures.pop())
        return post(remote, body)

    monkeypatch.setattr(Remote, "post", unreachable)
    world.applier().apply(plan)
    assert world.time.slept == [1.0, 2.0]
    assert shape(world.state) == shape(after)


def test_a_request_with_another_content_is_not_sent_again(tmp_path, monkeypatch):
    world = World(tmp_path)
    plan = world.plan(with_collections(world.state, new_collection("New")))
    world.network.posts = [LOST_BEFORE] * 5
    with pytest.raises(NetworkError):
        world.applier().apply(plan)
    monkeypatch.setattr("tokensync.apply.sending.sha256_of", lambda body: "another")
    with pytest.raises(Stop, match="another version of tokensync sent request 1 with different content"):
        world.applier().resume("kit")
    assert len(world.network.posted) == 5
