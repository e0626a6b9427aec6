"""``emulator events`` and ``emulator publish``: all kinds of events, and durations."""

import json

import pytest
from commands.projects import DESIGN, tokensync

from tokensync.commands.emulator import KINDS, seconds
from tokensync.emulator import Emulator
from tokensync.errors import UsageError

STATE = ("--state", "state.sqlite")
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


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_is_raised_and_waits_for_its_retry(state, kind):
    listening(state, kind)
    done = tokensync("emulator", "events", "raise", kind.lower(), "--file", "K", *DETAILS.get(kind, ()), *STATE)
    assert done.stderr.splitlines() == [f"raised {kind} for 1 webhook", "sent 1 event"]
    (waiting,) = json.loads(tokensync("emulator", "events", "list", "--json", *STATE).output)
    assert (waiting["webhook"], waiting["event_type"], waiting["failures"]) == ("1", kind, 1)
    shown = tokensync("emulator", "events", "list", *STATE).output.splitlines()
    assert shown[0].split() == ["WEBHOOK", "EVENT", "DUE", "FAILURES"]
    assert shown[1].split()[:2] == ["1", kind]
    assert "sent" not in tokensync("emulator", "events", "deliver", *STATE).stderr
    assert "sent 1 event" in tokensync("emulator", "events", "advance", "5m", *STATE).stderr


@pytest.mark.parametrize("file", ["K", "design", "https://www.figma.com/design/K/Harbor"])
def test_a_file_is_published_by_key_name_or_url(state, file):
    listening(state, "LIBRARY_PUBLISH")
    tokensync("emulator", "publish", file, "--description", "Spring", *STATE)
    done = tokensync("emulator", "publish", file, *STATE)
    assert done.stderr.splitlines() == ["published K"]


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
        (("PING", "--file", "K"), "is not one of"),
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
