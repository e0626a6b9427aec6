"""The parts of ``webhooks listen``: receiver, event queue, command and server."""

import io
import json
import socket
import sys
import threading
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
from werkzeug.test import Client

from tokensync.commands import listening
from tokensync.commands.listening import MAX_BODY, Burst, EventQueue, Listener, Receiver, listen
from tokensync.system.errors import UsageError

PASSCODE = "open sesame"


class Time:
    """A clock that tests advance."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Time()


def iso(age):
    """Return the time before so many seconds."""
    return (datetime.now(UTC) - timedelta(seconds=age)).isoformat()


@pytest.fixture
def queue(clock):
    return EventQueue(clock)


@pytest.fixture
def said():
    return []


@pytest.fixture
def sender(queue, said):
    return Client(Receiver(PASSCODE, queue, log=said.append))


def event(event_type="LIBRARY_PUBLISH", **more):
    return {"event_type": event_type, "file_key": "K", "passcode": PASSCODE, **more}


class TestReceiver:
    def test_an_event_with_the_passcode_is_queued_without_it(self, sender, queue):
        answer = sender.post("/any/path", json=event("FILE_UPDATE"))
        assert (answer.status_code, answer.data) == (200, b"")
        assert queue.next(0) == Burst("FILE_UPDATE", ({"event_type": "FILE_UPDATE", "file_key": "K"},))

    @pytest.mark.parametrize("passcode", ["open sesam", "Open sesame", "", None, 1, ["open sesame"], "ö", "\ud800"])
    def test_any_other_passcode_is_refused_and_not_printed(self, sender, queue, said, passcode):
        answer = sender.post("/", data=json.dumps(event(passcode=passcode)))
        assert answer.status_code in (400, 422)
        assert (queue.count, answer.data) == (0, b"")
        assert "sesam" not in "".join(said)

    def test_passcodes_are_compared_in_constant_time(self, sender, monkeypatch):
        compared = []
        monkeypatch.setattr(listening.hmac, "compare_digest", lambda a, b: compared.append((a, b)) or a == b)
        assert sender.post("/", json=event(passcode="x")).status_code == 400
        assert sender.post("/", json=event()).status_code == 200
        assert compared == [(b"x", b"open sesame"), (b"open sesame", b"open sesame")]

    def test_a_ping_is_acknowledged_and_runs_nothing(self, sender, queue, said):
        assert sender.post("/", json=event("PING")).status_code == 200
        assert (queue.count, said) == (0, ["PING: the webhook works"])

    def test_an_unselected_event_type_is_acknowledged_and_ignored(self, queue, said):
        sender = Client(Receiver(PASSCODE, queue, ("LIBRARY_PUBLISH",), said.append))
        assert sender.post("/", json=event("FILE_UPDATE")).status_code == 200
        assert queue.count == 0
        assert sender.post("/", json=event()).status_code == 200
        assert queue.count == 1

    @pytest.mark.parametrize(
        "body",
        [b"", b"{", b"[]", b"null", b'"text"', b"\xff", b"[" * 100_000, b'{"passcode": "open sesame", "event_type": "'],
    )
    def test_what_is_no_event_is_422(self, sender, queue, body):
        assert sender.post("/", data=body).status_code == 422
        assert queue.count == 0

    @pytest.mark.parametrize("event_type", ["DEV_MODE_V2", "library_publish", "x.y-2", "A" * 64])
    def test_an_event_of_a_new_type_is_an_event(self, sender, queue, event_type):
        assert sender.post("/", json=event(event_type)).status_code == 200
        assert queue.next(0).event_type == event_type

    @pytest.mark.parametrize("event_type", [None, 1, "", "A B", "A\n", "A" * 65, "Ä", "\x1b[31m", "A" * 100_000])
    def test_an_event_without_a_usable_type_is_acknowledged_and_ignored(self, sender, queue, said, event_type):
        assert sender.post("/", json=event(event_type)).status_code == 200, "a 400 stops the webhook"
        assert (queue.count, said) == (0, ["ignored an event of an unknown type"])

    def test_a_request_of_a_web_page_is_refused(self, sender, queue):
        assert sender.post("/", json=event(), headers={"Origin": "https://evil.example"}).status_code == 403
        assert queue.count == 0

    def test_the_same_event_twice_runs_once(self, sender, queue, said):
        first = event("FILE_UPDATE", webhook_id="22", timestamp=iso(0))
        again = dict(reversed(first.items()))
        other = event("FILE_UPDATE", webhook_id="23", timestamp=iso(0))
        assert [sender.post("/", json=each).status_code for each in (first, again, other)] == [200] * 3
        assert (queue.count, said) == (2, ["ignored an event that was received before"])

    def test_an_event_whose_retries_are_counted_runs_once(self, sender, queue, said):
        first = event("FILE_UPDATE", webhook_id="22", timestamp=iso(0), retries=0)
        assert [sender.post("/", json={**first, "retries": count}).status_code for count in (0, 1, 2)] == [200] * 3
        assert (queue.count, said[:1]) == (1, ["ignored an event that was received before"])

    @pytest.mark.parametrize(("age", "runs"), [(0, 1), (3.6 * 3600, 1), (7 * 3600, 0), (86_400, 0), (-7 * 3600, 0)])
    def test_an_event_of_yesterday_is_acknowledged_and_ignored(self, sender, queue, age, runs):
        assert sender.post("/", json=event("FILE_UPDATE", timestamp=iso(age))).status_code == 200
        assert queue.count == runs

    @pytest.mark.parametrize("timestamp", [None, 5, "", "soon", "0001-01-01T00:00:00+23:59"])
    def test_any_timestamp_is_acknowledged(self, sender, timestamp):
        assert sender.post("/", json=event(timestamp=timestamp)).status_code == 200

    def test_an_event_refused_by_a_full_queue_is_accepted_when_it_is_sent_again(self, sender, queue, monkeypatch):
        monkeypatch.setattr(listening, "_MAX_EVENTS", 0)
        assert sender.post("/", json=event("FILE_UPDATE")).status_code == 503
        monkeypatch.setattr(listening, "_MAX_EVENTS", 1)
        assert sender.post("/", json=event("FILE_UPDATE")).status_code == 200
        assert queue.count == 1

    def test_the_memory_for_received_events_is_limited(self, sender, queue, monkeypatch):
        monkeypatch.setattr(listening, "_MAX_REMEMBERED", 2)
        for number in (1, 2, 3, 3, 1):
            sender.post("/", json=event("FILE_UPDATE", n=number))
        assert queue.count == 4, "the first one was forgotten"

    def test_ten_thousand_guesses_are_stopped_and_logged_once_a_minute(self, queue, said, clock):
        receiver = Receiver(PASSCODE, queue, log=said.append, clock=clock)
        sender = Client(receiver)
        answers = [sender.post("/", json=event(passcode=str(number))) for number in range(10_000)]
        statuses = [each.status_code for each in answers]
        assert (statuses.count(400), statuses.count(429)) == (listening.MAX_GUESSES, 10_000 - listening.MAX_GUESSES)
        assert answers[-1].headers["Retry-After"] == "60"
        assert sender.post("/", json=event()).status_code == 429, "or the next guess could be the right one"
        assert sender.post("/", json=event(), environ_base={"REMOTE_ADDR": "192.0.2.1"}).status_code == 200
        receiver.write_summaries()
        assert len(said) == 2
        clock.now += 61
        receiver.write_summaries()
        assert said[2:] == [
            "refused an event with a wrong passcode (59 more times)",
            "refused events without comparing their passcodes, after too many wrong ones (9,940 more times)",
        ]
        assert sender.post("/", json=event("FILE_UPDATE")).status_code == 200
        clock.now += 61
        receiver.write_summaries()
        assert len(said) == 4

    def test_guesses_from_many_addresses_take_limited_memory(self, queue, clock, monkeypatch):
        monkeypatch.setattr(listening, "_MAX_ADDRESSES", 10)
        receiver = Receiver(PASSCODE, queue, clock=clock)
        sender = Client(receiver)
        for number in range(200):
            sender.post("/", json=event(passcode="x"), environ_base={"REMOTE_ADDR": f"192.0.2.{number}"})
        assert len(receiver._guesses._counts) == 11

    @pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
    def test_only_post_is_answered(self, sender, method):
        answer = sender.open("/", method=method, json=event())
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")

    @pytest.mark.parametrize("method", ["GET", "HEAD"])
    def test_a_load_balancer_finds_the_health_path_that_was_set_and_no_other(self, queue, method):
        sender = Client(Receiver(PASSCODE, queue, health_path="/healthz"))
        assert [sender.open(path, method=method).status_code for path in ("/healthz", "/")] == [200, 405]
        assert sender.post("/healthz", json=event("FILE_UPDATE")).status_code == 200
        assert queue.count == 1

    @pytest.mark.parametrize(("depth", "status"), [(90, (200,)), (100, (200,)), (980, (200, 422))])
    def test_an_event_that_cannot_be_encoded_is_acknowledged_and_ignored(self, sender, queue, depth, status):
        nested = "[" * depth + "]" * depth
        body = f'{{"event_type": "FILE_UPDATE", "passcode": "{PASSCODE}", "x": {nested}}}'
        assert sender.post("/", data=body).status_code in status
        assert queue.count == (depth == 90)

    def test_a_body_is_read_up_to_the_limit(self, queue):
        answers = []
        stream = io.BytesIO(b"x" * (MAX_BODY + 100_000))
        environ = {"REQUEST_METHOD": "POST", "wsgi.input": stream}
        Receiver(PASSCODE, queue)(environ, lambda status, headers: answers.append(status))
        assert answers == ["413 Content Too Large"]
        assert stream.tell() == MAX_BODY + 1

    def test_when_too_much_waits_the_platform_is_asked_to_send_again(self, sender, queue, monkeypatch):
        monkeypatch.setattr(listening, "_MAX_EVENTS", 2)
        assert [sender.post("/", json=event(n=n)).status_code for n in range(3)] == [200, 200, 503]
        assert queue.count == 2


class TestEventQueue:
    def test_a_burst_of_publications_is_one_run_after_a_quiet_second(self, queue, clock):
        for number in range(5):
            queue.add("LIBRARY_PUBLISH", {"n": number}, 1)
            clock.now += 0.9
            assert queue.next(0) is None
        clock.now += 0.1
        assert queue.next(0) == Burst("LIBRARY_PUBLISH", tuple({"n": number} for number in range(5)))
        assert queue.next(0) is None

    def test_other_events_are_not_coalesced_or_delayed(self, queue):
        queue.add("LIBRARY_PUBLISH", {"n": 0}, 1)
        queue.add("FILE_UPDATE", {"n": 1}, 1)
        queue.add("FILE_UPDATE", {"n": 2}, 1)
        assert [queue.next(0).events[0]["n"] for _ in range(2)] == [1, 2]
        assert (queue.next(0), queue.count) == (None, 1)

    def test_what_comes_while_the_command_runs_is_the_next_run(self, queue, clock):
        queue.add("LIBRARY_PUBLISH", {"n": 0}, 1)
        clock.now += 1
        assert queue.next(0).events == ({"n": 0},)
        queue.add("LIBRARY_PUBLISH", {"n": 1}, 1)
        clock.now += 1
        assert queue.next(0).events == ({"n": 1},)

    def test_an_endless_burst_is_cut(self, queue, clock):
        for number in range(30):
            assert queue.add("LIBRARY_PUBLISH", {"n": number}, 1)
            assert queue.next(0) is None
            clock.now += 0.999
        clock.now += 0.05
        queue.add("LIBRARY_PUBLISH", {"n": 30}, 1)
        assert len(queue.next(0).events) == 31

    def test_the_queue_is_limited_in_bytes(self, queue, monkeypatch):
        monkeypatch.setattr(listening, "_MAX_BYTES", 100)
        assert queue.add("FILE_UPDATE", {}, 60)
        assert not queue.add("FILE_UPDATE", {}, 41)
        assert queue.add("FILE_UPDATE", {}, 40)
        queue.next(0)
        assert queue.add("FILE_UPDATE", {}, 60)

    def test_an_event_wakes_a_waiting_consumer(self):
        from concurrent.futures import ThreadPoolExecutor

        queue = EventQueue()
        with ThreadPoolExecutor(1) as thread:
            taken = thread.submit(queue.next, 60)
            queue.add("FILE_UPDATE", {"n": 1}, 1)
            assert taken.result(30) == Burst("FILE_UPDATE", ({"n": 1},))


SHOW = """
import json, os, sys
found = {name: value for name, value in os.environ.items() if name.startswith("TOKENSYNC_") or name == "HOOK"}
json.dump([json.load(sys.stdin), found, sys.argv[1:]], open("seen.json", "w", encoding="utf-8"))
sys.exit(7)
"""

SECRETS = (
    "HOOK",
    "FIGMA_TOKEN",
    "FIGMA_ACCESS_TOKEN",
    "FIGMA_OAUTH_TOKEN",
    "TOKENSYNC_OAUTH_CLIENT_SECRET",
    "TOKENSYNC_ACTION_TOKEN",
    "TOKENSYNC_ACTION_GITHUB_TOKEN",
    "TOKENSYNC_ACTION_APP_TOKEN",
    "TOKENSYNC_PASSCODE",
    "GITHUB_TOKEN",
    "GH_TOKEN",
    "GH_ENTERPRISE_TOKEN",
    "ACTIONS_RUNTIME_TOKEN",
    "ACTIONS_ID_TOKEN_REQUEST_TOKEN",
)


class TestRunning:
    def test_the_command_gets_the_events_on_stdin_and_in_its_environment(self, folder, monkeypatch):
        monkeypatch.setenv("HOOK", PASSCODE)
        command = listening.resolved((sys.executable, "-c", SHOW, "$(touch shell)", "; touch shell"))
        events = ({"file_key": "K", "n": 1}, {"file_key": "L"}, {"file_key": "K"})
        code = listening.run(command, Burst("LIBRARY_PUBLISH", events), listening.environment_for("HOOK"))
        document, found, arguments = json.loads((folder / "seen.json").read_text("utf-8"))
        assert code == 7
        assert document == {"event_type": "LIBRARY_PUBLISH", "file_keys": ["K", "L"], "events": [*events]}
        assert found == {
            "TOKENSYNC_EVENT_TYPE": "LIBRARY_PUBLISH",
            "TOKENSYNC_EVENT_COUNT": "3",
            "TOKENSYNC_FILE_KEYS": "K,L",
        }
        assert arguments == ["$(touch shell)", "; touch shell"]
        assert not (folder / "shell").exists()

    def test_the_command_gets_no_credentials_but_those_that_are_named(self, folder, monkeypatch):
        for name in (*SECRETS, "OTHER", "TOKENSYNC_ACTION_TOKEN_EXPIRES"):
            monkeypatch.setenv(name, "canary")

        def given(*passed: str) -> set[str]:
            names = "' '.join(k for k in os.environ if os.environ[k] == 'canary')"
            show = f"import os; open('seen', 'w', encoding='utf-8').write({names})"
            command = listening.resolved((sys.executable, "-I", "-c", show))
            listening.run(command, Burst("FILE_UPDATE", ()), listening.environment_for("HOOK", passed))
            return set((folder / "seen").read_text("utf-8").split())

        kept = {"OTHER", "TOKENSYNC_ACTION_TOKEN_EXPIRES"}
        assert given() == kept
        assert given("FIGMA_TOKEN", "GH_TOKEN") == {*kept, "FIGMA_TOKEN", "GH_TOKEN"}

    def test_a_missing_variable_is_reported_before_listening(self, monkeypatch):
        monkeypatch.delenv("FIGMA_TOKEN", raising=False)
        with pytest.raises(UsageError, match="--env FIGMA_TOKEN: the environment variable is not set"):
            listening.environment_for("HOOK", ("FIGMA_TOKEN",))

    def test_invalid_file_keys_are_omitted_from_the_environment(self):
        keys = ("ok-1_A", "a b", "a,b", "$(x)", "\0", "", "k" * 129, 5, None, ["K"])
        burst = Burst("FILE_UPDATE", tuple({"file_key": key} for key in keys))
        assert listening.file_keys(burst) == ("ok-1_A",)

    def test_a_command_need_not_read_its_input(self):
        burst = Burst("FILE_UPDATE", ({"text": "x" * 1_000_000},))
        command = (sys.executable, "-c", "pass")
        assert listening.run(command, burst, listening.environment_for("HOOK")) == 0

    def test_a_missing_program_is_reported_before_listening(self):
        with pytest.raises(UsageError, match="no such program"):
            listening.resolved(("no-such-program-anywhere", "x"))


class TestListening:
    """The server of the receiver, through its socket."""

    def heard(self, *requests, then_silent=False):
        """Return the responses, and the threads that remain after listening."""
        before = set(threading.enumerate())
        answers = []

        def started(address):
            for each in requests:
                with socket.create_connection(("127.0.0.1", urlsplit(address).port), timeout=30) as connection:
                    connection.sendall(each)
                    if not then_silent:
                        with suppress(OSError):  # the answer may be there, and the connection at its end
                            connection.shutdown(socket.SHUT_WR)
                    answers.append(connection.makefile("rb").read())
            raise KeyboardInterrupt

        listener = Listener(("true",), {}, PASSCODE)
        with pytest.raises(KeyboardInterrupt):
            listen(listener, "127.0.0.1", 0, started=started, log=str)
        left = set(threading.enumerate()) - before
        for each in left:
            each.join(30)
        return answers, [each for each in left if each.is_alive()]

    def test_an_interruption_at_once_leaves_no_thread_behind(self):
        assert self.heard() == ([], [])

    @pytest.mark.parametrize(
        "head",
        [
            b" X: continues nothing\r\nHost: here\r\n\r\n",
            b"Content-Length: -5\r\n\r\n",
            b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        ],
    )
    def test_invalid_http_is_refused_and_not_printed(self, head, capfd):
        (answer,), left = self.heard(b"POST / HTTP/1.1\r\n" + head)
        assert answer.startswith(b"HTTP/1.1 400 "), answer
        assert left == []
        assert capfd.readouterr() == ("", "")

    def test_an_incomplete_body_times_out(self, monkeypatch):
        monkeypatch.setattr(listening, "_TIMEOUT_SECONDS", 0.2)
        (answer,), left = self.heard(
            b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n{}", then_silent=True
        )
        assert answer.startswith(b"HTTP/1.1 408 "), answer
        assert left == []

    def test_an_oversized_body_is_read_to_its_end(self):
        chunk = b"%X\r\n" % (MAX_BODY + 10) + b" " * (MAX_BODY + 10) + b"\r\n"
        head = b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
        (answer,), _ = self.heard(head + chunk + b"0\r\n\r\nGET / HTTP/1.1\r\nHost: here\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 413 "), answer
        assert answer.count(b"HTTP/1.1 405 ") == answer.count(b"HTTP/1.1 ") - 1 == 1
