"""A variable has a value in every mode of its own collection: none can be taken away (platform-api.md 4.3 rule 9)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.validation.intent import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_CODE = "plan-value-absent"


def gap_faults(intent: Intent) -> Iterator[Problem]:
    """Values of root modes that are gone, and that a new variable lacks."""
    for ref, now in intent.after.variables.items():
        was = intent.before.variables.get(ref)
        if was is not None and was.values.keys() <= now.values.keys():
            continue
        collection = intent.after.collections.get(now.collection)
        if now.fixed or collection is None:
            continue
        for mode in collection.modes:
            if mode.ref in now.values:
                continue
            if was is None:
                what = f"it has no value in {shown(mode.name)}"
                yield intent.fault(_CODE, ref, None, what, "give it one that a variable can hold")
            elif mode.ref in was.values:
                what = f"it has no value in {shown(mode.name)} any more, and the platform cannot take it away"
                yield intent.fault(_CODE, ref, None, what, "give it one there, or remove the token")
