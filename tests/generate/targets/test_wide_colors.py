"""Colours outside of sRGB: outputs contain them exactly where their format and options allow it, else with a note."""

import json

import pytest
from graphs import alias, collection, graph, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import NAMES, generate, target
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.ios import IosOptions
from tokensync.generate.targets.json import JsonOptions
from tokensync.generate.targets.tailwind import TailwindOptions
from tokensync.tokens import Color, ComposedColor, Composite, float32

LIME = Color(0.0, float32(0.9857637), float32(0.15974244), 1.0, "display-p3 0 1 0")
NEAR = Color(LIME.red, LIME.green, LIME.blue)
SHADOW = json.dumps(
    {
        "blur": {"unit": "px", "value": 1},
        "color": {"colorSpace": "oklch", "components": [0.7, 0.3, 150]},
        **{name: {"unit": "px", "value": 0} for name in ("offsetX", "offsetY", "spread")},
    },
    separators=(",", ":"),
)


def outputs(platform, value, options=None, token_type="color"):
    theme = collection("Theme", "Value")
    veil = ComposedColor(alias("Theme", "lime"), 50.0)
    tokens = [token(theme, "lime", value, type=token_type)]
    if token_type == "color":
        tokens += [token(theme, "ref", alias("Theme", "lime")), token(theme, "veil", veil)]
    request = OutputRequest(platform=platform, options=options)
    files, problems = generate(graph(theme, *tokens), request)
    return b"\n".join(content for _, content in files).decode(), [
        each for each in problems if each.code == "color-converted"
    ]


@pytest.mark.parametrize("platform", [each for each in NAMES if each != "template"])
def test_a_converted_colour_is_noted_once_for_each_output(platform):
    _, (note,) = outputs(platform, LIME)
    assert note.severity == "note"
    assert f"{platform} contains the closest sRGB colour for 1 token outside of sRGB: Theme / lime" in note.what
    for name, value in target(platform).wide_colors:
        assert f'{name} = "{value}"' in note.what_to_do
    assert outputs(platform, NEAR)[1] == []


@pytest.mark.parametrize("platform", ["css", "json", "typescript"])
def test_a_colour_within_a_composite_is_noted_as_well(platform):
    _, notes = outputs(platform, Composite(SHADOW), token_type="shadow")
    assert len(notes) == 1
    inside = SHADOW.replace("0.3,", "0.1,")
    assert outputs(platform, Composite(inside), token_type="shadow")[1] == []


OKLCH = "oklch(84.883% 0.36853 145.645deg{})"
OBJECT = '{{"colorSpace": "display-p3", "components": [0, 1, 0]{}}}'
EXACT = [
    (
        CssOptions(colors="oklch", fallbacks=True),
        [f"--lime: {OKLCH.format('')};", f"--veil: {OKLCH.format(' / 50%')};"],
    ),
    (CssOptions(profile="display-p3"), ["--lime: #00fb29;", "--lime: color(display-p3 0 1 0);"]),
    (TailwindOptions(colors="oklch"), [OKLCH.format("")]),
    (JsonOptions(colors="components"), [OBJECT.format(""), OBJECT.format(', "alpha": 0.5')]),
    (IosOptions(color_space="display-p3"), ['"green" : "1.000"']),
]


@pytest.mark.parametrize(("options", "texts"), EXACT, ids=range(len(EXACT)))
def test_options_that_allow_it_write_the_colour_itself(options, texts):
    platform = type(options).__name__.removesuffix("Options").lower()
    text, notes = outputs(platform, LIME, options)
    assert notes == []
    for each in texts:
        assert each.replace(" ", "") in text.replace(" ", "")


def test_other_colours_are_written_as_before():
    for platform in ("css", "ios", "json"):
        assert outputs(platform, NEAR)[0] == outputs(platform, LIME)[0]
