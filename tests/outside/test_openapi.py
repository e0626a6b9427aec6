"""The emulator does what its OpenAPI document says, under a property-based tester that is not ours."""

from __future__ import annotations

import pytest
from emulator.conftest import OPENED
from hypothesis import HealthCheck, Phase, given, settings
from outside.openapi_conformance import CHECKS, platform, schema_of
from schemathesis import GenerationMode

from tokensync.emulator.openapi import document

pytestmark = pytest.mark.outside

EXAMPLES = 10
KNOWN = {
    **{each: ["Harbor", "Branch"] for each in ("file_key", "library_file_key")},
    **{each: ["1"] for each in ("team_id", "folder_id", "project_id")},
}


def operations():
    """Every operation with valid requests, and with invalid ones where a schema says what those are."""
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            free = [
                each for each in operation.get("parameters", ()) if each["schema"] != {"type": "string", "minLength": 1}
            ]
            for mode in GenerationMode:
                if mode is GenerationMode.POSITIVE or free or "requestBody" in operation:
                    yield pytest.param(method.upper(), path, mode, id=f"{method.upper()} {path} {mode.value}")


@pytest.fixture(scope="module")
def held():
    """One emulator for all operations."""
    yield platform()
    while OPENED:
        OPENED.pop().close()


@pytest.mark.parametrize(("method", "path", "mode"), [*operations()])
def test_an_operation_answers_as_the_document_says(held, method, path, mode):
    operation = schema_of(held, KNOWN)[path][method]
    token = held.emulator.default_token

    @settings(max_examples=EXAMPLES, database=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck))
    @given(case=operation.as_strategy(generation_mode=mode))
    def conforms(case):
        response = case.call(base_url="https://emulator.invalid", headers={"X-Figma-Token": token})
        case.validate_response(response, checks=list(CHECKS))

    conforms()
