"""``tokensync api``: every endpoint from the shell, through the embedded emulator."""

import io
import json
import sys
from functools import partial
from urllib.parse import quote

import pytest
from commands.projects import COLORS, on_the_platform, project_in, tokensync

from tokensync.cli.main import tokensync as root
from tokensync.commands.api import address, endpoint_at
from tokensync.extract.client import Client
from tokensync.extract.client.endpoints import BODY, ENDPOINTS, Endpoint, Paging, Parameter, path
from tokensync.extract.client.responses import Clock, RetryPolicy
from tokensync.testing import running

FILE = ("--file-key", "key-one")
ID = "VariableID:1:10"


@pytest.fixture
def project(folder):
    project_in(folder, files=("one", "two"))
    on_the_platform(COLORS)
    return folder


@pytest.fixture
def other_endpoints(monkeypatch):
    """Replace the endpoints of the table."""
    return lambda *endpoints: monkeypatch.setattr("tokensync.extract.client.endpoints.ENDPOINTS", endpoints)


class TestList:
    def test_every_endpoint_is_a_line_of_method_and_path_in_the_order_of_the_table(self):
        assert tokensync("api", "--list").output.splitlines() == [address(each) for each in ENDPOINTS]
        assert "GET /v1/files/:file_key/variables/local" in tokensync("api", "--list").output.splitlines()

    def test_programs_get_all_that_is_known_of_each(self):
        (post,) = (
            each
            for each in json.loads(tokensync("api", "--list", "--json").output)
            if (each["group"], each["operation"]) == ("variables", "post")
        )
        assert post == {
            "group": "variables",
            "operation": "post",
            "method": "POST",
            "path": "/v1/files/:file_key/variables",
            "about": "Create, update and delete collections, modes, variables and values in one atomic batch.",
            "scopes": ["file_variables:write"],
            "tier": 3,
            "replaced_by": None,
            "pages": False,
            "parameters": [
                {
                    "name": "file_key",
                    "in": "path",
                    "kind": "text",
                    "required": True,
                    "about": "key of a file or branch",
                },
                {
                    "name": "body",
                    "in": "body",
                    "kind": "json",
                    "required": True,
                    "about": "changes, in up to four arrays",
                },
            ],
        }


class TestHelp:
    @pytest.mark.parametrize("endpoint", ENDPOINTS, ids=lambda endpoint: endpoint.name)
    def test_it_has_each_parameter_the_path_the_scope_and_the_tier(self, endpoint):
        help_text = " ".join(tokensync("api", endpoint.group, endpoint.operation, "--help").output.split())
        assert address(endpoint) in help_text
        assert all(f"--{each.name.replace('_', '-')}" in help_text for each in endpoint.parameters)
        assert all(scope in help_text for scope in endpoint.scopes)
        assert endpoint.tier is None or f"tier {endpoint.tier}" in help_text
        assert endpoint.replaced_by is None or f"use tokensync api {endpoint.replaced_by}" in help_text

    def test_the_replacement_of_an_endpoint_is_an_endpoint(self):
        names = {each.name for each in ENDPOINTS}
        assert {each.replaced_by for each in ENDPOINTS if each.replaced_by} <= names

    def test_no_parameter_has_the_name_of_an_option_of_ours(self):
        for endpoint in ENDPOINTS:
            command = root.get_command(None, "api").get_command(None, endpoint.group)
            names = [name for option in command.get_command(None, endpoint.operation).params for name in option.opts]
            assert len(names) == len(set(names)), endpoint.name


