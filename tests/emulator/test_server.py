"""The server: HTTPS with a certificate of its own, plain HTTP refused, slow clients beside quick ones."""

import os
import socket
import stat
import sys
import threading
from contextlib import suppress

import pytest
import requests
from emulator.platform import KEY, response
from optional import needs_cryptography

from tokensync.emulator.server import Server
from tokensync.system import serving
from tokensync.system.errors import UsageError
from tokensync.system.serving import HEAD_BYTES


def url_of(server, host="127.0.0.1"):
    return f"{server.base_url.replace('127.0.0.1', host)}/v1/files/{KEY}/variables/local"


@needs_cryptography
class TestTls:
    @pytest.fixture
    def server(self, platform):
        with Server(platform.emulator, tls=True) as server:
            yield server

    @pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
    def test_a_client_that_trusts_the_certificate_is_answered(self, platform, server, host):
        assert server.base_url.startswith("https://127.0.0.1:")
        headers = {"X-Figma-Token": platform.emulator.default_token}
        with requests.Session() as session:
            for _ in range(3):
                answer = session.get(url_of(server, host), headers=headers, verify=server.certificate, timeout=30)
                assert answer.json() == response()

    def test_a_whole_client_works_over_it(self, platform, server, monkeypatch):
        from tokensync.extract.client import Client, Credential

        monkeypatch.setenv("REQUESTS_CA_BUNDLE", server.certificate)
        with Client(server.base_url, Credential("personal", platform.emulator.default_token)) as client:
            client.variables.post(KEY, b'{"variables": []}')
            assert client.variables.local(KEY)

    def test_no_other_client_trusts_it(self, server):
        with pytest.raises(requests.exceptions.SSLError):
            requests.get(url_of(server), timeout=30)

    def test_plain_http_is_refused_and_not_redirected(self, platform, server):
        plain = url_of(server).replace("https:", "http:")
        headers = {"X-Figma-Token": platform.emulator.default_token}
        answer = requests.get(plain, headers=headers, timeout=30, allow_redirects=False)
        assert (answer.status_code, answer.json()["message"]) == (403, "Only HTTPS is supported")
        assert "Location" not in answer.headers

    def test_a_silent_client_does_not_block_others(self, platform, server):
        with socket.create_connection(("127.0.0.1", int(server.base_url.rpartition(":")[2]))):
            headers = {"X-Figma-Token": platform.emulator.default_token}
            assert requests.get(url_of(server), headers=headers, verify=server.certificate, timeout=30).ok

    @pytest.mark.skipif(sys.platform == "win32", reason="asks for what only POSIX has")
    def test_the_certificate_is_this_users_alone_and_the_key_is_nowhere(self, server):
        folder = os.path.dirname(server.certificate)
        assert os.listdir(folder) == ["ca.pem"]
        assert stat.S_IMODE(os.stat(server.certificate).st_mode) == 0o600
        assert stat.S_IMODE(os.stat(folder).st_mode) == 0o700

    def test_the_certificate_goes_with_the_server(self, platform):
        with Server(platform.emulator, tls=True) as server:
            assert os.path.exists(server.certificate)
        assert not os.path.exists(os.path.dirname(server.certificate))


def test_without_the_package_for_certificates_the_message_names_the_extra(platform, monkeypatch):
    monkeypatch.setattr("tokensync.emulator.server.find_spec", lambda name: None)
    with pytest.raises(UsageError, match='install the extra "tls" of tokensync'), Server(platform.emulator, tls=True):
        pass


def test_without_tls_there_is_no_certificate(platform):
    with Server(platform.emulator) as server:
        assert server.certificate is None


def test_plain_http_that_was_meant_for_another_machine_is_refused(platform):
    with Server(platform.emulator) as server:
        answer = requests.get(url_of(server), headers={"Host": "api.example.com"}, timeout=30, allow_redirects=False)
    assert (answer.status_code, answer.json()["message"]) == (403, "Only HTTPS is supported")


