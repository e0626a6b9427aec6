"""Modifiers of colours: the plugin's formulas, exact, judged by known results and by coloraide."""

import pytest
from coloraide import Color as Judge
from migrate.sources import modified, read, source_of

from tokensync.migrate.evaluation.themes import themes_of
from tokensync.migrate.evaluation.values import AliasTo, Composed, Flattened, Refused
from tokensync.tokens import hexadecimal

BLUE = "#336699"


@pytest.mark.parametrize(
    ("kind", "space", "wanted"),
    [
        ("lighten", "lch", "#6082ad"),
        ("lighten", "hsl", "#4785c2"),
        ("lighten", "srgb", "#5c85ad"),
        ("lighten", "p3", "#5e85ae"),
        ("darken", "lch", "#2c5178"),
        ("darken", "hsl", "#29527a"),
        ("darken", "srgb", "#29527a"),
        ("darken", "p3", "#29527a"),
    ],
)
def test_lighten_and_darken_by_a_fifth_give_the_known_colours(kind, space, wanted):
    token_type, value, extensions = modified(BLUE, type=kind, value=0.2, space=space)
    reading = read(token_type, value, extensions=extensions)
    assert hexadecimal(reading.literal) == wanted
    assert f"the modifier {kind} 0.2 in {space}" in reading.notes


@pytest.mark.parametrize(
    ("space", "wanted"), [("lch", "#7491b7"), ("hsl", "#6e94b9"), ("srgb", "#7094b8"), ("p3", "#7294b8")]
)
def test_mixing_with_white_gives_the_known_colours(space, wanted):
    token_type, value, extensions = modified(BLUE, type="mix", value="0.3", space=space, color="#ffffff")
    assert hexadecimal(read(token_type, value, extensions=extensions).literal) == wanted


def test_the_colour_of_a_public_report_is_the_exact_one():
    _, value, extensions = modified("#8aa3ff", type="lighten", value="0.10", space="srgb")
    assert hexadecimal(read("color", value, extensions=extensions).literal) == "#96acff"


@pytest.mark.parametrize("hue", range(0, 360, 30))
@pytest.mark.parametrize("amount", [0.1, 0.5, 0.9])
def test_lightening_in_lch_is_what_coloraide_computes(hue, amount):
    start = Judge("hsl", [hue, 0.4, 0.4])
    _, value, extensions = modified(
        start.convert("srgb").to_string(hex=True), type="lighten", value=amount, space="lch"
    )
    wanted = Judge(value).convert("lch")
    wanted["lightness"] += (100 - wanted["lightness"]) * amount
    wanted["chroma"] -= wanted["chroma"] * amount
    found = read("color", value, extensions=extensions).literal
    assert hexadecimal(found) == wanted.convert("srgb").to_string(hex=True, fit={"method": "oklch-chroma"})


def test_a_modified_reference_is_a_literal_with_its_reason():
    _, value, extensions = modified("{blue}", type="darken", value=0.2, space="srgb")
    reading = read("color", value, {"blue": ("color", BLUE)}, extensions)
    assert reading.value == Flattened(reading.literal, 1, "the modifier darken 0.2 in srgb")
    assert hexadecimal(reading.literal) == "#29527a"


@pytest.mark.parametrize("amount", ["{amount} ", " {amount}", "{amount} * 1", "calc({amount} + 0)", "{whole} / 10"])
def test_the_amount_can_be_a_reference_or_an_expression(amount):
    tokens = {"blue": ("color", BLUE), "amount": ("number", "0.2"), "whole": ("number", 2)}
    _, value, extensions = modified("{blue}", type="lighten", value=amount, space="srgb")
    reading = read("color", value, tokens, extensions)
    assert hexadecimal(reading.literal) == "#5c85ad"
    assert reading.value.aliases == 2


def test_an_amount_in_percent_is_a_fraction():
    _, value, extensions = modified(BLUE, type="lighten", value="20%", space="srgb")
    assert hexadecimal(read("color", value, extensions=extensions).literal) == "#5c85ad"


def test_the_colour_to_mix_with_can_be_a_reference_with_spaces():
    tokens = {"white": ("color", "#fff")}
    _, value, extensions = modified(BLUE, type="mix", value=0.3, space="srgb", color="{white} ")
    reading = read("color", value, tokens, extensions)
    assert hexadecimal(reading.literal) == "#7094b8"
    assert reading.value.aliases == 1


