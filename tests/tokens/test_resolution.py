"""The literals of tokens in a theme."""

import pytest
from design_file import alias, collection, color, composed, expression, extension, graph_of, response, shown, variable
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from tokensync.tokens import (
    DEFAULT_THEME,
    Alias,
    Collection,
    Color,
    ComposedColor,
    Mode,
    Theme,
    Token,
    TokenGraph,
    TokenKey,
    Unresolved,
    float32,
    inferred_themes,
)
from tokensync.tokens.algorithms import on_cycles


def two_collections():
    """Semantic colours in Light and Dark over a palette that has modes of the same names and ids."""
    palette = collection("C:p", "Palette", ["Light", "Dark"])
    theme = collection("C:t", "Theme", ["Light", "Dark"])
    ink = variable("V:ink", "ink", palette, "FLOAT", [1, 2])
    text = variable("V:text", "text", theme, "FLOAT", [alias("V:ink"), alias("V:ink")])
    graph, _ = graph_of(response([palette, theme], [ink, text]))
    return graph


def test_an_alias_into_another_collection_follows_that_collections_mode():
    assert shown(two_collections(), "text", palette="dark") == 2
    assert shown(two_collections(), "text", palette="dark", theme="light") == 2


def test_an_alias_never_follows_the_mode_of_the_same_name():
    assert shown(two_collections(), "text", theme="dark") == 1


def test_a_family_that_the_theme_does_not_mention_is_in_its_default_mode():
    owner = collection("C:1", "Theme", ["Light", "Dark"], defaultModeId="m1")
    graph, _ = graph_of(response([owner], [variable("V:1", "a", owner, "FLOAT", [1, 2])]))
    assert shown(graph, "a") == 2
    assert graph.resolve(next(iter(graph.tokens.values())), DEFAULT_THEME) == 2


def test_the_inferred_themes_are_each_mode_of_each_family_of_several_modes():
    names = [theme.name for theme in inferred_themes(two_collections().collections.values())]
    assert names == ["palette/light", "palette/dark", "theme/light", "theme/dark"]


def test_a_theme_has_its_files_name_in_front_when_there_are_several_files():
    families = tuple(two_collections().collections.values())
    elsewhere = structs.replace(families[0], file="brand")
    names = [theme.name for theme in inferred_themes((families[1], elsewhere))]
    file = families[1].file
    assert names == [f"{file}/theme/light", f"{file}/theme/dark", "brand/palette/light", "brand/palette/dark"]


def hops(graph, path, theme):
    """The way from a token to its literal, as pairs of a path and a mode, and the value at its end."""
    token = next(each for each in graph.tokens.values() if each.key.path == path)
    way = tuple(graph.trace(token, theme))
    return [(hop.token.key.path, hop.mode.context) for hop in way], way[-1].value


def test_a_trace_has_each_token_on_the_way_with_the_mode_that_it_is_read_in():
    graph = two_collections()
    palette = next(key for key in graph.collections if key[1] == "palette")
    assert hops(graph, "text", DEFAULT_THEME) == ([("text", "light"), ("ink", "light")], 1)
    assert hops(graph, "text", Theme("", ((palette, 1),))) == ([("text", "light"), ("ink", "dark")], 2)


def test_a_trace_passes_a_cycle_once():
    owner = collection("C:1", "Theme", ["Light"])
    members = [
        variable("V:a", "a", owner, "FLOAT", [alias("V:b")]),
        variable("V:b", "b", owner, "FLOAT", [alias("V:a")]),
    ]
    graph, _ = graph_of(response([owner], members))
    way, _ = hops(graph, "a", DEFAULT_THEME)
    assert way == [("a", "light"), ("b", "light")]


def test_the_references_of_a_graph_are_those_of_every_mode_without_dangling_ends():
    owner = collection("C:1", "Theme", ["Light", "Dark"])
    members = [
        variable("V:a", "a", owner, "FLOAT", [alias("V:b"), alias("V:c")]),
        variable("V:b", "b", owner, "FLOAT", [alias("V:c"), alias("V:c")]),
        variable("V:c", "c", owner, "FLOAT", [1, alias("V:gone")]),
    ]
    graph, _ = graph_of(response([owner], members))
    found = {key.path: [end.path for end in ends] for key, ends in graph.references().items()}
    assert found == {"a": ["b", "c"], "b": ["c"]}


def chain_of_extensions():
    """Theme, which Brand extends, which Campaign extends, which Season extends; each overrides one variable."""
    root = collection("C:r", "Theme", ["Light", "Dark"])
    variables = [variable(f"V:{name}", name, root, "FLOAT", [1, 10]) for name in "abcd"]
    brand = extension("C:b", "Brand", root, {"V:b": [2, ...], "V:c": [2, 20]})
    campaign = extension("C:c", "Campaign", brand, {"V:c": [3, ...]})
    season = extension("C:s", "Season", campaign, {"V:d": [4, None]})
    graph, problems = graph_of(response([season, root, campaign, brand], variables))
    assert problems == ()
    return graph


