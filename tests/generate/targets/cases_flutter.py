"""Cases of Dart for Flutter: theme extensions of one and of several choices, Material's themes, options."""

from generate.targets.cases_compose import crossing
from generate.targets.cases_composites import FONTS, composites, text_styles
from generate.targets.cases_material import material
from graphs import alias, collection, color, graph, token

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets.flutter import FlutterOptions
from tokensync.project.configuration import typed_options
from tokensync.tokens import Theme, TokenGraph

MATERIAL = typed_options("flutter", {"material": {"roles": {"error": "danger"}, "names": True}})


def members() -> TokenGraph:
    """Names that Dart, Flutter, a theme extension or its constants use, in collections of such names."""
    theme = collection("Theme", "Light", "default", "of", "1", "__")
    design = collection("Design Tokens")
    names = ("light", "of", "t", "other", "lerp", "copy with", "type", "hashCode", "Color", "TextStyle", "override")
    white, black = color("#ffffff"), color("#000000")
    return graph(
        theme,
        design,
        *(token(theme, name, white, *[black] * 4, code_syntax=(("ANDROID", name),)) for name in names),
        token(
            theme,
            "long",
            white,
            *[black] * 4,
            code_syntax=(("ANDROID", "aMemberWithANameOfSixtyCharactersThatMakesLinesOfAllKindsFull"),),
        ),
        token(design, "class", alias("Theme", "light")),
        token(design, "2xl", 2, type="dimension", description="Two {@macro x} [lines]\nand */ <b>tags</b>."),
        token(design, "plain", white, deprecated="Use $other, it's 'better'."),
    )


_FIXED = (Theme("day", ()), Theme("Vivid night", ((("design", "scheme"), 1), (("design", "tone"), 1))))
_PACKAGED = FlutterOptions(name="AcmeTokens", package="acme_fonts", descriptions=False)
CASES = {
    "flutter/composites": (composites(), OutputRequest(platform="flutter")),
    "flutter/text-styles": (text_styles(), OutputRequest(platform="flutter", fonts=FONTS, options=_PACKAGED)),
    "flutter/crossing": (crossing(), OutputRequest(platform="flutter")),
    "flutter/configured-themes": (crossing(), OutputRequest(platform="flutter", themes=_FIXED)),
    "flutter/material": (material(), OutputRequest(platform="flutter", options=MATERIAL)),
    "flutter/members": (members(), OutputRequest(platform="flutter")),
    "flutter/empty": (graph(), OutputRequest(platform="flutter")),
}
