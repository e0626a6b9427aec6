"""Collections with modes that are equal, and those that are about to reach a limit of the platform."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from tokensync.system.wording import counted, quoted
from tokensync.tokens import MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION, TokenKey
from tokensync.tokens.composites import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.lint.subject import Subject
    from tokensync.system.problems import Problem
    from tokensync.tokens import FamilyKey, Token, Value

_LEAST = 2
"""With a single token, equal values are likely to be meant."""
_SHARE = 0.9
"""The part of a limit that is reported."""


def equal_modes(subject: Subject) -> Iterator[Problem]:
    """Yield the modes of root collections whose values, as written, equal those of an earlier mode.

    An extension may have modes without values of its own: it inherits them.
    """
    of_family: dict[FamilyKey, list[Token]] = {}
    for token in subject.declared:
        of_family.setdefault(token.key[:2], []).append(token)
    for family, tokens in of_family.items():
        collection = subject.graph.collections[family]
        if len(tokens) < _LEAST or collection.origin != "local":
            continue
        seen: dict[tuple[Value | None, ...], str] = {}
        for index, mode in enumerate(collection.modes):
            if mode.parent is not None:
                continue
            values = tuple(token.values[index] for token in tokens)
            first = seen.setdefault(values, mode.name)
            if first is not mode.name:
                what = f"all {len(tokens):,} tokens have the same values in the modes {quoted(first)} and"
                what += f" {quoted(mode.name)} of {collection.handle}"
                to_do = "delete one of the modes, or give it values of its own"
                yield subject.problem("modes-equal", TokenKey(*family, ""), what, to_do, context=mode.context)


def limits(subject: Subject) -> Iterator[Problem]:
    """Yield the local collections with more than 90 % of the modes or variables that the platform allows."""
    table = subject.graph.table
    rows = zip(table.families, table.types, table.origins, strict=True)
    # The parts of an assembled token are variables, and the token is none.
    sizes = Counter(family for family, type_, origin in rows if type_ not in TYPES and origin in ("local", "withheld"))
    for family, collection in subject.graph.collections.items():
        if collection.origin != "local":
            continue
        modes = sum(mode.parent is None for mode in collection.modes)
        counts = (
            (modes, MODES_PER_COLLECTION, "mode"),
            (sizes[family] + len(collection.opaque), VARIABLES_PER_COLLECTION, "variable"),
        )
        for count, limit, noun in counts:
            if count > limit * _SHARE:
                left = f"{limit - count:,} more" if count < limit else "no more"
                context = collection.modes[collection.default_mode].context
                what = f"{collection.handle} has {counted(count, noun)}, and Figma allows {left}"
                to_do = "split the collection before it is full"
                yield subject.problem("limit-near", TokenKey(*family, ""), what, to_do, context=context)
