"""The axes of a style sheet: their names, their choices, and the size of their rules."""

import re

import pytest
from corpus.read_css import ROOT, Sheet, read_css
from graphs import alias, collection, color, graph, token
from msgspec.structs import replace

from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets import generate
from tokensync.generate.targets.css import CssOptions, CssTheme
from tokensync.tokens import ComposedColor, DanglingAlias, Mode, Theme

BLACK, WHITE, RED, BLUE = color("#000000"), color("#ffffff"), color("#ff0000"), color("#0000ff")
DARK = "(prefers-color-scheme: dark)"


def text_of(token_graph, *, themes=(), exclude=(), platform="css", **options):
    request = OutputRequest(
        platform=platform, themes=themes, exclude=Selection(themes=exclude), options=CssOptions(**options)
    )
    return generate(token_graph, request)[0][0].content.decode()


def shown(text, folder, name, *path, holding=()):
    (folder / "tokens.css").write_text(text, encoding="utf-8")
    actual = Sheet(read_css(folder / "tokens.css"), holding).computed([ROOT], *path).get(name)
    return None if actual is None else actual[1]


def branded(*values, name="Scheme", brand="Brand"):
    scheme = collection(name, "Light", "Dark", extensions=[(brand, name)])
    return graph(scheme, token(scheme, "ink", *values))


def test_dark_inside_a_brand_is_that_brands_dark(tmp_path):
    text = text_of(branded(BLACK, WHITE, RED, BLUE))
    brand, dark, light = ("data-brand", "brand"), ("data-scheme", "dark"), ("data-scheme", "light")
    for path, value in {
        ((brand,),): "#ff0000",
        ((brand,), (dark,)): "#0000ff",
        ((dark,), (brand,)): "#0000ff",
        ((dark, brand), (light,)): "#ff0000",
        ((dark, brand), (("data-brand", "scheme"),)): "#ffffff",
    }.items():
        assert shown(text, tmp_path, "--ink", *path) == value
    assert shown(text, tmp_path, "--ink", [brand], holding=[DARK]) == "#0000ff", "a brand follows the system"


def test_a_mode_of_a_brand_only_is_a_separate_choice(tmp_path):
    scheme = collection("Scheme", "Light", "Dark", extensions=[("Brand", "Scheme")])
    dusk = Mode(name="Dusk", collection="brand", slug="dusk", context="brand.dusk")
    scheme = replace(scheme, modes=(*scheme.modes, dusk))
    text = text_of(graph(scheme, token(scheme, "ink", BLACK, WHITE, None, None, RED)))
    dusky, brand = ("data-scheme", "brand.dusk"), ("data-brand", "brand")
    assert shown(text, tmp_path, "--ink", [dusky]) == "#ff0000"
    assert shown(text, tmp_path, "--ink", [dusky, brand]) == "#ff0000"
    assert shown(text, tmp_path, "--ink", [dusky], [("data-scheme", "dark")]) == "#ffffff"


@pytest.mark.parametrize(
    ("names", "options", "attribute"),
    [
        (("Scheme", "Brand B"), {}, "data-brand"),
        (("Brand", "Brand B"), {}, "data-brand-brand"),
        (("Scheme", "Brand B"), {"brand_axis": "label"}, "data-label"),
        (("Scheme", "Brand B"), {"brand_axis": "{axis}-label"}, "data-scheme-label"),
        (("Scheme", "Brand B"), {"attribute": "data-ds-{axis}"}, "data-ds-brand"),
        (("Scheme", "Brand B"), {"brand_axis": "scheme"}, "data-scheme-brand"),
    ],
)
def test_the_attribute_of_brands_has_a_unique_name(names, options, attribute):
    name, brand = names
    text = text_of(branded(BLACK, WHITE, RED, BLUE, name=name, brand=brand), **options)
    assert f'[{attribute}="brand-b"] {{' in text


