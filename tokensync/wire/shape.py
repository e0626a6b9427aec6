"""The second look at a response that does not decode: every fault of its shape, each with its JSON pointer.

A decoder stops at the first fault and tells its place as a path without keys. Here each part is converted alone, by the
same types, down to the smallest one that does not fit.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

import msgspec
from msgspec import Raw, Struct, UnsetType

from tokensync.wire.variables import VALUE_TYPES, WireValue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tokensync.places import Pointer

_MOST_DIGITS = 300  # of an integer that a float still holds
_NEEDED = ("id", "name", "variableCollectionId", "resolvedType")
"""What every variable has to say, of whatever type it is."""
_WORDS = {
    "str": "a string",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}


class Fault(NamedTuple):
    """What does not fit, and where: ``told`` in the words of JSON."""

    pointer: Pointer
    told: str


class _OutOfRange:
    """Stands for a number that no float holds; no type fits it."""


def faults_of_shape(raw: bytes, shape: type[Struct]) -> Iterator[Fault]:
    """Find every fault of the JSON text against ``shape``. Raises RecursionError for one that is nested too deeply.

    What a variable of an unknown type holds has no shape, and is no fault.
    """
    document = plain(raw)
    _empty_opaque(document)
    return _faults(document, shape, ())


def _empty_opaque(document: Any) -> None:
    """Take out of a local response what is not looked at: values of opaque variables, and overrides of those."""
    payload = document.get("meta", document) if isinstance(document, dict) else None
    variables = payload.get("variables") if isinstance(payload, dict) else None
    collections = payload.get("variableCollections") if isinstance(payload, dict) else None
    if not isinstance(variables, dict):
        return
    known = set()
    for key, each in variables.items():
        kind = each.get("resolvedType") if isinstance(each, dict) else None
        if isinstance(kind, str) and kind not in VALUE_TYPES:
            variables[key] = {name: each[name] for name in _NEEDED if name in each} | {"valuesByMode": {}}
        else:
            known.add(key)
    for each in collections.values() if isinstance(collections, dict) else ():
        overrides = each.get("variableOverrides") if isinstance(each, dict) else None
        if isinstance(overrides, dict):
            each["variableOverrides"] = {key: values for key, values in overrides.items() if key in known}


def plain(raw: bytes) -> Any:
    """The JSON text as plain Python, with more patience than a decoder: bytes that are no UTF-8 become U+FFFD.

    Raises ValueError for what is not JSON at all, and RecursionError.
    """
    return json.loads(raw.decode("utf-8", "replace"), parse_float=_float, parse_int=_integer)


def _float(text: str) -> object:
    number = float(text)
    return number if math.isfinite(number) else _OutOfRange()


def _integer(text: str) -> object:
    return int(text) if len(text) < _MOST_DIGITS else _OutOfRange()


def _faults(value: Any, shape: Any, pointer: Pointer) -> Iterator[Fault]:
    """Go down to the parts of objects and arrays; what has no parts, or should have none, is converted."""
    shape = _alone(shape)
    if isinstance(value, _OutOfRange):
        yield Fault(pointer, "the number is out of range")
    elif isinstance(value, dict) and isinstance(shape, type) and issubclass(shape, Struct):
        for field in _fields(shape):
            name = field.encode_name
            if name in value:
                yield from _faults(value[name], field.type, (*pointer, name))
            elif field.required:
                yield Fault(pointer, f'"{name}" is missing')
    elif isinstance(value, dict) and get_origin(shape) is dict:
        for name, part in value.items():
            yield from _faults(part, get_args(shape)[1], (*pointer, name))
    elif isinstance(value, list) and get_origin(shape) is tuple:
        for index, part in enumerate(value):
            yield from _faults(part, get_args(shape)[0], (*pointer, index))
    else:
        try:
            msgspec.convert(value, shape)
        except msgspec.ValidationError as fault:
            yield Fault((*pointer, *_steps(str(fault))), _in_words(str(fault)))


@cache
def _fields(shape: type[Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Its members; msgspec works their types out anew each time, which would take longer than all else here."""
    return msgspec.structs.fields(shape)


def _alone(shape: Any) -> Any:
    """The type itself where a member may be unset, and the type of values where they are kept as JSON."""
    if shape is Raw:
        return dict[str, WireValue]
    alternatives = [each for each in get_args(shape) if each is not UnsetType]
    return alternatives[0] if UnsetType in get_args(shape) and len(alternatives) == 1 else shape


def _steps(told: str) -> Pointer:
    """``... - at `$.color.r` `` as steps of a pointer, up to the first ``[...]``, which means "some key"."""
    path = re.search(r" - at `\$(.*)`$", told)
    steps: list[str | int] = []
    for name, index in re.findall(r"\.([A-Za-z_]+)|\[(\d+|\.\.\.)\]", path[1] if path else ""):
        if index == "...":
            break
        steps.append(int(index) if index else name)
    return tuple(steps)


def _in_words(told: str) -> str:
    """A decoder's ``Expected `str | null`, got `int` `` in the words of JSON."""
    text = re.sub(r" - at `.*`$", "", told)
    found = re.fullmatch(r"Expected `(.*)`, got `(.*)`", text)
    if found is None:
        return text[:1].lower() + text[1:]
    expected = dict.fromkeys(_WORDS.get(each, each) for each in found[1].split(" | "))
    got = "a number out of range" if found[2] == _OutOfRange.__name__ else _WORDS.get(found[2], found[2])
    return f"expected {' or '.join(expected)}, got {got}"
