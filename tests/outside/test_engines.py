"""Chromium, Firefox and WebKitGTK compute what the graph resolves, each at the same elements."""

import sys
from functools import partial
from itertools import product
from random import Random

import pytest
from checkers import missing
from generate.targets.cases_css import brand, mixed, pairs, widths
from msgspec.structs import replace
from outside.css_oracle import ROOT, Oracle
from outside.css_themes import axes, nestings
from outside.css_themes import pairs as interacting
from outside.engines import Engine, find_firefox, find_webkit, firefox_command, webkit_command
from outside.test_css import SEEDS, generated
from outside.test_tailwind import SHEET, TailwindOracle, renamed
from outside.themes import systems

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.tailwind import TailwindOptions

pytestmark = pytest.mark.outside

ENGINES = {"chromium": "Chromium", "firefox": "Firefox", "webkit": "WebKitGTK"}
FORMS = {
    "blocks": CssOptions(),
    "switches": CssOptions(form="switches"),
    "modern": CssOptions(colors="oklch", profile="display-p3", light_dark=True, property=True, layer="tokens"),
}
MOST = 100_000
"""Values that are compared in a form and a colour scheme."""
MOST_PLACEMENTS = 120


@pytest.fixture(scope="session")
def firefox():
    program = find_firefox()
    if program is None:
        missing("Firefox", "on Debian the package firefox-esr; else name the program in TOKENSYNC_FIREFOX")
    with Engine(program, firefox_command) as opened:
        yield opened.open


@pytest.fixture(scope="session")
def webkit():
    program = find_webkit()
    if program is None and sys.platform != "linux":
        pytest.skip("WebKitGTK is not installed: there is one for Linux alone")
    if program is None:
        missing("WebKitGTK", "on Debian the packages libwebkit2gtk-4.1-0, xvfb and xauth")
    with Engine(program, webkit_command) as opened:
        yield opened.open


# Each engine in one process, which starts it once.
@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in ENGINES])
def engine(request):
    return request.param


@pytest.fixture
def browse(engine, request):
    return request.getfixturevalue(engine)


def placements_of(token_graph, most):
    """Each theme on the root and within it, then elements with one choice or two each, up to three deep, by a seed."""
    random = Random(11)
    single = [choice for axis in axes(token_graph) for choice in axis.choices()]
    double = [
        ({**first[0], **second[0]}, {**first[1], **second[1]})
        for one, other in interacting(token_graph)
        for first, second in product(one.choices(), other.choices())
    ]
    yield (ROOT,)
    yield from random.sample([(choice,) for choice in single], min(len(single), most // 4))
    yield from random.sample([(choice,) for choice in double], min(len(double), most // 4))
    if single:
        for depth in (1, 2, 3) * (most // 6):
            yield (ROOT, *random.choices(single, k=depth))
            if double:
                yield (random.choice(double), *random.choices(double, k=depth - 1), random.choice(single))


@pytest.mark.parametrize("make", [brand, mixed, pairs, widths, *(partial(generated, seed) for seed in SEEDS)])
@pytest.mark.parametrize("form", FORMS)
def test_small_graphs_show_their_values_in_every_nesting_up_to_three_deep(form, make, browse):
    """A brand and its schemes, colours of an opacity, cycles, and what has no value in a theme."""
    token_graph = make()
    ((_, css),) = generate(token_graph, OutputRequest(platform="css", options=FORMS[form]))[0]
    oracle = Oracle(token_graph, tells_absent=True, screen="srgb" if FORMS[form].profile == "display-p3" else "")
    with browse(css.decode()) as page:
        for system in systems(token_graph)[:2]:
            placements = [(ROOT, *nesting) for nesting in nestings(token_graph, 3)]
            oracle.compare(page, system, placements[:: len(placements) // 400 + 1])
    assert oracle.compared
    assert oracle.differences == []


def compare(oracle, page, most=MOST):
    for system in systems(oracle.graph)[:2]:
        several = placements_of(oracle.graph, max(min(most // len(oracle.kinds), MOST_PLACEMENTS), 12))
        oracle.compare(page, system, several)


@pytest.mark.parametrize("form", FORMS)
def test_css_shows_the_values_of_the_graph_up_to_three_deep(subject, form, engine, browse, counted):
    options = FORMS[form]
    if subject.name == "generated":  # browsers show six of seven digits of a registered number, and its rem in px
        options = replace(options, property=False, profile="srgb")  # the oracle has no P3 within composites
    oracle = Oracle(subject.graph, screen="srgb" if options.profile == "display-p3" else "")
    if options.colors == "oklch":
        oracle.tolerance *= 1.5  # Chromium computes saturated ones less exactly than the others
    (css,) = subject.files("css", options).values()
    with browse(css.decode()) as page:
        compare(oracle, page)
    what = f"computed values in three forms up to three deep, in {ENGINES[engine]}"
    counted("css", what, subject.name, oracle.compared, oracle.differences)


def test_tailwind_shows_the_values_of_the_graph_up_to_three_deep(subject, engine, browse, tailwind, counted):
    oracle = TailwindOracle(subject.graph)
    renamed(subject, oracle)
    (css,) = subject.files("tailwind", TailwindOptions(static=True)).values()
    with browse(tailwind(SHEET, {"theme.css": css.decode()})) as page:
        compare(oracle, page)
    what = f"computed values up to three deep, in {ENGINES[engine]}"
    counted("tailwind", what, subject.name, oracle.compared, oracle.differences)


def test_a_wrong_value_in_one_theme_is_seen(browse):
    oracle = Oracle(pairs())
    ((_, css),) = generate(oracle.graph, OutputRequest(platform="css"))[0]
    text = css.decode()
    assert text.count("--gap: 8px") == 1
    with browse(text.replace("--gap: 8px", "--gap: 8rem")) as page:
        compare(oracle, page)
    assert 0 < len(oracle.differences) < oracle.compared / 2
    assert all(" --gap: expected number 8 px, found number 8 rem" in each for each in oracle.differences)
