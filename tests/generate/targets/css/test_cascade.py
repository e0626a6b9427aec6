"""CSS has the values that the graph resolves, for all nestings of themes and all system appearances."""

from functools import cache
from itertools import product

import pytest
from corpus.oracle_values import css_color, decimal
from corpus.read_css import ROOT, Sheet, alike, read_css
from graphs import alias, collection, color, graph, token
from hypothesis import given, settings
from hypothesis import strategies as st
from outside.css_themes import axes, nestings, pairs, theme_of
from outside.themes import systems

from tokensync.generate.naming import names_for
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate, naming_of
from tokensync.generate.targets.css import CssOptions
from tokensync.tokens import Color, ComposedColor, DanglingAlias, Unresolved

FAMILIES = ("Base", "Scheme", "Brand", "Size")
COLORS = [f"c{number}" for number in range(4)]
_literals = st.builds(color, st.sampled_from(["#000000", "#ff0000", "#ffffff"]), st.sampled_from([1.0, 0.5]))
_share_aliases = st.builds(alias, st.sampled_from(FAMILIES), st.just("share"))
_numbers = st.sampled_from([20, 80, 100])


def _values(at: int, *, faulty: bool) -> st.SearchStrategy:
    """Return the strategy of a numbered colour; aliases refer to smaller numbers, to avoid cycles."""
    several = [_literals, st.builds(ComposedColor, _literals, _share_aliases)]
    if at:
        aliases = st.builds(alias, st.sampled_from(FAMILIES), st.sampled_from(COLORS[:at]))
        several += [
            aliases,
            aliases,
            st.builds(ComposedColor, aliases, st.one_of(st.just(0.0), st.just(50.0), _share_aliases)),
        ]
    if faulty:
        several.append(st.just(DanglingAlias("VariableID:9:9")))
    return st.one_of(several)


@st.composite
def _graphs(draw, *, faulty: bool = False):
    """Colours and opacities that refer to each other across a scheme, a brand that may be extended, and a size."""
    brand = [("Brand B", "Brand")] if draw(st.booleans()) else []
    scheme = draw(st.sampled_from([("Light", "Dark"), ("Dark", "Light"), ("Light", "Dark", "High contrast")]))
    families = [
        collection("Base"),
        collection("Scheme", *scheme),
        collection("Brand", "Day", "Night", extensions=brand),
        collection("Size", *draw(st.sampled_from([("Small", "Large"), ("1", "2", "3", "4", "5", "6")]))),
    ]
    parts = list(draw(st.permutations(families)))
    for family in families:
        kinds = [(name, _values(at, faulty=faulty), {}) for at, name in enumerate(COLORS)]
        for name, values, kind in (*kinds, ("share", _numbers, {"type": "number", "scopes": ("OPACITY",)})):
            columns = [draw(values if mode.parent is None else st.one_of(st.none(), values)) for mode in family.modes]
            parts.append(token(family, name, *columns, **kind))
    return graph(*parts)


def placements(token_graph):
    """Yield paths of choices: each theme, nested themes of one axis, and pairs on one element and nested both ways."""
    yield ()
    for axis in axes(token_graph):
        choices = list(axis.choices())
        yield from (((each,),) for each in choices)
        yield from (((outer,), (inner,)) for outer, inner in product(choices, repeat=2))
    for one, other in pairs(token_graph):
        for first, second in product(one.choices(), other.choices()):
            yield from (((first, second),), ((first,), (second,)), ((second,), (first,)))
            yield from (((first, second), (again,)) for again in other.choices())
    deepest = [((each,) for each in path) for path in nestings(token_graph, 3)]
    yield from (tuple(each) for each in deepest[:: len(deepest) // 60 + 1])


def written(literal):
    """Return a literal in the form of the reader."""
    if isinstance(literal, Color):
        return ("color", css_color((literal.red, literal.green, literal.blue, literal.alpha)))
    return ("number", decimal(literal / 100))


def wrong(token_graph, folder, **options):
    """Return (system, placement, token) of each token with a wrong value."""
    files, _ = generate(token_graph, OutputRequest(platform="css", options=CssOptions(**options)))
    path = folder / "tokens.css"
    path.write_bytes(files[0].content)
    blocks = read_css(path)
    names, _ = names_for(token_graph, list(token_graph.tokens.values()), naming_of("css"))

    @cache
    def shown(theme):
        resolve = token_graph.resolver(theme)
        literals = {key: resolve(key) for key in names}
        return {key: None if isinstance(each, Unresolved) else written(each) for key, each in literals.items()}

    for appearance, usual in systems(token_graph):
        holding = [f"(prefers-color-scheme: {appearance.scheme})"]
        holding += ["(prefers-contrast: more)"] if appearance.contrast else []
        sheet = Sheet(blocks, holding)
        for placement in placements(token_graph):
            elements = [{pair for choice, _ in element for pair in choice.items()} for element in placement]
            wanted = shown(theme_of(token_graph, usual, (chosen for element in placement for _, chosen in element)))
            actual = sheet.computed([ROOT], *elements)
            for key, name in names.items():
                if not alike(actual.get(name), wanted[key]):
                    yield appearance, elements, key.collection, key.path, actual.get(name), wanted[key]


OPTIONS = [{}, {"composed": "literal"}, {"light_dark": True}, {"form": "switches"}, {"minify": True, "fallbacks": True}]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@given(token_graph=_graphs())
@settings(max_examples=10)
def test_every_token_shows_its_themes_value_on_every_element(tmp_path_factory, options, token_graph):
    assert list(wrong(token_graph, tmp_path_factory.mktemp("css"), **options)) == []


@given(token_graph=_graphs(faulty=True))
@settings(max_examples=10)
def test_a_token_without_a_value_in_a_theme_is_invalid_there_and_affects_no_other_token(tmp_path_factory, token_graph):
    assert list(wrong(token_graph, tmp_path_factory.mktemp("css"))) == []