class TestCalls:
    def test_stdout_has_only_the_json_response(self, project):
        done = tokensync("api", "variables", "local", *FILE)
        assert done.stderr == ""
        assert set(json.loads(done.output)["meta"]) == {"variables", "variableCollections"}
        assert json.loads(tokensync("api", "users", "me").output)["handle"] == "owner"

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--file_key", "key-one"],
            ["--file-key=https://www.figma.com/design/key-one/Name"],
            ["--file", "one"],
        ],
        ids=["Figma's spelling", "a url", "a configured file"],
    )
    def test_a_file_is_named_in_several_ways(self, project, arguments):
        assert tokensync("api", "variables", "local", *arguments) == tokensync("api", "variables", "local", *FILE)

    def test_a_branch_url_means_the_branch_or_its_main_file_depending_on_the_endpoint(self, project):
        url = "https://www.figma.com/design/key-one/branch/Nowhere/Name"
        assert "variables" in tokensync("api", "variables", "published", "--file-key", url).output
        assert "404" in tokensync("api", "variables", "local", "--file-key", url, code=1).stderr

    @pytest.mark.parametrize("way", ["text", "file", "stdin"])
    def test_a_body_is_given_as_text_in_a_file_or_on_stdin(self, project, way, monkeypatch):
        body = json.dumps({"variables": [{"action": "UPDATE", "id": ID, "description": "d"}]})
        (project / "body.json").write_text(body, encoding="utf-8")
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(body.encode()), encoding="utf-8"))
        argument = {"text": body, "file": "@body.json", "stdin": "-"}[way]
        answer = tokensync("api", "variables", "post", *FILE, "--body", argument)
        assert json.loads(answer.output)["meta"] == {"tempIdToRealId": {}}
        local = json.loads(tokensync("api", "variables", "local", *FILE).output)
        assert local["meta"]["variables"][ID]["description"] == "d"

    @pytest.mark.parametrize("passcode", ["open sésame", "context"], ids=["long", "short, and the name of a member"])
    def test_secrets_among_the_parameters_are_hidden_in_the_response(self, project, monkeypatch, passcode):
        """The platform returns the passcode of a webhook that it creates."""
        body = json.dumps(
            {"id": "1", "context": "file", "passcode": passcode, "echo": [f"passcode={quote('open sésame')}"]}
        )
        monkeypatch.setattr(Client, "call", lambda *_, **__: body.encode())
        context = ("--event-type", "FILE_UPDATE", "--context", "file", "--context-id", "key-one")
        hook = ("--endpoint", "https://example.invalid/", "--passcode", passcode)
        answer = json.loads(tokensync("api", "webhooks", "create", *context, *hook).output)
        assert answer["passcode"] == "[hidden]"
        assert answer["echo"] == ["passcode=[hidden]" if " " in passcode else f"passcode={quote('open sésame')}"]

    def test_a_refused_request_is_reported_like_any_other_error(self, project):
        done = tokensync("api", "variables", "local", "--file-key", "Nowhere", code=1)
        assert done.output == ""
        assert done.stderr.startswith("error: GET emulator/v1/files/Nowhere/variables/local: no such file")

    @pytest.mark.parametrize(
        ("arguments", "what"),
        [
            (["variables", "local"], "give --file-key, or --file"),
            (["variables", "local", "--file", "one", *FILE], "remove one of them"),
            (["variables", "local", "--file", "one", "--file", "two"], "give one name"),
            (["variables", "local", "--file", "three"], "three"),
            (["variables", "post", *FILE], "body: variables post requires it"),
            (["variables", "post", *FILE, "--body", "{"], "Invalid JSON"),
            (["variables", "post", *FILE, "--body", "@nowhere"], "Cannot read nowhere: "),
            (["variables", "nothing"], "nothing"),
            (["nothing"], "nothing"),
            (["users", "me", "--file", "one"], "--file"),
        ],
    )
    def test_invalid_calls_are_usage_errors(self, project, arguments, what):
        done = tokensync("api", *arguments, code=2)
        assert what in done.stderr
        assert done.output == ""

    def test_calls_without_a_project_use_the_token_of_the_environment(self, folder, monkeypatch):
        assert "no access token" in tokensync("api", "users", "me", code=2).stderr
        monkeypatch.setenv("FIGMA_ACCESS_TOKEN", "t")
        monkeypatch.setattr("tokensync.extract.client.Clock", lambda: Clock(sleep=lambda seconds: None))
        assert "127.0.0.1:1" in tokensync("api", "users", "me", "--base-url", "http://127.0.0.1:1", code=1).stderr
        assert "tokensync.toml" in tokensync("api", "users", "me", "--base-url", "emulator:", code=2).stderr


