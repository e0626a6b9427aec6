"""The framing of requests, byte by byte through a socket: what two readers could read differently is refused."""

import socket
from contextlib import suppress

import pytest

from tokensync.system.serving import HEAD_BYTES, Limits, Server

BODY_LIMIT = 1000
GOOD = b"GET /good HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"


@pytest.fixture(scope="module")
def port():
    """Yield the port of a server whose application answers with what it received."""

    def echo(environ, start_response):
        content = environ["wsgi.input"].read()
        start_response("200 OK", [("X-Path", environ["PATH_INFO"]), ("X-Query", environ["QUERY_STRING"])])
        return [environ["REQUEST_METHOD"].encode(), b" ", content]

    bound = socket.create_server(("127.0.0.1", 0))
    with Server(echo, [bound], Limits(BODY_LIMIT, 5)):
        yield bound.getsockname()[1]


def exchange(port, content):
    """Return all that the server sends for these bytes, until it closes the connection."""
    with socket.create_connection(("127.0.0.1", port), timeout=20) as connection:
        connection.sendall(content)
        with suppress(OSError):
            connection.shutdown(socket.SHUT_WR)
        return connection.makefile("rb").read()


def post(*fields, body=b"", line=b"POST /x HTTP/1.1"):
    return b"\r\n".join([line, b"Host: h", *fields, b"", body])


