"""Examine a response that does not decode: find every fault of it, with its line, column and JSON pointer.

A decoder stops at the first fault and reports its path without keys. Here each part is converted alone, by the same
types, down to the smallest one that does not fit.
"""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any, NamedTuple, get_args, get_origin

import msgspec
from msgspec import Raw, Struct, UnsetType

from tokensync.positions import line_and_column, offsets, pointer_text
from tokensync.problems import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tokensync.positions import Pointer

_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MOST_PROBLEMS = 50  # more faults than this only say that it is another format
_DEEPEST = 100  # a response is nested seven deep
_LONGEST_STEP = 80  # characters of a pointer's step that are shown
_SAVE_AGAIN = "save the response again, whole and unchanged"
_MOST_DIGITS = 300  # of an integer that a float still holds
_NEEDED = ("id", "name", "variableCollectionId", "resolvedType")
"""The members that every variable needs, of whatever type it is."""
_WORDS = {
    "str": "a string",
    "int": "a number",
    "float": "a number",
    "bool": "true or false",
    "object": "an object",
    "array": "an array",
    "null": "null",
}


class Expected(NamedTuple):
    """What a response should be: its type, and the type of what the response keeps as JSON.

    ``value_types`` are the types of variables whose values are known. Only local responses have any.
    """

    shape: type[Struct]
    kept: Any
    value_types: frozenset[str]


class Fault(NamedTuple):
    """What does not fit, in the words of JSON, and where."""

    pointer: Pointer
    what: str


class _OutOfRange:
    """Stands for a number that no float holds; no type fits it."""


def problems_of(raw: bytes, source: str, expected: Expected, error: Exception) -> tuple[Problem, ...]:
    """Return a problem for every fault of a response that a decoder refused with this error."""
    if not isinstance(error, msgspec.ValidationError):
        return (unreadable(raw, source, error),)
    try:
        document = _document(raw)
        if _is_error(document):
            return (_error_answer(document, source),)
        if expected.value_types and _is_published(document):
            what = "these are published variables, which have no values"
            return (problem("response-shape", source, what, "pass the response of the local variables here"),)
        if expected.value_types:
            _empty_opaque(document, expected.value_types)
        faults = list(_faults(document, expected.shape, expected.kept, ()))
    except RecursionError:
        return (_too_deep(raw, source),)
    except ValueError as fault:
        try:
            _ANY_JSON.decode(raw)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as located:  # with its place in bytes
            return (unreadable(raw, source, located),)
        return (unreadable(raw, source, fault),)
    return _misshapen(raw, source, faults or [Fault((), str(error))])


def misplaced_problems(raw: bytes, source: str, pointers: Sequence[Pointer]) -> tuple[Problem, ...]:
    """Return the problems of variables and collections that do not stand under their own id."""
    what = "it differs from the key that it stands under"
    return _misshapen(raw, source, [Fault((*each, "id"), what) for each in pointers])


def without_payload(raw: bytes, source: str) -> Problem:
    """Return the problem of JSON that decodes and has none of the members of a response."""
    document = _document(raw)
    if _is_error(document):
        return _error_answer(document, source)
    what = 'there is no "meta" with "variables" and "variableCollections"'
    to_do = "give a saved GET variables/local or variables/published response"
    return problem("response-shape", f"{source}:1:1 (#)", what, to_do)


def unreadable(raw: bytes, source: str, error: Exception) -> Problem:
    """Return the problem of bytes that are not JSON, or are nested too deeply."""
    if isinstance(error, RecursionError):
        return _too_deep(raw, source)
    position = re.search(r"\((?:byte|.*char) (\d+)\)", str(error))
    offset = int(position[1]) if position else len(raw)
    what = f"this is not JSON ({error})"
    if not raw.strip():
        what = "the file is empty"
    elif raw.startswith(_UTF_16_MARKS):
        what, offset = "the text is UTF-16", 0
    else:
        try:
            raw.decode("utf-8")
        except UnicodeDecodeError as fault:
            what, offset = "the text is not UTF-8", fault.start
    line, column = line_and_column(raw, offset)
    to_do = "save it as UTF-8" if "UTF-" in what else _SAVE_AGAIN
    return problem("response-malformed", f"{source}:{line}:{column}", what, to_do)


