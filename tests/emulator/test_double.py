"""The emulator as a double for others' tests: slow clients, equal runs, receivers of every kind, refreshes at once."""

import base64
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from emulator.platform import KEY, NOW, PRIMITIVES, collection, response, variable
from emulator.test_delivery import endpoint

from tokensync.testing import running

CLIENTS = 64


def send(platform, method, path, document=None):
    url, headers = f"{platform.base_url}{path}", {"X-Figma-Token": platform.token}
    return requests.request(method, url, json=document, headers=headers, timeout=30)


def test_clients_that_are_silent_or_send_byte_by_byte_keep_nobody_else_waiting():
    with running() as platform, ExitStack() as stack:
        address = "127.0.0.1", int(platform.base_url.rpartition(":")[2])
        silent = [stack.enter_context(socket.create_connection(address, timeout=30)) for _ in range(CLIENTS)]
        dripping = [stack.enter_context(socket.create_connection(address, timeout=30)) for _ in range(CLIENTS)]
        for letter in b"GET /v1/me HTTP/1.1\r\nHo":
            for client in dripping:
                client.sendall(bytes([letter]))
        assert requests.get(f"{platform.base_url}/_emulator/health", timeout=30).ok
        assert send(platform, "GET", "/v1/me").ok
        silent[0].sendall(b"GET /v1/me HTTP/1.1\r\nHost: localhost\r\n\r\n")
        dripping[0].sendall(b"st: localhost\r\n\r\n")
        for client in (silent[0], dripping[0]):
            assert client.recv(100).startswith(b"HTTP/1.1 401 ")


def test_a_snapshot_of_ten_thousand_variables_is_restored():
    ids = [f"VariableID:9:{number}" for number in range(10_000)]
    document = response()
    document["meta"]["variables"] = {
        id_: variable(id_, f"n/{id_[13:]}", PRIMITIVES, "FLOAT", {"1:0": number}) for number, id_ in enumerate(ids)
    }
    document["meta"]["variableCollections"] = {PRIMITIVES: collection(PRIMITIVES, "Numbers", {"1:0": "Value"}, ids)}
    with running() as platform:
        platform.seed(KEY, document)
        snapshot = send(platform, "POST", "/_emulator/snapshot", {}).json()
        changes = [{"action": "DELETE", "id": id_} for id_ in ids[:500]]
        assert send(platform, "POST", f"/v1/files/{KEY}/variables", {"variables": changes}).ok
        assert len(send(platform, "GET", f"/v1/files/{KEY}/variables/local").json()["meta"]["variables"]) == 9500
        assert send(platform, "POST", "/_emulator/restore", snapshot).ok
        assert send(platform, "GET", f"/v1/files/{KEY}/variables/local").json()["meta"] == document["meta"]


def test_two_equal_runs_have_equal_journals_and_answers_to_the_byte():
    def run():
        with running(now=NOW) as platform:
            platform.seed(KEY, response())
            comment = send(platform, "POST", f"/v1/files/{KEY}/comments", {"message": "hello"}).content
            created = {"variableCollections": [{"action": "CREATE", "id": "temp", "name": "Extra"}]}
            written = send(platform, "POST", f"/v1/files/{KEY}/variables", created).content
            journal = send(platform, "GET", "/_emulator/requests").content
            return comment, written, journal

    assert run() == run()


@contextmanager
def broken(answer):
    """A receiver that answers with these bytes, which may be none, and closes."""
    received = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    head, _, body = client.recv(65_536).partition(b"\r\n\r\n")
                    length = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
                    while len(body) < length:
                        body += client.recv(65_536)
                    received.append(("/", {}, json.loads(body)))
                    client.sendall(answer)

        threading.Thread(target=serve, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.getsockname()[1]}/", received
        finally:
            server.shutdown(socket.SHUT_RDWR)


