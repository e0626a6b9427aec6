"""The name of every token on a platform: code syntax first, else the name template, collisions resolved."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tokensync.naming.code_syntax import code_syntax
from tokensync.naming.labels import readable, token_label
from tokensync.naming.rendering import rendered
from tokensync.naming.rules import NAMELESS
from tokensync.problems import problem
from tokensync.settings import NamingConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from tokensync.naming.rules import NamingRules
    from tokensync.problems import Problem
    from tokensync.tokens import Token, TokenGraph, TokenKey

_DEFAULTS = NamingConfig()

Known = str | tuple[str, str, str]
"""What tells a name from another one: where each collection has names of its own, the collection too."""


def in_order(tokens: Iterable[Token], graph: TokenGraph) -> list[Token]:
    """Return tokens in the order of their collections, and within a collection in their own."""
    rank = {key: index for index, key in enumerate(graph.collections)}
    listed = list(tokens)
    ranks = [rank[token.key[:2]] for token in listed]
    if all(map(int.__le__, ranks, ranks[1:])):
        return listed
    return [listed[index] for index in sorted(range(len(listed)), key=ranks.__getitem__)]


def names_for(
    graph: TokenGraph,
    tokens: Iterable[Token],
    rules: NamingRules,
    templates: str | None = None,
    settings: NamingConfig = _DEFAULTS,
) -> tuple[dict[TokenKey, str], list[Problem]]:
    """Return the identifier of each token by a target's rules, in collection order.

    All differ there, or within a collection where each has names of its own.

    ``tokens`` are those that share one output; ``templates`` is the user's templates folder. Keywords of Swift and
    Kotlin are given without the back-ticks that source code needs. Raises
    ProblemsError when the name template cannot be rendered.
    """
    naming = _Naming(graph, rules, templates, settings)
    listed = in_order(tokens, graph)
    names, written = naming.first_choices(listed)
    unique = _made_unique(listed, names, written, naming)
    return dict(zip([token.key for token in listed], unique, strict=True)), naming.problems


def references_for(graph: TokenGraph, names: Mapping[TokenKey, str], rules: NamingRules) -> dict[TokenKey, str]:
    """Return how code refers to tokens by ``names_for``: as the code syntax says where that is the name."""
    syntax = code_syntax(rules)
    references = {}
    for key, name in names.items():
        text = syntax.written(graph.tokens[key])
        reading = syntax.read(text) if text else None
        references[key] = reading.reference if reading and reading.name == name else syntax.reference(name)
    return references


def names_read(rules: NamingRules, texts: Mapping[TokenKey, str]) -> dict[TokenKey, str | None]:
    """Return the identifier that a target reads each raw code syntax as; None where it names nothing."""
    syntax = code_syntax(rules)
    readings = {key: syntax.read(text.strip()) if text.strip() else None for key, text in texts.items()}
    return {key: rules.identifier(reading.name) if reading else None for key, reading in readings.items()}


class _Naming:
    """One platform's rules and templates at work on one graph."""

    def __init__(self, graph: TokenGraph, rules: NamingRules, templates: str | None, settings: NamingConfig) -> None:
        self.graph = graph
        self.templates = templates
        self.settings = settings
        self.rules = rules
        self.before, self.after = self.rules.words(settings.prefix), self.rules.words(settings.suffix)
        self.problems: list[Problem] = []

    def first_choices(self, tokens: Sequence[Token]) -> tuple[list[str], set[int]]:
        """Return each token's name before collisions, and the indices of those named by code syntax."""
        names = [""] * len(tokens)
        unusable: list[tuple[int, str]] = []
        syntax = None
        for index, token in enumerate(tokens):
            if not token.code_syntax or self.settings.code_syntax == "ignore":
                continue
            syntax = syntax or code_syntax(self.rules)
            if text := syntax.written(token):
                if reading := syntax.read(text):
                    names[index] = reading.name
                else:
                    unusable.append((index, text))
        written = {index for index, name in enumerate(names) if name}
        unnamed = [index for index, name in enumerate(names) if not name]
        for index, name in zip(unnamed, self.spelled([tokens[each] for each in unnamed]), strict=True):
            names[index] = name
        extended = self.settings.code_syntax == "extend"
        for index in written:
            name = names[index]
            names[index] = (
                self.rules.between(self.before, name, self.after) if extended else self.rules.identifier(name)
            )
        if syntax:
            for index, text in unusable:
                self._report_unusable(tokens[index], text, syntax.reference(names[index]), names[index])
        return names, written

    def spelled(self, tokens: Sequence[Token], *, with_collection: bool = False) -> list[str]:
        """Return the template's names; the collection handle's words come first when asked for."""
        if not tokens:
            return []
        path_words, collection_words = self.rules.path_words, self.rules.words
        rows = [
            (path_words(token.key.path) or (NAMELESS,), collection_words(token.key.collection), token.public_type)
            for token in tokens
        ]
        if with_collection:
            rows = [((*collection, *path), collection, type_) for path, collection, type_ in rows]
        if self.before or self.after:
            rows = [((*self.before, *path, *self.after), collection, type_) for path, collection, type_ in rows]
        name = f"codesyntax/{self.rules.platform}.j2"
        lines = rendered(name, self.templates, rows=rows).removesuffix("\n").split("\n")
        if len(lines) != len(rows):
            from tokensync.errors import ProblemsError

            what = f"the template gives {len(lines)} lines for {len(rows)} tokens"
            raise ProblemsError((problem("template-failed", f"templates/{name}", what, "write one line for each row"),))
        return [self.rules.identifier(line.strip()) for line in lines]

    def known_as(self, token: Token, name: str) -> Known:
        """Return what no other token may have in common with this one if it has this name."""
        folded = self.rules.fold(name)
        return (*token.key[:2], folded) if self.rules.nested else folded

    def numbered(self, name: str, number: int) -> str:
        """Return the name with a number after it."""
        return self.rules.identifier(f"{name}{self.rules.separator}{number}")

    def report_collision(self, token: Token, first: Token, wanted: str, name: str) -> None:
        """Report that the token has another name than it would have had, and why."""
        where, other = token_label(self.graph, token.key), token_label(self.graph, first.key)
        what = f"its {self.rules.platform} name {readable(wanted)} is the name of {other}, so it is {readable(name)}"
        found = problem("identifier-collision", where, what, "give one of the two another code syntax or name")
        self.problems.append(found._replace(severity="error") if self.settings.collisions == "raise" else found)

    def _report_unusable(self, token: Token, text: str, suggestion: str, name: str) -> None:
        syntax = f"its {self.rules.platform} code syntax {readable(text)!r}"
        what = f"{syntax} is no identifier there, so it is {readable(name)}"
        where = token_label(self.graph, token.key)
        self.problems.append(problem("code-syntax-unusable", where, what, f"write it as {readable(suggestion)}"))


