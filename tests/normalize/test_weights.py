"""The strings of a design file that are font weights."""

import time

import pytest
from design_file import alias, collection, extension, findings_with, graph_of, response, shown, token_named, variable
from msgspec.structs import replace

from tokensync.normalize.findings import findings
from tokensync.normalize.mapping import TypeRule, TypeRules
from tokensync.normalize.numbers import with_rules, with_weights
from tokensync.tokens import TokenGraph
from tokensync.tokens.values import AS_TEXT

STYLE = ["FONT_STYLE"]


def text(identity, owner, *values, scopes=STYLE, **more):
    """Return a STRING variable whose name is its id."""
    return variable(identity, identity.removeprefix("V:"), owner, "STRING", values, scopes=scopes, **more)


def types(graph):
    return {token.key.path: token.type for token in graph.tokens.values()}


def of(*variables, owner, more=(), rules=None):
    return graph_of(response([owner, *more], list(variables)), rules=rules)


def test_a_string_with_weight_scopes_and_only_weights_as_values_is_a_weight():
    owner = collection("C:1")
    graph, problems = of(text("V:a", owner, "Bold", "Semi Bold Italic"), owner=owner)
    assert token_named(graph, "a").type == AS_TEXT
    assert token_named(graph, "a").values == ("Bold", "Semi Bold Italic")
    assert shown(graph, "a", theme="dark") == 600
    assert problems == ()


@pytest.mark.parametrize(
    ("scopes", "is_weight"),
    [
        (["FONT_STYLE"], True),
        (["FONT_WEIGHT"], True),
        (["FONT_STYLE", "FONT_WEIGHT"], True),
        (["FONT_STYLE", "FONT_FAMILY"], False),
        (["FONT_STYLE", "TEXT_CONTENT"], False),
        (["ALL_SCOPES"], False),
        (["TEXT_CONTENT"], False),
        ([], False),
    ],
)
def test_a_weight_has_only_weight_scopes(scopes, is_weight):
    owner = collection("C:1")
    graph, problems = of(text("V:a", owner, "Bold", "Bold", scopes=scopes), owner=owner)
    assert (token_named(graph, "a").type == AS_TEXT) == is_weight
    assert findings_with(problems, "font-weight-text") == []


@pytest.mark.parametrize("scopes", [["ALL_SCOPES"], []])
def test_a_string_with_any_scope_is_a_weight_by_its_name_and_all_of_its_values(scopes):
    owner = collection("C:1")
    texts = {
        "weight-black-italic": ("Black Italic", "Semi Bold"),
        "type/fontWeight/body": (alias("V:weight-a"), "Regular"),
        "weight-a": ("Light", "300"),
        "label/black": ("Black", "Regular"),
        "weighted": ("Bold", "Bold"),
        "parcel/weight": ("2 kg", "4 kg"),
        "weight/mixed": ("Bold", "Display"),
    }
    graph, problems = of(*(text(f"V:{name}", owner, *texts[name], scopes=scopes) for name in texts), owner=owner)
    weights = {path for path, token_type in types(graph).items() if token_type == AS_TEXT}
    assert weights == {"weight-black-italic", "type.fontWeight.body", "weight-a"}
    assert {*types(graph).values()} == {AS_TEXT, "string"}
    assert findings_with(problems, "font-weight-text") == []


def test_a_string_with_the_scope_of_other_text_is_no_weight_by_its_name():
    owner = collection("C:1")
    graph, _ = of(text("V:weight", owner, "Bold", "Bold", scopes=["TEXT_CONTENT"]), owner=owner)
    assert types(graph) == {"weight": "string"}


def test_a_string_with_any_scope_is_a_font_family_by_its_name():
    owner = collection("C:1")
    names = ("body/font-family", "family-sans", "fontStack/mono", "family/title")
    graph, _ = of(*(text(f"V:{name}", owner, "Inter", "Inter", scopes=["ALL_SCOPES"]) for name in names), owner=owner)
    assert types(graph) == dict.fromkeys(("body.font-family", "family-sans", "fontStack.mono"), "fontFamily") | {
        "family.title": "string"
    }


def test_a_teams_rule_keeps_a_string_with_the_name_of_a_weight():
    owner = collection("C:1")
    rules = TypeRules([TypeRule(type="string", path="weight")])
    graph, _ = of(text("V:weight", owner, "Bold", "Bold", scopes=["ALL_SCOPES"]), owner=owner, rules=rules)
    assert types(graph) == {"weight": "string"}


