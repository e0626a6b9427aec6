"""Alias edges turned round: which tokens follow when some change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Dependants = dict[int, list[int]]
"""By the place of a token, the places of those that refer to it."""


def with_dependants(changed: Iterable[int], *edges: Mapping[int, list[int]]) -> set[int]:
    """The tokens and all that follow them, at any distance. Linear, and safe on cycles."""
    found = set(changed)
    waiting = list(found)
    while waiting:
        place = waiting.pop()
        for each in edges:
            for dependant in each.get(place, ()):
                if dependant not in found:
                    found.add(dependant)
                    waiting.append(dependant)
    return found
