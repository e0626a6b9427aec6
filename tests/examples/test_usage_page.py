"""docs/usage.md, docs/naming.md and docs/code.md run as they are shown, in a copy of the quickstart."""

import shutil
import sys

import pytest
from shown_commands import ROOT, differences


@pytest.mark.skipif(sys.platform == "win32", reason="the page shows a POSIX shell")
@pytest.mark.parametrize("page", ["usage.md", "naming.md", "code.md"])
def test_the_commands_of_the_page_run_as_shown(page, tmp_path):
    shutil.copytree(
        ROOT / "examples" / "quickstart",
        tmp_path / "examples" / "quickstart",
        ignore=shutil.ignore_patterns(".tokensync"),
    )
    actual = differences((ROOT / "docs" / page).read_text(encoding="utf-8"), tmp_path)
    assert not actual, "\n\n".join(actual)
