"""The name of every token on a platform: code syntax first, the name template else, collisions settled."""

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
    """Tokens in the order of their collections, and within a collection in their own."""
    rank = {key: place for place, key in enumerate(graph.collections)}
    listed = list(tokens)
    ranks = [rank[token.key[:2]] for token in listed]
    if all(map(int.__le__, ranks, ranks[1:])):
        return listed
    return [listed[place] for place in sorted(range(len(listed)), key=ranks.__getitem__)]


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
    settled = _settled(listed, names, written, naming)
    return dict(zip([token.key for token in listed], settled, strict=True)), naming.problems


def references_for(graph: TokenGraph, names: Mapping[TokenKey, str], rules: NamingRules) -> dict[TokenKey, str]:
    """How code refers to tokens by the names of ``names_for``: as the code syntax says where that is the name."""
    syntax = code_syntax(rules)
    references = {}
    for key, name in names.items():
        text = syntax.written(graph.tokens[key])
        reading = syntax.read(text) if text else None
        references[key] = reading.reference if reading and reading.name == name else syntax.reference(name)
    return references


def names_read(rules: NamingRules, texts: Mapping[TokenKey, str]) -> dict[TokenKey, str | None]:
    """The identifier that each raw text of code syntax is read as by a target's rules; None where it names nothing."""
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
        """Each token's name before collisions, and the places of those that have theirs from code syntax."""
        names = [""] * len(tokens)
        unusable: list[tuple[int, str]] = []
        syntax = None
        for place, token in enumerate(tokens):
            if not token.code_syntax or self.settings.code_syntax == "ignore":
                continue
            syntax = syntax or code_syntax(self.rules)
            if text := syntax.written(token):
                if reading := syntax.read(text):
                    names[place] = reading.name
                else:
                    unusable.append((place, text))
        written = {place for place, name in enumerate(names) if name}
        open_places = [place for place, name in enumerate(names) if not name]
        for place, name in zip(open_places, self.spelled([tokens[each] for each in open_places]), strict=True):
            names[place] = name
        extended = self.settings.code_syntax == "extend"
        for place in written:
            name = names[place]
            names[place] = (
                self.rules.between(self.before, name, self.after) if extended else self.rules.identifier(name)
            )
        if syntax:
            for place, text in unusable:
                self._report_unusable(tokens[place], text, syntax.reference(names[place]), names[place])
        return names, written

    def spelled(self, tokens: Sequence[Token], *, with_collection: bool = False) -> list[str]:
        """The template's names, the collection handle's words in front of the path's when asked for."""
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
        """What no other token may have in common with this one if it is called so."""
        folded = self.rules.fold(name)
        return (*token.key[:2], folded) if self.rules.nested else folded

    def numbered(self, name: str, number: int) -> str:
        """The name with a number after it."""
        return self.rules.identifier(f"{name}{self.rules.separator}{number}")

    def report_collision(self, token: Token, first: Token, wanted: str, name: str) -> None:
        """Say that the token has another name than it would have had, and why."""
        where, other = token_label(self.graph, token.key), token_label(self.graph, first.key)
        what = f"its {self.rules.platform} name {readable(wanted)} is the name of {other}, so it is {readable(name)}"
        found = problem("identifier-collision", where, what, "give one of the two another code syntax or name")
        self.problems.append(found._replace(severity="error") if self.settings.collisions == "raise" else found)

    def _report_unusable(self, token: Token, text: str, suggestion: str, name: str) -> None:
        syntax = f"its {self.rules.platform} code syntax {readable(text)!r}"
        what = f"{syntax} is no identifier there, so it is {readable(name)}"
        where = token_label(self.graph, token.key)
        self.problems.append(problem("code-syntax-unusable", where, what, f"write it as {readable(suggestion)}"))


def _settled(tokens: Sequence[Token], names: list[str], written: set[int], naming: _Naming) -> list[str]:
    """The names, made unique: the first in order keeps its own."""
    folded = [naming.known_as(token, name) for token, name in zip(tokens, names, strict=True)]
    count = Counter(folded)
    if len(count) == len(names):
        return names
    settled = list(names)
    contested = [place for place, each in enumerate(folded) if count[each] > 1]
    alternatives = _alternatives(tokens, contested, written, naming)
    owners: dict[Known, int] = {}
    numbers: dict[str, int] = {}
    for place, name in enumerate(names):
        if folded[place] not in owners:
            owners[folded[place]] = place
            continue
        token, first = tokens[place], tokens[owners[folded[place]]]
        choices = alternatives(place)
        free = next((each for each in choices if naming.known_as(token, each) not in owners), None)
        while free is None:
            number = numbers[choices[-1]] = numbers.get(choices[-1], 1) + 1
            numbered = naming.numbered(choices[-1], number)
            free = None if naming.known_as(token, numbered) in owners else numbered
        settled[place] = free
        owners[naming.known_as(token, free)] = place
        naming.report_collision(token, first, name, free)
    return settled


def _alternatives(
    tokens: Sequence[Token], contested: list[int], written: set[int], naming: _Naming
) -> Callable[[int], list[str]]:
    """A function from a token's place to the names it may take instead, the best first; rendered in one go."""
    from_syntax = [place for place in contested if place in written]
    plain = dict(zip(from_syntax, naming.spelled([tokens[place] for place in from_syntax]), strict=True))
    several = [tokens[place] for place in contested]
    longer = dict(zip(contested, naming.spelled(several, with_collection=True), strict=True))

    def of(place: int) -> list[str]:
        if place not in longer:  # its own name went to an earlier token as an alternative
            longer[place] = naming.spelled([tokens[place]], with_collection=True)[0]
            if place in written:
                plain[place] = naming.spelled([tokens[place]])[0]
        return [plain[place], longer[place]] if place in plain else [longer[place]]

    return of
