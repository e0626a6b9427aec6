"""Cases of ios only: appearances and devices, folders, notations in Swift, additional files, selectable themes."""

from collections.abc import Callable
from typing import Any

from generate.targets.cases_web import combined
from generate.targets.composite_values import VALUES, composite_of
from graphs import alias, collection, color, graph, key, token
from msgspec.structs import replace

from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets.ios import IosOptions, IosTheme
from tokensync.tokens import ComposedColor, DanglingAlias, Theme, TokenGraph

RED, BLUE, BLACK, WHITE = color("#ff0000"), color("#1f6feb"), color("#000000"), color("#ffffff")
GREY, SILVER = color("#777777"), color("#cccccc")


def contrast() -> TokenGraph:
    """Four appearances; each colour differs in a different set of them."""
    of = collection("Scheme", "Light", "Dark", "Light high contrast", "Dark high contrast")
    return graph(
        of,
        token(of, "all", BLUE, WHITE, BLACK, SILVER),
        token(of, "none", BLUE),
        token(of, "scheme", BLACK, WHITE, BLACK, WHITE),
        token(of, "contrast", GREY, GREY, BLACK, BLACK),
        token(of, "both", GREY, GREY, GREY, BLACK),
        token(of, "alike", GREY, BLACK, BLACK, BLACK),
    )


HIDING = ("Double", "Gradient", "Swift", "SwiftUI", "TokenShadow", "Tokens", "TokensSupport", "UIColor")
"""Names in generated expressions; a token has them by its code syntax only."""
HIDING_OPTIONS = [
    {"also": also, "nested": nested, "colors": colors}
    for also in ((), ("themes", "swiftui", "uikit"))
    for nested in ("none", "collection", "path")
    for colors in ("catalog", "swift")
]


def hiding() -> TokenGraph:
    """Colours with the names of what expressions use, and collections called Self and as the support file."""
    of, support = collection("Self", "Light", "Dark"), collection("Tokens support", "Few", "Many")
    return graph(
        of,
        support,
        *(token(of, each.lower(), BLUE, WHITE, code_syntax=(("iOS", each),)) for each in HIDING),
        token(of, "shadow", composite_of(VALUES["shadow"]), type="shadow"),
        token(of, "gradient/page", composite_of(VALUES["gradient"]), type="gradient"),
        token(of, "veil", ComposedColor(alias("Self", "tokens"), alias("Tokens support", "share"))),
        token(support, "share", 50, 150, type="number", scopes=("OPACITY",)),
        token(support, "max", 4, 8, type="dimension"),
        token(support, "min", alias("Tokens support", "max"), 2, type="dimension"),
    )


def dark_by_default() -> TokenGraph:
    """The default mode is dark, and the light mode is the exception."""
    of = collection("Scheme", "Dark", "Light")
    return graph(of, token(of, "text", WHITE, BLACK), token(of, "accent", BLUE))


def devices() -> TokenGraph:
    """Devices show modes of a collection, and a theme is dark by its options only."""
    device = collection("Device", "Phone", "Tablet", "Television")
    scheme = collection("Scheme", "Paper", "Ink")
    return graph(
        device,
        scheme,
        token(device, "surface", alias("Scheme", "page"), GREY, BLACK),
        token(device, "accent", BLUE, RED, BLUE),
        token(device, "gap", 8, 12, 24, type="dimension"),
        token(scheme, "page", WHITE, BLACK),
        token(scheme, "edge", GREY),
    )


def groups() -> TokenGraph:
    """Paths of several groups, groups that differ only in case, and a colour without a group."""
    of = collection("Brand colours")
    other = collection("Components")
    return graph(
        of,
        other,
        token(of, "text/on accent/strong", WHITE),
        token(of, "Text/muted", GREY),
        token(of, "page", WHITE),
        token(other, "button/label", alias("Brand colours", "page")),
    )


def described() -> TokenGraph:
    """Documentation comments and attributes, weights with and without a name, and references to both."""
    of = collection("Base\nof it all")
    return graph(
        of,
        token(of, "old", RED, deprecated="Use \\(new)."),
        token(of, "older", RED, deprecated=True, description="*/ It was \u202e the first.\r\n\r\n /* Really."),
        token(of, "new", RED, description="The `brand` colour."),
        token(of, "gap", 8, type="dimension", deprecated=True),
        token(of, "inset", alias("Base\nof it all", "gap"), type="dimension"),
        token(of, "weight/strong", 700, type="fontWeight"),
        token(of, "weight/heading", alias("Base\nof it all", "weight/strong"), type="fontWeight"),
        token(of, "weight/odd", 450, type="fontWeight"),
        token(of, "weight/label", alias("Base\nof it all", "weight/odd"), type="fontWeight"),
        token(of, "weight/number", 600, type="number"),
        token(of, "weight/caption", alias("Base\nof it all", "weight/number"), type="fontWeight"),
    )


