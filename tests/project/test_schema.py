"""The shipped schema and the structs say the same."""

from __future__ import annotations

import json
import types
import typing

import jsonschema
import msgspec
import pytest
from msgspec import Meta, Struct

from tokensync import resources
from tokensync.settings import Config
from tokensync.targets import NAMES, target

SCHEMA = json.loads(resources.read_text("config", "schemas", "tokensync.schema.json"))


def resolved(schema, root):
    """The schema itself, where it is a reference."""
    if "$ref" in schema:
        return root["definitions"][schema["$ref"].rpartition("/")[2]]
    return schema


def bare(kind):
    """A type without its limits and without None, and the limits."""
    limits = {}
    if type(None) in typing.get_args(kind):
        (kind,) = (each for each in typing.get_args(kind) if each is not type(None))
    if typing.get_origin(kind) is typing.Annotated:
        kind, *notes = typing.get_args(kind)
        for note in notes:
            assert isinstance(note, Meta)
            limits = {name: getattr(note, name) for name in LIMITS if getattr(note, name) is not None}
    return kind, limits


LIMITS = {
    "min_length": "minLength",
    "max_length": "maxLength",
    "pattern": "pattern",
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "le": "maximum",
}
SCALARS = {str: "string", bool: "boolean", float: "number", int: "integer"}


def json_type(kind):
    """What a schema calls a scalar, or several of them."""
    return [SCALARS[each] for each in typing.get_args(kind)] if isinstance(kind, types.UnionType) else SCALARS[kind]


def differences(kind, schema, root, path=""):
    schema = resolved(schema, root)
    kind, limits = bare(kind)
    expected = {LIMITS[name]: limit for name, limit in limits.items()}
    shown = {name: schema[name] for name in LIMITS.values() if name in schema}
    if shown != expected:
        yield f"{path}: {shown} in the schema, {expected} in the struct"
    origin = typing.get_origin(kind)
    if isinstance(kind, type) and issubclass(kind, Struct):
        yield from differences_of_members(kind, schema, root, path)
    elif origin is typing.Literal:
        if schema.get("enum") != list(typing.get_args(kind)):
            yield f"{path}: the choices differ"
    elif origin is tuple:
        if schema["type"] != "array":
            yield f"{path}: is an array in the struct"
        yield from differences(typing.get_args(kind)[0], schema["items"], root, f"{path}/*")
    elif origin is dict:
        yield from differences_of_entries(*typing.get_args(kind), schema, root, path)
    elif origin is types.UnionType:
        if schema["type"] != [SCALARS[each] for each in typing.get_args(kind)]:
            yield f"{path}: {schema['type']} in the schema"
    elif schema["type"] != SCALARS[kind]:
        yield f"{path}: {schema['type']} in the schema"


def differences_of_entries(name, value, schema, root, path):
    if bare(name)[1]:
        yield from differences(name, {"type": "string", **schema.get("propertyNames", {})}, root, f"{path}/name")
    if value is not typing.Any:
        yield from differences(value, schema["additionalProperties"], root, f"{path}/*")


REGISTERED = {"/outputs/*/platform": list(NAMES)}
"""What a registry tells, and not a type."""


def differences_of_members(kind, schema, root, path):
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    if set(fields) != set(schema["properties"]):
        yield f"{path}: {set(fields) ^ set(schema['properties'])} are on one side only"
    if {name for name, field in fields.items() if field.required} != set(schema.get("required", ())):
        yield f"{path}: what is required differs"
    if schema.get("additionalProperties") is not False or not kind.__struct_config__.forbid_unknown_fields:
        yield f"{path}: unknown members are not refused"
    for name, field in fields.items():
        known = REGISTERED.get(f"{path}/{name}")
        if known is not None:
            if schema["properties"][name] != {"enum": known}:
                yield f"{path}/{name}: the choices differ"
        elif name in schema["properties"]:
            yield from differences(field.type, schema["properties"][name], root, f"{path}/{name}")


def test_the_schema_is_a_schema():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_the_schema_and_the_structs_have_the_same_members_choices_and_limits():
    assert list(differences(Config, SCHEMA, SCHEMA)) == []


@pytest.mark.parametrize("platform", NAMES)
def test_the_schema_knows_the_options_of_each_platform(platform):
    """An editor completes them by it, and a misspelt one is a fault there as it is for tokensync."""
    files = {"files": [{"template": "a.j2", "path": "a"}]} if platform == "template" else {}
    defaults = json.loads(msgspec.json.encode(msgspec.convert(files, target(platform).options)))
    options = {name: each for name, each in defaults.items() if each is not None}
    output = {"platform": platform, "path": "x", "options": options}
    validator = jsonschema.Draft7Validator(SCHEMA)
    assert validator.is_valid({"outputs": [output]})
    assert not validator.is_valid({"outputs": [{**output, "options": {**options, "colour": "hex"}}]})


def test_the_defaults_are_valid_by_the_schema():
    document = json.loads(msgspec.json.encode(Config(), order="sorted"))
    assert list(jsonschema.Draft7Validator(SCHEMA).iter_errors(document)) == []


@pytest.mark.parametrize(
    "document",
    [
        {},
        {"files": [{"name": "a-b", "key": "k"}]},
        {"files": [{"name": "a\n", "key": "k"}]},
        {"files": [{"name": "nul", "key": "k"}]},
        {"files": [{"name": "nula", "key": ""}]},
        {"client": {"attempts": 21}},
        {"client": {"attempts": True}},
        {"client": {"read_timeout": 0}},
        {"client": {"read_timeout": 1}},
        {"client": {"longest_wait": 0}},
        {"client": {"longest_wait": 1e9}},
        {"themes": {"": {}}},
        {"themes": {"x": {"": ""}}},
        {"themes": {"x": {"a": 1}}},
        {"outputs": [{"platform": "css", "path": "x", "options": []}]},
        {"outputs": [{"platform": "css", "path": "x", "include": {"modes": []}}]},
        {"types": [{"type": "number", "scopes": []}]},
        {"types": [{"type": "duration"}]},
    ],
    ids=str,
)
def test_the_schema_and_the_structs_take_and_refuse_the_same(document):
    try:
        msgspec.convert(document, Config)
        taken = True
    except msgspec.ValidationError:
        taken = False
    assert taken == jsonschema.Draft7Validator(SCHEMA).is_valid(document)
