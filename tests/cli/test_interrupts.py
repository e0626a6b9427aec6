"""Ctrl-C ends every wait within a second, and leaves no process and no half of a file."""

import json
import os
import re
import signal
import socket
import sys
import threading
import time
from contextlib import closing, contextmanager

import pytest
from cli.programs import environment, started
from commands.projects import files_in, output, project_in

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no process can send Ctrl-C to another one there")

LONGEST = 1.0
"""Seconds."""
TRIES = 3
"""A machine that does something else as well may take longer once."""


@contextmanager
def silent_platform():
    """Accept connections, read what they send, and never answer; yield the port and an event of the first request."""
    asked = threading.Event()
    held = []
    with closing(socket.create_server(("127.0.0.1", 0))) as server:

        def accept():
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                held.append(connection)
                connection.recv(65536)
                asked.set()

        threading.Thread(target=accept, daemon=True).start()
        try:
            yield server.getsockname()[1], asked
        finally:
            for each in held:
                each.close()


def interrupted(process):
    """Send Ctrl-C, and return the exit code and the seconds until the end."""
    started_at = time.monotonic()
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=30)
    assert b"Traceback" not in stderr, stderr
    assert b"Exception ignored" not in stderr, stderr
    return process.returncode, time.monotonic() - started_at


def fastest(measure):
    """Return the exit code, and the shortest time of several tries unless an early one is short enough."""
    shortest = 60.0
    for _ in range(TRIES):
        code, seconds = measure()
        shortest = min(shortest, seconds)
        if shortest < LONGEST:
            break
    return code, shortest


@pytest.mark.parametrize("verb", ["pull", "status", "plan", "files layers one"])
def test_a_request_that_is_never_answered(folder, verb):
    project_in(folder, outputs=output("css", "web"))
    before = files_in(folder)

    def measure():
        with silent_platform() as (port, asked):
            own = environment(TOKENSYNC_BASE_URL=f"http://127.0.0.1:{port}", FIGMA_TOKEN="figd_x")
            with started(*verb.split(), env=own) as process:
                assert asked.wait(30)
                return interrupted(process)

    code, seconds = fastest(measure)
    assert (code, seconds < LONGEST) == (130, True)
    assert files_in(folder) == before


def test_a_wait_before_the_next_try(folder):
    project_in(folder)

    def measure():
        with closing(socket.create_server(("127.0.0.1", 0))) as server:

            def refuse():
                for _ in range(100):
                    try:
                        connection, _ = server.accept()
                    except OSError:
                        return
                    with connection:
                        connection.recv(65536)
                        connection.sendall(b"HTTP/1.1 429 Slow\r\nRetry-After: 20\r\nContent-Length: 0\r\n\r\n")

            threading.Thread(target=refuse, daemon=True).start()
            own = environment(TOKENSYNC_BASE_URL=f"http://127.0.0.1:{server.getsockname()[1]}", FIGMA_TOKEN="figd_x")
            with started("pull", env=own) as process:
                line = b""
                while b"trying again" not in line:
                    line = process.stderr.readline()
                    assert line
                return interrupted(process)

    code, seconds = fastest(measure)
    assert (code, seconds < LONGEST) == (130, True)


@pytest.mark.parametrize(
    "sent", [b"", b"GET / HTTP/1.1\r\nHost: h\r\n", b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n"]
)
@pytest.mark.parametrize("verb", ["emulator serve --port 0", "webhooks listen --port 0 --passcode-env HOOK -- true"])
def test_a_server_with_a_client_that_is_in_no_hurry(folder, verb, sent):
    def measure():
        with started(*verb.split(), env=environment(HOOK="passc0de")) as process:
            line = json.loads(process.stdout.readline())
            host, port = re.fullmatch(r"http://([\d.]+):(\d+)/?", line.get("base_url") or line["endpoint"]).groups()
            with socket.create_connection((host, int(port))) as connection:
                connection.sendall(sent)
                time.sleep(0.1)
                return interrupted(process)

    code, seconds = fastest(measure)
    assert (code, seconds < LONGEST) == (0, True)


def test_the_wait_for_the_browser(folder):
    def measure():
        own = environment(TOKENSYNC_OAUTH_CLIENT_SECRET="s3cret-s3cret", TOKENSYNC_CREDENTIALS=str(folder))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        login = ("auth", "login", "--base-url", "http://127.0.0.1:9", "--client-id", "id", "--no-browser")
        with started(*login, "--redirect-url", f"http://127.0.0.1:{port}/callback", env=own) as process:
            line = b""
            while b"waiting for you" not in line:
                line = process.stderr.readline()
                assert line
            return interrupted(process)

    code, seconds = fastest(measure)
    assert (code, seconds < LONGEST) == (130, True)
    assert list(folder.iterdir()) == []


@pytest.mark.skipif(not os.path.isdir("/proc/self/task"), reason="asks /proc for child processes")
def test_the_command_of_a_listener_ends_with_it(folder):
    program = (sys.executable, "-c", "import time; print('begun', flush=True); time.sleep(60)")
    arguments = ("webhooks", "listen", "--port", "0", "--passcode-env", "HOOK", "--", *program)
    with started(*arguments, env=environment(HOOK="passc0de"), start_new_session=True) as process:
        import urllib.request

        endpoint = json.loads(process.stdout.readline())["endpoint"]
        body = json.dumps({"passcode": "passc0de", "event_type": "FILE_UPDATE", "file_key": "k"}).encode()
        with urllib.request.urlopen(endpoint, body, timeout=30):
            pass
        assert process.stdout.readline() == b"begun\n"
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does
        process.communicate(timeout=30)
        deadline = time.monotonic() + 5
        while time.monotonic() < deadline:
            try:
                os.killpg(process.pid, 0)
            except ProcessLookupError:
                return
            time.sleep(0.05)
        pytest.fail("a process of the listener is left")


def test_a_second_server_on_the_port_is_refused_and_no_address_is_a_name(folder):
    with started("emulator", "serve", "--port", "0") as process:
        first = process.stdout.readline()
        assert b"localhost" not in first
        port = json.loads(first)["base_url"].rpartition(":")[2]
        with started("emulator", "serve", "--port", port) as second:
            output, stderr = second.communicate(timeout=30)
        assert (second.returncode, output) == (2, b"")
        assert b"cannot listen" in stderr
        assert b"localhost" not in stderr
