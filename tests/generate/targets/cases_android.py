"""Cases of Android resources: single and combined qualifiers, brands as styles and as source sets, comments."""

import json

from generate.targets.composite_values import BLACK as GREY
from generate.targets.composite_values import VALUES, composite_of, px
from graphs import alias, collection, color, graph, key, token
from msgspec.structs import replace

from tokensync.generate.target import OutputRequest
from tokensync.project.configuration import typed_options
from tokensync.tokens import ComposedColor, Composite, DanglingAlias, Quantity, Theme, Token, TokenGraph

RED, BLUE, BLACK, WHITE = color("#ff0000"), color("#1f6feb"), color("#000000"), color("#ffffff")
TABLET = {"viewport/tablet": {"qualifier": "sw600dp"}, "viewport/desktop": {"qualifier": "sw840dp"}}


def qualifiers() -> TokenGraph:
    """A token that depends on two collections has a folder for both if neither single folder is correct."""
    scheme = collection("Scheme", "Light", "Dark")
    viewport = collection("Viewport", "Phone", "Tablet", "Desktop")
    language = collection("Language", "English", "Deutsch", "Österreich")
    return graph(
        scheme,
        viewport,
        language,
        token(scheme, "ink", BLACK, WHITE),
        token(scheme, "veil", ComposedColor(BLACK, alias("Viewport", "share")), ComposedColor(WHITE, 10.0)),
        token(viewport, "gap", 8, 12, 12, type="dimension"),
        token(viewport, "size", 14, 16, 18, type="dimension", scopes=("FONT_SIZE",)),
        token(viewport, "share", 40, 20, 20, type="number", scopes=("OPACITY",)),
        token(viewport, "panel", alias("Scheme", "ink"), alias("Scheme", "ink"), RED),
        token(language, "greeting", "Hello", "Hallo", "Servus", type="string"),
        token(language, "please", "Please", "Bitte", "Bitte", type="string"),
    )


def dark_by_default() -> TokenGraph:
    """The light counterpart of a dark default mode applies to devices without night mode."""
    scheme = collection("Scheme", "Dark", "Light")
    return graph(scheme, token(scheme, "ink", WHITE, BLACK), token(scheme, "accent", BLUE))


def brands() -> TokenGraph:
    """Two extensions of a collection, one of which extends the other, and a density that affects them."""
    scheme = collection("Scheme", "Light", "Dark", extensions=[("Brand B", "Scheme"), ("Brand B EU", "Brand B")])
    extensions = tuple(replace(each, default_mode=2 * at) for at, each in enumerate(scheme.extensions, 1))
    scheme = replace(scheme, extensions=extensions)
    density = collection("Density", "Cosy", "Dense")
    return graph(
        scheme,
        density,
        token(scheme, "accent", BLUE, WHITE, RED, None, None, BLACK, description="Filled buttons"),
        token(scheme, "text", BLACK, WHITE),
        token(scheme, "button", alias("Scheme", "accent"), alias("Scheme", "accent")),
        token(scheme, "veil", *[ComposedColor(alias("Scheme", "accent"), alias("Density", "share"))] * 2),
        token(scheme, "label", "", "Night", "B", type="string"),
        token(density, "gap", 8, 4, type="dimension"),
        token(density, "inset", alias("Density", "gap"), type="dimension"),
        token(density, "share", 50, 20, type="number", scopes=("OPACITY",)),
        token(density, "rule", True, False, type="boolean"),
        token(density, "weight", 400, 600, type="fontWeight"),
    )


def text_styles() -> TokenGraph:
    """Text styles that follow brands by their references, and some that cannot."""
    type_, base = collection("Type", "Plain", "Fancy"), collection("Base")
    style = {**VALUES["typography"], "letterSpacing": {"value": 0, "unit": "px"}}
    parts = {"fontSize": "{type.size}", "fontWeight": "{type.weight}", "lineHeight": "{type.line}"}
    targets = tuple((text, key("Type", name)) for text, name in (*_PARTS, ("{type.spacing}", "spacing")))
    spaced = parts | {"letterSpacing": "{type.spacing}"}
    return graph(
        type_,
        base,
        token(type_, "size", 16, 20, type="dimension", scopes=("FONT_SIZE",)),
        token(type_, "weight", 400, 700, type="fontWeight"),
        token(type_, "line", 24, 32, type="dimension", scopes=("LINE_HEIGHT",)),
        token(type_, "spacing", 1, 2, type="dimension", scopes=("LETTER_SPACING",)),
        token(base, "body", Composite(json.dumps(style | parts), targets[:3]), type="typography"),
        token(base, "copy", alias("Base", "body"), type="typography"),
        token(base, "spaced", Composite(json.dumps(style | spaced), targets), type="typography"),
    )


