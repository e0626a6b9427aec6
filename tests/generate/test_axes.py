"""The modes that the system chooses, and the axes of an output and their interactions."""

import pytest
from graphs import alias, collection, color, graph, token

from tokensync.generate.output import Output, Resolution
from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets import naming_of
from tokensync.generate.themes import Appearance, appearance_themes, axes_of, counterparts, pairs_of
from tokensync.tokens import ComposedColor, Theme

BLACK, WHITE, RED = color("#000000"), color("#ffffff"), color("#ff0000")
DARK, LIGHT, MORE = Appearance("dark", ""), Appearance("light", ""), Appearance("", "more")
DARK_MORE, LIGHT_MORE = Appearance("dark", "more"), Appearance("light", "more")


def sheet_of(token_graph, **options):
    import re

    request = OutputRequest(platform="css", **options)
    never = re.compile("(?!)")
    return Output(
        Resolution(token_graph),
        request,
        naming=naming_of("css"),
        kinds={},
        literals={},
        references={},
        unrepresentable=never,
    )


@pytest.mark.parametrize(
    ("modes", "expected"),
    [
        (["Light", "Dark"], {DARK: "Dark"}),
        (["Dark", "Light"], {LIGHT: "Light"}),
        (["Default", "Night mode"], {DARK: "Night mode"}),
        (["LightMode", "DarkMode"], {DARK: "DarkMode"}),
        (["light", "dark", "light-hc", "dark-hc"], {DARK: "dark", MORE: "light-hc", DARK_MORE: "dark-hc"}),
        (["Light", "Dark", "High contrast"], {DARK: "Dark", MORE: "High contrast", DARK_MORE: "High contrast"}),
        (["Light", "Dark", "Light high contrast"], {DARK: "Dark", MORE: "Light high contrast", DARK_MORE: "Dark"}),
        (["Default", "Increased contrast"], {MORE: "Increased contrast"}),
        (["Dark", "Dark high contrast", "Light"], {LIGHT: "Light", MORE: "Dark high contrast", LIGHT_MORE: "Light"}),
        (["Default", "Low contrast"], {}),
        (["Brand A light", "Brand B dark"], {}),
        (["One", "Two"], {}),
    ],
)
def test_modes_with_clear_names_are_counterparts_of_an_appearance(modes, expected):
    family = collection("Theme", *modes)
    actual = {each: family.modes[index].name for each, index in counterparts(family).items()}
    assert actual == expected


def test_modes_of_an_extension_are_counterparts_of_its_own_default_mode():
    family = collection("Scheme", "Light", "Dark", extensions=[("Brand", "Scheme")])
    (extension,) = family.extensions
    actual = {each: family.modes[index].context for each, index in counterparts(family, extension.handle).items()}
    assert actual == {DARK: "brand.dark"}


def test_each_appearance_has_the_best_fitting_mode_of_every_family():
    scheme = collection("Scheme", "Light", "Dark", "Light HC", "Dark HC")
    chart = collection("Chart", "Day", "Night")
    token_graph = graph(scheme, chart, token(scheme, "a", BLACK, WHITE, RED, RED), token(chart, "b", BLACK, WHITE))
    names = {
        each: {token_graph.collections[family].modes[index].name for family, index in theme.modes}
        for each, theme in appearance_themes(sheet_of(token_graph))
    }
    assert names == {DARK: {"Dark", "Night"}, MORE: {"Light HC"}, DARK_MORE: {"Dark HC", "Night"}}


def test_configured_themes_are_appearances_by_their_names():
    scheme = collection("Scheme", "Light", "Dark", "Dim")
    token_graph = graph(scheme, token(scheme, "a", BLACK, WHITE, RED))
    dim = Theme("dark", (((scheme.key), 2),))
    assert appearance_themes(sheet_of(token_graph, themes=(Theme("brand", ()), dim))) == ((DARK, dim),)
    ((_, theme),) = appearance_themes(sheet_of(token_graph, themes=(Theme("brand", ()),)))
    assert theme.modes == ((scheme.key, 1),), "no configured theme says so, so the modes do"


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("day", "evening"), {}),
        (("Day", "Night"), {"light": "Day", "dark": "Night"}),
        (("day", "night, dense"), {"light": "day"}),
        (("light", "evening"), {"light": "light"}),
    ],
)
def test_a_configured_day_theme_is_light_if_another_theme_is_dark(names, expected):
    size = collection("Size", "S", "M", "L")
    themes = tuple(Theme(name, ((size.key, at),)) for at, name in enumerate(names, 1))
    token_graph = graph(size, token(size, "gap", 4, 8, 16, type="dimension"))
    assert {
        each.scheme: theme.name for each, theme in appearance_themes(sheet_of(token_graph, themes=themes))
    } == expected


def test_an_excluded_theme_is_not_an_appearance():
    scheme = collection("Scheme", "Light", "Dark")
    token_graph = graph(scheme, token(scheme, "a", BLACK, WHITE))
    assert appearance_themes(sheet_of(token_graph, exclude=Selection(themes=("scheme/dark",)))) == ()


def crossing():
    """Return a graph with colours by scheme and by brand, and sizes that depend on nothing else."""
    brand = collection("Brand", "One", "Two")
    scheme = collection("Scheme", "Light", "Dark")
    size = collection("Size", "Small", "Large")
    late = collection("Late", "Here", "There")
    return graph(
        brand,
        scheme,
        size,
        late,
        token(scheme, "text", BLACK, alias("Brand", "main")),
        token(scheme, "plain", BLACK, WHITE),
        token(brand, "main", RED, WHITE),
        token(size, "gap", 4, 8, type="dimension"),
        token(late, "tint", ComposedColor(alias("Scheme", "text"), 50.0), RED),
    )


def test_axes_interact_if_a_token_depends_on_both_in_some_modes():
    """The alias between them may be in a mode that is not the default one."""
    sheet = sheet_of(crossing())
    axes = axes_of(sheet)
    actual = {
        (pair.first.name, pair.second.name): {sheet.tokens[index].key.path for index in pair.indices}
        for pair in pairs_of(sheet, axes)
    }
    assert actual == {
        ("brand", "scheme"): {"text", "tint"},
        ("brand", "late"): {"tint"},
        ("scheme", "late"): {"tint"},
    }


def test_configured_themes_are_one_axis():
    token_graph = crossing()
    themes = (Theme("a", (((("design", "brand")), 1),)), Theme("b", ()))
    (axis,) = axes_of(sheet_of(token_graph, themes=themes))
    assert (axis.name, [context.name for context in axis.contexts]) == ("theme", ["a", "b"])


def test_a_brand_that_follows_the_system_is_a_separate_context():
    family = collection("Scheme", "Light", "Dark", extensions=[("Brand", "Scheme")])
    token_graph = graph(family, token(family, "a", BLACK, WHITE, RED, BLACK))
    (axis,) = axes_of(sheet_of(token_graph))
    assert [context.name for context in axis.contexts] == ["light", "dark", "brand.light", "brand.dark", "brand"]
    ((appearance, theme),) = axis.contexts[-1].appearances
    assert (appearance, family.modes[theme.modes[0][1]].context) == (DARK, "brand.dark")
