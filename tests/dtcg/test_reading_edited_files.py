"""Token files written by hand: all of DTCG is read, and every problem is reported with its location."""

from __future__ import annotations

import json

import pytest

from tokensync.dtcg import format_bytes, read
from tokensync.tokens import Alias, Color, Composite, Quantity, TokenKey, float32

FILE = "ds"
PATH = "ds/color/mode.tokens.json"


def graph_of(tokens, *, path=PATH, **more):
    files = {
        path: json.dumps({"color": tokens}).encode(),
        **{name: json.dumps(each).encode() for name, each in more.items()},
    }
    return read(files, FILE)


def value_of(token, **others):
    graph, problems = graph_of({"t": token, **others})
    assert [str(each) for each in problems] == []
    return graph.tokens[TokenKey(FILE, "color", "t")].values[0]


def faults(text, path=PATH):
    raw = text if isinstance(text, bytes) else text.encode()
    return [(each.code, each.where) for each in read({path: raw}, FILE)[1]]


def problem_of(token, **others):
    (problem,) = graph_of({"t": token, **others})[1]
    return problem


@pytest.mark.parametrize(
    ("token_type", "value", "read_as"),
    [
        ("color", {"colorSpace": "srgb", "components": [1, 0.9, 0]}, Color(1.0, float32(0.9), 0.0)),
        ("color", {"colorSpace": "srgb", "components": ["none", 1, 0], "alpha": 0.5}, Color(0.0, 1.0, 0.0, 0.5)),
        ("color", {"colorSpace": "hsl", "components": [120, 100, 50]}, Color(0.0, 1.0, 0.0)),
        ("color", {"colorSpace": "hwb", "components": [120, 100, 100]}, Color(0.5, 0.5, 0.5)),
        ("color", {"colorSpace": "hwb", "components": [0, 0, 0]}, Color(1.0, 0.0, 0.0)),
        ("color", {"colorSpace": "hwb", "components": [0, 20, 40]}, Color(float32(0.6), float32(0.2), float32(0.2))),
        ("color", {"colorSpace": "srgb-linear", "components": [1, 0, 0]}, Color(1.0, 0.0, 0.0)),
        (
            "color",
            {"colorSpace": "srgb-linear", "components": [0.003, 0.02, 0.5]},
            Color(float32(0.03876), float32(0.15170371532440186), float32(0.7353569830524495)),
        ),
        ("number", 0.9, float32(0.9)),
        ("number", -0.0, 0.0),
        ("dimension", {"value": 16, "unit": "px"}, 16.0),
        ("dimension", {"value": 1.5, "unit": "rem"}, Quantity(1.5, "rem")),
        ("duration", {"value": 200, "unit": "ms"}, Quantity(200.0, "ms")),
        ("fontWeight", 350, 350.0),
        ("fontWeight", "semi-bold", 600.0),
        ("fontFamily", "Inter", "Inter"),
        ("fontFamily", ["Inter", "sans-serif"], Composite('["Inter","sans-serif"]')),
        ("cubicBezier", [0, -1, 1, 2], Composite("[0,-1,1,2]")),
        ("strokeStyle", "dashed", Composite('"dashed"')),
        ("string", "text", "text"),
        ("boolean", True, True),
    ],
)
def test_every_type_is_read(token_type, value, read_as):
    assert value_of({"$type": token_type, "$value": value}) == read_as


def test_a_type_is_inherited_from_the_group_and_an_alias_has_its_targets_type():
    tokens = {
        "$type": "dimension",
        "space": {"sm": {"$value": {"value": 4, "unit": "px"}}, "n": {"$type": "number", "$value": 1}},
        "of-alias": {"$value": "{color.space.n}"},
        "of-chain": {"$value": "{color.of-alias}"},
    }
    graph, problems = graph_of(tokens)
    assert problems == ()
    assert [(key.path, each.type) for key, each in graph.tokens.items()] == [
        ("space.sm", "dimension"),
        ("space.n", "number"),
        ("of-alias", "number"),
        ("of-chain", "number"),
    ]


