"""Alias portability: the aliases that every DTCG reader can follow, and the ``$type`` that each value is written with.

An alias is written as a reference only if its target has a ``$value`` in every context in which the alias applies. Such
a chain has no cycle, no missing target and no change of type. Other aliases are stored in our extension (``kept``).
The same holds for the references of a composite, and a text style that DTCG cannot express is stored whole, beside one
that it can. Readers compare the ``$type`` of an alias with its target's, so a
dimension that refers to a number is written as a number, and its own type is stored in our extension.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.dtcg.extensions import digest_of, own_members
from tokensync.dtcg.literals import has_fitting_references, literal, literal_text, stand_in
from tokensync.dtcg.parse import BadToken
from tokensync.dtcg.spelling import DTCG_TYPES, Spelling, is_reference, kind
from tokensync.tokens import Alias, Color, ComposedColor, Composite, DanglingAlias, Theme, Unresolved, float32, targets
from tokensync.tokens.composites import TYPOGRAPHY, dtcg_style

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from tokensync.dtcg.document import Entry
    from tokensync.tokens import Collection, Resolved, Token, TokenGraph, TokenKey, Value


Node = tuple["TokenKey", int]  # a token and one of its columns, or ALL_COLUMNS

ALL_COLUMNS = -1

StoredEntry = tuple["TokenKey", int, "Entry"]
"""A token, a column, and its entry, whose value is stored in our extension."""


class Portability:
    """The portability of one graph's values. Each token and column is evaluated once."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self._types: dict[Node, str | None] = {}
        self._plain: set[Node] = set()  # composites whose references every reader can follow
        self._spellings: dict[str, Spelling] = {}
        self._literals: dict[tuple[str, str, int], Callable[[TokenKey], Resolved]] = {}
        self._inheritors = {key: _inheritors(family) for key, family in graph.collections.items()}

    def type_of(self, token: Token, column: int) -> str | None:
        """Return the ``$type`` of the value in this column; None if it is written without a ``$value``."""
        value = token.values[column]
        if not _refers(value):
            return self._type_of_literal(token, value, column)
        node = (token.key, column)
        if type(value) is Alias and value.target[:2] != token.key[:2] and self._can_be_plain(token, value):
            node = (value.target, ALL_COLUMNS)  # most values: many tokens refer to one of another collection
        if node not in self._types:
            self._evaluate(node)
        return self._types[node]

    def has_portable_references(self, token: Token, column: int) -> bool:
        """Return whether the composite in this column is written with its references."""
        return self.type_of(token, column) is not None and (token.key, column) in self._plain

    def in_dtcg(self, token: Token, column: int) -> Composite | None:
        """Return the composite that is written for a text style; None if DTCG can express its value."""
        value = token.values[column]
        resolved = self.literal(token, column) if token.type == TYPOGRAPHY and type(value) is Composite else None
        if type(value) is not Composite or type(resolved) is not Composite:
            return None
        style = dtcg_style(value, resolved)
        if style is value:
            return None
        return style if self.has_portable_references(token, column) else dtcg_style(resolved, resolved)

    def spelling(self, file: str) -> Spelling:
        """Return the addresses of the tokens of a file."""
        spelling = self._spellings.get(file)
        if spelling is None:
            spelling = self._spellings[file] = Spelling(key for key in self.graph.tokens if key.file == file)
        return spelling

    def literal(self, token: Token, column: int) -> Resolved:
        """Return the token's resolved value with its collection family in this mode and all others in the default."""
        family = token.key[:2]
        resolver = self._literals.get((*family, column))
        if resolver is None:
            resolver = self._literals[*family, column] = self.graph.resolver(Theme("", ((family, column),)))
        resolved = resolver(token.key)
        if isinstance(resolved, Color):
            return Color(resolved.red, resolved.green, resolved.blue, float32(resolved.alpha))
        return resolved

    def _evaluate(self, start: Node) -> None:
        """Determine the type of a node after its dependencies, without recursion. A node on a cycle has no type."""
        dependencies = self._dependencies(start)
        pending: list[tuple[Node, tuple[Node, ...], Iterator[Node]]] = [(start, dependencies, iter(dependencies))]
        open_nodes = {start}
        while pending:
            node, dependencies, rest = pending[-1]
            for step in rest:
                if step in self._types:
                    continue
                if step in open_nodes:
                    self._types[step] = None
                elif inner := self._dependencies(step):
                    open_nodes.add(step)
                    pending.append((step, inner, iter(inner)))
                    break
                else:
                    self._types[step] = self._resolved_type(step, ())
            else:
                if node not in self._types:
                    self._types[node] = self._resolved_type(node, dependencies)
                open_nodes.discard(node)
                pending.pop()

    def _dependencies(self, node: Node) -> tuple[Node, ...]:
        key, column = node
        token = self.graph.tokens[key]
        if column == ALL_COLUMNS:
            if None not in token.values:  # nearly all tokens
                return tuple([(key, source) for source in range(len(token.values))])
            family = self.graph.collections[key[:2]]
            sources = {self._source(family, token, mode) for mode in range(len(family.modes))}
            return () if None in sources else tuple((key, source) for source in sources if source is not None)
        value = token.values[column]
        if not _refers(value) or not self._can_be_plain(token, value):
            return ()
        return tuple({node: None for target in targets(value) for node in self._nodes_of(token, column, target)})

    def _nodes_of(self, token: Token, column: int, target_key: TokenKey) -> Iterator[Node]:
        """Yield the nodes that a reference of the token in this column can resolve to."""
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

    def _resolved_type(self, node: Node, dependencies: tuple[Node, ...]) -> str | None:
        key, column = node
        token = self.graph.tokens[key]
        if column == ALL_COLUMNS:
            return self._common_type(dependencies)
        value = token.values[column]
        if isinstance(value, Alias) and value.target.file == key.file:
            has_values = self._has_values(token, column, value.target)
            return self._common_type(dependencies) if has_values else None
        if (
            isinstance(value, Composite)
            and self._can_be_plain(token, value)
            and all(self._has_values(token, column, target) for target in targets(value))
            and all(self._types.get(dependency) is not None for dependency in dependencies)
        ):
            self._plain.add(node)
            return DTCG_TYPES[token.type]
        return self._type_of_literal(token, value, column)

    def _has_values(self, token: Token, column: int, target_key: TokenKey) -> bool:
        """Return whether the target has a value in every mode in which this reference applies."""
        target = self.graph.tokens.get(target_key)
        if target is None or target.key[:2] != token.key[:2]:
            return target is not None
        family = self.graph.collections[token.key[:2]]
        return all(
            self._source(family, target, mode) is not None
            for mode in self._inheritors[family.key][column]
            if self._source(family, token, mode) == column
        )

    def _common_type(self, nodes: tuple[Node, ...]) -> str | None:
        types = {self._types.get(node) for node in nodes}
        return types.pop() if len(types) == 1 else None

    def _type_of_literal(self, token: Token, value: Value | None, column: int) -> str | None:
        written = value
        if _refers(value):
            resolved = self.literal(token, column)
            written = None if isinstance(resolved, Unresolved) else resolved
        text = literal_text(token.type, stand_in(written) if is_reference(written) else written)
        return None if text is None else DTCG_TYPES[token.type]

    def _can_be_plain(self, token: Token, value: Value | None) -> bool:
        """Return whether each reference of the value addresses a token of this file with a fitting type."""
        if isinstance(value, Alias):
            target = self.graph.tokens.get(value.target) if value.target.file == token.key.file else None
            return target is not None and kind(target.type) == kind(token.type)
        if not all(key in self.graph.tokens and key.file == token.key.file for key in targets(value)):
            return False
        if not isinstance(value, Composite) or literal_text(token.type, value) is None:
            return False
        types = {target: self.graph.tokens[target].type for _, target in value.references}
        return has_fitting_references(token.type, value, types, self.spelling(token.key.file).is_root)

    @staticmethod
    def _source(family: Collection, token: Token, mode: int) -> int | None:
        """Return the column that the token's value in a mode comes from; None if it has no value there."""
        index: int | None = mode
        while index is not None and token.values[index] is None:
            index = family.modes[index].parent
        return index


