"""The page that compares generated code shows the lines that our outputs have today."""

import re
import runpy

import pytest
from checkers import ROOT

pytestmark = pytest.mark.outside

WRITER = runpy.run_path(str(ROOT / "checks" / "compare_web.py"))


def test_the_page_shows_the_lines_of_the_quickstart(tmp_path):
    """Those of the other design files as well, where their responses are here; `make compare-web` writes them anew."""
    page = (ROOT / "docs" / "compare-web.md").read_text("utf-8")
    compared = 0
    for name, team in WRITER["read_teams"]().items():
        if not all(path.is_file() for path in WRITER["responses_of"](team)):
            continue
        WRITER["run_tokensync"](name, team, tmp_path / name)
        section = re.split(r"^## ", page.partition(f"\n## {team.title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
        blocks = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
        assert len(blocks) == len(team.rows) == 10
        for platform, title in WRITER["PLATFORMS"].items():
            lines = list(WRITER["lines_of"](WRITER["files_of"]("tokensync", platform, team, tmp_path / name)))
            for row, block in zip(team.rows, blocks, strict=True):
                part = block.partition(f"{title}\n")[2].partition("  tokensync ")[2]
                names = WRITER["names_of"]("tokensync", platform, row, team)
                (_, text), *_ = WRITER["shown_by"](platform, names, team.mode, lines)
                shown = part.strip().splitlines()[0].removesuffix(" ...")
                assert shown == text[: WRITER["LONGEST"]], f"{name} {row.path}: run `make compare-web`"
                compared += 1
    print(compared, "lines")
    assert compared >= 30
