"""The server of the bridge: who may speak to it, and what becomes of requests."""

import http.client
import json
import socket
import threading

import pytest
from bridge.conftest import KEY, bridge_in
from commands.projects import tokensync

from tokensync.bridge.server import listening
from tokensync.system.errors import UsageError

ORIGIN = {"Origin": "null"}


@pytest.fixture
def bridge(tmp_path):
    """A running bridge; ``reports`` are its messages, ``now`` moves its clock."""
    reports = []
    with bridge_in(tmp_path, reports.append) as running:
        running.reports = reports
        running.now = running._clock()
        running._clock = lambda: running.now
        yield running


def send(bridge, path, body=None, *, host="127.0.0.1", method="POST", **headers):
    """Send a request; return the status, the headers and the JSON of the answer."""
    connection = http.client.HTTPConnection(host, bridge.port, timeout=30)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, json.dumps(body or {}), named)
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, answer.headers, json.loads(content) if content else None
    finally:
        connection.close()


def page(bridge, path, body=None, token="", **options):
    """Send a request of the plugin's page; return the status and the answer."""
    known = {"client": "one", "key": KEY, "name": "Harbor"}
    authorization = f"Bearer {token}"
    headers = {"Origin": "null", "Authorization": authorization, **options}
    status, _, answer = send(bridge, f"/plugin/{path}", {**known, **(body or {})}, **headers)
    return status, answer


def paired(bridge):
    status, answer = page(bridge, "pair", {"code": bridge.code})
    assert status == 200
    return answer["token"]


def command(bridge, path, **body):
    status, _, answer = send(bridge, path, body, Authorization=f"Bearer {bridge.secret}")
    return status, answer


def test_a_code_has_40_bits_and_pairs_in_any_spelling(bridge):
    assert len(bridge.code.replace("-", "")) == 8
    assert page(bridge, "pair", {"code": bridge.code.lower().replace("-", " ")})[0] == 200


def test_wrong_codes_are_refused_counted_and_slowed_down(bridge):
    assert page(bridge, "pair", {"code": "00000000"})[0] == 403
    assert page(bridge, "pair", {"code": bridge.code})[0] == 429
    bridge.now += 1
    assert page(bridge, "pair", {"code": bridge.code})[0] == 200
    assert bridge.refusals == {"with a wrong code": 1}
    assert bridge.reports[0] == "refused 1 x a request with a wrong code"


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80", "localhost", "localhost:1"])
def test_another_host_is_refused_and_counted(bridge, host):
    assert page(bridge, "pair", {"code": bridge.code}, Host=host)[0] == 403
    assert send(bridge, "/jobs", Host=host, Authorization=f"Bearer {bridge.secret}")[0] == 403
    assert bridge.refusals == {"of another host": 2}


@pytest.mark.parametrize("origin", ["https://evil.example", "http://localhost", "file://", ""])
def test_a_page_of_another_origin_is_refused_and_cannot_read_the_answer(bridge, origin):
    status, headers, _ = send(bridge, "/plugin/pair", {"code": bridge.code}, Origin=origin)
    assert status == 403
    assert headers["Access-Control-Allow-Origin"] is None
    assert send(bridge, "/plugin/pair", method="OPTIONS", Origin=origin)[0] == 403


def test_no_web_page_can_send_commands(bridge):
    secret = {"Authorization": f"Bearer {bridge.secret}"}
    for origin in ("null", "https://evil.example"):
        assert send(bridge, "/jobs", {"kind": "local"}, Origin=origin, **secret)[0] == 403
        assert send(bridge, "/jobs", method="OPTIONS", Origin=origin)[0] == 403
    assert send(bridge, "/jobs", {"kind": "local"}, Authorization="Bearer wrong")[0] == 401
    assert send(bridge, "/jobs", {"kind": "local"})[0] == 401