def stale_entries(graph: TokenGraph, stored: Iterable[StoredEntry]) -> list[StoredEntry]:
    """Return the entries whose ``$value`` no longer matches the value stored in our extension."""
    portability = Portability(graph)
    return [each for each in stored if "$value" in each[2].node and _is_stale(portability, *each)]


def _is_stale(portability: Portability, key: TokenKey, column: int, entry: Entry) -> bool:
    token = _token_of(portability.graph, key)
    value = token.values[column]
    expected: Value | None = None
    if style := portability.in_dtcg(token, column):
        expected = Composite(style.json)
    elif _refers(value):
        resolved = portability.literal(token, column)
        expected = None if isinstance(resolved, Unresolved) else resolved
    elif is_reference(value):
        expected = value
    elif value is not None and type(value) is not DanglingAlias:
        return False
    if is_reference(expected):
        expected = stand_in(expected)
    if expected is None:
        return was_edited(portability.graph, key, column, entry)
    try:
        return literal(token.type, entry.node["$value"]) != expected
    except BadToken:
        return True


def _token_of(graph: TokenGraph, key: TokenKey) -> Token:
    return graph.columns.tokens[graph.table.indices[key]]  # not all tokens, which few entries need


def was_edited(graph: TokenGraph, key: TokenKey, column: int, entry: Entry) -> bool:
    """Return whether a ``$value`` is not the one that was written next to the value stored in our extension.

    Nothing is written next to a stored value that resolves to none.
    """
    digest = own_members(entry.node).get("written")
    if isinstance(digest, str):
        return digest != digest_of(entry.node["$value"])
    value = _token_of(graph, key).values[column]
    parts = (value.color, value.opacity) if type(value) is ComposedColor else (value,)
    return any(part is None or type(part) is DanglingAlias for part in parts)


def _refers(value: Value | None) -> bool:
    return isinstance(value, Alias | ComposedColor) or (type(value) is Composite and bool(value.references))


def _inheritors(family: Collection) -> list[list[int]]:
    """Return for each column its own mode and the modes that inherit from it."""
    inheritors: list[list[int]] = [[] for _ in family.modes]
    for mode in range(len(family.modes)):
        index: int | None = mode
        while index is not None:
            inheritors[index].append(mode)
            index = family.modes[index].parent
    return inheritors
