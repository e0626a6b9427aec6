"""Both sides against the platform's own public OpenAPI document: what the emulator answers, what the client asks.

The specification is what counts; where the document says otherwise, that stands here with its reason.
"""

import json
import re

import pytest
from apply.wanted import edited, grown, with_dim, without_brand, without_dark, without_theme
from apply.world import World, two_batches
from emulator.contract import rows
from emulator.platform import OPENED, Platform
from emulator.test_contract import ROWS
from outside.public_document import faults, operation, operations

from tokensync.emulator.services import ROUTES
from tokensync.emulator.tokens import OAUTH, PERSONAL, PLAN
from tokensync.extract.client.endpoints import ENDPOINTS

pytestmark = pytest.mark.outside

NOT_IN_IT = (
    "/oauth",
    "/v1/oauth/token",
    "/v1/oauth/refresh",
    "/v1/discovery",
    "/v1/discovery/text_events/{hour}",
    "/pictures/{source}/{name}",
    "/v1/code_connect",
    "/v1/code_connect/{file_key}/cli_data",
    "/v1/code_connect/name_embeddings",
)
"""Endpoints of ours that the document does not describe."""
OTHERWISE = {
    ("PUT", "/v1/dev_resources"): "links_updated.*|.*links_created.*",  # the specification has ids
    ("POST", "/v1/developer_logs"): "meta/items/.*/token_type .*",  # and another name for a personal access token
    ("GET", "/v1/files/{file_key}/nodes"): "nodes/[^/]* null is not .*",  # a node that is not there is null
}
"""What the emulator answers differently, as a regular expression of place and words."""
CLIENT_OTHERWISE = {
    ("activity-logs list", "cursor"),  # is in the documentation's text
    ("webhooks create", "team_id"),  # is deprecated, and the specification has context_id
    ("webhooks update", "event_type"),  # the specification needs no member
    ("webhooks update", "endpoint"),
    ("webhooks update", "passcode"),
    ("versions list", "before"),  # ids of versions are texts; here they are numbers
    ("versions list", "after"),
}
KINDS_OF_SCHEMES = {"PersonalAccessToken": PERSONAL, "PlanAccessToken": PLAN, "OAuth2": OAUTH, "OrgOAuth2": OAUTH}
ACCESS_OTHERWISE = {
    ("POST", "/v1/developer_logs"): "the specification names a scope, and the document none",
    ("GET", "/v1/ai_usage/daily"): "the document names the scope in its text only",
    ("GET", "/v1/activity_logs"): "the specification excludes no kind of token",
    ("GET", "/v2/folders/{folder_id}/meta"): "the specification excludes no kind of token",
    ("GET", "/v1/files/{file_key}/variables/local"): "the page on plan access tokens excludes writing only",
    ("GET", "/v1/files/{file_key}/variables/published"): "the page on plan access tokens excludes writing only",
    ("POST", "/v1/files/{file_key}/variables"): "a plan access token is refused by its scope",
}
"""Endpoints with other scopes or kinds of tokens than the document has, and why."""
REQUIRED = (edited, grown, two_batches, without_dark, without_theme, without_brand, with_dim)
KINDS = {
    "text": ("string",),
    "number": ("number", "integer"),
    "boolean": ("boolean",),
    "list": ("string", "array"),
}


def access_of(route):
    """Return (scopes, kinds of token) of a route here, and of its operation in the document."""
    schemes = [pair for scheme in operation(route.method, described(route.path)).security for pair in scheme.items()]
    scopes = {scope for _, several in schemes for scope in several}
    return (set(filter(None, route.scopes)), set(route.kinds)), (
        scopes,
        {KINDS_OF_SCHEMES[scheme] for scheme, _ in schemes},
    )


def test_each_route_takes_the_scopes_and_kinds_of_tokens_of_the_document():
    routes = [route for route in ROUTES if described(route.path) not in NOT_IN_IT]
    differing = {
        (route.method, described(route.path))
        for route in routes
        for ours, theirs in [access_of(route)]
        if ours != theirs
    }
    assert differing == set(ACCESS_OTHERWISE)


