"""What is wrong, where, and what to do about it.

A room that finds problems collects them all in a list and hands them on; it raises once, with ``stop_on_errors``.
Every code is declared here with its severity and meaning: docs/problems.md is made from ``CODES``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from tokensync.errors import ProblemsError

if TYPE_CHECKING:
    from collections.abc import Iterable

Severity = Literal["error", "warning", "note"]


class Code(NamedTuple):
    """What a problem code means, everywhere it appears."""

    severity: Severity
    meaning: str
    outcome: str


class Problem(NamedTuple):
    """One finding. ``where`` is ``file:line:column (JSON pointer)`` or ``collection / variable / mode``."""

    severity: Severity
    code: str
    where: str
    what: str
    what_to_do: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}; {self.what_to_do} [{self.code}]"


CODES: dict[str, Code] = {}


def problem(code: str, where: str, what: str, what_to_do: str) -> Problem:
    """A problem of a declared code, with the severity of its code. An undeclared code is a KeyError: a bug."""
    return Problem(CODES[code].severity, code, where, what, what_to_do)


def errors_among(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Those that stop a step."""
    return tuple(each for each in problems if each.severity == "error")


def stop_on_errors(problems: Iterable[Problem]) -> None:
    """Raise ProblemsError with all of them when at least one is an error."""
    found = tuple(problems)
    if errors_among(found):
        raise ProblemsError(found)
