"""CSS custom properties."""

from __future__ import annotations

import re
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from tokensync.generate.request import Target
from tokensync.naming.rules import NAMELESS, NamingRules, cut

_NOT_IN_A_NAME = re.compile(r"[^\w-]+")


def property_name(name: str) -> str:
    """Return a custom property's name, ``--`` and all; letters and digits of any script stay."""
    body = _NOT_IN_A_NAME.sub("-", name.removeprefix("--"))
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    return f"--{cut(body, '-')}"


NAMING = NamingRules(
    "css", valid=re.compile(r"--(?=[-_]*[^\W_])[\w-]{1,200}"), repair=property_name, separator="-", sigil="--"
)


_PAIRS = {"(": ")", "[": "]"}
_TEXT = re.compile(r"""\\.|"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'""")
_NOWHERE = re.compile(r"[\0-\x1f\x7f-\x9f\u2028\u2029]|</|<!--")
_OUTSIDE_STRINGS = re.compile(r"[{};@\"'\\]|/\*|\*/")
_IDENTIFIER = r"(?:--|-?(?:[A-Za-z_]|[^\0-\x7f]))(?:[\w-]|[^\0-\x7f])*"
_COMPOUND = re.compile(
    rf"(?=.)(?:&|(?:(?:{_IDENTIFIER}|\*)?\|)?(?:{_IDENTIFIER}|\*))?"
    rf"(?:[#.]{_IDENTIFIER}|\[\]|::?{_IDENTIFIER}(?:\(\))?)*"
)
"""A selector without combinators, after what stands in its brackets was taken out."""
_COMBINATOR = re.compile(r"\s*[>+~]\s*|\s+")
_WIDE = frozenset(("inherit", "initial", "revert", "revert-layer", "revert-rule", "unset"))
"""What every property takes: no layer can have such a name."""

Colors = Annotated[
    Literal["hex", "rgb", "oklch"],
    Meta(description="How colours are written. Hex has no alpha: a colour with one is `rgb()`."),
]
Profile = Annotated[
    Literal["srgb", "display-p3"],
    Meta(description="The colour profile of the design file, which says what the numbers of its colours mean."),
]
Composed = Annotated[
    Literal["color-mix", "literal"],
    Meta(description="How a colour with an opacity over it is written: with its references, or as one colour."),
]
Dimensions = Annotated[Literal["px", "rem"], Meta(description="The unit of dimensions; `rem` divides by `base`.")]
PixelsOfRem = Annotated[float, Meta(gt=0, le=1000, description="Pixels of a rem.")]
AttributeName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z_][A-Za-z0-9_-]*\{axis\}[A-Za-z0-9_-]*$(?!\n)",
        description="The attribute that chooses a theme: letters, digits, hyphens and `{axis}` for the collection.",
    ),
]
BrandAxis = Annotated[
    str,
    Meta(
        pattern=r"^([A-Za-z_]*(\{axis\})?[A-Za-z0-9_-]*)$(?!\n)",
        description="What stands for `{axis}` in the attribute of brands; `{axis}` in it is that of the collection.",
    ),
]
LayerName = Annotated[
    str,
    Meta(
        pattern=r"^([A-Za-z_][A-Za-z0-9_-]*(\.[A-Za-z_][A-Za-z0-9_-]*)*)?$(?!\n)",
        description="The name of a cascade layer around everything, such as `tokens` or `design.tokens`.",
    ),
]


class CssTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How a theme is chosen: by an element that the selector matches, and by a media query that holds.

    Both are empty for what tokensync makes of them; ``media = false`` means that no media query chooses the theme.
    """

    selector: Annotated[str, Meta(description="A selector that takes the place of the attribute.")] = ""
    media: Annotated[
        str | bool, Meta(description="A media query under which the theme shows by itself; `false` for none.")
    ] = ""

    def __post_init__(self) -> None:
        """Raise ValueError for what is no selector or no media query."""
        if self.selector:
            _check_selector("selector", self.selector)
        if self.media is True:
            raise ValueError("media is a media query, or false")
        if self.media:
            _check("media", self.media)


Themes = Annotated[
    dict[str, CssTheme],
    Meta(description="By a theme's name (`<collection>/<mode>`, or what `[themes]` calls it), how it is chosen."),
]


class CssOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How values are written, how themes are chosen, and into which files it all goes.

    ``profile`` tells what the numbers of colours are coordinates of: with ``display-p3``, what sRGB does not hold is
    written for screens that show it, beside the nearest colour of sRGB. ``base`` are the pixels of a rem.
    ``brand_axis`` names the axis of a collection's brands for ``attribute``; it may hold the collection's own axis.
    """

    colors: Colors = "hex"
    profile: Profile = "srgb"
    composed: Composed = "color-mix"
    dimensions: Dimensions = "px"
    base: PixelsOfRem = 16.0
    light_dark: Annotated[bool, Meta(description="Write each colour once with `light-dark()`.")] = False
    layer: LayerName = ""
    property: Annotated[bool, Meta(description="Register each token whose type CSS can check with `@property`.")] = (
        False
    )
    split: Annotated[
        Literal["none", "collection", "theme"],
        Meta(description="One file, or one a collection or a theme with an `index.css` that imports them."),
    ] = "none"
    minify: Annotated[bool, Meta(description="Leave out blanks and comments.")] = False
    root: Annotated[
        str,
        Meta(min_length=1, description="The selector of the defaults; `:root, :host` for a component's shadow tree."),
    ] = ":root"
    attribute: AttributeName = "data-{axis}"
    brand_axis: BrandAxis = ""
    themes: Themes = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raise ValueError when the root is no selector, or the layer has a name that none can have."""
        _check_selector("root", self.root)
        if found := _WIDE.intersection(self.layer.lower().split(".")):
            raise ValueError(f"layer {self.layer!r:.80}: no layer can be called {min(found)!r}")


def _check_selector(name: str, text: str) -> None:
    """Check a selector: browsers drop the whole block of one that they cannot read."""
    _check(name, text)
    outside, depth = "", 0
    for character in _TEXT.sub(lambda found: "x" if found[0][0] == "\\" else '"', text):
        depth -= character in ")]"
        outside += "" if depth else character
        depth += character in "(["
    for each in outside.split(","):
        for compound in _COMBINATOR.split(each.strip()):
            if not _COMPOUND.fullmatch(compound):
                raise ValueError(f"{name} {text!r:.80} is no selector at {compound or each!r:.40}")


def _check(name: str, text: str) -> None:
    """Check that a text is on one line, balanced, and has nothing that could end a selector or media query."""
    bare = _TEXT.sub("", text)
    found = _NOWHERE.search(text) or _OUTSIDE_STRINGS.search(bare)
    if found:
        raise ValueError(f"{name} {text!r:.80} cannot hold {found[0]!r} there")
    open_ones: list[str] = []
    for character in bare:
        if character in _PAIRS:
            open_ones.append(_PAIRS[character])
        elif character in _PAIRS.values() and (not open_ones or open_ones.pop() != character):
            raise ValueError(f"{name} {text!r:.80} is not balanced at {character!r}")
    if open_ones:
        raise ValueError(f"{name} {text!r:.80} lacks a closing {open_ones[-1]!r}")
    if not text.strip() or text != text.strip() or text.strip(",") != text:
        raise ValueError(f"{name} {text!r:.80} begins or ends with nothing")


TARGET = Target("css", "CSS custom properties", CssOptions, naming=NAMING, syntax="WEB")
