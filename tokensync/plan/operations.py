"""Operations: the changes of a plan as data, each with the state that it expects.

``before`` and the pairs (before, after) record the state that the plan was made from. Where the platform differs from
it, somebody has made a change that the plan must not overwrite (``conflicting``). Refs are those of
``tokensync.plan.state``; new objects have temporary ones.

An operation says everything about itself: what it changes, whether the file still has the state that it expects, its
words and its count, and the elements of requests that carry it out, with their JSON, their effect on a file, and the
objects that they create. JSON consists of parts: fixed bytes, and refs that are replaced by ids when it is sent.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

import msgspec
from msgspec import Struct

from tokensync.normalize.mapping import ALL_SCOPES, MOTION_TYPES
from tokensync.normalize.motion import is_easing
from tokensync.plan.state import (
    Digests,
    Editing,
    ModeState,
    ObjectValue,
    Ref,
    StateValue,
    StyleState,
    VariableState,
    aliased,
    digest_of,
    is_alias,
    mode_key,
    split_label,
    targets_of,
)
from tokensync.system.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tokensync.plan.state import FileState


ARRAYS = ("variableCollections", "variableModes", "variables", "variableModeValues", "textStyles", "effectStyles")
"""The arrays, in the order in which the platform processes them. Only a plugin knows those of styles."""
COLLECTIONS, MODES, VARIABLES, VALUES, *_ = range(len(ARRAYS))

Part = bytes | str
"""Fixed bytes, or a temporary ref to be replaced by an id."""

_EXACT = 2**53
"""All whole numbers below are exact as floats."""

encode = msgspec.json.encode


class Element(Struct, frozen=True, gc=False):
    """An object of the array with the index ``array``. One that deletes is refused if it is sent twice.

    ``within`` is the collection of a mode or variable, and the mode of a value. ``effect`` is the method of ``Editing``
    that does to a state what the platform does, and its arguments. ``order`` is the sort key within the array.
    ``operation`` is the index of its operation, NO_OPERATION, or ``bridging`` a deletion; such an element is omitted
    from a request that also contains the deletion. ``creates`` are the created objects. With them, ``following`` modes
    of extensions come into being: (extension, its mode, the mode that it follows).
    """

    array: int
    action: Literal["CREATE", "UPDATE", "DELETE", ""]
    ref: Ref
    within: Ref
    parts: tuple[Part, ...]
    effect: tuple[Any, ...]
    operation: int
    order: int
    creates: tuple[Ref, ...] = ()
    following: tuple[tuple[Ref, Ref, Ref], ...] = ()


NO_OPERATION = -1


def bridging(deletion: int) -> int:
    """Return the ``operation`` of an element that is needed only until the operation with the index ``deletion``."""
    return -2 - deletion


class _NewVariable(Struct, omit_defaults=True):
    """The members of a new variable that differ from the platform's defaults."""

    type: str = msgspec.field(name="resolvedType")
    scopes: tuple[str, ...] | msgspec.UnsetType
    description: str = ""
    hidden: bool = msgspec.field(default=False, name="hiddenFromPublishing")
    code_syntax: dict[str, str] = msgspec.field(default_factory=dict, name="codeSyntax")