def test_a_new_string_of_token_files_with_the_name_of_a_weight_stays_one():
    owner = collection("C:1")
    graph, _ = of(text("V:weight", owner, "Bold", "Bold", scopes=[]), owner=owner)
    tokens = {key: replace(token, type="string") for key, token in graph.tokens.items()}
    assert types(with_weights(graph.replaced(tokens), TypeRules())) == {"weight": AS_TEXT}
    new = graph.replaced({key: replace(token, id="") for key, token in tokens.items()})
    assert types(with_weights(new, TypeRules())) == {"weight": "string"}


def test_names_decide_nothing_about_strings_of_token_files_with_rules_for_other_weights():
    owner = collection("C:1")
    graph, _ = of(text("V:weight", owner, "Bold", "Bold", scopes=["ALL_SCOPES"]), owner=owner)
    as_string = graph.replaced({key: replace(token, type="string") for key, token in graph.tokens.items()})
    rules = TypeRules([TypeRule(type="fontWeight", path="other")])
    assert types(with_rules(as_string, rules)) == {"weight": "string"}


def test_a_value_that_is_not_a_weight_makes_a_string_and_is_reported_with_its_mode():
    owner = collection("C:1")
    graph, problems = of(text("V:a", owner, "Bold", "Condensed"), owner=owner)
    assert types(graph) == {"a": "string"}
    assert findings_with(problems, "font-weight-text") == [
        ("Theme / a / Dark", '"Condensed" is not a font weight, so it stays a string')
    ]


def test_the_dependents_of_a_string_are_strings_and_its_targets_are_not():
    owner = collection("C:1")
    graph, problems = of(
        text("V:bold", owner, "Bold", "Bold"),
        text("V:mixed", owner, alias("V:bold"), "Roman"),
        text("V:above", owner, alias("V:mixed"), "Bold"),
        owner=owner,
    )
    assert types(graph) == {"bold": AS_TEXT, "mixed": "string", "above": "string"}
    assert findings_with(problems, "font-weight-text") == [
        ("Theme", '"Roman" is not a font weight, so 2 variables stay strings (mixed, above)')
    ]
    assert shown(graph, "mixed") == "Bold"
    assert findings(graph) == ()


def test_an_alias_between_two_weights_is_a_weight_in_any_order():
    owner = collection("C:1")
    graph, _ = of(
        text("V:heading", owner, alias("V:strong"), alias("V:strong")),
        text("V:strong", owner, alias("V:bold"), "Black"),
        text("V:bold", owner, "Bold", "Bold"),
        owner=owner,
    )
    assert types(graph) == {"heading": AS_TEXT, "strong": AS_TEXT, "bold": AS_TEXT}
    assert shown(graph, "heading", theme="dark") == 900


def test_a_weight_can_refer_to_a_string_with_other_scopes():
    """The weight is a number, and the other variable is a string."""
    owner = collection("C:1")
    graph, problems = of(
        text("V:any", owner, "Bold", "Light", scopes=["ALL_SCOPES"]),
        text("V:heading", owner, alias("V:any"), alias("V:any")),
        text("V:label", owner, alias("V:heading"), alias("V:heading"), scopes=["ALL_SCOPES"]),
        owner=owner,
    )
    assert types(graph) == {"any": "string", "heading": AS_TEXT, "label": "string"}
    assert (shown(graph, "heading", theme="dark"), shown(graph, "label", theme="dark")) == (300, "Light")
    assert (problems, findings(graph)) == ((), ())


def test_an_override_of_an_extension_affects_the_type():
    owner = collection("C:1")
    brand = extension("C:2", "Theme / Brand", owner, {"V:a": ["Display", ...], "V:b": ["Black", ...]})
    graph, problems = of(
        text("V:a", owner, "Bold", "Bold"), text("V:b", owner, "Bold", "Bold"), owner=owner, more=[brand]
    )
    assert types(graph) == {"a": "string", "b": AS_TEXT}
    assert [where for where, _ in findings_with(problems, "font-weight-text")] == ["Theme / a / Light"]


def test_remote_and_deleted_strings_are_classified_without_a_note():
    owner = collection("C:1")
    library = collection("VariableCollectionId:k/1:1", "Library", remote=True)
    graph, problems = of(
        text("V:far", library, "Bold", "Bold"),
        text("V:odd", library, "Roman", "Roman"),
        text("V:gone", owner, "Light", "Light", deletedButReferenced=True),
        text("V:a", owner, alias("V:far"), alias("V:gone")),
        text("V:b", owner, alias("V:odd"), "Bold"),
        owner=owner,
        more=[library],
    )
    assert types(graph) == {"far": AS_TEXT, "odd": "string", "gone": AS_TEXT, "a": AS_TEXT, "b": "string"}
    assert findings_with(problems, "font-weight-text") == [
        ("Theme / b", 'it refers to odd, whose value "Roman" is not a font weight, so it stays a string')
    ]


