"""Composite values: their references, and their literals in a theme."""

import json
import time

import pytest
from generate.targets.composite_values import (
    BLACK,
    CURVE,
    DASHES,
    ENDS,
    LAYER,
    VALUES,
    composite_of,
    ms,
    px,
    referring,
    rem,
)
from graphs import alias, collection, color, graph, key, token

from tokensync.tokens import (
    DEFAULT_THEME,
    Alias,
    ComposedColor,
    Composite,
    DanglingAlias,
    Quantity,
    Theme,
    TokenKey,
    Unresolved,
    float32,
    targets,
)
from tokensync.tokens.composites import canonical, decoded, filled, fits, literal_json, parts_of, reference_of

BLACK_JSON = {"colorSpace": "srgb", "components": [0, 0, 0], "alpha": 0.25}
BELOW = {"color": BLACK_JSON, "offsetX": px(0), "offsetY": px(2), "blur": px(4), "spread": px(0)}


def ends(of):
    """A token for every type that a part can have."""
    return (
        token(of, "black", color("#000000", 0.25)),
        token(of, "four", Quantity(0.25, "rem"), type="dimension"),
        token(of, "quick", Quantity(120.0, "ms"), type="duration"),
        token(of, "share", 0.9, type="number"),
        token(of, "bold", 700, type="fontWeight"),
        token(of, "sans", Composite('["Inter","serif"]'), type="fontFamily"),
        token(of, "yes", True, type="boolean"),
        token(of, "curve", composite_of(CURVE), type="cubicBezier"),
        token(of, "dashes", composite_of(DASHES), type="strokeStyle"),
        token(of, "below", composite_of(BELOW), type="shadow"),
    )


def shown(value, dtcg_type, *more):
    """What a token of this value is by default, with a token of every type beside it."""
    of = collection("Base")
    made_graph = graph(of, token(of, "it", value, type=dtcg_type), *ends(of), *more)
    resolved = made_graph.resolve(made_graph.tokens[key("Base", "it")], DEFAULT_THEME)
    return decoded(resolved.json) if isinstance(resolved, Composite) else resolved


@pytest.mark.parametrize("dtcg_type", VALUES)
def test_the_targets_of_a_value_are_its_references_and_no_others(dtcg_type):
    value = referring(dtcg_type, VALUES[dtcg_type])
    assert targets(value) == tuple(target for _, target in value.references)
    assert targets(composite_of(VALUES[dtcg_type])) == ()
    assert not value.references or set(targets(value)) <= {key("Base", each) for each in ENDS.values()}


SHADE = {"color": BLACK_JSON, **dict.fromkeys(("offsetX", "offsetY", "blur", "spread"), rem(0.25))}
FILLED = {
    "shadow": [SHADE, {**SHADE, "inset": True}, SHADE, BELOW],
    "border": {"color": BLACK_JSON, "width": rem(0.25), "style": DASHES},
    "typography": {
        "fontFamily": ["Inter", "serif"],
        "fontSize": rem(0.25),
        "fontWeight": 700,
        "letterSpacing": rem(0.25),
        "lineHeight": 0.9,
    },
    "gradient": [{"color": BLACK_JSON, "position": 0.9}] * 3,
    "transition": {"duration": ms(120), "delay": ms(120), "timingFunction": CURVE},
    "cubicBezier": VALUES["cubicBezier"],
    "strokeStyle": {"dashArray": [rem(0.25), rem(0.25)], "lineCap": "round"},
}


@pytest.mark.parametrize("dtcg_type", VALUES)
def test_every_part_of_every_type_may_be_a_reference_and_becomes_the_targets_literal(dtcg_type):
    """As DTCG JSON; numbers are the shortest that are the same float32."""
    assert shown(referring(dtcg_type, VALUES[dtcg_type]), dtcg_type) == FILLED[dtcg_type]


def test_what_has_no_references_is_as_it_was():
    value = composite_of(LAYER)
    of = collection("Base")
    assert graph(of, token(of, "it", value, type="shadow")).resolver(DEFAULT_THEME)(key("Base", "it")) is value


