"""The example of a migration: its page and docs/migration.md run as shown."""

import shutil
import sys

import pytest
from shown_commands import ROOT, differences

EXAMPLE = ROOT / "examples" / "migration"


@pytest.mark.skipif(sys.platform == "win32", reason="the pages show a POSIX shell")
@pytest.mark.parametrize("page", [EXAMPLE / "README.md", ROOT / "docs" / "migration.md"], ids=lambda page: page.name)
def test_the_commands_of_the_page_run_as_shown(page, tmp_path):
    shutil.copytree(EXAMPLE, tmp_path / "examples" / "migration", ignore=shutil.ignore_patterns(".tokensync"))
    actual = differences(page.read_text(encoding="utf-8"), tmp_path)
    assert not actual, "\n\n".join(actual)
