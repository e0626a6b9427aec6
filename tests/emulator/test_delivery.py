"""Delivery of events: real requests, leases between processes, persistent retries, and the background thread."""

import json
import socket
import threading
import time
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from emulator.platform import KEY, NOW, Platform, start

from tokensync.emulator.webhooks import InBackground, Reply, post
from tokensync.testing import running

BODY = {"event_type": "FILE_DELETE", "context": "file", "context_id": KEY, "passcode": "sesame"}


@contextmanager
def endpoint(status=200, headers=(), after=0.0):
    """Return the address of a receiver with this answer, and the requests that it received."""
    received = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, dict(self.headers), json.loads(body)))
            time.sleep(after)
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", received
    finally:
        server.shutdown()
        server.server_close()


class Failing:
    """A sender that fails and records its calls."""

    def __init__(self, reply=Reply(500)):  # noqa: B008 - a constant
        self.reply = reply
        self.sent = []

    def __call__(self, address, payload):
        self.sent.append((address, json.loads(payload)))
        return self.reply


def listening(emulator, address="https://example.com/hook", **more):
    """Return a platform with a pinged webhook, and the webhook's id."""
    platform = Platform(emulator)
    answer = platform.request("POST", "/v2/webhooks", json={**BODY, "endpoint": address, **more})
    assert answer.status_code == 200, answer.json
    return platform, answer.json["id"]


def history(platform, id_):
    return platform.request("GET", f"/v2/webhooks/{id_}/requests").json["requests"]


class TestPost:
    def test_an_event_is_json_by_post_to_the_whole_address(self):
        with endpoint() as (address, received):
            assert post(f"{address}/hook%20here?a=b&c=%2F", b'{"a": 1}') == Reply(200)
        path, headers, body = received[0]
        assert (path, body) == ("/hook%20here?a=b&c=%2F", {"a": 1})
        assert headers["Content-Type"].startswith("application/json")

    def test_a_redirect_is_an_answer_and_not_followed(self):
        with endpoint() as (elsewhere, received), endpoint(307, [("Location", elsewhere)]) as (address, _):
            assert post(address, b"{}") == Reply(307)
        assert received == []

    @pytest.mark.parametrize("address", ["http://127.0.0.1:1/", "https://name.invalid/", "http://:1/", "http://[::1"])
    def test_a_failed_request_is_reported_and_does_not_raise(self, address):
        reply = post(address, b"{}")
        assert (reply.status, reply.accepted) == (None, False)
        assert reply.error

    def test_a_slow_endpoint_is_an_error(self, monkeypatch):
        monkeypatch.setattr("tokensync.emulator.webhooks._TIMEOUT_SECONDS", 0.05)
        with endpoint(after=0.5) as (address, _):
            assert post(address, b"{}") == Reply(None, "The endpoint took too long to answer")

    def test_an_endpoint_that_answers_byte_by_byte_is_too_slow(self, monkeypatch):
        monkeypatch.setattr("tokensync.emulator.webhooks._TIMEOUT_SECONDS", 0.3)
        done = threading.Event()

        def drip(listener):
            connection, _ = listener.accept()
            with connection, suppress(OSError):
                while not done.wait(0.05):
                    connection.sendall(b"x")

        with socket.create_server(("127.0.0.1", 0)) as listener:
            threading.Thread(target=drip, args=(listener,), daemon=True).start()
            reply = post(f"http://127.0.0.1:{listener.getsockname()[1]}/", b"{}")
            done.set()
        assert reply == Reply(None, "The endpoint took too long to answer")


