"""Cases of the targets that look values up by the names of tokens and themes: typescript, json, scss, tailwind."""

from generate.targets.cases_composites import referring
from generate.targets.composite_values import LAYER, VALUES, composite_of, px
from graphs import alias, collection, color, graph, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets.css import CssTheme
from tokensync.generate.targets.json import JsonOptions
from tokensync.generate.targets.react_native import ReactNativeOptions
from tokensync.generate.targets.scss import ScssOptions
from tokensync.generate.targets.tailwind import TailwindOptions
from tokensync.generate.targets.typescript import TypescriptOptions
from tokensync.tokens import ComposedColor, DanglingAlias, Quantity, Theme, TokenGraph
from tokensync.tokens.composites import canonical
from tokensync.tokens.values import Composite

RED, BLUE, BLACK, WHITE = color("#ff0000"), color("#1f6feb"), color("#000000"), color("#ffffff")
HALF_ACCENT = ComposedColor(alias("Brand", "accent"), 50.0)


def nested() -> TokenGraph:
    """Groups that are tokens, too, before and after them; equal paths of two collections; numbers and odd names."""
    theme, base = collection("Theme", "Light", "Dark"), collection("Base")
    paths = ("accent", "accent/hover", "text/muted", "text", "Big Size/2xl", "__proto__/a", "größe/色", "same/name")
    return graph(
        theme,
        *(token(theme, path, BLACK, WHITE if path == "accent" else BLACK) for path in paths),
        base,
        token(base, "same/Name", 4, type="number"),
        token(base, "size/100", 4, type="dimension"),
    )


def combined() -> TokenGraph:
    """Two axes that affect one token, so that the combination of both choices has its own value."""
    scheme = collection("Scheme", "Light", "Dark")
    brand = collection("Brand", "Harbor", "Island")
    return graph(
        scheme,
        brand,
        token(brand, "accent", BLUE, RED),
        token(brand, "ink", BLACK, alias("Scheme", "text")),
        token(scheme, "text", BLACK, WHITE),
        token(scheme, "link", alias("Brand", "accent"), WHITE),
        token(
            scheme,
            "veil",
            ComposedColor(alias("Brand", "accent"), 50.0),
            ComposedColor(WHITE, alias("Scheme", "share")),
        ),
        token(scheme, "share", 40, 20, type="number", scopes=("OPACITY",)),
    )


def described() -> TokenGraph:
    """Descriptions and deprecations, some of which would end a comment or be a tag in it."""
    of = collection("Base")
    return graph(
        of,
        token(of, "plain", RED, description="The brand's main colour."),
        token(of, "lines", RED, description="First line.\r\n\r\nThird line.\u2028Fourth, @see nothing.\n@type {x}"),
        token(of, "end", RED, description="Ends */ here /* and // there\t#{$x} {{ y }}"),
        token(of, "old", RED, deprecated=True),
        token(of, "older", RED, description="Grey.", deprecated="Use `plain`. */\n@internal"),
        token(of, "blank", RED, description=" \n "),
    )


def absent() -> TokenGraph:
    """A token with a value in one mode only, and one without any value."""
    scheme = collection("Scheme", "Light", "Dark")
    return graph(
        scheme,
        token(scheme, "ink", BLACK, WHITE),
        token(scheme, "only at night", DanglingAlias("VariableID:1:1"), WHITE),
        token(scheme, "not at night", WHITE, DanglingAlias("VariableID:1:1")),
        token(scheme, "never", DanglingAlias("VariableID:1:1")),
    )


def composites() -> TokenGraph:
    """A token of every composite type, and an alias to one."""
    of = collection("Base")
    several = [token(of, f"a {type_}", Composite(canonical(value)), type=type_) for type_, value in VALUES.items()]
    return graph(of, *several, token(of, "again", alias("Base", "a shadow"), type="shadow"))


def measures() -> TokenGraph:
    """Colours, lengths and durations for options of their notation."""
    of = collection("Base")
    return graph(
        of,
        token(of, "opaque", BLUE),
        token(of, "sheer", color("#1f6feb", 0.48)),
        token(of, "space", 4, type="dimension"),
        token(of, "root", Quantity(1.5, "rem"), type="dimension"),
        token(of, "wait", Quantity(200.0, "ms"), type="duration"),
        token(of, "long wait", Quantity(1.5, "s"), type="duration"),
        token(of, "style", Composite(canonical(VALUES["typography"])), type="typography"),
    )


