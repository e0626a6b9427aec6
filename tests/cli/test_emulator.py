"""``tokensync emulator``: serving, seeding, tokens, apps and events."""

import json
import os
import shutil
import signal
import socket
import sys
import urllib.error
import urllib.request
from contextlib import contextmanager
from string import Formatter

import prepared
import pytest
import requests
from cli.programs import COMMAND, run_prepared, started
from commands.projects import COLORS, DESIGN, response, tokensync
from corpus.building import each_corpus_file, published_of

from tokensync.emulator import Emulator
from tokensync.emulator.cli.operations import EVENTS, HELP, OPERATIONS, parameters_of, seconds
from tokensync.system.errors import UsageError

posix = pytest.mark.skipif(sys.platform == "win32", reason="asks for what only POSIX has")


@contextmanager
def served(*arguments, command=None):
    """Yield the process of ``emulator serve --port 0`` and its first line of output."""
    with started("emulator", "serve", "--port", "0", *arguments, command=command or prepared.command()) as process:
        yield process, json.loads(process.stdout.readline())


def ask(server, key, which):
    headers = {"X-Figma-Token": server["token"]}
    return requests.get(f"{server['base_url']}/v1/files/{key}/variables/{which}", headers=headers, timeout=30)


def get(server, key, which):
    return fetch(server, f"v1/files/{key}/variables/{which}")


def fetch(server, path):
    request = urllib.request.Request(f"{server['base_url']}/{path}", headers={"X-Figma-Token": server["token"]})
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


class TestServe:
    def test_the_first_line_is_there_at_once_and_ctrl_c_ends_with_0(self, folder):
        with served("--seed", *DESIGN, command=COMMAND) as (process, server):
            assert set(server) == {"base_url", "token", "file_keys"}
            assert server["file_keys"] == ["design"]
            assert server["base_url"].startswith("http://127.0.0.1:")
            assert get(server, "design", "local") == json.loads(DESIGN[0].read_bytes())
            assert get(server, "design", "published") == json.loads(DESIGN[1].read_bytes())
            if sys.platform != "win32":
                process.send_signal(signal.SIGINT)
                assert process.wait(30) == 0

    def test_what_is_seeded_is_served_and_nothing_else(self, folder):
        with served("--seed", *DESIGN[:2]) as (_, server):
            assert fetch(server, "v1/files/design/styles")["meta"]["styles"] == []
            assert fetch(server, "v1/files/design/components")["meta"]["components"] == []

    def test_a_sample_library_has_texts_whose_sizes_are_variables(self, folder):
        with served("--sample", "--seed", *DESIGN[:2]) as (_, server):
            styles = fetch(server, "v1/files/design/styles")["meta"]["styles"]
            ids = [style["node_id"] for style in styles if style["style_type"] == "TEXT"]
            texts = fetch(server, f"v1/files/design/nodes?ids={','.join(ids)}")["nodes"].values()
        assert all(text["document"]["boundVariables"]["fontSize"][0]["type"] == "VARIABLE_ALIAS" for text in texts)

    def test_no_two_emulators_have_the_same_token(self, folder):
        with served() as (_, one), served() as (_, other):
            assert one["token"] != other["token"]

    def test_a_seeded_file_has_a_sample_library_that_other_clients_read_first(self, folder):
        with served("--sample", "--seed", *DESIGN, "--state", "state.sqlite") as (_, server):
            first = fetch(server, "v1/files/design/styles")["meta"]["styles"]
            ids = ",".join(each["node_id"] for each in first)
            assert set(fetch(server, f"v1/files/design/nodes?ids={ids}")["nodes"]) == set(ids.split(","))
        with served("--sample", "--seed", *DESIGN, "--state", "state.sqlite") as (_, server):
            assert fetch(server, "v1/files/design/styles")["meta"]["styles"] == first

    @pytest.mark.parametrize(
        "arguments",
        [
            ["--seed", "a.local.json", "a.published.json", "--seed", "b.local.json", "b.published.json"],
            ["--seed=a.local.json", "a.published.json", "--seed=b.local.json", "b.published.json"],
            ["--seed", "a.local.json", "a.published.json", "b.local.json", "b.published.json"],
        ],
        ids=["repeated", "with equals signs", "once"],
    )
    def test_seeds_are_loaded_in_order_with_either_spelling(self, folder, arguments):
        published = json.loads(DESIGN[1].read_bytes())
        for name in "ab":
            shutil.copyfile(DESIGN[0], f"{name}.local.json")
            (folder / f"{name}.published.json").write_text(json.dumps({**published, "seed": name}), encoding="utf-8")
        with served(*arguments, "--key", "one", "--key", "two") as (_, server):
            assert server["file_keys"] == ["one", "two"]
            assert get(server, "one", "published")["seed"] == "a"
            assert get(server, "two", "published")["seed"] == "b"

    def test_a_state_outlives_the_process_and_its_token_too(self, folder):
        with served("--state", "state.sqlite", "--seed", *DESIGN) as (_, first):
            pass
        with served("--state", "state.sqlite") as (_, second):
            assert second["file_keys"] == ["design"]
            assert second["token"] == first["token"]
            assert get(second, "design", "local") == json.loads(DESIGN[0].read_bytes())

    def test_a_port_in_use_is_a_usage_error(self, folder):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            done = run_prepared("emulator", "serve", "--port", port)
        assert done.returncode == 2
        assert b"use another port, or 0 for any" in done.stderr
        assert done.stdout == b""

    def test_an_invalid_state_file_is_a_usage_error(self, folder):
        (folder / "state.sqlite").write_text("none of SQLite's" * 100, encoding="utf-8")
        for state in ("state.sqlite", ".", "nowhere/state.sqlite"):
            tokensync("emulator", "serve", "--port", "0", "--state", state, code=2)


