"""A short load of mixed requests; ``make load`` runs a long one."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

LOAD = Path(__file__).parents[2] / "benchmarks" / "load.py"


@pytest.mark.skipif(sys.platform == "win32", reason="SIGKILL is what only POSIX has")
def test_mixed_requests_from_eight_threads_lose_no_write_and_survive_a_kill():
    command = [sys.executable, str(LOAD), "--requests", "300", "--kills", "2", "--seed", "3"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    answered, written = (
        int(re.search(words, done.stdout)[1]) for words in (r"^(\d+) requests", r"(\d+) objects written")
    )
    assert answered > 250
    assert written > 25
    assert " of 5" not in done.stdout.split("answers: ")[1].splitlines()[0]
    assert "\n0 faults" in done.stdout


def test_the_ledger_reports_lost_changed_doubled_and_unrequested_objects(monkeypatch):
    monkeypatch.syspath_prepend(str(LOAD.parent))
    from loading.ledger import Item, Ledger

    kept, lost, unknown, refused, other = (Item("comment", "A", name) for name in "klurn")
    ledger = Ledger()
    for item in (kept, lost, unknown, refused):
        ledger.begin(item, "posted")
    ledger.answered(kept, "posted")
    ledger.answered(lost, "posted")
    ledger.refused(refused, "posted")
    assert ledger.faults({kept: "posted", lost: "posted"}) == []
    assert ledger.faults({kept: "posted", lost: "posted", unknown: "posted"}) == []
    assert len(ledger.faults({kept: "there twice", refused: "posted", other: "posted"})) == 4
