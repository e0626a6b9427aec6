"""Counts of what outside checkers compared, added up over all tests and workers into one table.

A test counts with the fixture ``counted``, which fails when there are differences::

    def test_sass_reads_the_same_values(subject, sass, counted):
        ...
        counted("scss", "values by default", subject.name, compared, differences)

(target, what) has to be a row of ROWS: add yours there. ``compared`` is a number, ``differences`` a list of texts.
`make verify` prints the table; ``python checks/generator_counts.py`` writes it into docs/generators.md.
"""

import json
import os
import shutil
import tempfile
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import pytest
from checkers import REQUIRED

FOLDER = "TOKENSYNC_COUNTS"
SWIFT = "Swift 6.2"
"""The reader of rows that stay empty on a machine without the compiler, which is not required."""
COLUMNS = ("moon", "primer", "sds", "synthetic", "quickstart", "generated")
"""The graphs, by their names in outside/graphs.py."""


class Row(NamedTuple):
    """A line of the table: the target, the program that reads it, and what is compared with the graph."""

    target: str
    what: str
    reader: str


ROWS = (
    Row("css", "declarations, typed, block by block", "Lightning CSS"),
    Row("css", "computed values, each theme x appearance", "Chromium"),
    Row("css", "computed values, a theme inside another of its axis", "Chromium"),
    Row("css", "computed values, pairs of axes on one element and nested both ways", "Chromium"),
    *(
        Row("css", f"computed values in three forms up to three deep, in {engine}", engine)
        for engine in ("Chromium", "Firefox", "WebKitGTK")
    ),
    Row("css", "names that the team publishes", "npm, figma/sds"),
    Row("css", "shadows and text styles that the team publishes", "Chromium, npm"),
    Row("css", "custom properties of the team's own style sheet", "Chromium, figma/sds"),
    Row("scss", "values, each theme and pair of themes", "sass"),
    Row("tailwind", "utilities of the variables of the theme", "Tailwind CSS"),
    Row("tailwind", "computed values, each theme and pair x appearance", "Tailwind CSS, Chromium"),
    *(
        Row("tailwind", f"computed values up to three deep, in {engine}", f"Tailwind CSS, {engine}")
        for engine in ("Chromium", "Firefox", "WebKitGTK")
    ),
    Row("typescript", "values, each theme and pair of themes", "tsc, Node"),
    Row("react-native", "values, each theme and pair of themes", "React, Node"),
    Row("template", "properties of vanilla-extract, each theme and nested", "vanilla-extract, Chromium"),
    Row("template", "properties of StyleX, each theme and nested", "StyleX, Chromium"),
    Row("template", "properties of Panda CSS, each theme and nested", "Panda CSS, Chromium"),
    Row("template", "values and presenters in Storybook", "storybook-design-token"),
    Row("json", "values, each theme and pair of themes", "json, jsonschema"),
    Row("figma", "values of each variable in every mode", "Terrazzo"),
    Row("android", "resources by default and at night", "aapt2"),
    Row("android", "decimals as written, by default and at night", "an XML parser"),
    Row("android", "bits of dimensions and numbers, by default and at night", "aapt2, aapt"),
    Row("android", "resources without a finding", "Android lint 25.3"),
    Row("android", "resources after a merge", "Gradle's resource merger, aapt2"),
    Row("android", "resources on devices of every qualifier and each two", "aapt2"),
    Row("android", "attributes in each brand, alone and with another", "aapt2"),
    Row("android", "resources in source sets, alone and with another", "aapt2"),
    Row("android", "resources with a value for every device, in each split", "aapt2"),
    Row("compose", "values, each theme and pair of axes", "Kotlin, Compose 1.5.12"),
    Row("compose", "values of nested groups, each theme and pair", "Kotlin, Compose 1.5.12"),
    Row("flutter", "values, each theme and pair of axes", "tree-sitter, an evaluator"),
    Row("flutter", "lines as formatted", "dart format"),
    Row("ios", "components of colour sets in every appearance", "a schema, JSON"),
    Row("ios", "constants and themes, each pair of axes and appearance", "tree-sitter, an evaluator"),
    Row("ios", "values of a program, each pair of axes and appearance", SWIFT),
    Row("ios", "names in Swift", "tree-sitter, reserved words"),
    Row("css", "code syntax, and what a plan writes", "Chromium"),
    Row("tailwind", "code syntax, as a style uses it", "Tailwind CSS, Chromium"),
    Row("typescript", "code syntax, and references", "tsc, Node"),
    Row("android", "code syntax, and what a plan writes", "aapt2, Kotlin"),
    Row("compose", "references", "Kotlin, Compose 1.5.12"),
    Row("ios", "code syntax, and what a plan writes", "tree-sitter"),
    Row("report", "values on the page, each theme and pair of axes", "Chromium"),
)


