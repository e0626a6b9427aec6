"""Libraries for OAuth log in to the emulator at Figma's own addresses, exchange the code and refresh the token."""

import json
import os
from pathlib import Path

import pytest
from checkers import MODULES, node_program, run
from optional import needs_cryptography
from outside.by_name import client_python, served

from tokensync.system import resources

pytestmark = [pytest.mark.outside, needs_cryptography]

CLIENTS = Path(__file__).with_name("oauth_clients.py")
LOGINS = ["POST /oauth 303", "POST /v1/oauth/token 200", "GET /v1/me 200"]
CALLBACK = "https://app.invalid/callback"
SCOPES = ["current_user:read", "file_variables:read"]
QUERY = """
import { Api, oAuthLink, oAuthToken } from "figma-api";
const { CLIENT_ID, CLIENT_SECRET, CALLBACK, SCOPES, TOKENSYNC_EMULATOR_URL: origin } = process.env;
const address = new URL(oAuthLink(CLIENT_ID, CALLBACK, SCOPES, "a state", "code"));
const inBrowser = origin + address.pathname + address.search;  // which the redirect of Node does not reach
const [, user] = (await (await fetch(inBrowser)).text()).match(/<option value="([^"]+)"/);
const form = new URLSearchParams([...address.searchParams, ["user", user], ["decision", "allow"]]);
const headers = { Origin: origin };
const allowed = await fetch(origin + "/oauth", { method: "POST", headers, body: form, redirect: "manual" });
const code = new URL(allowed.headers.get("location")).searchParams.get("code");
const { access_token } = await oAuthToken(CLIENT_ID, CLIENT_SECRET, CALLBACK, code, "authorization_code");
console.log(JSON.stringify([(await new Api({ oAuthToken: access_token }).getUserMe()).handle]));
"""


@pytest.fixture
def emulator(tmp_path):
    with served(tmp_path) as emulator:
        yield emulator


@pytest.fixture
def app(emulator):
    """A published app, as environment variables."""
    given = {"name": "Harbor", "redirect_urls": [CALLBACK], "scopes": SCOPES}
    created = emulator.control("POST", "operations/apps/create", given)["result"]
    emulator.control("POST", "operations/apps/publish", {"client_id": created["client_id"]})
    return {"CLIENT_ID": created["client_id"], "CLIENT_SECRET": created["client_secret"]}


@pytest.mark.parametrize("library", ["Authlib with httpx", "Authlib with requests", "requests-oauthlib"])
def test_a_library_logs_in_with_pkce_and_refreshes_both_ways(emulator, app, library):
    output = run([client_python(), CLIENTS, library], environment={**emulator.environment, **app})
    assert json.loads(output) == ["owner"] * 3
    refreshes = ["POST /v1/oauth/token 200", "GET /v1/me 200", "POST /v1/oauth/refresh 200", "GET /v1/me 200"]
    assert emulator.requests() == ["GET /oauth 200", *LOGINS, *refreshes]


def test_figma_api_logs_in_with_its_parameters_in_the_query(emulator, app, tmp_path):
    os.symlink(MODULES, tmp_path / "node_modules")
    (tmp_path / "query.mjs").write_text(QUERY, encoding="utf-8")
    settings = {"CALLBACK": CALLBACK, "SCOPES": " ".join(SCOPES), "TOKENSYNC_EMULATOR_URL": emulator.base_url}
    command = [node_program("figma-api"), "--require", resources.path("npm", "redirect.cjs"), "query.mjs"]
    output = run(command, cwd=tmp_path, environment={**emulator.trust, **app, **settings})
    assert json.loads(output) == ["owner"]
    assert emulator.requests() == ["GET /oauth 200", *LOGINS]
