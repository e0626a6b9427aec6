"""Chromium computes what the graph resolves under each option that spells values or chooses themes otherwise."""

from itertools import product

import pytest
from generate.targets.cases import weights_as_text
from generate.targets.cases_css import brand, media, mixed, pairs, widths
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
