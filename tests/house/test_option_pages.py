"""The pages of the targets list each option with its default, and every configuration that a page shows is one."""

from __future__ import annotations

import json
import re

import msgspec
import pytest
from shown_commands import ROOT

from tokensync.config import parse_config
from tokensync.targets import NAMES, target

TARGETS = ROOT / "docs" / "targets"
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")), *sorted((ROOT / "examples").glob("*/README.md"))]


def shown_in(page):
    """The configurations of a page; one that begins within an output is of the page's platform.

    What begins with the name of another file, as a comment, is no configuration.
    """
    for block in re.findall(r"^```toml\n(.*?)^```", page.read_text("utf-8"), re.DOTALL | re.MULTILINE):
        if re.match(r"# (?!tokensync\.toml)\S+\.toml\n", block):
            continue
        output = f'[[outputs]]\nplatform = "{page.stem}"\npath = "x"\n'
        yield f"{output}{block}" if block.startswith("[outputs.") else block


SHOWN = [
    pytest.param(block, id=f"{page.relative_to(ROOT).as_posix()}-{number}")
    for page in PAGES
    for number, block in enumerate(shown_in(page))
]


def table_of_options(page):
    """The default cell of each option in the page's table of options."""
    _, found, section = page.partition("\n## Options\n")
    rows = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
        for line in (section if found else page).splitlines()
        if line.startswith("|")
    ]
    at = next(row.index("default") for row in rows if "default" in row)
    names = [(row, re.findall(r"`(\w+)`", row[0])) for row in rows]
    return {name: row[at] for row, found in names for name in found}


def fields(platform):
    """Each option with its default; of the template output, what is said of each file."""
    struct = target(platform).options
    found = msgspec.structs.fields(struct)
    if platform == "template":
        from tokensync.targets.template.options import TemplateFile

        found = msgspec.structs.fields(TemplateFile)
    return {each.encode_name: each.default for each in found}


@pytest.mark.parametrize("platform", [each for each in NAMES if (TARGETS / f"{each}.md").is_file()])
def test_each_option_stands_on_the_page_with_its_default(platform):
    told = table_of_options((TARGETS / f"{platform}.md").read_text("utf-8"))
    known = fields(platform)
    assert sorted(told) == sorted(known)
    for name, cell in told.items():
        if re.fullmatch(r"`[^`]+`", cell):
            default = list(known[name]) if isinstance(known[name], tuple) else known[name]
            assert json.loads(cell[1:-1]) == default, name


@pytest.mark.parametrize("block", SHOWN)
def test_each_configuration_that_a_page_shows_is_one(block):
    parse_config(block.encode(), "tokensync.toml")