def members() -> TokenGraph:
    """Names of members of SwiftUI or UIKit, keywords, and a collection with the name of a type."""
    of = collection("Color", "Light", "Dark")
    sizes = collection("Sizes")
    return graph(
        of,
        sizes,
        token(of, "red", RED, BLUE),
        token(of, "red token", BLUE),
        token(of, "label", BLACK, WHITE),
        token(of, "default", GREY, description="The one to start from."),
        token(of, "gone", GREY, deprecated=True),
        token(sizes, "gap", 8, type="dimension"),
        token(sizes, "inset", alias("Sizes", "gap"), type="dimension"),
        token(of, "ratio", alias("Sizes", "gap"), type="dimension"),
    )


def paths() -> TokenGraph:
    """Groups with the names of types, keywords, numbers, tokens and other groups, in two collections."""
    of, control = collection("Base", "Light", "Dark"), collection("Control", "Cosy", "Dense")
    accent = alias("Base", "color/bg/accent")
    return graph(
        of,
        control,
        token(of, "color/bg/accent", BLUE, RED),
        token(of, "color/bg", WHITE, BLACK, description="Behind everything."),
        token(of, "font/color", accent),
        token(of, "font/weight/strong", 700, type="fontWeight"),
        token(of, "type/init", 16, type="dimension"),
        token(of, "protocol/self/default", GREY, deprecated="Use bg."),
        token(of, "gray/500", GREY),
        token(of, "gray/500/hover", SILVER),
        token(of, "gray/50/0", SILVER, code_syntax=(("iOS", "Color.gray500"),)),
        token(of, "swift UI/tokens/string", "Depart", type="string"),
        token(of, "色/色", RED),
        token(of, "one/two/three/four/five/six", 1, type="number"),
        token(of, "shadow/raised", composite_of(VALUES["shadow"]), type="shadow"),
        token(of, "border/field", composite_of(VALUES["border"]), type="border"),
        token(control, "gap", 8, 4, type="dimension"),
        token(control, "color/bg/accent", BLACK, WHITE),
        token(control, "button/color/fill", accent),
        token(control, "button/color/size", alias("Control", "gap"), 2, type="dimension"),
        token(control, "button/veil", ComposedColor(accent, 50.0)),
    )


def absent() -> TokenGraph:
    """Values that only some modes have, references to them, and a cycle in some modes."""
    of = collection("Scheme", "Light", "Dark")
    brand = collection("Brand", "Harbor", "Island")
    return graph(
        of,
        brand,
        token(of, "lamp", DanglingAlias("VariableID:1:1"), WHITE),
        token(of, "glow", ComposedColor(alias("Scheme", "lamp"), 50.0)),
        token(of, "shade", BLACK, DanglingAlias("VariableID:1:1")),
        token(of, "here", alias("Scheme", "there"), RED),
        token(of, "there", BLUE, alias("Scheme", "here")),
        token(brand, "chicken", RED, alias("Scheme", "egg")),
        token(of, "egg", WHITE, alias("Brand", "chicken")),
    )


def hidden() -> TokenGraph:
    """Omitted tokens with references to them, numbers of other kinds, and weights from numbers."""
    core = collection("Core", "One", "Two")
    use = collection("Use")
    return graph(
        core,
        use,
        token(core, "ink", BLACK, BLUE),
        token(core, "share", 40, 60, type="number", scopes=("OPACITY",)),
        token(core, "bold", 600, 700, type="number"),
        token(use, "text", alias("Core", "ink")),
        token(use, "veil", ComposedColor(alias("Core", "ink"), alias("Core", "share"))),
        token(use, "plain share", alias("Core", "share"), type="number", scopes=("TEXT_CONTENT",)),
        token(use, "weight", alias("Core", "bold"), type="fontWeight"),
    )


