"""Extensions have the modes and variables of what they extend, and none of their own (platform-api.md 4.3 rule 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.roots import root_modes
from tokensync.plan.validation.intent import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import CollectionState
    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem

_CODE = "plan-extension"
_OWN = "an extension has the modes of what it extends, and none of its own"


def extension_faults(intent: Intent) -> Iterator[Problem]:
    """Parents that cannot be extended, modes that differ from the parent's, and variables in an extension."""
    for ref, now in intent.after.collections.items():
        was = intent.before.collections.get(ref)
        if now.parent is None or now.fixed:
            continue
        if was is None:
            yield from _new(intent, now)
        elif was.modes != now.modes:
            yield from _changed(intent, was, now)
    for variable in intent.new_variables:
        collection = intent.after.collections.get(variable.collection)
        if collection is not None and collection.parent is not None:
            what = f"{intent.called(collection.ref)} is an extension, which has the variables of what it extends"
            yield intent.fault(_CODE, variable.ref, None, what, "make it in the collection that is extended")


def _new(intent: Intent, now: CollectionState) -> Iterator[Problem]:
    parent = intent.after.collections.get(now.parent or "")
    if parent is None or parent.fixed:
        what = "it is to extend a collection of another file" if parent else "what it is to extend is not in this file"
        yield intent.fault(_CODE, now.ref, None, what, "extend it in the design file, which can, and pull")
        return
    names = {mode.ref: mode.name for mode in parent.modes}
    for mode in now.modes:
        if mode.parent not in names:
            what = f"its mode {shown(mode.name)} extends none of {intent.called(parent.ref)}"
            yield intent.fault(_CODE, now.ref, mode.ref, what, _OWN)
        elif names.pop(mode.parent) != mode.name:
            what = f"its mode {shown(mode.name)} is called otherwise in {intent.called(parent.ref)}"
            yield intent.fault(_CODE, now.ref, mode.ref, what, "call both the same")
    for name in names.values():
        what = f"it lacks the mode {shown(name)} of {intent.called(parent.ref)}"
        yield intent.fault(_CODE, now.ref, None, what, _OWN)


def _changed(intent: Intent, was: CollectionState, now: CollectionState) -> Iterator[Problem]:
    """Modes of an extension that exists: they come, go and are called as those of the root."""
    root = intent.after.collections.get(now.root)
    if root is None:
        return
    root_names = {mode.ref: mode.name for mode in root.modes}
    old_root = intent.before.collections.get(now.root)
    had = {mode.ref for mode in old_root.modes} if old_root is not None else set()
    origins = root_modes(intent.before, was) | root_modes(intent.after, now)
    names = {mode.ref: mode.name for mode in was.modes}
    for mode in now.modes:
        origin = origins.get(mode.ref)
        if mode.ref not in names:
            if origin is None or origin in had:
                what = f"its mode {shown(mode.name)} is new, and no mode of {intent.called(root.ref)} is new with it"
                yield intent.fault(_CODE, now.ref, mode.ref, what, _OWN)
        elif mode.name not in (names[mode.ref], root_names.get(origin or "")):
            what = f"its mode {shown(names[mode.ref])} is to be called {shown(mode.name)}"
            yield intent.fault(_CODE, now.ref, mode.ref, what, "rename the mode of the collection that it extends")
    kept = {mode.ref for mode in now.modes}
    for mode in was.modes:
        if mode.ref not in kept and origins.get(mode.ref) in root_names:
            what = f"its mode {shown(mode.name)} is to go, and the mode that it extends is not"
            yield intent.fault(_CODE, now.ref, None, what, "remove its values there instead: an empty mode follows")
