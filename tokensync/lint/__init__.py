"""Check a token graph for mistakes that are valid data: a function for each rule, in the order of ``RULES``."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Final

from tokensync.lint.contrast import contrast
from tokensync.lint.subject import Subject, shown_key
from tokensync.problems import problem
from tokensync.tokens import CODE_SYNTAX_PLATFORMS, MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION, TokenKey
from tokensync.wording import counted, listed, quoted, shortened, suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.problems import Problem
    from tokensync.tokens import FamilyKey, Token, Value

__all__ = ["RULES", "Subject", "lint", "shown_key"]


_MINORITY = 0.1
"""The largest part of the aliases between two collections that counts as a mistake."""

_Edges = dict[tuple["FamilyKey", "FamilyKey"], list[tuple["TokenKey", "TokenKey"]]]
"""The aliases between tokens of two collections, from the first to the second."""


def layers(subject: Subject) -> Iterator[Problem]:
    """Yield the aliases that lead from a lower layer to a higher one.

    ``lint.layers`` lists collections from the highest layer to the lowest. The order of two others is that of most
    aliases between them; if there is no clear majority, a note asks for the setting.
    """
    ranks, problems = _ranks(subject)
    yield from problems
    edges = _between_collections(subject)
    for (source, target), against in edges.items():
        along = edges.get((target, source), [])
        if source[1] in ranks and target[1] in ranks:
            if ranks[source[1]] > ranks[target[1]]:
                yield from _reversed(subject, against, f"{target[1]} is above {source[1]} in lint.layers")
        elif along and len(against) <= _MINORITY * (len(along) + len(against)):
            yield from _reversed(subject, against, f"{len(along):,} aliases lead from {target[1]} to {source[1]}")
        elif source < target and along and len(along) > _MINORITY * (len(along) + len(against)):
            what = f"{len(against):,} aliases lead from {source[1]} to {target[1]}, and {len(along):,} back"
            to_do = f'if one of them is the higher layer, add layers = ["{source[1]}", "{target[1]}"] to [lint]'
            yield problem(
                "layer-order-unclear", f"{source[1]}, {target[1]}", what, f"{to_do} in this or the other order"
            )


def _ranks(subject: Subject) -> tuple[Mapping[str, int], list[Problem]]:
    """Return the rank of each collection in ``lint.layers``, 0 for the highest, and the problems of the setting."""
    handles = {family.handle: family.handle for family in subject.graph.collections.values()}
    handles = {family.name: family.handle for family in subject.graph.collections.values()} | handles
    ranks: dict[str, int] = {}
    problems: list[Problem] = []
    for rank, name in enumerate(subject.settings.layers):
        if name in handles:
            ranks[handles[name]] = rank
            continue
        where = subject.location_of_setting("lint", "layers", rank)
        to_do = suggestion(name, tuple(handles), quoted=True)
        problems.append(problem("lint-unknown-name", where, f"no collection is called {name!r:.80}", to_do))
    return ranks, problems


def _between_collections(subject: Subject) -> _Edges:
    edges: _Edges = {}
    for token in subject.declared:
        for target in subject.references.get(token.key, ()):
            if target[:2] != token.key[:2]:
                edges.setdefault((token.key[:2], target[:2]), []).append((token.key, target))
    return edges


def _reversed(subject: Subject, against: list[tuple[TokenKey, TokenKey]], reason: str) -> Iterator[Problem]:
    for key, target in against:
        what = f"it refers to {target}, a higher layer ({reason})"
        to_do = f"refer to a token of {key.collection} or of a lower layer"
        yield problem("layer-order", subject.location_of(key, None), what, to_do)


_REASON = 120
"""Characters."""


def deprecated_in_use(subject: Subject) -> Iterator[Problem]:
    """Yield the tokens that refer to a deprecated token and are not deprecated themselves."""
    tokens = subject.graph.tokens
    if not any(each.deprecated for each in tokens.values()):
        return
    for token in subject.declared:
        if token.deprecated:
            continue
        targets = [tokens[each] for each in subject.references.get(token.key, ()) if tokens[each].deprecated]
        if targets:
            verb = "is" if len(targets) == 1 else "are"
            what = f"it refers to {listed([str(each.key) for each in targets])}, which {verb} deprecated"
            reason = next((each.deprecated for each in targets if isinstance(each.deprecated, str)), "")
            advice = f" (its deprecation says: {shortened(reason, _REASON)})" if reason else ""
            where = subject.location_of(token.key, None)
            yield problem("deprecated-in-use", where, what, f"refer to another token{advice}")


_USED = 0.9
_LEAST_USED = 10
"""A platform counts as used if this part of a design file's tokens, and this many of them, have its code syntax."""


