"""The graphs and requests of tests/generate/targets/<target>/goldens/<case>/, with one idea per case."""

from pathlib import Path

from generate.targets import (
    cases_android,
    cases_compose,
    cases_composites,
    cases_css,
    cases_flutter,
    cases_ios,
    cases_material,
    cases_web,
)
from graphs import alias, collection, color, graph, token

from tokensync.generate.target import OutputRequest, Selection
from tokensync.generate.targets.figma import FigmaOptions
from tokensync.generate.targets.ios import IosOptions
from tokensync.generate.targets.template import TemplateFile, TemplateOptions
from tokensync.tokens import ComposedColor, Composite, DanglingAlias, Quantity, Theme, TokenGraph
from tokensync.tokens.values import AS_TEXT

Case = tuple[TokenGraph, OutputRequest]

RED, BLUE, BLACK, WHITE = color("#ff0000"), color("#1f6feb"), color("#000000"), color("#ffffff")


def all_types() -> TokenGraph:
    """Every type, every role of a number."""
    of = collection("Base")
    return graph(
        of,
        token(of, "color/opaque", BLUE),
        token(of, "color/sheer", color("#1f6feb", 0.48)),
        token(of, "color/none", color("#ffffff", 0.0)),
        token(of, "space/none", 0, type="dimension"),
        token(of, "space/half", 0.5, type="dimension"),
        token(of, "space/root", Quantity(1.5, "rem"), type="dimension"),
        token(of, "font/size", 16, type="dimension", scopes=("FONT_SIZE",)),
        token(of, "font/family", "Inter, Segoe UI, Sans-Serif", type="fontFamily"),
        token(of, "font/stack", Composite('["SF Pro","system-ui"]'), type="fontFamily"),
        token(of, "font/weight", 600, type="fontWeight"),
        token(of, "font/weight odd", 450.5, type="fontWeight"),
        token(of, "ratio", 1.2, type="number"),
        token(of, "opacity", 48, type="number", scopes=("OPACITY",)),
        token(of, "label", "Hello", type="string"),
        token(of, "enabled", True, type="boolean"),
        token(of, "wait", Quantity(200.0, "ms"), type="duration"),
        token(of, "elevation", Composite("{}"), type="shadow"),
    )


def weights_as_text() -> TokenGraph:
    """Weights as text, weights as numbers, and references between these and plain texts."""
    of = collection("Type", "Light", "Dark")
    return graph(
        of,
        token(of, "weight/strong", "Semi Bold", "ExtraBold", type=AS_TEXT),
        token(of, "weight/slanted", "Bold", "Bold Italic", type=AS_TEXT),
        token(of, "weight/heading", alias("Type", "weight/strong"), alias("Type", "weight/slanted"), type=AS_TEXT),
        token(of, "weight/fine", "350", "thin", type=AS_TEXT),
        token(of, "weight/number", 700, 600, type="fontWeight"),
        token(of, "plain", "Light", "Light", type="string"),
        token(of, "weight/of plain", alias("Type", "plain"), "Medium", type=AS_TEXT),
        token(of, "plain of weight", *[alias("Type", "weight/slanted")] * 2, type="string"),
    )


def references() -> TokenGraph:
    """References between tokens with the same notation are written; others become literals."""
    of = collection("Base")
    library = collection("Library", origin="remote")
    return graph(
        of,
        library,
        token(of, "blue", BLUE),
        token(of, "accent", alias("Base", "blue")),
        token(of, "accent/again", alias("Base", "accent")),
        token(of, "four", 4, type="number"),
        token(of, "gap", alias("Base", "four"), type="dimension"),
        token(of, "size", alias("Base", "gap"), type="dimension", scopes=("FONT_SIZE",)),
        token(of, "share", 48, type="number", scopes=("OPACITY",)),
        token(of, "share again", alias("Base", "share"), type="number", scopes=("OPACITY",)),
        token(of, "plain share", alias("Base", "share"), type="number", scopes=("TEXT_CONTENT",)),
        token(of, "name", "Inter", type="string"),
        token(of, "family", alias("Base", "name"), type="fontFamily"),
        token(of, "from library", alias("Library", "ink/*/deep")),
        token(of, "gone", DanglingAlias("VariableID:1:1")),
        token(of, "on gone", alias("Base", "gone")),
        token(library, "ink/*/deep", BLACK),
    )