def letter_spacings() -> TokenGraph:
    """Letter spacings of styles with one size, also by way of an alias; of two sizes, of a size with modes, of none."""
    density, base = collection("Density", "Cosy", "Dense"), collection("Base")
    spacing = {"type": "dimension", "scopes": ("LETTER_SPACING",)}

    def style(name: str, spacing: str, size: object) -> Token:
        parts = {"letterSpacing": "{spacing}", "fontSize": size}
        targets = (("{spacing}", key("Base", spacing)), ("{size}", key("Density", "size")))
        value = Composite(json.dumps({**VALUES["typography"], **parts}), targets[: 1 + (size == "{size}")])
        return token(base, name, value, type="typography")

    return graph(
        density,
        base,
        token(density, "size", 16, 14, type="dimension", scopes=("FONT_SIZE",)),
        token(base, "primitive", -0.2, **spacing),
        token(base, "tight", alias("Base", "primitive"), **spacing),
        token(base, "two sizes", 0.4, **spacing),
        token(base, "dense", 0.4, **spacing),
        token(base, "unused", 0.4, **spacing),
        token(base, "also a gap", 0.4, type="dimension"),
        style("body", "tight", px(16)),
        style("strong", "tight", {"value": 1, "unit": "rem"}),
        style("label", "two sizes", px(12)),
        style("title", "two sizes", px(20)),
        style("text", "dense", "{size}"),
        style("wide", "also a gap", px(16)),
    )


def elevations() -> TokenGraph:
    """The shadows of Material's design files, others of one and several layers, and those that raise nothing."""
    scheme = collection("Scheme", "Light", "Dark")
    levels = {
        f"level/{at}": [_layer(*one), _layer(*other)]
        for at, (one, other) in enumerate(
            [
                ((1, 2, 0), (1, 3, 1)),
                ((1, 2, 0), (2, 6, 2)),
                ((4, 8, 3), (1, 3, 0)),
                ((2, 3, 0), (6, 10, 4)),
                ((4, 4, 0), (8, 12, 6)),
            ],
            1,
        )
    }
    card, ring, well = [_layer(4, 6, -1), _layer(10, 15, -3)], [_layer(0, 0, 3)], [_layer(2, 4, 0, inset=True)]
    return graph(
        scheme,
        *(token(scheme, name, composite_of(layers), type="shadow") for name, layers in levels.items()),
        token(scheme, "card", composite_of(card), composite_of([_layer(2.5, 4, 0)]), type="shadow"),
        token(scheme, "menu", alias("Scheme", "card"), type="shadow"),
        token(scheme, "bar", composite_of([_layer(-4, 8, 0)]), type="shadow"),
        token(scheme, "ring", composite_of(ring), type="shadow"),
        token(scheme, "well", composite_of(well), type="shadow"),
    )


def _layer(offset: float, blur: float, spread: float, *, inset: bool = False) -> dict[str, object]:
    lengths = {"offsetX": px(0), "offsetY": px(offset), "blur": px(blur), "spread": px(spread)}
    return {"color": GREY, **lengths, "inset": inset}


_PARTS = (("{type.size}", "size"), ("{type.weight}", "weight"), ("{type.line}", "line"))


