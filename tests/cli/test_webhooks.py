"""Webhooks end to end, each part a process: serve, create, publish, listen, retry."""

import json
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from contextlib import contextmanager, suppress

import pytest
from cli.programs import environment, run_prepared, started
from commands.projects import DESIGN, tokensync

PASSCODE = "open sesame"
APPEND = "import sys; open('got.jsonl', 'ab', 0).write(sys.stdin.buffer.read() + b'\\n')"
posix = pytest.mark.skipif(sys.platform == "win32", reason="asks for signals that only POSIX has")


@contextmanager
def running(*arguments, **variables):
    """Yield a running process and its first line of output."""
    with started(*arguments, env=environment(**variables)) as process:
        yield process, json.loads(process.stdout.readline())


@contextmanager
def listening(port, *more, program=(sys.executable, "-c", APPEND)):
    arguments = ("webhooks", "listen", "--port", port, "--passcode-env", "HOOK", *more, "--", *program)
    with running(*arguments, HOOK=PASSCODE) as (process, listener):
        yield process, listener["endpoint"]


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def post(endpoint, body, **headers):
    """Return the status of the listener's response."""
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    try:
        with urllib.request.urlopen(urllib.request.Request(endpoint, data, headers), timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        with error:
            return error.code


def soon(condition):
    """Poll a function until it returns a true value."""
    deadline = time.monotonic() + 30
    while not (value := condition()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return value


def handed_on(folder):
    """Return the documents that the command received."""
    file = folder / "got.jsonl"
    text = file.read_text("utf-8") if file.exists() else ""
    return [json.loads(line) for line in text.splitlines()] if text.endswith("\n") else []


def test_a_publication_is_delivered_tried_again_and_in_the_history(folder):
    state = ("--state", "state.sqlite")
    port = free_port()
    with running("emulator", "serve", "--port", "0", *state, "--seed", *DESIGN) as (_, platform):
        mine = environment(FIGMA_TOKEN=platform["token"], HOOK=PASSCODE, TOKENSYNC_BASE_URL=platform["base_url"])

        def history():
            answer = run_prepared("api", "webhooks", "requests", "--webhook-id", "1", env=mine)
            requests = json.loads(answer.stdout)["requests"]
            return [
                (each["request_info"]["payload"]["event_type"], (each["response_info"] or {}).get("status"))
                for each in reversed(requests)
            ]

        child = run_prepared(
            *("webhooks", "create", "--file", "design", "--passcode-env", "HOOK"),
            *("--endpoint", f"http://127.0.0.1:{port}/"),
            env=mine,
        )
        assert b"created webhook 1: LIBRARY_PUBLISH of file design" in child.stderr, child.stderr
        made_here = {"action": "CREATE", "id": "c", "name": "Fresh"}
        new = {"action": "CREATE", "name": "new", "variableCollectionId": "c", "resolvedType": "FLOAT"}
        posted = {"variables": [new], "variableCollections": [made_here]}
        request = urllib.request.Request(
            f"{platform['base_url']}/v1/files/design/variables",
            json.dumps(posted).encode(),
            {"X-Figma-Token": platform["token"]},
        )
        with urllib.request.urlopen(request, timeout=30) as answer:
            assert answer.status == 200
        assert run_prepared("emulator", "publish", "design", *state).returncode == 0
        assert soon(lambda: len(history()) == 2), "nobody listens yet, so both of them failed"
        assert {status for _, status in history()} == {None}
        with listening(port) as (_, endpoint):
            assert endpoint == f"http://127.0.0.1:{port}/"
            advanced = run_prepared("emulator", "events", "advance", "5m", *state)
            assert advanced.returncode == 0, advanced.stderr
            (document,) = soon(lambda: handed_on(folder))
        assert document["event_type"] == "LIBRARY_PUBLISH"
        assert document["file_keys"] == ["design"]
        (event,) = document["events"]
        assert "new" in [each["name"] for each in event["created_variables"]]
        assert "passcode" not in event
        assert sorted(history()[2:]) == [("LIBRARY_PUBLISH", "200"), ("PING", "200")]


class TestListen:
    def test_a_burst_is_one_run_and_strangers_run_nothing(self, folder):
        event = {"event_type": "LIBRARY_PUBLISH", "file_key": "K", "passcode": PASSCODE}
        with listening(0) as (_, endpoint):
            assert post(endpoint, {**event, "passcode": "guessed"}) == 400
            assert post(endpoint, {**event, "event_type": "PING"}) == 200
            assert [post(endpoint, {**event, "n": number}) for number in range(4)] == [200] * 4
            (document,) = soon(lambda: handed_on(folder))
        assert [each["n"] for each in document["events"]] == [0, 1, 2, 3]

    def test_request_bodies_are_limited_regardless_of_their_declared_length(self, folder):
        with listening(0) as (process, endpoint):
            host, port = endpoint.removeprefix("http://").strip("/").split(":")

            def raw(head, body=b""):
                with socket.create_connection((host, int(port)), timeout=30) as connection:
                    connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n\r\n" + body)
                    with suppress(OSError):  # it may have answered and be at its end
                        connection.shutdown(socket.SHUT_WR)  # or the listener waits for the rest of the body
                    return connection.makefile("rb").readline()

            assert b" 413 " in raw(b"Content-Length: 100000000000")
            assert b" 400 " in raw(b"Transfer-Encoding: chunked", b"2\r\n{}\r\n0\r\n\r\n")
            assert b" 413 " in raw(b"Transfer-Encoding: chunked", b"ffffffffff\r\n{}")
            assert b" 400 " in raw(b"Transfer-Encoding: chunked", b"ff\r\n{}")
            assert b" 413 " in chunked_without_end(host, int(port))
            assert post(endpoint, {"event_type": "FILE_UPDATE", "passcode": PASSCODE}) == 200
            assert soon(lambda: handed_on(folder))
            assert process.poll() is None

    @posix
    @pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
    def test_it_stops_cleanly_and_reports_undelivered_events(self, folder, sent):
        with listening(0) as (process, endpoint):
            assert post(endpoint, {"event_type": "LIBRARY_PUBLISH", "passcode": PASSCODE}) == 200
            process.send_signal(sent)
            assert process.wait(30) == 0
            assert b"the command did not receive 1 event" in process.stderr.read()

    def test_a_failed_command_is_reported_and_the_next_event_runs_it_again(self, folder):
        program = (sys.executable, "-c", APPEND + "; sys.exit(3)")
        with listening(0, program=program) as (process, endpoint):
            for count in (1, 2):
                assert post(endpoint, {"event_type": "FILE_UPDATE", "passcode": PASSCODE, "n": count}) == 200
                assert soon(lambda count=count: len(handed_on(folder)) == count)
            process.kill()
            assert b"failed with exit code 3" in process.communicate()[1]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            ((), "Missing"),
            (("--passcode-env", "NOTHING", "--", sys.executable), "is empty or not set"),
            (("--passcode-env", "HOOK", "--", "no-such-program"), "no such program"),
            (("--passcode-env", "HOOK", "--host", "192.0.2.1", "--", sys.executable), "cannot listen"),
            (("--passcode-env", "HOOK", "--host", "a\x9bb", "--", sys.executable), "cannot listen"),
            (("--passcode-env", "HOOK", "--host", f"{'a' * 64}.invalid", "--", sys.executable), "cannot listen"),
            (("--passcode-env", "HOOK", "--event", "PING", "--", sys.executable), "is not one of"),
        ],
    )
    def test_unusable_arguments_are_usage_errors(self, monkeypatch, arguments, message):
        monkeypatch.setenv("HOOK", PASSCODE)
        assert message in tokensync("webhooks", "listen", "--port", "0", *arguments, code=2).stderr

    def test_a_port_in_use_is_a_usage_error(self, monkeypatch):
        monkeypatch.setenv("HOOK", PASSCODE)
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            done = tokensync(
                "webhooks", "listen", "--port", port, "--passcode-env", "HOOK", "--", sys.executable, code=2
            )
        assert "cannot listen" in done.stderr


def chunked_without_end(host, port):
    """Return the status line of the response to an endless body."""
    with socket.create_connection((host, port), timeout=30) as connection:
        connection.sendall(b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
        piece = b"10000\r\n" + b"x" * 65536 + b"\r\n"
        try:
            for _ in range(200):
                connection.sendall(piece)
        except OSError:
            pass
        try:
            return connection.makefile("rb").readline()
        except OSError:
            return b" 413 closed"