@pytest.mark.parametrize(
    "reference",
    [
        {"$value": "{color.a.b}"},
        {"$ref": "#/color/a/b"},
        {"$value": {"$ref": "#/color/a/b"}},
        {"$value": {"$ref": "#/color/a/b/$value"}},
    ],
)
def test_every_spelling_of_a_reference_is_an_alias(reference):
    assert value_of(reference, a={"b": {"$type": "number", "$value": 1}}) == Alias(TokenKey(FILE, "color", "a.b"))


def test_a_pointer_into_a_value_is_replaced_by_that_part():
    brand = {"$type": "color", "$value": {"colorSpace": "srgb", "components": [1, 0, 0]}}
    value = {"colorSpace": "srgb", "components": {"$ref": "#/color/brand/$value/components"}, "alpha": 0.5}
    assert value_of({"$type": "color", "$value": value}, brand=brand) == Color(1.0, 0.0, 0.0, 0.5)
    channel = {"$type": "number", "$value": {"$ref": "#/color/brand/$value/components/0"}}
    assert value_of(channel, brand=brand) == 1.0


def test_a_root_token_has_the_path_of_its_group():
    tokens = {"a": {"$root": {"$type": "number", "$value": 1}, "b": {"$type": "number", "$value": "{color.a.$root}"}}}
    graph, problems = graph_of(tokens)
    assert problems == ()
    assert [key.path for key in graph.tokens] == ["a", "a.b"]
    assert graph.tokens[TokenKey(FILE, "color", "a.b")].values == (Alias(TokenKey(FILE, "color", "a")),)


def test_groups_extend_groups():
    tokens = {
        "base": {"$type": "number", "x": {"$value": 1}, "y": {"$value": 2}},
        "more": {"$extends": "{color.base}", "y": {"$value": 3}, "z": {"$value": 4}},
    }
    graph, problems = graph_of(tokens)
    assert problems == ()
    assert {key.path: each.values for key, each in graph.tokens.items()} == {
        "base.x": (1.0,),
        "base.y": (2.0,),
        "more.x": (1.0,),
        "more.y": (3.0,),
        "more.z": (4.0,),
    }


def test_deprecation_extends_to_the_tokens_of_a_group():
    one = {"$type": "number", "$value": 1}
    graph, _ = graph_of({"old": {"$deprecated": "use new", "a": one, "b": {**one, "$deprecated": False}}, "c": one})
    assert [each.deprecated for each in graph.tokens.values()] == ["use new", False, False]
    graph, _ = graph_of({"old": {"$deprecated": "use new", "inner": {"a": one, "more": {"b": one}}}})
    assert [each.deprecated for each in graph.tokens.values()] == ["use new", "use new"]


def test_files_without_our_extension_are_collections_and_modes():
    one = {"color": {"a": {"$type": "number", "$value": 1}}}
    two = {"color": {"a": {"$type": "number", "$value": 2}}}
    files = {
        "ds/color/light.tokens.json": one,
        "ds/color/dark.tokens.json": two,
        "ds/other.txt": {},
        "x/a/b.tokens.json": {},
    }
    graph, problems = read({path: json.dumps(each).encode() for path, each in files.items()}, FILE)
    assert problems == ()
    (family,) = graph.collections.values()
    assert (family.name, [mode.name for mode in family.modes]) == ("color", ["dark", "light"])
    assert graph.tokens[TokenKey(FILE, "color", "a")].values == (2.0, 1.0)


def test_the_resolver_document_determines_the_order_of_modes():
    one = json.dumps({"color": {"a": {"$type": "number", "$value": 1}}}).encode()
    resolver = {
        "version": "2025.10",
        "modifiers": {"color": {"contexts": {"light": [], "dark": []}}},
        "resolutionOrder": [{"$ref": "#/modifiers/color"}],
    }
    files = {"ds/color/light.tokens.json": one, "ds/color/dark.tokens.json": one}
    graph, _ = read({**files, "ds.resolver.json": json.dumps(resolver).encode()}, FILE)
    assert [mode.slug for mode in graph.collections[FILE, "color"].modes] == ["light", "dark"]


