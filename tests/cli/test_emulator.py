"""``emulator serve`` and ``emulator seed``."""

import json
import os
import shutil
import signal
import socket
import sys
import urllib.request
from contextlib import contextmanager

import pytest
import requests
from cli.programs import run_prepared, started
from commands.projects import COLORS, DESIGN, response, tokensync
from corpus.building import each_corpus_file, published_of

posix = pytest.mark.skipif(sys.platform == "win32", reason="asks for what only POSIX has")


@contextmanager
def served(*arguments):
    """Yield the process of ``emulator serve --port 0`` and its first line of output."""
    with started("emulator", "serve", "--port", "0", *arguments) as process:
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
        with served("--seed", *DESIGN) as (process, server):
            assert set(server) == {"base_url", "token", "file_keys"}
            assert server["file_keys"] == ["design"]
            assert server["base_url"].startswith("http://127.0.0.1:")
            assert get(server, "design", "local") == json.loads(DESIGN[0].read_bytes())
            assert get(server, "design", "published") == json.loads(DESIGN[1].read_bytes())
            if sys.platform != "win32":
                process.send_signal(signal.SIGINT)
                assert process.wait(30) == 0

    def test_a_seeded_file_has_a_library_that_other_clients_read_first(self, folder):
        with served("--seed", *DESIGN, "--state", "state.sqlite") as (_, server):
            first = fetch(server, "v1/files/design/styles")["meta"]["styles"]
            ids = ",".join(each["node_id"] for each in first)
            assert set(fetch(server, f"v1/files/design/nodes?ids={ids}")["nodes"]) == set(ids.split(","))
        with served("--seed", *DESIGN, "--state", "state.sqlite") as (_, server):
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
            (folder / f"{name}.published.json").write_text(json.dumps({**published, "seed": name}))
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
        (folder / "state.sqlite").write_text("none of SQLite's" * 100)
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

        with served("--tls", "--seed", *DESIGN) as (process, server):
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
        (folder / "faults.toml").write_text('[[rules]]\npath = "*/local"\nnth = 1\nstatus = 502\n')
        with served("--faults", "faults.toml", "--seed", *DESIGN) as (_, server):
            assert [ask(server, "design", "local").status_code for _ in range(2)] == [502, 200]

    def test_an_invalid_fault_script_is_a_usage_error(self, folder):
        (folder / "faults.toml").write_bytes(b"\xff")
        tokensync("emulator", "serve", "--faults", "faults.toml", code=2)
        (folder / "faults.toml").write_text("[[rules]]\n")
        assert "has no effect" in tokensync("emulator", "serve", "--faults", "faults.toml", code=2).stderr
