"""React Native's values: weights, fonts, line heights and borders, and the choices of themes that follow the system."""

import json
import re

import pytest
from generate.targets.composite_values import BLACK, VALUES, composite_of, px
from generate.targets.hostile_graphs import hostile_graphs
from graphs import collection, color, graph, token
from hypothesis import given

from tokensync.generate.naming import names_for
from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets import generate, naming_of, react_native
from tokensync.settings import FaceConfig, FontConfig
from tokensync.tokens import Theme
from tokensync.tokens.values import Quantity

WHITE = color("#ffffff")
INTER = FontConfig(
    family="Inter",
    faces=(
        FaceConfig(weight=400, file="fonts/Inter-Regular.ttf"),
        FaceConfig(weight=700, postscript="Inter-Bold", file="inter_bold.otf"),
        FaceConfig(weight=500, file="Inter-Medium.woff2"),
        FaceConfig(weight=400, italic=True, file="Inter-Italic.ttf"),
    ),
)


def members(fonts=(), **style):
    """Return the members of a text style in JavaScript."""
    text = react_native.literals(fonts)["typography"](composite_of({**VALUES["typography"], **style}))
    return {name: json.loads(value) for name, value in re.findall(r"^  (\w+): (.*),$", text, re.MULTILINE)}


@pytest.mark.parametrize(
    ("number", "text"), [(1, "100"), (449, "400"), (450, "500"), (550.5, "600"), (949, "900"), (1000, "900")]
)
def test_a_weight_is_the_closest_hundred(number, text):
    assert react_native.weight(number) == text


@pytest.mark.parametrize(
    ("height", "shown"),
    [(1.5, 24), (1.4, 22.4), (px(20), 20), ({"value": 1.25, "unit": "rem"}, 20), (1.33, 21.28)],
)
def test_a_line_height_is_a_number_of_pixels(height, shown):
    assert members(fontSize=px(16), lineHeight=height)["lineHeight"] == shown


def test_a_style_without_a_configured_font_has_family_weight_and_style():
    style = members(fontFamily=["Inter", "serif"], fontWeight=650, fontStyle="oblique")
    assert (style["fontFamily"], style["fontWeight"], style["fontStyle"]) == ("Inter", "700", "italic")


@pytest.mark.parametrize(
    ("style", "family"),
    [
        ({"fontWeight": 400}, "Inter-Regular"),
        ({"fontWeight": 500}, "Inter-Regular"),
        ({"fontWeight": 600}, "Inter-Bold"),
        ({"fontWeight": 400, "fontStyle": "italic"}, "Inter-Italic"),
    ],
)
def test_a_configured_font_takes_the_place_of_weight_and_style(style, family):
    """A font of the web is not one of an app, so the medium weight is not there."""
    shown = members((INTER,), fontFamily=["inter"], **style)
    assert shown["fontFamily"] == family
    assert shown.keys().isdisjoint(("fontWeight", "fontStyle"))


def test_a_variable_font_keeps_the_weight():
    variable = FontConfig(family="Inter", faces=(FaceConfig(file="Inter.ttf"),))
    style = members((variable,), fontFamily=["Inter"], fontWeight=600)
    assert (style["fontFamily"], style["fontWeight"]) == ("Inter", "600")


def test_the_font_of_the_system_has_no_name():
    style = members(fontFamily=["SF Pro", "-apple-system", "system-ui"], fontWeight=600)
    assert ("fontFamily" in style, style["fontWeight"]) == (False, "600")


@pytest.mark.parametrize(
    ("names", "text"),
    [("Inter, sans-serif", "Inter-Regular"), ("system-ui", "System"), ("Georgia, serif", "Georgia"), ("", "System")],
)
def test_a_family_is_one_name(names, text):
    assert react_native.literals((INTER,))["family"](names) == f'"{text}"'


@pytest.mark.parametrize(
    ("style", "shown"),
    [("dotted", "dotted"), ({"dashArray": [px(4)], "lineCap": "butt"}, "dashed"), ("groove", None)],
)
def test_a_border_has_a_style_that_views_have_or_is_omitted(style, shown):
    border = composite_of({"color": BLACK, "width": px(2), "style": style})
    text = react_native.literals(())["border"](border)
    assert text is None if shown is None else f'borderStyle: "{shown}"' in text


def test_lengths_and_times_are_numbers():
    literals = react_native.literals(())
    assert literals["dimension"](Quantity(1.5, "rem")) == "24"
    assert literals["duration"](Quantity(0.2, "s")) == "200"


def choices(*parts, **options):
    """Return the choices of ``theme.js``: for each collection, what each name means."""
    files, _ = generate(graph(*parts), OutputRequest(platform="react-native", **options))
    text = dict(files)["theme.js"].decode()
    return [
        dict(re.findall(r'^    \["(.*)", \{ ?(.*?) ?\}\],$', block, re.MULTILINE))
        for block in re.findall(r"  new Map\(\[\n(.*?)\n  \]\),", text, re.DOTALL)
    ]


def test_a_light_mode_takes_the_place_of_a_dark_default_mode():
    scheme = collection("Scheme", "Dark", "Light", "Light high contrast")
    ((none, *_),) = (of.values() for of in choices(scheme, token(scheme, "ink", *[WHITE] * 3)))
    assert none == 'light: "scheme/light"'


def test_configured_themes_follow_the_system_by_their_names():
    scheme = collection("Scheme", "Day", "Night")
    themes = (Theme("Dark", ((("design", "scheme"), 1),)), Theme("print", ()))
    assert choices(scheme, token(scheme, "ink", WHITE, WHITE), themes=themes) == [
        {"": 'dark: "Dark"', "Dark": 'always: "Dark"', "print": 'always: "print"'}
    ]


def test_an_excluded_mode_is_not_chosen_by_the_system():
    scheme = collection("Scheme", "Light", "Dark", "Sepia")
    exclude = Selection(themes=("*/dark",))
    (of_scheme,) = choices(scheme, token(scheme, "ink", *[WHITE] * 3), exclude=exclude)
    assert of_scheme == {"": "", "scheme/light": 'always: "scheme/light"', "scheme/sepia": 'always: "scheme/sepia"'}


@given(hostile_graphs())
def test_names_are_those_of_typescript(token_graph):
    files = dict(generate(token_graph, OutputRequest(platform="react-native"))[0])
    names, _ = names_for(token_graph, token_graph.tokens.values(), naming_of("typescript"))
    constants = re.findall(r"^export const (\w+) = (?!/)", files["tokens.js"].decode(), re.MULTILINE)
    assert constants == list(names.values())
