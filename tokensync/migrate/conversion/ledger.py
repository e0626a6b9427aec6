"""The ledger of a migration: the outcome of every token that was read, and of every alias in it.

Tokens read are tokens migrated and tokens reported. Aliases read are aliases written, composed with an opacity,
flattened to literals, and those of reported tokens. Every line has a file, a line and a reason.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec import Struct

from tokensync.problems import problem

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.migrate.source import Location
    from tokensync.problems import Problem

Kind = Literal[
    "reported",
    "replaced",
    "unread",
    "partly",
    "flattened",
    "lowered",
    "files only",
    "renamed",
    "filled",
    "contested",
    "changed",
    "left",
]
"""``reported`` tokens are not migrated, and ``replaced`` ones are definitions that others replace in all themes.
``unread`` parts of files are no tokens, and ``partly`` lacks a member."""

_CODES: dict[Kind, tuple[str, str]] = {
    "reported": ("migrate-token-reported", "it is not migrated until you correct the file, or change the mapping"),
    "replaced": ("migrate-token-replaced", "nothing is lost unless a theme should use this definition"),
    "partly": ("migrate-token-partly", "correct the file, or add the member by hand"),
    "unread": ("migrate-token-unread", "correct the file if it should have a token there"),
    "flattened": ("migrate-alias-flattened", "make it an alias by hand where that matters"),
    "lowered": ("migrate-token-lowered", "use its members as tokens"),
    "files only": (
        "migrate-token-files-only",
        "it is in the token files, from which code is generated, but not in Figma",
    ),
    "renamed": ("migrate-name-changed", "choose another name in [names] of the mapping if you prefer one"),
    "filled": ("migrate-value-filled", 'check the value, or set missing = "report" in the mapping'),
    "contested": ("migrate-token-contested", "change the mapping if another collection should have it"),
    "left": ("migrate-variable-left", "delete it in Figma when nothing uses it"),
    "changed": ("migrate-value-changed", "check the value"),
}


class Line(NamedTuple):
    """A line of the ledger about a token, or about an alias in it."""

    kind: Kind
    at: Location
    name: str
    reason: str


class Count(Struct, frozen=True):
    """The numbers of tokens and aliases by outcome; ``aliases_reported`` are those of reported tokens."""

    tokens_read: int
    tokens_migrated: int
    tokens_reported: int
    aliases_read: int
    aliases_written: int
    aliases_composed: int
    aliases_flattened: int
    aliases_reported: int

    @property
    def is_balanced(self) -> bool:
        """Return whether everything that was read has an outcome."""
        aliases = self.aliases_written + self.aliases_composed + self.aliases_flattened + self.aliases_reported
        return self.tokens_read == self.tokens_migrated + self.tokens_reported and self.aliases_read == aliases


class Ledger(Struct, frozen=True):
    """The ledger: counts, and lines in the order of the source."""

    counts: Count
    lines: tuple[Line, ...]

    def of(self, *kinds: Kind) -> Iterator[Line]:
        """Return the lines of these kinds."""
        return (each for each in self.lines if each.kind in kinds)

    def problems(self) -> tuple[Problem, ...]:
        """Return the lines as problems. Those of one reason and file share a line unless all are shown."""
        return tuple(map(_problem, self.lines))


def _problem(line: Line) -> Problem:
    """Return a line as a problem, located by file, line and token."""
    code, to_do = _CODES[line.kind]
    where = f"{line.at} (#/{line.name[:200].replace('.', '/')})" if line.name else str(line.at)
    what, advice = line.reason, to_do
    if line.kind in _ADVISED:
        known = next((each for pattern, each in _REMEDIES if pattern.search(line.reason)), None)
        before, _, after = line.reason.rpartition("; ")
        what, advice = (line.reason, known) if known else (before, after) if before else (what, advice)
    return problem(code, where, what, advice, brief=_DETAIL.sub(_shortened, what))


_ADVISED = ("unread", "reported", "partly")
"""The kinds of lines whose reasons may end with advice of the reader, after a semicolon."""

_REMEDIES = tuple(
    (re.compile(pattern), remedy)
    for pattern, remedy in {
        "^it has no value in the modes? .* of ": 'add it, or set missing = "first" for the collection in the mapping',
        "^the mapping skips it": "remove it from skip in the mapping to migrate it",
        "^no theme and no collection of the mapping has its set": "add it to the sets of a collection in the mapping",
        "^its values have different types": "give it one type in [types] of the mapping",
        "variables cannot hold [^;]*;": "correct the file, or keep it in code",
        "variables cannot hold|depends on where it is used": "keep it in code",
    }.items()
)
"""The remedies for reasons that no change of the value helps, or only a certain one."""

_DETAIL = re.compile(
    r"\{[^{}]*\}|'[^']*[\d(){}#%][^']*'|#[0-9a-f]{3,8}\b|\b(?:color|oklch|oklab|lch|lab|hsl|hwb|rgb)a?\([^()]*\)"
    r"|(?<=fonts )[^;]+|[^\s():]+:\d+\b"
)
"""A token, a value or a place in a reason, without which reasons are equal."""


def _shortened(detail: re.Match[str]) -> str:
    """Return the place of a detail in the text that many lines share."""
    return {"{": "{...}", "'": "'...'"}.get(detail[0][0], "...")