class Counts:
    """Adds lines to this worker's own file."""

    def __init__(self, path: Path | None) -> None:
        self.path = path

    def __call__(self, target: str, what: str, graph: str, compared: int, differences: list[str]) -> None:
        """Count comparisons of one row, then fail when there are differences."""
        row = next((each for each in ROWS if each[:2] == (target, what)), None)
        assert row is not None, f"({target}, {what}) is no row of outside/counts.py"
        assert graph in COLUMNS, f"{graph} is no column of outside/counts.py"
        assert compared > 0 or not differences
        if self.path is not None:
            with self.path.open("a", encoding="utf-8") as file:
                file.write(json.dumps([target, what, graph, compared, len(differences)]) + "\n")
        if differences:
            shown = "\n".join(differences[:: len(differences) // 12 + 1])  # some from everywhere
            raise AssertionError(f"{target}, {graph}: {len(differences)} of {compared} differ:\n{shown}")

    def units(self, lines: list[list[str]]) -> None:
        """Report the table of units, which one test compares."""
        if self.path is not None:
            (self.path.parent / UNITS_FILE).write_text(json.dumps(lines), encoding="utf-8")


def pytest_addoption(parser):
    parser.addoption(
        "--counts", metavar="FILE", help="write the table of what outside checkers compared into this page"
    )


def pytest_configure(config):
    if not hasattr(config, "workerinput"):
        # Workers inherit the environment of the process that starts them.
        os.environ[FOLDER] = tempfile.mkdtemp(prefix="tokensync-counts-")


def pytest_unconfigure(config):
    if not hasattr(config, "workerinput"):
        shutil.rmtree(folder())


@pytest.fixture(scope="session")
def counted():
    return Counts(folder() / f"{os.getpid()}.jsonl")


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session):
    """Fail a complete run that left a row uncompared."""
    if is_whole(session.config) and not hasattr(session.config, "workerinput") and uncompared(gathered(folder())):
        session.exitstatus = session.exitstatus or pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter, exitstatus, config):
    counts = gathered(folder())
    if not counts:
        return
    terminalreporter.section("compared with the graph")
    terminalreporter.write_line(table(counts))
    units = folder() / UNITS_FILE
    if units.exists():
        terminalreporter.section("units compared with published ones")
        terminalreporter.write_line(units_table(json.loads(units.read_text(encoding="utf-8"))))
    missing = uncompared(counts) if is_whole(config) else []
    for each in missing:
        terminalreporter.write_line(f"not compared: {each}")
    page = config.getoption("counts")
    if page and exitstatus == 0 and not missing:
        put_into(Path(page), table(counts))
        if units.exists():
            put_into(Path(page), units_table(json.loads(units.read_text(encoding="utf-8"))), UNITS)


def is_whole(config) -> bool:
    """Whether every outside test was asked for, and every checker required."""
    narrowed = config.option.keyword or config.option.markexpr != "outside" or config.args != config.getini("testpaths")
    return REQUIRED and not narrowed


def folder() -> Path:
    return Path(os.environ[FOLDER])


def uncompared(counts: dict[tuple[str, str, str], tuple[int, int]]) -> list[str]:
    """The rows of ROWS without a count for a graph that other rows have."""
    graphs = [graph for graph in COLUMNS if any(key[2] == graph for key in counts)]
    compared = {key[:2] for key in counts}
    rows = [row for row in ROWS if row.reader != SWIFT or row[:2] in compared]
    return [f"{row.target}: {row.what}: {graph}" for row in rows for graph in graphs if (*row[:2], graph) not in counts]


def gathered(folder: Path) -> dict[tuple[str, str, str], tuple[int, int]]:
    """(target, what, graph) -> how many were compared, and how many of them differ."""
    compared, differing = Counter(), Counter()
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8").splitlines():
            target, what, graph, count, differences = json.loads(line)
            compared[target, what, graph] += count
            differing[target, what, graph] += differences
    return {key: (count, differing[key]) for key, count in compared.items()}


def table(counts: dict[tuple[str, str, str], tuple[int, int]]) -> str:
    """The table as Markdown: a line a row that something was compared in, a column a graph, differences last."""
    head = ("target", "what is compared", "read by", *COLUMNS, "differences")
    lines = [head, ("---",) * 3 + ("--:",) * (len(COLUMNS) + 1)]
    for row in (each for each in ROWS if any(key[:2] == each[:2] for key in counts)):
        cells = [counts.get((row.target, row.what, graph)) for graph in COLUMNS]
        numbers = ["" if cell is None else f"{cell[0]:,}" for cell in cells]
        lines.append((*row, *numbers, str(sum(cell[1] for cell in cells if cell is not None))))
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def units_table(lines: list[list[str]]) -> str:
    """The table of units as Markdown: a line a design file."""
    marks = ["---", *["--:"] * 4, "---"]
    return "\n".join(f"| {' | '.join(line)} |" for line in (UNITS_HEAD, marks, *lines))


COUNTS = BEGIN, END = "<!-- counts: written by checks/generator_counts.py -->", "<!-- end of counts -->"
UNITS = "<!-- units: written by checks/generator_counts.py -->", "<!-- end of units -->"
UNITS_HEAD = ["design file", "numbers compared", "right unit", "wrong unit", "changed numbers", "wrong units"]
UNITS_FILE = "units.json"


def put_into(page: Path, text: str, marks: tuple[str, str] = COUNTS) -> None:
    """Write a table between its markers on a page."""
    begin, end = marks
    before, _, rest = page.read_text(encoding="utf-8").partition(begin)
    _, _, after = rest.partition(end)
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}", encoding="utf-8", newline="\n")


def shown_in(page: Path, marks: tuple[str, str] = COUNTS) -> list[list[str]]:
    """The cells of each line of the table that a page shows between the markers."""
    begin, end = marks
    text = page.read_text(encoding="utf-8").partition(begin)[2].partition(end)[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in text.strip().splitlines()]
