"""The variables of a file (Figma REST API: Variables)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tokensync.emulator import access, endpoints, files
from tokensync.emulator.endpoints import (
    BOOLEAN,
    NUMBER,
    TEXT,
    Route,
    Schema,
    array,
    in_envelope,
    invalid,
    mapping,
    members,
)
from tokensync.emulator.services.variables import collections, values
from tokensync.emulator.services.variables.draft import CREATE, DELETE, UPDATE, Change, Draft, changes
from tokensync.emulator.services.variables.values import sweep
from tokensync.emulator.tokens import READ_VARIABLES, WRITE_VARIABLES

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable

    from tokensync.emulator.endpoints import Call
    from tokensync.emulator.files import File
    from tokensync.emulator.store import Identities


# SQLite joins the documents: in Python, a file with 20,000 values took ten times as many instructions.
_MAP = "SELECT CAST(coalesce(group_concat(json_quote(id) || ':' || document, ','), '') AS BLOB) FROM ({})"
_VARIABLES = _MAP.format("SELECT id, document FROM variables WHERE file = ? ORDER BY number")
_COLLECTIONS = _MAP.format("SELECT id, document FROM collections WHERE file = ? ORDER BY number")
_PUBLISHED_ITEMS = _MAP.format("SELECT id, document FROM published WHERE file = ? AND kind = '{}' ORDER BY number")


def _local(connection: sqlite3.Connection, file: int) -> bytes:
    """Return the body of GET local: the file's own variables and the remote variables that it uses."""
    return _body(connection, file, "envelope, extras", _VARIABLES, _COLLECTIONS)


def _published(connection: sqlite3.Connection, file: int) -> bytes:
    """Return the body of GET published: the variables as last published, without modes and values."""
    about = "published_envelope, published_extras"
    return _body(connection, file, about, *map(_PUBLISHED_ITEMS.format, ("variable", "collection")))


def _body(connection: sqlite3.Connection, file: int, about: str, *maps: str) -> bytes:
    envelope, extras = connection.execute(f"SELECT {about} FROM files WHERE number = ?", (file,)).fetchone()  # noqa: S608
    variables, collections = (connection.execute(sql, (file,)).fetchone()[0] for sql in maps)
    parts = (b'"meta":{', extras, b'"variables":{', variables, b'},"variableCollections":{', collections, b"}}}")
    return b"".join((b"{", envelope, b"," if envelope else b"", *parts))


_ARRAYS: Final[dict[str, Callable[[Draft, Change], None]]] = {
    "variableCollections": collections.apply_collection,
    "variableModes": collections.apply_mode,
    "variables": collections.apply_variable,
    "variableModeValues": values.apply,
}


def _write(connection: sqlite3.Connection, file: File, identities: Identities, body: dict[str, Any]) -> dict[str, str]:
    """Apply the changes of a request, and return the real ids of its temporary ids."""
    if not any(name in body for name in _ARRAYS):
        raise invalid(f"Request body must have at least one of {', '.join(_ARRAYS)}")
    draft = Draft(connection, file, identities)
    for name, apply in _ARRAYS.items():
        for change in changes(body, name):
            apply(draft, change)
    draft.save()
    sweep(draft)
    return draft.real_ids


_NON_EMPTY: Final[Schema] = {"type": "string", "minLength": 1}
_CHANNEL: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
_TYPE: Final[Schema] = {"enum": ["BOOLEAN", "FLOAT", "STRING", "COLOR"]}
_ALIAS: Final = members({"type": {"const": "VARIABLE_ALIAS"}, "id": TEXT})
_COLOR: Final = members({"r": _CHANNEL, "g": _CHANNEL, "b": _CHANNEL}, {"a": _CHANNEL})
_COMPOSED: Final = members({"color": {"anyOf": [_COLOR, _ALIAS]}, "opacity": {"anyOf": [NUMBER, _ALIAS]}})
_VALUE: Final[Schema] = {"anyOf": [BOOLEAN, NUMBER, TEXT, _ALIAS, _COLOR, _COMPOSED]}
_CODE_SYNTAX: Final[Schema] = {
    "type": "object",
    "properties": {"WEB": TEXT, "ANDROID": TEXT, "iOS": TEXT},
    "additionalProperties": False,
}

