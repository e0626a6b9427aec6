"""Response bytes to typed data: one fast decode, and on failure a slow second look that finds every fault's place."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
from msgspec import UNSET

from tokensync.errors import ProblemsError
from tokensync.problems import Problem, problem
from tokensync.wire.variables import (
    ALIAS,
    VALUE_TYPES,
    LocalMeta,
    LocalResponse,
    OpaqueWireVariable,
    PartsOfResponse,
    PublishedMeta,
    PublishedResponse,
    WireCollection,
    WireVariable,
    decode_values,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tokensync.places import Pointer
    from tokensync.wire.shape import Fault

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF_16_MARKS = (b"\xff\xfe", b"\xfe\xff")
_MOST_PROBLEMS = 50  # more faults of shape than this say no more than "this is another format"
_DEEPEST = 100  # a response is nested seven deep
_LONGEST_STEP = 80  # characters of a pointer's step that are shown
_SAVE_AGAIN = "save the response again, whole and unchanged"

Response = TypeVar("Response", LocalResponse, PublishedResponse)


def read_local(raw: bytes, source: str) -> LocalMeta:
    """The payload of a ``GET variables/local`` response. ``source`` names it in problems.

    Raises ProblemsError with the place of everything that is not as platform-api.md 2.4 and 2.5 say.
    """
    raw = raw.removeprefix(BYTE_ORDER_MARK)
    try:
        response = msgspec.json.decode(raw, type=LocalResponse)
    except msgspec.ValidationError:
        response = _with_opaque_variables(raw) or _decode(raw, source, LocalResponse)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        response = _decode(raw, source, LocalResponse)  # which says what it is
    prefix: Pointer = ()
    if response.meta is not UNSET:
        meta, prefix = response.meta, ("meta",)
    elif response.variables is not UNSET and response.variable_collections is not UNSET:
        meta = LocalMeta(response.variables, response.variable_collections)
    else:
        raise ProblemsError([_without_payload(raw, source)])
    try:
        _check_values(meta)
    except UnicodeDecodeError as fault:
        raise ProblemsError([_malformed(raw, source, str(fault))]) from None
    except (msgspec.DecodeError, RecursionError) as fault:
        raise ProblemsError(_second_look(raw, source, LocalResponse, str(fault))) from None
    if misplaced := _misplaced(meta, prefix):
        raise ProblemsError(_misshapen(raw, source, misplaced))
    return meta


def read_published(raw: bytes, source: str) -> PublishedMeta:
    """The payload of a ``GET variables/published`` response; raises as ``read_local`` does."""
    raw = raw.removeprefix(BYTE_ORDER_MARK)
    response = _decode(raw, source, PublishedResponse)
    if response.meta is not UNSET:
        return response.meta
    if response.variables is not UNSET and response.variable_collections is not UNSET:
        return PublishedMeta(response.variables, response.variable_collections)
    raise ProblemsError([_without_payload(raw, source)])


def decode_plainly(raw: bytes, source: str) -> Any:
    """Any JSON text as plain Python; a number is an integer where it is whole, however it was written.

    Raises ProblemsError for what is not JSON: a typed decode never looks into members that it does not know.
    """
    raw = raw.removeprefix(BYTE_ORDER_MARK)
    try:
        return _PLAIN.decode(raw)
    except RecursionError:
        raise ProblemsError([_too_deep(raw, source)]) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise ProblemsError([_malformed(raw, source, str(fault))]) from None


def json_parts(raw: bytes) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the members of a JSON object that nobody reads, and the ids of the variables that aliases in it lead to.

    Each member is JSON with sorted names, equal for equal content, or as it came where Python cannot hold it. What is
    no object has none.
    """
    try:
        members = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}, ()
    texts: dict[str, str] = {}
    pending: list[Any] = []
    for name, member in members.items():
        try:
            value = _PLAIN.decode(member)
            texts[name] = msgspec.json.encode(value, order="sorted").decode()
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            texts[name] = bytes(member).decode("utf-8", "replace")
        else:
            pending.append(value)
    targets: dict[str, None] = {}
    for each in pending:  # it grows: nesting has any depth
        if isinstance(each, list):
            pending += each
        elif isinstance(each, dict):
            if each.get("type") == ALIAS and isinstance(each.get("id"), str):
                targets[each["id"]] = None
            pending += each.values()
    return texts, tuple(targets)


def _check_values(meta: LocalMeta) -> None:
    """Decode every value of a known type once; raises what the decoder does."""
    variables = meta.variables
    for variable in variables.values():
        if variable.resolved_type in VALUE_TYPES:
            decode_values(variable.raw_values)
    for collection in meta.variable_collections.values():
        for identity, raw in collection.raw_overrides.items():
            overridden = variables.get(identity)
            if overridden is not None and overridden.resolved_type in VALUE_TYPES:
                decode_values(raw)


def _with_opaque_variables(raw: bytes) -> LocalResponse | None:
    """Decode a response variable by variable; None where more is wrong than what opaque variables hold."""
    try:
        response = msgspec.json.decode(raw, type=PartsOfResponse)
        if response.meta is not UNSET:
            variables, collections = response.meta.variables, response.meta.variable_collections
        elif response.variables is not UNSET and response.variable_collections is not UNSET:
            variables, collections = response.variables, response.variable_collections
        else:
            return None
        meta = LocalMeta(
            {key: _variable(each) for key, each in variables.items()},
            {key: msgspec.json.decode(each, type=WireCollection) for key, each in collections.items()},
        )
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    if response.meta is not UNSET:
        return LocalResponse(meta=meta)
    return LocalResponse(variables=meta.variables, variable_collections=meta.variable_collections)