def _made_unique(tokens: Sequence[Token], names: list[str], written: set[int], naming: _Naming) -> list[str]:
    """Return the names, made unique: the first in order keeps its own."""
    folded = [naming.known_as(token, name) for token, name in zip(tokens, names, strict=True)]
    count = Counter(folded)
    if len(count) == len(names):
        return names
    unique = list(names)
    contested = [index for index, each in enumerate(folded) if count[each] > 1]
    alternatives = _alternatives(tokens, contested, written, naming)
    owners: dict[Known, int] = {}
    numbers: dict[str, int] = {}
    for index, name in enumerate(names):
        if folded[index] not in owners:
            owners[folded[index]] = index
            continue
        token, first = tokens[index], tokens[owners[folded[index]]]
        choices = alternatives(index)
        free = next((each for each in choices if naming.known_as(token, each) not in owners), None)
        while free is None:
            number = numbers[choices[-1]] = numbers.get(choices[-1], 1) + 1
            numbered = naming.numbered(choices[-1], number)
            free = None if naming.known_as(token, numbered) in owners else numbered
        unique[index] = free
        owners[naming.known_as(token, free)] = index
        naming.report_collision(token, first, name, free)
    return unique


def _alternatives(
    tokens: Sequence[Token], contested: list[int], written: set[int], naming: _Naming
) -> Callable[[int], list[str]]:
    """Return a function from a token's index to the names it may take instead, the best first."""
    from_syntax = [index for index in contested if index in written]
    plain = dict(zip(from_syntax, naming.spelled([tokens[index] for index in from_syntax]), strict=True))
    several = [tokens[index] for index in contested]
    longer = dict(zip(contested, naming.spelled(several, with_collection=True), strict=True))

    def of(index: int) -> list[str]:
        if index not in longer:  # its own name went to an earlier token as an alternative
            longer[index] = naming.spelled([tokens[index]], with_collection=True)[0]
            if index in written:
                plain[index] = naming.spelled([tokens[index]])[0]
        return [plain[index], longer[index]] if index in plain else [longer[index]]

    return of
