"""Every configuration that a page shows is one."""

import re

import pytest
from shown_commands import ROOT

from tokensync.project.configuration import parse_config

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


@pytest.mark.parametrize("block", SHOWN)
def test_each_configuration_that_a_page_shows_is_one(block):
    parse_config(block.encode(), "tokensync.toml")
