"""Response bytes to typed data: one fast decode, and on failure a slow second look that finds every fault's place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import UNSET

from tokensync.errors import ProblemsError
from tokensync.problems import Problem, problem
from tokensync.wire.variables import (
    LocalMeta,
    LocalResponse,
    PublishedCollection,
    PublishedMeta,
    PublishedResponse,
    PublishedVariable,
    WireCollection,
    WireValue,
    WireVariable,
    decode_values,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_MOST_PROBLEMS = 50  # more faults of shape than this say no more than "this is another format"

Response = TypeVar("Response", LocalResponse, PublishedResponse)
Pointer = tuple[str | int, ...]


def read_local(raw: bytes, source: str) -> LocalMeta:
    """The payload of a ``GET variables/local`` response. ``source`` names it in problems.

    Raises ProblemsError with the place of everything that is not as platform-api.md 2.4 and 2.5 say.
    """
    kinds = {"variables": WireVariable, "variableCollections": WireCollection}
    response = _decode(raw, source, LocalResponse, kinds)
    if response.meta is not UNSET:
        meta = response.meta
    elif response.variables is not UNSET and response.variable_collections is not UNSET:
        meta = LocalMeta(response.variables, response.variable_collections)
    else:
        raise ProblemsError([_without_payload(response, source)])
    try:
        for variable in meta.variables.values():
            decode_values(variable.raw_values)
    except (msgspec.DecodeError, RecursionError):
        raise ProblemsError(tuple(_faults_of_shape(raw.removeprefix(_BYTE_ORDER_MARK), source, kinds))) from None
    return meta


def read_published(raw: bytes, source: str) -> PublishedMeta:
    """The payload of a ``GET variables/published`` response; raises as ``read_local`` does."""
    kinds = {"variables": PublishedVariable, "variableCollections": PublishedCollection}
    response = _decode(raw, source, PublishedResponse, kinds)
    if response.meta is not UNSET:
        return response.meta
    if response.variables is not UNSET and response.variable_collections is not UNSET:
        return PublishedMeta(response.variables, response.variable_collections)
    raise ProblemsError([_without_payload(response, source)])


def _decode(raw: bytes, source: str, shape: type[Response], kinds: Mapping[str, type]) -> Response:
    raw = raw.removeprefix(_BYTE_ORDER_MARK)
    try:
        return msgspec.json.decode(raw, type=shape)
    except RecursionError:
        raise ProblemsError([_too_deep(source)]) from None
    except msgspec.ValidationError as fault:
        problems = tuple(_faults_of_shape(raw, source, kinds))
        raise ProblemsError(problems or (_misshapen(source, raw, (), str(fault)),)) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise ProblemsError([_malformed(source, raw, str(fault))]) from None


def _without_payload(response: LocalResponse | PublishedResponse, source: str) -> Problem:
    told = response.message or response.err
    if told:
        what = f"this is an error that the platform answered, not a response: {response.status} {told}"
        return problem("response-is-error", source, what[:300], "save the response again once the call succeeds")
    what = 'there is no "meta" with "variables" and "variableCollections"'
    return problem("response-shape", source, what, "give a saved GET variables/local or variables/published response")


def _too_deep(source: str) -> Problem:
    what = "the JSON is nested deeper than any response"
    return problem("response-malformed", source, what, "save the response again, whole and unchanged")


def _malformed(source: str, raw: bytes, told: str) -> Problem:
    from tokensync.places import line_and_column

    position = re.search(r"byte (\d+)", told)
    offset = int(position[1]) if position else len(raw)
    line, column = line_and_column(raw, offset)
    what = "the file is empty" if not raw.strip() else f"this is not JSON ({told})"
    where = f"{source}:{line}:{column}"
    return problem("response-malformed", where, what, "save the response again, whole and unchanged")


def _misshapen(source: str, raw: bytes, pointer: Pointer, told: str) -> Problem:
    from tokensync.places import locate

    line, column = locate(raw, pointer)
    path = "".join(f"/{str(each).replace('~', '~0').replace('/', '~1')}" for each in pointer) or "the whole document"
    what = re.sub(r" - at `.*`$", "", told)
    what = what[:1].lower() + what[1:]
    return problem("response-shape", f"{source}:{line}:{column} ({path})", what, "save the response again, unchanged")


def _faults_of_shape(raw: bytes, source: str, kinds: Mapping[str, type]) -> Iterator[Problem]:
    """Look at each variable and collection alone, so that all faults are told and each has its place."""
    document = msgspec.json.decode(raw)
    prefix: Pointer = ()
    if isinstance(document, dict) and "meta" in document:
        document, prefix = document["meta"], ("meta",)
    if not isinstance(document, dict):
        yield _misshapen(source, raw, prefix, f"expected `object`, got `{_kind(document)}`")
        return
    count = 0
    for member, kind in kinds.items():
        if not isinstance(document.get(member), dict):
            told = f'"{member}" should be an object' if member in document else f'"{member}" is missing'
            yield _misshapen(source, raw, (*prefix, member) if member in document else prefix, told)
            continue
        for identity, entry in document[member].items():
            for pointer, told in _faults_of_entry(entry, kind):
                yield _misshapen(source, raw, (*prefix, member, identity, *pointer), told)
                count += 1
                if count == _MOST_PROBLEMS:
                    return


def _faults_of_entry(entry: Any, kind: type) -> Iterator[tuple[Pointer, str]]:
    try:
        msgspec.json.decode(msgspec.json.encode(entry), type=kind)
    except msgspec.ValidationError as fault:
        path = re.search(r" - at `\$(.*)`$", str(fault))
        yield _pointer(path[1] if path else ""), str(fault)
    if kind is WireVariable and isinstance(entry, dict) and "valuesByMode" in entry:
        yield from _faults_of_values(entry["valuesByMode"])


def _faults_of_values(values: Any) -> Iterator[tuple[Pointer, str]]:
    if not isinstance(values, dict):
        yield ("valuesByMode",), f"expected `object`, got `{_kind(values)}`"
        return
    for mode, value in values.items():
        try:
            msgspec.convert(value, WireValue)
        except msgspec.ValidationError as fault:
            yield ("valuesByMode", mode), str(fault)


def _pointer(path: str) -> Pointer:
    """``.modes[0].name`` as a pointer, up to the first ``[...]``, which is msgspec's spelling of "some key"."""
    pointer: list[str | int] = []
    for name, index in re.findall(r"\.([A-Za-z_]+)|\[(\d+|\.\.\.)\]", path):
        if index == "...":
            break
        pointer.append(int(index) if index else name)
    return tuple(pointer)


def _kind(value: Any) -> str:
    return {dict: "object", list: "array", str: "str", bool: "bool", int: "int", float: "float"}.get(
        type(value), "null"
    )
