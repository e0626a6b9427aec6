"""Normalization: turns the snapshot of a design file into a token graph, in ordered steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.errors import DECODE_ERRORS
from tokensync.mapping import TypeRules
from tokensync.normalize.families import Draft, families
from tokensync.normalize.findings import findings, oddities, renamed_modes
from tokensync.normalize.linking import linked, referenced
from tokensync.normalize.numbers import numbers, unclear_numbers, with_rules, with_types
from tokensync.normalize.variables import keys, variables
from tokensync.normalize.weights import weights, with_weights
from tokensync.tokens import TokenGraph

if TYPE_CHECKING:
    from tokensync.problems import Problem
    from tokensync.wire import Snapshot

STEPS = (families, keys, variables, numbers, weights, oddities)

__all__ = [
    "STEPS",
    "findings",
    "linked",
    "normalize",
    "referenced",
    "renamed_modes",
    "unclear_numbers",
    "with_rules",
    "with_types",
    "with_weights",
]


def normalize(snapshot: Snapshot, rules: TypeRules | None = None) -> tuple[TokenGraph, tuple[Problem, ...]]:
    """Return the graph of one file, and the warnings and notes about its response.

    Join the graphs of several files with ``linked``, and call ``findings`` on the result. Raises ProblemsError for
    values that do not match the API's documentation.
    """
    draft = Draft(snapshot, rules or TypeRules())
    try:
        for step in STEPS:
            step(draft)
    except DECODE_ERRORS:
        snapshot.refuse_values()
        raise
    return TokenGraph(draft.collections, draft.tokens), (*snapshot.problems, *draft.problems)
