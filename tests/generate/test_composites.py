"""Composite tokens as typed literals, and as CSS."""

import pytest
from generate.targets.composite_values import (
    BLACK,
    CURVE,
    DASHES,
    LAYER,
    VALUES,
    WHITE,
    composite_of,
    ms,
    px,
    referring,
)
from graphs import collection, color, graph, key, token

from tokensync.generate import notation
from tokensync.generate.notation import (
    TYPES,
    Border,
    CubicBezier,
    Gradient,
    Layer,
    Shadow,
    Stop,
    StrokeStyle,
    Transition,
    Typography,
    composite,
    font_stacks,
    in_pixels,
    in_seconds,
    references,
)
from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.css import literals
from tokensync.settings import FontConfig
from tokensync.tokens import Color, Composite, Quantity, TokenKey, float32
from tokensync.tokens.composites import canonical

SHEER, LIGHT = Color(0.0, 0.0, 0.0, 0.25), Color(1.0, 1.0, 1.0)


def test_every_type_becomes_its_struct():
    """Lengths in px are numbers, weights are numeric, positions are clamped to 0 and 1, colours are sRGB."""
    spaced = (0.0, 1.0, Quantity(0.125, "rem"), -1.0)
    assert {each: composite(composite_of(VALUES[each]), each) for each in TYPES} == {
        "shadow": Shadow((Layer(SHEER, *spaced), Layer(LIGHT, *spaced, inset=True))),
        "border": Border(LIGHT, 1.5, StrokeStyle("dotted")),
        "typography": Typography(("Inter", "Sans-Serif"), Quantity(1.0, "rem"), 600.0, -0.25, 1.5),
        "gradient": Gradient((Stop(LIGHT, 0.0), Stop(SHEER, float32(0.333)), Stop(LIGHT, 1.0))),
        "transition": Transition(
            Quantity(200.0, "ms"), Quantity(float32(-0.05), "s"), CubicBezier(float32(0.2), 0.0, 0.0, 1.0)
        ),
        "cubicBezier": CubicBezier(0.25, -1.0, 1.0, 2.5),
        "strokeStyle": StrokeStyle(dashes=(4.0, Quantity(0.25, "rem")), cap="round"),
    }


def test_a_single_shadow_has_one_layer():
    assert composite(composite_of(LAYER), "shadow") == composite(composite_of([LAYER]), "shadow")


def test_a_family_with_commas_is_a_list():
    named = composite(composite_of({**VALUES["typography"], "fontFamily": "Inter, 'Segoe UI'"}), "typography")
    assert named.families == ("Inter", "Segoe UI")


def test_lengths_and_durations_convert_to_one_unit():
    assert (in_pixels(Quantity(1.5, "rem")), in_pixels(4.0)) == (24.0, 4.0)
    assert (in_seconds(Quantity(200.0, "ms")), in_seconds(Quantity(1.5, "s"))) == (0.2, 1.5)


def test_a_family_alone_has_its_stack_in_texts_and_text_styles():
    """A list of several families is a stack already; references stay."""
    fonts = (FontConfig(family="Inter", stack=("Inter Variable", "sans-serif")), FontConfig(family="Mono"))
    stacked = font_stacks(fonts)
    assert font_stacks(fonts[1:]) is None
    assert stacked("inter") == stacked(Composite('["Inter"]')) == Composite('["Inter Variable","sans-serif"]')
    for other in ("Mono", "Inter, Arial", "", 4.0, Composite('["Inter","Arial"]'), Composite("[1]"), Composite("x")):
        assert stacked(other) == other
    style = {**VALUES["typography"], "fontFamily": "Inter", "fontSize": "{a.b}"}
    reference = (("{a.b}", TokenKey("f", "a", "b")),)
    assert stacked(Composite(canonical(style), reference)) == Composite(
        canonical({**style, "fontFamily": ["Inter Variable", "sans-serif"]}), reference
    )
    for family in ("{a.b}", {"$ref": "#/a/b"}, [], ["Inter", "Arial"], 3):
        other = Composite(canonical({**style, "fontFamily": family}), reference)
        assert stacked(other) == other


