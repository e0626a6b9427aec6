"""What outputs share: lines, overrides of themes and resolved values."""

import re
from itertools import product

from graphs import alias, collection, color, graph, token
from hypothesis import given
from hypothesis import strategies as st
from tokens.plain_resolver import resolved

from tokensync.generate.notation import WIDTH, broken
from tokensync.generate.output import Output, Resolution
from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets import naming_of
from tokensync.generate.themes import overrides_of
from tokensync.tokens import (
    DEFAULT_THEME,
    ComposedColor,
    DanglingAlias,
    Quantity,
    Theme,
    TokenGraph,
    Unresolved,
    inferred_themes,
)
from tokensync.tokens.values import AS_TEXT

NAMES = [f"t{number}" for number in range(8)]
FAMILIES = ("One", "Two")
_targets = st.builds(alias, st.sampled_from(FAMILIES), st.sampled_from(NAMES))
_values = st.one_of(
    st.none(),
    _targets,
    _targets,
    st.builds(color, st.sampled_from(["#000000", "#ff0000"])),
    st.builds(DanglingAlias, st.just("VariableID:9:9")),
    st.builds(ComposedColor, _targets, st.sampled_from([0.0, 50.0])),
)


_TYPES = ("color", "number", "dimension", "string", "duration", "fontFamily", "fontWeight", AS_TEXT, "boolean")
_mixed = st.one_of(
    _values,
    st.sampled_from([1.5, True, "Bold", Quantity(2.0, "rem"), Quantity(100.0, "ms")]),
    st.builds(ComposedColor, st.builds(color, st.just("#00ff00")), _targets),
    st.builds(ComposedColor, _targets, _targets),
)
_texts = st.one_of(_targets, st.none(), st.sampled_from(["Bold", "Bold Italic", "bold", "350", "Roman"]))


@st.composite
def _graphs(draw, values=_values, types=("color",)):
    one = collection("One", "Light", "Dark", extensions=[("Brand", "One")])
    two = collection("Two", "A", "B", "C")
    parts = [one, two]
    for family in (one, two):
        for name in NAMES:
            columns = draw(st.lists(values, min_size=len(family.modes), max_size=len(family.modes)))
            parts.append(token(family, name, *columns, type=draw(st.sampled_from(types))))
    return graph(*parts)


def shown(resolution, state):
    """Return the literals of a theme by token key."""
    values = resolution.columns.values
    return {key: values[number] for key, number in zip(resolution.graph.tokens, state.literals, strict=True)}


def agree(token_graph, theme, actual):
    """Compare literals with those of the plain resolver; any token of a cycle may be named in its problem."""
    for key, literal in actual.items():
        expected = resolved(token_graph, key, theme)
        if "cycle" in (getattr(literal, "reason", ""), getattr(expected, "reason", "")):
            assert isinstance(literal, Unresolved), key
            assert isinstance(expected, Unresolved), key
        else:
            assert literal == expected, key


@given(_graphs(_mixed, _TYPES) | _graphs(_texts, (AS_TEXT, "string")))
def test_a_table_makes_the_tokens_that_it_was_made_of(token_graph):
    made = TokenGraph(token_graph.collections.values(), token_graph.table)
    assert made == token_graph
    assert [[*map(type, token.values)] for token in made.tokens.values()] == [
        [*map(type, token.values)] for token in token_graph.tokens.values()
    ]


@given(_graphs() | _graphs(_mixed, _TYPES) | _graphs(_texts, (AS_TEXT, "string")))
def test_every_theme_resolves_like_the_plain_resolver(token_graph):
    """Cycles, missing values, dangling aliases, other types and composed colours included.

    So do weights that are kept as text, plain texts, and references from each of these to the other. What does not
    vary is the default's.
    """
    resolution = Resolution(token_graph)
    default = shown(resolution, resolution.default)
    agree(token_graph, DEFAULT_THEME, default)
    agree(token_graph, DEFAULT_THEME, {key: token_graph.resolver(DEFAULT_THEME)(key) for key in token_graph.tokens})
    themes = inferred_themes(token_graph.collections.values())
    for several in (themes[:4], themes[4:], (Theme("both", themes[1].modes + themes[5].modes),)):
        varying = resolution.varying(several)
        for theme in several:
            actual = shown(resolution, resolution.in_theme(theme, varying))
            agree(token_graph, theme, actual)
            differing = {resolution.graph.table.indices[key] for key in actual if actual[key] != default[key]}
            assert differing <= varying


def test_long_chains_and_cycles_resolve():
    """A chain and a cycle of a thousand aliases each."""
    of = collection("Base")
    chain = [token(of, f"c{at}", alias("Base", f"c{at + 1}")) for at in range(1000)]
    cycle = [token(of, f"r{at}", alias("Base", f"r{(at + 1) % 1000}")) for at in range(1000)]
    token_graph = graph(of, *chain, token(of, "c1000", color("#ff0000")), *cycle)
    resolution = Resolution(token_graph)
    literals = shown(resolution, resolution.default)
    assert literals[chain[0].key] == color("#ff0000")
    assert {literals[each.key].reason for each in cycle} == {"cycle"}