def test_a_plain_number_counts_pixels_where_a_length_belongs():
    value = Composite('{"color":{},"style":"solid","width":"{base.share}"}', (("{base.share}", key("Base", "share")),))
    assert shown(value, "border")["width"] == px(0.9)


@pytest.mark.parametrize(("target", "height"), [("share", 0.9), ("four", rem(0.25))])
def test_a_line_height_is_what_its_target_is(target, height):
    reference = f"{{base.{target}}}"
    text = canonical({**VALUES["typography"], "lineHeight": reference})
    assert shown(Composite(text, ((reference, key("Base", target)),)), "typography")["lineHeight"] == height


def test_pointers_are_references_as_braces_are():
    text = canonical({**LAYER, "blur": {"$ref": "#/base/four"}, "color": {"$ref": "#/base/black/$value"}})
    value = Composite(text, (("#/base/four", key("Base", "four")), ("#/base/black/$value", key("Base", "black"))))
    assert shown(value, "shadow") == {**LAYER, "blur": rem(0.25), "color": BLACK_JSON}


def test_a_layer_stays_one_element():
    """A reference in an array is never spread out (DTCG Format, References): two shadow layers do not fit."""
    of = collection("Base")
    several = token(of, "several", composite_of([LAYER, LAYER]), type="shadow")
    value = Composite(canonical([LAYER, "{base.several}"]), (("{base.several}", several.key),))
    assert shown(value, "shadow", several) == Unresolved("mismatch", str(key("Base", "it")))


def test_a_string_that_only_looks_like_a_reference_is_none():
    named = {**VALUES["typography"], "fontFamily": ["{base.sans}"], "fontSize": "{base.four}"}
    value = Composite(canonical(named), (("{base.four}", key("Base", "four")),))
    assert shown(value, "typography") == {**named, "fontSize": rem(0.25)}


@pytest.mark.parametrize(
    ("target", "reason"),
    [
        (DanglingAlias("VariableID:9:9"), "dangling"),
        (None, "absent"),
        ("text", "mismatch"),
        (float("inf"), "mismatch"),
        (color("#000000"), "mismatch"),
    ],
)
def test_a_part_without_a_literal_leaves_the_whole_without_one(target, reason):
    of = collection("Base")
    dtcg_type = "color" if isinstance(target, type(color("#000000"))) else "dimension"
    end = token(of, "end", target, type=dtcg_type)
    value = Composite(canonical({**LAYER, "blur": "{base.end}"}), (("{base.end}", end.key),))
    assert shown(value, "shadow", end).reason == reason


def test_a_reference_that_the_value_does_not_know_is_no_value():
    unknown = Composite(canonical({**LAYER, "blur": "{base.else}"}), (("{base.four}", key("Base", "four")),))
    assert shown(unknown, "shadow").reason == "mismatch"
    gone = Composite(canonical({**LAYER, "blur": "{a.b}"}), (("{a.b}", TokenKey("design", "a", "b")),))
    assert shown(gone, "shadow").reason == "dangling"
    broken = Composite("{", (("{a.b}", key("Base", "four")),))
    assert shown(broken, "shadow").reason == "mismatch"


def test_shadows_that_are_layers_of_each_other_go_in_a_cycle():
    of = collection("Base")
    first = Composite(canonical([LAYER, "{base.second}"]), (("{base.second}", key("Base", "second")),))
    second = Composite(canonical(["{base.first}", LAYER]), (("{base.first}", key("Base", "first")),))
    made_graph = graph(
        of,
        token(of, "first", first, type="shadow"),
        token(of, "second", second, type="shadow"),
        token(of, "own", Composite('["{base.own}"]', (("{base.own}", key("Base", "own")),)), type="shadow"),
        token(of, "after", alias("Base", "first"), type="shadow"),
    )
    resolve = made_graph.resolver(DEFAULT_THEME)
    assert {resolve(each).reason for each in made_graph.tokens} == {"cycle"}