def _variable(raw: msgspec.Raw) -> WireVariable:
    try:
        return msgspec.json.decode(raw, type=WireVariable)
    except msgspec.ValidationError:
        opaque = msgspec.json.decode(raw, type=OpaqueWireVariable)
        if opaque.resolved_type in VALUE_TYPES:
            raise
    return WireVariable(
        id=opaque.id,
        name=opaque.name,
        variable_collection_id=opaque.variable_collection_id,
        resolved_type=opaque.resolved_type,
        raw_values=opaque.raw_values,
        key=opaque.key if isinstance(opaque.key, str) else "",
        remote=opaque.remote is True,
        deleted_but_referenced=opaque.deleted_but_referenced is True,
    )


def _whole_or_float(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number


_PLAIN = msgspec.json.Decoder(float_hook=_whole_or_float)


def _decode(raw: bytes, source: str, shape: type[Response]) -> Response:
    try:
        return msgspec.json.decode(raw, type=shape)
    except RecursionError:
        raise ProblemsError([_too_deep(raw, source)]) from None
    except msgspec.ValidationError as fault:
        raise ProblemsError(_second_look(raw, source, shape, str(fault))) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as fault:
        raise ProblemsError([_malformed(raw, source, str(fault))]) from None


def _second_look(raw: bytes, source: str, shape: type[Response], told: str) -> tuple[Problem, ...]:
    from tokensync.wire.shape import Fault, faults_of_shape, plain

    try:
        document = plain(raw)
        if _is_error(document):
            return (_error_answer(document, source),)
        if shape is LocalResponse and _is_published(document):
            what = "these are published variables, which have no values"
            return (problem("response-shape", source, what, "give the local variables' response here"),)
        faults = list(faults_of_shape(raw, shape))
    except RecursionError:
        return (_too_deep(raw, source),)
    except ValueError as fault:
        try:
            decode_plainly(raw, source)
        except ProblemsError as malformed:  # with the place in bytes
            return malformed.problems
        return (_malformed(raw, source, str(fault)),)
    return _misshapen(raw, source, faults or [Fault((), told)])


def _misplaced(meta: LocalMeta, prefix: Pointer) -> list[Fault]:
    """Variables and collections that do not stand under their own id, by which everything refers to them."""
    wrong: list[Pointer] = [("variables", key) for key, each in meta.variables.items() if each.id != key]
    wrong += [("variableCollections", key) for key, each in meta.variable_collections.items() if each.id != key]
    if not wrong:
        return []
    from tokensync.wire.shape import Fault

    return [Fault((*prefix, *pointer, "id"), "it is not the id that this stands under") for pointer in wrong]


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


def _without_payload(raw: bytes, source: str) -> Problem:
    from tokensync.wire.shape import plain

    document = plain(raw)
    if _is_error(document):
        return _error_answer(document, source)
    what = 'there is no "meta" with "variables" and "variableCollections"'
    to_do = "give a saved GET variables/local or variables/published response"
    return problem("response-shape", f"{source}:1:1 (#)", what, to_do)


def _error_answer(document: dict[str, Any], source: str) -> Problem:
    told = document.get("message") or document.get("err") or "no reason given"
    status = f"{document['status']} " if "status" in document else ""
    what = f"this is an error that the platform answered ({status}{told})"
    return problem("response-is-error", source, what[:300], "save the response again once the call succeeds")


def _too_deep(raw: bytes, source: str) -> Problem:
    from tokensync.places import line_and_column

    depth = offset = 0
    for lexeme in re.finditer(rb'"[^"\\]*(?:\\.[^"\\]*)*"?|[\[{]|[\]}]', raw, re.DOTALL):
        depth += 1 if lexeme[0] in (b"[", b"{") else -1 if lexeme[0] in (b"]", b"}") else 0
        if depth > _DEEPEST:
            offset = lexeme.start()
            break
    line, column = line_and_column(raw, offset)
    what = "the JSON is nested deeper than any response"
    return problem("response-malformed", f"{source}:{line}:{column}", what, _SAVE_AGAIN)


def _malformed(raw: bytes, source: str, told: str) -> Problem:
    from tokensync.places import line_and_column

    position = re.search(r"\((?:byte|.*char) (\d+)\)", told)
    offset = int(position[1]) if position else len(raw)
    what = f"this is not JSON ({told})"
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


def _misshapen(raw: bytes, source: str, faults: Iterable[Fault]) -> tuple[Problem, ...]:
    from tokensync.places import line_and_column, offsets, pointer_text

    told = list(faults)
    shown = told[:_MOST_PROBLEMS]
    places = offsets(raw, [fault.pointer for fault in shown])
    problems: list[Problem] = []
    for pointer, what in shown:
        line, column = line_and_column(raw, places[pointer])
        path = pointer_text(tuple(_cut(step) for step in pointer))
        problems.append(problem("response-shape", f"{source}:{line}:{column} ({path})", what, _SAVE_AGAIN))
    if len(told) > len(shown):
        what = f"there are {len(told) - len(shown)} more faults of this kind"
        problems.append(problem("response-shape", source, what, _SAVE_AGAIN))
    return tuple(problems)


def _cut(step: str | int) -> str | int:
    return f"{step[:_LONGEST_STEP]}…" if isinstance(step, str) and len(step) > _LONGEST_STEP else step
