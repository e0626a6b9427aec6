"""Resolver documents that tokensync did not write are read as DTCG 2025.10 says, or refused."""

from __future__ import annotations

import json

import pytest
from dtcg.plain_flattening import extended, flattened, inputs, value_of
from hypothesis import given
from hypothesis import strategies as st

from tokensync.dtcg import read
from tokensync.tokens import Color, Theme, Unresolved

FILE = "ds"
NAMES = ("a", "b", "c.d", "c.e", "c.$root", "f.g.h")
MODIFIERS = {"theme": ("light", "dark", "dim"), "size": ("small", "big"), "brand": ("x", "y")}


def number(value):
    return {"$type": "number", "$value": value}


def document(order, sets=(), modifiers=(), **more):
    return {
        "version": "2025.10",
        "sets": dict(sets),
        "modifiers": dict(modifiers),
        "resolutionOrder": [{"$ref": each} if isinstance(each, str) else each for each in order],
        **more,
    }


def graph_of(tree, files=()):
    texts = {path: json.dumps(content).encode() for path, content in dict(files).items()}
    return read({**texts, f"{FILE}.resolver.json": json.dumps(tree).encode()}, FILE)


def values_in(graph, chosen):
    """Return the value of each declared token by path, in the contexts with these names; None without a value."""
    families = graph.collections.values()
    modes = [(each, [mode.name for mode in each.modes]) for each in families if each.name in chosen]
    theme = Theme("", tuple((each.key, names.index(chosen[each.name])) for each, names in modes if len(names) > 1))
    resolve = graph.resolver(theme)
    results = {key.path: resolve(key) for key, token in graph.tokens.items() if token.origin == "local"}
    return {path: None if isinstance(each, Unresolved) else each for path, each in results.items()}


def nested(tokens):
    tree = {}
    for path, node in tokens.items():
        group = tree
        *groups, name = path.split(".")
        for step in groups:
            group = group.setdefault(step, {})
        group[name] = node
    return tree


@st.composite
def documents(draw):
    """Return a document and its files: sets and modifiers in any order that override each other's tokens."""
    value = st.one_of(st.integers(0, 99), st.sampled_from([f"{{{each}}}" for each in NAMES]))
    files = {}

    def source():
        tree = nested({path: number(draw(value)) for path in draw(st.sets(st.sampled_from(NAMES), max_size=3))})
        if draw(st.booleans()):
            return tree
        path = f"some/folder/{len(files)}/{'deep/' * (len(files) % 3)}tokens.json"
        files[path] = tree
        return {"$ref": path}

    def sources(most):
        return [source() for _ in range(draw(st.integers(0, most)))]

    sets = {name: {"sources": sources(3)} for name in ("base", "more", "inner")}
    modifiers = {}
    for name in draw(st.lists(st.sampled_from([*MODIFIERS]), unique=True)):
        contexts = {each: sources(2) for each in MODIFIERS[name]}
        if draw(st.booleans()):
            contexts[MODIFIERS[name][0]].append({"$ref": "#/sets/inner"})
        modifiers[name] = {"contexts": contexts, "default": draw(st.sampled_from(MODIFIERS[name]))}
    order = ["#/sets/base", "#/sets/more", *(f"#/modifiers/{name}" for name in modifiers)]
    if draw(st.booleans()):
        order.append({"name": "last", "type": "set", "sources": sources(1)})
    return document(draw(st.permutations(order)), sets.items(), modifiers.items()), files


@given(documents())
def test_every_token_has_the_value_of_the_specification_in_every_combination_of_contexts(generated):
    tree, files = generated
    graph, problems = graph_of(tree, files)
    assert {each.severity for each in problems} <= {"warning", "note"}
    assert not {each.code for each in problems} - {"resolver-token-omitted", "token-cycle", "resolver-unused"}
    for chosen in inputs(tree):
        tokens = flattened(tree, files, chosen)
        expected = {path: value_of(tokens, path) for path in tokens}
        found = values_in(graph, chosen)
        for path in NAMES:
            assert found.get(path.removesuffix(".$root")) == expected.get(path), (chosen, path)


