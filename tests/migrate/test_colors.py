"""Colours in every notation, judged by coloraide, and functions with references in them."""

import itertools

import pytest
from coloraide import Color as Judge
from migrate.sources import read

from tokensync.migrate.evaluation.colors import SPACES, of_srgb, to_srgb
from tokensync.migrate.evaluation.values import AliasTo, Composed, Flattened, Refused
from tokensync.tokens import Color, hexadecimal

COLORS = {
    "c": ("color", "#336699"),
    "glass": ("color", "#33669980"),
    "half": ("opacity", "50%"),
    "fraction": ("number", "0.5"),
    "channels": ("text", "51, 102, 153"),
    "triple": ("color", "210 50% 40%"),
    "hue": ("number", 210),
    "size": ("spacing", "4px"),
}


@pytest.mark.parametrize(
    "written",
    [
        "#abc",
        "#abcd",
        "#AABBCC",
        "#aabbccdd",
        "  #abc ",
        "transparent",
        "rebeccapurple",
        "rgb(12, 34, 56)",
        "rgb(12 34 56 / 20%)",
        "rgba(12, 34, 56, .2)",
        "rgb(50% 20% 10%)",
        "rgb(12.5 0 0)",
        "RGBA( 1 , 2 , 3 , 50% )",
        "hsl(400 100% 40%)",
        "hsl(0.5turn 50% 40%)",
        "hsl(210, 50%, 40%)",
        "hsla(210deg 50% 40% / 0.3)",
        "hwb(210 20% 30%)",
        "lab(50% 20 -30)",
        "lch(50% 20 200)",
        "oklab(0.6 0.05 -0.05)",
        "oklch(60% 0.1 200)",
        "oklch(60% 0.1 none / 0.4)",
        "color(display-p3 0.4 0.5 0.6)",
        "color(srgb 0.4 0.5 0.6 / 0.5)",
    ],
)
def test_a_colour_in_css_is_the_one_that_coloraide_reads(written):
    wanted = Judge(written.strip()).convert("srgb")
    for token_type in ("color", ""):
        found = read(token_type, written)
        assert found.type == "color"
        assert isinstance(found.literal, Color)
        channels = [found.literal.red, found.literal.green, found.literal.blue]
        assert channels == pytest.approx([*wanted.coords(nans=False)], abs=2e-5)
        assert found.literal.alpha == pytest.approx(wanted.alpha(nans=False), abs=1e-6)
        assert not found.notes


@pytest.mark.parametrize(
    ("written", "wanted"),
    [("rgb(300, 0, 0)", "#ff0000"), ("hsl(0 120% 50%)", "#ff0000"), ("rgb(0 0 0 / 2)", "#000000")],
)
def test_components_over_their_range_are_the_largest(written, wanted):
    assert hexadecimal(read("color", written).literal) == wanted


@pytest.mark.parametrize("space", sorted(SPACES))
@pytest.mark.parametrize("color", [*itertools.product((0, 0.02, 0.5, 1), repeat=3)])
def test_conversions_of_the_spaces_of_modifiers_are_those_of_coloraide(space, color):
    components = of_srgb(space, color)
    assert [*Judge(space, [*components]).convert("srgb").coords(nans=False)] == pytest.approx(color, abs=1e-9)
    wanted = Judge("srgb", [*color]).convert(space).coords(nans=False)
    assert [*to_srgb(space, tuple(wanted))] == pytest.approx(color, abs=1e-9)


@pytest.mark.parametrize("channel", [-0.2, 1.3])
@pytest.mark.parametrize("space", ["display-p3", "lch"])
def test_conversions_go_beyond_srgb(space, channel):
    components = Judge("srgb", [channel, 0.5, 0.2]).convert(space).coords(nans=False)
    assert [*to_srgb(space, tuple(components))] == pytest.approx([channel, 0.5, 0.2], abs=1e-9)


