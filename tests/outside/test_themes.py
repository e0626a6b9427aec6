"""The readings that expectations rest on: which axes bear upon one token, and what an element shows."""

from decimal import Decimal

import pytest
from graphs import alias, collection, color, graph, key, token
from outside.expected import decimal, same, value_of
from outside.themes import Appearance, axes, chosen_by, pairs, theme_of

from tokensync.tokens import Color, Quantity, Unresolved, float32

SCHEME = collection("Scheme", "Light", "Dark", extensions=[("Brand", "Scheme")])
TONE = collection("Tone", "Calm", "Vivid")
SIZE = collection("Size", "Small", "Large")


def two_axes():
    return graph(
        SCHEME,
        TONE,
        SIZE,
        token(SCHEME, "ink", color("#000000"), color("#ffffff")),
        token(TONE, "accent", color("#ff0000"), alias("Scheme", "ink")),
        token(SIZE, "gap", 4, 8, type="dimension"),
    )


def test_axes_interact_where_a_token_reaches_modes_of_both():
    ((one, other),) = pairs(two_axes())
    assert (one.attribute, other.attribute) == ("data-scheme", "data-tone")


def test_a_choice_wins_over_the_system_and_the_inner_one_over_the_outer():
    of = two_axes()
    scheme, tone, _ = axes(of)
    dark = chosen_by(of, Appearance("dark", ""))
    light, vivid = {scheme.family: 0}, {tone.family: 1}
    accent = of.tokens[key("Tone", "accent")]
    shown = [of.resolve(accent, theme_of(dark, chosen)) for chosen in ([vivid], [vivid, light], [light, dark, vivid])]
    assert shown == [Color(1.0, 1.0, 1.0), Color(0.0, 0.0, 0.0), Color(1.0, 1.0, 1.0)]


def test_a_brand_alone_follows_the_system():
    (scheme, *_) = axes(two_axes())
    chosen = {system: list(scheme.choices(Appearance(system, "")))[-1] for system in ("light", "dark")}
    assert [attributes for attributes, _ in chosen.values()] == [{"data-scheme": "brand"}] * 2
    assert [scheme.contexts[modes[scheme.family]] for _, modes in chosen.values()] == ["brand.light", "brand.dark"]


@pytest.mark.parametrize("text", ["0.9", "16", "-0.5", "33.333", "0.00001", "16777216", "1E+10"])
def test_a_number_is_the_shortest_decimal_that_is_its_float32(text):
    assert decimal(float32(float(text))) == Decimal(text)


def test_values_are_distinguished_by_kind():
    assert value_of("length", 4.0) == ("number", Decimal(4), "px")
    assert value_of("length", Quantity(1.5, "rem")) == ("number", Decimal("1.5"), "rem")
    assert value_of("percentage", 48.0) == ("number", Decimal("0.48"), "")
    assert value_of("family", '"A B", SERIF') == ("family", (("A B", False), ("serif", True)))
    assert value_of("number", Unresolved("cycle", "")) is None
    assert value_of("number", float("inf")) is None


def test_only_colours_are_equal_within_half_a_step():
    grey = ("color", 0.5, 0.5, 0.5, 1.0)
    assert same(grey, ("color", 128 / 255, 127 / 255, 0.5, 1.0))
    assert not same(grey, ("color", 129.2 / 255, 0.5, 0.5, 1.0))
    assert not same(("number", Decimal("0.5"), ""), ("number", Decimal("0.5000001"), ""))
    assert not same(grey, None)
