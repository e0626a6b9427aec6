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

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("collection", self.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        return f"collection {shortened(self.name)} (new)"


class CreateExtension(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="create extension"):
    """A collection that extends ``parent``: a mode for each of the parent's, whose name it shares."""

    ref: Ref
    name: str
    parent: Ref
    modes: tuple[ModeState, ...]
    hidden: bool = False

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("collection", self.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        return f"collection {shortened(self.name)} (new)"


class UpdateCollection(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="update collection"):
    """A collection or extension gets another name, or is hidden from publishing, or shown."""

    ref: Ref
    name: Text | None = None
    hidden: Flag | None = None

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        for part, to in (("name", self.name), ("hidden", self.hidden)):
            if to:
                yield Aspect("collection", self.ref, part)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        return f"collection {_collection_name(self.ref, states)}: its {'name' if self.name else 'visibility'}"


class DeleteCollection(Struct, frozen=True, kw_only=True, tag="delete collection"):
    """A collection goes with its modes, variables and extensions; ``digest`` is ``Digests.of_collection`` of it."""

    ref: Ref
    name: str
    digest: str

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("collection", self.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        return f"collection {shortened(self.name)} (gone)"


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

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("mode", self.collection, self.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        return f"{_collection_name(self.collection, states)}: mode {shortened(self.name)} (new)"


class RenameMode(Struct, frozen=True, kw_only=True, tag="rename mode"):
    """A mode of a root collection gets another name, and so do the modes that extend it."""

    ref: Ref
    collection: Ref
    name: Text

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("mode name", self.collection, self.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        return f"{_collection_name(self.collection, states)}: the name of mode {shortened(self.name[0])}"


class DeleteMode(Struct, frozen=True, kw_only=True, tag="delete mode"):
    """A mode goes, with its values and the modes that extend it; ``digest`` is ``Digests.of_mode`` of it."""

    ref: Ref
    collection: Ref
    name: str
    digest: str

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("mode", self.collection, self.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        return f"{_collection_name(self.collection, states)}: mode {shortened(self.name)} (gone)"


class CreateVariable(Struct, frozen=True, kw_only=True, tag="create variable"):
    """A variable with all its values, overrides too. It has a value in every mode of its own collection."""

    variable: VariableState

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("variable", self.variable.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        collection = _collection_name(self.variable.collection, states)
        return f"{collection} / {shortened(self.variable.name)} (new)"


class UpdateVariable(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="update variable"):
    """Some of what is said of a variable changes; each member is (before, after), or None where it stays."""

    ref: Ref
    name: Text | None = None
    description: Text | None = None
    scopes: Texts | None = None
    hidden: Flag | None = None
    code_syntax: Syntax | None = None

    def changed_members(self) -> tuple[str, ...]:
        """Return the names of the members that it changes."""
        members = ("name", "description", "scopes", "hidden", "code_syntax")
        return tuple(each for each in members if getattr(self, each) is not None)

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield from (Aspect("variable", self.ref, part) for part in self.changed_members())

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        members = ", ".join(_MEMBERS.get(each, each) for each in self.changed_members())
        return f"{_variable_name(self.ref, states)}: its {members}"


class DeleteVariable(Struct, frozen=True, kw_only=True, tag="delete variable"):
    """A variable goes; ``digest`` is ``Digests.of_variable`` of it."""

    ref: Ref
    name: str
    collection: Ref
    digest: str

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("variable", self.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        return f"{_collection_name(self.collection, states)} / {shortened(self.name)} (gone)"


class SetValue(Struct, frozen=True, kw_only=True, omit_defaults=True, tag="set value"):
    """A variable that exists gets a value in one mode. In an extension's mode it is an override.

    ``before`` is None where there was none: in a mode that the plan makes, or without an override. ``after`` is None
    where an override is taken away.
    """

    variable: Ref
    mode: Ref
    before: StateValue | None = None
    after: StateValue | None = None

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("value", self.variable, self.mode)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        return f"{_variable_name(self.variable, states)}: its value in {_mode_name(self.variable, self.mode, states)}"


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


def aspects_of(operations: Iterable[Operation]) -> frozenset[Aspect]:
    """Return what several operations change."""
    return frozenset(aspect for each in operations for aspect in each.aspects())


_MEMBERS = {"code_syntax": "code syntax", "hidden": "visibility"}


def subjects(operations: Iterable[Operation], *states: FileState) -> tuple[str, ...]:
    """Return a few words for each operation: ``Theme / text/muted: its value in Dark``. The states know the names."""
    return tuple(each.subject(states) for each in operations)


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
