"""Tokens without the code syntax that almost all others of their design file have."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.lint.subject import is_usual
from tokensync.system.wording import counted
from tokensync.tokens import CODE_SYNTAX_PLATFORMS, TokenKey
from tokensync.tokens.composites import TYPES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.lint.subject import Subject
    from tokensync.system.problems import Problem
    from tokensync.tokens import Token


def missing_code_syntax(subject: Subject) -> Iterator[Problem]:
    """Yield the tokens without the code syntax of a platform for which 90 % of their file's tokens have it.

    A collection without any is one problem. Tokens that are hidden from publishing need no code syntax.
    """
    of_file: dict[str, list[Token]] = {}
    for token in subject.declared:
        if not token.hidden and token.type not in TYPES:  # only variables have code syntax
            of_file.setdefault(token.key.file, []).append(token)
    for tokens in of_file.values():
        for platform in CODE_SYNTAX_PLATFORMS:
            without = [token for token in tokens if platform not in dict(token.code_syntax)]
            with_it = len(tokens) - len(without)
            if is_usual(with_it, len(tokens)):
                yield from _problems(subject, tokens, without, platform)


def _problems(subject: Subject, tokens: Sequence[Token], without: Sequence[Token], platform: str) -> Iterator[Problem]:
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
            context = collection.modes[collection.default_mode].context
            what = (
                f"no token of {handle} ({counted(len(affected), 'token')}) has code syntax for {platform}, but {share}"
            )
            yield subject.problem("code-syntax-missing", TokenKey(*family, ""), what, to_do, context=context)
            continue
        for token in affected:
            what = f"it has no code syntax for {platform}, but {share}"
            yield subject.problem("code-syntax-missing", token.key, what, to_do)
