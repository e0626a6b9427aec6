"""The platform's own public OpenAPI document, of the npm package @figma/rest-api-spec, and what is valid under it."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

import yaml
from checkers import MODULES, missing
from jsonschema_rs import Draft202012Validator

PACKAGE = MODULES / "@figma" / "rest-api-spec" / "openapi" / "openapi.yaml"
METHODS = ("get", "post", "put", "delete")


class Operation(NamedTuple):
    """``path`` as the document writes it; ``parameters`` are (place, name) to their schemas, and ``required`` names."""

    method: str
    path: str
    parameters: dict[tuple[str, str], Any]
    required: frozenset[str]
    body: Any
    answers: dict[str, Any]
    security: list[dict[str, list[str]]]

    def fits(self, method: str, path: str) -> bool:
        """Whether a request is one of these; ``path`` is without its query."""
        return method == self.method and re.fullmatch(re.sub(r"{\w+}", "[^/]+", self.path), path) is not None


@cache
def whole() -> Any:
    """The document, with ``anyOf`` for ``oneOf``: its alternatives overlap, so that an opaque colour is two of them."""
    if not PACKAGE.is_file():
        missing("@figma/rest-api-spec", "`make verify` installs it")
    text = PACKAGE.read_text(encoding="utf-8")
    return yaml.load(re.sub(r"\boneOf:", "anyOf:", text), yaml.CSafeLoader)


@cache
def operations() -> tuple[Operation, ...]:
    """Every operation; of those that a path fits, the one with the fewest parameters stands first."""
    definition = [
        _operation(method, path, each)
        for path, item in whole()["paths"].items()
        for method, each in item.items()
        if method in METHODS
    ]
    return tuple(sorted(definition, key=lambda each: each.path.count("{")))


def operation(method: str, path: str) -> Operation | None:
    """The operation that a request is of; None where the document has none."""
    return next((each for each in operations() if each.fits(method, path)), None)


def faults(schema: Any, value: Any) -> Iterator[tuple[str, str]]:
    """Yield each violation of the schema: a path with slashes, and a message."""
    validator = Draft202012Validator({**schema, "components": whole()["components"]})
    for error in validator.iter_errors(value):
        yield "/".join(map(str, error.instance_path)), error.message


def _operation(method: str, path: str, definition: Any) -> Operation:
    parameters = [_resolved(each) for each in definition.get("parameters", ())]
    body = definition.get("requestBody")
    return Operation(
        method.upper(),
        path,
        {(each["in"], each["name"]): _resolved(each["schema"]) for each in parameters},
        frozenset(each["name"] for each in parameters if each.get("required")),
        None if body is None else _resolved(_resolved(body)["content"]["application/json"]["schema"]),
        {status: _json(_resolved(answer)) for status, answer in definition["responses"].items()},
        definition.get("security", []),
    )


def _json(answer: Any) -> Any:
    """The schema of an answer; None for one without a body."""
    content = answer.get("content", {}).get("application/json")
    return None if content is None else content["schema"]


def _resolved(value: Any) -> Any:
    while "$ref" in value:
        name = value["$ref"].removeprefix("#/").split("/")
        value = whole()
        for each in name:
            value = value[each]
    return value
