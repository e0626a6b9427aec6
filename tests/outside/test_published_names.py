"""The names and the lengths that teams publish, reproduced by a line of configuration."""

import re
import runpy

import pytest
from checkers import ROOT

from tokensync.generate.target import OutputRequest
from tokensync.generate.targets import generate
from tokensync.generate.targets.css import CssOptions
from tokensync.project.configuration import parse_config

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


LENGTH = re.compile(r"(--[\w-]+):\s*(-?[\d.]+(?:rem|px))\b")
REM = CssOptions(dimensions={"default": "rem"})


def lengths_in(texts):
    """The first length of each property in style sheets."""
    return dict(reversed([pair for text in texts for pair in LENGTH.findall(text)]))


def test_one_option_reproduces_the_lengths_that_a_team_publishes(subject, package):
    """In rem, character by character, also hairlines and strokes: 51 of figma/sds, 55 of GitHub's file."""
    if subject.name not in JUDGE["CONFIGURATION"]:
        return
    sheets = [ROOT / "tests" / "outside" / "published" / "figma-sds.css"]
    if subject.name == "primer":
        folders = [package(name) for name in JUDGE["PRIMER_RELEASES"]]
        sheets = [path for folder in folders for path in sorted(folder.rglob("dist/css/**/*.css"))]
    line = f'[[outputs]]\nplatform = "css"\npath = "css"\n{JUDGE["CONFIGURATION"][subject.name]}\n'
    (output,) = parse_config(line.encode(), "tokensync.toml").outputs
    request = OutputRequest(platform="css", naming=output.naming, options=REM)
    (file,) = generate(subject.graph, request, subject.resolution)[0]
    theirs, ours = lengths_in(path.read_text("utf-8") for path in sheets), lengths_in([file.content.decode()])
    shared = theirs.keys() & ours.keys()
    assert len(shared) == {"primer": 55, "sds": 51}[subject.name]
    assert {name: ours[name] for name in shared} == {name: theirs[name] for name in shared}
