"""A token without a value in a mode never shows that of another mode, and each target says so in its own way."""

import pytest
from generate.targets.composite_values import px
from graphs import alias, collection, color, graph, key, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.ios import IosOptions
from tokensync.tokens import Composite, DanglingAlias
from tokensync.tokens.composites import canonical

WHITE, BLACK = color("#ffffff"), color("#000000")
THEME = collection("Theme", "Light", "Dark")
GRAPH = graph(
    THEME,
    token(THEME, "bg", WHITE, DanglingAlias("VariableID:9:9")),
    token(THEME, "card", alias("Theme", "bg"), BLACK),
)


def output_of(platform, graph_of=GRAPH):
    files, problems = generate(graph_of, OutputRequest(platform=platform))
    return {file.path: file.content.decode() for file in files}, problems


@pytest.mark.parametrize(
    ("platform", "path", "text"),
    [
        ("css", "tokens.css", "    --bg: initial;"),
        ("tailwind", "theme.css", "    --bg: initial;"),
        ("json", "tokens.json", '"theme/dark": {"value": null}'),
        ("typescript", "tokens.js", "    bg: undefined,"),
        ("typescript", "tokens.d.ts", '  readonly bg: "#ffffff" | undefined;'),
        ("react-native", "tokens.js", "    bg: undefined,"),
        ("scss", "_tokens.scss", '    "bg": null,'),
    ],
)
def test_what_can_say_that_a_mode_has_no_value_does(platform, path, text):
    files, problems = output_of(platform)
    assert text in files[path]
    assert not {"alias-dangling-omitted", "mode-value-absent"} & {problem.code for problem in problems}


@pytest.mark.parametrize("platform", ["android", "compose", "ios"])
@pytest.mark.parametrize(
    ("value", "code"), [(DanglingAlias("VariableID:9:9"), "alias-dangling-omitted"), (None, "mode-value-absent")]
)
def test_what_would_show_another_mode_omits_the_token_and_names_it(platform, value, code):
    others = [token(THEME, "card", alias("Theme", "bg"), BLACK)]
    files, problems = output_of(platform, graph(THEME, token(THEME, "bg", WHITE, value), *others))
    assert not any("bg" in path or "bg" in content for path, content in files.items())
    assert any("card" in path or "card" in content for path, content in files.items())
    (absent,) = problems
    assert (absent.code, absent.where) == (code, "Theme / Dark")
    what = f"{platform} omits 1 token in every mode, because a value is missing here"
    assert (absent.what, absent.names) == (what, ("bg",))


DENSITY = collection("Density", "Plain", "Dense")


@pytest.mark.parametrize(
    ("platform", "path", "text"),
    [
        ("typescript", "tokens.js", 'density/dense": /* @__PURE__ */ Object.freeze({\n    bg: undefined,'),
        ("scss", "_tokens.scss", '"theme/dark + density/dense": (\n    "bg": null,'),
        ("json", "tokens.json", '"theme/dark + density/dense": {"value": null}'),
    ],
)
def test_a_pair_of_themes_without_a_value_does_not_have_that_of_one_of_them(platform, path, text):
    """The token has no value by default, so that only the dark theme alone has one."""
    dangling = DanglingAlias("VariableID:9:9")
    pair = graph(
        THEME,
        DENSITY,
        token(THEME, "bg", dangling, alias("Density", "ink")),
        token(DENSITY, "ink", BLACK, dangling),
    )
    files, _ = generate(pair, OutputRequest(platform=platform))
    assert text in {file.path: file.content.decode() for file in files}[path]


def test_a_shadow_whose_colour_has_no_value_in_dark_is_no_constant_of_ios():
    effects = collection("Effects", "Value")
    layer = {"color": "{theme.bg}", "offsetX": px(0), "offsetY": px(1), "blur": px(2), "spread": px(0)}
    shadow = Composite(canonical([layer]), (("{theme.bg}", key("Theme", "bg")),))
    shaded = graph(
        THEME,
        effects,
        token(THEME, "bg", WHITE, DanglingAlias("VariableID:9:9")),
        token(effects, "low", shadow, type="shadow"),
    )
    files, problems = generate(shaded, OutputRequest(platform="ios"))
    assert not any("low" in file.content.decode() for file in files)
    assert [problem.names for problem in problems if problem.where == "Effects / Value"] == [("low",)]


def test_a_brand_whose_dark_mode_has_no_value_has_none_in_a_swift_theme():
    """A dynamic colour cannot be nil at night only."""
    theme = collection("Theme", "Light", "Dark", extensions=[("Acme", "Theme")])
    ink = token(theme, "ink", WHITE, BLACK, BLACK, DanglingAlias("VariableID:9:9"))
    options = IosOptions(also=("themes",))
    files, _ = generate(graph(theme, ink), OutputRequest(platform="ios", options=options))
    (choice,) = [file.content.decode() for file in files if file.path == "ThemeTokens.swift"]
    following = choice.partition("public struct ThemeAcmeTokens")[2]
    assert "case .ink: return nil\n" in following
