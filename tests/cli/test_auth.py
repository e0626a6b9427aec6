"""Logging in and out from the command line, over real HTTP; the browser is a few lines of this file."""

import contextlib
import json
import os
import re
import socket
import stat
import subprocess
import sys
from pathlib import Path
from urllib.parse import parse_qsl, urlsplit

import pytest
import requests
from cli.logging_in import platform as served
from cli.programs import COMMAND, end, environment, run_prepared
from commands.projects import DESIGN

from tokensync.emulator.faults import Faults, script_of
from tokensync.emulator.server import Server
from tokensync.system import serving

if sys.platform != "win32":
    import pty

posix = pytest.mark.skipif(sys.platform == "win32", reason="asks for what only POSIX has")


@pytest.fixture
def platform(folder):
    with served(folder) as instance:
        yield instance


_BROWSER = """
import json, os, pathlib, sys, urllib.parse, urllib.request
pathlib.Path(__file__).with_name("environment").write_text(json.dumps(dict(os.environ)), encoding="utf-8")
page = urllib.parse.urlsplit(sys.argv[1])
form = dict(urllib.parse.parse_qsl(page.query)) | {{"user": "{user}", "decision": "allow"}}
urllib.request.urlopen(page._replace(query="").geturl(), urllib.parse.urlencode(form).encode()).read()
"""


def called_back(platform, address, decision="allow"):
    """Return the redirect URL after the user's decision on the page."""
    page = urlsplit(address)
    form = dict(parse_qsl(page.query)) | {"user": platform.user, "decision": decision}
    url = f"{page.scheme}://{page.netloc}{page.path}"
    origin = {"Origin": f"{page.scheme}://{page.netloc}"}
    trusted = platform.certificate or True
    answer = requests.post(url, data=form, headers=origin, allow_redirects=False, timeout=30, verify=trusted)
    return answer.headers.get("Location")


def auth(platform, *arguments, code=0, **settings):
    done = run_prepared("auth", *arguments, env=environment(**{**platform.settings, **settings}))
    assert done.returncode == code, done.stderr
    return done.stdout.decode() + done.stderr.decode()


def logged_in(platform):
    with platform.login() as login:
        assert requests.get(called_back(platform, login.address), timeout=30).status_code == 200
        return login.ended()


def secrets_of(platform):
    (file,) = platform.credentials.iterdir()
    stored = json.loads(file.read_bytes())
    return [stored["token"], stored["refresh_token"], stored["client_secret"]]


