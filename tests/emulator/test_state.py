"""Persistent state: in a file, across processes and threads, and served on an address."""

import json
import re
import stat
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import requests
from emulator.platform import (
    GAP,
    KEY,
    NOW,
    PRIMITIVES,
    VALUE,
    Platform,
    new_variable,
    response,
    start,
    update,
    values,
    variables,
)

from tokensync.emulator import endpoints, tokens
from tokensync.emulator.server import Reach, Server
from tokensync.emulator.services.variables import collections
from tokensync.emulator.store import Store
from tokensync.system.errors import UsageError

ROOT = Path(__file__).parents[2]

# The table of limits of the API's documentation, as far as it concerns what is emulated.
LIMITS = {
    collections: {"MODES_PER_COLLECTION": 40, "MODE_NAME_CHARACTERS": 40, "VARIABLES_PER_COLLECTION": 5000},
    endpoints: {"BODY_BYTES": 4_000_000},
    tokens: {"PERSONAL_TOKEN_DAYS": 90, "OAUTH_TOKEN_DAYS": 90},
}


@pytest.mark.parametrize("module", LIMITS, ids=lambda module: module.__name__.rpartition(".")[2])
def test_the_limits_are_those_of_the_documentation(module):
    assert {name: getattr(module, name) for name in LIMITS[module]} == LIMITS[module]


@pytest.fixture
def path(tmp_path):
    return str(tmp_path / "state.sqlite")


def test_a_state_in_a_file_is_there_after_a_restart(path):
    first = Platform(start(path))
    first.post(values((GAP, VALUE, 9)))
    first.emulator.files.set_plan(KEY, "enterprise")
    before, token = first.get().data, first.emulator.default_token
    first.emulator.close()
    second = Platform(start(path))
    assert second.emulator.default_token == token
    assert second.get().data == before
    id_ = second.post(variables(new_variable())).json["meta"]["tempIdToRealId"]["v"]
    assert id_ not in json.loads(before)["meta"]["variables"]


@pytest.mark.skipif(sys.platform == "win32", reason="asks for what only POSIX has")
@pytest.mark.parametrize("follow_links", [True, False])
def test_only_the_user_can_read_the_secrets_in_a_state(path, follow_links):
    store = Store(path, follow_links=follow_links)
    with store.writing() as connection:
        connection.execute("CREATE TABLE secret (value)")
    modes = {file.name: stat.S_IMODE(file.stat().st_mode) for file in Path(path).parent.iterdir()}
    store.close()
    assert modes == dict.fromkeys(("state.sqlite", "state.sqlite-shm", "state.sqlite-wal"), 0o600)


def test_new_tokens_after_a_restart_are_new(path):
    secrets = {start(path).tokens.create() for _ in range(3)}
    assert len(secrets) == 3


def test_the_default_token_is_renewed_by_a_later_start(path):
    Platform(start(path, clock=lambda: NOW))
    later = Platform(start(path, clock=lambda: NOW + 1000 * 86400))
    assert later.get().status_code == 200


def test_a_killed_process_loses_no_acknowledged_write(path, tmp_path):
    seed = tmp_path / "seed.json"
    seed.write_text(json.dumps(response()), encoding="utf-8")
    program = f"""
import json, sys, time
from tokensync.emulator import Emulator
from werkzeug.test import Client
emulator = Emulator({path!r})
emulator.seed({KEY!r}, open({str(seed)!r}, "rb").read())
client = Client(emulator)
for n in range(100000):
    body = {{"variables": [{{"action": "UPDATE", "id": {GAP!r}, "description": str(n)}}]}}
    answer = client.post("/v1/files/{KEY}/variables", base_url="https://e.invalid", data=json.dumps(body),
                         headers={{"X-Figma-Token": emulator.default_token}})
    assert answer.status_code == 200
    print(n, flush=True)
"""
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT, encoding="utf-8") as process:
        assert process.stdout is not None
        try:
            for _ in range(30):
                last = int(process.stdout.readline())
        finally:
            process.kill()
        last = int((process.stdout.read().split() or [last])[-1])
    stored = int(Platform(start(path)).state().variables[GAP]["description"])
    assert stored in (last, last + 1)


@pytest.mark.parametrize("where", ["memory", "file"])
def test_eight_threads_read_and_write_and_no_write_is_lost(where, path):
    platform = Platform(start(path if where == "file" else None))
    each, threads = 12, 8

    def work(number):
        for n in range(each):
            body = variables(
                new_variable(f"a{number}-{n}", id="a"),
                new_variable(f"b{number}-{n}", id="b"),
                update(GAP, description=f"{number}-{n}"),
            )
            assert platform.post(body).status_code == 200
            names = {v["name"] for v in platform.state().variables.values()}
            assert {name for name in names if name[0] == "a" and "-" in name} == {
                f"a{name[1:]}" for name in names if name[0] == "b" and "-" in name
            }
            wrong = variables(new_variable(f"x{number}-{n}"), new_variable("gap", id="w"))
            assert platform.post(wrong).status_code == 400

    with ThreadPoolExecutor(threads) as pool:
        list(pool.map(work, range(threads)))
    state = platform.state()
    names = sorted(v["name"] for v in state.variables.values() if v["name"][:1] in "ab" and "-" in v["name"])
    assert names == sorted(f"{k}{t}-{n}" for k in "ab" for t in range(threads) for n in range(each))
    assert len(set(state.collections[PRIMITIVES]["variableIds"])) == 5 + 2 * each * threads


