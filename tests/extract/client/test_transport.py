import gzip
import socket
import ssl
import subprocess
import sys

import pytest
import requests
from extract.client.answering import LOCAL, SUCCESS, RawServer

from tokensync.extract.client import Client, Clock, RetryPolicy
from tokensync.system.errors import NetworkError

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
WHOLE = HEAD + b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(SUCCESS), SUCCESS)
SHORT = HEAD + b"Content-Length: %d\r\n\r\n%s" % (len(SUCCESS), SUCCESS[:-9])
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
CHUNK = b"%x\r\n%s\r\n" % (len(SUCCESS), SUCCESS)

FAULTS = {
    "nothing at all": b"",
    "half a head": HEAD[:20],
    "another protocol": b"SSH-2.0-OpenSSH_9.6\r\n\r\n",
    "fewer bytes than promised": SHORT,
    "a chunk cut short": CHUNKED + CHUNK[:20],
    "no last chunk": CHUNKED + CHUNK,
    "a chunk of no size": CHUNKED + b"zz\r\n" + SUCCESS,
    "a body that ends early without a length": HEAD + b"Connection: close\r\n\r\n" + SUCCESS[:-9],
    "damaged compression": HEAD + b"Content-Encoding: gzip\r\nContent-Length: 5\r\nConnection: close\r\n\r\nabcde",
    "compression cut short": HEAD + b"Content-Encoding: gzip\r\n\r\n" + gzip.compress(SUCCESS)[:-30],
}


def _client(server, credential, waits, **options):
    return Client(server.url, credential, clock=waits.clock, on_wait=waits.reported.append, **options)


@pytest.mark.parametrize("name", FAULTS)
def test_a_get_survives_a_response_broken_by_the_connection(name, credential, waits):
    with RawServer(FAULTS[name], WHOLE) as server:
        assert _client(server, credential, waits).variables.local("KEY") == SUCCESS
    assert len(server.requests) == 2
    assert len(waits.reported) == 1


@pytest.mark.parametrize("name", FAULTS)
def test_a_post_is_sent_once_over_a_bad_connection(name, credential, waits):
    with RawServer(FAULTS[name], WHOLE) as server, pytest.raises(NetworkError) as caught:
        _client(server, credential, waits).variables.post("KEY", b"{}")
    assert len(server.requests) == 1
    assert caught.value.outcome_unknown


def test_a_reset_connection_is_tried_again(credential, waits):
    with RawServer(b"", b"", reset=True) as server, pytest.raises(NetworkError, match="dropped.*2 attempts"):
        _client(server, credential, waits, retry=RetryPolicy(attempts=2)).variables.local("KEY")


def test_chunked_and_compressed_answers_are_read_whole(credential, waits):
    body = gzip.compress(SUCCESS)
    compressed = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s" % (
        len(body),
        body,
    )
    with RawServer(CHUNKED + CHUNK + b"0\r\n\r\n", compressed) as server:
        client = _client(server, credential, waits)
        assert client.variables.local("KEY") == SUCCESS
        client.close()
        assert _client(server, credential, waits).variables.local("KEY") == SUCCESS
    assert waits.reported == []


def test_a_refused_connection_is_named_and_known_not_to_have_been_sent(credential, waits):
    with socket.create_server(("127.0.0.1", 0)) as closed:
        url = f"http://127.0.0.1:{closed.getsockname()[1]}"
    client = Client(url, credential, clock=waits.clock)
    with pytest.raises(NetworkError, match="the connection failed") as caught:
        client.variables.post("KEY", b"{}")
    assert not caught.value.outcome_unknown


def test_a_compression_bomb_is_stopped_at_the_largest_answer(credential, waits):
    bomb = gzip.compress(b'{"meta":' + b" " * 5_000_000)
    with (
        RawServer(HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (len(bomb), bomb)) as server,
        pytest.raises(NetworkError, match="larger than 100,000 bytes"),
    ):
        _client(server, credential, waits, largest_answer=100_000).variables.local("KEY")
    assert waits.reported == []


def test_a_silent_server_meets_the_read_timeout(credential, waits):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}"
        client = Client(url, credential, clock=waits.clock, read_timeout=0.05, retry=RetryPolicy(attempts=2))
        with pytest.raises(NetworkError, match=r"sent nothing for 0.05 seconds \(2 attempts\)"):
            client.variables.local("KEY")


def test_a_dripping_server_meets_the_limit_of_the_whole_answer(credential):
    ticks = iter(range(0, 10_000, 400))
    clock = Clock(elapsed=lambda: next(ticks), sleep=lambda seconds: None)
    with RawServer(WHOLE) as server, pytest.raises(NetworkError, match="not complete after 300 seconds"):
        Client(server.url, credential, clock=clock, whole_timeout=300).variables.local("KEY")


def test_plain_http_on_loopback_never_goes_through_a_proxy(credential, waits, monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:1")
    with RawServer(WHOLE) as server:
        assert _client(server, credential, waits).variables.local("KEY") == SUCCESS


def test_https_goes_through_the_proxy_of_the_environment_and_hides_its_password(credential, waits, monkeypatch):
    with RawServer(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n") as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url.replace("http://", "http://me:pa55word@"))
        client = Client("https://platform.invalid", credential, clock=waits.clock)
        with pytest.raises(NetworkError, match="the proxy requires a user name and a password") as caught:
            client.variables.local("KEY")
    assert proxy.requests[0].startswith(b"CONNECT platform.invalid:443")
    assert b"figd_" not in proxy.requests[0]
    assert "pa55word" not in str(caught.value)


def test_a_ca_bundle_that_is_not_there_is_named_as_the_cause(credential, waits, monkeypatch, tmp_path):
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(tmp_path / "absent.pem"))
    client = Client("https://platform.invalid", credential, clock=waits.clock)
    with pytest.raises(NetworkError, match="REQUESTS_CA_BUNDLE"):
        client.variables.local("KEY")
    assert waits.slept == []


def test_an_untrusted_certificate_is_not_retried_and_the_ca_bundle_is_named(client, platform, waits):
    platform.get(LOCAL, body=requests.exceptions.SSLError(ssl.SSLCertVerificationError("self-signed")))
    with pytest.raises(NetworkError, match="certificate is not trusted.*REQUESTS_CA_BUNDLE"):
        client.variables.local("KEY")
    assert waits.slept == []


def test_a_broken_handshake_is_retried(client, platform, waits):
    platform.get(LOCAL, body=requests.exceptions.SSLError(ssl.SSLEOFError("EOF")))
    platform.get(LOCAL, body=SUCCESS)
    client.variables.local("KEY")
    assert waits.reported[0].reason == "the encrypted connection failed"


def test_a_name_that_does_not_resolve_is_reported(credential, waits):
    client = Client("https://platform.invalid", credential, clock=waits.clock, retry=RetryPolicy(attempts=1))
    with pytest.raises(NetworkError, match="cannot be resolved"):
        client.variables.local("KEY")


def test_creating_a_client_loads_requests():
    program = "import sys, tokensync.extract.client; print('requests' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, encoding="utf-8", check=True).stdout
    assert shown == "False\n"