class TestLogin:
    def test_allowing_access_logs_in_and_stores_a_private_file(self, platform):
        code, response = logged_in(platform)
        assert code == 0
        assert "as ann; stored in " in response
        assert "because TOKENSYNC_CREDENTIALS is set" in response
        (file,) = platform.credentials.iterdir()
        if os.name != "nt":
            assert "a file that only you can read (mode 0600)" in response
            assert stat.S_IMODE(file.stat().st_mode) == 0o600
        for secret in secrets_of(platform):
            assert secret not in response

    def test_a_login_works_over_https(self, folder):
        with served(folder, tls=True) as platform:
            assert platform.base_url.startswith("https://")
            code, response = logged_in(platform)
        assert code == 0, response

    def test_the_government_deployment_is_a_platform_of_its_own(self, platform):
        government = f"{platform.base_url}/gov"
        with platform.login("--base-url", government) as login:
            assert login.address.startswith(f"{government}/oauth?")
            requests.get(called_back(platform, login.address), timeout=30)
            assert login.ended()[0] == 0
        assert "an OAuth token of ann" in auth(platform, "status", "--base-url", government)
        assert "not logged in" in auth(platform, "status", code=1)

    @posix
    def test_the_browser_is_opened_by_itself(self, platform, folder):
        browser = folder / "browser.py"
        browser.write_text(_BROWSER.format(user=platform.user), encoding="utf-8")
        command = ("auth", "login", "--redirect-url", platform.callback, "--timeout", "60")
        secrets = ("FIGMA_TOKEN", "GITHUB_TOKEN", "GH_TOKEN", "TOKENSYNC_ACTION_TOKEN", "ACTIONS_RUNTIME_TOKEN")
        settings = {**platform.settings, **dict.fromkeys(secrets, "figd_canary"), "DISPLAY": ":0"}
        settings["BROWSER"] = f"{sys.executable} {browser} %s"
        done = run_prepared(*command, env=environment(**settings))
        assert (done.returncode, done.stdout) == (0, b""), done.stderr
        assert b"allow access in the browser" in done.stderr
        assert b"as ann; stored in" in done.stderr
        inherited = json.loads((folder / "environment").read_bytes())
        assert inherited["DISPLAY"] == ":0"
        assert "TOKENSYNC_OAUTH_CLIENT_SECRET" in settings
        assert not inherited.keys() & {*secrets, "TOKENSYNC_OAUTH_CLIENT_SECRET"}

    @pytest.mark.skipif(sys.platform == "win32", reason="Windows always has a browser, which would open")
    def test_without_a_browser_the_address_is_shown(self, platform):
        command = ("auth", "login", "--redirect-url", platform.callback, "--timeout", "1")
        done = run_prepared(*command, env=environment(**platform.settings, BROWSER="no-such-program %s", PATH=""))
        assert done.returncode == 1
        assert done.stdout.decode().startswith(f"{platform.base_url}/oauth?client_id=")

    @posix
    def test_a_typed_secret_is_not_echoed(self, platform):
        ours, theirs = pty.openpty()
        command = [*COMMAND, "auth", "login", "--token"]
        terminal = {"stdin": theirs, "stdout": theirs, "stderr": theirs, "start_new_session": True}
        process = subprocess.Popen(command, **terminal, env=environment(**platform.settings))
        os.close(theirs)
        try:
            shown = b""
            while b"access token: " not in shown:
                shown += os.read(ours, 1000)
            os.write(ours, platform.emulator.default_token.encode() + b"\n")
            with contextlib.suppress(OSError):  # how a terminal says on Linux that the program has gone
                while part := os.read(ours, 1000):
                    shown += part
            os.close(ours)
            assert process.wait(30) == 0, shown
        finally:
            end(process)
        assert b"logged in to" in shown
        assert platform.emulator.default_token.encode() not in shown

    def test_a_project_uses_the_login_from_then_on(self, platform, folder):
        platform.emulator.seed("harbor", DESIGN[0].read_bytes(), DESIGN[1].read_bytes())
        (folder / "tokensync.toml").write_text('[[files]]\nname = "design"\nkey = "harbor"\n', encoding="utf-8")
        settings = environment(**platform.settings)
        without = run_prepared("pull", env=settings)
        assert without.returncode == 2
        assert b"or log in with tokensync auth login" in without.stderr
        logged_in(platform)
        assert run_prepared("pull", env=settings).returncode == 0
        platform.clock.now += 90 * 86400
        before = secrets_of(platform)
        done = run_prepared("pull", env=settings)
        assert done.returncode == 0, done.stderr
        after = secrets_of(platform)
        assert (after[0] != before[0], after[1:]) == (True, before[1:])

    def test_a_token_of_the_environment_wins(self, platform, folder):
        platform.emulator.seed("harbor", DESIGN[0].read_bytes())
        (folder / "tokensync.toml").write_text('[[files]]\nname = "design"\nkey = "harbor"\n', encoding="utf-8")
        logged_in(platform)
        done = run_prepared("pull", env=environment(**platform.settings, FIGMA_ACCESS_TOKEN="none-of-the-platforms"))
        assert done.returncode == 1
        assert b"set it in FIGMA_ACCESS_TOKEN" in done.stderr
        status = auth(platform, "status", FIGMA_ACCESS_TOKEN="none-of-the-platforms")
        assert "from FIGMA_ACCESS_TOKEN" in status
        assert "none-of-the-platforms" not in status

    @pytest.mark.parametrize("state", ["guess", ""])
    def test_a_wrong_state_parameter_ends_the_login_and_stores_nothing(self, platform, state):
        with platform.login() as login:
            callback = called_back(platform, login.address)
            parameters = dict(parse_qsl(urlsplit(callback).query)) | {"state": state}
            assert requests.get(platform.callback, params=parameters, timeout=30).status_code == 400
            code, response = login.ended()
        assert code == 1
        assert "so the callback may be forged; log in again" in response
        assert not platform.credentials.exists()

    def test_a_rejected_login_times_out(self, platform):
        with platform.login("--timeout", "1") as login:
            assert called_back(platform, login.address, "reject") is None
            code, response = login.ended()
        assert code == 1
        assert "nobody allowed access within 1 seconds" in response

    def test_an_expired_code_is_reported_without_the_code(self, platform):
        with platform.login() as login:
            callback = called_back(platform, login.address)
            platform.clock.now += 30
            requests.get(callback, timeout=30)
            code, response = login.ended()
        assert code == 1
        assert '"Code expired"' in response
        assert dict(parse_qsl(urlsplit(callback).query))["code"] not in response
        assert not platform.credentials.exists()

    def test_a_code_of_another_login_fails_verification(self, platform):
        with platform.login() as first:
            stolen = dict(parse_qsl(urlsplit(called_back(platform, first.address)).query))["code"]
        with platform.login() as second:
            state = dict(parse_qsl(urlsplit(second.address).query))["state"]
            requests.get(platform.callback, params={"code": stolen, "state": state}, timeout=30)
            code, response = second.ended()
        assert code == 1
        assert '"Invalid code_verifier"' in response

    def test_a_wrong_client_secret_is_reported_without_the_secret(self, platform):
        with platform.login(TOKENSYNC_OAUTH_CLIENT_SECRET="gu3ss-gu3ss") as login:
            requests.get(called_back(platform, login.address), timeout=30)
            code, response = login.ended()
        assert code == 1
        assert "did not accept the client id and the client secret" in response
        assert "gu3ss-gu3ss" not in response

    def test_missing_arguments_are_reported_before_the_browser_opens(self, platform):
        assert "give --client-id" in auth(platform, "login", code=2, TOKENSYNC_OAUTH_CLIENT_ID="")
        assert "or set TOKENSYNC_OAUTH_CLIENT_SECRET" in auth(
            platform, "login", code=2, TOKENSYNC_OAUTH_CLIENT_SECRET=""
        )
        for url in ("https://example.com/callback", "http://192.168.0.7:1/"):
            assert "register one like" in auth(platform, "login", "--redirect-url", url, code=2)

    @pytest.mark.parametrize(("option", "what"), [((), "client secret"), (("--token",), "access token")])
    def test_nothing_is_asked_of_a_null_device_which_windows_calls_a_terminal(self, platform, option, what):
        settings = environment(**{**platform.settings, "TOKENSYNC_OAUTH_CLIENT_SECRET": ""})
        done = run_prepared("auth", "login", *option, env=settings, stdin=subprocess.DEVNULL)
        assert done.returncode == 2
        assert f"The {what} is missing; provide it on stdin" in done.stderr.decode()

    def test_the_emulator_in_the_process_needs_no_login(self, platform, folder):
        (folder / "tokensync.toml").write_text('[[files]]\nname = "design"\nkey = "harbor"\n', encoding="utf-8")
        inside = {"TOKENSYNC_BASE_URL": "emulator:"}
        for arguments in ([], ["--token"]):
            response = auth(platform, "login", *arguments, code=2, **inside)
            assert "needs no login; to test one, run tokensync emulator serve" in response
        assert "from the emulator itself" in auth(platform, "status", **inside)


