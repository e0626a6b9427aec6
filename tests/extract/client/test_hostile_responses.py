"""Responses that are made to cost memory or time: each ends at a limit, and its text is short."""

import gzip
import socket
import subprocess
import sys
import textwrap
import threading
import time
import zlib
from contextlib import contextmanager, suppress

import pytest
from extract.client.answering import RawServer

from tokensync.extract.client import Client, RetryPolicy
from tokensync.system.errors import PlatformError

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
ONCE = RetryPolicy(attempts=1)


def failure(url, credential, **options):
    with pytest.raises(PlatformError) as caught, Client(url, credential, retry=ONCE, **options) as client:
        client.variables.local("KEY")
    assert len(str(caught.value)) < 1000
    return str(caught.value)


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br", "zstd", "gzip, identity", "compress", "exi\x01"])
def test_only_requested_encodings_are_decoded(credential, encoding):
    body = gzip.compress(gzip.compress(b"x" * 1000))
    head = HEAD + f"Content-Encoding: {encoding}\r\nContent-Length: {len(body)}\r\n\r\n".encode("latin-1")
    with RawServer(head + body) as server:
        assert "an encoding that was not requested" in failure(server.url, credential)


@pytest.mark.parametrize(("encoding", "bits"), [("gzip", 31), ("deflate", 15)])
def test_a_suspicious_ratio_ends_the_response_before_the_limit(credential, encoding, bits):
    compressor = zlib.compressobj(9, zlib.DEFLATED, bits)
    body = compressor.compress(b" " * 40_000_000) + compressor.flush()
    head = HEAD + b"Content-Encoding: %s\r\nContent-Length: %d\r\n\r\n" % (encoding.encode(), len(body))
    with RawServer(head + body) as server:
        assert "decompresses to a suspicious size" in failure(server.url, credential)


@pytest.mark.skipif(sys.platform == "win32", reason="asks for what only POSIX has")
def test_a_bomb_of_three_gigabytes_costs_little_memory():
    code = """
        import resource, sys
        from tokensync.extract.client import Client, Credential, RetryPolicy
        Client(sys.argv[1], Credential("personal", "x"), retry=RetryPolicy(attempts=1))
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        try:
            Client(sys.argv[1], Credential("personal", "x"), retry=RetryPolicy(attempts=1)).variables.local("KEY")
        except Exception as error:
            print(error, file=sys.stderr)
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
        print(used if sys.platform == "darwin" else used * 1024)
    """
    compressor = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = compressor.compress(b" " * 1_000_000) + compressor.flush(zlib.Z_FULL_FLUSH)
    body = gzip.compress(b"")[:10] + block * 3100
    with RawServer(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(body) + body) as server:
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code), server.url], capture_output=True, check=True
        )
    assert b"suspicious size" in done.stderr, done.stderr
    assert int(done.stdout) < 100_000_000


@contextmanager
def endless(head, piece, seconds):
    """Serve one response that never ends."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve():
            with suppress(OSError):
                connection, _ = listener.accept()
                with connection:
                    connection.recv(100_000)
                    connection.sendall(head)
                    while True:
                        connection.sendall(piece)
                        time.sleep(seconds)

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    thread.join(10)


EMPTY_BLOCK = b"\x00\x00\x00\xff\xff"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n"
DRIPS = {
    "a body": (HEAD + b"Content-Length: 100000\r\n\r\n", b" "),
    "a body without a length": (HEAD + b"\r\n", b" "),
    "the size of a chunk": (CHUNKED + b"\r\n", b"0"),
    "compressed nothing": (HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(b"")[:10], EMPTY_BLOCK),
    "chunks of compressed nothing": (
        CHUNKED + b"Content-Encoding: gzip\r\n\r\na\r\n" + gzip.compress(b"")[:10] + b"\r\n",
        b"5\r\n" + EMPTY_BLOCK + b"\r\n",
    ),
}


HEADS = {
    "the name of the protocol": (b"HTTP/1.1 200 O", b"K"),
    "a header": (b"HTTP/1.1 200 OK\r\nX-Long: ", b"x"),
    "headers": (b"HTTP/1.1 200 OK\r\n", b"X: y\r\n"),
    "continuations": (b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
}


@pytest.mark.parametrize(("head", "piece"), [*DRIPS.values(), *HEADS.values()], ids=[*DRIPS, *HEADS])
def test_a_response_that_drips_forever_ends_after_its_time_in_total(credential, head, piece):
    began = time.monotonic()
    with endless(head, piece, 0.05) as url:
        assert "was not complete after 0.5 seconds" in failure(url, credential, whole_timeout=0.5)
    assert time.monotonic() - began < 5


def test_an_endless_body_ends_at_its_limit(credential):
    with endless(CHUNKED + b"\r\n", b"10000\r\n" + b" " * 65_536 + b"\r\n", 0) as url:
        assert "larger than 1,000,000 bytes" in failure(url, credential, largest_answer=1_000_000)


def test_an_endless_error_is_read_to_a_limit(credential):
    head = b"HTTP/1.1 500 Oops\r\nTransfer-Encoding: chunked\r\n\r\n"
    with endless(head, b"10000\r\n" + b"::error::x" * 6553 + b"123456\r\n", 0) as url:
        assert "500" in failure(url, credential)


def test_a_wait_of_ages_is_not_waited_for(credential):
    body = b'{"status": 429, "err": "Rate limit exceeded"}'
    head = b"HTTP/1.1 429 Too Many Requests\r\nRetry-After: 1000000000000\r\nContent-Length: %d\r\n\r\n" % len(body)
    with RawServer(head + body) as server, pytest.raises(PlatformError, match="no usable time to retry"):
        Client(server.url, credential).variables.local("KEY")


@pytest.mark.parametrize("location", ["https://evil.example/", "http://127.0.0.1:1/", "//evil.example", "/elsewhere"])
def test_redirects_are_not_followed(credential, location):
    answer = b"HTTP/1.1 302 Found\r\nLocation: %s\r\nContent-Length: 0\r\n\r\n" % location.encode()
    with RawServer(answer) as server:
        assert "tokens are not sent to another address" in failure(server.url, credential)
    assert len(server.requests) == 1
