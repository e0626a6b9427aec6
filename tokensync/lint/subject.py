"""What the rules read: a graph, the settings, and the locations of both."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import translate
from functools import cache, cached_property
from itertools import product
from typing import Final

from tokensync.settings import LintConfig
from tokensync.system.problems import Problem, problem
from tokensync.tokens import DEFAULT_THEME, FamilyKey, Resolved, Theme, Token, TokenGraph, TokenKey
from tokensync.tokens.algorithms import closure
from tokensync.tokens.paths import names

MOST_PAIRS: Final = 500
MOST_THEMES: Final = 512


def name_of(key: TokenKey) -> str:
    """Return the name of a token as settings write it: ``COLLECTION/PATH``."""
    return "/".join((key.collection, *names(key.path)))


def shown_key(key: TokenKey, context: str | None = None) -> str:
    """Return the name of a token or, for a key without a path, of the mode of a context."""
    return f"{key.collection}/{context}" if context and not key.path else str(key)


def is_usual(count: int, total: int) -> bool:
    """Return whether so many of all have something that those without it are likely to be mistakes: 90 %, and ten."""
    return count >= 10 and count >= 0.9 * total


class Subject:
    """A graph to check.

    ``themes`` are the configured themes; without any, each rule combines the modes itself. ``location_of`` returns the
    location of a token, of its value in the mode of a context or, for a key without a path, of that mode.
    ``location_of_setting`` returns the location of a setting by its path in the configuration. ``resolver`` returns the
    function from tokens to their values in a theme.
    """

    def __init__(
        self,
        graph: TokenGraph,
        settings: LintConfig | None = None,
        *,
        themes: Sequence[Theme] = (),
        location_of: Callable[[TokenKey, str | None], str] = shown_key,
        location_of_setting: Callable[..., str] = lambda *steps: ".".join(map(str, steps)),
    ) -> None:
        self.graph = graph
        self.settings = settings or LintConfig()
        self.themes = themes
        self.location_of = location_of
        self.location_of_setting = location_of_setting
        self.resolver: Callable[[Theme], Callable[[TokenKey], Resolved]] = cache(graph.resolver)

    @cached_property
    def declared(self) -> tuple[Token, ...]:
        """Return the tokens that outputs declare: all but those of other files, and deleted ones."""
        return tuple(token for token in self.graph.tokens.values() if token.origin == "local")

    @cached_property
    def references(self) -> Mapping[TokenKey, tuple[TokenKey, ...]]:
        """Return the tokens that each token refers to in any mode."""
        return self.graph.references()

    def problem(
        self, code: str, key: TokenKey, what: str, to_do: str, names: Sequence[str] = (), context: str | None = None
    ) -> Problem:
        """Return a problem at the location of ``location_of``."""
        return problem(code, self.location_of(key, context), what, to_do, names)

    def selected(
        self, patterns: Sequence[str], tokens: Iterable[Token], *steps: str | int, noun: str = "token"
    ) -> tuple[list[Token], list[Problem]]:
        """Return the tokens that globs of the setting ``steps`` select, and the problems of globs that select none."""
        named = [(name_of(token.key), token) for token in tokens] if patterns else []
        selected: dict[TokenKey, Token] = {}
        problems: list[Problem] = []
        for number, pattern in enumerate(patterns):
            matches = re.compile(translate(pattern)).match
            found = {token.key: token for name, token in named if token.origin == "local" and matches(name)}
            selected |= found
            if not found:
                where = self.location_of_setting("lint", *steps, number)
                what = f"no {noun} matches {pattern!r:.80}"
                problems.append(problem("lint-unknown-name", where, what, similar(pattern, [*dict(named)], noun)))
        return list(selected.values()), problems

    def too_many(self, pairs: int, *steps: str | int) -> Iterator[Problem]:
        """Yield a problem if the setting ``steps`` selects too many pairs."""
        if pairs > MOST_PAIRS:
            what = f"its patterns select {pairs:,} pairs of colours; at most {MOST_PAIRS} are allowed"
            where = self.location_of_setting("lint", *steps)
            yield problem("lint-pairs-many", where, what, "select fewer tokens, or split the entry")

    def themes_of(self, tokens: Sequence[Token]) -> tuple[list[Theme], bool]:
        """Return the themes in which tokens can differ, and whether these are all of them.

        These are the configured themes, or all combinations of the modes of collections on the tokens' alias chains.
        """
        reached = closure([token.key for token in tokens], lambda key: self.references.get(key, ()))
        collections = self.graph.collections
        used = (collections[key] for key in dict.fromkeys(key[:2] for key in reached))
        families = [family for family in used if len(family.modes) > 1]
        if self.themes:
            keys = {family.key for family in families}
            first: dict[tuple[tuple[FamilyKey, int], ...], Theme] = {}
            for theme in self.themes:
                first.setdefault(tuple(pair for pair in theme.modes if pair[0] in keys), theme)
            return list(first.values()), True
        modes = [[(family.key, mode) for mode in range(len(family.modes))] for family in families]
        if math.prod(map(len, modes)) > MOST_THEMES:
            return [DEFAULT_THEME, *(self._theme((pair,)) for pairs in modes for pair in pairs)], False
        return [self._theme(pairs) for pairs in product(*modes)], True

    def _theme(self, modes: tuple[tuple[FamilyKey, int], ...]) -> Theme:
        collections = self.graph.collections
        name = " + ".join(f"{family[1]}/{collections[family].modes[mode].context}" for family, mode in modes)
        return Theme(name, modes) if modes else DEFAULT_THEME


def similar(name: str, known: Sequence[str], noun: str) -> str:
    """Return the remedy for a name or pattern that matches no token."""
    from difflib import get_close_matches

    if not known:
        return f"remove the entry, since there are no {noun}s"
    found = get_close_matches(name, known, 1)
    return f'use "{found[0]}"' if found else f'write COLLECTION/PATH, such as "{known[0]}"'