def test_a_set_is_a_collection_and_a_modifier_has_its_contexts_as_modes():
    modifiers = {"Theme": {"contexts": {"Light": [], "High contrast": [{"a": number(2)}]}, "default": "Light"}}
    graph, problems = graph_of(
        document(["#/sets/Base tokens", "#/modifiers/Theme"], {"Base tokens": {"sources": [{"b": number(1)}]}}.items(),
                 modifiers.items())
    )  # fmt: skip
    assert problems == ()
    shown = [(each.name, each.handle, [mode.context for mode in each.modes]) for each in graph.collections.values()]
    assert shown == [("Base tokens", "base-tokens", ["value"]), ("Theme", "theme", ["light", "high-contrast"])]
    assert values_in(graph, {"Theme": "High contrast"}) == {"b": 1, "a": 2}
    assert values_in(graph, {"Theme": "Light"}) == {"b": 1, "a": None}


def test_the_default_context_need_not_be_the_first():
    contexts = {"light": [{"a": number(1)}], "dark": [{"a": number(2)}]}
    graph, _ = graph_of(document(["#/modifiers/m"], modifiers=[("m", {"contexts": contexts, "default": "dark"})]))
    assert values_in(graph, {}) == {"a": 2}


def test_a_default_is_also_read_where_files_lie_as_tokensync_writes_them():
    contexts = {each: [{"$ref": f"ds/theme/{each}.tokens.json"}] for each in ("light", "dark")}
    files = {f"ds/theme/{each}.tokens.json": {"theme": {"a": number(at)}} for at, each in enumerate(contexts)}
    tree = document(["#/modifiers/theme"], modifiers=[("theme", {"contexts": contexts, "default": "dark"})])
    graph, problems = graph_of(tree, files)
    assert problems == ()
    assert values_in(graph, {}) == {"a": 1}


def test_a_context_without_files_is_a_mode():
    contexts = {"light": [{"$ref": "ds/theme/light.tokens.json"}], "dark": []}
    tree = document(["#/modifiers/theme"], modifiers=[("theme", {"contexts": contexts, "default": "light"})])
    graph, problems = graph_of(tree, {"ds/theme/light.tokens.json": {"theme": {"a": number(1)}}})
    assert problems == ()
    assert values_in(graph, {"theme": "light"}) == {"theme.a": 1}
    assert values_in(graph, {"theme": "dark"}) == {"theme.a": None}


def test_members_next_to_a_reference_override_it_shallowly():
    files = {"x.json": {"a": number(1), "g": {"b": number(2)}}}
    sets = {"s": {"sources": [{"$ref": "x.json", "g": {"c": number(3)}}]}}
    graph, problems = graph_of(document(["#/sets/s"], sets.items()), files)
    assert problems == ()
    assert values_in(graph, {}) == {"a": 1, "g.c": 3}
    modifiers = {"m": {"contexts": {"x": [{"a": number(1)}], "y": [{"a": number(2)}]}, "default": "x"}}
    graph, _ = graph_of(document([{"$ref": "#/modifiers/m", "default": "y"}], modifiers=modifiers.items()))
    assert values_in(graph, {}) == {"a": 2}


def test_references_lead_to_parts_of_files_to_definitions_and_to_sources_of_sets():
    files = {"x.json": {"one": {"a": number(1)}, "t/w~o": {"b": number(2)}}}
    sources = [{"$ref": "x.json#/one"}, {"$ref": "./x.json#/t~1w~0o"}, {"$ref": "#/$defs/d"}, {"$ref": "#/sets/t"},
               {"$ref": "#/sets/u/sources/0"}]  # fmt: skip
    sets = {"s": {"sources": sources}, "t": {"$ref": "#/sets/u"}, "u": {"sources": [{"c": number(3)}]}}
    graph, problems = graph_of(document(["#/sets/s"], sets.items(), **{"$defs": {"d": {"d": number(4)}}}), files)
    assert problems == ()
    assert values_in(graph, {}) == {"a": 1, "b": 2, "c": 3, "d": 4}


