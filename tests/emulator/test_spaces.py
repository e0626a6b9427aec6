"""Spaces and the control of them over HTTP, as a test of any language uses them."""

import json
import re
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import requests
from emulator.platform import KEY, NOW, response
from emulator.test_delivery import endpoint
from optional import needs_cryptography

from tokensync.emulator import spaces
from tokensync.emulator.server import Server
from tokensync.system.errors import UsageError
from tokensync.testing import running


@pytest.fixture(scope="module")
def served():
    with running() as platform:
        yield platform


@pytest.fixture
def space(served):
    """Return the document of a new space."""
    return post(served.base_url, "spaces")


def post(base_url, control, document=None, status=200, **headers):
    """Return the answer to a POST below /_emulator/."""
    answer = requests.post(f"{base_url}/_emulator/{control}", json=document, headers=headers, timeout=30)
    assert answer.status_code == status, answer.text
    return answer.json()


def get(base_url, path, token=None, **more):
    return requests.get(f"{base_url}{path}", headers={"X-Figma-Token": token} if token else {}, timeout=30, **more)


def journal(base_url, **query):
    return get(base_url, "/_emulator/requests", params=query).json()["requests"]


def tokensync(*arguments):
    command = [sys.executable, "-m", "tokensync", "emulator", *arguments]
    return subprocess.run(command, check=False, capture_output=True, timeout=60, encoding="utf-8")


def test_health_is_answered_without_a_token(served):
    answer = get(served.base_url, "/_emulator/health")
    assert answer.status_code == 200
    assert answer.json()["status"] == "ok"
    assert answer.headers["X-Tokensync-Emulator"] == answer.json()["version"]


def test_a_space_is_found_by_its_token_and_by_its_address(served, space):
    post(space["base_url"], "seed", {"file_key": KEY, "local": response()})
    path = f"/v1/files/{KEY}/variables/local"
    assert get(space["base_url"], path, space["token"]).json() == response()
    assert get(served.base_url, path, space["token"]).json() == response()
    assert get(served.base_url, path, served.token).status_code == 404
    assert get(space["base_url"], path, served.token).json()["message"] == "Invalid token"


def test_addresses_in_answers_lead_back_to_their_space(served, space):
    post(space["base_url"], "seed", {"file_key": KEY, "local": response(), "sample": True})
    components = get(served.base_url, f"/v1/files/{KEY}/components", space["token"]).json()["meta"]["components"]
    ids = ",".join(component["node_id"] for component in components[:2])
    pictures = get(served.base_url, f"/v1/images/{KEY}", space["token"], params={"ids": ids}).json()["images"]
    assert len(pictures) == 2
    for address in pictures.values():
        assert address.startswith(space["base_url"])
        assert requests.get(address, timeout=30).status_code == 200


def test_a_dropped_space_is_gone_and_its_token_is_refused(served, space):
    answer = requests.delete(f"{served.base_url}/_emulator/spaces/{space['space']}", timeout=30)
    assert answer.status_code == 200
    assert get(space["base_url"], "/v1/me", space["token"]).status_code == 404
    assert get(served.base_url, "/v1/me", space["token"]).json()["message"] == "Invalid token"


_DROPPED_WHILE_READ = """
import contextlib, threading
from tokensync.emulator import Emulator
from tokensync.system.errors import UsageError

def read(emulator):
    with contextlib.suppress(UsageError):
        while True:
            emulator.files.keys()

for _ in range(100):
    emulator = Emulator()
    readers = [threading.Thread(target=read, args=(emulator,)) for _ in range(4)]
    for reader in readers:
        reader.start()
    emulator.close()
    for reader in readers:
        reader.join()
"""


def test_a_state_that_is_dropped_during_its_requests_ends_no_process():
    ended = subprocess.run([sys.executable, "-c", _DROPPED_WHILE_READ], check=False, capture_output=True, timeout=60)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_reset_goes_back_to_the_start_and_keeps_the_token(space):
    url = space["base_url"]
    post(url, "seed", {"file_key": KEY, "local": response()})
    post(url, "clock", {"freeze": True, "set": NOW})
    requests.put(f"{url}/_emulator/faults", json=[{"path": "/v1/me", "status": 503}], timeout=30)
    assert get(url, "/v1/me", space["token"]).status_code == 503
    assert post(url, "reset") == {"generation": 1}
    assert get(url, "/v1/me", space["token"]).status_code == 200
    assert get(url, f"/v1/files/{KEY}/variables/local", space["token"]).status_code == 404
    assert abs(post(url, "clock", {})["now"] - time.time()) < 60
    assert [entry["generation"] for entry in journal(url)] == [1, 1]


