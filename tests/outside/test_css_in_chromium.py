"""Chromium computes every token in every theme and appearance, on one element and nested, as the graph resolves it."""

from itertools import permutations, product

import pytest
from outside.css_oracle import ROOT, Oracle
from outside.css_themes import axes, pairs
from outside.themes import systems

pytestmark = pytest.mark.outside

MOST_NESTED = 60
"""Ordered pairs of an axis' contexts, of which as many are tried as this; they are spread over all of them."""


@pytest.fixture
def page(subject, chromium):
    files = subject.files("css")
    assert list(files) == ["tokens.css"]
    with chromium(files["tokens.css"].decode("utf-8")) as page:
        yield page


def test_each_theme_in_each_appearance(subject, page, counted):
    oracle = Oracle(subject.graph)
    for system in systems(subject.graph):
        chosen = [choice for axis in axes(subject.graph) for choice in axis.choices()]
        oracle.compare(page, system, [(ROOT,), *((each,) for each in chosen), *((ROOT, each) for each in chosen)])
    counted("css", "computed values, each theme x appearance", subject.name, oracle.compared, oracle.differences)


def test_a_theme_inside_another_of_its_axis(subject, page, counted):
    oracle = Oracle(subject.graph)
    for system in systems(subject.graph)[:2]:
        nested = []
        for axis in axes(subject.graph):
            both = list(permutations(axis.choices(), 2))
            nested += both[:: len(both) // MOST_NESTED + 1]
        oracle.compare(page, system, [(ROOT, *each) for each in nested])
    what = "computed values, a theme inside another of its axis"
    counted("css", what, subject.name, oracle.compared, oracle.differences)


def test_pairs_of_axes_that_interact(subject, page, counted):
    oracle = Oracle(subject.graph)
    for system in systems(subject.graph)[:2]:
        placements = []
        for one, other in pairs(subject.graph):
            for first, second in product(one.choices(), other.choices()):
                element = ({**first[0], **second[0]}, {**first[1], **second[1]})
                placements += [(element,), (ROOT, element), (ROOT, first, second), (ROOT, second, first)]
        oracle.compare(page, system, placements)
    what = "computed values, pairs of axes on one element and nested both ways"
    counted("css", what, subject.name, oracle.compared, oracle.differences)
