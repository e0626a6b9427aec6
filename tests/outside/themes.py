"""Which theme an element shows: axes, pairs of them that interact, and the system's appearance, said from the graph.

Only which mode stands for dark or for more contrast is asked of the product (``generate.themes``): that is a
reading of names. What depends on what is worked out here anew, and generously: a pair too many is compared for nothing.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import NamedTuple

from tokensync.generate.themes import ORDER, Appearance, combined, counterparts
from tokensync.tokens import Collection, FamilyKey, Theme, TokenGraph, TokenKey, targets

SYSTEMS = (Appearance("light", ""), Appearance("dark", ""), Appearance("light", "more"), Appearance("dark", "more"))
"""What a system can ask for."""


Choice = tuple[dict[str, str], dict["FamilyKey", int]]
"""The attributes of an element, and the modes that they choose."""


class Axis(NamedTuple):
    """A family of several modes: the attribute that chooses one, and each mode's context by its index.

    ``following`` are the extensions that an element may name instead of one of their modes: they follow the system.
    """

    attribute: str
    family: FamilyKey
    contexts: tuple[str, ...]
    following: tuple[tuple[str, tuple[tuple[Appearance, int], ...], int], ...] = ()

    def choices(self, system: Appearance) -> Iterator[Choice]:
        """Every choice on this axis, while the system asks for that appearance."""
        for mode, context in enumerate(self.contexts):
            yield {self.attribute: context}, {self.family: mode}
        for handle, indices, default in self.following:
            fitting = [mode for appearance, mode in indices if holds(appearance, system)]
            yield {self.attribute: handle}, {self.family: fitting[-1] if fitting else default}


def holds(appearance: Appearance, system: Appearance) -> bool:
    """Whether a system that asks for ``system`` is in that appearance; an empty member asks for nothing."""
    return appearance.scheme in ("", system.scheme) and appearance.contrast in ("", system.contrast)


def axes(graph: TokenGraph) -> list[Axis]:
    """The local families of several modes."""
    families = [each for each in graph.collections.values() if each.origin == "local" and len(each.modes) > 1]
    handles = Counter(each.handle for each in families)
    return [
        Axis(
            f"data-{each.handle}" if handles[each.handle] == 1 else f"data-{each.file}-{each.handle}",
            each.key,
            tuple(mode.context for mode in each.modes),
            tuple(following(each)),
        )
        for each in families
    ]


def following(family: Collection) -> Iterator[tuple[str, tuple[tuple[Appearance, int], ...], int]]:
    """(handle, its modes by appearance, its default mode) of each extension that has a mode for an appearance."""
    contexts = {mode.context for mode in family.modes}
    for extension in family.extensions:
        indices = counterparts(family, extension.handle)
        if indices and extension.handle not in contexts:
            yield (
                extension.handle,
                tuple(sorted(indices.items(), key=lambda each: ORDER.index(each[0]))),
                extension.default_mode,
            )


def pairs(graph: TokenGraph) -> list[tuple[Axis, Axis]]:
    """Two axes that some token's value may depend on both of."""
    together = {frozenset(pair) for reached in reach(graph).values() for pair in combinations(reached, 2)}
    return [(one, other) for one, other in combinations(axes(graph), 2) if {one.family, other.family} in together]


def reach(graph: TokenGraph) -> dict[TokenKey, frozenset[FamilyKey]]:
    """The local families whose modes can make a difference to each token, by whatever way its aliases go."""
    dependants: dict[TokenKey, list[TokenKey]] = {}
    reached: dict[TokenKey, frozenset[FamilyKey]] = {}
    switching = {each.family for each in axes(graph)}
    for key, token in graph.tokens.items():
        for value in token.values:
            for target in targets(value):
                dependants.setdefault(target, []).append(key)
        varies = key[:2] in switching and len({value for value in token.values if value is not None}) > 1
        reached[key] = frozenset((key[:2],)) if varies else frozenset()
    waiting = [key for key, own in reached.items() if own]
    while waiting:
        key = waiting.pop()
        for each in dependants.get(key, ()):
            if not reached[key] <= reached[each]:
                reached[each] |= reached[key]
                waiting.append(each)
    return reached


def systems(graph: TokenGraph) -> list[tuple[Appearance, dict[FamilyKey, int]]]:
    """Every appearance that makes sense for the graph, and the modes that the system chooses in it."""
    asks_for_contrast = any(appearance.contrast for appearance, _ in appearances(graph))
    return [(each, chosen_by(graph, each)) for each in SYSTEMS if asks_for_contrast or not each.contrast]


def chosen_by(graph: TokenGraph, system: Appearance) -> dict[FamilyKey, int]:
    """The modes that the system chooses in an appearance."""
    holding = [theme for appearance, theme in appearances(graph) if holds(appearance, system)]
    return dict(holding[-1].modes) if holding else {}


def appearances(graph: TokenGraph) -> tuple[tuple[Appearance, Theme], ...]:
    """The themes of all families at once, from the plainest appearance on."""
    return combined({each.family: counterparts(graph.collections[each.family]) for each in axes(graph)})


def theme_of(system: Mapping[FamilyKey, int], choices: Iterable[Mapping[FamilyKey, int]]) -> Theme:
    """What an element shows: the system's modes, under what is chosen from the outermost element inwards."""
    modes = dict(system)
    for chosen in choices:
        modes |= chosen
    return Theme("", tuple(sorted(modes.items())))
