"""The request log: every request with a valid token is recorded, without making reading requests write."""

import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest
from emulator.platform import GAP, KEY, NOW, Platform, start, update, variables

from tokensync.emulator import Emulator, history
from tokensync.system.errors import UsageError

CHANGE = variables(update(GAP, description="d"))


class Audited(Platform):
    """Return a platform with a token that can search the logs."""

    def __init__(self, emulator: Emulator | None = None) -> None:
        super().__init__(emulator)
        self.auditor = self.emulator.tokens.create(kind="plan", scopes=("org:developer_log_read",), admin=True)

    def search(self, **parameters):
        return self.request("POST", "/v1/developer_logs", json=parameters, token=self.auditor).json["meta"]

    def events(self, **parameters):
        return [each["action"]["event_name"] for each in self.search(**parameters)["items"]]


@pytest.fixture
def platform():
    return Audited()


def in_file(path: Path) -> int:
    """Return the number of records on disk."""
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT count(*) FROM requests").fetchone()[0]


def served(path: Path) -> Audited:
    return Audited(start(str(path), clock=lambda: NOW))


def test_a_search_finds_earlier_requests(platform):
    platform.get()
    platform.post(CHANGE)
    assert platform.events() == ["/v1/files/:file_key/variables", "/v1/files/:file_key/variables/local"]
    assert platform.events()[0] == "/v1/developer_logs"


def test_a_record_names_the_file_and_the_address(platform):
    platform.get()
    (item,) = platform.search()["items"]
    assert item["resource"] == {"id_or_key": KEY, "name": "Untitled", "type": "file", "org_id": "1"}
    assert item["context"]["ip_address"] == "127.0.0.1"
    assert item["timestamp"] == "2027-01-15T08:00:00.000Z"


@pytest.mark.parametrize("kind", ["personal", "oauth", "plan"])
def test_the_secret_of_a_token_finds_its_requests_and_stands_nowhere(tmp_path, kind):
    platform = served(tmp_path / "state")
    secret = platform.emulator.tokens.create(kind=kind, name="mine")
    headers = {"Authorization": f"Bearer {secret}"} if kind == "oauth" else {"X-Figma-Token": secret}
    platform.get()
    platform.get(headers=headers)
    (item,) = platform.search(token=secret)["items"]
    assert item["actor"]["token_name"] == "mine"
    assert (item["actor"]["user_email"] == "") is (kind == "plan")
    platform.emulator.close()
    with closing(sqlite3.connect(tmp_path / "state")) as connection:
        rows = connection.execute("SELECT * FROM requests").fetchall()
    assert secret not in str(rows)


def test_a_refused_request_is_recorded_and_one_with_an_invalid_token_is_not(platform):
    token = platform.emulator.tokens.create(scopes=())
    assert platform.get(token=token).status_code == 403
    assert platform.post(b"{", token=platform.emulator.default_token).status_code == 400
    assert platform.get(token="nobody's").status_code == 403
    assert len(platform.events()) == 2


def test_records_of_reading_requests_wait_for_a_writing_one(tmp_path):
    platform = served(tmp_path / "state")
    for _ in range(5):
        platform.get()
    assert in_file(tmp_path / "state") == 0
    platform.post(CHANGE)
    assert in_file(tmp_path / "state") == 6


def test_readers_do_not_wait_for_a_writer(tmp_path):
    platform = served(tmp_path / "state")
    with closing(sqlite3.connect(tmp_path / "state", isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert platform.get().status_code == 200
        other.execute("ROLLBACK")


def test_records_of_a_request_that_was_rolled_back_are_written_by_the_next(tmp_path):
    platform = served(tmp_path / "state")
    platform.get()
    assert platform.post(b"{").status_code == 400
    assert in_file(tmp_path / "state") == 0
    platform.post(CHANGE)
    assert in_file(tmp_path / "state") == 3


def test_buffered_records_are_written_on_close(tmp_path):
    platform = served(tmp_path / "state")
    platform.get()
    platform.emulator.close()
    assert in_file(tmp_path / "state") == 1


def test_reads_are_written_in_batches(tmp_path, monkeypatch):
    monkeypatch.setattr(history, "MOST_WAITING", 3)
    platform = served(tmp_path / "state")
    for _ in range(4):
        platform.get()
    assert in_file(tmp_path / "state") == 3


def test_pages_have_every_record_once_while_others_are_added(platform):
    for number in range(7):
        platform.emulator.developer_logs.add(platform.emulator.default_token, f"/v1/{number}", ago=10)
    items, cursor = [], None
    while True:
        page = platform.search(limit=2, **({} if cursor is None else {"cursor": cursor}))
        items += page["items"]
        cursor = page["cursor"]
        if not page["has_more"]:
            break
    events = [each["action"]["event_name"] for each in items]
    assert events == [f"/v1/{number}" for number in reversed(range(7))]


def test_records_too_old_to_search_are_dropped(tmp_path):
    platform = served(tmp_path / "state")
    platform.emulator.developer_logs.add(platform.emulator.default_token, "/v1/old", ago=29 * 86400)
    platform.emulator.clock.advance(2 * 86400)
    platform.post(CHANGE)
    assert in_file(tmp_path / "state") == 1


def test_a_source_that_there_is_not_is_a_usage_error(platform):
    with pytest.raises(UsageError, match="use one of rest_api, mcp_server"):
        platform.emulator.developer_logs.add(platform.emulator.default_token, "/v1/me", source="fax")


def test_no_record_is_lost_between_readers_and_writers(tmp_path):
    platform = served(tmp_path / "state")

    def work():
        for number in range(10):
            platform.get() if number % 3 else platform.post(CHANGE)

    threads = [threading.Thread(target=work) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    platform.emulator.close()
    assert in_file(tmp_path / "state") == 80
