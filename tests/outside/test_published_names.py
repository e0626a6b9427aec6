"""The names that teams publish, reproduced by a line of configuration."""

import runpy

import pytest
from checkers import ROOT

JUDGE = runpy.run_path(str(ROOT / "checks" / "published_names.py"))
LONGEST = 120
"""The most characters of a line of configuration."""

pytestmark = pytest.mark.outside


def published(team, package):
    if team == "sds":
        return JUDGE["sds_properties"]()
    return JUDGE["primer_properties"]([package(name) for name in JUDGE["PRIMER_RELEASES"]])


def test_one_line_reproduces_the_names_that_a_team_publishes(subject, package, counted):
    """Of every token that has one: 333 of figma/sds, and 836 of GitHub's file, 125 of them parts of shadows."""
    if subject.name not in JUDGE["CONFIGURATION"]:
        counted("css", "names that the team publishes", subject.name, 0, [])
        return
    assert len(JUDGE["CONFIGURATION"][subject.name]) < LONGEST
    names, parts, wrong = JUDGE["compare"](subject.name, subject.graph, published(subject.name, package))
    assert (names, parts) == {"primer": (836, 125), "sds": (333, 0)}[subject.name]
    counted("css", "names that the team publishes", subject.name, names, wrong)
