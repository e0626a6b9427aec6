"""A configuration cannot choose the server that receives a credential: only the user can."""

import json
import re

import pytest
import responses
from commands.projects import tokensync

from tokensync.extract.client.addresses import resolve
from tokensync.extract.client.credentials import CredentialStore, Login

CANARY = "figd_canary_0123456789"
THEIRS = "https://figma.collector.example/api"

FOREIGN = [
    THEIRS,
    "https://api.figma.com.evil.example",
    "https://api.figma.com:444",
    "https://api.figma-gov.com:8443",
    "https://xapi.figma.com",
    "https://api-figma.com",
    "https://xn--pi-8ia.figma.com",
    "https://[2001:db8::1]",
    "https://[::ffff:127.0.0.1]",
    "https://127.1",
    "https://0.0.0.0",
    "https://2130706433",
    "https://localhost.evil.example",
    "https://127.0.0.1.evil.example",
    "https://169.254.169.254",
]
INVALID = [
    "http://api.figma.com",
    "https://api.figma.com.",
    "https://user@api.figma.com",
    "https://api.figma.com@evil.example",
    "https://api.figma.com\\\\@evil.example",
    "https://api.figma.com#@evil.example",
    "https://\\u0430pi.figma.com",
    "https://api.figma\\u3002com",
    "//evil.example",
    "ftp://api.figma.com",
]
PERMITTED = [
    "figma",
    "figma-gov",
    "https://api.figma.com",
    "HTTPS://API.FIGMA.COM/",
    "https://api.figma.com:443",
    "https://api.figma-gov.com",
    "http://127.0.0.1:18080",
    "http://LOCALHOST:18080",
    "https://localhost:18443",
    "http://[::1]:18080",
]
VERBS = [
    ["pull"],
    ["plan"],
    ["apply"],
    ["apply", "--resume"],
    ["apply", "plan.json"],
    ["rollback", "x"],
    ["status"],
    ["diff", "remote", "tokens"],
    ["usage"],
    ["tokens", "unused"],
    ["logs"],
    ["logs", "texts", "x"],
    ["files", "--team", "1"],
    ["files", "layers", "kit"],
    ["files", "styles", "kit"],
    ["dev-resources", "link", "--file", "kit", "--node", "1:2", "--url", "https://example.org"],
    ["webhooks", "list"],
    ["webhooks", "create", "--endpoint", "https://example.org", "--passcode-env", "PASSCODE", "--team", "1"],
    ["webhooks", "delete", "1"],
    ["webhooks", "pause", "1"],
    ["webhooks", "resume", "1"],
    ["webhooks", "test", "1", "--passcode-env", "PASSCODE"],
    ["api", "users", "me"],
    ["api", "variables", "local", "--file", "kit"],
    ["auth", "status"],
    ["auth", "login", "--token"],
    ["auth", "login", "--client-id", "x", "--no-browser"],
]


@pytest.fixture
def network():
    """Answer every request with 401, and record it."""
    with responses.RequestsMock(assert_all_requests_are_fired=False) as mock:
        for method in ("GET", "POST", "DELETE"):
            mock.add(method, re.compile(".*"), json={"status": 401, "err": "no"}, status=401)
        yield mock


@pytest.fixture
def logins(folder, monkeypatch):
    monkeypatch.setenv("TOKENSYNC_CREDENTIALS", str(folder / "logins"))
    return CredentialStore({"TOKENSYNC_CREDENTIALS": str(folder / "logins")})


def configure(folder, base_url, name="tokensync.toml"):
    head = "[tool.tokensync]\n" if name == "pyproject.toml" else ""
    file = '{name = "kit", key = "K"}'
    (folder / name).write_text(f'# ours\n{head}base_url = "{base_url}"\nfiles = [{file}]\n', encoding="utf-8")


def receivers(network):
    """Return the addresses that received a canary."""
    return [call.request.url for call in network.calls if CANARY in repr((call.request.headers, call.request.body))]


