"""The emulator's contract, in process and over HTTP, and its OpenAPI document."""

import json
import pkgutil
import re
from functools import cache
from importlib import import_module

import pytest
from commands.projects import tokensync
from emulator import contract
from emulator.contract.http import send_to
from emulator.contract.promised import PROMISED
from emulator.contract.rows import Row, check, no_setup, standard, verify
from emulator.contract.sentences import SENTENCES
from emulator.contract.uncited import UNCITED
from emulator.platform import OPENED, Platform

from tokensync.emulator.endpoints import Query, Route
from tokensync.emulator.server import Server
from tokensync.emulator.services import ROUTES, document
from tokensync.extract.client.endpoints import ENDPOINTS
from tokensync.system.resources import read_bytes

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


def test_every_answer_has_a_schema_but_those_without_one_in_the_specification():
    silent = {f"{each.method} {each.path}" for each in ROUTES if each.returns is None and each.scopes}
    assert silent == {"DELETE /v1/files/<file_key>/dev_resources/<dev_resource_id>"}


GROUPS = tuple(import_module(f"emulator.contract.{module.name}") for module in pkgutil.iter_modules(contract.__path__))
ROWS: tuple[Row, ...] = tuple(row for group in GROUPS for row in getattr(group, "ROWS", ()))
LIVE = tuple(row for row in ROWS if row.live)
CITED = {cited for row in ROWS for cited in row.cites}


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_request_gets_the_status_body_and_message_of_its_row(row):
    verify(row)


def named(method, path):
    """``GET /v1/me``; parameters of a path are written as in the document, ``:file_key``."""
    written = re.sub(r"[<{](.+?)[>}]", r":\1", path)
    return f"{method} /{written.removeprefix('/')}"


ROUTED = {named(each.method, each.path): each for each in ROUTES}
CALLED = {named(each.method, each.path): each for each in ENDPOINTS}


@cache
def answered():
    """Return the statuses that rows expect of each endpoint, by its method and path.

    Of several endpoints that fit a row's path, the one with the fewest parameters is asked.
    """
    patterns = [(each, pattern(each.path)) for each in sorted(PROMISED, key=lambda each: each.path.count(":"))]
    statuses = {each.name: set() for each in PROMISED}
    for row in ROWS:
        path = row.request.path.partition("?")[0]
        fitting = (each for each, form in patterns if each.method == row.request.method and form.fullmatch(path))
        promise = next(fitting, None)
        if promise is not None:
            statuses[promise.name].add(row.status)
    return statuses


def pattern(path):
    return re.compile("/".join("[^/]+" if part.startswith(":") else re.escape(part) for part in path.split("/")))


class TestSentences:
    def test_each_is_written_once_with_its_subject(self):
        assert len(SENTENCES) == len(set(SENTENCES))
        assert [each for each in SENTENCES if not re.match(r"[A-Za-z ]+: \w", each)] == []

    def test_each_is_cited_by_a_row_or_has_a_reason_why_not(self):
        assert sorted(set(SENTENCES) - CITED - set(UNCITED)) == []

    def test_a_reason_is_of_a_sentence_that_no_row_cites(self):
        assert sorted(set(UNCITED) - set(SENTENCES)) == []
        assert sorted(set(UNCITED) & CITED) == []
        assert all(UNCITED.values())

    def test_a_row_cites_sentences_that_are_there(self):
        assert sorted(CITED - set(SENTENCES)) == []
        assert all(row.cites for row in ROWS)

    def test_the_groups_that_promise_behaviour_are_there(self):
        assert {each.partition(":")[0] for each in SENTENCES} >= {
            "variables",
            "webhooks",
            "errors",
            "limits",
            "versions",
        }


class TestEndpoints:
    def test_the_emulator_answers_each_that_is_promised(self):
        assert [each.name for each in PROMISED if each.name not in ROUTED] == []

    def test_the_client_calls_each_that_is_promised(self):
        assert [each.name for each in PROMISED if each.name not in CALLED] == []

    def test_there_are_no_others(self):
        promised = {each.name for each in PROMISED}
        assert set(CALLED) - promised == set()

    def test_the_list_has_the_order_of_the_document(self):
        assert [*CALLED] == [each.name for each in PROMISED]

    @pytest.mark.parametrize("promise", PROMISED, ids=lambda promise: promise.name)
    def test_both_tables_have_the_documented_scope_and_tier(self, promise):
        route, endpoint = ROUTED[promise.name], CALLED[promise.name]
        assert (route.scopes[:1], endpoint.scopes[:1]) == ((promise.scope,) * bool(promise.scope),) * 2
        assert promise.tier is None or route.tier == endpoint.tier == promise.tier
        assert route.tier == endpoint.tier
        assert (route.replaced_by is None) == (endpoint.replaced_by is None)

    @pytest.mark.parametrize("promise", PROMISED, ids=lambda promise: promise.name)
    def test_each_has_rows_for_its_success_and_every_error_that_is_listed(self, promise):
        assert {promise.success, *promise.errors} - answered()[promise.name] == set()


@pytest.fixture(scope="module")
def served():
    """Yield the address of a platform, and the names that rows use."""
    platform = Platform()
    OPENED.remove(platform.emulator)  # it is wanted by all of these tests
    with Server(platform.emulator) as server:
        yield server.base_url, standard(platform)
    platform.emulator.close()


@pytest.mark.parametrize("row", LIVE, ids=lambda row: row.name)
def test_a_request_over_http_is_answered_as_in_its_row(served, row):
    base_url, names = served
    check(row, send_to(base_url, row, names))


def test_rows_for_the_real_service_change_nothing_and_need_no_state():
    assert LIVE
    assert {row.request.method for row in LIVE} == {"GET"}
    assert {row.setup for row in LIVE} == {no_setup}
