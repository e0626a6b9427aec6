"""Responses of the variables endpoints as typed data, and the snapshot of a file (Figma REST API: Variables).

A value is a scalar or one of several objects without a common tag (a composed colour has no ``type``), so
``WireObject`` has the optional members of all of them. Unknown members stay in the raw bytes of the snapshot. Optional
members have a default; older responses lack ``isExtension``, for example.

The platform adds types of variables without notice. Values are decoded only for ``VALUE_TYPES``; a variable of another
type is opaque: it has a name, and its values are any JSON.

For a response that does not decode, ``faults`` is imported to locate the errors.

The options ``only_published`` and ``include_hidden`` omit local variables. They stay in the snapshot and are
``withheld`` in the graph, so that aliases to them still resolve (to literals, like aliases to remote variables).
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Any, Final, Literal

import msgspec
from msgspec import UNSET, Raw, Struct, UnsetType, field
from msgspec.json import Decoder
from msgspec.structs import replace

from tokensync.system.errors import DECODE_ERRORS, ProblemsError, UsageError
from tokensync.system.positions import decoded
from tokensync.system.problems import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tokensync.extract.client import Client, FileReference


ALIAS = "VARIABLE_ALIAS"
EXPRESSION = "VARIABLE_EXPRESSION"
VALUE_TYPES: Final = frozenset({"BOOLEAN", "FLOAT", "STRING", "COLOR"})
"""The variable types with known values."""


class WireObject(Struct, rename="camel", gc=False, frozen=True):
    """A colour, an alias, a composed colour, or its older form, an expression."""

    r: float | None = None
    g: float | None = None
    b: float | None = None
    a: float | None = None
    type: str | None = None
    id: str | None = None
    color: WireObject | None = None
    opacity: float | WireObject | None = None
    expression_function: str | None = None
    expression_arguments: tuple[float | WireObject, ...] = ()


WireValue = bool | float | str | WireObject | None

decode_values = Decoder(dict[str, WireValue]).decode
"""Decode the JSON of ``valuesByMode``. Raises msgspec.ValidationError for an invalid value."""

DECODE_USUAL_VALUES: Final[Mapping[str, Callable[[Raw], Mapping[str, WireValue]]]] = {
    "COLOR": Decoder(dict[str, WireObject]).decode,
    "FLOAT": Decoder(dict[str, float | WireObject]).decode,
    "STRING": Decoder(dict[str, str | WireObject]).decode,
    "BOOLEAN": Decoder(dict[str, bool | WireObject]).decode,
}
"""Decode the JSON of ``valuesByMode``, by variable type. They refuse values of other types, too."""


class WireMode(Struct, rename="camel", frozen=True):
    """A mode of a collection. Only modes of extensions have a ``parent_mode_id``."""

    mode_id: str
    name: str
    parent_mode_id: str | None = None


class WireCollection(Struct, rename="camel", frozen=True):
    """A local or remote collection of ``GET variables/local``."""

    id: str
    name: str
    modes: tuple[WireMode, ...]
    default_mode_id: str
    key: str = ""
    remote: bool = False
    hidden_from_publishing: bool = False
    variable_ids: tuple[str, ...] = ()
    is_extension: bool = False
    parent_variable_collection_id: str | None = None
    root_variable_collection_id: str | None = None
    raw_overrides: dict[str, Raw] = field(name="variableOverrides", default_factory=dict)
    deleted_but_referenced: bool = False

    def overrides_of(self, variable: str) -> dict[str, WireValue]:
        """Return a variable's overrides by mode id.

        ``read_local`` has validated those of variables in the response that are not opaque. Others may raise
        msgspec.DecodeError.
        """
        raw = self.raw_overrides.get(variable)
        return {} if raw is None else decode_values(raw)


class WireVariable(Struct, rename="camel", frozen=True):
    """A local or remote variable of ``GET variables/local``.

    The values are the largest part of a response and are read once. Until then they stay JSON, which reduces the peak
    memory of a large library to a third. ``decode_values`` decodes them; ``Snapshot.refuse_values`` reports errors.
    """

    id: str
    name: str
    variable_collection_id: str
    resolved_type: str
    raw_values: Raw = field(name="valuesByMode")
    key: str = ""
    remote: bool = False
    description: str = ""
    hidden_from_publishing: bool = False
    scopes: tuple[str, ...] = ()
    code_syntax: dict[str, str] = field(default_factory=dict)
    deleted_but_referenced: bool = False


class WireStyle(Struct, frozen=True):
    """A local style as a plugin sees it: ``document`` as in an answer about nodes, ``members`` as in a request."""

    id: str
    key: str
    name: str
    type: Literal["TEXT", "EFFECT"]
    document: dict[str, Any]
    members: dict[str, Any]
    description: str = ""


class LocalMeta(Struct, rename="camel", frozen=True):
    """The payload of ``GET variables/local``, in the order of the response.

    ``styles`` are only in that of a plugin, and only if they are asked for: such a connection can write them.
    """

    variables: dict[str, WireVariable]
    variable_collections: dict[str, WireCollection]
    styles: dict[str, WireStyle] | None = None


class OpaqueWireVariable(Struct, rename="camel", frozen=True):
    """The members of a variable of unknown type."""

    id: str
    name: str
    variable_collection_id: str
    resolved_type: str
    raw_values: Raw = field(name="valuesByMode", default=Raw(b"{}"))
    key: object = ""
    remote: object = False
    deleted_but_referenced: object = False


class PartsOfMeta(Struct, rename="camel", frozen=True):
    """The payload of ``GET variables/local`` with variables and collections as JSON."""

    variables: dict[str, Raw]
    variable_collections: dict[str, Raw]
    styles: dict[str, WireStyle] | None = None


class PublishedVariable(Struct, frozen=True):
    """A variable of ``GET variables/published``. Its type has one of two names."""

    id: str
    name: str
    key: str
    subscribed_id: str = ""
    variable_collection_id: str = field(default="", name="variableCollectionId")
    resolved_type_name: str = field(default="", name="resolvedType")
    resolved_data_type: str = field(default="", name="resolvedDataType")
    updated_at: str = field(default="", name="updatedAt")

    @property
    def resolved_type(self) -> str:
        """Return the type: BOOLEAN, FLOAT, STRING or COLOR."""
        return self.resolved_type_name or self.resolved_data_type


class PublishedCollection(Struct, frozen=True):
    """A collection of ``GET variables/published``, without its modes."""

    id: str
    name: str
    key: str
    subscribed_id: str = ""
    updated_at: str = field(default="", name="updatedAt")


class PublishedMeta(Struct, rename="camel", frozen=True):
    """The payload of ``GET variables/published``. A platform without it answers that it is not ``known``."""

    variables: dict[str, PublishedVariable]
    variable_collections: dict[str, PublishedCollection]
    known: bool = True


class Capture(Struct, frozen=True):
    """Of which file a saved response is, and when it was taken (ISO 8601, UTC); a plug-in may not know the key.

    ``export`` means that it was made of Figma's own export, which has neither ids of collections and modes, nor keys,
    nor the order and the default of modes, nor what is published, and may have some of the collections only.
    """

    file_key: str | None = None
    file_name: str = ""
    time: str = ""
    version: str | None = None
    export: bool = False


MADE_UP: Final = "export:"
GUESSED: Final = f"{MADE_UP}:"
"""The start of ids that an export does not have, and that of collections whose name nothing in it says."""


class LocalResponse(Struct, rename="camel", frozen=True):
    """The envelope of a LocalMeta. A saved response may also be the payload alone; that of a plug-in has a capture."""

    meta: LocalMeta | UnsetType = UNSET
    variables: dict[str, WireVariable] | UnsetType = UNSET
    variable_collections: dict[str, WireCollection] | UnsetType = UNSET
    capture: Capture = Capture()


class PartsOfResponse(Struct, rename="camel", frozen=True):
    """The envelope of PartsOfMeta."""

    meta: PartsOfMeta | UnsetType = UNSET
    variables: dict[str, Raw] | UnsetType = UNSET
    variable_collections: dict[str, Raw] | UnsetType = UNSET


class PublishedResponse(Struct, rename="camel", frozen=True):
    """The envelope of a PublishedMeta."""

    meta: PublishedMeta | UnsetType = UNSET
    variables: dict[str, PublishedVariable] | UnsetType = UNSET
    variable_collections: dict[str, PublishedCollection] | UnsetType = UNSET


_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Snapshot(Struct, frozen=True):
    """The state of a file on the server: its local and published variables.

    ``file`` is the configured name. The raw bytes include unknown members. ``withheld`` holds the ids of variables
    that options of ``extract`` omit. ``source`` names the local response in problems. ``problems`` are warnings about
    texts that were read differently from what the response has. ``time`` is that of a capture, else empty, and
    ``is_export`` whether it is one of Figma's own export.
    """

    file: str
    local: LocalMeta
    raw_local: bytes
    published: PublishedMeta | None = None
    raw_published: bytes | None = None
    withheld: frozenset[str] = frozenset()
    source: str = ""
    problems: tuple[Problem, ...] = ()
    time: str = ""
    is_export: bool = False

    def published_by_key(self) -> dict[str, PublishedVariable]:
        """Return the published variables by key, which local variables share."""
        if self.published is None:
            return {}
        return {variable.key: variable for variable in self.published.variables.values()}

    def refuse_values(self) -> None:
        """Raise ProblemsError with the location of every invalid value, if any."""
        _refuse_values(self.local, self.raw_local, self.source)

    def fingerprint(self) -> str:
        """Return the hexadecimal SHA-256 of the local payload with sorted members, which a plan refers to.

        It excludes the published variables: publishing does not invalidate a plan.
        """
        return fingerprint(self.file, self.raw_local)


def fingerprint(source: str, raw_local: bytes) -> str:
    """Return the SHA-256 of local variables as JSON with sorted members. Raises ProblemsError for what is not JSON."""
    digest = hashlib.sha256()
    raw_local, _ = whole_characters(raw_local, source)
    try:
        for part in _canonical_parts(raw_local):
            digest.update(part)
    except DECODE_ERRORS as error:  # typed decoders accept invalid JSON in unknown members
        raise _refusal(raw_local.removeprefix(_BYTE_ORDER_MARK), source, None, error) from None
    return digest.hexdigest()


def snapshot(
    file: str, raw_local: bytes, raw_published: bytes | None = None, *, source: str = "", published_source: str = ""
) -> Snapshot:
    """Return the snapshot of two responses.

    The sources name the responses in problems; the default is the file's name. Raises ProblemsError with the location
    of all errors, except those of values, which are decoded during normalization. Call ``refuse_values`` if the
    snapshot is not normalized.
    """
    source = source or f"{file} (local variables)"
    raw_local, problems = whole_characters(raw_local, source)
    raw_local = with_objects(raw_local)
    local, capture = read_local(raw_local, source)
    published = None
    if raw_published is not None:
        published_source = published_source or f"{file} (published variables)"
        raw_published, others = whole_characters(raw_published, published_source)
        problems += others
        try:
            published = read_published(raw_published, published_source)
        except ProblemsError:
            Snapshot(file, local, raw_local, source=source).refuse_values()  # errors of the local response come first
            raise
        if not published.known:
            published = raw_published = None
    return Snapshot(
        file,
        local,
        raw_local,
        published,
        raw_published,
        source=source,
        problems=problems,
        time=capture.time,
        is_export=capture.export,
    )


class _Identified(Struct, frozen=True):
    id: str


class _Lists(Struct, rename="camel", frozen=True):
    """The lists of Figma's plugin API, whose variables and collections have the members of the REST API's."""

    variables: list[Raw]
    variable_collections: list[Raw]
    capture: Raw = Raw(b"{}")


_LIST = re.compile(rb'\s*\{\s*"(?:variables|variableCollections)"\s*:\s*\[')


def with_objects(raw: bytes) -> bytes:
    """Return a response with objects by id in place of the plugin API's lists; others are as they were."""
    if not _LIST.match(raw.removeprefix(_BYTE_ORDER_MARK)):
        return raw
    try:
        lists = msgspec.json.decode(raw.removeprefix(_BYTE_ORDER_MARK), type=_Lists)
        variables, collections = (
            {msgspec.json.decode(member, type=_Identified).id: member for member in members}
            for members in (lists.variables, lists.variable_collections)
        )
    except DECODE_ERRORS:
        return raw  # read_local says what is wrong with it
    return msgspec.json.encode({"variables": variables, "variableCollections": collections, "capture": lists.capture})