def test_the_client_names_the_scopes_of_the_document():
    """For an endpoint of the document, apart from those that the specification gives a scope and the document none."""
    differing = set()
    for endpoint in ENDPOINTS:
        found = operation(endpoint.method, "/" + re.sub(r"{(\w+)}", r"{\1}", endpoint.path))
        documented = (
            {scope for scheme in found.security for several in scheme.values() for scope in several} if found else set()
        )
        if documented and set(endpoint.scopes) != documented:
            differing.add(f"{endpoint.group} {endpoint.name}")
    assert differing == set()


def described(path):
    """A path of ours with its parameters in braces."""
    return "/" + re.sub(r"<(.+?)>", r"{\1}", path).removeprefix("/")


def of_document(method, path):
    return operation(method, re.sub(r"{\w+}", "x", described(path)))


def successes():
    """Return the successful rows, by operation."""
    operations = {}
    for row in ROWS:
        described_operation = (
            operation(row.request.method, row.request.path.partition("?")[0]) if row.status == 200 else None
        )
        if described_operation is not None:
            operations.setdefault((described_operation.method, described_operation.path), []).append(row)
    return operations


@pytest.fixture(autouse=True)
def closed():
    yield
    while OPENED:
        OPENED.pop().close()


class TestTheEmulator:
    def test_answers_all_that_is_in_it(self):
        answered = [of_document(each.method, each.path) for each in ROUTES]
        assert {each.path for each in operations() if each not in answered} == set()

    @pytest.mark.parametrize("route", ROUTES, ids=lambda route: f"{route.method} {described(route.path)}")
    def test_a_successful_response_matches_its_schema(self, route):
        described_operation = of_document(route.method, route.path)
        if described_operation is None:
            assert described(route.path) in NOT_IN_IT
            return
        count, differing = 0, OTHERWISE.get((described_operation.method, described_operation.path), "(?!)")
        for row in successes()[described_operation.method, described_operation.path]:
            platform = Platform()
            names = rows.standard(platform)
            names |= row.setup(platform)
            answer = rows.send(platform, row.request, names)
            schema = described_operation.answers["200"]
            if schema is None:  # nothing is described; what a script of Figma's own reads is no contradiction
                assert answer.body == {"status": 200, "error": False}
                continue
            problems = [f"{location} {words}" for location, words in faults(schema, answer.body)]
            assert [each for each in problems if not re.fullmatch(differing, each, re.DOTALL)] == [], row.name
            count += len(problems)
        assert (count > 0) is ((described_operation.method, described_operation.path) in OTHERWISE)


class TestTheClient:
    @pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
    def test_an_endpoint_has_the_parameters_of_the_document(self, endpoint):
        described_operation = of_document(endpoint.method, endpoint.path)
        if described_operation is None:
            assert described(endpoint.path) in NOT_IN_IT
            return
        ours = {(each.location, each.name): each for each in endpoint.parameters if each.location in ("query", "body")}
        theirs = {key: schema for key, schema in described_operation.parameters.items() if key[0] == "query"}
        needed = set(described_operation.required)
        if described_operation.body is not None and not endpoint.raw_body:
            theirs |= {
                ("body", name): schema for name, schema in described_operation.body.get("properties", {}).items()
            }
            needed |= set(described_operation.body.get("required", ()))
        if endpoint.raw_body:
            ours = {key: each for key, each in ours.items() if each.location == "query"}
        differing = {name for _, name in ours.keys() ^ theirs.keys()}
        for key in ours.keys() & theirs.keys():
            of_kind = KINDS.get(ours[key].kind, ())
            kind = theirs[key].get("type")
            if ours[key].required is not (key[1] in needed) or (key[0] == "query" and kind not in of_kind):
                differing.add(key[1])
        assert {(endpoint.name, name) for name in differing} == {
            each for each in CLIENT_OTHERWISE if each[0] == endpoint.name
        }

    @pytest.mark.parametrize("wanted", REQUIRED)
    def test_requests_of_apply_match_the_document(self, tmp_path, wanted):
        world = World(tmp_path)
        world.applier().apply(world.plan(wanted(world.state)), force=True)
        bodies = [json.loads(each) for each in world.network.committed]
        schema = operation("POST", "/v1/files/Harbor/variables").body
        assert bodies
        assert [fault for body in bodies for fault in faults(schema, body)] == []
