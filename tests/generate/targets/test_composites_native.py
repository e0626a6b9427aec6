"""Composite tokens as Swift, Kotlin and Android XML, verified by readers of each language."""

from json import loads
from xml.etree.ElementTree import fromstring

import pytest
from generate.targets.composite_values import DASHES, LAYER, VALUES, composite_of, px
from hypothesis import given
from hypothesis import strategies as st

from tokensync.generate.notation import TYPES, StrokeStyle, Typography, composite
from tokensync.generate.targets import json, scss, typescript
from tokensync.generate.targets.android import literals as android
from tokensync.generate.targets.compose import literals as kotlin_literals
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.css import literals as css
from tokensync.generate.targets.css.texts import Notation
from tokensync.generate.targets.ios import literals as composites_swift

SCSS = scss.literals(Notation(CssOptions()))
texts = st.text(max_size=30) | st.sampled_from(
    ['"', "\\", "\\(x)", "${x}", "$x", "\n", "</item>", "@x", "?x", "'", "\0"]
)


def typed(dtcg_type, value=None):
    return composite(composite_of(VALUES[dtcg_type] if value is None else value), dtcg_type)


SWIFT_OF = {
    "shadow": (
        "TokenShadow(layers: ["
        ".init(color: Color(.sRGB, red: 0, green: 0, blue: 0, opacity: 0.25), "
        "x: 0, y: 1, blur: 2, spread: -1, isInset: false), "
        ".init(color: Color(.sRGB, red: 1, green: 1, blue: 1, opacity: 1), "
        "x: 0, y: 1, blur: 2, spread: -1, isInset: true)])"
    ),
    "border": "TokenBorder(color: Color(.sRGB, red: 1, green: 1, blue: 1, opacity: 1), width: 1.5, style: .dotted)",
    "typography": (
        'TokenTextStyle(families: ["Inter", "Sans-Serif"], size: 16, weight: 600, '
        "letterSpacing: -0.25, lineHeight: 1.5)"
    ),
    "gradient": (
        "Gradient(stops: ["
        ".init(color: Color(.sRGB, red: 1, green: 1, blue: 1, opacity: 1), location: 0), "
        ".init(color: Color(.sRGB, red: 0, green: 0, blue: 0, opacity: 0.25), location: 0.333), "
        ".init(color: Color(.sRGB, red: 1, green: 1, blue: 1, opacity: 1), location: 1)])"
    ),
    "transition": "TokenTransition(duration: 0.2, delay: -0.05, curve: TokenCurve(x1: 0.2, y1: 0, x2: 0, y2: 1))",
    "cubicBezier": "TokenCurve(x1: 0.25, y1: -1, x2: 1, y2: 2.5)",
    "strokeStyle": "TokenStrokeStyle.dashes([4, 4], cap: .round)",
}
KOTLIN_OF = {
    "shadow": (
        "TokenShadow(listOf("
        "TokenShadow.Layer("
        "color = Color(0x40000000), x = 0.dp, y = 1.dp, blur = 2.dp, spread = (-1).dp, isInset = false), "
        "TokenShadow.Layer("
        "color = Color(0xFFFFFFFF), x = 0.dp, y = 1.dp, blur = 2.dp, spread = (-1).dp, isInset = true)))"
    ),
    "border": "TokenBorder(color = Color(0xFFFFFFFF), width = 1.5.dp, style = TokenStrokeStyle.Keyword.Dotted)",
    "typography": (
        "TextStyle(fontFamily = FontFamily.SansSerif, fontSize = 16.sp, "
        "fontWeight = FontWeight(600), letterSpacing = (-0.25).sp, lineHeight = 1.5.em, "
        "lineHeightStyle = LineHeightStyle(LineHeightStyle.Alignment.Center, LineHeightStyle.Trim.None))"
    ),
    "gradient": "listOf(0f to Color(0xFFFFFFFF), 0.333f to Color(0x40000000), 1f to Color(0xFFFFFFFF))",
    "transition": (
        "TokenTransition(durationMillis = 200, delayMillis = -50, easing = CubicBezierEasing(0.2f, 0f, 0f, 1f))"
    ),
    "cubicBezier": "CubicBezierEasing(0.25f, -1f, 1f, 2.5f)",
    "strokeStyle": "TokenStrokeStyle.Dashes(listOf(4.dp, 4.dp), StrokeCap.Round)",
}


@pytest.mark.parametrize("dtcg_type", TYPES)
def test_every_type_is_an_expression_of_swift(dtcg_type, swift):
    written = composites_swift.text(typed(dtcg_type))
    assert written == SWIFT_OF[dtcg_type]
    swift(f"let x = {written}")


