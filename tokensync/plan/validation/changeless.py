"""What is settled when a thing is made: a variable's type and collection, and what a collection extends (4.3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_CODE = "plan-changeless"


def changeless_faults(intent: Intent) -> Iterator[Problem]:
    """Things that exist and are to be of another type, in another collection, or an extension of another one."""
    for ref, now in intent.after.variables.items():
        was = intent.before.variables.get(ref)
        if was is None or was is now or now.fixed:
            continue
        if was.type != now.type:
            what = f"its type is to change from {was.type} to {now.type}, which no request can do"
            yield intent.fault(_CODE, ref, None, what, "remove its id, which makes it a new variable")
        if was.collection != now.collection:
            what = f"it is to move to {intent.called(now.collection)}, which no request can do"
            yield intent.fault(_CODE, ref, None, what, "remove its id, which makes it a new variable")
    for ref, here in intent.after.collections.items():
        former = intent.before.collections.get(ref)
        if former is not None and former.parent != here.parent and not here.fixed:
            what = "what it extends is settled when it is made"
            yield intent.fault(_CODE, ref, None, what, "remove its id, which makes it a new collection")
        if former is not None and former.modes and not here.modes and not here.fixed:
            yield intent.fault(_CODE, ref, None, "its last mode is to go, which no request can do", "keep one mode")
