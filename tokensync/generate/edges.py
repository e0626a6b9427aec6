"""What refers to what in any mode: circles that only some modes close, and what a token may come to in one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.generate.dependants import with_dependants
from tokensync.tokens import targets
from tokensync.tokens.resolver import NEEDS_RESOLVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.generate.resolution import Resolution
    from tokensync.tokens import Resolved

Edges = dict[int, set[int]]
"""By the place of a token, those that it refers to in some mode."""


def edges_of(resolution: Resolution) -> Edges:
    """All references of the graph, those of composed colours and composites too."""
    edges: Edges = {}
    for place, code, mode in _codes(resolution):
        if code >= 0:
            edges.setdefault(place, set()).add(code)
        elif code == NEEDS_RESOLVER:
            value = resolution.graph.value(resolution.columns.tokens[place], mode)
            known = resolution.columns.places
            edges.setdefault(place, set()).update(known[each] for each in targets(value) if each in known)
    return edges


def on_circles(edges: Edges) -> frozenset[int]:
    """The tokens on a circle, and those between two circles: what is left when ends and beginnings are taken away."""
    return frozenset(_without_ends(_turned(_without_ends(edges))))


def not_always(fits: Callable[[Resolved | None], bool], resolution: Resolution, edges: Edges) -> set[int]:
    """The tokens that in some mode come to a literal that does not fit, or may come to one.

    None stands for what is written but is no literal and no plain alias: a composed colour, or nothing that is there.
    """
    values = resolution.columns.values
    found = set()
    for place, code, _ in _codes(resolution):
        if code <= NEEDS_RESOLVER and not fits(None if code == NEEDS_RESOLVER else values[NEEDS_RESOLVER - 1 - code]):
            found.add(place)
    return with_dependants(found, {place: list(of) for place, of in _turned(edges).items()})


def beyond_percentages(resolution: Resolution, edges: Edges) -> set[int]:
    """The tokens that in some mode are no percentage from 0 to 100, or may be none: as an opacity they need limits."""
    return not_always(_is_percentage, resolution, edges)


def _is_percentage(value: Resolved | None) -> bool:
    return type(value) is float and 0 <= value <= 100


def _codes(resolution: Resolution) -> Iterator[tuple[int, int, int]]:
    """(place, code, mode) of each token in each mode of its family."""
    columns = resolution.columns
    for key, family in resolution.graph.collections.items():
        for mode in range(len(family.modes)):
            for place, code in zip(columns.of_family[key], columns.column(key, mode), strict=True):
                yield place, code, mode


def _turned(edges: Edges) -> Edges:
    turned: Edges = {}
    for place, of in edges.items():
        for target in of:
            turned.setdefault(target, set()).add(place)
    return turned


def _without_ends(edges: Edges) -> Edges:
    """The edges but for those of tokens that refer to nothing, once more until there are none."""
    left = {place: len(of) for place, of in edges.items()}
    referring = _turned(edges)
    waiting = [place for place in referring if not left.get(place)]
    gone = set(waiting)
    while waiting:
        for place in referring.get(waiting.pop(), ()):
            left[place] -= 1
            if not left[place]:
                gone.add(place)
                waiting.append(place)
    return {place: of - gone for place, of in edges.items() if place not in gone}