@pytest.mark.parametrize("dtcg_type", TYPES)
def test_every_type_is_an_expression_of_kotlin(dtcg_type, kotlin):
    written = kotlin_literals.expression(typed(dtcg_type))
    assert written == KOTLIN_OF[dtcg_type]
    kotlin(f"val x: {kotlin_literals.TYPES[dtcg_type]} = {written}")


def test_numbers_out_of_the_range_of_int_are_kotlin():
    huge = {**LAYER, "blur": px(3e38), "spread": px(-3e9)}
    assert (
        "blur = 300000000000000000000000000000000000000.0.dp, spread = (-3000000000.0).dp"
        in kotlin_literals.expression(composite(composite_of([huge]), "shadow"))
    )
    times = {
        "duration": {"value": 3e9, "unit": "ms"},
        "delay": {"value": -3e38, "unit": "s"},
        "timingFunction": [0, 0, 1, 1],
    }
    assert "durationMillis = 2147483647, delayMillis = -2147483647" in kotlin_literals.expression(
        composite(composite_of(times), "transition")
    )


def test_parts_with_a_constant_are_references():
    shadow = typed("shadow", LAYER)
    paths = {(0, "color"): "ink", (0, "blur"): "four"}
    assert composites_swift.text(shadow, paths) == (
        "TokenShadow(layers: [.init(color: ink, x: 0, y: 1, blur: four, spread: -1, isInset: false)])"
    )
    assert kotlin_literals.expression(shadow, paths) == (
        "TokenShadow(listOf(TokenShadow.Layer("
        "color = ink, x = 0.dp, y = 1.dp, blur = four, spread = (-1).dp, isInset = false)))"
    )
    border = typed("border", {**VALUES["border"], "style": DASHES})
    assert composites_swift.text(border, {("style", "dashArray", 1): "four"}).endswith(
        ".dashes([4, four], cap: .round))"
    )
    transition = typed("transition")
    assert composites_swift.text(transition, {("timingFunction",): "ease"}).endswith("curve: ease)")
    assert kotlin_literals.expression(transition, {("timingFunction",): "ease"}).endswith("easing = ease)")


@pytest.mark.parametrize(
    ("families", "written"),
    [
        ((), "FontFamily.Default"),
        (("Serif",), "FontFamily.Serif"),
        (("system-ui", "Inter"), "FontFamily.Default"),
        (("A", "B", "serif"), "FontFamily.Serif"),
        (("A",), "FontFamily.Default"),
        (("",), "FontFamily.Default"),
    ],
)
def test_generic_families_have_the_names_of_compose(families, written):
    style = Typography(families, 16.0, 400.0, 0.0, 1.5)
    assert f"fontFamily = {written}," in kotlin_literals.expression(style)


def test_a_line_style_is_a_member_of_its_enumeration():
    assert composites_swift.text(StrokeStyle("groove")) == "TokenStrokeStyle.groove"
    assert kotlin_literals.expression(StrokeStyle("groove")) == "TokenStrokeStyle.Keyword.Groove"


def test_a_text_style_is_a_text_appearance():
    """Letter spacing is a fraction of the size, and line heights are multiplied by it."""
    assert android.TextStyles().items(typed("typography")) == (
        ("android:fontFamily", "sans-serif"),
        ("android:textFontWeight", "600"),
        ("android:textStyle", "bold"),
        ("android:textSize", "16sp"),
        ("android:letterSpacing", "-0.0156"),
        ("android:lineHeight", "24sp"),
    )
    some = {("fontFamily",): "@string/sans", ("fontSize",): "@dimen/body", ("lineHeight",): "@dimen/x"}
    assert dict(android.TextStyles().items(typed("typography"), some)) == {
        "android:fontFamily": "@string/sans",
        "android:textFontWeight": "600",
        "android:textStyle": "bold",
        "android:textSize": "@dimen/body",
        "android:letterSpacing": "-0.0156",
        "android:lineHeight": "24sp",
    }
    assert dict(android.TextStyles().items(Typography((), 0.0, 400.0, 1.0, 1.5))) == {
        "android:textFontWeight": "400",
        "android:textSize": "0sp",
    }
    assert dict(android.TextStyles(material=True).items(typed("typography")))["lineHeight"] == "24sp"