def whole_characters(raw: bytes, source: str) -> tuple[bytes, tuple[Problem, ...]]:
    """Return a response with U+FFFD for each half of a surrogate pair, which no file can hold, and warnings."""
    escape = raw.find(b"\\")  # a search for a single byte is much faster than one for two
    while escape >= 0 and raw[escape + 1 : escape + 3] not in (b"ud", b"uD"):
        escape = raw.find(b"\\", escape + 2)
    if escape < 0:
        return raw, ()
    from tokensync.extract.wire.faults import with_whole_characters

    return with_whole_characters(raw, source)


def read_local(raw: bytes, source: str) -> tuple[LocalMeta, Capture]:
    """Return the payload of a ``GET variables/local`` response, and its capture; ``source`` names it in problems.

    Raises ProblemsError with the location of every deviation from the API documentation. Values are checked only if
    collections have overrides.
    """
    raw = raw.removeprefix(_BYTE_ORDER_MARK)
    try:
        response = decoded(raw, LocalResponse)
    except DECODE_ERRORS as error:
        opaque = _with_opaque_variables(raw) if isinstance(error, msgspec.ValidationError) else None
        if opaque is None:
            raise _refusal(raw, source, LocalResponse, error) from None
        response = opaque
    prefix: tuple[str, ...] = ()
    if response.meta is not UNSET:
        meta, prefix = response.meta, ("meta",)
    elif response.variables is not UNSET and response.variable_collections is not UNSET:
        meta = LocalMeta(response.variables, response.variable_collections)
    else:
        raise _without_payload(raw, source)
    variables, collections = meta.variables, meta.variable_collections
    misplaced = [("variables", key) for key, each in variables.items() if each.id != key]
    misplaced += [("variableCollections", key) for key, each in collections.items() if each.id != key]
    if misplaced or any(collection.raw_overrides for collection in collections.values()):
        _refuse_values(meta, raw, source)
    if misplaced:
        from tokensync.extract.wire.faults import misplaced_problems

        raise ProblemsError(misplaced_problems(raw, source, [(*prefix, *each) for each in misplaced]))
    return meta, response.capture