def test_an_alias_to_another_type_has_no_value():
    """A text does not become a colour through a chain of aliases."""
    of = collection("Base")
    token_graph = graph(
        of,
        token(of, "text", "x", type="string"),
        token(of, "color", alias("Base", "text")),
        token(of, "text again", alias("Base", "color"), type="string"),
    )
    resolution = Resolution(token_graph)
    agree(token_graph, DEFAULT_THEME, shown(resolution, resolution.default))


BLACK, WHITE, RED = color("#000000"), color("#ffffff"), color("#ff0000")


def sheet_of(token_graph, **options):
    return Output(
        Resolution(token_graph),
        OutputRequest(platform="json", **options),
        naming=naming_of("css"),
        kinds={},
        literals={},
        references={},
        unrepresentable=re.compile("(?!)"),
    )


def looked_up(sheet, overrides, *chosen):
    """Return the value of each token in these themes: that of the pair, else of either theme, else the default."""
    shown = {index: sheet.literal(sheet.resolution.default, index) for index in sheet.declared}
    for name in (*chosen, " + ".join(chosen), " + ".join(reversed(chosen))):
        if override := overrides.get(name):
            shown |= {index: sheet.literal(override.resolved, index) for index in override.indices}
    return {sheet.tokens[index].key: value for index, value in shown.items()}


@given(_graphs())
def test_lookups_in_themes_and_pairs_equal_the_graph(token_graph):
    sheet = sheet_of(token_graph)
    overrides = {each.name: each for each in overrides_of(sheet)}
    themes = inferred_themes(token_graph.collections.values())
    one = [each for each in themes if each.modes[0][0][1] == "one"]
    two = [each for each in themes if each not in one]
    choices = [((each.name,), each) for each in themes]
    for first, second in product(one, two):
        both = Theme("", first.modes + second.modes)
        choices += [((first.name, second.name), both), ((second.name, first.name), both)]
    for chosen, theme in choices:
        resolve = token_graph.resolver(theme)
        assert looked_up(sheet, overrides, *chosen) == {key: resolve(key) for key in token_graph.tokens}


def crossing():
    scheme, brand = collection("Scheme", "Light", "Dark"), collection("Brand", "A", "B")
    return graph(
        scheme,
        brand,
        token(scheme, "ink", BLACK, WHITE),
        token(scheme, "still", RED),
        token(brand, "text", RED, alias("Scheme", "ink")),
        token(brand, "mark", RED, BLACK),
    )


def test_themes_without_changes_are_included_and_pairs_without_changes_are_not():
    overrides = list(overrides_of(sheet_of(crossing())))
    names = {each.name: len(each.indices) for each in overrides}
    assert names == {"scheme/light": 0, "scheme/dark": 1, "brand/a": 0, "brand/b": 2, "scheme/dark + brand/b": 1}
    assert [each.parts for each in overrides][-1] == ("scheme/dark", "brand/b")


def test_only_selected_themes_are_included():
    sheet = sheet_of(crossing(), include=Selection(themes=("brand/*",)))
    assert [each.name for each in overrides_of(sheet)] == ["brand/a", "brand/b"]


def test_configured_themes_exclude_each_other():
    dark = Theme("dark", ((("design", "scheme"), 1), (("design", "brand"), 1)))
    sheet = sheet_of(crossing(), themes=(Theme("plain"), dark))
    names = {each.name: len(each.indices) for each in overrides_of(sheet)}
    assert names == {"plain": 0, "dark": 3}
    assert DEFAULT_THEME.name not in names


LONG = "a" * 100
EXPRESSIONS = st.recursive(
    st.one_of(st.from_regex(r"[a-z]{1,30}", fullmatch=True), st.text().map(lambda text: f'"{escaped(text)}"')),
    lambda inner: st.lists(inner, max_size=4).map(lambda parts: f"f({', '.join(parts)})"),
    max_leaves=20,
)


def escaped(text):
    return re.sub(r'["\\\s]', r"\\\g<0>", text).replace("\n", "n")


def test_an_expression_that_fits_is_on_one_line():
    assert broken("f(a, b)", 113, 0, trailing=",") == "f(a, b)"
    assert broken("f(a, b)", 114, 0, trailing=",") == "f(\n    a,\n    b,\n)"


def test_arguments_that_are_too_long_are_split_as_well():
    assert broken(f"f(x: g({LONG}, 1), y: [2, 3])", 8, 4, trailing="") == "\n".join(
        ("f(", f"        x: g({LONG}, 1),", "        y: [2, 3]", "    )")
    )
    assert broken(f"f(x: g({LONG}, {LONG}))", 8, 4, trailing="") == "\n".join(
        ("f(", "        x: g(", f"            {LONG},", f"            {LONG}", "        )", "    )")
    )


def test_the_last_call_of_a_chain_is_split():
    assert broken(f"f(a, b).{LONG}(c, d)", 8, 0, trailing=",") == f"f(a, b).{LONG}(\n    c,\n    d,\n)"


def test_an_expression_without_arguments_is_not_split():
    for each in (f'"{LONG}, ({LONG})"', f"f({LONG}).{LONG}", f"{LONG}.{LONG}()"):
        assert broken(each, 0, 0, trailing=",") == each


@given(EXPRESSIONS)
def test_only_white_space_differs(expression):
    lines = broken(expression, WIDTH, 4, trailing="")
    assert re.sub(r"\s", "", lines) == re.sub(r"\s", "", expression)
