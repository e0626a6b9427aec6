"""The emulator does what its OpenAPI document says, under a property-based tester that is not ours."""

import pytest
from emulator.platform import OPENED
from hypothesis import HealthCheck, Phase, given, settings
from outside.openapi_conformance import CHECKS, schema_of, world
from schemathesis import GenerationMode

from tokensync.emulator.services import document

pytestmark = pytest.mark.outside

EXAMPLES = 10
NOT_BY_CHANCE = (
    "get /v1/discovery/text_events/{hour}",  # its links are signed
    "get /v2/webhooks",  # of the parameters that it has, some exclude each other
    "delete /v1/files/{file_key}/comments/{comment_id}/reactions",  # those were made at random
    "delete /v1/files/{file_key}/dev_resources/{dev_resource_id}",
    "post /v1/oauth/token",  # a grant type needs its own parameters
)
"""Where valid requests may all be refused; everywhere else some have to succeed."""
ANY_TEXT = {"type": "string", "minLength": 1}


def operations():
    """Every operation with valid requests, and with invalid ones where a schema says what those are; deletions last."""
    every = [(method, path, each) for path, methods in document()["paths"].items() for method, each in methods.items()]
    for method, path, operation in sorted(every, key=lambda each: each[0] == "delete"):
        free = [each for each in operation.get("parameters", ()) if each["schema"] != ANY_TEXT]
        for mode in GenerationMode:
            if mode is GenerationMode.POSITIVE or free or "requestBody" in operation:
                yield pytest.param(method, path, mode, id=f"{method.upper()} {path} {mode.value}")


@pytest.fixture(scope="module")
def held():
    """One emulator for all operations."""
    yield world()
    while OPENED:
        OPENED.pop().close()


@pytest.mark.parametrize(("method", "path", "mode"), [*operations()])
def test_an_operation_answers_as_documented(held, method, path, mode):
    operation = schema_of(held, valid=mode is GenerationMode.POSITIVE)[path][method.upper()]
    headers = held.headers(document()["paths"][path][method])
    statuses = set()

    @settings(
        max_examples=EXAMPLES,
        derandomize=True,  # the same requests in every run, so that what follows from their luck is the same, too
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=operation.as_strategy(generation_mode=mode))
    def conforms(case):
        response = case.call(base_url="https://emulator.invalid", headers=headers)
        statuses.add(response.status_code)
        case.validate_response(response, checks=list(CHECKS))

    conforms()
    if mode is GenerationMode.POSITIVE and f"{method} {path}" not in NOT_BY_CHANCE:
        assert min(statuses) < 400, statuses
