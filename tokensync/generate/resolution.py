"""The values of a graph's tokens by theme: references, resolved literals, and the dependencies between tokens.

The default theme is resolved once for all outputs; any other theme resolves only the tokens that can differ in it.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Literal, get_args

from tokensync.generate.naming.rules import path_words
from tokensync.normalize.mapping import opacities
from tokensync.tokens import DEFAULT_THEME, Theme, targets
from tokensync.tokens.algorithms import closure, spread
from tokensync.tokens.resolver import NEEDS_RESOLVER, OPEN, ResolvedTheme, TokenIndex
from tokensync.tokens.values import AS_TEXT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from tokensync.normalize.mapping import Opacity
    from tokensync.tokens import FamilyKey, Resolved, TokenGraph, TokenKey, Value
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
    "css",
    "shadow",
    "border",
    "typography",
    "gradient",
    "transition",
    "cubicBezier",
    "strokeStyle",
    "",
]
"""The kind of a value. ``percentage`` is from 0 to 100 and is written as a fraction of 1; an opacity that is a fraction
already is a ``number``. ``text-length`` is a length that measures text; the empty kind is a type that no output
supports. Composite kinds have their DTCG names."""

PLAIN_KINDS: dict[str, str] = {each: each for each in get_args(Kind) if each} | {
    "length": "dimension",
    "text-length": "dimension",
    "weight": "number",
}
"""A target's kinds when it does not distinguish lengths of text, or weights from numbers."""

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
    "css": "css",
    "shadow": "shadow",
    "border": "border",
    "typography": "typography",
    "gradient": "gradient",
    "transition": "transition",
    "cubicBezier": "cubicBezier",
    "strokeStyle": "strokeStyle",
}

Dependants = dict[TokenIndex, list[TokenIndex]]
"""The tokens that refer to each token, by token index."""