@pytest.mark.parametrize("slash", ["", "/"])
def test_a_pointer_may_lack_its_slash_as_in_the_specification(slash):
    files = {"example.json": {"sets": {"MySet": {"sources": [{"a": number(1)}]}}}}
    sets = {"s": {"sources": [{"$ref": f"#{slash}sets/t"}]}, "t": {"sources": [{"b": number(2)}]}}
    tree = document([f"example.json#{slash}sets/MySet", f"#{slash}sets/s"], sets.items())
    graph, problems = graph_of(tree, files)
    assert problems == ()
    assert values_in(graph, {}) == {"a": 1, "b": 2}


def test_the_components_are_the_value_of_a_colour_whose_hex_differs():
    green = {"colorSpace": "srgb", "components": [0, 1, 0]}
    tokens = {
        "a": {"$type": "color", "$value": {**green, "hex": "#ff0000"}},
        "b": {"$type": "color", "$value": {**green, "alpha": 0.5, "hex": "#ff0000ff"}},
        "c": {"$type": "gradient", "$value": [{"color": {**green, "hex": "#ff0000"}, "position": 0}]},
    }
    graph, problems = graph_of(document(["#/sets/s"], [("s", {"sources": [tokens]})]))
    assert {(each.code, each.severity) for each in problems} == {("token-notation", "note")}
    values = values_in(graph, {})
    assert (values["a"], values["b"]) == (Color(0.0, 1.0, 0.0), Color(0.0, 1.0, 0.0, 0.5))
    assert '"hex":"#00ff00"' in values["c"].json


def test_an_incomplete_composite_of_others_is_not_omitted():
    shadow = {"color": {"colorSpace": "srgb", "components": [0, 0, 0]}, "blurr": {"value": 1, "unit": "em"}}
    graph, problems = graph_of(
        document(["#/sets/s"], [("s", {"sources": [{"a": {"$type": "shadow", "$value": shadow}}]})])
    )
    assert {(each.code, each.severity) for each in problems} == {
        ("tokens-member-unknown", "warning"),
        ("composite-incomplete", "warning"),
    }
    assert json.loads(values_in(graph, {})["a"].json) == shadow


def test_a_mistyped_member_is_a_warning_in_files_of_others():
    tokens = {"a": {"$type": "number", "$valeu": 1}}
    (problem,) = graph_of(document(["#/sets/s"], [("s", {"sources": [tokens]})]))[1]
    assert (problem.code, problem.what_to_do) == ("tokens-member-unknown", "write $value, or move it into $extensions")


def test_an_override_without_a_type_has_that_of_the_token_or_of_a_group_of_another_source():
    sources = [
        {"g": {"$type": "number", "a": {"$value": 1}}, "b": number(1)},
        {"g": {"c": {"$value": 2}}, "b": {"$value": 3}},
    ]
    graph, problems = graph_of(document(["#/sets/s"], [("s", {"sources": sources})]))
    assert problems == ()
    assert values_in(graph, {}) == {"g.a": 1, "g.c": 2, "b": 3}


@pytest.mark.parametrize("spelled", [{"$extends": "{g}"}, {"$extends": "#/g"}, {"$ref": "#/g"}])
def test_a_group_extends_a_group_of_the_flattened_tokens(spelled):
    base = {"g": {"a": number(1), "b": number(2), "in": {"d": number(5)}}, "h": {**spelled, "b": number(3)}}
    contexts = {"x": [{"g": {"a": number(10)}}], "y": [{"h": {"c": number(4)}}]}
    modifiers = [("m", {"contexts": contexts, "default": "x"})]
    graph, problems = graph_of(document(["#/sets/s", "#/modifiers/m"], [("s", {"sources": [base]})], modifiers))
    assert problems == ()
    assert values_in(graph, {"m": "x"}) == {
        "g.a": 10, "g.b": 2, "g.in.d": 5, "h.a": 10, "h.b": 3, "h.in.d": 5, "h.c": None
    }  # fmt: skip
    assert values_in(graph, {"m": "y"})["h.a"] == 1
    assert values_in(graph, {"m": "y"})["h.c"] == 4


