"""Whatever is sent: an answer of the contract, nothing kept of what is refused, and a file that is whole."""

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
    SHOWN,
    THEME,
    VALUE,
    Platform,
    alias,
)
from hypothesis import given
from hypothesis import strategies as st

ROOTS, EXTENSIONS = [PRIMITIVES, THEME], [BRAND, REGION]
VARIABLES = [BLUE, GAP, MUTED, LABEL, SHOWN, ACCENT, LINK, ODD]
NAMES = st.sampled_from(["gap", "label", "new", "a/b", "accent", "other", "more"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
ALIASES = st.sampled_from(VARIABLES).map(alias)
COLOURS = ALIASES | st.just(RED) | st.fixed_dictionaries({"color": ALIASES, "opacity": st.just(30) | ALIASES})
VALUES = ALIASES | st.sampled_from([4, 0.9, True, "text", None])


def change(action, **members):
    """Members that mostly fit together: an object of strategies."""
    return st.fixed_dictionaries({"action": st.just(action), **members})


def value(ids, modes, of):
    return st.fixed_dictionaries({"variableId": st.sampled_from(ids), "modeId": st.sampled_from(modes), "value": of})


COLLECTION_CHANGES = st.one_of(
    change("CREATE", id=st.just("c"), name=NAMES, initialModeId=st.just("m")),
    change("CREATE", id=st.just("e"), name=NAMES, parentVariableCollectionId=st.sampled_from(ROOTS + EXTENSIONS)),
    change("UPDATE", id=st.sampled_from(ROOTS + EXTENSIONS), name=NAMES),
    change("DELETE", id=st.sampled_from(ROOTS + EXTENSIONS)),
)
MODE_CHANGES = st.one_of(
    change("CREATE", id=st.just("n"), name=NAMES, variableCollectionId=st.sampled_from(ROOTS)),
    change("CREATE", name=NAMES, variableCollectionId=st.sampled_from([*ROOTS, "c"])),
    change("UPDATE", id=st.sampled_from([LIGHT, DARK]), name=NAMES, variableCollectionId=st.just(THEME)),
    change("DELETE", id=st.sampled_from([LIGHT, DARK, BRAND_LIGHT])),
)
VARIABLE_CHANGES = st.one_of(
    change(
        "CREATE",
        id=st.sampled_from(["v", "w"]),
        name=NAMES,
        variableCollectionId=st.sampled_from(ROOTS),
        resolvedType=st.sampled_from(["COLOR", "FLOAT", "STRING", "BOOLEAN"]),
    ),
    change("UPDATE", id=st.sampled_from(VARIABLES), name=NAMES),
    change("DELETE", id=st.sampled_from([*VARIABLES, GONE, REMOTE])),
)
VALUE_CHANGES = st.one_of(
    value([ACCENT, LINK], [LIGHT, DARK, BRAND_LIGHT, REGION_DARK], COLOURS),
    value([BLUE], [VALUE], COLOURS),
    value([GAP, MUTED], [VALUE], VALUES),
    value([ACCENT, LINK, ODD], [BRAND_LIGHT, REGION_DARK], st.none()),
    value([*VARIABLES, "v", REMOTE], [VALUE, LIGHT, "n"], VALUES | ANYTHING),
)


def some(changes):
    """Return a strategy for one or two of them."""
    return st.lists(changes, min_size=1, max_size=2)


BODIES = st.one_of(
    some(COLLECTION_CHANGES).map(lambda changes: {"variableCollections": changes}),
    some(MODE_CHANGES).map(lambda changes: {"variableModes": changes}),
    some(VARIABLE_CHANGES).map(lambda changes: {"variables": changes}),
    some(VALUE_CHANGES).map(lambda changes: {"variableModeValues": changes}),
    st.fixed_dictionaries(
        {},
        optional={
            "variableCollections": some(COLLECTION_CHANGES | ANYTHING),
            "variableModes": some(MODE_CHANGES),
            "variables": some(VARIABLE_CHANGES),
            "variableModeValues": some(VALUE_CHANGES | ANYTHING),
        },
    ),
)


def is_whole(variables, collections):
    """Check the invariants of a file."""
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


@given(st.lists(BODIES, min_size=1, max_size=8))
def test_the_file_stays_consistent_after_any_request(bodies):
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
def test_any_bytes_get_200_or_400(body):
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
