"""Invalid options are refused: by the schema, and where they would end up in generated code."""

import json
import types
import typing
from pathlib import Path

import jsonschema
import msgspec
import pytest
from msgspec import Meta, Struct

from tokensync.generate.targets import NAMES, target
from tokensync.project.configuration import parse_config
from tokensync.settings import Config
from tokensync.system import resources
from tokensync.system.errors import ProblemsError
from tokensync.system.problems import CODES
from tokensync.version import SITE

SCHEMA = json.loads(resources.read_text("config", "schemas", "tokensync.schema.json"))


def resolved(schema, root):
    """Return a schema with its reference resolved."""
    if "$ref" in schema:
        return root["definitions"][schema["$ref"].rpartition("/")[2]]
    return schema


def bare(kind):
    """Return a type without None and limits, and the limits."""
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
    """Return the JSON Schema name of a type, or names of a union."""
    if isinstance(kind, types.UnionType):
        return [json_type(each) for each in typing.get_args(kind)]
    return "array" if typing.get_origin(kind) is tuple else SCALARS[kind]


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
    elif "anyOf" in schema:
        for each, alternative in zip(typing.get_args(kind), schema["anyOf"], strict=True):
            yield from differences(each, alternative, root, path)
    else:
        if schema["type"] != json_type(kind):
            yield f"{path}: {schema['type']} in the schema"
        for item, *_ in (typing.get_args(each) for each in typing.get_args(kind) if typing.get_args(each)):
            yield from differences(item, schema["items"], root, f"{path}/*")


def differences_of_entries(name, value, schema, root, path):
    if bare(name)[1]:
        yield from differences(name, {"type": "string", **schema.get("propertyNames", {})}, root, f"{path}/name")
    if value is not typing.Any:
        yield from differences(value, schema["additionalProperties"], root, f"{path}/*")


LEVELS_BY_CODE = "/problems"
REGISTERED = {"/outputs/*/platform": list(NAMES)}
"""The allowed values that come from a registry and not from a type."""


def differences_of_members(kind, schema, root, path):
    fields = {field.encode_name: field for field in msgspec.structs.fields(kind)}
    if set(fields) != set(schema["properties"]):
        yield f"{path}: {set(fields) ^ set(schema['properties'])} are on one side only"
    if {name for name, field in fields.items() if field.required} != set(schema.get("required", ())):
        yield f"{path}: the required members differ"
    if schema.get("additionalProperties") is not False or not kind.__struct_config__.forbid_unknown_fields:
        yield f"{path}: unknown members are allowed"
    for name, field in fields.items():
        choices = REGISTERED.get(f"{path}/{name}")
        if f"{path}/{name}" == LEVELS_BY_CODE:
            for code, reference in schema["properties"][name]["properties"].items():
                levels = resolved(reference, root)
                if levels["then"]["enum"] != list(CODES[code].levels):
                    yield f"{path}/{name}/{code}: the levels differ"
            if list(schema["properties"][name]["properties"]) != sorted(CODES):
                yield f"{path}/{name}: the codes differ"
        elif choices is not None:
            if schema["properties"][name]["enum"] != choices:
                yield f"{path}/{name}: the choices differ"
        elif name in schema["properties"]:
            yield from differences(field.type, schema["properties"][name], root, f"{path}/{name}")


def test_schema_is_valid():
    jsonschema.Draft7Validator.check_schema(SCHEMA)


def test_each_schema_has_its_address_on_the_published_site_as_its_id():
    folder = Path(resources.path("config", "schemas"))
    ids = {
        path.relative_to(folder).as_posix(): json.loads(path.read_text("utf-8")).get("$id", "")
        for path in folder.rglob("*.json")
    }
    assert len(ids) == len(NAMES) + 5
    assert ids == {path: SITE and f"{SITE}schemas/{path}" for path in ids}


def test_a_configuration_can_name_its_schema_as_a_member():
    text = '"$schema" = "schemas/tokensync.schema.json"\n'
    assert parse_config(text.encode(), "tokensync.toml").schema == "schemas/tokensync.schema.json"


def test_schema_and_structs_have_the_same_members_choices_and_limits():
    assert list(differences(Config, SCHEMA, SCHEMA)) == []


@pytest.mark.parametrize("platform", NAMES)
def test_schema_has_the_options_of_each_platform(platform):
    """Editors use the schema to complete options and report unknown ones."""
    files = {"files": [{"template": "a.j2", "path": "a"}]} if platform == "template" else {}
    defaults = json.loads(msgspec.json.encode(msgspec.convert(files, target(platform).options)))
    options = {name: each for name, each in defaults.items() if each is not None}
    output = {"platform": platform, "path": "x", "options": options}
    validator = jsonschema.Draft7Validator(SCHEMA)
    assert validator.is_valid({"outputs": [output]})
    assert not validator.is_valid({"outputs": [{**output, "options": {**options, "colour": "hex"}}]})


