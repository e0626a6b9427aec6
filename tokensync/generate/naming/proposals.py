"""The lines of configuration that reproduce names which tokens have elsewhere: in a team's code, or in code syntax."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from tokensync.generate.naming.templates import LINE, environment

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.generate.naming.rules import NamingRules
    from tokensync.generate.naming.templates import NamedToken

_CASES = ("kebab", "snake", "camel", "pascal", "constant")
SPELLINGS = (
    *_CASES,
    *("join('-')", "join('_')", "join"),
    *(f"map('{case}') | join('{separator}')" for separator in "-_" for case in ("camel", "pascal", "kebab")),
    *(f"{case}('{numbers}')" for numbers in ("joined", "apart") for case in _CASES),
)
"""What teams do with the parts of a name, the simplest first."""
PARTS = (
    "path",
    "((handle,) + path)",
    "((handle.split('-')[0],) + path)",
    "path[1:]",
    "leaf",
)
"""The parts of a name that teams use: all groups or not the outermost one, the collection or its first word."""


def spelled_by(
    rows: Sequence[NamedToken], rules: NamingRules, parts: Sequence[str] = PARTS
) -> Iterator[tuple[str, list[str]]]:
    """Yield each line with the names that it gives the rows, the usual and then the simplest lines first."""
    usual = "camel" if rules.capitals else "snake" if rules.separator == "_" else "kebab"
    for part, spelling in product(parts, sorted(SPELLINGS, key=lambda spelling: spelling != usual)):
        line = f"{{{{ {part} | {spelling} }}}}"
        yield line, rules.from_lines(_rendered(line, rows, rules.platform))


def _rendered(line: str, rows: Sequence[NamedToken], platform: str) -> list[str]:
    """Render one of the lines above, which need no sandbox process."""
    text = environment().from_string(LINE.replace("<line>", line)).render(tokens=rows, platform=platform)
    return text.removesuffix("\n").split("\n")