@pytest.mark.parametrize("platform", ["css", "scss", "tailwind", "typescript"])
def test_web_outputs_have_font_stacks(platform):
    of = collection("Base")
    made = graph(
        of,
        token(of, "font/body", "Inter", type="fontFamily"),
        token(of, "style", composite_of({**VALUES["typography"], "fontFamily": "Inter"}), type="typography"),
    )
    fonts = (FontConfig(family="Inter", stack=("Inter", "system-ui", "sans-serif")),)
    stack = '"Inter", system-ui, sans-serif'
    for request, count in ((OutputRequest(platform=platform, fonts=fonts), 2), (OutputRequest(platform=platform), 0)):
        text = generate(made, request)[0][0].content.decode().replace('\\"', '"')
        assert text.count(stack) >= count if count else stack not in text


@pytest.mark.parametrize(
    ("dtcg_type", "value"),
    [
        *((each, wrong) for each in TYPES for wrong in (None, 1, "x", [], {}, [[]], [{}], "{a.b}", True)),
        ("color", BLACK),
        ("shadow", {**LAYER, "color": {"colorSpace": "p3", "components": [1, 0, 0]}}),
        ("shadow", {**LAYER, "color": {"colorSpace": "srgb", "components": [1, 0]}}),
        ("shadow", {**LAYER, "blur": px(-1)}),
        ("shadow", {**LAYER, "blur": px(True)}),
        ("shadow", {**LAYER, "inset": 1}),
        ("shadow", [LAYER, "{a.b}"]),
        ("shadow", [[LAYER]]),
        ("border", {**VALUES["border"], "width": {"value": 1, "unit": "em"}}),
        ("border", {**VALUES["border"], "style": {**DASHES, "lineCap": "flat"}}),
        ("typography", {**VALUES["typography"], "fontSize": {"value": 1, "unit": "em"}}),
        ("typography", {**VALUES["typography"], "fontWeight": "Bold"}),
        ("typography", {**VALUES["typography"], "fontWeight": 0}),
        ("typography", {**VALUES["typography"], "lineHeight": px(-20)}),
        ("typography", {**VALUES["typography"], "lineHeight": {"value": -2, "unit": "em"}}),
        ("typography", {**VALUES["typography"], "fontFamily": [1]}),
        ("transition", {**VALUES["transition"], "duration": ms(-1)}),
        ("transition", {**VALUES["transition"], "timingFunction": [2, 0, 0, 0]}),
        ("cubicBezier", [0, 0, 0]),
    ],
)
def test_a_value_of_another_type_is_not_converted(dtcg_type, value):
    assert composite(composite_of(value), dtcg_type) is None


def test_a_colour_outside_of_srgb_is_converted_and_exact():
    lime = {"colorSpace": "display-p3", "components": [0, 1, 0], "alpha": 0.5}
    color = composite(composite_of({**LAYER, "color": lime}), "shadow").layers[0].color
    assert (color.wide, color.red, color.alpha) == ("display-p3 0 1 0", 0.0, 0.5)
    fallback = composite(composite_of({**LAYER, "color": {**lime, "hex": "#00ff00"}}), "shadow").layers[0].color
    assert (fallback.wide, fallback.green, fallback.blue, fallback.alpha) == ("display-p3 0 1 0", 1.0, 0.0, 0.5)


def test_a_value_that_is_not_a_composite_is_not_converted():
    assert composite(1.0, "shadow") is None
    assert composite(Composite("{"), "shadow") is None
    assert composite(Composite("[" * 5000 + "]" * 5000), "shadow") is None


def test_references_have_the_path_of_their_part():
    """They have the type of the part; the path of a single-layer shadow starts with 0 too."""
    border = referring("border", {**VALUES["border"], "style": DASHES})
    assert [(each.path, each.type) for each in references(border, "border")] == [
        (("color",), "color"),
        (("style",), "strokeStyle"),
        (("width",), "dimension"),
    ]
    one = Composite('{"color":"{base.black}"}', (("{base.black}", key("Base", "black")),))
    assert [(each.path, each.target) for each in references(one, "shadow")] == [((0, "color"), key("Base", "black"))]
    assert references(composite_of(LAYER), "shadow") == ()
    assert references(None, "shadow") == ()


CSS = {
    "shadow": "0px 1px 0.125rem -1px rgb(0 0 0 / 0.25), inset 0px 1px 0.125rem -1px #ffffff",
    "border": "1.5px dotted #ffffff",
    "typography": '600 1rem/1.5 "Inter", sans-serif',
    "gradient": "linear-gradient(#ffffff 0%, rgb(0 0 0 / 0.25) 33.3%, #ffffff 100%)",
    "transition": "200ms cubic-bezier(0.2, 0, 0, 1) -0.05s",
    "cubicBezier": "cubic-bezier(0.25, -1, 1, 2.5)",
    "strokeStyle": "dashed",
}


