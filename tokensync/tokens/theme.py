"""Themes: named contexts that say which mode each collection family is in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.tokens.collection import Collection

FamilyKey = tuple[str, str]

DEFAULT_THEME_NAME = "default"


class Theme(Struct, frozen=True):
    """A name and the modes it chooses: pairs of a family's (file, handle) and an index into its modes.

    A family that is not mentioned is in its default mode.
    """

    name: str
    modes: tuple[tuple[FamilyKey, int], ...] = ()


DEFAULT_THEME = Theme(DEFAULT_THEME_NAME)


def inferred_themes(collections: Iterable[Collection]) -> tuple[Theme, ...]:
    """A theme for each mode of each local family of several modes, the other families at their default.

    Named ``<collection handle>/<mode context>``, with ``<file>/`` before it when the collections are of several files.
    """
    families = tuple(each for each in collections if each.origin == "local" and len(each.modes) > 1)
    several_files = len({each.file for each in families}) > 1
    return tuple(
        Theme(
            f"{family.file}/{family.handle}/{mode.context}" if several_files else f"{family.handle}/{mode.context}",
            ((family.key, index),),
        )
        for family in families
        for index, mode in enumerate(family.modes)
    )
