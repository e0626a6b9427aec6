"""Who reaches a served emulator: names, addresses, certificates and proxies, as containers and clients use them."""

import asyncio
import http.client
import json
import os
import signal
import socket
import ssl
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager
from datetime import UTC, datetime, timedelta

import pytest
import requests
from emulator.platform import start
from optional import needs_cryptography

from tokensync.emulator import server as server_module
from tokensync.emulator.server import Certificate, Reach, Server
from tokensync.emulator.spaces import Space, Spaces
from tokensync.system.errors import UsageError

SERVICE = "api.figma.com"
DIRECT = {"http": "", "https": ""}


@pytest.fixture
def emulator():
    return start()


@contextmanager
def serving(emulator, **reach):
    with Server(emulator, tls="names" in reach, reach=Reach(**reach)) as server:
        yield server, {"X-Figma-Token": emulator.default_token}


def me(server, headers, host):
    address = f"{server.base_url}/v1/me"
    return requests.get(address, headers={**headers, "Host": host}, timeout=30, proxies=DIRECT).status_code


@pytest.mark.parametrize(
    ("host", "status"), [("Emulator:8000", 200), ("localhost", 200), ("[::1]", 200), ("evil.example", 403)]
)
def test_an_allowed_name_is_answered_without_tls_and_no_other_one(emulator, host, status):
    with serving(emulator, allowed=("eMulator",)) as (server, headers):
        server.base_url = f"http://127.0.0.1:{server.base_url.rpartition(':')[2]}"
        assert me(server, headers, host) == status


def test_every_address_is_listened_on_where_that_is_asked_for(emulator):
    with serving(emulator, host="0.0.0.0") as (server, headers):
        assert server.base_url.startswith("http://127.0.0.1:")
        port = int(server.base_url.rpartition(":")[2])
        address = "127.0.0.2" if sys.platform == "linux" else "127.0.0.1"
        with closing(http.client.HTTPConnection(address, port, timeout=30)) as connection:
            connection.request("GET", "/v1/me", headers={**headers, "Host": f"localhost:{port}"})
            assert connection.getresponse().status == 200


@pytest.mark.parametrize(
    ("host", "hosts"), [("127.0.0.1", ()), ("0.0.0.0", ()), ("::", ()), ("192.0.2.7", ("192.0.2.7",))]
)
def test_an_address_that_it_listens_on_is_a_name_of_it(host, hosts):
    assert Reach(host).hosts == hosts


@needs_cryptography
@pytest.mark.skipif(sys.platform != "linux", reason="127.0.0.2 is an address of Linux")
def test_a_certificate_is_for_addresses_too(emulator):
    with serving(emulator, host="0.0.0.0", allowed=("127.0.0.2",), names=(SERVICE,)) as (server, headers):
        assert server.base_url.startswith("https://127.0.0.2:")
        url = f"{server.base_url}/v1/me"
        assert requests.get(url, headers=headers, verify=server.certificate, timeout=30, proxies=DIRECT).ok


@needs_cryptography
def test_a_client_that_trusts_the_certificate_reaches_the_name_itself(emulator):
    with serving(emulator, names=(SERVICE,)) as (server, headers):
        context = ssl.create_default_context(cafile=server.certificate)
        plain = socket.create_connection(("127.0.0.1", int(server.base_url.rpartition(":")[2])), timeout=30)
        with context.wrap_socket(plain, server_hostname=SERVICE) as encrypted:
            lines = f"GET /v1/me HTTP/1.0\r\nHost: {SERVICE}\r\nX-Figma-Token: {headers['X-Figma-Token']}\r\n\r\n"
            encrypted.sendall(lines.encode())
            assert encrypted.recv(100).startswith(b"HTTP/1.1 200 ")