def test_defaults_are_valid():
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
        {"files": [{"name": "a", "key": "k", "styles": True}]},
        {"files": [{"name": "a", "key": "k", "styles": ["text", "grid"]}]},
        {"files": [{"name": "a", "key": "k", "styles": ["fill"]}]},
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
def test_schema_and_structs_accept_the_same_documents(document):
    try:
        msgspec.convert(document, Config)
        is_accepted = True
    except msgspec.ValidationError:
        is_accepted = False
    assert is_accepted == jsonschema.Draft7Validator(SCHEMA).is_valid(document)


def error_of(platform, option, value):
    """Return the error of an option; empty if it is valid."""
    lines = ("[[outputs]]", f'platform = "{platform}"', 'path = "x"', "[outputs.options]", f"{option} = {value}")
    try:
        parse_config("\n".join(lines).encode(), "tokensync.toml")
    except ProblemsError as error:
        (problem,) = error.problems
        assert problem.code == "config-invalid"
        assert problem.where.startswith("tokensync.toml:")
        return problem.what
    return ""


@pytest.mark.parametrize(
    "value",
    [
        *('"}"', '"/*"', '".module // x"', "'\"a'", '"a; b"', '".module, x"', '"f(a"', '"a)"', '"(]"', '"#if x"'),
        *('"a\\u0000b"', '"a\\u2028b"', '"a\\nb"', '" a"', '""'),
    ],
)
def test_unsafe_bundle_expressions_are_reported(value):
    assert error_of("ios", "bundle", value)


@pytest.mark.parametrize(
    "value",
    ['".main"', '"Bundle(for: Anchor.self)"', "'Bundle(identifier: \"a//b;\") ?? .main'", '"{ Bundle.module }()"'],
)
def test_bundle_can_be_any_safe_expression(value):
    assert error_of("ios", "bundle", value) == ""


@pytest.mark.parametrize("name", ["Self", "Any", "Type", "Color", "String", "CGFloat", "TokenShadow", "CON"])
def test_enum_cannot_have_a_name_of_swift(name):
    assert name in error_of("ios", "name", f'"{name}"')


@pytest.mark.parametrize("module", ["class", "a.in", "a..b", "a.", ".", "a b", ""])
def test_invalid_module_names_are_reported(module):
    assert error_of("ios", "imports", f'["UIKit", "{module}"]')


@pytest.mark.parametrize("name", ["String", "Float", "Boolean", "Unit", "Suppress", "TokenShadow"])
def test_object_cannot_have_a_name_of_kotlin(name):
    assert name in error_of("compose", "name", f'"{name}"')


@pytest.mark.parametrize("package", ["kotlin", "java.lang", "kotlin.time"])
def test_package_cannot_be_one_of_the_language(package):
    assert package in error_of("compose", "package", f'"{package}"')


@pytest.mark.parametrize(
    "selector",
    [
        "::",
        "a,,b",
        "a, ",
        "> a",
        "a >",
        "a > > b",
        "12",
        "$x",
        "%",
        "!",
        "<x",
        ".1",
        "a:",
        "#",
        "a b}",
        "'x'",
        "a(",
        "x//",
    ],
)
@pytest.mark.parametrize(("platform", "option"), [("css", "root"), ("css", "themes"), ("tailwind", "themes")])
def test_invalid_selectors_are_reported(platform, option, selector):
    value = f'"{selector}"'
    assert error_of(platform, option, value if option == "root" else f'{{ "a/b" = {{ selector = {value} }} }}')


@pytest.mark.parametrize(
    "selector",
    [
        *(":root, :host", "html.dark > body", "*|*", "svg|a", "&.x", '[data-a="b, {c"] ~ .d', ":is(.a, [b='c)']) + e"),
        *("::slotted(x)", ":host-context(.dark)", ".größe", ".md\\:dark", "--x", "a:not(:has(> b))", "#a.b"),
    ],
)
def test_valid_selectors_are_accepted(selector):
    assert error_of("css", "root", f"'''{selector}'''".replace("\\\\", "\\")) == ""


@pytest.mark.parametrize("layer", ["initial", "a.unset", "Inherit", "revert-layer.b"])
def test_layer_cannot_have_the_name_of_a_css_wide_keyword(layer):
    assert error_of("css", "layer", f'"{layer}"')