def test_nested_and_abbreviated_figma_extensions_are_read():
    nested = {"com.figma": {"hiddenFromPublishing": True, "scopes": ["STROKE"], "codeSyntax": {"Web": "x"}, "more": 1}}
    graph, problems = graph_of({"t": {"$type": "number", "$value": 1, "$extensions": nested}})
    (token,) = graph.tokens.values()
    assert problems == ()
    assert (token.hidden, token.scopes, token.code_syntax) == (True, ("STROKE_COLOR",), (("WEB", "x"),))
    assert json.loads(token.extensions) == {"com.figma": {"more": 1}}


@pytest.mark.parametrize("spelling", ["targetVariableId", "targetVariableID"])
def test_a_resolved_value_with_figmas_alias_data_is_an_alias(spelling):
    data = {"com.figma.aliasData": {spelling: "VariableID:1:1"}}
    known = {**NUMBER, "$extensions": {"com.figma.variableId": "VariableID:1:1"}}
    graph, problems = graph_of({"t": {**NUMBER, "$extensions": data}, "known": known})
    token = graph.tokens[TokenKey(FILE, "color", "t")]
    assert problems == ()
    assert (token.values, token.extensions) == ((Alias(TokenKey(FILE, "color", "known")),), "")
    graph, _ = graph_of({"t": {**NUMBER, "$extensions": data}})
    (token,) = graph.tokens.values()
    assert (token.values, json.loads(token.extensions)) == ((1.0,), data)


def test_a_token_in_two_files_of_one_mode_is_an_error():
    text = b'{"color": {"x": {"$type": "number", "$value": 1}}}'
    problems = read({PATH: text, "ds/.deleted/color/mode.tokens.json": text}, FILE)[1]
    assert [(each.code, each.where.partition(":")[0]) for each in problems] == [
        ("token-repeated", "ds/.deleted/color/mode.tokens.json")
    ]


def test_a_number_with_figmas_type_boolean_is_a_boolean():
    token = {"$type": "number", "$value": 1, "$extensions": {"com.figma.type": "boolean"}}
    assert value_of(token) is True


def srgb(*components, **more):
    return {"colorSpace": "srgb", "components": list(components), **more}


@pytest.mark.parametrize(
    ("token_type", "value", "within"),
    [
        ("number", {"value": 1, "unit": "rem"}, ""),
        ("number", True, ""),
        ("number", 10**400, ""),
        ("number", 2**53 + 1, ""),
        ("dimension", {"value": 1e301, "unit": "rem"}, "/value"),
        ("dimension", "4 vh", ""),
        ("dimension", {"value": 4, "unit": "vh"}, "/unit"),
        ("dimension", {"value": "four", "unit": "px"}, "/value"),
        ("color", "ff0000", ""),
        ("color", srgb(1, 2, 0), "/components/1"),
        ("color", srgb(1, True, 0), "/components/1"),
        ("color", srgb(1), "/components"),
        ("color", {"colorSpace": "hsl", "components": [360, 0, 0]}, "/components/0"),
        ("color", srgb(1, 1, 1, alpha=2), "/alpha"),
        ("color", srgb(1, 1, 1, hex="white"), "/hex"),
        ("color", srgb(1, 1, 1, gamma=1), "/gamma"),
        ("color", {"colorSpace": "hsv", "components": [1, 1, 1]}, "/colorSpace"),
        ("fontWeight", 0, ""),
        ("fontWeight", "Bold Italic", ""),
        ("duration", {"value": 1, "unit": "px"}, "/unit"),
        ("cubicBezier", [2, 0, 0, 0], ""),
        ("shadow", {"blur": {}}, "/blur"),
        ("shadow", {"x": 1}, ""),
        ("border", {"color": "{color.t}", "width": {}, "style": "solid"}, "/width"),
        ("typography", {}, ""),
        ("gradient", [], ""),
        ("strokeStyle", "wavy", ""),
        ("string", 1, ""),
    ],
)
def test_an_invalid_value_is_reported_at_its_pointer(token_type, value, within):
    problem = problem_of({"$type": token_type, "$value": value})
    assert problem.code == "token-value"
    assert problem.where.endswith(f"(#/color/t/$value{within})")


