"""Writes what the targets' options say of themselves: the JSON schemas and the tables of docs/targets/.

``--check`` only reports whether they are current. An editor completes and checks options by the schemas.
"""

from __future__ import annotations

import json
import sys
import types
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from tokensync.generate.targets import NAMES, target
from tokensync.system.problems import CODES
from tokensync.version import SITE

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
SCHEMAS = ROOT / "config" / "schemas"
CONFIGURATION = SCHEMAS / "tokensync.schema.json"
DRAFT = "http://json-schema.org/draft-07/schema#"
BEGIN, END = "<!-- The options, made from their declarations by `make docs`. -->", "<!-- The end of the options. -->"

_SCALARS = {str: "string", bool: "boolean", float: "number", int: "integer"}
_LIMITS = {
    "pattern": "pattern",
    "min_length": "minLength",
    "max_length": "maxLength",
    "gt": "exclusiveMinimum",
    "ge": "minimum",
    "lt": "exclusiveMaximum",
    "le": "maximum",
}


def schema_of(hint: Any) -> dict[str, Any]:
    """Return the JSON schema (draft 07) of a type of an options struct."""
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        return {**_said(arguments[1:]), **schema_of(arguments[0])}
    if origin is Literal:
        return {"type": "string", "enum": list(arguments)}
    if origin is tuple:
        return {"type": "array", "items": schema_of(arguments[0])}
    if origin is dict:
        names = schema_of(arguments[0])
        del names["type"]
        return {
            "type": "object",
            **({"propertyNames": names} if names else {}),
            "additionalProperties": schema_of(arguments[1]),
        }
    if origin in (Union, types.UnionType):
        several = [schema_of(each) for each in arguments if each is not types.NoneType]
        if len(several) == 1:
            return several[0]
        kinds = {"type": [each["type"] for each in several]}
        if "enum" in several[0]:  # names, or a table of them
            names, table = ({name: each[name] for name in each if name != "type"} for each in several)
            return {**kinds, "if": {"type": several[0]["type"]}, "then": names, "else": table}
        return kinds
    if isinstance(hint, type) and issubclass(hint, Struct):
        return _of_struct(hint)
    return {"type": _SCALARS[hint]}


def _said(notes: tuple[Any, ...]) -> dict[str, Any]:
    """Return the description and the limits of an annotation."""
    members: dict[str, Any] = {}
    for note in (each for each in notes if isinstance(each, Meta)):
        if note.description:
            members["description"] = note.description
        members |= {name: getattr(note, own) for own, name in _LIMITS.items() if getattr(note, own) is not None}
    return members


def _of_struct(struct: type[Struct]) -> dict[str, Any]:
    hints = get_type_hints(struct, include_extras=True)
    properties, required = {}, []
    for field in msgspec.structs.fields(struct):
        schema = schema_of(hints[field.name])
        if field.required:
            required.append(field.encode_name)
        elif field.default is msgspec.NODEFAULT:
            schema["default"] = {}
        elif field.default is not None:
            schema["default"] = msgspec.to_builtins(field.default)
        properties[field.encode_name] = schema
    shape = {"type": "object", "additionalProperties": False, "properties": properties}
    return {**shape, "required": required} if required else shape