def test_groups_that_cannot_extend_are_reported():
    sources = [{"a": {"$extends": "{b}"}, "b": {"$extends": "{a}"}, "c": {"$extends": "{nothing}"},
                "d": {"$extends": "{t}"}, "t": number(1), "e": {"f": {"$extends": "{e}"}}}]  # fmt: skip
    _, problems = graph_of(document(["#/sets/s"], [("s", {"sources": sources})]))
    assert {each.code for each in problems} == {"group-extends"}
    assert sorted(each.what.partition(":")[0] for each in problems) == [
        "$extends refers to a token",
        "groups extend each other in a cycle",
        "groups extend each other in a cycle",
        "there is no group 'nothing'",
    ]
    modifiers = {
        name: {"contexts": {"x": [{"g": {"$extends": f"{{{target}}}"}}], "y": []}, "default": "x"}
        for name, target in (("m", "h"), ("n", "i"))
    }
    order = ["#/sets/s", "#/modifiers/m", "#/modifiers/n"]
    groups = {"h": {"a": number(1)}, "i": {"a": number(2)}}
    _, problems = graph_of(document(order, [("s", {"sources": [groups]})], modifiers.items()))
    assert [each.what for each in problems] == ["the group extends others in some contexts of several modifiers"]
    modifiers["n"]["contexts"] = {"x": [{"h": {"a": number(3)}}], "y": []}
    _, problems = graph_of(document(order, [("s", {"sources": [groups]})], modifiers.items()))
    assert [each.what for each in problems] == [
        "the group extends 'h' in some contexts only, and its tokens depend on another modifier, 'n'"
    ]


@st.composite
def documents_with_extends(draw):
    """Return a document whose groups extend earlier ones, in some contexts of a modifier and in sets."""
    groups = "abc"

    def source():
        tree = {}
        for at, name in enumerate(groups):
            tokens = draw(st.dictionaries(st.sampled_from("tu"), st.integers(0, 99).map(number), max_size=2))
            if at and draw(st.booleans()):
                tokens["$extends"] = f"{{{draw(st.sampled_from(groups[:at]))}}}"
            if tokens:
                tree[name] = tokens
        return tree

    contexts = {each: [source() for _ in range(draw(st.integers(0, 2)))] for each in "xyz"[: draw(st.integers(1, 3))]}
    sets = [(name, {"sources": [{each: {"v": number(0)} for each in groups}, source()]}) for name in ("s", "last")]
    sets[1][1]["sources"] = sets[1][1]["sources"][1:]
    order = ["#/sets/s", "#/modifiers/m", *draw(st.sampled_from([[], ["#/sets/last"]]))]
    return document(order, sets[: len(order) - 1], [("m", {"contexts": contexts, "default": "x"})])


@given(documents_with_extends())
def test_groups_inherit_what_the_specification_says_in_each_context(tree):
    graph, problems = graph_of(tree)
    assert [each for each in problems if each.severity == "error"] == []
    for chosen in inputs(tree):
        expected = {path: value for path, (_, value) in extended(tree, {}, chosen).items()}
        found = values_in(graph, chosen)
        assert {path: each for path, each in found.items() if each is not None} == expected, chosen


def test_a_modifier_with_one_context_is_a_collection_with_one_mode():
    modifiers = [("m", {"contexts": {"x": [{"a": number(1)}]}})]
    graph, problems = graph_of(document(["#/modifiers/m"], (), modifiers))
    assert problems == ()
    assert [[mode.name for mode in each.modes] for each in graph.collections.values()] == [["x"]]
    assert values_in(graph, {}) == {"a": 1}


def test_of_a_modifier_that_is_listed_twice_the_last_place_counts():
    sets = [("s", {"sources": [{"a": number(1), "b": number(2)}]})]
    modifiers = [("m", {"contexts": {"x": [{"a": number(3)}], "y": [{"b": number(4)}]}, "default": "x"})]
    tree = document(["#/modifiers/m", "#/sets/s", "#/modifiers/m"], sets, modifiers)
    graph, problems = graph_of(tree)
    assert problems == ()
    for chosen in inputs({**tree, "resolutionOrder": tree["resolutionOrder"][1:]}):
        assert values_in(graph, chosen) == {path: each for path, (_, each) in flattened(tree, {}, chosen).items()}


