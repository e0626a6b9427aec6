"""Differences of two states as operations."""

from __future__ import annotations

import pytest
from graphs import alias, collection, color, graph, token
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tokensync.plan.differ import differences
from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateVariable,
    conflicting,
)
from tokensync.plan.state import Digests, FileState, ModeState, ObjectValue, StyleState, state_of

RED, BLUE = color("#ff0000"), color("#0000ff")
THEME = collection("Theme", "Light", "Dark", extensions=[("Brand", "Theme"), ("Region", "Brand")])
LIGHT, DARK = "mode:theme/light", "mode:theme/dark"
BRAND_LIGHT, BRAND_DARK = "mode:brand/light", "mode:brand/dark"
SIZES = collection("Sizes")
ACCENT, LINK, GAP = "variable:theme/accent", "variable:theme/link", "variable:sizes/gap"


def state(*parts):
    return state_of(graph(*parts))


BEFORE = state(
    THEME,
    SIZES,
    token(THEME, "accent", RED, BLUE, BLUE),
    token(THEME, "link", alias("Theme", "accent"), RED),
    token(SIZES, "gap", 4, type="dimension", scopes=("GAP",)),
    token(SIZES, "weight", 400, type="number", scopes=("FONT_STYLE",)),
)


def with_variable(ref, **changes):
    variables = dict(BEFORE.variables)
    variables[ref] = replace(variables[ref], **changes)
    return BEFORE._replace(variables=variables)


def with_values(ref, **values):
    own = BEFORE.variables[ref].values
    kept = {mode: value for mode, value in (own | values).items() if value is not ...}
    return with_variable(ref, values=kept)


def without(*refs):
    return FileState(
        {ref: each for ref, each in BEFORE.collections.items() if ref not in refs},
        {ref: each for ref, each in BEFORE.variables.items() if ref not in refs and each.collection not in refs},
    )


def with_collection(ref, **changes):
    collections = dict(BEFORE.collections)
    collections[ref] = replace(collections[ref], **changes)
    return BEFORE._replace(collections=collections)


def test_a_state_has_no_differences_from_itself():
    assert differences(BEFORE, BEFORE) == ()


def test_order_is_never_a_difference():
    backwards = FileState(
        {ref: replace(each, modes=each.modes[::-1]) for ref, each in reversed(BEFORE.collections.items())},
        dict(reversed(BEFORE.variables.items())),
    )
    assert differences(BEFORE, backwards) == ()


def test_a_name_and_a_description_share_an_operation_before_values():
    after = with_variable(GAP, name="space", description="between", values={"mode:sizes/value": 8})
    assert differences(BEFORE, after) == (
        UpdateVariable(ref=GAP, name=("gap", "space"), description=("", "between")),
        SetValue(variable=GAP, mode="mode:sizes/value", before=4, after=8),
    )


def test_font_weight_and_font_style_are_one_scope_of_a_number_and_scopes_are_unordered():
    weight = "variable:sizes/weight"
    assert differences(BEFORE, with_variable(weight, scopes=("FONT_WEIGHT",))) == ()
    (update,) = differences(BEFORE, with_variable(weight, scopes=("FONT_SIZE", "FONT_WEIGHT")))
    assert update.scopes == (("FONT_STYLE",), ("FONT_SIZE", "FONT_WEIGHT"))


def test_an_override_is_set_changed_and_removed():
    assert differences(BEFORE, with_values(ACCENT, **{BRAND_DARK: ObjectValue(alias=LINK)})) == (
        SetValue(variable=ACCENT, mode=BRAND_DARK, after=ObjectValue(alias=LINK)),
    )
    blue = BEFORE.variables[ACCENT].values[BRAND_LIGHT]
    assert differences(BEFORE, with_values(ACCENT, **{BRAND_LIGHT: ...})) == (
        SetValue(variable=ACCENT, mode=BRAND_LIGHT, before=blue, after=None),
    )


def test_a_root_value_that_is_missing_makes_no_operation():
    assert differences(BEFORE, with_values(ACCENT, **{DARK: ...})) == ()


def test_a_new_collection_comes_with_its_modes_and_variables_with_their_values():
    operations = differences(FileState({}, {}), BEFORE)
    assert [type(each) for each in operations] == [
        CreateCollection,
        CreateExtension,
        CreateExtension,
        CreateCollection,
        *[CreateVariable] * 4,
    ]
    assert operations[2].parent == "collection:brand"
    assert operations[4].variable == BEFORE.variables[ACCENT]