class Resolution:
    """The values of a graph by theme. Create one per graph, and pass it to each ``generate`` call for that graph."""

    def __init__(self, graph: TokenGraph) -> None:
        self.graph = graph
        self.columns = graph.columns
        self._resolvers: dict[tuple[FamilyKey, int], Callable[[TokenKey], Resolved]] = {}
        self._differing_of: dict[tuple[FamilyKey, int], tuple[list[TokenIndex], list[Code]]] = {}
        self._varying: dict[frozenset[tuple[FamilyKey, int]], set[TokenIndex]] = {}
        self._opened: tuple[Collection[TokenIndex], list[LiteralIndex]] = ((), [])

    @cached_property
    def default(self) -> ResolvedTheme:
        """The resolved default theme."""
        indices = self.columns.indices.values()
        return self._resolved(self.columns.codes(DEFAULT_THEME), [OPEN] * len(indices), indices, DEFAULT_THEME)

    def prepare(self) -> None:
        """Compute the data that every output needs, including the words of all paths."""
        self.default, self.kinds, self._dependants  # noqa: B018
        for token in self.columns.tokens:
            path_words(token.key.path)

    @cached_property
    def opacities(self) -> dict[TokenKey, Opacity]:
        """The opacities among the numbers."""
        return opacities(self.graph)

    @cached_property
    def kinds(self) -> list[Kind]:
        """The kind of each token, by token index."""
        percentages = {key for key, each in self.opacities.items() if each.unit == "percent"}
        kind_by_key: dict[tuple[str, tuple[str, ...]], Kind] = {}
        kinds: list[Kind] = []
        for token in self.columns.tokens:
            key = (token.type, token.scopes)
            kind = kind_by_key.get(key)
            if kind is None:
                kind = "text-length" if token.is_text_measure else _OF_TYPE.get(token.type, "")
                kind_by_key[key] = kind
            kinds.append("percentage" if kind == "number" and token.key in percentages else kind)
        return kinds

    def varying(self, themes: Iterable[Theme]) -> set[TokenIndex]:
        """Return the tokens that can differ between any two of these themes and the default theme.

        These are the tokens whose written values differ in the modes that the themes choose, and all their dependants.
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
        """Return the tokens that can vary among these themes, in any modes of the other families.

        Unlike ``varying``, this includes tokens that refer to one of them only in some mode of their own family.
        """
        changed = self._differing_in({pair for theme in themes for pair in theme.modes})
        return set(closure(changed, _joined(self._dependants, self._dependants_in_modes))) if changed else changed

    def spread(self, marks: Mapping[TokenIndex, int]) -> dict[TokenIndex, int]:
        """Return the bits of each token combined with those of all tokens that it can refer to in any modes; not 0."""
        return spread(marks, _joined(self._dependants, self._dependants_in_modes))

    @cached_property
    def references(self) -> dict[TokenIndex, set[TokenIndex]]:
        """The tokens that each token refers to in some mode, also within its value, by token index."""
        references: dict[TokenIndex, set[TokenIndex]] = {}
        for dependants in (self._dependants, self._dependants_in_modes):
            for target, several in dependants.items():
                for index in several:
                    references.setdefault(index, set()).add(target)
        return references

    def may_misfit(self, fits: Callable[[Resolved | None], bool]) -> set[TokenIndex]:
        """Return the tokens that may resolve to a literal that does not fit, in some mode.

        ``fits`` gets None for a value that is neither a literal nor an alias: a composed colour, or a missing value.
        """
        values, columns = self.columns.values, self.columns
        misfits: set[TokenIndex] = set()
        for key, family in self.graph.collections.items():
            for mode in range(len(family.modes)):
                for index, code in zip(columns.of_family[key], columns.column(key, mode), strict=True):
                    if code < NEEDS_RESOLVER:
                        is_fitting = fits(values[columns.of_code[-code]])
                    else:
                        is_fitting = code > NEEDS_RESOLVER or fits(None)
                    if not is_fitting:
                        misfits.add(index)
        return set(closure(misfits, _joined(self._dependants, self._dependants_in_modes)))

    def beyond_percentages(self) -> set[TokenIndex]:
        """Return the tokens that may be outside of 0 to 100 in some mode, so that they need clamping as an opacity."""
        return self.may_misfit(lambda value: type(value) is float and 0 <= value <= 100)

    def differing_from_default(self, family: FamilyKey, mode: int) -> list[TokenIndex]:
        """Return the tokens of a family whose written value in a mode differs from that in the default mode."""
        return self._differing(family, mode)[0]

    def _differing_in(self, chosen: Iterable[tuple[FamilyKey, int]]) -> set[TokenIndex]:
        return {index for family, mode in chosen for index in self._differing(family, mode)[0]}

    def _differing(self, family: FamilyKey, mode: int) -> tuple[list[TokenIndex], list[Code]]:
        """Return the tokens of ``differing_from_default``, and their codes in the mode."""
        if (family, mode) not in self._differing_of:
            default = self.graph.collections[family].default_mode
            columns = self.columns.column(family, mode), self.columns.column(family, default)
            indices: list[TokenIndex] = []
            codes: list[Code] = []
            for index, code, default_code in zip(self.columns.of_family[family], *columns, strict=True):
                if code != default_code or (
                    code == NEEDS_RESOLVER and self._written(index, mode) != self._written(index, default)
                ):
                    indices.append(index)
                    codes.append(code)
            self._differing_of[family, mode] = (indices, codes)
        return self._differing_of[family, mode]

    def in_theme(
        self, theme: Theme, varying: Collection[TokenIndex], requested: Iterable[TokenIndex] | None = None
    ) -> ResolvedTheme:
        """Return a resolved theme; ``varying`` is the result of the method of that name for this theme and others.

        With ``requested``, only those tokens and their references are resolved: the literal indices of the other
        varying tokens are negative.
        """
        codes = self.columns.codes(theme)
        return self._resolved(codes, self._with_open(varying), varying if requested is None else requested, theme)

    def _with_open(self, varying: Collection[TokenIndex]) -> list[LiteralIndex]:
        """Return the default theme's literals, with the varying ones open; cached, since themes share ``varying``."""
        if self._opened[0] is not varying:
            literals = self.default.literals.copy()
            for index in varying:
                literals[index] = OPEN
            self._opened = (varying, literals)
        return self._opened[1].copy()

    def resolver_of_mode(self, family: FamilyKey, mode: int) -> Callable[[TokenKey], Resolved]:
        """Return the graph's resolver with this family in the mode and all others in their default mode."""
        if (family, mode) not in self._resolvers:
            self._resolvers[family, mode] = self.graph.resolver(Theme("", ((family, mode),)))
        return self._resolvers[family, mode]

    @cached_property
    def _dependants(self) -> Dependants:
        dependants: Dependants = {}
        codes = self.default.codes
        for key, family in self.graph.collections.items():
            coded = ((each, codes[each]) for each in self.columns.of_family[key])
            self._add_edges(dependants, coded, family.default_mode)
        return dependants

    @cached_property
    def _dependants_in_modes(self) -> Dependants:
        """The dependants by values that differ from those of the default mode."""
        dependants: Dependants = {}
        for key, family in self.graph.collections.items():
            for mode in range(len(family.modes)):
                self._add_edges(dependants, zip(*self._differing(key, mode), strict=True), mode)
        return dependants

    def _add_edges(self, edges: Dependants, coded: Iterable[tuple[TokenIndex, Code]], mode: int) -> None:
        """Add the references of tokens in a mode of their family; ``coded`` has (token index, code)."""
        indices = self.columns.indices
        for index, code in coded:
            if code >= 0:
                edges.setdefault(code, []).append(index)
            elif code == NEEDS_RESOLVER:
                for target in targets(self._written(index, mode)):
                    if target in indices:
                        edges.setdefault(indices[target], []).append(index)

    def _written(self, index: TokenIndex, mode: int) -> Value | None:
        return self.graph.value(self.columns.tokens[index], mode)

    def _resolved(
        self, codes: list[Code], literals: list[LiteralIndex], requested: Iterable[TokenIndex], theme: Theme
    ) -> ResolvedTheme:
        self.columns.resolve(codes, literals, requested, theme)
        return ResolvedTheme(codes, literals)


def _joined(one: Dependants, other: Dependants) -> Callable[[TokenIndex], Iterable[TokenIndex]]:
    """Return a function from a token to its dependants in both."""

    def of(index: TokenIndex) -> Iterable[TokenIndex]:
        more = other.get(index)
        return one.get(index, ()) if more is None else (*one.get(index, ()), *more)

    return of