def test_a_hex_that_differs_from_the_components_is_an_error_with_both_values():
    components = [float32(each / 255) for each in (0x0D, 0x11, 0x17)]
    problem = problem_of({"$type": "color", "$value": srgb(*components, hex="#FF0000")})
    assert (problem.code, problem.severity) == ("token-value", "error")
    assert problem.where.endswith("(#/color/t/$value/hex)")
    assert problem.what == "hex is #ff0000, but the components are #0d1117"
    of_hex = '{"colorSpace": "srgb", "components": [1, 0, 0], "hex": "#ff0000"}'
    of_components = '{"colorSpace": "srgb", "components": [0.050980393, 0.06666667, 0.09019608], "hex": "#0d1117"}'
    assert problem.what_to_do == f"write {of_hex} for hex, or {of_components} for the components"
    assert problem_of({"$type": "color", "$value": srgb(*components, hex="#0d1118")}).code == "token-value"


@pytest.mark.parametrize(
    "value",
    [
        srgb(0.051, 0.067, 0.09, hex="#0D1117"),
        srgb(0.5, 0.5, 0.5, hex="#7f7f7f"),
        srgb(0.5, 0.5, 0.5, hex="#808080"),
        {"colorSpace": "hsl", "components": [216, 28, 7], "hex": "#0d1117"},
    ],
)
def test_a_hex_that_differs_only_by_rounding_is_valid(value):
    assert isinstance(value_of({"$type": "color", "$value": value}), Color)


def test_the_advice_for_an_invalid_name_is_its_encoded_form():
    (problem,) = graph_of({"v1.2": NUMBER})[1]
    assert problem.what_to_do == "rename it, or write 'v1%2E2'"


def test_formatting_does_not_change_a_hex_that_differs_from_the_components():
    tree = {"color": {"t": {"$type": "color", "$value": srgb(0, 0, 0, hex="#ff0000")}}}
    assert json.loads(format_bytes(json.dumps(tree).encode())) == tree


NUMBER = {"$type": "number", "$value": 1}


@pytest.mark.parametrize(
    ("token", "code", "within"),
    [
        ({"$type": "Color", "$value": 1}, "token-type", "/$type"),
        ({"$value": 1}, "token-type", ""),
        ({"$type": "number", "$value": "{color.nothing}"}, "token-reference", "/$value"),
        ({"$type": "number", "$value": "{}"}, "token-reference", "/$value"),
        ({"$type": "number", "$ref": "#/color/nothing"}, "token-reference", "/$ref"),
        ({"$type": "number", "$value": {"$ref": "elsewhere.json#/a"}}, "token-reference", "/$value/$ref"),
        ({**NUMBER, "t": {}}, "tokens-structure", "/t"),
        ({**NUMBER, "$unknown": {}}, "tokens-member-unknown", "/$unknown"),
        ({**NUMBER, "$description": 1}, "token-member", "/$description"),
        ({**NUMBER, "$deprecated": 1}, "token-member", "/$deprecated"),
        ({**NUMBER, "$extensions": []}, "token-member", "/$extensions"),
        ({**NUMBER, "$extensions": {"com.figma.scopes": 1}}, "token-member", "/$extensions/com.figma.scopes"),
        ({**NUMBER, "$extensions": {"org.tokensync": {"key": 1}}}, "token-member", "/$extensions/org.tokensync/key"),
        ("text", "tokens-structure", ""),
        ({"$extends": "{color.nothing}"}, "group-extends", "/$extends"),
        ({"$extends": "{color}"}, "group-extends", "/$extends"),
    ],
)
def test_an_invalid_token_or_group_is_reported_at_its_pointer(token, code, within):
    problem = problem_of(token)
    assert problem.code == code
    assert problem.where.endswith(f"(#/color/t{within})")


