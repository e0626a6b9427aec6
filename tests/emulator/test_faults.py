"""Scripted faults: the affected requests, and those that are still carried out."""

import json
from contextlib import ExitStack

import pytest
import requests
from emulator.platform import GAP, KEY, update, variables

from tokensync.emulator.faults import Faults, read
from tokensync.emulator.server import Server
from tokensync.system.errors import UsageError


@pytest.fixture
def scripted(platform):
    """Return a function that serves the emulator with a fault script; it returns one that sends a request."""

    def served(script, **more):
        server = servers.enter_context(Server(Faults(platform.emulator, read(script, "script"), **more)))
        answers = []

        def ask(method, path, body=None):
            try:
                answer = requests.request(
                    method,
                    server.base_url + path,
                    json=body,
                    headers={"X-Figma-Token": platform.emulator.default_token},
                    timeout=30,
                )
            except requests.ConnectionError:
                return "dropped"
            answers.append(answer)
            return answer.status_code

        ask.answers = answers
        return ask

    with ExitStack() as servers:
        yield served


LOCAL = f"/v1/files/{KEY}/variables/local"
POST = f"/v1/files/{KEY}/variables"


def description(platform):
    return platform.state().variables[GAP]["description"]


def test_a_dropped_request_is_not_carried_out_when_it_drops_before(scripted, platform):
    ask = scripted('[[rules]]\nmethod = "POST"\ndrop = "before"')
    assert ask("POST", POST, variables(update(GAP, description="new"))) == "dropped"
    assert description(platform) == ""
    assert ask("GET", LOCAL) == 200


def test_a_dropped_request_is_carried_out_when_it_drops_after(scripted, platform):
    ask = scripted('[[rules]]\nmethod = "POST"\nnth = 2\ndrop = "after"')
    assert ask("POST", POST, variables(update(GAP, description="first"))) == 200
    assert ask("POST", POST, variables(update(GAP, description="second"))) == "dropped"
    assert description(platform) == "second"
    assert ask("POST", POST, variables(update(GAP, description="third"))) == 200


def test_a_status_replaces_the_response_and_has_its_own_headers(scripted):
    script = {"rules": [{"path": "/v1/files/*", "nth": [1, 3], "status": 429, "headers": {"Retry-After": "7"}}]}
    ask = scripted(json.dumps(script))
    assert [ask("GET", LOCAL) for _ in range(4)] == [429, 200, 429, 200]
    assert ask.answers[0].headers["Retry-After"] == "7"
    assert ask.answers[0].json() == {
        "status": 429,
        "error": True,
        "message": "A scripted fault",
        "err": "A scripted fault",
    }
    assert ask("GET", "/v1/me") == 200


@pytest.mark.parametrize("status", [204, 304])
def test_a_status_without_a_body_does_not_break_the_next_request(platform, status):
    application = Faults(platform.emulator, read(f"[[rules]]\nnth = 1\nstatus = {status}", "script"))
    with Server(application) as server, requests.Session() as session:
        session.headers["X-Figma-Token"] = platform.emulator.default_token
        answers = [session.get(server.base_url + LOCAL, timeout=30) for _ in range(2)]
    assert [answer.status_code for answer in answers] == [status, 200]
    assert answers[0].content == b""


def test_a_scripted_header_replaces_that_of_the_response(scripted):
    ask = scripted('[[rules]]\nstatus = 502\nheaders = { content-type = "text/html" }')
    assert ask("GET", LOCAL) == 502
    assert ask.answers[0].headers["Content-Type"] == "text/html"


def test_an_unused_body_is_still_read(scripted):
    ask = scripted('[[rules]]\nstatus = 503\nmessage = "later"')
    assert ask("POST", POST, {"x": "y" * 5_000_000}) == 503
    assert ask.answers[0].json()["message"] == "later"


def test_latency_waits_and_then_lets_the_request_through(scripted):
    waits = []
    ask = scripted("[[rules]]\nlatency = 2.5\nevery = 2", sleep=waits.append)
    assert [ask("GET", LOCAL) for _ in range(4)] == [200] * 4
    assert waits == [2.5, 2.5]


def test_chance_is_the_same_for_the_same_seed(scripted):
    def run(seed):
        ask = scripted(f"seed = {seed}\n[[rules]]\nprobability = 0.5\nstatus = 500")
        return [ask("GET", LOCAL) for _ in range(12)]

    assert run(1) == run(1) != run(2)
    assert set(run(1)) == {200, 500}


def test_the_first_matching_rule_applies_and_every_rule_counts(scripted):
    ask = scripted("[[rules]]\nnth = 1\nstatus = 500\n[[rules]]\nnth = [1, 2]\nstatus = 502")
    assert [ask("GET", LOCAL) for _ in range(3)] == [500, 502, 200]


def test_the_client_gets_through_faults_that_pass(platform):
    from tokensync.extract.client import Client, Credential
    from tokensync.extract.client.responses import Clock

    script = read("[[rules]]\nnth = 1\nstatus = 503\n[[rules]]\nnth = 2\ndrop = 'after'", "script")
    waits = []
    clock = Clock(sleep=waits.append)
    with (
        Server(Faults(platform.emulator, script)) as server,
        Client(server.base_url, Credential("personal", platform.emulator.default_token), clock=clock) as client,
    ):
        assert client.variables.local(KEY)
    assert len(waits) == 2


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("[[rules]]", "has no effect"),
        ("[[rules]]\nstatus = 99", "200 to 599"),
        ("[[rules]]\nstatus = 500\ndrop = 'after'", "combined with drop"),
        ("[[rules]]\nstatus = 500\nprobability = 2", "probability 0 to 1"),
        ("[[rules]]\nlatency = 1\nevery = 0", "every is 1 or more"),
        ("[[rules]]\nstaus = 500", "staus"),
        ("[[rules]]\ndrop = 'sometimes'", "sometimes"),
        ("[[rules]]\nstatus = 500\nnth = 0", "nth counts from 1"),
        ("[[rules]]\nstatus = 500\nnth = [1, -1]", "nth counts from 1"),
        ('[[rules]]\nstatus = 500\nheaders = { X = "a\\nY: b" }', "one line"),
        ('[[rules]]\nstatus = 500\nheaders = { X = "\u2603" }', "Latin-1"),
        ('[[rules]]\nstatus = 500\nheaders = { "X :" = "a" }', "have no spaces"),
        ('[[rules]]\nstatus = 500\nheaders = { content-length = "3" }', "cannot be set"),
        ("rules = 1", "array"),
        ("{", "line 1"),
        ("][", "Invalid"),
        ("[" * 100_000, "Invalid"),
    ],
)
def test_an_invalid_script_is_rejected_with_the_reason(script, reason):
    with pytest.raises(UsageError, match=f"(?s)^faults.toml: not a fault script .*{reason}.*; write "):
        read(script, "faults.toml")


@pytest.mark.parametrize(
    "text", ['[\n  {"status": 503}\n]', '\n{"rules": [{"status": 503}]}', "[[rules]]\nstatus = 503"]
)
def test_a_script_is_json_or_toml_however_it_is_written(text):
    assert [rule.status for rule in read(text, "script").rules] == [503]
