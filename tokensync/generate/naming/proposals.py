"""The lines of configuration that reproduce names which tokens have elsewhere: in a team's code, or in code syntax."""

from __future__ import annotations

import re
from functools import partial
from itertools import product, starmap
from typing import TYPE_CHECKING, NamedTuple

from tokensync.generate.naming.templates import SPELLINGS, NamedToken

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from tokensync.generate.naming.rules import NamingRules


def _join(separator: str, spell: Callable[[str], str], names: Iterable[str]) -> str:
    return separator.join(map(spell, names))


_SPELLINGS: Mapping[str, Callable[[Iterable[str]], str]] = {
    **SPELLINGS,
    "join('-')": "-".join,
    "join('_')": "_".join,
    "join": "".join,
    **{
        f"map('{case}') | join('{separator}')": partial(_join, separator, SPELLINGS[case])
        for separator in "-_"
        for case in ("camel", "pascal", "kebab")
    },
    **{
        f"{case}('{numbers}')": partial(spell, numbers=numbers)
        for numbers in ("joined", "apart")
        for case, spell in SPELLINGS.items()
    },
}
"""What teams do with the parts of a name, the simplest first, and the functions that do it."""
_PARTS: Mapping[str, Callable[[NamedToken], Iterable[str]]] = {
    "path": lambda token: token.path,
    "((handle,) + path)": lambda token: (token.handle, *token.path),
    "((handle.split('-')[0],) + path)": lambda token: (token.handle.split("-")[0], *token.path),
    "path[1:]": lambda token: token.path[1:],
    "leaf": lambda token: token.leaf,
}
"""The parts of a name that teams use: all groups or not the outermost one, the collection or its first word."""
BEGINNING = re.compile(r"[A-Za-z0-9]+[-_]|[a-z0-9]+(?=[A-Z])")
"""What may be a prefix of a name without its sigil."""


class Line(NamedTuple):
    """A line of the configuration. The names that it gives need neither the sandbox process nor a compiled template."""

    prefix: str
    part: str
    spelling: str

    def __str__(self) -> str:
        return f"{self.prefix}{{{{ {self.part} | {self.spelling} }}}}"

    def names(self, tokens: Iterable[NamedToken], rules: NamingRules) -> list[str]:
        """Return the names of tokens."""
        part, spelling = _PARTS[self.part], _SPELLINGS[self.spelling]
        return rules.from_lines(f"{self.prefix}{spelling(part(token))}" for token in tokens)


def lines(rules: NamingRules, parts: Iterable[str] = _PARTS, prefixes: Iterable[str] = ("",)) -> Iterator[Line]:
    """Return the lines to try for a target, the usual and then the simplest ones first."""
    usual = "camel" if rules.capitals else "snake" if rules.separator == "_" else "kebab"
    foreign = "'-'" if rules.separator == "_" else "'_'"
    spellings = sorted(_SPELLINGS, key=lambda name: (name != usual, foreign in name))
    return starmap(Line, product(prefixes, parts, spellings))


def best_line(tokens: Sequence[NamedToken], rules: NamingRules, wanted: Sequence[str]) -> Line | None:
    """Return the line that gives most tokens their wanted name, if it does so for more than half of them."""
    beginnings = {match and match[0] for match in (BEGINNING.match(name.removeprefix(rules.sigil)) for name in wanted)}
    prefixes = ("", *filter(None, beginnings if len(beginnings) == 1 else ()))
    best, most = None, len(tokens) // 2
    for line in lines(rules, ("path",), prefixes):
        matches = sum(map(str.__eq__, line.names(tokens, rules), wanted))
        if matches > most:
            best, most = line, matches
            if most == len(tokens):
                break
    return best