def read_published(raw: bytes, source: str) -> PublishedMeta:
    """Return the payload of a ``GET variables/published`` response. Raises as ``read_local``."""
    raw, _ = whole_characters(raw.removeprefix(_BYTE_ORDER_MARK), source)
    try:
        response = decoded(raw, PublishedResponse)
    except DECODE_ERRORS as error:
        raise _refusal(raw, source, PublishedResponse, error) from None
    if response.meta is not UNSET:
        return response.meta
    if response.variables is not UNSET and response.variable_collections is not UNSET:
        return PublishedMeta(response.variables, response.variable_collections)
    raise _without_payload(raw, source)


def json_parts(raw: bytes) -> tuple[dict[str, str], tuple[str, ...]]:
    """Return the members of a JSON object as JSON, and the ids of variables in its aliases.

    Equal members have equal JSON (sorted names), except for JSON that Python cannot represent, which is unchanged.
    Other values than objects have no members.
    """
    try:
        members = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except DECODE_ERRORS:
        return {}, ()
    texts: dict[str, str] = {}
    pending: list[Any] = []
    for name, member in members.items():
        try:
            value = _ANY_JSON.decode(member)
            texts[name] = msgspec.json.encode(value, order="sorted").decode()
        except DECODE_ERRORS:
            texts[name] = bytes(member).decode("utf-8", "replace")
        else:
            pending.append(value)
    targets: dict[str, None] = {}
    for each in pending:  # grows during the loop, for any depth of nesting
        if isinstance(each, list):
            pending += each
        elif isinstance(each, dict):
            if each.get("type") == ALIAS and isinstance(each.get("id"), str):
                targets[each["id"]] = None
            pending += each.values()
    return texts, tuple(targets)


