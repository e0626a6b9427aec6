"""Lookups by theme names equal the values of the graph, for each theme and each pair of two axes."""

import re
from itertools import product

from generate.test_resolution import _graphs
from graphs import alias, collection, color, graph, token
from hypothesis import given

from tokensync.generate import OutputRequest, Selection
from tokensync.generate.output import Output
from tokensync.generate.resolution import Resolution
from tokensync.generate.themes import overrides_of
from tokensync.targets import naming_of
from tokensync.tokens import DEFAULT_THEME, Theme, inferred_themes

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
