"""Composite values: members that become tokens, and the JSON that token files keep."""

import json

import pytest
from migrate.sources import read, theme_of

from tokensync.dtcg.literals import composite
from tokensync.migrate.evaluation.values import AliasTo, Members, Refused, alias_count
from tokensync.tokens.values import AS_TEXT

TOKENS = {
    "c": ("color", "#336699"),
    "two": ("spacing", "2px"),
    "inter": ("fontFamilies", "Inter"),
    "quick": ("duration", "200ms"),
    "curve": ("cubicBezier", [0, 0, 1, 1]),
    "half": ("opacity", "50%"),
}
PIXELS = {"unit": "px"}
WHITE = {"colorSpace": "srgb", "components": [1, 1, 1]}


def kept(token_type, value):
    reading = read(token_type, value, TOKENS)
    assert reading.value.reason.startswith("variables cannot hold a ")
    return json.loads(reading.value.kept)


def test_typography_becomes_a_token_for_each_member():
    written = {
        "fontFamily": "{inter}",
        "fontWeight": "Semi Bold",
        "fontSize": "{two} * 8",
        "lineHeight": "150%",
        "letterSpacing": "0",
        "textCase": "none",
    }
    reading = read("typography", written, TOKENS)
    names = [(name, kind) for name, kind, _ in reading.value.values]
    assert names == [
        ("fontFamily", "fontFamily"),
        ("fontWeight", AS_TEXT),
        ("fontSize", "dimension"),
        ("lineHeight", "number"),
        ("letterSpacing", "dimension"),
        ("textCase", "string"),
    ]
    assert [each.literal for _, each in reading.members] == ["Inter", "Semi Bold", 16, 1.5, 0, "none"]
    assert alias_count(reading.value) == 2


def test_members_that_are_written_as_tokens_are_read():
    written = {"fontSize": {"value": "{two}", "type": "fontSizes"}, "fontFamily": {"value": "Inter"}}
    theme = theme_of({"a": {**TOKENS, "own": ("typography", written), "size": ("fontSizes", "{own.fontSize}")}})
    assert [each for _, _, each in theme.value("own").values] == [AliasTo("two"), "Inter"]
    assert theme.literal("size") == 2


def test_members_in_rem_are_in_pixels_if_the_theme_has_a_base_font_size():
    theme = theme_of({"a": {"own": ("typography", {"fontSize": "1.5rem"})}}, base_font_size=20)
    assert theme.value("own").values == (("fontSize", "dimension", 30.0),)


def test_a_member_without_a_value_is_refused_by_itself():
    values = read("typography", {"fontSize": "16px", "lineHeight": "AUTO"}).value.values
    assert [type(each) for _, _, each in values] == [float, Refused]


def test_a_typography_that_refers_to_another_one_refers_to_its_members():
    written = {"base": ("typography", {"fontSize": "16px", "lineHeight": "AUTO"}), "own": ("typography", "{base}")}
    reading = theme_of({"a": written}).reading("own")
    assert isinstance(reading.value, Members)
    assert reading.value.values[0] == ("fontSize", "dimension", AliasTo("base.fontSize"))
    assert isinstance(reading.value.values[1][2], Refused)


def test_a_border_becomes_its_members():
    values = read("border", {"color": "{c}", "width": "1px", "style": "solid"}, TOKENS).value.values
    assert values == (("color", "color", AliasTo("c")), ("width", "dimension", 1.0), ("style", "string", "solid"))


def test_a_composition_becomes_members_of_the_types_that_they_name():
    values = read("composition", {"fill": "{c}", "opacity": "{half}", "paddingTop": "4"}, TOKENS).value.values
    assert [(name, kind) for name, kind, _ in values] == [
        ("fill", "color"),
        ("opacity", "number"),
        ("paddingTop", "dimension"),
    ]


def test_an_object_without_a_type_is_recognized_by_its_members():
    reading = read("", {"fontFamily": "Inter", "fontSize": "16px", "lineHeight": 1.5})
    assert [kind for _, kind, _ in reading.value.values] == ["fontFamily", "dimension", "number"]


def test_a_shadow_of_tokens_studio_is_kept_as_one_of_dtcg():
    written = {"x": "0", "y": "{two}", "blur": "4px", "spread": "{two} * 2", "color": "rgba({c}, .5)"}
    assert kept("boxShadow", {**written, "type": "innerShadow"}) == {
        "offsetX": {"value": 0, **PIXELS},
        "offsetY": "{two}",
        "blur": {"value": 4, **PIXELS},
        "spread": {"value": 4, **PIXELS},
        "color": {"colorSpace": "srgb", "components": [0.2, 0.4, 0.6], "alpha": 0.5},
        "inset": True,
    }


