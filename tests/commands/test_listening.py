"""``webhooks listen`` by its parts: who may send, what is folded, and what the command gets."""

from __future__ import annotations

import io
import json
import socket
import sys
import threading
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from werkzeug.test import Client

from tokensync.commands import listening
from tokensync.commands.listening import LARGEST_BODY, Burst, Folding, Listener, Receiver, listen
from tokensync.errors import UsageError

PASSCODE = "open sesame"


class Time:
    """A clock that stands still until a test moves it."""

    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Time()


@pytest.fixture
def waiting(clock):
    return Folding(clock)


@pytest.fixture
def said():
    return []


@pytest.fixture
def sender(waiting, said):
    return Client(Receiver(PASSCODE, waiting, say=said.append))


def event(event_type="LIBRARY_PUBLISH", **more):
    return {"event_type": event_type, "file_key": "K", "passcode": PASSCODE, **more}


class TestReceiver:
    def test_an_event_with_the_passcode_is_taken_and_handed_on_without_it(self, sender, waiting):
        answer = sender.post("/any/path", json=event("FILE_UPDATE"))
        assert (answer.status_code, answer.data) == (200, b"")
        assert waiting.next(0) == Burst("FILE_UPDATE", ({"event_type": "FILE_UPDATE", "file_key": "K"},))

    @pytest.mark.parametrize("passcode", ["open sesam", "Open sesame", "", None, 1, ["open sesame"], "ö", "\ud800"])
    def test_any_other_passcode_is_refused_and_not_told(self, sender, waiting, said, passcode):
        answer = sender.post("/", data=json.dumps(event(passcode=passcode)))
        assert answer.status_code in (400, 403)
        assert (waiting.count, answer.data) == (0, b"")
        assert "sesam" not in "".join(said)

    def test_passcodes_are_compared_in_constant_time(self, sender, monkeypatch):
        compared = []
        monkeypatch.setattr(listening.hmac, "compare_digest", lambda a, b: compared.append((a, b)) or a == b)
        assert sender.post("/", json=event(passcode="x")).status_code == 403
        assert sender.post("/", json=event()).status_code == 200
        assert compared == [(b"x", b"open sesame"), (b"open sesame", b"open sesame")]

    def test_a_ping_is_acknowledged_and_runs_nothing(self, sender, waiting, said):
        assert sender.post("/", json=event("PING")).status_code == 200
        assert (waiting.count, said) == (0, ["PING: the webhook works"])

    def test_a_kind_that_is_not_asked_for_is_acknowledged_and_runs_nothing(self, waiting, said):
        sender = Client(Receiver(PASSCODE, waiting, ("LIBRARY_PUBLISH",), said.append))
        assert sender.post("/", json=event("FILE_UPDATE")).status_code == 200
        assert waiting.count == 0
        assert sender.post("/", json=event()).status_code == 200
        assert waiting.count == 1

    @pytest.mark.parametrize(
        "body",
        [b"", b"{", b"[]", b"null", b'"text"', b"\xff", b"[" * 100_000, b'{"passcode": "open sesame", "event_type": "'],
    )
    def test_what_is_no_event_is_400(self, sender, waiting, body):
        assert sender.post("/", data=body).status_code == 400
        assert waiting.count == 0

    @pytest.mark.parametrize("event_type", [None, 1, "", "library_publish", "A B", "A\n", "A" * 65, "Ä"])
    def test_an_event_without_a_type_is_400(self, sender, waiting, event_type):
        assert sender.post("/", json=event(event_type)).status_code == 400
        assert waiting.count == 0

    @pytest.mark.parametrize("method", ["GET", "HEAD", "PUT", "DELETE", "OPTIONS"])
    def test_only_post_is_answered(self, sender, method):
        answer = sender.open("/", method=method, json=event())
        assert (answer.status_code, answer.headers["Allow"]) == (405, "POST")

    @pytest.mark.parametrize(("depth", "status"), [(90, 200), (100, 400), (980, 400)])
    def test_an_event_that_could_not_be_written_for_the_command_is_400(self, sender, waiting, depth, status):
        nested = "[" * depth + "]" * depth
        body = f'{{"event_type": "FILE_UPDATE", "passcode": "{PASSCODE}", "x": {nested}}}'
        assert sender.post("/", data=body).status_code == status
        assert waiting.count == (status == 200)

    @pytest.mark.parametrize("length", [LARGEST_BODY + 1, 10**30])
    def test_a_body_that_is_too_large_is_413_and_not_read(self, waiting, length):
        answers = []
        unread = io.BytesIO(b"x")
        environ = {"REQUEST_METHOD": "POST", "CONTENT_LENGTH": str(length), "wsgi.input": unread}
        Receiver(PASSCODE, waiting)(environ, lambda status, headers: answers.append(status))
        assert (answers, unread.tell()) == (["413 Content Too Large"], 0)

    def test_a_body_without_a_length_is_read_up_to_the_limit(self, waiting):
        answers = []
        stream = io.BytesIO(b"x" * (LARGEST_BODY + 100_000))
        environ = {"REQUEST_METHOD": "POST", "wsgi.input": stream}
        Receiver(PASSCODE, waiting)(environ, lambda status, headers: answers.append(status))
        assert answers == ["413 Content Too Large"]
        assert stream.tell() == LARGEST_BODY + 1

    def test_when_too_much_waits_the_platform_is_asked_to_send_again(self, sender, waiting, monkeypatch):
        monkeypatch.setattr(listening, "_MOST_EVENTS", 2)
        assert [sender.post("/", json=event()).status_code for _ in range(3)] == [200, 200, 503]
        assert waiting.count == 2


