"""Every problem code is documented, and provoked by a test."""

import re
from pathlib import Path

import pytest

from tokensync.system.problems import CODES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "problems.md").read_text(encoding="utf-8")


def sources():
    return {path: path.read_text(encoding="utf-8") for path in sorted((ROOT / "tokensync").rglob("*.py"))}


def test_each_code_has_its_row_in_the_page_of_problems():
    assert set(re.findall(r'^\| <a id="([a-z0-9-]+)"></a>`\1` \|', PAGE, re.MULTILINE)) == set(CODES)


def test_each_code_is_in_kebab_case_with_a_meaning_and_a_consequence():
    for name, code in CODES.items():
        assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name), name
        assert code.meaning.endswith("."), name
        assert code.outcome.endswith("."), name


def test_each_code_is_used_outside_its_declaration():
    text = "".join(text for path, text in sources().items() if path.name != "problems.py")
    assert [name for name in CODES if f'"{name}"' not in text] == []


def test_each_code_that_is_used_is_declared():
    used = {
        name: str(path.relative_to(ROOT))
        for path, text in sources().items()
        for name in re.findall(r'\bproblem\(\s*"([^"]+)"', text)
    }
    assert {name: location for name, location in used.items() if name not in CODES} == {}


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
