"""What belongs to another file can be referred to and overridden, not changed (platform-api.md 4.3 rule 11)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from tokensync.plan.differ import changed_metadata

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import Ref, VariableState
    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_CODE = "plan-fixed"
_TO_DO = "change it in the file that it belongs to"


def fixed_faults(intent: Intent) -> Iterator[Problem]:
    """Changes of remote variables and collections, and variables that are to be made where only another file can."""
    overriding: dict[Ref, set[Ref]] = {}
    for each in intent.after.collections.values():
        if each.parent is not None and not each.fixed:
            overriding.setdefault(each.root, set()).update(mode.ref for mode in each.modes)
    for ref, now in intent.after.variables.items():
        was = intent.before.variables.get(ref)
        if not now.fixed or was is None or was is now:
            continue
        if _differ(was, now, overriding.get(now.collection, set())):
            yield intent.fault(_CODE, ref, None, "it is of another file, and cannot be changed here", _TO_DO)
    for ref, here in intent.after.collections.items():
        former = intent.before.collections.get(ref)
        if here.fixed and former is not None and (former.name, former.hidden) != (here.name, here.hidden):
            yield intent.fault(_CODE, ref, None, "it is of another file, and cannot be changed here", _TO_DO)
    for variable in intent.new_variables:
        collection = intent.after.collections.get(variable.collection)
        if collection is None or collection.fixed:
            what = "its collection is of another file, where no variable can be made from here"
            yield intent.fault(_CODE, variable.ref, None, what, "put it in a collection of this file")
    for changed, mode, _ in intent.written:
        owner = intent.after.collections.get(changed.collection)
        if (
            owner is not None
            and owner.fixed
            and not changed.fixed
            and changed.ref in intent.before.variables
            and mode in (each.ref for each in owner.modes)
        ):
            what = "its collection is not in the platform's answer, so that no value of it can be set"
            yield intent.fault(_CODE, changed.ref, mode, what, "change it in the design file, and pull")


def _differ(was: VariableState, now: VariableState, overriding: set[Ref]) -> bool:
    """Whether two states of a variable differ in anything but overrides of it in this file."""
    if was == now:
        return False
    own = [{mode: value for mode, value in each.values.items() if mode not in overriding} for each in (was, now)]
    return own[0] != own[1] or changed_metadata(replace(was, values={}), replace(now, values={})) is not None
