"""Random text and effect styles of a design file come out of each target with the values that they have there.

The design file is the emulator's; pulls and builds are those of the command line. Each output is read by the program
that it is for: Chromium applies the web's, a JVM and the Swift runtime print theirs, an XML parser reads resources, and
an evaluator Dart.
"""

import json
import os
import random
from contextlib import chdir

import pytest
from commands.projects import DESIGN, output, project_in, tokensync
from lxml import etree
from outside.dart_library import Library

from tokensync.emulator.cli.states import open_emulator

pytestmark = pytest.mark.outside

KEY = "key-one"
TEXTS, SHADOWS = 60, 40
TARGETS = ("css", "scss", "tailwind", "typescript", "react-native", "json", "android", "compose", "ios", "flutter")
CASES = {"ORIGINAL": "none", "UPPER": "uppercase", "LOWER": "lowercase", "TITLE": "capitalize"}
LINES = {"NONE": "none", "UNDERLINE": "underline", "STRIKETHROUGH": "line-through"}


def text_style(chance):
    size = chance.randint(16, 160) / 2
    style = {
        "fontFamily": chance.choice(["Acme Sans", "Brand & Co", "Grotesk"]),
        "fontWeight": chance.choice([100, 300, 400, 450, 600, 700, 900]),
        "fontSize": size,
        "letterSpacing": chance.randint(-8, 16) / 4,
        "italic": chance.random() < 0.3,
        "textCase": chance.choice([*CASES]),
        "textDecoration": chance.choice([*LINES]),
    }
    match chance.randrange(3):
        case 0:
            return style | {"lineHeightUnit": "PIXELS", "lineHeightPx": chance.randint(10, 120)}
        case 1:
            percent = chance.randint(90, 200)
            return style | {"lineHeightUnit": "FONT_SIZE_%", "lineHeightPercentFontSize": percent, "lineHeightPx": 1}
    return style | {"lineHeightUnit": "INTRINSIC_%", "lineHeightPx": 1.21 * size}


def effects(chance):
    return [
        {
            "type": chance.choice(["DROP_SHADOW", "INNER_SHADOW"]),
            "color": {name: chance.randint(0, 255) / 255 for name in "rgb"} | {"a": chance.randint(0, 5) / 5},
            "offset": {"x": chance.randint(-20, 20) / 2, "y": chance.randint(-20, 20) / 2},
            "radius": chance.randint(0, 80) / 2,
            "spread": chance.randint(-8, 8),
        }
        for _ in range(chance.randint(1, 3))
    ]


def expected_text(style):
    """Return what a text style of the platform means, with lengths in pixels; an automatic line height is None."""
    lines = {"PIXELS": style["lineHeightPx"], "INTRINSIC_%": None}
    factor = style.get("lineHeightPercentFontSize", 0) / 100
    return {
        "family": style["fontFamily"],
        "size": style["fontSize"],
        "weight": style["fontWeight"],
        "spacing": style["letterSpacing"],
        "line": lines.get(style["lineHeightUnit"], factor * style["fontSize"]),
        "italic": style["italic"],
        "case": CASES[style["textCase"]],
        "decoration": LINES[style["textDecoration"]],
    }


def expected_layers(parts):
    """Return the layers of an effect style, topmost first, as the platform's last one is.

    A layer is its colour in bytes, its offsets, blur and spread, and whether it is inset.
    """
    return [
        (
            *(round(part["color"][name] * 255) for name in "rgba"),
            *(part["offset"]["x"], part["offset"]["y"], part["radius"], part["spread"]),
            part["type"] == "INNER_SHADOW",
        )
        for part in reversed(parts)
    ]


@pytest.fixture(scope="module")
def styles():
    """The styles by name, which is the same in every target, and what they mean."""
    chance = random.Random(40)
    texts = {f"a{number}": text_style(chance) for number in range(TEXTS)}
    shadows = {f"b{number}": effects(chance) for number in range(SHADOWS)}
    return texts, shadows


