"""Validation of answers against the OpenAPI document."""

import re
from typing import Any

from jsonschema import Draft202012Validator

from tokensync.emulator.services import document


def _validators() -> dict[tuple[str, re.Pattern[str]], Draft202012Validator]:
    """By method and pattern of the path; paths with fewer parameters come first."""
    schemas = {}
    for path, operations in sorted(document()["paths"].items(), key=lambda each: each[0].count("{")):
        for method, operation in operations.items():
            content = operation["responses"]["200"].get("content", {}).get("application/json")
            if content is not None:
                pattern = re.compile(re.sub(r"{\w+}", "[^/]+", path))
                schemas[method.upper(), pattern] = Draft202012Validator(content["schema"])
    return schemas


_VALIDATORS = _validators()


def check_success(method: str, path: str, body: Any) -> None:
    """Raise a ValidationError for the body of a success that the document does not describe."""
    for (of, pattern), validator in _VALIDATORS.items():
        if of == method and pattern.fullmatch(path):
            validator.validate(body)
            return
