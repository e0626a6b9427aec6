"""Compare two states of a file and return the operations that turn one into the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tokensync.plan.operations import (
    CreateCollection,
    CreateExtension,
    CreateMode,
    CreateStyle,
    CreateVariable,
    DeleteCollection,
    DeleteMode,
    DeleteStyle,
    DeleteVariable,
    RenameMode,
    SetValue,
    UpdateCollection,
    UpdateStyle,
    UpdateVariable,
)
from tokensync.plan.state import Digests, FileState, ModeState, Ref, VariableState, digest_of, root_modes, temporary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.plan.operations import Operation


def differences(before: FileState, after: FileState) -> tuple[Operation, ...]:
    """Return the operations that turn one state into the other: creations and changes first, deletions last.

    Differences that no request can change (order, a default mode, a type, the name of an extension's mode) are left to
    ``tokensync.plan.validation``. ``fixed`` objects have no operations, except overrides in extensions that are not
    fixed. The cost is linear in the two states.
    """
    digests = Digests(before)
    collections, deleted_collections = _of_collections(before, after, digests)
    modes, deleted_modes = _of_modes(before, after, digests)
    variables, deleted_variables = _of_variables(before, after)
    styles, deleted_styles = _of_styles(before, after) if before.styles or after.styles else ([], [])
    deleted = (*deleted_variables, *deleted_modes, *deleted_collections)
    return (*collections, *modes, *variables, *styles, *deleted_styles, *deleted)


_Changes = tuple[list["Operation"], list["Operation"]]
"""Creations and changes, and deletions."""


def _of_collections(before: FileState, after: FileState, digests: Digests) -> _Changes:
    """Return new collections and changes of others, a parent before its extensions, and deleted collections.

    An extension is deleted together with its parent, without an operation of its own.
    """
    changes: list[Operation] = []
    for ref, now in after.collections.items():
        was = before.collections.get(ref)
        if now.fixed or was is now:
            continue
        if was is None and now.parent is None:
            # The first mode of a new collection becomes its default: no request can change that.
            modes = tuple(sorted(now.modes, key=lambda mode: mode.ref != now.default))
            changes.append(CreateCollection(ref=ref, name=now.name, modes=modes, hidden=now.hidden))
        elif was is None and now.parent is not None:
            changes.append(
                CreateExtension(ref=ref, name=now.name, parent=now.parent, modes=now.modes, hidden=now.hidden)
            )
        elif was is not None and (was.name != now.name or was.hidden != now.hidden):
            name = None if was.name == now.name else (was.name, now.name)
            hidden = None if was.hidden == now.hidden else (was.hidden, now.hidden)
            changes.append(UpdateCollection(ref=ref, name=name, hidden=hidden))
    deletions: list[Operation] = []
    for ref, was in before.collections.items():
        parent = before.collections.get(was.parent or "")
        is_with_parent = parent is not None and not parent.fixed and parent.ref not in after.collections
        if not was.fixed and ref not in after.collections and not is_with_parent:
            deletions.append(DeleteCollection(ref=ref, name=was.name, digest=digests.of_collection(ref)))
    return changes, deletions


def _of_modes(before: FileState, after: FileState, digests: Digests) -> _Changes:
    """Return new modes and new names of modes of root collections that stay, and their deleted modes.

    The modes of an extension follow those of the root, so they need no operations.
    """
    changes: list[Operation] = []
    deletions: list[Operation] = []
    used_refs: set[str] | None = None
    for ref, now in after.collections.items():
        was = before.collections.get(ref)
        if was is None or now.parent is not None or was.parent is not None or now.fixed or was.modes == now.modes:
            continue
        names = {mode.ref: mode.name for mode in was.modes}
        for mode in now.modes:
            name = names.pop(mode.ref, None)
            if name is None:
                if used_refs is None:
                    used_refs = {mode.ref for collection in after.collections.values() for mode in collection.modes}
                extended = tuple(_extended_modes(before, after, ref, mode, used_refs))
                filled = digests.of_mode(ref, was.default)
                changes.append(
                    CreateMode(ref=mode.ref, collection=ref, name=mode.name, extended=extended, filled=filled)
                )
            elif name != mode.name:
                changes.append(RenameMode(ref=mode.ref, collection=ref, name=(name, mode.name)))
        for deleted, name in names.items():
            digest = digests.of_mode(ref, deleted)
            deletions.append(DeleteMode(ref=deleted, collection=ref, name=name, digest=digest))
    return changes, deletions


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


def _of_variables(before: FileState, after: FileState) -> _Changes:
    """Return new variables, then changes to each of the others, and deleted variables of collections that stay."""
    changes: list[Operation] = []
    columns: dict[Ref, Columns] | None = None
    for ref, now in after.variables.items():
        was = before.variables.get(ref)
        if was is None:
            if not now.fixed:
                changes.append(CreateVariable(variable=now))
        elif was is not now and was != now:
            if columns is None:
                columns = _columns_of(before, after)
            changes += _changes_of_variable(was, now, columns.get(now.collection))
    deletions: list[Operation] = []
    for ref, was in before.variables.items():
        if ref not in after.variables and not was.fixed and was.collection in after.collections:
            deletions.append(DeleteVariable(ref=ref, name=was.name, collection=was.collection, digest=digest_of(was)))
    return changes, deletions


def _of_styles(before: FileState, after: FileState) -> _Changes:
    changes: list[Operation] = []
    for ref, now in after.styles.items():
        was = before.styles.get(ref)
        if was is None:
            changes.append(CreateStyle(style=now))
        elif was != now:
            name = None if was.name == now.name else (was.name, now.name)
            description = None if was.description == now.description else (was.description, now.description)
            pairs = {member: (was.members.get(member), now.members.get(member)) for member in was.members | now.members}
            members = {member: pair for member, pair in pairs.items() if pair[0] != pair[1]}
            changes.append(UpdateStyle(ref=ref, kind=now.type, name=name, description=description, members=members))
    gone = (style for ref, style in before.styles.items() if ref not in after.styles)
    deleted = (DeleteStyle(ref=s.ref, kind=s.type, name=s.name, digest=digest_of(s)) for s in gone)
    return changes, [*deleted]


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
    for collection in after.collections.values():
        if collection.parent is not None and not collection.fixed:
            overriding.setdefault(collection.root, set()).update(mode.ref for mode in collection.modes)
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
    scopes = None if was.scopes == now.scopes or was.has_scopes(now.scopes) else (was.scopes, now.scopes)
    hidden = None if was.hidden == now.hidden else (was.hidden, now.hidden)
    syntax = None if was.code_syntax == now.code_syntax else (was.code_syntax, now.code_syntax)
    if (name, description, scopes, hidden, syntax) == (None, None, None, None, None):
        return None
    return UpdateVariable(
        ref=now.ref, name=name, description=description, scopes=scopes, hidden=hidden, code_syntax=syntax
    )


def _changes_of_variable(
    was: VariableState, now: VariableState, columns: Columns | None
) -> Iterator[UpdateVariable | SetValue]:
    """Yield changed metadata, changed values and values of a new mode that differ from those that it starts with.

    A new mode starts with the default mode's values, from before or after the plan sets others, depending on the
    requests: only a value that equals both needs no operation. No request can remove a value, but an override, unless
    it is deleted with its extension or mode.
    """
    if not now.fixed and (update := changed_metadata(was, now)) is not None:
        yield update
    if columns is None or was.values == now.values:
        return
    filled = tuple(held.values.get(mode) for held, mode in zip((was, now), columns.defaults, strict=True))
    for mode, value in now.values.items() if not now.fixed else ():
        if mode in columns.own and was.values.get(mode) != value:
            yield SetValue(variable=now.ref, mode=mode, before=was.values.get(mode), after=value)
        elif mode in columns.new and filled != (value, value):
            yield SetValue(variable=now.ref, mode=mode, after=value)
    for mode, value in now.values.items():
        if mode in columns.overriding and was.values.get(mode) != value:
            yield SetValue(variable=now.ref, mode=mode, before=was.values.get(mode), after=value)
    for mode, value in was.values.items():
        if mode in columns.overriding and mode not in now.values:
            yield SetValue(variable=now.ref, mode=mode, before=value)