class TestFolding:
    def test_a_burst_of_publications_is_one_run_after_a_quiet_second(self, waiting, clock):
        for number in range(5):
            waiting.add("LIBRARY_PUBLISH", {"n": number}, 1)
            clock.now += 0.9
            assert waiting.next(0) is None
        clock.now += 0.1
        assert waiting.next(0) == Burst("LIBRARY_PUBLISH", tuple({"n": number} for number in range(5)))
        assert waiting.next(0) is None

    def test_other_events_are_a_run_each_and_do_not_wait(self, waiting):
        waiting.add("LIBRARY_PUBLISH", {"n": 0}, 1)
        waiting.add("FILE_UPDATE", {"n": 1}, 1)
        waiting.add("FILE_UPDATE", {"n": 2}, 1)
        assert [waiting.next(0).events[0]["n"] for _ in range(2)] == [1, 2]
        assert (waiting.next(0), waiting.count) == (None, 1)

    def test_what_comes_while_the_command_runs_is_the_next_run(self, waiting, clock):
        waiting.add("LIBRARY_PUBLISH", {"n": 0}, 1)
        clock.now += 1
        assert waiting.next(0).events == ({"n": 0},)
        waiting.add("LIBRARY_PUBLISH", {"n": 1}, 1)
        clock.now += 1
        assert waiting.next(0).events == ({"n": 1},)

    def test_a_burst_without_end_is_cut(self, waiting, clock):
        for number in range(30):
            assert waiting.add("LIBRARY_PUBLISH", {"n": number}, 1)
            assert waiting.next(0) is None
            clock.now += 0.999
        clock.now += 0.05
        waiting.add("LIBRARY_PUBLISH", {"n": 30}, 1)
        assert len(waiting.next(0).events) == 31

    def test_events_are_kept_up_to_a_number_of_bytes(self, waiting, monkeypatch):
        monkeypatch.setattr(listening, "_MOST_BYTES", 100)
        assert waiting.add("FILE_UPDATE", {}, 60)
        assert not waiting.add("FILE_UPDATE", {}, 41)
        assert waiting.add("FILE_UPDATE", {}, 40)
        waiting.next(0)
        assert waiting.add("FILE_UPDATE", {}, 60)

    def test_somebody_who_waits_is_woken_by_an_event(self):
        from concurrent.futures import ThreadPoolExecutor

        waiting = Folding()
        with ThreadPoolExecutor(1) as thread:
            taken = thread.submit(waiting.next, 60)
            waiting.add("FILE_UPDATE", {"n": 1}, 1)
            assert taken.result(30) == Burst("FILE_UPDATE", ({"n": 1},))


