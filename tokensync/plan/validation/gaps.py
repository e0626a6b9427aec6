"""A variable has a value in every mode of its own collection, which cannot be taken away, and overrides in those of
its extensions (platform-api.md 4.3 rule 9).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.validation.intent import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import Ref
    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_CODE = "plan-value-absent"


def gap_faults(intent: Intent) -> Iterator[Problem]:
    """Values of root modes that are gone, or that a new variable lacks; and values where the family has no mode."""
    yield from _gaps(intent)
    modes: dict[Ref, set[Ref]] = {}
    for each in intent.after.collections.values():
        modes.setdefault(each.root, set()).update(mode.ref for mode in each.modes)
    for variable, mode, _ in intent.written:
        if mode not in modes.get(variable.collection, ()) and variable.collection in modes:
            what = f"it has a value in a mode that {intent.called(variable.collection)} does not have"
            yield intent.fault("plan-value", variable.ref, mode, what, "remove it")


def _gaps(intent: Intent) -> Iterator[Problem]:
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
