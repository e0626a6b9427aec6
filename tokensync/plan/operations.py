"""Operations: what a plan does to a file, as data. Each knows what it expects to find, so that it can be checked anew.

``before`` and the pairs (before, after) are what the plan was made from. A platform that holds something else there has
been changed by somebody, and the plan must not wipe that out (see ``tokensync.plan.rebasing``).
Refs are those of ``tokensync.plan.state``; new objects go by temporary ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from msgspec import Struct

from tokensync.plan.state import ModeState, Ref, StateValue, VariableState
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tokensync.plan.state import FileState


Text = tuple[str, str]
Flag = tuple[bool, bool]
Texts = tuple[tuple[str, ...], tuple[str, ...]]
Syntax = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
"""(before, after): of a text, of being hidden, of scopes, of (platform, text) pairs of code syntax."""


class CreateCollection(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="create collection"):
    """A collection of its own, with all its modes; the first of them is the default."""

    ref: Ref
    name: str
    modes: tuple[ModeState, ...]
    hidden: bool = False


class CreateExtension(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="create extension"):
    """A collection that extends ``parent``: a mode for each of the parent's, whose name it shares."""

    ref: Ref
    name: str
    parent: Ref
    modes: tuple[ModeState, ...]
    hidden: bool = False


class UpdateCollection(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="update collection"):
    """A collection or extension gets another name, or is hidden from publishing, or shown."""

    ref: Ref
    name: Text | None = None
    hidden: Flag | None = None


class DeleteCollection(Struct, frozen=True, kw_only=True, tag="delete collection"):
    """A collection goes with its modes, variables and extensions; ``digest`` is ``Digests.of_collection`` of it."""

    ref: Ref
    name: str
    digest: str


class CreateMode(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="create mode"):
    """A mode of a collection that exists. ``extended`` holds (extension, its mode) for each extension that has it then.

    The platform fills it with the default mode's values; what differs from those comes as ``SetValue``. ``filled`` is
    ``Digests.of_mode`` of that default mode, which the rest is as good as.
    """

    ref: Ref
    collection: Ref
    name: str
    extended: tuple[tuple[Ref, Ref], ...] = ()
    filled: str = ""


class RenameMode(Struct, frozen=True, kw_only=True, tag="rename mode"):
    """A mode of a root collection gets another name, and so do the modes that extend it."""

    ref: Ref
    collection: Ref
    name: Text


class DeleteMode(Struct, frozen=True, kw_only=True, tag="delete mode"):
    """A mode goes, with its values and the modes that extend it; ``digest`` is ``Digests.of_mode`` of it."""

    ref: Ref
    collection: Ref
    name: str
    digest: str


class CreateVariable(Struct, frozen=True, kw_only=True, tag="create variable"):
    """A variable with all its values, overrides too. It has a value in every mode of its own collection."""

    variable: VariableState


class UpdateVariable(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="update variable"):
    """Some of what is said of a variable changes; each member is (before, after), or None where it stays."""

    ref: Ref
    name: Text | None = None
    description: Text | None = None
    scopes: Texts | None = None
    hidden: Flag | None = None
    code_syntax: Syntax | None = None


class DeleteVariable(Struct, frozen=True, kw_only=True, tag="delete variable"):
    """A variable goes; ``digest`` is ``Digests.of_variable`` of it."""

    ref: Ref
    name: str
    collection: Ref
    digest: str


class SetValue(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="set value"):
    """A variable that exists gets a value in one mode. In an extension's mode it is an override.

    ``before`` is None where there was none: in a mode that the plan makes, or without an override. ``after`` is None
    where an override is taken away.
    """

    variable: Ref
    mode: Ref
    before: StateValue | None = None
    after: StateValue | None = None


Operation = (
    CreateCollection
    | CreateExtension
    | UpdateCollection
    | DeleteCollection
    | CreateMode
    | RenameMode
    | DeleteMode
    | CreateVariable
    | UpdateVariable
    | DeleteVariable
    | SetValue
)


class Aspect(NamedTuple):
    """The smallest thing that can differ: a collection, mode or variable as a whole, a member of it, or one value.

    ``ref`` is the collection's (of a mode, too, whose own ref is ``part``) or the variable's; ``part`` is empty where
    the whole thing is meant, else the member, or the mode of a value.
    """

    kind: str
    ref: Ref
    part: str = ""


def aspects(operation: Operation) -> Iterator[Aspect]:
    """Yield what an operation changes."""
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
    """Return what several operations change."""
    return frozenset(aspect for each in operations for aspect in aspects(each))


def changed_members(update: UpdateVariable) -> tuple[str, ...]:
    """Return the names of the members that an update changes."""
    members = ("name", "description", "scopes", "hidden", "code_syntax")
    return tuple(each for each in members if getattr(update, each) is not None)


_MEMBERS = {"code_syntax": "code syntax", "hidden": "visibility"}


def subjects(operations: Iterable[Operation], *states: FileState) -> tuple[str, ...]:
    """Return a few words for each operation: ``Theme / text/muted: its value in Dark``. The states know the names."""
    return tuple(_subject(each, states) for each in operations)


def _subject(operation: Operation, states: tuple[FileState, ...]) -> str:
    match operation:
        case CreateCollection(name=name) | CreateExtension(name=name):
            return f"collection {shortened(name)} (new)"
        case UpdateCollection(ref=ref, name=name):
            return f"collection {_collection_name(ref, states)}: its {'name' if name else 'visibility'}"
        case DeleteCollection(name=name):
            return f"collection {shortened(name)} (gone)"
        case CreateMode(collection=collection, name=name):
            return f"{_collection_name(collection, states)}: mode {shortened(name)} (new)"
        case RenameMode(collection=collection, name=(before, _)):
            return f"{_collection_name(collection, states)}: the name of mode {shortened(before)}"
        case DeleteMode(collection=collection, name=name):
            return f"{_collection_name(collection, states)}: mode {shortened(name)} (gone)"
        case CreateVariable(variable=variable):
            return f"{_collection_name(variable.collection, states)} / {shortened(variable.name)} (new)"
        case UpdateVariable(ref=ref):
            members = ", ".join(_MEMBERS.get(each, each) for each in changed_members(operation))
            return f"{_variable_name(ref, states)}: its {members}"
        case DeleteVariable(name=name, collection=collection):
            return f"{_collection_name(collection, states)} / {shortened(name)} (gone)"
        case SetValue(variable=ref, mode=mode):
            return f"{_variable_name(ref, states)}: its value in {_mode_name(ref, mode, states)}"


def _collection_name(ref: Ref, states: tuple[FileState, ...]) -> str:
    found = (state.collections[ref].name for state in states if ref in state.collections)
    return shortened(next(found, ref))


def _variable_name(ref: Ref, states: tuple[FileState, ...]) -> str:
    for state in states:
        if (found := state.variables.get(ref)) is not None:
            return f"{_collection_name(found.collection, states)} / {shortened(found.name)}"
    return shortened(ref)


def _mode_name(variable: Ref, mode: Ref, states: tuple[FileState, ...]) -> str:
    for state in states:
        if (found := state.variables.get(variable)) is not None:
            for each in state.family(found.collection):
                for own in each.modes:
                    if own.ref == mode:
                        names = (own.name,) if each.parent is None else (each.name, own.name)
                        return ", ".join(map(shortened, names))
    return shortened(mode)