class TestSeed:
    @each_corpus_file
    def test_every_real_response_comes_back_equal(self, response, folder):
        files = [response, *filter(None, [published_of(response)])]
        run_prepared("emulator", "seed", *files, "--key", "real", "--state", "state.sqlite")
        with served("--state", "state.sqlite") as (_, server):
            assert get(server, "real", "local") == json.loads(response.read_bytes())
            if len(files) > 1:
                assert get(server, "real", "published") == json.loads(files[1].read_bytes())

    def test_a_state_is_required_without_a_project(self, folder):
        assert "tokensync.toml" in tokensync("emulator", "seed", DESIGN[0], code=2).stderr

    def test_two_responses_of_one_name_need_keys(self, folder):
        for name in "ab":
            (folder / name).mkdir()
            (folder / name / "local.json").write_bytes(response(COLORS))
        arguments = ["emulator", "seed", "a/local.json", "b/local.json", "--state", "s.sqlite"]
        assert "--key" in tokensync(*arguments, code=2).stderr
        tokensync(*arguments, "--key", "one", "--key", "two")
        assert "--key three" in tokensync(*arguments, *("--key one --key two --key three".split()), code=2).stderr

    def test_a_published_response_needs_its_local_one_before_it(self, folder):
        assert "before it" in tokensync("emulator", "seed", DESIGN[1], "--state", "s.sqlite", code=2).stderr

    @pytest.mark.parametrize("content", [b"", b"{", b"[]", b"null", b'{"meta": 5}', b"\xff", b"[" * 200_000])
    def test_an_invalid_response_exits_with_1_and_its_name(self, folder, content):
        (folder / "a.json").write_bytes(content)
        assert "a.json" in tokensync("emulator", "seed", "a.json", "--state", "s.sqlite", code=1).stderr

    def test_a_bad_key_is_a_usage_error(self, folder):
        tokensync("emulator", "seed", DESIGN[0], "--state", "s.sqlite", "--key", "../x", code=2)