@pytest.mark.parametrize(
    ("member", "what_to_do"),
    [
        ({}, 'make it a group, with the token as "$root"'),
        ("text", "remove it, or move it into $extensions"),
        (1, "remove it, or move it into $extensions"),
    ],
)
def test_the_advice_for_a_member_without_dollar_sign_fits_its_value(member, what_to_do):
    assert problem_of({**NUMBER, "note": member}).what_to_do == what_to_do


@pytest.mark.parametrize(
    ("token", "member"),
    [
        ({"$type": "number", "$valeu": 1}, "$value"),
        ({"$tpye": "number", "$value": 1}, "$type"),
        ({**NUMBER, "$Description": ""}, "$description"),
        ({**NUMBER, "$extension": {}}, "$extensions"),
        ({"a": NUMBER, "$extend": "{color.a}"}, "$extends"),
    ],
)
def test_a_mistyped_member_is_an_error_with_the_nearest_member(token, member):
    (problem,) = (each for each in graph_of({"t": token})[1] if each.code == "tokens-member-mistyped")
    assert problem.severity == "error"
    assert problem.what_to_do == f"write {member}, or move it into $extensions"


@pytest.mark.parametrize("member", ["$scale", "$figmaType", "$description_de", "$value2"])
def test_a_member_that_somebody_chose_is_not_mistyped(member):
    assert problem_of({**NUMBER, member: {}}).code == "tokens-member-unknown"


@pytest.mark.parametrize("written", ["colour", "dimension"])
@pytest.mark.parametrize("value", ["{color.other}", {"$ref": "#/color/other"}])
def test_the_type_of_an_alias_is_checked_in_every_mode(written, value):
    other = {"$type": "color", "$value": srgb(0, 0, 0)}
    dark = {"color": {"other": other, "t": {"$type": written, "$value": value}}}
    problems = graph_of(
        {"other": other, "t": {"$type": "color", "$value": value}}, **{"ds/color/night.tokens.json": dark}
    )[1]
    (problem,) = (each for each in problems if each.severity == "error")
    assert (problem.code, problem.what) == (
        "token-type",
        f"its type is '{written}' here and 'color' in the default mode",
    )
    assert problem.where.startswith("ds/color/night.tokens.json") and problem.where.endswith("(#/color/t/$type)")


def test_a_type_that_another_mode_inherits_from_a_group_is_checked():
    dark = {"color": {"$type": "dimension", "t": {"$value": srgb(0, 0, 0)}}}
    problems = graph_of({"t": {"$type": "color", "$value": srgb(0, 0, 0)}}, **{"ds/color/night.tokens.json": dark})[1]
    assert [each.code for each in problems if each.severity == "error"] == ["token-type"]


def test_the_advice_for_a_mistyped_type_is_the_nearest_one():
    assert problem_of(
        {"$type": "colour", "$value": "{color.a}"}, a={"$type": "color", "$value": srgb(0, 0, 0)}
    ).what_to_do == ('write "color"')


def test_a_stored_value_in_an_unknown_form_is_reported():
    problem = problem_of({**NUMBER, "$extensions": {"org.tokensync": {"value": {"x": 1}}}})
    assert problem.code == "token-value"
    assert problem.where.endswith("(#/color/t/$extensions/org.tokensync/value)")


