"""All tokens of a graph in one theme at a time: what is written, and the literal it comes to.

The default theme is worked out once for all outputs; any other theme costs only the tokens that can differ in it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.dependants import Dependants, add_dependants, with_dependants
from tokensync.tokens import Alias, Color, ComposedColor, Composite, DanglingAlias, Quantity, Theme

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from tokensync.tokens import FamilyKey, Resolved, Token, TokenGraph, TokenKey, Value

Written = dict["TokenKey", "Value | None"]
Literals = dict["TokenKey", "Resolved"]

_EDGES = frozenset((Alias, ComposedColor, DanglingAlias, type(None)))
_NUMERIC = (float, Quantity)
_FITTING: dict[str, tuple[type, ...]] = {
    "color": (Color,),
    "dimension": _NUMERIC,
    "duration": _NUMERIC,
    "number": _NUMERIC,
    "fontWeight": _NUMERIC,
    "string": (str,),
    "fontFamily": (str, Composite),
    "boolean": (bool,),
}
_LONG_CHAIN = 64
"""A chain of aliases that is longer may be a cycle."""


class Varying(NamedTuple):
    """What can differ among some themes.

    ``keys`` are the tokens; ``chosen`` holds those of the families that the themes choose modes of, by family;
    ``others`` what the rest of them hold in each of the themes.
    """

    keys: AbstractSet[TokenKey]
    chosen: Mapping[FamilyKey, Sequence[Token]]
    others: Mapping[TokenKey, Value | None]


class Resolution:
    """A graph's values by theme. Make one a graph and hand it to every ``generate`` of that graph."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self._alone: dict[tuple[FamilyKey, int], Callable[[TokenKey], Resolved]] = {}
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

    def varying(self, themes: Iterable[Theme]) -> Varying:
        """What can differ between the default theme and these, or any two of these.

        Those are the tokens whose written values differ in the modes that the themes choose, and all their dependants.
        """
        modes: dict[FamilyKey, set[int]] = {}
        for theme in themes:
            for family, mode in theme.modes:
                modes.setdefault(family, set()).add(mode)
        changed: set[TokenKey] = set()
        edges: Dependants = {}
        for family, several in modes.items():
            for mode in sorted(several - {self.graph.collections[family].default_mode}):
                column = self._column(family, mode, self.tokens_of[family])
                other = [pair for pair in column if pair[1] != self.written[pair[0]]]
                changed.update([key for key, _ in other])
                add_dependants(edges, other)
        keys = with_dependants(changed, self._dependants, edges) if changed else changed
        chosen = {family: [token for token in self.tokens_of[family] if token.key in keys] for family in modes}
        others = {key: self.written[key] for key in keys if key[:2] not in modes}
        return Varying(keys, chosen, others)

    def in_theme(self, theme: Theme, varying: Varying) -> tuple[Written, Literals]:
        """What the varying tokens hold in one of the themes, and their literals."""
        modes = dict(theme.modes)
        written = dict(varying.others)
        for family, tokens in varying.chosen.items():
            mode = modes.get(family, self.graph.collections[family].default_mode)
            written.update(self._column(family, mode, tokens))
        return written, self._settled(written, self.literals, theme.modes)

    def alone(self, family: FamilyKey, mode: int) -> Callable[[TokenKey], Resolved]:
        """The graph's resolver with this family in the mode and all others at their default."""
        if (family, mode) not in self._alone:
            self._alone[family, mode] = self.graph.resolver(Theme("", ((family, mode),)))
        return self._alone[family, mode]

    def _column(self, family: FamilyKey, mode: int, tokens: Sequence[Token]) -> Sequence[tuple[TokenKey, Value | None]]:
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
        known: Literals = {key: value for key, value in written.items() if type(value) not in _EDGES}  # type: ignore[misc]
        hard = self.graph.resolver(Theme("", modes))
        tokens = self.graph.tokens
        for key, first in written.items():
            if key in known:
                continue
            value, chain = first, [key]
            settled: Resolved | None = None
            while type(value) is Alias and len(chain) < _LONG_CHAIN:
                target = value.target
                settled = known.get(target) if target in written else otherwise.get(target)
                if settled is not None or target not in written:
                    break
                chain.append(target)
                value = written[target]
            kind = type(settled)
            for each in reversed(chain):
                known[each] = settled if kind in _FITTING.get(tokens[each].type, ()) else hard(each)  # type: ignore[assignment]
        return known