@pytest.mark.parametrize("dtcg_type", TYPES)
def test_every_type_is_a_value_of_css(dtcg_type):
    assert literals.composite_text(composite(composite_of(VALUES[dtcg_type]), dtcg_type)) == CSS[dtcg_type]


def test_composites_with_properties_of_their_own_in_css_have_parts():
    def parts(dtcg_type, value):
        return literals.parts_of(composite(composite_of(value), dtcg_type))

    assert parts("typography", VALUES["typography"]) == (
        ("font-family", '"Inter", sans-serif'),
        ("font-size", "1rem"),
        ("font-weight", "600"),
        ("letter-spacing", "-0.25px"),
        ("line-height", "1.5"),
    )
    assert parts("border", {**VALUES["border"], "style": DASHES}) == (
        ("width", "1.5px"),
        ("style", "dashed"),
        ("color", "#ffffff"),
        ("dash-array", "4px 0.25rem"),
        ("line-cap", "round"),
    )
    assert parts("transition", VALUES["transition"]) == (
        ("duration", "200ms"),
        ("timing-function", "cubic-bezier(0.2, 0, 0, 1)"),
        ("delay", "-0.05s"),
    )
    assert parts("gradient", [{"color": WHITE, "position": 0.5}]) == (("stops", "#ffffff 50%, #ffffff 50%"),)
    assert parts("cubicBezier", CURVE) == parts("shadow", LAYER) == parts("strokeStyle", "solid") == ()


def test_references_are_vars_if_both_tokens_have_the_same_notation():
    """A number without a unit, or a text that is not a list of families, is a literal."""
    of = collection("Base")
    tokens = graph(
        of,
        token(of, "black", color("#000000")),
        token(of, "four", 4, type="number"),
        token(of, "dashes", composite_of("dotted"), type="strokeStyle"),
        token(of, "edge", referring("border", VALUES["border"]), type="border"),
    )
    files, _ = generate(tokens, OutputRequest(platform="css"))
    assert "--edge: 4px var(--dashes) var(--black);" in files[0].content.decode()


def test_every_reference_of_every_type_is_written():
    """A position is a fraction of 1, and a percentage in CSS."""
    texts = {}
    for dtcg_type in TYPES:
        value = VALUES[dtcg_type]
        if dtcg_type == "shadow":
            value = value[:1]
        of_parts = {each.path: "var(--x)" for each in references(referring(dtcg_type, value), dtcg_type)}
        typed = composite(composite_of(value), dtcg_type)
        texts[dtcg_type] = literals.composite_text(typed, of_parts), dict(literals.parts_of(typed, of_parts))
    assert texts["shadow"][0] == "var(--x) var(--x) var(--x) var(--x) var(--x)"
    assert texts["border"] == ("var(--x) var(--x) var(--x)", dict.fromkeys(("width", "style", "color"), "var(--x)"))
    assert texts["typography"][0] == "var(--x) var(--x)/var(--x) var(--x)"
    assert texts["gradient"][0] == f"linear-gradient({', '.join(['var(--x) calc(var(--x) * 100%)'] * 3)})"
    assert texts["transition"][0] == "var(--x) var(--x) var(--x)"
    assert texts["strokeStyle"] == ("dashed", {"dash-array": "var(--x) var(--x)", "line-cap": "round"})


def test_a_layer_that_refers_to_a_shadow_is_its_var():
    value = composite(composite_of([LAYER, LAYER]), "shadow")
    assert literals.composite_text(value, {(1,): "var(--below)"}).endswith(", var(--below)")


@pytest.mark.parametrize(
    ("text", "families", "within"),
    [
        ('["A","b c"]', ["A", "b c"], "Ab c"),
        ('["\\ud800"]', ["\ud800"], "\ud800"),
        ("{", None, ""),
        ('{"fontFamily":["A","B"]}', None, "AB"),
        ('{"fontFamily":"A"}', None, "A"),
        ("[1]", None, ""),
    ],
)
def test_font_names_are_read_from_any_composite(text, families, within):
    assert notation.families(Composite(text)) == families
    assert notation.texts_within(Composite(text)) == within