def test_a_reference_follows_its_family_in_the_theme():
    """And so does whatever is an alias of the composite."""
    base, scheme = collection("Base"), collection("Scheme", "Light", "Dark")
    value = Composite(canonical({**LAYER, "color": "{scheme.ink}"}), (("{scheme.ink}", key("Scheme", "ink")),))
    made_graph = graph(
        base,
        scheme,
        token(base, "low", value, type="shadow"),
        token(base, "card", alias("Base", "low"), type="shadow"),
        token(scheme, "ink", color("#000000"), ComposedColor(alias("Scheme", "snow"), 50.0)),
        token(scheme, "snow", color("#ffffff")),
    )
    found = [
        decoded(made_graph.resolve(made_graph.tokens[key("Base", path)], theme).json)["color"]
        for theme in (DEFAULT_THEME, Theme("dark", ((scheme.key, 1),)))
        for path in ("low", "card")
    ]
    light = {"colorSpace": "srgb", "components": [0, 0, 0]}
    dark = {"colorSpace": "srgb", "components": [1, 1, 1], "alpha": 0.5}
    assert found == [light, light, dark, dark]


def test_thousands_of_references_cost_time_in_line_with_their_number():
    of = collection("Base")
    count = 20_000
    spelled = [f"{{base.c{each}}}" for each in range(count)]
    stops = [{"color": each, "position": 0} for each in spelled]
    value = Composite(canonical(stops), tuple((each, key("Base", each[6:-1])) for each in spelled))
    colors = [token(of, f"c{each}", color("#ffffff")) for each in range(count)]
    made_graph = graph(of, token(of, "wide", value, type="gradient"), *colors)
    begun = time.process_time()
    resolved = made_graph.resolve(made_graph.tokens[key("Base", "wide")], DEFAULT_THEME)
    assert time.process_time() - begun < 5
    assert len(decoded(resolved.json)) == count


def test_a_part_takes_what_the_platform_has_one_type_for():
    assert fits("dimension", "number") and fits("fontFamily", "string") and fits("fontWeight", "number")
    assert not fits("number", "dimension")
    assert not fits("color", "string")
    assert fits("strokeStyle", "strokeStyle")


@pytest.mark.parametrize(
    ("value", "reference"),
    [
        ("{a.b}", "{a.b}"),
        ({"$ref": "#/a/b"}, "#/a/b"),
        ("a.b", None),
        ("{a", None),
        ({"$ref": 1}, None),
        ({"$ref": "#/a", "more": 1}, None),
        (["{a.b}"], None),
        (None, None),
    ],
)
def test_a_reference_is_a_string_in_braces_or_an_object_with_a_pointer(value, reference):
    assert reference_of(value) == reference


@pytest.mark.parametrize("value", [None, 1, "x", [], {}, [[]], {"dashArray": 1}, [1], {"style": []}])
@pytest.mark.parametrize("dtcg_type", [*VALUES, "color", "fontFamily", ""])
def test_parts_of_anything_at_all_can_be_asked_for(dtcg_type, value):
    assert all(part.reference is None for part in parts_of(dtcg_type, value))


def test_literals_are_json_as_a_token_file_has_them():
    assert literal_json(float32(0.9), "dimension") == px(0.9)
    assert literal_json(float32(0.9), "number") == 0.9
    assert literal_json(Quantity(1.5, "rem"), "dimension") == rem(1.5)
    assert literal_json(True, "boolean") is True
    assert literal_json("x", "string") == "x"
    assert literal_json(composite_of(LAYER), "shadow") == LAYER
    assert literal_json(float("nan"), "number") is None
    assert literal_json(Quantity(float("inf"), "rem"), "dimension") is None
    assert literal_json(color("#ff0000"), "color") == {"colorSpace": "srgb", "components": [1, 0, 0]}


def test_texts_that_no_utf8_holds_come_through():
    value = {"fontFamily": ["\ud800"], "fontSize": "{base.four}"}
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    assert canonical(value) == text
    made_of = filled(
        Composite(text, (("{base.four}", key("Base", "four")),)),
        "typography",
        lambda _: 4.0,
        key("a", "b"),
        lambda _: "dimension",
    )
    assert decoded(made_of.json) == {"fontFamily": ["\ud800"], "fontSize": px(4)}


def test_an_alias_is_no_part():
    assert targets(Alias(key("Base", "x"))) == (key("Base", "x"),)
    assert BLACK == BLACK_JSON