@pytest.mark.parametrize(
    "written", ["oklch(0.7 0.3 150)", "color(display-p3 0 1 0)", "lch(80% 120 140)", "color(rec2020 1 0 0)"]
)
def test_a_colour_outside_of_srgb_becomes_the_closest_one_with_less_chroma_and_a_note(written):
    found = read("color", written)
    if "rec2020" not in written:  # coloraide has another transfer function for it
        wanted = Judge(written).convert("srgb").fit("srgb", method="oklch-chroma")
        assert hexadecimal(found.literal) == wanted.to_string(hex=True)
    assert f"{written} is outside of sRGB, so the closest colour, {hexadecimal(found.literal)}" in found.notes


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"colorSpace": "oklch", "components": [0.6, 0.1, 200]}, "oklch(0.6 0.1 200)"),
        ({"colorSpace": "hsl", "components": [210, 50, 40], "alpha": 0.5}, "hsl(210 50% 40% / 0.5)"),
        ({"colorSpace": "srgb", "components": [0.2, 0.4, 0.6], "alpha": 1, "hex": "#336699"}, "#336699"),
        ({"colorSpace": "display-p3", "components": [0.4, 0.5, 0.6]}, "color(display-p3 0.4 0.5 0.6)"),
        ({"r": 0.2, "g": 0.4, "b": 0.6}, "#336699"),
    ],
)
def test_a_colour_as_an_object_is_converted(value, wanted):
    found = hexadecimal(read("color", value).literal)
    assert found == Judge(wanted).convert("srgb").to_string(hex=True)


@pytest.mark.parametrize(
    ("written", "wanted"), [("222.2 84% 4.9%", "hsl(222.2 84% 4.9%)"), ("0 0% 100% / 0.5", "hsl(0 0% 100% / 0.5)")]
)
def test_channels_without_a_function_are_those_of_hsl(written, wanted):
    assert hexadecimal(read("", written).literal) == Judge(wanted).convert("srgb").to_string(hex=True)


@pytest.mark.parametrize(
    ("written", "reason"),
    [
        ("inherit", "inherit is a keyword that takes the colour from elsewhere, not a colour"),
        ("currentColor", "currentColor is a keyword that takes the colour from elsewhere, not a colour"),
        ("oklch(1e308 1e308 1e308)", "'oklch(1e308 1e308 1e308)' is not a colour"),
        ("oklab(1e200 1e200 1e200)", "'oklab(1e200 1e200 1e200)' is not a colour"),
        (
            {"colorSpace": "oklch", "components": [0.5, 10**400, 0]},
            "this component is too large",
        ),
        ("linear-gradient(90deg, #fff, #000)", "variables cannot hold a gradient"),
        ("linear-gradient(90deg, {c}, #000)", "variables cannot hold a gradient"),
        ("rgba({c}, 50)", "the opacity 50 is not from 0 to 1"),
        ("rgba({c}, lots)", "'lots' is not an opacity"),
        ("rgba({c}, {size})", "'{size}' is not an opacity"),
        ("rgba({gone}, .5)", "it refers to {gone}, and there is no such token"),
        ("rgba({size}, .5)", "'rgba(4, .5)' is not a colour"),
        ("oklch(from {c} calc(l + 0.1) c h)", "it is computed from the channels of another colour"),
        ("#12345", "'#12345' is not a colour"),
        ("blueish", "'blueish' is not a colour"),
        ("", "its value is empty"),
        (4, "'4' is not a colour"),
        ({"light": "#fff", "dark": "#000"}, "it is an object with light, dark"),
        (["#fff", "#000"], "it has 2 values, and a variable holds one"),
        (None, "it has no value"),
    ],
)
def test_what_is_no_colour_is_refused_and_never_white_or_black(written, reason):
    assert read("color", written, COLORS).value == Refused(reason)


@pytest.mark.parametrize(
    "written",
    [
        "rgba({c}, 0.5)",
        "rgba( {c} , .5)",
        "rgba({c},50%)",
        "RGBA({c}, 0.50)",
        "rgb({c} / 50%)",
        "rgb({c} 0.5)",
        "hsla({c}, .5)",
        "oklch({c} / 0.5)",
        "rgb(from {c} r g b / 50%)",
        "oklch(from {c} l c h / 0.5)",
        "color-mix(in srgb, {c} 50%, transparent)",
        "color-mix(in oklab, transparent, {c})",
    ],
)
def test_an_opaque_reference_with_an_opacity_is_a_composed_colour(written):
    reading = read("color", written, COLORS)
    assert reading.value == Composed(AliasTo("c"), 50.0)
    assert hexadecimal(reading.literal) == "#33669980"


@pytest.mark.parametrize("written", ["rgba({c}, {half})", "oklch({c} / {half})", "rgba( {c} ,{half} )"])
def test_an_opacity_that_is_a_percentage_stays_a_reference(written):
    assert read("color", written, COLORS).value == Composed(AliasTo("c"), AliasTo("half"))