SHOW = """
import json, os, sys
found = {name: value for name, value in os.environ.items() if name.startswith("TOKENSYNC_") or name == "HOOK"}
json.dump([json.load(sys.stdin), found, sys.argv[1:]], open("seen.json", "w"))
sys.exit(7)
"""


class TestRunning:
    def test_the_command_gets_the_events_on_stdin_and_in_its_environment(self, folder, monkeypatch):
        monkeypatch.setenv("HOOK", PASSCODE)
        command = listening.resolved((sys.executable, "-c", SHOW, "$(touch shell)", "; touch shell"))
        events = ({"file_key": "K", "n": 1}, {"file_key": "L"}, {"file_key": "K"})
        code = listening.run(command, Burst("LIBRARY_PUBLISH", events), listening.environment_without("HOOK"))
        document, found, arguments = json.loads((folder / "seen.json").read_text())
        assert code == 7
        assert document == {"event_type": "LIBRARY_PUBLISH", "file_keys": ["K", "L"], "events": [*events]}
        assert found == {
            "TOKENSYNC_EVENT_TYPE": "LIBRARY_PUBLISH",
            "TOKENSYNC_EVENT_COUNT": "3",
            "TOKENSYNC_FILE_KEYS": "K,L",
        }
        assert arguments == ["$(touch shell)", "; touch shell"]
        assert not (folder / "shell").exists()

    def test_what_is_no_file_key_does_not_get_into_the_environment(self):
        keys = ("ok-1_A", "a b", "a,b", "$(x)", "\0", "", "k" * 129, 5, None, ["K"])
        burst = Burst("FILE_UPDATE", tuple({"file_key": key} for key in keys))
        assert listening.file_keys(burst) == ("ok-1_A",)

    def test_a_command_that_does_not_read_its_input_is_no_fault(self):
        burst = Burst("FILE_UPDATE", ({"text": "x" * 1_000_000},))
        command = (sys.executable, "-c", "pass")
        assert listening.run(command, burst, listening.environment_without("HOOK")) == 0

    def test_a_program_that_is_not_there_is_told_before_anything_is_listened_to(self):
        with pytest.raises(UsageError, match="no such program"):
            listening.resolved(("no-such-program-anywhere", "x"))


class TestListening:
    """The server in front of the receiver, by its socket."""

    def heard(self, *requests, then_silent=False):
        """What is answered to each of the requests, and the threads that are left when the listening has ended."""
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
            listen(listener, "127.0.0.1", 0, started=started, say=str)
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
    def test_what_is_not_http_is_refused_and_nothing_of_it_is_written_on_the_terminal(self, head, capfd):
        (answer,), left = self.heard(b"POST / HTTP/1.1\r\n" + head)
        assert answer.startswith(b"HTTP/1.1 400 "), answer
        assert left == []
        assert capfd.readouterr() == ("", "")

    def test_whoever_announces_more_than_comes_and_is_silent_then_is_not_waited_for(self, monkeypatch):
        monkeypatch.setattr(listening, "_SILENCE_SECONDS", 0.2)
        (answer,), left = self.heard(
            b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n{}", then_silent=True
        )
        assert answer.startswith(b"HTTP/1.1 400 "), answer
        assert left == []

    def test_what_stands_after_a_body_that_is_too_large_is_no_request(self):
        chunk = b"%X\r\n" % (LARGEST_BODY + 10) + b" " * (LARGEST_BODY + 10) + b"\r\n"
        head = b"POST / HTTP/1.1\r\nHost: here\r\nTransfer-Encoding: chunked\r\n\r\n"
        (answer,), _ = self.heard(head + chunk + b"0\r\n\r\nPOST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n")
        assert answer.startswith(b"HTTP/1.1 413 "), answer
        assert answer.count(b"HTTP/1.1 ") == 1