def _too_deep(raw: bytes, source: str) -> Problem:
    depth = offset = 0
    for lexeme in re.finditer(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', raw, re.DOTALL):
        depth += 1 if lexeme[0] in (b"[", b"{") else -1 if lexeme[0] in (b"]", b"}") else 0
        if depth > _DEEPEST:
            offset = lexeme.start()
            break
    line, column = line_and_column(raw, offset)
    what = "the JSON is nested too deeply"
    return problem("response-malformed", f"{source}:{line}:{column}", what, _SAVE_AGAIN)


def _is_error(document: Any) -> bool:
    return isinstance(document, dict) and (
        document.get("error") is True
        or isinstance(document.get("err"), str)
        or ("message" in document and not document.get("meta"))
    )


def _is_published(document: Any) -> bool:
    payload = document.get("meta", document) if isinstance(document, dict) else None
    variables = payload.get("variables") if isinstance(payload, dict) else None
    return (
        isinstance(variables, dict)
        and bool(variables)
        and all(
            isinstance(each, dict) and "subscribed_id" in each and "valuesByMode" not in each
            for each in variables.values()
        )
    )


def _error_answer(document: dict[str, Any], source: str) -> Problem:
    reason = document.get("message") or document.get("err") or "no reason given"
    status = f"{document['status']} " if "status" in document else ""
    what = f"this is an error response of the platform ({status}{reason})"
    return problem("response-is-error", source, what[:300], "save the response again once the call succeeds")


def _misshapen(raw: bytes, source: str, faults: Sequence[Fault]) -> tuple[Problem, ...]:
    shown = faults[:_MOST_PROBLEMS]
    found = offsets(raw, [fault.pointer for fault in shown])
    problems: list[Problem] = []
    for pointer, what in shown:
        line, column = line_and_column(raw, found[pointer])
        path = pointer_text(
            tuple(
                f"{step[:_LONGEST_STEP]}…" if isinstance(step, str) and len(step) > _LONGEST_STEP else step
                for step in pointer
            )
        )
        problems.append(problem("response-shape", f"{source}:{line}:{column} ({path})", what, _SAVE_AGAIN))
    if len(faults) > len(shown):
        what = f"there are {len(faults) - len(shown)} more faults of this kind"
        problems.append(problem("response-shape", source, what, _SAVE_AGAIN))
    return tuple(problems)


def _empty_opaque(document: Any, value_types: frozenset[str]) -> None:
    """Remove from a local response what is not read: values of variables of unknown types, and overrides of those."""
    payload = document.get("meta", document) if isinstance(document, dict) else None
    variables = payload.get("variables") if isinstance(payload, dict) else None
    collections = payload.get("variableCollections") if isinstance(payload, dict) else None
    if not isinstance(variables, dict):
        return
    known = set()
    for key, each in variables.items():
        kind = each.get("resolvedType") if isinstance(each, dict) else None
        if isinstance(kind, str) and kind not in value_types:
            variables[key] = {name: each[name] for name in _NEEDED if name in each} | {"valuesByMode": {}}
        else:
            known.add(key)
    for each in collections.values() if isinstance(collections, dict) else ():
        overrides = each.get("variableOverrides") if isinstance(each, dict) else None
        if isinstance(overrides, dict):
            each["variableOverrides"] = {key: values for key, values in overrides.items() if key in known}


def _document(raw: bytes) -> Any:
    """Return the JSON text as plain Python; bytes that are not UTF-8 become U+FFFD.

    Raises ValueError for what is not JSON at all, and RecursionError.
    """
    return json.loads(raw.decode("utf-8", "replace"), parse_float=_float, parse_int=_integer)


def _float(text: str) -> object:
    number = float(text)
    return number if math.isfinite(number) else _OutOfRange()


def _integer(text: str) -> object:
    return int(text) if len(text) < _MOST_DIGITS else _OutOfRange()


def _faults(value: Any, shape: Any, kept: Any, pointer: Pointer) -> Iterator[Fault]:
    """Yield the faults of the parts of an object or array, and of anything else what its conversion reports.

    ``kept`` is the type of a member that stays JSON (Raw).
    """
    shape = kept if shape is Raw else _alone(shape)
    if isinstance(value, _OutOfRange):
        yield Fault(pointer, "the number is out of range")
    elif isinstance(value, dict) and isinstance(shape, type) and issubclass(shape, Struct):
        for field in _fields(shape):
            name = field.encode_name
            if name in value:
                yield from _faults(value[name], field.type, kept, (*pointer, name))
            elif field.required:
                yield Fault(pointer, f'"{name}" is missing')
    elif isinstance(value, dict) and get_origin(shape) is dict:
        for name, part in value.items():
            yield from _faults(part, get_args(shape)[1], kept, (*pointer, name))
    elif isinstance(value, list) and get_origin(shape) is tuple:
        for index, part in enumerate(value):
            yield from _faults(part, get_args(shape)[0], kept, (*pointer, index))
    else:
        try:
            msgspec.convert(value, shape)
        except msgspec.ValidationError as fault:
            yield Fault((*pointer, *_steps(str(fault))), _in_words(str(fault)))


@cache
def _fields(shape: type[Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Return its members; msgspec determines their types at each call, which would take longer than all else here."""
    return msgspec.structs.fields(shape)


def _alone(shape: Any) -> Any:
    """Return the type of a member that may be unset, without that."""
    alternatives = [each for each in get_args(shape) if each is not UnsetType]
    return alternatives[0] if UnsetType in get_args(shape) and len(alternatives) == 1 else shape


def _steps(message: str) -> Pointer:
    """Return ``... - at `$.color.r` `` as steps of a pointer, up to the first ``[...]``, which means "some key"."""
    path = re.search(r" - at `\$(.*)`$", message)
    steps: list[str | int] = []
    for name, index in re.findall(r"\.([A-Za-z_]+)|\[(\d+|\.\.\.)\]", path[1] if path else ""):
        if index == "...":
            break
        steps.append(int(index) if index else name)
    return tuple(steps)


def _in_words(message: str) -> str:
    """Return a decoder's ``Expected `str | null`, got `int` `` in the words of JSON."""
    text = re.sub(r" - at `.*`$", "", message)
    found = re.fullmatch(r"Expected `(.*)`, got `(.*)`", text)
    if found is None:
        return text[:1].lower() + text[1:]
    expected = dict.fromkeys(_WORDS.get(each, each) for each in found[1].split(" | "))
    got = "a number out of range" if found[2] == _OutOfRange.__name__ else _WORDS.get(found[2], found[2])
    return f"expected {' or '.join(expected)}, got {got}"


_ANY_JSON = msgspec.json.Decoder(float_hook=float)