class Encoder(Struct, eq=False):
    """Makes elements. ``_made`` are the temporary refs; every other ref is an id and so fixed."""

    _made: AbstractSet[Ref]
    _objects: dict[int, tuple[ObjectValue, tuple[Part, ...]]] = {}
    _ids: dict[Ref, Part] = {}
    _descriptions: dict[object, bytes] = {}

    def element(
        self,
        kind: tuple[int, Literal["CREATE", "UPDATE", "DELETE"]],
        ref: Ref,
        members: Mapping[str, object] | None = None,
        ids: Mapping[str, Ref] | None = None,
        id_maps: Mapping[str, Mapping[Ref, Ref]] | None = None,
        *,
        effect: tuple[Any, ...],
        operation: int,
        order: int = 0,
        within: Ref = "",
        creates: tuple[Ref, ...] = (),
        following: tuple[tuple[Ref, Ref, Ref], ...] = (),
    ) -> Element:
        """Return an element of a collection, mode or variable with ``members`` that are not None, then ``ids``."""
        array, action = kind
        parts: list[Part] = [b'{"action":"%s","id":' % action.encode(), self._id(ref)]
        for name, value in (members or {}).items():
            if value is not None:
                parts.append(b',"%s":%s' % (name.encode(), encode(value)))
        for name, target in (ids or {}).items():
            parts += (b',"%s":' % name.encode(), self._id(target))
        for name, pairs in (id_maps or {}).items():
            if pairs:
                parts.append(b',"%s":{' % name.encode())
                for number, (key, target) in enumerate(pairs.items()):
                    parts += (b"," if number else b"", self._id(key), b":", self._id(target))
                parts.append(b"}")
        parts.append(b"}")
        return Element(array, action, ref, within, _joined(parts), effect, operation, order, creates, following)

    def new_variable(self, variable: VariableState, operation: int, order: int) -> Element:
        """Return the creation of a variable with the platform's initial values. Others are set by ``value``."""
        kind, scopes, description = variable.type, variable.scopes, variable.description
        key = (kind, scopes, description, variable.hidden, variable.code_syntax)
        last = self._descriptions.get(key)
        if last is None:  # the rest of the object, encoded once for equal ones
            syntax = dict(variable.code_syntax)
            # The plugin API refuses scopes of motion, and the REST API documents none of a BOOLEAN.
            without = kind in MOTION_TYPES or (kind == "BOOLEAN" and scopes == (ALL_SCOPES,))
            own_scopes = msgspec.UNSET if without else scopes
            members = _NewVariable(kind, own_scopes, description, hidden=variable.hidden, code_syntax=syntax)
            last = self._descriptions[key] = b"," + encode(members)[1:]
        name = b',"name":%s,"variableCollectionId":' % encode(variable.name)
        ref, collection = variable.ref, variable.collection
        parts = _joined((b'{"action":"CREATE","id":', self._id(ref), name, self._id(collection), last))
        effect = (Editing.create_variable, variable)
        return Element(VARIABLES, "CREATE", ref, collection, parts, effect, operation, order, (ref,))

    def value(self, variable: Ref, mode: Ref, value: StateValue | None, operation: int, order: int) -> Element:
        """Return the setting of a value, joined by hand: a library has a hundred thousand of these."""
        if isinstance(value, ObjectValue):
            known = self._objects.get(id(value))  # the entry holds the object, so that its id is not reused
            if known is None:
                parts = _joined((b',"value":', *self._object_value(value), b"}"))
                known = self._objects[id(value)] = (value, parts)
            text = known[1]
        else:
            text = (b',"value":%s}' % _scalar(value),)
        variable_id, mode_id = self._id(variable), self._id(mode)
        if type(mode_id) is bytes:
            mode_id, text = mode_id + text[0], text[1:]  # type: ignore[operator]
        if type(variable_id) is bytes:
            start = b'{"variableId":' + variable_id + b',"modeId":'
            parts = (start + mode_id, *text) if type(mode_id) is bytes else (start, mode_id, *text)
        elif type(mode_id) is bytes:
            parts = (b'{"variableId":', variable_id, b',"modeId":' + mode_id, *text)
        else:
            parts = (b'{"variableId":', variable_id, b',"modeId":', mode_id, *text)
        effect = (Editing.set_value, variable, mode, value)
        return Element(VALUES, "", variable, mode, parts, effect, operation, order)

    def style(
        self,
        action: Literal["CREATE", "UPDATE", "DELETE"],
        style: tuple[str, Ref],
        texts: Mapping[str, str | None],
        members: Mapping[str, Any],
        effect: tuple[Any, ...],
        operation: int,
    ) -> Element:
        """Return an element of a ``style``, which is a type and a ref; of ``texts`` with those that are not None."""
        kind, ref = style
        parts: list[Part] = [b'{"action":"%s","id":' % action.encode(), self._id(ref)]
        parts += (b',"%s":%s' % (name.encode(), encode(text)) for name, text in texts.items() if text is not None)
        if members:
            parts += (b',"members":', *self._json(members))
        array = ARRAYS.index(f"{kind.lower()}Styles")
        creates = (ref,) if action == "CREATE" else ()
        return Element(array, action, ref, "", _joined((*parts, b"}")), effect, operation, 0, creates)

    def _json(self, value: Any) -> Iterator[Part]:
        if is_alias(value):
            yield from (b'{"type":"VARIABLE_ALIAS","id":', self._id(value["id"]), b"}")
        elif isinstance(value, dict):
            for number, (name, part) in enumerate(value.items()):
                yield from (b"," if number else b"{", encode(name), b":", *self._json(part))
            yield b"}" if value else b"{}"
        elif isinstance(value, list):
            for number, part in enumerate(value):
                yield from (b"," if number else b"[", *self._json(part))
            yield b"]" if value else b"[]"
        else:
            yield _scalar(value)

    def _id(self, ref: Ref) -> Part:
        """Return the JSON of an id, or the ref if the id is not known yet."""
        part = self._ids.get(ref)
        if part is None:
            part = self._ids[ref] = ref if ref in self._made else encode(ref)
        return part

    def _object_value(self, value: ObjectValue) -> tuple[Part, ...]:
        if value.alias is not None:
            return (b'{"type":"VARIABLE_ALIAS","id":', self._id(value.alias), b"}")
        if value.seconds is not None:
            return (_scalar(value.seconds),)
        if value.easing is not None:
            return (value.easing.encode() if is_easing(value.easing) else encode(value.easing),)
        if value.color is not None:
            opacity = value.opacity
            share = self._object_value(opacity) if isinstance(opacity, ObjectValue) else (_scalar(opacity),)
            return (b'{"color":', *self._object_value(value.color), b',"opacity":', *share, b"}")
        channels = (value.r, value.g, value.b, 1 if value.a is None else value.a)
        return (b'{"r":%s,"g":%s,"b":%s,"a":%s}' % tuple(map(_scalar, channels)),)


