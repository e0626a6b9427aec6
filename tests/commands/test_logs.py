"""``tokensync logs``, and the entries of logs that the emulator can be given."""

import json
import time

import pytest
from commands.projects import COLORS, on_the_platform, project_in, tokensync

from tokensync.commands.logs import mentions_in
from tokensync.project.configuration import load_project
from tokensync.project.connection import connect, embedded_emulator
from tokensync.testing import running

HOUR = 3600


@pytest.fixture
def project(folder):
    project_in(folder)
    on_the_platform(COLORS)
    return folder


def emulator():
    return embedded_emulator(load_project(None))


def logs(*arguments):
    return json.loads(tokensync("logs", *arguments, "--json").output)


def test_requests_are_listed_as_the_platform_describes_them(project):
    tokensync("-q", "pull")
    published, local = logs()
    assert published["action"] == {"event_name": "/v1/files/:file_key/variables/published", "event_source": "rest_api"}
    assert local["action"]["event_name"] == "/v1/files/:file_key/variables/local"
    assert local["timestamp"] <= published["timestamp"]
    assert (local["resource"]["id_or_key"], local["context"]["ip_address"]) == ("key-one", "127.0.0.1")
    actor = local["actor"]
    assert (actor["token_name"], actor["token_type"]) == ("default", "personal_access_token")
    assert actor["user_email"] == "owner@example.com"


def test_the_text_has_one_line_per_request(project):
    tokensync("-q", "pull")
    done = tokensync("logs")
    header, first, _ = done.output.splitlines()
    assert header.split() == ["WHEN", "TOKEN", "USER", "IP", "REQUEST", "RESOURCE"]
    cells = ["default", "owner@example.com", "127.0.0.1", "/v1/files/:file_key/variables/published", "one"]
    assert first.split()[1:] == cells
    assert "2 requests" in done.stderr


def test_no_project_is_needed_where_the_platform_is_named(folder, monkeypatch):
    with running() as platform:
        tokens = platform.emulator.tokens
        owner = tokens.of(platform.token).user
        asking = tokens.create(kind="plan", scopes=("org:developer_log_read",), user=owner, name="auditor")
        monkeypatch.setenv("FIGMA_ACCESS_TOKEN", asking)
        logs("--base-url", platform.base_url)
        (request,) = logs("--base-url", platform.base_url)
        assert request["actor"]["token_name"] == "auditor"


def test_the_search_itself_is_in_the_next_one(project):
    logs()
    (request,) = logs()
    actor = request["actor"]
    assert (actor["token_name"], actor["token_type"], actor["user_email"]) == ("tokensync", "plan_access_token", "")


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ([], ["CI", "Docs", "agent"]),
        (["--token", "CI", "--token", "doc"], ["CI", "Docs"]),
        (["--user", "ada@"], ["CI", "agent"]),
        (["--ip", "192.0.2."], ["Docs"]),
        (["--type", "oauth"], ["Docs"]),
        (["--source", "mcp"], ["agent"]),
        (["--since", "24h"], ["CI"]),
        (["--since", "30d"], ["CI", "Docs", "agent", "old"]),
        (["--secret-in", "LEAKED"], ["CI"]),
    ],
)
def test_options_filter_the_access_tokens(project, monkeypatch, options, wanted):
    with emulator() as platform:
        ada, bo = platform.people.create("Ada"), platform.people.create("Bo")
        make, add = platform.tokens.create, platform.developer_logs.add
        leaked = make(user=ada, name="CI")
        add(leaked, "/v1/me")
        add(make(user=bo, kind="oauth", name="Docs"), "/v1/me", address="192.0.2.9", ago=30 * HOUR)
        add(make(user=ada, name="agent"), "get_variable_defs", source="mcp_server", ago=40 * HOUR)
        add(make(user=bo, name="old"), "/v1/me", ago=20 * 24 * HOUR)
    monkeypatch.setenv("LEAKED", leaked)
    assert [request["actor"]["token_name"] for request in logs(*options)] == wanted


def test_a_secret_is_asked_of_the_environment_and_shown_nowhere(project, monkeypatch):
    assert "LEAKED is not set" in tokensync("logs", "--secret-in", "LEAKED", code=2).stderr
    monkeypatch.setenv("LEAKED", "figd_very_secret")
    assert "figd_very_secret" not in "".join(map(str, tokensync("logs", "--secret-in", "LEAKED", "--json")))


def test_the_maximum_number_of_requests_is_enforced_and_reported(project):
    with emulator() as platform:
        for number in range(130):
            platform.developer_logs.add(platform.default_token, f"/v1/{number}")
    done = tokensync("-q", "logs", "--most", "120", "--token", "default", "--json")
    assert len(json.loads(done.output)) == 120
    assert "more requests match; raise --most" in done.stderr
    assert tokensync("-q", "logs", "--most", "1000").stderr == ""


def test_a_missing_add_on_is_reported(project):
    with emulator() as platform:
        platform.organization.set_governance(False)
    assert "Limited by Figma plan" in tokensync("logs", code=1).stderr
    assert "Limited by Figma plan" in tokensync("logs", "texts", "x", code=1).stderr