def themes() -> TokenGraph:
    """Modes of two families; tokens that depend on a mode are declared again with it."""
    base = collection("Base")
    scheme = collection("Color scheme", "Light", "Dark", "High contrast")
    density = collection("Density", "Cosy", "Dense")
    return graph(
        base,
        scheme,
        density,
        token(base, "blue", BLUE),
        token(base, "on accent", alias("Color scheme", "text")),
        token(scheme, "text", BLACK, WHITE, WHITE),
        token(scheme, "accent", alias("Base", "blue")),
        token(scheme, "link", alias("Base", "blue"), RED, RED),
        token(scheme, "veil", ComposedColor(alias("Color scheme", "text"), 50.0)),
        token(scheme, "caption", "Day", "Night", "Night", type="string"),
        token(density, "gap", 8, 4, type="dimension"),
        token(density, "inset", alias("Density", "gap"), type="dimension"),
    )


def brands() -> TokenGraph:
    """An extended collection: modes with parents."""
    scheme = collection("Scheme", "Light", "Dark", extensions=[("Brand B", "Scheme"), ("Brand B EU", "Brand B")])
    return graph(
        scheme,
        token(scheme, "accent", BLUE, WHITE, RED),
        token(scheme, "text", BLACK, WHITE),
        token(scheme, "button", alias("Scheme", "accent"), alias("Scheme", "accent")),
    )


def hostile() -> TokenGraph:
    """Names and texts that would end a string, a comment, a block or a tag."""
    of = collection('a"; } body{')
    library = collection("*/ } </style>", origin="remote")
    return graph(
        of,
        library,
        token(of, 'a"; } body{', RED),
        token(of, "../../x", alias("*/ } </style>", "*/ body{}")),
        token(of, "\\(x) $x", 1, type="number"),
        token(of, "two\nlines", "two\nlines\tand tabs\r", type="string"),
        token(of, "quotes", "\"double\" 'single' \\back\\u0041", type="string"),
        token(of, "tags", "</string> <b>&amp;</b> ]]> */ </style>", type="string"),
        token(of, "at", "@color/x", type="string"),
        token(of, "question", "?attr/x", type="string"),
        token(of, "spaces", "  two  spaces  ", type="string"),
        token(of, "interpolated", "\\(x) ${x} %1$s %s", type="string"),
        token(of, "separators", "a\u2028b\u2029c\u202ed\ufeff", type="string"),
        token(of, "unrepresentable", "a\0b\ud800c\x01", type="string"),
        token(of, "empty", "", type="string"),
        token(library, "*/ body{}", BLUE),
    )


def names() -> TokenGraph:
    """Code syntax before the template, keywords, digits, other scripts, collisions."""
    of = collection("Base")
    other = collection("Other set")
    syntax = (
        ("ANDROID", "R.color.brandMain"),
        ("WEB", "var(--brand-main, #fff) /* the brand */"),
        ("iOS", "Color.brandMain"),
    )
    broken = (("ANDROID", "no name"), ("WEB", "no name"), ("iOS", "no name"))
    return graph(
        of,
        other,
        token(of, "RGBColor/accentBase500", RED, code_syntax=syntax),
        token(of, "RGBColor/accentBase501", RED),
        token(of, "broken", RED, code_syntax=broken),
        token(of, "default", RED),
        token(of, "on default", 1, type="number"),
        token(of, "class", alias("Base", "on default"), type="number"),
        token(of, "2xl/50%", RED),
        token(of, "größe/色", RED),
        token(of, "🎨", RED),
        token(of, "Same Name", RED),
        token(of, "same-name", RED),
        token(other, "same/name", RED),
        token(other, "brand/main", RED),
        token(other, "other", alias("Base", "default"), code_syntax=syntax),
    )


