"""Compare two states of a file and return the operations that turn one into the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateVariable,
)
from tokensync.plan.state import Digests, root_modes, temporary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import CollectionState, FileState, ModeState, Ref, VariableState


def differences(before: FileState, after: FileState) -> tuple[Operation, ...]:
    """Return the operations that turn one state into the other: creations and changes first, deletions last.

    Differences that no request can change (order, a default mode, a type, the name of an extension's mode) are left to
    ``tokensync.plan.validation``. ``fixed`` objects have no operations, except overrides in extensions that are not
    fixed. The cost is linear in the two states.
    """
    return (
        *_changed_collections(before, after),
        *_changed_modes(before, after),
        *_changed_variables(before, after),
        *_deleted_variables(before, after),
        *_deleted_modes(before, after),
        *_deleted_collections(before, after),
    )


def _changed_collections(
    before: FileState, after: FileState
) -> Iterator[CreateCollection | CreateExtension | UpdateCollection]:
    """Yield new collections and changes to the others; a parent comes before its extensions."""
    for ref, now in after.collections.items():
        if now.fixed:
            continue
        was = before.collections.get(ref)
        if was is None:
            yield _created_collection(now)
        elif was.name != now.name or was.hidden != now.hidden:
            yield UpdateCollection(
                ref=ref,
                name=None if was.name == now.name else (was.name, now.name),
                hidden=None if was.hidden == now.hidden else (was.hidden, now.hidden),
            )


def _deleted_collections(before: FileState, after: FileState) -> Iterator[DeleteCollection]:
    """Yield deleted collections; an extension is deleted together with its parent, without an operation of its own."""
    digests = Digests(before)
    for ref, was in before.collections.items():
        if was.fixed or ref in after.collections:
            continue
        parent = before.collections.get(was.parent or "")
        if parent is None or parent.fixed or parent.ref in after.collections:
            yield DeleteCollection(ref=ref, name=was.name, digest=digests.of_collection(ref))


def _created_collection(collection: CollectionState) -> CreateCollection | CreateExtension:
    if collection.parent is None:
        # The first mode of a new collection becomes its default: no request can change that.
        modes = tuple(sorted(collection.modes, key=lambda mode: mode.ref != collection.default))
        return CreateCollection(ref=collection.ref, name=collection.name, modes=modes, hidden=collection.hidden)
    return CreateExtension(
        ref=collection.ref,
        name=collection.name,
        parent=collection.parent,
        modes=collection.modes,
        hidden=collection.hidden,
    )


def _changed_modes(before: FileState, after: FileState) -> Iterator[CreateMode | RenameMode]:
    """Yield new modes of existing root collections and new names of existing modes.

    The modes of an extension follow those of the root, so they need no operations.
    """
    digests = Digests(before)
    used_refs: set[str] | None = None
    for was, now in _roots_of_both(before, after):
        names = {mode.ref: mode.name for mode in was.modes}
        for mode in now.modes:
            name = names.get(mode.ref)
            if name is None:
                if used_refs is None:
                    used_refs = {each.ref for collection in after.collections.values() for each in collection.modes}
                extended = tuple(_extended_modes(before, after, now.ref, mode, used_refs))
                filled = digests.of_mode(was.ref, was.default)
                yield CreateMode(ref=mode.ref, collection=now.ref, name=mode.name, extended=extended, filled=filled)
            elif name != mode.name:
                yield RenameMode(ref=mode.ref, collection=now.ref, name=(name, mode.name))


def _deleted_modes(before: FileState, after: FileState) -> Iterator[DeleteMode]:
    """Yield deleted modes of collections that stay."""
    digests = Digests(before)
    for was, now in _roots_of_both(before, after):
        remaining = {mode.ref for mode in now.modes}
        for mode in was.modes:
            if mode.ref not in remaining:
                digest = digests.of_mode(was.ref, mode.ref)
                yield DeleteMode(ref=mode.ref, collection=was.ref, name=mode.name, digest=digest)


def _roots_of_both(before: FileState, after: FileState) -> Iterator[tuple[CollectionState, CollectionState]]:
    for ref, now in after.collections.items():
        was = before.collections.get(ref)
        if was is not None and now.parent is None and was.parent is None and not now.fixed and was.modes != now.modes:
            yield was, now


def _extended_modes(
    before: FileState, after: FileState, root: Ref, mode: ModeState, used_refs: set[str]
) -> Iterator[tuple[Ref, Ref]]:
    """Yield each extension that exists when the mode is created, even one to be deleted, with its mode.

    New extensions are created later with all their modes.
    """
    for extension in before.family(root):
        if extension.parent is None or extension.fixed:
            continue
        now = after.collections.get(extension.ref)
        of_root = root_modes(after, now) if now is not None else {}
        own = next((ref for ref, origin in of_root.items() if origin == mode.ref), None)
        yield extension.ref, own or temporary(f"mode:{extension.name}/{mode.name}", used_refs)


def _changed_variables(before: FileState, after: FileState) -> Iterator[CreateVariable | UpdateVariable | SetValue]:
    """Yield new variables, then changes to each of the others: its metadata first, then its values."""
    columns = _columns_of(before, after)
    for ref, now in after.variables.items():
        was = before.variables.get(ref)
        if was is None:
            if not now.fixed:
                yield CreateVariable(variable=now)
            continue
        if was is now or was == now:
            continue
        if not now.fixed and (update := changed_metadata(was, now)) is not None:
            yield update
        own = columns.get(now.collection)
        if own is not None and was.values != now.values:
            if not now.fixed:
                yield from _changed_values(was, now, own)
            if own.overriding:
                yield from _changed_overrides(was, now, own)


def _deleted_variables(before: FileState, after: FileState) -> Iterator[DeleteVariable]:
    """Yield deleted variables of collections that stay."""
    digests = Digests(before)
    for ref, was in before.variables.items():
        if ref not in after.variables and not was.fixed and was.collection in after.collections:
            yield DeleteVariable(ref=ref, name=was.name, collection=was.collection, digest=digests.of_variable(ref))


class Columns(NamedTuple):
    """The modes in which values can be set.

    ``own`` are the root's modes that stay, ``new`` those that the plan creates, ``overriding`` the modes of extensions
    of this file. ``defaults`` are the default modes before and after.
    """

    own: frozenset[Ref]
    new: frozenset[Ref]
    overriding: frozenset[Ref]
    defaults: tuple[Ref, Ref]


def _columns_of(before: FileState, after: FileState) -> dict[Ref, Columns]:
    """Return the columns of every family that is in both states, by its root."""
    overriding: dict[Ref, set[Ref]] = {}
    for each in after.collections.values():
        if each.parent is not None and not each.fixed:
            overriding.setdefault(each.root, set()).update(mode.ref for mode in each.modes)
    result = {}
    for ref, now in after.collections.items():
        was = before.collections.get(ref)
        if was is None or now.parent is not None:
            continue
        modes = frozenset(mode.ref for mode in now.modes)
        own = frozenset(mode.ref for mode in was.modes) & modes
        new = frozenset() if now.fixed else modes - own
        # The platform chooses: a rollback may ask for a former default mode.
        default = was.default if was.default in modes else now.default
        result[ref] = Columns(own, new, frozenset(overriding.get(ref, ())), (was.default, default))
    return result


def changed_metadata(was: VariableState, now: VariableState) -> UpdateVariable | None:
    """Return one operation for all changed metadata of a variable, or None."""
    name = None if was.name == now.name else (was.name, now.name)
    description = None if was.description == now.description else (was.description, now.description)
    scopes = None if was.has_scopes(now.scopes) else (was.scopes, now.scopes)
    hidden = None if was.hidden == now.hidden else (was.hidden, now.hidden)
    syntax = None if was.code_syntax == now.code_syntax else (was.code_syntax, now.code_syntax)
    if (name, description, scopes, hidden, syntax) == (None, None, None, None, None):
        return None
    return UpdateVariable(
        ref=now.ref, name=name, description=description, scopes=scopes, hidden=hidden, code_syntax=syntax
    )


def _changed_values(was: VariableState, now: VariableState, columns: Columns) -> Iterator[SetValue]:
    """Yield changed values, and values of a new mode that differ from those that it starts with.

    A new mode starts with the default mode's values, from before or after the plan sets others, depending on the
    requests: only a value that equals both needs no operation. No request can remove a value.
    """
    filled = tuple(held.values.get(mode) for held, mode in zip((was, now), columns.defaults, strict=True))
    for mode, value in now.values.items():
        if mode in columns.own:
            old = was.values.get(mode)
            if old != value:
                yield SetValue(variable=now.ref, mode=mode, before=old, after=value)
        elif mode in columns.new and filled != (value, value):
            yield SetValue(variable=now.ref, mode=mode, after=value)


def _changed_overrides(was: VariableState, now: VariableState, columns: Columns) -> Iterator[SetValue]:
    """Yield new, changed and removed overrides, except those deleted with their extension or mode."""
    for mode, value in now.values.items():
        if mode in columns.overriding:
            old = was.values.get(mode)
            if old != value:
                yield SetValue(variable=now.ref, mode=mode, before=old, after=value)
    for mode, value in was.values.items():
        if mode in columns.overriding and mode not in now.values:
            yield SetValue(variable=now.ref, mode=mode, before=value)
