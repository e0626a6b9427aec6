"""Which modes of a family a plan finds, makes, and may write: worked out once a family."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from tokensync.plan.state import FileState, Ref


class Columns(NamedTuple):
    """The modes that values can be set in.

    ``own`` are the root's modes that are there before and after, ``new`` those that the plan makes, ``overriding`` the
    modes of extensions of this file. ``defaults`` are the default modes before and after.
    """

    own: frozenset[Ref]
    new: frozenset[Ref]
    overriding: frozenset[Ref]
    defaults: tuple[Ref, Ref]


def columns_of(before: FileState, after: FileState) -> dict[Ref, Columns]:
    """The columns of every family that is in both states, by its root."""
    overriding: dict[Ref, set[Ref]] = {}
    for each in after.collections.values():
        if each.parent is not None and not each.fixed:
            overriding.setdefault(each.root, set()).update(mode.ref for mode in each.modes)
    found = {}
    for ref, now in after.collections.items():
        was = before.collections.get(ref)
        if was is None or now.parent is not None:
            continue
        modes = frozenset(mode.ref for mode in now.modes)
        own = frozenset(mode.ref for mode in was.modes) & modes
        new = frozenset() if now.fixed else modes - own
        # The platform's own choice: a rollback may wish for the default mode that there was.
        default = was.default if was.default in modes else now.default
        found[ref] = Columns(own, new, frozenset(overriding.get(ref, ())), (was.default, default))
    return found
