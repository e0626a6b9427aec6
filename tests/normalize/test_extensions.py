"""Extended collections: modes with parents."""

from design_file import (
    alias,
    collection,
    color,
    extension,
    findings_with,
    graph_of,
    key_of,
    response,
    shown,
    token_named,
    variable,
)

from tokensync.normalize.findings import findings
from tokensync.normalize.graph import referenced
from tokensync.tokens import Alias


def normalized(collections, variables):
    return graph_of(response(collections, variables))


def test_an_extension_adds_modes_to_its_roots_family():
    root = collection("C:1", "Theme")
    graph, problems = normalized([root, extension("C:2", "Brand A", root)], [])
    (family,) = graph.collections.values()
    assert [(mode.context, mode.collection, mode.slug, mode.parent) for mode in family.modes] == [
        ("light", "theme", "light", None),
        ("dark", "theme", "dark", None),
        ("brand-a.light", "brand-a", "light", 0),
        ("brand-a.dark", "brand-a", "dark", 1),
    ]
    assert [(each.handle, each.parent, each.default_mode) for each in family.extensions] == [("brand-a", "theme", 2)]
    assert problems == ()


def test_parents_come_first_in_any_order_of_the_response():
    root = collection("C:1", "Theme", ["Light"])
    brand = extension("C:2", "Brand", root)
    campaign = extension("C:3", "Campaign", brand)
    other = extension("C:4", "Other", root)
    graph, _ = normalized([campaign, other, brand, root], [])
    (family,) = graph.collections.values()
    assert [each.handle for each in family.extensions] == ["other", "brand", "campaign"]
    assert [mode.parent for mode in family.modes] == [None, 0, 0, 2]


def test_a_missing_parent_mode_id_is_derived_from_the_modes_id():
    root = collection("C:1", "Theme")
    brand = extension("C:2", "Brand", root, {"V:1": [..., 7]})
    for mode in brand["modes"]:
        del mode["parentModeId"]
    graph, problems = normalized([root, brand], [variable("V:1", "a", root, "FLOAT", [1, 2])])
    assert (shown(graph, "a", theme="brand.light"), shown(graph, "a", theme="brand.dark")) == (1, 7)
    assert problems == ()


def test_a_missing_parent_mode_is_reported_and_nothing_is_inherited():
    root = collection("C:1", "Theme", ["Light"])
    brand = extension("C:2", "Brand", root)
    brand["modes"][0]["parentModeId"] = "m9"
    graph, problems = normalized([root, brand], [variable("V:1", "a", root, "FLOAT", [1])])
    assert findings_with(problems, "parent-mode-unknown")[0][0] == "Brand / mode Light"
    assert [(each.code, each.where) for each in findings(graph)] == [("value-absent", "Theme / a / brand.light")]


def test_a_remote_parent_is_found_by_key_after_its_id_changed():
    key = key_of("library")
    root = collection(f"VariableCollectionId:{key}/9:9", "Theme", ["Light"], remote=True, key=key)
    brand = extension("C:2", "Brand", root, {"V:r": [5]})
    brand["parentVariableCollectionId"] = f"VariableCollectionId:{key}/1:1"
    variables = [variable("V:r", "a", root, "FLOAT", [1]), variable("V:s", "b", root, "FLOAT", [alias("V:r")])]
    graph, problems = normalized([root, brand], variables)
    assert (shown(graph, "a"), shown(graph, "b", theme="brand.light")) == (1, 5)
    assert problems == ()
    assert [each.key.path for each in referenced(graph).tokens.values()] == ["a"]


def test_an_absent_parent_is_reported_and_the_overrides_remain():
    root = collection("C:gone", "Theme")
    brand = extension("C:2", "Brand", root, {"V:gone": [color(1, 0, 0), alias("V:1")]})
    own = collection("C:3", "Own", ["x"])
    graph, problems = normalized([brand, own], [variable("V:1", "a", own, "COLOR", [color()])])
    family = graph.collections["kit", "brand-parent"]
    assert (family.origin, family.id) == ("absent", "C:gone")
    assert [mode.context for mode in family.modes] == ["light", "dark", "brand.light", "brand.dark"]
    token = token_named(graph, "V:gone")
    assert (token.type, token.origin, token.id) == ("color", "absent", "V:gone")
    assert token.values[:2] == (None, None)
    assert token.values[3] == Alias(token_named(graph, "a").key)
    assert findings_with(problems, "extension-parent-absent")[0][0] == "Brand"
    assert findings_with(problems, "override-of-absent") == [
        ("Brand", "it overrides V:gone, which is not in the response")
    ]
    assert token.key in referenced(graph).tokens