def test_the_advice_for_a_reference_to_a_group_is_its_root():
    group = {"$root": {"$type": "number", "$value": 1}, "x": {"$type": "number", "$value": 1}}
    problem = problem_of({"$type": "number", "$value": "{color.g}"}, g=group)
    assert problem.code == "token-reference"
    assert "{color.g.$root}" in problem.what_to_do
    problem = problem_of({"$type": "number", "$value": "{color.g}"}, g={"x": {"$type": "number", "$value": 1}})
    assert "names a group" in problem.what


@pytest.mark.parametrize("broken", [b"{", b"[]"])
def test_references_into_an_unreadable_file_are_not_reported(broken):
    tokens = {
        "a": {"$type": "number", "$value": "{size.x}"},
        "b": {"$ref": "#/size/x", "$type": "number"},
        "c": {"$type": "number", "$value": "{nothing.x}"},
    }
    files = {PATH: json.dumps({"color": tokens}).encode(), "ds/size/mode.tokens.json": broken}
    graph, problems = read(files, FILE)
    assert [each.where.rpartition("#")[2].rstrip(")") for each in problems if each.code == "token-reference"] == [
        "/color/c/$value"
    ]
    assert len(problems) == 2
    assert not graph.tokens


def test_a_reference_to_another_kind_of_token_is_an_error():
    assert (
        problem_of({"$type": "color", "$value": "{color.n}"}, n={"$type": "number", "$value": 1}).code
        == "token-reference-type"
    )


def test_a_cycle_of_references_is_reported_for_each_of_its_tokens():
    tokens = {"a": {"$type": "number", "$value": "{color.b}"}, "b": {"$type": "number", "$value": "{color.a}"}}
    graph, problems = graph_of(tokens)
    assert [(each.code, each.severity) for each in problems] == [("token-cycle", "warning")] * 2
    assert len(graph.tokens) == 2


def test_a_repeated_variable_id_is_reported():
    one = {"$type": "number", "$value": 1, "$extensions": {"com.figma.variableId": "VariableID:1:1"}}
    (problem,) = graph_of({"a": one, "b": one})[1]
    assert (problem.code, problem.severity) == ("token-id-repeated", "warning")
    assert "color / a" in problem.what


def test_an_edited_value_that_differs_from_the_stored_value_is_reported():
    stored = {"org.tokensync": {"value": {"string": "{x}"}}}
    assert value_of({"$type": "string", "$value": "%7Bx}", "$extensions": stored}) == "{x}"
    assert problem_of({"$type": "string", "$value": "edited", "$extensions": stored}).code == "token-value-stale"


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ('{"color": {\n  "a": nope}}', "tokens-malformed", f"{PATH}:2:8"),
        ("", "tokens-malformed", f"{PATH}:1:1"),
        ('{"color": {}', "tokens-malformed", f"{PATH}:1:13"),
        ('{"color": {},}', "tokens-malformed", f"{PATH}:1:14"),
        ('{"color": {"a": NaN}}', "tokens-malformed", f"{PATH}:1:17"),
        ('{"color": {},\n "color": {}}', "tokens-name-repeated", f"{PATH}:2:2"),
        ('{"color" : {},\n "color": {}}', "tokens-name-repeated", f"{PATH}:2:2"),
        ('{"color": {},\n "co\\u006cor": {}}', "tokens-name-repeated", f"{PATH}:2:2"),
        ('{"color": {"a": {"$type": "number", "$value": 1e400}}}', "tokens-number", f"{PATH}:1:47"),
        (b'{"color": "\xff"}', "tokens-malformed", f"{PATH}:1:11"),
        ("[]", "tokens-structure", f"{PATH}:1:1 (#)"),
        ('{"other": {}}', "tokens-root-group", f"{PATH}:1:11 (#/other)"),
        ('{"color": {}, "b": {}}', "tokens-root-group", f"{PATH}:1:20 (#/b)"),
        ('{"color": {"": {}}}', "tokens-name", f"{PATH}:1:16 (#/color/)"),
        ('{"color": {"a.b": {}}}', "tokens-name", f"{PATH}:1:19 (#/color/a.b)"),
        ('{"color": {"{a}": {}}}', "tokens-name", f"{PATH}:1:19 (#/color/{{a}})"),
        ('{"color": {"$x": {}}}', "tokens-member-unknown", f"{PATH}:1:18 (#/color/$x)"),
        ('{"$value": 1}', "tokens-structure", f"{PATH}:1:1 (#)"),
        ('{"color": {"$value": 1}}', "tokens-root-group", f"{PATH}:1:11 (#/color)"),
        ('{"color": {"$root": {"$value": 1}}}', "tokens-root-group", f"{PATH}:1:21 (#/color/$root)"),
    ],
)
def test_a_problem_of_a_file_is_reported_with_its_location(text, code, where):
    assert (code, where) in faults(text)