def test_a_shadow_in_css_is_kept_with_its_references():
    zero, one = {"value": 0, **PIXELS}, {"value": 1, **PIXELS}
    assert kept("shadow", "0 {two} 1px {c}") == {
        "offsetX": zero,
        "offsetY": "{two}",
        "blur": one,
        "spread": zero,
        "color": "{c}",
    }
    layers = kept("boxShadow", "inset 0 1px rgba( {c} , .5), #ffffff 0px 1px 0 1px")
    assert [each.get("inset") for each in layers] == [True, None]
    assert layers[0]["color"] == {"colorSpace": "srgb", "components": [0.2, 0.4, 0.6], "alpha": 0.5}
    assert (layers[1]["spread"], layers[1]["color"]) == (one, WHITE)


def test_layers_of_a_shadow_stay_layers_and_may_be_references():
    layer = {"offsetX": "0px", "offsetY": "1px", "blur": "2px", "spread": "0px", "color": "{c}"}
    theme = theme_of({"a": {**TOKENS, "low": ("shadow", layer), "own": ("shadow", ["{low}", layer])}})
    found = json.loads(theme.value("own").kept)
    assert found[0] == "{low}"
    assert found[1]["color"] == "{c}"


def test_a_reference_to_a_shadow_is_kept_as_a_reference():
    layer = {"x": "0", "y": "1", "blur": "2", "spread": "0", "color": "#000"}
    theme = theme_of({"a": {"low": ("boxShadow", layer), "own": ("boxShadow", "{low}")}})
    assert theme.value("own") == AliasTo("low")
    assert theme.reading("own").literal == Refused("variables cannot hold a shadow")


@pytest.mark.parametrize(
    ("token_type", "written", "wanted"),
    [
        (
            "gradient",
            [{"color": "{c}", "position": 0}, {"color": "#ffffff", "position": 1}],
            [
                {"color": "{c}", "position": 0},
                {"color": {"colorSpace": "srgb", "components": [1, 1, 1]}, "position": 1},
            ],
        ),
        (
            "transition",
            {"duration": "{quick}", "delay": "0ms", "timingFunction": "{curve}"},
            {"duration": "{quick}", "delay": {"value": 0, "unit": "ms"}, "timingFunction": "{curve}"},
        ),
        ("cubicBezier", [0.4, 0, 0.2, 1], [0.4, 0, 0.2, 1]),
        ("cubicBezier", "ease-in", [0.42, 0, 1, 1]),
        ("cubicBezier", "cubic-bezier(0.4, 0, 0.2, 1)", [0.4, 0, 0.2, 1]),
        ("strokeStyle", "dashed", "dashed"),
        (
            "strokeStyle",
            {"dashArray": ["4px", "{two}"], "lineCap": "round"},
            {"dashArray": [{"value": 4, "unit": "px"}, "{two}"], "lineCap": "round"},
        ),
    ],
)
def test_other_composites_are_kept_as_dtcg_defines_them(token_type, written, wanted):
    found = kept(token_type, written)
    assert found == wanted
    assert composite(token_type, found)


@pytest.mark.parametrize(
    ("token_type", "written", "reason"),
    [
        ("boxShadow", "0 1px 2px", "variables cannot hold a shadow"),
        ("boxShadow", "0 1px 2px 3px 4px {c}", "variables cannot hold a shadow"),
        ("boxShadow", "none", "variables cannot hold a shadow"),
        ("boxShadow", "0 1px {two}", "variables cannot hold a shadow; color: {two} is a dimension, not a color"),
        (
            "boxShadow",
            {"x": "0", "y": "{gone}", "blur": "2", "spread": "0", "color": "#000"},
            "variables cannot hold a shadow; y: it refers to {gone}, and there is no such token",
        ),
        ("boxShadow", ["{c}"], "variables cannot hold a shadow; a color is no shadow"),
        (
            "boxShadow",
            ["{gone}"],
            "variables cannot hold a shadow; it refers to {gone}, and there is no such token",
        ),
        ("gradient", "linear-gradient(red, blue)", "variables cannot hold a gradient"),
        ("typography", "bold 16px Inter", "it is not a typography"),
        ("typography", {}, "the typography has no members"),
        ("typography", [{"fontSize": 1}, {"fontSize": 2}], "it has 2 values, and a typography has one"),
        ("composition", 4, "'4' is not a composition"),
    ],
)
def test_a_composite_with_a_part_that_is_missing_is_refused_and_nothing_is_filled_in(token_type, written, reason):
    assert read(token_type, written, TOKENS).value == Refused(reason)


def test_a_shadow_without_a_spread_keeps_its_other_members():
    kept = read("boxShadow", {"x": "0", "y": "1", "blur": "2", "color": "#000"}, TOKENS).value.kept
    assert [*json.loads(kept)] == ["blur", "color", "offsetX", "offsetY"]