def _with_opaque_variables(raw: bytes) -> LocalResponse | None:
    """Decode each variable separately; return None for errors outside opaque variables."""
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
            None if response.meta is UNSET else response.meta.styles,
        )
    except DECODE_ERRORS:
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


def _refuse_values(meta: LocalMeta, raw: bytes, source: str) -> None:
    """Decode all values of known types. Raise ProblemsError with the location of every invalid one."""
    raw = raw.removeprefix(_BYTE_ORDER_MARK)
    known = {key: each for key, each in meta.variables.items() if each.resolved_type in VALUE_TYPES}
    try:
        for variable in known.values():
            decode_values(variable.raw_values)
        for collection in meta.variable_collections.values():
            for identity in filter(known.__contains__, collection.raw_overrides):
                collection.overrides_of(identity)
    except UnicodeDecodeError as error:
        raise _refusal(raw, source, LocalResponse, error) from None
    except (msgspec.DecodeError, RecursionError) as error:  # the response is JSON, so a value has the wrong type
        raise _refusal(raw, source, LocalResponse, msgspec.ValidationError(str(error))) from None


def _refusal(raw: bytes, source: str, shape: type[Struct] | None, error: Exception) -> ProblemsError:
    """Return the error with the location of every fault in bytes that failed to decode."""
    from tokensync.extract.wire.faults import Expected, problems_of, unreadable

    if shape is None:
        return ProblemsError([unreadable(raw, source, error)])
    expected = Expected(shape, dict[str, WireValue], VALUE_TYPES if shape is LocalResponse else frozenset())
    return ProblemsError(problems_of(raw, source, expected, error))