@pytest.mark.parametrize(
    ("mode", "values"),
    [
        ("light", [1, 1, 1, 1]),
        ("dark", [10, 10, 10, 10]),
        ("brand.light", [1, 2, 2, 1]),
        ("brand.dark", [10, 10, 20, 10]),
        ("campaign.light", [1, 2, 3, 1]),
        ("campaign.dark", [10, 10, 20, 10]),
        ("season.light", [1, 2, 3, 4]),
        ("season.dark", [10, 10, 20, 10]),
    ],
)
def test_an_extension_shows_its_own_override_else_its_parents_value_to_any_depth(mode, values):
    graph = chain_of_extensions()
    assert [shown(graph, name, theme=mode) for name in "abcd"] == values


def test_an_override_of_null_takes_the_override_away():
    assert shown(chain_of_extensions(), "d", theme="season.dark") == 10


def test_an_alias_to_an_overridden_variable_follows_the_extension_within_one_family():
    root = collection("C:r", "Theme", ["Light"])
    made = [variable("V:a", "a", root, "FLOAT", [1]), variable("V:b", "b", root, "FLOAT", [alias("V:a")])]
    graph, _ = graph_of(response([root, extension("C:b", "Brand", root, {"V:a": [2]})], made))
    assert (shown(graph, "b"), shown(graph, "b", theme="brand.light")) == (1, 2)


@pytest.mark.parametrize("spelling", [composed, expression], ids=["object", "expression"])
@pytest.mark.parametrize(
    ("base", "opacity", "alpha"),
    [
        (alias("V:ink"), 48, 0.48),
        (alias("V:ink"), alias("V:share"), 0.25),
        (color(1, 0, 0), alias("V:share"), 0.25),
        (alias("V:veil"), 50, 0.25),
        (alias("V:ink"), 140, 1.0),
        (alias("V:ink"), -3, 0.0),
        (color(1, 0, 0, a=0.5), alias("V:much"), 0.5),
    ],
    ids=[
        "literal",
        "both aliases",
        "alias",
        "base alpha multiplied",
        "clamped above",
        "clamped below",
        "clamped alias",
    ],
)
def test_a_composed_colour_shows_its_base_with_the_opacity_multiplied_in(spelling, base, opacity, alpha):
    owner = collection("C:1", modes=["Light"])
    made = [
        variable("V:ink", "ink", owner, "COLOR", [color(1, 0, 0)]),
        variable("V:veil", "veil", owner, "COLOR", [color(1, 0, 0, a=0.5)]),
        variable("V:share", "share", owner, "FLOAT", [25], scopes=["COLOR_OPACITY"]),
        variable("V:much", "much", owner, "FLOAT", [400]),
        variable("V:mix", "mix", owner, "COLOR", [spelling(base, opacity)]),
    ]
    graph, problems = graph_of(response([owner], made))
    assert problems == ()
    assert shown(graph, "mix") == Color(1.0, 0.0, 0.0, float32(alpha))


def test_a_composed_colour_of_two_literals_is_a_colour():
    owner = collection("C:1", modes=["Light"])
    graph, _ = graph_of(response([owner], [variable("V:1", "a", owner, "COLOR", [composed(color(1, 0, 0), 50)])]))
    assert next(iter(graph.tokens.values())).values == (Color(1.0, 0.0, 0.0, 0.5),)


def tokens_of(values, kind="number"):
    """A graph of one family with one mode; ``values`` maps each path to its value."""
    family = Collection(file="f", handle="c", name="C", modes=(Mode(name="M", collection="c", slug="m", context="m"),))
    return TokenGraph([family], [Token(key=key(path), type=kind, values=(value,)) for path, value in values.items()])


def key(path):
    return TokenKey("f", "c", path)


def test_every_token_of_a_cycle_is_unknown_and_so_is_what_refers_to_it():
    graph = tokens_of({"a": Alias(key("b")), "b": Alias(key("a")), "c": Alias(key("a")), "d": 1.0})
    resolve = graph.resolver(DEFAULT_THEME)
    assert [resolve(key(path)) for path in "abcd"] == [
        Unresolved("cycle", "c / a"),
        Unresolved("cycle", "c / b"),
        Unresolved("cycle", "c / a"),
        1.0,
    ]


@pytest.mark.parametrize("start", "abc")
def test_a_cycle_through_a_composed_colour_is_unknown_from_wherever_it_is_asked(start):
    owner = collection("C:1", modes=["Light"])
    made = [
        variable("V:a", "a", owner, "COLOR", [composed(alias("V:b"), alias("V:n"))]),
        variable("V:b", "b", owner, "COLOR", [alias("V:c")]),
        variable("V:c", "c", owner, "COLOR", [alias("V:a")]),
        variable("V:n", "n", owner, "FLOAT", [50]),
    ]
    graph, _ = graph_of(response([owner], made))
    assert shown(graph, start).reason == "cycle"


