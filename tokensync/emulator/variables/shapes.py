"""The JSON schemas of the variables endpoints, for the OpenAPI document (platform-api.md 2.4 to 2.6 and 4.3)."""

from __future__ import annotations

from typing import Any, Final

from tokensync.emulator.endpoints.shapes import BOOLEAN, NUMBER, TEXT, Schema, array, in_envelope, mapping, members
from tokensync.emulator.variables.change import CREATE, DELETE, UPDATE

_FILLED: Final[Schema] = {"type": "string", "minLength": 1}
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
_PUBLISHED_VARIABLE: Final = members(_PUBLISHED | {"variableCollectionId": TEXT, "resolvedDataType": TEXT})


def _both(variable: Schema, collection: Schema) -> Schema:
    return in_envelope(members({"variables": mapping(variable), "variableCollections": mapping(collection)}))


LOCAL: Final = _both(_VARIABLE, _COLLECTION)
PUBLISHED: Final = _both(_PUBLISHED_VARIABLE, members(_PUBLISHED))
MADE: Final = in_envelope(members({"tempIdToRealId": mapping(TEXT)}))


def _change(required_to_create: dict[str, Schema], optional: dict[str, Schema]) -> Schema:
    """Return an element of an array: CREATE needs some members, UPDATE and DELETE need the id."""
    creates: dict[str, Any] = members({"action": {"const": CREATE}} | required_to_create, {"id": TEXT} | optional)
    updates = members({"action": {"const": UPDATE}, "id": _FILLED}, required_to_create | optional)
    deletes = members({"action": {"const": DELETE}, "id": _FILLED})
    return {"oneOf": [creates, updates, deletes]}


CHANGES: Final[Schema] = {
    "type": "object",
    "minProperties": 1,
    "properties": {
        "variableCollections": array(
            _change(
                {"name": _FILLED},
                {
                    "hiddenFromPublishing": BOOLEAN,
                    "initialModeId": TEXT,
                    "parentVariableCollectionId": TEXT,
                    "initialModeIdToParentModeIdMapping": mapping(TEXT),
                },
            )
        ),
        "variableModes": array(_change({"name": _FILLED, "variableCollectionId": _FILLED}, {})),
        "variables": array(
            _change(
                {"name": _FILLED, "variableCollectionId": _FILLED, "resolvedType": _TYPE},
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