class TestServeWith:
    def test_tls_prints_the_certificate_to_trust(self, folder):
        import ssl

        with served("--tls", "--seed", *DESIGN, command=COMMAND) as (process, server):
            assert set(server) == {"base_url", "token", "file_keys", "certificate"}
            assert server["base_url"].startswith("https://127.0.0.1:")
            request = urllib.request.Request(f"{server['base_url']}/v1/me", headers={"X-Figma-Token": server["token"]})
            trust = ssl.create_default_context(cafile=server["certificate"])
            with urllib.request.urlopen(request, timeout=30, context=trust) as answer:
                assert json.load(answer)["handle"] == "owner"
            if sys.platform != "win32":
                process.terminate()
                assert process.wait(30) == 0
                assert not os.path.exists(server["certificate"])

    def test_the_clock_option_sets_the_time_and_the_token_is_valid_then(self, folder):
        with served("--clock", "2031-03-01T12:00:00Z", "--seed", *DESIGN) as (_, server):
            request = urllib.request.Request(
                f"{server['base_url']}/v1/files/design/variables", data=b'{"variables": []}', method="POST"
            )
            request.add_header("X-Figma-Token", server["token"])
            with urllib.request.urlopen(request, timeout=30) as answer:
                assert answer.status == 200

    @pytest.mark.parametrize("moment", ["yesterday", "2026-13-01", "1e400", ""])
    def test_an_invalid_clock_is_a_usage_error(self, folder, moment):
        assert "write it as 2026-03-01T12:00:00Z" in tokensync("emulator", "serve", "--clock", moment, code=2).stderr

    def test_rate_limits_refuse_more_than_100_requests_a_minute(self, folder):
        with served("--rate-limits", "--seed", *DESIGN) as (_, server):
            answers = [ask(server, "design", "published") for _ in range(150)]
        assert {each.status_code for each in answers[:100]} == {200}
        refused = [each for each in answers if each.status_code == 429]
        assert refused[0].headers["X-Figma-Plan-Tier"] == "enterprise"

    def test_requests_get_the_faults_of_a_script(self, folder):
        (folder / "faults.toml").write_text('[[rules]]\npath = "*/local"\nnth = 1\nstatus = 502\n', encoding="utf-8")
        with served("--faults", "faults.toml", "--seed", *DESIGN) as (_, server):
            assert [ask(server, "design", "local").status_code for _ in range(2)] == [502, 200]

    def test_an_invalid_fault_script_is_a_usage_error(self, folder):
        (folder / "faults.toml").write_bytes(b"\xff")
        tokensync("emulator", "serve", "--faults", "faults.toml", code=2)
        (folder / "faults.toml").write_text("[[rules]]\n", encoding="utf-8")
        assert "has no effect" in tokensync("emulator", "serve", "--faults", "faults.toml", code=2).stderr


STATE = ("--state", "state.sqlite")
CALLBACK = "http://127.0.0.1:7000/callback"


def emulator(*arguments, code=0):
    return tokensync("emulator", *arguments, *STATE, code=code)


def created(*arguments):
    return json.loads(emulator("apps", "create", "Harbor", "--json", *arguments).output)


def listed(what):
    return json.loads(emulator(what, "list", "--json").output)


class TestApps:
    def test_a_private_app_from_draft_to_published(self, folder):
        draft = created("--redirect-url", CALLBACK, "--scope", "current_user:read")
        (app,) = listed("apps")
        assert (app["client_id"], app["state"], app["redirect_urls"]) == (draft["client_id"], "draft", [CALLBACK])
        assert emulator("apps", "publish", draft["client_id"]).output == "private\n"
        assert listed("apps")[0]["state"] == "private"

    def test_a_public_app_through_its_reviews(self, folder):
        app = created("--visibility", "public")["client_id"]
        assert (
            "incomplete; configure redirect_urls, scopes, review_pages"
            in emulator("apps", "submit", app, code=2).stderr
        )
        settings = ("--redirect-url", CALLBACK, "--scope", "current_user:read", "--review-pages")
        assert emulator("apps", "configure", app, *settings).output == "draft\n"
        assert emulator("apps", "submit", app).output == "under review\n"
        assert emulator("apps", "approve", app).output == "public\n"
        assert emulator("apps", "configure", app, "--name", "Pier").output == "re-review\n"

    def test_the_secret_is_shown_once(self, folder):
        app = created()
        assert len(app["client_secret"]) == 40
        for arguments in (["apps", "list"], ["apps", "list", "--json"], ["apps", "configure", app["client_id"]]):
            done = emulator(*arguments)
            assert app["client_secret"] not in done.output + done.stderr

    def test_an_unknown_app_is_a_usage_error(self, folder):
        for verb in ("publish", "submit", "approve", "configure"):
            assert "no such app" in emulator("apps", verb, "none", code=2).stderr

    def test_a_state_is_required_without_a_project(self, folder):
        assert "tokensync.toml" in tokensync("emulator", "apps", "list", code=2).stderr