def night() -> TokenGraph:
    """Values that differ at night, in one family, in two at once, and in one that is ambiguous."""
    scheme = collection("Scheme", "Light", "Dark")
    chart = collection("Chart", "Day", "Night", "Print")
    unclear = collection("Unclear", "Light", "Dark 1", "Dark 2")
    return graph(
        scheme,
        chart,
        unclear,
        token(scheme, "text", BLACK, WHITE),
        token(scheme, "accent", BLUE),
        token(scheme, "link", alias("Scheme", "accent"), alias("Scheme", "text")),
        token(scheme, "only at night", DanglingAlias("VariableID:1:1"), WHITE),
        token(scheme, "on it", BLACK, alias("Scheme", "only at night")),
        token(scheme, "not at night", WHITE, DanglingAlias("VariableID:1:1")),
        token(scheme, "icon", "sun", "moon", type="string"),
        token(chart, "line", alias("Scheme", "text"), RED, BLACK),
        token(unclear, "grey", WHITE, BLACK, RED),
    )


def _of(make: object, platform: str, **options: object) -> Case:
    return make(), OutputRequest(platform=platform, **options)  # type: ignore[operator]


_SHARED = {
    "all-types": all_types,
    "references": references,
    "hostile": hostile,
    "names": names,
    "weights": weights_as_text,
}
PACKAGED = ("vanilla-extract/contract.css.ts", "stylex/tokens.stylex.js", "panda/preset.ts", "storybook/tokens.css")
_PACKAGED = TemplateOptions(files=tuple(TemplateFile(template=f"{path}.j2", path=path) for path in PACKAGED))
_CONFIGURED = (
    Theme("day", ()),
    Theme("night, dense", ((("design", "color-scheme"), 1), (("design", "density"), 1))),
)

CASES: dict[str, Case] = {
    **{f"{target}/{name}": _of(make, target) for name, make in _SHARED.items() for target in ("css", "android", "ios")},
    **{f"{target}/{name}": _of(make, target) for name, make in _SHARED.items() for target in cases_web.SHARED},
    **{f"{target}/themes": _of(themes, target) for target in cases_web.SHARED},
    **{f"compose/{name}": _of(make, "compose") for name, make in _SHARED.items()},
    **{f"flutter/{name}": _of(make, "flutter") for name, make in _SHARED.items()},
    "flutter/themes": _of(themes, "flutter"),
    "flutter/brands": _of(brands, "flutter"),
    "compose/themes": _of(themes, "compose"),
    "compose/brands": _of(brands, "compose"),
    "react-native/brands": _of(brands, "react-native"),
    "react-native/night": _of(night, "react-native"),
    **cases_android.CASES,
    **cases_compose.CASES,
    **cases_web.CASES,
    **{f"figma/{name}": _of(make, "figma") for name, make in _SHARED.items()},
    "figma/themes": _of(themes, "figma"),
    "figma/brands": _of(brands, "figma"),
    "figma/composites": _of(cases_composites.composites, "figma"),
    "figma/without-ids": _of(references, "figma", options=FigmaOptions(ids=False)),
    **cases_composites.CASES,
    **cases_css.CASES,
    "css/themes": _of(themes, "css"),
    "css/brands": _of(brands, "css"),
    "css/configured-themes": _of(themes, "css", themes=_CONFIGURED),
    "css/selection": _of(
        themes,
        "css",
        include=Selection(paths=("*t",), themes=("color-scheme/*",)),
        exclude=Selection(collections=("Base",), themes=("*/high-contrast",)),
    ),
    "android/night": _of(night, "android"),
    "ios/night": _of(night, "ios"),
    "ios/themes": _of(themes, "ios", options=IosOptions(also=("themes",))),
    "ios/brands": _of(brands, "ios", options=IosOptions(also=("themes",))),
    **cases_ios.CASES,
    **cases_flutter.CASES,
    **cases_material.CASES,
    **{f"template/{name}": _of(make, "template", options=_PACKAGED) for name, make in _SHARED.items()},
    "template/themes": _of(themes, "template", options=_PACKAGED),
    "template/brands": _of(brands, "template", options=_PACKAGED),
    "template/text-styles": _of(cases_composites.text_styles, "template", options=_PACKAGED),
    "template/configured-themes": _of(themes, "template", options=_PACKAGED, themes=_CONFIGURED),
}


def golden(name: str) -> Path:
    """Return the folder with the expected files and problems of a case."""
    target, case = name.split("/")
    return Path(__file__).parent / target / "goldens" / case