def test_an_empty_state_needs_one_deletion_for_each_root_collection():
    deleted = differences(BEFORE, FileState({}, {}))
    assert [(type(each), each.ref) for each in deleted] == [
        (DeleteCollection, "collection:theme"),
        (DeleteCollection, "collection:sizes"),
    ]


def test_deleted_extensions_need_one_deletion_of_the_topmost():
    overridden = {ref: replace(each, values={m: v for m, v in each.values.items() if "brand" not in m})
                  for ref, each in BEFORE.variables.items()}  # fmt: skip
    after = without("collection:brand", "collection:region")._replace(variables=overridden)
    (deleted,) = differences(BEFORE, after)
    assert isinstance(deleted, DeleteCollection) and deleted.ref == "collection:brand"


def test_a_deletion_of_a_variable_has_its_name_and_digest():
    (deleted,) = differences(BEFORE, without(LINK))
    assert isinstance(deleted, DeleteVariable)
    assert (deleted.ref, deleted.name, deleted.collection) == (LINK, "link", "collection:theme")
    assert deleted.digest


def wider(*modes):
    return [*BEFORE.collections["collection:theme"].modes, *modes]


def test_a_new_mode_has_the_modes_of_all_extensions_and_only_values_that_are_not_copied():
    new = [ModeState("mode:theme/high", "High")]
    for ref, parent in (("brand", "theme"), ("region", "brand")):
        new.append(ModeState(f"mode:{ref}/high", "High", f"mode:{parent}/high"))
    collections = dict(BEFORE.collections)
    for ref, mode in zip(("theme", "brand", "region"), new, strict=True):
        each = collections[f"collection:{ref}"]
        collections[each.ref] = replace(each, modes=(*each.modes, mode))
    red, blue = (BEFORE.variables[ACCENT].values[mode] for mode in (LIGHT, DARK))
    variables = dict(BEFORE.variables)
    variables[ACCENT] = replace(variables[ACCENT], values=variables[ACCENT].values | {"mode:theme/high": red})
    same = differences(BEFORE, FileState(collections, variables))
    extended = (("collection:brand", "mode:brand/high"), ("collection:region", "mode:region/high"))
    theme = BEFORE.collections["collection:theme"]
    made = CreateMode(
        ref="mode:theme/high",
        collection=theme.ref,
        name="High",
        extended=extended,
        filled=Digests(BEFORE).of_mode(theme.ref, theme.default),
    )
    assert same == (made,)
    link = variables[LINK]
    variables[LINK] = replace(link, values=link.values | {"mode:theme/high": blue, "mode:region/high": red})
    assert differences(BEFORE, FileState(collections, variables)) == (
        made,
        SetValue(variable=LINK, mode="mode:theme/high", after=blue),
        SetValue(variable=LINK, mode="mode:region/high", after=red),
    )


def test_a_value_of_a_new_mode_is_set_when_the_default_modes_value_changes_too():
    """The new mode is filled before or after values are set, depending on the number of requests."""
    theme = BEFORE.collections["collection:theme"]
    modes = (*theme.modes, ModeState("mode:theme/high", "High"))
    collections = BEFORE.collections | {theme.ref: replace(theme, modes=modes)}
    accent = BEFORE.variables[ACCENT]
    red, blue = accent.values[LIGHT], accent.values[DARK]
    for high in (red, blue):
        values = accent.values | {LIGHT: blue, "mode:theme/high": high}
        after = FileState(collections, BEFORE.variables | {ACCENT: replace(accent, values=values)})
        assert SetValue(variable=ACCENT, mode="mode:theme/high", after=high) in differences(BEFORE, after)


def test_a_doomed_extension_has_the_new_mode_as_long_as_it_lives():
    theme = BEFORE.collections["collection:theme"]
    after = without("collection:region")
    high = ModeState("mode:theme/high", "High")
    after = after._replace(collections=after.collections | {theme.ref: replace(theme, modes=(*theme.modes, high))})
    made = next(each for each in differences(BEFORE, after) if isinstance(each, CreateMode))
    assert [extension for extension, _ in made.extended] == ["collection:brand", "collection:region"]
    refs = [mode for _, mode in made.extended]
    assert len({*refs, "mode:theme/high"}) == 3


def test_a_renamed_mode_has_one_operation_and_an_extensions_own_name_has_none():
    theme, brand = (BEFORE.collections[f"collection:{name}"] for name in ("theme", "brand"))
    light = (replace(theme.modes[0], name="Day"), theme.modes[1])
    assert differences(BEFORE, with_collection(theme.ref, modes=light)) == (
        RenameMode(ref=LIGHT, collection="collection:theme", name=("Light", "Day")),
    )
    other = (replace(brand.modes[0], name="Day"), brand.modes[1])
    assert differences(BEFORE, with_collection(brand.ref, modes=other)) == ()


