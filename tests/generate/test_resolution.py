"""Values by theme: the resolution of many tokens at once equals that of the plain resolver."""

from graphs import alias, collection, color, graph, token
from hypothesis import given
from hypothesis import strategies as st
from tokens.plain_resolver import resolved

from tokensync.generate.resolution import Resolution
from tokensync.tokens import DEFAULT_THEME, ComposedColor, DanglingAlias, Quantity, Theme, Unresolved, inferred_themes
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
    return {token.key: values[number] for token, number in zip(resolution.columns.tokens, state.literals, strict=True)}


def agree(token_graph, theme, actual):
    """Compare literals with those of the plain resolver; any token of a cycle may be named in its problem."""
    for key, literal in actual.items():
        expected = resolved(token_graph, key, theme)
        if "cycle" in (getattr(literal, "reason", ""), getattr(expected, "reason", "")):
            assert isinstance(literal, Unresolved), key
            assert isinstance(expected, Unresolved), key
        else:
            assert literal == expected, key


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
            differing = {resolution.columns.indices[key] for key in actual if actual[key] != default[key]}
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