def test_a_reader_goes_on_while_a_request_writes(path):
    platform = Platform(start(path))
    writing, done = threading.Event(), threading.Event()

    def write():
        with platform.emulator._store.writing():
            writing.set()
            done.wait(10)

    thread = threading.Thread(target=write)
    thread.start()
    writing.wait(10)
    try:
        assert platform.get().json == response()
    finally:
        done.set()
        thread.join()


def test_a_file_that_is_no_state_is_refused_and_left_alone(tmp_path):
    other = tmp_path / "other.sqlite"
    other.write_bytes(b"something else" * 100)
    with pytest.raises(UsageError, match="not usable as the emulator's state"):
        start(str(other))
    assert other.read_bytes() == b"something else" * 100
    other.write_bytes(b"x")
    with pytest.raises(UsageError, match="not usable as the emulator's state"):
        start(str(other))
    assert other.read_bytes() == b"x"
    with pytest.raises(UsageError, match="not usable as the emulator's state"):
        start(str(tmp_path / "absent" / "state.sqlite"))


def test_a_full_disk_is_reported_in_one_line_and_loses_no_answered_request(tmp_path, caplog):
    platform = Platform(start(str(tmp_path / "state.sqlite")))
    with platform.emulator._store.writing() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
        connection.execute(f"PRAGMA max_page_count = {pages + 10}")
    statuses, kept = [], 0
    for _ in range(10):
        answer = platform.request("POST", f"/v1/files/{KEY}/comments", json={"message": "x" * 9_000})
        statuses.append(answer.status_code)
        kept += answer.status_code == 200
    assert statuses[0] == 200
    assert statuses[-1] == 500
    state = tmp_path / "state.sqlite"
    reason = f"{state}: not usable as the emulator's state (database or disk is full); free disk space"
    assert answer.json["message"].startswith(reason)
    assert {(each.levelname, each.exc_info) for each in caplog.records} == {("ERROR", None)}
    with platform.emulator._store.writing() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")
    assert len(platform.request("GET", f"/v1/files/{KEY}/comments").json["comments"]) == kept


def test_a_damaged_state_whose_very_error_is_no_text_is_refused(tmp_path):
    state = tmp_path / "state.sqlite"
    start(str(state)).close()
    state.write_bytes(state.read_bytes().replace(b"CREATE TABLE settings", b"CREATE \xda\xdaBLE settings"))
    with pytest.raises(UsageError, match="not usable as the emulator's state"):
        start(str(state))


@pytest.mark.skipif(sys.platform == "win32", reason="no such name there")
def test_a_file_with_the_name_of_an_address_is_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    start("file:state?mode=memory").close()
    assert (tmp_path / "file:state?mode=memory").exists()


def test_the_state_stays_where_it_is_when_the_working_folder_changes(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    emulator = start("state.sqlite")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: emulator.files.keys(), range(8)))
    emulator.close()
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize("path", ["", ":memory:"])
def test_a_name_that_sqlite_reserves_for_memory_is_refused(path):
    with pytest.raises(UsageError, match="not a file for the emulator's state; name one"):
        start(path)


def test_it_is_served_on_a_free_port_of_this_machine():
    platform = Platform()
    with Server(platform.emulator) as server, requests.Session() as session:
        assert server.base_url.startswith("http://127.0.0.1:")
        url = f"{server.base_url}/v1/files/{KEY}/variables"
        session.headers["X-Figma-Token"] = platform.emulator.default_token
        assert session.get(f"{url}/local").json() == response()
        assert session.post(url, json=variables(update(GAP, name="space"))).status_code == 200
        chunks = iter([b'{"variab', b'les": []}'])
        assert session.post(url, data=chunks).status_code == 200
        answer = session.post(url, data=b" " * (9 * 1024 * 1024))
        assert (answer.status_code, answer.json()["message"]) == (413, "Request body is larger than 4 MB")
        session.headers["X-Figma-Token"] = "nobody's"
        assert session.post(url, data=b" " * 1024 * 1024).status_code == 403
        assert session.get(server.base_url, headers={"Host": "example.com"}).status_code == 403


def test_an_address_that_is_not_available_is_named():
    emulator = start()
    with pytest.raises(UsageError, match="cannot listen"):
        Server(emulator, reach=Reach("198.51.100.7"))
    with Server(emulator) as server, pytest.raises(UsageError, match="cannot listen"):
        Server(emulator, port=int(server.base_url.rpartition(":")[2]))


def test_loading_and_seeding_an_emulator_does_not_load_werkzeug():
    program = (
        "import sys; from tokensync.emulator import Emulator; Emulator().close(); assert 'werkzeug' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", program], check=True, cwd=ROOT)


def test_a_damaged_page_is_refused_before_anything_is_read(path):
    Platform(start(path)).emulator.close()
    content = Path(path).read_bytes()
    Path(path).write_bytes(content[:8192] + b"\xff" * 4096 + content[12288:])
    with pytest.raises(UsageError, match=re.escape(f"{path}: not usable as the emulator's state (")):
        start(path)


def test_a_document_that_cannot_be_decoded_is_reported_in_one_line_with_the_file(path, caplog):
    platform = Platform(start(path))
    with platform.emulator._store.writing() as connection:
        connection.execute("UPDATE variables SET document = X'7BFF'")
    answer = platform.post(values((GAP, VALUE, 9)))
    assert answer.status_code == 500
    assert answer.json["message"].startswith(f"{path}: not usable as the emulator's state (")
    assert {(each.levelname, each.exc_info) for each in caplog.records} == {("ERROR", None)}