@needs_cryptography
def test_it_is_a_proxy_for_the_names_of_its_certificate_alone(emulator):
    with serving(emulator, names=(SERVICE.upper(),)) as (server, headers):
        proxies = {"https": server.base_url.replace("https", "http")}
        with requests.Session() as session:
            session.proxies, session.verify = proxies, server.certificate
            session.trust_env = False
            answers = [session.get(f"https://{SERVICE}/v1/me", headers=headers, timeout=30) for _ in range(3)]
            assert [answer.status_code for answer in answers] == [200] * 3
            assert answers[0].headers["X-Tokensync-Emulator"]
            with pytest.raises(requests.exceptions.ProxyError, match="403"):
                session.get("https://example.com/", timeout=30)


@needs_cryptography
def test_a_key_that_is_not_of_the_authority_is_refused(tmp_path):
    server_module._kept(str(tmp_path / "ca"), datetime.now(UTC))
    server_module._kept(str(tmp_path / "other"), datetime.now(UTC))
    (tmp_path / "other" / "ca-key.pem").replace(tmp_path / "ca" / "ca-key.pem")
    with pytest.raises(UsageError, match="it is not the key of"):
        server_module._kept(str(tmp_path / "ca"), datetime.now(UTC))


@needs_cryptography
def test_a_name_that_no_certificate_can_have_is_refused():
    for name in (
        "münchen.example",
        "",
        "*",
        "*.figma.com",
        "a..b",
        "a b",
        f"{'a' * 64}.example",
        "a." * 127 + "example",
    ):
        with pytest.raises(UsageError, match="not a name for a certificate; write it in ASCII"):
            server_module._alternative_name(name)


@needs_cryptography
def test_an_authority_with_another_name_and_another_kind_of_key_signs_too(emulator, tmp_path, monkeypatch):
    from cryptography.hazmat.primitives.asymmetric import ed25519

    key = ed25519.Ed25519PrivateKey.generate()
    with monkeypatch.context() as patched:
        patched.setattr(server_module, "_AUTHORITY", "A company")
        certificate = server_module._certificate(datetime.now(UTC), (), None, key.public_key(), key)
    (tmp_path / "ca-key.pem").write_bytes(server_module._secret(key))
    (tmp_path / "ca.pem").write_bytes(server_module._pem(certificate))
    with serving(emulator, names=(SERVICE,), authority=str(tmp_path)) as (server, headers):
        url = f"{server.base_url}/v1/me"
        assert requests.get(url, headers=headers, verify=server.certificate, timeout=30, proxies=DIRECT).ok


@needs_cryptography
def test_an_authority_is_kept_and_trusted_once(emulator, tmp_path):
    folder = tmp_path / "ca"
    with serving(emulator, names=(SERVICE,), authority=str(folder)) as (server, _):
        first = (folder / "ca.pem").read_bytes()
        assert server.certificate == str(folder / "ca.pem")
    with serving(emulator, names=("other.example",), authority=str(folder)) as (server, headers):
        assert (folder / "ca.pem").read_bytes() == first
        answer = requests.get(
            f"{server.base_url}/v1/me", headers=headers, verify=str(folder / "ca.pem"), timeout=30, proxies=DIRECT
        )
        assert answer.status_code == 200
    if os.name == "posix":
        assert (folder / "ca-key.pem").stat().st_mode & 0o077 == 0


@needs_cryptography
def test_an_authority_that_has_expired_is_refused(tmp_path):
    server_module._kept(str(tmp_path / "ca"), datetime.now(UTC) - timedelta(days=400))
    with pytest.raises(UsageError, match="ca.pem: it has expired; remove the folder"):
        Certificate((), str(tmp_path / "ca"))


@pytest.mark.skipif(not socket.has_ipv6, reason="no IPv6")
def test_localhost_is_reached_by_ipv6_too(emulator):
    with serving(emulator) as (server, headers):
        port = int(server.base_url.rpartition(":")[2])
        with closing(http.client.HTTPConnection("::1", port, timeout=30)) as connection:
            try:
                connection.request("GET", "/v1/me", headers=headers)
            except OSError:
                pytest.skip("no IPv6 loopback on this machine")
            assert connection.getresponse().status == 200


