"""The graphs of tests/generate/targets/css/goldens: the choice of themes, the notation of values, and the files."""

from generate.targets.composite_values import VALUES, composite_of, px
from graphs import alias, collection, color, graph, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets.css import CssOptions, CssTheme
from tokensync.generate.targets.scss import ScssOptions
from tokensync.generate.targets.typescript import TypescriptOptions
from tokensync.tokens import ComposedColor, Composite, Quantity, TokenGraph
from tokensync.tokens.composites import canonical

RED, BLUE, BLACK, WHITE = color("#ff0000"), color("#1f6feb"), color("#000000"), color("#ffffff")


def media() -> TokenGraph:
    """Light and dark in every contrast, and a reference that is declared again with its target."""
    scheme = collection("Scheme", "Light", "Dark", "Light high contrast", "Dark high contrast")
    return graph(
        scheme,
        token(scheme, "text", color("#222222"), color("#dddddd"), BLACK, WHITE),
        token(scheme, "line", color("#cccccc"), color("#333333"), BLACK, color("#333333")),
        token(scheme, "accent", BLUE),
        token(scheme, "link", alias("Scheme", "accent"), alias("Scheme", "accent"), alias("Scheme", "text"), WHITE),
        token(scheme, "visited", alias("Scheme", "link")),
    )


def pairs() -> TokenGraph:
    """Two brands and two schemes: `fill` depends on both, `ghost` on the brand only in dark mode, `gap` on neither."""
    brand, scheme = collection("Brand", "One", "Two"), collection("Scheme", "Light", "Dark")
    return graph(
        brand,
        scheme,
        token(brand, "main", RED, BLUE),
        token(brand, "deep", color("#880000"), color("#000088")),
        token(brand, "gap", 4, 8, type="dimension"),
        token(scheme, "fill", alias("Brand", "main"), alias("Brand", "deep")),
        token(scheme, "ghost", WHITE, alias("Brand", "main")),
        token(scheme, "text", BLACK, WHITE),
    )


def brand() -> TokenGraph:
    """A brand that extends a scheme, and a token that depends on two families with dark modes."""
    scheme = collection("Scheme", "Light", "Dark", extensions=[("Brand", "Scheme")])
    chart = collection("Chart", "Day", "Night")
    return graph(
        scheme,
        chart,
        token(scheme, "accent", BLUE, WHITE, RED),
        token(scheme, "text", BLACK, WHITE),
        token(chart, "line", alias("Scheme", "accent"), alias("Scheme", "text")),
        token(chart, "grid", color("#eeeeee"), color("#111111")),
    )


def mixed() -> TokenGraph:
    """Colours with an opacity: of references, of a reference and a number, and with an opacity of 0."""
    scheme = collection("Scheme", "Light", "Dark")
    return graph(
        scheme,
        token(scheme, "ink", color("#222222"), color("#eeeeee", 0.5)),
        token(scheme, "share", 48, 12.5, type="number", scopes=("OPACITY",)),
        token(scheme, "points", 30, type="number"),
        token(scheme, "of two", ComposedColor(alias("Scheme", "ink"), alias("Scheme", "share"))),
        token(scheme, "of points", ComposedColor(alias("Scheme", "ink"), alias("Scheme", "points"))),
        token(scheme, "veil", ComposedColor(alias("Scheme", "ink"), 50.0), ComposedColor(alias("Scheme", "ink"), 0.0)),
        token(scheme, "plain", ComposedColor(BLUE, alias("Scheme", "share")), RED),
        token(scheme, "over veil", alias("Scheme", "veil")),
    )


def measured() -> TokenGraph:
    """Lengths, numbers and colours for options of their notation."""
    base = collection("Base")
    return graph(
        base,
        token(base, "none", 0, type="dimension"),
        token(base, "hair", 1, type="dimension"),
        token(base, "odd", 13.5, type="dimension"),
        token(base, "body", 16, type="dimension", scopes=("FONT_SIZE",)),
        token(base, "heading", Quantity(2.25, "rem"), type="dimension"),
        token(base, "same", alias("Base", "body"), type="dimension"),
        token(base, "ratio", 1.5, type="number"),
        token(base, "wait", Quantity(200.0, "ms"), type="duration"),
        token(base, "shown", True, type="boolean"),
        token(base, "name", "Inter", type="fontFamily"),
        token(base, "accent", BLUE),
        token(base, "sheer", color("#1f6feb", 0.48)),
        token(base, "grey", color("#808080")),
        token(base, "veil", ComposedColor(alias("Base", "accent"), 50.0)),
    )


