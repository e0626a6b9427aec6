"""Which aliases any DTCG reader can follow, and to what ``$type``.

An alias is written as a plain reference only when its target shows a ``$value`` in every context that the alias can
meet: then no cycle, no dangling end and no change of type on the way makes a reader stop. All others are kept in our
extension (``kept``). A reader compares the ``$type`` of an alias with its target's, so a dimension that refers to a
plain number is written as a number, and its own type beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.formats.dtcg.literals import literal_text
from tokensync.formats.dtcg.references import is_reference
from tokensync.formats.dtcg.spelling import DTCG_TYPES, kind
from tokensync.tokens import Alias, Color, ComposedColor, Theme, Unresolved, float32

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.tokens import Collection, Resolved, Token, TokenGraph, TokenKey, Value

Node = tuple["TokenKey", int]  # a token, and the column whose value it is about; ALL_COLUMNS for whatever it shows

ALL_COLUMNS = -1


class Grounding:
    """Answers for one graph; each token and column is worked out once."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self._shown: dict[Node, str | None] = {}
        self._literals: dict[tuple[str, str, int], Callable[[TokenKey], Resolved]] = {}
        self._inheritors = {key: _inheritors(family) for key, family in graph.collections.items()}

    def type_of(self, token: Token, column: int) -> str | None:
        """The ``$type`` that a reader sees for the value in this column; None when there is nothing for it to see."""
        value = token.values[column]
        if not isinstance(value, Alias | ComposedColor):
            return self._type_of_literal(token, value, column)
        node = (token.key, column)
        if node not in self._shown:
            self._work_out(node)
        return self._shown[node]

    def literal(self, token: Token, column: int) -> Resolved:
        """What the token resolves to with its family in this mode and the others at their default."""
        family = token.key[:2]
        resolver = self._literals.get((*family, column))
        if resolver is None:
            resolver = self._literals[*family, column] = self.graph.resolver(Theme("", ((family, column),)))
        resolved = resolver(token.key)
        if isinstance(resolved, Color):
            return Color(resolved.red, resolved.green, resolved.blue, float32(resolved.alpha))
        return resolved

    def _work_out(self, start: Node) -> None:
        """Settle a node after all that it leads to, without recursion. Whatever leads back to itself shows nothing."""
        pending: list[tuple[Node, Iterator[Node]]] = [(start, iter(self._nodes_behind(start)))]
        open_at = {start}
        while pending:
            node, behind = pending[-1]
            step = next((each for each in behind if each not in self._shown), None)
            if step is None:
                self._shown[node] = self._settled(node)
                open_at.discard(node)
                pending.pop()
            elif step in open_at:
                self._shown[step] = None
            else:
                open_at.add(step)
                pending.append((step, iter(self._nodes_behind(step))))

    def _nodes_behind(self, node: Node) -> tuple[Node, ...]:
        key, column = node
        token = self.graph.tokens[key]
        if column == ALL_COLUMNS:
            family = self.graph.collections[key[:2]]
            sources = {self._source(family, token, mode) for mode in range(len(family.modes))}
            return tuple((key, source) for source in sources if source is not None)
        value = token.values[column]
        if not isinstance(value, Alias) or not self._can_be_plain(token, value):
            return ()
        target = self.graph.tokens[value.target]
        family = self.graph.collections[key[:2]]
        if target.key[:2] != key[:2]:
            return ((target.key, ALL_COLUMNS),)
        met = (
            self._source(family, target, mode)
            for mode in self._inheritors[family.key][column]
            if self._source(family, token, mode) == column
        )
        return tuple({(target.key, source) for source in met if source is not None})

    def _settled(self, node: Node) -> str | None:
        if node in self._shown:
            return self._shown[node]
        key, column = node
        token = self.graph.tokens[key]
        if column == ALL_COLUMNS:
            family = self.graph.collections[key[:2]]
            if any(self._source(family, token, mode) is None for mode in range(len(family.modes))):
                return None
            return self._one_type(self._nodes_behind(node))
        value = token.values[column]
        if isinstance(value, Alias) and value.target.file == key.file:
            return self._one_type(self._nodes_behind(node)) if self._all_have_values(token, column, value) else None
        return self._type_of_literal(token, value, column)

    def _all_have_values(self, token: Token, column: int, value: Alias) -> bool:
        """Whether the target has a value in every mode of the family where this alias shows."""
        target = self.graph.tokens.get(value.target)
        if target is None or target.key[:2] != token.key[:2]:
            return target is not None
        family = self.graph.collections[token.key[:2]]
        return all(
            self._source(family, target, mode) is not None
            for mode in self._inheritors[family.key][column]
            if self._source(family, token, mode) == column
        )

    def _one_type(self, nodes: tuple[Node, ...]) -> str | None:
        types = {self._shown.get(node) for node in nodes}
        return types.pop() if len(types) == 1 else None

    def _type_of_literal(self, token: Token, value: Value | None, column: int) -> str | None:
        written = value
        if isinstance(value, Alias | ComposedColor):
            resolved = self.literal(token, column)
            written = None if isinstance(resolved, Unresolved) else resolved
        shows = literal_text(token.type, written) is not None or (
            kind(token.type) == "string" and is_reference(written)
        )
        return DTCG_TYPES[token.type] if shows else None

    def _can_be_plain(self, token: Token, value: Alias) -> bool:
        target = self.graph.tokens.get(value.target)
        return target is not None and target.key.file == token.key.file and kind(target.type) == kind(token.type)

    @staticmethod
    def _source(family: Collection, token: Token, mode: int) -> int | None:
        """The column whose value holds in a mode."""
        index: int | None = mode
        while index is not None and token.values[index] is None:
            index = family.modes[index].parent
        return index


def _inheritors(family: Collection) -> list[list[int]]:
    """For each column the modes that may show its value: its own, and those below it."""
    below: list[list[int]] = [[] for _ in family.modes]
    for mode in range(len(family.modes)):
        index: int | None = mode
        while index is not None:
            below[index].append(mode)
            index = family.modes[index].parent
    return below