class TestPaths:
    """``api METHOD /path``, for endpoints in the table and others."""

    @pytest.fixture
    def served(self, folder, monkeypatch):
        """Serve an emulator that the environment names, with a team's webhook whose passcode is ``open sesame``."""
        with running() as platform:
            monkeypatch.setenv("FIGMA_ACCESS_TOKEN", platform.token)
            monkeypatch.setattr("tokensync.extract.client.Clock", lambda: Clock(sleep=lambda seconds: None))
            yield platform

    def ask(self, platform, *arguments):
        return json.loads(tokensync("api", *arguments, "--base-url", platform.base_url).output)

    def test_an_endpoint_that_is_not_in_the_table_is_asked(self, served):
        answer = self.ask(served, "GET", "/v1/payments?user_id=1", "--field", "plugin_id=7")
        assert (answer["meta"]["user_id"], answer["meta"]["resource_id"]) == ("1", "7")

    def test_fields_and_json_are_a_body_and_a_repeated_secret_is_hidden(self, served, folder):
        body = {"event_type": "FILE_UPDATE", "context": "team", "endpoint": "http://127.0.0.1:9/", "context_id": "9"}
        (folder / "body.json").write_text(json.dumps(body), encoding="utf-8")
        fields = ("--field", "passcode=open sesame", "--field", "context_id=1")
        made = self.ask(served, "POST", "/v2/webhooks", "--json", "body.json", *fields)
        assert (made["context_id"], made["passcode"]) == ("1", "[hidden]")
        (folder / "body.json").write_bytes(json.dumps(body | {"context_id": "1", "passcode": "open sesame"}).encode())
        assert self.ask(served, "POST", "/v2/webhooks", "--json", "body.json")["passcode"] == "[hidden]"

    def test_a_body_may_be_any_json(self, served, folder):
        served.emulator.files.create("Harbor")
        (folder / "names.json").write_text('["a", "b"]', encoding="utf-8")
        answer = self.ask(served, "POST", "/v1/code_connect/name_embeddings?file_key=Harbor", "--json", "names.json")
        assert len(answer["meta"]["embeddings"]) == 2

    def test_all_follows_the_pages_of_a_list(self, served):
        served.emulator.places.create_team("Second")
        for number in range(60):
            team = str(number % 2 + 1) if number < 40 else "1"
            kind = {"event_type": "FILE_UPDATE", "passcode": "p", "endpoint": "http://127.0.0.1:9/"}
            where = (
                {"context": "team", "context_id": team}
                if number < 40
                else {"context": "file", "context_id": f"F{number}"}
            )
            if number >= 40:
                served.emulator.files.create(f"F{number}")
            body = json.dumps(kind | where)
            fields = [part for name, value in json.loads(body).items() for part in ("--field", f"{name}={value}")]
            self.ask(served, "POST", "/v2/webhooks", *fields)
        rows = self.ask(served, "GET", "/v2/webhooks", "--field", "plan_api_id=organization-1", "--all")
        assert [row["id"] for row in rows] == [str(number) for number in range(1, 61)]

    def test_pages_of_an_unknown_endpoint_are_followed_by_their_cursor(self):
        pages = {"": {"items": [1], "next_cursor": "b", "has_next_page": True}, "b": {"items": [2], "next_cursor": ""}}
        endpoint, values = endpoint_at("GET", "/v9/things?limit=1")
        assert endpoint.paging.following(pages[""]) == {"cursor": "b"}
        assert endpoint.paging.following(pages["b"]) is None
        assert endpoint.request(values | {"cursor": "b"}).path == "v9/things?limit=1&cursor=b"

    @pytest.mark.parametrize(
        ("arguments", "what"),
        [
            (["GET", "https://api.figma.com/v1/me"], "not a path"),
            (["GET", "/v1/../../me"], "not a path"),
            (["GET", "/v1/me and more"], "not a path"),
            (["GET", "/v1/me", "--field", "x"], "NAME=VALUE"),
            (["POST", "/v1/me", "--json", "nowhere"], "Cannot read nowhere"),
            (["get", "/v1/me"], "get"),
        ],
    )
    def test_what_cannot_be_sent_is_a_usage_error(self, folder, arguments, what):
        assert what in tokensync("api", *arguments, code=2).stderr


