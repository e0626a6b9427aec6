"""Cases of composite tokens: every type, and their references."""

from generate.targets.composite_values import CURVE, DASHES, LAYER, VALUES, composite_of, ms, px
from graphs import alias, collection, color, graph, key, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets.android import AndroidOptions
from tokensync.generate.targets.compose import ComposeOptions
from tokensync.generate.targets.css import CssOptions
from tokensync.generate.targets.ios import IosOptions
from tokensync.generate.targets.typescript import TypescriptOptions
from tokensync.settings import FaceConfig, FontConfig
from tokensync.tokens import Composite, DanglingAlias, Quantity, TokenGraph
from tokensync.tokens.composites import canonical

BLACK, WHITE = color("#000000"), color("#ffffff")


def referring(value: object, **ends: str) -> Composite:
    """Return a composite in which ``{name}`` refers to the token with the collection and name in ``ends``."""
    text = canonical(value)
    pairs = [(f"{{{name}}}", key(*end.split(": "))) for name, end in ends.items()]
    return Composite(text, tuple(sorted(pairs, key=lambda each: text.index(each[0]))))


def composites() -> TokenGraph:
    """Every type with literals: layers, clamped positions, negative delays, dashes, a single stop."""
    of = collection("Style")
    return graph(
        of,
        *(token(of, name, composite_of(value), type=name) for name, value in VALUES.items()),
        token(of, "edge dashed", composite_of({**VALUES["border"], "style": DASHES}), type="border"),
        token(of, "one stop", composite_of(VALUES["gradient"][:1]), type="gradient"),
        token(of, "line", composite_of("groove"), type="strokeStyle"),
        token(of, "again", alias("Style", "typography"), type="typography"),
        token(of, "not one", composite_of({**LAYER, "blur": px(-1)}), type="shadow"),
    )


def composite_references() -> TokenGraph:
    """References within composites to tokens with the same notation are written, and vary with their mode."""
    style = collection("Style")
    scheme = collection("Scheme", "Light", "Dark")
    library = collection("Library", origin="remote")
    low = {**LAYER, "color": "{ink}", "blur": "{four}", "spread": "{count}"}
    return graph(
        style,
        scheme,
        library,
        token(scheme, "ink", BLACK, WHITE),
        token(style, "four", 4, type="dimension"),
        token(style, "count", 2, type="number"),
        token(style, "bold", 700, type="fontWeight"),
        token(style, "sans", Composite('["Inter","sans-serif"]'), type="fontFamily"),
        token(style, "quick", Quantity(120.0, "ms"), type="duration"),
        token(style, "curve", composite_of(CURVE), type="cubicBezier"),
        token(style, "dashes", composite_of(DASHES), type="strokeStyle"),
        token(library, "far", color("#ff0000")),
        token(style, "gone", DanglingAlias("VariableID:9:9")),
        token(style, "low", referring(low, ink="Scheme: ink", four="Style: four", count="Style: count"), type="shadow"),
        token(style, "high", referring([LAYER, "{low}"], low="Style: low"), type="shadow"),
        token(style, "card", alias("Style", "low"), type="shadow"),
        token(
            style,
            "edge",
            referring(
                {"color": "{far}", "width": px(1), "style": "{dashes}"}, far="Library: far", dashes="Style: dashes"
            ),
            type="border",
        ),
        token(
            style,
            "text",
            referring(
                {**VALUES["typography"], "fontFamily": "{sans}", "fontSize": "{four}", "fontWeight": "{bold}"},
                sans="Style: sans",
                four="Style: four",
                bold="Style: bold",
            ),
            type="typography",
        ),
        token(
            style,
            "fade",
            referring(
                {"duration": "{quick}", "delay": ms(0), "timingFunction": "{curve}"},
                quick="Style: quick",
                curve="Style: curve",
            ),
            type="transition",
        ),
        token(style, "lost", referring([{"color": "{gone}", "position": 0}], gone="Style: gone"), type="gradient"),
    )


def part_names() -> TokenGraph:
    """A part of a text style that has the name of another token is omitted."""
    of = collection("Style")
    return graph(
        of,
        token(of, "body", composite_of(VALUES["typography"]), type="typography"),
        token(of, "body/font size", 20, type="dimension"),
    )


def styled() -> TokenGraph:
    """Text styles with fonts of a map, as a design file has them."""
    of = collection("Text")
    body = {**VALUES["typography"], "fontFamily": ["Inter"], "lineHeight": px(24)}
    return graph(
        of,
        token(of, "body", composite_of(body), type="typography"),
        token(of, "body/strong", composite_of({**body, "fontWeight": 700, "fontStyle": "italic"}), type="typography"),
        token(of, "body/caps", composite_of({**body, "textCase": "uppercase"}), type="typography"),
        token(
            of,
            "code",
            composite_of({**body, "fontFamily": ["Source Code Pro"], "textDecoration": "underline"}),
            type="typography",
        ),
        token(of, "label/small", composite_of({"fontFamily": ["SF Pro"], "fontSize": px(11)}), type="typography"),
    )