def levels_schemas() -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the schema of ``[problems]`` with all codes, and the definitions of their levels."""
    names = {code.levels: f"levels-{'-'.join(code.levels)}" for code in CODES.values()}
    definitions = {
        name: {
            "type": ["string", "object"],
            "if": {"type": "string"},
            "then": {"enum": list(levels)},
            "else": {"propertyNames": {"minLength": 1}, "additionalProperties": {"enum": list(levels)}},
        }
        for levels, name in sorted(names.items())
    }
    properties = {name: {"$ref": f"#/definitions/{names[code.levels]}"} for name, code in sorted(CODES.items())}
    description = "The level of each problem code, or levels by globs of places, of which the first match counts."
    shape = {"type": "object", "additionalProperties": False, "properties": properties}
    return {"description": description, **shape}, definitions


def id_of(schema: Path) -> dict[str, str]:
    """Return the ``$id`` of a schema, its address on the published site; nothing as long as there is none."""
    return {"$id": f"{SITE}schemas/{schema.relative_to(SCHEMAS).as_posix()}"} if SITE else {}


def configuration_schema() -> dict[str, Any]:
    """Return the schema of tokensync.toml with the options of each target and the levels of each code in it."""
    written: dict[str, Any] = json.loads(CONFIGURATION.read_text("utf-8"))
    schema = {"$schema": DRAFT, **id_of(CONFIGURATION), **written}
    schema["properties"]["problems"], definitions = levels_schemas()
    schema["definitions"] |= definitions
    output = schema["properties"]["outputs"]["items"]
    output["properties"]["platform"] = {"description": "What reads the output.", "enum": list(NAMES)}
    output["allOf"] = [
        {
            "if": {"properties": {"platform": {"const": name}}, "required": ["platform"]},
            "then": {"properties": {"options": schema_of(target(name).options)}},
        }
        for name in NAMES
    ]
    return schema


def table(name: str) -> str:
    """Return a target's options as a Markdown table."""
    rows = ["| option | values | default | meaning |", "| --- | --- | --- | --- |"]
    for path, schema, is_required in _members(schema_of(target(name).options), ""):
        default = "required" if is_required else _default(schema)
        rows.append(f"| `{path}` | {_values(schema)} | {default} | {_cell(schema.get('description', ''))} |")
    return "\n".join(rows)


def _members(schema: dict[str, Any], before: str) -> Iterator[tuple[str, dict[str, Any], bool]]:
    for name, member in schema["properties"].items():
        yield f"{before}{name}", member, name in schema.get("required", ())
        for inner, step in ((member, "."), (member.get("additionalProperties"), '."…".'), (member.get("items"), "[].")):
            if isinstance(inner, dict) and "properties" in inner:
                yield from _members(inner, f"{before}{name}{step}")


def _values(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(f'`"{each}"`' for each in schema["enum"] if each)
    kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
    if "then" in schema:
        return f"{_values(schema['then'])} or table"
    if kinds == ["array"]:
        of = schema["items"]
        return f"any of {_values(of)}" if "enum" in of else f"list of {_values(of)}s"
    words = {"boolean": "`true`, `false`", "string": "text", "number": "number", "integer": "number", "object": "table"}
    return " or ".join(words[each] for each in kinds)


def _default(schema: dict[str, Any]) -> str:
    default = schema.get("default")
    if isinstance(default, float) and default.is_integer():
        default = int(default)
    return "" if default in (None, "", {}) else f"`{json.dumps(default)}`"


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def _with_table(page: str, name: str) -> str:
    before, begin, rest = page.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise SystemExit(f"docs/targets/{name}.md: the marks of the options are missing")
    return f"{before}{BEGIN}\n\n{table(name)}\n\n{END}{after}"


def files() -> Iterator[tuple[Path, str]]:
    """Yield every file that is made, with its text as it should be."""
    for name in NAMES:
        path = SCHEMAS / "options" / f"{name}.schema.json"
        head = {"$schema": DRAFT, **id_of(path), "title": f"Options of the target {name}"}
        yield path, _text({**head, **schema_of(target(name).options)})
        page = ROOT / "docs" / "targets" / f"{name}.md"
        yield page, _with_table(page.read_text("utf-8"), name)
    yield CONFIGURATION, _text(configuration_schema())


def _text(schema: dict[str, Any]) -> str:
    return f"{json.dumps(schema, indent=2, ensure_ascii=False)}\n"


def main() -> None:
    """Write the files, or check them."""
    stale = [(path, text) for path, text in files() if path.read_text("utf-8") != text]
    if "--check" in sys.argv[1:]:
        for path, _ in stale:
            print(f"{path.relative_to(ROOT)}: not current with the declared options; run `make docs`")
        raise SystemExit(bool(stale))
    for path, text in stale:
        path.write_text(text, "utf-8")


if __name__ == "__main__":
    main()