def missing_code_syntax(subject: Subject) -> Iterator[Problem]:
    """Yield the tokens without the code syntax of a platform for which 90 % of their file's tokens have it.

    A collection without any is one problem. Tokens that are hidden from publishing need no code syntax.
    """
    of_file: dict[str, list[Token]] = {}
    for token in subject.declared:
        if not token.hidden:
            of_file.setdefault(token.key.file, []).append(token)
    for tokens in of_file.values():
        for platform in CODE_SYNTAX_PLATFORMS:
            without = [each for each in tokens if platform not in dict(each.code_syntax)]
            with_it = len(tokens) - len(without)
            if with_it >= _LEAST_USED and with_it >= _USED * len(tokens):
                yield from _without_syntax(subject, tokens, without, platform)


def _without_syntax(
    subject: Subject, tokens: Sequence[Token], without: Sequence[Token], platform: str
) -> Iterator[Problem]:
    share = f"{100 * (len(tokens) - len(without)) // len(tokens)} % of the design file's tokens have it"
    to_do = "set it in the design file, or with tokensync plan --code-syntax"
    sizes: dict[str, int] = {}
    missing: dict[str, list[Token]] = {}
    for each in tokens:
        sizes[each.key.collection] = sizes.get(each.key.collection, 0) + 1
    for each in without:
        missing.setdefault(each.key.collection, []).append(each)
    for handle, affected in missing.items():
        if len(affected) == sizes[handle] > 1:
            family = affected[0].key[:2]
            collection = subject.graph.collections[family]
            where = subject.location_of(TokenKey(*family, ""), collection.modes[collection.default_mode].context)
            what = (
                f"no token of {handle} ({counted(len(affected), 'token')}) has code syntax for {platform}, but {share}"
            )
            yield problem("code-syntax-missing", where, what, to_do)
            continue
        for token in affected:
            where = subject.location_of(token.key, None)
            yield problem("code-syntax-missing", where, f"it has no code syntax for {platform}, but {share}", to_do)


_LEAST_TOKENS = 2
"""With a single token, equal values are likely to be meant."""


def equal_modes(subject: Subject) -> Iterator[Problem]:
    """Yield the modes of root collections whose values, as written, equal those of an earlier mode.

    An extension may have modes without values of its own: it inherits them.
    """
    of_family: dict[FamilyKey, list[Token]] = {}
    for token in subject.declared:
        of_family.setdefault(token.key[:2], []).append(token)
    for family, tokens in of_family.items():
        collection = subject.graph.collections[family]
        if len(tokens) < _LEAST_TOKENS or collection.origin != "local":
            continue
        seen: dict[tuple[Value | None, ...], str] = {}
        for index, mode in enumerate(collection.modes):
            if mode.parent is not None:
                continue
            values = tuple(token.values[index] for token in tokens)
            first = seen.setdefault(values, mode.name)
            if first is not mode.name:
                where = subject.location_of(TokenKey(*family, ""), mode.context)
                what = f"all {len(tokens):,} tokens have the same values in the modes {quoted(first)} and"
                what += f" {quoted(mode.name)} of {collection.handle}"
                yield problem("modes-equal", where, what, "delete one of the modes, or give it values of its own")


_NEAR = 0.9
"""The part of a limit that is reported."""


def limits(subject: Subject) -> Iterator[Problem]:
    """Yield the local collections with more than 90 % of the modes or variables that the platform allows."""
    sizes = Counter(token.key[:2] for token in subject.declared)
    for family, collection in subject.graph.collections.items():
        if collection.origin != "local":
            continue
        where = subject.location_of(TokenKey(*family, ""), collection.modes[collection.default_mode].context)
        modes = sum(mode.parent is None for mode in collection.modes)
        counts = (
            (modes, MODES_PER_COLLECTION, "mode"),
            (sizes[family] + len(collection.opaque), VARIABLES_PER_COLLECTION, "variable"),
        )
        for count, limit, noun in counts:
            if count > limit * _NEAR:
                left = f"{limit - count:,} more" if count < limit else "no more"
                what = f"{collection.handle} has {counted(count, noun)}, and the platform allows {left}"
                yield problem("limit-near", where, what, "split the collection before it is full")


RULES: Final[tuple[Callable[[Subject], Iterable[Problem]], ...]] = (
    contrast,
    layers,
    deprecated_in_use,
    missing_code_syntax,
    equal_modes,
    limits,
)


def lint(subject: Subject) -> tuple[Problem, ...]:
    """Return the findings of all rules."""
    return tuple(found for rule in RULES for found in rule(subject))
