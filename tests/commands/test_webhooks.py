"""``tokensync webhooks`` on the embedded emulator: create, list, pause, test and delete."""

import json

import pytest
from commands.projects import COLORS, on_the_platform, project_in, tokensync

from tokensync.commands import webhooks
from tokensync.emulator import Emulator
from tokensync.emulator.webhooks import Reply
from tokensync.system.errors import UsageError

ENDPOINT = "http://127.0.0.1:9/hook"


@pytest.fixture
def sent(monkeypatch):
    """Record the requests of the embedded emulator; the endpoint responds with the last of ``replies``."""
    requests = []

    def send(endpoint, payload):
        requests.append((endpoint, json.loads(payload)))
        return Reply(200)

    whole = Emulator.__init__
    monkeypatch.setattr(Emulator, "__init__", lambda self, *a, **more: whole(self, *a, **{"send": send, **more}))
    return requests


@pytest.fixture
def project(folder, monkeypatch, sent):
    monkeypatch.setenv("HOOK", "open sesame")
    project_in(folder, files=("one", "two"))
    for name in ("one", "two"):
        on_the_platform(COLORS, name)
    return folder


def create(*more, code=0):
    return tokensync("webhooks", "create", "--endpoint", ENDPOINT, "--passcode-env", "HOOK", *more, code=code)


def listed(*more):
    return json.loads(tokensync("webhooks", "list", "--json", *more).output)


def test_each_configured_file_gets_a_webhook_by_default_and_is_pinged(project, sent):
    done = create()
    assert done.stderr.splitlines() == [
        "created webhook 1: LIBRARY_PUBLISH of file one",
        "created webhook 2: LIBRARY_PUBLISH of file two",
    ]
    assert [(each["context"], each["context_id"]) for each in listed()] == [("FILE", "key-one"), ("FILE", "key-two")]
    assert [(endpoint, payload["event_type"]) for endpoint, payload in sent] == [(ENDPOINT, "PING")] * 2
    assert {payload["passcode"] for _, payload in sent} == {"open sesame"}


def test_a_team_a_folder_and_single_files_are_named(project):
    create("--team", "1", "--event", "file_update", "--description", "All")
    create("--folder", "1", "--paused")
    create("--file", "two")
    create("--file", "https://www.figma.com/design/key-one/Name")
    (team,) = listed("--team", "1")
    assert (team["event_type"], team["description"], team["status"]) == ("FILE_UPDATE", "All", "ACTIVE")
    assert listed("--folder", "1")[0]["status"] == "PAUSED"
    assert [each["context_id"] for each in listed("--plan", "organization-1")] == ["1", "1", "key-two", "key-one"]


def test_the_list_is_a_table_without_passcodes(project):
    create("--file", "one", "--json")
    shown = tokensync("webhooks", "list", "--file", "one").output.splitlines()
    assert shown[0].split() == ["ID", "STATUS", "EVENT", "CONTEXT", "ENDPOINT", "DESCRIPTION"]
    assert shown[1].split() == ["1", "ACTIVE", "LIBRARY_PUBLISH", "file", "key-one", ENDPOINT]
    assert "sesame" not in create("--file", "two", "--json").output


def test_a_webhook_is_paused_resumed_and_deleted(project, sent):
    create("--file", "one")
    sent.clear()
    assert "webhook 1 is PAUSED" in tokensync("webhooks", "pause", "1").stderr
    assert tokensync("emulator", "publish", "one").stderr == "published one\n"
    assert sent == []
    assert "webhook 1 is ACTIVE" in tokensync("webhooks", "resume", "1").stderr
    tokensync(
        "emulator", "events", "raise", "LIBRARY_PUBLISH", "--file", "key-one", "--modified", "a", "--asset", "styles"
    )
    assert [payload["event_type"] for _, payload in sent] == ["LIBRARY_PUBLISH"]
    assert "deleted webhook 1" in tokensync("webhooks", "delete", "1").stderr
    assert listed("--file", "one") == []
    assert "no such webhook" in tokensync("webhooks", "delete", "1", code=1).stderr