APP_FONTS = (
    FontConfig(
        family="Inter",
        stack=("Inter", "sans-serif"),
        faces=(
            FaceConfig(weight=400, file="Inter-Regular.ttf", postscript="Inter-Regular"),
            FaceConfig(weight=600, file="inter/Inter-SemiBold.otf", postscript="Inter-SemiBold"),
            FaceConfig(weight=700, italic=True, file="Inter-BoldItalic.ttf", postscript="Inter-BoldItalic"),
            FaceConfig(weight=400, italic=True, file="Inter-Italic.woff2"),
        ),
    ),
    FontConfig(
        family="Source Code Pro",
        stack=("Source Code Pro", "monospace"),
        faces=(FaceConfig(file="SourceCodePro-VF.ttf", postscript="SourceCodeVF"),),
    ),
)


def text_styles() -> TokenGraph:
    """Line heights that are lengths and vary with a mode, an italic style, and one without weight and line height."""
    density = collection("Density", "Cosy", "Dense")
    style = collection("Style")
    body = {**VALUES["typography"], "fontFamily": "{family}", "fontSize": "{size}", "lineHeight": "{height}"}
    italic = {"lineHeight": px(20), "fontStyle": "italic", "textCase": "uppercase", "textDecoration": "underline"}
    plain = {"fontFamily": "Inter", "fontSize": px(13), "letterSpacing": px(0)}
    ends = {"family": "Density: font/inter", "size": "Density: text/body/size", "height": "Density: text/body/height"}
    return graph(
        density,
        style,
        token(density, "font/inter", "Inter", type="fontFamily"),
        token(density, "text/body/size", 16, 14, type="dimension", scopes=("FONT_SIZE",)),
        token(density, "text/body/height", 24, 18, type="dimension", scopes=("LINE_HEIGHT",)),
        token(density, "text/body/spacing", 0.5, type="dimension", scopes=("LETTER_SPACING",)),
        token(density, "text/body/weight", 450, type="fontWeight"),
        token(style, "body", referring(body, **ends), type="typography"),
        token(style, "slanted", composite_of({**VALUES["typography"], **italic}), type="typography"),
        token(style, "2 plain", composite_of(plain), type="typography"),
    )


FONTS = (FontConfig(family="Inter", stack=("Inter", "system-ui", "sans-serif")),)
CASES = {
    "css/classes": (
        text_styles(),
        OutputRequest(platform="css", fonts=FONTS, options=CssOptions(classes="font")),
    ),
    "css/property-classes": (
        text_styles(),
        OutputRequest(platform="css", options=CssOptions(classes="properties", split="collection")),
    ),
    **{
        f"{target}/text-styles": (text_styles(), OutputRequest(platform=target, fonts=FONTS))
        for target in ("scss", "tailwind", "typescript", "json", "android", "compose")
    },
    "typescript/objects": (
        composites(),
        OutputRequest(platform="typescript", options=TypescriptOptions(composites="object")),
    ),
    "typescript/objects-of-numbers": (
        composites(),
        OutputRequest(
            platform="typescript",
            options=TypescriptOptions(composites="object", dimensions="number", durations="number", colors="hex"),
        ),
    ),
    "react-native/composites": (composites(), OutputRequest(platform="react-native")),
    "react-native/text-styles": (text_styles(), OutputRequest(platform="react-native")),
    "react-native/fonts": (styled(), OutputRequest(platform="react-native", fonts=APP_FONTS)),
    "css/composites": (composites(), OutputRequest(platform="css")),
    "css/composite-references": (composite_references(), OutputRequest(platform="css")),
    "android/composites": (composites(), OutputRequest(platform="android")),
    "android/composite-references": (composite_references(), OutputRequest(platform="android")),
    "ios/composites": (composites(), OutputRequest(platform="ios")),
    "ios/composite-references": (composite_references(), OutputRequest(platform="ios")),
    "ios/composites-in-themes": (
        composite_references(),
        OutputRequest(platform="ios", options=IosOptions(also=("themes",))),
    ),
    "android/fonts": (
        styled(),
        OutputRequest(platform="android", fonts=APP_FONTS, options=AndroidOptions(line_height="material")),
    ),
    "compose/fonts": (
        styled(),
        OutputRequest(platform="compose", fonts=APP_FONTS, options=ComposeOptions(resources="com.acme.app")),
    ),
    "compose/modifiers": (
        composites(),
        OutputRequest(platform="compose", options=ComposeOptions(package="com.acme", modifiers=True)),
    ),
    "compose/types": (composites(), OutputRequest(platform="compose", options=ComposeOptions(types="com.acme"))),
    "ios/text-styles": (text_styles(), OutputRequest(platform="ios", options=IosOptions(also=("themes",)))),
    "ios/fonts": (styled(), OutputRequest(platform="ios", fonts=APP_FONTS)),
    "css/composite-part-names": (part_names(), OutputRequest(platform="css")),
}