def test_a_snapshot_is_restored_as_often_as_one_likes(space):
    url = space["base_url"]
    post(url, "seed", {"file_key": KEY, "local": response()})
    snapshot = post(url, "snapshot")
    for _ in range(2):
        collection = {"action": "CREATE", "id": "temp", "name": "Extra"}
        written = requests.post(
            f"{url}/v1/files/{KEY}/variables",
            json={"variableCollections": [collection]},
            headers={"X-Figma-Token": space["token"]},
            timeout=30,
        )
        assert written.status_code == 200, written.text
        assert get(url, f"/v1/files/{KEY}/variables/local", space["token"]).json() != response()
        post(url, "restore", snapshot)
        assert get(url, f"/v1/files/{KEY}/variables/local", space["token"]).json() == response()
    assert "no snapshot has this name" in post(url, "restore", {"snapshot": "99"}, status=400)["message"]


def test_equal_requests_after_a_reset_have_equal_answers(space):
    url = space["base_url"]

    def answers():
        post(url, "clock", {"freeze": True, "set": NOW})
        post(url, "seed", {"file_key": KEY, "local": response()})
        token = post(url, "operations/tokens/create", {"scopes": ["file_variables:read"]})["result"]
        me = get(url, "/v1/me", space["token"]).json()
        return token, me, [{**entry, "number": 0, "generation": 0} for entry in journal(url)]

    first = answers()
    post(url, "reset")
    assert answers() == first


def test_the_journal_is_waited_for_and_lists_what_is_not_known(space):
    url = space["base_url"]
    late = threading.Timer(0.2, lambda: get(url, "/v1/me", space["token"], params={"colour": "red"}))
    late.start()
    (entry,) = journal(url, wait=1, wait_s=20)
    late.join()
    assert entry["unknown"] == ["query parameter colour"]
    get(url, "/v1/me", space["token"])
    document = {"variables": [], "colours": [], "variableCollections": [{"action": "CREATE", "name": "A", "new": 1}]}
    requests.post(f"{url}/v1/files/{KEY}/variables", json=document, timeout=30)
    unknown = [entry["unknown"] for entry in journal(url, unknown=1, since=entry["number"])]
    assert unknown == [["member /colours", "member /variableCollections/0/new"]]


def test_a_wait_of_no_number_of_seconds_ends(monkeypatch):
    monkeypatch.setattr(spaces, "_LONGEST_WAIT", 0.1)
    waiting = threading.Thread(target=spaces.Journal().wait, args=(1, float("nan")), daemon=True)
    waiting.start()
    waiting.join(10)
    assert not waiting.is_alive()


@pytest.mark.parametrize("is_dropped", [True, False])
def test_a_client_that_waits_does_not_keep_a_platform_from_ending(is_dropped):
    with ThreadPoolExecutor(1) as clients:
        with running() as platform:
            with platform.space() if is_dropped else nullcontext(platform) as waited:
                waiting = clients.submit(journal, waited.base_url, wait=1, wait_s=60)
                time.sleep(0.5)
            begin = time.monotonic()
        assert time.monotonic() - begin < 30
        assert waiting.result() == []


def test_a_path_is_recorded_as_it_was_sent(space):
    get(space["base_url"], "/v1/files/bücher/meta", space["token"])
    assert [entry["path"] for entry in journal(space["base_url"])] == ["/v1/files/bücher/meta"]


