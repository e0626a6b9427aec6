"""A month of unattended nights with everything that happens in a year; ``make year`` runs 365 of them."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

YEAR = Path(__file__).parents[2] / "benchmarks" / "year.py"
NAME = ("name", "t1")


@pytest.fixture
def team(monkeypatch):
    monkeypatch.syspath_prepend(str(YEAR.parent))
    from unattended import team

    return team


def renamed_on_both_sides(team):
    """Return a ledger with a conflict of names, and the pull request that solves it in favor of code."""
    ledger = team.Ledger()
    ledger.design, ledger.code = {NAME: "line/designed"}, {NAME: "line/coded"}
    ledger.base, ledger.base_in_main = {NAME: "line/old"}, {NAME: "line/old"}
    assert ledger.conflicts() == [NAME]
    return ledger, ledger.proposal()


def test_a_solution_of_a_conflict_lets_apply_bring_the_name_in_code_into_the_design_file(team):
    ledger, solution = renamed_on_both_sides(team)
    ledger.merge(solution)
    assert ledger.conflicts() == []
    assert ledger.to_design() == {NAME: "line/coded"}


def test_a_second_solution_of_the_same_conflict_does_not_take_back_what_an_apply_recorded(team):
    ledger, solution = renamed_on_both_sides(team)
    ledger.merge(solution)
    ledger.apply()
    ledger.merge(solution)
    ledger.merge(team.Change({NAME: "line/later"}, {}, {}))
    assert ledger.conflicts() == []
    assert ledger.to_design() == {NAME: "line/later"}


def test_an_alias_of_a_former_name_has_no_token(monkeypatch):
    monkeypatch.syspath_prepend(str(YEAR.parent))
    from unattended.design import absent_targets

    theme = {("Theme", "line/n2"): ("", {"Light": "{hue/n1}", "Dark": "#000000"})}
    assert absent_targets({("Palette", "hue/n1"): ("", {"Value": "#ffffff"}), **theme}) == set()
    assert absent_targets({("Palette", "hue/n3"): ("", {"Value": "#ffffff"}), **theme}) == {"hue/n1"}


@pytest.mark.skipif(sys.platform == "win32", reason="jobs run in bash, and some are killed")
def test_a_month_of_nights_ends_with_both_sides_equal_and_every_kind_of_event():
    command = [sys.executable, str(YEAR), "--nights", "25", "--seed", "5"]
    done = subprocess.run(command, capture_output=True, timeout=900, check=False, encoding="utf-8")
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
