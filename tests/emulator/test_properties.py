"""Whatever is sent: an answer of the contract, nothing kept of what is refused, and a file that is whole."""

from __future__ import annotations

import json

from emulator.platform import (
    ACCENT,
    BLUE,
    BRAND,
    BRAND_LIGHT,
    DARK,
    GAP,
    GONE,
    LABEL,
    LIGHT,
    LINK,
    MUTED,
    ODD,
    OPENED,
    PRIMITIVES,
    RED,
    REGION,
    REGION_DARK,
    REMOTE,
    REMOTE_COLLECTION,
    SHOWN,
    THEME,
    VALUE,
    Platform,
    alias,
)
from hypothesis import given, settings
from hypothesis import strategies as st

COLLECTIONS = [PRIMITIVES, THEME, BRAND, REGION, REMOTE_COLLECTION, "c", "e"]
MODES = [VALUE, LIGHT, DARK, BRAND_LIGHT, REGION_DARK, "m", "n"]
VARIABLES = [BLUE, GAP, MUTED, LABEL, SHOWN, ACCENT, LINK, ODD, GONE, REMOTE, "v", "w"]
ACTIONS = st.sampled_from(["CREATE", "UPDATE", "DELETE"])
NAMES = st.sampled_from(["gap", "label", "new", "a/b", "accent", "", "x" * 41, "a.b"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ALIASES = st.sampled_from(VARIABLES).map(alias)
VALUES = st.one_of(
    ALIASES,
    st.sampled_from([RED, 4, 0.9, True, "text", None]),
    st.fixed_dictionaries({"color": st.just(RED) | ALIASES, "opacity": st.just(30) | ALIASES}),
    ANYTHING,
)


def change(**members):
    """A change with some of these members, sometimes of a wrong kind, and an action."""
    optional = {name: strategy | ANYTHING for name, strategy in members.items()}
    likely = st.fixed_dictionaries({"action": ACTIONS, **members})
    return st.one_of(likely, likely, st.fixed_dictionaries({"action": ACTIONS}, optional=optional))


BODIES = st.fixed_dictionaries(
    {},
    optional={
        "variableCollections": st.lists(
            change(id=st.sampled_from(COLLECTIONS), name=NAMES)
            | change(id=st.just("e"), name=NAMES, parentVariableCollectionId=st.sampled_from(COLLECTIONS)),
            max_size=3,
        ),
        "variableModes": st.lists(
            change(id=st.sampled_from(MODES), name=NAMES, variableCollectionId=st.sampled_from(COLLECTIONS)), max_size=3
        ),
        "variables": st.lists(
            change(
                id=st.sampled_from(VARIABLES),
                name=NAMES,
                variableCollectionId=st.sampled_from(COLLECTIONS),
                resolvedType=st.sampled_from(["COLOR", "FLOAT", "STRING", "BOOLEAN"]),
            )
            | change(id=st.sampled_from(VARIABLES), name=NAMES),
            max_size=4,
        ),
        "variableModeValues": st.lists(
            st.fixed_dictionaries(
                {"variableId": st.sampled_from(VARIABLES), "modeId": st.sampled_from(MODES), "value": VALUES}
            ),
            max_size=4,
        ),
    },
)


def is_whole(variables, collections):
    """What holds of every file, whatever was done to it."""
    for id_, one in variables.items():
        home = collections[one["variableCollectionId"]]
        assert id_ in home["variableIds"]
        if not one["remote"]:
            assert set(one["valuesByMode"]) == {mode["modeId"] for mode in home["modes"]}
    for id_, one in collections.items():
        live = [variables[each]["name"] for each in one["variableIds"] if "deletedButReferenced" not in variables[each]]
        assert len(live) == len(set(live))
        assert one["defaultModeId"] in [mode["modeId"] for mode in one["modes"]]
        if one["isExtension"]:
            parent = collections[one["parentVariableCollectionId"]]
            root = collections[one["rootVariableCollectionId"]]
            assert [mode["parentModeId"] for mode in one["modes"]] == [mode["modeId"] for mode in parent["modes"]]
            ids = [f"{id_}/{mode['modeId']}" for mode in root["modes"]]
            assert [mode["modeId"] for mode in one["modes"]] == ids
            assert one["variableIds"] == one["inheritedVariableIds"] == root["variableIds"]
            assert set(one["variableOverrides"]) <= set(root["variableIds"])
            assert all(set(values) <= set(ids) for values in one["variableOverrides"].values())


def has_cycle(variables, collections):
    """Whether aliases in any modes and overrides come back to their start."""
    values = {id_: [*one["valuesByMode"].values()] for id_, one in variables.items()}
    for one in collections.values():
        for id_, overrides in one.get("variableOverrides", {}).items():
            values[id_] += overrides.values()
    edges = {id_: {m for m in variables if f'"{m}"' in json.dumps(values[id_])} for id_ in variables}
    while ends := [id_ for id_, targets in edges.items() if not targets & set(edges)]:
        for id_ in ends:
            del edges[id_]
    return bool(edges)


@given(st.lists(BODIES, min_size=1, max_size=4))
@settings(max_examples=150)
def test_whatever_is_sent_the_file_stays_whole(bodies):
    platform = Platform()
    try:
        before = platform.get()
        for body in bodies:
            answer = platform.post(body)
            after = platform.get()
            assert answer.status_code in (200, 400), answer.json
            if answer.status_code == 400:
                assert after.data == before.data
            meta = after.json["meta"]
            is_whole(meta["variables"], meta["variableCollections"])
            assert not has_cycle(meta["variables"], meta["variableCollections"])
            for id_ in answer.json.get("meta", {}).get("tempIdToRealId", {}).values():
                assert id_ not in before.text
            before = after
    finally:
        platform.emulator.close()
        OPENED.remove(platform.emulator)


@given(st.binary(max_size=200) | ANYTHING.map(lambda value: json.dumps(value).encode()))
@settings(max_examples=150)
def test_whatever_bytes_are_sent_the_answer_is_200_or_400(body):
    platform = Platform()
    try:
        before = platform.get().data
        answer = platform.post(body)
        assert answer.status_code == 400 or answer.json["meta"] == {"tempIdToRealId": {}}
        assert platform.get().data == before
    finally:
        platform.emulator.close()
        OPENED.remove(platform.emulator)


def test_the_small_design_file_is_whole_to_begin_with():
    meta = Platform().get().json["meta"]
    is_whole(meta["variables"], meta["variableCollections"])
    assert not has_cycle(meta["variables"], meta["variableCollections"])