@pytest.mark.parametrize("text", ['{"a":' * 200_000, "[" * 200_000, '{"color":{"a":' + "[" * 200_000])
def test_endless_nesting_is_a_problem(text):
    assert [code for code, _ in faults(text)] == ["tokens-malformed"]


def test_thousands_of_nested_groups_are_read():
    deep = '{"color":' + '{"a":' * 5000 + '{"$type":"number","$value":1}' + "}" * 5001
    graph, problems = read({PATH: deep.encode()}, FILE)
    assert problems == ()
    assert [key.path.count(".") for key in graph.tokens] == [4999]


def test_deeply_nested_values_do_not_crash():
    for depth in (100, 900, 5000):
        nested = "[" * depth + "]" * depth
        for member in (
            f'"$value": {nested}',
            f'"$value": 1, "$extensions": {{"x": {nested}}}',
            f'"$value": {{"$ref": {nested}}}',
        ):
            text = f'{{"color": {{"a": {{"$type": "number", {member}}}}}}}'
            read({PATH: text.encode()}, FILE)
            assert format_bytes(format_bytes(text.encode())) == format_bytes(text.encode())


def test_all_problems_of_all_files_are_reported_in_order():
    bad = b'{"color": {"a": {"$value": 1}, "b": {"$type": "x", "$value": 1}}}'
    problems = read({PATH: bad, "ds/color/other.tokens.json": b"{"}, FILE)[1]
    assert [each.code for each in problems] == ["token-type", "token-type", "tokens-malformed"]
    assert len({each.where for each in problems}) == 3


def test_an_invalid_resolver_document_is_reported():
    assert [each.code for each in read({"ds.resolver.json": b'{"version": "2024"}'}, FILE)[1]] == ["resolver-structure"]
    assert [each.code for each in read({"ds.resolver.json": b"{"}, FILE)[1]] == ["tokens-malformed"]


def resolver_with(reference):
    contexts = {"light": [{"$ref": "ds/color/light.tokens.json"}], "dark": [{"$ref": reference}]}
    document = {
        "version": "2025.10",
        "modifiers": {"color": {"contexts": contexts}},
        "resolutionOrder": [{"$ref": "#/modifiers/color"}],
    }
    one = json.dumps({"$extensions": {"org.tokensync": {}}, "color": {"a": NUMBER}}).encode()
    files = {"ds.resolver.json": json.dumps(document).encode(), "ds/color/light.tokens.json": one}
    problems = read({**files, "ds/color/größe 1.tokens.json": one}, FILE)[1]
    return tuple(each for each in problems if each.code != "mode-unregistered")


def test_a_missing_source_of_a_modifier_is_an_error_with_its_location():
    (problem,) = resolver_with("ds/color/dark.tokens.json")
    assert (problem.code, problem.severity) == ("resolver-source-absent", "error")
    assert problem.where.startswith("ds.resolver.json:1:")
    assert problem.where.endswith("(#/modifiers/color/contexts/dark/0/$ref)")
    assert "ds/color/dark.tokens.json" in problem.what
    assert problem.what_to_do.startswith("restore it from git; if you deleted it on purpose, ")