@pytest.fixture(scope="module")
def built(styles, tmp_path_factory):
    """The outputs of a project that has pulled them, by target."""
    folder = tmp_path_factory.mktemp("styles")
    outputs = "".join(output(target, target, 'unsupported = "warn"') for target in TARGETS)
    with chdir(folder), pytest.MonkeyPatch.context() as patch:
        for name in os.environ:
            if name.startswith(("TOKENSYNC_", "FIGMA_")):
                patch.delenv(name)
        project_in(
            folder, files=(), more="", outputs=f'[[files]]\nname = "one"\nkey = "{KEY}"\nstyles = true\n{outputs}'
        )
        with open_emulator(None, None) as emulator:
            emulator.seed(KEY, DESIGN[0].read_bytes())
            texts, shadows = styles
            for name, style in texts.items():
                emulator.libraries.add_style(KEY, name, "TEXT", value={"style": style})
            for name, parts in shadows.items():
                emulator.libraries.add_style(KEY, name, "EFFECT", value={"effects": parts})
            emulator.publish(KEY)
        tokensync("pull")
        tokensync("build")
    return {target: folder / target for target in TARGETS}


@pytest.fixture(scope="module")
def expected(styles):
    texts, shadows = styles
    return (
        {name: expected_text(style) for name, style in texts.items()},
        {name: expected_layers(parts) for name, parts in shadows.items()},
    )


def assert_equal(found, expected, **meant):
    """Compare every style; ``meant`` maps members that a target has no form for to what it says instead."""
    texts, shadows = found
    assert texts.keys() == expected[0].keys()
    for name, style in expected[0].items():
        wanted = {member: meant[member](value) if member in meant else value for member, value in style.items()}
        assert texts[name] == pytest.approx(wanted, rel=1e-4, abs=0.01), name
    if shadows is not None:
        assert shadows.keys() == expected[1].keys()
        for name, layers in expected[1].items():
            assert shadows[name] == [pytest.approx(layer, abs=1e-3) for layer in layers], name


COMPUTED = """([texts, shadows]) => {
  const probe = document.createElement("p");
  document.body.append(probe);
  const computed = ([name, {text, members, classes}], properties) => {
    probe.className = classes ?? "";
    probe.style.cssText = text ?? "";
    Object.assign(probe.style, members ?? {});
    const style = getComputedStyle(probe);
    return [name, Object.fromEntries(properties.map((property) => [property, style.getPropertyValue(property)]))];
  };
  const all = (rows, properties) => Object.fromEntries(Object.entries(rows).map((row) => computed(row, properties)));
  const ofTexts = ["font-family", "font-size", "font-weight", "letter-spacing", "line-height", "font-style",
    "text-transform", "text-decoration-line"];
  return [all(texts, ofTexts), all(shadows, ["box-shadow"])];
}"""


def shown(chromium, sheet, texts, shadows):
    """Return what Chromium computes for elements with a style each: ``text``, ``members`` or ``classes``."""
    with chromium(sheet) as page:
        of_texts, of_shadows = page.page.evaluate(COMPUTED, [texts, shadows])
    return (
        {name: of_css(style) for name, style in of_texts.items()},
        {name: layers_of_css(style["box-shadow"]) for name, style in of_shadows.items()},
    )


def of_css(style):
    pixels = {name: float(text.removesuffix("px")) for name, text in style.items() if text.endswith("px")}
    return {
        "family": style["font-family"].strip('"'),
        "size": pixels["font-size"],
        "weight": float(style["font-weight"]),
        "spacing": pixels.get("letter-spacing", 0.0),
        "line": pixels.get("line-height"),
        "italic": style["font-style"] == "italic",
        "case": style["text-transform"],
        "decoration": style["text-decoration-line"],
    }


def layers_of_css(text):
    """Read computed layers: ``rgba(0, 0, 0, 0.25) 0px 1px 2px 0px inset``."""
    layers = []
    for layer in text.replace("rgb", "\nrgb").strip().split("\n"):
        color, _, rest = layer.partition(")")
        channels = [float(channel) for channel in color.partition("(")[2].split(",")]
        red, green, blue, alpha = (*channels, 1.0)[:4]
        words = rest.strip(" ,").split()
        lengths = [float(word.removesuffix("px")) for word in words if word != "inset"]
        layers.append((red, green, blue, round(alpha * 255), *lengths, "inset" in words))
    return layers


