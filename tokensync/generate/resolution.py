"""All tokens of a graph in one theme at a time: what is written, the literal it comes to, and what depends on what.

The default theme is worked out once for all outputs; any other theme costs only the tokens that can differ in it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

from tokensync.naming.rules import path_words
from tokensync.tokens import DEFAULT_THEME, Theme, targets
from tokensync.tokens.algorithms import closure, spread
from tokensync.tokens.resolver import NEEDS_RESOLVER, OPEN, ResolvedTheme, TokenIndex
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from tokensync.tokens import FamilyKey, Resolved, Token, TokenGraph, TokenKey, Value
    from tokensync.tokens.resolver import Code, LiteralIndex


Kind = Literal[
    "color",
    "length",
    "text-length",
    "number",
    "percentage",
    "weight",
    "string",
    "family",
    "boolean",
    "duration",
    "shadow",
    "border",
    "typography",
    "gradient",
    "transition",
    "cubicBezier",
    "strokeStyle",
    "",
]
"""``percentage`` counts from 0 to 100 and is written as a share of one; ``text-length`` is a length that belongs to
text; the empty kind is a type that no output has a form for. Those of ``composites.TYPES`` are called as they are."""

PLAIN_KINDS: dict[str, str] = {each: each for each in get_args(Kind) if each} | {
    "length": "dimension",
    "text-length": "dimension",
    "weight": "number",
}
"""The kinds of outputs to which a length is a length, whatever it measures, and a weight is a number."""

_OF_TYPE: dict[str, Kind] = {
    "color": "color",
    "dimension": "length",
    "number": "number",
    "fontWeight": "weight",
    AS_TEXT: "weight",
    "string": "string",
    "fontFamily": "family",
    "boolean": "boolean",
    "duration": "duration",
    "shadow": "shadow",
    "border": "border",
    "typography": "typography",
    "gradient": "gradient",
    "transition": "transition",
    "cubicBezier": "cubicBezier",
    "strokeStyle": "strokeStyle",
}

Dependants = dict[TokenIndex, list[TokenIndex]]
"""By token index, the tokens that refer to it."""


class Resolution:
    """A graph's values by theme. Make one a graph and hand it to every ``generate`` of that graph."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self.columns = graph.columns
        self._alone: dict[tuple[FamilyKey, int], Callable[[TokenKey], Resolved]] = {}
        self._differing_of: dict[tuple[FamilyKey, int], tuple[list[TokenIndex], list[Code]]] = {}
        self._varying: dict[frozenset[tuple[FamilyKey, int]], set[TokenIndex]] = {}
        self._opened: tuple[Collection[TokenIndex], list[LiteralIndex]] = ((), [])

    @cached_property
    def default(self) -> ResolvedTheme:
        """Return the default theme."""
        indices = self.columns.indices.values()
        return self._resolved(self.columns.codes(DEFAULT_THEME), [OPEN] * len(indices), indices, DEFAULT_THEME)

    def prepare(self) -> None:
        """Work out what every output needs, the words of all paths included."""
        self.default, self.kinds, self._dependants  # noqa: B018
        for token in self.columns.tokens:
            path_words(token.key.path)

    @cached_property
    def kinds(self) -> list[Kind]:
        """Return each token's kind, by token index."""
        return kinds_of(self.columns.tokens)

    def varying(self, themes: Iterable[Theme]) -> set[TokenIndex]:
        """Return the tokens that can differ between the default theme and these, or any two of these.

        Those are the tokens whose written values differ in the modes that the themes choose, and all their dependants.
        The set is shared between callers: treat it as read-only.
        """
        chosen = frozenset(pair for theme in themes for pair in theme.modes)
        if chosen not in self._varying:
            edges: Dependants = {}
            for family, mode in chosen:
                self._add_edges(edges, zip(*self._differing(family, mode), strict=True), mode)
            self._varying[chosen] = set(closure(self._differing_in(chosen), _joined(self._dependants, edges)))
        return self._varying[chosen]

    def depending(self, themes: Iterable[Theme]) -> set[TokenIndex]:
        """Return the tokens that can vary among these themes, whatever modes the other families are in.

        As ``varying``, but a token that only refers to one of them in some mode of its own family counts too.
        """
        changed = self._differing_in({pair for theme in themes for pair in theme.modes})
        return set(closure(changed, _joined(self._dependants, self._dependants_elsewhere))) if changed else changed

    def spread(self, marks: Mapping[TokenIndex, int]) -> dict[TokenIndex, int]:
        """Return the bits of each token and of all that it may come to by references, in whatever modes; not 0."""
        return spread(marks, _joined(self._dependants, self._dependants_elsewhere))

    @cached_property
    def references(self) -> dict[TokenIndex, set[TokenIndex]]:
        """Return, by token index, the tokens that it refers to in some mode, as parts of its value too."""
        references: dict[TokenIndex, set[TokenIndex]] = {}
        for dependants in (self._dependants, self._dependants_elsewhere):
            for target, several in dependants.items():
                for index in several:
                    references.setdefault(index, set()).add(target)
        return references

    def not_always(self, fits: Callable[[Resolved | None], bool]) -> set[TokenIndex]:
        """Return the tokens that in some mode show a literal that does not fit, or may show one.

        ``fits`` is given None for a value that is neither a literal nor a plain alias: a composed colour, or none.
        """
        values, columns = self.columns.values, self.columns
        found: set[TokenIndex] = set()
        for key, family in self.graph.collections.items():
            for mode in range(len(family.modes)):
                for index, code in zip(columns.of_family[key], columns.column(key, mode), strict=True):
                    if code < NEEDS_RESOLVER:
                        is_fitting = fits(values[columns.of_code[-code]])
                    else:
                        is_fitting = code > NEEDS_RESOLVER or fits(None)
                    if not is_fitting:
                        found.add(index)
        return set(closure(found, _joined(self._dependants, self._dependants_elsewhere)))

    def beyond_percentages(self) -> set[TokenIndex]:
        """Return the tokens that may not be from 0 to 100 in some mode: as an opacity they need limits."""
        return self.not_always(lambda value: type(value) is float and 0 <= value <= 100)

    def written_otherwise(self, family: FamilyKey, mode: int) -> list[TokenIndex]:
        """Return the tokens of a family whose written value in a mode is not that of the default mode."""
        return self._differing(family, mode)[0]

    def _differing_in(self, chosen: Iterable[tuple[FamilyKey, int]]) -> set[TokenIndex]:
        return {index for family, mode in chosen for index in self._differing(family, mode)[0]}

    def _differing(self, family: FamilyKey, mode: int) -> tuple[list[TokenIndex], list[Code]]:
        """Return the tokens whose written value in a mode is not that of the default mode, and their codes there."""
        if (family, mode) not in self._differing_of:
            default = self.graph.collections[family].default_mode
            columns = self.columns.column(family, mode), self.columns.column(family, default)
            indices: list[TokenIndex] = []
            codes: list[Code] = []
            for index, code, usual in zip(self.columns.of_family[family], *columns, strict=True):
                if code != usual or (
                    code == NEEDS_RESOLVER and self._written(index, mode) != self._written(index, default)
                ):
                    indices.append(index)
                    codes.append(code)
            self._differing_of[family, mode] = (indices, codes)
        return self._differing_of[family, mode]

    def in_theme(
        self, theme: Theme, varying: Collection[TokenIndex], wanted: Iterable[TokenIndex] | None = None
    ) -> ResolvedTheme:
        """Return one of the themes that ``varying`` was asked for.

        With ``wanted``, only what those tokens and what they need show is worked out; the other numbers that may vary
        are negative.
        """
        codes = self.columns.codes(theme)
        return self._resolved(codes, self._with_open(varying), varying if wanted is None else wanted, theme)

    def _with_open(self, varying: Collection[TokenIndex]) -> list[LiteralIndex]:
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
        codes = self.default.codes
        for key, family in self.graph.collections.items():
            coded = ((each, codes[each]) for each in self.columns.of_family[key])
            self._add_edges(dependants, coded, family.default_mode)
        return dependants

    @cached_property
    def _dependants_elsewhere(self) -> Dependants:
        """Return the dependants by values that are written in other modes than the default ones."""
        dependants: Dependants = {}
        for key, family in self.graph.collections.items():
            for mode in range(len(family.modes)):
                self._add_edges(dependants, zip(*self._differing(key, mode), strict=True), mode)
        return dependants

    def _add_edges(self, edges: Dependants, coded: Iterable[tuple[TokenIndex, Code]], mode: int) -> None:
        """Add what tokens refer to in a mode of their family, given as (token index, code)."""
        known = self.columns.indices
        for index, code in coded:
            if code >= 0:
                edges.setdefault(code, []).append(index)
            elif code == NEEDS_RESOLVER:
                for target in targets(self._written(index, mode)):
                    if target in known:
                        edges.setdefault(known[target], []).append(index)

    def _written(self, index: TokenIndex, mode: int) -> Value | None:
        return self.graph.value(self.columns.tokens[index], mode)

    def _resolved(
        self, codes: list[Code], literals: list[LiteralIndex], wanted: Iterable[TokenIndex], theme: Theme
    ) -> ResolvedTheme:
        self.columns.resolve(codes, literals, wanted, theme)
        return ResolvedTheme(codes, literals)


def _joined(one: Dependants, other: Dependants) -> Callable[[TokenIndex], Iterable[TokenIndex]]:
    """Return the dependants of a token by both."""

    def of(index: TokenIndex) -> Iterable[TokenIndex]:
        more = other.get(index)
        return one.get(index, ()) if more is None else (*one.get(index, ()), *more)

    return of


def kinds_of(tokens: Iterable[Token]) -> list[Kind]:
    """Return each token's kind."""
    known: dict[tuple[str, tuple[str, ...]], Kind] = {}
    kinds: list[Kind] = []
    for token in tokens:
        told_by = (token.type, token.scopes)
        kind = known.get(told_by)
        if kind is None:
            kind = known[told_by] = _kind(token)
        kinds.append(kind)
    return kinds


def _kind(token: Token) -> Kind:
    if token.is_percentage:
        return "percentage"
    if token.is_text_measure:
        return "text-length"
    return _OF_TYPE.get(token.type, "")
