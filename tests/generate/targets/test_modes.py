"""The night mode, and the notation of edge cases."""

import pytest
from graphs import alias, collection, color, graph, token

from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets import generate
from tokensync.generate.targets.android import literals as android
from tokensync.generate.targets.css import literals as css
from tokensync.generate.themes import Appearance, counterparts

BLACK, WHITE = color("#000000"), color("#ffffff")


def files_of(token_graph, platform, **options):
    files, _ = generate(token_graph, OutputRequest(platform=platform, **options))
    return {path: content.decode() for path, content in files}


@pytest.mark.parametrize(
    ("modes", "counterpart"),
    [
        (["Light", "Dark"], "Dark"),
        (["Brand light", "Dark", "Brand dark"], "Brand dark"),
        (["Day", "Night", "Dark"], None),
        (["Default", "Dark"], "Dark"),
        (["Default", "Dark dimmed", "Dark"], "Dark"),
        (["Default", "Dark dimmed", "Dark tinted"], None),
        (["Default", "Light", "Dark"], None),
        (["Dark", "Light"], None),
        (["One", "Two"], None),
    ],
)
def test_the_dark_counterpart_must_be_clear(modes, counterpart):
    family = collection("Theme", *modes)
    mode = counterparts(family).get(Appearance("dark", ""))
    assert (None if mode is None else family.modes[mode].name) == counterpart


def test_the_night_mode_of_an_excluded_theme_is_not_written():
    theme = collection("Theme", "Light", "Dark")
    token_graph = graph(theme, token(theme, "ink", BLACK, WHITE))
    assert "values-night/colors.xml" in files_of(token_graph, "android")
    assert "values-night/colors.xml" not in files_of(token_graph, "android", exclude=Selection(themes=("theme/dark",)))


def test_a_weight_that_cannot_be_an_integer_resource_is_a_number():
    of = collection("Base")
    token_graph = graph(
        of,
        token(of, "regular", 400, type="fontWeight"),
        token(of, "huge", alias("Base", "number"), type="fontWeight"),
        token(of, "number", 3_000_000_000, type="number"),
    )
    files = files_of(token_graph, "android")
    assert '"regular"' in files["values/integers.xml"]
    assert '"huge"' in files["values/numbers.xml"]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        (" a", "\\u0020a"),
        ("a  b", "a\\u0020 b"),
        ("a ", "a\\u0020"),
        ("a\n b", "a\\n\\u0020b"),
        ("a\t b", "a\\t\\u0020b"),
        ("a b", "a b"),
    ],
)
def test_blanks_that_aapt_would_collapse_are_escaped(text, escaped):
    assert android.string(text) == escaped


@pytest.mark.parametrize(("alpha", "written"), [(0.5, "0.5"), (0.12345, "0.1235"), (0.00004, "0"), (0.99996, "1")])
def test_an_alpha_has_four_decimals_at_most(alpha, written):
    assert css.color(color("#ffffff", alpha)) == f"rgb(255 255 255 / {written})"
