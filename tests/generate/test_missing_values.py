"""A token without a value in a mode never shows that of another mode, and each target says so in its own way."""

import pytest
from graphs import alias, collection, color, graph, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.tokens import DanglingAlias

WHITE, BLACK = color("#ffffff"), color("#000000")
THEME = collection("Theme", "Light", "Dark")
GRAPH = graph(
    THEME,
    token(THEME, "bg", WHITE, DanglingAlias("VariableID:9:9")),
    token(THEME, "card", alias("Theme", "bg"), BLACK),
)


def output_of(platform):
    files, problems = generate(GRAPH, OutputRequest(platform=platform))
    return {file.path: file.content.decode() for file in files}, problems


@pytest.mark.parametrize(
    ("platform", "path", "text"),
    [
        ("css", "tokens.css", "    --bg: initial;"),
        ("tailwind", "theme.css", "    --color-bg: initial;"),
        ("json", "tokens.json", '"theme/dark": {"value": null}'),
        ("typescript", "tokens.js", "    bg: undefined,"),
        ("typescript", "tokens.d.ts", "  readonly bg: string | undefined;"),
        ("scss", "_tokens.scss", '    "bg": null,'),
    ],
)
def test_what_can_say_that_a_mode_has_no_value_does(platform, path, text):
    files, problems = output_of(platform)
    assert text in files[path]
    assert [problem.code for problem in problems if problem.code == "mode-value-absent"] == []


@pytest.mark.parametrize("platform", ["android", "compose", "ios"])
def test_what_would_show_another_mode_omits_the_token_and_names_it(platform):
    files, problems = output_of(platform)
    assert not any("bg" in path or "bg" in content for path, content in files.items())
    assert any("card" in path or "card" in content for path, content in files.items())
    (absent,) = [problem for problem in problems if problem.code == "mode-value-absent"]
    assert absent.where == "Theme / Dark"
    assert absent.what == f"{platform} omits bg in every mode, because a value is missing here"