_VARIABLE: Final = members(
    {
        "id": TEXT,
        "name": TEXT,
        "key": TEXT,
        "variableCollectionId": TEXT,
        "resolvedType": TEXT,
        "valuesByMode": mapping(_VALUE),
        "remote": BOOLEAN,
        "description": TEXT,
        "hiddenFromPublishing": BOOLEAN,
        "scopes": array(TEXT),
        "codeSyntax": mapping(TEXT),
    },
    {"deletedButReferenced": BOOLEAN},
)
_COLLECTION: Final = members(
    {
        "id": TEXT,
        "name": TEXT,
        "key": TEXT,
        "modes": array(members({"modeId": TEXT, "name": TEXT}, {"parentModeId": TEXT})),
        "defaultModeId": TEXT,
        "remote": BOOLEAN,
        "hiddenFromPublishing": BOOLEAN,
        "variableIds": array(TEXT),
    },
    {
        "isExtension": BOOLEAN,
        "parentVariableCollectionId": TEXT,
        "rootVariableCollectionId": TEXT,
        "inheritedVariableIds": array(TEXT),
        "localVariableIds": array(TEXT),
        "variableOverrides": mapping(mapping(_VALUE)),
        "deletedButReferenced": BOOLEAN,
    },
)
_PUBLISHED: Final[dict[str, Schema]] = {"id": TEXT, "subscribed_id": TEXT, "name": TEXT, "key": TEXT, "updatedAt": TEXT}
_PUBLISHED_VARIABLE: Final = members(
    _PUBLISHED | {"variableCollectionId": TEXT, "resolvedDataType": TEXT}, {"resolvedType": TEXT}
)


def _both(variable: Schema, collection: Schema) -> Schema:
    return endpoints.envelope(members({"variables": mapping(variable), "variableCollections": mapping(collection)}))


LOCAL: Final = _both(_VARIABLE, _COLLECTION)
PUBLISHED: Final = _both(_PUBLISHED_VARIABLE, members(_PUBLISHED))
CREATED: Final = endpoints.envelope(members({"tempIdToRealId": mapping(TEXT)}))


def _change(required_to_create: dict[str, Schema], optional: dict[str, Schema]) -> Schema:
    """Return the schema of a change, whose required members depend on the action."""
    create: dict[str, Any] = members({"action": {"const": CREATE}} | required_to_create, {"id": TEXT} | optional)
    update = members({"action": {"const": UPDATE}, "id": _NON_EMPTY}, required_to_create | optional)
    delete = members({"action": {"const": DELETE}, "id": _NON_EMPTY})
    return {"oneOf": [create, update, delete]}


CHANGES: Final[Schema] = {
    "type": "object",
    "minProperties": 1,
    "properties": {
        "variableCollections": array(
            _change(
                {"name": _NON_EMPTY},
                {
                    "hiddenFromPublishing": BOOLEAN,
                    "initialModeId": TEXT,
                    "parentVariableCollectionId": TEXT,
                    "initialModeIdToParentModeIdMapping": mapping(TEXT),
                },
            )
        ),
        "variableModes": array(_change({"name": _NON_EMPTY, "variableCollectionId": _NON_EMPTY}, {})),
        "variables": array(
            _change(
                {"name": _NON_EMPTY, "variableCollectionId": _NON_EMPTY, "resolvedType": _TYPE},
                {
                    "description": TEXT,
                    "hiddenFromPublishing": BOOLEAN,
                    "scopes": array(TEXT),
                    "codeSyntax": _CODE_SYNTAX,
                },
            )
        ),
        "variableModeValues": array(
            members({"variableId": TEXT, "modeId": TEXT, "value": {"anyOf": [_VALUE, {"type": "null"}]}})
        ),
    },
}


def read_local(call: Call, file_key: str) -> bytes:
    """Return the local variables of a main file or branch, and the remote variables that it uses."""
    return call.connection.once(_local, access.variables_file(call, file_key).number)


def read_published(call: Call, file_key: str) -> bytes:
    """Return the variables that a main file publishes."""
    file = access.variables_file(call, file_key)
    access.check_main(file)
    return call.connection.once(_published, file.number)


def write(call: Call, file_key: str) -> bytes:
    """Create, update and delete variables, collections, modes and values of a design file or its branch.

    Either all changes are applied, or none.
    """
    file = access.variables_file(call, file_key, writes=True)
    real_ids = _write(call.connection, file, call.identities, endpoints.read_object(call))
    files.touch(call.connection, file.number, call.now)
    return in_envelope({"tempIdToRealId": real_ids})


ROUTES: Final = (
    Route("GET", "/v1/files/<file_key>/variables/local", read_local, scopes=(READ_VARIABLES,), tier=2, returns=LOCAL),
    Route(
        "GET",
        "/v1/files/<file_key>/variables/published",
        read_published,
        scopes=(READ_VARIABLES,),
        tier=2,
        returns=PUBLISHED,
    ),
    Route(
        "POST",
        "/v1/files/<file_key>/variables",
        write,
        scopes=(WRITE_VARIABLES,),
        tier=3,
        accepts=CHANGES,
        returns=CREATED,
    ),
)