def by_variables(expected):
    texts = {
        name: {
            "text": f"font: var(--{name}); letter-spacing: var(--{name}-letter-spacing);"
            f"text-transform: var(--{name}-text-transform, none);"
            f"text-decoration: var(--{name}-text-decoration, none)"
        }
        for name in expected[0]
    }
    return texts, {name: {"text": f"box-shadow: var(--{name})"} for name in expected[1]}


def test_css(built, expected, chromium):
    (sheet,) = built["css"].glob("*.css")
    assert_equal(shown(chromium, sheet.read_text(encoding="utf-8"), *by_variables(expected)), expected)


def test_tailwind(built, expected, tailwind, chromium):
    """Tailwind keeps the properties that it finds in the files of the page."""
    (theme,) = built["tailwind"].glob("*.css")
    texts, classes = by_variables(expected)[0], [f"shadow-{name}" for name in expected[1]]
    page = "".join(f'<p style="{style["text"]}">' for style in texts.values())
    files = {"theme.css": theme.read_text(encoding="utf-8"), "page.html": page}
    sheet = tailwind('@import "tailwindcss";\n@import "./theme.css";', files, classes)
    shadows = {name: {"classes": f"shadow-{name}"} for name in expected[1]}
    texts, shadows = shown(chromium, sheet, texts, shadows)
    assert_equal((texts, {name: seen(layers) for name, layers in shadows.items()}), expected)


def seen(layers):
    """Return the layers without those that Tailwind adds for other utilities, which are invisible."""
    return [layer for layer in layers if any(layer[3:8])] or layers


def test_scss(built, expected, sass, chromium):
    files = {path.name: path.read_text(encoding="utf-8") for path in built["scss"].glob("*.scss")}
    rules = [f'.{name} {{ @include tokens.text-style("{name}"); }}' for name in expected[0]]
    rules += [f'.{name} {{ box-shadow: tokens.token("{name}"); }}' for name in expected[1]]
    sheet = sass('@use "tokens";\n' + "\n".join(rules), files)
    classes = [{name: {"classes": name} for name in names} for names in expected]
    assert_equal(shown(chromium, sheet, *classes), expected)


def test_typescript(built, expected, esm, chromium):
    tokens = esm(built["typescript"] / "tokens.js")["tokens"]
    texts = {name: {"members": tokens[name]} for name in expected[0]}
    shadows = {name: {"members": {"boxShadow": tokens[name]}} for name in expected[1]}
    assert_equal(shown(chromium, "", texts, shadows), expected)


def test_react_native(built, expected, esm):
    """Its weights are hundreds, and 450 is as close to 500 as it is to 400."""
    tokens = esm(built["react-native"] / "tokens.js")["tokens"]
    texts = {name: of_react_native(tokens[name]) for name in expected[0]}
    shadows = {name: [layer_of_react_native(layer) for layer in tokens[name]] for name in expected[1]}
    meant = {
        name: {**style, "weight": 500 if style["weight"] == 450 else style["weight"]}
        for name, style in expected[0].items()
    }
    assert_equal((texts, shadows), (meant, expected[1]))


def of_react_native(style):
    return {
        "family": style["fontFamily"],
        "size": style["fontSize"],
        "weight": int(style["fontWeight"]),
        "spacing": style["letterSpacing"],
        "line": style.get("lineHeight"),
        "italic": style.get("fontStyle") == "italic",
        "case": style.get("textTransform", "none"),
        "decoration": style.get("textDecorationLine", "none"),
    }


def layer_of_react_native(layer):
    channels = bytes.fromhex(layer["color"].removeprefix("#").ljust(8, "f"))
    return (
        *channels,
        *(layer[name] for name in ("offsetX", "offsetY", "blurRadius", "spreadDistance")),
        layer["inset"],
    )


def test_json(built, expected):
    (file,) = built["json"].glob("*.json")
    tokens = {name: token["value"] for name, token in json.loads(file.read_bytes())["tokens"].items()}
    texts = {name: of_json(tokens[name]) for name in expected[0]}
    assert_equal((texts, {name: [layer_of_json(layer) for layer in tokens[name]] for name in expected[1]}), expected)