class TestRetries:
    def test_a_retry_goes_where_the_webhook_points_by_then(self):
        failing = Failing()
        platform, id_ = listening(start(clock=lambda: NOW, send=failing))
        platform.emulator.deliver_due()
        change = {"endpoint": "https://example.com/new", "passcode": "other"}
        platform.request("PUT", f"/v2/webhooks/{id_}", json=change)
        platform.emulator.clock.advance(300)
        platform.emulator.deliver_due()
        assert [address for address, _ in failing.sent] == ["https://example.com/hook", "https://example.com/new"]
        assert [payload["passcode"] for _, payload in failing.sent] == ["sesame", "other"]

    @pytest.mark.parametrize("end", ["pause", "delete"])
    def test_queued_events_of_a_paused_or_deleted_webhook_are_dropped(self, end):
        failing = Failing()
        platform, id_ = listening(start(clock=lambda: NOW, send=failing))
        platform.emulator.deliver_due()
        if end == "pause":
            platform.request("PUT", f"/v2/webhooks/{id_}", json={"status": "PAUSED"})
        else:
            platform.request("DELETE", f"/v2/webhooks/{id_}")
        platform.emulator.clock.advance(300)
        assert platform.emulator.deliver_due() == 0
        assert platform.emulator.events.waiting() == ()

    def test_a_webhook_deleted_during_delivery_leaves_no_records(self):
        platform = None

        def send(address, payload):
            platform.request("DELETE", "/v2/webhooks/1")
            return Reply(500)

        platform, _ = listening(start(clock=lambda: NOW, send=send))
        assert platform.emulator.deliver_due() == 1
        assert platform.emulator.events.waiting() == ()

    @pytest.mark.parametrize(("counted", "retries"), [(False, [None, None]), (True, [0, 1])])
    def test_attempts_are_counted_in_the_event_behind_a_switch(self, counted, retries):
        send = Failing()
        platform, _ = listening(start(clock=lambda: NOW, send=send, quirks=["event-retries"] * counted))
        platform.emulator.deliver_due()
        platform.emulator.clock.advance(300)
        platform.emulator.deliver_due()
        assert [event.get("retries") for _, event in send.sent] == retries
        assert {event.get("protocol_version") for _, event in send.sent} == {"2" if counted else None}

    def test_retries_outlive_the_process(self, tmp_path):
        state = str(tmp_path / "state.sqlite")
        platform, id_ = listening(start(state, clock=lambda: NOW, send=Failing()))
        platform.emulator.deliver_due()
        platform.emulator.close()
        again = Failing(Reply(200))
        platform = Platform(start(state, clock=lambda: NOW + 300, send=again))
        assert platform.emulator.deliver_due() == 1
        assert [each["response_info"]["status"] for each in history(platform, id_)] == ["200", "500"]


class TestLeases:
    def test_no_two_processes_send_the_same_event(self, tmp_path):
        state = str(tmp_path / "state.sqlite")
        other = Failing()
        inner = []

        def send(address, payload):
            inner.append(second.deliver_due())
            return Reply(200)

        platform, _ = listening(start(state, clock=lambda: NOW, send=send))
        second = start(state, clock=lambda: NOW, send=other)
        assert platform.emulator.deliver_due() == 1
        assert (inner, other.sent) == ([0], [])

    def test_an_event_whose_process_died_is_sent_by_the_next_one(self, tmp_path):
        state = str(tmp_path / "state.sqlite")

        class Killed(BaseException):
            pass

        def send(address, payload):
            raise Killed

        platform, _ = listening(start(state, clock=lambda: NOW, send=send))
        with pytest.raises(Killed):
            platform.emulator.deliver_due()
        second = Failing(Reply(200))
        assert start(state, clock=lambda: NOW + 179, send=second).deliver_due() == 0
        assert start(state, clock=lambda: NOW + 181, send=second).deliver_due() == 1

    def test_an_endpoint_is_notified_in_order_and_a_slow_one_delays_no_other(self):
        fast = threading.Event()

        def send(address, payload):
            if "slow" in address:
                assert fast.wait(10), "the fast endpoint waited for the slow one"
            elif b"FILE_DELETE" in payload:
                fast.set()
            order.append((address, json.loads(payload)["event_type"]))
            return Reply(200)

        order = []
        platform, _ = listening(start(clock=lambda: NOW, send=send), "https://slow.example.com/")
        listening(platform.emulator, "https://fast.example.com/")
        platform.emulator.events.file_delete(KEY)
        assert platform.emulator.deliver_due() == 4
        for name in ("fast", "slow"):
            assert [kind for address, kind in order if name in address] == ["PING", "FILE_DELETE"]


class TestServing:
    def test_while_it_is_served_a_thread_delivers(self):
        with endpoint() as (address, received):
            platform, id_ = listening(start(), f"{address}/hook")
            with InBackground(platform.emulator.deliver_due):
                deadline = time.monotonic() + 20
                while not history(platform, id_) and time.monotonic() < deadline:
                    threading.Event().wait(0.02)
        assert [body["event_type"] for _, _, body in received] == ["PING"]
        assert history(platform, id_)[0]["response_info"]["status"] == "200"

    def test_the_fixture_for_other_people_s_tests_delivers(self):
        with endpoint() as (address, received), running(now=NOW) as served:
            served.emulator.files.create(KEY)
            listening(served.emulator, address)
            served.emulator.events.file_delete(KEY)
            deadline = time.monotonic() + 20
            while len(received) < 2 and time.monotonic() < deadline:
                threading.Event().wait(0.02)
        assert [body["event_type"] for _, _, body in received] == ["PING", "FILE_DELETE"]

    def test_a_fault_does_not_end_the_thread(self, caplog):
        from tokensync.emulator.webhooks import InBackground

        calls, done = [], threading.Event()

        def deliver():
            calls.append(1)
            if len(calls) == 1:
                raise OSError("disk full")
            done.set()
            return 0

        with InBackground(deliver):
            assert done.wait(20)
        assert "events were not delivered" in caplog.text
