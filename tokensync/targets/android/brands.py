"""Brands by the names that code has for them: of styles, and of source sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.naming.words import camel, pascal
from tokensync.targets.android.naming import NAMING
from tokensync.targets.android.qualifiers import ANY

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.generate.sheet import Sheet
    from tokensync.targets.android.showings import BrandAxis

PLAIN = ""
"""Stands for what no brand is chosen of, among brands."""

_NAMELESS = "unnamed"
_TAKEN = frozenset(("main", "test", "androidtest", "testfixtures", "debug", "release", "lint", "all", "res"))
"""What Gradle calls a source set, a build type or a task of its own, in small letters."""


class StyleNames:
    """Names of styles: different ones where the class R sees them, which has underscores for dots."""

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._taken: set[str] = set()

    def named(self, *pieces: str) -> str:
        """``ThemeOverlay.ColorScheme.BrandB``, with a number behind it when there is one already."""
        name = wanted = ".".join((self._prefix, *map(_pascal, pieces)))
        number = 1
        while name.replace(".", "_") in self._taken:
            number += 1
            name = f"{wanted}{number}"
        self._taken.add(name.replace(".", "_"))
        return name


def source_sets(axes: Iterable[BrandAxis]) -> dict[tuple[str, str], str]:
    """The source set of each (axis, brand); no two differ by case alone, for folders may not."""
    names: dict[tuple[str, str], str] = {}
    taken = set(_TAKEN)
    for axis in axes:
        for brand in axis.brands:
            own = _words(brand)
            wanted = (own, (*_words(axis.name), *own))
            choices = [camel(each) for each in wanted if not each[0][0].isdigit()] or [camel(("brand", *own))]
            name = next((each for each in choices if each.lower() not in taken), choices[-1])
            number = 1
            while name.lower() in taken:
                number += 1
                name = f"{choices[-1]}{number}"
            taken.add(name.lower())
            names[axis.name, brand] = name
    return names


def both_sets(first: str, second: str) -> str:
    """The source set of two flavours together, as Gradle calls it."""
    return f"{first}{second[:1].upper()}{second[1:]}"


def parent_of(sheet: Sheet, axis: BrandAxis, brand: str) -> str:
    """The brand that a brand extends, or ``PLAIN``: that of the nearest parent mode that one begins with."""
    begins = {variants[ANY].modes: name for name, variants in axis.brands.items() if ANY in variants}
    begin = axis.brands[brand].get(ANY)
    modes = () if begin is None else begin.modes
    if axis.family is None or len(modes) != 1:
        return PLAIN
    family, index = modes[0]
    parent = sheet.graph.collections[family].modes[index].parent
    while parent is not None:
        found = begins.get(((family, parent),))
        if found is not None and found != brand:
            return found
        parent = sheet.graph.collections[family].modes[parent].parent
    return PLAIN


def _words(name: str) -> tuple[str, ...]:
    return tuple(NAMING.words(name)) or (_NAMELESS,)


def _pascal(name: str) -> str:
    return pascal(_words(name))