def test_any_number_of_idle_connections_stays_open(platform):
    with Server(platform.emulator) as server:
        sessions = [requests.Session() for _ in range(40)]
        for _ in range(2):
            for session in sessions:
                headers = {"X-Figma-Token": platform.emulator.default_token}
                answer = session.get(url_of(server), headers=headers, timeout=30)
                assert (answer.status_code, answer.headers.get("Connection")) == (200, None)
        for session in sessions:
            session.close()


def test_a_server_that_is_made_and_not_used_gives_its_address_back(platform):
    server = Server(platform.emulator)
    server.close()
    with Server(platform.emulator, port=int(server.base_url.rpartition(":")[2])):
        pass


@pytest.mark.parametrize(
    "framed",
    [
        b"Content-Length: -5\r\n\r\n",
        b"Content-Length: +2\r\n\r\n{}",
        b"Content-Length: 0_2\r\n\r\n{}",
        b"Content-Length: 99999999999999999999\r\n\r\n{}",
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}XX0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n0_2\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffffff\r\n{}\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n" + b"1" * 10_000,
        b"Transfer-Encoding: chunked\r\n\r\n0\r\n" + b"A: b\r\n" * 1_000 + b"\r\n",
    ],
)
def test_a_body_with_invalid_http_framing_is_a_client_error(platform, framed):
    head = f"POST /v1/files/{KEY}/variables HTTP/1.1\r\nHost: 127.0.0.1\r\n".encode()
    answer = answer_to(platform, head + framed)
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert b'{"status": 400, "error": true, ' in answer
    assert answer.count(b"HTTP/1.1 ") == 1, "what stands after it was taken for a request"


def test_a_body_shorter_than_its_length_is_refused(platform):
    head = f"POST /v1/files/{KEY}/comments HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 60\r\n"
    answer = answer_to(
        platform, f'{head}X-Figma-Token: {platform.emulator.default_token}\r\n\r\n{{"message": "a"}}'.encode()
    )
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert b"Request body ended early" in answer


def test_chunks_of_any_size_are_one_body_and_another_request_can_follow_them(platform):
    head = (
        f"POST /v1/files/{KEY}/comments HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n"
        f"X-Figma-Token: {platform.emulator.default_token}\r\n\r\n"
    ).encode()
    text = b'{"message": "' + b"a" * 200_000 + b'"}'
    chunked = b'5;name="x"\r\n' + text[:5] + b"\r\n%X\r\n" % (len(text) - 5) + text[5:] + b"\r\n0\r\nX-Sum: 1\r\n\r\n"
    answer = answer_to(platform, (head + chunked) * 2)
    assert answer.count(b"HTTP/1.1 200 ") == 2, answer[:500]


@pytest.mark.parametrize("line", [b" X: continues nothing", b"no colon"], ids=["continuation", "no colon"])
def test_a_malformed_head_is_400(platform, line, caplog):
    answer = answer_to(platform, b"GET /v1/me HTTP/1.1\r\n" + line + b"\r\nHost: 127.0.0.1\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert not caplog.records


def test_a_head_that_is_too_long_is_the_senders_mistake(platform, caplog):
    request = b"GET /v1/me HTTP/1.1\r\nX: "
    request += b"a" * 2 * HEAD_BYTES
    assert answer_to(platform, request).startswith(b"HTTP/1.1 431 ")
    assert not caplog.records


def answer_to(platform, request):
    """Return the response to these bytes until the connection ends."""
    with (
        Server(platform.emulator) as server,
        socket.create_connection(("127.0.0.1", int(server.base_url.rpartition(":")[2])), timeout=30) as connection,
    ):
        connection.sendall(request)
        with suppress(OSError):  # the answer may be there, and the connection at its end
            connection.shutdown(socket.SHUT_WR)
        return connection.makefile("rb").read()


def test_an_interruption_while_it_begins_leaves_no_thread_behind(platform, monkeypatch):
    def start(self, start=serving.Server.start):
        start(self)
        raise KeyboardInterrupt

    monkeypatch.setattr(serving.Server, "start", start)
    before = set(threading.enumerate())
    with pytest.raises(KeyboardInterrupt):
        Server(platform.emulator).__enter__()
    assert set(threading.enumerate()) <= before
