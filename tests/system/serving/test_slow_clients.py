"""Slow clients: cut off after a time in total, and never in the way of others."""

import socket
import ssl
import threading
import time
from contextlib import ExitStack, contextmanager, suppress

import pytest
from system.serving.test_framing import GOOD, exchange

from tokensync.emulator.server import Certificate
from tokensync.system.serving import Limits, Server

SLOW = 200
STARTS = {
    "nothing": b"",
    "half a head": b"POST / HTTP/1.1\r\nHost: h\r\nX: ",
    "half a body": b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n",
    "half a chunk": b"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n3e8\r\n",
}


def hello(environ, start_response):
    start_response("200 OK", [])
    return [b"hello"]


@contextmanager
def serving(limits, *, tls=None):
    bound = socket.create_server(("127.0.0.1", 0), backlog=128)
    with Server(hello, [bound], limits, tls):
        yield bound.getsockname()[1]


@contextmanager
def dripping(port, start, count=SLOW, seconds=0.1):
    """Hold connections that begin a request and then send a byte from time to time."""
    over = threading.Event()

    def drip(connections):
        while not over.wait(seconds):
            for each in list(connections):
                try:
                    each.send(b"a")
                except OSError:
                    connections.remove(each)

    with ExitStack() as stack:
        held = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20)) for _ in range(count)]
        for each in held:
            each.sendall(start)
        thread = threading.Thread(target=drip, args=(list(held) if start else [],))
        thread.start()
        try:
            yield held
        finally:
            over.set()
            thread.join()


def quickest(ask):
    """Return the shortest time of three requests in seconds: the machine may be busy with other tests."""
    times = []
    for _ in range(3):
        began = time.monotonic()
        assert ask().endswith(b"hello")
        times.append(time.monotonic() - began)
    return min(times)


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
def test_two_hundred_slow_clients_do_not_delay_another(start):
    with serving(Limits(10_000)) as port, dripping(port, start):
        assert quickest(lambda: exchange(port, GOOD)) < 1


@pytest.fixture(scope="module")
def certificate():
    signed = Certificate()
    yield signed
    signed.close()


@pytest.mark.parametrize("start", [b"", b"\x16", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET / HTT"])
def test_slow_handshakes_do_not_delay_another(certificate, start):
    context = ssl.create_default_context(cafile=certificate.path)
    with serving(Limits(10_000), tls=certificate.context) as port, dripping(port, start):

        def encrypted():
            with (
                socket.create_connection(("127.0.0.1", port), timeout=20) as plain,
                context.wrap_socket(plain, server_hostname="localhost") as connection,
            ):
                connection.sendall(GOOD)
                return connection.makefile("rb").read()

        assert quickest(encrypted) < 1


@pytest.mark.parametrize("start", list(STARTS.values())[1:], ids=list(STARTS)[1:])
def test_a_dripping_request_is_cut_off_after_its_time_in_total(start):
    with serving(Limits(10_000, seconds=0.5)) as port, dripping(port, start, count=1) as (connection,):
        began = time.monotonic()
        answer = connection.makefile("rb").read()
        assert answer.startswith(b"HTTP/1.1 408 "), answer
        assert time.monotonic() - began < 5


def test_a_slow_handshake_is_cut_off(certificate):
    with (
        serving(Limits(0, seconds=0.5), tls=certificate.context) as port,
        dripping(port, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", count=1) as (connection,),
    ):
        assert connection.recv(1) == b""


def test_an_idle_connection_is_closed_before_and_after_a_request():
    with serving(Limits(0, idle_seconds=0.3)) as port:
        for content, expected in ((b"", b""), (GOOD.replace(b"close", b"x"), b"hello")):
            with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
                connection.sendall(content)
                assert connection.makefile("rb").read().endswith(expected)


def test_the_longest_waiting_connection_makes_room_for_another(monkeypatch):
    monkeypatch.setattr("tokensync.system.serving._MAX_CONNECTIONS", 20)
    with serving(Limits(10_000)) as port, dripping(port, STARTS["half a head"], count=60, seconds=60) as held:
        assert exchange(port, GOOD).endswith(b"hello")
        held[0].settimeout(30)
        with suppress(ConnectionResetError):
            assert held[0].recv(1) == b"", "the first one was closed"
        held[-1].settimeout(0.2)
        with pytest.raises(TimeoutError):
            held[-1].recv(1)


def test_connections_that_arrive_at_once_are_not_more_than_the_most(monkeypatch):
    """They wait before the server begins, which then accepts one after the other without a pause."""
    monkeypatch.setattr("tokensync.system.serving._MAX_CONNECTIONS", 20)
    bound = socket.create_server(("127.0.0.1", 0), backlog=100)
    with ExitStack() as stack:
        held = [stack.enter_context(socket.create_connection(bound.getsockname(), timeout=20)) for _ in range(60)]
        with Server(hello, [bound], Limits(10_000)):
            assert exchange(bound.getsockname()[1], GOOD).endswith(b"hello")
            for each in held[:40]:
                with suppress(ConnectionResetError):
                    assert each.recv(1) == b""


def test_memory_that_slow_clients_hold_is_limited(monkeypatch):
    monkeypatch.setattr("tokensync.system.serving._MAX_HELD_BYTES", 1_000_000)
    with serving(Limits(200_000)) as port, ExitStack() as stack:
        held = []
        for _ in range(10):
            held.append(stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=5)))
            held[-1].sendall(b"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 200000\r\n\r\n" + b"a" * 199_999)
        with suppress(ConnectionResetError):
            assert held[0].recv(1) == b""
        assert exchange(port, GOOD).endswith(b"hello")


def test_a_client_that_reads_nothing_holds_no_worker(monkeypatch):
    monkeypatch.setattr("tokensync.system.serving._ANSWER_SECONDS", 1.0)
    answer = b"a" * 20_000_000

    def application(environ, start_response):
        start_response("200 OK", [])
        return [answer if environ["PATH_INFO"] == "/large" else b"hello"]

    bound = socket.create_server(("127.0.0.1", 0), backlog=128)
    port = bound.getsockname()[1]
    with Server(application, [bound], Limits(0)), ExitStack() as stack:
        held = [stack.enter_context(socket.create_connection(("127.0.0.1", port), timeout=20)) for _ in range(20)]
        for each in held:
            each.sendall(b"GET /large HTTP/1.1\r\nHost: h\r\n\r\n")
        assert exchange(port, GOOD).endswith(b"hello")
        time.sleep(1.5)
        received = 0
        with suppress(ConnectionResetError):
            while piece := held[0].recv(1_000_000):
                received += len(piece)
        assert received < len(answer)


def test_closing_ends_slow_connections_at_once():
    with serving(Limits(10_000)) as port:
        slow = socket.create_connection(("127.0.0.1", port), timeout=20)
        slow.sendall(STARTS["half a body"])
        time.sleep(0.1)
        began = time.monotonic()
    assert time.monotonic() - began < 3
    slow.close()
