"""Chromium applies values of tokens that texts and numbers of a design file stand for, as a page uses them."""

from functools import partial

import pytest
from generate.targets.cases_css import BY_SCOPE, lengths
from graphs import collection, color, graph, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.scss import ScssOptions
from tokensync.generate.targets.tailwind import TailwindOptions
from tokensync.normalize.mapping import TypeRule, TypeRules
from tokensync.normalize.numbers import with_types_in_code

pytestmark = pytest.mark.outside

BASE = collection("Base")


def files_of(platform, *tokens, rules=(), options=None):
    """The files of an output of tokens, by their paths."""
    made = with_types_in_code(graph(BASE, *tokens), TypeRules(rules))
    files, _ = generate(made, OutputRequest(platform=platform, options=options))
    return {file.path: file.content.decode() for file in files}


def computed(chromium, css, html, *properties):
    """The computed values of the element with the class x."""
    with chromium(css, html) as page:
        ask = "(names) => names.map((name) => getComputedStyle(document.querySelector('.x'))[name])"
        return page.page.evaluate(ask, [*properties])


def test_texts_that_are_css_by_a_rule_are_values_of_properties(chromium):
    texts = {"case": "uppercase", "justify": "flex-start", "width": "100%", "ease": "ease-in-out"}
    tokens = [token(BASE, name, text, type="string") for name, text in texts.items()]
    css = files_of("css", *tokens, rules=[TypeRule(type="css")])["tokens.css"]
    css += """
    .x { text-transform: var(--case); display: flex; justify-content: var(--justify); max-width: var(--width);
      transition-timing-function: var(--ease) }"""
    names = ("textTransform", "justifyContent", "maxWidth", "transitionTimingFunction")
    assert computed(chromium, css, "<p class=x>", *names) == list(texts.values())


def test_durations_and_curves_by_a_rule_are_those_of_a_transition(chromium):
    tokens = (
        token(BASE, "fast", 200, type="number"),
        token(BASE, "std", "cubic-bezier(0.2, 0, 0, 1)", type="string"),
    )
    rules = [TypeRule(type="duration", path="fast"), TypeRule(type="cubicBezier", path="std")]
    css = files_of("css", *tokens, rules=rules)["tokens.css"]
    css += ".x { transition: opacity var(--fast) var(--std) }"
    names = ("transitionDuration", "transitionTimingFunction")
    assert computed(chromium, css, "<p class=x>", *names) == ["0.2s", "cubic-bezier(0.2, 0, 0, 1)"]


SYSTEM = "-apple-system, BlinkMacSystemFont, system-ui, -webkit-body, sans-serif"


def test_families_of_the_system_are_keywords(chromium, stylelint, sass):
    files = files_of("scss", token(BASE, "font", f"Inter Tight, {SYSTEM}", type="fontFamily"))
    css = sass('@use "tokens"; .x { font-family: tokens.$font }', files)
    stylelint(css)
    assert computed(chromium, css, "<p class=x>", "fontFamily") == [f'"Inter Tight", {SYSTEM}']


LENGTHS = """(names) => {
  const page = document.documentElement, probe = page.appendChild(document.createElement("p"));
  const computed = (name) => { probe.style.marginTop = `var(--${name})`; return getComputedStyle(probe).marginTop };
  return ["16px", "20px"].map((size) => { page.style.fontSize = size; return names.map(computed) }) }"""
SCALED = {"size-none": (0, 0), "size-16": (16, 20), "edge": (16, 20), "gap": (16, 20), "gutter": (24, 30)}


@pytest.mark.parametrize("platform", ["css", "scss", "tailwind"])
@pytest.mark.parametrize(
    ("dimensions", "expected"),
    [
        ("px", {"size-16": (16, 16), "size-hair": (1, 1), "gutter": (24, 24)}),
        ("rem", {**SCALED, "size-hair": (1, 1), "ring": (3, 3), "tracking": (2.5, 2.5), "icon-size": (20, 25)}),
        (BY_SCOPE, {**SCALED, "size-hair": (1, 1.25), "ring": (3, 3), "icon-size": (20, 20)}),
    ],
    ids=["px", "rem", "by scope"],
)
def test_only_lengths_in_rem_follow_the_font_size_of_the_page(platform, dimensions, expected, chromium, sass, tailwind):
    types = {"css": CssOptions, "scss": ScssOptions, "tailwind": partial(TailwindOptions, static=True)}
    options = types[platform](dimensions=dimensions)
    files, _ = generate(lengths(), OutputRequest(platform=platform, options=options))
    css = files[0].content.decode()
    if platform == "scss":
        css = sass('@use "tokens"; :root { @include tokens.custom-properties }', {"_tokens.scss": css})
    if platform == "tailwind":
        css = tailwind('@import "tailwindcss"; @import "./theme.css";', {"theme.css": css})
    with chromium(css) as page:
        small, large = page.page.evaluate(LENGTHS, [*expected])
    assert small == [f"{pixels:g}px" for pixels, _ in expected.values()]
    assert large == [f"{pixels:g}px" for _, pixels in expected.values()]


def test_a_negative_number_has_a_name_beside_its_positive(tailwind, chromium):
    tokens = [token(BASE, f"space/{number}", number, type="dimension", scopes=("GAP",)) for number in (-4, 4)]
    theme = files_of("tailwind", *tokens)
    css = tailwind('@import "tailwindcss"; @import "./theme.css";', theme, ["x", "p-4", "m-negative-4"])
    assert computed(chromium, css, '<p class="x p-4 m-negative-4">', "paddingTop", "marginTop") == ["4px", "-4px"]


def test_a_shadow_tree_is_dark_in_a_dark_page_without_a_style_sheet_of_its_own(chromium):
    of = collection("Theme", "Light", "Dark")
    tokens = graph(of, token(of, "ink", color("#000000"), color("#ffffff")))
    ((_, css),) = generate(tokens, OutputRequest(platform="css"))[0]
    with chromium(css.decode(), '<my-el></my-el><my-el data-theme="light"></my-el>') as page:
        colors = page.page.evaluate("""() => {
          document.documentElement.dataset.theme = "dark";
          return [...document.querySelectorAll("my-el")].map((host) => {
            const root = host.attachShadow({ mode: "open" });
            root.innerHTML = "<p style='color: var(--ink)'></p>";
            return getComputedStyle(root.firstChild).color }) }""")
    assert colors == ["rgb(255, 255, 255)", "rgb(0, 0, 0)"]