def lengths() -> TokenGraph:
    """Lengths of different scopes and groups, references between them, and those in composite values."""
    base = collection("Base", "Cosy", "Dense")
    text = Composite(canonical({**VALUES["typography"], "fontSize": px(16), "lineHeight": px(24)}), ())
    border = Composite(canonical({**VALUES["border"], "width": px(2)}), ())
    return graph(
        base,
        token(base, "size/none", 0, type="dimension"),
        token(base, "size/hair", 1, type="dimension"),
        token(base, "size/16", 16, 12, type="dimension"),
        token(base, "ring", 3, type="dimension", scopes=("STROKE_FLOAT",)),
        token(base, "edge", alias("Base", "size/16"), type="dimension", scopes=("STROKE_FLOAT",)),
        token(base, "gap", alias("Base", "size/16"), alias("Base", "ring"), type="dimension", scopes=("GAP",)),
        token(base, "gutter", 24, 20, type="dimension", scopes=("GAP", "WIDTH_HEIGHT")),
        token(base, "rule", 4, type="dimension", scopes=("GAP", "STROKE_FLOAT")),
        token(base, "tracking", 2.5, type="dimension", scopes=("LETTER_SPACING",)),
        token(base, "icon/size", 20, type="dimension", scopes=("WIDTH_HEIGHT",)),
        token(base, "body", text, type="typography"),
        token(base, "line", border, type="border"),
        token(base, "lift", composite_of(VALUES["shadow"]), type="shadow"),
    )


IN_REM = TypescriptOptions(dimensions="rem", css_variables=False)
BY_SCOPE = {"default": "rem", "STROKE_FLOAT": "px", "icon/*": "px"}


def vivid() -> TokenGraph:
    """Colours in Display P3: some are within sRGB, and one is so in one mode only."""
    scheme = collection("Scheme", "Light", "Dark")
    return graph(
        scheme,
        token(scheme, "grey", color("#808080")),
        token(scheme, "lime", color("#00ff00", 0.5)),
        token(scheme, "accent", RED, color("#aa5555")),
        token(scheme, "link", alias("Scheme", "accent")),
        token(scheme, "veil", ComposedColor(alias("Scheme", "accent"), 50.0)),
    )


def widths() -> TokenGraph:
    """Modes that are not system appearances, and a scheme."""
    width = collection("Width", "Narrow", "Wide", "Vast")
    scheme = collection("Scheme", "Light", "Dark", "Dim")
    return graph(
        width,
        scheme,
        token(width, "gutter", 8, 16, 32, type="dimension"),
        token(width, "page", alias("Scheme", "paper"), alias("Scheme", "ink"), alias("Scheme", "paper")),
        token(scheme, "paper", WHITE, BLACK, color("#444444")),
        token(scheme, "ink", BLACK, WHITE, color("#cccccc")),
    )


OVERRIDES = CssOptions(
    root=":root, :host",
    attribute="data-ds-{axis}",
    themes={
        "scheme/light": CssTheme(selector=".light"),
        "scheme/dark": CssTheme(selector=".dark, .night", media=False),
        "scheme/dim": CssTheme(selector=".dim", media="(prefers-color-scheme: dark)"),
        "width/wide": CssTheme(media="(width >= 600px)"),
        "width/vast": CssTheme(media="(width >= 1200px)"),
        "width/huge": CssTheme(media=False),
    },
)


def _css(token_graph: TokenGraph, **options: object) -> tuple[TokenGraph, OutputRequest]:
    return token_graph, OutputRequest(platform="css", options=CssOptions(**options))  # type: ignore[arg-type]


CASES = {
    "css/pairs": _css(pairs()),
    "css/media": _css(media()),
    "css/brand": _css(brand()),
    "css/color-mix": _css(mixed()),
    "css/literals-of-composed": _css(mixed(), composed="literal"),
    "css/light-dark": _css(media(), light_dark=True),
    "css/light-dark-pairs": _css(pairs(), light_dark=True),
    "css/layer": _css(pairs(), layer="design.tokens"),
    "css/property": _css(measured(), property=True),
    "css/rgb": _css(measured(), colors="rgb"),
    "css/oklch": _css(measured(), colors="oklch"),
    "css/p3": _css(vivid(), profile="display-p3"),
    "css/p3-oklch": _css(vivid(), profile="display-p3", colors="oklch"),
    "css/rem": _css(measured(), dimensions="rem", base=10.0),
    "css/composite-lengths": _css(lengths(), dimensions="rem"),
    "css/composite-lengths-by-scope": _css(lengths(), dimensions=BY_SCOPE),
    "typescript/lengths": (lengths(), OutputRequest(platform="typescript", options=IN_REM)),
    "scss/lengths-by-scope": (lengths(), OutputRequest(platform="scss", options=ScssOptions(dimensions=BY_SCOPE))),
    "css/split-collection": _css(pairs(), split="collection"),
    "css/split-theme": _css(pairs(), split="theme"),
    "css/minify": _css(pairs(), minify=True, layer="tokens", property=True),
    "css/overrides": (widths(), OutputRequest(platform="css", options=OVERRIDES)),
}
