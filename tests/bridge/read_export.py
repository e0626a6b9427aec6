"""Reads Figma's own export of variables by DTCG 2025.10, and a response of the REST API, to the same plain facts.

It uses nothing of tokensync. A value is a number, a text, a boolean, a colour as four numbers, ``("alias", collection,
name)``, or ``("composed", colour, opacity)``. Numbers are rounded to what 32 bits hold.
"""

import json
import struct
from pathlib import Path
from typing import NamedTuple


class Fact(NamedTuple):
    """What is said about a variable in a mode."""

    id: str
    kind: str
    value: object
    description: str
    scopes: frozenset
    syntax: frozenset
    hidden: bool


def in_32_bits(number):
    return struct.unpack("f", struct.pack("f", number))[0]


def rounded(number):
    return float(f"{in_32_bits(number):.5g}")


def read_export(folder):
    """{(collection, mode): {name: Fact}} of a folder of files that are named ``COLLECTION.MODE.tokens.json``."""
    facts = {}
    for path in sorted(Path(folder).glob("*.tokens.json")):
        document = json.loads(path.read_bytes())
        mode = document["$extensions"]["com.figma.modeName"]
        collection = path.name.removesuffix(".tokens.json").removesuffix(f".{mode}")
        tokens = dict(tokens_of(document, ()))
        facts[collection, mode] = {name: _fact(token, collection, tokens) for name, token in tokens.items()}
    return facts


def named(collection):
    """The name of a collection as a file's name can have it."""
    return collection.replace("/", "-")


def tokens_of(group, names):
    """Yield the tokens of a group: objects with ``$value`` (DTCG format 5.1), with their names joined by slashes."""
    for name, member in group.items():
        if not name.startswith("$"):
            if "$value" in member:
                yield "/".join((*names, name)), member
            else:
                yield from tokens_of(member, (*names, name))


def _fact(token, collection, tokens):
    extensions = {name.removeprefix("com.figma."): value for name, value in token.get("$extensions", {}).items()}
    kind = {"color": "COLOR", "number": "FLOAT", "string": "STRING"}[token["$type"]]
    if extensions.get("type") == "boolean":
        kind = "BOOLEAN"
    return Fact(
        extensions.get("variableId", ""),
        kind,
        _value(token["$value"], kind, extensions, collection, tokens),
        token.get("$description", ""),
        frozenset("STROKE_COLOR" if scope == "STROKE" else scope for scope in extensions.get("scopes", ())),
        frozenset(extensions.get("codeSyntax", {}).items()),
        extensions.get("hiddenFromPublishing", False),
    )


def _value(value, kind, extensions, collection, tokens):
    if composed := extensions.get("composedColor"):
        return ("composed", _part(composed["colorArg"], collection), _part(composed["opacityArg"], collection))
    if data := extensions.get("aliasData"):
        return ("alias", named(data["targetVariableSetName"]), data["targetVariableName"])
    if isinstance(value, str) and value.startswith("{") and value[1:-1].replace(".", "/") in tokens:
        return ("alias", collection, value[1:-1].replace(".", "/"))
    return _literal(value, kind)


def _part(part, collection):
    if part["type"] == "alias":
        data = part["alias"]
        return ("alias", named(data.get("targetVariableSetName", collection)), data["targetVariableName"])
    return _literal(part["value"], "COLOR" if part["type"] == "color" else "FLOAT")


def _literal(value, kind):
    match kind:
        case "COLOR":
            assert value["colorSpace"] == "srgb"
            assert value["hex"] == "#" + "".join(
                f"{int(in_32_bits(channel) * 255 + 0.5):02X}" for channel in value["components"]
            )
            return tuple(map(rounded, (*value["components"], value["alpha"])))
        case "FLOAT":
            return rounded(value)
        case "BOOLEAN":
            return value == 1
    return value


def read_response(path):
    """{(collection, mode): {name: Fact}} of the local variables of a response of ``GET variables/local``."""
    meta = json.loads(Path(path).read_bytes())["meta"]
    variables, collections = meta["variables"], meta["variableCollections"]
    facts = {}
    for variable in variables.values():
        collection = collections[variable["variableCollectionId"]]
        if variable["remote"] or variable.get("deletedButReferenced"):
            continue
        for mode in () if collection.get("isExtension") else collection["modes"]:
            value = variable["valuesByMode"].get(mode["modeId"])
            facts.setdefault((named(collection["name"]), mode["name"]), {})[variable["name"]] = Fact(
                variable["id"],
                variable["resolvedType"],
                _answered(value, variable["resolvedType"], meta),
                variable.get("description", ""),
                frozenset(variable.get("scopes", ())),
                frozenset(variable.get("codeSyntax", {}).items()),
                variable.get("hiddenFromPublishing", False),
            )
    return facts


def _answered(value, kind, meta):
    if not isinstance(value, dict):
        return rounded(value) if kind == "FLOAT" and value is not None else value
    if value.get("type") == "VARIABLE_ALIAS":
        target = meta["variables"].get(value["id"])
        if target is None:
            return None
        return ("alias", named(meta["variableCollections"][target["variableCollectionId"]]["name"]), target["name"])
    if value.get("type") == "VARIABLE_EXPRESSION":
        value = dict(zip(("color", "opacity"), value["expressionArguments"], strict=True))
    if "color" in value:
        return ("composed", _answered(value["color"], "COLOR", meta), _answered(value["opacity"], "FLOAT", meta))
    return tuple(map(rounded, (value["r"], value["g"], value["b"], value.get("a", 1))))
