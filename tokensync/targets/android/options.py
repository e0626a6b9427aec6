"""Options of an Android resource output."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from msgspec import Meta, Struct, field

from tokensync.targets.android.qualifiers import qualifiers

if TYPE_CHECKING:
    from collections.abc import Iterator

ThemeName = Annotated[str, Meta(min_length=1)]
StyleName = Annotated[str, Meta(pattern=r"^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z0-9_]+)*$(?!\n)", max_length=100)]
ParentName = Annotated[
    str,
    Meta(pattern=r"^((@(android:)?style/|android:)?[A-Za-z_][A-Za-z0-9_.]*)?$(?!\n)", max_length=200),
]


class AndroidTheme(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Where a theme is shown: under these resource qualifiers (``sw600dp-night``), and in which brand.

    Without a brand the plain resources show it under its qualifiers; without either it is a brand of its own name.
    """

    qualifier: Annotated[str, Meta(max_length=200)] = ""
    brand: Annotated[str, Meta(max_length=100)] = ""


class AndroidOptions(Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How resources are written, and which mechanism shows which theme.

    ``brands`` is for themes without a qualifier: they are left out, are styles over attributes, or folders of resources
    for Gradle's source sets. ``styles`` is what their names begin with, ``style_parent`` the parent of the first style
    of each axis. ``text`` is the unit of text sizes. ``layout`` puts each resource type, or each collection, into a
    file.
    """

    themes: dict[ThemeName, AndroidTheme] = field(default_factory=dict)
    brands: Literal["none", "styles", "source-sets"] = "none"
    styles: StyleName = "ThemeOverlay"
    style_parent: ParentName = ""
    text: Literal["sp", "dp"] = "sp"
    layout: Literal["types", "collections"] = "types"
    descriptions: bool = True

    def faults(self) -> Iterator[tuple[tuple[str, ...], str]]:
        """What a schema cannot tell, with the names that lead to it: qualifiers that Android does not know."""
        for name, theme in self.themes.items():
            try:
                qualifiers(theme.qualifier)
            except ValueError as fault:
                yield ("themes", name, "qualifier"), str(fault)