def test_a_pointer_into_a_value_is_followed_in_each_context():
    def color(*components):
        return {"$type": "color", "$value": {"colorSpace": "srgb", "components": [*components]}}

    base = {"b": {"$type": "color", "$value": {"colorSpace": "srgb", "components": {"$ref": "#/a/$value/components"}}},
            "c": {"$ref": "#/a"}}  # fmt: skip
    contexts = {"x": [{"a": color(1, 0, 0)}], "y": [{"a": color(0, 1, 0)}]}
    modifiers = [("m", {"contexts": contexts, "default": "x"})]
    graph, problems = graph_of(document(["#/sets/s", "#/modifiers/m"], [("s", {"sources": [base]})], modifiers))
    assert problems == ()
    for context, expected in (("x", (1, 0, 0, 1)), ("y", (0, 1, 0, 1))):
        values = values_in(graph, {"m": context})
        assert [values[each] for each in "abc"] == [Color(*expected)] * 3


def test_a_pointer_into_a_value_of_two_modifiers_is_refused():
    base = {"b": {"$type": "dimension", "$value": {"value": {"$ref": "#/a/$value"}, "unit": "px"}}}
    modifiers = {name: {"contexts": {"x": [], "y": [{"a": number(1)}]}, "default": "x"} for name in ("m", "n")}
    order = ["#/sets/s", "#/modifiers/m", "#/modifiers/n"]
    _, problems = graph_of(document(order, [("s", {"sources": [base]})], modifiers.items()))
    (problem,) = problems
    assert problem.code == "resolver-token-omitted"
    assert "depends on the modifiers m and n" in problem.what


def test_sets_cannot_multiply_their_sources():
    sets = {f"s{each}": {"sources": [{"$ref": f"#/sets/s{each + 1}"}] * 4} for each in range(40)}
    _, problems = graph_of(document(["#/sets/s0"], {**sets, "s40": TOKENS}.items()))
    assert [each.what for each in problems] == ["the sets and contexts have too many sources"]


def test_groups_cannot_multiply_their_tokens():
    groups = {f"g{each}": {name: {"$extends": f"{{g{each + 1}}}"} for name in "abcdefgh"} for each in range(12)}
    _, problems = graph_of(document(["#/sets/s"], [("s", {"sources": [{**groups, "g12": {"a": number(1)}}]})]))
    assert problems
    assert {each.what for each in problems} == {"the groups inherit too many tokens"}


def own(**listed):
    """Return a document of tokensync with two modes, and its files."""
    contexts = {each: [{"$ref": f"ds/theme/{each}.tokens.json"}] for each in ("light", "dark")}
    tree = {"$extensions": {"org.tokensync": {}}, "theme": {"a": number(1)}}
    files = {f"ds/theme/{each}.tokens.json": tree for each in contexts}
    return document(["#/modifiers/theme"], (), [("theme", {"contexts": {**contexts, **listed}})]), files


def test_tokensync_reads_the_folders_of_its_own_documents_and_refuses_other_sources():
    assert graph_of(*own())[1] == ()
    light = {"$ref": "ds/theme/light.tokens.json"}
    _, problems = graph_of(*own(dark=[light, {"$ref": "ds/theme/dark.tokens.json"}]))
    assert [(each.code, each.what) for each in problems] == [
        (
            "resolver-source-misplaced",
            "ds/theme/light.tokens.json belongs to another mode, and tokensync does not read it as part of this one",
        )
    ]
    for source in ({"theme": {"a": number(2)}}, {**light, "theme": {"a": number(2)}}):
        _, problems = graph_of(*own(light=[source]))
        assert "tokensync reads no tokens in its own resolver documents" in [each.what for each in problems]


def test_an_invalid_token_is_omitted_in_its_contexts_only():
    contexts = {"x": [{"a": {"$type": "dimension", "$value": {"value": 1, "unit": "vh"}}}],
                "y": [{"a": {"$type": "dimension", "$value": {"value": 1, "unit": "px"}}}]}  # fmt: skip
    graph, problems = graph_of(document(["#/modifiers/m"], modifiers=[("m", {"contexts": contexts, "default": "x"})]))
    (problem,) = problems
    assert problem.code == "resolver-token-omitted"
    assert "(#/modifiers/m/contexts/x/0/a/$value/unit)" in problem.where
    assert values_in(graph, {"m": "x"}) == {"a": None}
    assert values_in(graph, {"m": "y"}) == {"a": 1}


