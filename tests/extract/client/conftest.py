"""A client with a stopped clock and a mocked platform."""

import pytest
import responses
from extract.client.answering import SECRET, Waits

from tokensync.extract.client import Client, Credential


@pytest.fixture(autouse=True)
def _no_environment(monkeypatch):
    for name in (
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "ALL_PROXY",
        "NO_PROXY",
        "REQUESTS_CA_BUNDLE",
        "CURL_CA_BUNDLE",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
    ):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


@pytest.fixture
def credential():
    return Credential("personal", SECRET, "FIGMA_TOKEN")


@pytest.fixture
def waits():
    return Waits()


@pytest.fixture
def client(waits, credential):
    with Client("figma", credential, on_wait=waits.reported.append, clock=waits.clock) as client:
        yield client


@pytest.fixture
def platform():
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        yield mock
