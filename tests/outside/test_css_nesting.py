"""Chromium shows each theme's values on elements that are nested up to four deep, on any of three axes."""

import random
from functools import partial
from itertools import product

import pytest
from graphs import alias, collection, color, graph, token
from outside.css_oracle import ROOT, Oracle
from outside.css_themes import axes, nestings
from outside.themes import systems

from tokensync.generate import OutputRequest
from tokensync.targets import generate
from tokensync.targets.css import CssOptions
from tokensync.tokens import ComposedColor, DanglingAlias

pytestmark = pytest.mark.outside

SEEDS = range(6)
COLORS = 5
MOST = 1_600
"""Nestings of a graph: all of those on three axes of two contexts each."""
OPTIONS = {"defaults": {}, "light-dark": {"light_dark": True}, "property": {"property": True, "light_dark": True}}


def generated(seed):
    """A scheme that a brand extends, and one more axis, of two modes or many; colours refer to each other in all."""
    choose = random.Random(seed)
    scheme = collection("Scheme", "Light", "Dark", extensions=[("Brand", "Scheme")])
    several = [("Density", "Cosy", "Dense"), ("Contrast", "Standard", "High"), ("Size", *"12345")]
    other = collection(*several[seed % len(several)])
    base = collection("Base")
    families = [base, scheme, other]
    parts = choose.sample(families, len(families))

    def value(at):
        literal = color(choose.choice(["#000000", "#1f6feb", "#ff0000", "#ffffff"]), choose.choice([1.0, 1.0, 0.5]))
        if not at:
            return literal
        of = alias(choose.choice(families).name, f"c{choose.randrange(at)}")
        share = choose.choice([50.0, alias(choose.choice(families).name, "share")])
        kinds = [literal, of, of, of, ComposedColor(of, share), ComposedColor(literal, share), DanglingAlias("V:9:9")]
        return choose.choices(kinds, weights=[2, 1, 1, 1, 1, 1, 0.15])[0]

    for family in families:
        for name, make, rest in (
            *((f"c{at}", lambda at=at: value(at), {}) for at in range(COLORS)),
            ("share", lambda: choose.choice([20, 80, 100]), {"type": "number", "scopes": ("OPACITY",)}),
        ):
            columns = [None if mode.parent is not None and choose.random() < 0.5 else make() for mode in family.modes]
            parts.append(token(family, name, *columns, **rest))
    return graph(*parts)


@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_every_nesting_to_depth_four_shows_the_values_of_the_graph(options, chromium, capsys):
    compared = paths = 0
    for seed in SEEDS:
        token_graph = generated(seed)
        ((_, css),) = generate(token_graph, OutputRequest(platform="css", options=CssOptions(**options)))[0]
        oracle = Oracle(token_graph, tells_absent=True)
        placements = [(ROOT, *each) for each in nestings(token_graph, 4)]
        placements = placements[:: len(placements) // MOST + 1]
        with chromium(css.decode("utf-8")) as page:
            for system in systems(token_graph)[:2]:
                oracle.compare(page, system, placements)
        assert oracle.differences == []
        compared += oracle.compared
        paths += len(placements)
    with capsys.disabled():
        print(f" {paths} nestings, {compared} computed values", end="")
    assert paths >= 340 * len(SEEDS)


@pytest.mark.parametrize("options", [{}, {"light_dark": True}, {"composed": "literal"}], ids=str)
def test_screens_of_either_gamut_show_display_p3_colours_in_every_nesting(options, chromium):
    for seed in SEEDS:
        token_graph = generated(seed)
        request = OutputRequest(platform="css", options=CssOptions(profile="display-p3", **options))
        ((_, css),) = generate(token_graph, request)[0]
        with chromium(css.decode("utf-8")) as page:
            for screen in ("srgb", "p3"):
                oracle = Oracle(token_graph, tells_absent=True, screen=screen)
                for system in systems(token_graph)[:2]:
                    oracle.compare(page, system, [(ROOT, *each) for each in nestings(token_graph, 2)])
                assert oracle.compared
                assert oracle.differences == []


def lacking():
    """Tokens without a value in the default context, in another one, or by what they refer to."""
    scheme, density = collection("Scheme", "Light", "Dark"), collection("Density", "Cosy", "Dense")
    nothing = DanglingAlias("V:9:9")
    return graph(
        scheme,
        density,
        token(scheme, "ink", nothing, color("#000000")),
        token(scheme, "paper", color("#ffffff"), nothing),
        token(scheme, "text", alias("Scheme", "ink")),
        token(density, "mark", alias("Scheme", "ink"), color("#ff0000")),
        token(density, "gap", nothing, 8, type="dimension"),
    )


@pytest.mark.parametrize("make", [lacking, *(partial(generated, seed) for seed in range(3))])
def test_the_host_of_a_shadow_tree_shows_the_defaults_and_its_own_modes(make, chromium):
    """Whatever the page around it has chosen, on a host of each choice and on each element within."""
    token_graph = make()
    ((_, css),) = generate(token_graph, OutputRequest(platform="css", options=CssOptions(root=":root, :host")))[0]
    every = [ROOT, *(choice for axis in axes(token_graph) for choice in axis.choices())]
    placements = [
        (ROOT, (page, {}), ({**host, "shadow-host": ""}, of_host), inner)
        for (page, _), (host, of_host), inner in product(every, repeat=3)
    ]
    oracle = Oracle(token_graph, tells_absent=True)
    with chromium(css.decode("utf-8")) as page:
        for system in systems(token_graph)[:2]:
            oracle.compare(page, system, placements[:: len(placements) // (MOST // 4) + 1])
    assert oracle.compared
    assert oracle.differences == []
