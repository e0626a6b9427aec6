"""Words that JSON schemas of requests and answers are put together from, for the OpenAPI document."""

from __future__ import annotations

from typing import Any, Final

Schema = dict[str, Any]

TEXT: Final[Schema] = {"type": "string"}
NUMBER: Final[Schema] = {"type": "number"}
BOOLEAN: Final[Schema] = {"type": "boolean"}
TIME: Final[Schema] = {"type": "string", "format": "date-time"}
SOMETHING: Final[Schema] = {"type": "object"}


def members(required: dict[str, Schema], optional: dict[str, Schema] | None = None) -> Schema:
    """Return an object that has the required members, and may have others besides."""
    return {"type": "object", "required": list(required), "properties": required | (optional or {})}


def array(of: Schema) -> Schema:
    """Return an array of one kind of items."""
    return {"type": "array", "items": of}


def mapping(to: Schema) -> Schema:
    """Return an object from any names to one kind of values."""
    return {"type": "object", "additionalProperties": to}


def or_null(schema: Schema) -> Schema:
    """Return what may also be null."""
    return {"anyOf": [schema, {"type": "null"}]}


def envelope(meta: Schema) -> Schema:
    """Return a success whose document is the ``meta`` of the envelope."""
    return members({"status": {"const": 200}, "error": {"const": False}, "meta": meta})


USER: Final = members({"id": TEXT, "handle": TEXT, "img_url": TEXT})
DONE: Final = members({"status": {"const": 200}, "error": {"const": False}})
"""The body of a success that has nothing to tell."""