def deprecated() -> TokenGraph:
    """Deprecated tokens that others refer to: as an alias, in part, in several modes, by way of each other."""
    scheme, brand = collection("Scheme", "Light", "Dark"), collection("Brand", "Harbor", "Island")
    use = collection("Use")
    old, older = alias("Scheme", "old"), alias("Brand", "older")
    text = composite_of({**VALUES["typography"], "fontFamily": "{face}", "fontSize": "{size}"})
    shadow = composite_of([{**layer, "color": "{older}"} for layer in VALUES["shadow"]])
    face, size, shade = (("{" + name + "}", key("Brand", name)) for name in ("face", "size", "older"))
    return graph(
        scheme,
        brand,
        use,
        token(scheme, "old", BLACK, WHITE, deprecated="Use ink."),
        token(scheme, "ink", old),
        token(scheme, "line", old, alias("Brand", "default")),
        token(brand, "older", old, BLUE, deprecated=True),
        token(brand, "alone", RED, BLUE, deprecated=True),
        token(brand, "default", older, older, deprecated="Use line."),
        token(brand, "accent", alias("Brand", "alone"), alias("Brand", "default")),
        token(brand, "share", 40, 60, type="number", scopes=("OPACITY",), deprecated=True),
        token(brand, "face", "Inter", "Lora", type="fontFamily", deprecated=True),
        token(brand, "size", 16, 18, type="dimension", deprecated=True, code_syntax=(("iOS", "_old"),)),
        token(use, "button", older),
        token(use, "veil", ComposedColor(older, alias("Brand", "share"))),
        token(use, "text", replace(text, references=(face, size)), type="typography"),
        token(use, "raised", replace(shadow, references=(shade,)), type="shadow"),
    )


def _case(make: Callable[[], TokenGraph], options: IosOptions, **request: Any) -> tuple[TokenGraph, OutputRequest]:
    return make(), OutputRequest(platform="ios", options=options, **request)


_DEVICES = {
    "device/tablet": IosTheme(idiom="ipad"),
    "device/television": IosTheme(idiom="tv", appearance="none"),
    "scheme/ink": IosTheme(appearance="dark"),
    "scheme/pencil": IosTheme(appearance="dark"),
}
_CONFIGURED = (
    Theme("day", ((("design", "scheme"), 0),)),
    Theme("island night", ((("design", "scheme"), 1), (("design", "brand"), 1))),
)

CASES = {
    "ios/contrast": _case(contrast, IosOptions()),
    "ios/dark-by-default": _case(dark_by_default, IosOptions()),
    "ios/devices": _case(devices, IosOptions(themes=_DEVICES)),
    "ios/groups-of-collections": _case(groups, IosOptions(groups="collection")),
    "ios/groups-of-paths": _case(groups, IosOptions(groups="path", namespace=True, catalog="Colors")),
    "ios/display-p3": _case(dark_by_default, IosOptions(color_space="display-p3")),
    "ios/described": _case(described, IosOptions()),
    "ios/weights-as-numbers": _case(described, IosOptions(weights="number"), include=Selection(paths=("weight/*",))),
    "ios/nested": _case(
        members,
        IosOptions(nested="collection", name="DesignTokens", access="package", bundle=".main", imports=("Foundation",)),
    ),
    "ios/nested-by-path": _case(paths, IosOptions(nested="path", also=("swiftui", "uikit", "themes", "list"))),
    "ios/nested-by-path-without-catalog": _case(paths, IosOptions(nested="path", colors="swift", comments="value")),
    "ios/extensions": _case(members, IosOptions(also=("swiftui", "uikit"), access="internal")),
    "ios/list-and-comments": _case(members, IosOptions(also=("list",), comments="value", nested="collection")),
    "ios/extensions-without-colors": _case(
        described, IosOptions(also=("swiftui", "uikit")), include=Selection(paths=("weight/*",))
    ),
    "ios/without-catalog": _case(contrast, IosOptions(colors="swift", also=("uikit",))),
    "ios/interacting-themes": _case(combined, IosOptions(also=("themes",))),
    "ios/configured-themes": _case(combined, IosOptions(also=("themes",)), themes=_CONFIGURED),
    "ios/absent-in-themes": _case(absent, IosOptions(also=("themes",))),
    "ios/deprecated-in-themes": _case(deprecated, IosOptions(also=("themes", "swiftui", "uikit", "list"))),
    "ios/hidden-in-themes": _case(
        hidden, IosOptions(also=("themes",), colors="swift"), exclude=Selection(collections=("Core",))
    ),
}
