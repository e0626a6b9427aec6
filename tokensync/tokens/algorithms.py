"""Graph algorithms for nodes of any hashable kind, such as token keys, token indices and variable ids.

``edges`` is a function from a node to the nodes that it refers to; for a list of neighbours by index that is
``neighbours.__getitem__``. Every function is linear, gives the same answer in every run, and is safe on cycles and on
chains of any length.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping

Node = TypeVar("Node", bound="Hashable")

_CLOSED = sys.maxsize
"""The low link of a node whose component is complete: no edge to it can join two nodes."""

_ROUNDS = 16


def components(nodes: Iterable[Node], edges: Callable[[Node], Iterable[Node]]) -> list[list[Node]]:
    """Return the strongly connected components of the nodes and of all that they refer to, targets first (Tarjan).

    A component comes after those that it refers to; else the order of the nodes and of their edges decides. A component
    has its members in the order of the search, so that the first one is where the search came in.
    """
    found: list[list[Node]] = []
    low: dict[Node, int] = {}
    unassigned: list[Node] = []
    for start in nodes:
        if start in low:
            continue
        low[start] = len(low)
        path: list[tuple[Node, int, int, Iterator[Node]]] = [(start, low[start], 0, iter(edges(start)))]
        unassigned.append(start)
        while path:
            node, number, position, ahead = path[-1]
            for target in ahead:
                if target not in low:
                    low[target] = len(low)
                    path.append((target, low[target], len(unassigned), iter(edges(target))))
                    unassigned.append(target)
                    break
                low[node] = min(low[node], low[target])
            else:
                path.pop()
                if low[node] == number:
                    members = unassigned[position:]
                    del unassigned[position:]
                    low.update(dict.fromkeys(members, _CLOSED))
                    found.append(members)
                elif path:
                    above = path[-1][0]
                    low[above] = min(low[above], low[node])
    return found


def ranks(nodes: Iterable[Node], edges: Callable[[Node], Iterable[Node]]) -> dict[Node, int]:
    """Return a number for every node: what it refers to has a smaller one, or the same one on a cycle with it."""
    return {node: rank for rank, members in enumerate(components(nodes, edges)) for node in members}


def on_cycles(edges: Mapping[Node, Collection[Node]]) -> set[Node]:
    """Return the nodes that refer to themselves, directly or through others."""
    # A search costs ten times what it costs to drop nodes that refer to nothing left, and few chains are long.
    for _ in range(_ROUNDS):
        left = {node: ends for node, ends in edges.items() if not edges.keys().isdisjoint(ends)}
        if len(left) == len(edges):
            break
        edges = left
    found = components(edges, lambda node: filter(edges.__contains__, edges[node]))
    return {node for members in found if len(members) > 1 or members[0] in edges[members[0]] for node in members}


def closure(starts: Iterable[Node], edges: Callable[[Node], Iterable[Node]]) -> dict[Node, Node]:
    """Return the starts and all that they refer to, however indirectly, nearest first.

    Each node maps to the one that it was first found through, a start to itself: so the way back to a start is a
    shortest one. With ``reverse``, the closure is what depends on the starts.
    """
    found = {start: start for start in starts}
    pending = list(found)
    for node in pending:  # it grows
        for target in edges(node):
            if target not in found:
                found[target] = node
                pending.append(target)
    return found


def spread(marks: Mapping[Node, int], edges: Callable[[Node], Iterable[Node]]) -> dict[Node, int]:
    """Return the marked nodes and all that they refer to, each with the bits of all nodes that lead to it."""
    found = {node: mark for node, mark in marks.items() if mark}
    pending = list(found)
    while pending:
        node = pending.pop()
        mark = found[node]
        for target in edges(node):
            known = found.get(target, 0)
            if known | mark != known:
                found[target] = known | mark
                pending.append(target)
    return found


def reverse(edges: Mapping[Node, Iterable[Node]]) -> dict[Node, list[Node]]:
    """Return the edges turned round: for each target, the nodes that refer to it, in their order."""
    turned: dict[Node, list[Node]] = {}
    for node, ends in edges.items():
        for target in ends:
            turned.setdefault(target, []).append(node)
    return turned
