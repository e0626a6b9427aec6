"""A server whose root certificate is the system's, the environment's, or nobody's: as behind a company's TLS proxy."""

import importlib.util
import os
import shutil
import ssl
import subprocess
import sys
import types
from contextlib import closing
from pathlib import Path

import pytest
from cli.programs import environment

from tokensync.emulator import Emulator
from tokensync.emulator.server import Server
from tokensync.extract.client import Client, Credential, session
from tokensync.system.errors import NetworkError

pytest.importorskip("cryptography", reason="it signs the certificate")


@pytest.fixture(scope="module")
def server():
    with closing(Emulator()) as emulator, Server(emulator, tls=True) as served:
        served.token = emulator.default_token
        yield served


@pytest.fixture
def system(monkeypatch, server):
    """Put a stand-in in place of truststore, whose system trusts the server, and return the contexts it makes."""
    made = []

    class SSLContext(ssl.SSLContext):
        def __init__(self, protocol):
            made.append(self)
            self.load_verify_locations(server.certificate)

    module = types.ModuleType("truststore")
    module.SSLContext = SSLContext
    module.__spec__ = importlib.util.spec_from_loader("truststore", None)
    monkeypatch.setitem(sys.modules, "truststore", module)
    return made


def user(server):
    """Ask the server who the token belongs to."""
    with Client(server.base_url, Credential("personal", server.token)) as client:
        return client.users.me()


def test_a_root_of_the_systems_store_is_trusted(server, system):
    assert user(server).id
    assert len(system) == 1


@pytest.mark.parametrize("variable", ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"])
def test_a_root_in_a_bundle_of_the_environment_is_trusted_and_takes_precedence(server, system, monkeypatch, variable):
    monkeypatch.setenv(variable, server.certificate)
    assert user(server).id
    assert system == []


@pytest.mark.parametrize(
    ("installed", "way"),
    [
        (True, "add its root certificate to those of the system"),
        (False, "install the package truststore, which uses the system's certificates"),
    ],
)
def test_a_root_in_neither_is_refused_with_both_ways(server, monkeypatch, installed, way):
    monkeypatch.setattr(session, "_system_trust", lambda: None)
    monkeypatch.setattr(session, "find_spec", lambda name: installed or None)
    with pytest.raises(NetworkError) as caught:
        user(server)
    assert "the server's certificate is not trusted; for a company proxy, " in str(caught.value)
    assert f"{way}, or set REQUESTS_CA_BUNDLE to its CA bundle" in str(caught.value)


def test_the_real_package_refuses_a_root_that_the_system_does_not_have(server):
    pytest.importorskip("truststore")
    with pytest.raises(NetworkError, match=r"certificate is not trusted.* REQUESTS_CA_BUNDLE"):
        user(server)


WITH_ITS_ROOT = 'mount --bind "$1" "$2" && exec "$3" -m tokensync api users me'
STORE = "/etc/ssl/certs/ca-certificates.crt"


@pytest.mark.skipif(
    not (os.path.isfile(STORE) and shutil.which("unshare") and os.geteuid() == 0),
    reason="changes the store of Debian in a mount namespace, as root",
)
@pytest.mark.parametrize("trusted", [True, False])
def test_the_real_package_trusts_a_root_that_the_real_store_has(server, tmp_path, trusted):
    pytest.importorskip("truststore")
    bundle = tmp_path / "bundle.pem"
    root = Path(server.certificate).read_bytes() if trusted else b""
    bundle.write_bytes(Path(STORE).read_bytes() + root)
    own = environment(TOKENSYNC_BASE_URL=server.base_url, FIGMA_TOKEN=server.token)
    for name in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        own.pop(name, None)
    command = ["unshare", "-m", "sh", "-c", WITH_ITS_ROOT, "sh", bundle, STORE, sys.executable]
    done = subprocess.run(command, env=own, capture_output=True, check=False)
    if b"unshare" in done.stderr or b"mount:" in done.stderr:
        pytest.skip("no mount namespace can be made here")
    assert done.returncode == (0 if trusted else 1), done.stderr
    assert trusted or b"add its root certificate to those of the system, or set REQUESTS_CA_BUNDLE" in done.stderr


def test_no_certificates_are_loaded_for_the_emulator_in_this_process(system):
    with closing(Emulator()) as emulator:
        Client("emulator:", Credential("personal", emulator.default_token), wsgi=emulator).users.me()
    assert system == []