def test_selectors_of_the_options_choose_a_brand_or_a_brands_mode():
    themes = {"scheme/brand": CssTheme(selector=".b"), "scheme/brand.dark": CssTheme(selector=".b-dark")}
    request = OutputRequest(platform="css", options=CssOptions(themes=themes))
    text = generate(branded(BLACK, WHITE, RED, BLUE), request)[0][0].content.decode()
    assert ".b {\n  --_brand-scheme: ;\n  --_brand: initial;\n}" in text
    of_both = text.partition(".b-dark {\n")[2].partition("}")[0]
    assert "--_scheme-dark: initial;" in of_both and "--_brand: initial;" in of_both
    assert "color-scheme: dark;" in of_both
    assert '[data-brand="brand"]' not in text and ".b-dark" in text.partition("--ink: var")[0]


def test_in_a_shadow_tree_the_host_may_choose_a_theme():
    text = text_of(branded(BLACK, WHITE), root=":root, :host")
    assert '[data-scheme="dark"],\n:host([data-scheme="dark"]) {' in text
    assert ":host" not in text_of(branded(BLACK, WHITE))


@pytest.mark.parametrize(("root", "is_declared"), [(":root", False), (":root, html", False), (".app", True)])
def test_a_token_without_a_default_value_is_declared_on_a_nested_root(root, is_declared):
    scheme = collection("Scheme", "Light", "Dark")
    token_graph = graph(scheme, token(scheme, "ink", DanglingAlias("V:9:9"), BLACK), token(scheme, "paper", WHITE))
    usual = text_of(token_graph, root=root).partition("}")[0]
    assert ("--ink: initial;" in usual) is is_declared


@pytest.mark.parametrize(
    ("modes", "last_of_system", "blocks"),
    [
        (("Light", "Dark"), "dark", ["light", "dark"]),
        (("Dark", "Light"), "light", ["dark", "light"]),
        (("Light", "Dark", "Dimmed"), "dark", ["light", "dark", "light"]),
        (("Light", "Dark", "High contrast"), "light", ["light", "dark", "light"]),
        (("Primary", "Dark", "Light"), None, [None] * 3),
        (("One", "Two"), None, [None] * 2),
    ],
)
def test_the_color_scheme_is_declared_for_light_and_dark_modes(modes, last_of_system, blocks):
    scheme = collection("Scheme", *modes)
    text = text_of(graph(scheme, token(scheme, "ink", BLACK, WHITE, RED)), comments="none").replace(";\n\n", ";\n")
    actual = {
        selector: (re.findall(r"^ *color-scheme: (.*);", body, re.MULTILINE) or [None])[0]
        for selector, body in re.findall(r"^ *(\S.*) \{\n((?: *[-a-z]+: .*\n)+) *\}", text, re.MULTILINE)
    }
    assert actual.get(":root:not([data-scheme])") == last_of_system
    assert [actual[f'[data-scheme="{mode.context}"]'] for mode in scheme.modes] == blocks


def test_the_color_scheme_follows_the_axis_with_a_clear_dark_mode():
    page, surface = collection("Page", "Light", "Dark"), collection("Surface", "Light", "Dark 1", "Dark 2")
    parts = [token(surface, name, BLACK, WHITE, RED) for name in ("a", "b", "c")]
    alone = text_of(graph(surface, *parts))
    beside = text_of(graph(page, token(page, "d", BLACK, WHITE), surface, *parts))
    assert '[data-surface="dark-1"] {\n  color-scheme: dark;' in alone
    assert '[data-page="dark"] {\n  color-scheme: dark;' in beside and beside.count(" color-scheme: ") == 3


def test_an_excluded_theme_leaves_no_trace():
    scheme = collection("Scheme", "Light", "Dark")
    token_graph = graph(scheme, token(scheme, "ink", BLACK, WHITE))
    dark, day = Theme("dark", ((scheme.key, 1),)), Theme("day", ((scheme.key, 0),))
    evening = Theme("evening", ((scheme.key, 1),))
    for themes, excluded in (((day, dark), "dark"), ((day, evening), "evening")):
        assert "#fff" in text_of(token_graph, themes=themes)
        assert "#fff" not in text_of(token_graph, themes=themes, exclude=(excluded,))
        request = OutputRequest(platform="android", themes=themes, exclude=Selection(themes=(excluded,)))
        assert not [path for path, _ in generate(token_graph, request)[0] if "night" in path]
    assert "#fff" not in text_of(token_graph, exclude=("scheme/dark",))