@pytest.mark.parametrize("base_url", FOREIGN)
def test_token_is_not_sent_to_a_server_that_only_the_file_names(folder, network, monkeypatch, base_url):
    configure(folder, base_url)
    monkeypatch.setenv("FIGMA_TOKEN", CANARY)
    stderr = tokensync("pull", code=2).stderr
    assert stderr.startswith("error: tokensync.toml:2:1 (#/base_url): ")
    assert "FIGMA_TOKEN is not sent to a server that only the configuration names" in stderr
    assert f"; if you trust it, set TOKENSYNC_BASE_URL={base_url}" in stderr
    assert CANARY not in stderr
    assert not network.calls
    monkeypatch.setenv("TOKENSYNC_BASE_URL", base_url)  # the advice
    tokensync("pull", code=1)
    assert receivers(network)


@pytest.mark.parametrize("base_url", INVALID)
def test_address_that_programs_read_differently_is_refused_even_from_the_user(folder, network, monkeypatch, base_url):
    configure(folder, base_url)
    monkeypatch.setenv("FIGMA_TOKEN", CANARY)
    assert "tokensync.toml:2:1 (#/base_url)" in tokensync("pull", code=2).stderr
    monkeypatch.setenv("TOKENSYNC_BASE_URL", json.loads(f'"{base_url}"'))
    tokensync("pull", code=2)
    assert not network.calls


@pytest.mark.parametrize("base_url", PERMITTED)
def test_file_may_name_figma_and_this_machine(folder, network, monkeypatch, base_url):
    configure(folder, base_url)
    monkeypatch.setenv("FIGMA_TOKEN", CANARY)
    tokensync("pull", code=1)
    assert receivers(network)


@pytest.mark.parametrize("verb", VERBS, ids=" ".join)
def test_every_command_that_connects_refuses(folder, network, monkeypatch, verb):
    configure(folder, THEIRS)
    monkeypatch.setenv("FIGMA_TOKEN", CANARY)
    monkeypatch.setenv("TOKENSYNC_OAUTH_CLIENT_SECRET", CANARY)
    monkeypatch.setenv("PASSCODE", CANARY)
    stderr = tokensync(*verb, code=2).stderr
    assert "tokensync.toml:2:1 (#/base_url): https://figma.collector.example/api is neither Figma nor" in stderr
    assert not network.calls


def test_table_of_another_file_is_no_better(folder, network, monkeypatch):
    configure(folder, THEIRS, "pyproject.toml")
    monkeypatch.setenv("FIGMA_TOKEN", CANARY)
    assert "pyproject.toml:3:1 (#/base_url)" in tokensync("pull", code=2).stderr
    assert "pyproject.toml:3:1 (#/base_url)" in tokensync("pull", "-c", "pyproject.toml", code=2).stderr
    monkeypatch.setenv("TOKENSYNC_CONFIG", "pyproject.toml")
    assert "pyproject.toml:3:1 (#/base_url)" in tokensync("pull", code=2).stderr
    assert not network.calls


def test_option_permits_the_server(folder, network, monkeypatch):
    configure(folder, THEIRS)
    monkeypatch.setenv("FIGMA_TOKEN", CANARY)
    tokensync("api", "users", "me", "--base-url", THEIRS, code=1)
    assert receivers(network) == [f"{THEIRS}/v1/me"]


def test_login_stored_for_the_server_permits_that_login_only(folder, network, monkeypatch, logins):
    configure(folder, THEIRS)
    stderr = tokensync("pull", code=2).stderr
    assert f"; if you trust it, run tokensync auth login --base-url {THEIRS}\n" in stderr
    logins.save("api.figma.com", Login("personal", f"{CANARY}-of-figma"))
    logins.save("figma.collector.example", Login("personal", f"{CANARY}-of-the-host"))
    tokensync("pull", code=2)
    assert not network.calls
    logins.save(resolve(THEIRS).label, Login("personal", f"{CANARY}-of-theirs"))
    tokensync("pull", code=1)
    assert {call.request.headers["X-Figma-Token"] for call in network.calls} == {f"{CANARY}-of-theirs"}
    network.calls.reset()
    monkeypatch.setenv("FIGMA_TOKEN", CANARY)
    tokensync("pull", code=2)
    assert not network.calls


def test_status_and_logout_of_a_stored_login_need_no_permission(folder, network, logins):
    configure(folder, THEIRS)
    logins.save(resolve(THEIRS).label, Login("personal", CANARY))
    assert tokensync("auth", "status").output.startswith("figma.collector.example/api: ")
    tokensync("auth", "logout")
    assert logins.find(resolve(THEIRS).label) is None
    assert tokensync("auth", "status", code=1).output == "figma.collector.example/api: not logged in\n"
    assert not network.calls