@pytest.mark.parametrize("host", ["[::1]", "[::1]:80", "LOCALHOST"])
def test_an_address_of_this_machine_is_reached_without_its_port(emulator, host):
    with serving(emulator) as (server, headers):
        assert me(server, headers, host) == 200


@pytest.mark.parametrize(("authority", "status"), [("127.0.0.1", 200), ("[::1]:8000", 200), ("evil.example", 403)])
def test_a_client_with_a_proxy_for_plain_http_gets_an_answer(emulator, authority, status):
    with serving(emulator) as (server, headers):
        proxies = {"http": server.base_url}
        with requests.Session() as session:
            session.trust_env = False
            answer = session.get(f"http://{authority}/v1/me", headers=headers, proxies=proxies, timeout=30)
        assert answer.status_code == status


@contextmanager
def serve(*options, **environment):
    command = [sys.executable, "-m", "tokensync", "emulator", "serve", *options]
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "TOKENSYNC_EMULATOR_PORT": "0", **environment},
    )
    with process:
        try:
            yield process
        finally:
            process.kill()


def test_it_ends_with_the_program_that_started_it():
    with serve("--end-with-stdin") as process:
        assert json.loads(process.stdout.readline())["base_url"]
        process.stdin.close()
        assert process.wait(30) == 0


def test_it_ends_where_stdin_has_ended_before_it_began():
    with serve("--end-with-stdin") as process:
        process.stdin.close()
        assert process.wait(30) == 0


def test_it_ends_although_a_fault_lets_a_client_wait_for_a_day():
    with serve() as process:
        line = json.loads(process.stdout.readline())
        slow = [{"path": "/v1/me", "latency": 86400}]
        answer = requests.put(f"{line['base_url']}/_emulator/faults", json=slow, timeout=30, proxies=DIRECT)
        assert answer.status_code == 200
        with closing(http.client.HTTPConnection(line["base_url"].rpartition("/")[2], timeout=30)) as connection:
            connection.request("GET", "/v1/me")
            time.sleep(0.3)
            process.terminate()
            assert process.wait(30) in (0, 1)  # 1 on Windows


def test_every_option_is_an_environment_variable():
    settings = {"ALLOW_HOST": "emulator", "STRICT": "1", "CONTROL": "0", "CLOCK": "2030-01-01T00:00:00Z"}
    with serve(**{f"TOKENSYNC_EMULATOR_{name}": value for name, value in settings.items()}) as process:
        line = json.loads(process.stdout.readline())
        url = line["base_url"].replace("emulator", "127.0.0.1")
        headers = {"X-Figma-Token": line["token"], "Host": "emulator"}
        answer = requests.get(f"{url}/v1/me", headers=headers, timeout=30, proxies=DIRECT)
        assert answer.status_code == 200
        strict = requests.get(f"{url}/v1/me?colour=red", headers=headers, timeout=30, proxies=DIRECT)
        assert strict.status_code == 400
        assert requests.post(f"{url}/_emulator/reset", timeout=30, proxies=DIRECT).status_code == 404


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
@pytest.mark.parametrize("after", [0.0, 0.02, 0.1, 0.3])
def test_a_signal_ends_it_however_early_it_comes(after):
    with serve() as process:
        time.sleep(after)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) in (0, 128 + signal.SIGTERM, -signal.SIGTERM, 130)


@pytest.mark.skipif(os.name != "posix", reason="signals of POSIX")
def test_a_signal_ends_it_although_a_client_waits():
    with serve() as process, ThreadPoolExecutor(1) as clients:
        url = f"{json.loads(process.stdout.readline())['base_url']}/_emulator/requests"
        clients.submit(requests.get, url, params={"wait": 1, "wait_s": 60}, timeout=60, proxies=DIRECT)
        time.sleep(0.5)
        process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0


