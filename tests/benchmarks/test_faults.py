"""A short part of the fault campaign; ``make faults`` runs it whole."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"
pytestmark = pytest.mark.campaign


def run(*arguments):
    """Run a campaign; return its exit code and output."""
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, timeout=300, check=False, encoding="utf-8")
    return done.returncode, done.stdout + done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="processes are forked, and killed")
@pytest.mark.parametrize("situation", ["one project", "two clones", "lying readings", "bridge"])
def test_a_plan_is_carried_out_once_and_as_a_whole_whatever_happens(situation):
    if situation == "bridge" and shutil.which("node") is None:
        pytest.skip("the plugin needs Node 20 or newer")
    arguments = ("--schedules", "12", "--workers", "1", "--seed", "48", "--situation", situation)
    code, output = run(BENCHMARKS / "faults.py", *arguments)
    assert code == 0, output
    assert "\n0 violations: nothing doubled, lost or half done.\n" in output
    row = re.search(r"^\| all \|  \| 12 \| (\d+) \| (\d+) \| (\d+) \|", output, re.MULTILINE)
    assert row is not None, output
    assert sum(map(int, row.groups())) == 12
