"""All tokens of a graph in one theme at a time: what is written, and the literal it comes to.

The default theme is worked out once for all outputs; any other theme costs only the tokens that can differ in it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.columns import HARD, Columns
from tokensync.generate.dependants import Dependants, with_dependants
from tokensync.generate.kinds import kinds_of
from tokensync.tokens import Alias, Color, ComposedColor, Theme, composed, targets

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.kinds import Kind
    from tokensync.tokens import FamilyKey, Resolved, TokenGraph, TokenKey, Value

_OPEN = -1
_LONG_CHAIN = 64
"""A chain of aliases that is longer may be a cycle."""

Chosen = tuple[tuple["FamilyKey", int], ...]
"""The modes that a theme chooses."""


class Shown(NamedTuple):
    """All tokens in one theme, by place.

    ``codes`` hold the place that the token's alias leads to, or a negative number; ``literals`` the number of the
    literal that it shows.
    """

    codes: list[int]
    literals: list[int]


class Resolution:
    """A graph's values by theme. Make one a graph and hand it to every ``generate`` of that graph."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self.columns = Columns(graph)
        self._alone: dict[tuple[FamilyKey, int], Callable[[TokenKey], Resolved]] = {}
        self._opened: tuple[Collection[int], list[int]] = ((), [])

    @cached_property
    def default(self) -> Shown:
        """The default theme."""
        places = range(len(self.columns.tokens))
        codes = [HARD] * len(places)
        for key, family in self.graph.collections.items():
            self._put(codes, key, family.default_mode)
        return self._settled(codes, [_OPEN] * len(places), places, ())

    @cached_property
    def kinds(self) -> list[Kind]:
        """What each token's values are, by place."""
        return kinds_of(self.columns.tokens)

    def varying(self, themes: Iterable[Theme]) -> set[int]:
        """The places of tokens that can differ between the default theme and these, or any two of these.

        Those are the tokens whose written values differ in the modes that the themes choose, and all their dependants.
        """
        edges: Dependants = {}
        changed: set[int] = set()
        for places, mode in self._changed(themes):
            changed.update(places)
            self._add_edges(edges, places, mode)
        return with_dependants(changed, self._dependants, edges) if changed else changed

    def depending(self, themes: Iterable[Theme]) -> set[int]:
        """The places of tokens that can vary among these themes whatever modes the other families are in.

        As ``varying``, but a token that only refers to one of them in some mode of its own family counts too.
        """
        changed = {place for places, _ in self._changed(themes) for place in places}
        return with_dependants(changed, self._dependants, self._dependants_elsewhere) if changed else changed

    def _changed(self, themes: Iterable[Theme]) -> Iterator[tuple[list[int], int]]:
        """For each mode that the themes choose, the tokens of its family with another written value than by default."""
        for family, mode in {pair: None for theme in themes for pair in theme.modes}:
            yield self._written_otherwise(family, mode), mode

    def _written_otherwise(self, family: FamilyKey, mode: int) -> list[int]:
        default = self.graph.collections[family].default_mode
        if mode == default:
            return []
        columns = self.columns.column(family, mode), self.columns.column(family, default)
        return [
            place
            for place, code, usual in zip(self.columns.of_family[family], *columns, strict=True)
            if code != usual or (code == HARD and self._written(place, mode) != self._written(place, default))
        ]

    def in_theme(self, theme: Theme, varying: Collection[int], wanted: Iterable[int] | None = None) -> Shown:
        """One of the themes that ``varying`` was asked for.

        With ``wanted``, only what those tokens and what they need show is worked out; the other numbers that may vary
        are negative.
        """
        codes = self.default.codes.copy()
        for family, mode in theme.modes:
            self._put(codes, family, mode)
        literals = self._with_open(varying)
        return self._settled(codes, literals, varying if wanted is None else wanted, theme.modes)

    def _with_open(self, varying: Collection[int]) -> list[int]:
        """The default theme's literals, of which those that may vary are open; many themes ask for the same ones."""
        if self._opened[0] is not varying:
            literals = self.default.literals.copy()
            for place in varying:
                literals[place] = _OPEN
            self._opened = (varying, literals)
        return self._opened[1].copy()

    def alone(self, family: FamilyKey, mode: int) -> Callable[[TokenKey], Resolved]:
        """The graph's resolver with this family in the mode and all others at their default."""
        if (family, mode) not in self._alone:
            self._alone[family, mode] = self.graph.resolver(Theme("", ((family, mode),)))
        return self._alone[family, mode]

    @cached_property
    def _dependants(self) -> Dependants:
        dependants: Dependants = {}
        for place, code in enumerate(self.default.codes):
            if code >= 0:
                dependants.setdefault(code, []).append(place)
        for key, family in self.graph.collections.items():
            hard = [place for place in self.columns.of_family[key] if self.default.codes[place] == HARD]
            self._add_edges(dependants, hard, family.default_mode)
        return dependants

    @cached_property
    def _dependants_elsewhere(self) -> Dependants:
        """The edges of values that are written in other modes than the default ones."""
        dependants: Dependants = {}
        for key, family in self.graph.collections.items():
            for mode in range(len(family.modes)):
                self._add_edges(dependants, self._written_otherwise(key, mode), mode)
        return dependants

    def _add_edges(self, edges: Dependants, places: Sequence[int], mode: int) -> None:
        known = self.columns.places
        for place in places:
            for target in targets(self._written(place, mode)):
                if target in known:
                    edges.setdefault(known[target], []).append(place)

    def _written(self, place: int, mode: int) -> Value | None:
        return self.graph.value(self.columns.tokens[place], mode)

    def _put(self, codes: list[int], family: FamilyKey, mode: int) -> None:
        places, column = self.columns.of_family[family], self.columns.column(family, mode)
        if places and places[-1] - places[0] == len(places) - 1:  # they ascend, so these are side by side
            codes[places[0] : places[-1] + 1] = column
            return
        for place, code in zip(places, column, strict=True):
            codes[place] = code

    def _settled(self, codes: list[int], literals: list[int], places: Iterable[int], chosen: Chosen) -> Shown:
        """Fill in the open literals at these places.

        Plain literals and chains of aliases, which are nearly all, are settled here; the rest is the graph's to say.
        """
        columns = self.columns
        classes, value_classes = columns.classes, columns.value_classes
        hard = self.graph.resolver(Theme("", chosen))
        modes = dict(chosen)
        for place in places:
            if literals[place] >= 0:
                continue
            code = codes[place]
            if code < HARD:
                literals[place] = HARD - 1 - code
                continue
            chain = [place]
            found = _OPEN
            while code >= 0:
                found = literals[code]
                if found >= 0 or len(chain) == _LONG_CHAIN:
                    break
                chain.append(code)
                code = codes[code]
            if code < HARD:
                found = HARD - 1 - code
            elif code == HARD:
                found = self._composed(chain[-1], literals, modes)
            for each in reversed(chain):
                if found < 0 or classes[each] != value_classes[found]:
                    found = columns.number(hard(columns.tokens[each].key))
                literals[each] = found
        return Shown(codes, literals)

    def _composed(self, place: int, literals: Sequence[int], modes: Mapping[FamilyKey, int]) -> int:
        """The number of a composed colour whose parts are settled already; negative when it is another case."""
        columns = self.columns
        key = columns.tokens[place].key
        value = self._written(place, modes.get(key[:2], self.graph.collections[key[:2]].default_mode))
        if not isinstance(value, ComposedColor):
            return _OPEN
        parts: list[object] = []
        for part in (value.color, value.opacity):
            if isinstance(part, Alias):
                number = literals[columns.places[part.target]] if part.target in columns.places else _OPEN
                parts.append(columns.values[number] if number >= 0 else None)
            else:
                parts.append(part)
        color, opacity = parts
        if isinstance(color, Color) and isinstance(opacity, float):
            return columns.number(composed(color, opacity))
        return _OPEN