class TestTable:
    """Features of the table, on replacement endpoints."""

    ME = next(each for each in ENDPOINTS if each.name == "users me")

    def test_values_are_sent_in_their_kinds(self, project, other_endpoints, monkeypatch):
        seen = []
        monkeypatch.setattr(
            "tokensync.extract.client.Client.call", lambda _, endpoint, **argument: seen.append(argument) or b"{}"
        )
        other_endpoints(
            self.ME._replace(
                parameters=(
                    path("key", "a key"),
                    Parameter("page_size", "how many", kind="number"),
                    Parameter("scale", "how large", kind="number"),
                    Parameter("ids", "which", kind="list"),
                    Parameter("branch_data", "whether", kind="boolean"),
                    Parameter("links", "what", BODY, "json"),
                    Parameter("absent", "nothing"),
                )
            )
        )
        arguments = ["--key", "k", "--page-size", "25", "--scale", "0.5", "--ids", "1:2,1:3", "--ids", "1:4"]
        tokensync("api", "users", "me", *arguments, "--branch-data", "true", "--links", "[1]")
        assert [bytes(seen[0].pop("links"))] == [b"[1]"]
        assert seen == [
            {"key": "k", "page_size": 25, "scale": 0.5, "ids": ["1:2", "1:3", "1:4"], "branch_data": True},
        ]

    @pytest.mark.parametrize("way", ["text", "file", "stdin"])
    def test_a_secret_may_come_from_a_file_or_stdin(self, project, other_endpoints, monkeypatch, way):
        seen = []
        monkeypatch.setattr(
            "tokensync.extract.client.Client.call", lambda _, endpoint, **argument: seen.append(argument) or b"{}"
        )
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"tide\n"), encoding="utf-8"))
        (project / "secret").write_text("tide\n", encoding="utf-8")
        other_endpoints(self.ME._replace(parameters=(Parameter("client_secret", "an app's secret", secret=True),)))
        tokensync("api", "users", "me", "--client-secret", {"text": "tide", "file": "@secret", "stdin": "-"}[way])
        assert seen == [{"client_secret": "tide"}]

    @pytest.mark.parametrize("number", ["many", "nan", "1e999", ""])
    def test_a_number_is_one(self, project, other_endpoints, number):
        other_endpoints(self.ME._replace(parameters=(Parameter("limit", "how many", kind="number"),)))
        assert "is not a number" in tokensync("api", "users", "me", "--limit", number, code=2).stderr

    def test_all_pages_become_one_list(self, project, other_endpoints, monkeypatch):
        pages = [{"meta": {"rows": [1, 2]}}, {"meta": {"rows": [3]}}]
        monkeypatch.setattr("tokensync.extract.client.session.Session.pages", lambda *_, **__: iter(pages))
        other_endpoints(self.ME._replace(paging=Paging(("meta", "rows"), lambda page: None)))
        assert json.loads(tokensync("api", "users", "me", "--all").output) == [1, 2, 3]

    def test_waits_are_reported_without_a_terminal_too(self, project, monkeypatch):
        monkeypatch.setattr("tokensync.extract.client.Clock", lambda: Clock(sleep=lambda seconds: None))
        fault = {"path": "/v1/me", "nth": 1, "status": 503}
        with running(faults=[fault | {"headers": {"Retry-After": "2"}}]) as platform:
            for name, value in platform.environment.items():
                monkeypatch.setenv(name, value)
            assert "503 Service Unavailable; trying again in 2 s (2 of 5)" in tokensync("api", "users", "me").stderr

    def test_a_wait_that_nobody_notices_is_not_reported(self, project, monkeypatch):
        monkeypatch.setattr("tokensync.extract.client.Clock", lambda: Clock(sleep=lambda seconds: None))
        monkeypatch.setattr(
            "tokensync.extract.client.RetryPolicy", partial(RetryPolicy, first=0.5, longest_backoff=0.9)
        )
        with running(faults=[{"path": "/v1/me", "status": 503}]) as platform:
            for name, value in platform.environment.items():
                monkeypatch.setenv(name, value)
            assert "trying again" not in (stderr := tokensync("api", "users", "me", code=1).stderr)
            assert "after 5 attempts" in stderr

    def test_all_on_an_endpoint_without_pages_prints_its_response(self, project):
        assert tokensync("api", "users", "me", "--all") == tokensync("api", "users", "me")

    def test_a_deprecated_endpoint_is_asked_and_names_the_one_to_use(self, project, other_endpoints):
        other_endpoints(self.ME._replace(replaced_by="users you"))
        done = tokensync("api", "users", "me")
        assert done.stderr == "users me is deprecated; use tokensync api users you\n"
        assert json.loads(done.output)["id"]

    @pytest.mark.parametrize(("body", "shown"), [(b"", ""), (b"<p>\x1b[31m</p>\n<p>", "<p>\\x1b[31m</p>\n<p>\n")])
    def test_an_answer_that_is_no_json_is_shown_as_text(self, project, monkeypatch, body, shown):
        monkeypatch.setattr("tokensync.extract.client.Client.call", lambda *_, **__: body)
        assert tokensync("api", "users", "me").output == shown


def test_operation_names_are_unique():
    names = [each.name for each in ENDPOINTS]
    assert len(names) == len(set(names))
    assert all(isinstance(each, Endpoint) for each in ENDPOINTS)