def test_equal_values_of_many_modes_are_written_once(tmp_path):
    size = collection("Size", *(f"m{number}" for number in range(27)))
    other = graph(size, *(token(size, f"t{at}", *([RED] * 13 + [BLUE] * 14)) for at in range(20)))
    text = text_of(other, form="switches")
    assert text.count("--t7:") == 1
    for mode, value in (("m0", "#ff0000"), ("m26", "#0000ff")):
        assert shown(text, tmp_path, "--t7", [("data-size", "m5")], [("data-size", mode)]) == value
        (tmp_path / "tokens.css").write_text(text, encoding="utf-8")
        root = Sheet(read_css(tmp_path / "tokens.css")).computed([ROOT, ("data-size", mode)])
        assert root["--t7"][1] == value


def test_references_that_form_a_cycle_only_across_modes_are_literals(tmp_path):
    one, two = collection("One", "A", "B"), collection("Two", "C", "D")
    token_graph = graph(one, two, token(one, "x", alias("Two", "y"), RED), token(two, "y", BLUE, alias("One", "x")))
    text = text_of(token_graph)
    of = {(a, c): [("data-one", a), ("data-two", c)] for a in "ab" for c in "cd"}
    assert {each: shown(text, tmp_path, "--x", path) for each, path in of.items() if each != ("a", "d")} == {
        ("a", "c"): "#0000ff",
        ("b", "c"): "#ff0000",
        ("b", "d"): "#ff0000",
    }
    assert shown(text, tmp_path, "--x", of["a", "d"]) is None, "there it is a cycle indeed"


def test_composed_colours_that_form_a_cycle_only_across_modes_are_literals(tmp_path):
    one, two = collection("One", "A", "B"), collection("Two", "C", "D")
    half = {name: ComposedColor(alias(*name), 50.0) for name in (("Two", "y"), ("One", "x"))}
    token_graph = graph(one, two, token(one, "x", half["Two", "y"], RED), token(two, "y", BLUE, half["One", "x"]))
    text = text_of(token_graph)
    assert shown(text, tmp_path, "--x", [("data-one", "a"), ("data-two", "c")]) == "rgb(0 0 255 / 50%)"
    assert shown(text, tmp_path, "--y", [("data-one", "b"), ("data-two", "d")]) == "rgb(255 0 0 / 50%)"


def test_the_name_of_a_switch_does_not_repeat_words():
    token_graph = branded(BLACK, WHITE, RED, BLUE, name="Brand", brand="Brand B")
    text = text_of(token_graph)
    assert set(re.findall(r"--_[\w-]+", text)) == {"--_brand-light", "--_brand-dark", "--_brand", "--_brand-b"}


def test_a_switch_does_not_have_the_name_of_a_token():
    scheme, size = collection("Scheme", "Light", "Dark"), collection("Size", "S", "L")
    syntax = {"code_syntax": (("WEB", "--_scheme-dark"),)}
    token_graph = graph(
        scheme,
        size,
        token(scheme, "ink", BLACK, alias("Size", "tint")),
        token(size, "tint", RED, BLUE),
        token(size, "odd", WHITE, **syntax),
    )
    text = text_of(token_graph)
    assert "--_scheme-dark: #fff;" in text
    assert "var(--_scheme-dark-2, var(--tint))" in text


def test_a_value_with_too_many_combinations_follows_some_collections_and_reports_the_others():
    """Six collections of 40 modes have four thousand million combinations."""
    several = [collection(name, *(f"m{at}" for at in range(9))) for name in ("First", "Second", "Third")]
    first, second, third = several
    declared = collection("Out")
    chain = graph(
        declared,
        *several,
        token(declared, "gap", alias("First", "a"), type="dimension"),
        token(first, "a", alias("Second", "b"), *range(1, 9), type="dimension"),
        token(second, "b", alias("Third", "c"), *range(11, 19), type="dimension"),
        token(third, "c", *range(21, 30), type="dimension"),
    )
    request = OutputRequest(platform="css", include=Selection(collections=("Out",)))
    ((_, content),), problems = generate(chain, request)
    (problem,) = [each for each in problems if each.code == "modes-not-followed"]
    assert problem.where == "Out / gap"
    assert "does not follow third;" in str(problem)
    values = re.findall(r"\b(\d+)px", content.decode())
    assert {int(each) for each in values} == {*range(1, 9), *range(11, 19), 21}
