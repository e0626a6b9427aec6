"""Messages for a 403 of each endpoint group: the missing scope, plan, seat or kind of token, and how to get it."""

import json

import pytest
from emulator.platform import HTTPS, KEY, Platform

from tokensync.extract.client import Client, Credential
from tokensync.extract.client.endpoints import ENDPOINTS
from tokensync.system.errors import AccessError

SCOPED = tuple(each for each in ENDPOINTS if each.scopes)


@pytest.fixture
def platform():
    return Platform()


def endpoint(group):
    """Return the first reading endpoint of a group."""
    return next(each for each in ENDPOINTS if each.group == group)


def values_of(each):
    examples = {"text": "x1", "number": 1, "boolean": True, "list": ["1:2"], "json": []}
    arguments = {parameter.name: examples[parameter.kind] for parameter in each.parameters if parameter.required}
    return arguments | {name: KEY for name in ("file_key", "library_file_key") if name in arguments}


def refused(platform, each, kind="personal", **token):
    """Return the client's message for a request to this endpoint with such a token."""
    secret = platform.emulator.tokens.create(kind=kind, **token)
    sent_as = "oauth" if kind == "oauth" else "personal"
    with (
        Client(HTTPS, Credential(sent_as, secret, "FIGMA_TOKEN"), wsgi=platform.emulator) as client,
        pytest.raises(AccessError) as caught,
    ):
        client.call(each, **values_of(each))
    assert secret not in str(caught.value)
    return str(caught.value)


def kind_for(each):
    return "plan" if each.group == "developer-logs" else "personal"


@pytest.mark.parametrize("each", SCOPED, ids=lambda each: each.name)
def test_a_missing_scope_is_named_with_how_to_get_it(platform, each):
    message = refused(platform, each, kind_for(each), scopes=())
    assert f"the token lacks the scope {each.scopes[0]}" in message
    assert f"create a token with the scope {each.scopes[0]}, or authorize the OAuth app again" in message
    assert ("only an admin of an Enterprise organization can grant it" in message) == each.scopes[0].startswith("org:")


@pytest.mark.parametrize(
    "each", [each for each in SCOPED if each.scopes[0].startswith("org:")], ids=lambda each: each.name
)
def test_endpoints_for_admins_are_reported_as_such(platform, each):
    message = refused(platform, each, kind_for(each), scopes=each.scopes)
    assert "an admin of the organization" in message
    assert "use the token of an admin, or ask one to run it" in message


def test_a_seat_that_is_missing_is_named(platform):
    each = endpoint("analytics")
    message = refused(platform, each, scopes=each.scopes, account="view", permission="owner")
    assert "a full seat in the organization" in message
    assert "ask an admin of the organization for a full seat" in message


@pytest.mark.parametrize(
    ("group", "plan", "instead"),
    [
        ("variables", "an Enterprise plan", "read them with base_url bridge: or snapshot:PATH"),
        ("analytics", "an Enterprise plan", "use a file of an Enterprise organization"),
    ],
)
def test_a_plan_that_is_missing_is_named(platform, group, plan, instead):
    platform.emulator.files.set_plan(KEY, "organization")
    each = endpoint(group)
    message = refused(platform, each, scopes=each.scopes)
    assert f"which requires {plan}" in message
    assert instead in message


def test_the_kind_of_token_that_an_endpoint_takes_is_named(platform):
    each = endpoint("developer-logs")
    message = refused(platform, each, "oauth", scopes=each.scopes, admin=True)
    assert "this kind of access token cannot be used here" in message
    assert "use a plan access token with the scope org:developer_log_read" in message


def test_a_read_only_file_is_named(platform):
    each = next(endpoint for endpoint in ENDPOINTS if endpoint.name == "variables post")
    secret = platform.emulator.tokens.create(permission="viewer")
    with (
        Client(HTTPS, Credential("personal", secret, "FIGMA_TOKEN"), wsgi=platform.emulator) as client,
        pytest.raises(AccessError, match="may not edit this file.*ask its owner or an admin"),
    ):
        client.call(each, file_key=KEY, **{each.parameters[-1].name: json.loads('{"variables": []}')})


@pytest.mark.parametrize(
    ("scope", "words"),
    [
        ("org:discovery_read", "Governance"),
        ("org:developer_log_read", "Governance"),
        ("org:activity_log_read", "an Enterprise organization"),
        ("webhooks:write", "a Professional, Organization or Enterprise plan"),
        ("projects:read", "a higher plan"),
    ],
)
def test_each_part_has_a_plan_of_its_own(scope, words):
    from tokensync.extract.client.responses import requirement_of

    assert words in requirement_of(scope).plan
