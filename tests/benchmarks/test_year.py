"""A month of unattended nights with everything that happens in a year; ``make year`` runs 365 of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

YEAR = Path(__file__).parents[2] / "benchmarks" / "year.py"


@pytest.mark.skipif(sys.platform == "win32", reason="jobs run in bash, and some are killed")
def test_a_month_of_nights_ends_with_both_sides_equal_and_every_kind_of_event():
    command = [sys.executable, str(YEAR), "--nights", "25", "--seed", "5"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n0 violations in " in done.stdout
    counts = {name: int(count) for count, name in re.findall(r"^ *(\d+)  (.+)$", done.stdout, re.MULTILINE)}
    happened = re.findall(r"def _on_(\w+)\(", YEAR.read_text(encoding="utf-8"))
    assert len(happened) > 20
    absent = [name for name in happened if not counts.get(name.replace("_", " "))]
    assert absent == []
    for each in (
        "announcements of a token's end",
        "conflicts reported",
        "conflicts solved",
        "failed runs of pull",
        "issues closed",
        "locks committed to main",
        "locks that wait in a pull request",
        "nights with two runs at once",
        "pull requests of the bot merged",
        "quiet nights",
        "runs of all steps as programs",
        "weekly comparisons",
    ):
        assert counts[each], each
    assert sum(count for name, count in counts.items() if name.startswith("applies killed"))
    assert sum(count for name, count in counts.items() if name.startswith("tokens replaced"))
