"""Colours of every DTCG colour space are the colours that Chromium converts them to."""

import json
import random

import pytest

from tokensync.dtcg import read
from tokensync.tokens import TokenKey, with_exact_colors
from tokensync.tokens.values import is_outside

pytestmark = pytest.mark.outside

FUNCTIONS = {
    "srgb": "color(srgb {})",
    "srgb-linear": "color(srgb-linear {})",
    "display-p3": "color(display-p3 {})",
    "a98-rgb": "color(a98-rgb {})",
    "prophoto-rgb": "color(prophoto-rgb {})",
    "rec2020": "color(rec2020 {})",
    "xyz-d65": "color(xyz-d65 {})",
    "xyz-d50": "color(xyz-d50 {})",
    "hsl": "hsl({})",
    "hwb": "hwb({})",
    "lab": "lab({})",
    "lch": "lch({})",
    "oklab": "oklab({})",
    "oklch": "oklch({})",
}
IN_SRGB = "(css) => { document.body.style.color = `color(from ${css} srgb r g b / alpha)`; \
return getComputedStyle(document.body).color; }"
CSS = (
    "#f00", "#ff000080", "#0f08", "rgba(255, 0, 0, 0.5)", "rgb(255 0 0 / 50%)", "rgb(100%, 50%, 0%)", "rgb(300 -5 0)",
    "hsl(210, 50%, 40%)", "hsla(210, 50%, 40%, .25)", "hsl(0.5turn 50% 40%)", "hsl(570 50% 40%)", "hwb(90 10% 20%)",
    "rebeccapurple", "transparent", "Tomato", "lab(50% 20 -30)", "lch(50% 30 200)", "oklab(60% 0.05 -5%)",
    "oklch(60% 25% 250deg)", "oklch(0.6 none 250)", "color(srgb 0.1 0.2 0.3 / 0.4)", "color(display-p3 0.3 0.4 0.5)",
    "color(xyz 0.2 0.2 0.2)",
)  # fmt: skip


def color_of(value):
    """The colour of a token, and whether it is outside of sRGB."""
    content = json.dumps({"color": {"t": {"$type": "color", "$value": value}}}).encode()
    graph, problems = read({"ds/color/mode.tokens.json": content}, "ds")
    assert {each.code for each in problems} <= {"token-notation"}
    token = graph.tokens[TokenKey("ds", "color", "t")]
    return token.values[0], is_outside(with_exact_colors(graph).tokens[token.key].values[0])


def components_of(space, seeded):
    """Components of a colour that is often, but not always, inside sRGB."""
    one = seeded.random
    match space:
        case "rec2020":  # Chromium still has the transfer function of BT.2020, which does not matter for 0 and 1
            return [seeded.randrange(2), seeded.randrange(2), seeded.randrange(2)]
        case "hsl" | "hwb":
            return [360 * one(), 100 * one(), 100 * one()]
        case "lab":
            return [100 * one(), 120 * one() - 60, 120 * one() - 60]
        case "lch":
            return [100 * one(), 60 * one(), 360 * one()]
        case "oklab":
            return [one(), 0.3 * one() - 0.15, 0.3 * one() - 0.15]
        case "oklch":
            return [one(), 0.2 * one(), 360 * one()]
        case _:
            return [one(), one(), one()]


def in_chromium(page, css):
    """The red, green, blue and alpha of a colour in sRGB, beyond 0 and 1 if it is outside."""
    text = page.page.evaluate(IN_SRGB, css)
    assert text.startswith("color(srgb "), (css, text)
    channels, _, alpha = text[len("color(srgb ") : -1].partition(" / ")
    return [*map(float, channels.split()), float(alpha or 1)]


@pytest.mark.parametrize("space", FUNCTIONS)
def test_a_colour_of_each_space_is_the_same_in_chromium(chromium, space):
    seeded = random.Random(space)
    compared = outside = 0
    with chromium("") as page:
        for _ in range(150):
            components = [round(each, 4) for each in components_of(space, seeded)]
            expected = in_chromium(page, FUNCTIONS[space].format(" ".join(map(str, components))))
            color, is_wide = color_of({"colorSpace": space, "components": components})
            if all(-0.0003 <= each <= 1.0003 for each in expected):
                assert not is_wide or max(expected[:3]) > 1 or min(expected[:3]) < 0
                found = (color.red, color.green, color.blue)
                assert found == pytest.approx([min(max(each, 0), 1) for each in expected[:3]], abs=0.001), components
                compared += 1
            elif not all(-0.003 <= each <= 1.003 for each in expected):
                assert is_wide, components
                outside += 1
    assert compared > 10
    assert outside or space in ("srgb", "srgb-linear", "hsl", "hwb")


def test_colours_in_css_syntax_are_the_same_in_chromium(chromium):
    with chromium("") as page:
        for css in CSS:
            color, _ = color_of(css)
            expected = in_chromium(page, css)
            assert [color.red, color.green, color.blue, color.alpha] == pytest.approx(expected, abs=0.003), css
