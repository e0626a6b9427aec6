"""The OpenAPI document of the emulator, and the shipped file."""

import json
import re

from commands.projects import tokensync

from tokensync.emulator.endpoints import Query, Route
from tokensync.emulator.services import ROUTES, document
from tokensync.resources import read_bytes

LINKED = "/pictures/"
"""Routes that answers link to, which are not endpoints of the platform."""
GET = Route(
    "GET",
    "/v1/teams/<team_id>/things/<key>",
    lambda call: b"",
    scopes=("projects:read", "files:read"),
    tier=2,
    errors="err",
    kinds=("personal", "oauth"),
    replaced_by="/v2/things",
    parameters=(Query("limit", {"type": "integer"}, required=True),),
    returns={"type": "object"},
)


def test_the_shipped_file_matches_the_routes_and_the_command():
    assert json.loads(read_bytes("config", "openapi.json")) == document()
    assert json.loads(tokensync("emulator", "openapi").output) == document()


def test_each_route_is_an_operation_of_its_own_name():
    operations = [each for methods in document()["paths"].values() for each in methods.values()]
    assert len({each["operationId"] for each in operations}) == len(operations)
    routes = [each for each in ROUTES if not each.path.startswith(LINKED)]
    assert len(operations) == len(routes)


def test_a_route_becomes_an_operation():
    (path,) = document({"things": [GET]})["paths"].items()
    assert path[0] == "/v1/teams/{team_id}/things/{key}"
    operation = path[1]["get"]
    assert operation["operationId"] == "get_v1_teams_team_id_things_key"
    assert (operation["deprecated"], operation["x-replaced-by"], operation["x-rate-limit-tier"]) == (
        True,
        "/v2/things",
        2,
    )
    assert operation["parameters"] == [
        {"name": "team_id", "in": "path", "required": True, "schema": {"type": "string", "pattern": "^[0-9]+$"}},
        {"name": "key", "in": "path", "required": True, "schema": {"type": "string", "minLength": 1}},
        {"name": "limit", "in": "query", "required": True, "schema": {"type": "integer"}},
    ]
    assert "requestBody" not in operation
    assert operation["responses"]["200"]["content"] == {"application/json": {"schema": {"type": "object"}}}
    assert operation["responses"]["404"] == {"$ref": "#/components/responses/File404"}
    assert operation["security"] == [
        {scheme: [scope]} for scheme in ("PersonalAccessToken", "OAuth2") for scope in ("projects:read", "files:read")
    ]


def test_a_body_is_json_with_a_token_and_a_form_without():
    for scopes, expected in ((("projects:read",), "application/json"), ((), "application/x-www-form-urlencoded")):
        route = GET._replace(method="POST", scopes=scopes, accepts={"type": "object"})
        operation = document({"things": [route]})["paths"]["/v1/teams/{team_id}/things/{key}"]["post"]
        assert operation["requestBody"] == {"required": True, "content": {expected: {"schema": {"type": "object"}}}}


def test_every_reference_leads_somewhere():
    tree = document()
    references = set(re.findall(r'"\$ref": "#/([^"]+)"', json.dumps(tree)))
    assert references
    for reference in references:
        node = tree
        for part in reference.split("/"):
            node = node[part]


def test_every_answer_has_a_schema_but_those_without_a_body():
    silent = {f"{each.method} {each.path}" for each in ROUTES if each.returns is None and each.scopes}
    assert silent == {"DELETE /v1/files/<file_key>/dev_resources/<dev_resource_id>"}