def test_a_preflight_permits_what_the_page_sends_and_no_more(bridge):
    asked = {
        "Origin": "null",
        "Access_Control_Request_Method": "POST",
        "Access_Control_Request_Private_Network": "true",
    }
    status, headers, _ = send(bridge, "/plugin/poll", method="OPTIONS", **asked)
    assert status == 204
    assert headers["Access-Control-Allow-Origin"] == "null"
    assert headers["Access-Control-Allow-Methods"] == "POST"
    assert headers["Access-Control-Allow-Headers"] == "authorization, content-type"
    assert headers["Access-Control-Allow-Private-Network"] == "true"
    assert headers["Access-Control-Allow-Credentials"] is None


def test_both_loopbacks_are_served(bridge):
    assert page(bridge, "pair", {"code": bridge.code}, host="127.0.0.1")[0] == 200
    try:
        status = page(bridge, "poll", host="::1")[0]
    except OSError:
        pytest.skip("no IPv6 here")
    assert status == 401


def test_a_bridge_has_the_port_on_both_loopbacks_or_does_not_start(bridge):
    try:
        other = socket.create_server(("::1", 0), family=socket.AF_INET6)
    except OSError:
        pytest.skip("no IPv6 here")
    with other:
        port = other.getsockname()[1]
        with pytest.raises(UsageError, match=f"port {port}: cannot listen"), listening(bridge, port):
            pass
    with socket.create_server(("127.0.0.1", port)):
        pass


def test_a_second_plugin_is_refused_while_the_first_one_polls(bridge):
    token = paired(bridge)
    assert page(bridge, "pair", {"code": bridge.code, "client": "two"})[0] == 409
    other = {"client": "two", "key": "anotherFile"}
    status, answer = page(bridge, "begin", other, token)
    assert (status, "Harbor" in answer["message"]) == (409, True)
    assert bridge.refusals == {"of a second plugin": 2}
    bridge.now += 60
    assert page(bridge, "pair", {"code": bridge.code, "client": "two"})[0] == 200
    assert page(bridge, "begin", {}, token)[0] == 401


def test_a_window_of_the_same_file_takes_the_place_of_the_former_one(bridge):
    token = paired(bridge)
    assert page(bridge, "begin", {"client": "two"}, token)[0] == 410
    assert page(bridge, "begin", {"client": "one"}, token)[0] == 409


def test_a_job_is_answered_by_the_plugin(bridge):
    token = paired(bridge)
    _, new = command(bridge, "/jobs", kind="local", key=KEY, message={"more": [1]})
    _, answer = page(bridge, "poll", token=token)
    assert answer["job"] == {"job": new["job"], "kind": "local", "more": [1]}
    assert page(bridge, "answer", {"job": new["job"], "result": {"meta": {}}}, token)[0] == 200
    assert command(bridge, "/jobs/wait", job=new["job"])[1] == {"state": "done", "result": {"meta": {}}, "error": None}
    assert page(bridge, "answer", {"job": new["job"], "result": {}}, token)[0] == 410


def test_a_job_waits_for_the_plugin_that_asks_first(bridge):
    token = paired(bridge)
    answers = []
    polling = threading.Thread(target=lambda: answers.append(page(bridge, "poll", token=token)))
    polling.start()
    _, new = command(bridge, "/jobs", kind="local", key=KEY)
    polling.join()
    assert answers[0][1]["job"]["job"] == new["job"]


def test_a_request_whose_command_has_ended_cannot_begin(bridge):
    token = paired(bridge)
    _, new = command(bridge, "/jobs", kind="apply", key=KEY)
    page(bridge, "poll", token=token)
    bridge.now += 30
    assert page(bridge, "begin", {"job": new["job"]}, token)[0] == 410


def test_a_change_whose_begin_was_not_answered_can_begin_again(bridge):
    token = paired(bridge)
    _, new = command(bridge, "/jobs", kind="apply", key=KEY)
    page(bridge, "poll", token=token)
    for _ in range(2):
        assert page(bridge, "begin", {"job": new["job"]}, token) == (200, {"begun": True})
    page(bridge, "answer", {"job": new["job"], "result": {"made": {}}}, token)
    assert page(bridge, "begin", {"job": new["job"]}, token)[0] == 410


