"""Check a token graph for mistakes that are valid data: a module for each subject, in the order of ``RULES``.

Installed packages can add rules (``system.plugins``): the name of a rule's entry point is the code of its problems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from tokensync.lint.aliases import deep_aliases, deprecated_in_use, layers, literals, unused_primitives
from tokensync.lint.composites import possible_composites
from tokensync.lint.metadata import (
    equal_modes,
    limits,
    missing_code_syntax,
    missing_descriptions,
    mixed_cases,
    naming,
    scopes,
)
from tokensync.lint.subject import Subject, shown_key
from tokensync.lint.values import color_vision, contrast, near_colors, scales
from tokensync.system import plugins
from tokensync.system.problems import CODES, Problem

__all__ = ["RULES", "Subject", "lint", "shown_key"]

RULES: Final[tuple[Callable[[Subject], Iterable[Problem]], ...]] = (
    contrast,
    layers,
    deprecated_in_use,
    missing_code_syntax,
    equal_modes,
    limits,
    possible_composites,
    scopes,
    naming,
    mixed_cases,
    literals,
    deep_aliases,
    unused_primitives,
    scales,
    near_colors,
    color_vision,
    missing_descriptions,
)


def lint(subject: Subject) -> tuple[Problem, ...]:
    """Return the findings of all rules. Raises UsageError if the rule of a plug-in fails."""
    findings = [problem for rule in RULES for problem in rule(subject)]
    for name in plugins.entries("lint"):
        if name not in CODES:  # no rule of a package replaces ours
            rule = plugins.load("lint", name)
            with plugins.answering("lint", name):
                findings += plugins.checked(rule(subject), name.__eq__, name)
    return tuple(findings)
