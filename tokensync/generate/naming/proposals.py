"""The lines of configuration that reproduce names which tokens have elsewhere: in a team's code, or in code syntax."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING

from tokensync.generate.naming.templates import LINE, environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.generate.naming.rules import NamingRules
    from tokensync.generate.naming.templates import NamedToken

_CASES = ("camel", "snake", "kebab", "pascal", "constant")
_SPELLINGS = (
    *_CASES,
    *("join('-')", "join('_')", "join"),
    *(f"map('{case}') | join('{separator}')" for separator in "-_" for case in ("camel", "pascal", "kebab")),
    *(f"{case}('{numbers}')" for numbers in ("joined", "apart") for case in _CASES),
)
"""What teams do with the parts of a name, the simplest first."""
_PATH = "path"
PARTS = (_PATH, "((handle,) + path)", "((handle.split('-')[0],) + path)", "path[1:]", "leaf")
"""The parts of a name that teams use: all groups or not the outermost one, the collection or its first word."""
BEGINNING = re.compile(r"[A-Za-z0-9]+[-_]|[a-z0-9]+(?=[A-Z])")
"""What may be a prefix of a name without its sigil."""


def lines(rules: NamingRules, parts: Sequence[str] = PARTS) -> Iterator[str]:
    """Yield the lines to try for a target, the usual and then the simplest ones first."""
    usual = "camel" if rules.capitals else "snake" if rules.separator == "_" else "kebab"
    foreign = "'-'" if rules.separator == "_" else "'_'"
    for part, spelling in product(parts, sorted(_SPELLINGS, key=lambda each: (each != usual, foreign in each))):
        yield f"{{{{ {part} | {spelling} }}}}"


def spelled(line: str, rows: Sequence[NamedToken], rules: NamingRules) -> list[str]:
    """Return the names of rows by one of these lines, which needs no sandbox process."""
    text = environment().from_string(LINE.replace("<line>", line)).render(tokens=rows, platform=rules.platform)
    return rules.from_lines(text.removesuffix("\n").split("\n"))


def best_line(rows: Sequence[NamedToken], rules: NamingRules, wanted: Sequence[str]) -> str:
    """Return the line that gives most rows their wanted name, if it does so for more than half of them."""
    beginnings = {match and match[0] for match in (BEGINNING.match(name.removeprefix(rules.sigil)) for name in wanted)}
    prefixes = ("", *filter(None, beginnings if len(beginnings) == 1 else ()))
    tried = [f"{prefix}{line}" for prefix in prefixes for line in lines(rules, (_PATH,))]
    matches = [sum(map(str.__eq__, spelled(line, rows, rules), wanted)) for line in tried]
    return tried[matches.index(max(matches))] if max(matches) * 2 > len(rows) else ""
