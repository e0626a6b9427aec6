"""Modes that have the same value for every token, so that the choice between them has no effect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.system.wording import quoted
from tokensync.tokens import TokenKey

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.lint.subject import Subject
    from tokensync.system.problems import Problem
    from tokensync.tokens import FamilyKey, Token, Value

_LEAST = 2
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