def test_a_missing_source_of_a_set_is_an_error():
    sources = [{"$ref": "ds/a/b.tokens.json"}]
    document = {"version": "2025.10", "sets": {"a": {"sources": sources}}, "resolutionOrder": [{"$ref": "#/sets/a"}]}
    (problem,) = read({"ds.resolver.json": json.dumps(document).encode()}, FILE)[1]
    assert problem.code == "resolver-source-absent"
    assert problem.where.endswith("(#/sets/a/sources/0/$ref)")


@pytest.mark.parametrize(
    "reference",
    [
        "../../../../etc/passwd",
        "ds/../other/color/dark.tokens.json",
        "ds/%2e%2e/%2e%2e/secret",
        "/etc/passwd",
        "http://example.com/ds/color/dark.tokens.json",
        "file:///etc/passwd",
    ],
)
def test_a_source_outside_the_files_folder_is_an_error(reference):
    (problem,) = resolver_with(reference)
    assert problem.code == "resolver-structure"
    assert reference in problem.what


@pytest.mark.parametrize(
    "reference",
    ["ds/color/light.tokens.json", "./ds/color/light.tokens.json", "ds/color/größe%201.tokens.json", "#/sets/base"],
)
def test_existing_sources_are_accepted_in_every_notation(reference):
    assert resolver_with(reference) == ()


def test_a_type_that_changes_with_the_mode_is_an_error():
    files = {
        "ds/color/a.tokens.json": b'{"color": {"x": {"$type": "number", "$value": 1}}}',
        "ds/color/b.tokens.json": b'{"color": {"x": {"$type": "dimension", "$value": {"value": 1, "unit": "px"}}}}',
    }
    assert [each.code for each in read(files, FILE)[1]] == ["token-type"]


class TestGroupsThatReferToGroups:
    """A group's ``$ref`` to a group means the same as its ``$extends``."""

    @pytest.mark.parametrize("spelled", [{"$extends": "{color.base}"}, {"$ref": "#/color/base"}])
    def test_it_has_the_tokens_of_both(self, spelled):
        tree = {"base": {"a": NUMBER, "b": NUMBER}, "x": {**spelled, "b": {**NUMBER, "$value": 7}}}
        graph, problems = read({PATH: json.dumps({"color": tree}).encode()}, FILE)
        assert problems == ()
        values = {key.path: token.values for key, token in graph.tokens.items()}
        assert values == {"base.a": (1,), "base.b": (1,), "x.a": (1,), "x.b": (7,)}

    def test_it_may_be_all_of_a_group_and_lead_to_another_reference(self):
        tree = {"base": {"a": NUMBER}, "x": {"$ref": "#/color/y"}, "y": {"$ref": "#/color/base"}}
        graph, problems = read({PATH: json.dumps({"color": tree}).encode()}, FILE)
        assert problems == ()
        assert [key.path for key in graph.tokens] == ["base.a", "x.a", "y.a"]

    def test_a_reference_to_a_token_stays_a_token(self):
        tree = {"base": {"a": NUMBER}, "x": {"$ref": "#/color/base/a"}}
        graph, problems = read({PATH: json.dumps({"color": tree}).encode()}, FILE)
        assert problems == ()
        assert [key.path for key in graph.tokens] == ["base.a", "x"]

    def test_it_cannot_also_extend(self):
        tree = {"base": {"a": NUMBER}, "x": {"$ref": "#/color/base", "$extends": "{color.base}"}}
        _, problems = read({PATH: json.dumps({"color": tree}).encode()}, FILE)
        assert [each.code for each in problems] == ["group-extends"]

    def test_a_cycle_is_reported(self):
        tree = {"x": {"$ref": "#/color/y", "a": NUMBER}, "y": {"$ref": "#/color/x", "b": NUMBER}, "z": {"c": NUMBER}}
        _, problems = read({PATH: json.dumps({"color": tree}).encode()}, FILE)
        assert problems
        assert all(each.severity == "error" for each in problems)
