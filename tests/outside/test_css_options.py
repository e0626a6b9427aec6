"""Chromium computes what the graph resolves under each option that spells values or chooses themes otherwise."""

from itertools import product

import pytest
from generate.targets.cases import CASES, weights_as_text
from generate.targets.cases_css import brand, media, mixed, pairs, widths
from msgspec.structs import replace
from outside.css_oracle import ROOT, Oracle
from outside.css_themes import axes
from outside.css_themes import pairs as interacting
from outside.themes import systems

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.css import CssOptions

pytestmark = pytest.mark.outside

OPTIONS = {
    "defaults": CssOptions(),
    "light-dark": CssOptions(light_dark=True),
    "property": CssOptions(property=True),
    "light-dark and property": CssOptions(light_dark=True, property=True),
    "oklch in a layer": CssOptions(colors="oklch", layer="tokens"),
    "rgb, minified": CssOptions(colors="rgb", minify=True),
    "literals": CssOptions(composed="literal"),
}
GRAPHS = (brand, media, mixed, pairs, weights_as_text, widths)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
@pytest.mark.parametrize("make", GRAPHS, ids=lambda each: each.__name__)
def test_every_element_shows_the_values_of_the_graph(make, options, chromium):
    """In every appearance: each theme on the root and on an inner element, each pair on one and nested both ways."""
    graph = make()
    ((_, css),) = generate(graph, OutputRequest(platform="css", options=options))[0]
    oracle = Oracle(graph)
    with chromium(css.decode("utf-8")) as page:
        for system in systems(graph):
            oracle.compare(page, system, placements(graph))
    assert oracle.compared
    assert oracle.differences == []


def placements(graph):
    every = [choice for axis in axes(graph) for choice in axis.choices()]
    yield (ROOT,)
    for choice in every:
        yield (choice,)
        yield (ROOT, choice)
    for axis in axes(graph):
        for outer, inner in product(axis.choices(), repeat=2):
            yield (ROOT, outer, inner)
    for one, other in interacting(graph):
        for first, second in product(one.choices(), other.choices()):
            element = ({**first[0], **second[0]}, {**first[1], **second[1]})
            yield from ((element,), (ROOT, element), (ROOT, first, second), (ROOT, second, first))
            for again in one.choices():
                yield (ROOT, element, again)
            for again in other.choices():
                yield (ROOT, element, again)


STYLES = """[...document.querySelectorAll("p")].map((element) => {
  const style = getComputedStyle(element);
  return [style.fontStyle, style.fontWeight, style.fontSize, style.lineHeight, style.fontFamily, style.letterSpacing,
    style.textTransform, style.textDecorationLine] })"""
INTER = "Inter, system-ui, sans-serif"


@pytest.mark.parametrize("classes", ["font", "properties"])
@pytest.mark.parametrize("layer", ["", "tokens"])
def test_the_class_of_a_text_style_shows_it_in_each_theme(classes, layer, chromium):
    graph_of_styles, request = CASES["css/classes"]
    options = CssOptions(classes=classes, layer=layer, minify=True)
    (file,) = generate(graph_of_styles, replace(request, options=options))[0]
    html = '<p class="body"></p><p class="slanted"></p><p class="2-plain"></p>'
    with chromium(file.content.decode(), html + f"<div data-density=dense>{html}</div>") as page:
        slanted = ["italic", "600", "16px", "20px", "Inter, sans-serif", "-0.25px", "uppercase", "underline"]
        plain = ["normal", "400", "13px", "normal", INTER, "normal", "none", "none"]
        body = ["normal", "600", "16px", "24px", INTER, "-0.25px", "none", "none"]
        dense = [*body[:2], "14px", "18px", *body[4:]]
        assert page.page.evaluate(STYLES) == [body, slanted, plain, dense, slanted, plain]
