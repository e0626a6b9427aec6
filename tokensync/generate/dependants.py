"""Alias edges turned round: which tokens follow when some change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.tokens import Alias, ComposedColor

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tokensync.tokens import TokenKey, Value

Dependants = dict["TokenKey", list["TokenKey"]]


def add_dependants(dependants: Dependants, written: Iterable[tuple[TokenKey, Value | None]]) -> None:
    """Enter each token under every token that its written value refers to."""
    for key, value in written:
        if type(value) is Alias:
            dependants.setdefault(value.target, []).append(key)
        elif type(value) is ComposedColor:
            for part in (value.color, value.opacity):
                if type(part) is Alias:
                    dependants.setdefault(part.target, []).append(key)


def with_dependants(changed: Iterable[TokenKey], *edges: Mapping[TokenKey, list[TokenKey]]) -> set[TokenKey]:
    """The tokens and all that follow them, at any distance. Linear, and safe on cycles."""
    found = set(changed)
    waiting = list(found)
    while waiting:
        key = waiting.pop()
        for each in edges:
            for dependant in each.get(key, ()):
                if dependant not in found:
                    found.add(dependant)
                    waiting.append(dependant)
    return found