def no_default() -> TokenGraph:
    """Tokens with dangling references in their default mode, so that values in other modes have no default."""
    scheme = collection("Scheme", "Light", "Dark", "Brand B")
    viewport = collection("Viewport", "Phone", "Tablet")
    language = collection("Language", "English", "Deutsch")
    button = collection("Button")
    gone = DanglingAlias("VariableID:a918c578/6:0")
    body = {**VALUES["typography"], "fontSize": {"value": 16, "unit": "px"}}
    return graph(
        scheme,
        viewport,
        language,
        button,
        token(scheme, "background", gone, WHITE, RED),
        token(scheme, "text", BLACK, alias("Scheme", "background"), alias("Scheme", "accent")),
        token(scheme, "accent", gone, gone, RED),
        token(scheme, "border", BLACK, WHITE),
        token(viewport, "gap", 8, alias("Viewport", "wide"), type="dimension"),
        token(viewport, "wide", None, 12, type="dimension"),
        token(viewport, "heading", gone, composite_of(body), type="typography"),
        token(viewport, "body", composite_of(body), type="typography"),
        token(language, "greeting", gone, "Hallo", type="string"),
        token(language, "welcome", "Welcome", "Willkommen", type="string"),
        token(button, "fill", alias("Scheme", "background")),
        token(button, "nowhere", gone),
    )


def described() -> TokenGraph:
    """Descriptions that could end a comment, in the XML or in the class R."""
    of = collection("Base")
    return graph(
        of,
        token(of, "plain", RED, description="The brand's main colour."),
        token(of, "lines", RED, description="First line.\r\n\r\nThird line.\u2028Fourth."),
        token(of, "end", RED, description="Ends --> here, --- or */ there; <b>bold</b> & \\u000a -"),
        token(of, "order", RED, description="@SystemApi @deprecated mail a@b.c"),
        token(of, "turned", RED, description="a\u202eb\x01c\ud800"),
        token(of, "old", RED, deprecated=True),
        token(of, "older", RED, description="Grey.", deprecated="Use `plain`."),
        token(of, "blank", RED, description=" \n "),
    )


def layout() -> TokenGraph:
    """One file per collection, with a unique name."""
    styles, base = collection("Styles"), collection("Base")
    return graph(
        styles,
        base,
        token(styles, "accent", BLUE),
        token(styles, "gap", 8, type="dimension"),
        token(base, "size", 16, type="dimension", scopes=("FONT_SIZE",)),
        token(base, "wait", Quantity(200.0, "ms"), type="duration"),
    )


def _case(
    token_graph: TokenGraph, configured: tuple[Theme, ...] = (), **options: object
) -> tuple[TokenGraph, OutputRequest]:
    return token_graph, OutputRequest(platform="android", themes=configured, options=typed_options("android", options))


NO_DEFAULT_THEMES = {"viewport/tablet": {"qualifier": "sw600dp"}, "language/deutsch": {"qualifier": "de"}}
_LANGUAGES = {"language/deutsch": {"qualifier": "de"}, "language/österreich": {"qualifier": "de-rAT"}}
_CONFIGURED = (
    Theme("day", ()),
    Theme("night", ((("design", "scheme"), 1),)),
    Theme("brand b", ((("design", "scheme"), 2),)),
    Theme("brand b, dark", ((("design", "scheme"), 3),)),
    Theme("tablet", ((("design", "density"), 1),)),
)
_THEMES = {
    "brand b": {"brand": "Brand B"},
    "brand b, dark": {"brand": "Brand B", "qualifier": "night"},
    "tablet": {"qualifier": "sw600dp"},
    "nowhere": {"qualifier": "land"},
}

CASES = {
    "android/qualifiers": _case(qualifiers(), themes=TABLET | _LANGUAGES),
    "android/dark-by-default": _case(dark_by_default()),
    "android/styles": _case(brands(), brands="styles"),
    "android/source-sets": _case(brands(), brands="source-sets"),
    "android/configured-themes": _case(
        brands(), _CONFIGURED, brands="styles", styles="Theme", style_parent="android:Theme.Material", themes=_THEMES
    ),
    "android/no-default": _case(no_default(), brands="styles", themes=NO_DEFAULT_THEMES),
    "android/text-styles-of-brands": _case(text_styles(), brands="styles"),
    "android/letter-spacings": _case(letter_spacings(), brands="styles"),
    "android/elevations": _case(elevations(), shadows="elevation"),
    "android/described": _case(described()),
    "android/layout": _case(layout(), layout="collections", text="dp", lint_ignore=["UnusedResources"]),
}
