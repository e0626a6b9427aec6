"""Scopes fit the type, and some exclude others (platform-facts section 1; the platform answers 400 for the rest)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import Ref
    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_CODE = "plan-scopes"
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


def scope_faults(intent: Intent) -> Iterator[Problem]:
    """Scopes that are set, of new variables and of others."""
    for variable in intent.new_variables:
        yield from _faults(intent, variable.ref, variable.type, variable.scopes)
    for update in intent.updated_variables:
        if update.scopes is not None:
            yield from _faults(intent, update.ref, intent.after.variables[update.ref].type, update.scopes[1])


def _faults(intent: Intent, ref: Ref, kind: str, scopes: tuple[str, ...]) -> Iterator[Problem]:
    unfit = [scope for scope in scopes if scope not in SCOPES[kind]]
    if unfit:
        what = f"{', '.join(each[:40] for each in unfit[:3])} is no scope of a {kind} variable"
        yield intent.fault(_CODE, ref, None, what, f"take some of {', '.join(sorted(SCOPES[kind]))}")
    if ALL_SCOPES in scopes and len(set(scopes)) > 1:
        yield intent.fault(_CODE, ref, None, f"{ALL_SCOPES} stands beside other scopes", "keep it alone, or the others")
    if _ALL_FILLS in scopes and not _FILLS.isdisjoint(scopes):
        yield intent.fault(_CODE, ref, None, f"{_ALL_FILLS} stands beside other fills", "keep it, or the others")
