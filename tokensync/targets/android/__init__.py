"""Android resources."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct, field

from tokensync.generate.request import Target
from tokensync.naming.rules import ASCII_WORD, NAMELESS, NamingRules, cut, transliterated
from tokensync.targets.android.qualifiers import qualifiers

if TYPE_CHECKING:
    from collections.abc import Iterator


RESERVED = frozenset(
    """
    _ abstract as assert boolean break byte case catch char class const continue default do double else enum extends
    false final finally float for fun goto if implements import in instanceof int interface is long native new null
    object package private protected public return short static strictfp super switch synchronized this throw throws
    transient true try typealias typeof val var void volatile when while
    """.split()
)
"""Java's keywords and literals and Kotlin's hard keywords: a resource name is a field of the class R in both."""

_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_]+")


def resource_name(name: str) -> str:
    """Return a resource name: ASCII, no keyword of Java or Kotlin, since it becomes a field of the class R.

    No dots: the class R has underscores in their place, so that ``a.b`` and ``a_b`` would be one field.
    """
    ascii_name = "".join(each if each.isascii() else transliterated(each) or "_" for each in name)
    body = _NOT_IN_A_NAME.sub("_", ascii_name)
    if not any(map(str.isalnum, body)):
        body = NAMELESS
    if body[0].isdigit():
        body = f"_{body}"
    return cut(f"{body}_" if body in RESERVED else body, "_")


NAMING = NamingRules(
    "android",
    valid=ASCII_WORD,
    repair=resource_name,
    reserved=RESERVED,
    ascii=True,
)


ThemeName = Annotated[str, Meta(min_length=1)]
StyleName = Annotated[
    str,
    Meta(
        pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$(?!\n)",
        max_length=100,
        description="What the names of styles begin with: a style name, such as `ThemeOverlay` or `Theme.Acme`.",
    ),
]
ParentName = Annotated[
    str,
    Meta(
        pattern=r"^((@(android:)?style/|android:)?[A-Za-z_][A-Za-z0-9_.]*)?$(?!\n)",
        max_length=200,
        description="The parent of each axis's first style: a style name, such as `Theme.Material3.DayNight`.",
    ),
]


class AndroidTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a theme is shown: under these resource qualifiers (``sw600dp-night``), and in which brand.

    Without a brand the plain resources show it under its qualifiers; without either it is a brand of its own name.
    """

    qualifier: Annotated[
        str,
        Meta(
            max_length=200, description="Resource qualifiers in Android's order, such as `night` or `de-sw600dp-night`."
        ),
    ] = ""
    brand: Annotated[
        str,
        Meta(max_length=100, description="The style or the source set that shows it; none for the plain resources."),
    ] = ""


class AndroidOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How resources are written, and which mechanism shows which theme.

    ``brands`` is for themes without a qualifier: they are omitted, are styles over attributes, or folders of resources
    for Gradle's source sets. ``styles`` is what their names begin with, ``style_parent`` the parent of the first style
    of each axis. ``text`` is the unit of text sizes. ``layout`` puts each resource type, or each collection, into a
    file.
    """

    themes: Annotated[
        dict[ThemeName, AndroidTheme],
        Meta(description="By the name of a theme, under which resource qualifiers it is shown, and in which brand."),
    ] = field(default_factory=dict)
    brands: Annotated[
        Literal["none", "styles", "source-sets"],
        Meta(
            description="What themes without a qualifier become: nothing, styles, or resource folders for source sets."
        ),
    ] = "none"
    styles: StyleName = "ThemeOverlay"
    style_parent: ParentName = ""
    text: Annotated[Literal["sp", "dp"], Meta(description="The unit of text sizes.")] = "sp"
    layout: Annotated[
        Literal["types", "collections"], Meta(description="A file for each resource type, or for each collection.")
    ] = "types"
    descriptions: Annotated[bool, Meta(description="Write descriptions as comments.")] = True

    def faults(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """Yield what a schema cannot express, with the path to it: unknown qualifiers."""
        for name, theme in self.themes.items():
            try:
                qualifiers(theme.qualifier)
            except ValueError as fault:
                yield ("themes", name, "qualifier"), str(fault)


TARGET = Target("android", "Android resources", AndroidOptions, naming=NAMING, syntax="ANDROID")