def test_a_deletion_of_a_mode_includes_its_values():
    theme, brand, region = (BEFORE.collections[f"collection:{name}"] for name in ("theme", "brand", "region"))
    collections = dict(BEFORE.collections)
    for each in (theme, brand, region):
        collections[each.ref] = replace(each, modes=each.modes[:1])
    variables = {
        ref: replace(each, values={mode: value for mode, value in each.values.items() if not mode.endswith("dark")})
        for ref, each in BEFORE.variables.items()
    }
    (deleted,) = differences(BEFORE, FileState(collections, variables))
    assert isinstance(deleted, DeleteMode) and (deleted.ref, deleted.name) == (DARK, "Dark")


def test_a_collection_is_renamed_and_hidden():
    assert differences(BEFORE, with_collection("collection:brand", name="Acme", hidden=True)) == (
        UpdateCollection(ref="collection:brand", name=("Brand", "Acme"), hidden=(False, True)),
    )


def test_what_is_fixed_changes_only_where_an_extension_of_this_file_overrides_it():
    remote = collection("Library", "Light", extensions=[("Own", "Library")], origin="remote")
    own = replace(remote.extensions[0], origin="local")
    remote = replace(remote, extensions=(own,))
    before = state(remote, token(remote, "logo", RED, RED))
    logo = token(remote, "logo", BLUE, BLUE, description="another")
    renamed = replace(remote, name="Other", hidden=True)
    after = state(renamed, logo, token(remote, "second", RED))
    blue = after.variables["variable:library/logo"].values["mode:own/light"]
    (operation,) = differences(before, after)
    assert operation.mode == "mode:own/light" and operation.after == blue
    (taken,) = differences(before, FileState({}, {}))
    assert isinstance(taken, DeleteCollection) and taken.ref == "collection:own"


NOTE = StyleState(ref="S:1,", type="TEXT", name="note", members={"fontSize": 12, "paragraphIndent": 0})
STYLED = BEFORE._replace(styles={NOTE.ref: NOTE})


def with_style(**changes):
    return BEFORE._replace(styles={NOTE.ref: replace(NOTE, **changes)})


@pytest.mark.parametrize(
    ("before", "wanted", "now"),
    [
        (BEFORE, with_collection("collection:sizes", name="Space"), with_collection("collection:sizes", name="Gaps")),
        (BEFORE, with_collection("collection:sizes", hidden=True), with_collection("collection:sizes", hidden=True)),
        (BEFORE, with_collection("collection:sizes", hidden=True), without("collection:sizes")),
        (BEFORE, with_variable(GAP, name="space"), with_variable(GAP, name="gaps")),
        (BEFORE, with_variable(GAP, scopes=("ALL_SCOPES",)), with_variable(GAP, scopes=("CORNER_RADIUS",))),
        (BEFORE, with_variable(GAP, name="space"), without(GAP)),
        (BEFORE, with_values(GAP, **{"mode:sizes/value": 5.0}), without(GAP)),
        (BEFORE, without(GAP), with_variable(GAP, description="used")),
        (STYLED, with_style(name="notes"), with_style(name="remark")),
        (STYLED, with_style(description="small"), with_style(description="tiny")),
        (STYLED, with_style(members={"fontSize": 14, "paragraphIndent": 0}), with_style(members={"fontSize": 13})),
        (STYLED, with_style(name="notes"), BEFORE),
        (STYLED, BEFORE, with_style(description="used")),
        (STYLED, BEFORE, BEFORE),
    ],
)
def test_an_operation_conflicts_with_an_edit_of_what_it_changes(before, wanted, now):
    operations = differences(before, wanted)
    assert conflicting(operations, before) == ()
    assert conflicting(operations, now) == operations != ()


refs = st.sampled_from(sorted(BEFORE.variables))


@given(st.data())
def test_a_reduced_state_differs_by_exactly_the_removed_objects(data):
    taken = data.draw(st.sets(refs))
    operations = differences(BEFORE, without(*taken))
    assert (
        {each.ref for each in operations if isinstance(each, DeleteVariable)}
        == taken
        == {each.ref for each in operations}
    )
    made = differences(without(*taken), BEFORE)
    assert {each.variable.ref for each in made if isinstance(each, CreateVariable)} == taken
    assert len(made) == len(taken)