class TestToken:
    def login(self, platform, token, *more, code=0):
        done = run_prepared(
            "auth", "login", "--token", *more, input=token.encode(), env=environment(**platform.settings)
        )
        assert done.returncode == code, done.stderr
        assert token.strip() == "" or token.strip() not in done.stderr.decode()
        return done.stderr.decode()

    def test_a_personal_access_token_is_stored_and_used(self, platform):
        response = self.login(platform, platform.emulator.default_token + "\n")
        assert "as owner; stored in" in response
        status = json.loads(auth(platform, "status", "--json"))
        assert (status["kind"], status["handle"], status["renewable"]) == ("personal", "owner", False)

    def test_a_token_without_the_identity_scope_is_stored(self, platform):
        self.login(platform, platform.emulator.tokens.create(scopes=("file_variables:read",)))
        assert len(list(platform.credentials.iterdir())) == 1

    def test_a_token_that_the_platform_refuses_is_not_stored(self, platform):
        assert "invalid, expired or revoked" in self.login(platform, "figd_wrong", code=1)
        assert not platform.credentials.exists()

    def test_an_expired_token_is_named_so_and_one_of_another_kind_is_stored(self, platform):
        expired = platform.emulator.tokens.create(scopes=("current_user:read",))
        platform.emulator.tokens.set_expiry(expired, 0)
        assert "the access token has expired" in self.login(platform, expired, code=1)
        assert not platform.credentials.exists()
        self.login(platform, platform.emulator.tokens.create(kind="plan"))  # the platform knows it
        assert len(list(platform.credentials.iterdir())) == 1

    def test_a_plan_token_that_has_no_user_is_stored_although_me_calls_it_invalid(self, platform):
        """Figma documents that GET /v1/me takes no plan access token, but not with what words it refuses one."""
        rule = {"path": "/v1/me", "status": 403, "message": "Invalid token"}
        with Server(Faults(platform.emulator, script_of([rule], "a test"))) as server:
            platform.base_url = server.base_url
            assert "invalid, expired or revoked" in self.login(platform, "figd_wrong", code=1)
            assert not platform.credentials.exists()
            self.login(platform, platform.emulator.tokens.create(kind="plan", scopes=("file_variables:read",)))
            assert len(list(platform.credentials.iterdir())) == 1
            platform.emulator.seed("harbor", DESIGN[0].read_bytes())
            project = '[[files]]\nname = "design"\nkey = "harbor"\n'
            Path("tokensync.toml").write_text(project, encoding="utf-8")
            assert run_prepared("pull", env=environment(**platform.settings)).returncode == 0

    def test_a_token_is_not_stored_without_a_connection_but_with_offline(self, platform):
        platform.base_url = "http://127.0.0.1:1"
        response = self.login(platform, "figd_unknown", code=1)
        assert "Figma did not confirm the token, so it was not stored" in response
        assert "GET 127.0.0.1:1/v1/me: the connection failed" in response
        assert not platform.credentials.exists()
        response = self.login(platform, "figd_unknown", "--offline")
        assert "logged in" not in response
        assert "Figma has not confirmed it" in response
        assert "confirmed: no" in auth(platform, "status")
        assert json.loads(auth(platform, "status", "--json"))["confirmed"] is False
        assert "--offline requires --token" in auth(platform, "login", "--offline", code=2)

    @pytest.mark.parametrize(
        ("status", "headers", "body"),
        [
            ("401 Unauthorized", {}, b'{"status": 401, "err": "Unauthorized"}'),
            ("403 Forbidden", {}, b'{"status": 403, "err": "Invalid token"}'),
            ("403 Forbidden", {}, b'{"status": 403, "err": "Forbidden"}'),
            ("403 Forbidden", {}, b"<title>Blocked: this requires the scope of your company</title>"),
            ("500 Internal Server Error", {}, b'{"status": 500, "err": "oops"}'),
            ("404 Not Found", {}, b'{"status": 404, "err": "Not found"}'),
            ("200 OK", {"Content-Type": "text/html"}, b"<title>Sign in to the hotel</title>"),
            ("200 OK", {}, b"{}"),
            ("200 OK", {}, b""),
            ("302 Found", {"Location": "http://127.0.0.1:1/sign-in"}, b""),
            ("429 Too Many Requests", {"Retry-After": "1" + "0" * 12}, b'{"status": 429, "err": "Rate limit"}'),
        ],
    )
    def test_nothing_is_stored_that_the_platform_has_not_confirmed(self, platform, status, headers, body):
        def answer(environ, start_response):
            start_response(status, [*headers.items()])
            return [body]

        bound = socket.create_server(("127.0.0.1", 0))
        with serving.Server(answer, [bound], serving.Limits(0)):
            platform.base_url = f"http://127.0.0.1:{bound.getsockname()[1]}"
            assert "so it was not stored" in self.login(platform, "figd_unknown", code=1)
        assert not platform.credentials.exists()

    def test_a_malformed_token_is_a_usage_error(self, platform):
        for token in ("", "two words\n", "a\x00b"):
            self.login(platform, token, code=2)


