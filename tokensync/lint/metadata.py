"""Names, descriptions, scopes and code syntax that break a declared pattern, or that almost all other tokens have.

Also collections with modes that are equal, and those that are about to reach a limit of the platform.
"""

from __future__ import annotations

import re
from collections import Counter
from fnmatch import fnmatchcase
from functools import lru_cache
from string import ascii_letters, digits
from typing import TYPE_CHECKING, Final

from tokensync.lint.subject import Subject, is_usual, name_of
from tokensync.normalize.mapping import ALL_SCOPES, KNOWN_SCOPES, RESOLVED_TYPES, SCOPES
from tokensync.system.wording import argument, counted, quoted
from tokensync.tokens import CODE_SYNTAX_PLATFORMS, MODES_PER_COLLECTION, VARIABLES_PER_COLLECTION, TokenKey
from tokensync.tokens.composites import TYPES
from tokensync.tokens.paths import names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.settings import NamePatternConfig
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


_CASES: Final = {
    "camel": "[a0][aA0]*",
    "constant": "[A0]+(_[A0]+)*",
    "kebab": "[a0]+(-[a0]+)*",
    "pascal": "[A0][aA0]*",
    "snake": "[a0]+(_[a0]+)*",
    "title": "[A0][aA0]*( [A0][aA0]*)*",
}
"""The cases of names, in which A, a and 0 stand for upper case, other letters and digits."""
_SHAPES: Final = str.maketrans(ascii_letters + digits, "a" * 26 + "A" * 26 + "0" * 10)


def naming(subject: Subject) -> Iterator[Problem]:
    """Yield the names that break a pattern of ``[[lint.naming]]``, each once."""
    for index, entry in enumerate(subject.settings.naming):
        tokens, problems = subject.selected(entry.match, subject.declared, "naming", index, "match")
        yield from problems
        seen: set[tuple[str, ...]] = set()
        for token in tokens:
            path = names(token.key.path)
            for level, what in _flaws(entry, path):
                named = (*token.key[:2], *path[: level + 1])
                if named not in seen:
                    seen.add(named)
                    to_do = f"run tokensync tokens rename {argument('/'.join(named[1:]))} NAME"
                    yield subject.problem("name-pattern", token.key, what, to_do)


def _flaws(entry: NamePatternConfig, path: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Yield the index of each name that breaks a pattern, and what is wrong. A missing name is empty."""
    for level in range(max(len(path), len(entry.names))):
        name = path[level] if level < len(path) else ""
        shown = f"the name {quoted(name)}" if name else "a missing name"
        glob = entry.names[min(level, len(entry.names) - 1)] if entry.names else "*"
        if not any(fnmatchcase(name, alternative) for alternative in glob.split("|")):
            yield min(level, len(path) - 1), f"{shown} does not match {quoted(glob)}"
        elif name and entry.case and entry.case not in _cases(name):
            yield level, f"{shown} is not in {entry.case} case"


def mixed_cases(subject: Subject) -> Iterator[Problem]:
    """Yield the tokens whose name is not in the case of at least 90 % of the tokens of their group."""
    groups: dict[tuple[FamilyKey, str], list[TokenKey]] = {}
    for token in subject.declared:
        groups.setdefault((token.key[:2], token.key.path.rpartition(".")[0]), []).append(token.key)
    for keys in groups.values():
        cases = {key: _cases(names(key.path)[-1]) for key in keys}
        counts = {case: sum(case in of_name for of_name in cases.values()) for case in _CASES}
        usual = max(counts, key=counts.__getitem__)
        for key in keys if is_usual(counts[usual], len(keys)) else ():
            if usual not in cases[key]:
                what = f"its name is not in {usual} case, unlike {counts[usual]} of the {len(keys)} names of its group"
                to_do = f"run tokensync tokens rename {argument(name_of(key))} NAME"
                yield subject.problem("name-mixed", key, what, to_do)


def _cases(name: str) -> frozenset[str]:
    """Return the cases that a name is in; several if it is a single word."""
    return _cases_of(name.translate(_SHAPES))


@lru_cache(maxsize=4_096)
def _cases_of(shape: str) -> frozenset[str]:
    others = re.sub(r"[^\W\d_A-Z]", "a", shape)
    return frozenset(case for case, pattern in _CASES.items() if re.fullmatch(pattern, others))


def missing_descriptions(subject: Subject) -> Iterator[Problem]:
    """Yield the tokens that ``lint.descriptions`` selects and that have no description."""
    tokens, problems = subject.selected(subject.settings.descriptions, subject.declared, "descriptions")
    yield from problems
    for token in tokens:
        if not token.description.strip():
            yield subject.problem("description-missing", token.key, "it has no description", "say what it is for")


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
    sizes = Counter(token.key[:2] for token in tokens)
    missing: dict[FamilyKey, list[TokenKey]] = {}
    for token in without:
        missing.setdefault(token.key[:2], []).append(token.key)
    for family, keys in missing.items():
        what, context = f"it has no code syntax for {platform}, but {share}", None
        if len(keys) == sizes[family] > 1:
            collection = subject.graph.collections[family]
            number = counted(len(keys), "token")
            what = f"no token of {family[1]} ({number}) has code syntax for {platform}, but {share}"
            context = collection.modes[collection.default_mode].context
        for key in keys if context is None else (TokenKey(*family, ""),):
            yield subject.problem("code-syntax-missing", key, what, to_do, context=context)
