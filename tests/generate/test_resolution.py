"""Values by theme: what is worked out for many tokens at once is what the graph resolves one by one."""

from __future__ import annotations

from graphs import alias, collection, color, graph, token
from hypothesis import given
from hypothesis import strategies as st

from tokensync.generate import Resolution
from tokensync.tokens import DEFAULT_THEME, ComposedColor, DanglingAlias, Theme, inferred_themes
from tokensync.tokens.weights import AS_TEXT

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
    """The literals of a theme, by key."""
    values = resolution.columns.values
    return {token.key: values[number] for token, number in zip(resolution.columns.tokens, state.literals, strict=True)}


@given(_graphs() | _graphs(_texts, (AS_TEXT, "string")))
def test_every_theme_resolves_as_the_graph_does(made):
    """Cycles, missing values, dangling aliases and composed colours included; what does not vary is the default's.

    So do weights that are kept as text, plain texts, and references from each of these to the other.
    """
    resolution = Resolution(made)
    plain = made.resolver(DEFAULT_THEME)
    default = {key: plain(key) for key in made.tokens}
    assert shown(resolution, resolution.default) == default
    themes = inferred_themes(made.collections.values())
    for several in (themes[:4], themes[4:], (Theme("both", themes[1].modes + themes[5].modes),)):
        varying = resolution.varying(several)
        for theme in several:
            resolve = made.resolver(theme)
            expected = {key: resolve(key) for key in made.tokens}
            assert shown(resolution, resolution.in_theme(theme, varying)) == expected
            differing = {resolution.columns.places[key] for key in expected if expected[key] != default[key]}
            assert differing <= varying


def test_a_chain_as_long_as_a_library_resolves():
    """A thousand aliases, and a cycle of a thousand."""
    of = collection("Base")
    chain = [token(of, f"c{at}", alias("Base", f"c{at + 1}")) for at in range(1000)]
    cycle = [token(of, f"r{at}", alias("Base", f"r{(at + 1) % 1000}")) for at in range(1000)]
    made = graph(of, *chain, token(of, "c1000", color("#ff0000")), *cycle)
    resolution = Resolution(made)
    literals = shown(resolution, resolution.default)
    assert literals[chain[0].key] == color("#ff0000")
    resolve = made.resolver(DEFAULT_THEME)
    assert literals == {key: resolve(key) for key in made.tokens}


def test_an_alias_to_another_type_is_no_value():
    """A text does not become a colour on the way, however far it comes."""
    of = collection("Base")
    made = graph(
        of,
        token(of, "text", "x", type="string"),
        token(of, "color", alias("Base", "text")),
        token(of, "text again", alias("Base", "color"), type="string"),
    )
    resolve = made.resolver(DEFAULT_THEME)
    resolution = Resolution(made)
    assert shown(resolution, resolution.default) == {key: resolve(key) for key in made.tokens}