RECEIVERS = {
    "200": (lambda: endpoint(200), 1),
    "201": (lambda: endpoint(201), 4),
    "204": (lambda: endpoint(204), 4),
    "302": (lambda: endpoint(302, [("Location", "http://127.0.0.1:9/")]), 4),
    "400": (lambda: endpoint(400), 1),
    "500": (lambda: endpoint(500), 4),
    "closes early": (lambda: broken(b""), 4),
    "closes in its first line": (lambda: broken(b"HTTP/1.1 2"), 4),
}
"""Receivers, and how often an event is sent to each: three retries follow whatever is not 200, except for 400."""


@pytest.mark.parametrize("kind", RECEIVERS)
def test_an_event_is_sent_again_as_its_receiver_answers(kind):
    receiver, count = RECEIVERS[kind]
    with running() as platform, receiver() as (address, received):
        platform.seed(KEY, response())
        webhook = {
            "event_type": "FILE_DELETE",
            "context": "file",
            "context_id": KEY,
            "endpoint": address,
            "passcode": "open sesame",
        }
        assert send(platform, "POST", "/v2/webhooks", webhook).ok
        raised = {"kind": "FILE_DELETE", "file": KEY}
        assert send(platform, "POST", "/_emulator/operations/events/raise", raised).ok
        assert send(platform, "POST", "/_emulator/clock", {"advance": 4 * 3600, "settle": True}).ok
        assert [document["event_type"] for _, _, document in received].count("FILE_DELETE") == count


def test_logins_that_are_refreshed_at_once_leave_one_valid_token():
    with running() as platform:
        callback = "http://127.0.0.1:7000/callback"
        client, secret = platform.emulator.apps.create("A", redirect_urls=[callback], scopes=["current_user:read"])
        platform.emulator.apps.publish(client)
        user = platform.emulator.people.create("ann")
        form = {"client_id": client, "redirect_uri": callback, "scope": "current_user:read", "state": "s"}
        form |= {"response_type": "code", "user": user, "decision": "allow"}
        origin = {"Origin": platform.base_url}
        allowed = requests.post(f"{platform.base_url}/oauth", form, headers=origin, timeout=30, allow_redirects=False)
        code = parse_qs(urlsplit(allowed.headers["Location"]).query)["code"][0]
        basic = {"Authorization": f"Basic {base64.b64encode(f'{client}:{secret}'.encode()).decode()}"}

        def token(path, **fields):
            answer = requests.post(f"{platform.base_url}/v1/oauth/{path}", fields, headers=basic, timeout=30)
            assert answer.ok, answer.text
            return answer.json()

        issued = token("token", grant_type="authorization_code", redirect_uri=callback, code=code)
        with ThreadPoolExecutor(4) as pool:
            refreshes = [pool.submit(token, "refresh", refresh_token=issued["refresh_token"]) for _ in range(8)]
            tokens = {refresh.result()["access_token"] for refresh in refreshes}
        statuses = [
            requests.get(
                f"{platform.base_url}/v1/me", headers={"Authorization": f"Bearer {one}"}, timeout=30
            ).status_code
            for one in tokens
        ]
        assert (len(tokens), sorted(statuses)) == (8, [200] + [403] * 7)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_second_interruption_is_harmless():
    command = [sys.executable, "-m", "tokensync", "emulator", "serve", "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(30) in (0, 130, -signal.SIGINT)
        assert b"Traceback" not in process.stderr.read()


def test_every_loopback_name_is_one_server():
    with running() as platform:
        port = platform.base_url.rpartition(":")[2]
        for host in ("127.0.0.1", "localhost", "[::1]"):
            address = f"http://{host}:{port}/v1/me"
            try:
                answer = requests.get(address, headers={"X-Figma-Token": platform.token}, timeout=30)
            except requests.ConnectionError:
                if host != "[::1]":
                    raise
                pytest.skip("no IPv6 loopback on this machine")
            assert answer.json()["handle"] == "owner"