def test_a_problem_is_located_in_its_own_file():
    files = {"one/two/x.json": {"a": number("no")}}
    _, problems = graph_of(document(["#/sets/s"], [("s", {"sources": [{"$ref": "one/two/x.json"}]})]), files)
    (problem,) = problems
    assert problem.where.startswith("one/two/x.json:1:")


def test_a_member_of_a_token_that_is_no_token_is_ignored_and_named():
    graph, problems = graph_of(document(["#/sets/s"], [("s", {"sources": [{"a": {**number(1), "alpha": 0.5}}]})]))
    assert [each.code for each in problems] == ["tokens-member-unknown"]
    assert values_in(graph, {}) == {"a": 1}


def test_a_token_that_another_source_makes_a_group_is_an_error():
    sources = [{"a": number(1)}, {"a": {"b": number(2)}}]
    _, problems = graph_of(document(["#/sets/s"], [("s", {"sources": sources})]))
    assert [(each.code, each.severity) for each in problems] == [("tokens-structure", "error")]


def test_what_the_resolution_order_does_not_contain_is_named():
    sets = {"s": {"sources": [{"a": number(1)}]}, "t": {"sources": [{"b": number(1)}]}}
    graph, problems = graph_of(document(["#/sets/s"], sets.items()))
    assert [(each.code, each.what) for each in problems] == [
        ("resolver-unused", "the resolution order does not contain the set 't'")
    ]
    assert values_in(graph, {}) == {"a": 1}


def test_a_modifier_without_a_default_uses_its_first_context():
    contexts = {"x": [{"a": number(1)}], "y": [{"a": number(2)}]}
    graph, problems = graph_of(document(["#/modifiers/m"], modifiers=[("m", {"contexts": contexts})]))
    assert [(each.code, each.severity) for each in problems] == [("resolver-default-absent", "note")]
    assert values_in(graph, {}) == {"a": 1}


LEAVES = st.sampled_from(
    [None, True, 5, "", "x", "{a}", "#/a", "#/h", "#/sets/s", "#/modifiers/m", "x.json", "#", "$root", "../x", "y"]
)
MEMBERS = ("$ref", "$value", "$type", "$extends", "$root", "sources", "contexts", "default", "name", "type", "a", "h")
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.sampled_from(MEMBERS), inner, max_size=3)),
)
WHOLE = document(
    ["#/sets/s", "#/modifiers/m", {"type": "set", "name": "z", "sources": [{"h": {"$extends": "{g}"}}]}],
    [
        (
            "s",
            {"sources": [{"$ref": "x.json"}, {"g": {"$type": "number", "b": {"$value": "{a}"}, "c": {"$ref": "#/a"}}}]},
        )
    ],
    [("m", {"contexts": {"x": [], "y": [{"a": {"$value": 3}}]}, "default": "x"})],
)


def containers(tree):
    yield tree
    for each in tree.values() if isinstance(tree, dict) else tree:
        if isinstance(each, dict | list):
            yield from containers(each)


@given(st.data())
def test_no_document_makes_reading_fail(data):
    tree = json.loads(json.dumps(WHOLE))
    for _ in range(data.draw(st.integers(1, 4))):
        places = [*containers(tree)]
        place = places[data.draw(st.integers(0, len(places) - 1))]
        if isinstance(place, list):
            place.append(data.draw(TREES))
        else:
            place[data.draw(st.sampled_from([*MEMBERS, *place]))] = data.draw(TREES)
    graph, problems = graph_of(tree, {"x.json": {"a": number(1)}})
    assert all(each.where.startswith(("ds.resolver.json:", "x.json:")) for each in problems)
    values_in(graph, {})


TOKENS = {"sources": [{"a": number(1)}]}
CONTEXTS = {"contexts": {"x": [], "y": [{"a": number(1)}]}, "default": "x"}