@pytest.mark.parametrize(("amount", "wanted"), [(-1, BLUE), (2, "#ffffff")])
def test_the_amount_of_a_mix_is_limited_to_0_and_1(amount, wanted):
    _, value, extensions = modified(BLUE, type="mix", value=amount, space="srgb", color="#fff")
    assert hexadecimal(read("color", value, extensions=extensions).literal) == wanted


def test_an_empty_modifier_is_none_and_the_alias_stays():
    extensions = {"studio.tokens": {"modify": {}}}
    assert read("color", "{blue}", {"blue": ("color", BLUE)}, extensions).value == AliasTo("blue")


def test_alpha_on_an_opaque_reference_is_a_composed_colour():
    _, value, extensions = modified("{blue}", type="alpha", value=0.25, space="srgb")
    reading = read("color", value, {"blue": ("color", BLUE)}, extensions)
    assert reading.value == Composed(AliasTo("blue"), 25.0)
    assert hexadecimal(reading.literal) == "#33669940"


def test_alpha_sets_the_opacity_of_a_colour_that_has_one():
    _, value, extensions = modified("{blue}", type="alpha", value=0.25, space="srgb")
    reading = read("color", value, {"blue": ("color", "#33669980")}, extensions)
    assert hexadecimal(reading.value.value) == "#33669940"
    assert "is not opaque" in reading.value.reason


def test_alpha_by_a_percentage_token_refers_to_both():
    tokens = {"blue": ("color", BLUE), "half": ("opacity", "50%")}
    _, value, extensions = modified("{blue}", type="alpha", value="{half}", space="srgb")
    assert read("color", value, tokens, extensions).value == Composed(AliasTo("blue"), AliasTo("half"))


def test_every_step_of_a_chain_applies_its_modifier():
    sets = {
        "a": {
            "blue": ("color", BLUE),
            "light": modified("{blue}", type="lighten", value=0.2, space="srgb"),
            "dark": modified("{light}", type="darken", value=0.5, space="srgb"),
        }
    }
    theme = themes_of(source_of(sets))[0]
    assert (hexadecimal(theme.literal("light")), hexadecimal(theme.literal("dark"))) == ("#5c85ad", "#2e4257")


def test_each_mode_modifies_its_own_base():
    own = {"own": modified("{base}", type="darken", value=0.5, space="srgb")}
    sets = {"light": {"base": ("color", "#ffffff")}, "dark": {"base": ("color", "#808080")}, "own": own}
    themes = themes_of(source_of(sets, {"m/light": ["light", "own"], "m/dark": ["dark", "own"]}))
    assert [hexadecimal(each.literal("own")) for each in themes] == ["#808080", "#404040"]


@pytest.mark.parametrize(
    ("modify", "reason"),
    [
        ({"type": "tint", "value": 0.2, "space": "lch"}, "the modifier 'tint' is unknown"),
        ({"type": "lighten", "value": 0.2, "space": []}, "the modifier lighten has the unknown colour space '[]'"),
        ({"type": {}, "value": 0.2}, "the modifier '{}' is unknown"),
        ({"type": "lighten", "value": 0.2}, "the modifier lighten has the unknown colour space 'None'"),
        ({"type": "lighten", "space": "lch"}, "the modifier lighten has no value"),
        ({"type": "mix", "value": 0.2, "space": "lch"}, "the modifier mix has no colour"),
        ({"type": "lighten", "value": "much", "space": "lch"}, "the modifier lighten: its amount is not a number"),
        ({"type": "alpha", "value": 20}, "the modifier alpha: the opacity 20 is not from 0 to 1"),
        ({"type": "alpha", "value": "{gone}"}, "the modifier alpha: it refers to {gone}, and there is no such token"),
        ([], "its modifier is not an object"),
    ],
)
def test_a_modifier_without_meaning_refuses_the_token_instead_of_ignoring_it(modify, reason):
    assert read("color", BLUE, extensions={"studio.tokens": {"modify": modify}}).value == Refused(reason)


def test_a_modifier_of_something_else_than_a_colour_is_refused():
    _, value, extensions = modified("4px", type="lighten", value=0.2, space="lch")
    assert read("spacing", value, extensions=extensions).value == Refused(
        "the modifier lighten needs a colour, and the value is not one"
    )


def test_a_result_outside_of_srgb_becomes_the_closest_colour_with_a_note():
    _, value, extensions = modified("#00ff00", type="lighten", value=0.1, space="lch")
    reading = read("color", value, extensions=extensions)
    assert any("outside of sRGB" in each for each in reading.notes)