class TestTokens:
    def test_a_token_of_each_kind_with_scopes_and_expiry(self, folder):
        for kind in ("personal", "oauth", "plan"):
            secret = emulator("tokens", "create", "--kind", kind, "--scope", "files:read", "--expires-in-days", "5")
            (token,) = (each for each in listed("tokens") if each["token"] == secret.output.strip())
            assert (token["kind"], token["scopes"]) == (kind, ["files:read"])
        assert "91 days is more than the 90" in emulator("tokens", "create", "--expires-in-days", "91", code=2).stderr

    def test_a_legacy_token_has_no_scopes(self, folder):
        secret = emulator("tokens", "create", "--scope", "none").output.strip()
        assert [each["scopes"] for each in listed("tokens") if each["token"] == secret] == [None]
        emulator("tokens", "change", secret, "--scope", "files:read")
        emulator("tokens", "change", secret, "--scope", "none")
        assert [each["scopes"] for each in listed("tokens") if each["token"] == secret] == [None]

    def test_responses_of_a_served_emulator_follow_each_change(self, folder):
        secret = emulator("tokens", "create", "--scope", "current_user:read").output.strip()

        def ask():
            request = urllib.request.Request(f"{server['base_url']}/v1/me", headers={"X-Figma-Token": secret})
            try:
                with urllib.request.urlopen(request, timeout=30) as answer:
                    return answer.status
            except urllib.error.HTTPError as error:
                with error:
                    return json.load(error)["message"]

        with served(*STATE) as (_, server):
            assert ask() == 200
            emulator("tokens", "change", secret, "--expires-in-days", "0")
            assert ask() == "Token expired"
            emulator("tokens", "change", secret, "--expires-in-days", "1", "--scope", "files:read", "--admin")
            assert ask() == 200
            emulator("tokens", "change", secret, "--scope", "webhooks:read")
            assert "This endpoint requires the current_user:read scope" in ask()
            emulator("tokens", "revoke", secret)
            assert ask() == "Invalid token"

    @pytest.mark.parametrize(
        "arguments",
        [
            ["revoke", "none"],
            ["change", "none"],
            ["change", "none", "--file", "Harbor"],
            ["create", "--account", "captain"],
            ["create", "--permission", "captain"],
            ["create", "--user", "77"],
        ],
    )
    def test_unknown_names_are_usage_errors(self, folder, arguments):
        emulator("tokens", *arguments, code=2)

    def test_a_permission_may_be_on_one_file(self, folder):
        secret = emulator("tokens", "create", "--permission", "none").output.strip()
        emulator("tokens", "change", secret, "--permission", "viewer", "--file", "Harbor")
        emulator("tokens", "change", secret, "--permission", "captain", "--file", "Harbor", code=2)


DETAILS = {
    "LIBRARY_PUBLISH": ("--modified", "blue"),
    "FILE_COMMENT": ("--text", "Nice", "--mention", "1000000000000000001"),
    "DEV_MODE_STATUS_UPDATE": ("--status", "READY_FOR_DEV", "--node", "3:4", "--message", "Built"),
    "FILE_VERSION_UPDATE": ("--description", "Done"),
}


@pytest.fixture
def state(folder):
    tokensync("emulator", "seed", *DESIGN, *STATE, "--key", "K")
    return folder / "state.sqlite"


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_every_operation_has_a_help_text_and_names_its_own_parameters(operation):
    parameters = list(parameters_of(operation))
    assert operation.run.__doc__
    if isinstance(operation.says, str):
        named = {name for _, name, _, _ in Formatter().parse(operation.says) if name}
        assert named <= {parameter.name for parameter in parameters}


