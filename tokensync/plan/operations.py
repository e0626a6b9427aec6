"""Operations: what a plan does to a file, as data. Each knows what it expects to find, so that it can be checked anew.

``before`` and the pairs (before, after) are what the plan was made from. A platform that holds something else there has
been changed by somebody, and the plan must not wipe that out (``disturbed``). Refs are those of
``tokensync.plan.state``; new objects go by temporary ones.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

from msgspec import Struct

from tokensync.plan.state import Digests, ModeState, Ref, StateValue, VariableState, targets_of
from tokensync.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tokensync.plan.state import FileState


Text = tuple[str, str]
Flag = tuple[bool, bool]
Texts = tuple[tuple[str, ...], tuple[str, ...]]
Syntax = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
"""(before, after): of a text, of being hidden, of scopes, of (platform, text) pairs of code syntax."""

NamedRef = tuple[Ref, bool]
"""A ref, and whether it is a mode's, which is unique in its collection only."""


class _Operation(Struct, frozen=True):
    """What an operation answers unless it makes something.

    ``counted`` names the member of ``Counts`` that an operation counts for.
    """

    counted: ClassVar[str]

    def made(self) -> tuple[Ref, ...]:
        """Return the collections, extensions, modes and variables that it makes."""
        return ()

    def made_modes(self) -> tuple[tuple[Ref, Ref], ...]:
        """Return the modes that it makes in collections that exist, as (root collection, mode)."""
        return ()


class CreateCollection(_Operation, frozen=True, kw_only=True, omit_defaults=True, tag="create collection"):
    """A collection of its own, with all its modes; the first of them is the default."""

    counted: ClassVar[str] = "collections_created"
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

    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref that it names; the collection comes before its modes."""
        yield self.ref, False
        yield from ((mode.ref, True) for mode in self.modes)

    def made(self) -> tuple[Ref, ...]:
        """Return the collections, extensions, modes and variables that it makes."""
        return (self.ref, *(mode.ref for mode in self.modes))

    def holds(self, found: Found) -> bool:
        """Return True: it expects nothing."""
        return True


class CreateExtension(_Operation, frozen=True, kw_only=True, omit_defaults=True, tag="create extension"):
    """A collection that extends ``parent``: a mode for each of the parent's, whose name it shares."""

    counted: ClassVar[str] = "collections_created"
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

    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref that it names; the collection comes before its modes."""
        yield from ((self.ref, False), (self.parent, False))
        yield from ((mode.ref, True) for mode in self.modes)

    def made(self) -> tuple[Ref, ...]:
        """Return the collections, extensions, modes and variables that it makes."""
        return (self.ref, *(mode.ref for mode in self.modes))

    def holds(self, found: Found) -> bool:
        """Return whether the file holds what the operation was made from."""
        return self.parent in found.made or found.has_only(self.parent, {each.parent for each in self.modes})


class UpdateCollection(_Operation, frozen=True, kw_only=True, omit_defaults=True, tag="update collection"):
    """A collection or extension gets another name, or is hidden from publishing, or shown."""

    counted: ClassVar[str] = "collections_updated"
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

    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref that it names; the collection comes before its modes."""
        yield self.ref, False

    def holds(self, found: Found) -> bool:
        """Return whether the file holds what the operation was made from."""
        there = found.state.collections.get(self.ref)
        return there is not None and _is_before(self.name, there.name) and _is_before(self.hidden, there.hidden)


