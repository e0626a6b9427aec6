"""The members of a style for what token files change in it; tests/bridge/test_styles.py has them in the editor."""

from types import SimpleNamespace

import pytest
from graphs import alias, collection, token

from tokensync.plan import desired
from tokensync.plan.desired import Inexpressible
from tokensync.tokens import Quantity
from tokensync.tokens.collection import OF_STYLE

TYPES = {"V:1": "FLOAT", "V:2": "STRING", "V:3": "COLOR"}
TEXT = {"fontFamily": "Inter", "fontSize": {"value": 12, "unit": "px"}, "fontStyle": "italic"}


def bound(ref):
    return {"type": "VARIABLE_ALIAS", "id": ref}


def px(number):
    return {"value": number, "unit": "px"}


def of_text(**changed):
    """Return the changed members of a text style; a part that is None goes."""
    after = {name: part for name, part in {**TEXT, **changed}.items() if part is not None}
    return desired._Parts(TYPES, TEXT, after).members({}, "TEXT")


@pytest.mark.parametrize(
    ("changed", "members"),
    [
        ({}, {}),
        ({"fontStyle": "oblique"}, {"slant": "oblique"}),
        ({"fontStyle": None}, {"slant": "normal"}),
        ({"fontSize": {"value": 2, "unit": "rem"}}, {"fontSize": 32}),
        ({"fontFamily": ["Karla", "sans-serif"]}, {"fontFamily": "Karla"}),
        ({"fontFamily": bound("V:2")}, {"fontFamily": bound("V:2")}),
        ({"fontWeight": 600}, {"fontStyle": None, "fontWeight": 600}),
        ({"fontWeight": "bold"}, {"fontStyle": None, "fontWeight": 700}),
        ({"fontWeight": bound("V:1")}, {"fontStyle": None, "fontWeight": bound("V:1")}),
        ({"fontWeight": bound("V:2")}, {"fontStyle": bound("V:2")}),
        ({"lineHeight": 1.5}, {"lineHeight": {"unit": "PERCENT", "value": 150}}),
        ({"lineHeight": bound("V:1")}, {"lineHeight": bound("V:1")}),
        ({"letterSpacing": px(2)}, {"letterSpacing": {"unit": "PIXELS", "value": 2}}),
        ({"textCase": "uppercase"}, {"textCase": "UPPER"}),
        ({"textDecoration": "STRIKETHROUGH"}, {"textDecoration": "STRIKETHROUGH"}),
        ({"paragraphSpacing": 8}, {"paragraphSpacing": 8}),
    ],
)
def test_parts_of_a_text_style_are_its_members(changed, members):
    assert of_text(**changed) == members


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"fontWeight": "heavier"}, "heavier is no weight"),
        ({"fontWeight": 2000}, "2000 is no weight"),
        ({"paragraphIndent": "2px"}, "a text style cannot have this paragraphIndent"),
        ({"textCase": 1}, "a text style cannot have this textCase"),
        ({"fontSize": {"value": 1, "unit": "em"}}, "the fontSize of a style is a length"),
        ({"fontSize": 12}, "the fontSize of a style is a length"),
        ({"fontSize": bound("V:3")}, "its fontSize refers to V:3, which is a COLOR"),
        ({"fontSize": bound("none")}, "its fontSize refers to none, which is no variable of this file"),
    ],
)
def test_what_a_text_style_cannot_have_is_refused(changed, message):
    with pytest.raises(Inexpressible) as refused:
        of_text(**changed)
    assert refused.value.what == message


BLUE = {"colorSpace": "srgb", "components": [0, 0, 1]}
SHADOW = {"color": BLUE, "offsetX": px(1), "offsetY": px(2), "blur": px(3), "spread": px(0)}
DROP = {"type": "DROP_SHADOW", "color": {"r": 0, "g": 0, "b": 1, "a": 1}}
DROP |= {"offsetX": 1, "offsetY": 2, "radius": 3, "spread": 0, "visible": True}
INNER = {**DROP, "type": "INNER_SHADOW", "showShadowBehindNode": True}
NORMAL = {"blendMode": "NORMAL"}
BLUR = {"type": "LAYER_BLUR", "radius": 4, "visible": True}
HIDDEN = {**BLUR, "visible": False}


def of_effects(before, after, *present):
    parts = [{**part, OF_STYLE: {}} if part else {} for part in (before, after)]
    return desired._Parts(TYPES, *parts).members({"effects": [*present]}, "EFFECT")


@pytest.mark.parametrize(
    ("before", "after", "present", "effects"),
    [
        ({"radius": px(4)}, {"radius": px(8)}, (BLUR, HIDDEN), [{**BLUR, "radius": 8}, HIDDEN]),
        (
            {"layers": [SHADOW, SHADOW]},
            {"layers": [SHADOW]},
            (DROP, HIDDEN, {**DROP, "blendMode": "MULTIPLY"}),
            [DROP, HIDDEN],
        ),
        (
            {"layers": [SHADOW]},
            {"layers": [{**SHADOW, "inset": True}]},
            ({**DROP, "showShadowBehindNode": True},),
            [{name: part for name, part in INNER.items() if name != "showShadowBehindNode"}],
        ),
        ({}, {"layers": [{**SHADOW, "color": bound("V:3")}]}, (), [{**DROP, "color": bound("V:3"), **NORMAL}]),
    ],
)
def test_layers_of_an_effect_style_are_its_effects(before, after, present, effects):
    assert of_effects(before, after, *present) == {"effects": effects}


ONLY = "only shadows, and the radius of a blur, can be written of an effect style"


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ({}, {"radius": px(8)}, "a new effect style needs shadows"),
        ({"radius": px(8)}, {"layers": [SHADOW]}, ONLY),
        ({"layers": [SHADOW]}, {"layers": [bound("V:3")]}, "a layer of a style cannot refer to a shadow"),
        ({"layers": [SHADOW]}, {"layers": [{**SHADOW, "color": None}]}, "the colour of a shadow is not in sRGB"),
    ],
)
def test_what_an_effect_style_cannot_have_is_refused(before, after, message):
    with pytest.raises(Inexpressible) as refused:
        of_effects(before, after, DROP)
    assert refused.value.what == message


def test_a_text_style_needs_a_font():
    with pytest.raises(Inexpressible, match="a text style needs fontFamily and fontSize"):
        desired._Parts(TYPES, {}, {"fontSize": px(12)}).members({}, "TEXT")


def test_the_radius_of_a_blur_is_a_length_a_number_or_a_reference():
    style, refs = collection("Blurs"), SimpleNamespace(tokens={})
    found = [
        desired._parts(token(style, "blur", value, type=kind), refs)["radius"]
        for value, kind in ((Quantity(2.0, "rem"), "dimension"), (8.0, "number"), (alias("Size", "large"), "dimension"))
    ]
    assert found[:2] == [{"value": 2, "unit": "rem"}, px(8)]
    assert found[2]["type"] == "VARIABLE_ALIAS"
    assert set(desired._parts(token(style, "blur", "text", type="string"), refs)) == set()
