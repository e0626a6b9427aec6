"""Builders for the JSON schemas of the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
NUMBER: Final[Schema] = {"type": "number"}
BOOLEAN: Final[Schema] = {"type": "boolean"}
TIME: Final[Schema] = {"type": "string", "format": "date-time"}
OBJECT: Final[Schema] = {"type": "object"}


def members(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """Return the schema of an object with these members; others are allowed."""
    return {"type": "object", "required": list(required), "properties": required | (optional or {})}


def array(items: Schema) -> Schema:
    """Return the schema of an array."""
    return {"type": "array", "items": items}


def mapping(values: Schema) -> Schema:
    """Return the schema of an object with arbitrary names."""
    return {"type": "object", "additionalProperties": values}


def or_null(schema: Schema) -> Schema:
    """Return the schema of a nullable value."""
    return {"anyOf": [schema, {"type": "null"}]}


def envelope(meta: Schema) -> Schema:
    """Return the schema of a successful answer with this ``meta``."""
    return members({"status": {"const": 200}, "error": {"const": False}, "meta": meta})


USER: Final = members({"id": TEXT, "handle": TEXT, "img_url": TEXT})
DONE: Final = members({"status": {"const": 200}, "error": {"const": False}})
"""A successful answer without a result."""