def of_json(style):
    size = length(style["fontSize"])
    line = style.get("lineHeight")
    return {
        "family": style["fontFamily"][0],
        "size": size,
        "weight": style["fontWeight"],
        "spacing": length(style["letterSpacing"]),
        "line": length(line) if isinstance(line, dict) else line and line * size,
        "italic": style.get("fontStyle") == "italic",
        "case": style.get("textCase", "none"),
        "decoration": style.get("textDecoration", "none"),
    }


def length(value):
    assert value["unit"] == "px"
    return value["value"]


def layer_of_json(layer):
    digits = layer["color"]["hex"] if isinstance(layer["color"], dict) else layer["color"]
    channels = bytes.fromhex(digits.removeprefix("#").ljust(8, "f"))
    lengths = (length(layer[name]) for name in ("offsetX", "offsetY", "blur", "spread"))
    return (*channels, *lengths, layer.get("inset", False))


def test_android(built, expected):
    """Resources have no shadows and no decorations, and one case."""
    styles = etree.parse(built["android"] / "values" / "text_appearances.xml").getroot()
    texts = {each.get("name").removeprefix("TextAppearance.").lower(): of_android(each) for each in styles}
    only_caps = {"case": lambda case: "uppercase" if case == "uppercase" else "none", "decoration": lambda _: "none"}
    assert_equal((texts, None), expected, **only_caps)


def of_android(style):
    items = {item.get("name").removeprefix("android:"): item.text for item in style}
    size = float(items["textSize"].removesuffix("sp"))
    weight = float(items["textFontWeight"])
    style_words = items.get("textStyle", "").split("|")
    assert ("bold" in style_words) == (weight >= 600)
    return {
        "family": items["fontFamily"],
        "size": size,
        "weight": weight,
        "spacing": round(float(items["letterSpacing"]) * size, 2),
        "line": float(items["lineHeight"].removesuffix("sp")) if "lineHeight" in items else None,
        "italic": "italic" in style_words,
        "case": "uppercase" if items.get("textAllCaps") == "true" else "none",
        "decoration": "none",
    }


KOTLIN = """package design.tokens
import androidx.compose.ui.text.TextStyle
import androidx.compose.ui.text.font.FontStyle
import androidx.compose.ui.text.style.TextDecoration
fun show(name: String, it: TextStyle) {
    val line = if (it.lineHeight.isEm) it.lineHeight.value * it.fontSize.value else it.lineHeight.value
    val decoration = when (it.textDecoration) {
        TextDecoration.Underline -> "underline"
        TextDecoration.LineThrough -> "line-through"
        else -> "none"
    }
    println("{\\"$name\\": {\\"size\\": ${it.fontSize.value}, \\"weight\\": ${it.fontWeight!!.weight}, " +
        "\\"spacing\\": ${it.letterSpacing.value}, \\"line\\": ${if (line.isNaN()) "null" else line}, " +
        "\\"italic\\": ${it.fontStyle == FontStyle.Italic}, \\"decoration\\": \\"$decoration\\"}}")
}
fun show(name: String, it: TokenShadow) {
    val layers = it.layers.map {
        val channels = (it.color.value shr 32).toLong()
        "[${channels shr 16 and 255}, ${channels shr 8 and 255}, ${channels and 255}, ${channels shr 24 and 255}, " +
            "${it.x.value}, ${it.y.value}, ${it.blur.value}, ${it.spread.value}, ${it.isInset}]"
    }
    println("{\\"$name\\": $layers}")
}
"""


def test_compose(built, expected, kotlinc):
    """A text style has no case, and no family that is not an app's own."""
    files = {path.name: path.read_text(encoding="utf-8") for path in built["compose"].glob("*.kt")}
    calls = [f'show("{name}", DesignTokens.textStyles.{name})' for name in expected[0]]
    calls += [f'show("{name}", DesignTokens.effectStyles.{name})' for name in expected[1]]
    main = KOTLIN + "fun main() {\n" + "\n".join(calls) + "\n}\n"
    printed = kotlinc({**files, "Main.kt": main}, "design.tokens.MainKt")
    without = {"family": None, "case": None}
    texts, shadows = read_lines(printed, expected, without)
    assert_equal((texts, shadows), expected, family=lambda _: None, case=lambda _: None)


