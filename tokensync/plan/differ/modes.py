"""Modes of root collections: made, renamed, deleted. An extension's modes follow the root's (4.3 rule 7)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.digests import Digests
from tokensync.plan.operations import CreateMode, DeleteMode, RenameMode
from tokensync.plan.refs import temporary
from tokensync.plan.roots import root_modes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.state import CollectionState, FileState, ModeState, Ref


def changed_modes(before: FileState, after: FileState) -> Iterator[CreateMode | RenameMode]:
    """New modes of collections that exist, and new names of modes that exist."""
    digests = Digests(before)
    taken: set[str] | None = None
    for was, now in _roots_of_both(before, after):
        names = {mode.ref: mode.name for mode in was.modes}
        for mode in now.modes:
            name = names.get(mode.ref)
            if name is None:
                if taken is None:
                    taken = {each.ref for collection in after.collections.values() for each in collection.modes}
                extended = tuple(_extended(before, after, now.ref, mode, taken))
                filled = digests.of_mode(was.ref, was.default)
                yield CreateMode(ref=mode.ref, collection=now.ref, name=mode.name, extended=extended, filled=filled)
            elif name != mode.name:
                yield RenameMode(ref=mode.ref, collection=now.ref, name=(name, mode.name))


def deleted_modes(before: FileState, after: FileState) -> Iterator[DeleteMode]:
    """Modes that go while their collection stays."""
    digests = Digests(before)
    for was, now in _roots_of_both(before, after):
        kept = {mode.ref for mode in now.modes}
        for mode in was.modes:
            if mode.ref not in kept:
                digest = digests.of_mode(was.ref, mode.ref)
                yield DeleteMode(ref=mode.ref, collection=was.ref, name=mode.name, digest=digest)


def _roots_of_both(before: FileState, after: FileState) -> Iterator[tuple[CollectionState, CollectionState]]:
    for ref, now in after.collections.items():
        was = before.collections.get(ref)
        if was is not None and now.parent is None and was.parent is None and not now.fixed and was.modes != now.modes:
            yield was, now


def _extended(
    before: FileState, after: FileState, root: Ref, mode: ModeState, taken: set[str]
) -> Iterator[tuple[Ref, Ref]]:
    """Each extension that exists when the mode is made, with its mode; one that is going to be deleted has it, too.

    An extension that the plan makes comes later, and says itself what its modes are.
    """
    for extension in before.family(root):
        if extension.parent is None or extension.fixed:
            continue
        now = after.collections.get(extension.ref)
        of_root = root_modes(after, now) if now is not None else {}
        own = next((ref for ref, origin in of_root.items() if origin == mode.ref), None)
        yield extension.ref, own or temporary(f"mode:{extension.name}/{mode.name}", taken)
