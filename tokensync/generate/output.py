"""The context of one output: declared tokens, their names and kinds, and their rendered values by theme."""

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
"""A token's index, its rendered value, and the index of an undeclared token that it refers to, or ``NO_TOKEN``."""


class _Texts(dict[LiteralIndex, "str | None"]):
    """A cache of rendered literals by index; None for literals that the target cannot express.

    ``suspects`` collects texts with characters that the target cannot represent.
    """

    def __init__(
        self,
        values: list[Resolved],
        convert: Callable[[Literal], str | None],
        unrepresentable: Pattern[str],
        suspects: dict[LiteralIndex, str],
    ) -> None:
        super().__init__()
        self._values = values
        self._convert = convert
        self._is_suspect = unrepresentable.search
        self.suspects = suspects

    def __missing__(self, literal: LiteralIndex) -> str | None:
        value = self._values[literal]
        content = value if type(value) is str else texts_within(value) if type(value) is Composite else ""
        if content and self._is_suspect(content):
            self.suspects[literal] = content
        text = self[literal] = None if isinstance(value, Unresolved) else self._convert(value)
        return text


class Output:
    """The context of one output. Tokens are given as their indices in ``resolution.columns.tokens``.

    ``declared`` holds the output's tokens in collection order. By token index, ``names`` holds identifiers, ``spelled``
    identifiers as references write them, and ``kinds`` the target's kinds (None for undeclared tokens).
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
        """Name the declared tokens.

        ``kinds`` maps kinds of values to the target's own, ``literals`` those to the functions that write them, and
        ``references`` those to the texts before and after the name in a reference.
        """
        self.resolution = resolution
        self.graph = resolution.graph
        self.request = request
        self.tokens = resolution.columns.tokens
        self.themes = declared_themes(self.graph, request)
        listed = in_order(declared_tokens(self.graph, request), self.graph)
        named, self.problems = names_for(
            self.graph, listed, naming, request.templates, request.naming, request.patterns
        )
        indices = resolution.columns.indices
        self.declared = [indices[key] for key in named]
        self.names = [""] * len(indices)
        self.kinds: list[str | None] = [None] * len(indices)
        for index, name in zip(self.declared, named.values(), strict=True):
            self.names[index] = name
            self.kinds[index] = kinds.get(resolution.kinds[index], "")
        self.spelled = self.names
        self._literals = literals
        self._affixes = references
        self._unrepresentable = unrepresentable
        self.suspects: dict[LiteralIndex, str] = {}
        self._report_inlined(listed)

    def default_rows(self) -> list[Row]:
        """Return the rows of all declared tokens in the default theme."""
        return self.rows(self.declared, self.resolution.default, DEFAULT_THEME)

    def rows(
        self,
        indices: Iterable[TokenIndex],
        resolved: ResolvedTheme,
        theme: Theme,
        referable: Collection[TokenIndex] | None = None,
    ) -> list[Row]:
        """Return tokens with their rendered values: a reference to a declared token of the same kind, else a literal.

        A token without a value in the theme is omitted and reported. ``referable`` limits the tokens that may be
        referred to (default: every declared token).
        """
        codes, literals = resolved
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
        """Return the declared tokens among these, in order."""
        if len(varying) * 8 > len(self.declared):
            return [index for index in self.declared if index in varying]
        return sorted((index for index in varying if index in self._rank), key=self._rank.__getitem__)

    def literal(self, resolved: ResolvedTheme, index: TokenIndex) -> Resolved:
        """Return the token's literal in a resolved theme."""
        return self.resolution.columns.values[resolved.literals[index]]

    @cached_property
    def _rank(self) -> dict[TokenIndex, int]:
        return {index: rank for rank, index in enumerate(self.declared)}

    @cached_property
    def texts(self) -> list[_Texts | None]:
        """The cache of rendered literals of each token's kind, by token index."""
        values = self.resolution.columns.values
        of_kind = {
            kind: _Texts(values, convert, self._unrepresentable, self.suspects)
            for kind, convert in {**self._literals, "": _unsupported}.items()
        }
        return [None if kind is None else of_kind[kind] for kind in self.kinds]

    @cached_property
    def references(self) -> list[str]:
        """The text of a reference to each declared token, by token index; empty when its kind has no references."""
        affixes = self._affixes
        return [
            f"{affixes[kind][0]}{name}{affixes[kind][1]}" if kind is not None and kind in affixes else ""
            for kind, name in zip(self.kinds, self.spelled, strict=True)
        ]

    def report_omitted(self, index: TokenIndex, literal: LiteralIndex, theme: Theme) -> None:
        """Report a token without a rendered value in a theme, unless ``normalize.findings`` reports it.

        Those findings cover each token in each mode of its own family, with the other families in their default mode.
        """
        key = self.tokens[index].key
        result = self.resolution.columns.values[literal]
        if isinstance(result, Unresolved):
            mode = dict(theme.modes).get(key[:2], self.graph.collections[key[:2]].default_mode)
            if isinstance(self.resolution.resolver_of_mode(key[:2], mode)(key), Unresolved):
                return
        self.problems.append(omitted(self.graph, key, result, theme, self.request.platform))

    def _report_inlined(self, tokens: Iterable[Token]) -> None:
        foreign = {key for key, token in self.graph.tokens.items() if token.origin != "local"}
        if not foreign:
            return
        inlined_targets: dict[FamilyKey, list[TokenKey]] = {}
        for token in tokens:
            for value in token.values:
                if type(value) is Alias and value.target in foreign:
                    if self.graph.tokens[value.target].is_earlier_value(token.key):
                        continue
                    inlined_targets.setdefault(value.target[:2], []).append(value.target)
        self.problems += [inlined(self.graph, collection, targets) for collection, targets in inlined_targets.items()]

    def report_unrepresentable(self, index: TokenIndex, text: str) -> None:
        """Report a token whose text has characters that the target cannot represent."""
        characters = "".join(dict.fromkeys(self._unrepresentable.findall(text)))
        self.problems.append(unrepresentable(self.graph, self.tokens[index].key, characters, self.request.platform))


def _unsupported(_: Literal) -> None:
    return None