def test_a_platform_closes_what_it_opened(served, monkeypatch):
    opened, connect = [], sqlite3.connect

    def opening(*path, **options):
        opened.append(connect(*path, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", opening)
    with running() as platform, platform.space() as space:
        space.own.snapshot()
        space.reset()
        space.own.snapshot()
    assert len(opened) == 6
    for connection in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            connection.execute("SELECT 1")


def test_an_unknown_path_names_the_nearest_endpoint(space):
    answer = get(space["base_url"], "/v1/file/abc/variables/local", space["token"])
    assert answer.status_code == 404
    assert answer.headers["X-Tokensync-Nearest"] == "GET /v1/files/<file_key>/variables/local"


def test_what_is_not_known_is_an_error_where_a_test_wants_that(space):
    url = space["base_url"]
    assert get(url, "/v1/me", space["token"], params={"colour": "red"}).status_code == 200
    post(url, "strict", {"strict": True})
    answer = get(url, "/v1/me", space["token"], params={"colour": "red"})
    assert answer.status_code == 400
    assert answer.json()["message"] == "Not known to the emulator: query parameter colour"


def listen(space, address):
    body = {"event_type": "FILE_DELETE", "context": "file", "context_id": KEY, "passcode": "sesame"}
    webhook, headers = {**body, "endpoint": address}, {"X-Figma-Token": space["token"]}
    created = requests.post(f"{space['base_url']}/v2/webhooks", json=webhook, headers=headers, timeout=30)
    assert created.status_code == 200, created.text


def test_a_slow_endpoint_of_one_space_does_not_delay_the_events_of_another(served, space):
    other, answered, received = post(served.base_url, "spaces"), threading.Event(), threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_POST(self):
            received.set()
            answered.wait(30)

        def log_message(self, *_):
            pass

    with endpoint() as (address, events), ThreadingHTTPServer(("127.0.0.1", 0), Slow) as slow:
        threading.Thread(target=slow.serve_forever, args=(0.01,), daemon=True).start()
        for own, url in ((space, f"http://127.0.0.1:{slow.server_port}"), (other, address)):
            post(own["base_url"], "seed", {"file_key": KEY, "local": response()})
            listen(own, url)
            assert received.wait(30)
        try:
            arrives_at(lambda: len(events) > 0, before=9.0)  # the slow endpoint is given up after ten seconds
        finally:
            answered.set()
            slow.shutdown()


def arrives_at(condition, before):
    latest = time.monotonic() + before
    while not condition():
        assert time.monotonic() < latest
        time.sleep(0.02)


def test_many_who_wait_keep_nobody_else_waiting_and_end_with_their_space(served, space):
    url = space["base_url"]
    with ThreadPoolExecutor(100) as pool:
        waiting = [pool.submit(journal, url, wait=1, wait_s=60) for _ in range(100)]
        assert not wait(waiting, timeout=2).done
        assert get(served.base_url, "/_emulator/health").status_code == 200
        assert not wait(waiting, timeout=0).done
        requests.delete(f"{served.base_url}/_emulator/spaces/{space['space']}", timeout=30)
        assert [waited.result() for waited in waiting] == [[]] * 100


def test_a_client_that_waits_beyond_the_limit_is_answered_at_once(space, monkeypatch):
    monkeypatch.setattr(spaces, "_WAITERS", threading.BoundedSemaphore(1))
    spaces._WAITERS.acquire()
    began = time.monotonic()
    assert journal(space["base_url"], wait=1, wait_s=60) == []
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    ("path", "status", "message"), [("/v1/me", 403, "Invalid token"), ("/_emulator/seed", 404, "")]
)
def test_a_request_to_a_space_that_is_removed_meanwhile_is_refused(served, monkeypatch, path, status, message):
    with served.space() as space:
        answered = space.own.__class__.__call__
        seed = spaces._seed

        def removed_before(function):
            def call(*arguments):
                served.spaces.drop(space.own.name)
                return function(*arguments)

            return call

        monkeypatch.setattr(spaces.Space, "__call__", removed_before(answered))
        monkeypatch.setattr(spaces, "_seed", removed_before(seed))
        document = {"file_key": KEY, "local": response()} if "seed" in path else None
        method = "POST" if document else "GET"
        headers = {"X-Figma-Token": space.token}
        answer = requests.request(method, f"{served.base_url}{path}", json=document, headers=headers, timeout=30)
    assert (answer.status_code, answer.json()["status"]) == (status, status)
    assert message in answer.json()["message"]
    assert "disk" not in answer.text


def test_a_content_type_in_capital_letters_is_json(space):
    headers = {"Content-Type": "APPLICATION/JSON; charset=utf-8"}
    answer = requests.post(f"{space['base_url']}/_emulator/reset", data="{}", headers=headers, timeout=30)
    assert answer.status_code == 200


def test_a_clock_that_settles_has_sent_every_retry(space):
    url = space["base_url"]
    post(url, "seed", {"file_key": KEY, "local": response()})
    with endpoint(status=500) as (address, received):
        listen(space, address)
        post(url, "operations/events/raise", {"kind": "FILE_DELETE", "file": KEY})
        settled = post(url, "clock", {"advance": 4 * 3600, "settle": True})
        kinds = [document["event_type"] for _, _, document in received]
    assert settled["sent"] >= 3
    assert kinds.count("FILE_DELETE") == 4


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}])
def test_a_page_in_a_browser_controls_nothing(space, headers):
    assert "use 127.0.0.1" in post(space["base_url"], "reset", {}, status=403, **headers)["message"]
    form = requests.post(f"{space['base_url']}/_emulator/reset", data="a=b", timeout=30)
    assert form.status_code == 415