def namespaces() -> TokenGraph:
    """Names of variables by type, scopes and name, without repeated namespaces and with unique names."""
    of = collection("Base")
    lengths = {
        "space/sm": ("GAP",),
        "spacing/sm": (),
        "Gap 2": (),
        "icon": ("WIDTH_HEIGHT",),
        "border-radius/card": (),
        "corner": ("CORNER_RADIUS",),
        "font size/body": ("FONT_SIZE",),
        "leading/body": ("LINE_HEIGHT",),
        "letter spacing/wide": (),
        "hairline": ("STROKE_FLOAT",),
        "screen/md": ("WIDTH_HEIGHT",),
        "container/page": (),
        "glow": ("EFFECT_FLOAT",),
        "radius": ("CORNER_RADIUS",),
    }
    return graph(
        of,
        token(of, "color/accent", BLUE),
        token(of, "text/muted", alias("Base", "color/accent")),
        token(of, "color", BLACK),
        *(token(of, name, 4, type="dimension", scopes=scopes) for name, scopes in lengths.items()),
        token(of, "breakpoint/lg", alias("Base", "icon"), type="dimension"),
        token(of, "font/body", "Inter, sans-serif", type="fontFamily"),
        token(of, "weight/bold", 700, type="fontWeight"),
        token(of, "opacity/tint", 48, type="number", scopes=("OPACITY",)),
        token(of, "line height/tight", 1.2, type="number", scopes=("LINE_HEIGHT",)),
        token(of, "ratio", 1.5, type="number"),
        token(of, "duration/quick", Quantity(200.0, "ms"), type="duration"),
        token(of, "label", "Hello", type="string"),
        token(of, "enabled", True, type="boolean"),
    )


def conditions() -> TokenGraph:
    """Breakpoints and containers: some in pixels, one that a theme changes, two that Tailwind cannot sort."""
    viewport = collection("Viewport", "Phone", "Desktop")
    lengths = {
        "breakpoint/md": (700,),
        "breakpoint/wide": (Quantity(1012.0, "px"),),
        "breakpoint/root": (Quantity(30.0, "rem"),),
        "breakpoint/varied": (900, 1000),
        "breakpoint/tablet": (780,),
        "screen/tablet wide": (770,),
        "breakpoint/again": (alias("Viewport", "breakpoint/md"),),
        "panel": (alias("Viewport", "breakpoint/md"),),
        "container/narrow": (400, 500),
        "container/of panel": (alias("Viewport", "panel"),),
    }
    return graph(viewport, *(token(viewport, name, *values, type="dimension") for name, values in lengths.items()))


def shadows() -> TokenGraph:
    """Shadows that a theme changes, that refer to tokens that it changes, and that it does not affect."""
    scheme = collection("Scheme", "Light", "Dark")
    low, high = composite_of({**LAYER, "blur": px(4)}), composite_of({**LAYER, "blur": px(20)})
    toned = referring({**LAYER, "color": "{ink}"}, ink="Scheme: ink")
    values = {
        "elevation": (low, high),
        "shadow/card": (low, high),
        "steady": (low,),
        "toned": (toned,),
        "again": (alias("Scheme", "elevation"),),
        "turned": (low, alias("Scheme", "elevation")),
        "only dark": (DanglingAlias("VariableID:1:1"), high),
    }
    return graph(
        scheme,
        token(scheme, "ink", BLACK, WHITE),
        *(token(scheme, name, *several, type="shadow") for name, several in values.items()),
        token(scheme, "shadow/card/value", "taken", type="string"),
    )


def prefixed() -> TokenGraph:
    """Tailwind's prefix is in every reference and block, but not in ``@theme``; a theme has a configured selector."""
    scheme = collection("Scheme", "Light", "Dark")
    return graph(
        scheme,
        token(scheme, "ink", BLACK, WHITE),
        token(scheme, "text", alias("Scheme", "ink")),
        token(scheme, "dark", False, True, type="boolean"),
    )


def odd_themes() -> TokenGraph:
    """Themes whose names are difficult as keys."""
    scheme = collection("Scheme", "Light", "Dark")
    return graph(scheme, token(scheme, "ink", BLACK, WHITE), token(scheme, "constructor", RED))


