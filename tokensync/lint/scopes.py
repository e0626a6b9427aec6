"""Scopes that do not fit the type of their variable, and variables without the limits that others have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.lint.subject import is_usual
from tokensync.normalize.mapping import ALL_SCOPES, KNOWN_SCOPES, RESOLVED_TYPES, SCOPES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.lint.subject import Subject
    from tokensync.system.problems import Problem
    from tokensync.tokens import Token


def unfit_scopes(token: Token) -> tuple[str, ...]:
    """Return the scopes that a variable of the token's type cannot have, among those that tokensync knows."""
    fitting = SCOPES.get(RESOLVED_TYPES.get(token.type, ""), KNOWN_SCOPES)
    return tuple(scope for scope in token.scopes if scope in KNOWN_SCOPES and scope not in fitting)


def scopes(subject: Subject) -> Iterator[Problem]:
    """Yield the scopes that do not fit a type, and ``ALL_SCOPES`` where 90 % of the others of its type are narrower."""
    alike: dict[tuple[str, str], list[Token]] = {}
    for token in subject.declared:
        alike.setdefault((token.key.file, token.type), []).append(token)
        if unfit := unfit_scopes(token):
            what = f"a variable of the type {token.type} cannot have the scope {', '.join(unfit)}"
            to_do = f"use {', '.join(sorted(SCOPES[RESOLVED_TYPES[token.type]]))}"
            yield subject.problem("scopes-unfit", token.key, what, to_do)
    for tokens in alike.values():
        limited = sum(bool(token.scopes) and ALL_SCOPES not in token.scopes for token in tokens)
        for token in tokens if is_usual(limited, len(tokens)) else ():
            if ALL_SCOPES in token.scopes:
                what = f"it has ALL_SCOPES, but {limited:,} of {len(tokens):,} tokens of its type have narrower ones"
                yield subject.problem("scopes-all", token.key, what, "choose the scopes of its use")
