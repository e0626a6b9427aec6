"""Which theme an element of a page shows: the mode of a collection and its brand are chosen by an attribute each.

What is dark by the system is asked of outside/themes.py; how brands and modes go together is said here anew.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, product
from typing import NamedTuple

from outside import themes

from tokensync.tokens import Collection, FamilyKey, Theme, TokenGraph

MODE, BRAND = "mode", "brand"
Chosen = dict[tuple[str, "FamilyKey"], "int | str"]
"""By ``MODE`` or ``BRAND`` and family, the mode's index or the brand's handle."""
Choice = tuple[dict[str, str], Chosen]
"""The attributes of an element, and what they choose."""


class Axis(NamedTuple):
    """An attribute, and what each of its values chooses."""

    kind: str
    family: FamilyKey
    attribute: str
    contexts: tuple[tuple[str, int | str], ...]

    def choices(self) -> list[Choice]:
        """Every choice on this axis."""
        return [({self.attribute: name}, {(self.kind, self.family): value}) for name, value in self.contexts]


def axes(graph: TokenGraph) -> list[Axis]:
    """The axes of local families of several modes; the modes of extensions have no attribute of their own."""
    families = [each for each in graph.collections.values() if each.origin == "local" and len(each.modes) > 1]
    handles = Counter(each.handle for each in families)
    names = {each.key: each.handle if handles[each.handle] == 1 else f"{each.file}-{each.handle}" for each in families}
    branded = [each for each in families if each.extensions]
    themes = []
    for each in families:
        own = tuple((mode.context, at) for at, mode in enumerate(each.modes) if mode.collection == each.handle)
        if len(own) > 1:
            themes.append(Axis(MODE, each.key, f"data-{names[each.key]}", own))
        if each.extensions:
            only = len(branded) == 1 and "brand" not in names.values()
            attribute = "data-brand" if only else f"data-{names[each.key]}-brand"
            brands = (each.handle, *(extension.handle for extension in each.extensions))
            themes.append(Axis(BRAND, each.key, attribute, tuple((brand, brand) for brand in brands)))
    return themes


def pairs(graph: TokenGraph) -> list[tuple[Axis, Axis]]:
    """Two axes that some token's value may depend on both of."""
    together = {frozenset(pair) for reached in themes.reach(graph).values() for pair in combinations(reached, 2)}
    return [
        (one, other)
        for one, other in combinations(axes(graph), 2)
        if one.family == other.family or {one.family, other.family} in together
    ]


def theme_of(graph: TokenGraph, system: Mapping[FamilyKey, int], choices: Iterable[Chosen]) -> Theme:
    """What an element shows: the system's modes, under what is chosen from the outermost element inwards."""
    chosen: Chosen = {(MODE, family): mode for family, mode in system.items()}
    for each in choices:
        chosen |= each
    shown = ((key, _mode(family, chosen)) for key, family in graph.collections.items())
    return Theme("", tuple(sorted(shown)))


def _mode(family: Collection, chosen: Chosen) -> int:
    """The chosen mode in the chosen brand: the mode of the brand that inherits from it."""
    mode = chosen.get((MODE, family.key), family.default_mode)
    brand = chosen.get((BRAND, family.key), family.handle)
    inheriting = {at: each for at, each in enumerate(family.modes) if mode in _ancestry(family, at)}
    return next((at for at, each in inheriting.items() if each.collection == brand), mode)


def _ancestry(family: Collection, mode: int | None) -> Iterator[int]:
    while mode is not None:
        yield mode
        mode = family.modes[mode].parent


def nestings(graph: TokenGraph, deepest: int) -> Iterator[tuple[Choice, ...]]:
    """Every path of elements that make one choice each."""
    several = [choice for axis in axes(graph) for choice in axis.choices()]
    for depth in range(deepest + 1):
        yield from product(several, repeat=depth)
