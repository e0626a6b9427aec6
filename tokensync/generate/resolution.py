"""All tokens of a graph in one theme at a time: what is written, and the literal it comes to.

The default theme is worked out once for all outputs; any other theme costs only the tokens that can differ in it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tokensync.generate.kinds import kinds_of
from tokensync.tokens import DEFAULT_THEME, Theme, targets
from tokensync.tokens.algorithms import closure, spread
from tokensync.tokens.resolver import NEEDS_RESOLVER, OPEN, ResolvedTheme

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.kinds import Kind
    from tokensync.tokens import FamilyKey, Resolved, TokenGraph, TokenKey, Value


Dependants = dict[int, list[int]]
"""By token index, the tokens that refer to it."""


class Resolution:
    """A graph's values by theme. Make one a graph and hand it to every ``generate`` of that graph."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self.columns = graph.columns
        self._alone: dict[tuple[FamilyKey, int], Callable[[TokenKey], Resolved]] = {}
        self._opened: tuple[Collection[int], list[int]] = ((), [])

    @cached_property
    def default(self) -> ResolvedTheme:
        """Return the default theme."""
        indices = range(len(self.columns.tokens))
        return self._resolved(self.columns.codes(DEFAULT_THEME), [OPEN] * len(indices), indices, DEFAULT_THEME)

    @cached_property
    def kinds(self) -> list[Kind]:
        """Return each token's kind, by token index."""
        return kinds_of(self.columns.tokens)

    def varying(self, themes: Iterable[Theme]) -> set[int]:
        """Return the tokens that can differ between the default theme and these, or any two of these.

        Those are the tokens whose written values differ in the modes that the themes choose, and all their dependants.
        """
        edges: Dependants = {}
        changed: set[int] = set()
        for indices, mode in self._changed(themes):
            changed.update(indices)
            self._add_edges(edges, indices, mode)
        return _with_dependants(changed, self._dependants, edges)

    def depending(self, themes: Iterable[Theme]) -> set[int]:
        """Return the tokens that can vary among these themes, whatever modes the other families are in.

        As ``varying``, but a token that only refers to one of them in some mode of its own family counts too.
        """
        changed = {index for indices, _ in self._changed(themes) for index in indices}
        return _with_dependants(changed, self._dependants, self._dependants_elsewhere) if changed else changed

    def spread(self, marks: Mapping[int, int]) -> dict[int, int]:
        """Return the bits of each token and of all that it may come to by references, in whatever modes; not 0."""
        one, other = self._dependants, self._dependants_elsewhere
        return spread(marks, lambda index: (*one.get(index, ()), *other.get(index, ())))

    def _changed(self, themes: Iterable[Theme]) -> Iterator[tuple[list[int], int]]:
        """Yield, for each mode that the themes choose, the tokens whose written value is not the default one."""
        for family, mode in {pair: None for theme in themes for pair in theme.modes}:
            yield self.written_otherwise(family, mode), mode

    def written_otherwise(self, family: FamilyKey, mode: int) -> list[int]:
        """Return the tokens of a family whose written value in a mode is not that of the default mode."""
        default = self.graph.collections[family].default_mode
        if mode == default:
            return []
        columns = self.columns.column(family, mode), self.columns.column(family, default)
        return [
            index
            for index, code, usual in zip(self.columns.of_family[family], *columns, strict=True)
            if code != usual or (code == NEEDS_RESOLVER and self._written(index, mode) != self._written(index, default))
        ]

    def in_theme(self, theme: Theme, varying: Collection[int], wanted: Iterable[int] | None = None) -> ResolvedTheme:
        """Return one of the themes that ``varying`` was asked for.

        With ``wanted``, only what those tokens and what they need show is worked out; the other numbers that may vary
        are negative.
        """
        codes = self.columns.codes(theme)
        return self._resolved(codes, self._with_open(varying), varying if wanted is None else wanted, theme)

    def _with_open(self, varying: Collection[int]) -> list[int]:
        """Return the default theme's literals, with those that may vary open; many themes ask for the same ones."""
        if self._opened[0] is not varying:
            literals = self.default.literals.copy()
            for index in varying:
                literals[index] = OPEN
            self._opened = (varying, literals)
        return self._opened[1].copy()

    def alone(self, family: FamilyKey, mode: int) -> Callable[[TokenKey], Resolved]:
        """Return the graph's resolver with this family in the mode and all others at their default."""
        if (family, mode) not in self._alone:
            self._alone[family, mode] = self.graph.resolver(Theme("", ((family, mode),)))
        return self._alone[family, mode]

    @cached_property
    def _dependants(self) -> Dependants:
        dependants: Dependants = {}
        for index, code in enumerate(self.default.codes):
            if code >= 0:
                dependants.setdefault(code, []).append(index)
        for key, family in self.graph.collections.items():
            hard = [index for index in self.columns.of_family[key] if self.default.codes[index] == NEEDS_RESOLVER]
            self._add_edges(dependants, hard, family.default_mode)
        return dependants

    @cached_property
    def _dependants_elsewhere(self) -> Dependants:
        """Return the dependants by values that are written in other modes than the default ones."""
        dependants: Dependants = {}
        for key, family in self.graph.collections.items():
            for mode in range(len(family.modes)):
                self._add_edges(dependants, self.written_otherwise(key, mode), mode)
        return dependants

    def _add_edges(self, edges: Dependants, indices: Sequence[int], mode: int) -> None:
        known = self.columns.places
        for index in indices:
            for target in targets(self._written(index, mode)):
                if target in known:
                    edges.setdefault(known[target], []).append(index)

    def _written(self, index: int, mode: int) -> Value | None:
        return self.graph.value(self.columns.tokens[index], mode)

    def _resolved(self, codes: list[int], literals: list[int], wanted: Iterable[int], theme: Theme) -> ResolvedTheme:
        self.columns.resolve(codes, literals, wanted, theme)
        return ResolvedTheme(codes, literals)


def _with_dependants(changed: set[int], *edges: Dependants) -> set[int]:
    """Return the tokens and all that depend on them, however indirectly."""
    one, other = edges
    return set(closure(changed, lambda index: (*one.get(index, ()), *other.get(index, ()))))