REFUSED = {
    "two lengths that differ": (400, post(b"Content-Length: 1", b"Content-Length: 2", body=b"ab")),
    "two lengths that are equal": (400, post(b"Content-Length: 1", b"content-length: 1", body=b"a")),
    "a list of lengths": (400, post(b"Content-Length: 1, 1", body=b"a")),
    "length and chunked": (400, post(b"Content-Length: 5", b"Transfer-Encoding: chunked", body=b"0\r\n\r\n")),
    "chunked and length": (400, post(b"Transfer-Encoding: chunked", b"Content-Length: 5", body=b"0\r\n\r\n")),
    "space before the colon": (400, post(b"Content-Length : 1", body=b"a")),
    "tab before the colon": (400, post(b"Transfer-Encoding\t: chunked", body=b"0\r\n\r\n")),
    "folded line": (400, post(b"X: a", b" b")),
    "folded line first": (400, b"GET / HTTP/1.1\r\n Host: h\r\n\r\n"),
    "line feeds only": (400, b"GET / HTTP/1.1\nHost: h\n\n"),
    "line feed in the head": (400, b"GET / HTTP/1.1\r\nHost: h\nX: y\r\n\r\n"),
    "line feed at the end of the head": (400, b"GET / HTTP/1.1\r\nHost: h\r\n\n"),
    "carriage return in a value": (400, post(b"X: a\rContent-Length: 3")),
    "NUL in a value": (400, post(b"X: a\0b")),
    "escape in a value": (400, post(b"X: a\x1b[31m")),
    "no colon": (400, post(b"nonsense")),
    "empty name": (400, post(b": x")),
    "name that is no token": (400, post(b"X(y): x")),
    "negative length": (400, post(b"Content-Length: -1")),
    "length with a plus": (400, post(b"Content-Length: +1", body=b"a")),
    "length with an underscore": (400, post(b"Content-Length: 0_1", body=b"a")),
    "hexadecimal length": (400, post(b"Content-Length: 0x1", body=b"a")),
    "fractional length": (400, post(b"Content-Length: 1.0", body=b"a")),
    "empty length": (400, post(b"Content-Length:", body=b"a")),
    "superscript length": (400, post(b"Content-Length: \xb2", body=b"aa")),
    "long length": (400, post(b"Content-Length: " + b"9" * 40)),
    "large length": (413, post(b"Content-Length: 999999999999")),
    "short body": (400, post(b"Content-Length: 9999", body=b"a")),
    "coding of another kind": (501, post(b"Transfer-Encoding: gzip", body=b"0\r\n\r\n")),
    "coding twice": (501, post(b"Transfer-Encoding: chunked, chunked", body=b"0\r\n\r\n")),
    "gzip and chunked": (501, post(b"Transfer-Encoding: gzip, chunked", body=b"0\r\n\r\n")),
    "identity": (501, post(b"Transfer-Encoding: identity", body=b"0\r\n\r\n")),
    "chunked with a vertical tab": (400, post(b"Transfer-Encoding: \x0bchunked", body=b"0\r\n\r\n")),
    "coding in two fields": (400, post(b"Transfer-Encoding: chunked", b"Transfer-Encoding: x", body=b"0\r\n\r\n")),
    "two hosts": (400, b"GET / HTTP/1.1\r\nHost: h\r\nHost: i\r\n\r\n"),
    "no host": (400, b"GET / HTTP/1.1\r\n\r\n"),
    "absolute target of another scheme": (400, post(line=b"GET ftp://h/x HTTP/1.1")),
    "absolute target with a user": (400, post(line=b"GET http://user@h/x HTTP/1.1")),
    "authority as target": (403, post(line=b"CONNECT h:443 HTTP/1.1")),
    "asterisk as target": (400, post(line=b"OPTIONS * HTTP/1.1")),
    "relative target": (400, post(line=b"GET x HTTP/1.1")),
    "fragment in the target": (400, post(line=b"GET /x#y HTTP/1.1")),
    "space in the target": (400, post(line=b"GET /x y HTTP/1.1")),
    "two spaces": (400, post(line=b"GET  /x HTTP/1.1")),
    "control in the target": (400, post(line=b"GET /\x01 HTTP/1.1")),
    "letter beyond ASCII in the target": (400, post(line="GET /ö HTTP/1.1".encode())),
    "method in small letters": (400, post(line=b"get / HTTP/1.1")),
    "no version": (400, post(line=b"GET /")),
    "version 1.2": (400, post(line=b"GET / HTTP/1.2")),
    "version 2": (505, post(line=b"GET / HTTP/2.0")),
    "version 0.9": (505, post(line=b"GET / HTTP/0.9")),
    "version with a plus": (400, post(line=b"GET / HTTP/1.+1")),
    "long target": (414, post(line=b"GET /" + b"a" * 65_536 + b" HTTP/1.1")),
    "long field": (431, post(b"X: " + b"a" * 65_536)),
    "many fields": (431, post(*[b"X: " + b"a" * 1000] * 64)),
    "binary": (400, b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"),
}
CHUNKS = {
    "size with a minus": (400, b"-1\r\na\r\n0\r\n\r\n"),
    "size with a plus": (400, b"+1\r\na\r\n0\r\n\r\n"),
    "size with 0x": (400, b"0x1\r\na\r\n0\r\n\r\n"),
    "size with an underscore": (400, b"0_1\r\na\r\n0\r\n\r\n"),
    "space before the size": (400, b" 1\r\na\r\n0\r\n\r\n"),
    "no size": (400, b"\r\na\r\n0\r\n\r\n"),
    "long size": (400, b"0" * 40 + b"1\r\na\r\n0\r\n\r\n"),
    "large size": (413, b"ffffffffff\r\na\r\n0\r\n\r\n"),
    "line feed after the size": (400, b"1\na\r\n0\r\n\r\n"),
    "line feed after the data": (400, b"1\r\na\n0\r\n\r\n"),
    "data longer than the size": (400, b"1\r\nab\r\n0\r\n\r\n"),
    "long extension": (400, b"1;x=" + b"a" * 5000 + b"\r\na\r\n0\r\n\r\n"),
    "carriage return in an extension": (400, b"1;x=\ra\r\na\r\n0\r\n\r\n"),
    "no end": (400, b"1\r\na\r\n"),
    "many trailers": (400, b"0\r\n" + b"X: y\r\n" * 1000 + b"\r\n"),
    "trailer that is no field": (400, b"0\r\nGET /good HTTP/1.1\r\n\r\n"),
}
REFUSED |= {name: (status, post(b"Transfer-Encoding: chunked", body=body)) for name, (status, body) in CHUNKS.items()}


@pytest.mark.parametrize(("status", "content"), REFUSED.values(), ids=REFUSED)
def test_ambiguous_framing_is_refused_and_the_connection_closed(port, status, content):
    answer = exchange(port, content + GOOD)
    assert answer.startswith(b"HTTP/1.1 %d " % status), answer[:200]
    assert b"\r\nConnection: close\r\n" in answer
    assert answer.count(b"HTTP/1.1 ") == 1, "what follows was read as a request"


ACCEPTED = {
    "no body": (b"GET /a%2Fb%20c?d=%20 HTTP/1.1\r\nHost: h\r\n\r\n", b"GET "),
    "an empty line before": (b"\r\nGET / HTTP/1.1\r\nHost: h\r\n\r\n", b"GET "),
    "a length": (post(b"Content-Length: 3", body=b"abc"), b"POST abc"),
    "spaces around a value": (post(b"Content-Length: \t 3 \t", body=b"abc"), b"POST abc"),
    "zeros": (post(b"Content-Length: 003", body=b"abc"), b"POST abc"),
    "chunks": (
        post(b"Transfer-Encoding: Chunked", body=b"1;a=b\r\nx\r\nA\r\n0123456789\r\n0\r\nT: u\r\n\r\n"),
        b"POST x0123456789",
    ),
    "a body that waits for permission": (post(b"Expect: 100-continue", b"Content-Length: 1", body=b"a"), b"POST a"),
}


@pytest.mark.parametrize(("content", "expected"), ACCEPTED.values(), ids=ACCEPTED)
def test_valid_requests_are_answered_one_after_the_other(port, content, expected):
    answer = exchange(port, content + content + GOOD)
    assert answer.count(b"HTTP/1.1 200 OK") == 3
    assert answer.count(b"\r\n\r\n" + expected) >= 2


def test_an_encoded_slash_stays_encoded(port):
    assert b"\r\nX-Path: /a%2Fb c\r\nX-Query: d=%20\r\n" in exchange(port, ACCEPTED["no body"][0])


def test_an_application_gets_one_byte_more_than_it_wants(port):
    head = post(b"Content-Length: 100000", body=b"a" * 100_000)
    assert exchange(port, head + GOOD).count(b"a" * (BODY_LIMIT + 1) + b"HTTP/1.1 200") == 1


def test_a_head_of_the_largest_size_is_accepted(port):
    start = b"GET / HTTP/1.1\r\nHost: h\r\nX: "
    filling = b"a" * (HEAD_BYTES - len(start) - 4)
    assert exchange(port, start + filling[:-10] + b"\r\n\r\n").startswith(b"HTTP/1.1 200 ")
    assert exchange(port, start + filling + b"aaaa\r\n\r\n").startswith(b"HTTP/1.1 431 ")


def test_an_underscore_cannot_stand_for_a_hyphen():
    seen = []

    def application(environ, start_response):
        seen.append(environ.get("HTTP_X_FIGMA_TOKEN"))
        start_response("204 No Content", [])
        return []

    bound = socket.create_server(("127.0.0.1", 0))
    with Server(application, [bound], Limits(0)):
        exchange(bound.getsockname()[1], b"GET / HTTP/1.1\r\nHost: h\r\nX_Figma_Token: t\r\n\r\n")
    assert seen == [None]


def test_an_exception_of_the_application_is_500_and_logged(caplog):
    def application(environ, start_response):
        raise ZeroDivisionError

    bound = socket.create_server(("127.0.0.1", 0))
    with Server(application, [bound], Limits(0)):
        assert exchange(bound.getsockname()[1], GOOD).startswith(b"HTTP/1.1 500 ")
    assert "ZeroDivisionError" in caplog.text
