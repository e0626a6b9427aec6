"""The levels of problem codes that a configuration sets in ``[problems]``."""

from __future__ import annotations

import os
import re
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, NamedTuple

from tokensync.normalize.mapping import slug
from tokensync.system import plugins
from tokensync.system.problems import CODES, LEVELS
from tokensync.system.wording import shortened, suggestion

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from tokensync.settings import ProblemLevels
    from tokensync.system.problems import Level, Problem

_IN_FILE = re.compile(r"(.+?)(?::[0-9]+)*(?: \(#?(/.*)\))?", re.DOTALL)
"""The path of a place in a file, and its JSON pointer."""
_HANDLE = re.compile(r"(.*) \((?:[^ ()/]+/)?([^ ()/]+)\)")
"""The name and the handle of a collection whose name occurs twice."""


class Levels(NamedTuple):
    """The levels of problem codes; ``folder`` is the prefix of the project's paths."""

    table: ProblemLevels
    folder: str = ""

    def applied(self, problems: Iterable[Problem]) -> tuple[Problem, ...]:
        """Return the problems with their configured severity, without ignored ones.

        A problem that an option of an output has made an error stays one. Applying levels twice changes nothing.
        """
        return tuple(self._applied(problems)) if self.table else tuple(problems)

    def decisive(self) -> ProblemLevels:
        """Return the part of the table that decides whether outputs are written, and with what content."""
        return {code: levels for code, levels in self.table.items() if _is_decisive(code, levels)}

    def _applied(self, problems: Iterable[Problem]) -> Iterator[Problem]:
        for each in problems:
            levels = self.table.get(each.code)
            if levels is None or (each.code in CODES and each.severity != CODES[each.code].severity):
                yield each
                continue
            level: Level | None = levels if isinstance(levels, str) else self._level_at(each.where, levels)
            if level != "ignore":
                yield each if level is None else each._replace(severity=level)

    def _level_at(self, where: str, levels: Mapping[str, Level]) -> Level | None:
        """Return the level of the first glob that matches a place or something that contains it."""
        places = _places(where.removeprefix(self.folder))
        return next((level for glob, level in levels.items() if any(fnmatchcase(each, glob) for each in places)), None)


AS_DECLARED = Levels({})
"""Every code has its own severity."""


def _is_decisive(code: str, levels: Level | Mapping[str, Level]) -> bool:
    if code in CODES and CODES[code].severity == "error":
        return True
    return "error" in ((levels,) if isinstance(levels, str) else levels.values())


def _places(where: str) -> list[str]:
    """Return what a place is and what contains it: a file, or collections, groups and tokens as ``theme/text/muted``.

    Collections have their name and their handle.
    """
    collection, *rest = where.split(" / ")
    if rest:
        named = _HANDLE.fullmatch(collection)
        names = named.groups() if named else (collection, slug(collection, ""))
        return [prefix for name in dict.fromkeys(names) for prefix in _prefixes((name, *"/".join(rest).split("/")))]
    match = _IN_FILE.fullmatch(where)
    path, pointer = match.groups() if match else (where, None)
    steps = [each.replace("~1", "/").replace("~0", "~") for each in (pointer or "").split("/")[1:]]
    return [path.replace(os.sep, "/"), slug(path, ""), *_prefixes(steps)]


def _prefixes(steps: Iterable[str]) -> list[str]:
    prefixes: list[str] = []
    for each in steps:
        prefixes.append(f"{prefixes[-1]}/{each}" if prefixes else each)
    return prefixes


def invalid_levels(table: ProblemLevels) -> Iterator[tuple[tuple[str, ...], str, str]]:
    """Yield the path below ``[problems]``, the error and the remedy of each unknown code or impossible level."""
    for code, levels in table.items():
        plugged = plugins.entries("lint") if code not in CODES else {}
        if code not in CODES and code not in plugged:
            yield (code,), f"unknown problem code {shortened(code)!r}", suggestion(code, (*CODES, *plugged))
            continue
        allowed = LEVELS if code in plugged else CODES[code].levels
        for steps, level in (
            [((), levels)] if isinstance(levels, str) else [((glob,), each) for glob, each in levels.items()]
        ):
            if level not in allowed:
                fixed = CODES[code].severity
                what = f"the level of {code} cannot be {level!r}"
                remedy = f"use {' or '.join(map(repr, allowed))}"
                if len(allowed) == 1:
                    remedy = f"remove it: {code} is always {'an error' if fixed == 'error' else f'a {fixed}'}"
                yield (code, *steps), what, remedy
