"""What depends on what: references in any mode, cycles that only some modes close, and what may vary."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens import targets
from tokensync.tokens.algorithms import closure, on_cycles, reverse
from tokensync.tokens.resolver import NEEDS_RESOLVER

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.generate.resolution import Resolution
    from tokensync.tokens import Resolved

Edges = dict[int, set[int]]
"""By token index, the tokens that it refers to in some mode."""


def edges_of(resolution: Resolution) -> Edges:
    """Return all references of the graph, those of composed colours and composites too."""
    edges: Edges = {}
    for index, code, mode in _codes(resolution):
        if code >= 0:
            edges.setdefault(index, set()).add(code)
        elif code == NEEDS_RESOLVER:
            value = resolution.graph.value(resolution.columns.tokens[index], mode)
            known = resolution.columns.places
            edges.setdefault(index, set()).update(known[each] for each in targets(value) if each in known)
    return edges


def on_cycles_or_between(edges: Edges) -> set[int]:
    """Return the tokens on a cycle, and those on the way from one cycle to another."""
    cyclic = on_cycles(edges)
    referring = reverse(edges)
    onwards = closure(cyclic, lambda index: edges.get(index, ()))
    return closure(cyclic, lambda index: referring.get(index, ())).keys() & onwards.keys()


def not_always(fits: Callable[[Resolved | None], bool], resolution: Resolution, edges: Edges) -> set[int]:
    """Return the tokens that in some mode show a literal that does not fit, or may show one.

    ``fits`` is given None for a value that is neither a literal nor a plain alias: a composed colour, or none at all.
    """
    values = resolution.columns.values
    found = set()
    for index, code, _ in _codes(resolution):
        if code <= NEEDS_RESOLVER and not fits(None if code == NEEDS_RESOLVER else values[NEEDS_RESOLVER - 1 - code]):
            found.add(index)
    referring = reverse(edges)
    return set(closure(found, lambda index: referring.get(index, ())))


def beyond_percentages(resolution: Resolution, edges: Edges) -> set[int]:
    """Return the tokens that in some mode may not be a percentage from 0 to 100: as an opacity they need limits."""
    return not_always(_is_percentage, resolution, edges)


def _is_percentage(value: Resolved | None) -> bool:
    return type(value) is float and 0 <= value <= 100


def _codes(resolution: Resolution) -> Iterator[tuple[int, int, int]]:
    """Yield (token index, code, mode) of each token in each mode of its family."""
    columns = resolution.columns
    for key, family in resolution.graph.collections.items():
        for mode in range(len(family.modes)):
            for index, code in zip(columns.of_family[key], columns.column(key, mode), strict=True):
                yield index, code, mode