def test_a_token_that_resolves_to_no_value_is_a_string_without_a_note():
    owner = collection("C:1")
    graph, problems = of(
        text("V:a", owner, alias("V:nowhere"), alias("V:nowhere")),
        text("V:b", owner, alias("V:c"), alias("V:c")),
        text("V:c", owner, alias("V:b"), alias("V:b")),
        owner=owner,
    )
    assert types(graph) == {"a": "string", "b": "string", "c": "string"}
    assert findings_with(problems, "font-weight-text") == []


def test_a_dangling_alias_does_not_affect_the_type():
    owner = collection("C:1")
    graph, _ = of(text("V:a", owner, "Bold", alias("V:nowhere")), owner=owner)
    assert types(graph) == {"a": AS_TEXT}


def test_a_cycle_with_a_value_has_the_type_of_the_value():
    owner = collection("C:1")
    graph, _ = of(text("V:a", owner, alias("V:b"), "Bold"), text("V:b", owner, alias("V:a"), alias("V:a")), owner=owner)
    assert types(graph) == {"a": AS_TEXT, "b": AS_TEXT}


def test_the_advice_contains_the_most_similar_weight():
    owner = collection("C:1")
    _, (problem,) = of(text("V:a", owner, "Semibld", "Bold"), owner=owner)
    assert problem.what_to_do == 'write "Semi Bold", or confirm it with a [[types]] rule of type = "string"'


def test_a_teams_rule_decides_whether_strings_are_weights():
    owner = collection("C:1")
    rules = TypeRules([TypeRule(type="fontWeight", path="a"), TypeRule(type="string", path="b")])
    variables = [text("V:a", owner, "Bold", "300", scopes=["ALL_SCOPES"]), text("V:b", owner, "Bold", "Roman")]
    graph, problems = of(*variables, owner=owner, rules=rules)
    assert types(graph) == {"a": AS_TEXT, "b": "string"}
    assert problems == ()


def test_italic_weights_are_noted_once_for_each_collection():
    owner = collection("C:1")
    graph, _ = of(
        text("V:a", owner, "Bold", "Bold Italic"),
        text("V:b", owner, "Light Oblique", "Light"),
        text("V:c", owner, alias("V:a"), "Bold"),
        owner=owner,
    )
    assert findings_with(findings(graph), "font-weight-slant") == [
        (
            "Theme",
            "2 font weights are also italic or oblique; outputs contain only the weight"
            ' (a "Bold Italic", b "Light Oblique")',
        )
    ]


def test_the_types_of_a_merged_graph_follow_from_its_values():
    owner = collection("C:1")
    graph, _ = of(
        text("V:a", owner, "Bold", "Bold"),
        text("V:b", owner, "Roman", "Bold"),
        text("V:c", owner, alias("V:a"), "Bold"),
        owner=owner,
    )
    edited = {"a": ("Roman", "Bold"), "b": ("Bold", 600.0)}
    merged = TokenGraph(
        graph.collections.values(),
        (
            each if (values := edited.get(each.key.path)) is None else replaced(each, values)
            for each in graph.tokens.values()
        ),
    )
    assert types(with_weights(merged, TypeRules())) == {"a": "string", "b": AS_TEXT, "c": "string"}
    assert with_weights(graph, TypeRules()) is graph


def replaced(token, values):
    from msgspec.structs import replace

    return replace(token, values=values)


def test_long_chains_and_wide_fans_take_linear_time():
    owner = collection("C:1", modes=["Light"])
    count = 5_000
    chain = [text(f"V:{at}", owner, alias(f"V:{at + 1}")) for at in range(count)]
    fan = [text(f"V:f{at}", owner, alias("V:0")) for at in range(count)]
    document = response([owner], [*chain, text(f"V:{count}", owner, "Roman"), *fan])
    before = time.process_time()
    graph, (problem,) = graph_of(document)
    assert time.process_time() - before < 5
    assert set(types(graph).values()) == {"string"}
    assert f"so {2 * count + 1} variables stay strings" in problem.what


def test_a_text_of_which_only_overrides_are_known_is_a_string():
    owner = collection("C:1")
    brand = extension("C:2", "Theme / Brand", owner, {"V:unknown": ["Bold", "Light"]})
    rules = TypeRules([TypeRule(type="fontWeight")])
    graph, _ = of(text("V:a", owner, "Bold", "Bold"), owner=owner, more=[brand], rules=rules)
    assert [each.type for each in graph.tokens.values() if each.origin == "absent"] == ["string"]
    assert with_weights(graph, rules) is graph
