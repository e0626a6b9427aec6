"""One output at work: the declared tokens with their names and kinds, and their written values theme by theme."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from tokensync.generate.diagnostics import inlined, omitted, unrepresentable
from tokensync.generate.request import declared_themes, declared_tokens
from tokensync.generate.scalars import texts_within
from tokensync.naming import in_order, names_for
from tokensync.tokens import DEFAULT_THEME, Alias, Composite, Unresolved
from tokensync.tokens.resolver import NO_TOKEN, LiteralIndex, TokenIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping
    from re import Pattern

    from tokensync.generate.request import OutputRequest
    from tokensync.generate.resolution import Resolution
    from tokensync.naming import NamingRules
    from tokensync.tokens import FamilyKey, Literal, Resolved, Theme, Token, TokenKey
    from tokensync.tokens.resolver import ResolvedTheme

Row = tuple[TokenIndex, str, TokenIndex]
"""A token's index, its written value, and the index of an undeclared token that it refers to, else ``NO_TOKEN``."""


class _Texts(dict[LiteralIndex, "str | None"]):
    """The written forms of literals by their indices, each worked out once; None for what has none.

    ``suspects`` collects the texts that the target cannot hold.
    """

    def __init__(
        self,
        values: list[Resolved],
        convert: Callable[[Literal], str | None],
        unrepresentable: Pattern[str],
        suspects: dict[LiteralIndex, str],
    ) -> None:
        super().__init__()
        self._by_number = values
        self._convert = convert
        self._is_suspect = unrepresentable.search
        self.suspects = suspects

    def __missing__(self, number: LiteralIndex) -> str | None:
        value = self._by_number[number]
        said = value if type(value) is str else texts_within(value) if type(value) is Composite else ""
        if said and self._is_suspect(said):
            self.suspects[number] = said
        text = self[number] = None if isinstance(value, Unresolved) else self._convert(value)
        return text


class Output:
    """What a target works with. A token is its index in ``resolution.columns.tokens``.

    ``declared`` are those of the output in collection order; by index are ``names``, their identifiers, ``spelled``,
    those as references write them, and ``kinds``, the target's own (None for what is not declared).
    """

    def __init__(
        self,
        resolution: Resolution,
        request: OutputRequest,
        *,
        naming: NamingRules,
        kinds: Mapping[str, str],
        literals: Mapping[str, Callable[[Literal], str | None]],
        references: Mapping[str, tuple[str, str]],
        unrepresentable: Pattern[str],
    ) -> None:
        """``kinds`` maps what values are to the target's kinds, ``references`` those to what stands around a name."""
        self.resolution = resolution
        self.graph = resolution.graph
        self.request = request
        self.tokens = resolution.columns.tokens
        self.themes = declared_themes(self.graph, request)
        listed = in_order(declared_tokens(self.graph, request), self.graph)
        named, self.problems = names_for(self.graph, listed, naming, request.templates, request.naming)
        indices = resolution.columns.indices
        self.declared = [indices[key] for key in named]
        self.names = [""] * len(indices)
        self.kinds: list[str | None] = [None] * len(indices)
        for index, name in zip(self.declared, named.values(), strict=True):
            self.names[index] = name
            self.kinds[index] = kinds.get(resolution.kinds[index], "")
        self.spelled = self.names
        self._literals = literals
        self._around = references
        self._unrepresentable = unrepresentable
        self.suspects: dict[LiteralIndex, str] = {}
        self._report_inlined(listed)

    def default_rows(self) -> list[Row]:
        """Return the rows of all declared tokens in the default theme."""
        return self.rows(self.declared, self.resolution.default, DEFAULT_THEME)

    def rows(
        self,
        indices: Iterable[TokenIndex],
        shown: ResolvedTheme,
        theme: Theme,
        referable: Collection[TokenIndex] | None = None,
    ) -> list[Row]:
        """Return tokens with their written values: a reference to a declared target of one kind, else a literal.

        A token without a value in the theme is omitted, with a problem unless the graph's own findings report it: they
        look at each token in each mode of its family, the other families at their default. ``referable`` are the
        tokens that may be referred to, when not every declared one may.
        """
        codes, literals = shown
        texts, references, suspects = self.texts, self.references, self.suspects
        rows: list[Row] = []
        for index in indices:
            of_kind = texts[index]
            text = of_kind[literals[index]]  # type: ignore[index]
            if text is None:
                self.report_omitted(index, literals[index], theme)
                continue
            target = codes[index]
            if target >= 0:
                if texts[target] is of_kind and references[target] and (referable is None or target in referable):
                    rows.append((index, references[target], NO_TOKEN))
                    continue
                if texts[target] is None:
                    rows.append((index, text, target))
                    continue
            rows.append((index, text, NO_TOKEN))
            if literals[index] in suspects:
                self.report_unrepresentable(index, suspects[literals[index]])
        return rows

    def declared_among(self, varying: Collection[TokenIndex]) -> list[TokenIndex]:
        """Return those of the tokens that are declared, in order."""
        if len(varying) * 8 > len(self.declared):
            return [index for index in self.declared if index in varying]
        return sorted((index for index in varying if index in self._rank), key=self._rank.__getitem__)

    def literal(self, shown: ResolvedTheme, index: TokenIndex) -> Resolved:
        """Return the literal that the token shows."""
        return self.resolution.columns.values[shown.literals[index]]

    @cached_property
    def _rank(self) -> dict[TokenIndex, int]:
        return {index: rank for rank, index in enumerate(self.declared)}

    @cached_property
    def texts(self) -> list[_Texts | None]:
        """Return, by token index, the written forms of literals; tokens of one kind share them."""
        values = self.resolution.columns.values
        of_kind = {
            kind: _Texts(values, convert, self._unrepresentable, self.suspects)
            for kind, convert in {**self._literals, "": _no_form}.items()
        }
        return [None if kind is None else of_kind[kind] for kind in self.kinds]

    @cached_property
    def references(self) -> list[str]:
        """Return, by token index, the reference to each declared token; empty when its kind has no references."""
        around = self._around
        return [
            f"{around[kind][0]}{name}{around[kind][1]}" if kind is not None and kind in around else ""
            for kind, name in zip(self.kinds, self.spelled, strict=True)
        ]

    def report_omitted(self, index: TokenIndex, number: LiteralIndex, theme: Theme) -> None:
        """Report a token that has no text in a theme, unless the graph's own findings report it."""
        key = self.tokens[index].key
        result = self.resolution.columns.values[number]
        if isinstance(result, Unresolved):
            mode = dict(theme.modes).get(key[:2], self.graph.collections[key[:2]].default_mode)
            if isinstance(self.resolution.alone(key[:2], mode)(key), Unresolved):
                return
        self.problems.append(omitted(self.graph, key, result, theme, self.request.platform))

    def _report_inlined(self, tokens: Iterable[Token]) -> None:
        elsewhere = {key for key, token in self.graph.tokens.items() if token.origin != "local"}
        if not elsewhere:
            return
        found: dict[FamilyKey, list[TokenKey]] = {}
        for token in tokens:
            for value in token.values:
                if type(value) is Alias and value.target in elsewhere:
                    found.setdefault(value.target[:2], []).append(value.target)
        self.problems += [inlined(self.graph, collection, targets) for collection, targets in found.items()]

    def report_unrepresentable(self, index: TokenIndex, text: str) -> None:
        """Report a token whose text holds what the target cannot."""
        found = "".join(dict.fromkeys(self._unrepresentable.findall(text)))
        self.problems.append(unrepresentable(self.graph, self.tokens[index].key, found, self.request.platform))


def _no_form(_: Literal) -> None:
    return None