class TestStatusAndLogout:
    def test_status_without_a_login(self, platform):
        assert "not logged in" in auth(platform, "status", code=1)
        assert json.loads(auth(platform, "status", "--json", code=1))["logged_in"] is False
        assert "no stored login" in auth(platform, "logout")

    def test_status_shows_user_and_expiry_and_logout_removes_the_login(self, platform):
        logged_in(platform)
        response = auth(platform, "status")
        assert "an OAuth token of ann, from " in response
        assert re.search(r"expires: 20\d\d-\d\d-\d\dT\d\d:\d\dZ, renewed automatically", response)
        document = json.loads(auth(platform, "status", "--json"))
        assert (document["user"], document["expires"]) == (platform.user, re.search(r"expires: (\S+Z)", response)[1])
        for secret in secrets_of(platform):
            assert secret not in response + json.dumps(document)
        assert "removed the login from" in auth(platform, "logout")
        assert list(platform.credentials.iterdir()) == []
        assert "not logged in" in auth(platform, "status", code=1)

    @posix
    def test_a_file_that_others_can_read_is_reported_and_can_be_removed(self, platform):
        logged_in(platform)
        (file,) = platform.credentials.iterdir()
        file.chmod(0o644)
        assert "other users can read or write it" in auth(platform, "status", code=2)
        auth(platform, "logout")
        assert not file.exists()
