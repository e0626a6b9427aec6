"""Developer logs, activity logs and discovery through the client, against the emulator."""

import json
from datetime import UTC, datetime

import pytest
import requests
from extract.client.answering import SECRET

from tokensync.emulator import Emulator
from tokensync.emulator.server import Server
from tokensync.extract.client import Client, Credential
from tokensync.extract.client.endpoints import BY_NAME
from tokensync.extract.client.groups import NewDevResource
from tokensync.system.errors import AccessError, NetworkError, ServerError

NOW = 1_800_000_000.0
HOUR = "2027-01-15T07:00:00Z"


@pytest.fixture
def emulator():
    emulator = Emulator(clock=lambda: NOW)
    yield emulator
    emulator.close()


@pytest.fixture
def client(emulator):
    with Client("emulator:", Credential("personal", emulator.default_token), wsgi=emulator) as client:
        yield client


@pytest.fixture
def auditor(emulator):
    secret = emulator.tokens.create(kind="plan", scopes=("org:developer_log_read",), admin=True)
    with Client("emulator:", Credential("personal", secret), wsgi=emulator) as client:
        yield client


def test_requests_are_found_over_all_pages(emulator, auditor):
    for number in range(250):
        emulator.developer_logs.add(emulator.default_token, f"/v1/{number}", ago=number)
    records = list(auditor.developer_logs.search(token_name="def"))
    assert [each.action.event_name for each in records] == [f"/v1/{number}" for number in range(250)]
    assert records[0].actor.token_type == "personal_access_token"
    assert records[0].resource.id_or_key is None


def test_only_requests_that_fit_every_filter_are_found(emulator, auditor):
    emulator.developer_logs.add(emulator.default_token, "/v1/old", ago=2 * 86400)
    emulator.developer_logs.add(emulator.default_token, "/v1/new")
    events = [
        each.action.event_name for each in auditor.developer_logs.search(date_range="LAST_24H", token_name="default")
    ]
    assert events == ["/v1/new"]


def test_an_unsupported_kind_of_token_is_reported(client):
    with pytest.raises(AccessError, match="cannot be used with a personal access token"):
        list(client.developer_logs.search())


def test_activities_are_read_page_by_page(emulator, client):
    for number in range(5):
        emulator.activity.add(f"event_{number}", ago=10 - number)
    pages = list(client.pages(BY_NAME["activity-logs list"], limit=2))
    types = [each["action"]["type"] for page in pages for each in page["meta"]["activity_logs"]]
    assert types == [f"event_{number}" for number in range(5)]
    assert len(pages) == 3


def test_files_of_hours_are_downloaded(emulator, client):
    emulator.text_events.add("color/accent", ago=1800)
    urls = client.discovery.urls("2027-01-15T06:00:00Z", "2027-01-15T08:00:00Z", link_seconds=60)
    assert list(urls) == ["2027/01/15/06", "2027/01/15/07"]
    (link,) = urls["2027/01/15/07"]
    assert [each["text"] for each in json.loads(client.discovery.download(link))["events"]] == ["color/accent"]


def test_an_expired_link_is_reported_with_advice_to_request_it_again(emulator, client):
    ((link,),) = client.discovery.urls(HOUR, link_seconds=60).values()
    emulator.clock.advance(60)
    with pytest.raises(ServerError, match="403 Forbidden.; request new links"):
        client.discovery.download(link)


def test_a_link_elsewhere_is_not_shown_the_token(platform, credential):
    platform.get("https://storage.invalid/hour.json", body=b"{}")
    with Client("figma", credential) as client:
        assert client.discovery.download("https://storage.invalid/hour.json") == b"{}"
    (call,) = platform.calls
    assert SECRET not in str(call.request.headers)


def test_a_link_without_encryption_is_not_followed(platform, credential):
    with Client("figma", credential) as client, pytest.raises(NetworkError, match="not encrypted"):
        client.discovery.download("http://storage.invalid/hour.json")
    assert not platform.calls


def test_a_download_that_breaks_is_tried_again(platform, client, waits, credential):
    url = "https://storage.invalid/hour.json"
    platform.get(url, body=requests.ConnectionError("reset"))
    platform.get(url, body=b"{}")
    with Client("figma", credential, on_wait=waits.reported.append, clock=waits.clock) as other:
        assert other.discovery.download(url) == b"{}"
    assert len(waits.reported) == 1


def test_the_results_over_http_are_equal():
    emulator = Emulator()
    emulator.files.create("Harbor")
    emulator.text_events.add("color/accent", ago=7200)
    hour = datetime.fromtimestamp(emulator.clock() - 7200, UTC).strftime("%Y-%m-%dT%H:00:00Z")
    plan = emulator.tokens.create(kind="plan", scopes=("org:developer_log_read",), admin=True)
    with Server(emulator) as server:
        with Client(server.base_url, Credential("personal", emulator.default_token)) as client:
            link = NewDevResource("Button", "https://example.com", "Harbor", "1:2")
            assert client.dev_resources.create([link]).links_created == client.dev_resources.list("Harbor")
            ((address,),) = client.discovery.urls(hour).values()
            assert address.startswith(server.base_url)
            assert [each["text"] for each in json.loads(client.discovery.download(address))["events"]] == [
                "color/accent"
            ]
        with Client(server.base_url, Credential("personal", plan)) as auditor:
            records = [each.action.event_name for each in auditor.developer_logs.search()]
    assert records == ["/v1/discovery", "/v1/files/:file_key/dev_resources", "/v1/dev_resources"]
    emulator.close()


def test_a_search_is_repeated_since_it_changes_nothing(platform, waits, credential):
    platform.post("https://api.figma.com/v1/developer_logs", status=429, headers={"Retry-After": "2"})
    page = {"status": 200, "error": False, "meta": {"items": [], "cursor": "", "has_more": False}}
    platform.post("https://api.figma.com/v1/developer_logs", json=page)
    with Client("figma", credential, on_wait=waits.reported.append, clock=waits.clock) as client:
        assert list(client.developer_logs.search()) == []
    assert len(waits.reported) == 1
