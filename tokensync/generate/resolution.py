"""All tokens of a graph in one theme at a time: what is written, and the literal it comes to.

The default theme is worked out once for all outputs; any other theme costs only the tokens that can differ in it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tokensync.generate.dependants import Dependants, add_dependants, with_dependants
from tokensync.tokens import Alias, ComposedColor, DanglingAlias, Theme

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tokensync.tokens import FamilyKey, Resolved, Token, TokenGraph, TokenKey, Value

Written = dict["TokenKey", "Value | None"]
Literals = dict["TokenKey", "Resolved"]


class Resolution:
    """A graph's values by theme. Make one a graph and hand it to every ``generate`` of that graph."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self.tokens_of: dict[FamilyKey, list[Token]] = {key: [] for key in graph.collections}
        for key, token in graph.tokens.items():
            self.tokens_of[key[:2]].append(token)

    @cached_property
    def written(self) -> Written:
        """What every token holds in the default theme."""
        written: Written = {}
        for key, family in self.graph.collections.items():
            written.update(self._column(key, family.default_mode, self.tokens_of[key]))
        return written

    @cached_property
    def literals(self) -> Literals:
        """Every token's literal in the default theme, or why it has none."""
        return self._settled(self.written, {}, ())

    @cached_property
    def _dependants(self) -> Dependants:
        dependants: Dependants = {}
        add_dependants(dependants, self.written.items())
        return dependants

    def varying(self, themes: Iterable[Theme]) -> set[TokenKey]:
        """The tokens that can differ between the default theme and these, or any two of these.

        Those are the tokens whose written values differ in the modes that the themes choose, and all their dependants.
        """
        chosen: dict[FamilyKey, dict[int, None]] = {}
        for theme in themes:
            for key, mode in theme.modes:
                if mode != self.graph.collections[key].default_mode:
                    chosen.setdefault(key, {})[mode] = None
        written = self.written
        changed: set[TokenKey] = set()
        edges: Dependants = {}
        for family, modes in chosen.items():
            for mode in modes:
                column = self._column(family, mode, self.tokens_of[family])
                other = [pair for pair in column if pair[1] != written[pair[0]]]
                changed.update([key for key, _ in other])
                add_dependants(edges, other)
        return with_dependants(changed, self._dependants, edges) if changed else changed

    def in_theme(self, theme: Theme, varying: Iterable[TokenKey]) -> tuple[Written, Literals]:
        """What these tokens hold in the theme, and their literals; ``varying`` must hold all that can differ in it."""
        written: Written = {}
        modes = dict(theme.modes)
        of_family: dict[FamilyKey, list[Token]] = {}
        for key in varying:
            family = key[:2]
            if family in modes:
                of_family.setdefault(family, []).append(self.graph.tokens[key])
            else:
                written[key] = self.written[key]
        for family, tokens in of_family.items():
            written.update(self._column(family, modes[family], tokens))
        return written, self._settled(written, self.literals, theme.modes)

    def _column(self, family: FamilyKey, mode: int, tokens: Sequence[Token]) -> Iterable[tuple[TokenKey, Value | None]]:
        """(token, what it holds in the mode), the parent modes' values where the mode has none."""
        modes = self.graph.collections[family].modes
        chain = [mode]
        while (parent := modes[chain[-1]].parent) is not None:
            chain.append(parent)
        if len(chain) == 1:
            return [(token.key, token.values[mode]) for token in tokens]
        return [
            (token.key, next((value for each in chain if (value := token.values[each]) is not None), None))
            for token in tokens
        ]

    def _settled(
        self, written: Written, otherwise: Mapping[TokenKey, Resolved], modes: tuple[tuple[FamilyKey, int], ...]
    ) -> Literals:
        """The literal of each written value; ``otherwise`` holds those of the tokens that are not among them.

        Plain literals and chains of aliases, which are nearly all, are settled here; the rest is the graph's to say.
        """
        known: Literals = {}
        hard = self.graph.resolver(Theme("", modes))
        for key, first in written.items():
            if key in known:
                continue
            value, chain = first, [key]
            while type(value) is Alias and value.target in written:
                if value.target in known or len(chain) == _LONG_CHAIN:
                    break
                chain.append(value.target)
                value = written[value.target]
            settled: Resolved | None = None
            if isinstance(value, Alias):
                settled = known.get(value.target)
                if settled is None:
                    settled = otherwise.get(value.target)
            elif not isinstance(value, DanglingAlias | ComposedColor):
                settled = value
            for each in chain:
                known[each] = hard(each) if settled is None else settled
        return known


_LONG_CHAIN = 64
"""A chain of aliases that is longer may be a cycle."""
