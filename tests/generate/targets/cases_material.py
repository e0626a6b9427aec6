"""Cases of Material 3: roles by mapping, by code syntax and by name, with dark, contrast and brands."""

from generate.targets.composite_values import VALUES, composite_of
from graphs import alias, collection, color, graph, token
from msgspec.structs import replace

from tokensync.generate.target import OutputRequest
from tokensync.project.configuration import typed_options
from tokensync.tokens import TokenGraph

LEVELS = ("Light", "Dark", "Light Medium Contrast", "Dark Medium Contrast", "Light High Contrast", "Dark High Contrast")
PRIMARY = ("#13748a", "#7fd3e8", "#0b4f5e", "#b5eaf6", "#002b35", "#e9fbff")
SURFACE = ("#fbfcfd", "#101417", "#fbfcfd", "#101417", "#ffffff", "#000000")
INK = ("#191c1e", "#e0e3e5", "#0f1213", "#f1f4f6", "#000000", "#ffffff")
BRAND = ("#b3261e", "#f2b8b5")


def material(*roles: str) -> TokenGraph:
    """A scheme with contrasts and a brand, a text style and corners; ``roles`` are those of later Materials."""
    scheme = collection("Scheme", *LEVELS, extensions=[("Islander", "Scheme")])
    extensions = tuple(replace(each, default_mode=len(LEVELS)) for each in scheme.extensions)
    scheme = replace(scheme, extensions=extensions)
    base = collection("Base")
    body = {**VALUES["typography"], "fontSize": {"value": 16, "unit": "px"}}
    return graph(
        base,
        scheme,
        token(base, "white", color("#ffffff")),
        token(base, "corner/small", 4, type="dimension"),
        token(base, "corner/extra-large", 28, type="dimension"),
        token(base, "space/small", 8, type="dimension"),
        token(base, "typescale/body-large", composite_of(body), type="typography"),
        token(scheme, "accent/base", *map(color, PRIMARY), *map(color, BRAND), code_syntax=_PRIMARY),
        token(scheme, "accent/on", *[alias("Base", "white")] * 6, code_syntax=_ON_PRIMARY),
        token(scheme, "md/sys/color/surface", *map(color, SURFACE)),
        token(scheme, "md/sys/color/on-surface", *map(color, INK)),
        *(token(scheme, f"md/sys/color/{role}", *map(color, SURFACE)) for role in roles),
        token(scheme, "danger", *[color("#ba1a1a")] * 6),
    )


_PRIMARY = (("ANDROID", "MaterialTheme.colorScheme.primary"),)
_ON_PRIMARY = (("ANDROID", "?attr/colorOnPrimary"),)


_ROLES = {"error": "danger"}


def _case(platform: str, *roles: str, **options: object) -> tuple[TokenGraph, OutputRequest]:
    return material(*roles), OutputRequest(platform=platform, options=typed_options(platform, options))


CASES = {
    "compose/material": _case("compose", material={"roles": _ROLES, "names": True}, contrast="android"),
    "android/material": _case("android", "surface-container-high", material={"roles": _ROLES, "names": True}),
    "android/material-brands": _case(
        "android", material={"names": True, "theme": "Theme.Harbor"}, brands="styles", styles="ThemeOverlay.Harbor"
    ),
    "compose/material-proposed": _case("compose", material={"roles": {"error": "dangr", "surface": ""}}),
}