@given(st.lists(st.lists(st.integers(0, 7), max_size=2), min_size=8, max_size=8))
def test_exactly_the_tokens_on_a_cycle_name_themselves_as_its_reason(leads_to):
    values = {}
    for index, (base, opacity) in enumerate(zip(leads_to, reversed(leads_to), strict=True)):
        color = Alias(key(f"c{base[0]}")) if base else Color(1.0, 0.0, 0.0, 1.0)
        values[f"c{index}"] = ComposedColor(color, Alias(key(f"n{opacity[-1]}")) if opacity else 50.0)
        values[f"n{index}"] = Alias(key(f"n{base[-1]}")) if len(base) > 1 else 25.0
    graph = tokens_of({path: value for path, value in values.items() if path[0] == "c"})
    shares = tokens_of({path: value for path, value in values.items() if path[0] == "n"})
    graph = TokenGraph(
        graph.collections.values(),
        [structs.replace(each, type="color") for each in graph.tokens.values()] + list(shares.tokens.values()),
    )
    resolve = graph.resolver(DEFAULT_THEME)
    cyclic = on_cycles({each: token.references for each, token in graph.tokens.items()})
    assert {each for each in graph.tokens if resolve(each) == Unresolved("cycle", str(each))} == cyclic


def test_a_chain_of_fifty_thousand_aliases_is_followed_without_recursion():
    length = 50_000
    graph = tokens_of({f"t{index}": Alias(key(f"t{index + 1}")) for index in range(length)} | {f"t{length}": 7.0})
    assert graph.resolve(graph.tokens[key("t0")], DEFAULT_THEME) == 7.0


def test_a_cycle_of_fifty_thousand_aliases_is_found_without_recursion():
    length = 50_000
    graph = tokens_of({f"t{index}": Alias(key(f"t{(index + 1) % length}")) for index in range(length)})
    resolve = graph.resolver(DEFAULT_THEME)
    assert {resolve(each).reason for each in graph.tokens} == {"cycle"}


def test_an_alias_to_nothing_is_dangling():
    owner = collection("C:1", modes=["Light"])
    graph, _ = graph_of(response([owner], [variable("V:1", "a", owner, "FLOAT", [alias("VariableID:gone")])]))
    assert shown(graph, "a") == Unresolved("dangling", "VariableID:gone")


def test_a_mode_without_a_value_is_absent():
    owner = collection("C:1", modes=["Light", "Dark"])
    graph, _ = graph_of(response([owner], [variable("V:1", "a", owner, "FLOAT", [1])]))
    assert shown(graph, "a", theme="dark") == Unresolved("absent", "theme / a")


def test_an_alias_to_another_type_is_a_mismatch():
    owner = collection("C:1", modes=["Light"])
    made = [
        variable("V:1", "a", owner, "COLOR", [alias("V:2")]),
        variable("V:2", "b", owner, "FLOAT", [1]),
        variable("V:3", "c", owner, "COLOR", [composed(alias("V:4"), alias("V:5"))]),
        variable("V:4", "d", owner, "COLOR", [color()]),
        variable("V:5", "e", owner, "STRING", ["x"]),
    ]
    graph, _ = graph_of(response([owner], made))
    assert (shown(graph, "a"), shown(graph, "c")) == (
        Unresolved("mismatch", "theme / a"),
        Unresolved("mismatch", "theme / c"),
    )


def test_a_dimension_may_be_an_alias_to_a_plain_number():
    owner = collection("C:1", modes=["Light"])
    made = [
        variable("V:1", "gap", owner, "FLOAT", [alias("V:2")], scopes=["GAP"]),
        variable("V:2", "n", owner, "FLOAT", [4]),
    ]
    graph, _ = graph_of(response([owner], made))
    assert shown(graph, "gap") == 4


@given(st.lists(st.integers(0, 11), min_size=12, max_size=12))
def test_resolving_does_not_depend_on_the_order_of_the_questions(leads_to):
    values = {
        f"t{index}": 1.0 if index == target else Alias(key(f"t{target}")) for index, target in enumerate(leads_to)
    }
    graph = tokens_of(values)
    forwards, backwards = graph.resolver(DEFAULT_THEME), graph.resolver(Theme("again"))
    expected = {each: forwards(each) for each in graph.tokens}
    assert {each: backwards(each) for each in reversed(list(graph.tokens))} == expected


def test_graphs_are_equal_when_they_hold_the_same_in_the_same_order():
    assert tokens_of({"a": 1.0, "b": 2.0}) == tokens_of({"a": 1.0, "b": 2.0})
    assert tokens_of({"a": 1.0, "b": 2.0}) != tokens_of({"b": 2.0, "a": 1.0})
    assert tokens_of({"a": 1.0}) != 1
