"""What operations concern, in the names that the editor shows: for lists of what somebody else changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tokensync.plan.aspects import changed_members
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
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import FileState, Ref

_MEMBERS = {"code_syntax": "code syntax", "hidden": "visibility"}


def subjects(operations: Iterable[Operation], *states: FileState) -> tuple[str, ...]:
    """A few words for each operation: ``Theme / text/muted: its value in Dark``. The states know the names."""
    return tuple(_subject(each, states) for each in operations)


def _subject(operation: Operation, states: tuple[FileState, ...]) -> str:
    match operation:
        case CreateCollection(name=name) | CreateExtension(name=name):
            return f"collection {shortened(name)} (new)"
        case UpdateCollection(ref=ref, name=name):
            return f"collection {_collection(ref, states)}: its {'name' if name else 'visibility'}"
        case DeleteCollection(name=name):
            return f"collection {shortened(name)} (gone)"
        case CreateMode(collection=collection, name=name):
            return f"{_collection(collection, states)}: mode {shortened(name)} (new)"
        case RenameMode(collection=collection, name=(before, _)):
            return f"{_collection(collection, states)}: the name of mode {shortened(before)}"
        case DeleteMode(collection=collection, name=name):
            return f"{_collection(collection, states)}: mode {shortened(name)} (gone)"
        case CreateVariable(variable=variable):
            return f"{_collection(variable.collection, states)} / {shortened(variable.name)} (new)"
        case UpdateVariable(ref=ref):
            members = ", ".join(_MEMBERS.get(each, each) for each in changed_members(operation))
            return f"{_variable(ref, states)}: its {members}"
        case DeleteVariable(name=name, collection=collection):
            return f"{_collection(collection, states)} / {shortened(name)} (gone)"
        case SetValue(variable=ref, mode=mode):
            return f"{_variable(ref, states)}: its value in {_mode(ref, mode, states)}"


def _collection(ref: Ref, states: tuple[FileState, ...]) -> str:
    found = (state.collections[ref].name for state in states if ref in state.collections)
    return shortened(next(found, ref))


def _variable(ref: Ref, states: tuple[FileState, ...]) -> str:
    for state in states:
        if (found := state.variables.get(ref)) is not None:
            return f"{_collection(found.collection, states)} / {shortened(found.name)}"
    return shortened(ref)


def _mode(variable: Ref, mode: Ref, states: tuple[FileState, ...]) -> str:
    for state in states:
        if (found := state.variables.get(variable)) is not None:
            for each in state.family(found.collection):
                for own in each.modes:
                    if own.ref == mode:
                        names = (own.name,) if each.parent is None else (each.name, own.name)
                        return ", ".join(map(shortened, names))
    return shortened(mode)