@pytest.mark.parametrize(
    ("control", "document", "message"),
    [
        ("operations/file/create", {}, "no operation of the emulator has this name; use files create"),
        ("operations/files/create", {"key": 1}, "1 is not of type 'string'"),
        ("operations/files/create", {}, "'key' is a required property"),
        (
            "operations/files/document",
            {"file": KEY, "document": "/etc/passwd"},
            "'/etc/passwd' is not of type 'object'",
        ),
        ("operations/library/sample", {"file": KEY, "components": -1}, "-1 components: out of range"),
        ("clock", {"set": -1}, "out of range"),
        ("clock", {"advance": -1, "settle": True}, "Expected `float` >= 0.0 - at `$.advance`"),
        ("clock", {"now": 1}, "unknown field `now`"),
        ("seed", {"file_key": KEY, "local": {}}, "seed of Harbor, local variables: not an answer"),
    ],
)
def test_a_wrong_control_says_what_is_wrong_with_it(space, control, document, message):
    assert message in post(space["base_url"], control, document, status=400)["message"]


def test_a_control_with_a_body_that_is_too_large_says_so(space):
    document = {"file_key": KEY, "local": {"meta": "x" * 5_000_000}}
    assert "larger than 4 MB; seed" in post(space["base_url"], "seed", document, status=413)["message"]


def test_the_commands_ask_a_served_emulator_as_they_ask_a_state_file(space, tmp_path):
    url = space["base_url"]
    assert tokensync("files", "create", "Harbor", "--url", url).stderr == "created Harbor\n"
    document = tmp_path / "document.json"
    content = {"id": "0:0", "type": "DOCUMENT", "name": "Document", "children": []}
    document.write_text(json.dumps(content), encoding="utf-8")
    drawn = tokensync("files", "document", "Harbor", str(document), "--url", url)
    assert drawn.stderr == "Harbor has new layers\n"
    assert [file["key"] for file in json.loads(tokensync("files", "list", "--json", "--url", url).stdout)] == ["Harbor"]
    assert "no plan 'business'" in tokensync("files", "plan", "Harbor", "business", "--url", url).stderr
    assert tokensync("tokens", "list", "--url", "http://127.0.0.1:9").returncode == 2
    both = tokensync("tokens", "list", "--url", url, "--state", str(tmp_path / "state"))
    assert "--url excludes --state" in both.stderr


def test_health_is_asked_of_an_emulator_alone(served):
    assert re.fullmatch(r"emulator \S+: ok, up for \d+ s\n", tokensync("health", "--url", served.base_url).stderr)

    def other(_, start_response):
        start_response("200 OK", [("Content-Type", "application/json")])
        return [b"[]"]

    with Server(other) as server:
        done = tokensync("health", "--url", server.base_url)
        assert (done.returncode, "no emulator answers there; start one" in done.stderr) == (2, True)


@needs_cryptography
def test_the_commands_trust_the_certificate_that_the_environment_names(monkeypatch):
    with running(tls=True) as platform:
        refused = tokensync("tokens", "list", "--url", platform.base_url)
        assert "set REQUESTS_CA_BUNDLE to its certificate" in refused.stderr
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", platform.certificate)
        assert platform.token in tokensync("tokens", "list", "--url", platform.base_url).stdout


def test_without_control_only_health_is_answered():
    command = [sys.executable, "-m", "tokensync", "emulator", "serve", "--port", "0", "--no-control"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as process:
        url = json.loads(process.stdout.readline())["base_url"]
        assert get(url, "/_emulator/health").status_code == 200
        assert post(url, "reset", status=404)["message"] == "The emulator is served without control"
        process.kill()


def test_a_thousand_spaces_are_the_most(served, monkeypatch):
    monkeypatch.setattr(spaces, "_MOST_SPACES", 0)
    with pytest.raises(UsageError, match="spaces already; remove those that no test uses"), served.space():
        pass


def test_a_time_that_no_clock_shows_leaves_no_space_behind(served):
    before = get(served.base_url, "/_emulator/health").json()["spaces"]
    with pytest.raises(UsageError, match="out of range"), served.space(now=-1):
        pass
    assert get(served.base_url, "/_emulator/health").json()["spaces"] == before