def texts(*arguments):
    return json.loads(tokensync("logs", "texts", *arguments, "--json").output)


@pytest.fixture
def written(project):
    with emulator() as platform:
        add = platform.text_events.add
        since_hour = time.time() % HOUR
        add("Why is Color/Accent so loud?\nPlease", file_key="key-one", node="1:2", ago=since_hour + 60)
        add("color/accent-2 and my-color/accent, xcolor/accent", kind="annotation", ago=since_hour + 60)
        add("use text/muted.", kind="comment", ago=since_hour + 30 * HOUR)
    return project


def test_texts_name_the_term_who_wrote_it_and_where(written):
    (found,) = texts("color/accent")
    assert found["text"] == "Why is Color/Accent so loud? Please"
    assert (found["kind"], found["by"], found["file"], found["node"]) == (
        "design_text",
        "owner@example.com",
        "key-one",
        "1:2",
    )
    done = tokensync("logs", "texts", "color/accent")
    assert "Why is Color/Accent so loud? Please" in done.output
    assert "1 mention of 1 term in 24 hours" in done.stderr


def test_more_than_a_day_is_asked_for_in_days(written):
    assert texts("text/muted") == []
    (found,) = texts("text/muted", "--hours", "48")
    assert found["kind"] == "comment"


def test_a_term_of_several_words_is_found(written):
    assert [each["term"] for each in texts("so loud", "loud so")] == ["so loud"]


def test_comments_and_links_are_found_once_their_hour_is_over(project):
    tokensync("-q", "dev-resources", "link", "--node", "1:2", "--url", "https://example.com/slate", "--name", "slate")
    with connect(load_project(None)) as client, emulator() as platform:
        assert client.dev_resources.list("key-one")
        platform.comments.add("key-one", "slate is too dark")
        platform.clock.set(time.time() - HOUR - 60)
        platform.comments.add("key-one", "slate was fine")
        platform.clock.set(time.time())
    found = texts("slate", "--hours", "3")
    assert [each["text"] for each in found] == ["slate was fine"]


@pytest.mark.parametrize(
    ("text", "is_mentioned"),
    [
        ("Color/Accent", True),
        ("use color/accent.", True),
        ('"color/accent"', True),
        ("color/accent-2", False),
        ("my-color/accent", False),
        ("kit/color/accent", False),
        ("color/accent.dark", False),
        ("kit.color/accent", False),
        ("xcolor/accent, then color/accent", True),
    ],
)
def test_whole_terms_are_found(text, is_mentioned):
    assert bool([*mentions_in("2026/01/31/09", json.dumps([text]).encode(), ["color/accent"])]) is is_mentioned


def test_a_file_of_another_format_is_searched():
    content = json.dumps({"data": [{"event_type": "chat", "body": {"parts": ["a slate b"]}, "user": {"id": 7}}]})
    (found,) = mentions_in("2026/01/31/09", content.encode(), ["slate"])
    assert (found.kind, found.by, found.text) == ("chat", "7", "a slate b")
    (plain,) = mentions_in("2026/01/31/09", b"no json, slate", ["slate"])
    assert plain.text == "no json, slate"
    (deep,) = mentions_in("2026/01/31/09", b"[" * 100_000 + b'"slate"', ["slate"])
    assert deep.text.endswith('[["slate"')


def test_a_lone_surrogate_is_written_as_a_question_mark():
    content = b'[{"type": "chat", "text": "slate \\ud83d", "user": "\\udc00"}]'
    (found,) = mentions_in("2026/01/31/09", content, ["slate"])
    assert (found.text, found.by) == ("slate ?", "?")


def records(*arguments, code=0):
    return tokensync("emulator", "records", *arguments, code=code)


def test_a_request_is_in_the_developer_logs(project):
    records(
        "request", "get_variable_defs", "--source", "mcp_server", "--ip", "192.0.2.1", "--file", "one", "--ago", "2h"
    )
    (request,) = logs()
    assert (request["actor"]["token_name"], request["context"]["ip_address"]) == ("default", "192.0.2.1")
    assert request["action"] == {"event_name": "get_variable_defs", "event_source": "mcp_server"}
    assert request["resource"]["id_or_key"] == "key-one"


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
    (found,) = texts("slate")
    assert (found["text"], found["kind"], found["node"], found["file"]) == (
        "slate is too dark",
        "annotation",
        "1:2",
        "key-one",
    )


def test_the_organization_decides_who_may_look(project):
    tokensync("emulator", "organization", "--no-governance")
    assert "Limited by Figma plan" in tokensync("logs", code=1).stderr
    tokensync("emulator", "organization", "--governance", "--plan", "organization")
    assert "Limited by Figma plan" in tokensync("logs", code=1).stderr
    done = tokensync("emulator", "organization", "--plan", "enterprise")
    assert done.stderr == "changed the organization\n"
    tokensync("logs")


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