def test_a_test_pings_the_endpoint_and_leaves_nothing_behind(project, sent):
    create("--file", "one")
    sent.clear()
    done = tokensync("webhooks", "test", "1", "--passcode-env", "HOOK")
    assert "webhook 1: the endpoint responded with 200" in done.stderr
    assert [(endpoint, payload["event_type"]) for endpoint, payload in sent] == [(ENDPOINT, "PING")]
    assert [each["id"] for each in listed("--file", "one")] == ["1"]


def test_a_failed_test_of_an_endpoint_reports_the_reason(folder, monkeypatch):
    monkeypatch.setenv("HOOK", "open sesame")
    project_in(folder)
    on_the_platform(COLORS)
    tokensync("webhooks", "create", "--endpoint", "http://127.0.0.1:1/", "--passcode-env", "HOOK")
    done = tokensync("webhooks", "test", "1", "--passcode-env", "HOOK", code=1)
    assert "could not be reached" in done.stderr
    assert len(listed()) == 1


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--team", "1", "--folder", "1"], "they are mutually exclusive"),
        (["--team", "1", "--file", "one"], "they are mutually exclusive"),
        (["--endpoint", "http://example.com/"], "http sends the passcode in plain text"),
        (["--endpoint", "example.com"], "not an http or https URL"),
        (["--endpoint", "https://[::1"], "not an http or https URL"),
        (["--passcode-env", "NOTHING"], "is empty or not set"),
        (["--passcode-env", "LONG"], "it has 101 characters; use at most 100"),
        (["--passcode-env", "ODD"], "contains unprintable characters"),
        (["--event", "PING"], "is not one of"),
    ],
)
def test_invalid_arguments_are_reported_before_a_webhook_is_created(project, monkeypatch, arguments, says):
    monkeypatch.setenv("LONG", "x" * 101)
    monkeypatch.setenv("ODD", "x\n")
    assert says in create(*arguments, code=2).stderr
    assert listed() == []


def test_a_plan_excludes_the_other_contexts(project):
    assert "--plan excludes" in tokensync("webhooks", "list", "--plan", "x", "--team", "1", code=2).stderr


def test_waiting_for_a_ping_ends(project):
    class Silent:
        webhooks = None

    class Answers:
        def get(self, id_):
            return webhook

        def create(self, *_, **__):
            return webhook

        def requests(self, id_):
            return ()

        def delete(self, id_):
            deleted.append(id_)

    from msgspec.structs import replace

    from tokensync.extract.client.groups import Webhook
    from tokensync.project.configuration import load_project

    webhook = Webhook("1", "FILE_UPDATE", "TEAM", "1")
    client, deleted, now = Silent(), [], [0.0]
    client.webhooks = Answers()
    elsewhere = load_project(None)
    elsewhere = replace(elsewhere, config=replace(elsewhere.config, base_url="figma"))

    def sleep(seconds):
        now[0] += seconds

    tested = webhooks.ping(elsewhere, client, "1", "x", seconds=3, sleep=sleep, elapsed=lambda: now[0])
    assert (tested.succeeded, tested.error) == (False, "Figma has sent nothing for 3 s")
    assert (deleted, now) == (["1"], [3.0])
    webhook = Webhook("1")
    with pytest.raises(UsageError, match="reports no context"):
        webhooks.ping(elsewhere, client, "1", "x", seconds=3)


@pytest.mark.parametrize("endpoint", ["http://user:s3cret@127.0.0.1:1/hook?token=s3cret", "ftp://user:s3cret@host/x"])
def test_no_command_shows_the_secrets_of_an_endpoint(project, endpoint):
    arguments = ("--endpoint", endpoint, "--passcode-env", "HOOK", "--file", "one")
    done = [tokensync("webhooks", "create", *arguments, "--json", code=0 if endpoint.startswith("http") else 2)]
    done += [tokensync("webhooks", "list"), tokensync("webhooks", "list", "--json")]
    if endpoint.startswith("http"):
        assert listed()[0]["endpoint"] == "http://***@127.0.0.1:1/hook?***"
        done += [tokensync("webhooks", *verb, "1") for verb in (["pause"], ["resume"])]
        done.append(tokensync("webhooks", "test", "1", "--passcode-env", "HOOK"))
    assert "s3cret" not in "".join(each.output + each.stderr for each in done)
