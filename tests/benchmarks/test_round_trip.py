"""The benchmark of pull, status, plan and apply."""

import re

from benchmarks.test_run import BENCHMARKS, on_posix, run


@on_posix
def test_every_command_and_the_floor_have_a_row():
    printed = run(BENCHMARKS / "round_trip.py", "--size", "600x2", "--rounds", "1")
    rows = dict(
        re.findall(r"^\| (\w+) \| [\d.]+ \| ([\d.]+) \| [\d.]+ \| \d+ \| [\d.]+ \| \d+ \|$", printed, re.MULTILINE)
    )
    assert list(rows) == ["pull", "status", "plan", "apply", "floor"]
