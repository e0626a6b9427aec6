"""A short campaign of faults, of whichever schedules the seed gives; ``make faults`` runs a long one."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

CAMPAIGN = Path(__file__).parents[2] / "benchmarks" / "faults.py"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the campaign forks its clients, and kills them")
def test_write_back_survives_a_short_campaign_of_faults():
    command = [sys.executable, str(CAMPAIGN), "--schedules", "20", "--seed", "11"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "\n0 violations" in done.stdout
    row = re.search(r"^\| all \| 20 \| (\d+) \| (\d+) \| (\d+) \|", done.stdout, re.MULTILINE)
    assert row is not None, done.stdout
    assert sum(map(int, row.groups())) == 20