def test_the_type_of_an_absent_variable_is_that_of_its_overrides():
    root = collection("C:gone", "Theme")
    own = collection("C:3", "Own", ["x"])
    overrides = {
        "V:flag": [True, ...],
        "V:text": ["x", ...],
        "V:number": [None, 4],
        "V:alias": [alias("V:1"), ...],
        "V:none": [alias("V:0"), ...],
    }
    graph, _ = normalized([extension("C:2", "Brand", root, overrides), own], [variable("V:1", "a", own, "FLOAT", [1])])
    kinds = {each.id: each.type for each in graph.tokens.values() if each.origin == "absent"}
    assert kinds == {
        "V:flag": "boolean",
        "V:text": "string",
        "V:number": "number",
        "V:alias": "number",
        "V:none": "color",
    }


def test_an_override_of_another_familys_variable_is_omitted_and_reported():
    root, other = collection("C:1", "Theme", ["Light"]), collection("C:2", "Other", ["x"])
    brand = extension("C:3", "Brand", root, {"V:1": [9]})
    graph, problems = normalized([root, other, brand], [variable("V:1", "a", other, "FLOAT", [1])])
    assert token_named(graph, "a").values == (1.0,)
    assert findings_with(problems, "override-misplaced") == [
        ("Brand", "it overrides V:1, which is not a variable of the collection that it extends")
    ]


def test_an_override_for_an_unknown_mode_is_omitted_and_reported():
    root = collection("C:1", "Theme", ["Light"])
    brand = extension("C:2", "Brand", root)
    brand["variableOverrides"] = {"V:1": {"m7": 3}}
    graph, problems = normalized([root, brand], [variable("V:1", "a", root, "FLOAT", [1])])
    assert token_named(graph, "a").values == (1.0, None)
    assert findings_with(problems, "mode-unknown") == [
        ("Theme / a", "Brand overrides it for m7, which is not one of its modes")
    ]


def test_an_invalid_override_is_omitted_and_reported_with_its_mode():
    root = collection("C:1", "Theme", ["Light"])
    _, problems = normalized(
        [root, extension("C:2", "Brand", root, {"V:1": ["x"]})], [variable("V:1", "a", root, "FLOAT", [1])]
    )
    assert findings_with(problems, "value-mismatch") == [("Theme / a / Light", "a FLOAT variable holds a string")]


def test_a_cycle_of_extensions_is_broken_once():
    one, other = collection("C:1", "One", ["Light"]), collection("C:2", "Other", ["Light"])
    third = extension("C:3", "Third", one)
    for each, parent in ((one, "C:2"), (other, "C:1")):
        each.update(isExtension=True, parentVariableCollectionId=parent)
    graph, problems = normalized([third, one, other], [variable("V:1", "a", one, "FLOAT", [1])])
    assert findings_with(problems, "extension-cycle") == [("One", "its parent collections form a cycle")]
    (family,) = graph.collections.values()
    assert (family.handle, sorted(each.handle for each in family.extensions)) == ("one", ["other", "third"])
    assert shown(graph, "a", one="third.light") == 1


def test_a_collection_that_extends_itself_is_a_root():
    owner = collection("C:1", isExtension=True, parentVariableCollectionId="C:1")
    graph, problems = normalized([owner], [variable("V:1", "a", owner, "FLOAT", [1, 2])])
    assert [each.code for each in problems] == ["extension-cycle"]
    assert shown(graph, "a", theme="dark") == 2


def test_an_extension_without_parent_id_extends_its_root():
    root = collection("C:1", "Theme", ["Light"])
    brand = extension("C:2", "Brand", root)
    del brand["parentVariableCollectionId"]
    graph, _ = normalized([root, brand], [])
    assert [each.handle for family in graph.collections.values() for each in family.extensions] == ["brand"]
