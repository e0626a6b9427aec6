"""The benchmark of a round trip runs each command on a project of its own."""

from __future__ import annotations

import re

from benchmarks.test_run import BENCHMARKS, on_posix, run


@on_posix
def test_every_command_has_a_row_and_so_has_the_floor():
    printed = run(BENCHMARKS / "round_trip.py", "--size", "600x2", "--rounds", "1")
    rows = dict(
        re.findall(r"^\| (\w+) \| [\d.]+ \| ([\d.]+) \| [\d.]+ \| \d+ \| [\d.]+ \| \d+ \|$", printed, re.MULTILINE)
    )
    assert list(rows) == ["pull", "status", "plan", "apply", "floor"]