def test_a_literal_colour_with_a_referenced_opacity_is_composed():
    value = read("color", "rgba(#336699, {half})", COLORS).value
    assert (hexadecimal(value.base), value.opacity) == ("#336699", AliasTo("half"))


def test_an_opacity_that_is_a_fraction_becomes_a_literal_percentage_and_is_counted():
    value = read("color", "rgba({c}, {fraction})", COLORS).value
    assert value == Composed(AliasTo("c"), 50.0, 1, "the opacity is a fraction, not a percentage")


def test_an_opacity_that_is_an_expression_becomes_a_literal_percentage_and_is_counted():
    value = read("color", "rgba({c}, {half} * 0.5)", COLORS).value
    assert value == Composed(AliasTo("c"), 25.0, 1, "the opacity is an expression")


def test_the_digits_of_an_opacity_stay():
    assert read("color", "rgba({c}, .0425)", COLORS).value.opacity == pytest.approx(4.25)


def test_an_opacity_on_a_colour_that_is_not_opaque_is_a_literal_with_the_reason():
    value = read("color", "rgba({glass}, 0.25)", COLORS).value
    reason = "{glass} is not opaque, and rgba() sets its opacity instead of multiplying it"
    assert value == Flattened(value.value, 1, reason)
    assert hexadecimal(value.value) == "#33669940"


def test_a_function_around_one_reference_is_an_alias():
    assert read("color", "hsl({triple})", COLORS).value == AliasTo("triple")


@pytest.mark.parametrize(
    ("written", "wanted", "aliases"),
    [
        ("rgba({channels}, 0.5)", "#33669980", 1),
        ("hsl({hue} 50% 40%)", "#336699", 1),
        ("hsla({hue}, 50%, 40%, {half})", "#33669980", 2),
        ("rgba(rgba({c}, 0.5), 0.2)", "#33669933", 1),
        ("color-mix(in srgb, {c}, #010001)", "#1a334d", 1),
    ],
)
def test_references_that_are_channels_become_literals(written, wanted, aliases):
    value = read("color", written, COLORS).value
    assert (hexadecimal(value.value), value.aliases) == (wanted, aliases)
    assert value.reason


@pytest.mark.parametrize(
    ("first", "second", "space"),
    [("#336699 30%", "#ffcc00", "oklab"), ("red", "blue 25%", "lch"), ("#33669980 40%", "#fff", "srgb")],
)
def test_a_mix_of_literal_colours_is_that_of_coloraide(first, second, space):
    found = read("color", f"color-mix(in {space}, {first}, {second})").literal
    (one, *share), (other, *rest) = first.split(), second.split()
    at = 1 - float(share[0][:-1]) / 100 if share else float(rest[0][:-1]) / 100
    wanted = Judge(one).mix(other, at, space=space, hue="shorter", premultiplied=True).convert("srgb")
    assert hexadecimal(found) == wanted.to_string(hex=True, fit={"method": "oklch-chroma"})


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        ({"colorSpace": "srgb", "components": "{c}", "alpha": 0.5}, Composed(AliasTo("c"), 50.0)),
        ({"colorSpace": "srgb", "components": "{c}", "alpha": "{half}"}, Composed(AliasTo("c"), AliasTo("half"))),
        ({"colorSpace": "srgb", "components": "{c}"}, AliasTo("c")),
    ],
)
def test_an_object_with_the_components_of_a_reference_is_composed(value, wanted):
    assert read("color", value, COLORS).value == wanted


def test_an_object_with_references_as_components_is_a_literal():
    value = read("color", {"colorSpace": "hsl", "components": ["{hue}", 50, 40]}, COLORS).value
    assert (hexadecimal(value.value), value.aliases) == ("#336699", 1)


def test_an_object_that_is_no_valid_colour_is_refused_with_the_mistake():
    value = {"colorSpace": "srgb", "components": [1, 2]}
    assert read("color", value).value == Refused("components must be an array of three numbers, and has 2")


def test_of_a_colour_whose_hex_differs_the_components_are_used_with_a_note():
    found = read("color", {"colorSpace": "srgb", "components": [0, 1, 0], "hex": "#ff0000"})
    assert hexadecimal(found.literal) == "#00ff00"
    assert [each.partition(":")[0] for each in found.notes] == [
        "hex #ff0000 is not the colour of the components, which are used"
    ]
