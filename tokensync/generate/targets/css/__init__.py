"""CSS custom properties."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from tokensync.generate.naming.rules import NAMELESS, NamingRules, cut, lines_of
from tokensync.generate.target import Target

_NOT_IN_A_NAME = re.compile(r"[^\w-]+")


def property_name(name: str) -> str:
    """Return the name of a custom property, with ``--``; letters and digits of all scripts are allowed."""
    body = _NOT_IN_A_NAME.sub("-", name.removeprefix("--"))
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    return f"--{cut(body, '-')}"


# A set of characters is matched faster than "\w", which contains it.
_VALID = lines_of(r"--(?=[-_]*[^\W_])[a-z0-9\w-]{1,200}")
NAMING = NamingRules("css", valid_lines=_VALID, repair=property_name, separator="-", sigil="--")


_PAIRS = {"(": ")", "[": "]"}
# Patterns of options and errors are texts, which re compiles when they are used: 20 of them take 2 % of a small build.
_TEXT = r"""\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'"""
_FORBIDDEN = r"[\0-\x1f\x7f-\x9f\u2028\u2029]|</|<!--"
_FORBIDDEN_OUTSIDE_STRINGS = r"[{};@\"'\\]|/\*|\*/"
_IDENTIFIER = r"(?:--|-?(?:[A-Za-z_]|[^\0-\x7f]))(?:[\w-]|[^\0-\x7f])*"
_COMPOUND = (
    rf"(?=.)(?:&|(?:(?:{_IDENTIFIER}|\*)?\|)?(?:{_IDENTIFIER}|\*))?"
    rf"(?:[#.]{_IDENTIFIER}|\[\]|::?{_IDENTIFIER}(?:\(\))?)*"
)
"""A selector without combinators, after the contents of brackets were removed."""
_COMBINATOR = r"\s*[>+~]\s*|\s+"
_CSS_WIDE_KEYWORDS = frozenset(("inherit", "initial", "revert", "revert-layer", "revert-rule", "unset"))
"""Keywords of every CSS property, which cannot be names of layers."""

Colors = Annotated[
    Literal["hex", "rgb", "oklch"],
    Meta(description="The notation of colours. With `hex`, a colour with an alpha is `rgb()`."),
]
Profile = Annotated[
    Literal["srgb", "display-p3"],
    Meta(description="The colour profile of the design file, in which its colours are defined."),
]
Composed = Annotated[
    Literal["color-mix", "literal"],
    Meta(description="How a colour with an opacity is written: with its references, or as a single colour."),
]
Unit = Literal["px", "rem"]
Lengths = Annotated[
    str,
    Meta(
        description="`default`, a scope of lengths, or a glob with `/` or `*` for the names of tokens.",
        pattern=r"^(default|CORNER_RADIUS|EFFECT_FLOAT|FONT_SIZE|GAP|LETTER_SPACING|LINE_HEIGHT|PARAGRAPH_INDENT"
        r"|PARAGRAPH_SPACING|STROKE_FLOAT|WIDTH_HEIGHT|.*[/*].*)$(?!\n)",
    ),
]
Dimensions = Annotated[
    Unit | dict[Lengths, Unit],
    Meta(
        description="The unit of dimensions. `rem` divides by `base`, and leaves strokes, effects, letter spacing and "
        "what is below 2 px in px. A table has units by scopes or names of tokens, and `default` for the others."
    ),
]
PixelsOfRem = Annotated[float, Meta(gt=0, le=1000, description="Pixels per rem.")]
Comments = Annotated[
    Literal["none", "descriptions", "all"],
    Meta(description="Groups and descriptions of tokens; `all` also names undeclared tokens that literals replace."),
]
Root = Annotated[
    str,
    Meta(min_length=1, description="The selector of the defaults; `:root, :host` for a component's shadow tree."),
]
AttributeName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z_][A-Za-z0-9_-]*\{axis\}[A-Za-z0-9_-]*$(?!\n)",
        description="The attribute that chooses a theme: letters, digits and hyphens; `{axis}` is the collection.",
    ),
]
BrandAxis = Annotated[
    str,
    Meta(
        pattern=r"^([A-Za-z_]*(\{axis\})?[A-Za-z0-9_-]*)$(?!\n)",
        description="The value of `{axis}` in the attribute of brands; it can contain the collection's own `{axis}`.",
    ),
]
LayerName = Annotated[
    str,
    Meta(
        pattern=r"^([A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*)?$(?!\n)",
        description="The name of a cascade layer for all rules, such as `tokens` or `design.tokens`.",
    ),
]


class CssTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The selector and the media query that choose a theme, each empty for the default.

    With ``media = false``, no media query chooses the theme.
    """

    selector: Annotated[str, Meta(description="A selector that replaces the attribute.")] = ""
    media: Annotated[
        str | bool, Meta(description="A media query that chooses the theme automatically; `false` for none.")
    ] = ""

    def __post_init__(self) -> None:
        """Raise ValueError for an invalid selector or media query."""
        if self.selector:
            check_selector("selector", self.selector)
        if self.media is True:
            raise ValueError("media must be a media query, or false")
        if self.media:
            _check("media", self.media)


Themes = Annotated[
    dict[str, CssTheme],
    Meta(description="How a theme is chosen, by its name (`<collection>/<mode>`, or a name in `[themes]`)."),
]


class CssOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of a css output.

    With the ``profile`` ``display-p3``, colours outside of sRGB are also written for wide-gamut screens, in addition to
    the closest sRGB colour. ``base`` is the number of pixels per rem.
    """

    colors: Colors = "hex"
    profile: Profile = "srgb"
    composed: Composed = "color-mix"
    dimensions: Dimensions = "px"
    base: PixelsOfRem = 16.0
    fallbacks: Annotated[
        bool, Meta(description="Precede `color-mix()` with the resulting colour, for browsers from before 2023.")
    ] = False
    form: Annotated[
        Literal["blocks", "switches"],
        Meta(
            description="A plain block for each mode, or inherited switches where they are shorter, as with `minify`."
        ),
    ] = "blocks"
    comments: Comments = "descriptions"
    light_dark: Annotated[bool, Meta(description="Write each colour once with `light-dark()`.")] = False
    layer: LayerName = ""
    property: Annotated[bool, Meta(description="Register each token whose type CSS can check with `@property`.")] = (
        False
    )
    split: Annotated[
        Literal["none", "collection", "group", "theme"],
        Meta(
            description="One file, or one per collection, group (such as a component) or theme, and an `index.css`"
            " that imports them."
        ),
    ] = "none"
    classes: Annotated[
        Literal["none", "font", "properties"],
        Meta(description="A class for each text style, with the shorthand `font` or with a property for each part."),
    ] = "none"
    minify: Annotated[bool, Meta(description="Omit white space and comments.")] = False
    root: Root = ":root"
    attribute: AttributeName = "data-{axis}"
    brand_axis: BrandAxis = ""
    themes: Themes = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError for an invalid root selector or layer name."""
        if self.root != ":root":  # the usual one, whose check would compile several patterns
            check_selector("root", self.root)
        if match := _CSS_WIDE_KEYWORDS.intersection(self.layer.lower().split(".")):
            raise ValueError(f"layer {self.layer!r:.80}: {min(match)!r} is a CSS keyword; choose another name")


def check_selector(name: str, text: str) -> None:
    """Raise ValueError for an invalid selector: browsers ignore the whole block."""
    _check(name, text)
    outside, depth = "", 0
    for character in re.sub(_TEXT, lambda match: "x" if match[0][0] == "\\" else '"', text):
        depth -= character in ")]"
        outside += "" if depth else character
        depth += character in "(["
    for each in outside.split(","):
        for compound in re.split(_COMBINATOR, each.strip()):
            if not re.fullmatch(_COMPOUND, compound):
                raise ValueError(f"{name} {text!r:.80} is not a valid selector at {compound or each!r:.40}")


def _check(name: str, text: str) -> None:
    """Raise ValueError unless a text is on one line, balanced, and cannot end a selector or media query."""
    bare = re.sub(_TEXT, "", text)
    match = re.search(_FORBIDDEN, text) or re.search(_FORBIDDEN_OUTSIDE_STRINGS, bare)
    if match:
        raise ValueError(f"{name} {text!r:.80} must not contain {match[0]!r}")
    expected: list[str] = []
    for character in bare:
        if character in _PAIRS:
            expected.append(_PAIRS[character])
        elif character in _PAIRS.values() and (not expected or expected.pop() != character):
            raise ValueError(f"{name} {text!r:.80} is not balanced at {character!r}")
    if expected:
        raise ValueError(f"{name} {text!r:.80} lacks a closing {expected[-1]!r}")
    if not text.strip() or text != text.strip() or text.strip(",") != text:
        raise ValueError(f"{name} {text!r:.80} begins or ends with a blank or a comma")


WIDE_COLORS = (("profile", "display-p3"), ("colors", "oklch"))
"""The settings with which an output contains colours outside of sRGB."""

TARGET = Target("css", "CSS custom properties", CssOptions, naming=NAMING, syntax="WEB", wide_colors=WIDE_COLORS)
