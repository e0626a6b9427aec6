"""``emulator records``, and access to the logs."""

import json

import pytest
from commands.projects import COLORS, on_the_platform, project_in, tokensync


@pytest.fixture
def project(folder):
    project_in(folder)
    on_the_platform(COLORS)
    return folder


def records(*arguments, code=0):
    return tokensync("emulator", "records", *arguments, code=code)


def test_a_request_is_in_the_developer_logs(project):
    records(
        "request", "get_variable_defs", "--source", "mcp_server", "--ip", "192.0.2.1", "--file", "one", "--ago", "2h"
    )
    (token,) = json.loads(tokensync("audit", "--json").output)["tokens"]
    (call,) = token["calls"]
    assert (token["token"], token["addresses"]) == ("default", ["192.0.2.1"])
    assert (call["event"], call["source"], call["resource"]) == ("get_variable_defs", "mcp_server", "key-one")


def test_an_activity_is_in_the_activity_logs(project):
    records("activity", "fig_file_view", "--file", "one", "--app", "Sync", "--ago", "1d")
    records("activity", "org_user_create")
    done = tokensync("api", "activity-logs", "list", "--all")
    found = json.loads(done.output)
    assert [each["action"]["type"] for each in found] == ["fig_file_view", "org_user_create"]
    entity = found[0]["entity"]
    assert (entity["type"], entity["key"], entity["editor_type"]) == ("file", "key-one", "figma")
    assert found[0]["context"]["client_name"] == "Sync"


def test_a_text_is_found_by_discovery(project):
    records("text", "slate is too dark", "--kind", "annotation", "--node", "1:2", "--file", "one", "--ago", "2h")
    (found,) = json.loads(tokensync("audit", "texts", "slate", "--json").output)
    assert (found["text"], found["kind"], found["node"], found["file"]) == (
        "slate is too dark",
        "annotation",
        "1:2",
        "key-one",
    )


def test_the_organization_decides_who_may_look(project):
    tokensync("emulator", "organization", "--no-governance")
    assert "Limited by Figma plan" in tokensync("audit", code=1).stderr
    tokensync("emulator", "organization", "--governance", "--plan", "organization")
    assert "Limited by Figma plan" in tokensync("audit", code=1).stderr
    done = tokensync("emulator", "organization", "--plan", "enterprise")
    assert done.stderr == "the organization is on the plan enterprise\n"
    tokensync("audit")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["records", "text", "x", "--kind", "poem"], "no kind 'poem'"),
        (["records", "text", "x", "--file", "nowhere"], "nowhere"),
        (["records", "activity", "x", "--user", "7"], "user 7: no such user"),
        (["records", "request", "x", "--token", "figd_none"], "no such token"),
        (["records", "request", "x", "--ago", "soon"], "soon"),
        (["organization"], "Nothing to change"),
        (["organization", "--plan", "gold"], "no plan 'gold'"),
    ],
)
def test_unknown_names_are_reported_as_usage_errors(project, arguments, says):
    assert says in tokensync("emulator", *arguments, code=2).stderr
