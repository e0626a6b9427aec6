"""Scopes fit the type, and some exclude others (platform-facts section 1; the platform answers 400 for the rest)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tokensync.plan.validation.intent import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import Ref
    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_CODE = "plan-scopes"
_UNKNOWN = "plan-scope-unknown"
ALL_SCOPES: Final = "ALL_SCOPES"
_ALL_FILLS: Final = "ALL_FILLS"
_FILLS: Final = frozenset({"FRAME_FILL", "SHAPE_FILL", "TEXT_FILL"})
SCOPES: Final = {
    "FLOAT": frozenset(
        "ALL_SCOPES TEXT_CONTENT CORNER_RADIUS WIDTH_HEIGHT GAP STROKE_FLOAT EFFECT_FLOAT OPACITY COLOR_OPACITY"
        " FONT_STYLE FONT_WEIGHT FONT_SIZE LINE_HEIGHT LETTER_SPACING PARAGRAPH_SPACING PARAGRAPH_INDENT"
        " FONT_VARIATIONS".split()
    ),
    "STRING": frozenset({ALL_SCOPES, "TEXT_CONTENT", "FONT_FAMILY", "FONT_STYLE"}),
    "COLOR": _FILLS | {ALL_SCOPES, _ALL_FILLS, "STROKE_COLOR", "EFFECT_COLOR"},
    "BOOLEAN": frozenset({ALL_SCOPES}),
}
"""The scopes that a variable of each type can have: those that are documented, and those seen in real responses."""
_KNOWN: Final = frozenset[str]().union(*SCOPES.values())


def scope_faults(intent: Intent) -> Iterator[Problem]:
    """Find scopes that do not fit, of new variables and of others.

    The platform's list of scopes grows without notice. A scope that is not in ours is a warning, and none at all where
    the platform itself has shown it on a variable of the type.
    """
    for variable in intent.new_variables:
        yield from _faults(intent, variable.ref, variable.type, variable.scopes)
    for update in intent.updated_variables:
        if update.scopes is not None:
            yield from _faults(intent, update.ref, intent.after.variables[update.ref].type, update.scopes[1])


def _faults(intent: Intent, ref: Ref, kind: str, scopes: tuple[str, ...]) -> Iterator[Problem]:
    fitting = SCOPES[kind]
    others = [each for each in scopes if each not in fitting]
    if others:
        others = [each for each in others if (kind, each) not in intent.scopes_on_platform]
    unfit = [each for each in others if each in _KNOWN]
    if unfit:
        what = f"{', '.join(unfit[:3])} is no scope of a {kind} variable"
        yield intent.fault(_CODE, ref, None, what, f"use one or more of {', '.join(sorted(fitting))}")
    for each in others:
        if each not in _KNOWN:
            what = f"tokensync does not know the scope {shown(each)}, and the platform may refuse it"
            yield intent.fault(_UNKNOWN, ref, None, what, _advice(each, kind))
    if ALL_SCOPES in scopes and len(fitting.intersection(scopes)) > 1:
        yield intent.fault(_CODE, ref, None, f"{ALL_SCOPES} stands beside other scopes", "keep it alone, or the others")
    if _ALL_FILLS in scopes and not _FILLS.isdisjoint(scopes):
        yield intent.fault(_CODE, ref, None, f"{_ALL_FILLS} stands beside other fills", "keep it, or the others")


def _advice(scope: str, kind: str) -> str:
    """Return the scopes of the type that are spelled nearly so, or all of them."""
    from difflib import get_close_matches

    near = get_close_matches(scope[:60].upper(), sorted(SCOPES[kind]), n=2)
    if near:
        return f"write {' or '.join(near)} if that is meant"
    return f"known for a {kind} variable are {', '.join(sorted(SCOPES[kind]))}"
