"""The pages that compare generated code show the lines that our outputs have today."""

import re
import runpy

import pytest
from checkers import ROOT

pytestmark = pytest.mark.outside

WRITER = runpy.run_path(str(ROOT / "checks" / "compare.py"))


def test_the_page_shows_the_lines_of_the_quickstart(tmp_path):
    """Those of the other design files as well, where their responses are here; `make compare` writes them anew."""
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
                assert shown == text[: WRITER["LONGEST"]], f"{name} {row.path}: run `make compare`"
                compared += 1
    print(compared, "lines")
    assert compared >= 30


def test_the_page_of_native_outputs_shows_our_lines(tmp_path):
    page = (ROOT / "docs" / "compare-native.md").read_text("utf-8")
    native = WRITER["read_native"]()
    WRITER["run_natively"](native, tmp_path)
    compared = 0
    for platform, title in WRITER["NATIVE"].items():
        lines = list(WRITER["native_lines_of"]("tokensync", platform, tmp_path))
        for row in native.rows:
            section = page.partition(f"\n## {row.title}\n")[2].partition("\n## ")[0]
            part = re.split(r"^(?=\w)", section.partition(f"\n{title}\n")[2], maxsplit=1, flags=re.MULTILINE)[0]
            shown = WRITER["natively_shown"]("tokensync", platform, row, lines)
            wanted = "\n".join(WRITER["shown_parts"]("tokensync", shown))
            assert part.startswith(wanted) if shown else "  tokensync " not in part, f"{row.title}: run `make compare`"
            assert shown or not row.merged.get(platform, "-").startswith("tokensync"), row.title
            compared += len(shown)
    print(compared, "lines")
    assert compared >= 60