class DeleteCollection(_Operation, frozen=True, kw_only=True, tag="delete collection"):
    """A collection goes with its modes, variables and extensions; ``digest`` is ``Digests.of_collection`` of it."""

    counted: ClassVar[str] = "collections_deleted"
    ref: Ref
    name: str
    digest: str

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("collection", self.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        return f"collection {shortened(self.name)} (gone)"

    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref that it names; the collection comes before its modes."""
        yield self.ref, False

    def holds(self, found: Found) -> bool:
        """Return whether the file holds what the operation was made from."""
        return self.ref in found.state.collections and found.digests.of_collection(self.ref) == self.digest


class CreateMode(_Operation, frozen=True, kw_only=True, omit_defaults=True, tag="create mode"):
    """A mode of a collection that exists. ``extended`` holds (extension, its mode) for each extension that has it then.

    The platform fills it with the default mode's values; what differs from those comes as ``SetValue``. ``filled`` is
    ``Digests.of_mode`` of that default mode, which the rest is as good as.
    """

    counted: ClassVar[str] = "modes_created"
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

    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref that it names; the collection comes before its modes."""
        yield from ((self.collection, False), (self.ref, True))
        for extension, mode in self.extended:
            yield from ((extension, False), (mode, True))

    def made(self) -> tuple[Ref, ...]:
        """Return the collections, extensions, modes and variables that it makes."""
        return (self.ref, *(mode for _, mode in self.extended))

    def made_modes(self) -> tuple[tuple[Ref, Ref], ...]:
        """Return the modes that it makes in collections that exist, as (root collection, mode)."""
        return tuple((self.collection, mode) for mode in self.made())

    def holds(self, found: Found) -> bool:
        """Return whether the file holds what the operation was made from."""
        root = found.state.collections.get(self.collection)
        if root is None:
            return False
        known = {extension for extension, _ in self.extended}
        family = found.state.family(self.collection)
        if not all(each.ref in known or each.parent is None or each.fixed for each in family):
            return False
        return not self.filled or found.digests.of_mode(root.ref, root.default) == self.filled


class RenameMode(_Operation, frozen=True, kw_only=True, tag="rename mode"):
    """A mode of a root collection gets another name, and so do the modes that extend it."""

    counted: ClassVar[str] = "modes_updated"
    ref: Ref
    collection: Ref
    name: Text

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("mode name", self.collection, self.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        return f"{_collection_name(self.collection, states)}: the name of mode {shortened(self.name[0])}"

    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref that it names; the collection comes before its modes."""
        yield from ((self.collection, False), (self.ref, True))

    def holds(self, found: Found) -> bool:
        """Return whether the file holds what the operation was made from."""
        return found.mode_names(self.collection).get(self.ref) == self.name[0]


class DeleteMode(_Operation, frozen=True, kw_only=True, tag="delete mode"):
    """A mode goes, with its values and the modes that extend it; ``digest`` is ``Digests.of_mode`` of it."""

    counted: ClassVar[str] = "modes_deleted"
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

    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref that it names; the collection comes before its modes."""
        yield from ((self.collection, False), (self.ref, True))

    def holds(self, found: Found) -> bool:
        """Return whether the file holds what the operation was made from."""
        there = self.ref in found.mode_names(self.collection)
        return there and found.digests.of_mode(self.collection, self.ref) == self.digest


class CreateVariable(_Operation, frozen=True, kw_only=True, tag="create variable"):
    """A variable with all its values, overrides too. It has a value in every mode of its own collection."""

    counted: ClassVar[str] = "variables_created"
    variable: VariableState

    def aspects(self) -> Iterator[Aspect]:
        """Yield what it changes."""
        yield Aspect("variable", self.variable.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return what it concerns, in the names that ``states`` know."""
        collection = _collection_name(self.variable.collection, states)
        return f"{collection} / {shortened(self.variable.name)} (new)"

    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref that it names; the collection comes before its modes."""
        yield self.variable.ref, False
        for mode, value in self.variable.values.items():
            yield mode, True
            yield from ((target, False) for target in targets_of(value))

    def made(self) -> tuple[Ref, ...]:
        """Return the collections, extensions, modes and variables that it makes."""
        return (self.variable.ref,)

    def holds(self, found: Found) -> bool:
        """Return whether the file holds what the operation was made from."""
        collection, values = self.variable.collection, self.variable.values
        return found.has_targets(*values.values()) and (
            collection in found.made or found.has_only(collection, set(values))
        )


class UpdateVariable(_Operation, frozen=True, kw_only=True, omit_defaults=True, tag="update variable"):
    """Some of what is said of a variable changes; each member is (before, after), or None where it stays."""

    counted: ClassVar[str] = "variables_updated"
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

    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref that it names; the collection comes before its modes."""
        yield self.ref, False

    def holds(self, found: Found) -> bool:
        """Return whether the file holds what the operation was made from."""
        there = found.state.variables.get(self.ref)
        if there is None:
            return False
        same_scopes = self.scopes is None or there.has_scopes(self.scopes[0])
        others = (each for each in self.changed_members() if each != "scopes")
        return same_scopes and all(_is_before(getattr(self, each), getattr(there, each)) for each in others)


class DeleteVariable(_Operation, frozen=True, kw_only=True, tag="delete variable"):
    """A variable goes; ``digest`` is ``Digests.of_variable`` of it."""

    counted: ClassVar[str] = "variables_deleted"
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

    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref that it names; the collection comes before its modes."""
        yield from ((self.ref, False), (self.collection, False))

    def holds(self, found: Found) -> bool:
        """Return whether the file holds what the operation was made from."""
        return self.ref in found.state.variables and found.digests.of_variable(self.ref) == self.digest


class SetValue(_Operation, frozen=True, kw_only=True, omit_defaults=True, tag="set value"):
    """A variable that exists gets a value in one mode. In an extension's mode it is an override.

    ``before`` is None where there was none: in a mode that the plan makes, or without an override. ``after`` is None
    where an override is taken away.
    """

    counted: ClassVar[str] = "values_set"
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

    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref that it names; the collection comes before its modes."""
        yield from ((self.variable, False), (self.mode, True))
        yield from ((target, False) for target in targets_of(self.before, self.after))

    def holds(self, found: Found) -> bool:
        """Return whether the file holds what the operation was made from."""
        there = found.state.variables.get(self.variable)
        if there is None:
            return False
        has_mode = self.mode in found.made or self.mode in found.modes.get(there.collection, ())
        return has_mode and there.values.get(self.mode) == self.before and found.has_targets(self.after)


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


class Found:
    """What a file holds when a plan is about to be carried out, for operations to compare with."""

    def __init__(self, operations: Sequence[Operation], state: FileState) -> None:
        self.state = state
        self.digests = Digests(state)
        self.modes: dict[Ref, set[Ref]] = {}
        """Of each family, by its root."""
        for owner in state.collections.values():
            self.modes.setdefault(owner.root, set()).update(mode.ref for mode in owner.modes)
        self.made = {ref for each in operations for ref in each.made()}
        self.reshaped = {each.collection for each in operations if isinstance(each, CreateMode | DeleteMode)}
        """Roots whose modes the plan changes."""

    def mode_names(self, collection: Ref) -> dict[Ref, str]:
        """Return the names of a collection's modes; none of one that is gone."""
        found = self.state.collections.get(collection)
        return {} if found is None else {each.ref: each.name for each in found.modes}

    def has_only(self, collection: Ref, modes: set[Ref | None]) -> bool:
        """Return whether a collection exists and has no modes but these, unless the plan itself changes them."""
        found = self.state.collections.get(collection)
        if found is None:
            return False
        return found.root in self.reshaped or all(each.ref in modes for each in found.modes)

    def has_targets(self, *values: StateValue | None) -> bool:
        """Return whether all that these values refer to exists, or is made by the plan."""
        return all(target in self.state.variables or target in self.made for target in targets_of(*values))


def disturbed(operations: Sequence[Operation], state: FileState) -> tuple[Operation, ...]:
    """Return the operations that would overwrite somebody's edit: the file no longer holds what they were made from.

    What would only be refused, such as a name that somebody else has given meanwhile, is not looked for here.
    """
    found = Found(operations, state)
    return tuple(each for each in operations if not each.holds(found))


def _is_before(change: tuple[object, object] | None, found: object) -> bool:
    return change is None or change[0] == found
