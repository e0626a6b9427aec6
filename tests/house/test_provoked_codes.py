"""Every problem that a response or the configuration can give is provoked by a test."""

import re
from pathlib import Path

import pytest

from tokensync.problems import CODES

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ["config.py", "wire/*.py", "extract.py", "normalize/*.py"]


def quoted(paths):
    text = "".join(path.read_text(encoding="utf-8") for path in paths)
    return set(re.findall(r"""["']([a-z0-9]+(?:-[a-z0-9]+)+)["']""", text)) & set(CODES)


USED = sorted(quoted(path for pattern in SOURCES for path in (ROOT / "tokensync").glob(pattern)))


def test_the_reading_packages_report_problems():
    assert len(USED) > 20


@pytest.mark.parametrize("code", USED)
def test_a_test_names_the_code(code):
    rooms = [ROOT / "tests" / room for room in ("config", "wire", "extract", "normalize")]
    assert code in quoted(path for room in rooms for path in sorted(room.glob("test_*.py")))