def test_a_withdrawn_request_is_no_longer_asked_about(bridge):
    token = paired(bridge)
    _, new = command(bridge, "/jobs", kind="apply", key=KEY)
    page(bridge, "poll", token=token)
    assert command(bridge, "/jobs/withdraw", job=new["job"])[1] == {"withdrawn": True}
    assert page(bridge, "poll", {"asking": new["job"]}, token)[1]["asking"] is False
    assert page(bridge, "begin", {"job": new["job"]}, token)[0] == 410


def test_a_change_that_has_begun_cannot_be_withdrawn(bridge):
    token = paired(bridge)
    _, new = command(bridge, "/jobs", kind="apply", key=KEY)
    page(bridge, "poll", token=token)
    assert page(bridge, "begin", {"job": new["job"]}, token)[0] == 200
    assert command(bridge, "/jobs/withdraw", job=new["job"])[1] == {"withdrawn": False}
    assert command(bridge, "/jobs", kind="apply", key=KEY)[0] == 409


@pytest.mark.parametrize(
    ("last", "kind"),
    [(None, "refused"), ("writing", "half done"), ("done", "lost"), ("taken back", "refused")],
)
def test_a_reopened_plugin_says_what_became_of_a_change(bridge, last, kind):
    token = paired(bridge)
    _, new = command(bridge, "/jobs", kind="apply", key=KEY)
    page(bridge, "poll", token=token)
    page(bridge, "begin", {"job": new["job"]}, token)
    state = None if last is None else {"job": new["job"], "state": last}
    page(bridge, "begin", {"client": "two", "last": state}, token)
    assert command(bridge, "/jobs/wait", job=new["job"])[1]["error"]["kind"] == kind


def test_a_file_of_another_key_is_not_read(bridge):
    paired(bridge)
    status, answer = command(bridge, "/jobs", kind="local", key="anotherFile")
    assert status == 409
    assert KEY in answer["message"]


@pytest.mark.parametrize("body", [b"", b"[", b"[]", b'{"client": 1}', b"\xff", b'{"last": "x"}'])
def test_a_body_that_is_not_the_pages_is_refused(bridge, body):
    connection = http.client.HTTPConnection("127.0.0.1", bridge.port)
    connection.request("POST", "/plugin/pair", body, ORIGIN)
    assert connection.getresponse().status == 400
    connection.close()


def test_names_of_the_page_are_shown_as_text(bridge):
    page(bridge, "pair", {"code": bridge.code, "name": "\x1b[31mred\n\N{RIGHT-TO-LEFT OVERRIDE}name", "key": "\x07"})
    assert bridge.reports == ["connected to [31mred name (its key is unknown)"]


def test_without_a_bridge_the_commands_say_how_to_start_one(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tokensync.toml").write_text(
        f'base_url = "bridge:"\n[[files]]\nname = "design"\nkey = "{KEY}"\n', encoding="utf-8"
    )
    assert "run tokensync bridge in a terminal of its own" in tokensync("pull", code=2).stderr
    with bridge_in(tmp_path):
        assert "run Plugins > Development > tokensync bridge" in tokensync("pull", code=1).stderr
        door = (tmp_path / ".tokensync" / "bridge.json").read_bytes()
    (tmp_path / ".tokensync" / "bridge.json").write_bytes(door)  # as a bridge that was killed leaves it
    assert "no bridge is running for this project" in tokensync("pull", code=1).stderr


def test_the_plugin_is_installed_with_the_port_and_never_over_another_one(tmp_path):
    tokensync("bridge", "--install", tmp_path / "plugin", "--port", 4321)
    manifest = json.loads((tmp_path / "plugin" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["networkAccess"]["allowedDomains"] == ["http://localhost:4321"]
    assert '"http://localhost:4321"' in (tmp_path / "plugin" / manifest["ui"]).read_text(encoding="utf-8")
    tokensync("bridge", "--install", tmp_path / "plugin")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "manifest.json").write_text('{"id": "42"}', encoding="utf-8")
    assert "another plugin" in tokensync("bridge", "--install", tmp_path / "other", code=2).stderr
