"""The elements of a request's four arrays: their JSON, their effect on a file, and the objects that they create.

Elements contain refs. Their JSON consists of parts: fixed bytes, and refs that are replaced by ids when it is sent.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import msgspec
from msgspec import Struct

from tokensync.plan.state import ObjectValue, Ref, StateValue, VariableState

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from collections.abc import Set as AbstractSet

    from tokensync.plan.state import Editing

ARRAYS = ("variableCollections", "variableModes", "variables", "variableModeValues")
"""The arrays, in the order in which the platform processes them."""

Part = bytes | str
"""Fixed bytes, or a temporary ref to be replaced by an id."""

Member = tuple[str, Part | tuple[Part, ...]]
"""The name of a member, and the JSON of its value in one or several parts."""

ModePairs = tuple[tuple[Ref, Ref], ...]
"""Pairs of (extension, its mode) or of (parent's mode, mode that extends it)."""

_NUMBERS = len("4294967295:4294967295")
LONGEST_MODE = _NUMBERS + 2
LONGEST_VARIABLE = len("VariableID:") + _NUMBERS + 2
LONGEST_COLLECTION = len("VariableCollectionId:") + _NUMBERS + 2
LONGEST_EXTENDED_MODE = LONGEST_COLLECTION + len("/") + _NUMBERS
"""The greatest lengths of the platform's ids in bytes with quotation marks, for numbers of 32 bits."""

_EXACT = 2**53
"""All whole numbers below are exact as floats."""

encode = msgspec.json.encode


class _Element(Struct, frozen=True):
    """An element of the array with the index ``array``. One that ``deletes`` is refused if it is sent twice."""

    array: ClassVar[int]
    deletes: ClassVar[bool] = False

    def parts(self, encoder: Encoder) -> tuple[Part, ...]:
        """Return the element's JSON; neighbouring fixed bytes are one part."""
        return _joined(_object(self.members(encoder)))

    def members(self, encoder: Encoder) -> Iterator[Member]:
        """Yield the members of the element's JSON. Elements that encode their parts themselves have none."""
        yield from ()

    @abstractmethod
    def carry_out(self, file: Editing) -> None:
        """Apply the element to a state as the platform does."""

    def made(self, deleted: AbstractSet[Ref]) -> tuple[Ref, ...]:
        """Return the refs of created objects; ``deleted`` are collections that the same request deletes."""
        return ()


class MakeCollection(_Element, frozen=True):
    """Create a root collection with one mode that still has the default name."""

    array = 0
    ref: Ref
    name: str
    mode: Ref
    hidden: bool = False

    def members(self, encoder: Encoder) -> Iterator[Member]:
        yield from (("action", b'"CREATE"'), ("id", encoder.id(self.ref)))
        yield from _present(name=self.name, hiddenFromPublishing=self.hidden or None)
        yield "initialModeId", encoder.id(self.mode)

    def made(self, deleted: AbstractSet[Ref]) -> tuple[Ref, ...]:
        return self.ref, self.mode

    def carry_out(self, file: Editing) -> None:
        file.create_collection(self.ref, self.name, self.mode, hidden=self.hidden)


class MakeExtension(_Element, frozen=True):
    """Create a collection that extends ``parent``. ``modes`` are (parent's mode, mode that extends it)."""

    array = 0
    ref: Ref
    name: str
    parent: Ref
    modes: ModePairs
    hidden: bool = False

    def members(self, encoder: Encoder) -> Iterator[Member]:
        yield from (("action", b'"CREATE"'), ("id", encoder.id(self.ref)))
        yield from _present(name=self.name, hiddenFromPublishing=self.hidden or None)
        yield "parentVariableCollectionId", encoder.id(self.parent)
        if self.modes:
            pairs: list[Part] = []
            for parents, own in self.modes:
                pairs += (b"," if pairs else b"{", encoder.id(parents), b":", encoder.id(own))
            yield "initialModeIdToParentModeIdMapping", (*pairs, b"}")

    def made(self, deleted: AbstractSet[Ref]) -> tuple[Ref, ...]:
        return (self.ref, *(mode for _, mode in self.modes))

    def carry_out(self, file: Editing) -> None:
        file.create_extension(self.ref, self.name, self.parent, dict(self.modes), hidden=self.hidden)


class ChangeCollection(_Element, frozen=True):
    """Change a collection's name or visibility; None means no change."""

    array = 0
    ref: Ref
    name: str | None = None
    hidden: bool | None = None

    def members(self, encoder: Encoder) -> Iterator[Member]:
        yield from (("action", b'"UPDATE"'), ("id", encoder.id(self.ref)))
        yield from _present(name=self.name, hiddenFromPublishing=self.hidden)

    def carry_out(self, file: Editing) -> None:
        file.change_collection(self.ref, name=self.name, hidden=self.hidden)


class DropCollection(_Element, frozen=True):
    """Delete a collection with its content and its direct and indirect ``extensions``."""

    array = 0
    deletes = True
    ref: Ref
    extensions: tuple[Ref, ...] = ()

    def members(self, encoder: Encoder) -> Iterator[Member]:
        yield from (("action", b'"DELETE"'), ("id", encoder.id(self.ref)))

    def carry_out(self, file: Editing) -> None:
        file.delete_collection(self.ref)


class MakeMode(_Element, frozen=True):
    """Create a mode with the default mode's values. ``extended`` are (extension, its new mode)."""

    array = 1
    ref: Ref
    collection: Ref
    name: str
    extended: ModePairs = ()

    def members(self, encoder: Encoder) -> Iterator[Member]:
        yield from (("action", b'"CREATE"'), ("id", encoder.id(self.ref)), ("name", encode(self.name)))
        yield "variableCollectionId", encoder.id(self.collection)

    def made(self, deleted: AbstractSet[Ref]) -> tuple[Ref, ...]:
        # Collections are deleted before modes are created: a deleted extension gets no mode.
        return (self.ref, *(mode for extension, mode in self.extended if extension not in deleted))

    def carry_out(self, file: Editing) -> None:
        file.create_mode(self.collection, self.ref, self.name, dict(self.extended))


class NameMode(_Element, frozen=True):
    """Rename a mode and the modes that extend it."""

    array = 1
    ref: Ref
    collection: Ref
    name: str

    def members(self, encoder: Encoder) -> Iterator[Member]:
        yield from (("action", b'"UPDATE"'), ("id", encoder.id(self.ref)), ("name", encode(self.name)))
        yield "variableCollectionId", encoder.id(self.collection)

    def carry_out(self, file: Editing) -> None:
        file.rename_mode(self.collection, self.ref, self.name)


class DropMode(_Element, frozen=True):
    """Delete a mode and the modes that extend it."""

    array = 1
    deletes = True
    ref: Ref
    collection: Ref

    def members(self, encoder: Encoder) -> Iterator[Member]:
        yield from (("action", b'"DELETE"'), ("id", encoder.id(self.ref)))
        yield "variableCollectionId", encoder.id(self.collection)

    def carry_out(self, file: Editing) -> None:
        file.delete_mode(self.collection, self.ref)


class MakeVariable(_Element, frozen=True):
    """Create a variable with the platform's initial values. Others are set by ``GiveValue``."""

    array = 2
    variable: VariableState

    def parts(self, encoder: Encoder) -> tuple[Part, ...]:
        made = self.variable
        name = b',"name":%s,"variableCollectionId":' % encode(made.name)
        start, collection = (b'{"action":"CREATE","id":', encoder.id(made.ref), name), encoder.id(made.collection)
        return _joined((*start, collection, encoder.description(made)))

    def made(self, deleted: AbstractSet[Ref]) -> tuple[Ref, ...]:
        return (self.variable.ref,)

    def carry_out(self, file: Editing) -> None:
        file.create_variable(self.variable)


class ChangeVariable(_Element, frozen=True, omit_defaults=True):
    """Change members of a variable; None means no change."""

    array = 2
    ref: Ref
    name: str | None = None
    description: str | None = None
    hidden: bool | None = None
    scopes: tuple[str, ...] | None = None
    code_syntax: tuple[tuple[str, str], ...] | None = None

    def members(self, encoder: Encoder) -> Iterator[Member]:
        yield from (("action", b'"UPDATE"'), ("id", encoder.id(self.ref)))
        yield from _present(
            name=self.name,
            description=self.description,
            hiddenFromPublishing=self.hidden,
            scopes=self.scopes,
            codeSyntax=None if self.code_syntax is None else dict(self.code_syntax),
        )

    def carry_out(self, file: Editing) -> None:
        members = {name: getattr(self, name) for name in self.__struct_fields__ if name != "ref"}
        file.change_variable(self.ref, {name: value for name, value in members.items() if value is not None})


class DropVariable(_Element, frozen=True):
    """Delete a variable."""

    array = 2
    deletes = True
    ref: Ref

    def members(self, encoder: Encoder) -> Iterator[Member]:
        yield from (("action", b'"DELETE"'), ("id", encoder.id(self.ref)))

    def carry_out(self, file: Editing) -> None:
        file.delete_variable(self.ref)


class GiveValue(_Element, frozen=True):
    """Set a variable's value in one mode; None removes an override."""

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
        file.set_value(self.variable, self.mode, self.value)


CollectionElement = MakeCollection | MakeExtension | ChangeCollection | DropCollection
ModeElement = MakeMode | NameMode | DropMode
VariableElement = MakeVariable | ChangeVariable | DropVariable
Element = CollectionElement | ModeElement | VariableElement | GiveValue


class Elements(NamedTuple):
    """The four arrays of a request, in the order in which the platform processes them."""

    collections: tuple[CollectionElement, ...] = ()
    modes: tuple[ModeElement, ...] = ()
    variables: tuple[VariableElement, ...] = ()
    values: tuple[GiveValue, ...] = ()

    def made(self) -> tuple[Ref, ...]:
        """Return the temporary refs of all created objects, including modes of extensions."""
        dropped = [each for each in self.collections if isinstance(each, DropCollection)]
        deleted = {ref for each in dropped for ref in (each.ref, *each.extensions)}
        return tuple(ref for array in self[:3] for each in array for ref in each.made(deleted))


class _NewVariable(Struct, omit_defaults=True):
    """The members of a new variable that differ from the platform's defaults."""

    type: str = msgspec.field(name="resolvedType")
    scopes: tuple[str, ...]
    description: str = ""
    hidden: bool = msgspec.field(default=False, name="hiddenFromPublishing")
    code_syntax: dict[str, str] = msgspec.field(default_factory=dict, name="codeSyntax")


class Encoder:
    """Encodes ids and values. ``made`` are the temporary refs; every other ref is an id and so fixed."""

    def __init__(self, made: AbstractSet[Ref]) -> None:
        self._made = made
        self._objects: dict[int, tuple[ObjectValue, tuple[Part, ...]]] = {}
        self._ids: dict[Ref, Part] = {}
        self._descriptions: dict[object, bytes] = {}

    def id(self, ref: Ref) -> Part:
        """Return the JSON of an id, or the ref if the id is not known yet."""
        part = self._ids.get(ref)
        if part is None:
            part = self._ids[ref] = ref if ref in self._made else encode(ref)
        return part

    def description(self, made: VariableState) -> bytes:
        """Return the last members of a new variable and the end of its object, encoded once for equal ones."""
        key = (made.type, made.scopes, made.description, made.hidden, made.code_syntax)
        known = self._descriptions.get(key)
        if known is None:
            described = _NewVariable(
                made.type, made.scopes, made.description, hidden=made.hidden, code_syntax=dict(made.code_syntax)
            )
            known = self._descriptions[key] = b"," + encode(described)[1:]
        return known

    def value_member(self, value: ObjectValue) -> tuple[Part, ...]:
        """Return the member ``value`` and the end of its object, encoded once per value object."""
        known = self._objects.get(id(value))  # the entry holds the object, so that its id is not reused
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
    """Return the JSON of a scalar, with whole numbers as 4, also if a plan's file has 4.0.

    So a plan has the same bodies and sizes before and after it is written to a file.
    """
    if isinstance(value, (bool, str)) or value is None:
        return encode(value)
    is_whole = abs(value) < _EXACT and value == int(value)
    return encode(int(value) if is_whole else float(value))


def _present(**members: StateValue | tuple[str, ...] | dict[str, str] | None) -> Iterator[tuple[str, bytes]]:
    """Return the members that are not None."""
    return ((name, encode(value)) for name, value in members.items() if value is not None)


def _joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts with adjacent fixed bytes joined."""
    result: list[Part] = []
    for part in parts:
        if result and type(part) is bytes and type(last := result[-1]) is bytes:
            result[-1] = last + part
        else:
            result.append(part)
    return tuple(result)


NO_OPERATION = -1


def bridging(deletion: int) -> int:
    """Return the ``operation`` of a piece that is needed only until the operation with the index ``deletion``."""
    return -2 - deletion


class Piece(Struct, frozen=True, gc=False):
    """One encoded element of one array.

    ``order`` is its sort key within the array. ``operation`` is the index of its operation, NO_OPERATION, or
    ``bridging`` a deletion; such a piece is omitted from a request that also contains the deletion.
    """

    element: Element
    parts: tuple[Part, ...]
    operation: int
    order: int


class Atom(Struct, frozen=True):
    """Pieces that share a request if it can hold them; otherwise they are split in this order.

    ``waits_for`` are modes that must be created in an earlier request, and ``why`` is the reason. ``notes`` describe
    unexpected effects.
    """

    pieces: tuple[Piece, ...]
    waits_for: frozenset[Ref] = frozenset()
    why: str = ""
    notes: tuple[str, ...] = ()
