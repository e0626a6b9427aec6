"""What operations change, in the smallest parts that can differ: for comparing what several people have done."""

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

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.plan.operations import Operation
    from tokensync.plan.state import Ref


class Aspect(NamedTuple):
    """The smallest thing that can differ: a collection, mode or variable as a whole, a member of it, or one value.

    ``ref`` is the collection's (of a mode, too, whose own ref is ``part``) or the variable's; ``part`` is empty where
    the whole thing is meant, else the member, or the mode of a value.
    """

    kind: str
    ref: Ref
    part: str = ""


def aspects(operation: Operation) -> Iterator[Aspect]:
    """What an operation changes."""
    match operation:
        case CreateCollection(ref=ref) | CreateExtension(ref=ref) | DeleteCollection(ref=ref):
            yield Aspect("collection", ref)
        case UpdateCollection(ref=ref, name=name, hidden=hidden):
            yield from (Aspect("collection", ref, part) for part, to in (("name", name), ("hidden", hidden)) if to)
        case CreateMode(ref=ref, collection=collection) | DeleteMode(ref=ref, collection=collection):
            yield Aspect("mode", collection, ref)
        case RenameMode(ref=ref, collection=collection):
            yield Aspect("mode name", collection, ref)
        case CreateVariable(variable=variable):
            yield Aspect("variable", variable.ref)
        case DeleteVariable(ref=ref):
            yield Aspect("variable", ref)
        case UpdateVariable(ref=ref):
            yield from (Aspect("variable", ref, part) for part in changed_members(operation))
        case SetValue(variable=variable_ref, mode=mode):
            yield Aspect("value", variable_ref, mode)


def aspects_of(operations: Iterable[Operation]) -> frozenset[Aspect]:
    """What several operations change."""
    return frozenset(aspect for each in operations for aspect in aspects(each))


def changed_members(update: UpdateVariable) -> tuple[str, ...]:
    """The names of the members that an update changes."""
    members = ("name", "description", "scopes", "hidden", "code_syntax")
    return tuple(each for each in members if getattr(update, each) is not None)
