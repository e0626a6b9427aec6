"""Encode changes as JSON in parts: fixed bytes, and refs that become ids when a request is sent; and atoms of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from tokensync.plan.batches.changes import (
    ChangeCollection,
    ChangeVariable,
    DropCollection,
    DropMode,
    DropVariable,
    GiveValue,
    MakeCollection,
    MakeExtension,
    MakeMode,
    MakeVariable,
    NameMode,
)
from tokensync.plan.state import ObjectValue

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from tokensync.plan.batches.changes import Change
    from tokensync.plan.state import Ref, StateValue, VariableState


ARRAYS = ("variableCollections", "variableModes", "variables", "variableModeValues")
"""In the order in which the platform works through them."""

Part = bytes | str
"""Settled bytes, or the temporary ref of something for which an id is to be written."""

_Member = tuple[str, Part | tuple[Part, ...]]
"""The name of a member, and the JSON of its value in one part or several."""

_NUMBERS = len("4294967295:4294967295")
LONGEST_MODE = _NUMBERS + 2
LONGEST_VARIABLE = len("VariableID:") + _NUMBERS + 2
LONGEST_COLLECTION = len("VariableCollectionId:") + _NUMBERS + 2
LONGEST_EXTENDED_MODE = LONGEST_COLLECTION + len("/") + _NUMBERS
"""In bytes, with quotation marks: the longest ids that the platform gives, when its two numbers have 32 bits each."""

_EXACT = 2**53
"""Up to here every whole number is a float of its own."""

encode = msgspec.json.encode


class _Described(msgspec.Struct, omit_defaults=True):
    """What is said of a new variable, as far as the platform would not say it by itself."""

    type: str = msgspec.field(name="resolvedType")
    scopes: tuple[str, ...]
    description: str = ""
    hidden: bool = msgspec.field(default=False, name="hiddenFromPublishing")
    code_syntax: dict[str, str] = msgspec.field(default_factory=dict, name="codeSyntax")


class Encoder:
    """Encodes changes, each once. ``made`` are the temporary refs: every other ref is an id and settled."""

    def __init__(self, made: AbstractSet[Ref]) -> None:
        self._made = made
        self._objects: dict[int, tuple[ObjectValue, tuple[Part, ...]]] = {}
        self._ids: dict[Ref, Part] = {}

    def parts(self, change: Change) -> tuple[Part, ...]:
        """Return the element's JSON; neighbouring settled bytes are one part."""
        if type(change) is GiveValue:
            return self._value(change)
        if type(change) is MakeVariable:
            return self._made_variable(change.variable)
        return _joined(self._object(self._members(change)))

    def _members(self, change: Change) -> Iterator[_Member]:
        match change:
            case MakeCollection():
                yield from self._made_collection(change)
                yield "initialModeId", self._id(change.mode)
            case MakeExtension(parent=parent, modes=modes):
                yield from self._made_collection(change)
                yield "parentVariableCollectionId", self._id(parent)
                if modes:
                    yield "initialModeIdToParentModeIdMapping", self._mapping(modes)
            case ChangeCollection(ref=ref):
                yield from self._existing("UPDATE", ref)
                yield from _given(name=change.name, hiddenFromPublishing=change.hidden)
            case DropCollection(ref=ref) | DropVariable(ref=ref):
                yield from self._existing("DELETE", ref)
            case MakeMode(ref=ref, name=name, collection=collection):
                yield "action", b'"CREATE"'
                yield from (("id", self._id(ref)), ("name", encode(name)))
                yield "variableCollectionId", self._id(collection)
            case NameMode(ref=ref, name=name, collection=collection):
                yield from self._existing("UPDATE", ref)
                yield from (("name", encode(name)), ("variableCollectionId", self._id(collection)))
            case DropMode(ref=ref, collection=collection):
                yield from self._existing("DELETE", ref)
                yield "variableCollectionId", self._id(collection)
            case ChangeVariable(ref=ref, code_syntax=code_syntax):
                yield from self._existing("UPDATE", ref)
                yield from _given(
                    name=change.name,
                    description=change.description,
                    hiddenFromPublishing=change.hidden,
                    scopes=change.scopes,
                    codeSyntax=None if code_syntax is None else dict(code_syntax),
                )
            case MakeVariable() | GiveValue():
                return

    def _existing(self, action: str, ref: Ref) -> Iterator[_Member]:
        yield "action", encode(action)
        yield "id", self._id(ref)

    def _made_collection(self, change: MakeCollection | MakeExtension) -> Iterator[_Member]:
        yield "action", b'"CREATE"'
        yield "id", self._id(change.ref)
        yield from _given(name=change.name, hiddenFromPublishing=change.hidden or None)

    def _made_variable(self, variable: VariableState) -> tuple[Part, ...]:
        described = _Described(
            variable.type,
            variable.scopes,
            variable.description,
            hidden=variable.hidden,
            code_syntax=dict(variable.code_syntax),
        )
        name = b',"name":%s,"variableCollectionId":' % encode(variable.name)
        said = b"," + encode(described)[1:]
        return _joined((b'{"action":"CREATE","id":', self._id(variable.ref), name, self._id(variable.collection), said))

    def _mapping(self, modes: Iterable[tuple[Ref, Ref]]) -> tuple[Part, ...]:
        parts: list[Part] = []
        for parents, own in modes:
            parts += (b"," if parts else b"{", self._id(parents), b":", self._id(own))
        return (*parts, b"}")

    def _value(self, change: GiveValue) -> tuple[Part, ...]:
        """Joined by hand: a library has a hundred thousand of these."""
        value = change.value
        text: tuple[Part, ...]
        if isinstance(value, ObjectValue):
            known = self._objects.get(id(value))  # held by the entry, so that its id is not used again
            if known is None:
                text = _joined((b',"value":', *self._object_value(value), b"}"))
                known = self._objects[id(value)] = (value, text)
            text = known[1]
        else:
            text = (b',"value":%s}' % _scalar(value),)
        variable, mode = self._id(change.variable), self._id(change.mode)
        if type(mode) is bytes:
            mode, text = mode + text[0], text[1:]  # type: ignore[operator]
        if type(variable) is bytes:
            start = b'{"variableId":' + variable + b',"modeId":'
            return (start + mode, *text) if type(mode) is bytes else (start, mode, *text)
        if type(mode) is bytes:
            return (b'{"variableId":', variable, b',"modeId":' + mode, *text)
        return (b'{"variableId":', variable, b',"modeId":', mode, *text)

    def _object_value(self, value: ObjectValue) -> tuple[Part, ...]:
        if value.alias is not None:
            return _joined((b'{"type":"VARIABLE_ALIAS","id":', self._id(value.alias), b"}"))
        if value.color is not None:
            opacity = value.opacity
            share = self._object_value(opacity) if isinstance(opacity, ObjectValue) else (_scalar(opacity),)
            return _joined((b'{"color":', *self._object_value(value.color), b',"opacity":', *share, b"}"))
        channels = (value.r, value.g, value.b, 1 if value.a is None else value.a)
        return (b'{"r":%s,"g":%s,"b":%s,"a":%s}' % tuple(map(_scalar, channels)),)

    def _id(self, ref: Ref) -> Part:
        part = self._ids.get(ref)
        if part is None:
            part = self._ids[ref] = ref if ref in self._made else encode(ref)
        return part

    def _object(self, members: Iterable[_Member]) -> Iterator[Part]:
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


ARRAY_OF = {
    **dict.fromkeys((MakeCollection, MakeExtension, ChangeCollection, DropCollection), 0),
    **dict.fromkeys((MakeMode, NameMode, DropMode), 1),
    **dict.fromkeys((MakeVariable, ChangeVariable, DropVariable), 2),
    GiveValue: 3,
}
"""The array of a request that each kind of change stands in."""


class Piece(NamedTuple):
    """One element of one array, encoded.

    ``array`` is the index of the array. ``order`` sorts within it; of equal ones the first to be packed comes first.
    ``operation`` is the index of the plan's operation that it is of, NO_OPERATION, or ``bridging`` a deletion: then it
    is left out of a request that has the deletion in it, too.
    """

    change: Change
    parts: tuple[Part, ...]
    operation: int
    order: int
    array: int


class Atom(NamedTuple):
    """Pieces that share a request, as long as one request can hold them.

    ``waits_for`` are modes that have to be made in an earlier request; ``why`` says so to people. ``notes`` tell what a
    reader may not expect. Pieces stand in an order in which they can be parted, if they have to be.
    """

    pieces: tuple[Piece, ...]
    waits_for: frozenset[Ref] = frozenset()
    why: str = ""
    notes: tuple[str, ...] = ()
