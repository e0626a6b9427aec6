"""Motion variables of a design file are what browsers move by."""

import json

import pytest
from commands.projects import DESIGN
from design_file import graph_of
from generate.targets.test_springs import moved
from plan.motion import add_motion

from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets import generate

pytestmark = pytest.mark.outside

NAMES = ("transitionDuration", "transitionTimingFunction")
VALUES = {
    "standard": ["0.3s", "cubic-bezier(0.2, 0, 0, 1)"],
    "out": ["0.3s", "cubic-bezier(0, 0, 0.58, 1)"],
}


def files_of(platform):
    """The files of an output of the motion variables of a response, by their paths."""
    response = json.loads(DESIGN[0].read_bytes())
    add_motion(response["meta"])
    made, _ = graph_of(json.dumps(response).encode())
    files, _ = generate(made, OutputRequest(platform=platform, include=Selection(collections=("motion",))))
    return {file.path: file.content.decode() for file in files}


def computed(page):
    ask = "(names) => names.map((name) => getComputedStyle(document.querySelector('.x'))[name])"
    return page.page.evaluate(ask, [*NAMES])


@pytest.mark.parametrize("name", VALUES)
def test_durations_and_curves_are_those_of_a_transition(name, chromium):
    css = files_of("css")["tokens.css"] + f".x {{ transition: opacity var(--duration-hover) var(--ease-{name}) }}"
    with chromium(css, "<p class=x>") as page:
        assert computed(page) == VALUES[name]


def test_another_mode_has_its_own_values(chromium):
    css = files_of("css")["tokens.css"] + ".x { transition: opacity var(--duration-fast) var(--ease-spring) }"
    with chromium(css, "<p data-motion=reduced><b class=x>") as page:
        assert computed(page) == ["0s", "steps(1)"]


def test_sass_and_tailwind_write_the_same(chromium, sass, tailwind):
    use = '@use "tokens";\n.x { transition: opacity tokens.$duration-fast tokens.$ease-spring }'
    scss = sass(use, {"_tokens.scss": files_of("scss")["_tokens.scss"]})
    utilities = tailwind('@import "tailwindcss"; @import "./theme.css";', files_of("tailwind"), ["ease-spring"])
    css = files_of("css")["tokens.css"] + ".x { transition: opacity var(--duration-fast) var(--ease-spring) }"
    found = []
    for sheet, html in ((scss, "x"), (css, "x"), (utilities, "x ease-spring")):
        with chromium(sheet, f'<p class="{html}">') as page:
            found.append(computed(page))
    assert found[0] == found[1]
    assert found[2][1] == found[1][1]
    assert found[1][1].startswith("linear(0 0%, ")


def test_a_browser_moves_by_a_spring_as_its_equation_says(chromium):
    ask = """() => {
      const box = document.querySelector(".x");
      const easing = getComputedStyle(box).transitionTimingFunction;
      const moving = box.animate({ marginLeft: ["0px", "1000px"] }, { duration: 1000, easing });
      moving.pause();
      return [...Array(100).keys()].map((step) => {
        moving.currentTime = step * 10;
        return parseFloat(getComputedStyle(box).marginLeft) / 1000;
      });
    }"""
    css = files_of("css")["tokens.css"] + ".x { transition: opacity 1s var(--ease-spring) }"
    with chromium(css, "<p class=x>") as page:
        shown = page.page.evaluate(ask)
    ways = moved(0.69381)
    assert shown == pytest.approx([ways[step * 200] for step in range(100)], abs=0.01)