@pytest.mark.parametrize(
    ("families", "written"),
    [(("Inter",), "Inter"), (("Inter", "Georgia", "serif"), "serif"), (("-apple-system", "Roboto"), "sans-serif")],
)
def test_a_text_appearance_has_the_first_family_that_devices_have(families, written):
    assert (
        dict(android.TextStyles().items(Typography(families, 16.0, 400.0, 0.0, 1.5)))["android:fontFamily"] == written
    )


def test_a_line_height_may_be_a_length_and_a_style_italic():
    """SwiftUI's line height is a multiple of the size; other lengths follow their tokens."""
    members = {"lineHeight": px(20), "fontStyle": "italic", "textCase": "uppercase", "textDecoration": "underline"}
    style, value = typed("typography", VALUES["typography"] | members), composite_of(VALUES["typography"] | members)
    reference = {("lineHeight",): "height"}
    assert css.composite_text(style) == 'italic 600 1rem/20px "Inter", sans-serif'
    assert css.composite_text(style, {("lineHeight",): "var(--height)"}) == (
        'italic 600 1rem/var(--height) "Inter", sans-serif'
    )
    assert css.parts_of(style)[4:] == (
        ("line-height", "20px"),
        ("font-style", "italic"),
        ("text-transform", "uppercase"),
        ("text-decoration", "underline"),
    )
    assert '"text-transform": uppercase' in SCSS["typography"](value)
    assert '  lineHeight: "20px",\n  fontStyle: "italic",' in typescript.text_style(numeric_lengths=False)(value)
    assert "  lineHeight: 1.25," in typescript.text_style(numeric_lengths=True)(value)
    assert loads(json.literals(exact=True)["typography"](value)) == {
        **VALUES["typography"],
        **members,
        "fontWeight": 600,
        "fontFamily": ["Inter", "Sans-Serif"],
    }
    items = dict(android.TextStyles().items(style))
    assert (items["android:lineHeight"], items["android:textStyle"]) == ("20sp", "bold|italic")
    assert items["android:textAllCaps"] == "true"
    assert dict(android.TextStyles().items(style, reference))["android:lineHeight"] == "height"
    written = kotlin_literals.expression(style)
    assert "fontStyle = FontStyle.Italic, letterSpacing = (-0.25).sp, lineHeight = 20.sp, " in written
    assert written.endswith("textDecoration = TextDecoration.Underline)")
    assert "lineHeight = height, " in kotlin_literals.expression(style, reference)
    members_of_swift = "isItalic: true, textCase: .uppercase, isUnderlined: true)"
    assert composites_swift.text(style).endswith(f"lineHeight: 20 / 16, {members_of_swift}")
    assert composites_swift.text(style, reference).endswith(f"lineHeight: height / 16, {members_of_swift}")
    flat = typed("typography", VALUES["typography"] | members | {"fontSize": px(0)})
    assert "lineHeight" not in composites_swift.text(flat)


def test_a_text_style_without_a_weight_and_a_line_height_has_its_other_members():
    short = {name: part for name, part in VALUES["typography"].items() if name not in ("fontWeight", "lineHeight")}
    style, value = typed("typography", short), composite_of(short)
    assert [name for name, _ in android.TextStyles().items(style)] == [
        "android:fontFamily",
        "android:textSize",
        "android:letterSpacing",
    ]
    assert kotlin_literals.expression(style).endswith("fontSize = 16.sp, letterSpacing = (-0.25).sp)")
    assert composites_swift.text(style) == (
        'TokenTextStyle(families: ["Inter", "Sans-Serif"], size: 16, letterSpacing: -0.25)'
    )
    assert css.composite_literal(value, "typography") == '1rem "Inter", sans-serif'
    assert [name for name, _ in css.parts_of(style)] == ["font-family", "font-size", "letter-spacing"]
    of_json = json.literals(exact=False)["typography"]
    for write in (SCSS["typography"], typescript.text_style(numeric_lengths=False), of_json):
        assert "eight" not in write(value)
        assert "pacing" in write(value)


@given(st.lists(texts, min_size=1, max_size=3))
def test_font_names_cannot_end_their_string(swift, kotlin, names):
    style = composite(composite_of({**VALUES["typography"], "fontFamily": names, "fontSize": px(10)}), "typography")
    if style is None:  # an empty list of names
        return
    tree = swift(f"let x = {composites_swift.text(style)}")
    assert len(tree.root_node.children) == 1
    kotlin(f"val x = {kotlin_literals.expression(style)}")
    items = "".join(f'<item name="{name}">{text}</item>' for name, text in android.TextStyles().items(style))
    assert len(fromstring(f"<style>{items}</style>")) in (5, 6)