@pytest.mark.parametrize(
    ("tree", "code", "what"),
    [
        (document(["#/sets/t"], [("s", TOKENS)]), "resolver-structure", "'#/sets/t' does not exist"),
        (document(["#/sets/s"], [("s", {})]), "resolver-structure", 'has no "sources"'),
        (document(["#/sets/s"], [("s", {"sources": {}})]), "resolver-structure", "must be an array"),
        (document(["#/sets/s"], [("s", {"source": []})]), "resolver-structure", "the member 'source'"),
        (document([{"sources": []}]), "resolver-structure", '"type" must be'),
        (document([{"type": "set", "sources": []}]), "resolver-structure", 'must have a "name"'),
        (
            document([{"type": "set", "name": "s", **TOKENS}, {"type": "modifier", "name": "s", **CONTEXTS}]),
            "resolver-structure",
            "'s' is repeated",
        ),
        (document([3]), "resolver-structure", "neither a reference"),
        (document(["#/sets/s/sources"], [("s", TOKENS)]), "resolver-structure", "neither a set nor a modifier"),
        (
            document(
                ["#/modifiers/m", {"$ref": "#/modifiers/m", "contexts": {"x": [], "z": []}}],
                (),
                [("m", CONTEXTS)],
            ),
            "resolver-structure",
            "twice, with different members",
        ),
        (document(["#/modifiers/m"], (), [("m", {"contexts": {}})]), "resolver-structure", 'no "contexts"'),
        (
            document(["#/modifiers/m"], (), [("m", {**CONTEXTS, "default": "z"})]),
            "resolver-structure",
            "'z' is not a context",
        ),
        (
            document(["#/sets/s", "#/modifiers/m"], [("s", {"sources": [{"$ref": "#/modifiers/m/contexts/y/0"}]})],
                     [("m", CONTEXTS)]),
            "resolver-structure",
            "only resolutionOrder can refer to a modifier",
        ),
        (
            document(["#/sets/s"], [("s", {"sources": [{"$ref": "#/resolutionOrder/0"}]})]),
            "resolver-structure",
            "cannot point into resolutionOrder",
        ),
        (
            document(["#/sets/s"], [("s", {"sources": [{"$ref": "#/sets/s"}]})]),
            "resolver-structure",
            "contains this reference",
        ),
        (
            document(["#/sets/s"], [(one, {"sources": [{"$ref": f"#/sets/{other}"}]}) for one, other in ("st", "ts")]),
            "resolver-structure",
            "cycle",
        ),
        (document(["#/sets/s"], [("s", {"sources": [{"$ref": "no.json"}]})]), "resolver-source-absent", "no.json"),
        (document(["#/sets/s"], [("s", {"sources": [{"$ref": "../x.json"}]})]), "resolver-structure", "'../x.json'"),
        (document(["#/sets/s"], [("s", {"sources": [{"$ref": "%2e%2e/x"}]})]), "resolver-structure", "'%2e%2e/x'"),
        (document(["#/sets/s"], [("s", {"sources": [{"$ref": "/etc/passwd"}]})]), "resolver-structure", "passwd"),
        (document(["#/sets/s"], [("s", {"sources": [{"$ref": "https://a/b"}]})]), "resolver-structure", "https://a/b"),
        (document(["#/modifiers/m"], (), [("m", {**CONTEXTS, "default": {}})]), "resolver-structure", "not a context"),
        (document(["#/sets/s"], [("s", TOKENS)], modes={}), "resolver-structure", "the member 'modes'"),
    ],
)  # fmt: skip
def test_an_invalid_document_is_refused(tree, code, what):
    _, problems = graph_of(tree)
    assert [(each.code, each.severity) for each in problems if each.severity == "error"][:1] == [(code, "error")]
    assert any(what in each.what for each in problems), problems
    assert all(each.where.startswith("ds.resolver.json:1:") for each in problems)


def test_a_file_in_place_of_an_array_of_sources_is_an_error_of_the_document():
    for tree, place in (
        (document(["#/sets/s"], [("s", {"sources": {"$ref": "x.json"}})]), "#/sets/s/sources"),
        (document(["#/modifiers/m"], (), [("m", {"contexts": {"x": {"$ref": "x.json"}}})]), "#/modifiers/m/contexts/x"),
    ):
        (found,) = (each for each in graph_of(tree, {"x.json": {"a": number(1)}})[1] if each.severity == "error")
        assert found.where.startswith("ds.resolver.json:1:") and found.where.endswith(f" ({place})")
        assert (found.what, found.what_to_do) == ("the sources must be an array", 'write [{"$ref": "x.json"}]')
