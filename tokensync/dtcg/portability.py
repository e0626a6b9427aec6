"""Which aliases any DTCG reader can follow, and to what ``$type``.

An alias is written as a plain reference only when its target shows a ``$value`` in every context that the alias can
meet: then no cycle, no dangling end and no change of type on the way makes a reader stop. All others are kept in our
extension (``kept``). So it is with the references of a composite value. A reader compares the ``$type`` of an alias
with its target's, so a dimension that refers to a plain number is written as a number, and its own type beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.dtcg.composites import have_fitting_types, leads_to
from tokensync.dtcg.literals import literal_text, stand_in
from tokensync.dtcg.spelling import DTCG_TYPES, Spelling, is_reference, kind
from tokensync.tokens import Alias, Color, ComposedColor, Composite, Theme, Unresolved, float32, targets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tokensync.tokens import Collection, Resolved, Token, TokenGraph, TokenKey, Value


Node = tuple["TokenKey", int]  # a token, and the column whose value it is about; ALL_COLUMNS for whatever it shows

ALL_COLUMNS = -1


class Portability:
    """Answers for one graph; each token and column is worked out once."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self._shown: dict[Node, str | None] = {}
        self._plain: set[Node] = set()  # composites whose references any reader can follow
        self._spellings: dict[str, Spelling] = {}
        self._literals: dict[tuple[str, str, int], Callable[[TokenKey], Resolved]] = {}
        self._inheritors = {key: _inheritors(family) for key, family in graph.collections.items()}

    def type_of(self, token: Token, column: int) -> str | None:
        """Return the ``$type`` that a reader sees for the value in this column; None when there is nothing for it to
        see.
        """
        value = token.values[column]
        if not _refers(value):
            return self._type_of_literal(token, value, column)
        node = (token.key, column)
        if node not in self._shown:
            self._work_out(node)
        return self._shown[node]

    def keeps_references(self, token: Token, column: int) -> bool:
        """Return whether the composite in this column is written with its references, as any reader can follow them."""
        return self.type_of(token, column) is not None and (token.key, column) in self._plain

    def spelling(self, file: str) -> Spelling:
        """Return how the tokens of a file of the graph are addressed."""
        known = self._spellings.get(file)
        if known is None:
            known = self._spellings[file] = Spelling(key for key in self.graph.tokens if key.file == file)
        return known

    def literal(self, token: Token, column: int) -> Resolved:
        """Return what the token resolves to with its family in this mode and the others at their default."""
        family = token.key[:2]
        resolver = self._literals.get((*family, column))
        if resolver is None:
            resolver = self._literals[*family, column] = self.graph.resolver(Theme("", ((family, column),)))
        resolved = resolver(token.key)
        if isinstance(resolved, Color):
            return Color(resolved.red, resolved.green, resolved.blue, float32(resolved.alpha))
        return resolved

    def _work_out(self, start: Node) -> None:
        """Settle a node after all that it refers to, without recursion. Whatever leads back to itself shows nothing."""
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
        if not self._can_be_plain(token, value):
            return ()
        return tuple({node: None for target in targets(value) for node in self._nodes_of(token, column, target)})

    def _nodes_of(self, token: Token, column: int, target_key: TokenKey) -> Iterator[Node]:
        """Yield what a reference of the token in this column can meet."""
        if target_key[:2] != token.key[:2]:
            yield target_key, ALL_COLUMNS
            return
        target = self.graph.tokens[target_key]
        family = self.graph.collections[token.key[:2]]
        for mode in self._inheritors[family.key][column]:
            if self._source(family, token, mode) == column:
                source = self._source(family, target, mode)
                if source is not None:
                    yield target_key, source

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
            shown = self._all_have_values(token, column, value.target)
            return self._one_type(self._nodes_behind(node)) if shown else None
        if (
            isinstance(value, Composite)
            and self._can_be_plain(token, value)
            and all(self._all_have_values(token, column, target) for target in targets(value))
            and all(self._shown.get(each) is not None for each in self._nodes_behind(node))
        ):
            self._plain.add(node)
            return DTCG_TYPES[token.type]
        return self._type_of_literal(token, value, column)

    def _all_have_values(self, token: Token, column: int, target_key: TokenKey) -> bool:
        """Return whether the target has a value in every mode of the family where this reference shows."""
        target = self.graph.tokens.get(target_key)
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
        if _refers(value):
            resolved = self.literal(token, column)
            written = None if isinstance(resolved, Unresolved) else resolved
        shows = literal_text(token.type, stand_in(written) if is_reference(written) else written) is not None
        return DTCG_TYPES[token.type] if shows else None

    def _can_be_plain(self, token: Token, value: Value | None) -> bool:
        """Return whether a reader takes each reference of the value for its target, which is of a type that
        fits there.
        """
        ends = [(key, self.graph.tokens.get(key)) for key in targets(value)]
        if not all(target is not None and key.file == token.key.file for key, target in ends):
            return False
        if isinstance(value, Alias):
            return all(target is not None and kind(target.type) == kind(token.type) for _, target in ends)
        if not isinstance(value, Composite) or literal_text(token.type, value) is None:
            return False
        spelling = self.spelling(token.key.file)
        types = {text: self.graph.tokens[target].type for text, target in value.references}
        return all(
            leads_to(text, target, is_root=spelling.is_root(target)) for text, target in value.references
        ) and have_fitting_types(token.type, value, types)

    @staticmethod
    def _source(family: Collection, token: Token, mode: int) -> int | None:
        """Return the column whose value holds in a mode."""
        index: int | None = mode
        while index is not None and token.values[index] is None:
            index = family.modes[index].parent
        return index


def _refers(value: Value | None) -> bool:
    return isinstance(value, Alias | ComposedColor) or (type(value) is Composite and bool(value.references))


def _inheritors(family: Collection) -> list[list[int]]:
    """For each column the modes that may show its value: its own, and those below it."""
    below: list[list[int]] = [[] for _ in family.modes]
    for mode in range(len(family.modes)):
        index: int | None = mode
        while index is not None:
            below[index].append(mode)
            index = family.modes[index].parent
    return below
