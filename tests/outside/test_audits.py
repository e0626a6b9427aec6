"""Public packages of style sheets by hand against the design file of the same team.

The judge reads the lines of the style sheets by a pattern, and the saved response with the oracle of the corpus.
"""

import re

import pytest
from checkers import MODULES, ROOT
from corpus.building import CORPUS, NO_CORPUS
from corpus.oracle import read, unresolved

from tokensync.migrate.auditing import audit
from tokensync.project.sources import from_snapshot

pytestmark = pytest.mark.outside

PRIMER = MODULES / "@primer" / "primitives" / "dist" / "css"
MODES = (
    "light",
    "dark",
    "dark dimmed",
    "light high contrast",
    "dark high contrast",
    "light tritanopia",
    "dark tritanopia",
)
LINE = re.compile(r"^\s+(--[\w-]+): (?:var\((--[\w-]+)\)|(#[0-9a-f]{6}(?:[0-9a-f]{2})?));", re.MULTILINE)


def channels(text):
    return [int(text[at : at + 2], 16) for at in range(1, len(text), 2)] + [255] * (len(text) == 7)


def lines_of(mode):
    """The colour of each name in the style sheet of a mode, and the name that its line refers to."""
    path = PRIMER / "functional" / "themes" / f"{mode.replace(' ', '-')}.css"
    written = {name: (target, value) for name, target, value in LINE.findall(path.read_text(encoding="utf-8"))}
    colors = {}
    for name in written:
        end = name
        while written.get(end, ("", ""))[0]:
            end = written[end][0]
        if end in written:
            colors[name] = written[end][1]
    return colors, {name: target for name, (target, _) in written.items()}


def expected(response):
    """The names of both sides, the names with the modes in which their colours differ, and what each refers to."""
    reading = read(response)
    both, differing, referring = set(), set(), {}
    for mode in MODES:
        colors, targets = lines_of(mode)
        referring |= {(name, mode): (target, mode) for name, target in targets.items()}
        choice = {
            family["id"]: at
            for family in reading.families
            for at, each in enumerate(family["modes"])
            if each["name"] == mode
        }
        resolve = reading.resolver(choice)
        for variable in reading.declared:
            name = f"--{variable['name'].replace('/', '-')}"
            value = resolve(variable["id"])
            if name not in colors or reading.handle_of(variable["id"]) != "mode" or unresolved(value):
                continue
            both.add(name)
            own = [round(part * 255) for part in value]
            if any(abs(one - other) > 1 for one, other in zip(own, channels(colors[name]), strict=True)):
                differing.add((name, mode))
    return both, differing, referring


def test_primer_s_style_sheets_differ_where_their_lines_and_the_response_say_so():
    response = CORPUS / "primer-local.json"
    if not response.is_file():
        pytest.skip(NO_CORPUS)
    (found,) = audit(from_snapshot(str(response)).graph, None, [str(PRIMER)], unread=[])
    both, differing, referring = expected(response)
    reported = {
        (f"--{'-'.join(row.key.names)}", change.member.removeprefix("in "))
        for row in found.rows
        for change in row.changes
        if row.outcome == "different" and row.key.collection == "mode"
    }
    counts = found.counts
    print(f"primer: {counts}; {len(both)} colours compared by line, {len(differing)} differ in a mode")
    assert len(both) > 250
    page = " ".join((ROOT / "docs" / "audit.md").read_text("utf-8").split())
    assert all(f"{number} {'are ' * (name in ('equal', 'renamed'))}" in page for name, number in counts.items())
    assert f"{len(both)} colours on both sides, and {len(differing)} differences of a mode" in page
    assert {each for each in reported if each[0] in both} <= differing
    unexplained = {each for each in differing - reported if referring[each] not in differing}
    assert not unexplained
