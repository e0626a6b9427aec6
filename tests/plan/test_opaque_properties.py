"""Variables of unknown types stay unchanged, whatever their values and the plan."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from plan.journeys import Journey, graph_of, plan_of
from plan.library import Library, alias
from plan.opaque import with_opaque
from plan.pairs import Pair, pairs, seeded

from tokensync.plan.batches import batches_of
from tokensync.plan.differ import differences
from tokensync.plan.operations import DeleteCollection, conflicting
from tokensync.plan.state import BODY_BYTES, ObjectValue, state_of
from tokensync.plan.validation import validate

SMALL = 1_500  # bytes: makes many batches of a few operations


def values_in(response: bytes) -> dict[tuple[str, str], Any]:
    """Each value of an opaque variable that is there, overrides too, by variable and mode."""
    meta = json.loads(response)["meta"]
    live = {id_ for id_, each in meta["variables"].items() if is_opaque(id_) and not each.get("deletedButReferenced")}
    found = {(id_, mode): value for id_ in live for mode, value in meta["variables"][id_]["valuesByMode"].items()}
    for collection in meta["variableCollections"].values():
        for id_, values in collection.get("variableOverrides", {}).items():
            found |= {(id_, mode): value for mode, value in values.items() if id_ in live}
    return found


def said_in(response: bytes) -> dict[str, Any]:
    """The metadata of the existing opaque variables."""
    variables = json.loads(response)["meta"]["variables"]
    return {
        id_: {**each, "valuesByMode": {}}
        for id_, each in variables.items()
        if is_opaque(id_) and not each.get("deletedButReferenced")
    }


def is_opaque(id_: str) -> bool:
    return id_.startswith("VariableID:4242:")


def modes_in(response: bytes) -> dict[str, set[str]]:
    """The modes of each collection that is there, and of what extends it, by its id."""
    found: dict[str, set[str]] = {}
    for id_, each in json.loads(response)["meta"]["variableCollections"].items():
        if not each.get("deletedButReferenced"):
            root = each.get("rootVariableCollectionId", id_)
            found.setdefault(root, set()).update(mode["modeId"] for mode in each["modes"])
    return found


@given(st.data(), pairs(), st.sampled_from((BODY_BYTES, SMALL)))
def test_no_plan_touches_them(data: st.DataObject, pair: Pair, limit: int) -> None:
    response, made = data.draw(with_opaque(pair.before.response()))
    plan, was = plan_of(response, pair.after)
    for batch in batches_of(plan.operations, was, limit=limit):
        assert b"VariableID:4242:" not in batch.body({})
    with Journey(response) as journey:
        journey.carry_out(plan.operations, was, limit=limit)
        held = journey.held()
        if pair.leads_back:
            journey.roll_back(was, state_of(graph_of(held)), limit=limit)
    modes = modes_in(held)
    staying = {id_ for id_, each in made.items() if each["variableCollectionId"] in modes}
    assert said_in(held) == {id_: each for id_, each in said_in(response).items() if id_ in staying}
    before, after = values_in(response), values_in(held)
    assert {place: value for place, value in after.items() if place in before} == {
        (id_, mode): value
        for (id_, mode), value in before.items()
        if id_ in staying and mode in modes[made[id_]["variableCollectionId"]]
    }
    assert plan_of(held, pair.after).plan.operations == ()


@given(st.data(), st.randoms(use_true_random=True).map(seeded))
@settings(max_examples=40)
def test_nothing_is_planned_for_them(data: st.DataObject, library: Library) -> None:
    response, _ = data.draw(with_opaque(library.response()))
    assert plan_of(response, library).plan.operations == ()


@given(st.data(), st.booleans())
@settings(max_examples=40)
def test_a_name_of_one_is_taken_before_any_request(data: st.DataObject, renamed: bool) -> None:
    library = Library()
    root = library.add_collection("Theme", ["Light", "Dark"])
    token = library.add_variable(root, "token", "FLOAT", [1, 2])
    response, made = data.draw(with_opaque(library.response(), most=1))
    (holder,) = made.values()
    before = state_of(graph_of(response))
    wanted = before.variables[token["id"]]
    after = (
        replace(wanted, name=holder["name"]) if renamed else replace(wanted, ref="variable:new", name=holder["name"])
    )
    state = before._replace(variables={**before.variables, after.ref: after})
    (fault,) = validate(before, state, differences(before, state), lambda ref, _: ref)
    assert (fault.code, fault.where, fault.severity) == ("plan-name-taken", after.ref, "error")
    member = {"name": holder["name"]}
    change = {"action": "UPDATE", "id": token["id"], **member}
    if not renamed:
        change = {"action": "CREATE", "variableCollectionId": root["id"], "resolvedType": "FLOAT", **member}
    with Journey(response) as journey:
        assert journey.status_of({"variables": [change]}) == 400


@given(st.data(), st.randoms(use_true_random=True).map(seeded), st.sampled_from(("value", "gone", "new")))
@settings(max_examples=40)
def test_an_edit_of_an_opaque_variable_is_not_deleted_unnoticed(
    data: st.DataObject, library: Library, edit: str
) -> None:
    response, made = data.draw(with_opaque(library.response()))
    assume(made)
    before = state_of(graph_of(response))
    root = next(iter(made.values()))["variableCollectionId"]
    left = before._replace(collections={ref: each for ref, each in before.collections.items() if each.root != root})
    left = left._replace(variables={ref: each for ref, each in left.variables.items() if each.collection != root})
    deletion = [each for each in differences(before, left) if isinstance(each, DeleteCollection)]
    assert not conflicting(deletion, before)
    document = json.loads(response)
    variables = document["meta"]["variables"]
    victim = next(iter(made))
    if edit == "value":
        (mode, value), *_ = variables[victim]["valuesByMode"].items()
        variables[victim]["valuesByMode"][mode] = {"was": value}
    elif edit == "gone":
        del variables[victim]
    else:
        variables["VariableID:4242:new"] = {**variables[victim], "id": "VariableID:4242:new", "name": "fresh"}
    now = state_of(graph_of(json.dumps(document).encode()))
    assert conflicting(deletion, now) == tuple(deletion)


def theme_with(name: str, value: object, *, refers: bool = False) -> tuple[bytes, str, str]:
    """A response with the numbers a and b, and an opaque variable; a refers to it where ``refers``."""
    library = Library()
    root = library.add_collection("Theme", ["Light"])
    first, second = (library.add_variable(root, each, "FLOAT", [1]) for each in "ab")
    made = library.add_variable(root, name, "EASING", [value])
    if value is None:
        made["valuesByMode"] = {root["modes"][0]["modeId"]: [alias(second["id"])]}
    if refers:
        first["valuesByMode"] = {root["modes"][0]["modeId"]: alias(made["id"])}
    return library.response(), first["id"], second["id"]


def test_swapped_names_avoid_names_of_opaque_variables() -> None:
    response, first, second = theme_with("a (replaced)", 1)
    before = state_of(graph_of(response))
    a, b = before.variables[first], before.variables[second]
    after = before._replace(variables={first: replace(a, name="b"), second: replace(b, name="a")})
    with Journey(response) as journey:
        journey.carry_out(differences(before, after), before)


def test_a_cycle_through_an_opaque_variable_is_reported_before_any_request() -> None:
    response, first, second = theme_with("ease", None, refers=True)
    before = state_of(graph_of(response))
    b = before.variables[second]
    (mode,) = b.values
    back = replace(b, values={mode: ObjectValue(alias=first)})
    after = before._replace(variables={**before.variables, second: back})
    (fault,) = validate(before, after, differences(before, after), lambda ref, _: ref)
    assert (fault.code, fault.where) == ("plan-circle", second)
    assert '"b" > "a" > "ease" > "b"' in fault.what
    value = {"variableId": second, "modeId": mode, "value": alias(first)}
    with Journey(response) as journey:
        assert journey.status_of({"variableModeValues": [value]}) == 400
