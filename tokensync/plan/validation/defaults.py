"""Default modes: no request sets one. A new collection's first mode is it, and where it goes, the first of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.roots import root_modes
from tokensync.plan.validation.intent import shown

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import CollectionState, Ref
    from tokensync.plan.validation.intent import Intent
    from tokensync.problems import Problem


def default_mode_faults(intent: Intent) -> Iterator[Problem]:
    """Collections whose default mode would be another one than is wanted."""
    for ref, now in intent.after.collections.items():
        was = intent.before.collections.get(ref)
        if now.fixed or not now.modes or (was is not None and was.default == now.default):
            continue
        if now.parent is None:
            coming = None if was is None else _coming(was, now)
            if coming is not None and coming != now.default:
                wanted, made = (_named(now, mode) for mode in (now.default, coming))
                what = f"the default mode is to be {wanted}, and on the platform it would be {made}"
                to_do = "change it in the design file and pull, or let the default mode in the token files be that one"
                yield intent.fault("plan-default-mode", ref, now.default, what, to_do)
        elif not _follows(intent, now):
            what = "the default mode of an extension is the one that extends the default mode of its collection"
            yield intent.fault("plan-default-mode", ref, now.default, what, "name that one as its default")


def _coming(was: CollectionState, now: CollectionState) -> Ref:
    """The default mode as the platform will have it: the old one, or the first that is left when it goes."""
    wanted = [mode.ref for mode in now.modes]
    left = [mode.ref for mode in was.modes if mode.ref in wanted]
    return was.default if was.default in left else [*left, *wanted][0]


def _follows(intent: Intent, extension: CollectionState) -> bool:
    """Whether an extension's default mode extends that of its root, the wanted one or the one that there will be."""
    root, was = (state.collections.get(extension.root) for state in (intent.after, intent.before))
    if root is None or not root.modes:
        return True
    coming = root.default if was is None else _coming(was, root)
    return root_modes(intent.after, extension).get(extension.default) in (None, root.default, coming)


def _named(collection: CollectionState, mode: Ref) -> str:
    return shown(next((each.name for each in collection.modes if each.ref == mode), mode))