def _scalar(value: bool | float | str | None) -> bytes:
    """Return the JSON of a scalar, with whole numbers as 4, also if a plan's file has 4.0.

    So a plan has the same bodies and sizes before and after it is written to a file.
    """
    if isinstance(value, (bool, str)) or value is None:
        return encode(value)
    is_whole = abs(value) < _EXACT and value == int(value)
    return encode(int(value) if is_whole else float(value))


def _joined(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Return the parts with adjacent fixed bytes joined."""
    result: list[Part] = []
    for part in parts:
        if result and type(part) is bytes and type(last := result[-1]) is bytes:
            result[-1] = last + part
        else:
            result.append(part)
    return tuple(result)


Text = tuple[str, str]
Flag = tuple[bool, bool]
Texts = tuple[tuple[str, ...], tuple[str, ...]]
Syntax = tuple[tuple[tuple[str, str], ...], tuple[tuple[str, str], ...]]
"""(before, after) of a text, of a flag, of scopes, and of (platform, text) pairs of code syntax."""

NamedRef = tuple[Ref, bool]
"""A ref, and whether it is a mode's, which is unique only in its collection."""


class _Operation(Struct, frozen=True, forbid_unknown_fields=True):
    """The defaults of all operations. ``counted`` names the member of ``Counts`` that an operation adds to."""

    counted: ClassVar[str]

    @abstractmethod
    def aspects(self) -> Iterator[Aspect]:
        """Yield what the operation changes."""

    @abstractmethod
    def subject(self, states: tuple[FileState, ...]) -> str:
        """Return a short text for the operation, with the names in ``states``."""

    @abstractmethod
    def refs(self) -> Iterator[NamedRef]:
        """Yield each ref in the operation; a collection comes before its modes."""

    @abstractmethod
    def holds(self, current: CurrentFile) -> bool:
        """Return whether the file still has the state that the operation was made from."""

    @abstractmethod
    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        """Return the elements of requests that carry the operation with this ``index`` out.

        Values in modes that a request creates after the variable are not among them. ``order`` sorts the elements of
        one array.
        """

    def created(self) -> tuple[Ref, ...]:
        """Return the created collections, modes and variables."""
        return ()


class _WithRef(_Operation, frozen=True):
    """An operation on the object with the id ``ref``: on all of it, unless it names the parts in ``aspects``."""

    of: ClassVar[str]
    """The kind of the object."""
    ref: Ref

    def aspects(self) -> Iterator[Aspect]:
        yield Aspect(self.of, self.ref)

    def refs(self) -> Iterator[NamedRef]:
        yield self.ref, False


class _OfMode(_WithRef, frozen=True):
    of: ClassVar[str] = "mode"
    collection: Ref

    def _element(
        self, encoder: Encoder, action: Literal["CREATE", "UPDATE", "DELETE"], name: str | None, **rest: Any
    ) -> Element:
        """Return an element of the mode; ``rest`` are those of ``Encoder.element``."""
        of_collection = {"variableCollectionId": self.collection}
        return encoder.element((MODES, action), self.ref, {"name": name}, of_collection, within=self.collection, **rest)

    def aspects(self) -> Iterator[Aspect]:
        yield Aspect(self.of, self.collection, self.ref)

    def refs(self) -> Iterator[NamedRef]:
        yield from ((self.collection, False), (self.ref, True))


class _NewCollection(_WithRef, frozen=True):
    of: ClassVar[str] = "collection"
    name: str

    def subject(self, states: tuple[FileState, ...]) -> str:
        return f"collection {shortened(self.name)} (new)"


class CreateCollection(_NewCollection, frozen=True, kw_only=True, omit_defaults=True, tag="create collection"):
    """A new root collection with all its modes, the default one first."""

    counted: ClassVar[str] = "collections_created"
    modes: tuple[ModeState, ...]
    hidden: bool = False

    def refs(self) -> Iterator[NamedRef]:
        yield self.ref, False
        yield from ((mode.ref, True) for mode in self.modes)

    def created(self) -> tuple[Ref, ...]:
        return (self.ref, *(mode.ref for mode in self.modes))

    def holds(self, current: CurrentFile) -> bool:
        return True  # nothing can conflict with a new collection

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        first, *others = self.modes
        created = encoder.element(
            (COLLECTIONS, "CREATE"),
            self.ref,
            {"name": self.name, "hiddenFromPublishing": self.hidden or None},
            {"initialModeId": first.ref},
            effect=(Editing.create_collection, self.ref, self.name, first.ref, self.hidden),
            operation=index,
            creates=(self.ref, first.ref),
        )
        named = RenameMode(ref=first.ref, collection=self.ref, name=("", first.name)).elements(encoder, index)
        modes = (CreateMode(ref=mode.ref, collection=self.ref, name=mode.name) for mode in others)
        return (created, *named, *(element for mode in modes for element in mode.elements(encoder, index)))


class CreateExtension(_NewCollection, frozen=True, kw_only=True, omit_defaults=True, tag="create extension"):
    """A new collection that extends ``parent``, with a mode of the same name for each of the parent's."""

    counted: ClassVar[str] = "collections_created"
    parent: Ref
    modes: tuple[ModeState, ...]
    hidden: bool = False

    def refs(self) -> Iterator[NamedRef]:
        yield from ((self.ref, False), (self.parent, False))
        yield from ((mode.ref, True) for mode in self.modes)

    def created(self) -> tuple[Ref, ...]:
        return (self.ref, *(mode.ref for mode in self.modes))

    def holds(self, current: CurrentFile) -> bool:
        return self.parent in current.created or current.has_only(self.parent, {mode.parent for mode in self.modes})

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        modes = {mode.parent: mode.ref for mode in self.modes if mode.parent is not None}
        created = encoder.element(
            (COLLECTIONS, "CREATE"),
            self.ref,
            {"name": self.name, "hiddenFromPublishing": self.hidden or None},
            {"parentVariableCollectionId": self.parent},
            {"initialModeIdToParentModeIdMapping": modes},
            effect=(Editing.create_extension, self.ref, self.name, self.parent, modes, self.hidden),
            operation=index,
            creates=(self.ref,),
            following=tuple((self.ref, own, parent) for parent, own in modes.items()),
        )
        return (created,)


class UpdateCollection(_WithRef, frozen=True, kw_only=True, omit_defaults=True, tag="update collection"):
    """A change of a collection's name or visibility."""

    of: ClassVar[str] = "collection"
    counted: ClassVar[str] = "collections_updated"
    name: Text | None = None
    hidden: Flag | None = None

    def aspects(self) -> Iterator[Aspect]:
        for part, to in (("name", self.name), ("hidden", self.hidden)):
            if to:
                yield Aspect("collection", self.ref, part)

    def subject(self, states: tuple[FileState, ...]) -> str:
        return f"collection {_collection_name(self.ref, states)}: its {'name' if self.name else 'visibility'}"

    def holds(self, current: CurrentFile) -> bool:
        there = current.state.collections.get(self.ref)
        return there is not None and _is_before(self.name, there.name) and _is_before(self.hidden, there.hidden)

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        name, hidden = self.name and self.name[1], self.hidden and self.hidden[1]
        changed = encoder.element(
            (COLLECTIONS, "UPDATE"),
            self.ref,
            {"name": name, "hiddenFromPublishing": hidden},
            effect=(Editing.change_collection, self.ref, name, hidden),
            operation=index,
        )
        return (changed,)


class DeleteCollection(_WithRef, frozen=True, kw_only=True, tag="delete collection"):
    """A deleted collection with its modes, variables and extensions. ``digest`` is its ``Digests.of_collection``."""

    of: ClassVar[str] = "collection"
    counted: ClassVar[str] = "collections_deleted"
    name: str
    digest: str

    def subject(self, states: tuple[FileState, ...]) -> str:
        return f"collection {shortened(self.name)} (deleted)"

    def holds(self, current: CurrentFile) -> bool:
        return self.ref in current.state.collections and current.digests.of_collection(self.ref) == self.digest

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        effect = (Editing.delete_collection, self.ref)
        return (encoder.element((COLLECTIONS, "DELETE"), self.ref, effect=effect, operation=index),)


class CreateMode(_OfMode, frozen=True, kw_only=True, omit_defaults=True, tag="create mode"):
    """A new mode of an existing collection. ``extended`` holds (extension, its new mode) for each extension.

    The platform copies the default mode's values into it; a ``SetValue`` follows for each value that differs.
    ``filled`` is ``Digests.of_mode`` of the default mode, since all other values depend on it.
    """

    counted: ClassVar[str] = "modes_created"
    name: str
    extended: tuple[tuple[Ref, Ref], ...] = ()
    filled: str = ""

    def subject(self, states: tuple[FileState, ...]) -> str:
        return f"{_collection_name(self.collection, states)}: mode {shortened(self.name)} (new)"

    def refs(self) -> Iterator[NamedRef]:
        yield from ((self.collection, False), (self.ref, True))
        for extension, mode in self.extended:
            yield from ((extension, False), (mode, True))

    def created(self) -> tuple[Ref, ...]:
        return (self.ref, *(mode for _, mode in self.extended))

    def holds(self, current: CurrentFile) -> bool:
        root = current.state.collections.get(self.collection)
        if root is None:
            return False
        known = {extension for extension, _ in self.extended}
        family = current.state.family(self.collection)
        if not all(collection.ref in known or collection.parent is None or collection.fixed for collection in family):
            return False
        return not self.filled or current.digests.of_mode(root.ref, root.default) == self.filled

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        effect = (Editing.create_mode, self.collection, self.ref, self.name, dict(self.extended))
        following = tuple((extension, own, self.ref) for extension, own in self.extended)
        new = {"creates": (self.ref,), "following": following}
        return (self._element(encoder, "CREATE", self.name, effect=effect, operation=index, **new),)


class RenameMode(_OfMode, frozen=True, kw_only=True, tag="rename mode"):
    """A new name for a mode of a root collection and for the modes that extend it."""

    counted: ClassVar[str] = "modes_updated"
    name: Text

    def aspects(self) -> Iterator[Aspect]:
        yield Aspect("mode name", self.collection, self.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        return f"{_collection_name(self.collection, states)}: the name of mode {shortened(self.name[0])}"

    def holds(self, current: CurrentFile) -> bool:
        return current.mode_names(self.collection).get(self.ref) == self.name[0]

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        effect = (Editing.rename_mode, self.collection, self.ref, self.name[1])
        return (self._element(encoder, "UPDATE", self.name[1], effect=effect, operation=index),)


class DeleteMode(_OfMode, frozen=True, kw_only=True, tag="delete mode"):
    """A deleted mode with its values and the modes that extend it. ``digest`` is its ``Digests.of_mode``."""

    counted: ClassVar[str] = "modes_deleted"
    name: str
    digest: str

    def subject(self, states: tuple[FileState, ...]) -> str:
        return f"{_collection_name(self.collection, states)}: mode {shortened(self.name)} (deleted)"

    def holds(self, current: CurrentFile) -> bool:
        there = self.ref in current.mode_names(self.collection)
        return there and current.digests.of_mode(self.collection, self.ref) == self.digest

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        effect = (Editing.delete_mode, self.collection, self.ref)
        return (self._element(encoder, "DELETE", None, effect=effect, operation=index),)


class CreateVariable(_Operation, frozen=True, kw_only=True, tag="create variable"):
    """A new variable with all its values and overrides."""

    counted: ClassVar[str] = "variables_created"
    variable: VariableState

    def aspects(self) -> Iterator[Aspect]:
        yield Aspect("variable", self.variable.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        collection = _collection_name(self.variable.collection, states)
        return f"{collection} / {shortened(self.variable.name)} (new)"

    def refs(self) -> Iterator[NamedRef]:
        yield self.variable.ref, False
        for mode, value in self.variable.values.items():
            yield mode, True
            for target in targets_of(value):
                yield target, False

    def created(self) -> tuple[Ref, ...]:
        return (self.variable.ref,)

    def holds(self, current: CurrentFile) -> bool:
        collection, values = self.variable.collection, self.variable.values
        return current.has_variables(targets_of(*values.values())) and (
            collection in current.created or current.has_only(collection, set(values))
        )

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        return (encoder.new_variable(self.variable, index, order),)


class UpdateVariable(_WithRef, frozen=True, kw_only=True, omit_defaults=True, tag="update variable"):
    """A change of a variable's metadata. Each member is (before, after), or None where it stays."""

    of: ClassVar[str] = "variable"
    counted: ClassVar[str] = "variables_updated"
    name: Text | None = None
    description: Text | None = None
    scopes: Texts | None = None
    hidden: Flag | None = None
    code_syntax: Syntax | None = None

    def changed_members(self) -> tuple[str, ...]:
        """Return the names of the changed members."""
        members = ("name", "description", "scopes", "hidden", "code_syntax")
        return tuple(member for member in members if getattr(self, member) is not None)

    def aspects(self) -> Iterator[Aspect]:
        yield from (Aspect("variable", self.ref, part) for part in self.changed_members())

    def subject(self, states: tuple[FileState, ...]) -> str:
        members = ", ".join(_MEMBERS.get(member, member) for member in self.changed_members())
        return f"{_variable_name(self.ref, states)}: its {members}"

    def holds(self, current: CurrentFile) -> bool:
        there = current.state.variables.get(self.ref)
        if there is None:
            return False
        same_scopes = self.scopes is None or there.has_scopes(self.scopes[0])
        others = (member for member in self.changed_members() if member != "scopes")
        return same_scopes and all(_is_before(getattr(self, other), getattr(there, other)) for other in others)

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        members = {name: getattr(self, name)[1] for name in self.changed_members()}
        changed = encoder.element(
            (VARIABLES, "UPDATE"),
            self.ref,
            {
                "name": members.get("name"),
                "description": members.get("description"),
                "hiddenFromPublishing": members.get("hidden"),
                "scopes": members.get("scopes"),
                "codeSyntax": None if self.code_syntax is None else dict(self.code_syntax[1]),
            },
            effect=(Editing.change_variable, self.ref, members),
            operation=index,
            order=order,
        )
        return (changed,)


class DeleteVariable(_WithRef, frozen=True, kw_only=True, tag="delete variable"):
    """A deleted variable. ``digest`` is its ``digest_of``."""

    of: ClassVar[str] = "variable"
    counted: ClassVar[str] = "variables_deleted"
    name: str
    collection: Ref
    digest: str

    def subject(self, states: tuple[FileState, ...]) -> str:
        return f"{_collection_name(self.collection, states)} / {shortened(self.name)} (deleted)"

    def refs(self) -> Iterator[NamedRef]:
        yield from ((self.ref, False), (self.collection, False))

    def holds(self, current: CurrentFile) -> bool:
        return self.ref in current.state.variables and digest_of(current.state.variables[self.ref]) == self.digest

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        effect = (Editing.delete_variable, self.ref)
        return (encoder.element((VARIABLES, "DELETE"), self.ref, effect=effect, operation=index, order=order),)


class SetValue(_Operation, frozen=True, kw_only=True, omit_defaults=True, tag="set value"):
    """A value of an existing variable in one mode; in an extension's mode it is an override.

    ``before`` is None in a mode that the plan creates, and where there was no override. ``after`` is None where an
    override is removed.
    """

    counted: ClassVar[str] = "values_set"
    variable: Ref
    mode: Ref
    before: StateValue | None = None
    after: StateValue | None = None

    def aspects(self) -> Iterator[Aspect]:
        yield Aspect("value", self.variable, self.mode)

    def subject(self, states: tuple[FileState, ...]) -> str:
        return f"{_variable_name(self.variable, states)}: its value in {_mode_name(self.variable, self.mode, states)}"

    def refs(self) -> Iterator[NamedRef]:
        yield from ((self.variable, False), (self.mode, True))
        yield from ((target, False) for target in targets_of(self.before, self.after))

    def holds(self, current: CurrentFile) -> bool:
        there = current.state.variables.get(self.variable)
        if there is None:
            return False
        has_mode = self.mode in current.created or self.mode in current.modes.get(there.collection, ())
        return has_mode and there.values.get(self.mode) == self.before and current.has_variables(targets_of(self.after))

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        return (encoder.value(self.variable, self.mode, self.after, index, order),)


class CreateStyle(_Operation, frozen=True, kw_only=True, tag="create style"):
    """A new text or effect style with all its members."""

    counted: ClassVar[str] = "styles_created"
    style: StyleState

    def aspects(self) -> Iterator[Aspect]:
        yield Aspect("style", self.style.ref)

    def subject(self, states: tuple[FileState, ...]) -> str:
        return f"{_KINDS_OF_STYLES[self.style.type]} {shortened(self.style.name)} (new)"

    def refs(self) -> Iterator[NamedRef]:
        yield from ((ref, False) for ref in (self.style.ref, *aliased(self.style.members)))

    def created(self) -> tuple[Ref, ...]:
        return (self.style.ref,)

    def holds(self, current: CurrentFile) -> bool:
        return current.has_variables(aliased(self.style.members))

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        style, effect = self.style, (Editing.create_style, self.style)
        texts = {"name": style.name, "description": style.description}
        return (encoder.style("CREATE", (style.type, style.ref), texts, style.members, effect, index),)


class UpdateStyle(_WithRef, frozen=True, kw_only=True, omit_defaults=True, tag="update style"):
    """A change of a style. ``members`` are those that change; each is (before, after)."""

    of: ClassVar[str] = "style"
    counted: ClassVar[str] = "styles_updated"
    kind: Literal["TEXT", "EFFECT"]
    name: Text | None = None
    description: Text | None = None
    members: dict[str, tuple[Any, Any]] = {}

    def changed_texts(self) -> dict[str, str]:
        """Return the new name and description, if they change."""
        pairs = {"name": self.name, "description": self.description}
        return {member: pair[1] for member, pair in pairs.items() if pair is not None}

    def aspects(self) -> Iterator[Aspect]:
        yield from (Aspect("style", self.ref, part) for part in (*self.changed_texts(), *self.members))

    def subject(self, states: tuple[FileState, ...]) -> str:
        name = next((state.styles[self.ref].name for state in states if self.ref in state.styles), self.ref)
        members = ", ".join((*self.changed_texts(), *self.members))
        return f"{_KINDS_OF_STYLES[self.kind]} {shortened(name)}: its {members}"

    def refs(self) -> Iterator[NamedRef]:
        yield from ((ref, False) for ref in (self.ref, *aliased([[*pair] for pair in self.members.values()])))

    def holds(self, current: CurrentFile) -> bool:
        there = current.state.styles.get(self.ref)
        return (
            there is not None
            and _is_before(self.name, there.name)
            and _is_before(self.description, there.description)
            and all(there.members.get(member) == pair[0] for member, pair in self.members.items())
            and current.has_variables(aliased([after for _, after in self.members.values()]))
        )

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        texts = self.changed_texts()
        members = {member: pair[1] for member, pair in self.members.items()}
        effect = (Editing.change_style, self.ref, texts, members)
        return (encoder.style("UPDATE", (self.kind, self.ref), texts, members, effect, index),)


class DeleteStyle(_WithRef, frozen=True, kw_only=True, tag="delete style"):
    """A deleted style. ``digest`` is its ``digest_of``."""

    of: ClassVar[str] = "style"
    counted: ClassVar[str] = "styles_deleted"
    kind: Literal["TEXT", "EFFECT"]
    name: str
    digest: str

    def subject(self, states: tuple[FileState, ...]) -> str:
        return f"{_KINDS_OF_STYLES[self.kind]} {shortened(self.name)} (deleted)"

    def holds(self, current: CurrentFile) -> bool:
        return self.ref in current.state.styles and digest_of(current.state.styles[self.ref]) == self.digest

    def elements(self, encoder: Encoder, index: int, order: int = 0) -> tuple[Element, ...]:
        return (encoder.style("DELETE", (self.kind, self.ref), {}, {}, (Editing.delete_style, self.ref), index),)


STYLES = (CreateStyle, UpdateStyle, DeleteStyle)

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
    | CreateStyle
    | UpdateStyle
    | DeleteStyle
)


class Aspect(NamedTuple):
    """The smallest unit that can differ: a whole collection, mode or variable, one of its members, or one value.

    ``ref`` is the variable's, the style's, or the collection's (also for a mode, whose own ref is ``part``). ``part``
    is the changed member or the mode of a value, and empty for the whole object.
    """

    kind: str
    ref: Ref
    part: str = ""


def aspects_of(operations: Iterable[Operation]) -> frozenset[Aspect]:
    """Return what several operations change."""
    return frozenset(aspect for operation in operations for aspect in operation.aspects())


def is_in(aspect: Aspect, others: frozenset[Aspect]) -> bool:
    """Return whether an aspect or the object that contains it is among others."""
    return not others.isdisjoint(containing(aspect))


def containing(aspect: Aspect) -> Iterator[Aspect]:
    """Yield an aspect and the objects that contain it."""
    yield aspect
    match aspect.kind:
        case "variable" | "value":
            yield Aspect("variable", aspect.ref)
        case "style":
            yield Aspect("style", aspect.ref)
        case "mode name":
            yield from (Aspect("mode", aspect.ref, aspect.part), Aspect("collection", aspect.ref))
        case _:
            yield Aspect("collection", aspect.ref)


_MEMBERS = {"code_syntax": "code syntax", "hidden": "visibility"}
_KINDS_OF_STYLES = {"TEXT": "text style", "EFFECT": "effect style"}


def subjects(operations: Iterable[Operation], *states: FileState) -> tuple[str, ...]:
    """Return a short text for each operation: ``Theme / text/muted: its value in Dark``. The states have the names."""
    return tuple(operation.subject(states) for operation in operations)


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
            for collection in state.family(found.collection):
                for own in collection.modes:
                    if own.ref == mode:
                        names = (own.name,) if collection.parent is None else (collection.name, own.name)
                        return ", ".join(map(shortened, names))
    return shortened(mode)


def used_labels(operations: Iterable[Operation], labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels of all refs in the operations, including alias targets."""
    used: dict[str, str] = {}
    seen: set[tuple[str | None, Ref]] = set()
    for operation in operations:
        handle = None
        for ref, is_mode in operation.refs():
            if is_mode:
                if (handle, ref) not in seen:
                    seen.add((handle, ref))
                    used |= {key: labels[key] for key in (mode_key(handle or "", ref), ref) if key in labels}
            elif ref in labels:
                used[ref] = labels[ref]
                handle = handle or split_label(labels[ref])[0] or labels[ref]
    return used


class CurrentFile:
    """The file as it is when a plan is about to be applied."""

    def __init__(self, operations: Sequence[Operation], state: FileState) -> None:
        self.state = state
        self.digests = Digests(state)
        self.modes: dict[Ref, set[Ref]] = {}
        """Refs of all modes of a family, by root."""
        for owner in state.collections.values():
            self.modes.setdefault(owner.root, set()).update(mode.ref for mode in owner.modes)
        self.created = {ref for operation in operations for ref in operation.created()}
        self.reshaped = {each.collection for each in operations if isinstance(each, CreateMode | DeleteMode)}
        """Root collections in which the plan creates or deletes modes."""

    def mode_names(self, collection: Ref) -> dict[Ref, str]:
        """Return the names of a collection's modes; empty if it is deleted."""
        found = self.state.collections.get(collection)
        return {} if found is None else {mode.ref: mode.name for mode in found.modes}

    def has_only(self, collection: Ref, modes: set[Ref | None]) -> bool:
        """Return whether a collection exists and has only these modes, unless the plan itself changes them."""
        found = self.state.collections.get(collection)
        if found is None:
            return False
        return found.root in self.reshaped or all(mode.ref in modes for mode in found.modes)

    def has_variables(self, refs: Iterable[Ref]) -> bool:
        """Return whether all variables exist or are created by the plan."""
        return all(ref in self.state.variables or ref in self.created for ref in refs)


def conflicting(operations: Sequence[Operation], state: FileState) -> tuple[Operation, ...]:
    """Return the operations that would overwrite an edit, since the file differs from what they were made from.

    Changes that the platform would merely refuse, such as a name that is now taken, are not included.
    """
    current = CurrentFile(operations, state)
    return tuple(operation for operation in operations if not operation.holds(current))


def _is_before(change: tuple[object, object] | None, current: object) -> bool:
    return change is None or change[0] == current
