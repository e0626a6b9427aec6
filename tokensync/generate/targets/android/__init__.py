"""Android resources."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Literal

from msgspec import Meta, Struct, field

from tokensync.generate.material import Material
from tokensync.generate.naming.rules import ASCII_WORDS, NAMELESS, NamingRules, cut, transliterated
from tokensync.generate.target import Target
from tokensync.generate.targets.android.qualifiers import qualifiers

RESERVED = frozenset(
    """
    _ abstract as assert boolean break byte case catch char class const continue default do double else enum extends
    false final finally float for fun goto if implements import in instanceof int interface is long native new null
    object package private protected public return short static strictfp super switch synchronized this throw throws
    transient true try typealias typeof val var void volatile when while
    """.split()
)
"""The keywords and literals of Java and hard keywords of Kotlin: resource names become fields of the class R."""

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_]+")


def resource_name(name: str) -> str:
    """Return an ASCII resource name that can be a field of the class R in Java and Kotlin.

    Dots become underscores, as in the class R, where ``a.b`` and ``a_b`` would be the same field.
    """
    ascii_name = "".join(each if each.isascii() else transliterated(each) or "_" for each in name)
    body = _NOT_IN_A_NAME.sub("_", ascii_name)
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isdigit():
        body = f"_{body}"
    return cut(f"{body}_" if body in RESERVED else body, "_")


NAMING = NamingRules("android", valid_lines=ASCII_WORDS, repair=resource_name, reserved=RESERVED, ascii=True)


ThemeName = Annotated[str, Meta(min_length=1)]
_STYLE_NAME = r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$(?!\n)"
_PARENT_NAME = r"^((@(android:)?style/|android:)?[A-Za-z_][A-Za-z0-9_.]*)?$(?!\n)"
StyleName = Annotated[
    str,
    Meta(
        pattern=_STYLE_NAME,
        max_length=100,
        description="The prefix of style names, such as `ThemeOverlay` or `Theme.Acme`.",
    ),
]
ParentName = Annotated[
    str,
    Meta(
        pattern=_PARENT_NAME,
        max_length=200,
        description="The parent of the base style of each axis, such as `Theme.Material3.DayNight`.",
    ),
]


class AndroidTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The resource qualifiers (``sw600dp-night``) and the brand that show a theme.

    A theme without a brand goes into the plain resources; without either, it is a brand with the theme's name.
    """

    qualifier: Annotated[
        str,
        Meta(
            max_length=200, description="Resource qualifiers in Android's order, such as `night` or `de-sw600dp-night`."
        ),
    ] = ""
    brand: Annotated[
        str, Meta(max_length=100, description="The style or source set that shows it; empty for the plain resources.")
    ] = ""


class AndroidMaterial(Material, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which tokens fill the roles of a Material 3 theme, and the theme's name and parent."""

    theme: Annotated[
        str, Meta(pattern=_STYLE_NAME, max_length=100, description="The name of the theme, such as `Theme.Acme`.")
    ] = "Theme.DesignTokens"
    parent: Annotated[
        str, Meta(pattern=_PARENT_NAME, max_length=200, description="The theme of Material that it extends.")
    ] = "Theme.Material3.DayNight.NoActionBar"


class AndroidOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The options of an android output.

    ``brands`` applies to themes without a qualifier: they are omitted, written as styles over attributes, or as
    resource folders of Gradle source sets. ``styles`` is the prefix of style names, ``style_parent`` the parent of each
    axis's base style. ``layout`` writes one file per resource type or per collection.
    """

    themes: Annotated[
        dict[ThemeName, AndroidTheme],
        Meta(description="The resource qualifiers and the brand that show a theme, by the name of the theme."),
    ] = field(default_factory=dict)
    brands: Annotated[
        Literal["none", "styles", "source-sets"],
        Meta(description="How themes without a qualifier are written: not at all, as styles, or as source sets."),
    ] = "none"
    styles: StyleName = "ThemeOverlay"
    style_parent: ParentName = ""
    text: Annotated[Literal["sp", "dp"], Meta(description="The unit of text sizes.")] = "sp"
    text_appearances: Annotated[
        str,
        Meta(
            pattern=_STYLE_NAME,
            max_length=100,
            description="The prefix of the names of text styles, such as `Acme.TextAppearance`.",
        ),
    ] = "TextAppearance"
    shadows: Annotated[
        Literal["none", "elevation"],
        Meta(description="How shadows are written: not at all, or as the elevation closest to them."),
    ] = "none"
    line_height: Annotated[
        Literal["platform", "material"],
        Meta(description="The attributes of line heights: `android:lineHeight`, or also Material's `lineHeight`."),
    ] = "platform"
    material: Annotated[AndroidMaterial | None, Meta(description="Write a Material 3 theme with the tokens.")] = None
    lint_ignore: Annotated[
        tuple[Annotated[str, Meta(pattern=r"^[A-Za-z]+$(?!\n)", max_length=100)], ...],
        Meta(description="Issues that Android lint does not report in values, such as `UnusedResources`."),
    ] = ()
    layout: Annotated[
        Literal["types", "collections"], Meta(description="Write one file per resource type, or one per collection.")
    ] = "types"
    descriptions: Annotated[bool, Meta(description="Write descriptions as comments.")] = True

    def faults(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield the option path and the error of each invalid qualifier, which a schema cannot express."""
        for name, theme in self.themes.items():
            try:
                qualifiers(theme.qualifier)
            except ValueError as error:
                yield ("themes", name, "qualifier"), str(error)
        for path, fault in self.material.faults() if self.material else ():
            yield ("material", *path), fault


TARGET = Target("android", "Android resources", AndroidOptions, naming=NAMING, syntax="ANDROID")
