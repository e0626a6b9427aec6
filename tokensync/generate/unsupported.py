"""What becomes of a finding that the platform has no form for something: the output's own ``unsupported`` decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.problems import Problem
    from tokensync.settings import Unsupported

CODES = frozenset(("type-unsupported", "theme-unsupported"))


def as_configured(problems: Iterable[Problem], policy: Unsupported) -> Iterator[Problem]:
    """The problems, of which those of ``CODES`` are dropped by ``ignore`` and errors by ``raise``; each once."""
    for each in dict.fromkeys(problems):
        if each.code not in CODES or policy == "warn":
            yield each
        elif policy == "raise":
            yield each._replace(severity="error")
