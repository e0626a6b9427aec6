"""The elements of a request's four arrays: what each says in JSON, what it does to a file, and what it makes.

Refs stand in the place of ids. JSON comes in parts: fixed bytes, and refs that become ids when a request is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, NamedTuple

import msgspec
from msgspec import Struct

from tokensync.plan.state import ObjectValue, Ref, StateValue, VariableState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from tokensync.plan.state import Editing

ARRAYS = ("variableCollections", "variableModes", "variables", "variableModeValues")
"""In the order in which the platform works through them."""

Part = bytes | str
"""Fixed bytes, or the temporary ref of something for which an id is to be written."""

Member = tuple[str, Part | tuple[Part, ...]]
"""The name of a member, and the JSON of its value in one part or several."""

Made = tuple[tuple[Ref, Ref], ...]
"""Pairs that come into being together: (extension, its mode), or (the parent's mode, the mode that follows it)."""

_NUMBERS = len("4294967295:4294967295")
LONGEST_MODE = _NUMBERS + 2
LONGEST_VARIABLE = len("VariableID:") + _NUMBERS + 2
LONGEST_COLLECTION = len("VariableCollectionId:") + _NUMBERS + 2
LONGEST_EXTENDED_MODE = LONGEST_COLLECTION + len("/") + _NUMBERS
"""In bytes, with quotation marks: the longest ids that the platform gives, when its two numbers have 32 bits each."""

_EXACT = 2**53
"""Up to here every whole number is a float of its own."""

encode = msgspec.json.encode


class _Element(Struct, frozen=True):
    """An element of the array with the index ``array``. One that ``deletes`` is refused when it is sent again."""

    array: ClassVar[int]
    deletes: ClassVar[bool] = False

    def parts(self, encoder: Encoder) -> tuple[Part, ...]:
        """Return the element's JSON; neighbouring fixed bytes are one part."""
        return _joined(_object(self.members(encoder)))

    def members(self, encoder: Encoder) -> Iterator[Member]:
        """Yield the members of the element's JSON."""
        yield from ()

    def made(self, gone: AbstractSet[Ref]) -> tuple[Ref, ...]:
        """Return the refs of all that it makes; ``gone`` are collections that the same request deletes."""
        return ()


class MakeCollection(_Element, frozen=True):
    """A root collection is made, with one mode that has no name of its own yet."""

    array = 0
    ref: Ref
    name: str
    mode: Ref
    hidden: bool = False

    def members(self, encoder: Encoder) -> Iterator[Member]:
        """Yield the members of the element's JSON."""
        yield from (("action", b'"CREATE"'), ("id", encoder.id(self.ref)))
        yield from _given(name=self.name, hiddenFromPublishing=self.hidden or None)
        yield "initialModeId", encoder.id(self.mode)

    def made(self, gone: AbstractSet[Ref]) -> tuple[Ref, ...]:
        """Return the collection and its mode."""
        return self.ref, self.mode

    def carry_out(self, file: Editing) -> None:
        """Do to a state what the platform does."""
        file.make_collection(self.ref, self.name, self.mode, hidden=self.hidden)


class MakeExtension(_Element, frozen=True):
    """A collection that extends ``parent`` is made. ``modes`` are (the parent's mode, the mode that follows it)."""

    array = 0
    ref: Ref
    name: str
    parent: Ref
    modes: Made
    hidden: bool = False

    def members(self, encoder: Encoder) -> Iterator[Member]:
        """Yield the members of the element's JSON."""
        yield from (("action", b'"CREATE"'), ("id", encoder.id(self.ref)))
        yield from _given(name=self.name, hiddenFromPublishing=self.hidden or None)
        yield "parentVariableCollectionId", encoder.id(self.parent)
        if self.modes:
            pairs: list[Part] = []
            for parents, own in self.modes:
                pairs += (b"," if pairs else b"{", encoder.id(parents), b":", encoder.id(own))
            yield "initialModeIdToParentModeIdMapping", (*pairs, b"}")

    def made(self, gone: AbstractSet[Ref]) -> tuple[Ref, ...]:
        """Return the extension and its modes."""
        return (self.ref, *(mode for _, mode in self.modes))

    def carry_out(self, file: Editing) -> None:
        """Do to a state what the platform does."""
        file.extend(self.ref, self.name, self.parent, dict(self.modes), hidden=self.hidden)


class ChangeCollection(_Element, frozen=True):
    """A collection gets another name, or is hidden or shown; None stays as it is."""

    array = 0
    ref: Ref
    name: str | None = None
    hidden: bool | None = None

    def members(self, encoder: Encoder) -> Iterator[Member]:
        """Yield the members of the element's JSON."""
        yield from (("action", b'"UPDATE"'), ("id", encoder.id(self.ref)))
        yield from _given(name=self.name, hiddenFromPublishing=self.hidden)

    def carry_out(self, file: Editing) -> None:
        """Do to a state what the platform does."""
        file.change_collection(self.ref, name=self.name, hidden=self.hidden)


class DropCollection(_Element, frozen=True):
    """A collection goes with all that it holds, and with its ``extensions`` at every depth."""

    array = 0
    deletes = True
    ref: Ref
    extensions: tuple[Ref, ...] = ()

    def members(self, encoder: Encoder) -> Iterator[Member]:
        """Yield the members of the element's JSON."""
        yield from (("action", b'"DELETE"'), ("id", encoder.id(self.ref)))

    def carry_out(self, file: Editing) -> None:
        """Do to a state what the platform does."""
        file.drop_collection(self.ref)


class MakeMode(_Element, frozen=True):
    """A mode is made, filled with the default mode's values; ``extended`` are (extension, its mode that follows)."""

    array = 1
    ref: Ref
    collection: Ref
    name: str
    extended: Made = ()

    def members(self, encoder: Encoder) -> Iterator[Member]:
        """Yield the members of the element's JSON."""
        yield from (("action", b'"CREATE"'), ("id", encoder.id(self.ref)), ("name", encode(self.name)))
        yield "variableCollectionId", encoder.id(self.collection)

    def made(self, gone: AbstractSet[Ref]) -> tuple[Ref, ...]:
        """Return the mode, and those that extensions get with it.

        The platform works through collections first: an extension that the same request deletes gets none.
        """
        return (self.ref, *(mode for extension, mode in self.extended if extension not in gone))

    def carry_out(self, file: Editing) -> None:
        """Do to a state what the platform does."""
        file.make_mode(self.collection, self.ref, self.name, dict(self.extended))


class NameMode(_Element, frozen=True):
    """A mode, and with it the modes that extend it, gets a name."""

    array = 1
    ref: Ref
    collection: Ref
    name: str

    def members(self, encoder: Encoder) -> Iterator[Member]:
        """Yield the members of the element's JSON."""
        yield from (("action", b'"UPDATE"'), ("id", encoder.id(self.ref)), ("name", encode(self.name)))
        yield "variableCollectionId", encoder.id(self.collection)

    def carry_out(self, file: Editing) -> None:
        """Do to a state what the platform does."""
        file.name_mode(self.collection, self.ref, self.name)


class DropMode(_Element, frozen=True):
    """A mode goes, and the modes that extend it."""

    array = 1
    deletes = True
    ref: Ref
    collection: Ref

    def members(self, encoder: Encoder) -> Iterator[Member]:
        """Yield the members of the element's JSON."""
        yield from (("action", b'"DELETE"'), ("id", encoder.id(self.ref)))
        yield "variableCollectionId", encoder.id(self.collection)

    def carry_out(self, file: Editing) -> None:
        """Do to a state what the platform does."""
        file.drop_mode(self.collection, self.ref)


class MakeVariable(_Element, frozen=True):
    """A variable is made. Its values come as ``GiveValue``: until then it has those of the editor."""

    array = 2
    variable: VariableState

    def parts(self, encoder: Encoder) -> tuple[Part, ...]:
        """Return the element's JSON; neighbouring fixed bytes are one part."""
        made = self.variable
        described = _Described(
            made.type, made.scopes, made.description, hidden=made.hidden, code_syntax=dict(made.code_syntax)
        )
        name = b',"name":%s,"variableCollectionId":' % encode(made.name)
        rest = b"," + encode(described)[1:]
        return _joined((b'{"action":"CREATE","id":', encoder.id(made.ref), name, encoder.id(made.collection), rest))

    def made(self, gone: AbstractSet[Ref]) -> tuple[Ref, ...]:
        """Return the variable."""
        return (self.variable.ref,)

    def carry_out(self, file: Editing) -> None:
        """Do to a state what the platform does."""
        file.make_variable(self.variable)


class ChangeVariable(_Element, frozen=True, omit_defaults=True):
    """Some members of a variable change; None stays as it is."""

    array = 2
    ref: Ref
    name: str | None = None
    description: str | None = None
    hidden: bool | None = None
    scopes: tuple[str, ...] | None = None
    code_syntax: tuple[tuple[str, str], ...] | None = None

    def members(self, encoder: Encoder) -> Iterator[Member]:
        """Yield the members of the element's JSON."""
        yield from (("action", b'"UPDATE"'), ("id", encoder.id(self.ref)))
        yield from _given(
            name=self.name,
            description=self.description,
            hiddenFromPublishing=self.hidden,
            scopes=self.scopes,
            codeSyntax=None if self.code_syntax is None else dict(self.code_syntax),
        )

    def carry_out(self, file: Editing) -> None:
        """Do to a state what the platform does."""
        members = {name: getattr(self, name) for name in self.__struct_fields__ if name != "ref"}
        file.change_variable(self.ref, {name: value for name, value in members.items() if value is not None})


class DropVariable(_Element, frozen=True):
    """A variable goes."""

    array = 2
    deletes = True
    ref: Ref

    def members(self, encoder: Encoder) -> Iterator[Member]:
        """Yield the members of the element's JSON."""
        yield from (("action", b'"DELETE"'), ("id", encoder.id(self.ref)))

    def carry_out(self, file: Editing) -> None:
        """Do to a state what the platform does."""
        file.drop_variable(self.ref)


class GiveValue(_Element, frozen=True):
    """A variable gets a value in one mode; None takes an override away."""

    array = 3
    variable: Ref
    mode: Ref
    value: StateValue | None

    def parts(self, encoder: Encoder) -> tuple[Part, ...]:
        """Return the element's JSON, joined by hand: a library has a hundred thousand of these."""
        value = self.value
        text = encoder.value_member(value) if isinstance(value, ObjectValue) else (b',"value":%s}' % _scalar(value),)
        variable, mode = encoder.id(self.variable), encoder.id(self.mode)
        if type(mode) is bytes:
            mode, text = mode + text[0], text[1:]  # type: ignore[operator]
        if type(variable) is bytes:
            start = b'{"variableId":' + variable + b',"modeId":'
            return (start + mode, *text) if type(mode) is bytes else (start, mode, *text)
        if type(mode) is bytes:
            return (b'{"variableId":', variable, b',"modeId":' + mode, *text)
        return (b'{"variableId":', variable, b',"modeId":', mode, *text)

    def carry_out(self, file: Editing) -> None:
        """Do to a state what the platform does."""
        file.give_value(self.variable, self.mode, self.value)


CollectionElement = MakeCollection | MakeExtension | ChangeCollection | DropCollection
ModeElement = MakeMode | NameMode | DropMode
VariableElement = MakeVariable | ChangeVariable | DropVariable
Element = CollectionElement | ModeElement | VariableElement | GiveValue


class Elements(NamedTuple):
    """The four arrays of a request, in the order in which the platform works through them."""

    collections: tuple[CollectionElement, ...] = ()
    modes: tuple[ModeElement, ...] = ()
    variables: tuple[VariableElement, ...] = ()
    values: tuple[GiveValue, ...] = ()

    def made(self) -> tuple[Ref, ...]:
        """Return the temporary refs of all that it makes, of extended modes too."""
        dropped = [each for each in self.collections if isinstance(each, DropCollection)]
        gone = {ref for each in dropped for ref in (each.ref, *each.extensions)}
        return tuple(ref for array in self[:3] for each in array for ref in each.made(gone))


class _Described(Struct, omit_defaults=True):
    """The members of a new variable that the platform would not give it anyway."""

    type: str = msgspec.field(name="resolvedType")
    scopes: tuple[str, ...]
    description: str = ""
    hidden: bool = msgspec.field(default=False, name="hiddenFromPublishing")
    code_syntax: dict[str, str] = msgspec.field(default_factory=dict, name="codeSyntax")


class Encoder:
    """Encodes what elements share. ``made`` are the temporary refs: every other ref is an id, and fixed."""

    def __init__(self, made: AbstractSet[Ref]) -> None:
        self._made = made
        self._objects: dict[int, tuple[ObjectValue, tuple[Part, ...]]] = {}
        self._ids: dict[Ref, Part] = {}

    def id(self, ref: Ref) -> Part:
        """Return the JSON of an id, or the ref where it is not known yet."""
        part = self._ids.get(ref)
        if part is None:
            part = self._ids[ref] = ref if ref in self._made else encode(ref)
        return part

    def value_member(self, value: ObjectValue) -> tuple[Part, ...]:
        """Return the member ``value``, which ends its object; encoded once for all that share the value."""
        known = self._objects.get(id(value))  # held by the entry, so that its id is not used again
        if known is None:
            known = self._objects[id(value)] = (value, _joined((b',"value":', *self._object_value(value), b"}")))
        return known[1]

    def _object_value(self, value: ObjectValue) -> tuple[Part, ...]:
        if value.alias is not None:
            return _joined((b'{"type":"VARIABLE_ALIAS","id":', self.id(value.alias), b"}"))
        if value.color is not None:
            opacity = value.opacity
            share = self._object_value(opacity) if isinstance(opacity, ObjectValue) else (_scalar(opacity),)
            return _joined((b'{"color":', *self._object_value(value.color), b',"opacity":', *share, b"}"))
        channels = (value.r, value.g, value.b, 1 if value.a is None else value.a)
        return (b'{"r":%s,"g":%s,"b":%s,"a":%s}' % tuple(map(_scalar, channels)),)


def _object(members: Iterable[Member]) -> Iterator[Part]:
    before = b"{"
    for name, text in members:
        yield before + b'"' + name.encode() + b'":'
        if isinstance(text, tuple):
            yield from text
        else:
            yield text
        before = b","
    yield b"}"


def _scalar(value: bool | float | str | None) -> bytes:
    """Return a whole number without a point, whether it comes from the platform (4) or from a plan's file (4.0).

    So a plan has the same bodies, and sizes, before and after it was written down.
    """
    if isinstance(value, (bool, str)) or value is None:
        return encode(value)
    is_whole = abs(value) < _EXACT and value == int(value)
    return encode(int(value) if is_whole else float(value))


def _given(**members: StateValue | tuple[str, ...] | dict[str, str] | None) -> Iterator[tuple[str, bytes]]:
    """Return the members that are not None."""
    return ((name, encode(value)) for name, value in members.items() if value is not None)


def _joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the same text in as few parts as can be."""
    found: list[Part] = []
    for part in parts:
        if found and type(part) is bytes and type(last := found[-1]) is bytes:
            found[-1] = last + part
        else:
            found.append(part)
    return tuple(found)


NO_OPERATION = -1


def bridging(deletion: int) -> int:
    """In the place of an operation's index: the piece only bridges the time until the deletion of this index."""
    return -2 - deletion


class Piece(NamedTuple):
    """One element of one array, encoded.

    ``order`` sorts within its array; of equal ones the first to be packed comes first.
    ``operation`` is the index of the plan's operation that it is of, NO_OPERATION, or ``bridging`` a deletion: then it
    is omitted from a request that has the deletion in it, too.
    """

    element: Element
    parts: tuple[Part, ...]
    operation: int
    order: int


class Atom(NamedTuple):
    """Pieces that share a request, as long as one request can hold them.

    ``waits_for`` are modes that have to be made in an earlier request; ``why`` says so to people. ``notes`` tell what a
    reader may not expect. Pieces stand in an order in which they can be parted, if they have to be.
    """

    pieces: tuple[Piece, ...]
    waits_for: frozenset[Ref] = frozenset()
    why: str = ""
    notes: tuple[str, ...] = ()