def test_every_option_has_a_help_text_unless_its_name_is_enough():
    options = {each.name for operation in OPERATIONS for each in parameters_of(operation) if each.is_option}
    assert options - HELP.keys() == {"description", "logo", "name", "node", "team"}
    assert HELP.keys() <= options


def listening(state, kind):
    """Create a webhook of the file whose endpoint does not exist."""
    from werkzeug.test import Client

    emulator = Emulator(str(state))
    body = {
        "event_type": kind,
        "context": "file",
        "context_id": "K",
        "endpoint": "http://127.0.0.1:1/",
        "passcode": "p",
        "status": "PAUSED",
    }
    headers = {"X-Figma-Token": emulator.default_token}
    client = Client(emulator)
    assert client.post("/v2/webhooks", json=body, headers=headers, base_url="https://x").status_code == 200
    client.put("/v2/webhooks/1", json={"status": "ACTIVE"}, headers=headers, base_url="https://x")
    emulator.close()


@pytest.mark.parametrize("kind", EVENTS)
def test_every_kind_is_raised_and_waits_for_its_retry(state, kind):
    listening(state, kind)
    done = tokensync("emulator", "events", "raise", kind.lower(), "--file", "K", *DETAILS.get(kind, ()), *STATE)
    assert done.stderr.splitlines() == [f"raised {kind} for 1 webhook", "sent 1 event"]
    (waiting,) = json.loads(tokensync("emulator", "events", "list", "--json", *STATE).output)
    assert (waiting["webhook"], waiting["event_type"], waiting["failures"]) == ("1", kind, 1)
    shown = tokensync("emulator", "events", "list", *STATE).output.splitlines()
    assert shown[0].split() == ["WEBHOOK", "EVENT", "TYPE", "DUE", "FAILURES"]
    assert shown[1].split()[:2] == ["1", kind]
    assert "sent" not in tokensync("emulator", "events", "deliver", *STATE).stderr
    assert "sent 1 event" in tokensync("emulator", "events", "advance", "5m", *STATE).stderr


@pytest.mark.parametrize("file", ["K", "design", "https://www.figma.com/design/K/Harbor"])
def test_a_file_is_published_by_key_name_or_url(state, file):
    listening(state, "LIBRARY_PUBLISH")
    tokensync("emulator", "publish", file, "--description", "Spring", *STATE)
    done = tokensync("emulator", "publish", file, *STATE)
    assert done.stderr.splitlines() == [f"published {file}"]


def test_a_name_that_several_files_have_is_no_name(state):
    emulator = Emulator(str(state))
    emulator.files.create("L", name="design")
    emulator.close()
    assert "2 files have this name" in tokensync("emulator", "publish", "design", *STATE, code=2).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("FILE_COMMENT", "--file", "K"), "add --text"),
        (("FILE_UPDATE", "--file", "K", "--text", "x"), "it does not accept --text"),
        (("FILE_COMMENT", "--file", "K", "--text", "x", "--node", "1"), "use --text, --mention, --user"),
        (("FILE_DELETE", "--file", "nothing"), "no such file"),
        (("PING", "--file", "K"), "PING: no kind of event; use one of FILE_UPDATE"),
    ],
)
def test_an_unsupported_detail_of_an_event_is_reported(state, arguments, message):
    assert message in tokensync("emulator", "events", "raise", *arguments, *STATE, code=2).stderr


@pytest.mark.parametrize(
    ("span", "wanted"), [("90", 90), ("90s", 90), ("1.5h", 5400), ("30min", 1800), ("1h30m", 5400), ("7d", 604_800)]
)
def test_a_span_of_time_has_units(span, wanted):
    assert seconds(span) == wanted


@pytest.mark.parametrize("span", ["", "h", "3x", "3 h", "-3h", "1e3", "٣h"])
def test_an_invalid_duration_is_a_usage_error(span):
    with pytest.raises(UsageError, match="not a duration"):
        seconds(span)
