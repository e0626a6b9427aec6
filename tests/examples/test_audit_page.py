"""docs/audit.md runs as it is shown, in copies of the quickstart and of the code by hand."""

import shutil
import sys

import pytest
from shown_commands import ROOT, differences


@pytest.mark.skipif(sys.platform == "win32", reason="the page shows a POSIX shell")
def test_the_commands_of_the_page_run_as_shown(tmp_path):
    for name in ("quickstart", "audit"):
        ignored = shutil.ignore_patterns(".tokensync")
        shutil.copytree(ROOT / "examples" / name, tmp_path / "examples" / name, ignore=ignored)
    actual = differences((ROOT / "docs" / "audit.md").read_text(encoding="utf-8"), tmp_path)
    assert not actual, "\n\n".join(actual)