def test_flutter(built, expected):
    """A text style has no case, and a box no shadow inside of it."""
    library = Library((built["flutter"] / "design_tokens.dart").read_bytes())
    decorations = {"none": "none", "underline": "underline", "lineThrough": "line-through"}
    texts = {}
    for name, (_, style) in library.values("TextStylesTokens", {}).items():
        weights = [value for _, axis, value in style.get("fontVariations", ()) if axis == "wght"]
        texts[name] = {
            "family": style["fontFamily"],
            "size": style["fontSize"],
            "weight": weights[0] if weights else float(style["fontWeight"].removeprefix("FontWeight.w")),
            "spacing": style["letterSpacing"],
            "line": style["height"] * style["fontSize"] if "height" in style else None,
            "italic": style.get("fontStyle") == "FontStyle.italic",
            "case": None,
            "decoration": decorations[style.get("decoration", ".none").partition(".")[2]],
        }
    shadows = {}
    for name, layers in library.values("EffectStylesTokens", {}).items():
        shadows[name] = []
        for _, layer in layers:
            argb, (_, x, y) = layer["color"][1], layer["offset"]
            channels = (argb >> 16 & 255, argb >> 8 & 255, argb & 255, argb >> 24)
            shadows[name].append((*channels, x, y, layer["blurRadius"], layer["spreadRadius"], False))
    drawn = {name: layers for name, layers in expected[1].items() if not any(layer[-1] for layer in layers)}
    assert drawn
    assert_equal((texts, shadows), (expected[0], drawn), case=lambda _: None)


SWIFT = """import SwiftUI

func show(_ name: String, _ style: TokenTextStyle) {
    let textCase = style.textCase.map { $0 == .uppercase ? "uppercase" : "lowercase" } ?? "none"
    let decoration = style.isUnderlined ? "underline" : style.isStruckThrough ? "line-through" : "none"
    let line = style.lineHeight.map { "\\($0 * style.size)" } ?? "null"
    print("{\\"\\(name)\\": {\\"family\\": \\"\\(style.families[0])\\", \\"size\\": \\(style.size), ", terminator: "")
    print("\\"weight\\": \\(style.weight), \\"spacing\\": \\(style.letterSpacing), ", terminator: "")
    print("\\"line\\": \\(line), ", terminator: "")
    print("\\"italic\\": \\(style.isItalic), \\"case\\": \\"\\(textCase)\\", \\"decoration\\": \\"\\(decoration)\\"}}")
}

func show(_ name: String, _ shadow: TokenShadow) {
    let layers = shadow.layers.map { "[\\($0.color), \\($0.x), \\($0.y), \\($0.blur), \\($0.spread), \\($0.isInset)]" }
    print("{\\"\\(name)\\": [\\(layers.joined(separator: ", "))]}")
}

"""


def test_ios(built, expected, swift_app):
    """SwiftUI has no titles among its cases."""
    files = {path.name: path.read_text(encoding="utf-8") for path in built["ios"].glob("*.swift")}
    main = SWIFT + "".join(f'show("{name}", Tokens.{name})\n' for names in expected for name in names)
    printed = swift_app({**files, "main.swift": main}, "-swift-version", "6")
    texts, shadows = read_lines(printed, expected, {})
    of_bytes = {
        name: [(*(round(channel * 255) for channel in color), *rest) for color, *rest in layers]
        for name, layers in shadows.items()
    }
    assert_equal((texts, of_bytes), expected, case=lambda case: "none" if case == "capitalize" else case)


def read_lines(printed, expected, missing):
    """Return the text styles and the layers of shadows that a program printed, an object a line."""
    values = {}
    for line in printed.splitlines():
        values |= json.loads(line)
    texts = {name: {**missing, **values[name]} for name in expected[0]}
    return texts, {name: [tuple(layer) for layer in values[name]] for name in expected[1]}
