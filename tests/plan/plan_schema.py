"""The schema that the structs of a plan file imply, in the words of draft 07; and the shipped one, to validate by."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import msgspec

from tokensync.plan.plan import VERSION, PlanFile
from tokensync.system import resources

_WORDS = ("title", "description", "default", "discriminator")

PLAN_SCHEMA = json.loads(resources.read_text("config", "schemas", "plan.schema.json"))
VALIDATOR = jsonschema.Draft7Validator(PLAN_SCHEMA)


def faults(content: bytes) -> list[str]:
    """The errors of a plan file according to the shipped schema."""
    return [f"{error.json_path}: {error.message[:200]}" for error in VALIDATOR.iter_errors(json.loads(content))]


def implied() -> dict[str, Any]:
    """What the structs say, without words; nothing unknown is allowed, and each file tells its version."""
    made = msgspec.json.schema(PlanFile)
    definitions = {name: _plain(each) for name, each in made["$defs"].items()}
    top = definitions.pop("PlanFile")
    top["properties"]["version"] = {"const": VERSION}
    top["required"] = list(top["properties"])  # encoded() writes them always
    return {**top, "definitions": definitions}


def without_words(schema: Any) -> Any:
    """The shipped schema without its address, its descriptions and the defaults of optional members."""
    if isinstance(schema, list):
        return [without_words(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    return _in_order(
        {
            name: {key: without_words(each) for key, each in value.items()}
            if name == "properties"
            else without_words(value)
            for name, value in schema.items()
            if name not in (*_WORDS, "$schema", "$id")
        }
    )


def _in_order(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with its alternatives in an order of their own: msgspec's differs by version, and has no meaning."""
    return {**schema, "anyOf": sorted(schema["anyOf"], key=json.dumps)} if "anyOf" in schema else schema


def _plain(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_plain(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    found = {name: _plain(value) for name, value in schema.items() if name not in _WORDS or name == "properties"}
    if "$ref" in found:
        found["$ref"] = found["$ref"].replace("#/$defs/", "#/definitions/")
    if len(found.get("enum", ())) == 1:
        found["const"] = found.pop("enum")[0]
    if "prefixItems" in found:
        found["items"] = found.pop("prefixItems")
        found["additionalItems"] = False
    if "properties" in schema:
        found["properties"] = {name: _plain(value) for name, value in schema["properties"].items()}
        found["additionalProperties"] = False
        if not found["required"]:
            del found["required"]
    return _in_order(found)