@needs_cryptography
def test_what_a_client_sends_before_its_tunnel_is_open_is_no_request_in_it(emulator):
    with serving(emulator, names=(SERVICE,)) as (server, headers), ExitStack() as stack:
        address = "127.0.0.1", int(server.base_url.rpartition(":")[2])
        plain = stack.enter_context(socket.create_connection(address, timeout=30))
        request = f"GET /v1/me HTTP/1.1\r\nHost: {SERVICE}\r\nX-Figma-Token: {headers['X-Figma-Token']}\r\n\r\n"
        plain.sendall(f"CONNECT {SERVICE}:443 HTTP/1.1\r\nHost: {SERVICE}\r\n\r\n{request}".encode())
        assert plain.recv(100).startswith(b"HTTP/1.1 400 ")


@contextmanager
def tunnel(server, *, sent_early=b""):
    """Yield an encrypted connection through a tunnel, before which the client sends some bytes."""
    address = "127.0.0.1", int(server.base_url.rpartition(":")[2])
    with socket.create_connection(address, timeout=30) as plain:
        plain.sendall(f"CONNECT {SERVICE}:443 HTTP/1.1\r\nHost: {SERVICE}\r\n\r\n".encode())
        assert plain.recv(1000).startswith(b"HTTP/1.1 200 ")
        if sent_early:
            plain.sendall(sent_early)
            time.sleep(0.6)  # the server begins TLS meanwhile
        with ssl.create_default_context(cafile=server.certificate).wrap_socket(plain, server_hostname=SERVICE) as open_:
            yield open_


@needs_cryptography
@pytest.mark.parametrize(
    ("target", "host", "status"),
    [
        ("/v1/me", f"{SERVICE.upper()}:443", 200),
        ("/v1/me", "127.0.0.1", 421),
        ("http://127.0.0.1/_emulator/spaces", SERVICE, 421),
        ("/_emulator/spaces", "localhost", 421),
        ("/_emulator/spaces", SERVICE, 403),
    ],
)
def test_a_tunnel_leads_to_its_own_name_and_never_to_the_control(emulator, target, host, status):
    method, length = ("POST", "Content-Length: 0\r\n") if "_emulator" in target else ("GET", "")
    spaces = Spaces(Space(emulator), lambda *_: {})
    with closing(spaces), Server(spaces, tls=True, reach=Reach(names=(SERVICE,))) as server, tunnel(server) as open_:
        lines = f"{method} {target} HTTP/1.1\r\nHost: {host}\r\n{length}X-Figma-Token: {emulator.default_token}\r\n\r\n"
        open_.sendall(lines.encode())
        assert open_.recv(100).startswith(f"HTTP/1.1 {status} ".encode())


@needs_cryptography
def test_no_tunnel_leads_to_this_machine_itself(emulator):
    with serving(emulator, names=("localhost", SERVICE)) as (server, _):
        address = "127.0.0.1", int(server.base_url.rpartition(":")[2])
        with socket.create_connection(address, timeout=30) as plain:
            plain.sendall(b"CONNECT localhost:443 HTTP/1.1\r\nHost: localhost\r\n\r\n")
            assert plain.recv(100).startswith(b"HTTP/1.1 403 ")


@needs_cryptography
def test_what_arrives_before_tls_has_begun_is_no_request_in_it(emulator, monkeypatch):
    begin = asyncio.StreamWriter.start_tls

    async def late(*arguments, **options):
        await asyncio.sleep(0.3)
        await begin(*arguments, **options)

    monkeypatch.setattr(asyncio.StreamWriter, "start_tls", late)
    request = f"GET /v1/me HTTP/1.1\r\nHost: {SERVICE}\r\nX-Figma-Token: {emulator.default_token}\r\n\r\n".encode()
    with (
        serving(emulator, names=(SERVICE,)) as (server, _),
        pytest.raises(OSError),  # noqa: PT011 - of TLS or of the socket
        tunnel(server, sent_early=request) as open_,
    ):
        assert open_.recv(1000) == b""