def _without_payload(raw: bytes, source: str) -> ProblemsError:
    from tokensync.extract.wire.faults import without_payload

    return ProblemsError([without_payload(raw, source)])


def _canonical_parts(raw: bytes) -> Iterator[bytes]:
    """Yield the payload with sorted members in parts, because the decoded payload is five times its size.

    Integral numbers become integers, also those in float notation. Raises the errors of the decoder.
    """
    raw = raw.removeprefix(_BYTE_ORDER_MARK)
    document = msgspec.json.decode(raw, type=dict[str, Raw])
    payload = msgspec.json.decode(document["meta"], type=dict[str, Raw]) if "meta" in document else document
    start = b"[{"
    for name, members in sorted(payload.items()):
        yield start + msgspec.json.encode(name) + b":"
        start = b","
        if bytes(memoryview(members)[:1]) != b"{":
            yield msgspec.json.encode(_ANY_JSON.decode(members), order="sorted")
            continue
        objects = sorted(msgspec.json.decode(members, type=dict[str, Raw]).items())
        for first in range(0, len(objects), _MEMBERS):
            chunk = objects[first : first + _MEMBERS]
            text = b",".join([b"%b:%b" % (msgspec.json.encode(id_), member) for id_, member in chunk])
            encoded = msgspec.json.encode(_ANY_JSON.decode(b"{%b}" % text), order="sorted")
            yield (b"," if first else b"{") + encoded[1:-1]
        yield b"}" if objects else b"{}"
    yield b"}]" if payload else b"[{}]"


_MEMBERS = 1000
"""The number of variables that are decoded at once."""


def _whole_or_float(text: str) -> int | float:
    number = float(text)
    return int(number) if number.is_integer() else number


_ANY_JSON = Decoder(float_hook=_whole_or_float)


def extract(client: Client, name: str, reference: FileReference | str) -> Snapshot:
    """Return the snapshot of a file.

    A branch has the published variables of its main file. Raises the exceptions of the client and of ``snapshot``.
    """
    raw_local = client.variables.local(reference)
    raw_published = client.variables.published(reference)
    return snapshot(name, raw_local, raw_published)


def withhold(
    snapshot: Snapshot, *, only_published: bool = False, include_hidden: bool = True
) -> tuple[Snapshot, tuple[Problem, ...]]:
    """Return the snapshot with the ids of omitted variables, and a note for each reason.

    Raises UsageError for ``only_published`` without a published response.
    """
    if only_published and snapshot.published is None:
        snapshot.refuse_values()  # problems of the response come first
        raise UsageError(
            f"{snapshot.file}: only_published requires the published variables; pass them with --published FILE"
        )
    if include_hidden and not only_published:
        return snapshot, ()
    live = [each for each in snapshot.local.variables.values() if not each.remote and not each.deleted_but_referenced]
    hidden = [] if include_hidden else [variable for variable in live if variable.hidden_from_publishing]
    published = snapshot.published_by_key()
    unpublished = [variable for variable in live if only_published and variable.key not in published]
    problems = (
        *_notes(snapshot.file, hidden, "hidden from publishing"),
        *_notes(snapshot.file, unpublished, "not published"),
    )
    withheld = frozenset(variable.id for variable in (*hidden, *unpublished))
    return replace(snapshot, withheld=withheld), problems


def _notes(file: str, variables: list[WireVariable], why: str) -> tuple[Problem, ...]:
    if not variables:
        return ()
    names = [variable.name[:60] for variable in variables]
    count = "1 variable is" if len(variables) == 1 else f"{len(variables)} variables are"
    return (problem("variable-withheld", file, f"{count} {why}", "omitted, according to the options", names),)
