"""Graph algorithms for hashable nodes, such as token keys, token indices and variable ids.

``edges`` is a function from a node to the nodes that it refers to (for a list, ``neighbours.__getitem__``). Every
function runs in linear time, is deterministic, and supports cycles and chains of any length.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

Node = TypeVar("Node", bound="Hashable")

_CLOSED = sys.maxsize
"""The low link of a node in a complete component, which no edge can extend."""

_ROUNDS = 16


def components(nodes: Iterable[Node], edges: Callable[[Node], Iterable[Node]]) -> list[list[Node]]:
    """Return the strongly connected components of the nodes and their closure, targets first (Tarjan).

    A component follows those that it refers to; otherwise the order of nodes and edges applies. The members of a
    component are in search order, starting with its entry node.
    """
    result: list[list[Node]] = []
    low: dict[Node, int] = {}
    unassigned: list[Node] = []
    for start in nodes:
        if start in low:
            continue
        low[start] = number = len(low)
        path: list[tuple[Node, int, int, Iterator[Node]]] = [(start, number, 0, iter(edges(start)))]
        unassigned.append(start)
        while path:
            node, number, position, ahead = path[-1]
            lowest = low[node]
            for target in ahead:
                known = low.get(target)
                if known is None:
                    low[node] = lowest
                    low[target] = known = len(low)
                    path.append((target, known, len(unassigned), iter(edges(target))))
                    unassigned.append(target)
                    break
                if known < lowest:
                    lowest = known
            else:
                path.pop()
                if lowest == number:
                    members = unassigned[position:]
                    del unassigned[position:]
                    for member in members:
                        low[member] = _CLOSED
                    result.append(members)
                else:  # the root of a search is the entry of its component, so there is a parent
                    low[node] = lowest
                    parent = path[-1][0]
                    if lowest < low[parent]:
                        low[parent] = lowest
    return result


def ranks(nodes: Iterable[Node], edges: Callable[[Node], Iterable[Node]]) -> dict[Node, int]:
    """Return a rank for every node. Its targets have a lower rank, or the same one in a common cycle."""
    return {node: rank for rank, members in enumerate(components(nodes, edges)) for node in members}


def on_cycles(edges: Mapping[Node, Collection[Node]]) -> set[Node]:
    """Return the nodes that refer to themselves, directly or through others."""
    # Removing leaves costs a tenth of a search, and few chains are long. In one of two directions, a chain takes a
    # single round.
    inner, nodes = set(edges), [*edges]
    for _ in range(_ROUNDS):
        left = []
        for node in nodes:
            if inner.isdisjoint(edges[node]):
                inner.discard(node)
            else:
                left.append(node)
        if len(left) == len(nodes):
            break
        nodes = left[::-1]
    cycles = components(nodes, lambda node: filter(inner.__contains__, edges[node]))
    return {node for members in cycles if len(members) > 1 or members[0] in edges[members[0]] for node in members}


def closure(starts: Iterable[Node], edges: Callable[[Node], Iterable[Node]]) -> dict[Node, Node]:
    """Return the transitive closure of the starts, nearest first, by breadth-first search.

    Each node maps to its predecessor on a shortest path from a start; a start maps to itself. With edges from
    ``reverse``, the result is the dependents of the starts.
    """
    predecessors = {start: start for start in starts}
    pending = list(predecessors)
    for node in pending:  # grows during the loop
        for target in edges(node):
            if target not in predecessors:
                predecessors[target] = node
                pending.append(target)
    return predecessors


def reached(starts: Iterable[Node], *edges: Callable[[Node], Iterable[Node] | None]) -> set[Node]:
    """Return the nodes of the closure along edges of several kinds; a node without edges may have None.

    It goes level by level, because ``closure`` takes half as long again for thousands of nodes.
    """
    found: set[Node] = set()
    level = {*starts}
    while level:
        found |= level
        following: set[Node] = set()
        for targets_of in edges:
            following.update(*filter(None, map(targets_of, level)))
        level = following - found
    return found


def spread(marks: Mapping[Node, int], edges: Callable[[Node], Iterable[Node]]) -> dict[Node, int]:
    """Return the closure of the marked nodes, each with the bits of all nodes that lead to it."""
    bits = {node: mark for node, mark in marks.items() if mark}
    pending = list(bits)
    while pending:
        node = pending.pop()
        mark = bits[node]
        for target in edges(node):
            previous = bits.get(target, 0)
            if previous | mark != previous:
                bits[target] = previous | mark
                pending.append(target)
    return bits


def reverse(edges: Mapping[Node, Iterable[Node]]) -> dict[Node, list[Node]]:
    """Return the reversed edges: for each target, the nodes that refer to it, in their order."""
    sources: dict[Node, list[Node]] = {}
    for node, targets in edges.items():
        for target in targets:
            sources.setdefault(target, []).append(node)
    return sources
