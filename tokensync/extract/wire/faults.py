"""Find all errors of a response that does not decode, with line, column and JSON pointer.

A decoder stops at the first error and reports its path without keys. This module converts each part separately to the
same types, down to the smallest invalid one.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, NamedTuple, get_args, get_origin

import msgspec
from msgspec import Raw, Struct, UnsetType

from tokensync.system.errors import DECODE_ERRORS
from tokensync.system.positions import Pointer, line_and_column, lines_and_columns, offsets, pointer_text
from tokensync.system.problems import Problem, problem
from tokensync.system.wording import shortened

_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MOST_PROBLEMS = 50  # more indicate another format
_DEEPEST = 100  # responses have seven levels
_SAVE_AGAIN = "save the complete response again, without changes"
_MOST_DIGITS = 300  # of an integer within the range of floats
_REQUIRED = ("id", "name", "variableCollectionId", "resolvedType")
"""The required members of variables of every type."""
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
    """The expected type of a response, and the type of its members that stay JSON (Raw).

    ``value_types`` are the variable types with known values; empty for published responses.
    """

    shape: type[Struct]
    raw: Any
    value_types: frozenset[str]


class Fault(NamedTuple):
    """An invalid part of a response and its description in JSON terms."""

    pointer: Pointer
    what: str


class _OutOfRange:
    """A placeholder for a number out of the range of floats, which matches no type."""


def problems_of(raw: bytes, source: str, expected: Expected, error: Exception) -> tuple[Problem, ...]:
    """Return a problem for every invalid part of a response that failed to decode with this error."""
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
        faults = list(_faults(document, expected.shape, expected.raw, ()))
    except RecursionError:
        return (_too_deep(raw, source),)
    except ValueError as decoding_error:
        try:
            _ANY_JSON.decode(raw)
        except DECODE_ERRORS as located:  # with a byte offset
            return (unreadable(raw, source, located),)
        return (unreadable(raw, source, decoding_error),)
    return _misshapen(raw, source, faults or [Fault((), str(error))])


def misplaced_problems(raw: bytes, source: str, pointers: Sequence[Pointer]) -> tuple[Problem, ...]:
    """Return the problems of variables and collections whose key is not their id."""
    what = "the id differs from the key of this object"
    return _misshapen(raw, source, [Fault((*pointer, "id"), what) for pointer in pointers])


def without_payload(raw: bytes, source: str) -> Problem:
    """Return the problem of JSON without the members of a response."""
    document = _document(raw)
    if _is_error(document):
        return _error_answer(document, source)
    what = 'no "meta" with "variables" and "variableCollections"'
    to_do = "pass a saved GET variables/local or variables/published response"
    return problem("response-shape", f"{source}:1:1 (#)", what, to_do)


def unreadable(raw: bytes, source: str, error: Exception) -> Problem:
    """Return the problem of bytes that are not JSON or are nested too deeply."""
    if isinstance(error, RecursionError):
        return _too_deep(raw, source)
    position = re.search(r"\((?:byte|.*char) (\d+)\)", str(error))
    offset = int(position[1]) if position else len(raw)
    what = f"not JSON ({error})"
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


_STRING = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"', re.DOTALL)
_ESCAPE = re.compile(
    rb"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)", re.DOTALL
)
"""An escape in JSON; a surrogate pair is one escape, and the group is a half without the other."""


def with_whole_characters(raw: bytes, source: str) -> tuple[bytes, tuple[Problem, ...]]:
    """Return JSON with U+FFFD for each half of a surrogate pair, at the same offsets, and a problem for each text.

    The platform stores such texts, for example names that another program has cut.
    """

    def whole(escape: re.Match[bytes]) -> bytes:
        return rb"\ufffd" if escape[1] else escape[0]

    texts: dict[int, str] = {}
    for string in _STRING.finditer(raw):
        if b"\\u" in string[0] and (changed := _ESCAPE.sub(whole, string[0])) != string[0]:
            texts[string.start()] = changed[1:-1].decode("utf-8", "replace").replace(r"\ufffd", "\ufffd")
    if not texts:
        return raw, ()
    locations = lines_and_columns(raw, texts)
    to_do = "write the whole character in the design file"
    problems: list[Problem] = []
    for offset, text in [*texts.items()][:_MOST_PROBLEMS]:
        line, column = locations[offset]
        what = f'the text "{shortened(text)}" contains half of a surrogate pair, which is read as U+FFFD'
        problems.append(problem("response-text", f"{source}:{line}:{column}", what, to_do))
    if len(texts) > _MOST_PROBLEMS:
        what = f"{len(texts) - _MOST_PROBLEMS} more texts contain half of a surrogate pair"
        problems.append(problem("response-text", source, what, to_do))
    return _ESCAPE.sub(whole, raw), tuple(problems)


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
            isinstance(variable, dict) and "subscribed_id" in variable and "valuesByMode" not in variable
            for variable in variables.values()
        )
    )


def _error_answer(document: dict[str, Any], source: str) -> Problem:
    reason = document.get("message") or document.get("err") or "no reason given"
    status = f"{document['status']} " if "status" in document else ""
    what = f"this is an error response from Figma ({status}{reason})"
    return problem("response-is-error", source, what[:300], "save the response again once the call succeeds")


def _misshapen(raw: bytes, source: str, faults: Sequence[Fault]) -> tuple[Problem, ...]:
    shown = faults[:_MOST_PROBLEMS]
    starts = offsets(raw, [fault.pointer for fault in shown])
    problems: list[Problem] = []
    for pointer, what in shown:
        line, column = line_and_column(raw, starts[pointer])
        where = f"{source}:{line}:{column} ({pointer_text(pointer)})"
        problems.append(problem("response-shape", where, what, _SAVE_AGAIN))
    if len(faults) > len(shown):
        what = f"{len(faults) - len(shown)} more errors of this kind"
        problems.append(problem("response-shape", source, what, _SAVE_AGAIN))
    return tuple(problems)


def _empty_opaque(document: Any, value_types: frozenset[str]) -> None:
    """Remove the parts of a local response that are not read: values and overrides of variables of unknown types."""
    payload = document.get("meta", document) if isinstance(document, dict) else None
    variables = payload.get("variables") if isinstance(payload, dict) else None
    collections = payload.get("variableCollections") if isinstance(payload, dict) else None
    if not isinstance(variables, dict):
        return
    known = set()
    for key, each in variables.items():
        kind = each.get("resolvedType") if isinstance(each, dict) else None
        if isinstance(kind, str) and kind not in value_types:
            variables[key] = {name: each[name] for name in _REQUIRED if name in each} | {"valuesByMode": {}}
        else:
            known.add(key)
    for each in collections.values() if isinstance(collections, dict) else ():
        overrides = each.get("variableOverrides") if isinstance(each, dict) else None
        if isinstance(overrides, dict):
            each["variableOverrides"] = {key: values for key, values in overrides.items() if key in known}


def _document(raw: bytes) -> Any:
    """Decode JSON; replace invalid UTF-8 with U+FFFD. Raises ValueError and RecursionError."""
    return json.loads(raw.decode("utf-8", "replace"), parse_float=_float, parse_int=_integer)


def _float(text: str) -> object:
    number = float(text)
    return number if math.isfinite(number) else _OutOfRange()


def _integer(text: str) -> object:
    return int(text) if len(text) < _MOST_DIGITS else _OutOfRange()


def _faults(value: Any, shape: Any, raw: Any, pointer: Pointer) -> Iterator[Fault]:
    """Yield the faults of all parts of an object or array, or the error of converting another value.

    ``raw`` is the type of members that stay JSON (Raw).
    """
    shape = raw if shape is Raw else _without_unset(shape)
    if isinstance(value, _OutOfRange):
        yield Fault(pointer, "the number is out of range")
    elif isinstance(value, dict) and isinstance(shape, type) and issubclass(shape, Struct):
        for field in _fields(shape):
            name = field.encode_name
            if name in value:
                yield from _faults(value[name], field.type, raw, (*pointer, name))
            elif field.required:
                yield Fault(pointer, f'"{name}" is missing')
    elif isinstance(value, dict) and get_origin(shape) is dict:
        for name, part in value.items():
            yield from _faults(part, get_args(shape)[1], raw, (*pointer, name))
    elif isinstance(value, list) and get_origin(shape) is tuple:
        for index, part in enumerate(value):
            yield from _faults(part, get_args(shape)[0], raw, (*pointer, index))
    else:
        try:
            msgspec.convert(value, shape)
        except msgspec.ValidationError as error:
            yield Fault((*pointer, *_steps(str(error))), _in_json_terms(str(error)))


@cache
def _fields(shape: type[Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    """Return the fields of a type, cached: msgspec resolves their types at each call, which dominates otherwise."""
    return msgspec.structs.fields(shape)


def _without_unset(shape: Any) -> Any:
    alternatives = [argument for argument in get_args(shape) if argument is not UnsetType]
    return alternatives[0] if UnsetType in get_args(shape) and len(alternatives) == 1 else shape


def _steps(message: str) -> Pointer:
    """Return the steps in ``... - at `$.color.r` `` up to the first ``[...]``, an unknown key."""
    path = re.search(r" - at `\$(.*)`$", message)
    steps: list[str | int] = []
    for name, index in re.findall(r"\.([A-Za-z_]+)|\[(\d+|\.\.\.)\]", path[1] if path else ""):
        if index == "...":
            break
        steps.append(int(index) if index else name)
    return tuple(steps)


def _in_json_terms(message: str) -> str:
    """Translate a decoder's ``Expected `str | null`, got `int` `` into JSON terms."""
    text = re.sub(r" - at `.*`$", "", message)
    match = re.fullmatch(r"Expected `(.*)`, got `(.*)`", text)
    if match is None:
        return text[:1].lower() + text[1:]
    expected = dict.fromkeys(_WORDS.get(each, each) for each in match[1].split(" | "))
    got = "a number out of range" if match[2] == _OutOfRange.__name__ else _WORDS.get(match[2], match[2])
    return f"expected {' or '.join(expected)}, got {got}"


_ANY_JSON = msgspec.json.Decoder(float_hook=float)
