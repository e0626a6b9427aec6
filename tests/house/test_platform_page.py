"""docs/platform.md has a row for each part of the platform, and each has a command that the page runs."""

import re

from shown_commands import ROOT, shown_in

PAGE = (ROOT / "docs" / "platform.md").read_text(encoding="utf-8")


def anchor(heading):
    """Return the anchor of a heading."""
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


SECTIONS = {anchor(section.partition("\n")[0]): section for section in re.split(r"^## ", PAGE, flags=re.MULTILINE)[1:]}
ROWS = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| [")]


def test_each_part_has_a_row_with_a_command_that_its_section_runs():
    assert len(ROWS) == 11
    for part, *_, command in ROWS:
        section = SECTIONS[re.search(r"\(#([\w-]+)\)", part)[1]]
        assert any(command.strip("`") in shown.command for shown in shown_in(section)), part
