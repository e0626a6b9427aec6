"""Webhooks through the client: typed responses, all pages of a plan, and errors with advice."""

import json
from urllib.parse import quote_plus

import pytest
from extract.client.answering import SECRET

from tokensync.emulator import Emulator
from tokensync.emulator.webhooks import Reply
from tokensync.extract.client import Client, Credential
from tokensync.extract.client.groups import Webhook, shown_endpoint
from tokensync.system.errors import AccessError, NotFoundError, RequestError, ServerError

ENDPOINT = "https://example.com/hook"


@pytest.fixture
def emulator():
    emulator = Emulator(send=lambda endpoint, payload: Reply(503))
    emulator.files.create("Harbor")
    yield emulator
    emulator.close()


@pytest.fixture
def client(emulator):
    credential = Credential("personal", emulator.default_token, "the test")
    with Client("emulator:", credential, wsgi=emulator) as instance:
        yield instance


def make(client, context="file", context_id="Harbor", **more):
    return client.webhooks.create("LIBRARY_PUBLISH", context, context_id, ENDPOINT, "sesame", **more)


def test_a_webhook_is_created_read_changed_and_deleted(client):
    webhook = make(client, description="Tokens")
    assert (webhook.status, webhook.context, webhook.passcode, webhook.description) == (
        "ACTIVE",
        "FILE",
        "sesame",
        "Tokens",
    )
    assert client.webhooks.get("1") == Webhook(
        "1", "LIBRARY_PUBLISH", "FILE", "Harbor", "ACTIVE", ENDPOINT, "", "Tokens"
    )
    assert client.webhooks.set_status("1", "PAUSED").status == "PAUSED"
    assert client.webhooks.delete("1").id == "1"
    with pytest.raises(NotFoundError, match="no such webhook"):
        client.webhooks.get("1")


def test_all_pages_of_a_plan_are_read(client, emulator):
    for number in range(41):
        emulator.files.create(f"file-{number}")
        for _ in range(3):
            make(client, context_id=f"file-{number}", paused=True)
    assert [each.id for each in client.webhooks.of_plan("organization-1")] == [str(each) for each in range(1, 124)]


def test_the_history_has_requests_and_responses(client, emulator):
    make(client)
    emulator.deliver_due()
    (request,) = client.webhooks.requests("1")
    assert (request.event_type, request.response_info.status, request.error_msg) == ("PING", "503", None)


@pytest.mark.parametrize("answer", [{"id": 22, "future": {}}, {"id": "22", "context": None, "description": None}])
def test_numbers_as_ids_and_members_of_tomorrow_are_read(platform, answer):
    platform.get("https://api.figma.com/v2/webhooks/22", body=json.dumps(answer))
    with Client("figma", Credential("personal", SECRET, "the test")) as client:
        assert str(client.webhooks.get("22").id) == "22"


def test_a_page_that_names_itself_as_the_next_one_is_a_server_error(platform):
    page = {"webhooks": [{"id": "1"}], "pagination": {"next_page": "a"}}
    platform.get("https://api.figma.com/v2/webhooks", body=json.dumps(page))
    with (
        Client("figma", Credential("personal", SECRET, "the test")) as client,
        pytest.raises(ServerError, match="again"),
    ):
        list(client.webhooks.of_plan("team-1"))


def test_an_answer_of_another_shape_is_a_server_error(platform):
    platform.get("https://api.figma.com/v2/webhooks/22", body='{"id": []}')
    with Client("figma", Credential("personal", SECRET, "the test")) as client, pytest.raises(ServerError):
        client.webhooks.get("22")


def test_refusals_give_the_reason_and_never_the_passcode(client, emulator):
    with pytest.raises(RequestError, match="passcode must be at most 100 characters") as refused:
        client.webhooks.create("LIBRARY_PUBLISH", "file", "Harbor", ENDPOINT, "secret" * 20)
    assert "secretsecret" not in str(refused.value)
    emulator.tokens.set_scopes(emulator.default_token, ("webhooks:read",))
    with pytest.raises(AccessError, match="the token lacks the scope webhooks:write"):
        make(client)


@pytest.mark.parametrize("passcode", ["open+sesame", 'open "sesame"'])
def test_a_passcode_that_the_platform_repeats_is_hidden(platform, passcode):
    body = {"err": f"{passcode} or passcode={quote_plus(passcode)} in {json.dumps({'passcode': passcode})}"}
    platform.post("https://api.figma.com/v2/webhooks", json=body, status=400)
    with Client("figma", Credential("personal", SECRET)) as client, pytest.raises(RequestError) as refused:
        client.webhooks.create("LIBRARY_PUBLISH", "file", "Harbor", ENDPOINT, passcode)
    assert '[hidden] or passcode=[hidden] in {"passcode": "[hidden]"}' in str(refused.value)


@pytest.mark.parametrize(
    ("endpoint", "shown"),
    [
        ("https://host.example/path", "https://host.example/path"),
        ("https://[::1]:8080/path", "https://[::1]:8080/path"),
        ("example.com", "example.com"),
        ("https://user:s3cret@host:8443/x?token=s3cret", "https://***@host:8443/x?***"),
        ("https://s3cret@host/x#s3cret", "https://***@host/x#***"),
        ("HTTPS://user:p@s3cret@host", "HTTPS://***@host"),
        ("ftp://user:s3cret@host/x", "ftp://***@host/x"),
        ("https://user:1/s3cret@host/x", "https://***"),
        ("https://user:s3/cret@host/x", "https://***"),
        ("https:/user:s3cret@host/x", "***"),
        ("user:s3cret@host", "***"),
        ("https://[::1?s3cret", "https://***"),
        ("https://user:s3cret@hößt/x", "https://***"),
        ("https://host/x?a\ns3cret", "https://host/x?***"),
    ],
)
def test_the_secrets_of_an_endpoint_are_never_shown(endpoint, shown):
    assert shown_endpoint(endpoint) == shown
    assert Webhook("1", endpoint=endpoint).shown_endpoint in repr(Webhook("1", endpoint=endpoint))
    assert "s3" not in shown
