"""Ctrl-C ends every wait within a second, and leaves no process and no half of a file."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing, contextmanager, suppress

import pytest
from cli.programs import environment, run_prepared, started
from commands.projects import (
    COLORS,
    QUICK_TO_SETTLE,
    files_in,
    on_the_platform,
    output,
    project_in,
    response,
    tokensync,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no process can send Ctrl-C to another one there")

LONGEST = 1.0
"""Seconds."""
TRIES = 3
"""A machine that does something else as well may take longer once."""
SLOWER = 5
"""How many times as long as a Python that only sleeps a command may take, which has more to tidy up."""


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

        thread = threading.Thread(target=accept, daemon=True)
        thread.start()
        try:
            yield server.getsockname()[1], asked
        finally:
            for each in (server, *held):
                with suppress(OSError):  # closing alone wakes no thread that waits for it
                    each.shutdown(socket.SHUT_RDWR)
            thread.join(5)
            for each in held:
                each.close()


def interrupted(process, sent=signal.SIGINT):
    """Send a signal as Ctrl-C does, and return the exit code and the seconds until the end."""
    began = time.monotonic()
    process.send_signal(sent)
    _, stderr = process.communicate(timeout=30)
    seconds = time.monotonic() - began
    assert b"Traceback" not in (stderr or b""), stderr
    assert b"Exception ignored" not in (stderr or b""), stderr
    return process.returncode, seconds


def said(process, text):
    """Read the lines of stderr until one has a text."""
    line = b""
    while text not in line:
        line = process.stderr.readline()
        assert line


@contextmanager
def showing(text, *arguments, **options):
    """Start a command in a session of its own, and yield it once the terminal of its stderr shows a text."""
    import pty

    ours, theirs = pty.openpty()
    try:
        with started(*arguments, stderr=theirs, start_new_session=True, **options) as process:
            os.close(theirs)
            shown = b""
            while text not in shown:
                shown += os.read(ours, 4096)
            yield process
    finally:
        os.close(ours)


def ended(process):
    """Return whether the process has ended, and all processes that it started."""
    try:
        os.killpg(process.pid, 0)
    except ProcessLookupError:
        return True
    return False


def in_time(seconds):
    """Return whether a command ended within a second, or soon for a machine on which all programs are slow."""
    return seconds < LONGEST or seconds < SLOWER * max(_of_one_that_sleeps() for _ in range(TRIES))


def _of_one_that_sleeps():
    """Return the seconds that a Python with the same modules takes to end."""
    program = "import time, requests, tokensync.cli.main; print(flush=True)\nwhile True: time.sleep(0.05)"
    with started(command=(sys.executable, "-c", program), stderr=subprocess.DEVNULL) as process:
        process.stdout.readline()
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(30)
        return time.monotonic() - began


def fastest(measure):
    """Return the exit code, and whether one of several tries was in time."""
    for _ in range(TRIES):
        code, seconds = measure()
        if in_time(seconds):
            return code, True
    return code, False


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

    code, is_fast = fastest(measure)
    assert (code, is_fast) == (130, True)
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
                said(process, b"trying again")
                return interrupted(process)

    code, is_fast = fastest(measure)
    assert (code, is_fast) == (130, True)


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

    code, is_fast = fastest(measure)
    assert (code, is_fast) == (0, True)


def test_the_wait_for_the_browser(folder):
    def measure():
        own = environment(TOKENSYNC_OAUTH_CLIENT_SECRET="s3cret-s3cret", TOKENSYNC_CREDENTIALS=str(folder))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        login = ("auth", "login", "--base-url", "http://127.0.0.1:9", "--client-id", "id", "--no-browser")
        with started(*login, "--redirect-url", f"http://127.0.0.1:{port}/callback", env=own) as process:
            said(process, b"waiting for you")
            return interrupted(process)

    code, is_fast = fastest(measure)
    assert (code, is_fast) == (130, True)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("sent", "expected"), [(signal.SIGINT, 130), (signal.SIGTERM, -signal.SIGTERM)])
def test_the_wait_for_the_outcome_of_a_request_without_a_response(folder, sent, expected):
    """Nothing is sent again, and the apply can be resumed to the plan's result."""
    project_in(folder)
    on_the_platform(COLORS)
    tokensync("-q", "pull")
    edit = next((folder / "tokens").rglob("dark.tokens.json"))
    edit.write_bytes(edit.read_bytes().replace(b"0.2666", b"0.5666"))
    faults = folder / "faults.toml"
    faults.write_bytes(b'[[rules]]\nmethod = "POST"\nnth = [1]\ndrop = "before"\n')
    serve = ("emulator", "serve", "--port", "0", "--state", ".tokensync/emulator.sqlite", "--faults", faults)
    with started(*serve) as server:
        line = json.loads(server.stdout.readline())
        own = environment(TOKENSYNC_BASE_URL=line["base_url"], FIGMA_TOKEN=line["token"])
        assert run_prepared("plan", env=own).returncode == 0
        with showing(b"the outcome is uncertain", "apply", env=own) as process:
            code, seconds = interrupted(process, sent)
            assert (code, in_time(seconds), ended(process)) == (expected, True, True)
        assert run_prepared("apply", env=own).returncode == 4
        with (folder / "tokensync.toml").open("a", encoding="utf-8") as file:
            file.write(QUICK_TO_SETTLE)
        resumed = run_prepared("apply", "--resume", env=own)
        assert resumed.returncode == 0, resumed.stderr
        assert b"nothing to do" in run_prepared("plan", env=own).stdout


def test_a_rehearsal_of_a_migration(folder):
    project_in(folder)
    on_the_platform(COLORS)
    tokens = {f"n{number}": {"$type": "number", "$value": number} for number in range(4_000)}
    (folder / "large.json").write_text(json.dumps({"size": tokens}), encoding="utf-8")
    before = files_in(folder)

    def measure():
        with showing(b"rehears", "migrate", "large.json", "--to", "one") as process:
            found = interrupted(process)
            assert ended(process)
            return found

    code, is_fast = fastest(measure)
    assert (code, is_fast) == (130, True)
    assert files_in(folder) == before


@pytest.mark.parametrize(("sent", "expected"), [(signal.SIGINT, 0), (signal.SIGTERM, -signal.SIGTERM)])
def test_a_watch(folder, sent, expected):
    (folder / "one.json").write_bytes(response(COLORS))

    def measure():
        with started("build", "--snapshot", "one.json", "-o", "out", "--watch", start_new_session=True) as process:
            said(process, b"tokens")
            found = interrupted(process, sent)
            assert ended(process)
            return found

    code, is_fast = fastest(measure)
    assert (code, is_fast) == (expected, True)


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
