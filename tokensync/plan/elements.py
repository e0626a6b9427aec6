"""The elements of a request's four arrays: their JSON, their effect on a file, and the objects that they create.

Elements contain refs. Their JSON consists of parts: fixed bytes, and refs that are replaced by ids when it is sent.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec
from msgspec import Struct

from tokensync.plan.state import Editing, ObjectValue, Ref, StateValue, VariableState

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from collections.abc import Set as AbstractSet

ARRAYS = ("variableCollections", "variableModes", "variables", "variableModeValues")
"""The arrays, in the order in which the platform processes them."""
COLLECTIONS, MODES, VARIABLES, VALUES = range(len(ARRAYS))

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
    scopes: tuple[str, ...]
    description: str = ""
    hidden: bool = msgspec.field(default=False, name="hiddenFromPublishing")
    code_syntax: dict[str, str] = msgspec.field(default_factory=dict, name="codeSyntax")


class Encoder:
    """Makes elements. ``made`` are the temporary refs; every other ref is an id and so fixed."""

    def __init__(self, made: AbstractSet[Ref]) -> None:
        self._made = made
        self._objects: dict[int, tuple[ObjectValue, tuple[Part, ...]]] = {}
        self._ids: dict[Ref, Part] = {}
        self._descriptions: dict[object, bytes] = {}

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
            members = _NewVariable(kind, scopes, description, hidden=variable.hidden, code_syntax=syntax)
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

    def _id(self, ref: Ref) -> Part:
        """Return the JSON of an id, or the ref if the id is not known yet."""
        part = self._ids.get(ref)
        if part is None:
            part = self._ids[ref] = ref if ref in self._made else encode(ref)
        return part

    def _object_value(self, value: ObjectValue) -> tuple[Part, ...]:
        if value.alias is not None:
            return (b'{"type":"VARIABLE_ALIAS","id":', self._id(value.alias), b"}")
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