def order() -> TokenGraph:
    """Forward and backward references, and references in a theme that changes their targets."""
    scheme = collection("Scheme", "Light", "Dark")
    return graph(
        scheme,
        token(scheme, "forward", alias("Scheme", "grey")),
        token(scheme, "grey", color("#888888")),
        token(scheme, "backward", alias("Scheme", "grey")),
        token(scheme, "ink", BLACK, WHITE),
        token(scheme, "text", alias("Scheme", "ink")),
        token(scheme, "link", alias("Scheme", "ink"), alias("Scheme", "grey")),
        token(scheme, "tokens", alias("Scheme", "grey")),
        token(scheme, "family", "Inter, sans-serif", "Inter, \\#{$ink}", type="fontFamily"),
    )


_DARK = ((("design", "scheme"), 1),)
ODD_THEMES = (
    Theme("__proto__", _DARK),
    Theme("constructor", _DARK),
    Theme('a"b\\ #{c} ${d}', ()),
    Theme("line\u2028end\n*/ </script>", _DARK),
)
NUMBERS = TypescriptOptions(colors="hex", dimensions="number", durations="number", css_variables=False, extension="mjs")

EXACT = JsonOptions(colors="components", names=("ios",), schema=True)

PREFIXED = TailwindOptions(
    static=True, prefix="tw", dimensions="rem", themes={"scheme/dark": CssTheme(selector=".dark")}
)


def request(platform: str, **options: object) -> OutputRequest:
    return OutputRequest(platform=platform, **options)  # type: ignore[arg-type]


CASES = {
    **{f"{platform}/empty": (graph(), request(platform)) for platform in ("typescript", "json", "scss", "tailwind")},
    "typescript/combined": (combined(), request("typescript")),
    "typescript/nested": (nested(), request("typescript", options=TypescriptOptions(nested=True, themes="exact"))),
    "typescript/described": (described(), request("typescript")),
    "typescript/absent": (absent(), request("typescript")),
    "typescript/composites": (composites(), request("typescript")),
    "typescript/numbers": (measures(), request("typescript", options=NUMBERS)),
    **{
        f"json/{name}": (make(), request("json"))
        for name, make in (("combined", combined), ("described", described), ("absent", absent))
    },
    "json/composites": (composites(), request("json")),
    "json/odd-themes": (odd_themes(), request("json", themes=ODD_THEMES)),
    "json/options": (
        measures(),
        request("json", options=JsonOptions(colors="components", names=("ios",), schema=True)),
    ),
    "scss/combined": (combined(), request("scss")),
    "scss/described": (described(), request("scss")),
    "scss/absent": (absent(), request("scss")),
    "scss/composites": (composites(), request("scss")),
    "scss/order": (order(), request("scss")),
    "scss/variables": (combined(), request("scss", options=ScssOptions(maps=False))),
    "scss/properties": (combined(), request("scss", options=ScssOptions(variables="properties", defaults=True))),
    "scss/odd-themes": (odd_themes(), request("scss", themes=ODD_THEMES)),
    "tailwind/combined": (combined(), request("tailwind")),
    "tailwind/composites": (composites(), request("tailwind")),
    "tailwind/conditions": (conditions(), request("tailwind")),
    "tailwind/shadows": (shadows(), request("tailwind")),
    "tailwind/shadows-prefix": (shadows(), request("tailwind", options=TailwindOptions(prefix="tw"))),
    "tailwind/namespaces": (namespaces(), request("tailwind")),
    "tailwind/prefix": (prefixed(), request("tailwind", options=PREFIXED)),
    "typescript/odd-themes": (odd_themes(), request("typescript", themes=ODD_THEMES)),
    "react-native/empty": (graph(), request("react-native")),
    "react-native/combined": (combined(), request("react-native")),
    "react-native/absent": (absent(), request("react-native")),
    "react-native/nested": (nested(), request("react-native", options=ReactNativeOptions(nested=True, themes="exact"))),
    "react-native/odd-themes": (odd_themes(), request("react-native", themes=ODD_THEMES)),
}
SHARED = ("typescript", "react-native", "json", "scss", "tailwind")
"""The platforms that the shared cases also apply to."""
