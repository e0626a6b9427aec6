"""The order of aliases: numbers for variables, such that what a variable refers to has a smaller one."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tokensync.plan.state import Ref


def alias_order(starts: Iterable[Ref], targets: Callable[[Ref], Iterable[Ref]]) -> dict[Ref, int]:
    """A number for all variables that are reached: that of what it refers to is smaller, or the same in a circle.

    Tarjan's strongly connected components, without recursion, since a chain of aliases has any length. Variables come
    in the order of ``starts``, but for what they refer to.
    """
    numbers: dict[Ref, int] = {}
    seen: dict[Ref, int] = {}
    low: dict[Ref, int] = {}
    open_: list[Ref] = []
    for start in starts:
        if start in seen:
            continue
        seen[start] = low[start] = len(seen)
        open_.append(start)
        path: list[tuple[Ref, Iterator[Ref]]] = [(start, iter(targets(start)))]
        while path:
            ref, ahead = path[-1]
            for target in ahead:
                if target not in seen:
                    seen[target] = low[target] = len(seen)
                    open_.append(target)
                    path.append((target, iter(targets(target))))
                    break
                if target not in numbers:
                    low[ref] = min(low[ref], seen[target])
            else:
                path.pop()
                if path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[ref])
                if low[ref] == seen[ref]:
                    _close(ref, open_, numbers)
    return numbers


def _close(first: Ref, open_: list[Ref], numbers: dict[Ref, int]) -> None:
    """A circle, mostly of one, is complete."""
    number = len(numbers)
    while True:
        ref = open_.pop()
        numbers[ref] = number
        if ref == first:
            return
